//! `pointillist graph inspect`: the exact truth, for the owner alone.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_graph::kernel::{common_neighbours, components, cores, degrees, stars, triangles};
use pointillist_graph::read::FirstLine;
use serde_json::{Map, Value};

use super::load::load;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::message::say;
use crate::terminal::Json;
use pointillist_render::decimals::grouped;

/// Which file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist graph inspect ca-GrQc.txt.gz
  pointillist graph inspect contacts.csv --nodes people.txt --json

These figures are exact. They are for whoever holds the data anyway: publishing one of them tells about people.")]
pub struct Arguments {
    /// A file of ties: text, CSV, gzip, Parquet or Arrow
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The ids of all nodes, one a line, so that those without a tie count
    #[arg(long, value_name = "PATH")]
    nodes: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Counts everything and prints it.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let nodes = arguments.nodes.as_deref().map(|nodes| (nodes, FirstLine::Detect));
    let loaded = load(&arguments.file, FirstLine::Detect, nodes)?;
    let graph = &loaded.graph;
    let figures = [
        ("nodes", u128::from(graph.nodes())),
        ("edges", graph.edges().into()),
        ("max_degree", degrees::max(graph).into()),
        ("triangles", triangles::count(graph).into()),
        ("max_common_neighbours", common_neighbours::max(graph).into()),
        ("two_stars", stars::count(graph, 2)),
        ("components", components::count(graph).into()),
        ("degeneracy", cores::degeneracy(graph).into()),
    ];
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let number = |value: u128| u64::try_from(value).map_or_else(|_| (value as f64).into(), Value::from);
        let object: Map<String, Value> =
            figures.into_iter().map(|(name, value)| (name.to_owned(), number(value))).collect();
        writeln!(out, "{}", Json(&Value::Object(object)))?;
        return Ok(out.flush()?);
    }
    let ink = Ink::for_stdout();
    writeln!(out, "{}", ink.alarm("EXACT FIGURES: for the owner's eyes, not for release"))?;
    for (name, value) in figures {
        let name = name.replace('_', " ");
        writeln!(out, "{}  {}", ink.faint(&format!("{name:>21}")), grouped(&value.to_string()))?;
    }
    out.flush()?;
    if loaded.skipped > 0 {
        let skipped = grouped(&loaded.skipped.to_string());
        say(format!(
            "note: {skipped} of {} records are no ties and were left out",
            grouped(&loaded.lines.to_string())
        ));
    }
    if loaded.ended_in_quotes {
        say("note: the file ends inside of quotes: it was cut off, or a quote was never closed");
    }
    if loaded.outside > 0 {
        say(format!("note: {} ties name ids that are not on the list", grouped(&loaded.outside.to_string())));
    }
    let word = match loaded.first_line {
        FirstLine::Names => "names",
        FirstLine::Counts => "counts",
        FirstLine::Edge | FirstLine::Detect => return Ok(()),
    };
    say(format!(
        "note: the first line of this file looks like {word}, not like a tie: give --first-line {word} to the other \
         commands, and first_line = \"{word}\" in a catalog"
    ));
    Ok(())
}
