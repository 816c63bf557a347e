//! The answer of a calculator: a few aligned lines for people, one JSON object for scripts.

use std::io::{self, BufWriter, Write};

use serde_json::Value;

use crate::failure::Failure;
use crate::terminal::Json;

pub use pointillist_render::decimals::{exact, long_lower, long_upper, short_lower, short_upper};

/// What a calculator found.
pub struct Answer {
    /// What was asked, in a line.
    pub heading: String,
    /// A number with its name, and where it comes from.
    pub rows: Vec<[String; 2]>,
    /// What to keep in mind, in a sentence or two.
    pub note: String,
    /// The same for scripts.
    pub json: Value,
}

impl Answer {
    /// Writes the answer to stdout.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        if json {
            writeln!(out, "{}", Json(&self.json))?;
        } else {
            writeln!(out, "{}", self.heading)?;
            let width = self.rows.iter().map(|[number, _]| number.chars().count()).max();
            let width = width.unwrap_or(0);
            for [number, words] in &self.rows {
                writeln!(out, "  {number:width$}   {words}")?;
            }
            writeln!(out, "{}", self.note)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// A request that cannot be answered, and what to ask instead.
pub fn refuse(what: &str, hint: &str) -> Failure {
    Failure::Request(format!("{what}\nhint: {hint}"))
}
