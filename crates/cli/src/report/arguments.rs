//! `--report FILE.html`, for every command that has something to show.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Report, write};
use crate::failure::Failure;

/// What every page of ours begins with.
const PAGE: &[u8] = b"<!doctype html>";

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
    /// A file that is no page is not written over: a table named by mistake would be gone.
    pub fn check(&self) -> Result<(), Failure> {
        let Some(path) = &self.report else {
            return Ok(());
        };
        if path.is_file() && !is_empty_or_page(path).map_err(|error| unwritable(path, &error))? {
            return Err(Failure::Request(format!(
                "{} exists and is no HTML page\nhint: choose another file for the report",
                path.display()
            )));
        }
        let new = !path.exists();
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map_err(|error| unwritable(path, &error))?;
        if new {
            // The file was made only to see whether it can be.
            std::fs::remove_file(path).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }

    /// Makes and writes the report, if one is wanted, and says so on stderr.
    pub fn write(&self, make: impl FnOnce() -> Result<Report, Failure>) -> Result<(), Failure> {
        if let Some(path) = &self.report {
            write(path, &make()?)?;
            eprintln!("report written to {}", path.display());
        }
        Ok(())
    }
}

fn is_empty_or_page(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(PAGE.len() as u64).read_to_end(&mut start)?;
    Ok(start.is_empty() || start.eq_ignore_ascii_case(PAGE))
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Request(format!(
        "{} cannot be written: {error}\nhint: give a file in a folder that exists",
        path.display()
    ))
}
