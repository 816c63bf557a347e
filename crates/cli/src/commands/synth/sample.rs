//! `pointillist synth sample`: made-up rows, which cost nothing.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pointillist_publication::{NamedRows, SanitizedFile};
use pointillist_render::decimals::grouped_count;

use crate::failure::Failure;
use crate::message::say;
use crate::progress;

/// Of which file, how many, and where to.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist synth sample table.json --output rows.csv
  pointillist synth sample table.json --rows 1000000 --output rows.parquet
  pointillist synth sample table.json --rows 10

Nobody in these rows exists. The same file gives the same rows every time, for everybody. More rows than there were are no
better known: their noise is that of the released counts.")]
pub struct Arguments {
    /// What was released
    #[arg(value_name = "TABLE.json")]
    table: PathBuf,
    /// How many rows [default: about as many as there were]
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// Where they are written, a new file: Parquet if its name ends so, CSV otherwise; - prints CSV
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Samples.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = SanitizedFile::read(&arguments.table)?;
    let waiting = progress::spinner("making rows up …");
    let fitted = file.fitted()?;
    let printed = (arguments.output == Path::new("-")).then(|| NamedRows::of(&fitted, arguments.rows));
    let rows = match printed {
        Some(made_up) => {
            waiting.finish_and_clear();
            let made_up = made_up.ok_or_else(|| Failure::environment("the rows are no table"))?;
            let mut out = io::stdout().lock();
            out.write_all(&made_up.csv())?;
            out.flush()?;
            made_up.count() as u64
        }
        None => {
            let written = SanitizedFile::write_rows(&arguments.output, &fitted, arguments.rows);
            waiting.finish_and_clear();
            let rows = written? as u64;
            say(format_args!("wrote {}: {} made-up rows", arguments.output.display(), grouped_count(rows)));
            rows
        }
    };
    let wanted = arguments.rows.unwrap_or_else(|| fitted.total());
    if rows < wanted {
        say(format_args!(
            "note: {} were wanted; hardly any made-up row keeps the conditions of the file, or they are more than are made",
            grouped_count(wanted)
        ));
    }
    Ok(())
}
