//! Losses from certified numbers, rounded up into the range of their types.
//!
//! **Guarantee.** Every ε, δ and ρ returned here is at or above the number it was made from. A loss below the
//! smallest value a ledger counts becomes that smallest value: a loss that rounds to nothing could be
//! repeated for ever.

use pointillist_numbers::{Rational, UBig};
use pointillist_privacy::conversion::pure_rho_upper;
use pointillist_privacy::{Delta, Epsilon, Guarantee, Loss, ParameterError, Rho};

/// Bits behind the point of an irrational loss; the smallest loss is 2^-64.
const FRACTION_BITS: i64 = 160;

/// An ε at or above the number.
pub fn epsilon_upper(value: &Rational) -> Result<Epsilon, ParameterError> {
    Epsilon::new(short(value).max(Rational::power_of_two(-64)))
}

/// A δ at or above the number; none when it reaches one, where it promises nothing.
pub(crate) fn delta_upper(value: &Rational) -> Option<Delta> {
    let least = Rational::ratio(1, 10u128.pow(30)).squared();
    Delta::new(value.round_up_significant(96).max(least)).ok()
}

/// A ρ at or above the number; none beyond the range of [`Rho`].
pub(crate) fn rho_upper(value: &Rational) -> Option<Rho> {
    Rho::new(short(value).max(Rational::power_of_two(-64))).ok()
}

/// The ρ of every ε-differentially private mechanism, `ε·tanh(ε/2)`; the proof stands at [`pure_rho_upper`].
pub fn rho_of_pure(epsilon: &Epsilon) -> Option<Rho> {
    pure_rho_upper(epsilon).ok()
}

/// A pure loss of which a ρ is proven as well.
pub fn pure_and_rho(epsilon: Epsilon, rho: Option<Rho>) -> Loss {
    let pure = Loss::pure(epsilon);
    match rho {
        Some(rho) => pure.and(Guarantee::ZeroConcentrated { rho }),
        None => pure,
    }
}

/// The number itself when it is short, rounded up otherwise.
fn short(value: &Rational) -> Rational {
    if *value.denominator() > (UBig::ONE << FRACTION_BITS.unsigned_abs() as usize) {
        value.round_up_to_bits(FRACTION_BITS)
    } else {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::renyi_divergence;

    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn losses_round_up_and_never_to_nothing() {
        let third = Rational::ratio(1, 3);
        assert_eq!(*rho_upper(&third).unwrap().value(), third, "short fractions stay exact");
        let long = &third * &Rational::power_of_two(-300);
        assert_eq!(*rho_upper(&long).unwrap().value(), Rational::power_of_two(-64));
        assert_eq!(*epsilon_upper(&long).unwrap().value(), Rational::power_of_two(-64));
        assert_eq!(delta_upper(&long).unwrap(), Delta::parse("1e-60").unwrap());
        assert!(delta_upper(&Rational::one()).is_none());
        assert!(rho_upper(&Rational::from(1_000_001)).is_none());
        let fine = &third + &long;
        assert!(*rho_upper(&fine).unwrap().value() > fine);
    }

    /// Specification: randomized response reaches ε·tanh(ε/2) as the order falls to one and never passes it.
    #[test]
    fn the_rho_of_a_pure_loss_is_that_of_randomized_response() {
        for text in ["0.01", "0.5", "1", "3", "10"] {
            let loss = epsilon(text);
            let rho = rho_of_pure(&loss).unwrap().to_f64_upper();
            let truth = 1.0 / (1.0 + (-loss.to_f64_upper()).exp());
            let (p, q) = ([truth, 1.0 - truth], [1.0 - truth, truth]);
            for order in [1.001, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0] {
                assert!(
                    renyi_divergence(&p, &q, order) <= order * rho * (1.0 + 1e-9),
                    "ε = {text}, α = {order}"
                );
            }
            assert!(renyi_divergence(&p, &q, 1.001) >= rho * 0.999, "ε = {text} is not tight");
            assert!(rho <= loss.to_f64_upper().powi(2) / 2.0);
        }
    }

    #[test]
    fn huge_and_tiny_losses_have_a_rho() {
        assert_eq!(rho_of_pure(&epsilon("1e6")).unwrap(), Rho::parse("1e6").unwrap());
        assert_eq!(rho_of_pure(&epsilon("1e-15")).unwrap(), Rho::least());
    }
}
