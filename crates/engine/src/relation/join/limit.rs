//! At most so many pairs of one person's rows are looked at.
//!
//! **Theorem.** Which rows of a person are left is a function of that person's rows on both sides and of the hash key.
//! **Proof.** Rows are ranked by a keyed hash of what they hold, ties by what they hold; equal rows cannot be told apart.
//! Pairs are counted per person, since the owner is part of every key, and the longer side of that person loses a quarter
//! of its rows, those of largest rank, until the pairs are few enough. No other person's rows are looked at.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use pointillist_plan::{Join, JoinKind, Scalar};

use super::super::lookup::number;
use super::super::row_bytes::RowBytes;
use super::super::{Context, Table};
use crate::EngineError;
use crate::bound::Texts;
use crate::evaluate::evaluate;

/// Rows of one side: whose they are and which key they have, by numbers that both sides share.
struct Side {
    owners: Vec<u32>,
    keys: Vec<Option<u32>>,
}

/// Both sides, with at most `most` pairs of each owner.
pub(super) fn limited(
    context: &Context,
    join: &Join,
    left: Table,
    right: Table,
    most: usize,
) -> Result<(Table, Table), EngineError> {
    let (left_keys, right_keys): (Vec<&Scalar>, Vec<&Scalar>) =
        join.keys.iter().map(|(left, right)| (left, right)).unzip();
    // NULL may equal anything in `NOT IN`: all pairs count.
    let no_keys = join.kind == JoinKind::NotIn;
    let (mut owner_ids, mut key_ids) = (Texts::new(), Texts::new());
    let mut side = |table: &Table, keys: &[&Scalar]| -> Result<Side, EngineError> {
        let keys: Vec<ArrayRef> = match no_keys {
            true => Vec::new(),
            false => keys.iter().map(|key| evaluate(key, table.columns(), table.rows())).collect(),
        };
        let known = keys
            .iter()
            .fold(None, |known, key| NullBuffer::union(known.as_ref(), key.logical_nulls().as_ref()));
        let owners = RowBytes::new(table.owner())?;
        let bytes = RowBytes::new(table.owner().into_iter().chain(&keys))?;
        let rows = 0..table.rows();
        Ok(Side {
            owners: rows
                .clone()
                .map(|row| number(&context.hash_key, &mut owner_ids, owners.row(row)))
                .collect(),
            keys: rows
                .map(|row| {
                    let is_known = known.as_ref().is_none_or(|known| known.is_valid(row));
                    is_known.then(|| number(&context.hash_key, &mut key_ids, bytes.row(row)))
                })
                .collect(),
        })
    };
    let (left_side, right_side) = (side(&left, &left_keys)?, side(&right, &right_keys)?);
    let mut waiting = vec![0_u64; numbers(left_side.keys.iter().chain(&right_side.keys).flatten())];
    right_side.keys.iter().flatten().for_each(|key| waiting[*key as usize] += 1);
    let mut pairs = vec![0_u128; numbers(left_side.owners.iter().chain(&right_side.owners))];
    for (owner, key) in left_side.owners.iter().zip(&left_side.keys) {
        pairs[*owner as usize] += u128::from(key.map_or(0, |key| waiting[key as usize]));
    }
    if pairs.iter().all(|pairs| *pairs <= most as u128) {
        return Ok((left, right));
    }
    let mut sides = [(left, left_side), (right, right_side)];
    let mut ranked = Vec::new();
    for (table, side) in &sides {
        ranked.push(by_rank(context, table, side, &pairs, most)?);
    }
    let mut kept: [Vec<bool>; 2] = [vec![true; sides[0].0.rows()], vec![true; sides[1].0.rows()]];
    for owner in (0..pairs.len() as u32).filter(|owner| pairs[*owner as usize] > most as u128) {
        let rows = [&ranked[0][&owner], &ranked[1][&owner]];
        let few = few_enough(rows, [&sides[0].1.keys, &sides[1].1.keys], most);
        for side in 0..2 {
            rows[side][few[side]..].iter().for_each(|row| kept[side][*row as usize] = false);
        }
    }
    for ((table, _), kept) in sides.iter_mut().zip(kept) {
        *table = table.only(&BooleanBuffer::from(kept))?;
    }
    let [(left, _), (right, _)] = sides;
    Ok((left, right))
}

/// Rows that ask for public ones: of each owner those of smallest rank whose partners are at most `most` together, and one at
/// least. How many partners a row has is a function of the row and of public rows, so the theorem holds here, too.
pub(super) fn limited_asking(
    context: &Context,
    asking: Table,
    counts: &[u64],
    most: usize,
) -> Result<Table, EngineError> {
    let bytes = RowBytes::new(asking.owner())?;
    let mut ids = Texts::new();
    let owners: Vec<u32> =
        (0..asking.rows()).map(|row| number(&context.hash_key, &mut ids, bytes.row(row))).collect();
    let mut pairs = vec![0_u128; numbers(owners.iter())];
    owners.iter().zip(counts).for_each(|(owner, count)| pairs[*owner as usize] += u128::from(*count));
    if pairs.iter().all(|pairs| *pairs <= most as u128) {
        return Ok(asking);
    }
    let side = Side { owners, keys: Vec::new() };
    let mut kept = vec![true; asking.rows()];
    for rows in by_rank(context, &asking, &side, &pairs, most)?.values() {
        let mut so_far = 0_u128;
        for (place, row) in rows.iter().enumerate() {
            so_far += u128::from(counts[*row as usize]);
            kept[*row as usize] = place == 0 || so_far <= most as u128;
        }
    }
    asking.only(&BooleanBuffer::from(kept))
}

/// How many numbers have been given, these among them.
fn numbers<'a>(given: impl Iterator<Item = &'a u32>) -> usize {
    given.max().map_or(0, |last| *last as usize + 1)
}

/// The rows of those owners who have too many pairs, from the smallest rank.
fn by_rank(
    context: &Context,
    table: &Table,
    side: &Side,
    pairs: &[u128],
    most: usize,
) -> Result<HashMap<u32, Vec<u32>>, EngineError> {
    let bytes = RowBytes::new(table.columns())?;
    let mut rows: HashMap<u32, Vec<u32>> = HashMap::new();
    for (row, owner) in side.owners.iter().enumerate() {
        if pairs[*owner as usize] > most as u128 {
            rows.entry(*owner).or_default().push(row as u32);
        }
    }
    for rows in rows.values_mut() {
        rows.sort_by_cached_key(|row| {
            let bytes = bytes.row(*row as usize);
            (context.hash_key.key_text(bytes), bytes)
        });
    }
    Ok(rows)
}

/// How many rows of each side are left.
fn few_enough(rows: [&Vec<u32>; 2], keys: [&[Option<u32>]; 2], most: usize) -> [usize; 2] {
    let mut few = [rows[0].len(), rows[1].len()];
    loop {
        let mut waiting: HashMap<u32, u128> = HashMap::new();
        for row in &rows[1][..few[1]] {
            if let Some(key) = keys[1][*row as usize] {
                *waiting.entry(key).or_default() += 1;
            }
        }
        let partners = |row: &u32| keys[0][*row as usize].and_then(|key| waiting.get(&key));
        let pairs: u128 = rows[0][..few[0]].iter().filter_map(partners).sum();
        if pairs <= most as u128 {
            return few;
        }
        let longer = usize::from(few[1] > few[0]);
        few[longer] -= (few[longer] / 4).max(1);
    }
}
