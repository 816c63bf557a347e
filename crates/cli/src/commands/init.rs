//! `pointillist init`: a first catalog, from headers and types alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{self, Path, PathBuf};

use pointillist_catalog::{Draft, DraftTable, GuessedType, smartnoise};
use serde_json::json;

use crate::anchor_place::ledger_section;
use crate::failure::Failure;
use crate::header_trust::{check_names, has_header_line};
use crate::terminal::Json;
use crate::terminal::tell;

/// What to declare, and where to write it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist init visits.csv prescriptions.parquet
  pointillist init data/*.parquet -o hospital/pointillist.toml
  pointillist init --from-smartnoise PUMS.yaml
  pointillist init visits.csv -o -                                  print it instead

No row is read: bounds, keys and whose rows they are is for the owner to say. Fill in what is marked, then run
`pointillist check`.")]
pub struct Arguments {
    /// Data files: CSV (plain or gzip), Parquet, Arrow IPC
    #[arg(value_name = "FILE", required_unless_present = "from_smartnoise")]
    files: Vec<PathBuf>,
    /// Take over SmartNoise SQL metadata (YAML) instead
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    from_smartnoise: Option<PathBuf>,
    /// The first line of each CSV file holds names, however they look
    #[arg(long, conflicts_with = "from_smartnoise")]
    header: bool,
    /// Where to write the catalog; - prints it
    #[arg(short, long, value_name = "PATH", default_value = "pointillist.toml")]
    output: PathBuf,
    /// Replace a catalog that is already there
    #[arg(long)]
    force: bool,
    /// Print one JSON object about what was written
    #[arg(long)]
    json: bool,
}

/// Writes the catalog. `header` gives the names and types of a file's columns without reading a row.
pub fn run(
    arguments: &Arguments,
    header: impl Fn(&Path) -> Result<Vec<(String, GuessedType)>, Failure>,
) -> Result<(), Failure> {
    let (text, notes) = match &arguments.from_smartnoise {
        Some(file) => {
            let metadata = fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
            smartnoise::import(&metadata).map_err(Failure::request)?
        }
        None => {
            let (mut draft, mut notes) = (Draft::new(), Vec::new());
            for file in &arguments.files {
                let columns = header(file)?;
                if has_header_line(file) {
                    let names = columns.iter().map(|(name, _)| name.as_str());
                    check_names(file, names.clone(), arguments.header)?;
                    let names = names.collect::<Vec<_>>().join(", ");
                    notes.push(format!("the first line of {} was taken for names: {names}", file.display()));
                }
                draft.add(DraftTable::new(&source(file, &arguments.output)?, columns));
            }
            (draft.to_toml(), notes)
        }
    };
    let text = text + &ledger_section(&arguments.output);
    let output = &arguments.output;
    if output.as_os_str() == "-" && arguments.json {
        return Err(Failure::Request(
            "-o - and --json both want stdout\nhint: leave one of them out".to_owned(),
        ));
    }
    if output.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
    } else {
        create(output, arguments.force)?.write_all(text.as_bytes())?;
        tell(&format!("wrote {}; fill in what is marked, then run `pointillist check`", output.display()));
    }
    for note in notes.iter().filter(|_| !arguments.json) {
        tell(&format!("note: {note}"));
    }
    if arguments.json {
        writeln!(io::stdout().lock(), "{}", Json(&json!({ "catalog": output, "notes": notes })))?;
    }
    Ok(())
}

/// The path of a file as seen from the catalog's folder, which is where sources start.
fn source(file: &Path, output: &Path) -> Result<String, Failure> {
    let folder = output.parent().unwrap_or(Path::new(""));
    let seen = if folder.as_os_str().is_empty() || file.is_absolute() {
        file.to_owned()
    } else if let Ok(inside) = file.strip_prefix(folder) {
        inside.to_owned()
    } else {
        path::absolute(file).map_err(|error| unreadable(file, &error))?
    };
    seen.into_os_string().into_string().map_err(|name| {
        let name = name.to_string_lossy().into_owned();
        Failure::Request(format!("the path {name} is not UTF-8\nhint: rename the file"))
    })
}

fn create(output: &Path, force: bool) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    options.open(output).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Request(format!(
            "{} is already there\nhint: --force replaces it, -o writes to another place",
            output.display()
        )),
        _ => Failure::Environment(format!("{} could not be written: {error}", output.display())),
    })
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::Request(format!("{} could not be read: {error}\nhint: check the path", file.display()))
}
