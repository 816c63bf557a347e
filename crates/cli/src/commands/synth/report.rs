//! `pointillist synth report`: a page about a sanitized table.

use std::path::PathBuf;

use pointillist_publication::{SanitizedFile, SanitizedReport, compare_exactly};

use crate::failure::Failure;
use crate::message::say;
use crate::progress;
use crate::report_arguments::ReportArguments;

/// Of which file, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth report table.json --report table.html
  pointillist synth report table.json --exact visits.csv --report mine.html

Without --exact everything on the page was released or is public. With it, made-up rows are compared with the real rows of a file that
you hold, exactly and without any privacy: the page says in its first line that it is not for publication.")]
pub struct Arguments {
    /// What was released
    #[arg(value_name = "TABLE.json")]
    table: PathBuf,
    /// Real rows as CSV, to compare with; the page is then for the owner's eyes alone
    #[arg(long, value_name = "ROWS.csv")]
    exact: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArguments,
}

/// Writes the page.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.report.is_wanted() {
        return Err(Failure::wrong("there is nowhere to write the page", "give --report FILE.html"));
    }
    arguments.report.check()?;
    let file = SanitizedFile::read(&arguments.table)?;
    let waiting = progress::spinner("drawing …");
    let fitted = file.fitted()?;
    let exact = arguments.exact.as_deref().map(|rows| compare_exactly(&fitted, rows)).transpose()?;
    waiting.finish_and_clear();
    if let Some(exact) = &exact {
        say(format_args!(
            "not for publication: over all pairs of columns, shares of rows differ by {:.4} on the mean",
            exact.mean_distance()
        ));
    }
    arguments.report.write(|| {
        let report = SanitizedReport::new(&file, &fitted);
        Ok(match &exact {
            Some(exact) => report.with_exact(exact).page(),
            None => report.page(),
        })
    })
}
