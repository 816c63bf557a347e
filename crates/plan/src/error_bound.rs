//! How wrong a count or a sum may be, before anything is paid: a function of the plan's noise alone.
//!
//! Means, variances and statistics of two values have none: theirs depends on how many rows there are, which nobody may
//! know. Quantiles have one in ranks ([`AggregateNoise::rank_error_95`](crate::AggregateNoise::rank_error_95)), not in values.

use pointillist_mechanisms::number::noise_sum::{Noise, Sureness, quantile};
use pointillist_numbers::Rational;
use pointillist_privacy::FailureProbability;

use crate::{Formula, Measure, Release};

/// The noise of a count or a sum, in values, stays within this with probability at least 1 − β.
pub fn error_bound(
    formula: &Formula,
    measures: &[Measure],
    releases: &[Release],
    beta: &FailureProbability,
) -> Option<Rational> {
    match formula {
        Formula::Sum { measure, unit } => {
            Some(Rational::from(releases[*measure].noise().error_bound(beta)) * unit.clone())
        }
        Formula::CentredSum { total, rows, grid } => {
            let part = |measure: usize, weight: Rational| {
                (weight.to_f64_upper(), Noise::of(releases[measure].noise()))
            };
            let parts = [part(*total, measures[*total].unit()), part(*rows, grid.midpoint())];
            Rational::from_f64(quantile(&parts, &Sureness::new(beta.value())).next_up()).ok()
        }
        Formula::Mean { .. } | Formula::Variance { .. } | Formula::Quantile { .. } | Formula::Pair(_) => None,
    }
}
