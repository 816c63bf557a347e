//! Basic composition: losses add up.
//!
//! **Guarantee.** Releases that are (ε₁, δ₁), (ε₂, δ₂), … differentially private, each chosen after the
//! ones before were seen, are together (Σεᵢ, Σδᵢ)-differentially private. The εᵢ and δᵢ may be chosen
//! adaptively too, as long as the sums stay within bounds fixed in advance
//! ([`crate::filter::BasicFilter`]).
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Dwork, Kenthapadi, McSherry, Mironov, Naor (2006); Dwork, Roth (2014), Theorem 3.16 and
//! appendix B. For pure releases: the log-ratio of two views is the sum of the log-ratios of the rounds,
//! each at most εᵢ.
//! **Exactness.** Exact; rounded up only past 128 significant bits.

use pointillist_numbers::Rational;

use super::batch::{Batch, some};
use crate::conversion::claim::{delta_from_upper, epsilon_from_upper};
use crate::{Delta, Epsilon, ParameterError};

/// (Σεᵢ, Σδᵢ).
///
/// # Errors
/// When the list is empty, or when the sums promise nothing: ε above a million, δ at one or more.
pub fn basic_upper(batches: &[Batch]) -> Result<(Epsilon, Delta), ParameterError> {
    let batches = some(batches)?;
    let zero = Rational::zero;
    let epsilon = batches.iter().fold(zero(), |sum, batch| sum + batch.epsilon_total());
    let delta = batches
        .iter()
        .fold(zero(), |sum, batch| sum + batch.delta().value() * &Rational::from(batch.count()));
    Ok((epsilon_from_upper(epsilon)?, delta_from_upper(delta)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn batch(epsilon: &str, delta: &str, count: u64) -> Batch {
        Batch::new(Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap(), count).unwrap()
    }

    /// The frozen reference values `comp-basic-*`.
    #[test]
    fn sums_match_the_reference() {
        let cases = [
            (vec![batch("0.1", "0", 5)], ("0.5", "0")),
            (
                vec![batch("0.5", "1e-6", 1), batch("0.25", "1e-7", 1), batch("1", "0", 1)],
                ("1.75", "0.0000011"),
            ),
            (vec![batch("1e-6", "1e-15", 3)], ("0.000003", "3e-15")),
            (vec![batch("50", "1e-5", 1), batch("0.001", "0", 1)], ("50.001", "0.00001")),
        ];
        for (batches, (epsilon, delta)) in cases {
            let expected = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
            assert_eq!(basic_upper(&batches).unwrap(), expected);
        }
    }

    #[test]
    fn totals_that_promise_nothing_are_refused_with_a_hint() {
        for batches in [vec![], vec![batch("1000", "0", 1001)], vec![batch("1", "1e-6", 1_000_000)]] {
            let message = basic_upper(&batches).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: "), "{message}");
        }
        assert!(basic_upper(&[batch("1e-3", "1e-15", 10_000_000)]).is_ok());
    }
}
