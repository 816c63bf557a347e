//! `pointillist learn evaluate`: how good a public model is on private rows.

use std::path::Path;
use std::sync::Arc;

use pointillist_publication::ModelFile;

use crate::evaluation::EvaluationArguments;
use crate::failure::Failure;

/// Which model, which rows, which measure.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn evaluate model.json --table visits --epsilon 0.5
  pointillist learn evaluate model.json --table visits --where \"region <> 'west'\" --measure confusion --epsilon 0.5
  pointillist learn evaluate dear.json --rows \"SELECT age, cost > 50 AS dear FROM visits\" --measure auc --rho 0.01 --json

The model is public, the rows are not: the measure is paid for from the budget of the people in them, comes with intervals, and is
free when it is asked for again. Without --epsilon or --rho the price is shown, and --yes pays it.
Measures: accuracy and confusion of classes, auc and calibration of two classes, r2 of numbers.
Rows are seen as the model sees them: by the names of its columns, with its bounds and its lists.")]
pub struct Arguments {
    /// The model: a file, or the name of a published one
    #[arg(value_name = "MODEL")]
    model: String,
    /// What is measured: accuracy, confusion, auc, calibration or r2 [default: accuracy of classes, r2 of numbers]
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

/// Evaluates and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { model: name, measure, evaluation } = arguments;
    let mut home = evaluation.open()?;
    let path = Path::new(name);
    // A file before a name: whoever sits at the machine may ask about a model that is not published.
    if path.is_file() || !home.catalog.models.contains_key(name) {
        let model = ModelFile::read(path)?.model().clone();
        home.catalog.models.insert(name.clone(), Arc::new(model));
    }
    let encoding = home.catalog.models[name].encoding();
    let features: Vec<String> = encoding.columns().iter().map(|column| column.name.clone()).collect();
    let target = encoding.target().map(|target| target.name.as_str());
    let rows = evaluation.named_rows(&home, &features, target)?;
    let rows =
        rows.ok_or_else(|| Failure::wrong("no rows are named", "give --table NAME, or --rows SELECT"))?;
    evaluation.evaluate(&home, name, &rows, measure.as_deref())?;
    Ok(())
}
