//! `pointillist learn publish`: a model with a name that SQL knows.

use std::io;
use std::path::PathBuf;

use pointillist_publication::ModelFile;
use serde_json::json;

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::terminal::print_json;

/// Which model, and its name.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn publish model.json --name region
  pointillist query \"SELECT * FROM evaluate('region', 'SELECT age, cost, region FROM visits', 'auc')\" --epsilon 0.5
  pointillist query \"SELECT predict('region') AS said, count(*) FROM visits GROUP BY 1\" --epsilon 0.5

The file is copied into the folder `models` beside the catalog, where every door finds it. A model is public there: everybody who may
ask may name it, and it costs nothing to do so. What is asked with it about private rows is charged like any other question.")]
pub struct Arguments {
    /// The model
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// Its name in SQL [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Take the place of another model of this name
    #[arg(long)]
    replace: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    home: HomeArguments,
}

/// Copies.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = ModelFile::read(&arguments.model)?;
    let home = arguments.home.open()?;
    let stem = || arguments.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = arguments.name.clone().unwrap_or_else(stem);
    let path = file.publish(&home, &name, arguments.replace)?;
    if arguments.json {
        return Ok(print_json(&mut io::stdout().lock(), &json!({ "model": name, "file": path }))?);
    }
    println!("`{name}` is public now: SQL says evaluate('{name}', ...) and predict('{name}')");
    Ok(())
}
