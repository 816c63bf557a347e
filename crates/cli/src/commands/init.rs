//! `pointillist init`: a first catalog, from headers and types alone; from rows only where the owner asks for guesses.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pointillist_catalog::{Catalog, Connection, System, quoted};
use pointillist_curator::{DraftError, DraftRequest, Drafted, UnitWish, draft_catalog, import_smartnoise};
use pointillist_errors::Explained;
use serde_json::json;

use crate::failure::Failure;
use crate::message::say;
use crate::terminal::Json;

/// What to declare, and where to write it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist init visits.csv prescriptions.parquet
  pointillist init visits.csv --unit patient_id --guess             nothing left to fill in
  pointillist init survey.csv --unit row --guess                    every row is another person
  pointillist init data/*.parquet -o hospital/pointillist.toml
  pointillist init --connection postgres://reader@db.example/clinic?sslmode=verify-full public.visits --unit patient_id
  pointillist init --from-smartnoise PUMS.yaml
  pointillist init visits.csv -o -                                  print it instead

Without --guess no row is read: types of CSV columns, bounds, keys and whose rows they are is for the owner to say. With
it, types and bounds are guessed from the rows. The guesses are marked and rounded outwards, but they do come from the
data, and a catalog is public: look at them before you share it.")]
pub struct Arguments {
    /// Data files: CSV (plain or gzip), Parquet, Arrow IPC; with --connection tables as schema.table, or a schema for all of it
    #[arg(value_name = "FILE", required_unless_present = "from_smartnoise")]
    files: Vec<PathBuf>,
    /// The server that holds the tables: postgres://… or sc://…, without a password; names and types are asked for, no row
    #[arg(long, value_name = "URL", conflicts_with_all = ["from_smartnoise", "guess"])]
    connection: Option<String>,
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
    let Drafted { text, notes, complete } = drafted(arguments)?;
    let output = &arguments.output;
    if output.as_os_str() == "-" && arguments.json {
        return Err(Failure::wrong("-o - and --json both want stdout", "leave one of them out"));
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
    for note in notes.iter().filter(|_| !arguments.json) {
        say(format_args!("note: {note}"));
    }
    if arguments.json {
        writeln!(io::stdout().lock(), "{}", Json(&json!({ "catalog": output, "notes": notes })))?;
    }
    Ok(())
}

fn drafted(arguments: &Arguments) -> Result<Drafted, Failure> {
    if let Some(file) = &arguments.from_smartnoise {
        let metadata = fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
        return Ok(import_smartnoise(&metadata, &arguments.output)?);
    }
    let unit = arguments.unit.as_ref().map(|unit| match unit.as_str() {
        "row" => UnitWish::Row,
        column => UnitWish::Column(column.to_owned()),
    });
    let (files, server) = match &arguments.connection {
        None => (arguments.files.clone(), None),
        Some(url) => {
            let names = arguments.files.iter().map(|name| name.to_string_lossy().into_owned());
            (Vec::new(), Some((connection(url)?, names.collect())))
        }
    };
    let request = DraftRequest {
        files,
        server,
        unit,
        guess: arguments.guess,
        names_vouched: arguments.header,
        catalog: arguments.output.clone(),
    };
    draft_catalog(&request).map_err(|error| {
        let flag = match &error {
            DraftError::LooksLikeARow { .. } => ": --header",
            DraftError::NoColumn { .. } => ": --unit row",
            _ => "",
        };
        let hint = format!("{}{flag}", error.hint().unwrap_or_default());
        Failure::explained(error.explanation().with_hint(hint))
    })
}

/// The connection as a catalog would declare it, under the name of what answers there.
fn connection(url: &str) -> Result<Connection, Failure> {
    let name = System::of_url(url).map_or("server", System::word);
    let text = format!("[connection.{name}]\nurl = {}\n", quoted(url));
    let mut catalog = Catalog::parse(&text)?;
    catalog.connections.remove(name).ok_or_else(|| Failure::wrong("this is no address", "write postgres://…"))
}

fn create(output: &Path, force: bool) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    options.open(output).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::wrong(
            format!("{} is already there", output.display()),
            "--force replaces it, -o writes to another place",
        ),
        _ => Failure::environment(format!("{} could not be written: {error}", output.display())),
    })
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::wrong(format!("{} could not be read: {error}", file.display()), "check the path")
}
