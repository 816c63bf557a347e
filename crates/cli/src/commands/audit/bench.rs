//! The bench on which subjects are audited, one after the other.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use pointillist_audit::{Canaries, Finding, OneRun, Planted, Rates, Settings, Subject, audit, one_run};
use pointillist_noise::with_system_bits;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{page, shown};
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;

/// Releases of either side of a subject that is not slow.
const RELEASES: usize = 20_000;
/// The fewest of a subject that is.
const RELEASES_SLOW: usize = 1_000;
/// Steps of the bar for one subject.
const STEPS: u64 = 1_000;

/// How subjects are audited, and how it is told.
#[derive(clap::Args)]
pub struct BenchArguments {
    /// Releases of either neighbour [default: 20000, fewer of what is slow]
    #[arg(long, value_name = "N")]
    releases: Option<usize>,
    /// How sure the measured number is
    #[arg(long, value_name = "C", default_value_t = 0.95)]
    confidence: f64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub report: ReportArguments,
}

/// A subject, and what is wrong with it where something is.
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

/// What was found about a subject.
pub struct Audited {
    /// The finding.
    pub finding: Finding,
    /// What is wrong with it where something is.
    pub flaw: Option<String>,
}

impl Audited {
    /// Real claims hold, planted leaks are caught.
    pub fn as_it_should_be(&self) -> bool {
        self.finding.refuted() == self.flaw.is_some()
    }
}

/// Everything that was found.
pub struct Findings {
    /// What was audited, in a few words.
    pub title: String,
    /// Subjects, in the order in which they were audited.
    pub audited: Vec<Audited>,
    /// Canaries, in the order in which they were run.
    pub one_runs: Vec<OneRun>,
    /// The settings of a subject that is not slow.
    pub settings: Settings,
    /// What was asked for, for scripts.
    pub asked: Value,
}

impl Findings {
    /// Claims that are real and were refuted.
    pub fn refuted(&self) -> Vec<&str> {
        let runs = self.one_runs.iter().filter(|run| run.refuted());
        self.unexpected_where(false).chain(runs.map(|run| run.subject.as_str())).collect()
    }

    /// Leaks that were planted and not caught.
    pub fn missed(&self) -> Vec<&str> {
        self.unexpected_where(true).collect()
    }

    fn unexpected_where(&self, planted: bool) -> impl Iterator<Item = &str> {
        self.audited
            .iter()
            .filter(move |audited| audited.flaw.is_some() == planted && !audited.as_it_should_be())
            .map(|audited| audited.finding.subject.as_str())
    }

    /// Nothing, or what is not as it should be and what to do about it.
    fn verdict(&self) -> Result<(), Failure> {
        let (refuted, missed) = (self.refuted(), self.missed());
        let (what, hint) = match (&refuted[..], &missed[..]) {
            ([], []) => return Ok(()),
            ([], names) => (
                format!("missed: {}", names.join(", ")),
                "draw more --releases; without that option every planted leak gets as many as it takes",
            ),
            (names, _) => (
                format!("refuted: {}", names.join(", ")),
                "a claim that is refuted protects nobody; do not release with it, and tell its author",
            ),
        };
        Err(Failure::Told(1, format!("not as it should be: {what}\nhint: {hint}")))
    }
}

impl BenchArguments {
    /// Refuses what makes no sense before anything long starts.
    fn settings(&self) -> Result<Settings, Failure> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(Failure::Request(format!(
                "{} is not a confidence\nhint: write a number between 0 and 1, such as 0.95",
                self.confidence
            )));
        }
        self.report.check()?;
        let mut settings = Settings::new(self.releases.unwrap_or(RELEASES));
        settings.rates.doubt = 1.0 - self.confidence;
        Ok(settings)
    }

    /// Fewer releases of what is slow, as many as are needed for what is planted, unless a number was asked for.
    fn releases(&self, suspect: &Suspect) -> usize {
        let fitting = || (2 * suspect.subject.releases_a_second()).clamp(RELEASES_SLOW, RELEASES);
        self.releases.or(suspect.releases).unwrap_or_else(fitting)
    }

    /// Audits everything, tells it, and fails if something is not as it should be. `asked` is an object.
    pub fn audit(
        &self,
        title: &str,
        mut asked: Value,
        suspects: Vec<Suspect>,
        canaries: Vec<Box<dyn Canaries>>,
    ) -> Result<(), Failure> {
        let settings = self.settings()?;
        let bar = bar(suspects.len() as u64);
        let audited = suspects.into_par_iter().map(|suspect| self.audited(suspect, settings.rates, &bar));
        let audited = audited.collect::<Result<Vec<Audited>, Failure>>()?;
        let mut one_runs = Vec::with_capacity(canaries.len());
        for mut subject in canaries {
            bar.set_message(subject.name());
            let run = with_system_bits(|bits| one_run(subject.as_mut(), settings.rates, bits));
            one_runs.push(run.map_err(Failure::request)??);
        }
        bar.finish_and_clear();
        asked["releases"] = json!(self.releases);
        let findings = Findings { title: title.to_owned(), audited, one_runs, settings, asked };
        if self.json {
            shown::json(&findings)
        } else {
            shown::words(&findings)
        }
        self.report.write(|| Ok(page::page(&findings)))?;
        findings.verdict()
    }

    fn audited(&self, suspect: Suspect, rates: Rates, bar: &ProgressBar) -> Result<Audited, Failure> {
        let settings = Settings { rates, ..Settings::new(self.releases(&suspect)) };
        let Suspect { mut subject, flaw, .. } = suspect;
        bar.set_message(subject.name());
        let mut told = 0;
        let mut progress = |done: usize, total: usize| {
            let steps = STEPS * done as u64 / total.max(1) as u64;
            bar.inc(steps - told);
            told = steps;
        };
        let finding = with_system_bits(|bits| audit(subject.as_mut(), &settings, bits, &mut progress));
        Ok(Audited { finding: finding.map_err(Failure::request)??, flaw })
    }
}

fn bar(subjects: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg:28} {wide_bar} {eta}");
    ProgressBar::new(subjects * STEPS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
