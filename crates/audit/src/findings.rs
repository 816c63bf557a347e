//! What was found about many subjects, and whether it is as it should be: real claims hold, planted leaks are caught.

mod json;

use pointillist_errors::{Explained, Kind};
use serde::Serialize;

use crate::{Finding, OneRun, Rates};

/// What was found about a subject.
#[derive(Clone, Debug)]
pub struct Audited {
    /// The finding.
    pub finding: Finding,
    /// What is wrong with the subject where something was planted.
    pub flaw: Option<String>,
}

/// What a finding comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A real claim that was not refuted.
    Cleared,
    /// A real claim that was.
    Refuted,
    /// A planted leak that was found.
    Caught,
    /// A planted leak that was not.
    Missed,
}

impl Verdict {
    /// A word; in capitals where somebody has to act.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Refuted => "REFUTED",
            Self::Caught => "caught",
            Self::Missed => "MISSED",
        }
    }

    /// Whether nobody has to act.
    pub fn is_as_it_should_be(self) -> bool {
        matches!(self, Self::Cleared | Self::Caught)
    }
}

impl Audited {
    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        match (self.finding.refuted(), self.flaw.is_some()) {
            (false, false) => Verdict::Cleared,
            (true, false) => Verdict::Refuted,
            (true, true) => Verdict::Caught,
            (false, true) => Verdict::Missed,
        }
    }

    /// Whether anything at all was measured: an audit without power supports no claim.
    pub fn has_power(&self) -> bool {
        self.finding.measured.iter().any(|measured| measured.lower > 0.0)
    }
}

/// Everything that was found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// What was audited, in a few words.
    pub title: String,
    /// What whoever sees them has to know.
    pub notes: Vec<String>,
    /// Subjects, in the order in which they were given.
    pub audited: Vec<Audited>,
    /// Canaries, in the order in which they were given.
    pub one_runs: Vec<OneRun>,
    /// How often a true claim is called false, and how sure the measured numbers are.
    pub rates: Rates,
}

/// Something is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexpected {
    /// Real claims were refuted.
    #[error("not as it should be: refuted: {}", .0.join(", "))]
    Refuted(Vec<String>),
    /// Planted leaks were not caught.
    #[error("not as it should be: missed: {}", .0.join(", "))]
    Missed(Vec<String>),
}

impl Explained for Unexpected {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Refuted(_) => {
                "a claim that is refuted protects nobody; do not release with it, and tell its author"
            }
            Self::Missed(_) => "draw more releases",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Environment
    }
}

impl Findings {
    /// Claims that are real and were refuted.
    pub fn refuted(&self) -> Vec<&str> {
        let runs = self.one_runs.iter().filter(|run| run.refuted()).map(|run| run.subject.as_str());
        self.subjects_with(Verdict::Refuted).chain(runs).collect()
    }

    /// Leaks that were planted and not caught.
    pub fn missed(&self) -> Vec<&str> {
        self.subjects_with(Verdict::Missed).collect()
    }

    fn subjects_with(&self, verdict: Verdict) -> impl Iterator<Item = &str> {
        let alike = self.audited.iter().filter(move |audited| audited.verdict() == verdict);
        alike.map(|audited| audited.finding.subject.as_str())
    }

    /// What is not as it should be, if anything: refuted claims before missed leaks.
    pub fn unexpected(&self) -> Option<Unexpected> {
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
        let (refuted, missed) = (owned(self.refuted()), owned(self.missed()));
        match (refuted.is_empty(), missed.is_empty()) {
            (true, true) => None,
            (true, false) => Some(Unexpected::Missed(missed)),
            (false, _) => Some(Unexpected::Refuted(refuted)),
        }
    }
}
