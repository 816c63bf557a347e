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
    /// What is run many times.
    pub suspects: Vec<Suspect>,
    /// What is run once.
    pub canaries: Vec<Box<dyn Canaries>>,
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
    let Batch { title, suspects, canaries } = batch;
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
    Ok(Findings { title, audited, one_runs, rates })
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
