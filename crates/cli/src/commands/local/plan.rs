//! `pointillist local plan`: which method, and how wrong it will be, before anybody is asked.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_local::Forecast;
use pointillist_local::forecast::MethodForecast;
use pointillist_privacy::Delta;
use pointillist_render::decimals::{grouped_count, significant};
use pointillist_render::survey::{Fact, error_chart, forecast_facts, question_facts, reason_words};
use pointillist_render::svg::Drawing;

use super::arguments::SurveyArguments;
use super::words::{named, with_flags};
use crate::failure::Failure;
use crate::output_file::write_output;
use crate::parsed_argument::parsed;
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::json_line;
use pointillist_render::terminal_style::TerminalStyle;

/// What would be asked, of how many.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist local plan --answers yes,no --epsilon 1 --people 10000
  pointillist local plan --values 1000 --epsilon 2 --people 1000000 --plot errors.svg
  pointillist local plan --answers yes,no --epsilon 1 --error 0.01
  pointillist local plan --answers yes,no --method rappor --epsilon 2 --people 100000
  pointillist local plan --mean 0 120 --epsilon 1 --people 50000 --json
  pointillist local plan --values 16 --epsilon 1 --people 1000000 --shuffle --delta 1e-9

Without a curator errors fall as 1/(ε√n), with one as 1/(εn). That gap is a theorem and no method closes it;
a shuffler between respondents and collector closes part of it.")]
pub struct Arguments {
    #[command(flatten)]
    survey: SurveyArguments,
    /// How many people will answer
    #[arg(long, value_name = "N", required_unless_present = "error", conflicts_with = "error")]
    people: Option<u64>,
    /// Find out how many people it takes for a 95 % interval of this half width
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<f64>,
    /// Say what a shuffler would add, who hides which report came from whom
    #[arg(long, requires = "delta")]
    shuffle: bool,
    /// The δ of the shuffled reports together
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parsed::<Delta>, requires = "shuffle")]
    delta: Option<Delta>,
    /// Draw both errors against the number of people into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the forecast.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let design = arguments.survey.design()?;
    let delta = arguments.delta.as_ref();
    let forecast = match (arguments.people, arguments.error) {
        (Some(people), _) => Forecast::new(&design, people, delta),
        (None, Some(error)) => Forecast::for_error(&design, error, delta),
        (None, None) => unreachable!("clap asks for one of the two"),
    };
    let forecast = forecast.map_err(with_flags)?;
    if let Some(path) = &arguments.plot {
        let Some(chart) = error_chart(&forecast) else {
            return Err(Failure::wrong("a search for words has no curve", "leave --plot out"));
        };
        write_output(path, &chart.to_svg())?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", json_line(&forecast))?;
    } else {
        for line in lines(&forecast, TerminalStyle::for_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

fn lines(forecast: &Forecast, style: TerminalStyle) -> Vec<String> {
    let facts =
        |facts: Vec<Fact>| facts.into_iter().flat_map(move |(name, words)| named(name, &words, style));
    let mut lines: Vec<String> = facts(question_facts(forecast)).collect();
    if forecast.candidates.len() > 1 {
        lines.extend(named("", reason_words(forecast.reason), style));
        lines.extend(table(&forecast.candidates).lines("           ", style));
    }
    lines.extend(facts(forecast_facts(forecast)));
    lines
}

fn table(candidates: &[MethodForecast]) -> Table {
    let mut table = Table::new();
    let name = |one: &MethodForecast| Cell::from(one.method);
    table.filled_column("method", Side::Left, Tone::Plain, candidates.iter().map(name));
    let error = |one: &MethodForecast| Cell::from(significant(one.standard_error));
    table.filled_column("standard error", Side::Right, Tone::Plain, candidates.iter().map(error));
    if candidates.iter().any(|one| one.line_bytes_max.is_some()) {
        let bytes =
            |one: &MethodForecast| Cell::from(one.line_bytes_max.map_or(String::new(), grouped_count));
        table.filled_column("bytes a report", Side::Right, Tone::Plain, candidates.iter().map(bytes));
    }
    table
}
