//! `pointillist query`: an answer with error bars, its price and its receipt.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use arrow::error::ArrowError;
use pointillist_curator::words::part_spent;
use pointillist_curator::{Answer, Executed, FREE, List, PublicAnswer, Reply};
use pointillist_render::csv;
use pointillist_render::decimals::readable;
use pointillist_render::text::{shown, wrapped};

use super::explain;
use crate::answer_format::{Format, FormatArguments};
use crate::failure::Failure;
use crate::home::{CLOCK, HomeArguments};
use crate::message::{is_quiet, say};
use crate::output_file::{check_output, write_output};
use crate::question::QuestionArguments;
use crate::refused_price::refusal;
use crate::terminal::print_json;
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text_bar::bar;
use serde::Serialize;

/// Columns that notes are wrapped to.
const WIDTH: usize = 92;

/// What is asked.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist query \"SELECT region, count(*) FROM visits GROUP BY region\" --epsilon 0.5
  pointillist query \"SELECT count(*) FROM visits\" --as ana --error 100 --json
  pointillist query - --format csv < question.sql > answer.csv
  pointillist query \"SELECT region, avg(cost) FROM visits GROUP BY region\" --plot cost.svg
  pointillist query \"DESCRIBE visits\"

SHOW TABLES, DESCRIBE and EXPLAIN are free and read the catalog alone. The price is paid first and never refunded. The same question, asked again, has the same answer for free.
Exit codes: 2 the question is wrong or not answered, 3 it is refused for privacy or budget, 1 anything else.")]
pub struct Arguments {
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Draw the answer with its intervals into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    question: QuestionArguments,
}

/// Asks and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.get();
    refuse_arrow_on_a_terminal(format)?;
    // A picture that cannot be written must not cost anything.
    arguments.plot.as_deref().map_or(Ok(()), check_output)?;
    let ask = arguments.question.ask(arguments.request_id.clone())?;
    let home = arguments.home.open()?;
    let (answer, price) = match home.execute(&ask, CLOCK).map_err(|error| refusal(&home, &ask, error))? {
        Executed::List(list) => return print_list(&list, format),
        Executed::Quote(quote) => return explain::print(&quote, false, format == Format::Json),
        Executed::PublicQuote(quote) => return explain::print_public(&quote, false, format == Format::Json),
        Executed::Answer(reply) => {
            print_reply(&reply, format)?;
            let price = reply.price_words();
            (reply.answer, price)
        }
        Executed::Public(public) => {
            print_public(&public, format)?;
            (public.answer, FREE.to_owned())
        }
    };
    // Last: an answer that has no picture was paid for all the same.
    if let Some(path) = &arguments.plot {
        let drawing = answer.plot(&price).map_err(Failure::explained)?;
        write_output(path, &drawing.to_svg())?;
        say(format_args!("plot written to {}", path.display()));
    }
    Ok(())
}

/// Prints an answer; what goes with it goes to stderr where stdout is for programs.
pub fn print_reply(reply: &Reply, format: Format) -> Result<(), Failure> {
    print_answer(&reply.answer, reply, |style| footer(reply, style), |out| reply.write_arrow(out), format)?;
    if format != Format::Json {
        print_notes(&reply.answer.notes);
    }
    Ok(())
}

/// Prints what public tables say.
pub fn print_public(public: &PublicAnswer, format: Format) -> Result<(), Failure> {
    let footer = |style: TerminalStyle| vec![format!("{}  {FREE}", style.faint("  price"))];
    print_answer(&public.answer, public, footer, |out| public.write_arrow(out), format)
}

fn print_answer(
    answer: &Answer,
    whole: &impl Serialize,
    footer: impl Fn(TerminalStyle) -> Vec<String>,
    write_arrow: impl FnOnce(&mut dyn Write) -> Result<(), ArrowError>,
    format: Format,
) -> Result<(), Failure> {
    let style = TerminalStyle::for_stdout();
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            let footer = if is_quiet() { Vec::new() } else { footer(style) };
            for line in answer.table().lines("", style).iter().chain(&footer) {
                writeln!(out, "{line}")?;
            }
        }
        Format::Csv => answer.write_csv(&mut out, None)?,
        Format::Json => print_json(&mut out, whole)?,
        Format::Arrow => write_arrow(&mut out).map_err(unwritten)?,
    }
    out.flush()?;
    if matches!(format, Format::Csv | Format::Arrow) {
        footer(TerminalStyle::plain()).iter().for_each(say);
    }
    Ok(())
}

/// Prints a list of tables or columns.
pub fn print_list(list: &List, format: Format) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Table => {
            for line in crate::table::of_list(list).lines("", TerminalStyle::for_stdout()) {
                writeln!(out, "{line}")?;
            }
        }
        Format::Json => print_json(&mut out, list)?,
        Format::Csv => {
            for fields in list.lines() {
                writeln!(out, "{}", csv::line(&fields))?;
            }
        }
        Format::Arrow => {
            return Err(Failure::wrong("lists are not written as Arrow", "use --format csv or --json"));
        }
    }
    Ok(out.flush()?)
}

/// Binary on a screen helps nobody.
pub fn refuse_arrow_on_a_terminal(format: Format) -> Result<(), Failure> {
    if format == Format::Arrow && io::stdout().is_terminal() {
        let hint = "send it to a file: … --format arrow > answer.arrows";
        return Err(Failure::wrong("an Arrow stream is not for a terminal", hint));
    }
    Ok(())
}

/// What to know about an answer, on stderr.
pub fn print_notes(notes: &[String]) {
    for note in notes {
        let lines = wrapped(&shown(&readable(note)), WIDTH - 6);
        for (index, line) in lines.iter().enumerate() {
            say(format_args!("{}{line}", if index == 0 { "note: " } else { "      " }));
        }
    }
}

/// Price, what is left, receipt.
pub fn footer(reply: &Reply, style: TerminalStyle) -> Vec<String> {
    let line = |name: &str, text: String| format!("{}  {text}", style.faint(&format!("{name:>7}")));
    let (left, whose) = (reply.left_words(), reply.whose_words());
    let bar = bar(part_spent(&reply.left), 12);
    vec![
        line("price", reply.paid_words()),
        line("left", format!("{left} {whose}  {bar}  {}", reply.more_words())),
        line("receipt", style.faint(&reply.receipt_words())),
    ]
}

/// An Arrow stream that could not be written.
pub fn unwritten(error: ArrowError) -> Failure {
    Failure::environment(format!("the Arrow stream could not be written: {error}"))
}
