//! `pointillist learn evaluate`: how good a public model is on private rows.

use std::io;
use std::path::Path;
use std::sync::Arc;

use pointillist_curator::{Ask, Executed, OWNER};
use pointillist_publication::ModelFile;
use pointillist_query::{evaluation_statement, table_rows};

use super::arguments::PriceArguments;
use crate::answer_format::Format;
use crate::commands::{explain, query};
use crate::failure::Failure;
use crate::home::{CLOCK, Home, HomeArguments};
use crate::progress;
use crate::refused_price::refusal;
use crate::terminal::print_json;

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
    /// A table of the catalog with the columns of the model and its target
    #[arg(long, value_name = "NAME", conflicts_with = "rows", required_unless_present = "rows")]
    table: Option<String>,
    /// Which rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL", conflicts_with = "rows")]
    condition: Option<String>,
    /// The rows as a SELECT of their own: its items are the columns of the model and its target, by name
    #[arg(long, value_name = "SELECT")]
    rows: Option<String>,
    /// What is measured: accuracy, confusion, auc, calibration or r2 [default: accuracy of classes, r2 of numbers]
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    /// Pay for it, where no price is named
    #[arg(long)]
    yes: bool,
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER)]
    analyst: String,
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    price: PriceArguments,
}

/// Evaluates and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut home = arguments.home.open()?;
    let path = Path::new(&arguments.model);
    // A file before a name: whoever sits at the machine may ask about a model that is not published.
    if path.is_file() || !home.catalog.models.contains_key(&arguments.model) {
        let model = ModelFile::read(path)?.model().clone();
        home.catalog.models.insert(arguments.model.clone(), Arc::new(model));
    }
    let ask = ask(arguments, &home)?;
    let quote = home.quote(&ask)?;
    if !arguments.yes && !arguments.price.is_named() && !quote.is_free {
        explain::print(&quote, false, arguments.json)?;
        let hint = "if the price is fine, run it again with --yes, or name one with --epsilon";
        return Err(Failure::Told(2, format!("nothing was evaluated\nhint: {hint}")));
    }
    let waiting = progress::spinner("evaluating …");
    let executed = home.execute(&ask, CLOCK);
    waiting.finish_and_clear();
    let Executed::Answer(reply) = executed.map_err(|error| refusal(&home, &ask, error))? else {
        return Err(Failure::environment("the statement was not answered with numbers"));
    };
    if arguments.json {
        return Ok(print_json(&mut io::stdout().lock(), &*reply)?);
    }
    query::print_reply(&reply, Format::Table)
}

fn ask(arguments: &Arguments, home: &Home) -> Result<Ask, Failure> {
    let rows = match &arguments.rows {
        Some(rows) => rows.clone(),
        None => {
            let encoding = home.catalog.models[&arguments.model].encoding();
            let features: Vec<String> = encoding.columns().iter().map(|column| column.name.clone()).collect();
            let target = encoding.target().map(|target| target.name.as_str());
            let table = arguments.table.as_deref().unwrap_or_default();
            table_rows(&home.catalog, table, target, &features, arguments.condition.as_deref())?
        }
    };
    let sql = evaluation_statement(&arguments.model, &rows, arguments.measure.as_deref());
    let (options, request_id) = (arguments.price.options()?, arguments.request_id.clone());
    Ok(Ask { options, request_id, ..Ask::new(sql, &arguments.analyst) })
}
