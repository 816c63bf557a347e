//! What the formats have in common: columns, pieces that are read on their own, and batches of rows.

use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;

use super::csv::{self, CsvForm, TextPiece};
use super::delimiter;
use super::handle::Handle;
use super::ipc::IpcFile;
use super::parquet::ParquetFile;
use super::quiet::{Damage, contained};

/// How a file is written, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Comma or tab between fields, unless the header says otherwise.
    Csv(CsvForm),
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC.
    Ipc,
}

impl Format {
    /// The format of a file of this name.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let csv = |delimiter, gzip| Self::Csv(CsvForm { delimiter, gzip });
        let endings = [
            (".csv", csv(b',', false)),
            (".csv.gz", csv(b',', true)),
            (".tsv", csv(b'\t', false)),
            (".tsv.gz", csv(b'\t', true)),
            (".parquet", Self::Parquet),
            (".arrow", Self::Ipc),
            (".ipc", Self::Ipc),
            (".feather", Self::Ipc),
        ];
        endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format)
    }

    /// Its name, and the part that is looked at before rows.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv(form) if form.gzip => ("gzip CSV", "the header line"),
            Self::Csv(_) => ("CSV", "the header line"),
            Self::Parquet => ("Parquet", "the footer"),
            Self::Ipc => ("Arrow IPC", "the footer (the streaming form is not read)"),
        }
    }
}

/// A column of a file.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its name in the file.
    pub(super) name: String,
    /// How it is stored.
    pub(super) kind: DataType,
}

/// A file whose header or footer has been read.
pub(super) enum Contents {
    /// Nothing but the header is known.
    Csv(CsvForm, Vec<Column>),
    /// With its row groups.
    Parquet(ParquetFile),
    /// With its blocks.
    Ipc(IpcFile),
}

impl Contents {
    /// Reads the header or the footer, if there is one.
    pub(super) fn open(file: &Handle, format: Format) -> Option<Self> {
        match format {
            Format::Csv(form) => {
                let form = delimiter::of_header(file.reader(0), form);
                let columns = contained(|| csv::columns(file.reader(0), form).ok_or(()));
                columns.map(|columns| Self::Csv(form, columns))
            }
            Format::Parquet => contained(|| ParquetFile::open(file.clone())).map(Self::Parquet),
            Format::Ipc => contained(|| IpcFile::open(file)).map(Self::Ipc),
        }
    }

    /// The columns, in the file's order.
    pub(super) fn columns(&self) -> Vec<Column> {
        match self {
            Self::Csv(_, columns) => columns.clone(),
            Self::Parquet(file) => file.columns(),
            Self::Ipc(file) => file.columns(),
        }
    }

    /// The sizes of the pieces, for sharing them out. A text has one: where its rows begin is not known.
    pub(super) fn pieces(&self, length: u64) -> Vec<u64> {
        match self {
            Self::Csv(_, _) => vec![length],
            Self::Parquet(file) => file.pieces(),
            Self::Ipc(file) => file.pieces(),
        }
    }

    /// Reads pieces, with the columns of an ascending projection; `sink` returns whether it wants more. Of texts it gets
    /// pieces that are still to be parsed ([`Stored::parse`]).
    pub(super) fn read(
        &self,
        file: &Handle,
        pieces: &[usize],
        projection: &[usize],
        batch_rows: usize,
        damage: &Damage,
        sink: &mut dyn FnMut(Stored) -> bool,
    ) {
        match self {
            Self::Csv(form, _) => {
                let sink = &mut |text| sink(Stored::Text(text));
                csv::split(file.reader(0), *form, projection, damage, sink);
            }
            Self::Parquet(contents) => {
                let sink = &mut |batch| sink(Stored::Batch(batch));
                contents.read(file, pieces, projection, batch_rows, damage, sink);
            }
            Self::Ipc(contents) => {
                let sink = &mut |batch| sink(Stored::Batch(batch));
                contents.read(file, pieces, projection, batch_rows, damage, sink);
            }
        }
    }
}

/// Rows as their file stores them.
pub(super) enum Stored {
    /// In columns.
    Batch(RecordBatch),
    /// Some lines of text: whole records.
    Text(TextPiece),
}

impl Stored {
    /// The rows in columns, in one batch or several; `sink` returns whether it wants more, and so does this.
    pub(super) fn parse(
        self,
        projection: &[usize],
        batch_rows: usize,
        damage: &Damage,
        sink: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> bool {
        match self {
            Self::Batch(batch) => sink(batch),
            Self::Text(text) => csv::parse(text, projection, batch_rows, damage, sink),
        }
    }
}
