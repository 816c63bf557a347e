//! Optimal composition of one release repeated up to ten thousand million times.
//!
//! **Guarantee.** [`Repetition::delta_upper`] is at or above `Σⱼ Pⱼ·max(0, 1 − e^{ε_g − (2j − k)ε})`, where
//! `Pⱼ` is the probability that `j` of `k` randomized responses with odds `e^ε` keep their bit: the
//! hockey-stick divergence of the k-fold release at `ε_g`.
//! **Exactness.** Which terms count is decided in exact rationals. The sum is `Binomial::upper_sum`: a
//! certified start, float ratios, a counted error. `exp_m1` is trusted to two units in the last place, as
//! common mathematical libraries hold it.

use pointillist_numbers::{Enclosure, Rational};

use super::binomial::{Binomial, LOG_PRECISION, Terms};

/// `k` releases, each ε-differentially private.
#[derive(Clone, Debug)]
pub(crate) struct Repetition {
    epsilon: Rational,
    count: u64,
    /// How many of `k` randomized responses keep their bit.
    kept: Binomial,
}

impl Repetition {
    pub(crate) fn of(epsilon: &Rational, count: u64) -> Self {
        let minus = -&Enclosure::of(epsilon, LOG_PRECISION);
        let normaliser = (&Enclosure::integer(1, LOG_PRECISION) + &minus.exp()).ln().expect("at least one");
        Self {
            epsilon: epsilon.clone(),
            count,
            kept: Binomial::new(count, -&normaliser, &minus - &normaliser),
        }
    }

    /// The δ at a given ε ≥ 0, rounded up; at most one.
    pub(crate) fn delta_upper(&self, epsilon_global: &Rational) -> f64 {
        let Some(first) = self.first_above(epsilon_global) else {
            return 0.0;
        };
        // (2j − k)ε − ε_g at the first term, exactly and then rounded up; from there it grows by 2ε a term.
        let offset = (self.loss(first) - epsilon_global.clone()).to_f64_upper();
        let step = 2.0 * self.epsilon.to_f64_upper();
        let weight = |kept: u64| -(-(offset + step * (kept - first) as f64)).exp_m1();
        let start = self.kept.start(first);
        self.kept.upper_sum(first, start, 1.0, weight).min(1.0)
    }

    /// How likely each number of kept bits is.
    pub(crate) fn terms(&self, least: f64) -> Terms {
        self.kept.terms(least)
    }

    /// The privacy loss of the outcome that keeps so many bits.
    pub(crate) fn loss(&self, kept: u64) -> Rational {
        &self.epsilon * &(Rational::from(2 * kept) - Rational::from(self.count))
    }

    /// The smallest `j` with `(2j − k)ε > ε_g`, if there is one up to `k`.
    fn first_above(&self, epsilon_global: &Rational) -> Option<u64> {
        let doubled = epsilon_global / &self.epsilon + Rational::from(self.count);
        let first = (doubled * Rational::ratio(1, 2)).floor() + 1;
        u64::try_from(first).ok().filter(|first| *first <= self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::enumeration::Enumeration;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// Against the certified enumeration, wherever that can go: never below it, and close.
    #[test]
    fn floats_stay_above_the_certified_sum() {
        for (epsilon, count) in [("0.1", 10), ("1", 30), ("0.01", 2000), ("1e-6", 1000), ("5", 7), ("45", 3)]
        {
            let epsilon = rational(epsilon);
            let certified = Enumeration::of(&[(epsilon.clone(), count)]).unwrap();
            let repetition = Repetition::of(&epsilon, count);
            let total = &epsilon * &Rational::from(count);
            for share in ["0", "0.001", "0.05", "0.2", "0.5", "0.77", "0.95", "0.999", "1"] {
                let at = &total * &rational(share);
                let exact = certified.delta_upper(&at);
                let found = repetition.delta_upper(&at);
                let found_exactly = crate::conversion::claim::rational_from_upper(found);
                assert!(found_exactly >= exact, "ε = {epsilon}, k = {count}, {share}: {found}");
                let allowed = exact.to_f64_upper() * (1.0 + 1e-11) + 1e-279;
                assert!(found <= allowed, "ε = {epsilon}, k = {count}, {share}: {found} {allowed}");
            }
        }
    }

    /// Ten million releases take a moment; ten thousand million a few.
    #[test]
    fn long_repetitions_are_summed() {
        let found = Repetition::of(&rational("1e-3"), 10_000_000).delta_upper(&rational("20"));
        assert!(found > 1e-8 && found < 1e-3, "{found}");
        let found = Repetition::of(&rational("1e-6"), 10_000_000_000).delta_upper(&rational("0.5"));
        assert!(found > 0.0 && found < 1e-3, "{found}");
    }
}
