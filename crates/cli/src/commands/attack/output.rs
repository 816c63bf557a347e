//! What attacks print and write: two results side by side, an object for scripts, a page.

use std::path::Path;

use pointillist_attack::condition::Condition;
use pointillist_attack::records::{NamedRecords, Records};
use pointillist_attack::{AttackError, Comparison};
use pointillist_errors::Explained;
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_privacy::{Epsilon, Spend};

use crate::failure::Failure;
use crate::progress;
use crate::report_arguments::ReportArguments;
use crate::terminal::Json;
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to.
pub const WIDTH: usize = 92;

/// Whether an object is printed, and whether a page is written.
#[derive(clap::Args)]
pub struct OutputArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

impl OutputArguments {
    /// Refuses a page that cannot be written, before any long work starts.
    pub fn check(&self) -> Result<(), Failure> {
        self.report.check()
    }

    /// Whether a page is written.
    pub fn wants_page(&self) -> bool {
        self.report.is_wanted()
    }

    /// Writes the page of an outcome and prints its two paragraphs.
    pub fn show(&self, outcome: &impl Comparison) -> Result<(), Failure> {
        self.show_with(outcome, |outcome| side_by_side(&outcome.without(), &outcome.with()))
    }

    /// Writes the page of an outcome and prints it in its own way.
    pub fn show_with<O: Comparison>(&self, outcome: &O, print: impl FnOnce(&O)) -> Result<(), Failure> {
        self.report.write(|| draw("drawing the figures of the report", |bits| outcome.page(bits)))?;
        if !self.json {
            print(outcome);
            return Ok(());
        }
        let value = serde_json::to_value(outcome)
            .map_err(|error| Failure::environment(format!("the outcome is no JSON: {error}")))?;
        println!("{}", Json(&value));
        Ok(())
    }
}

/// Runs an attack with unpredictable bits, and with something to look at on a terminal.
pub fn draw<T>(
    working: impl Into<String>,
    attack: impl FnOnce(&mut SystemBits) -> Result<T, AttackError>,
) -> Result<T, Failure> {
    // Cleared on every way out, also that of an error.
    let _progress = progress::spinner(working);
    Ok(with_system_bits(attack).map_err(Failure::request)??)
}

/// Prints what was learnt from others' answers and from ours.
pub fn side_by_side(without: &str, with: &str) {
    let style = TerminalStyle::for_stdout();
    paragraph(&style.alarm("without differential privacy"), without);
    paragraph(&style.accent("with Pointillist"), with);
}

/// Prints a heading and a text.
pub fn paragraph(heading: &str, text: &str) {
    println!("{heading}");
    for line in text.lines().flat_map(|line| wrapped(line, WIDTH - 2)) {
        println!("  {line}");
    }
}

/// An ε from what was typed.
pub fn epsilon(text: &str) -> Result<Epsilon, Failure> {
    Epsilon::parse(text).map_err(Failure::request)
}

/// The price of an attack's private side.
pub fn price(epsilon: &str) -> Result<Spend, Failure> {
    Ok(Spend::Pure(self::epsilon(epsilon)?))
}

/// A condition from what was typed; the parser of arguments prints one text.
pub fn condition(text: &str) -> Result<Condition, String> {
    text.parse().map_err(|error: AttackError| error.explanation().text())
}

/// A table from a CSV file.
pub fn records(path: &Path) -> Result<Records, Failure> {
    Ok(NamedRecords::open(path)?.records)
}
