//! Confidence bounds on a probability, from a count.

use crate::beta::binomial_tail;

/// How far the frequency of an event in `n` independent draws strays from its probability: farther than this
/// only with probability `false_alarm` (Hoeffding, two-sided).
pub fn hoeffding_radius(n: u64, false_alarm: f64) -> f64 {
    ((2.0 / false_alarm).ln() / (2.0 * n as f64)).sqrt()
}

/// A number that exceeds the probability of success with probability at most `alpha` (Clopper and Pearson
/// 1934, one-sided).
///
/// # Panics
/// When there are more successes than trials.
pub fn clopper_pearson_lower(successes: u64, n: u64, alpha: f64) -> f64 {
    assert!(successes <= n, "{successes} successes in {n} trials");
    if successes == 0 {
        return 0.0;
    }
    // The tail grows with p; the bound is the last float at which it is still below alpha.
    let (mut below, mut above) = (0.0, 1.0);
    while above - below > above * 1e-14 {
        let middle = below + (above - below) / 2.0;
        if binomial_tail(successes, n, middle) < alpha { below = middle } else { above = middle }
    }
    below
}

/// A number below the probability of success with probability at most `alpha` (Clopper and Pearson 1934,
/// one-sided).
///
/// # Panics
/// When there are more successes than trials.
pub fn clopper_pearson_upper(successes: u64, n: u64, alpha: f64) -> f64 {
    assert!(successes <= n, "{successes} successes in {n} trials");
    // At most k successes are at least n − k failures, and a bound rounded down becomes one rounded up.
    1.0 - clopper_pearson_lower(n - successes, n, alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: `mpmath.betainc` inverted at 50 digits; the last three rows `scipy.stats.beta`.
    #[test]
    fn clopper_pearson_bounds_match_reference_values() {
        let cases = [
            (0, 100, 1e-9, 0.0, 0.187_169_483_835_900),
            (1, 100, 1e-9, 1.000_000_000_495_00e-11, 0.213_865_633_055_642),
            (5, 10, 0.05, 0.222_441_101_008_129, 0.777_558_898_991_870),
            (50, 100, 1e-9, 0.221_850_569_559_058, 0.778_149_430_440_941),
            (100, 100, 1e-15, 0.707_945_784_384_137, 1.0),
            (999, 1000, 1e-6, 0.983_441_835_825_255, 0.999_999_998_999_999),
            (500, 1000, 1e-15, 0.375_941_140_884_984, 0.624_058_859_115_015),
            (68, 1000, 3e-11, 0.027_634_858_109_821_9, 0.133_186_937_215_999),
            (3, 100_000, 1e-15, 1.817_147_019_068_42e-10, 0.000_441_714_084_834_043),
            (20, 1_000_000, 1e-12, 2.330_060_998_644_58e-6, 7.082_201_306_140_56e-5),
            (333_333, 1_000_000, 1e-9, 0.330_509_185_674_378, 0.336_164_921_633_021),
            (500_000, 1_000_000, 1e-15, 0.496_028_890_952_491, 0.503_971_109_047_508),
        ];
        for (successes, n, alpha, lower, upper) in cases {
            let near = |got: f64, want: f64| (got - want).abs() <= 1e-9 * want;
            let got =
                (clopper_pearson_lower(successes, n, alpha), clopper_pearson_upper(successes, n, alpha));
            assert!(near(got.0, lower) && near(got.1, upper), "{successes}/{n} at {alpha}: {got:?}");
        }
    }

    #[test]
    fn bounds_stay_between_zero_and_one() {
        for n in [1, 2, 7, 1000] {
            for successes in 0..=n.min(20) {
                for alpha in [0.5, 1e-3, 1e-15] {
                    let lower = clopper_pearson_lower(successes, n, alpha);
                    let upper = clopper_pearson_upper(successes, n, alpha);
                    assert!((0.0..=1.0).contains(&lower) && (0.0..=1.0).contains(&upper) && lower <= upper);
                }
            }
        }
    }

    #[test]
    fn the_hoeffding_radius_is_the_textbook_one() {
        // sqrt(ln(2e9) / 400 000).
        assert!((hoeffding_radius(200_000, 1e-9) - 0.007_317_9).abs() < 1e-6);
    }

    #[test]
    #[should_panic(expected = "3 successes in 2 trials")]
    fn more_successes_than_trials_are_a_mistake() {
        clopper_pearson_upper(3, 2, 0.1);
    }
}
