//! From released numbers to aggregates with error bars.
//!
//! **Guarantee.** Everything here is computed from released numbers and public ones: post-processing.
//! **Error.** An interval holds the aggregate of the bounded rows with probability at least 95 %, each on its
//! own. What clamping and bounding change is not in it; the plan's notes say in words where that may happen.

use pointillist_catalog::Value;
use pointillist_mechanisms::MechanismError;
use pointillist_mechanisms::mean::{Mean, MeanRelease};
use pointillist_mechanisms::variance::{Variance, VarianceRelease};
use pointillist_numbers::Rational;
use pointillist_privacy::FailureProbability;
use pointillist_query::plan::{Aggregate, Formula, PrivatePlan};
use pointillist_query::scalar::Type;

use crate::release::Released;

/// An aggregate's value in every group, and between which numbers it lies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub values: Vec<Value>,
    pub intervals: Vec<(f64, f64)>,
}

/// The probability with which an error bar may be wrong, one in twenty, divided among what it is made of.
pub(crate) fn beta(parts: u64) -> FailureProbability {
    let share = Rational::ratio(1, 20) / Rational::from(parts.max(1));
    FailureProbability::new(share).expect("a twentieth divided by a number of aggregates is a probability")
}

/// An aggregate of the plan's answer; its intervals fail with probability at most β each.
pub(crate) fn estimate(
    plan: &PrivatePlan,
    released: &Released,
    aggregate: &Aggregate,
    beta: &FailureProbability,
) -> Result<Estimate, MechanismError> {
    let rows_max = plan.aggregation.bound.rows_max();
    let measured = |measure: usize| released.measures[measure].iter().copied();
    let radius = |measure: usize, parts: u64| plan.releases[measure].noise.error_bound_of_all(parts, beta);
    let mut values = Vec::with_capacity(released.keys.len());
    let mut intervals = Vec::with_capacity(released.keys.len());
    match &aggregate.formula {
        Formula::Sum { measure, unit } => {
            let radius = Rational::from(radius(*measure, 1)) * unit.clone();
            for noisy in measured(*measure) {
                let value = Rational::from(noisy) * unit.clone();
                intervals.push(((&value - &radius).to_f64_lower(), (&value + &radius).to_f64_upper()));
                values.push(typed(&value, aggregate.kind));
            }
        }
        Formula::Mean { total, rows, grid } => {
            // Only the formulas of the mechanism are used; the noise was drawn by the plan's own releases.
            let mean = Mean::new(grid, rows_max, &plan.releases[*total].price)?;
            let radii = [radius(*total, 2), radius(*rows, 2)];
            for (centred_sum, count) in measured(*total).zip(measured(*rows)) {
                let released = MeanRelease { centred_sum, count };
                let (low, high) = mean.interval_within(&released, radii);
                // Where the noisy count is not positive the mean is anybody's guess: one that the interval allows.
                values.push(typed(&mean.mean(&released).max(low.clone()).min(high.clone()), aggregate.kind));
                intervals.push(outward((low, high)));
            }
        }
        Formula::Variance { squares, total, rows, grid, sample, root } => {
            let variance = Variance::new(grid, rows_max, &plan.releases[*total].price)?;
            let radii = [radius(*total, 3), radius(*squares, 3), radius(*rows, 3)];
            for ((centred_squares, centred_sum), count) in
                measured(*squares).zip(measured(*total)).zip(measured(*rows))
            {
                let released = VarianceRelease { centred_sum, centred_squares, count };
                let value = match (sample, root) {
                    (false, false) => variance.population(&released),
                    (true, false) => variance.sample(&released),
                    (false, true) => variance.standard_deviation(&released),
                    (true, true) => variance.sample_standard_deviation(&released),
                };
                let (mut low, mut high) = variance.interval_within(&released, radii);
                if *sample {
                    // n/(n − 1) falls with n, and a sample variance has at least two rows.
                    let factor =
                        |count: i128| Rational::from(count.max(2)) / Rational::from(count.max(2) - 1);
                    low = low * factor(count.saturating_add(radii[2]));
                    high = high * factor(count.saturating_sub(radii[2]));
                }
                let (mut low, mut high) = outward((low, high));
                if *root {
                    (low, high) = (low.max(0.0).sqrt().next_down().max(0.0), high.sqrt().next_up());
                }
                // As above: a guess, where there is nothing to go by, is one that the interval allows.
                values.push(Value::number(nearest(&value).max(low).min(high)).unwrap_or(Value::Number(0.0)));
                intervals.push((low, high));
            }
        }
    }
    Ok(Estimate { values, intervals })
}

fn outward((low, high): (Rational, Rational)) -> (f64, f64) {
    (low.to_f64_lower(), high.to_f64_upper())
}

/// A rational as a value of the answer: whole numbers end at the range of 64 bits, others are the nearest float.
fn typed(value: &Rational, kind: Type) -> Value {
    match kind {
        Type::Integer => {
            let whole = value.floor();
            let limit = if value.is_negative() { i64::MIN } else { i64::MAX };
            Value::Integer(i64::try_from(whole).unwrap_or(limit))
        }
        _ => Value::number(nearest(value)).unwrap_or(Value::Number(0.0)),
    }
}

/// The float nearest to a rational; the even one of two is not sought, either is within half a unit.
fn nearest(value: &Rational) -> f64 {
    let (low, high) = (value.to_f64_lower(), value.to_f64_upper());
    match (Rational::from_f64(low), Rational::from_f64(high)) {
        (Ok(below), Ok(above)) if &above - value < value - &below => high,
        _ => low,
    }
}
