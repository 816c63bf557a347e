//! `pointillist init`: a first catalog, from headers and types alone; from rows only where the owner asks for guesses.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{self, Path, PathBuf};

use pointillist_catalog::{Draft, DraftTable, DraftUnit, GuessedType, smartnoise};
use serde_json::json;

use crate::anchor_place::ledger_section;
use crate::failure::Failure;
use crate::header_trust::{check_names, has_header_line};
use crate::inspection;
use crate::message::say;
use crate::terminal::Json;
use pointillist_render::text::shown;

/// What to declare, and where to write it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist init visits.csv prescriptions.parquet
  pointillist init visits.csv --unit patient_id --guess             nothing left to fill in
  pointillist init survey.csv --unit row --guess                    every row is another person
  pointillist init data/*.parquet -o hospital/pointillist.toml
  pointillist init --from-smartnoise PUMS.yaml
  pointillist init visits.csv -o -                                  print it instead

Without --guess no row is read: types of CSV columns, bounds, keys and whose rows they are is for the owner to say. With
it, types and bounds are guessed from the rows. The guesses are marked and rounded outwards, but they do come from the
data, and a catalog is public: look at them before you share it.")]
pub struct Arguments {
    /// Data files: CSV (plain or gzip), Parquet, Arrow IPC
    #[arg(value_name = "FILE", required_unless_present = "from_smartnoise")]
    files: Vec<PathBuf>,
    /// Whose rows they are: the column that names the person, or `row` where every row is another person
    #[arg(long, value_name = "COLUMN|row", conflicts_with = "from_smartnoise")]
    unit: Option<String>,
    /// Guess types, bounds and rows a person from the rows; the guesses become as public as the catalog
    #[arg(long, conflicts_with = "from_smartnoise")]
    guess: bool,
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

/// Writes the catalog.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (text, mut notes, complete) = match &arguments.from_smartnoise {
        Some(file) => {
            let metadata = fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
            let (text, notes) = smartnoise::import(&metadata)?;
            (text, notes, false)
        }
        None => {
            let (mut draft, mut notes) = (Draft::new(), Vec::new());
            for file in &arguments.files {
                if has_header_line(file) {
                    let columns = inspection::columns(file)?;
                    let names = columns.iter().map(|(name, _)| name.as_str());
                    check_names(file, names.clone(), arguments.header)?;
                    let names = names.collect::<Vec<_>>().join(", ");
                    notes.push(format!("the first line of {} was taken for names: {names}", file.display()));
                }
                draft.add(table(file, arguments)?);
            }
            (draft.to_toml(), notes, draft.is_complete())
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
        let next = match complete {
            true => "`pointillist check` says what it means, `pointillist tables` what can be asked",
            false => "fill in what is marked, then run `pointillist check`",
        };
        say(format_args!("wrote {}; {next}", output.display()));
    }
    if arguments.guess {
        notes.push(
            "what is marked GUESSED was read off the rows, and analysts may read the catalog: replace what should not be public"
                .to_owned(),
        );
    }
    for note in notes.iter().filter(|_| !arguments.json) {
        say(format_args!("note: {note}"));
    }
    if arguments.json {
        writeln!(io::stdout().lock(), "{}", Json(&json!({ "catalog": output, "notes": notes })))?;
    }
    Ok(())
}

/// The draft of a file: from its header, or from its rows where guesses are wanted.
fn table(file: &Path, arguments: &Arguments) -> Result<DraftTable, Failure> {
    let source = source(file, &arguments.output)?;
    let header = inspection::columns(file)?;
    let unit = match arguments.unit.as_deref() {
        None => DraftUnit::Unknown,
        Some("row") => DraftUnit::Row,
        Some(name) => DraftUnit::Column { name: unit_in(name, &header, file)?, rows_of_a_person: None },
    };
    if !arguments.guess {
        return Ok(DraftTable::new(&source, header).owned_by(unit));
    }
    let (columns, rows) = inspection::guessed(
        file,
        match &unit {
            DraftUnit::Column { name, .. } => Some(name),
            DraftUnit::Row | DraftUnit::Unknown => None,
        },
    )?;
    let unit = match unit {
        DraftUnit::Column { name, .. } => DraftUnit::Column { name, rows_of_a_person: rows },
        other => other,
    };
    Ok(DraftTable::guessed(&source, columns).owned_by(unit))
}

/// The column of the file that was meant: its own name, or the same without case.
fn unit_in(wanted: &str, header: &[(String, GuessedType)], file: &Path) -> Result<String, Failure> {
    let names = || header.iter().map(|(name, _)| name.as_str());
    let exact = names().find(|name| *name == wanted);
    let found = exact.or_else(|| names().find(|name| name.to_lowercase() == wanted.to_lowercase()));
    found.map(str::to_owned).ok_or_else(|| {
        let known: Vec<String> = names().take(20).map(shown).collect();
        Failure::Request(format!(
            "{} has no column `{}`\nhint: its columns are {}; or write --unit row where every row is another person",
            file.display(),
            shown(wanted),
            known.join(", ")
        ))
    })
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
