//! `pointillist learn predict`: what a model says of rows, which costs nothing.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use pointillist_publication::{ModelFile, ModelFileError};
use pointillist_render::decimals::grouped_count;

use crate::failure::Failure;
use crate::message::say;

/// Which model, and which rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist learn predict model.json --file rows.csv
  pointillist learn predict model.json --file rows.csv --output predictions.csv

The first line of the file names its columns, which are found by name. A value that is missing, or is not what its column holds, is NULL,
as it was in training. A prediction tells about the row that is given; about the people whom the model was trained on, no more than the model does.")]
pub struct Arguments {
    /// The model
    #[arg(value_name = "MODEL.json")]
    model: PathBuf,
    /// The rows, as CSV
    #[arg(long, value_name = "ROWS.csv")]
    file: PathBuf,
    /// Where predictions are written; a new file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Predicts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let model = ModelFile::read(&arguments.model)?;
    let unreadable = |source| ModelFileError::Unreadable { path: arguments.file.clone(), source };
    let rows = File::open(&arguments.file).map_err(unreadable)?;
    let predicted = match &arguments.output {
        None => model.predict(rows, &mut BufWriter::new(io::stdout().lock())),
        Some(path) => {
            let unwritable = |source| ModelFileError::Unwritable { path: path.clone(), source };
            let made = File::create_new(path).map_err(unwritable)?;
            model.predict(rows, &mut BufWriter::new(made))
        }
    };
    let predicted = match predicted {
        Err(ModelFileError::Rows(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return Err(Failure::ReaderGone);
        }
        predicted => predicted?,
    };
    if predicted.malformed > 0 {
        say(format!(
            "note: {} of {} records break the rules of CSV, and have no prediction",
            grouped_count(predicted.malformed),
            grouped_count(predicted.rows)
        ));
    }
    if let Some(path) = &arguments.output {
        say(format_args!("wrote {}: {} predictions", path.display(), grouped_count(predicted.rows)));
    }
    Ok(())
}
