//! The discrete Gaussian law in exact numbers: probabilities, tails, and the (ε, δ) of a shift.
//!
//! **Guarantee.** For noise X with `P[X = k] = exp(−k²/2σ²)/Z` every probability and every δ returned
//! encloses the true one, and every tail bound is certified.
//! **δ of a shift.** For an integer answer that moves by at most d,
//! `δ(ε) = P[X > εσ²/d − d/2] − e^ε·P[X > εσ²/d + d/2]` and nothing smaller: Canonne, Kamath, Steinke (2020),
//! Theorem 7, arXiv:2004.00010. (The likelihood ratio is monotone, so half-lines are the worst events, and
//! the excess of a half-line grows with the shift.) e^ε is moved into the exponents, which stay negative, so
//! that no ε is too large.
//! **Tails.** For σ² up to 2^20 sums of the series; beyond, for an m with m − 1/2 ≥ σ,
//! `P[X ≥ m] ≤ P[σN ≥ m − 1/2]`, and for every m `P[X ≥ m] ≤ P[σN ≥ m − 1]`. Proof: `exp(−x²/2σ²)` is convex
//! beyond σ, so each term is at most its mean over x ± 1/2, and decreasing, so at most its mean over [x − 1,
//! x]; the integrals sum to `σ√(2π)` times the normal tail, and `Z ≥ σ√(2π)` by Poisson's summation formula.
//! **Series.** Terms follow from one another by two multiplications; the rest of a series beyond x is below
//! its last term times `1 + 2σ²/(2x + 1)`, because the ratio of terms falls.

use dashu_int::UBig;
use pointillist_numbers::{Enclosure, IBig, Rational, normal_quantile_upper};

/// Series are summed up to this σ²: about 25,000 terms, some tens of milliseconds.
const SERIES_VARIANCE_MAX: u64 = 1 << 20;
/// Resolves every δ and β, at least 1e-60, and their shares among 2^64 answers.
const PRECISION: usize = 384;
/// Bits for the rounding of some ten thousand terms.
const GUARD_BITS: usize = 64;

/// The discrete Gaussian distribution of a positive rational parameter σ².
#[derive(Clone, Debug)]
pub struct DiscreteGaussianLaw {
    variance: Rational,
}

impl DiscreteGaussianLaw {
    /// The law of this parameter; none unless it is positive.
    pub fn new(variance: &Rational) -> Option<Self> {
        variance.is_positive().then(|| Self { variance: variance.clone() })
    }

    /// Whether the series are short enough to sum: σ² at most 2^20.
    pub fn is_summable(&self) -> bool {
        self.variance <= Rational::from(SERIES_VARIANCE_MAX)
    }

    /// The normaliser Z, the sum of `exp(−k²/2σ²)` over all integers; none when σ² is above 2^20.
    pub fn normaliser(&self, precision: usize) -> Option<Enclosure> {
        let half = self.series(&IBig::ONE, &Rational::zero(), precision)?;
        Some(&Enclosure::integer(1, precision) + &half.mul_integer(2))
    }

    /// The probability of one value; none when σ² is above 2^20.
    pub fn probability(&self, value: i64, precision: usize) -> Option<Enclosure> {
        self.weight(&Rational::from(value), precision).checked_div(&self.normaliser(precision)?)
    }

    /// The probability of a value at or above; none when σ² is above 2^20.
    pub fn upper_tail(&self, value: i64, precision: usize) -> Option<Enclosure> {
        let normaliser = self.normaliser(precision)?;
        self.sum_from(&IBig::from(value), &normaliser, precision)?.checked_div(&normaliser)
    }

    /// A certified m ≥ 1 with `P[|X| ≥ m] ≤ beta`, for a beta strictly between 0 and 1: the least one when σ²
    /// is at most 2^20, and at most two and one part in 2^39 more beyond.
    pub(crate) fn rare_magnitude(&self, beta: &Rational) -> u128 {
        match self.series(&IBig::ONE, &Rational::zero(), PRECISION) {
            Some(half) => self.least_rare_magnitude(half, beta),
            None => self.bounded_rare_magnitude(beta),
        }
    }

    /// The smallest δ for which an integer answer that moves by at most `shift` is (ε, δ)-differentially
    /// private; none when σ² is above 2^20.
    pub(crate) fn delta_of(&self, shift: &UBig, epsilon: &Rational) -> Option<Enclosure> {
        let normaliser = self.normaliser(PRECISION)?;
        let distance = Rational::from(shift.clone());
        let threshold =
            epsilon * &self.variance / distance.clone() - distance.clone() * Rational::ratio(1, 2);
        let first = threshold.floor() + IBig::ONE;
        let here = self.sum_from(&first, &normaliser, PRECISION)?;
        // Beyond εσ²/d + d/2 ≥ σ√(2ε) the exponent ε − x²/2σ² is negative.
        let there = self.series(&(first + IBig::from(shift.clone())), epsilon, PRECISION)?;
        (&here - &there).checked_div(&normaliser)
    }

    /// exp(−x²/2σ²).
    fn weight(&self, x: &Rational, precision: usize) -> Enclosure {
        Enclosure::exp_of_minus(&(x.squared() / (&self.variance + &self.variance)), precision)
    }

    /// The sum of `exp(−x²/2σ²)` over all integers x ≥ first, of either sign.
    fn sum_from(&self, first: &IBig, normaliser: &Enclosure, precision: usize) -> Option<Enclosure> {
        if *first > IBig::ZERO {
            return self.series(first, &Rational::zero(), precision);
        }
        // The weights are symmetric: what is missing on the left is a tail on the right.
        let missing = self.series(&(IBig::ONE - first), &Rational::zero(), precision)?;
        Some(normaliser - &missing)
    }

    /// The sum of `exp(lift − x²/2σ²)` over all integers x ≥ first, for first ≥ 1 and a lift that leaves all
    /// exponents negative; none when σ² is above 2^20.
    fn series(&self, first: &IBig, lift: &Rational, precision: usize) -> Option<Enclosure> {
        if !self.is_summable() {
            return None;
        }
        let working = precision + GUARD_BITS;
        let double = &self.variance + &self.variance;
        let start = Rational::from(first.clone());
        let odd = &start + &start + Rational::one();
        let mut term = Enclosure::exp_of_minus(&(start.squared() / double.clone() - lift.clone()), working);
        let mut ratio = Enclosure::exp_of_minus(&(&odd / &double), working);
        let step = Enclosure::exp_of_minus(&(Rational::from(2) / double.clone()), working);
        let mut sum = term.clone();
        while *term.upper_units() > IBig::ONE << (GUARD_BITS / 2) {
            term = &term * &ratio;
            ratio = &ratio * &step;
            sum = &sum + &term;
        }
        // The odd number at the last term is larger still, which makes this bound on the rest only safer.
        let rest = Rational::from(term.upper_units().clone()) * (Rational::one() + double / odd);
        let upper = sum.upper_units() + rest.ceil();
        Some(Enclosure::new(sum.lower_units().clone(), upper, working).at_precision(precision))
    }

    /// Walks along the series until no more than β is left on both sides.
    fn least_rare_magnitude(&self, mut rest: Enclosure, beta: &Rational) -> u128 {
        let normaliser = &Enclosure::integer(1, PRECISION) + &rest.mul_integer(2);
        let allowed = (&normaliser * &Enclosure::of(beta, PRECISION)).scale_by_power_of_two(-1);
        let double = &self.variance + &self.variance;
        let mut term = self.weight(&Rational::one(), PRECISION);
        let mut ratio = Enclosure::exp_of_minus(&(Rational::from(3) / double.clone()), PRECISION);
        let step = Enclosure::exp_of_minus(&(Rational::from(2) / double), PRECISION);
        let mut magnitude = 1;
        while rest.upper_units() > allowed.lower_units() {
            rest = &rest - &term;
            term = &term * &ratio;
            ratio = &ratio * &step;
            magnitude += 1;
        }
        magnitude
    }

    /// The bound by the normal tail, for σ above 2^10.
    fn bounded_rare_magnitude(&self, beta: &Rational) -> u128 {
        let quantile = normal_quantile_upper(&(beta * &Rational::ratio(1, 2)));
        let sigma = Enclosure::of(&self.variance, PRECISION).sqrt().upper();
        let reach = &quantile * &sigma;
        let magnitude = if quantile >= Rational::one() {
            (reach + Rational::ratio(1, 2)).ceil()
        } else {
            reach.ceil() + IBig::ONE
        };
        u128::try_from(magnitude).unwrap_or(u128::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the bound by the normal tail is never below the least integer, found by the series on
    /// the same law, and at most two above it.
    #[test]
    fn bounds_for_wide_noise_are_certified_and_close() {
        for variance in [1i64, 100, 4_000, 1 << 20] {
            let law = DiscreteGaussianLaw::new(&Rational::from(variance)).unwrap();
            for beta in ["1e-9", "0.05", "0.5", "0.9"] {
                let beta = Rational::parse(beta).unwrap();
                let (least, bounded) = (law.rare_magnitude(&beta), law.bounded_rare_magnitude(&beta));
                assert!(bounded >= least && bounded <= least + 2, "σ² = {variance}: {bounded} for {least}");
                let both = |m: u128| law.upper_tail(i64::try_from(m).unwrap(), 128).unwrap().mul_integer(2);
                assert!(both(least).upper() <= beta && (least == 1 || both(least - 1).lower() > beta));
            }
        }
    }

    #[test]
    fn wide_laws_are_not_summed_but_bounded() {
        let law = DiscreteGaussianLaw::new(&Rational::parse("1e50").unwrap()).unwrap();
        assert!(!law.is_summable() && law.normaliser(64).is_none() && law.probability(0, 64).is_none());
        assert!(law.upper_tail(0, 64).is_none() && law.delta_of(&UBig::ONE, &Rational::one()).is_none());
        // The normal quantile of half of 1e-60/2^64 is 18.9….
        let beta = Rational::parse("1e-60").unwrap() / Rational::from(u64::MAX);
        let magnitude = law.rare_magnitude(&beta);
        assert!(magnitude > 18 * 10u128.pow(25) && magnitude < 20 * 10u128.pow(25), "{magnitude}");
        assert!(DiscreteGaussianLaw::new(&Rational::zero()).is_none());
    }
}
