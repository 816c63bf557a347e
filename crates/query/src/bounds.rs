//! Between which public numbers an expression lies: from the owner's bounds, constants and operators alone.
//!
//! **Guarantee.** Where every column lies within its declared bounds and the expression is not NULL, its value lies in the
//! range; ends of functions are rounded outwards. A row may hold anything, and conditions and keys see what it holds: so
//! the range is not a fact about values, it is what they are moved into. The one place that needs it to hold, the
//! argument of an aggregate, gets the range as its grid, and the grid clamps every value (`measure.rs`): expressions
//! are computed from the values of the file, and their result is clamped once, before it is added up. Keys outside the
//! domain that a range makes are left out, whatever the data (`domain.rs`). A range that were too narrow would bias an
//! answer and never break a promise.
//! **Dates** are counted in days, timestamps in microseconds.

use pointillist_catalog::calendar::{DAY, DAYS};
use pointillist_catalog::{Column, ColumnType, Value};
use pointillist_numbers::Rational;
use pointillist_plan::{Arithmetic, DatePart, Function, Scalar, Type, date_units, type_of, type_of_column};

/// The public range of an expression; `None` and infinities are ends that nobody declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    /// Always NULL.
    Empty,
    /// Whole numbers, days or microseconds.
    Whole(Option<i64>, Option<i64>),
    /// Numbers.
    Real(f64, f64),
    /// No number at all.
    Other,
}

use Range::{Empty, Other, Real, Whole};

impl Range {
    /// Both ends, if both are known.
    pub(crate) fn finite(self) -> Option<(Rational, Rational)> {
        match self {
            Whole(Some(low), Some(high)) => Some((Rational::from(low), Rational::from(high))),
            Real(low, high) if low.is_finite() && high.is_finite() => Some((rational(low), rational(high))),
            Empty => Some((Rational::zero(), Rational::zero())),
            _ => None,
        }
    }

    fn hull(self, other: Self) -> Self {
        match (self, other) {
            (Empty, range) | (range, Empty) => range,
            (Whole(a, b), Whole(c, d)) => {
                Whole(a.zip(c).map(|(a, c)| a.min(c)), b.zip(d).map(|(b, d)| b.max(d)))
            }
            (Real(a, b), Real(c, d)) => Real(a.min(c), b.max(d)),
            _ => Other,
        }
    }

    fn real(self) -> Self {
        match self {
            Whole(low, high) => Real(
                low.map_or(f64::NEG_INFINITY, |low| low as f64),
                high.map_or(f64::INFINITY, |high| high as f64),
            ),
            other => other,
        }
    }
}

/// The exact value of a finite float; what is too small to convert is next to zero.
fn rational(value: f64) -> Rational {
    Rational::from_f64(value).unwrap_or_else(|_| Rational::zero())
}

/// The range of an expression over these columns.
pub(crate) fn range(scalar: &Scalar, columns: &[Column]) -> Range {
    let of = |inner: &Scalar| range(inner, columns);
    match scalar {
        Scalar::Column(column) => columns.get(*column).map_or(Other, |column| declared(&column.kind)),
        Scalar::Constant(value) => constant(value),
        Scalar::Null(_) => Empty,
        Scalar::Arithmetic(how, left, right) => arithmetic(*how, of(left), of(right)),
        Scalar::Case(branches, last) => {
            branches.iter().map(|(_, value)| of(value)).fold(of(last), Range::hull)
        }
        Scalar::Cast(inner, kind) => cast(inner, of(inner), *kind, columns),
        Scalar::Call(function, arguments) => call(*function, arguments, columns),
        Scalar::Not(_)
        | Scalar::All(_)
        | Scalar::Any(_)
        | Scalar::Compare(..)
        | Scalar::IsNull(_)
        | Scalar::Like { .. } => Other,
    }
}

fn declared(kind: &ColumnType) -> Range {
    match kind {
        ColumnType::Integer { bounds } | ColumnType::Timestamp { bounds } => {
            Whole(bounds.map(|(low, _)| low), bounds.map(|(_, high)| high))
        }
        ColumnType::Date { bounds } => {
            Whole(bounds.map(|(low, _)| low.into()), bounds.map(|(_, high)| high.into()))
        }
        ColumnType::Number { bounds: Some((low, high)), .. } => Real(low.to_f64_lower(), high.to_f64_upper()),
        ColumnType::Number { bounds: None, .. } => Real(f64::NEG_INFINITY, f64::INFINITY),
        ColumnType::Boolean | ColumnType::Text => Other,
    }
}

fn constant(value: &Value) -> Range {
    match value {
        Value::Integer(number) | Value::Timestamp(number) => Whole(Some(*number), Some(*number)),
        Value::Date(days) => Whole(Some((*days).into()), Some((*days).into())),
        Value::Number(number) => Real(*number, *number),
        Value::Boolean(_) | Value::Text(_) => Other,
    }
}

fn arithmetic(how: Arithmetic, left: Range, right: Range) -> Range {
    match (left, right) {
        (Empty, _) | (_, Empty) => Empty,
        (Whole(a, b), Whole(c, d)) => whole_arithmetic(how, (a, b), (c, d)),
        (Real(a, b), Real(c, d)) => real_arithmetic(how, (a, b), (c, d)),
        _ => Other,
    }
}

type Ends = (Option<i64>, Option<i64>);

/// Whole numbers saturate when rows are read, and so do their ends here.
fn whole_arithmetic(how: Arithmetic, (a, b): Ends, (c, d): Ends) -> Range {
    let each = |left: Option<i64>, right: Option<i64>, combine: fn(i64, i64) -> i64| {
        left.zip(right).map(|(left, right)| combine(left, right))
    };
    let corners = |combine: fn(i64, i64) -> i64| match (a, b, c, d) {
        (Some(a), Some(b), Some(c), Some(d)) => {
            let all = [combine(a, c), combine(a, d), combine(b, c), combine(b, d)];
            Whole(all.into_iter().min(), all.into_iter().max())
        }
        _ => Whole(None, None),
    };
    match how {
        Arithmetic::Add => Whole(each(a, c, i64::saturating_add), each(b, d, i64::saturating_add)),
        Arithmetic::Subtract => Whole(each(a, d, i64::saturating_sub), each(b, c, i64::saturating_sub)),
        Arithmetic::Multiply => corners(i64::saturating_mul),
        Arithmetic::Divide => match (a, b, c, d) {
            (Some(_), Some(_), Some(c), Some(d)) if c > 0 || d < 0 => corners(i64::saturating_div),
            // A divisor of at least one in magnitude makes nothing larger.
            (Some(a), Some(b), _, _) => {
                let most = magnitude(a).max(magnitude(b));
                Whole(Some(a.min(-most)), Some(most))
            }
            _ => Whole(None, None),
        },
        Arithmetic::Remainder => {
            let divisor = c.zip(d).map(|(c, d)| (magnitude(c).max(magnitude(d)) - 1).max(0));
            let low = match (a, divisor) {
                (Some(a), _) if a >= 0 => Some(0),
                (Some(a), Some(most)) => Some(a.max(-most)),
                (Some(a), None) => Some(a),
                (None, most) => most.map(|most| -most),
            };
            let high = match (b, divisor) {
                (Some(b), _) if b <= 0 => Some(0),
                (Some(b), Some(most)) => Some(b.min(most)),
                (Some(b), None) => Some(b),
                (None, most) => most,
            };
            Whole(low, high)
        }
    }
}

fn magnitude(value: i64) -> i64 {
    value.saturating_abs()
}

fn real_arithmetic(how: Arithmetic, (a, b): (f64, f64), (c, d): (f64, f64)) -> Range {
    match how {
        Arithmetic::Add => known(a + c, b + d),
        Arithmetic::Subtract => known(a - d, b - c),
        Arithmetic::Multiply => corners([a * c, a * d, b * c, b * d]),
        Arithmetic::Divide if c > 0.0 || d < 0.0 => corners([a / c, a / d, b / c, b / d]),
        Arithmetic::Divide => Real(f64::NEG_INFINITY, f64::INFINITY),
        Arithmetic::Remainder => {
            let most = c.abs().max(d.abs());
            let low = if a >= 0.0 { 0.0 } else { a.max(-most) };
            let high = if b <= 0.0 { 0.0 } else { b.min(most) };
            known(low, high)
        }
    }
}

fn corners(all: [f64; 4]) -> Range {
    if all.iter().any(|corner| corner.is_nan()) {
        return Real(f64::NEG_INFINITY, f64::INFINITY);
    }
    known(all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// Rounding is monotone, so ends that went through the same float operation as the values need no widening.
fn known(low: f64, high: f64) -> Range {
    Real(if low.is_nan() { f64::NEG_INFINITY } else { low }, if high.is_nan() { f64::INFINITY } else { high })
}

fn cast(inner: &Scalar, range: Range, kind: Type, columns: &[Column]) -> Range {
    const WIDE: f64 = 9e18;
    match (range, kind) {
        (Empty, _) => Empty,
        (Whole(..), Type::Number) => range.real(),
        (Real(low, high), Type::Integer) => {
            Whole((low > -WIDE).then(|| low.floor() as i64), (high < WIDE).then(|| high.ceil() as i64))
        }
        (Whole(low, high), Type::Timestamp) => {
            Whole(low.map(|low| low.saturating_mul(DAY)), high.map(|high| high.saturating_mul(DAY)))
        }
        (Whole(low, high), Type::Date) => {
            Whole(low.map(|low| low.div_euclid(DAY)), high.map(|high| high.div_euclid(DAY)))
        }
        (Other, Type::Integer) if value_type(inner, columns) == Some(Type::Boolean) => {
            Whole(Some(0), Some(1))
        }
        (_, Type::Integer | Type::Date | Type::Timestamp) => Whole(None, None),
        (_, Type::Number) => Real(f64::NEG_INFINITY, f64::INFINITY),
        _ => Other,
    }
}

/// The type of an expression over these columns.
pub(crate) fn value_type(scalar: &Scalar, columns: &[Column]) -> Option<Type> {
    let types: Vec<Type> = columns.iter().map(|column| type_of_column(&column.kind)).collect();
    type_of(scalar, &types)
}

/// Whether an expression has a value in every row that a question looks at: rows without a value in a column that is
/// declared not nullable are left out of every question that uses it (`select.rs`).
pub(crate) fn never_null(scalar: &Scalar, columns: &[Column]) -> bool {
    use pointillist_plan::Comparison;
    let always = |inner: &Scalar| never_null(inner, columns);
    match scalar {
        Scalar::Column(column) => columns.get(*column).is_some_and(|column| !column.nullable),
        Scalar::Constant(_) | Scalar::IsNull(_) | Scalar::Compare(Comparison::NotDistinct, ..) => true,
        Scalar::Compare(_, left, right) => always(left) && always(right),
        Scalar::Not(inner) => always(inner),
        Scalar::Like { value, .. } => always(value),
        Scalar::All(all) | Scalar::Any(all) => all.iter().all(always),
        Scalar::Case(branches, last) => branches.iter().all(|(_, value)| always(value)) && always(last),
        // Whole numbers saturate; sums and products of other numbers may be too large, which is NULL.
        Scalar::Arithmetic(Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply, left, right) => {
            let whole = |side: &Scalar| matches!(range(side, columns), Whole(..));
            whole(left) && whole(right) && always(left) && always(right)
        }
        Scalar::Call(Function::Coalesce | Function::Least | Function::Greatest, arguments) => {
            arguments.iter().any(always)
        }
        Scalar::Call(Function::Absolute, arguments) => arguments.iter().all(always),
        Scalar::Cast(inner, Type::Number) => matches!(range(inner, columns), Whole(..)) && always(inner),
        Scalar::Call(Function::Concat, _) => true,
        _ => false,
    }
}

fn call(function: Function, arguments: &[Scalar], columns: &[Column]) -> Range {
    let of = |position: usize| arguments.get(position).map_or(Other, |argument| range(argument, columns));
    if let Function::Coalesce = function {
        return arguments.iter().map(|argument| range(argument, columns)).fold(Empty, Range::hull);
    }
    if let Function::Least | Function::Greatest = function {
        return extreme(function == Function::Greatest, arguments, columns);
    }
    match (function, of(0)) {
        (Function::NullIf, range) => range,
        (Function::Absolute, Whole(low, high)) => {
            let most = low.zip(high).map(|(low, high)| magnitude(low).max(magnitude(high)));
            let least = match (low, high) {
                (Some(low), _) if low > 0 => low,
                (_, Some(high)) if high < 0 => magnitude(high),
                _ => 0,
            };
            Whole(Some(least), most)
        }
        (Function::Absolute, Real(low, high)) => {
            let least = if low > 0.0 {
                low
            } else if high < 0.0 {
                -high
            } else {
                0.0
            };
            Real(least, low.abs().max(high.abs()))
        }
        (Function::Sign, Whole(..)) => Whole(Some(-1), Some(1)),
        (Function::Sign, Real(..)) => Real(-1.0, 1.0),
        (Function::Floor, Real(low, high)) => Real(low.floor(), high.floor()),
        (Function::Ceiling, Real(low, high)) => Real(low.ceil(), high.ceil()),
        (Function::Round, Real(low, high)) => {
            let half = match arguments.get(1) {
                Some(Scalar::Constant(Value::Integer(places))) => 0.5 * 10f64.powi(-(*places as i32)),
                _ => f64::INFINITY,
            };
            known(low - half, high + half)
        }
        (Function::SquareRoot, Real(_, high)) => Real(0.0, high.max(0.0).sqrt().next_up()),
        (Function::Exponential, Real(low, high)) => {
            Real((low.exp() * (1.0 - 1e-9)).max(0.0), (high.exp() * (1.0 + 1e-9)).next_up())
        }
        (Function::NaturalLogarithm, Real(low, high)) => logarithm(low, high, f64::ln),
        (Function::CommonLogarithm, Real(low, high)) => logarithm(low, high, f64::log10),
        (Function::Power, Real(low, high)) => match of(1) {
            Real(exponent, same) if exponent == same => power(low, high, exponent),
            _ => Real(f64::NEG_INFINITY, f64::INFINITY),
        },
        (Function::Length | Function::Position, _) => Whole(Some(0), None),
        // Ends go through the operation of the values, which is monotone: counts of microseconds to the nearest float.
        (Function::Epoch, Whole(low, high)) => {
            let per_unit = if is_day(arguments.first(), columns) { DAY } else { 1 };
            let seconds = |end: i64| end.saturating_mul(per_unit) as f64 / 1e6;
            Real(low.map_or(f64::NEG_INFINITY, seconds), high.map_or(f64::INFINITY, seconds))
        }
        (Function::DatePart(part), range) => date_part(part, range, arguments.first(), columns),
        (Function::DateTruncate(_), range @ Whole(low, high)) => match (low, high) {
            // The beginning of a unit lies at most a year before.
            (Some(low), high) => Whole(
                Some(low.saturating_sub(if is_day(arguments.first(), columns) { 366 } else { 366 * DAY })),
                high,
            ),
            _ => range,
        },
        (Function::WidthBucket, _) => match arguments.get(3) {
            Some(Scalar::Constant(Value::Integer(count))) => Whole(Some(0), Some(count.saturating_add(1))),
            _ => Whole(Some(0), None),
        },
        (Function::AddDays | Function::AddMonths, Whole(low, high))
            if !is_day(arguments.first(), columns) =>
        {
            // By whole days around: a moment keeps its time of day.
            let days = |end: Option<i64>| end.map(|end| end.div_euclid(DAY));
            match moved_days(function, (days(low), days(high)), ends(of(1))) {
                Whole(low, high) => Whole(
                    low.map(|low| low.saturating_mul(DAY)),
                    high.map(|high| high.saturating_mul(DAY).saturating_add(DAY - 1)),
                ),
                other => other,
            }
        }
        (Function::AddDays | Function::AddMonths, Whole(low, high)) => {
            moved_days(function, (low, high), ends(of(1)))
        }
        (Function::DaysBetween, Whole(low, high)) => {
            whole_arithmetic(Arithmetic::Subtract, (low, high), ends(of(1)))
        }
        (Function::AddDays | Function::AddMonths | Function::DaysBetween, _) => Whole(None, None),
        (
            Function::Absolute
            | Function::Sign
            | Function::Floor
            | Function::Ceiling
            | Function::Round
            | Function::SquareRoot
            | Function::Exponential
            | Function::NaturalLogarithm
            | Function::CommonLogarithm
            | Function::Power
            | Function::Epoch,
            Empty,
        ) => Empty,
        _ => Other,
    }
}

/// The days between which days lie that are moved by so many days or months.
fn moved_days(function: Function, days: Ends, (fewest, most): Ends) -> Range {
    let length = |months: Option<i64>, long: bool| {
        months.map(|months| months.saturating_mul(if (months > 0) == long { 31 } else { 28 }))
    };
    let by = match function {
        Function::AddMonths => (length(fewest, false), length(most, true)),
        _ => (fewest, most),
    };
    in_calendar(whole_arithmetic(Arithmetic::Add, days, by))
}

fn ends(range: Range) -> Ends {
    match range {
        Whole(low, high) => (low, high),
        _ => (None, None),
    }
}

/// LEAST and GREATEST pass over NULL: only what is never NULL limits them on the far side.
fn extreme(greatest: bool, arguments: &[Scalar], columns: &[Column]) -> Range {
    let ranges: Vec<(Range, bool)> =
        arguments.iter().map(|argument| (range(argument, columns), never_null(argument, columns))).collect();
    let whole = ranges.iter().all(|(range, _)| matches!(range, Whole(..) | Empty));
    if whole {
        let low = |range: &Range| ends(*range).0;
        let high = |range: &Range| ends(*range).1;
        let present = || ranges.iter().filter(|(range, _)| *range != Empty);
        let all = |end: &dyn Fn(&Range) -> Option<i64>| {
            present().map(|(range, _)| end(range)).collect::<Option<Vec<_>>>()
        };
        let sure = |end: &dyn Fn(&Range) -> Option<i64>| {
            present().filter(|(_, sure)| *sure).filter_map(|(range, _)| end(range)).collect::<Vec<_>>()
        };
        return if greatest {
            let least = sure(&low).into_iter().max().or_else(|| all(&low)?.into_iter().min());
            Whole(least, all(&high).and_then(|all| all.into_iter().max()))
        } else {
            let most = sure(&high).into_iter().min().or_else(|| all(&high)?.into_iter().max());
            Whole(all(&low).and_then(|all| all.into_iter().min()), most)
        };
    }
    let real: Option<Vec<(f64, f64, bool)>> = ranges
        .iter()
        .filter(|(range, _)| *range != Empty)
        .map(|(range, sure)| match range {
            Real(low, high) => Some((*low, *high, *sure)),
            _ => None,
        })
        .collect();
    let Some(real) = real else { return Other };
    let lowest = real.iter().map(|(low, ..)| *low).fold(f64::INFINITY, f64::min);
    let highest = real.iter().map(|(_, high, _)| *high).fold(f64::NEG_INFINITY, f64::max);
    let sure = || real.iter().filter(|(.., sure)| *sure);
    if greatest {
        Real(sure().map(|(low, ..)| *low).fold(lowest, f64::max), highest)
    } else {
        Real(lowest, sure().map(|(_, high, _)| *high).fold(highest, f64::min))
    }
}

fn logarithm(low: f64, high: f64, function: fn(f64) -> f64) -> Range {
    // The least positive float has a logarithm too: no end is infinite.
    let low = if low > 0.0 { low } else { f64::from_bits(1) };
    if high <= 0.0 {
        return Empty;
    }
    let widened = |value: f64, by: f64| value + by * (value.abs() * 1e-9 + 1e-9);
    Real(widened(function(low), -1.0), widened(function(high), 1.0))
}

fn power(low: f64, high: f64, exponent: f64) -> Range {
    let wide = |value: f64| value * (1.0 + 1e-9);
    if exponent == 2.0 {
        let most = low.abs().max(high.abs());
        return Real(0.0, wide(most * most).next_up());
    }
    if low < 0.0 || exponent < 0.0 {
        return Real(f64::NEG_INFINITY, f64::INFINITY);
    }
    Real(0.0, wide(high.powf(exponent)).next_up())
}

fn is_day(argument: Option<&Scalar>, columns: &[Column]) -> bool {
    argument.and_then(|argument| value_type(argument, columns)) == Some(Type::Date)
}

/// The days of a range that exist; all others are NULL.
fn in_calendar(range: Range) -> Range {
    let Whole(low, high) = range else { return range };
    let (first, last) = DAYS;
    let (low, high) = (low.map(|low| low.max(first.into())), high.map(|high| high.min(last.into())));
    match (low, high) {
        (Some(low), Some(high)) if low > high => Empty,
        _ => Whole(low, high),
    }
}

fn date_part(part: DatePart, range: Range, argument: Option<&Scalar>, columns: &[Column]) -> Range {
    let (least, most) = match part {
        DatePart::Year => {
            let per_day = if is_day(argument, columns) { 1 } else { DAY };
            let year =
                |end: Option<i64>| end.map(|end| date_units::year_of(end.div_euclid(per_day)).clamp(1, 9999));
            let (low, high) = ends(range);
            (year(low).unwrap_or(1), year(high).unwrap_or(9999))
        }
        DatePart::Quarter => (1, 4),
        DatePart::Month => (1, 12),
        DatePart::Week => (1, 53),
        DatePart::Day => (1, 31),
        DatePart::DayOfWeek => (0, 6),
        DatePart::DayOfYear => (1, 366),
        DatePart::Hour => (0, 23),
        DatePart::Minute | DatePart::Second => (0, 59),
    };
    Whole(Some(least), Some(most))
}
