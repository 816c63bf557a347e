//! `pointillist rehearse`: the same question on people made up from the catalog. Free, and about nobody.

use std::io::{self, BufWriter, Write};

use pointillist_curator::rehearse;

use super::query::{print_notes, refuse_arrow_on_a_terminal, unwritten};
use crate::answer_format::{Format, FormatArguments};
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::question::QuestionArguments;
use crate::terminal::{print_json, tell};
use pointillist_render::terminal_style::TerminalStyle;

/// What is rehearsed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist rehearse \"SELECT region, avg(cost) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist rehearse \"SELECT count(*) FROM visits\" --json

No file is opened and nothing is charged: the rows are made up from the catalog's types, bounds and keys. Use it
to build a dashboard or to try a statement before paying for it. Every format says that the data is made up.")]
pub struct Arguments {
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    question: QuestionArguments,
}

/// Answers about made-up rows.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.get();
    refuse_arrow_on_a_terminal(format)?;
    let ask = arguments.question.ask(None)?;
    let home = arguments.home.open()?;
    let rehearsal = rehearse(&home.catalog, &ask)?;
    let answer = &rehearsal.answer;
    let style = TerminalStyle::for_stdout();
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            writeln!(out, "{}", style.alarm("DUMMY DATA: made up from the catalog, about nobody"))?;
            for line in answer.table().lines("", style) {
                writeln!(out, "{line}")?;
            }
            let price = rehearsal.price_words();
            writeln!(out, "{}  nothing; a real answer would cost {price}", style.faint("  price"))?;
        }
        Format::Csv => rehearsal.write_csv(&mut out)?,
        Format::Json => print_json(&mut out, &rehearsal)?,
        Format::Arrow => rehearsal.write_arrow(&mut out).map_err(unwritten)?,
    }
    out.flush()?;
    match format {
        Format::Json => {}
        Format::Table => print_notes(&answer.notes),
        Format::Csv | Format::Arrow => {
            tell("DUMMY DATA: made up from the catalog, about nobody");
            print_notes(&answer.notes);
        }
    }
    Ok(())
}
