//! `pointillist graph degrees`: how many nodes have at least each degree.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_curator::json;
use pointillist_graph::{Estimate, Statistic};

use super::arguments::GraphArguments;
use super::print;
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::output_file::{check_output, write_output};
use crate::table::{Side, Table, Tone};
use crate::terminal::print_json;
use pointillist_render::svg::Drawing;
use pointillist_render::terminal_style::TerminalStyle;

/// Rows that a screen shows.
const ROWS: usize = 24;

/// Which graph.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph degrees --graph contacts --epsilon 1
  pointillist graph degrees --file ca-GrQc.txt.gz --privacy edge --epsilon 0.5 --plot degrees.svg
  pointillist graph degrees --file contacts.txt --nodes people.txt --privacy node --epsilon 1 --json")]
pub struct Arguments {
    /// Draw the distribution with its band into this SVG file
    #[arg(long, value_name = "PATH")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    graph: GraphArguments,
}

/// Computes, prints and draws.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // A picture that cannot be written must not cost anything.
    arguments.plot.as_deref().map_or(Ok(()), check_output)?;
    let answered = arguments.graph.answer(Statistic::Degrees)?;
    let estimates = answered.answer().estimates();
    if let Some(path) = &arguments.plot {
        let title = format!("Degrees of {}, at {}", arguments.graph.name(), answered.price());
        write_output(path, &answered.answer().plot_degrees(title).to_svg())?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.graph.json {
        print_json(&mut out, &json::degrees(answered.answer(), answered.account()))?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    let rows: Vec<&Estimate> = screenful(&estimates);
    let mut table = Table::new();
    let degree = |estimate: &&Estimate| estimate.degree.unwrap_or(0).to_string().into();
    table.filled_column("degree at least", Side::Right, Tone::Plain, rows.iter().map(degree));
    let count = |estimate: &&Estimate| print::shown(estimate.value).into();
    table.filled_column("nodes", Side::Right, Tone::Plain, rows.iter().map(count));
    let interval = |estimate: &&Estimate| print::interval(estimate).into();
    table.filled_column("", Side::Left, Tone::Faint, rows.iter().map(interval));
    for line in table.lines("", style).into_iter().chain(print::account_lines(&answered, style)) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    print::print_answer_notes(&answered);
    if rows.len() < estimates.len() {
        print_notes(&[format!("{} of {} degrees are shown; --json has all", rows.len(), estimates.len())]);
    }
    print::remind(&answered);
    Ok(())
}

/// All degrees, or about as many as a screen holds: small ones in full, then in growing steps.
fn screenful(estimates: &[Estimate]) -> Vec<&Estimate> {
    if estimates.len() <= ROWS {
        return estimates.iter().collect();
    }
    let growth = (estimates.len() as f64).powf(1.0 / ROWS as f64).max(1.2);
    let (mut next, mut kept) = (0.0, Vec::new());
    for (index, estimate) in estimates.iter().enumerate() {
        if index as f64 >= next {
            kept.push(estimate);
            next = (index as f64 * growth).max(index as f64 + 1.0);
        }
    }
    kept
}
