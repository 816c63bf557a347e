//! Rows as synthesizers see them: one code for each column, in blocks.
//!
//! **Guarantee.** Whoever implements [`CodeRows`] promises what the proofs begin with: one person has at most as many rows as the
//! synthesizer was made for, and what the rows of one person are does not depend on anybody else. The blocks are the same, in the same
//! order, every time. A code is not promised to lie in its column: [`clamped`] takes one beyond the end for the last, row by row, so that
//! a row lands in one cell whatever it holds, and nobody else's cell moves.

/// Rows that can be gone through as often as a synthesizer needs to.
pub trait CodeRows: Sync {
    /// Goes through all rows, in blocks of whole rows: row by row, one code for each column of the domain, in its order.
    ///
    /// # Errors
    /// When what is read is no longer what it was, whatever the rows say.
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError>;
}

/// The rows are no longer there as they were: a file that somebody has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rows have changed while they were read")]
pub struct RowsError;

/// The code, or the last one of the column where it lies beyond.
#[inline]
pub(crate) fn clamped(code: u32, size: usize) -> usize {
    (code as usize).min(size - 1)
}

/// Rows in memory, row by row.
#[derive(Clone)]
pub struct MemoryCodes {
    codes: Vec<u32>,
    attributes: usize,
}

/// How many rows a block has.
const BLOCK_ROWS: usize = 4096;

impl MemoryCodes {
    /// These codes, row by row; what is left over after the last whole row is left out.
    pub fn new(codes: Vec<u32>, attributes: usize) -> Self {
        Self { codes, attributes: attributes.max(1) }
    }
}

impl CodeRows for MemoryCodes {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        let whole = self.codes.len() / self.attributes * self.attributes;
        self.codes[..whole].chunks(BLOCK_ROWS * self.attributes).for_each(each);
        Ok(())
    }
}
