//! Findings as JSON: what was claimed, what was measured and what it comes to, without pictures.

use serde::{Serialize, Serializer};

use super::{Audited, Findings, Verdict};
use crate::{Event, Finding, Measured, OneRun, Side};

#[derive(Serialize)]
struct FindingsJson<'f> {
    audit: &'f str,
    as_it_should_be: bool,
    confidence: f64,
    false_alarm: f64,
    subjects: &'f [Audited],
    one_run: Vec<OneRunJson<'f>>,
}

#[derive(Serialize)]
struct AuditedJson<'f> {
    subject: &'f str,
    verdict: Verdict,
    power: bool,
    flaw: Option<&'f str>,
    neighbours: &'f str,
    pairs: usize,
    releases: usize,
    guarantees: Vec<MeasuredJson<'f>>,
}

#[derive(Serialize)]
struct MeasuredJson<'f> {
    guarantee: String,
    symbol: &'static str,
    claimed: f64,
    measured: f64,
    measured_for_verdict: f64,
    event: Option<EventJson<'f>>,
}

#[derive(Serialize)]
struct EventJson<'f> {
    description: &'f str,
    likelier: &'static str,
    there: (u64, u64),
    elsewhere: (u64, u64),
}

#[derive(Serialize)]
struct OneRunJson<'f> {
    subject: &'f str,
    canaries: usize,
    guessed: usize,
    right: usize,
    delta: f64,
    claimed: f64,
    measured: f64,
    measured_for_verdict: f64,
    verdict: Verdict,
}

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { title, audited, one_runs, rates, .. } = self;
        FindingsJson {
            audit: title,
            as_it_should_be: self.unexpected().is_none(),
            confidence: 1.0 - rates.doubt,
            false_alarm: rates.false_alarm,
            subjects: audited,
            one_run: one_runs.iter().map(OneRunJson::from).collect(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Audited {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Finding { subject, neighbours, pairs, releases, measured, .. } = &self.finding;
        AuditedJson {
            subject,
            verdict: self.verdict(),
            power: self.has_power(),
            flaw: self.flaw.as_deref(),
            neighbours,
            pairs: *pairs,
            releases: *releases,
            guarantees: measured.iter().map(MeasuredJson::from).collect(),
        }
        .serialize(serializer)
    }
}

impl<'f> From<&'f Measured> for MeasuredJson<'f> {
    fn from(measured: &'f Measured) -> Self {
        Self {
            guarantee: measured.measure.guarantee().to_string(),
            symbol: measured.measure.symbol(),
            claimed: measured.measure.claimed(),
            measured: measured.lower,
            measured_for_verdict: measured.lower_verdict,
            event: measured.event.as_ref().map(EventJson::from),
        }
    }
}

impl<'f> From<&'f Event> for EventJson<'f> {
    fn from(event: &'f Event) -> Self {
        let Event { description, likelier, there, elsewhere } = event;
        let likelier = if *likelier == Side::Left { "left" } else { "right" };
        Self { description, likelier, there: *there, elsewhere: *elsewhere }
    }
}

impl<'f> From<&'f OneRun> for OneRunJson<'f> {
    fn from(run: &'f OneRun) -> Self {
        Self {
            subject: &run.subject,
            canaries: run.canaries,
            guessed: run.guessed,
            right: run.right,
            delta: run.delta,
            claimed: run.claimed,
            measured: run.lower,
            measured_for_verdict: run.lower_verdict,
            verdict: if run.refuted() { Verdict::Refuted } else { Verdict::Cleared },
        }
    }
}
