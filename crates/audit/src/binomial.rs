//! Bounds on a probability from a count, and tails of the binomial distribution.
//!
//! **Exactness.** Floats: terms by `libm`'s logarithm of the gamma function, whose last digit is 1e-9 of a term at a million
//! trials. Tails have a relative error below 1e-8 up to a million trials and below 1e-7 up to ten million: a confidence of
//! 1 − 1e-9 is one of 1 − 1.0000001e-9. Bounds are compared with an independent implementation below and end on the
//! outer side of their last halving. Nothing here backs a release.

/// The probability of exactly `successes` in `n` trials of probability `p`, strictly between zero and one.
fn ln_term(successes: u64, n: u64, p: f64) -> f64 {
    let (k, n) = (successes as f64, n as f64);
    let choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    choose + k * p.ln() + (n - k) * (-p).ln_1p()
}

/// The probability of at least `successes` in `n` trials of probability `p`.
pub fn tail(successes: u64, n: u64, p: f64) -> f64 {
    if successes == 0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 || successes > n {
        return 0.0;
    }
    if (successes as f64) < n as f64 * p {
        return 1.0 - tail(n - successes + 1, n, 1.0 - p);
    }
    // From here the terms fall; each is the one before times (n − k)/(k + 1) · p/(1 − p).
    let odds = p / (1.0 - p);
    let mut term = ln_term(successes, n, p).exp();
    let mut sum = term;
    for k in successes..n {
        term *= (n - k) as f64 / (k + 1) as f64 * odds;
        sum += term;
        // Terms that are all zero to a float end here too.
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum.min(1.0)
}

/// A number that exceeds the probability of success with probability at most `alpha` (Clopper and Pearson 1934).
pub fn probability_lower(successes: u64, n: u64, alpha: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let (mut below, mut above) = (0.0, 1.0);
    while above - below > above * 1e-10 {
        let middle = 0.5 * (below + above);
        if tail(successes, n, middle) < alpha { below = middle } else { above = middle }
    }
    below
}

/// A number below the probability of success with probability at most `alpha`.
pub fn probability_upper(successes: u64, n: u64, alpha: f64) -> f64 {
    // At most k successes are at least n − k failures.
    let failures = n - successes;
    if failures == 0 {
        return 1.0;
    }
    let (mut below, mut above) = (0.0, 1.0);
    // The probability itself is halved and not one minus it: small ones keep their digits.
    while above - below > above * 1e-10 {
        let middle = 0.5 * (below + above);
        if tail(failures, n, 1.0 - middle) < alpha { above = middle } else { below = middle }
    }
    above
}

/// The probability of exactly `successes`.
#[cfg(test)]
pub fn probability(successes: u64, n: u64, p: f64) -> f64 {
    ln_term(successes, n, p).exp()
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{clopper_pearson_lower, clopper_pearson_upper};

    use super::*;

    #[test]
    fn bounds_agree_with_an_independent_implementation() {
        for (successes, n) in
            [(0, 100), (1, 100), (5, 10), (50, 100), (100, 100), (999, 1000), (20, 1_000_000), (3333, 10_000)]
        {
            for alpha in [0.05, 1e-6, 1e-11] {
                let pairs = [
                    (probability_lower(successes, n, alpha), clopper_pearson_lower(successes, n, alpha)),
                    (probability_upper(successes, n, alpha), clopper_pearson_upper(successes, n, alpha)),
                ];
                for (ours, theirs) in pairs {
                    assert!(
                        (ours - theirs).abs() <= 1e-8 * theirs,
                        "{successes}/{n} {alpha}: {ours} {theirs}"
                    );
                }
            }
        }
    }

    #[test]
    fn tails_sum_the_terms() {
        for (n, p) in [(7u64, 0.3), (40, 0.9), (12, 0.5)] {
            let mut sum = 0.0;
            for k in (0..=n).rev() {
                sum += probability(k, n, p);
                assert!((tail(k, n, p) - sum).abs() < 1e-12, "{k} {n} {p}");
            }
            assert!((sum - 1.0).abs() < 1e-12);
        }
        assert_eq!(
            (tail(3, 2, 0.5), tail(0, 2, 0.0), tail(1, 2, 0.0), tail(2, 2, 1.0)),
            (0.0, 1.0, 0.0, 1.0)
        );
    }
}
