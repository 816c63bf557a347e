//! Measured errors and rates, as tables and one chart.

use std::collections::BTreeMap;

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::page::{Block, Page};

use crate::traces::accuracy::{Accuracy, EPSILONS, Line, Values};
use crate::traces::cdf::Estimate;

/// The page with what was measured.
pub(super) fn sections(page: Page, accuracy: &Accuracy) -> Page {
    let rounds = accuracy.rounds;
    page.section(
        "How exact distributions are",
        std::iter::once(Block::text(format!(
            "The largest error of the distribution function, in the mean over {rounds} made-up traces, each with fresh noise. Where only so many packets of \
             a host count, the error is from all packets: what the cut alone costs stands in the last column."
        )))
        .chain(["size distribution", "port distribution"].iter().flat_map(|what| distribution(accuracy, what)))
        .collect(),
    )
    .section(
        "How exact round trips and losses are",
        vec![
            Block::text(format!("The median relative error over {rounds} traces.")),
            numbers(accuracy, &["median round trip", "loss rate"]),
        ],
    )
    .section(
        "Worms: found by infected hosts, and false alarms",
        vec![
            Block::text(
                "Of three worms in each trace that have infected so many of 2,000 hosts. A string is suspected where more than 20 hosts send it, as far as \
                 noisy numbers tell; worms on 16 hosts or fewer are none by that rule. Pointing at one string at random finds a given worm less than once in 30,000 times.",
            ),
            worms(accuracy),
        ],
    )
    .section(
        "Stepping stones and bursts: found, false, and by chance",
        vec![
            Block::text(
                "Twenty stepping stones among 79,800 pairs of conversations; ten bursts in 288 intervals. m is how many conversations a bucket keeps, R the norm that a \
                 host's volumes are scaled to.",
            ),
            detection(accuracy, "stepping stones"),
            detection(accuracy, "bursts on links"),
        ],
    )
}

type Key<'a> = (&'static str, &'a str);

/// The lines of a question by unit and way, with the values at each price.
fn by_way<'a>(accuracy: &'a Accuracy, what: &'a str) -> BTreeMap<Key<'a>, [Option<&'a Values>; 3]> {
    let mut ways: BTreeMap<Key<'a>, [Option<&'a Values>; 3]> = BTreeMap::new();
    for (Line { unit, how, price, .. }, values) in accuracy.of(what) {
        ways.entry((unit, how)).or_default()[*price] = Some(values);
    }
    ways
}

fn at_each<'a>(values: &[Option<&'a Values>; 3], word: impl Fn(&'a Values) -> Option<String>) -> String {
    let words: Vec<String> =
        values.iter().map(|values| values.and_then(&word).unwrap_or_else(|| "–".to_owned())).collect();
    words.join(" / ")
}

fn distribution(accuracy: &Accuracy, what: &str) -> Vec<Block> {
    let mut rows = Vec::new();
    let mut lines: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
    for ((unit, how), values) in by_way(accuracy, what) {
        for (price, values) in values.iter().enumerate() {
            let Some(values) = values else { continue };
            let mut row = vec![unit.to_owned(), how.to_owned(), EPSILONS[price].to_owned()];
            for (place, estimate) in Estimate::ALL.into_iter().enumerate() {
                let largest = values.mean(&format!("{}: largest", estimate.name())).unwrap_or_default();
                row.push(small(largest));
                if unit == "host" && how == "average host" {
                    let epsilon = EPSILONS[price].parse().unwrap_or(1.0);
                    lines.entry(place).or_default().push((epsilon, largest));
                }
            }
            row.push(small(values.mean("of the cut alone").unwrap_or_default()));
            rows.push(row);
        }
    }
    let head: Vec<String> = ["unit", "of", "ε"]
        .into_iter()
        .chain(Estimate::ALL.map(Estimate::name))
        .chain(["the cut alone"])
        .map(str::to_owned)
        .collect();
    let series = lines
        .into_iter()
        .map(|(place, points)| Series::new(Mark::DottedLine, Estimate::ALL[place].name(), points));
    let chart = Chart {
        title: format!("{what} of the average host, by method"),
        x_name: "ε".to_owned(),
        y_name: "largest error".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series: series.collect(),
    };
    vec![Block::figure(&chart, "All methods at the same price, hiding a host."), Block::Table { head, rows }]
}

fn small(value: f64) -> String {
    match value {
        value if value >= 0.1 => format!("{value:.2}"),
        value if value >= 0.001 => format!("{value:.4}"),
        value => format!("{value:.5}"),
    }
}

fn numbers(accuracy: &Accuracy, questions: &[&str]) -> Block {
    let mut rows = Vec::new();
    for what in questions {
        for ((unit, how), values) in by_way(accuracy, what) {
            let error = at_each(&values, |values| {
                values.median("relative error").map(|error| format!("{:.2} %", 100.0 * error))
            });
            rows.push(vec![(*what).to_owned(), unit.to_owned(), how.to_owned(), error]);
        }
    }
    let head = ["", "unit", "of", "error at ε = 0.1 / 1 / 10"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows }
}

fn worms(accuracy: &Accuracy) -> Block {
    let ways = by_way(accuracy, "worms");
    let mut infected: Vec<&String> = ways
        .values()
        .flatten()
        .flatten()
        .flat_map(|values| values.0.keys().filter(|name| name.starts_with("found of ")))
        .collect();
    infected.sort();
    infected.dedup();
    let mut rows = Vec::new();
    for ((unit, how), values) in &ways {
        for (price, values) in values.iter().enumerate() {
            let Some(values) = values else { continue };
            let mut row = vec![(*unit).to_owned(), (*how).to_owned(), EPSILONS[price].to_owned()];
            row.push(format!("{:.0}", values.mean("threshold").unwrap_or_default()));
            row.push(format!("{:.1}", values.mean("sigma").unwrap_or_default()));
            let rate = |name: &&String| format!("{:.2}", values.mean(name).unwrap_or_default());
            row.extend(infected.iter().map(rate));
            row.push(format!("{:.2}", values.mean("false").unwrap_or_default()));
            rows.push(row);
        }
    }
    let count = |name: &&String| name.trim_start_matches("found of ").trim_start_matches('0').to_owned();
    let head = ["unit", "counting", "ε", "threshold", "σ"].into_iter().map(str::to_owned);
    let head = head.chain(infected.iter().map(count)).chain(["false a trace".to_owned()]);
    Block::Table { head: head.collect(), rows }
}

fn detection(accuracy: &Accuracy, what: &str) -> Block {
    let mut rows = Vec::new();
    for ((unit, how), values) in by_way(accuracy, what) {
        let rate = |name: &'static str| {
            at_each(&values, move |values| values.mean(name).map(|mean| format!("{mean:.2}")))
        };
        let chance = values.iter().flatten().find_map(|values| values.mean("chance")).unwrap_or_default();
        let wrong = if what == "stepping stones" { rate("false") } else { String::new() };
        let exact = values.iter().flatten().find_map(|values| values.mean("found without noise"));
        rows.push(vec![
            what.to_owned(),
            unit.to_owned(),
            how.to_owned(),
            rate("found"),
            wrong,
            exact.map_or_else(String::new, |exact| format!("{exact:.2}")),
            format!("{chance:.5}"),
        ]);
    }
    let head =
        ["", "unit", "how", "found at ε = 0.1 / 1 / 10", "false a trace", "found without noise", "by chance"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows }
}
