//! What curators answered, in words, and beside the truth where nobody is in the trace.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_curator::Reply;

use super::{Curve, Finding, Truth, UnitStudy, Way, named};
use crate::traces::cdf::{Estimate, distances};
use crate::traces::fingerprint::{DESTINATIONS, SOURCES};
use crate::traces::link_volume::{self, COLUMNS};
use crate::traces::made_up::{Planted, PlantedString};
use crate::traces::questions::{self, SqlQuestion};
use crate::traces::trace::{BINS, LINKS, PORTS, SIZES};
use crate::traces::{retransmission, round_trip};

/// A question's answer in words.
pub(super) fn finding(question: &SqlQuestion, reply: &Reply, truth: Option<&Truth>) -> Finding {
    let (answer, truth) = match question.name {
        questions::FAN_OUT | questions::FAN_OUT_COUNTS | questions::TWO_COUNTS => worms(reply, truth),
        questions::ROUND_TRIP => {
            let exact = truth.map(|truth| round_trip::exact_median_ms(&truth.packets.rows));
            (
                format!("median {:.1} ms", number(reply, 0, 0)),
                exact.map(|exact| format!("median {exact:.1} ms")),
            )
        }
        questions::LOSS => {
            let words = |rate: f64| format!("{:.3} % of packets are copies", 100.0 * rate);
            let exact = truth.map(|truth| words(retransmission::exact_rate(&truth.packets.rows)));
            (words(number(reply, 0, 1).max(0.0) / number(reply, 0, 0).max(1.0)), exact)
        }
        questions::STONE_HOSTS => {
            let exact = truth.map(|truth| format!("{} stones were planted, one a host", truth.stones.len()));
            (format!("about {:.0} hosts{}", number(reply, 0, 0), error_words(reply, 0)), exact)
        }
        questions::PATHS => paths(reply, truth),
        _ => (
            format!(
                "{} groups{}",
                reply.answer.rows.len(),
                error_words(reply, reply.answer.columns.len() - 1)
            ),
            None,
        ),
    };
    let way = Way::Sql(question.sql.to_owned());
    Finding { title: question.title.to_owned(), way, answer, truth, price: reply.price_words() }
}

/// Distribution functions and scores that follow from counts in SQL.
pub(super) fn distributions(replies: &[(&SqlQuestion, Reply)], truth: Option<&Truth>, study: &mut UnitStudy) {
    let mut volumes = vec![0.0; BINS * COLUMNS];
    let mut links = 0;
    for (question, reply) in replies {
        match question.name {
            questions::SIZES => {
                let steps = if question.bounds.is_some() { SIZES / 64 } else { SIZES };
                curve(study, "size", steps, SIZES, reply, truth);
            }
            questions::PORTS => curve(study, "port", PORTS / 16, PORTS, reply, truth),
            questions::HOME_LINKS | questions::AWAY_LINKS => {
                let first = if question.name == questions::HOME_LINKS { 0 } else { LINKS };
                for row in 0..reply.answer.rows.len() {
                    let (bin, link) = (number(reply, row, 0) as usize, number(reply, row, 1) as usize);
                    if bin < BINS && link < LINKS {
                        volumes[bin * COLUMNS + first + link] = number(reply, row, 2);
                    }
                }
                links += 1;
            }
            _ => {}
        }
    }
    if links == 2 {
        study.score(&volumes);
        let top = link_volume::top(study.scores.as_deref().unwrap_or_default(), 10);
        let (answer, truth) = named::bursts(&top, truth);
        study.findings.push(Finding {
            title: "Which five minutes stand out?".to_owned(),
            way: Way::Sql("computed from the two volumes above, for nothing".to_owned()),
            answer,
            truth,
            price: "nothing".to_owned(),
        });
    }
}

/// Counts of steps as a distribution function over cells, even within a step.
fn curve(
    study: &mut UnitStudy,
    column: &'static str,
    steps: usize,
    cells: usize,
    reply: &Reply,
    truth: Option<&Truth>,
) {
    let mut counts = vec![0.0; steps];
    for row in 0..reply.answer.rows.len() {
        if let Some(count) = counts.get_mut(number(reply, row, 0) as usize) {
            *count = number(reply, row, 1);
        }
    }
    let total: f64 = counts.iter().sum();
    let (mut sum, width) = (0.0, cells / steps);
    let cdf: Vec<f64> = (0..cells)
        .map(|cell| {
            sum += counts[cell / width] / width as f64;
            (sum / total.max(1.0)).clamp(0.0, 1.0)
        })
        .collect();
    let error = truth.map(|truth| {
        let exact = &named::true_cdfs(&truth.packets.rows)[usize::from(column == "port")];
        // Within a step nothing was asked.
        let ends = |cdf: &[f64]| cdf.iter().skip(width - 1).step_by(width).copied().collect::<Vec<_>>();
        distances(&ends(&cdf), &ends(exact)).0
    });
    let of = if width == 1 { "SQL".to_owned() } else { format!("SQL, steps of {width}") };
    study.curves.push(Curve { column, of, estimate: Estimate::Counts, cdf, error });
}

/// Strings that are taken for worms', by public numbers. Where keys are earned by hosts, to be shown is to be sent by many; where they are earned by
/// packets, the noisy number of hosts has to say so, with a margin.
fn worms(reply: &Reply, truth: Option<&Truth>) -> (String, Option<String>) {
    let columns = reply.answer.columns.len();
    let (host_margin, margin) =
        (if columns > 2 { 3.0 * sigma(reply, 1) } else { 0.0 }, 3.0 * sigma(reply, 2));
    let mut suspects: BTreeMap<String, f64> = BTreeMap::new();
    for row in 0..reply.answer.rows.len() {
        let hosts = if columns > 1 { number(reply, row, 1) } else { f64::INFINITY };
        let reaches = columns < 3 || number(reply, row, 2) > DESTINATIONS as f64 + margin;
        if hosts > SOURCES as f64 + host_margin && reaches {
            suspects.insert(text(reply, row, 0), hosts);
        }
    }
    let mut largest: Vec<(&String, &f64)> = suspects.iter().collect();
    largest.sort_by(|a, b| b.1.total_cmp(a.1));
    let name = |(name, hosts): &(&String, &f64)| match hosts.is_finite() {
        true => format!("{name} (about {hosts:.0} hosts)"),
        false => (*name).clone(),
    };
    let names: Vec<String> = largest.iter().take(5).map(name).collect();
    let answer = match suspects.is_empty() {
        true => "no string is sent by enough hosts to be shown".to_owned(),
        false => format!(
            "{} strings{}: {}{}",
            suspects.len(),
            error_words(reply, 1),
            names.join(", "),
            if suspects.len() > names.len() { ", …" } else { "" }
        ),
    };
    (answer, truth.map(|truth| found_worms(&suspects, &truth.planted)))
}

/// How many worms of each size are among the suspects, and what else is.
fn found_worms(suspects: &BTreeMap<String, f64>, planted: &[PlantedString]) -> String {
    let mut by_infected: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut others = suspects.len();
    for string in planted {
        let Planted::Worm { infected } = string.what else { continue };
        if i128::from(string.sources) > SOURCES && i128::from(string.destinations) > DESTINATIONS {
            let found = suspects.contains_key(&string.payload);
            let (right, all) = by_infected.entry(infected).or_default();
            *right += usize::from(found);
            *all += 1;
            others -= usize::from(found);
        }
    }
    let words =
        |(infected, (found, all)): (&u32, &(usize, usize))| format!("{found} of {all} on {infected} hosts");
    format!(
        "worms found: {}; {others} other strings",
        by_infected.iter().map(words).collect::<Vec<_>>().join(", ")
    )
}

fn paths(reply: &Reply, truth: Option<&Truth>) -> (String, Option<String>) {
    let shown: Vec<(String, f64)> =
        (0..reply.answer.rows.len()).map(|row| (text(reply, row, 0), number(reply, row, 1))).collect();
    let names: Vec<String> =
        shown.iter().take(3).map(|(path, hosts)| format!("{path} (about {hosts:.0} hosts)")).collect();
    let answer = match shown.is_empty() {
        true => "no path is used by enough hosts to be shown".to_owned(),
        false => format!("{} paths, the first of them {}", shown.len(), names.join(", ")),
    };
    let truth = truth.map(|truth| {
        let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        truth.routes.rows.iter().for_each(|(host, path)| users.entry(*path).or_default().push(*host));
        let count = |hosts: &mut Vec<u32>| {
            hosts.sort_unstable();
            hosts.dedup();
            hosts.len()
        };
        let mut common: Vec<(usize, &str)> =
            users.iter_mut().map(|(path, hosts)| (count(hosts), truth.routes.paths.name(*path))).collect();
        common.sort_by(|a, b| b.cmp(a));
        common.truncate(20);
        let found = common.iter().filter(|(_, path)| shown.iter().any(|(name, _)| name == path)).count();
        format!("{found} of the 20 most common paths of {} are among them", users.len())
    });
    (answer, truth)
}

fn number(reply: &Reply, row: usize, column: usize) -> f64 {
    match reply.answer.rows.get(row).and_then(|row| row.values.get(column)?.as_ref()) {
        Some(Value::Integer(value)) => *value as f64,
        Some(Value::Number(value)) => *value,
        _ => 0.0,
    }
}

fn text(reply: &Reply, row: usize, column: usize) -> String {
    match reply.answer.rows.get(row).and_then(|row| row.values.get(column)?.as_ref()) {
        Some(Value::Text(value)) => value.clone(),
        _ => String::new(),
    }
}

fn sigma(reply: &Reply, column: usize) -> f64 {
    let release = reply.answer.columns.get(column).and_then(|column| column.release.as_ref());
    release.and_then(|release| release.scale.as_ref()).map_or(0.0, |scale| scale.to_f64_upper())
}

fn error_words(reply: &Reply, column: usize) -> String {
    let release = reply.answer.columns.get(column).and_then(|column| column.release.as_ref());
    release.and_then(|release| release.error_95).map_or_else(String::new, |error| format!(" (± {error:.0})"))
}
