//! What is known of a computed column: its type with bounds, its public keys, whether it may be NULL.
//!
//! Facts choose grids, domains and default bounds; what they say is enforced where it matters (`source.rs`).

use pointillist_catalog::{Column, ColumnType};
use pointillist_numbers::Rational;
use pointillist_plan::{ExactAggregate, ExactFunction, Scalar, Type, type_of_column};

use crate::bounds::{self, Range};
use crate::domain;

/// What is known of an expression over these columns.
pub(crate) fn of(scalar: &Scalar, columns: &[Column], name: &str) -> Column {
    if let Scalar::Column(position) = scalar
        && let Some(column) = columns.get(*position)
    {
        return Column { name: name.to_owned(), stored_as: None, ..column.clone() };
    }
    let kind = bounds::value_type(scalar, columns).unwrap_or(Type::Text);
    let kind = bounded(kind, bounds::range(scalar, columns));
    let keys = match kind {
        ColumnType::Boolean => None,
        _ => domain::of(scalar, columns).map(|keys| keys.values.into_iter().flatten().collect::<Vec<_>>()),
    };
    // A range that is full says the same.
    let whole = match &kind {
        ColumnType::Integer { bounds: Some((low, high)) } => high.checked_sub(*low),
        ColumnType::Date { bounds: Some((low, high)) } => high.checked_sub(*low).map(i64::from),
        _ => None,
    };
    let public_keys = keys.filter(|keys| !keys.is_empty() && whole != Some(keys.len() as i64 - 1));
    let nullable = !bounds::never_null(scalar, columns);
    Column { name: name.to_owned(), stored_as: None, kind, public_keys, nullable }
}

/// A type with the bounds of a range, where it has both.
pub(crate) fn bounded(kind: Type, range: Range) -> ColumnType {
    let whole = match range {
        Range::Whole(Some(low), Some(high)) => Some((low, high)),
        Range::Empty => Some((0, 0)),
        _ => None,
    };
    match kind {
        Type::Boolean => ColumnType::Boolean,
        Type::Text => ColumnType::Text,
        Type::Integer => ColumnType::Integer { bounds: whole },
        Type::Number => ColumnType::Number { bounds: range.finite(), step: None },
        Type::Timestamp => ColumnType::Timestamp { bounds: whole },
        Type::Date => {
            let days = |(low, high)| Some((i32::try_from(low).ok()?, i32::try_from(high).ok()?));
            ColumnType::Date { bounds: whole.and_then(days) }
        }
    }
}

/// Whole numbers from the first to the second, where the second is known.
pub(crate) fn counted(from: i64, most: Option<u64>) -> ColumnType {
    let most = most.map(|most| i64::try_from(most).unwrap_or(i64::MAX).max(from));
    ColumnType::Integer { bounds: most.map(|most| (from, most)) }
}

/// What is known of an aggregate of one person's rows, of which there are at most so many.
pub(crate) fn aggregate(
    aggregate: &ExactAggregate,
    columns: &[Column],
    rows_max: Option<u64>,
    name: &str,
) -> Column {
    let value = of(&aggregate.value, columns, name);
    let column = |kind| Column {
        name: name.to_owned(),
        stored_as: None,
        kind,
        public_keys: None,
        // Rows may all be left out, or be without a value.
        nullable: aggregate.counted.is_some() || value.nullable,
    };
    match aggregate.function {
        ExactFunction::Count => {
            let values =
                value.public_keys.as_ref().filter(|_| aggregate.distinct).map(|keys| keys.len() as u64);
            let most = values.into_iter().chain(rows_max).min();
            Column { nullable: false, ..column(counted(0, most)) }
        }
        ExactFunction::Sum => column(total(&value.kind, rows_max)),
        ExactFunction::Minimum
        | ExactFunction::Maximum
        | ExactFunction::Mode
        | ExactFunction::QuantileDiscrete(_) => {
            Column { public_keys: value.public_keys.clone(), ..column(value.kind.clone()) }
        }
        ExactFunction::Average | ExactFunction::QuantileContinuous(_) => {
            let bounds = ends(&value.kind);
            column(ColumnType::Number { bounds, step: None })
        }
        ExactFunction::Variance { sample, root } => {
            let bounds = ends(&value.kind).map(|(low, high)| spread(&(high - low), sample, root));
            let bounds = bounds.map(|most| (Rational::zero(), most));
            // A sample of one has none.
            Column {
                nullable: sample || aggregate.counted.is_some() || value.nullable,
                ..column(ColumnType::Number { bounds, step: None })
            }
        }
        ExactFunction::Every | ExactFunction::Some => column(ColumnType::Boolean),
    }
}

/// The same of an aggregate over rows that may be none, as a frame may.
pub(crate) fn of_frame(
    aggregate: &ExactAggregate,
    columns: &[Column],
    rows_max: Option<u64>,
    name: &str,
) -> Column {
    let column = self::aggregate(aggregate, columns, rows_max, name);
    Column { nullable: aggregate.function != ExactFunction::Count, ..column }
}

/// The most that variances (r²/4, or r²/2 of samples) and their roots can be, for values within a range r.
fn spread(range: &Rational, sample: bool, root: bool) -> Rational {
    match (sample, root) {
        (false, false) => range * range * Rational::ratio(1, 4),
        (true, false) => range * range * Rational::ratio(1, 2),
        (false, true) => range * &Rational::ratio(1, 2),
        // 1/√2 = 0.70710678…
        (true, true) => range * &Rational::ratio(70_710_679, 100_000_000),
    }
}

/// Both ends of numbers.
fn ends(kind: &ColumnType) -> Option<(Rational, Rational)> {
    match kind {
        ColumnType::Integer { bounds } => {
            bounds.map(|(low, high)| (Rational::from(low), Rational::from(high)))
        }
        ColumnType::Number { bounds, .. } => bounds.clone(),
        _ => None,
    }
}

/// A sum of at most so many values: any of them may be left out.
fn total(kind: &ColumnType, rows_max: Option<u64>) -> ColumnType {
    match kind {
        ColumnType::Integer { bounds } => {
            let rows = rows_max.map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
            let bounds = bounds.zip(rows).map(|((low, high), rows)| {
                (low.min(0).saturating_mul(rows), high.max(0).saturating_mul(rows))
            });
            ColumnType::Integer { bounds }
        }
        ColumnType::Number { bounds, step } => {
            let zero = Rational::zero();
            let bounds = bounds.clone().zip(rows_max).map(|((low, high), rows)| {
                let rows = Rational::from(rows);
                (&low.min(zero.clone()) * &rows, &high.max(zero) * &rows)
            });
            ColumnType::Number { bounds, step: step.clone() }
        }
        other => other.clone(),
    }
}

/// What is known of a column that has the values of both.
pub(crate) fn union(first: &Column, second: &Column) -> Column {
    let kind = match (&first.kind, &second.kind) {
        (ColumnType::Integer { bounds: a }, ColumnType::Integer { bounds: b }) => {
            ColumnType::Integer { bounds: a.zip(*b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))) }
        }
        (ColumnType::Timestamp { bounds: a }, ColumnType::Timestamp { bounds: b }) => {
            ColumnType::Timestamp { bounds: a.zip(*b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))) }
        }
        (ColumnType::Date { bounds: a }, ColumnType::Date { bounds: b }) => {
            ColumnType::Date { bounds: a.zip(*b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))) }
        }
        (ColumnType::Number { bounds: a, step: s }, ColumnType::Number { bounds: b, step: t }) => {
            let bounds = a.clone().zip(b.clone()).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
            ColumnType::Number { bounds, step: s.clone().filter(|_| s == t) }
        }
        (kind, _) => kind.clone(),
    };
    let keys = first.public_keys.clone().zip(second.public_keys.clone()).map(|(mut keys, more)| {
        keys.extend(more);
        let mut seen = std::collections::BTreeSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys
    });
    Column {
        name: first.name.clone(),
        stored_as: None,
        kind,
        public_keys: keys,
        nullable: first.nullable || second.nullable,
    }
}

/// The type of a column's values.
pub(crate) fn kind(column: &Column) -> Type {
    type_of_column(&column.kind)
}
