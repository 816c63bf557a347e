//! Running a batch and telling what was found: the same for every verb.

use pointillist_audit::page::page;
use pointillist_audit::{Batch, Progress, RunSettings, STEPS, Unexpected, run};
use pointillist_errors::Explained;
use serde_json::{Value, json};

use super::render;
use crate::failure::Failure;
use crate::message::say;
use crate::progress;
use crate::report_arguments::ReportArguments;
use crate::terminal::Json;

/// How subjects are audited, and how it is told.
#[derive(clap::Args)]
pub struct AuditArguments {
    /// Releases of either neighbour [default: 20000, fewer of what is slow]
    #[arg(long, value_name = "N")]
    releases: Option<usize>,
    /// How sure the measured number is
    #[arg(long, value_name = "C", default_value_t = 0.95)]
    confidence: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

impl AuditArguments {
    /// Audits everything, tells it, and fails if something is not as it should be. `asked` is an object.
    pub fn audit(&self, batch: Batch, mut asked: Value) -> Result<(), Failure> {
        self.report.check()?;
        let settings = RunSettings { releases: self.releases, confidence: self.confidence };
        if !self.json {
            batch.notes.iter().for_each(say);
        }
        let bar = progress::bar(batch.suspects.len() as u64 * STEPS, "{msg:28} {wide_bar} {eta}");
        let findings = run(batch, &settings, &|progress| match progress {
            Progress::Begins(subject) => bar.set_message(subject.to_owned()),
            Progress::Advances(steps) => bar.inc(steps),
        })?;
        bar.finish_and_clear();
        if self.json {
            asked["releases"] = json!(self.releases);
            let mut object =
                serde_json::to_value(&findings).map_err(|error| Failure::environment(error.to_string()))?;
            object["settings"] = asked;
            println!("{}", Json(&object));
        } else {
            render::words(&findings);
        }
        self.report.write(|| Ok(page(&findings)))?;
        let Some(unexpected) = findings.unexpected() else { return Ok(()) };
        let hint = match &unexpected {
            Unexpected::Missed(_) => {
                "draw more --releases; without that option every planted leak gets as many as it takes"
                    .to_owned()
            }
            Unexpected::Refuted(_) => unexpected.hint().unwrap_or_default(),
        };
        Err(Failure::Told(1, format!("{unexpected}\nhint: {hint}")))
    }
}
