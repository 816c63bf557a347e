//! From released numbers to aggregates.
//!
//! **Guarantee.** Everything here is computed from released numbers and public ones: post-processing.
//! **NULL** is a quantile where the count beside it cannot tell its group from an empty one, and a statistic of two values
//! where what it is divided by may be nothing.
//! **Bars.** A mean or a variance is moved to the nearest number that its own 95 % bar (`confidence_interval/shape_interval.rs`) allows; where the
//! noisy number of rows says nothing, it is the middle of the bar. What clamping and bounding change is not in a bar; the
//! plan's notes say in words where that may happen.

use pointillist_catalog::Value;
use pointillist_numbers::Rational;
use pointillist_plan::{Aggregate, Formula, PrivatePlan, Type};

use crate::confidence_interval::shape::{Linear, Shape};
use crate::confidence_interval::shape_interval::Bars;
use crate::confidence_interval::variance_parts;
use crate::release::Released;

/// The probability with which an error bar may be wrong: one in twenty, divided among so many that must all hold.
pub(crate) fn beta(parts: u64) -> Rational {
    Rational::ratio(1, 20) / Rational::from(parts.max(1))
}

/// An aggregate of the plan's answer in every group.
pub(crate) fn estimate(
    plan: &PrivatePlan,
    bars: &Bars<'_>,
    released: &Released,
    aggregate: usize,
) -> Vec<Option<Value>> {
    let of = &plan.answer.aggregates[aggregate];
    let shape = Shape::of_aggregate(plan, aggregate);
    let value =
        |group: usize| in_group(plan, bars, of, shape.as_ref(), &|measure| released.measures[measure][group]);
    (0..released.keys.len()).map(value).collect()
}

fn in_group(
    plan: &PrivatePlan,
    bars: &Bars<'_>,
    of: &Aggregate,
    shape: Option<&Shape>,
    measured: &impl Fn(usize) -> i128,
) -> Option<Value> {
    Some(match (&of.formula, shape) {
        (Formula::Sum { .. } | Formula::CentredSum { .. }, Some(Shape::Linear(linear))) => {
            typed(&linear.value(measured), of.kind)
        }
        (Formula::Mean { total, rows, grid }, Some(shape)) => {
            let bar = bars.shape(shape, measured, &beta(1));
            let mean = quotient(measured(*total), measured(*rows)).map(|steps| {
                let mean = grid.midpoint() + steps * plan.aggregation.measures[*total].unit();
                mean.clamp(grid.lower().clone(), grid.upper()).to_f64_nearest()
            });
            float(mean, bar)
        }
        (Formula::Variance { squares, total, rows, grid, sample, root }, _) => {
            let bar = variance_parts(&of.formula).map(|parts| bars.variance(&parts, measured, &beta(1)));
            let unit = |measure: usize| plan.aggregation.measures[measure].unit();
            let count = measured(*rows);
            let enough = count >= if *sample { 2 } else { 1 };
            let moments = quotient(measured(*squares), count).zip(quotient(measured(*total), count));
            let range = grid.upper() - grid.lower().clone();
            let variance = moments.filter(|_| enough).map(|(mean_square, mean)| {
                let centred = mean_square * unit(*squares) + range.squared() * Rational::ratio(1, 8);
                let variance = centred - (mean * unit(*total)).squared();
                let variance = variance.clamp(Rational::zero(), range.squared() * Rational::ratio(1, 4));
                let factor = match sample {
                    true => Rational::from(count) / Rational::from(count - 1),
                    false => Rational::one(),
                };
                let variance = (variance * factor).to_f64_nearest();
                if *root { variance.sqrt() } else { variance }
            });
            float(variance, bar)
        }
        (Formula::Quantile { measure, rows, grid }, _) => {
            let choice = plan.releases[*measure].choice()?;
            let count = Linear::measure(*rows, Rational::one());
            let (fewest, _) = bars.shape(&Shape::Linear(count), measured, &beta(1))?;
            // Where there may be nobody, the point says nothing; an extreme needs people on both sides of its rank.
            let enough = match choice.from_end() {
                None => fewest > 0.0,
                Some(from_end) => fewest > 0.0 && measured(*rows) >= 2 * from_end,
            };
            let index = i64::try_from(measured(*measure)).ok().filter(|_| enough)?;
            return point(&grid.value_of(index), of.kind);
        }
        (Formula::Pair(pair), _) => Value::number(bars.pair(pair, measured, &beta(1)).estimate?)?,
        _ => unreachable!("sums are linear and means are quotients"),
    })
}

/// A grid point as a value of the answer.
fn point(value: &Rational, kind: Type) -> Option<Value> {
    let whole = || i64::try_from(value.floor()).ok();
    match kind {
        Type::Date => Some(Value::Date(i32::try_from(whole()?).ok()?)),
        Type::Timestamp => Some(Value::Timestamp(whole()?)),
        kind => Some(typed(value, kind)),
    }
}

/// A sum over a number of rows, if there are any.
fn quotient(sum: i128, rows: i128) -> Option<Rational> {
    (rows > 0).then(|| Rational::from(sum) / Rational::from(rows))
}

/// A number that its bar allows.
fn float(value: Option<f64>, bar: Option<(f64, f64)>) -> Value {
    let value = match (value, bar) {
        (Some(value), Some((low, high))) => value.max(low).min(high),
        (None, Some((low, high))) => low + (high - low) / 2.0,
        (value, None) => value.unwrap_or(0.0),
    };
    Value::number(value).unwrap_or(Value::Number(0.0))
}

/// A rational as a value of the answer: whole numbers end at the range of 64 bits, others are the nearest float.
fn typed(value: &Rational, kind: Type) -> Value {
    match kind {
        Type::Integer => {
            // Sums of whole numbers from a centred total lie between whole numbers: the nearest is meant.
            let whole = (value + &Rational::ratio(1, 2)).floor();
            let limit = if value.is_negative() { i64::MIN } else { i64::MAX };
            Value::Integer(i64::try_from(whole).unwrap_or(limit))
        }
        _ => Value::number(value.to_f64_nearest()).unwrap_or(Value::Number(0.0)),
    }
}
