//! The aggregation as `plan.rs` defines it, read aloud row by row; and the same with one rule broken.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int64Type;
use pointillist_catalog::Value;
use pointillist_mechanisms::order_statistic::weighted_quantile::weight_bits;
use pointillist_plan::{Aggregation, Excess, Form, Measure, Ownership, Quantity, Scalar, Units};

use super::moved::{Key, Vector};
use super::town::{self, Row};
use crate::tests::Chance;
use crate::{evaluate, integers};

/// One rule broken: each must be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mutant {
    /// A person keeps every group.
    GroupsUncapped,
    /// A person keeps one group too many.
    GroupsOffByOne,
    /// Counts are not bounded.
    RowsUncapped,
    /// Counts and totals are bounded at one row too many.
    RowsOffByOne,
    /// A person counts once for every row.
    PeopleByRows,
    /// A person's total is not clamped.
    TotalUnclamped,
    /// A person with many rows is not thinned.
    TotalUnthinned,
    /// Totals have one bit more than the noise was made for.
    RefinedTwice,
    /// A value beyond its grid stays there.
    ValueUnclamped,
    /// People are bounded in every batch, as if batches were tables.
    BoundedByBatch,
    /// The first rows of a group count, whoever owns them.
    CapForEverybody,
    /// A person keeps the groups that most rows are in: what others do decides.
    GroupsByPopularity,
    /// Two people are taken for one.
    PeopleMerged,
    /// Rows without an owner belong to whoever comes first.
    NobodyIsSomebody,
    /// A person brings every value that they have.
    ValuesUncapped,
    /// Every row has its whole weight.
    WeightsUnthinned,
}

pub(super) const MUTANTS: [Mutant; 16] = [
    Mutant::GroupsUncapped,
    Mutant::GroupsOffByOne,
    Mutant::RowsUncapped,
    Mutant::RowsOffByOne,
    Mutant::PeopleByRows,
    Mutant::TotalUnclamped,
    Mutant::TotalUnthinned,
    Mutant::RefinedTwice,
    Mutant::ValueUnclamped,
    Mutant::BoundedByBatch,
    Mutant::CapForEverybody,
    Mutant::GroupsByPopularity,
    Mutant::PeopleMerged,
    Mutant::NobodyIsSomebody,
    Mutant::ValuesUncapped,
    Mutant::WeightsUnthinned,
];

/// What a row says: its key, and for every measure the integer if it counts.
struct Seen {
    owner: usize,
    key: Key,
    integers: Vec<Option<i128>>,
}

/// The groups, and whether anybody had more of them than are kept. Which are kept then is ours to choose.
pub(super) fn reference(aggregation: &Aggregation, rows: &[Row], mutant: Option<Mutant>) -> (Vector, bool) {
    let mut seen = seen(aggregation, rows, mutant);
    let nothing = vec![0; aggregation.measures.len() + 1];
    let mut groups: Vector = match &aggregation.domain {
        Some(domain) => domain.iter().map(|key| (key.clone(), nothing.clone())).collect(),
        None => Vector::new(),
    };
    if aggregation.domain.is_some() {
        seen.retain(|row| groups.contains_key(&row.key));
    }
    let mut popularity: BTreeMap<Key, usize> = BTreeMap::new();
    seen.iter().for_each(|row| *popularity.entry(row.key.clone()).or_default() += 1);
    let mut taken_values = Taken::new();
    if mutant == Some(Mutant::CapForEverybody) {
        let mut taken: BTreeMap<Key, Vec<&Seen>> = BTreeMap::new();
        seen.iter().for_each(|row| taken.entry(row.key.clone()).or_default().push(row));
        for (key, rows) in taken {
            let rows = &rows[..rows.len().min(aggregation.bound.rows_max() as usize)];
            let sums = groups.entry(key.clone()).or_insert_with(|| nothing.clone());
            add(aggregation, rows, mutant, sums, &mut taken_values, &key);
        }
        return (groups, false);
    }
    let parts: Vec<&[Seen]> =
        if mutant == Some(Mutant::BoundedByBatch) { seen.chunks(2).collect() } else { vec![&seen[..]] };
    let mut chosen = false;
    for part in parts {
        let mut people: BTreeMap<usize, BTreeMap<Key, Vec<&Seen>>> = BTreeMap::new();
        for row in part {
            people.entry(row.owner).or_default().entry(row.key.clone()).or_default().push(row);
        }
        for (owner, touched) in people {
            let cap = match mutant {
                Some(Mutant::GroupsUncapped) => usize::MAX,
                Some(Mutant::GroupsOffByOne) => aggregation.bound.groups_max() as usize + 1,
                _ => aggregation.bound.groups_max() as usize,
            };
            chosen |= touched.len() > cap;
            let mut ranked: Vec<(u64, Key, Vec<&Seen>)> =
                touched.into_iter().map(|(key, rows)| (rank(owner, &key), key, rows)).collect();
            if mutant == Some(Mutant::GroupsByPopularity) {
                ranked.iter_mut().for_each(|(rank, key, _)| *rank = u64::MAX - popularity[key] as u64);
            }
            ranked.sort_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
            for (_, key, rows) in ranked.into_iter().take(cap) {
                let sums = groups.entry(key.clone()).or_insert_with(|| nothing.clone());
                chosen |= add(aggregation, &rows, mutant, sums, &mut taken_values, &key);
            }
        }
    }
    (groups, chosen)
}

/// Ours, not the engine's: any function of the person and the key will do.
fn rank(owner: usize, key: &Key) -> u64 {
    let bytes = format!("{owner} {key:?}").into_bytes();
    let folded = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    Chance(bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, folded)).word()
}

/// The rows that are chosen and owned.
fn seen(aggregation: &Aggregation, rows: &[Row], mutant: Option<Mutant>) -> Vec<Seen> {
    let batch = town::batch(aggregation, rows);
    let each_row = aggregation.ownership() == Ownership::EachRow;
    let columns = &batch.columns()[..batch.num_columns() - usize::from(!each_row)];
    let is_true = |scalar: &Option<Scalar>| -> Vec<bool> {
        let Some(scalar) = scalar else { return vec![true; rows.len()] };
        let truths = evaluate(scalar, columns, rows.len());
        (0..rows.len()).map(|row| town::value_at(&truths, row) == Some(Value::Boolean(true))).collect()
    };
    let chosen = is_true(&aggregation.filter);
    let keys: Vec<ArrayRef> =
        aggregation.keys.iter().map(|key| evaluate(&key.value, columns, rows.len())).collect();
    let measures: Vec<Vec<Option<i128>>> = aggregation
        .measures
        .iter()
        .map(|measure| {
            let values = integers_of(measure, columns, rows.len(), mutant);
            let counted = is_true(&measure.counted);
            values.into_iter().zip(counted).map(|(value, counted)| value.filter(|_| counted)).collect()
        })
        .collect();
    let mut seen: Vec<Seen> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let owner = match (each_row, row.owner, mutant) {
            (true, ..) => Some(at),
            (_, None, Some(Mutant::NobodyIsSomebody)) => rows.iter().find_map(|row| row.owner),
            (_, owner, Some(Mutant::PeopleMerged)) => owner.map(|owner| owner / 2),
            (_, owner, _) => owner,
        };
        let key: Key = keys.iter().map(|key| town::value_at(key, at)).collect();
        if let (true, Some(owner)) = (chosen[at], owner) {
            seen.push(Seen { owner, key, integers: measures.iter().map(|values| values[at]).collect() });
        }
    }
    seen
}

/// One row's integer, NULL where there is none; zero where only counting matters.
fn integers_of(
    measure: &Measure,
    columns: &[ArrayRef],
    rows: usize,
    mutant: Option<Mutant>,
) -> Vec<Option<i128>> {
    let (value, units) = match &measure.quantity {
        Quantity::Rows | Quantity::People | Quantity::PeopleCut => return vec![Some(0); rows],
        Quantity::Total { value, units, .. } => (value, units.clone()),
        Quantity::Quantile { value, grid, .. } => {
            (value, Units { grid: grid.clone(), form: Form::Linear { offset: 0, factor: 1 } })
        }
        Quantity::Product { left, right, .. } => {
            let [left, right] = [left, right].map(|(value, grid)| {
                let form = Form::Linear { offset: -grid.last_index(), factor: 2 };
                integers(&evaluate(value, columns, rows), &Units { grid: grid.clone(), form })
            });
            let product = |row: usize| {
                let both = left.is_valid(row) && right.is_valid(row);
                both.then(|| i128::from(left.value(row)) * i128::from(right.value(row)))
            };
            return (0..rows).map(product).collect();
        }
        // Any numbers that are equal where values are: here those of their texts.
        Quantity::Distinct { value } => {
            let values = evaluate(value, columns, rows);
            let number = |row: usize| {
                let text = format!("{:?}", town::value_at(&values, row)?);
                let folded = |hash: i128, byte: u8| (hash * 257 + i128::from(byte)) % ((1 << 61) - 1);
                Some(text.into_bytes().into_iter().fold(1, folded))
            };
            return (0..rows).map(number).collect();
        }
    };
    let units = &units;
    let values = evaluate(value, columns, rows);
    if let (Some(Mutant::ValueUnclamped), Some(whole), Form::Linear { offset, factor }) =
        (mutant, values.as_primitive_opt::<Int64Type>(), units.form)
        && let Ok(lower) = i64::try_from(units.grid.lower().floor())
    {
        let index = |value: i64| i128::from(value) - i128::from(lower);
        let integer = |value: i64| i128::from(offset) + i128::from(factor) * index(value);
        return whole.iter().map(|value| value.map(integer)).collect();
    }
    let placed = integers(&values, units);
    (0..rows).map(|row| placed.is_valid(row).then(|| i128::from(placed.value(row)))).collect()
}

/// Values that somebody brought, by group and measure.
type Taken = BTreeMap<(Key, usize), BTreeSet<i128>>;

/// Adds one person's rows to a group. Says whether the person had to choose among their values.
fn add(
    aggregation: &Aggregation,
    rows: &[&Seen],
    mutant: Option<Mutant>,
    sums: &mut [i128],
    taken: &mut Taken,
    key: &Key,
) -> bool {
    let mut chosen = false;
    let rows_max =
        i128::from(aggregation.bound.rows_max()) + i128::from(mutant == Some(Mutant::RowsOffByOne));
    sums[0] += 1;
    for (at, measure) in aggregation.measures.iter().enumerate() {
        let counted: Vec<i128> = rows.iter().filter_map(|row| row.integers[at]).collect();
        let (count, total) = (counted.len() as i128, counted.iter().sum::<i128>());
        sums[at + 1] += match &measure.quantity {
            Quantity::Rows if mutant == Some(Mutant::RowsUncapped) => count,
            Quantity::Rows => count.min(rows_max),
            Quantity::People if mutant == Some(Mutant::PeopleByRows) => count,
            Quantity::People => count.min(1),
            Quantity::PeopleCut => i128::from(count > i128::from(aggregation.bound.rows_max())),
            Quantity::Total { units, excess: Excess::Clamp, .. } => {
                let (low, high) = units.form.extremes(&units.grid);
                match mutant {
                    Some(Mutant::TotalUnclamped | Mutant::ValueUnclamped) => total,
                    _ => total.clamp(rows_max * low.min(0), rows_max * high.max(0)),
                }
            }
            Quantity::Distinct { .. } => {
                // Who is first does not matter where everybody can bring all that they have.
                let different: BTreeSet<i128> = counted.iter().copied().collect();
                chosen |= different.len() as i128 > rows_max;
                let taken = taken.entry((key.clone(), at)).or_default();
                let new: Vec<i128> = different.difference(taken).copied().collect();
                let most = if mutant == Some(Mutant::ValuesUncapped) { i128::MAX } else { rows_max };
                let before = taken.len();
                taken.extend(new.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)));
                (taken.len() - before) as i128
            }
            Quantity::Quantile { .. } => {
                let bits = weight_bits(aggregation.bound.rows_max());
                let weight = match mutant {
                    Some(Mutant::WeightsUnthinned) => 1 << bits,
                    _ => (rows_max << bits) / count.max(rows_max),
                };
                count * weight
            }
            Quantity::Product { refinement, .. } => {
                let finer = total << refinement;
                match mutant {
                    Some(Mutant::TotalUnthinned) => finer,
                    Some(Mutant::RefinedTwice) => finer << 1,
                    _ if count > rows_max => {
                        finer.signum() * ((2 * rows_max * finer.abs() + count) / (2 * count))
                    }
                    _ => finer,
                }
            }
            // One weight a row; to nearest, and ties away from zero: ⌊(2·|x| + c)/2c⌋ for x/c.
            Quantity::Total { excess: Excess::Thin { refinement }, .. } => {
                let finer = total << refinement;
                match mutant {
                    Some(Mutant::TotalUnthinned) => finer,
                    // The units are finer, and the rows are not.
                    Some(Mutant::RefinedTwice) => finer << 1,
                    _ if count > rows_max => {
                        finer.signum() * ((2 * rows_max * finer.abs() + count) / (2 * count))
                    }
                    _ => finer,
                }
            }
        };
    }
    chosen
}
