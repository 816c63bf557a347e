//! The rows of a study's folder, for whoever shows a receipt. They are read once, when the first one does.

use std::cell::OnceCell;

use pointillist_ledger::Receipt;

use super::error::TraceError;
use super::folder::StudyFolder;
use super::questions::Table;
use super::table_file::{read_crossings, read_keystrokes, read_packets};
use super::trace::{Crossings, Keystrokes, Packets};

/// Rows behind a till.
pub(super) struct Rows<'f> {
    folder: &'f StudyFolder,
    packets: OnceCell<Packets>,
    keystrokes: OnceCell<Keystrokes>,
    crossings: OnceCell<Crossings>,
}

impl<'f> Rows<'f> {
    /// The rows of a folder; nothing is read.
    pub(super) fn of(folder: &'f StudyFolder) -> Self {
        Self { folder, packets: OnceCell::new(), keystrokes: OnceCell::new(), crossings: OnceCell::new() }
    }

    pub(super) fn packets(&self, _: &Receipt) -> Result<&Packets, TraceError> {
        filled(&self.packets, || read_packets(&self.folder.file(Table::Packets)))
    }

    pub(super) fn keystrokes(&self, _: &Receipt) -> Result<&Keystrokes, TraceError> {
        filled(&self.keystrokes, || read_keystrokes(&self.folder.file(Table::Keystrokes)))
    }

    pub(super) fn crossings(&self, _: &Receipt) -> Result<&Crossings, TraceError> {
        filled(&self.crossings, || read_crossings(&self.folder.file(Table::Crossings)))
    }
}

fn filled<T>(cell: &OnceCell<T>, read: impl FnOnce() -> Result<T, TraceError>) -> Result<&T, TraceError> {
    if let Some(held) = cell.get() {
        return Ok(held);
    }
    let held = read()?;
    Ok(cell.get_or_init(|| held))
}
