//! `pointillist graph inspect`: the exact truth, for the owner alone.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_curator::{EdgeFile, FileFacts, NodeFile};
use pointillist_graph::read::FirstLine;

use super::arguments::reading_bar;
use crate::failure::Failure;
use crate::message::say;
use crate::terminal::print_json;
use pointillist_render::decimals::{grouped, grouped_count};
use pointillist_render::terminal_style::TerminalStyle;

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
    let list = |nodes: &PathBuf| NodeFile { path: nodes.clone(), first_line: None };
    let nodes = arguments.nodes.as_ref().map(list);
    let file = EdgeFile { path: arguments.file.clone(), first_line: None, nodes };
    let bar = reading_bar(&arguments.file);
    let found = file.inspect(&|bytes| bar.set_position(bytes))?;
    bar.finish_and_clear();
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        print_json(&mut out, &found)?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    writeln!(out, "{}", style.alarm("EXACT FIGURES: for the owner's eyes, not for release"))?;
    for (name, value) in [
        ("nodes", u128::from(found.nodes)),
        ("edges", found.edges.into()),
        ("max degree", found.max_degree.into()),
        ("triangles", found.triangles.into()),
        ("max common neighbours", found.max_common_neighbours.into()),
        ("two stars", found.two_stars),
        ("components", found.components.into()),
        ("degeneracy", found.degeneracy.into()),
    ] {
        writeln!(out, "{}  {}", style.faint(&format!("{name:>21}")), grouped(&value.to_string()))?;
    }
    out.flush()?;
    let FileFacts { lines, skipped, outside, ended_in_quotes, first_line } = found.file;
    let count = grouped_count;
    if skipped > 0 {
        say(format!("note: {} of {} records are no ties and were left out", count(skipped), count(lines)));
    }
    if ended_in_quotes {
        say("note: the file ends inside of quotes: it was cut off, or a quote was never closed");
    }
    if outside > 0 {
        say(format!("note: {} ties name ids that are not on the list", count(outside)));
    }
    let word = match first_line {
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
