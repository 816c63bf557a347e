//! What is read of every file, and who reads what: physical batches in, canonical batches out.

use std::sync::Arc;

use arrow::array::RecordBatch;

use super::SourceError;
use super::contents::Stored;
use super::declared_columns::DeclaredColumns;
use super::file_source::SourceFile;
use super::quiet::{Damage, contained};

/// The columns that are read of all files of a source.
pub(super) struct Reading {
    pub(super) files: Vec<FileReading>,
    pub(super) declared: DeclaredColumns,
    pub(super) damage: Arc<Damage>,
}

/// The columns that are read of one file.
pub(super) struct FileReading {
    pub(super) file: Arc<SourceFile>,
    /// The file's columns, ascending.
    pub(super) projection: Vec<usize>,
    /// For every column of the scan, its place in the projection.
    pub(super) columns: Vec<Option<usize>>,
    /// For every column of names, its place in the projection.
    pub(super) names: Vec<Option<usize>>,
}

/// Pieces of one file, by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) file: usize,
    pub(super) pieces: Vec<usize>,
}

impl Reading {
    /// The pieces of all files, shared out so that the shares are about equal. Each share is in the files' order.
    pub(super) fn shares(&self, count: usize) -> Vec<Vec<Share>> {
        let mut pieces = Vec::new();
        for (file, reading) in self.files.iter().enumerate().filter(|(_, file)| !file.projection.is_empty()) {
            let sizes = reading.file.contents.pieces(reading.file.length());
            pieces.extend(sizes.into_iter().enumerate().map(|(piece, size)| (size, file, piece)));
        }
        let count = count.clamp(1, pieces.len().max(1));
        // Largest first, each to the share that is smallest so far.
        pieces.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut shares = vec![(0_u64, Vec::new()); count];
        for (size, file, piece) in pieces {
            let smallest = shares.iter_mut().min_by_key(|share| share.0).expect("at least one");
            smallest.0 = smallest.0.saturating_add(size);
            smallest.1.push((file, piece));
        }
        shares.into_iter().map(|(_, pieces)| by_file(pieces)).collect()
    }

    /// Reads shares, one physical batch after the other; `sink` returns whether it wants more.
    ///
    /// # Errors
    /// When a file is not what it was when it was opened. What the sink got of it must not be used then.
    pub(super) fn read(
        &self,
        shares: &[Share],
        batch_rows: usize,
        sink: &mut dyn FnMut(&FileReading, RecordBatch) -> bool,
    ) -> Result<(), SourceError> {
        self.read_stored(shares, batch_rows, &mut |reading, stored| {
            stored.parse(&reading.projection, batch_rows, &self.damage, &mut |batch| sink(reading, batch))
        })
    }

    /// The same, of texts as pieces that are still to be parsed.
    pub(super) fn read_stored(
        &self,
        shares: &[Share],
        batch_rows: usize,
        sink: &mut dyn FnMut(&FileReading, Stored) -> bool,
    ) -> Result<(), SourceError> {
        let mut wanted = true;
        for share in shares {
            let reading = &self.files[share.file];
            let file = reading.file.handle()?;
            let read = contained(|| {
                let mut sink = |stored| {
                    wanted = sink(reading, stored);
                    wanted
                };
                reading.file.contents.read(
                    &file,
                    &share.pieces,
                    &reading.projection,
                    batch_rows.max(1),
                    &self.damage,
                    &mut sink,
                );
                Ok::<_, ()>(())
            });
            if read.is_none() {
                self.damage.part();
            }
            if !wanted {
                return Ok(());
            }
            // Whatever was read is worth as much as the file is the same before and after.
            if !file.is_unchanged() {
                return Err(reading.file.changed());
            }
        }
        Ok(())
    }

    /// What was stored, as physical batches.
    pub(super) fn parsed(&self, file: &FileReading, stored: Stored, batch_rows: usize) -> Vec<RecordBatch> {
        let mut batches = Vec::new();
        let parsed = contained(|| {
            let sink = &mut |batch| {
                batches.push(batch);
                true
            };
            stored.parse(&file.projection, batch_rows, &self.damage, sink);
            Ok::<_, ()>(())
        });
        if parsed.is_none() {
            self.damage.part();
        }
        batches
    }

    /// A physical batch as it was declared.
    pub(super) fn canonical(&self, file: &FileReading, batch: &RecordBatch) -> Option<RecordBatch> {
        self.declared.canonical(batch, &file.columns, &file.names, &self.damage)
    }
}

fn by_file(mut pieces: Vec<(usize, usize)>) -> Vec<Share> {
    pieces.sort_unstable();
    let files = pieces.chunk_by(|a, b| a.0 == b.0);
    files
        .map(|pieces| Share { file: pieces[0].0, pieces: pieces.iter().map(|(_, piece)| *piece).collect() })
        .collect()
}
