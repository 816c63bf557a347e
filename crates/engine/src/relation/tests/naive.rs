//! What relations mean, a second time: nested loops over single rows, slow and plain.

use std::collections::BTreeSet;

use pointillist_catalog::Value;
use pointillist_plan::{
    ExactAggregate, ExactFunction, FrameEnd, Join, JoinKind, Order, Relation, Scalar, Type, Window,
    WindowFunction, type_of,
};

use crate::evaluate::interpret;
use crate::relation::exact_sum::tests::nearest;

pub(super) type Cell = Option<Value>;

/// A row and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) owner: Cell,
    pub(crate) cells: Vec<Cell>,
}

/// What is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mutant {
    /// Rows of two people's tables meet whoever owns them.
    AnyOwnerJoins,
    /// Groups, windows and distinct rows are made of everybody's rows.
    AnyOwnerGroups,
}

/// The rows of a relation over the rows of its leaves.
pub(crate) fn naive(
    relation: &Relation,
    leaves: &dyn Fn(&Relation) -> Option<Vec<Row>>,
    mutant: Option<Mutant>,
) -> Vec<Row> {
    if let Some(rows) = leaves(relation) {
        return rows;
    }
    let rows = |relation: &Relation| naive(relation, leaves, mutant);
    match relation {
        Relation::Table(_) | Relation::Released { .. } => panic!("a leaf is missing"),
        Relation::Map { input, filter, columns } => rows(input)
            .into_iter()
            .filter(|row| filter.as_ref().is_none_or(|filter| is_true(filter, &row.cells)))
            .map(|row| Row {
                cells: columns.iter().map(|column| interpret(column, &row.cells)).collect(),
                owner: row.owner,
            })
            .collect(),
        Relation::Join(join) => joined(join, &rows(&join.left), &rows(&join.right), mutant),
        Relation::Union(inputs) => inputs.iter().flat_map(rows).collect(),
        Relation::Distinct(input) => {
            let all = rows(input);
            let first = |at: usize| {
                !all[..at].iter().any(|row| row.cells == all[at].cells && one_group(row, &all[at], mutant))
            };
            (0..all.len()).filter(|at| first(*at)).map(|at| all[at].clone()).collect()
        }
        Relation::Group { input, keys, aggregates } => {
            grouped(&rows(input), &input.types(), keys, aggregates, is_public(relation), mutant)
        }
        Relation::Window { input, windows } => {
            let (all, types) = (rows(input), input.types());
            let beside = |at: usize| {
                windows.iter().map(|window| beside(&all, &types, at, window, mutant)).collect::<Vec<Cell>>()
            };
            let with = |at: usize| Row {
                owner: all[at].owner.clone(),
                cells: [all[at].cells.clone(), beside(at)].concat(),
            };
            (0..all.len()).map(with).collect()
        }
        Relation::Order { input, by, skip, fetch } => {
            let all = rows(input);
            let owners: BTreeSet<&Cell> = all.iter().map(|row| &row.owner).collect();
            let of = |owner: &&Cell| {
                let mut own: Vec<&Row> = all.iter().filter(|row| row.owner == **owner).collect();
                own.sort_by(|left, right| {
                    compare(by, &left.cells, &right.cells).then_with(|| left.cells.cmp(&right.cells))
                });
                let fetch = fetch.map_or(usize::MAX, |fetch| fetch as usize);
                own.into_iter().skip(*skip as usize).take(fetch).cloned().collect::<Vec<Row>>()
            };
            owners.iter().flat_map(of).collect()
        }
    }
}

/// Whether nobody owns the rows.
pub(super) fn is_public(relation: &Relation) -> bool {
    relation.ownership() == pointillist_plan::Ownership::Nobody
}

fn one_group(left: &Row, right: &Row, mutant: Option<Mutant>) -> bool {
    left.owner == right.owner || mutant == Some(Mutant::AnyOwnerGroups)
}

pub(super) fn is_true(condition: &Scalar, cells: &[Cell]) -> bool {
    interpret(condition, cells) == Some(Value::Boolean(true))
}

fn joined(join: &Join, left: &[Row], right: &[Row], mutant: Option<Mutant>) -> Vec<Row> {
    // True, false or unknown.
    let keys_equal = |left: &Row, right: &Row| -> Option<bool> {
        let each: Vec<Option<bool>> = join
            .keys
            .iter()
            .map(|(a, b)| Some(interpret(a, &left.cells)? == interpret(b, &right.cells)?))
            .collect();
        if each.contains(&Some(false)) {
            Some(false)
        } else if each.contains(&None) {
            None
        } else {
            Some(true)
        }
    };
    let fits = |a: &Row, b: &Row| {
        let both_owned = a.owner.is_some() && b.owner.is_some();
        let same = !both_owned || a.owner == b.owner || mutant == Some(Mutant::AnyOwnerJoins);
        let condition = join.condition.as_ref();
        let true_of_both = condition
            .is_none_or(|condition| is_true(condition, &[a.cells.clone(), b.cells.clone()].concat()));
        let keys = keys_equal(a, b);
        same && true_of_both && (keys == Some(true) || (join.kind == JoinKind::NotIn && keys.is_none()))
    };
    let pair = |a: &Row, b: &Row| Row {
        owner: a.owner.clone().or_else(|| b.owner.clone()),
        cells: [a.cells.clone(), b.cells.clone()].concat(),
    };
    let (width_left, width_right) = (join.left.types().len(), join.right.types().len());
    let mut result = Vec::new();
    for a in left {
        let partners: Vec<&Row> = right.iter().filter(|b| fits(a, b)).collect();
        match join.kind {
            JoinKind::Semi if !partners.is_empty() => result.push(a.clone()),
            JoinKind::Anti | JoinKind::NotIn if partners.is_empty() => result.push(a.clone()),
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                result.extend(partners.iter().map(|b| pair(a, b)));
                if partners.is_empty() && join.kind != JoinKind::Inner {
                    let none = Row { owner: None, cells: vec![None; width_right] };
                    result.push(pair(a, &none));
                }
            }
            _ => {}
        }
    }
    if join.kind == JoinKind::Full {
        for b in right.iter().filter(|b| !left.iter().any(|a| fits(a, b))) {
            let none = Row { owner: None, cells: vec![None; width_left] };
            result.push(pair(&none, b));
        }
    }
    result
}

fn grouped(
    all: &[Row],
    types: &[Type],
    keys: &[Scalar],
    aggregates: &[ExactAggregate],
    public: bool,
    mutant: Option<Mutant>,
) -> Vec<Row> {
    let key = |row: &Row| -> Vec<Cell> { keys.iter().map(|key| interpret(key, &row.cells)).collect() };
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in all {
        match groups.iter_mut().find(|group| one_group(group[0], row, mutant) && key(group[0]) == key(row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    if groups.is_empty() && keys.is_empty() && public {
        groups.push(Vec::new());
    }
    let result = |group: &Vec<&Row>| {
        let cells: Vec<&[Cell]> = group.iter().map(|row| row.cells.as_slice()).collect();
        let values = aggregates.iter().map(|aggregate| aggregated(aggregate, types, &cells));
        let first = group.first();
        Row {
            owner: first.and_then(|row| row.owner.clone()),
            cells: first.map(|row| key(row)).unwrap_or_default().into_iter().chain(values).collect(),
        }
    };
    groups.iter().map(result).collect()
}

fn aggregated(aggregate: &ExactAggregate, types: &[Type], rows: &[&[Cell]]) -> Cell {
    let counted = |row: &&&[Cell]| aggregate.counted.as_ref().is_none_or(|counted| is_true(counted, row));
    let mut values: Vec<Value> =
        rows.iter().filter(counted).filter_map(|row| interpret(&aggregate.value, row)).collect();
    values.sort();
    if aggregate.distinct {
        values.dedup();
    }
    let n = values.len();
    let whole = type_of(&aggregate.value, types) == Some(Type::Integer);
    let number = |value: &Value| match value {
        Value::Integer(value) => *value as f64,
        Value::Number(value) => *value,
        _ => panic!("no number"),
    };
    let numbers = || values.iter().map(number).collect::<Vec<f64>>();
    let total = || -> i128 {
        values
            .iter()
            .map(|value| if let Value::Integer(value) = value { i128::from(*value) } else { 0 })
            .sum()
    };
    let mean = || {
        let sum = nearest(&numbers());
        let shares: Vec<f64> = numbers().iter().map(|x| x / n as f64).collect();
        if sum.is_finite() { sum / n as f64 } else { nearest(&shares) }
    };
    if aggregate.function == ExactFunction::Count {
        return Some(Value::Integer(n as i64));
    }
    if n == 0 {
        return None;
    }
    match aggregate.function {
        ExactFunction::Count => None,
        ExactFunction::Sum if whole => {
            Some(Value::Integer(total().clamp(i64::MIN.into(), i64::MAX.into()) as i64))
        }
        ExactFunction::Sum => Value::number(nearest(&numbers())),
        ExactFunction::Average if whole => Value::number(total() as f64 / n as f64),
        ExactFunction::Average => Value::number(mean()),
        ExactFunction::Minimum => values.first().cloned(),
        ExactFunction::Maximum => values.last().cloned(),
        ExactFunction::Mode => {
            let times = |value: &Value| values.iter().filter(|other| *other == value).count();
            let most = values.iter().map(times).max()?;
            values.iter().find(|value| times(value) == most).cloned()
        }
        ExactFunction::QuantileContinuous(share) => {
            let (place, numbers) = (share * (n as f64 - 1.0), numbers());
            let (below, part) = (place.floor() as usize, place.fract());
            match part > 0.0 {
                true => {
                    let (low, high) = (numbers[below], numbers[below + 1]);
                    Value::number((low * (1.0 - part) + high * part).max(low).min(high))
                }
                false => Value::number(numbers[below]),
            }
        }
        ExactFunction::QuantileDiscrete(share) => {
            let not_above = |value: &Value| values.iter().filter(|other| *other <= value).count();
            values.iter().find(|value| not_above(value) as f64 / n as f64 >= share).cloned()
        }
        ExactFunction::Variance { sample, root } => {
            if sample && n == 1 {
                return None;
            }
            let mean = mean();
            let squares: f64 = numbers().iter().map(|x| (x - mean) * (x - mean)).sum();
            let variance = squares / (n - usize::from(sample)) as f64;
            Value::number(if root { variance.sqrt() } else { variance })
        }
        ExactFunction::Every => Some(Value::Boolean(!values.contains(&Value::Boolean(false)))),
        ExactFunction::Some => Some(Value::Boolean(values.contains(&Value::Boolean(true)))),
    }
}

/// What is beside one of all rows.
fn beside(all: &[Row], types: &[Type], at: usize, window: &Window, mutant: Option<Mutant>) -> Cell {
    let key =
        |row: &Row| -> Vec<Cell> { window.partition.iter().map(|key| interpret(key, &row.cells)).collect() };
    let mut rows: Vec<(usize, &Row)> = all
        .iter()
        .enumerate()
        .filter(|(_, row)| one_group(row, &all[at], mutant) && key(row) == key(&all[at]))
        .collect();
    rows.sort_by(|(_, left), (_, right)| {
        compare(&window.order, &left.cells, &right.cells).then_with(|| left.cells.cmp(&right.cells))
    });
    let place = rows.iter().position(|(number, _)| *number == at).unwrap();
    let (rows, row): (Vec<&Row>, &Row) = (rows.into_iter().map(|(_, row)| row).collect(), &all[at]);
    let count = rows.len();
    let peer = |other: &&&Row| compare(&window.order, &other.cells, &row.cells).is_eq();
    let before = rows.iter().filter(|other| compare(&window.order, &other.cells, &row.cells).is_lt());
    let value = |value: &Scalar, row: Option<&&Row>| row.and_then(|row| interpret(value, &row.cells));
    let in_frame = |other: usize| {
        let frame = &window.frame;
        let is_peer = peer(&&rows[other]);
        let (here, there) = (place as i128, other as i128);
        let here_or_peer = |strictly: bool| if frame.by_rows { strictly } else { strictly || is_peer };
        let after_start = match frame.start {
            FrameEnd::First => true,
            FrameEnd::Before(n) => there >= here - i128::from(n),
            FrameEnd::Current => here_or_peer(there >= here),
            FrameEnd::After(n) => there >= here + i128::from(n),
            FrameEnd::Last => other == count - 1,
        };
        let before_end = match frame.end {
            FrameEnd::First => other == 0,
            FrameEnd::Before(n) => there <= here - i128::from(n),
            FrameEnd::Current => here_or_peer(there <= here),
            FrameEnd::After(n) => there <= here + i128::from(n),
            FrameEnd::Last => true,
        };
        after_start && before_end
    };
    let frame: Vec<&&Row> = (0..count).filter(|other| in_frame(*other)).map(|other| &rows[other]).collect();
    let whole = |number: usize| Some(Value::Integer(number as i64));
    match &window.function {
        WindowFunction::RowNumber => whole(place + 1),
        WindowFunction::Rank => whole(before.count() + 1),
        WindowFunction::DenseRank => {
            let mut earlier: Vec<&&Row> = before.collect();
            earlier.dedup_by(|a, b| compare(&window.order, &a.cells, &b.cells).is_eq());
            whole(earlier.len() + 1)
        }
        WindowFunction::PercentRank if count == 1 => Some(Value::Number(0.0)),
        WindowFunction::PercentRank => Some(Value::Number(before.count() as f64 / (count - 1) as f64)),
        WindowFunction::CumulativeDistribution => {
            let until = before.count() + rows.iter().filter(peer).count();
            Some(Value::Number(until as f64 / count as f64))
        }
        WindowFunction::Tiles(tiles) => {
            // Row by row: the first of the parts that are still to come takes its share, rounded up.
            let (mut left, mut tile, mut parts) = (count as u64, 1, *tiles);
            let mut start = 0;
            loop {
                let length = left.div_ceil(parts);
                if (place as u64) < start + length {
                    return whole(tile);
                }
                (start, left, parts, tile) = (start + length, left - length, parts - 1, tile + 1);
            }
        }
        WindowFunction::Shifted { value: shifted, back, otherwise } => {
            let from = place as i128 - i128::from(*back);
            match usize::try_from(from).ok().and_then(|from| rows.get(from)) {
                Some(other) => interpret(shifted, &other.cells),
                None => otherwise.as_ref().and_then(|otherwise| interpret(otherwise, &row.cells)),
            }
        }
        WindowFunction::First(first) => value(first, frame.first().copied()),
        WindowFunction::Last(last) => value(last, frame.last().copied()),
        WindowFunction::Nth(nth, number) => value(nth, frame.get(*number as usize - 1).copied()),
        WindowFunction::Aggregate(aggregate) => {
            let cells: Vec<&[Cell]> = frame.iter().map(|row| row.cells.as_slice()).collect();
            aggregated(aggregate, types, &cells)
        }
    }
}

fn compare(by: &[Order], left: &[Cell], right: &[Cell]) -> std::cmp::Ordering {
    by.iter().fold(std::cmp::Ordering::Equal, |known, order| {
        known.then_with(|| match (interpret(&order.by, left), interpret(&order.by, right)) {
            (None, None) => std::cmp::Ordering::Equal,
            (None, Some(_)) if order.nulls_first => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(_), None) if order.nulls_first => std::cmp::Ordering::Greater,
            (Some(_), None) => std::cmp::Ordering::Less,
            (Some(a), Some(b)) if order.descending => b.cmp(&a),
            (Some(a), Some(b)) => a.cmp(&b),
        })
    })
}
