//! `--report FILE.html`, for every command that has something to show.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pointillist_catalog::calendar;
use pointillist_render::page::{MadeBy, Page};
use pointillist_render::text::in_a_shell;

use crate::failure::Failure;
use crate::message::say;
use crate::output_file::{check_output, write_output};

/// Whether and where to write a report.
#[derive(clap::Args)]
pub struct ReportArguments {
    /// Write a page with plots and explanations into this file
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl ReportArguments {
    /// Whether a report is wanted.
    pub fn is_wanted(&self) -> bool {
        self.report.is_some()
    }

    /// Refuses a place that cannot be written, before any long work starts. Writes nothing.
    ///
    /// A file that is no page of ours is not written over: a table named by mistake would be gone.
    pub fn check(&self) -> Result<(), Failure> {
        let Some(path) = &self.report else {
            return Ok(());
        };
        check_output(path)
    }

    /// Makes and writes the report, if one is wanted, and says so on stderr.
    pub fn write(&self, make: impl FnOnce() -> Result<Page, Failure>) -> Result<(), Failure> {
        if let Some(path) = &self.report {
            write_output(path, &make()?.to_html(&made_by()))?;
            say(format!("report written to {}", path.display()));
        }
        Ok(())
    }
}

/// Writes a page that is always written, over an earlier one of ours or into a new file.
pub fn write_page(path: &Path, page: &Page) -> Result<(), Failure> {
    write_output(path, &page.to_html(&made_by()))
}

/// The command that is running, today.
fn made_by() -> MadeBy {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let command = arguments.fold("pointillist".to_owned(), |line, word| line + " " + &in_a_shell(&word));
    MadeBy { command, date: today() }
}

/// The day, in UTC.
pub fn today() -> String {
    let today = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    calendar::date_text(i32::try_from(today).unwrap_or(0))
}
