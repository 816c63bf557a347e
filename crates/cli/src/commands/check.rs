//! `pointillist check`: what a catalog declares, who is protected, what looks risky.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_catalog::{Catalog, Finding, Report, Severity, Statement};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal::Json;

/// Which catalog.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist check
  pointillist check --catalog hospital/pointillist.toml --json

The report is for the owner. Risks and notes do not fail the command. A catalog that is wrong does, and so does a table
that nobody could ask about as it is (marked `error`): exit code 2.")]
pub struct Arguments {
    /// The catalog
    #[arg(long, value_name = "PATH", default_value = "pointillist.toml")]
    pub catalog: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What a look at the data adds: the owner's own look, never shown to analysts.
#[derive(Default)]
pub struct DataChecks {
    /// How many people each scope has, where it was counted.
    pub people: BTreeMap<String, u64>,
    /// Malformed rows, links that are not unique, units with more rows than declared.
    pub findings: Vec<Finding>,
    /// Whether any data was read.
    pub looked: bool,
}

/// Prints the report. `look` reads the data where an engine is at hand; `|_| Ok(DataChecks::default())` reads none.
pub fn run(
    arguments: &Arguments,
    look: impl FnOnce(&Catalog) -> Result<DataChecks, Failure>,
) -> Result<(), Failure> {
    let catalog = Catalog::load(&arguments.catalog)?;
    let data = look(&catalog)?;
    let mut report = catalog.report_for(&data.people);
    report.findings.extend(data.findings);
    report.findings.sort_by(|a, b| (a.severity, &a.place).cmp(&(b.severity, &b.place)));
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&as_json(&report, data.looked)))?;
    } else {
        print(&report, data.looked, &mut out)?;
    }
    out.flush()?;
    if count(&report, Severity::Error) > 0 {
        return Err(Failure::Told(2, String::new()));
    }
    Ok(())
}

fn print(report: &Report, looked: bool, out: &mut impl Write) -> io::Result<()> {
    for (heading, statements) in
        [("Who is protected", &report.protected), ("What analysts can name and spend", &report.visible)]
    {
        writeln!(out, "{heading}")?;
        for statement in statements {
            writeln!(out, "  {}\n    {}", statement.place, statement.words)?;
        }
        writeln!(out)?;
    }
    if report.findings.is_empty() {
        writeln!(out, "Nothing to look at again")?;
    } else {
        writeln!(out, "What to look at again")?;
    }
    for finding in &report.findings {
        let Finding { severity, place, words, advice } = finding;
        writeln!(out, "  {}: {place}\n    {words}\n    hint: {advice}", severity.word())?;
    }
    let [errors, risks, notes] =
        [Severity::Error, Severity::Risk, Severity::Note].map(|of| count(report, of));
    let read = if looked { "The data was read" } else { "Nothing was read but the catalog" };
    let errors = match errors {
        0 => String::new(),
        errors => format!("{errors} errors: nobody can ask about that yet; "),
    };
    writeln!(out, "\n{errors}{risks} risks, {notes} notes. {read}.")
}

fn as_json(report: &Report, looked: bool) -> Value {
    let statements = |list: &[Statement]| -> Vec<Value> {
        list.iter().map(|statement| json!({ "place": statement.place, "words": statement.words })).collect()
    };
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "severity": finding.severity.word(),
                "place": finding.place,
                "words": finding.words,
                "advice": finding.advice,
            })
        })
        .collect();
    json!({
        "protected": statements(&report.protected),
        "visible": statements(&report.visible),
        "findings": findings,
        "errors": count(report, Severity::Error),
        "risks": count(report, Severity::Risk),
        "data_read": looked,
    })
}

fn count(report: &Report, severity: Severity) -> usize {
    report.findings.iter().filter(|finding| finding.severity == severity).count()
}
