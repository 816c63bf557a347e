//! Pure differential privacy as zero-concentrated: the smallest ρ that holds for every mechanism.
//!
//! **Guarantee.** Every ε-differentially private release is `ε·tanh(ε/2)`-zCDP, and randomized response is
//! no less. It is always below `ε²/2`: by 4 parts in 10⁴ at ε = 0.1, by 8 % at ε = 1, by a factor of 25 at
//! ε = 50.
//! **Neighbours.** Any relation; the same for premise and conclusion.
//! **Proof.** Let `P` and `Q` be ε-close. `A = (e^ε·P − Q)/(e^ε − 1)` and `B = (e^ε·Q − P)/(e^ε − 1)` are
//! distributions, and `P = (e^ε·A + B)/(e^ε + 1)`, `Q = (A + e^ε·B)/(e^ε + 1)`: both can be made from a
//! randomized response with odds `e^ε` that decides between `A` and `B` (Kairouz, Oh, Viswanath 2015,
//! arXiv:1311.0776). Divergences do not grow under post-processing. The divergence of randomized response
//! satisfies `(α − 1)·D_α = ln cosh(εu) − ln cosh(ε/2)` with `u = α − 1/2`. Compare with
//! `c·(u² − 1/4) = c·α(α − 1)` for `c = ε·tanh(ε/2)`: both vanish at `u = 1/2`, and for `u ≥ 1/2` their
//! slopes, `ε·tanh(εu)` and `2cu`, satisfy `tanh(εu) ≤ 2u·tanh(ε/2)`, because `tanh(x)/x` falls. Hence
//! `D_α ≤ c·α` for every α > 1. As α falls to 1, `D_α` tends to the Kullback-Leibler divergence, which is
//! `c` itself: no smaller ρ is true.
//! **Exactness.** A certified enclosure, rounded up.

use pointillist_numbers::{Enclosure, Rational};

use super::claim::{PRECISION, shortened_up};
use crate::{Epsilon, ParameterError, Rho};

/// What ε-differential privacy costs at least, and at most: `ε·tanh(ε/2)`, rounded up, never below the
/// smallest ρ.
///
/// [`Rho::from_pure`], the customary `ε²/2`, is exact and easy to check by hand; this is the one to use
/// where ε is large. It is never refused: `ε·tanh(ε/2) ≤ ε`.
pub fn pure_rho_upper(epsilon: &Epsilon) -> Result<Rho, ParameterError> {
    let value = epsilon.value();
    let one = Enclosure::integer(1, PRECISION);
    let decay = Enclosure::exp_of_minus(value, PRECISION);
    let hyperbolic_tangent =
        (&one - &decay).checked_div(&(&one + &decay)).expect("the divisor is at least one");
    let product = (&hyperbolic_tangent * &Enclosure::of(value, PRECISION)).upper();
    // Rounding up may pass ε, which tanh < 1 keeps above the product, and ε²/2, to which tanh(x) < x keeps it below.
    let customary = value.squared() * Rational::ratio(1, 2);
    Rho::new(shortened_up(product).min(value.clone()).min(customary).max(Rho::least().value().clone()))
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::renyi_divergence;

    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    /// The frozen reference values `zcdp-pure-*`: ε, ε²/2, ε·tanh(ε/2).
    #[test]
    fn both_conversions_match_the_reference() {
        let cases = [
            ("0.1", "0.005", "0.00499583749578799721983863652083"),
            ("1", "0.5", "0.462117157260009758502318483644"),
            ("1e-6", "5e-13", "4.999999999999583333333333375e-13"),
            ("50", "1250", "49.9999999999999999999807125015"),
            ("2.5", "3.125", "2.12070909989378224403346911677"),
        ];
        for (e, customary, tight) in cases {
            let e = epsilon(e);
            assert_eq!(*Rho::from_pure(&e).unwrap().value(), Rational::parse(customary).unwrap());
            let upper = pure_rho_upper(&e).unwrap();
            let reference = Rational::parse(tight).unwrap();
            let error = (upper.value() - &reference).abs();
            assert!(error <= &reference * &Rational::parse("1e-25").unwrap(), "{e}: {upper}");
            assert!(upper < Rho::from_pure(&e).unwrap());
        }
    }

    /// Orders from just above 1 to 2^20, ε from 1e-3 to 50: the divergence of randomized response stays below
    /// α·ρ, and reaches it as the order falls to one.
    #[test]
    fn randomized_response_costs_exactly_this_much() {
        for e in [0.001, 0.1, 1.0, 3.0, 10.0, 50.0f64] {
            let rho = pure_rho_upper(&Epsilon::from_f64(e).unwrap()).unwrap().to_f64_upper();
            let keep = 1.0 / (1.0 + (-e).exp());
            let (p, q) = ([keep, keep * (-e).exp()], [keep * (-e).exp(), keep]);
            let kullback_leibler = renyi_divergence(&p, &q, 1.0);
            assert!((kullback_leibler / rho - 1.0).abs() < 1e-9, "{e}");
            let mut order = 1.000_001;
            while order < 1e6 && order * e < 600.0 {
                let divergence = renyi_divergence(&p, &q, order);
                assert!(divergence <= order * rho * (1.0 + 1e-9) + 1e-9, "{e} {order}");
                order = 1.0 + (order - 1.0) * 1.5;
            }
        }
    }

    /// However small ε is, rounding up never passes the customary bound, nor ε itself.
    #[test]
    fn rounding_up_stays_within_both_simple_bounds() {
        for text in ["1e-9", "3.3e-10", "1e-7", "0.001", "0.1", "1", "7", "300", "1e5", "999999.9"] {
            let e = epsilon(text);
            let rho = pure_rho_upper(&e).unwrap();
            let least = Rho::least().value().clone();
            assert!(*rho.value() <= *e.value(), "{text}");
            assert!(*rho.value() <= (e.value().squared() * Rational::ratio(1, 2)).max(least), "{text}");
        }
    }

    #[test]
    fn the_ends_of_the_range_have_a_rho() {
        assert_eq!(pure_rho_upper(&epsilon("1e-15")).unwrap(), Rho::least());
        let most = pure_rho_upper(&epsilon("1e6")).unwrap();
        assert_eq!(most.to_string(), "1000000");
    }
}
