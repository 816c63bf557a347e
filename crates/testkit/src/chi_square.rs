//! Does a sampler have the distribution it claims? Pearson's χ² test on merged cells.
//!
//! **False alarm.** [`assert_distribution`] fails a correct sampler with probability about [`FALSE_ALARM`].
//! The χ² approximation is good to that depth because no cell expects fewer than ten samples.
//! **Power.** At a million draws, a scale wrong by 3 % in either direction is rejected; the tests below show
//! it.

use std::ops::RangeInclusive;

use crate::beta::binomial_tail;
use crate::gamma::chi_square_tail;

/// Assertions on distributions fail below this p-value.
pub const FALSE_ALARM: f64 = 1e-9;

/// Neighbouring cells are merged until each expects this many samples.
const EXPECTED_MIN: f64 = 10.0;
/// Probabilities of a distribution add up to one within this.
const SUM_TOLERANCE: f64 = 1e-6;
/// A remainder outside the support below this may be rounding, so its two sides are not told apart.
const REMAINDER_MIN: f64 = 1e-9;
/// The rounding error a sum of probabilities may carry.
const ROUNDING: f64 = 1e-15;
/// How far a tail is followed.
const TAIL_TERMS_MAX: i64 = 1_000_000;
/// A tail ends after this many negligible terms in a row; lattices with gaps have zeros in between.
const NEGLIGIBLE_RUN: usize = 64;

/// The p-value of Pearson's χ² test: the probability that samples with these cell probabilities look at least
/// as unlikely as the observed counts.
///
/// Cells are merged with their neighbours, from left to right, until each expects ten samples. An observation
/// in a cell of probability zero gives zero at once: merging must not hide the impossible.
///
/// # Panics
/// When the lengths differ, or the probabilities are not a distribution.
pub fn chi_square_p_value(observed: &[u64], expected_probabilities: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected_probabilities.len(), "one probability for each cell");
    let sum: f64 = expected_probabilities.iter().sum();
    let valid = expected_probabilities.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() <= SUM_TOLERANCE;
    assert!(valid, "the cell probabilities add up to {sum}, not to one");

    let impossible = |(count, p): (&u64, &f64)| *count > 0 && *p == 0.0;
    if observed.iter().zip(expected_probabilities).any(impossible) {
        return 0.0;
    }
    let n = observed.iter().sum::<u64>() as f64;
    let cells =
        merged(observed.iter().zip(expected_probabilities).map(|(count, p)| (*count as f64, n * p / sum)));
    match cells.len() {
        0 | 1 => 1.0,
        count => {
            let statistic = cells.iter().map(|(seen, expected)| (seen - expected).powi(2) / expected).sum();
            chi_square_tail(statistic, count - 1)
        }
    }
}

/// The p-value of integer samples against a probability mass function: χ² over the cells of `support` and the
/// two tails outside it, combined with an exact binomial test of the number of samples outside.
///
/// `support` need not hold everything: what `pmf` gives outside it is added up to form the tails. When
/// `support` holds everything but 1e-9, `pmf` is not asked outside.
///
/// # Panics
/// When `pmf` does not add up to one.
pub fn distribution_p_value(
    samples: impl IntoIterator<Item = i64>,
    pmf: impl Fn(i64) -> f64,
    support: RangeInclusive<i64>,
) -> f64 {
    let (first, last) = (*support.start(), *support.end());
    let cells: Vec<f64> = support.map(&pmf).collect();
    let inside: f64 = cells.iter().sum();
    // Rounding could make the remainder vanish, and one rare sample impossible; the floor costs no power.
    let outside = (1.0 - inside).max(ROUNDING);
    let tails = if outside <= REMAINDER_MIN {
        [outside / 2.0; 2]
    } else {
        let below = tail((1..=TAIL_TERMS_MAX).map_while(|step| first.checked_sub(step)).map(&pmf));
        let above = tail((1..=TAIL_TERMS_MAX).map_while(|step| last.checked_add(step)).map(&pmf));
        [below, above]
    };

    let mut counts = vec![0u64; cells.len() + 2];
    for sample in samples {
        let cell = match sample {
            _ if sample < first => 0,
            _ if sample > last => cells.len() + 1,
            _ => usize::try_from(sample - first).expect("a support that fits memory") + 1,
        };
        counts[cell] += 1;
    }
    let seen_outside = counts[0] + counts[cells.len() + 1];
    let n = counts.iter().sum();
    let probabilities: Vec<f64> = [&tails[..1], &cells, &tails[1..]].concat();
    // Two tests, so each p-value counts double.
    let p_value = chi_square_p_value(&counts, &probabilities).min(binomial_tail(seen_outside, n, outside));
    (2.0 * p_value).min(1.0)
}

/// Fails unless the samples fit the probability mass function; see [`distribution_p_value`].
///
/// False alarm: about 1e-9 for each call.
///
/// # Panics
/// When the p-value is below [`FALSE_ALARM`]; the message names it.
#[track_caller]
pub fn assert_distribution(
    samples: impl IntoIterator<Item = i64>,
    pmf: impl Fn(i64) -> f64,
    support: RangeInclusive<i64>,
    context: &str,
) {
    let mut n = 0u64;
    let counted = samples.into_iter().inspect(|_| n += 1);
    let p_value = distribution_p_value(counted, pmf, support);
    assert!(
        p_value >= FALSE_ALARM,
        "{context}: {n} samples do not fit the distribution, p-value {p_value:e} is below {FALSE_ALARM:e}"
    );
}

/// Adds neighbours together until each cell expects enough; what is left at the right joins the last cell.
fn merged(cells: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut merged: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (seen, expected) in cells {
        open = (open.0 + seen, open.1 + expected);
        if open.1 >= EXPECTED_MIN {
            merged.push(open);
            open = (0.0, 0.0);
        }
    }
    match merged.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => merged.push(open),
    }
    merged
}

/// The sum of probabilities going outwards, until nothing worth adding follows.
fn tail(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    let mut negligible = 0;
    for term in terms {
        sum += term;
        negligible = if term <= sum * 1e-12 { negligible + 1 } else { 0 };
        if negligible == NEGLIGIBLE_RUN {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded;

    fn uniform(words: &mut impl FnMut() -> u64) -> f64 {
        ((words() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Discrete Laplace by inversion: the difference of two geometric variables.
    fn laplace(scale: f64, words: &mut impl FnMut() -> u64) -> i64 {
        let geometric = |u: f64| (u.ln() * -scale).floor() as i64;
        geometric(uniform(words)) - geometric(uniform(words))
    }

    fn laplace_pmf(scale: f64) -> impl Fn(i64) -> f64 {
        move |k| (0.5 / scale).tanh() * (-(k.abs() as f64) / scale).exp()
    }

    fn die(sides: u64, words: &mut impl FnMut() -> u64) -> i64 {
        i64::try_from(words() % sides).unwrap() + 1
    }

    /// False alarm: 1e-9. Power: the biased die shows six 20 % more often than it should.
    #[test]
    fn a_fair_die_passes_and_a_biased_die_is_rejected() {
        let mut words = seeded(11);
        let fair: Vec<i64> = (0..60_000).map(|_| die(6, &mut words)).collect();
        assert_distribution(fair, |_| 1.0 / 6.0, 1..=6, "a fair die");
        let biased = (0..60_000).map(|_| match die(30, &mut words) {
            roll @ 1..=24 => (roll - 1) % 5 + 1,
            _ => 6,
        });
        assert!(distribution_p_value(biased, |_| 1.0 / 6.0, 1..=6) < FALSE_ALARM);
    }

    /// A test of the distribution must see both too little and too much noise, 3 % off in either direction.
    #[test]
    fn a_scale_off_by_three_percent_is_rejected_at_a_million_draws() {
        let mut words = seeded(12);
        let samples: Vec<i64> = (0..1_000_000).map(|_| laplace(10.0, &mut words)).collect();
        let p_value = |scale: f64, reach: i64| {
            distribution_p_value(samples.iter().copied(), laplace_pmf(scale), -reach..=reach)
        };
        for reach in [20, 100, 400] {
            assert!(p_value(10.0, reach) > 1e-6, "reach {reach}");
            assert!(p_value(9.7, reach) < FALSE_ALARM, "reach {reach}");
            assert!(p_value(10.3, reach) < FALSE_ALARM, "reach {reach}");
        }
    }

    #[test]
    fn p_values_of_a_correct_sampler_are_uniform() {
        let mut words = seeded(13);
        let p_values: Vec<f64> = (0..400)
            .map(|_| {
                let samples: Vec<i64> = (0..2_000).map(|_| laplace(3.0, &mut words)).collect();
                distribution_p_value(samples, laplace_pmf(3.0), -10..=10)
            })
            .collect();
        // The factor of two for two tests makes small p-values at most as frequent as they should be. 0.12 is
        // a Hoeffding radius with a false alarm of 2e-5, and the seed is fixed.
        for level in [0.1, 0.25, 0.5] {
            let share = p_values.iter().filter(|p| **p < level).count() as f64 / 400.0;
            assert!(share <= level + 0.12, "{level}: {share}");
            assert!(share >= level / 2.0 - 0.12, "{level}: {share}");
        }
    }

    #[test]
    fn the_impossible_is_noticed_even_once() {
        assert_eq!(chi_square_p_value(&[500, 499, 1], &[0.5, 0.5, 0.0]), 0.0);
        assert!(chi_square_p_value(&[500, 500, 0], &[0.5, 0.5, 0.0]) > 0.5);
        let rolls = (0..6_000).map(|i| if i < 2 { 7 } else { i % 6 + 1 });
        assert!(distribution_p_value(rolls, |_| 1.0 / 6.0, 1..=6) < FALSE_ALARM);
    }

    #[test]
    fn a_support_without_one_tail_is_told_from_the_other() {
        // Geometric on 0, 1, …: a sample below zero has probability zero.
        let pmf = |k: i64| {
            if k < 0 { 0.0 } else { 0.5f64.powi(i32::try_from(k).unwrap() + 1) }
        };
        let mut words = seeded(14);
        let mut samples: Vec<i64> = (0..10_000).map(|_| i64::from(words().trailing_zeros())).collect();
        assert!(distribution_p_value(samples.clone(), pmf, 0..=3) > 1e-6);
        samples.push(-1);
        assert_eq!(distribution_p_value(samples, pmf, 0..=3), 0.0);
    }

    #[test]
    fn small_cells_are_merged_with_their_neighbours() {
        let cells = merged([(1.0, 4.0), (2.0, 7.0), (3.0, 30.0), (4.0, 2.0)].into_iter());
        assert_eq!(cells, [(3.0, 11.0), (7.0, 32.0)]);
        assert_eq!(chi_square_p_value(&[2, 3], &[0.5, 0.5]), 1.0, "five samples say nothing");
    }

    /// Reference: `scipy.stats.chisquare([90, 110, 100])`, statistic 2, two degrees of freedom.
    #[test]
    fn the_p_value_is_pearsons() {
        let third = 1.0 / 3.0;
        let p_value = chi_square_p_value(&[90, 110, 100], &[third, third, third]);
        assert!((p_value - 0.367_879_441_171_442).abs() < 1e-12);
    }

    #[test]
    #[should_panic(expected = "the biased die: 6000 samples do not fit the distribution, p-value")]
    fn a_failure_names_the_sampler_and_the_p_value() {
        assert_distribution((0..6_000).map(|_| 1), |_| 1.0 / 6.0, 1..=6, "the biased die");
    }

    #[test]
    #[should_panic(expected = "add up to")]
    fn a_mass_function_that_is_none_is_a_mistake() {
        distribution_p_value([1, 2, 3], |_| 0.1, 1..=3);
    }
}
