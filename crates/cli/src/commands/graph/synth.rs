//! `pointillist graph synth`: a made-up graph from released degrees and triangles.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pointillist_curator::json;
use pointillist_errors::Kind;
use pointillist_graph::{Method, ReleasedNumbers, Statistic, SyntheticGraph};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Rho};
use pointillist_render::decimals::{grouped_count, grouped_in};
use pointillist_render::terminal_style::TerminalStyle;
use serde::Serialize;

use super::arguments::{Answered, GraphArguments, Offered, Wanted};
use super::print;
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::message::say;
use crate::output_file::{check_new, write_new};
use crate::progress;
use crate::terminal::print_json;

/// Of which graph, at which price, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph synth --graph contacts --epsilon 1 --output made-up.csv
  pointillist graph synth --file ca-GrQc.txt.gz --privacy edge --epsilon 1 --output made-up.csv --json

Half of the price buys the degree distribution, half the number of triangles; both are recorded as `graph degrees` and
`graph count triangles` record them, and asked for again they are free. The graph is made up from these numbers, always the
same one from the same numbers, and says how far it is from them. Nothing else of it means anything: not who is tied to
whom, not communities, not distances. --method and --delta are those of the triangles.")]
pub struct Arguments {
    /// Where the ties are written, a new CSV file with two columns
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    graph: GraphArguments,
}

/// Asks twice, makes up a graph, writes and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // A file that cannot be written must not cost anything.
    check_new(&arguments.output)?;
    let graph = &arguments.graph;
    let whole = graph.wanted(Statistic::Triangles)?;
    let [degrees, triangles] = halves(&whole)?;
    let both = Wanted { statistic: Statistic::Degrees, method: Method::Auto, ..whole };
    check_price(graph, &both, &degrees, &triangles)?;
    let degrees = graph.answer_to(degrees)?;
    let triangles = graph.answer_to(triangles)?;
    let released = ReleasedNumbers::new(&degrees.answer().estimates(), &triangles.answer().estimates())?;
    let waiting = progress::spinner("making a graph up …");
    let made_up = SyntheticGraph::new(&released);
    waiting.finish_and_clear();
    let made_up = made_up?;
    write_new(&arguments.output, &made_up.to_csv())?;
    print_made_up(arguments, &made_up, &degrees, &triangles)
}

/// The two questions, for half of the price each.
fn halves(whole: &Wanted) -> Result<[Wanted; 2], Failure> {
    let mut options = whole.options.clone();
    let half = Rational::ratio(1, 2);
    options.epsilon = options.epsilon.map(|epsilon| Epsilon::new(epsilon.value() * &half)).transpose()?;
    options.rho = options.rho.map(|rho| Rho::new(rho.value() * &half)).transpose()?;
    if options.epsilon.is_none() && options.rho.is_none() {
        return Err(Failure::wrong("a made-up graph needs a price", "write --epsilon 1, for example"));
    }
    let part = |statistic: Statistic, method: Method| {
        let mut options = options.clone();
        options.delta = options.delta.filter(|_| statistic == Statistic::Triangles);
        let request_id = whole.request_id.as_ref().map(|id| format!("{id}-{statistic}"));
        Wanted { statistic, method, options, request_id }
    };
    Ok([part(Statistic::Degrees, Method::Auto), part(Statistic::Triangles, whole.method)])
}

/// Refuses what would pay for one of the two questions and not for the other. What is free needs no budget.
fn check_price(
    graph: &GraphArguments,
    both: &Wanted,
    degrees: &Wanted,
    triangles: &Wanted,
) -> Result<(), Failure> {
    let is_free = |wanted: &Wanted| match graph.offer_of(wanted.clone())? {
        Offered::Quoted(quote) => Ok::<bool, Failure>(quote.is_free),
        Offered::OneOff(_) => Ok(true),
    };
    if is_free(degrees)? || is_free(triangles)? {
        return Ok(());
    }
    match graph.offer_of(both.clone())? {
        Offered::Quoted(quote) if !quote.fits() => Err(Failure::wrong(
            "the budget does not hold this price, and half a price makes no graph; nothing was charged",
            "name a smaller --epsilon; `pointillist budget` shows what is left",
        )
        .of_kind(Kind::Budget)),
        _ => Ok(()),
    }
}

/// A made-up graph, and where it was written.
#[derive(Serialize)]
struct Written<'a, M: Serialize> {
    output: &'a Path,
    #[serde(flatten)]
    made_up: M,
}

fn print_made_up(
    arguments: &Arguments,
    made_up: &SyntheticGraph,
    degrees: &Answered,
    triangles: &Answered,
) -> Result<(), Failure> {
    let distance = made_up.distance;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.graph.json {
        let [degrees, triangles] = [degrees, triangles].map(|part| (part.answer(), part.account()));
        let made_up = json::made_up(made_up, degrees, triangles);
        print_json(&mut out, &Written { output: &arguments.output, made_up })?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    for line in distance.lines() {
        writeln!(out, "{}  {}", style.faint(&format!("{:>9}", line.0)), grouped_in(&line.1))?;
    }
    for answered in [degrees, triangles] {
        for line in print::account_lines(answered, style) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    print_notes(&[
        "nothing else of the made-up graph means anything: not who is tied to whom, not distances".to_owned(),
    ]);
    print::remind(triangles);
    let ties = grouped_count(made_up.graph.edges());
    say(format_args!("wrote {}: {ties} made-up ties", arguments.output.display()));
    Ok(())
}
