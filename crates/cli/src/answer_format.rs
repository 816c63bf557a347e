//! An answer as people and programs take it: a table, CSV, JSON, Arrow.

use clap::ValueEnum;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// One header line; intervals in columns of their own
    Csv,
    /// One object on one line
    Json,
    /// An Arrow IPC stream
    Arrow,
}

/// Which format is wanted: `--format`, with `--json` for short.
#[derive(clap::Args)]
pub struct FormatArguments {
    /// How the answer is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table", conflicts_with = "json")]
    format: Format,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

impl FormatArguments {
    /// The format.
    pub fn get(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}
