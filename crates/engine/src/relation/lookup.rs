//! From bytes to the rows that have them.

use crate::bound::{HashKey, NONE, Texts};

/// Rows by their bytes.
pub(super) struct Lookup {
    hash_key: HashKey,
    ids: Texts,
    /// Where the rows of each id end.
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Lookup {
    /// The rows of a table by their bytes; rows without bytes are not found. Those of the same bytes keep their order.
    pub(super) fn new<'a>(hash_key: &HashKey, rows: impl Iterator<Item = Option<&'a [u8]>>) -> Self {
        let mut ids = Texts::new();
        let mut ends: Vec<u32> = Vec::new();
        let of_row: Vec<u32> = rows
            .map(|bytes| {
                let Some(bytes) = bytes else { return NONE };
                let id = number(hash_key, &mut ids, bytes);
                if id as usize == ends.len() {
                    ends.push(0);
                }
                ends[id as usize] += 1;
                id
            })
            .collect();
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut rows = vec![0; start as usize];
        for (row, id) in of_row.iter().enumerate().filter(|(_, id)| **id != NONE) {
            let end = &mut ends[*id as usize];
            rows[*end as usize] = row as u32;
            *end += 1;
        }
        Self { hash_key: hash_key.clone(), ids, ends, rows }
    }

    /// The rows that have these bytes.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8]) -> &[u32] {
        match self.ids.find(self.hash_key.key_text(bytes), bytes) {
            NONE => &[],
            id => self.of(id as usize),
        }
    }

    /// The most rows that have the same bytes.
    pub(super) fn most(&self) -> usize {
        (0..self.ends.len()).map(|id| self.of(id).len()).max().unwrap_or(0)
    }

    fn of(&self, id: usize) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.rows[start as usize..self.ends[id] as usize]
    }
}

/// The number of some bytes, met before or not.
pub(super) fn number(hash_key: &HashKey, ids: &mut Texts, bytes: &[u8]) -> u32 {
    let hash = hash_key.key_text(bytes);
    match ids.find(hash, bytes) {
        NONE => ids.insert(hash, bytes),
        found => found,
    }
}
