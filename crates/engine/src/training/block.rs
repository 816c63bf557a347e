//! Rows in blocks of a fixed length: where one ends is a matter of how many rows there were before it and of nothing else.

/// How many rows a block has. Tests have few rows, and several blocks of them all the same.
const BLOCK_ROWS: usize = if cfg!(test) { 4 } else { 1024 };

/// A block that is being filled.
pub(super) struct Filling {
    codes: Vec<u32>,
    width: usize,
}

impl Filling {
    /// Rows of so many codes.
    pub(super) fn new(width: usize) -> Self {
        Self { codes: Vec::with_capacity(width * BLOCK_ROWS), width }
    }

    /// Takes one row; hands the block on when it is full.
    pub(super) fn push(&mut self, row: &[u32], each: &mut dyn FnMut(&[u32])) {
        self.codes.extend_from_slice(row);
        if self.codes.len() >= self.width * BLOCK_ROWS {
            each(&self.codes);
            self.codes.clear();
        }
    }

    /// Hands on what is left.
    pub(super) fn finish(self, each: &mut dyn FnMut(&[u32])) {
        if !self.codes.is_empty() {
            each(&self.codes);
        }
    }
}
