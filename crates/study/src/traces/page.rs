//! The report of a study of traces: what was asked and answered, how exact it is, and what cannot be asked.

mod accuracy_tables;

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::page::{Block, Page, Tone};

use super::Unit;
use super::accuracy::Accuracy;
use super::cdf::Estimate;
use super::study::{Curve, Finding, TraceStudy, UnitStudy, Way};

/// Points of a curve that are drawn.
const POINTS: usize = 300;

/// The page of a study, with measured accuracies where there are some.
pub fn page(study: &TraceStudy, accuracy: Option<&Accuracy>) -> Page {
    let units: Vec<&str> = study.units.iter().map(|unit| unit.unit.name()).collect();
    let lead = format!(
        "{} questions about {}, each answered at ε = {} and δ = 1e-6, hiding one {}.",
        study.units.iter().map(|unit| unit.findings.len()).sum::<usize>(),
        study.about,
        study.epsilon,
        units.join(" and, beside it, one ")
    );
    let mut page = Page::new("What a network carries", lead)
        .section("Who is hidden", vec![whose(study), Block::text(BESIDE), moves()]);
    for column in ["size", "port"] {
        page = page.section(format!("The distribution of {column}s"), distribution(study, column));
    }
    if study.units.iter().any(|unit| unit.scores.is_some()) {
        page = page.section("Bursts on links", bursts(study));
    }
    page = page.section("Question by question", study.units.iter().flat_map(findings).collect());
    if let Some(accuracy) = accuracy {
        page = accuracy_tables::sections(page, accuracy);
    }
    page.section("What cannot be asked", vec![Block::text(CANNOT), Block::verdict(Tone::Plain, RULE)])
}

const CANNOT: &str = "Where hosts are hidden, no single stepping stone can be found. Both conversations of a stone are one host's, so that all of the evidence \
     belongs to one unit: cut at A coincidences, it has the noise A/√(2ρ), and the signal is at most √(2ρ) deviations of the noise, whatever A is: 0.03 of \
     them at ε = 0.1, 0.2 at ε = 1, 1.8 at ε = 10. Among 80,000 pairs more than four are needed. How many hosts look like stones is a question \
     about hosts, and is answered.\n\nNor can a worm be seen on a handful of hosts: that is what hiding a host means.\n\nWhere packets are hidden, hosts are not: a \
     host of a thousand packets is promised a thousand times the price of one, which is no promise. And a host is hidden as a sender. What others send to it \
     belongs to them.";
const RULE: &str = "Questions that count hosts lose nothing when hosts are hidden; questions that count packets lose what one host may not add. Rephrase before paying.";

const BESIDE: &str = "The noise of an answer is in proportion to how far one unit moves it. At the same price, hiding a host costs as many times the noise as the third \
     column is larger than the second.";

/// How far one packet and one host move what is measured.
fn moves() -> Block {
    let rows = [
        ["distributions of packets", "1", "k, the packets of a host that count", "k, and what is cut"],
        ["distributions of the average host", "–", "1", "1"],
        ["round trips", "√2", "k, the conversations of a host that count", "k/√2"],
        ["packets and copies", "√2", "√2 in units of both limits", "the limit of copies"],
        ["worms", "√2", "√K, by fan-out", "1 where K = 2"],
        ["stepping stones", "2√(m − 1)", "all the evidence there is", "impossible"],
        ["link volumes", "√2", "R", "R/√2"],
        ["common paths, hosts of any kind", "–", "√K", "1"],
    ];
    let head = ["question", "one packet moves it by", "one host moves it by", "factor in the noise"];
    Block::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
    }
}

fn whose(study: &TraceStudy) -> Block {
    let rows = study.units.iter().map(|unit| {
        let whose = match unit.unit {
            Unit::Host => "a host, with everything it sent and the answers to it",
            Unit::Packet => "one packet of a host; the host itself is not hidden",
        };
        vec![
            unit.unit.name().to_owned(),
            whose.to_owned(),
            unit.findings.len().to_string(),
            unit.spent.clone(),
        ]
    });
    let head = ["unit", "who cannot be told", "questions", "price of all answers together"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

fn distribution(study: &TraceStudy, column: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let truth = study.true_cdfs.as_ref().map(|cdfs| &cdfs[usize::from(column == "port")]);
    for unit in &study.units {
        let curves: Vec<&Curve> = unit.curves.iter().filter(|curve| curve.column == column).collect();
        let drawn = curves.iter().filter(|curve| !curve.of.contains("average"));
        let series = drawn
            .map(|curve| Series::new(Mark::Line, name(curve), points(&curve.cdf)))
            .chain(truth.map(|truth| Series::new(Mark::Reference, "the truth", points(truth))));
        let chart = Chart {
            title: format!("{column}s of packets, hiding a {}", unit.unit.name()),
            x_name: if column == "size" { "bytes".to_owned() } else { "port".to_owned() },
            y_name: "share of packets up to here".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series: series.collect(),
        };
        let caption = match unit.unit {
            Unit::Host => {
                "All methods at the same price each, of packets of which only so many count for a host. Their noise is that of as many packets as count, \
                 all of which may lie in one cell."
            }
            Unit::Packet => {
                "The same methods where one packet is hidden: the curves can hardly be told from each other."
            }
        };
        blocks.push(Block::figure(&chart, caption));
        blocks.push(errors(&curves, study.true_cdfs.is_some()));
    }
    blocks
}

fn name(curve: &Curve) -> String {
    match curve.of.starts_with("SQL") {
        true => format!("{}, in {}", curve.estimate.name(), curve.of),
        false => curve.estimate.name().to_owned(),
    }
}

fn errors(curves: &[&Curve], is_known: bool) -> Block {
    let rows = curves.iter().map(|curve| {
        let best = if curve.estimate == Estimate::Monotone { " (recommended)" } else { "" };
        let error = curve.error.map_or_else(|| "private".to_owned(), |error| format!("{error:.4}"));
        vec![format!("{}{best}", curve.estimate.name()), curve.of.clone(), error]
    });
    let last = if is_known { "largest error, here" } else { "largest error" };
    Block::Table { head: ["method", "of", last].map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// A step function thinned out to what can be seen.
fn points(cdf: &[f64]) -> Vec<(f64, f64)> {
    let step = cdf.len().div_ceil(POINTS).max(1);
    let mut points = Vec::new();
    for (place, chunk) in cdf.chunks(step).enumerate() {
        let last = place * step + chunk.len() - 1;
        points.push((last as f64, chunk[chunk.len() - 1]));
    }
    points
}

fn bursts(study: &TraceStudy) -> Vec<Block> {
    let mut blocks = Vec::new();
    for unit in &study.units {
        let Some(scores) = &unit.scores else { continue };
        let point = |bin: usize| (bin as f64 * 5.0 / 60.0, scores[bin]);
        let planted = study.bursts.iter().copied().map(point).collect::<Vec<_>>();
        let mut series = vec![Series::new(Mark::Line, "score", (0..scores.len()).map(point).collect())];
        if !planted.is_empty() {
            let mut planted = planted;
            planted.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series::new(Mark::Dots, "planted bursts", planted));
        }
        let chart = Chart {
            title: format!("Which five minutes stand out, hiding a {}", unit.unit.name()),
            x_name: "hour of the day".to_owned(),
            y_name: "deviations from the daily patterns".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series,
        };
        let caption = "Volumes of forty links without their two strongest daily patterns: the largest residual of each five minutes. Everything after the noisy \
                       volumes is computed from them.";
        blocks.push(Block::figure(&chart, caption));
    }
    blocks
}

fn findings(unit: &UnitStudy) -> Vec<Block> {
    let is_known = unit.findings.iter().any(|finding| finding.truth.is_some());
    let row = |finding: &Finding| {
        let way = match &finding.way {
            Way::Sql(_) => "SQL",
            Way::Named(_) => "named mechanism",
        };
        let mut row = vec![finding.title.clone(), way.to_owned(), finding.answer.clone()];
        if is_known {
            row.push(finding.truth.clone().unwrap_or_default());
        }
        row.push(finding.price.clone());
        row
    };
    let mut head = vec!["question", "asked as", "answer"];
    if is_known {
        head.push("the truth, which only a made-up trace can show");
    }
    head.push("price");
    let sql: Vec<String> = unit
        .findings
        .iter()
        .filter_map(|finding| match &finding.way {
            Way::Sql(sql) if sql.starts_with("SELECT") => Some(format!("-- {}\n{sql};", finding.title)),
            _ => None,
        })
        .collect();
    let named: Vec<String> = unit
        .findings
        .iter()
        .filter_map(|finding| match &finding.way {
            Way::Named(words) => Some(words.clone()),
            Way::Sql(_) => None,
        })
        .collect();
    vec![
        Block::text(format!("Hiding a {}:", unit.unit.name())),
        Block::Table {
            head: head.into_iter().map(str::to_owned).collect(),
            rows: unit.findings.iter().map(row).collect(),
        },
        Block::Folded {
            summary: format!("What was asked in SQL, hiding a {}", unit.unit.name()),
            blocks: vec![Block::Code(sql.join("\n\n"))],
        },
        Block::Folded {
            summary: format!(
                "What SQL cannot say, and named mechanisms answered, hiding a {}",
                unit.unit.name()
            ),
            blocks: vec![Block::text(named.join("\n\n"))],
        },
    ]
}
