//! Errors and panics of decoders end here.
//!
//! **Guarantee.** What a decoder says about a damaged file, by an error or by a panic, goes no further than a
//! number that only the owner sees. The message is dropped unread: it may quote data.
//! **Not covered.** An allocation that fails, a stack that overflows and a build with `panic = "abort"` end the
//! process. The process's panic hook still runs: the program must install one that prints no payload.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a scan left out. For the owner's eyes: these numbers are data and must not be released.
#[derive(Debug, Default)]
pub struct Damage {
    parts: AtomicU64,
    rows: AtomicU64,
}

impl Damage {
    /// Parts of files (files, row groups, blocks, rests of a gzip stream) that could not be read to their end.
    pub fn parts(&self) -> u64 {
        self.parts.load(Ordering::Relaxed)
    }

    /// Rows of CSV files that are not rows of the table: the wrong number of fields, or quotes that do not match.
    pub fn malformed_rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(super) fn part(&self) {
        self.parts.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn malformed_row(&self) {
        self.rows.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the work comes to, if it comes to anything.
///
/// Unwinding is safe to cross: callers throw away whatever the work was changing when this is `None`.
pub(super) fn contained<T, E>(work: impl FnOnce() -> Result<T, E>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()?.ok()
}
