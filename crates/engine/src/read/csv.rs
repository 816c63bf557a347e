//! CSV and TSV files, plain or gzip: rows of fields, as bytes.
//!
//! **Guarantee.** The first record names the columns. Every later one with as many fields is a row; others are
//! malformed and left out, one by one; where a record ends is decided by [`pointillist_records`], and a record that is too
//! long, broken or cut off is left out whole, with all lines in its quotes. An empty field is NULL. A gzip stream that is
//! truncated or damaged ends the file there, without its last, perhaps unfinished, row. Memory is bounded by a piece, a batch
//! and a record.
//! **In pieces.** One thread only finds out where records end and cuts the file into pieces of whole records ([`split`]); whoever
//! has time makes rows of them ([`parse`]). The rows are the same whatever the pieces are, because their records are.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewBuilder, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema};
use flate2::bufread::MultiGzDecoder;
use pointillist_records::{Next, Piece, Pieces, Records};

use super::contents::Column;
use super::handle::HandleReader;
use super::quiet::Damage;

/// The bytes of fields after which a batch is passed on, if it has not as many rows.
const BATCH_BYTES: usize = 8 << 20;

/// How many bytes of a file are turned into rows at a time.
const PIECE_BYTES: usize = 512 << 10;

/// Whole records of a file, and what tells which of them are rows.
pub(super) struct TextPiece {
    bytes: Vec<u8>,
    start: usize,
    width: usize,
    delimiter: u8,
}

/// How a file of this kind is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CsvForm {
    /// Between fields.
    pub(super) delimiter: u8,
    /// Compressed.
    pub(super) gzip: bool,
}

/// The names of the columns; a file without a byte has none, and no rows.
pub(super) fn columns(file: HandleReader, form: CsvForm) -> Option<Vec<Column>> {
    let mut records = Records::new(input(file, form), form.delimiter);
    let mut scratch = Vec::new();
    match records.next() {
        Next::End if records.failure().is_some() => None,
        Next::End => Some(Vec::new()),
        Next::Malformed => None,
        Next::Record => Some(
            records
                .fields()
                .iter()
                .map(|field| Column {
                    name: String::from_utf8_lossy(records.bytes(*field, &mut scratch)).into_owned(),
                    kind: DataType::BinaryView,
                })
                .collect(),
        ),
    }
}

/// Cuts the records below the header into pieces; `sink` returns whether it wants more.
pub(super) fn split(
    file: HandleReader,
    form: CsvForm,
    projection: &[usize],
    damage: &Damage,
    sink: &mut dyn FnMut(TextPiece) -> bool,
) {
    let delimiter = form.delimiter;
    let mut pieces = Pieces::new(input(file, form), delimiter, PIECE_BYTES);
    let mut width = None;
    while let Some(piece) = pieces.next() {
        let piece = match (piece, width) {
            (Piece::Malformed, None) => return,
            (Piece::Malformed, Some(_)) => {
                damage.malformed_row();
                continue;
            }
            (Piece::Records(bytes), Some(width)) => TextPiece { bytes, start: 0, width, delimiter },
            (Piece::Records(bytes), None) => {
                let mut records = Records::of_piece(bytes, 0, delimiter);
                match records.next() {
                    Next::Malformed => return,
                    // Nothing but empty lines.
                    Next::End => continue,
                    Next::Record => {}
                }
                let header = records.fields().len();
                if projection.iter().any(|column| *column >= header) {
                    // Another header than the one that was looked at.
                    damage.part();
                    return;
                }
                width = Some(header);
                let (bytes, start) = records.into_piece();
                TextPiece { bytes, start, width: header, delimiter }
            }
        };
        if !sink(piece) {
            return;
        }
    }
    if pieces.failure().is_some() || pieces.ended_in_quotes() {
        damage.part();
    }
}

/// Makes rows of a piece; `sink` returns whether it wants more, and so does this.
pub(super) fn parse(
    piece: TextPiece,
    projection: &[usize],
    batch_rows: usize,
    damage: &Damage,
    sink: &mut dyn FnMut(RecordBatch) -> bool,
) -> bool {
    let mut records = Records::of_piece(piece.bytes, piece.start, piece.delimiter);
    let mut batch = Batch::new(projection);
    let mut scratch = Vec::new();
    loop {
        match records.next() {
            Next::Record if records.fields().len() == piece.width => {
                for (column, builder) in projection.iter().zip(&mut batch.columns) {
                    let bytes = records.bytes(records.fields()[*column], &mut scratch);
                    batch.bytes += bytes.len();
                    builder.append_option((!bytes.is_empty()).then_some(bytes));
                }
                batch.rows += 1;
                if (batch.rows >= batch_rows || batch.bytes >= BATCH_BYTES) && !sink(batch.finish()) {
                    return false;
                }
            }
            Next::Record | Next::Malformed => damage.malformed_row(),
            Next::End => break,
        }
    }
    if records.ended_in_quotes() {
        damage.part();
    }
    batch.rows == 0 || sink(batch.finish())
}

struct Batch {
    schema: Arc<Schema>,
    columns: Vec<BinaryViewBuilder>,
    rows: usize,
    bytes: usize,
}

impl Batch {
    fn new(projection: &[usize]) -> Self {
        let field = |column: &usize| Field::new(column.to_string(), DataType::BinaryView, true);
        Self {
            schema: Arc::new(Schema::new(projection.iter().map(field).collect::<Vec<_>>())),
            columns: projection.iter().map(|_| BinaryViewBuilder::new()).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    fn finish(&mut self) -> RecordBatch {
        let columns = self.columns.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .expect("every builder got one value for every row")
    }
}

fn input(file: HandleReader, form: CsvForm) -> Box<dyn Read> {
    match form.gzip {
        true => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        false => Box::new(file),
    }
}
