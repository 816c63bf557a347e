//! Findings in sentences, for every door and for pages.

use pointillist_render::decimals::{grouped_count, significant, significant_lower};

use crate::{Audited, Event, Finding, Findings, Measured, OneRun, Side, Verdict};

/// The number that was measured, with its symbol.
pub fn measured_text(measured: &Measured) -> String {
    format!("{} ≥ {}", measured.measure.symbol(), significant_lower(measured.lower))
}

/// The whole in a few sentences.
pub fn summary(findings: &Findings) -> String {
    let (real, planted): (Vec<&Audited>, Vec<&Audited>) =
        findings.audited.iter().partition(|audited| audited.flaw.is_none());
    let count = |audited: &[&Audited], verdict: Verdict| {
        audited.iter().filter(|audited| audited.verdict() == verdict).count()
    };
    let mut sentences = Vec::new();
    if !real.is_empty() {
        let refuted = count(&real, Verdict::Refuted);
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
        let caught = count(&planted, Verdict::Caught);
        sentences.push(format!("{caught} of {} planted leaks caught.", planted.len()));
        if caught < planted.len() {
            sentences.push(
                "What is MISSED leaks all the same: so few releases cannot tell it from what it claims. Draw more \
                 releases."
                    .to_owned(),
            );
        }
    }
    let unseen = real.iter().filter(|audited| !audited.has_power()).count();
    if unseen > 0 {
        let which = if real.len() == 1 { "It".to_owned() } else { format!("{unseen} of them") };
        sentences.push(format!(
            "{which} measured 0: there the audit had no power, and says neither that the claim holds nor that \
             it does not. Draw more releases, or audit at a larger ε."
        ));
    }
    let is_beyond = |audited: &&Audited| {
        !audited.finding.refuted() && audited.finding.measured.iter().any(|m| m.lower > m.measure.claimed())
    };
    if real.iter().any(is_beyond) {
        sentences.push(format!(
            "A measured number exceeds its claim, as one in {} may: the stricter bound of a refutation does \
             not. Draw more releases.",
            significant((1.0 / findings.rates.doubt).max(1.0))
        ));
    }
    sentences.push(format!(
        "Each true claim is called false at most once in {} audits.",
        grouped_count((1.0 / findings.rates.false_alarm).round() as u64)
    ));
    sentences.join(" ")
}

/// How the best event happened.
pub fn event_sentence(finding: &Finding, event: &Event) -> String {
    let share = |(successes, n): (u64, u64)| significant(successes as f64 / n.max(1) as f64);
    let (likelier, other) = match event.likelier {
        Side::Left => ("first", "second"),
        Side::Right => ("second", "first"),
    };
    format!(
        "{}: in {} of releases for the {likelier} world, in {} for the {other} (pair: {})",
        event.description,
        share(event.there),
        share(event.elsewhere),
        finding.neighbours
    )
}

/// What the verdict about a subject rests on: the best event, or that there was none, and how much was tried.
pub fn evidence(finding: &Finding) -> String {
    let event = finding.closest().and_then(|measured| measured.event.as_ref()).map_or_else(
        || "no event that was tried tells the two apart: this audit had no power".to_owned(),
        |event| event_sentence(finding, event),
    );
    let releases = grouped_count(finding.releases as u64);
    let pairs = if finding.pairs == 1 { "pair" } else { "pairs" };
    format!("{event}; {} {pairs} tried, {releases} releases a side", finding.pairs)
}

/// What one run told.
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
