//! Many subjects audited side by side.

use pointillist_noise::with_system_bits;
use rayon::prelude::*;

use crate::{
    AuditError, Audited, Canaries, Findings, Planted, Profile, Rates, Settings, Subject, audit, one_run,
};

/// Releases of either side of a subject that is not slow.
const RELEASES: usize = 20_000;
/// The fewest of a subject that is.
const RELEASES_SLOW: usize = 1_000;
/// Steps of progress in one subject.
pub const STEPS: u64 = 1_000;

/// A subject, and what is wrong with it where something was planted.
pub struct Suspect {
    /// What is audited.
    pub subject: Box<dyn Subject>,
    /// What a careless implementer forgot; nothing in what is real.
    pub flaw: Option<String>,
    /// How many releases show it; unknown in what is real.
    pub releases: Option<usize>,
}

impl From<Box<dyn Subject>> for Suspect {
    fn from(subject: Box<dyn Subject>) -> Self {
        Self { subject, flaw: None, releases: None }
    }
}

impl From<Planted> for Suspect {
    fn from(planted: Planted) -> Self {
        let Planted { subject, flaw, releases } = planted;
        Self { subject, flaw: Some(flaw.to_owned()), releases: Some(releases) }
    }
}

/// What is audited together.
pub struct Batch {
    /// In a few words.
    pub title: String,
    /// What whoever sees the findings has to know.
    pub notes: Vec<String>,
    /// What is run many times.
    pub suspects: Vec<Suspect>,
    /// What is run once.
    pub canaries: Vec<Box<dyn Canaries>>,
}

impl Batch {
    /// Subjects that are real, without canaries.
    pub fn new(title: impl Into<String>, subjects: Vec<Box<dyn Subject>>) -> Self {
        let suspects = subjects.into_iter().map(Suspect::from).collect();
        Self { title: title.into(), notes: Vec::new(), suspects, canaries: Vec::new() }
    }
}

/// How a batch is audited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSettings {
    /// Releases of either neighbour; as many as fit the subject where nothing is said.
    pub releases: Option<usize>,
    /// How sure the measured numbers are.
    pub confidence: f64,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self { releases: None, confidence: 0.95 }
    }
}

impl RunSettings {
    /// A false alarm in 10⁹ audits, and measured numbers with this confidence.
    fn rates(&self) -> Result<Rates, AuditError> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(AuditError::new(
                format!("{} is not a confidence", self.confidence),
                "write a number between 0 and 1, such as 0.95",
            ));
        }
        Ok(Rates { doubt: 1.0 - self.confidence, ..Settings::new(RELEASES).rates })
    }

    /// Fewer releases of what is slow, as many as are needed for what is planted, unless a number was asked for.
    fn releases(&self, suspect: &Suspect) -> usize {
        let Profile { releases_a_second, .. } = suspect.subject.profile();
        let fitting = || (2 * releases_a_second).clamp(RELEASES_SLOW, RELEASES);
        self.releases.or(suspect.releases).unwrap_or_else(fitting)
    }
}

/// How far a run has come. Subjects are audited side by side, so that their steps mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// This subject, or these canaries, are next.
    Begins(&'a str),
    /// So many more of the [`STEPS`] of one subject are done.
    Advances(u64),
}

/// Audits everything, and tells how far it has come from whichever thread is at work.
///
/// # Errors
/// When the settings make no sense, and when a release fails other than by refusing.
pub fn run(
    batch: Batch,
    settings: &RunSettings,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Findings, AuditError> {
    let rates = settings.rates()?;
    let Batch { title, notes, suspects, canaries } = batch;
    let audited = suspects.into_par_iter().map(|suspect| {
        let settings = Settings { rates, ..Settings::new(settings.releases(&suspect)) };
        audit_suspect(suspect, &settings, progress)
    });
    let audited = audited.collect::<Result<Vec<Audited>, AuditError>>()?;
    let mut one_runs = Vec::with_capacity(canaries.len());
    for mut canaries in canaries {
        progress(Progress::Begins(&canaries.name()));
        one_runs.push(with_system_bits(|bits| one_run(canaries.as_mut(), rates, bits))??);
    }
    Ok(Findings { title, notes, audited, one_runs, rates })
}

fn audit_suspect(
    suspect: Suspect,
    settings: &Settings,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Audited, AuditError> {
    let Suspect { mut subject, flaw, .. } = suspect;
    progress(Progress::Begins(subject.name()));
    let mut told = 0;
    let mut advance = |done: usize, total: usize| {
        let steps = STEPS * done as u64 / total.max(1) as u64;
        progress(Progress::Advances(steps - told));
        told = steps;
    };
    let finding = with_system_bits(|bits| audit(subject.as_mut(), settings, bits, &mut advance))??;
    Ok(Audited { finding, flaw })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use pointillist_privacy::{Epsilon, Loss};
    use serde_json::json;

    use super::*;
    use crate::{Observation, Trial, Unexpected, Verdict};

    /// A release that shows its data as it is, or the same whatever the data.
    fn suspect(name: &str, leaks: bool, flaw: Option<&str>) -> Suspect {
        let claim = Loss::pure(Epsilon::parse("1").unwrap());
        let trial =
            Trial::new(name, claim, move |count: &i64, _| Observation::of(if leaks { *count } else { 0 }));
        let subject: Box<dyn Subject> = Box::new(trial.pair("one more", 70, 71));
        Suspect { subject, flaw: flaw.map(str::to_owned), releases: Some(1000) }
    }

    /// Specification: real claims must hold and planted leaks must be caught; what is refuted is told before what is
    /// missed, and scripts see the same. No noise, so no luck: the outcome is certain.
    #[test]
    fn verdicts_follow_from_what_is_real_and_what_was_planted() {
        let batch = Batch {
            suspects: vec![
                suspect("silent", false, None),
                suspect("naked", true, None),
                suspect("planted", true, Some("no noise")),
                suspect("hidden", false, Some("nothing to see")),
            ],
            ..Batch::new("a test", Vec::new())
        };
        let steps = AtomicU64::new(0);
        let mut findings = run(batch, &RunSettings::default(), &|progress| {
            if let Progress::Advances(more) = progress {
                steps.fetch_add(more, Ordering::Relaxed);
            }
        })
        .unwrap();
        assert_eq!(steps.into_inner(), 4 * STEPS);
        let verdicts: Vec<Verdict> = findings.audited.iter().map(Audited::verdict).collect();
        assert_eq!(verdicts, [Verdict::Cleared, Verdict::Refuted, Verdict::Caught, Verdict::Missed]);
        assert_eq!(findings.unexpected(), Some(Unexpected::Refuted(vec!["naked".to_owned()])));

        let object = serde_json::to_value(&findings).unwrap();
        assert_eq!((&object["audit"], &object["as_it_should_be"]), (&json!("a test"), &json!(false)));
        let [silent, naked] = [0, 1].map(|place| &object["subjects"][place]);
        assert_eq!((&silent["verdict"], &silent["power"]), (&json!("cleared"), &json!(false)));
        assert_eq!((&naked["verdict"], &naked["power"]), (&json!("refuted"), &json!(true)));
        assert_eq!(object["subjects"][2]["flaw"], "no noise");
        let guarantee = &naked["guarantees"][0];
        assert_eq!((&guarantee["symbol"], &guarantee["claimed"]), (&json!("ε"), &json!(1.0)));
        assert_eq!(guarantee["event"]["elsewhere"][0], 0);

        findings.audited.remove(1);
        assert_eq!(findings.unexpected(), Some(Unexpected::Missed(vec!["hidden".to_owned()])));
        findings.audited.pop();
        assert_eq!(findings.unexpected(), None);
    }

    #[test]
    fn a_confidence_that_is_none_is_refused() {
        for confidence in [0.0, 1.0, 2.0, f64::NAN] {
            let settings = RunSettings { confidence, ..RunSettings::default() };
            assert!(run(Batch::new("nothing", Vec::new()), &settings, &|_| ()).is_err(), "{confidence}");
        }
    }
}
