//! A file as it was found: held open across the debit, and known by its length and its times.
//!
//! **Guarantee.** What is read through a [`Handle`] are the bytes that were there when it was opened, or
//! [`Handle::is_unchanged`] says no afterwards. A file that is removed or replaced by another one of its name stays
//! readable through the handle, as it was. One that is written to, cut or lengthened in place has another length, time of
//! change or time of its contents; reads that the system fails are remembered.
//! **Not covered.** A change within the tick of the file system's clock (some milliseconds) in which the file was last
//! written, that leaves its length as it was; and writes through memory maps that the system has not dated yet.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::SourceError;
use super::locate::regular;

/// A regular file, held open.
#[derive(Clone)]
pub(super) struct Handle {
    file: Arc<File>,
    stamp: Stamp,
    /// Whether the system has failed to read it.
    failed: Arc<AtomicBool>,
}

/// What tells that a file is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    place: (u64, u64),
    length: u64,
    links: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// How long the file was.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    fn new(metadata: &Metadata) -> Self {
        Self {
            place: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            links: metadata.nlink(),
            written: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether nobody has written to the file between the two. Its time of change moves when it loses a name, too: where
    /// names were lost, that time says nothing.
    fn has_contents_of(&self, before: &Self) -> bool {
        let same = (self.place, self.length, self.written) == (before.place, before.length, before.written);
        same && (self.changed == before.changed || self.links != before.links)
    }
}

impl Handle {
    /// Opens a regular file, and nothing that took its place in between.
    pub(super) fn open(path: &Path) -> Result<Self, SourceError> {
        let unreadable = |error| SourceError::unreadable(path, error);
        // Looked at before it is opened: opening a pipe would wait for its writer.
        let before = fs::symlink_metadata(path).map_err(unreadable)?;
        regular(path, before.file_type())?;
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        regular(path, metadata.file_type())?;
        if (before.dev(), before.ino()) != (metadata.dev(), metadata.ino()) {
            return Err(unreadable(io::Error::other("it was replaced while it was opened")));
        }
        Ok(Self { file: Arc::new(file), stamp: Stamp::new(&metadata), failed: Arc::default() })
    }

    /// The same file opened anew, if nothing at all has happened to it.
    pub(super) fn reopen(path: &Path, stamp: Stamp) -> Option<Self> {
        Self::open(path).ok().filter(|handle| handle.stamp == stamp)
    }

    /// What tells that it is as it was when it was opened.
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Whether it is as it was when it was opened, and everything that was asked of it could be read.
    pub(super) fn is_unchanged(&self) -> bool {
        let now = self.file.metadata();
        let same = now.is_ok_and(|now| Stamp::new(&now).has_contents_of(&self.stamp));
        same && !self.failed.load(Ordering::Relaxed)
    }

    /// A reader with a place of its own, of as many bytes as there were when it was opened.
    pub(super) fn reader(&self, start: u64) -> HandleReader {
        HandleReader { handle: self.clone(), position: start }
    }
}

/// Files that are read by name, as they were before a payment: for those who cannot hold them open.
#[derive(Debug)]
pub struct FileStamps(Vec<(PathBuf, Stamp)>);

impl FileStamps {
    /// What the files are now. Nothing in them is read.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> io::Result<Self> {
        let stamped = paths.into_iter().map(|path| {
            let stamp = Stamp::new(&fs::metadata(&path)?);
            Ok((path, stamp))
        });
        stamped.collect::<io::Result<_>>().map(Self)
    }

    /// Whether nothing at all has happened to any of them: not written to, not replaced, not removed, not renamed.
    pub fn are_unchanged(&self) -> bool {
        let now = |path: &Path| fs::metadata(path).map(|metadata| Stamp::new(&metadata));
        self.0.iter().all(|(path, before)| now(path).is_ok_and(|now| now == *before))
    }
}

/// Reads a [`Handle`]. Readers of one handle do not move each other.
pub(super) struct HandleReader {
    handle: Handle,
    position: u64,
}

impl Read for HandleReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.handle.stamp.length.saturating_sub(self.position);
        let wanted = usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len());
        let read = match self.handle.file.read_at(&mut buffer[..wanted], self.position) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            read => read,
        };
        // Nothing where there was something: the file was cut.
        let failed = match read {
            Ok(count) => count == 0 && wanted > 0,
            Err(_) => true,
        };
        if failed {
            self.handle.failed.store(true, Ordering::Relaxed);
        }
        self.position += *read.as_ref().unwrap_or(&0) as u64;
        read
    }
}

impl Seek for HandleReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.handle.stamp.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "before the beginning of the file");
        self.position = position.ok_or_else(outside)?;
        Ok(self.position)
    }
}
