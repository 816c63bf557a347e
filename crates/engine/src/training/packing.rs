//! Codes in as few bytes as their public ranges need.
//!
//! The first byte of a code is its most significant one: packed rows compare as their codes do.

/// How many bytes each column takes.
#[derive(Clone)]
pub(super) struct Packing {
    bytes: Vec<u8>,
    row: usize,
}

impl Packing {
    /// For columns whose largest codes are these.
    pub(super) fn new(last: impl Iterator<Item = u32>) -> Self {
        let bytes: Vec<u8> = last.map(|last| 4 - (last.leading_zeros() / 8).min(3) as u8).collect();
        let row = bytes.iter().map(|bytes| usize::from(*bytes)).sum();
        Self { bytes, row }
    }

    /// How many codes a row has.
    pub(super) fn columns(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes a row takes.
    pub(super) fn row(&self) -> usize {
        self.row
    }

    /// Writes a row behind others.
    pub(super) fn pack(&self, codes: &[u32], out: &mut Vec<u8>) {
        for (code, bytes) in codes.iter().zip(&self.bytes) {
            out.extend_from_slice(&code.to_be_bytes()[4 - usize::from(*bytes)..]);
        }
    }

    /// Reads a row.
    pub(super) fn unpack(&self, row: &[u8], codes: &mut [u32]) {
        let mut rest = row;
        for (code, bytes) in codes.iter_mut().zip(&self.bytes) {
            let (own, after) = rest.split_at(usize::from(*bytes));
            *code = own.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            rest = after;
        }
    }
}

/// Packed rows, one after the other.
#[derive(Default)]
pub(super) struct Packed {
    rows: Vec<u8>,
}

impl Packed {
    pub(super) fn push(&mut self, packing: &Packing, codes: &[u32]) {
        packing.pack(codes, &mut self.rows);
    }

    /// A row that is packed already.
    pub(super) fn push_bytes(&mut self, row: &[u8]) {
        self.rows.extend_from_slice(row);
    }

    /// All rows of several lists, in their order.
    pub(super) fn concat(parts: &[Self]) -> Self {
        let mut rows = Vec::with_capacity(parts.iter().map(|part| part.rows.len()).sum());
        parts.iter().for_each(|part| rows.extend_from_slice(&part.rows));
        Self { rows }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity()
    }

    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
    }

    /// The codes of every row.
    pub(super) fn for_each(&self, packing: &Packing, each: &mut dyn FnMut(&[u32])) {
        let mut codes = vec![0; packing.columns()];
        for row in self.rows.chunks_exact(packing.row().max(1)) {
            packing.unpack(row, &mut codes);
            each(&codes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_comes_back_from_as_few_bytes_as_it_needs() {
        let ends = [1, 255, 256, 65_535, 65_536, (1 << 24) - 1, 1 << 24, u32::MAX];
        let packing = Packing::new(ends.into_iter());
        assert_eq!(packing.bytes, [1, 1, 2, 2, 3, 3, 4, 4]);
        let rows = [ends.to_vec(), vec![0; 8], ends.iter().map(|end| end / 2 + 1).collect()];
        let mut packed = Packed::default();
        rows.iter().for_each(|row| packed.push(&packing, row));
        let mut back = Vec::new();
        packed.for_each(&packing, &mut |row| back.push(row.to_vec()));
        assert_eq!(back, rows);
    }
}
