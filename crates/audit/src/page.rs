//! The report of an audit: what was claimed, what was measured, how sure it is.

use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, significant};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

use crate::words::{event_sentence, measured_text, one_run_sentence, summary};
use crate::{Audited, Finding, Findings, Measured};

/// Bars end here: a leak that shows everything has no end.
const SHARE_MAX: f64 = 400.0;
/// So many findings get a picture each; of more, those that are not as they should be.
const PICTURED: usize = 6;

/// The page of a run: claimed and measured side by side, then what told most about each.
pub fn page(findings: &Findings) -> Page {
    let unexpected = [findings.refuted(), findings.missed()].concat();
    let verdict = if unexpected.is_empty() {
        Block::verdict(Tone::Calm, "Everything is as it should be.")
    } else {
        Block::verdict(Tone::Alarm, format!("Not as it should be: {}.", unexpected.join(", ")))
    };
    let mut report = Page::new(format!("Audit: {}", findings.title), summary(findings));
    let mut first = vec![verdict];
    if !findings.audited.is_empty() {
        first.push(Block::figure(&shares(findings), SHARES_CAPTION));
    }
    report = report.section("Claimed and measured", first);
    let few = findings.audited.len() <= PICTURED;
    for audited in findings.audited.iter().filter(|audited| few || !audited.verdict().is_as_it_should_be()) {
        report = report.section(audited.finding.subject.clone(), single(audited));
    }
    if findings.audited.len() > 1 {
        report = report.section("All findings", vec![table(findings)]);
    }
    if !findings.one_runs.is_empty() {
        let runs = findings.one_runs.iter().map(|run| (run.subject.clone(), one_run_sentence(run)));
        let blocks = vec![Block::text(ONE_RUN), Block::facts(runs)];
        report = report.section("Canaries in one run", blocks);
    }
    let rates = findings.rates;
    let method = METHOD
        .replace("{confidence}", &significant(100.0 * (1.0 - rates.doubt)))
        .replace("{alarm}", &grouped_count((1.0 / rates.false_alarm).round() as u64));
    report.section("How it was measured", vec![Block::text(method)])
}

const SHARES_CAPTION: &str = "How much of the claimed loss was seen, as a lower bound. At 100 % the measured loss is \
    the claimed one: the claim is as small as it can be. Orange claims are refuted: a stricter \
    bound is beyond the line as well (bars end at 400 %).";

const ONE_RUN: &str = "Each canary is a made-up person who takes part, or not, by a coin of their own. All are in one \
    run; from what it releases the auditor guesses the coins. Under a claim of (ε, δ) more right guesses than a \
    binomial with probability e^ε/(1 + e^ε) allows are improbable, and how improbable is a theorem.";

const METHOD: &str = "Every release is run many times on two neighbouring data sets, which differ in one \
    person. First each of several hard pairs is tried briefly, and the pair that tells most is kept. Of its \
    fresh releases, one part trains distinguishers (every number that is seen, frequent outputs, a \
    logistic regression, boosted trees), a second part chooses the events that seem to tell most, and only \
    the third part is counted. Exact binomial bounds on the two probabilities of each event, corrected for \
    the number of events, become a lower bound on the loss.\n\nEach measured number is true with \
    {confidence} % confidence, so that a few of many may exceed a true claim. A claim is called refuted \
    only where a stricter bound exceeds it, which happens to each true claim at most once in {alarm} audits. \
    An audit can refute a claim; it cannot prove one. The proof of each mechanism stands at the top of its \
    file.";

fn share(measured: &Measured) -> f64 {
    100.0 * measured.tightness()
}

fn shares(findings: &Findings) -> BarChart {
    let bars = findings.audited.iter().filter_map(|audited| {
        let measured = audited.finding.closest()?;
        let claimed = significant(measured.measure.claimed());
        let label = match measured.lower > 0.0 {
            true => format!("{} of {claimed}", measured_text(measured)),
            false => "nothing seen".to_owned(),
        };
        let colour = if audited.finding.refuted() { Colour::ORANGE } else { Colour::BLUE };
        Some(Bar::plain(audited.finding.subject.clone(), share(measured).min(SHARE_MAX), label, colour))
    });
    BarChart {
        title: format!("Measured loss as a share of the claimed one: {}", findings.title),
        axis: "% of the claim".to_owned(),
        bars: bars.collect(),
        compared: Some(100.0),
        ..BarChart::default()
    }
}

fn single(audited: &Audited) -> Vec<Block> {
    let finding = &audited.finding;
    let mut blocks = Vec::new();
    if let Some(flaw) = &audited.flaw {
        blocks.push(Block::text(format!("Planted: {flaw}")));
    }
    let facts = finding.measured.iter().map(|measured| {
        let told = format!("{}, measured {}", measured.measure.guarantee(), measured_text(measured));
        ("claimed".to_owned(), told)
    });
    let settings = [
        ("verdict".to_owned(), audited.verdict().word().to_owned()),
        (
            "neighbours".to_owned(),
            match finding.pairs {
                1 => format!("{} (the one pair tried)", finding.neighbours),
                pairs => format!("{} (of {pairs} pairs tried)", finding.neighbours),
            },
        ),
        ("releases of either side".to_owned(), grouped_count(finding.releases as u64)),
    ];
    let event = finding.closest().and_then(|measured| measured.event.as_ref());
    let event = event.map(|event| ("what tells".to_owned(), event_sentence(finding, event)));
    blocks.push(Block::facts(facts.chain(settings).chain(event)));
    if let Some(measured) = finding.closest().filter(|_| finding.curve.len() > 2) {
        blocks.push(Block::figure(&alarms(finding, measured), ALARMS_CAPTION));
    }
    blocks
}

const ALARMS_CAPTION: &str = "An adversary who raises an alarm for one of two neighbours: how often rightly, against how \
    often wrongly. The claim allows everything below the upper line; the diagonal is guessing. The measured \
    points are counts, with the luck of the draw in them; the bounds above allow for it.";

/// The claim as a curve, and the alarms of the best distinguisher.
fn alarms(finding: &Finding, measured: &Measured) -> Chart {
    let allowed =
        (0..=100).map(|step| f64::from(step) / 100.0).map(|q| (q, measured.measure.allowed(q))).collect();
    Chart {
        title: format!("Alarms about {}", finding.subject),
        x_name: "false alarms".to_owned(),
        y_name: "true alarms".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            Series::new(Mark::Line, "allowed by the claim", allowed),
            Series::new(Mark::DottedLine, "measured", finding.curve.clone()),
            Series::new(Mark::Reference, "guessing", vec![(0.0, 0.0), (1.0, 1.0)]),
        ],
    }
}

fn table(findings: &Findings) -> Block {
    let rows = findings.audited.iter().filter_map(|audited| {
        let measured = audited.finding.closest()?;
        let mut row = vec![
            audited.finding.subject.clone(),
            measured.measure.guarantee().to_string(),
            measured_text(measured),
            format!("{:.0} %", share(measured)),
            audited.verdict().word().to_owned(),
            audited.finding.neighbours.clone(),
        ];
        row.extend(
            findings
                .audited
                .iter()
                .any(|a| a.flaw.is_some())
                .then(|| audited.flaw.clone().unwrap_or_default()),
        );
        Some(row)
    });
    let mut head =
        ["release", "claim", "measured", "of claim", "verdict", "neighbours"].map(String::from).to_vec();
    head.extend(
        findings.audited.iter().any(|audited| audited.flaw.is_some()).then(|| "planted flaw".to_owned()),
    );
    Block::Table { head, rows: rows.collect() }
}
