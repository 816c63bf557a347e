//! `pointillist learn fit`: shows the price, pays, trains, and writes a signed file.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use pointillist_curator::words::laid_out;
use pointillist_curator::{Executed, Quote};
use pointillist_publication::{ModelFile, ReleaseKey};
use pointillist_render::terminal_style::TerminalStyle;
use serde_json::{Value, json};

use super::arguments::ModelArguments;
use super::print;
use crate::answer_format::Format;
use crate::commands::{explain, query};
use crate::failure::Failure;
use crate::home::CLOCK;
use crate::message::say;
use crate::output_file::check_output;
use crate::progress;
use crate::refused_price::refusal;
use crate::terminal::print_json;

/// Which model, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn fit --table visits --target region --features age,cost --model logistic --epsilon 1 --output model.json
  pointillist learn fit --table visits --target cost --model linear --rho 0.05 --output cost.json --plot cost.svg
  pointillist learn fit --rows \"SELECT age, cost > 50 AS dear FROM visits\" --target dear --model logistic --epsilon 1 --output dear.json
  pointillist learn fit --table visits --model clusters --settings 'clusters = 4' --yes --output groups.json

The price is paid first and never refunded. Without --epsilon or --rho it is shown, and --yes pays it. The same model of the same
data, asked for again, is free, and its file has the same bytes.")]
pub struct Arguments {
    /// The file that the model is written to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw the largest numbers of the model into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Pay for it, where no price is named
    #[arg(long)]
    yes: bool,
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArguments,
}

/// Trains, writes and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // A file that cannot be written must not cost anything, and neither must a key that cannot be read.
    ModelFile::check_place(&arguments.output)?;
    arguments.plot.as_deref().map_or(Ok(()), check_output)?;
    let home = arguments.model.home.open()?;
    let key = ReleaseKey::existing(&home)?;
    let ask = arguments.model.ask(&home, arguments.request_id.clone())?;
    let quote = home.quote(&ask)?;
    if !arguments.yes && !arguments.model.names_a_price() && !quote.is_free {
        explain::print(&quote, false, arguments.json)?;
        let hint = "if the price is fine, run it again with --yes, or name one with --epsilon";
        return Err(Failure::Told(2, format!("nothing was trained\nhint: {hint}")));
    }
    if !arguments.json && quote.fits() {
        announce(&quote);
    }
    let waiting = progress::spinner("training …");
    let executed = home.execute(&ask, CLOCK);
    waiting.finish_and_clear();
    let Executed::Answer(reply) = executed.map_err(|error| refusal(&home, &ask, error))? else {
        return Err(Failure::environment("the statement was not answered with a model"));
    };
    let file = ModelFile::new(&reply, &quote, &ask.sql, key.as_ref())
        .ok_or_else(|| Failure::environment("the statement was not answered with a model"))?;
    file.write(&arguments.output)?;
    if let Some(path) = &arguments.plot {
        print::draw(&reply.answer, &reply.price_words(), path)?;
    }
    if arguments.json {
        let mut object = serde_json::to_value(&*reply).unwrap_or_default();
        if let Value::Object(members) = &mut object {
            members.insert("output".to_owned(), json!(arguments.output));
            members.insert("signed".to_owned(), json!(key.map(|key| key.public().to_string())));
        }
        return Ok(print_json(&mut io::stdout().lock(), &object)?);
    }
    query::print_reply(&reply, Format::Table)?;
    if io::stdout().is_terminal() {
        let mut out = io::stdout().lock();
        print::bars(&reply.answer).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    say(format_args!("wrote {}", arguments.output.display()));
    if key.is_none() {
        say(
            "note: nobody has signed it: `pointillist release key` makes a key; trained again it is free, and signed",
        );
    }
    Ok(())
}

/// What will be paid and what to expect, before it is paid.
fn announce(quote: &Quote) {
    let lines: Vec<_> = quote.lines().into_iter().filter(|line| line.name != "note").collect();
    laid_out(&lines, TerminalStyle::plain()).iter().for_each(say);
}
