//! Rows of codes as trainers see them.

use super::Encoding;
use crate::{Block, Rows, RowsError};

/// Rows of codes: those of the columns, then the target's. Whoever implements it promises what [`Rows`] does of people and
/// of order, for codes instead of features.
pub trait CodeBlocks: Sync {
    /// Goes through all rows, block by block: the codes of each row one after the other.
    ///
    /// # Errors
    /// When what is read is no longer what it was, whatever the rows say.
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError>;
}

/// Features and targets, encoded as they are asked for: no more than one block of them is in memory.
pub struct EncodedRows<'a> {
    source: &'a dyn CodeBlocks,
    encoding: &'a Encoding,
    rows_per_person: u32,
}

impl<'a> EncodedRows<'a> {
    /// The rows of a source, of which one person has at most so many.
    pub fn new(source: &'a dyn CodeBlocks, encoding: &'a Encoding, rows_per_person: u32) -> Self {
        Self { source, encoding, rows_per_person }
    }
}

impl Rows for EncodedRows<'_> {
    fn dimension(&self) -> usize {
        self.encoding.dimension()
    }

    fn norm_bound(&self) -> f64 {
        self.encoding.norm_bound()
    }

    fn rows_per_person(&self) -> u32 {
        self.rows_per_person
    }

    fn for_each_block(&self, each: &mut dyn FnMut(&Block<'_>)) -> Result<(), RowsError> {
        let (dimension, width) = (self.dimension(), self.encoding.width());
        let (mut x, mut y) = (Vec::new(), Vec::new());
        self.source.for_each_codes(&mut |codes| {
            x.clear();
            y.clear();
            for row in codes.chunks_exact(width) {
                let target = match self.encoding.target() {
                    // Rows without a target are all the same to whoever asks for one.
                    None => Some(0.0),
                    Some(_) => row.last().and_then(|code| self.encoding.target_of(*code)),
                };
                if let Some(target) = target {
                    let start = x.len();
                    x.resize(start + dimension, 0.0);
                    self.encoding.features(&row[..self.encoding.columns().len()], &mut x[start..]);
                    y.push(target);
                }
            }
            if !y.is_empty() {
                each(&Block { x: &x, y: &y, dimension });
            }
        })
    }
}
