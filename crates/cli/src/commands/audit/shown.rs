//! Findings in words and as JSON.

use pointillist_audit::{Event, Finding, Measured, OneRun, Side as World};
use serde_json::{Value, json};

use super::bench::{Audited, Findings};
use crate::bar::bar;
use crate::ink::Ink;
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::Json;
use pointillist_render::decimals::{grouped_count, significant, significant_lower};
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to.
const WIDTH: usize = 92;
/// Cells of a bar.
const BAR: usize = 30;
/// So many findings are told one by one; more are a table.
const ONE_BY_ONE: usize = 3;

/// What one finding comes to, in a word.
pub fn verdict(audited: &Audited) -> &'static str {
    match (audited.finding.refuted(), audited.flaw.is_some()) {
        (false, false) => "cleared",
        (true, false) => "REFUTED",
        (true, true) => "caught",
        (false, true) => "MISSED",
    }
}

/// Whether nothing at all was measured: such an audit supports no claim.
pub fn saw_nothing(finding: &Finding) -> bool {
    finding.measured.iter().all(|measured| measured.lower <= 0.0)
}

/// A number measured, and the one claimed.
pub fn measured_text(measured: &Measured) -> String {
    format!("{} ≥ {}", measured.measure.symbol(), significant_lower(measured.lower))
}

/// Prints everything.
pub fn words(findings: &Findings) {
    let ink = Ink::for_stdout();
    if findings.audited.len() <= ONE_BY_ONE {
        for audited in &findings.audited {
            one(audited, findings, ink);
        }
    } else {
        table(findings, ink);
    }
    for run in &findings.one_runs {
        println!("{}", ink.strong(&format!("{}, one run", run.subject)));
        for line in wrapped(&one_run_sentence(run), WIDTH - 2) {
            println!("  {line}");
        }
    }
    for line in wrapped(&summary(findings), WIDTH) {
        println!("{line}");
    }
}

/// The whole in a sentence or two.
pub fn summary(findings: &Findings) -> String {
    let (real, planted): (Vec<&Audited>, Vec<&Audited>) =
        findings.audited.iter().partition(|audited| audited.flaw.is_none());
    let count = |audited: &[&Audited], word: &str| audited.iter().filter(|a| verdict(a) == word).count();
    let mut sentences = Vec::new();
    if !real.is_empty() {
        let refuted = count(&real, "REFUTED");
        sentences.push(match refuted {
            0 if real.len() == 1 => "The claim was not refuted.".to_owned(),
            0 => format!("None of {} claims was refuted.", real.len()),
            _ => format!("{refuted} of {} claims REFUTED.", real.len()),
        });
    }
    if !findings.one_runs.is_empty() {
        let refuted = findings.one_runs.iter().filter(|run| run.refuted()).count();
        sentences.push(format!("{refuted} of {} refuted from one run.", findings.one_runs.len()));
    }
    if !planted.is_empty() {
        sentences.push(format!("{} of {} planted leaks caught.", count(&planted, "caught"), planted.len()));
    }
    let unseen = real.iter().filter(|audited| saw_nothing(&audited.finding)).count();
    if unseen > 0 {
        let which = if real.len() == 1 { "It".to_owned() } else { format!("{unseen} of them") };
        sentences.push(format!(
            "{which} measured 0: there the audit had no power, and says neither that the claim holds nor that \
             it does not. Draw more --releases, or audit at a larger ε."
        ));
    }
    let beyond = |audited: &&&Audited| {
        !audited.finding.refuted() && audited.finding.measured.iter().any(|m| m.lower > m.measure.claimed())
    };
    if real.iter().filter(beyond).count() > 0 {
        sentences.push(format!(
            "A measured number exceeds its claim, as one in {} may: the stricter bound of a refutation does \
             not. Draw more --releases.",
            significant((1.0 / findings.settings.rates.doubt).max(1.0))
        ));
    }
    let rate = findings.settings.rates.false_alarm;
    sentences.push(format!(
        "Each true claim is called false at most once in {} audits.",
        grouped_count((1.0 / rate).round() as u64)
    ));
    sentences.join(" ")
}

/// How the best event happened, in a sentence.
pub fn event_sentence(finding: &Finding, event: &Event) -> String {
    let share = |(successes, n): (u64, u64)| significant(successes as f64 / n.max(1) as f64);
    let (likelier, other) = match event.likelier {
        World::Left => ("first", "second"),
        World::Right => ("second", "first"),
    };
    format!(
        "{}: in {} of releases for the {likelier} world, in {} for the {other} (pair: {})",
        event.description,
        share(event.there),
        share(event.elsewhere),
        finding.neighbours
    )
}

/// What one run told, in a sentence.
pub fn one_run_sentence(run: &OneRun) -> String {
    let delta = if run.delta > 0.0 { format!(" at δ = {}", significant(run.delta)) } else { String::new() };
    format!(
        "{} of {} guesses about {} canaries were right: ε ≥ {}{delta}, claimed {}.",
        grouped_count(run.right as u64),
        grouped_count(run.guessed as u64),
        grouped_count(run.canaries as u64),
        significant_lower(run.lower),
        significant(run.claimed)
    )
}

fn one(audited: &Audited, findings: &Findings, ink: Ink) {
    let finding = &audited.finding;
    let word = match verdict(audited) {
        good @ ("cleared" | "caught") => ink.accent(good),
        bad => ink.alarm(bad),
    };
    println!("{}  {word}", ink.strong(&finding.subject));
    if let Some(flaw) = &audited.flaw {
        for line in wrapped(flaw, WIDTH - 2) {
            println!("  {line}");
        }
    }
    let confidence = 100.0 * (1.0 - findings.settings.rates.doubt);
    for measured in &finding.measured {
        let (claimed, lower) = (measured.measure.claimed(), measured.lower);
        let most = claimed.max(lower).max(f64::MIN_POSITIVE);
        println!("  {}", measured.measure.guarantee());
        println!("    claimed  {:>9}  {}", significant(claimed), bar(claimed / most, BAR));
        println!(
            "    measured {:>9}  {}  with {confidence} % confidence",
            significant_lower(lower),
            bar(lower / most, BAR)
        );
    }
    let event = finding.closest().and_then(|measured| measured.event.as_ref());
    let event = event.map_or_else(
        || "no event that was tried tells the two apart: this audit had no power".to_owned(),
        |event| event_sentence(finding, event),
    );
    let told = format!(
        "{event}; {} pairs tried, {} releases a side",
        finding.pairs,
        grouped_count(finding.releases as u64)
    );
    for line in wrapped(&told, WIDTH - 2) {
        println!("  {}", ink.faint(&line));
    }
}

fn table(findings: &Findings, ink: Ink) {
    let mut table = Table::new();
    let rows: Vec<(&Audited, Option<&Measured>)> =
        findings.audited.iter().map(|audited| (audited, audited.finding.closest())).collect();
    let cells = |text: &dyn Fn(&Audited, &Measured) -> String| -> Vec<Cell> {
        rows.iter()
            .map(|(audited, measured)| measured.map_or_else(String::new, |m| text(audited, m)).into())
            .collect()
    };
    let column = |table: &mut Table, heading: &str, side, tone, cells: Vec<Cell>| {
        table.filled_column(heading, side, tone, cells);
    };
    column(&mut table, "release", Side::Left, Tone::Plain, cells(&|a, _| a.finding.subject.clone()));
    let claimed = cells(&|_, m| format!("{} = {}", m.measure.symbol(), significant(m.measure.claimed())));
    column(&mut table, "claimed", Side::Left, Tone::Plain, claimed);
    column(&mut table, "measured", Side::Left, Tone::Plain, cells(&|_, m| measured_text(m)));
    let share = cells(&|_, m| format!("{:.0} %", 100.0 * m.tightness()));
    column(&mut table, "of claim", Side::Right, Tone::Plain, share);
    column(&mut table, "verdict", Side::Left, Tone::Accent, cells(&|a, _| verdict(a).to_owned()));
    column(&mut table, "neighbours", Side::Left, Tone::Faint, cells(&|a, _| cut(&a.finding.neighbours, 40)));
    for line in table.lines("", ink) {
        println!("{line}");
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// Prints one object.
pub fn json(findings: &Findings) {
    let subjects: Vec<Value> = findings.audited.iter().map(subject_json).collect();
    let runs: Vec<Value> = findings
        .one_runs
        .iter()
        .map(|run| {
            json!({
                "subject": run.subject, "canaries": run.canaries, "guessed": run.guessed, "right": run.right,
                "delta": run.delta, "claimed": run.claimed, "measured": run.lower,
                "measured_for_verdict": run.lower_verdict,
                "verdict": if run.refuted() { "refuted" } else { "cleared" },
            })
        })
        .collect();
    let rates = findings.settings.rates;
    println!(
        "{}",
        Json(&json!({
            "audit": findings.title,
            "settings": findings.asked,
            "as_it_should_be": findings.refuted().is_empty() && findings.missed().is_empty(),
            "confidence": 1.0 - rates.doubt,
            "false_alarm": rates.false_alarm,
            "subjects": subjects,
            "one_run": runs,
        }))
    );
}

fn subject_json(audited: &Audited) -> Value {
    let finding = &audited.finding;
    let guarantees: Vec<Value> = finding
        .measured
        .iter()
        .map(|measured| {
            let event = measured.event.as_ref().map(|event| {
                json!({
                    "description": event.description,
                    "likelier": if event.likelier == World::Left { "left" } else { "right" },
                    "there": [event.there.0, event.there.1],
                    "elsewhere": [event.elsewhere.0, event.elsewhere.1],
                })
            });
            json!({
                "guarantee": measured.measure.guarantee().to_string(),
                "symbol": measured.measure.symbol(),
                "claimed": measured.measure.claimed(),
                "measured": measured.lower,
                "measured_for_verdict": measured.lower_verdict,
                "event": event,
            })
        })
        .collect();
    json!({
        "subject": finding.subject,
        "verdict": verdict(audited).to_lowercase(),
        "power": !saw_nothing(finding),
        "flaw": audited.flaw,
        "neighbours": finding.neighbours,
        "pairs": finding.pairs,
        "releases": finding.releases,
        "guarantees": guarantees,
    })
}
