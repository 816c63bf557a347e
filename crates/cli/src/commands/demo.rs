//! `pointillist demo`: a made-up hospital, questions asked, prices shown, a door kept shut, an attack that fails.

mod render;
mod summary;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_demo::{CATALOG, Demonstration, Hospital};
use pointillist_errors::Explained;

use crate::failure::Failure;
use crate::home::{CLOCK, Home};
use crate::progress;
use pointillist_render::terminal_style::TerminalStyle;
use render::Story;

/// Patients of the demo, and of the quick one.
const PEOPLE: usize = 40_000;
const PEOPLE_QUICK: usize = 4_000;

/// Where, and how large.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist demo
  pointillist demo --folder /tmp/hospital --quick
  pointillist demo --json

The hospital is made up and the same every time; only the noise is new. Run again in the same folder, the demo
gets the answers it has paid for, for free.")]
pub struct Arguments {
    /// Where the hospital is written; a folder that is not a demo is left alone
    #[arg(long, value_name = "DIR", default_value = "pointillist-demo")]
    folder: PathBuf,
    /// A tenth of the patients
    #[arg(long)]
    quick: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Makes the hospital, asks, and tells.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let people = if arguments.quick { PEOPLE_QUICK } else { PEOPLE };
    let progress = progress::bar(people as u64, "making people up {bar:40} {human_pos}/{human_len}");
    let hospital = Hospital::made_up(people, || progress.inc(1));
    pointillist_demo::write(&arguments.folder, &hospital).map_err(|error| {
        let hint = format!("{} (--folder DIR names one)", error.hint().unwrap_or_default());
        Failure::explained(error.explanation().with_hint(hint))
    })?;
    progress.finish_and_clear();
    let home = Home::open(&arguments.folder.join(CATALOG))?;
    let demo = Demonstration::new(hospital, home.curator(CLOCK)?)?;
    let story = Story { folder: &arguments.folder, demo: &demo };
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", summary::tell(&story)?)?;
    } else {
        story.tell(&mut out, TerminalStyle::for_stdout())?;
    }
    out.flush()?;
    Ok(())
}
