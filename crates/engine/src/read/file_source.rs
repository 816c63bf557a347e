//! A source: files that have been found and opened, and their scan.
//!
//! **Guarantee.** [`FileSource::open`] holds the files open, so what is scanned later is what was found, whatever has taken
//! its name since. A file whose bytes were changed between the two, or that the system fails to read, fails the scan: it
//! is never left out, because an answer without it would look like an answer. Nothing that rows say fails a scan.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::DataType;
use pointillist_plan::ScanColumn;

use super::SourceError;
use super::cell::readable;
use super::contents::{Column, Contents, Format};
use super::declared_columns::DeclaredColumns;
use super::handle::{Handle, Stamp};
use super::locate::{locate, named};
use super::owner::OwnerForm;
use super::quiet::Damage;
use super::reading::{FileReading, Reading};
use super::scan::FileScan;
use crate::rows::{Origin, RowScan};

/// The most files of a source that are held open: processes may have about a thousand. Of further ones it is remembered
/// what they were, and they must be the same when they are opened again.
const HELD_MAX: usize = 256;

/// The files of one table, found and opened.
pub struct FileSource {
    text: String,
    files: Vec<Arc<SourceFile>>,
    damage: Arc<Damage>,
}

impl FileSource {
    /// Finds the files of a source, relative to the catalog's folder, and reads their headers or footers; no row.
    pub fn open(folder: &Path, source: &str) -> Result<Self, SourceError> {
        let files = locate(folder, source)?;
        let files = files.into_iter().enumerate().map(|(number, (path, format))| {
            let mut file = SourceFile::open(path, format)?;
            file.handle.take_if(|_| number >= HELD_MAX);
            Ok(Arc::new(file))
        });
        Ok(Self { text: source.to_string(), files: files.collect::<Result<_, _>>()?, damage: Arc::default() })
    }

    /// One file, as it is named.
    pub(super) fn open_file(path: &Path) -> Result<Self, SourceError> {
        let (file, format) = named(path)?;
        let file = SourceFile::open(file, format)?;
        Ok(Self { text: path.display().to_string(), files: vec![Arc::new(file)], damage: Arc::default() })
    }

    /// The rows of one table alone, with an owner if a column is named.
    #[cfg(test)]
    pub(crate) fn scan(
        &self,
        columns: &[ScanColumn],
        owner: Option<&str>,
        target_partitions: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError> {
        let reading = self.reading(columns, owner, Arc::clone(&self.damage))?;
        Ok(Arc::new(FileScan::new(reading, target_partitions)))
    }

    /// What scans of this source left out so far. For the owner only; never part of an answer.
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    /// The paths of the files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// The files and their columns, in order.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&Path, &[Column])> {
        self.files.iter().map(|file| (file.path.as_path(), file.columns.as_slice()))
    }

    /// What is read of every file if its first columns are wanted as they are stored, whatever their names are.
    pub(super) fn first_columns(&self, count: usize, damage: Arc<Damage>) -> Reading {
        let reading = |file: &Arc<SourceFile>| FileReading {
            file: Arc::clone(file),
            columns: (0..count).map(Some).collect(),
            names: Vec::new(),
            projection: (0..count).collect(),
        };
        let files = self.files.iter().map(reading).collect();
        Reading { files, declared: DeclaredColumns::new(&[], &[]), damage }
    }

    /// What is read if the source is looked at alone.
    pub(super) fn reading(
        &self,
        columns: &[ScanColumn],
        owner: Option<&str>,
        damage: Arc<Damage>,
    ) -> Result<Reading, SourceError> {
        let named = |name| Ok((name, OwnerForm::of(self.stored_types(name)?.iter())));
        let names = owner.map(named).transpose()?;
        self.reading_with(columns, names.as_slice(), damage)
    }

    fn reading_with(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        damage: Arc<Damage>,
    ) -> Result<Reading, SourceError> {
        for name in
            columns.iter().map(|column| column.name.as_str()).chain(names.iter().map(|(name, _)| *name))
        {
            self.check(name)?;
        }
        let declared = DeclaredColumns::new(columns, names);
        let columns: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let files = self.files.iter().map(|file| file.reading(&columns, &names)).collect();
        Ok(Reading { files, declared, damage })
    }

    /// Whether a name means one column, in every file that has it.
    fn check(&self, name: &str) -> Result<(), SourceError> {
        let mut found = false;
        for file in &self.files {
            match file.columns.iter().filter(|column| column.name == name).count() {
                0 => {}
                1 => found = true,
                _ => {
                    return Err(SourceError::Ambiguous { path: file.path.clone(), column: name.to_string() });
                }
            }
        }
        if !found {
            return Err(SourceError::NoColumn { source_text: self.text.clone(), column: name.to_string() });
        }
        Ok(())
    }
}

impl Origin for FileSource {
    fn stored_types(&self, name: &str) -> Result<Vec<DataType>, SourceError> {
        self.check(name)?;
        for file in &self.files {
            if file.column(name).is_some_and(|column| !readable(&file.columns[column].kind)) {
                return Err(SourceError::OwnerType { path: file.path.clone(), column: name.to_string() });
            }
        }
        let columns =
            self.files.iter().filter_map(|file| Some(file.columns[file.column(name)?].kind.clone()));
        Ok(columns.collect())
    }

    /// A column that one file lacks, or stores as something that has no values here, is NULL for that file's rows;
    /// one that no file has is an error. Reading yields an error only if a file is not what it was.
    fn scan(
        &self,
        columns: &[ScanColumn],
        names: &[(&str, OwnerForm)],
        partitions: usize,
    ) -> Result<Arc<dyn RowScan>, SourceError> {
        let reading = self.reading_with(columns, names, Arc::clone(&self.damage))?;
        Ok(Arc::new(FileScan::new(reading, partitions)))
    }
}

/// One file of a source.
pub(super) struct SourceFile {
    path: PathBuf,
    stamp: Stamp,
    /// Held open, unless there are too many.
    handle: Option<Handle>,
    pub(super) columns: Vec<Column>,
    pub(super) contents: Contents,
}

impl SourceFile {
    /// Reads the header or the footer.
    pub(super) fn open(path: PathBuf, format: Format) -> Result<Self, SourceError> {
        let handle = Handle::open(&path)?;
        let Some(contents) = Contents::open(&handle, format) else {
            let (format, part) = format.words();
            return Err(SourceError::Damaged { path, format, part });
        };
        let columns = contents.columns();
        Ok(Self { path, stamp: handle.stamp(), handle: Some(handle), columns, contents })
    }

    /// Its length when it was opened.
    pub(super) fn length(&self) -> u64 {
        self.stamp.length()
    }

    /// The file, if it is still what it was.
    pub(super) fn handle(&self) -> Result<Handle, SourceError> {
        let handle = match &self.handle {
            Some(handle) => Some(handle.clone()),
            None => Handle::reopen(&self.path, self.stamp),
        };
        let unchanged = handle.filter(Handle::is_unchanged);
        unchanged.ok_or_else(|| self.changed())
    }

    pub(super) fn changed(&self) -> SourceError {
        SourceError::Changed { path: self.path.clone() }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    fn reading(self: &Arc<Self>, columns: &[&str], names: &[&str]) -> FileReading {
        let physical = |name: &str| self.column(name).filter(|column| readable(&self.columns[*column].kind));
        let columns: Vec<_> = columns.iter().map(|name| physical(name)).collect();
        let names: Vec<_> = names.iter().map(|name| physical(name)).collect();
        let mut projection: BTreeSet<_> = columns.iter().chain(&names).copied().flatten().collect();
        if projection.is_empty() {
            // Rows are counted by reading one column: a footer that only claims rows has none.
            projection.extend(self.columns.iter().position(|column| readable(&column.kind)));
        }
        let projection: Vec<_> = projection.into_iter().collect();
        let position = |column: usize| projection.binary_search(&column).ok();
        FileReading {
            file: Arc::clone(self),
            columns: columns.into_iter().map(|column| column.and_then(position)).collect(),
            names: names.into_iter().map(|name| name.and_then(position)).collect(),
            projection,
        }
    }
}
