//! `pointillist synth evaluate`: how far made-up rows are from private ones, at a price.

use std::path::Path;

use pointillist_publication::{PrivateComparison, SanitizedFile, SanitizedReport, with_made_up_rows};

use crate::evaluation::EvaluationArguments;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;

/// Which table, and what it is compared by.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth evaluate table.json --epsilon 0.5
  pointillist synth evaluate table.json --epsilon 0.5 --report compared.html
  pointillist synth evaluate visits_synthetic_rows --rows \"SELECT age, region FROM visits\" --by columns --rho 0.01

For each pair of columns it says which share of rows would have to be others for both tables to agree: 0 is the same, 1 nothing in
common. The comparison is paid for from the budget of the people in the private rows, comes with intervals, may be published, and is free
when it is asked for again. A file is compared with the rows that it was made of; a public table of the catalog, from wherever it
came, with the rows that are named. Without --epsilon or --rho the price is shown, and --yes pays it.")]
pub struct Arguments {
    /// A file of `synth fit`, or the name of a public table
    #[arg(value_name = "TABLE")]
    made_up: String,
    /// By what they are compared: pairs of columns, or each column alone
    #[arg(long, value_name = "pairs|columns", default_value = "pairs")]
    by: String,
    #[command(flatten)]
    evaluation: EvaluationArguments,
    #[command(flatten)]
    report: ReportArguments,
}

/// Compares and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { made_up, by, evaluation, report } = arguments;
    report.check()?;
    let home = evaluation.open()?;
    let path = Path::new(made_up);
    if !path.is_file() {
        if report.is_wanted() {
            let hint = "name the file of `synth fit` in its place";
            return Err(Failure::wrong("a page needs what was released for the made-up rows", hint));
        }
        let rows = evaluation.named_rows(&home, &[], None)?;
        let rows = rows.ok_or_else(|| {
            let hint = "give --rows SELECT with the columns that both have, or name a file of `synth fit`";
            Failure::wrong(
                format!("there is no file {made_up}, and for a public table no rows are named"),
                hint,
            )
        })?;
        evaluation.evaluate(&home, made_up, &rows, Some(by))?;
        return Ok(());
    }
    let file = SanitizedFile::read(path)?;
    let fitted = file.fitted()?;
    let columns: Vec<String> = fitted.columns().iter().map(|column| column.name.clone()).collect();
    let rows = match evaluation.named_rows(&home, &columns, None)? {
        Some(rows) => rows,
        None => file.rows_statement().ok_or_else(|| {
            Failure::wrong("the file does not say of which rows it was made", "give --rows SELECT")
        })?,
    };
    let (home, _folder) = with_made_up_rows(home, made_up, &file, &fitted)?;
    let reply = evaluation.evaluate(&home, made_up, &rows, Some(by))?;
    report.write(|| {
        let compared = PrivateComparison::new(&reply);
        Ok(SanitizedReport::new(&file, &fitted).with_private(&compared).page())
    })
}
