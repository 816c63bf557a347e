//! Files of every format, honest and hostile, read through the whole of the source.

mod csv;
mod damage;
mod formats;
mod inspection;
mod memory;
mod pairs;
mod places;
mod stability;
mod totality;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::concat_batches;
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use pointillist_catalog::ColumnType;
use pointillist_plan::ScanColumn;
use tempfile::TempDir;

use super::cell::{Cell, cells};
use super::{FileSource, SourceError};
use crate::rows::RowScan;

/// A folder with files in it.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn column(name: &str, kind: ColumnType) -> ScanColumn {
    ScanColumn { name: name.to_string(), kind }
}

fn integer(name: &str) -> ScanColumn {
    column(name, ColumnType::Integer { bounds: None })
}

fn text(name: &str) -> ScanColumn {
    column(name, ColumnType::Text)
}

fn number(name: &str) -> ScanColumn {
    column(name, ColumnType::Number { bounds: None, step: None })
}

/// All rows of a scan, in no particular order of partitions. A scan that fails, fails the test.
fn scanned(
    source: &FileSource,
    columns: &[ScanColumn],
    owner: Option<&str>,
    partitions: usize,
) -> RecordBatch {
    let scan = source.scan(columns, owner, partitions).unwrap();
    let batches = collected(&scan).unwrap();
    concat_batches(scan.schema(), &batches).unwrap()
}

/// All batches of a scan, its partitions read side by side.
fn collected(scan: &Arc<dyn RowScan>) -> Result<Vec<RecordBatch>, SourceError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for partition in 0..scan.partitions() {
            let mut batches = scan.batches(partition);
            tasks.spawn(async move {
                let mut all = Vec::new();
                while let Some(batch) = batches.next().await {
                    all.push(batch?);
                }
                Ok(all)
            });
        }
        let partitions: Result<Vec<_>, _> = tasks.join_all().await.into_iter().collect();
        Ok(partitions?.concat())
    })
}

/// Rows as text, `-` for NULL, escapes for bytes that are no text: for comparing with the eye.
fn rows(batch: &RecordBatch) -> Vec<String> {
    let columns: Vec<_> = batch.columns().iter().map(|column| cells(column.as_ref())).collect();
    let shown = |cell: Cell<'_>| match cell {
        Cell::Bytes(bytes) if std::str::from_utf8(bytes).is_err() => bytes.escape_ascii().to_string(),
        cell => cell.text().map_or("-".to_string(), |text| text.into_owned()),
    };
    let row = |row| columns.iter().map(|cell| shown(cell(row))).collect::<Vec<_>>().join(" ");
    (0..batch.num_rows()).map(row).collect()
}

/// The rows of one file with these bytes.
fn read(name: &str, bytes: &[u8], columns: &[ScanColumn], owner: Option<&str>) -> Vec<String> {
    let folder = folder(&[(name, bytes)]);
    rows(&scanned(&FileSource::open(folder.path(), name).unwrap(), columns, owner, 2))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}

fn parquet(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn ipc(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn error(folder: &Path, source: &str) -> SourceError {
    FileSource::open(folder, source).err().expect("the source cannot be opened")
}
