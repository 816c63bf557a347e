//! `pointillist graph extension`: the extension theorem on graphs and tables that are small enough to be listed.

use std::io::{self, BufWriter, Write};

use pointillist_graph::extension::{Example, Instance, Report, epsilons};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_render::decimals::{grouped_count, short_lower, short_upper};
use pointillist_render::terminal_style::TerminalStyle;
use serde::Serialize;

use crate::failure::Failure;
use crate::terminal::print_json;

/// What is extended, and how large.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph extension                            who has the most ties: a name
  pointillist graph extension edges --size 5 --bound 1   a count with noise
  pointillist graph extension response --size 20 --factor 1.1 --json

The theorem (Borgs, Chayes, Smith, Zadik 2018): a mechanism that is ε-private on a class of data sets
has an extension to all data sets that is 2ε-private and the same on the class. Here all data sets of a
size are listed, and the extension is compared with the mechanism and at all neighbours, in exact
fractions. Nobody's data is read, and nothing is published: for data of any real size there are far too
many data sets to list.")]
pub struct Arguments {
    /// What is extended
    #[arg(value_name = "WHAT", value_enum, default_value = "hub")]
    what: What,
    /// How many people a graph has at most, or rows a table; how many values a response [default: 4, 3, 5]
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// The class: the largest degree of a graph, or the largest value of a table [default: 2]
    #[arg(long, value_name = "D")]
    bound: Option<u32>,
    /// By which factor weights fall with every unit; of a response it is e^ε
    #[arg(long, value_name = "F", default_value = "2")]
    factor: Rational,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Who has the most ties: a name, from graphs of bounded degree
    Hub,
    /// The number of ties with noise, from graphs of bounded degree
    Edges,
    /// The number of triangles with noise, from graphs of bounded degree
    Triangles,
    /// A sum with noise, from tables of bounded values
    Sum,
    /// A randomized answer, from tables of one row
    Response,
}

impl What {
    fn example(self) -> Example {
        match self {
            Self::Hub => Example::Hub,
            Self::Edges => Example::Edges,
            Self::Triangles => Example::Triangles,
            Self::Sum => Example::Sum,
            Self::Response => Example::Response,
        }
    }
}

/// What was seen, for scripts; fractions are text, because they are exact.
#[derive(Serialize)]
struct Seen<'a> {
    data_sets: usize,
    neighbours: usize,
    space: &'a str,
    class: &'a str,
    members: usize,
    mechanism: &'a str,
    outcomes: usize,
    e_to_epsilon: String,
    promised: String,
    worst: Option<String>,
    needed: Option<String>,
    is_equal_on_class: bool,
    is_as_promised: bool,
}

/// Extends, compares and prints.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { what, size, bound, factor, json } = arguments;
    let failed = |error| Failure::of(&error);
    let instance = what.example().instance(*size, *bound, factor).map_err(failed)?;
    let report = instance.report(&instance.extension().map_err(failed)?);
    let mut out = BufWriter::new(io::stdout().lock());
    if *json {
        print_json(&mut out, &seen(&instance, &report))?;
    } else {
        let style = TerminalStyle::for_stdout();
        for (name, text) in lines(&instance, &report) {
            writeln!(out, "{}  {text}", style.faint(&format!("{name:>10}")))?;
        }
    }
    out.flush()?;
    if report.is_as_promised() {
        Ok(())
    } else {
        Err(Failure::environment("the extension is not what the theorem promises: this is a bug"))
    }
}

fn seen<'a>(instance: &'a Instance, report: &Report) -> Seen<'a> {
    Seen {
        data_sets: report.data_sets,
        neighbours: report.neighbours,
        space: &instance.space,
        class: &instance.class,
        members: report.members,
        mechanism: &instance.mechanism,
        outcomes: report.outcomes,
        e_to_epsilon: fraction(&report.base),
        promised: fraction(&report.promised),
        worst: report.worst.as_ref().map(fraction),
        needed: report.least.as_ref().map(fraction),
        is_equal_on_class: report.is_equal_on_class,
        is_as_promised: report.is_as_promised(),
    }
}

/// Why nobody does this with real data.
const LARGER: &str = "every data set is listed, and n people alone have 2^(n(n-1)/2) graphs: 1,024 for 5, \
                      35,184,372,088,832 for 10";

fn lines(instance: &Instance, report: &Report) -> Vec<(&'static str, String)> {
    let count = |number: usize| grouped_count(number as u64);
    // What was seen is rounded up, and what cannot be avoided down.
    let ratio =
        |ratio: &Option<Rational>, end: fn(&Enclosure) -> Rational, round: fn(&Rational) -> String| {
            let Some(ratio) = ratio else { return "no bound".to_owned() };
            let times = epsilons(ratio, &report.base).map(|times| format!(": {} ε", round(&end(&times))));
            format!("{}{}", with_decimal(ratio, round), times.unwrap_or_default())
        };
    let worst = ratio(&report.worst, Enclosure::upper, short_upper);
    let needed = ratio(&report.least, Enclosure::lower, short_lower);
    let same = if report.is_equal_on_class { "the same law, exactly" } else { "ANOTHER LAW" };
    vec![
        ("data sets", format!("{} {}", count(report.data_sets), instance.space)),
        ("neighbours", format!("{} pairs; {}", count(report.neighbours), instance.neighbours)),
        ("class", format!("{} of the data sets: {}", count(report.members), instance.class)),
        ("mechanism", instance.mechanism.clone()),
        (
            "on class",
            format!("e^ε = {}, for all pairs and their distances", with_decimal(&report.base, short_upper)),
        ),
        ("extension", format!("at all {} data sets of the class {same}", count(report.members))),
        ("promised", format!("e^2ε = {} for all neighbours", with_decimal(&report.promised, short_lower))),
        ("worst", format!("{worst}, over all neighbours and {} outcomes", report.outcomes)),
        ("needed", format!("at least {needed}, by any extension there is")),
        ("larger", LARGER.to_owned()),
    ]
}

/// Always over its denominator, where a decimal would hide that it is exact.
fn fraction(value: &Rational) -> String {
    if value.is_integer() {
        value.to_string()
    } else {
        format!("{}/{}", value.numerator(), value.denominator())
    }
}

fn with_decimal(value: &Rational, round: fn(&Rational) -> String) -> String {
    if value.is_integer() { value.to_string() } else { format!("{} ({})", fraction(value), round(value)) }
}
