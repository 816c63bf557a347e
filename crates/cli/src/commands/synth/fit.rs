//! `pointillist synth fit`: shows the price, pays, measures, and writes a signed file.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_catalog::Value;
use pointillist_curator::words::laid_out;
use pointillist_curator::{Ask, Executed, Quote, Row, RowCondition, Watcher};
use pointillist_publication::{ReleaseKey, SanitizedFile, Trusted};
use pointillist_query::EarnedValues;
use pointillist_render::terminal_style::TerminalStyle;
use serde_json::json;

use super::arguments::TableArguments;
use crate::commands::explain;
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::home::{CLOCK, Home};
use crate::message::say;
use crate::progress;
use crate::refused_price::refusal;
use crate::terminal::print_json;

/// How finely the bar moves.
const PROGRESS_STEPS: u64 = 1000;

/// Which table, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth fit --table visits --epsilon 1 --output table.json
  pointillist synth fit --table visits --columns age,region,cost --method aim --rho 0.05 --output table.json
  pointillist synth fit --rows \"SELECT v.age, v.region, p.drug FROM visits v JOIN prescriptions p ON p.visit_id = v.id\" --epsilon 1 --output table.json
  pointillist synth fit --table visits --epsilon 1 --keep \"age >= 18 OR cost = 0\" --output table.json
  pointillist synth fit --table visits --earn ward --earn-epsilon 0.2 --epsilon 1 --output table.json
  pointillist synth fit --table visits --settings 'bins = 16, binning = quantile' --yes --output table.json

The price is paid first and never refunded. Without --epsilon or --rho it is shown, and --yes pays it. The same table of the same
data, asked for again, is free, and its file has the same bytes.")]
pub struct Arguments {
    /// The file that what was released is written to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A condition that every made-up row keeps, such as 'age >= 16 OR income IS NULL'; free, and may be given several times
    #[arg(long, value_name = "SQL")]
    keep: Vec<String>,
    /// A column of text without public values: those that enough people have are found first, for --earn-epsilon each
    #[arg(long, value_name = "COLUMN", requires_all = ["earn_epsilon", "table"])]
    earn: Vec<String>,
    /// The ε of finding the values of one such column, beside the price of the table
    #[arg(long, value_name = "E", requires = "earn")]
    earn_epsilon: Option<String>,
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
    table: TableArguments,
}

/// Measures, writes and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // A file that cannot be written must not cost anything, and neither must a key that cannot be read.
    SanitizedFile::check_place(&arguments.output)?;
    let mut home = arguments.table.home.open()?;
    let key = ReleaseKey::existing(&home)?;
    if !arguments.earn.is_empty() && !arguments.table.names_a_price() {
        let hint = "name the price of the table with --epsilon or --rho";
        return Err(Failure::wrong("values are earned only for a table that is paid for", hint));
    }
    // Neither must values that are earned for a table which is refused: it is looked at first, with a value in the place of theirs.
    let unknown = |column: &String| EarnedValues { column: column.clone(), values: vec![String::new()] };
    checked(&home, arguments, &arguments.earn.iter().map(unknown).collect::<Vec<_>>())?;
    let (earned, earned_notes) = earn(&home, arguments)?;
    let (ask, quote) = checked(&home, arguments, &earned)?;
    if !arguments.yes && !arguments.table.names_a_price() && !quote.is_free {
        explain::print(&quote, false, arguments.json)?;
        let hint = "if the price is fine, run it again with --yes, or name one with --epsilon";
        return Err(Failure::Told(2, format!("nothing was measured\nhint: {hint}")));
    }
    if !arguments.json && quote.fits() {
        announce(&quote);
    }
    let waiting = progress::bar(PROGRESS_STEPS, "measuring {msg} {wide_bar}");
    let bar = waiting.clone();
    home.watcher = Watcher::new(move |stage, done| {
        bar.set_message(stage);
        bar.set_position((done * PROGRESS_STEPS as f64) as u64);
    });
    let executed = home.execute(&ask, CLOCK);
    waiting.finish_and_clear();
    let Executed::Answer(reply) = executed.map_err(|error| refusal(&home, &ask, error))? else {
        return Err(Failure::environment("the statement was not answered with a table"));
    };
    let file = SanitizedFile::new(&reply, &quote, &ask.sql, &arguments.keep, &earned_notes, key.as_ref())
        .ok_or_else(|| Failure::environment("the statement was not answered with a table"))?;
    file.write(&arguments.output)?;
    let fitted = file.fitted()?;
    let signer = file.signer(Trusted { key: None, home: Some(&home) })?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let mut object = file.to_json(signer, &fitted);
        if let serde_json::Value::Object(members) = &mut object {
            members.insert("output".to_owned(), json!(arguments.output));
            let paid = serde_json::to_value(&*reply).unwrap_or_default();
            members.insert("cost".to_owned(), paid["cost"].clone());
            members.insert("budget".to_owned(), paid["budget"].clone());
        }
        print_json(&mut out, &object)?;
        return Ok(out.flush()?);
    }
    for line in laid_out(&file.lines(signer, &fitted), TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    print_notes(&reply.answer.notes);
    say(format_args!("wrote {}", arguments.output.display()));
    if key.is_none() {
        say(
            "note: nobody has signed it: `pointillist release key` makes a key; fitted again it is free, and signed",
        );
    }
    Ok(())
}

/// The question and what it costs, once it is known that it and every condition are understood. Pays nothing.
fn checked(home: &Home, arguments: &Arguments, earned: &[EarnedValues]) -> Result<(Ask, Quote), Failure> {
    let ask = arguments.table.ask(home, earned, arguments.request_id.clone())?;
    let quote = home.quote(&ask)?;
    let described = home.describe(&ask)?;
    let columns: Vec<_> = described.columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
    for condition in &arguments.keep {
        RowCondition::new(&columns, condition)?;
    }
    Ok((ask, quote))
}

/// The values of columns that have no public ones, paid for one by one, and what to say of the payments.
fn earn(home: &Home, arguments: &Arguments) -> Result<(Vec<EarnedValues>, Vec<String>), Failure> {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for column in &arguments.earn {
        let epsilon = arguments.earn_epsilon.as_deref().unwrap_or_default();
        let ask = arguments.table.ask_for_values(home, column, epsilon)?;
        let executed = home.execute(&ask, CLOCK).map_err(|error| refusal(home, &ask, error))?;
        let Executed::Answer(reply) = executed else {
            return Err(Failure::wrong(
                format!("the values of `{column}` are public already"),
                "leave --earn out for it",
            ));
        };
        let text = |row: &Row| match row.values.first() {
            Some(Some(Value::Text(text))) => Some(text.clone()),
            _ => None,
        };
        let values: Vec<String> = reply.answer.rows.iter().filter_map(text).collect();
        let paid = reply.price_words();
        if values.is_empty() {
            return Err(Failure::Told(
                3,
                format!(
                    "no text in `{column}` is that of enough people to be shown; {paid} were paid for that answer\nhint: leave the column out, or give more with --earn-epsilon"
                ),
            ));
        }
        if !arguments.json {
            say(format_args!("earned {} values of `{column}` for {paid}", values.len()));
        }
        notes.push(format!(
            "the values of `{column}` are those of enough people, found for {paid} beside this price"
        ));
        all.push(EarnedValues { column: column.clone(), values });
    }
    Ok((all, notes))
}

/// What will be paid and what to expect, before it is paid.
fn announce(quote: &Quote) {
    let lines: Vec<_> = quote.lines().into_iter().filter(|line| line.name != "note").collect();
    laid_out(&lines, TerminalStyle::plain()).iter().for_each(say);
}
