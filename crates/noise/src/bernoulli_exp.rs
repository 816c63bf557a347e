//! A coin of bias exp(−γ).
//!
//! **Guarantee.** True with probability exactly exp(−γ), for every rational γ ≥ 0, by integer comparisons alone.
//! **Source.** Canonne, Kamath, Steinke (2020), Algorithm 1, arXiv:2004.00010, which is von Neumann's method: for
//! γ ≤ 1 the first k at which a coin of bias γ/k fails is odd with probability exp(−γ). Above one, exp(−1) is
//! tossed ⌊γ⌋ times, stopping at the first failure, so the expected number of tosses is below 1.6 for any γ.

use dashu_int::UBig;
use pointillist_numbers::Rational;

use crate::{BitSource, uniform_below};

/// A toss that succeeds with probability exp(−γ).
///
/// # Panics
/// When γ is negative: exp(−γ) would not be a probability, and callers have checked.
pub fn bernoulli_exp<B: BitSource + ?Sized>(gamma: &Rational, bits: &mut B) -> bool {
    assert!(!gamma.is_negative(), "exp of a positive number is not a probability");
    let numerator = UBig::try_from(gamma.numerator().clone()).expect("the sign was checked");
    bernoulli_exp_of(&numerator, gamma.denominator(), bits)
}

/// The same for γ = numerator / denominator, which need not be in lowest terms.
pub(crate) fn bernoulli_exp_of<B: BitSource + ?Sized>(
    numerator: &UBig,
    denominator: &UBig,
    bits: &mut B,
) -> bool {
    let mut rest = numerator.clone();
    while rest > *denominator {
        if !below_one(denominator, denominator, bits) {
            return false;
        }
        rest -= denominator;
    }
    below_one(&rest, denominator, bits)
}

/// exp(−γ) for γ in [0, 1].
fn below_one<B: BitSource + ?Sized>(numerator: &UBig, denominator: &UBig, bits: &mut B) -> bool {
    let mut tries = 1u64;
    loop {
        let bound = denominator * UBig::from(tries);
        if uniform_below(&bound, bits) >= *numerator {
            return tries % 2 == 1;
        }
        tries += 1;
    }
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Enclosure;
    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;
    use crate::LazyUniform;

    /// Specification: von Neumann's method and the comparison of a lazy uniform with certified bounds of exp(−γ)
    /// are two routes to one law. False alarm: at most 1e-9 a route and γ (Hoeffding).
    #[test]
    fn both_routes_have_the_right_frequency() {
        let n = 100_000;
        for (seed, text) in ["0", "0.001", "1/3", "1", "3/2", "4", "1e6"].iter().enumerate() {
            let gamma = Rational::parse(text).unwrap();
            let expected = (-gamma.to_f64_upper()).exp();
            let mut bits = seeded(seed as u64);
            let by_integers = (0..n).filter(|_| bernoulli_exp(&gamma, &mut bits)).count();
            let by_bounds = (0..n)
                .filter(|_| {
                    let mut number = LazyUniform::new(&mut bits);
                    number.is_below(&mut bits, |precision, _| Enclosure::exp_of_minus(&gamma, precision))
                })
                .count();
            for heads in [by_integers, by_bounds] {
                let frequency = heads as f64 / n as f64;
                assert!((frequency - expected).abs() <= hoeffding_radius(n, 1e-9), "γ = {text}: {frequency}");
            }
        }
    }
}
