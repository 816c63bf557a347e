//! Links: from the name of a row to everybody who owns rows of that name.
//!
//! **Theorem.** Let O be the set of pairs (key, owner) of the rows that are linked to. A linked row belongs to each owner o
//! with (link, o) ∈ O, once. When a person leaves, O loses that person's pairs and no others, so the rows of others stay.
//! **Proof.** A pair is in O if and only if its owner has a row with that key, whatever others have. By induction the same
//! holds for chains of links, where O is made of rows that are linked themselves. ∎
//! **What is not done.** To pick one of several owners, or none, lets one person take or erase the rows of others: both are
//! planted in the tests, and seen.
//! **Memory.** Only pairs of people whom the pass takes are kept; when they are too many, the pass takes fewer people.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};

use super::Table;
use super::lookup::Lookup;
use super::path::{Emit, Path};
use super::row_bytes::RowBytes;
use crate::EngineError;
use crate::bound::{HashKey, PARTITIONS, Pass, owner_hashes};

/// The most rows that are made at a time.
const AT_ONCE: usize = 8_192;
/// About what one pair takes beside its bytes.
const PAIR_BYTES: usize = 48;

const MISFIT: EngineError = EngineError::Plan { what: "names of a link have no order" };

/// The owners behind every name.
pub(crate) struct OwnerSets {
    by_name: Lookup,
    owners: ArrayRef,
}

impl OwnerSets {
    /// Rows whose names stand where owners do, each once for every owner behind its name.
    pub(super) fn owned(&self, rows: &Table, emit: &mut Emit) -> Result<(), EngineError> {
        let names = RowBytes::new(rows.owner())?;
        let (mut places, mut owners) = (Vec::new(), Vec::new());
        let mut flush = |places: &mut Vec<u32>, owners: &mut Vec<u32>| {
            if places.is_empty() {
                return Ok(());
            }
            let owner =
                take(&self.owners, &UInt32Array::from(std::mem::take(owners)), None).map_err(|_| MISFIT)?;
            let linked = rows.take(places)?.owned_by(Some(owner))?;
            places.clear();
            emit(linked)
        };
        for row in 0..rows.rows() {
            for owner in self.by_name.find(names.row(row)) {
                places.push(row as u32);
                owners.push(*owner);
                if places.len() == AT_ONCE {
                    flush(&mut places, &mut owners)?;
                }
            }
        }
        flush(&mut places, &mut owners)
    }
}

/// Pairs of names and owners, as they are met.
pub(crate) struct Pairs {
    hash_key: HashKey,
    pass: Arc<Pass>,
    /// By the bytes of both, the hash of the owner.
    pairs: HashMap<Box<[u8]>, u64>,
    bytes: usize,
    allowance: usize,
    taken: usize,
}

impl Pairs {
    pub(crate) fn new(hash_key: &HashKey, pass: &Arc<Pass>, allowance: usize) -> Self {
        let (hash_key, pass) = (hash_key.clone(), Arc::clone(pass));
        Self { hash_key, pass, pairs: HashMap::new(), bytes: 0, allowance, taken: PARTITIONS }
    }

    /// Takes in rows: the name is their one column.
    pub(crate) fn add(&mut self, rows: &Table) -> Result<(), EngineError> {
        let (Some(owner), [name]) = (rows.owner(), rows.columns()) else { return Err(MISFIT) };
        self.forget_others();
        let hashes = owner_hashes(&self.hash_key, owner)?;
        let bytes = RowBytes::new([name, owner])?;
        for (row, hash) in hashes.into_iter().enumerate() {
            if name.is_null(row) || owner.is_null(row) || !self.pass.takes(hash, self.taken) {
                continue;
            }
            let pair = bytes.row(row);
            if !self.pairs.contains_key(pair) {
                self.bytes += pair.len() + PAIR_BYTES;
                self.pairs.insert(pair.into(), hash);
            }
        }
        while self.bytes > self.allowance && self.taken > 1 && self.people_are_several() {
            self.pass.shrink(self.taken);
            self.forget_others();
        }
        Ok(())
    }

    fn people_are_several(&self) -> bool {
        let mut hashes = self.pairs.values();
        let first = hashes.next();
        hashes.any(|hash| Some(hash) != first)
    }

    fn forget_others(&mut self) {
        let taken = self.pass.open();
        if taken < self.taken {
            self.taken = taken;
            self.pairs.retain(|_, hash| self.pass.takes(*hash, taken));
            self.bytes = self.pairs.keys().map(|pair| pair.len() + PAIR_BYTES).sum();
        }
    }

    /// The sets of what all threads have met.
    pub(crate) fn sets(
        all: Vec<Self>,
        hash_key: &HashKey,
        path: &Path,
        owner: &DataType,
    ) -> Result<OwnerSets, EngineError> {
        let name =
            path.scan.schema().fields().first().map(|field| field.data_type().clone()).ok_or(MISFIT)?;
        let mut pairs: Vec<Box<[u8]>> = all.into_iter().flat_map(|pairs| pairs.pairs.into_keys()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let fields = vec![SortField::new(name), SortField::new(owner.clone())];
        let converter = RowConverter::new(fields).map_err(|_| MISFIT)?;
        let parser = converter.parser();
        let columns =
            converter.convert_rows(pairs.iter().map(|pair| parser.parse(pair))).map_err(|_| MISFIT)?;
        let [names, owners] = columns.as_slice() else { return Err(MISFIT) };
        let bytes = RowBytes::new([names])?;
        let by_name = Lookup::new(hash_key, (0..pairs.len()).map(|row| Some(bytes.row(row))));
        Ok(OwnerSets { by_name, owners: Arc::clone(owners) })
    }
}
