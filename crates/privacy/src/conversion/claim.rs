//! From a computed bound to a parameter: rounded outwards into the range of its type, or refused with a
//! reason.

use dashu_int::ops::BitTest;
use pointillist_numbers::{Enclosure, Rational, decimal_upper};

use crate::guarantee::short;
use crate::{Delta, Epsilon, ParameterError};

/// Bits behind the point of certified evaluations. The smallest δ is 1e-60, above 2^-200, so that every
/// result keeps more than a hundred significant bits.
pub(crate) const PRECISION: usize = 320;
/// The significant bits of a reported loss; exact results that are shorter stay exact.
const SIGNIFICANT_BITS: usize = 128;

/// The ε of a claim, from a number at or above it.
pub(crate) fn epsilon_from_upper(value: Rational) -> Result<Epsilon, ParameterError> {
    let least = Rational::power_of_two(-64);
    if value <= least {
        return Epsilon::new(least);
    }
    let value = shortened_up(value);
    let reached = decimal_upper(&value, 6);
    Epsilon::new(value).map_err(|_| ParameterError::PromisesNothing {
        parameter: "ε",
        reached,
        hint: "release with a smaller ε or fewer times, or accept a larger δ",
    })
}

/// The δ of a claim, from a number at or above it. Nothing but zero itself becomes zero.
pub(crate) fn delta_from_upper(value: Rational) -> Result<Delta, ParameterError> {
    if value <= Rational::zero() {
        return Ok(Delta::zero());
    }
    let least = Rational::one() / Rational::from(dashu_int::UBig::from(10u8).pow(60));
    if value <= least {
        return Delta::new(least);
    }
    let value = shortened_up(value);
    let reached = short(&value);
    Delta::new(value).map_err(|_| ParameterError::PromisesNothing {
        parameter: "δ",
        reached,
        hint: "ask at a larger ε, or release with smaller losses",
    })
}

/// A δ that buys something, as every conversion from a concentrated loss needs one.
pub(crate) fn positive_delta(delta: &Delta) -> Result<&Rational, ParameterError> {
    if delta.is_zero() {
        return Err(ParameterError::Zero {
            parameter: "delta",
            given: "0".to_owned(),
            hint: "this loss is bounded only up to a small probability of failure; write one, such as 1e-6",
        });
    }
    Ok(delta.value())
}

/// A rational at or above a nonnegative float: its exact value, but where it is too small to have one.
pub(crate) fn rational_from_upper(value: f64) -> Rational {
    if value <= 0.0 {
        return Rational::zero();
    }
    Rational::from_f64(value).unwrap_or_else(|_| Rational::power_of_two(-1000))
}

/// The same number, or one slightly above it that is short enough to keep.
pub(crate) fn shortened_up(value: Rational) -> Rational {
    if value.denominator().bit_len() <= SIGNIFICANT_BITS || !value.is_positive() {
        return value;
    }
    value.round_up_significant(SIGNIFICANT_BITS)
}

/// The failure probability of independent failures with these probabilities and counts, at most:
/// `1 − ∏(1 − δᵢ)^{nᵢ}`.
pub(crate) fn any_failure_upper<'a>(failures: impl IntoIterator<Item = (&'a Delta, u64)>) -> Rational {
    let one = Enclosure::integer(1, PRECISION);
    let mut log_survival = Enclosure::integer(0, PRECISION);
    let mut certain = true;
    for (delta, count) in failures {
        if delta.is_zero() || count == 0 {
            continue;
        }
        certain = false;
        let survival = &one - &Enclosure::of(delta.value(), PRECISION);
        // δ is below one by its type; only one closer to it than 2^-320 is left without a logarithm.
        let Some(logarithm) = survival.ln() else {
            return Rational::one();
        };
        let count = Enclosure::integer(count, PRECISION);
        log_survival = &log_survival + &(&logarithm * &count);
    }
    if certain {
        return Rational::zero();
    }
    (&one - &log_survival.exp()).upper()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    #[test]
    fn claims_are_rounded_outwards_into_range() {
        assert_eq!(*epsilon_from_upper(rational("-3")).unwrap().value(), Rational::power_of_two(-64));
        assert_eq!(epsilon_from_upper(rational("1.75")).unwrap().to_string(), "1.75");
        assert_eq!(delta_from_upper(rational("0")).unwrap(), Delta::zero());
        assert_eq!(delta_from_upper(rational("1e-99")).unwrap(), Delta::parse("1e-60").unwrap());
        let long = Rational::one() / (Rational::power_of_two(300) + Rational::one());
        let shorter = delta_from_upper(&long + &rational("0.5")).unwrap();
        assert!(*shorter.value() > &long + &rational("0.5"));
        assert!(shorter.value().denominator().bit_len() < 140);
    }

    #[test]
    fn what_promises_nothing_is_refused_with_a_hint() {
        assert_eq!(
            epsilon_from_upper(rational("5.25e23")).unwrap_err().explanation().text(),
            "the ε of the result reaches 5.25e23, which promises nothing\n\
             hint: release with a smaller ε or fewer times, or accept a larger δ"
        );
        assert_eq!(
            delta_from_upper(rational("1")).unwrap_err().explanation().text(),
            "the δ of the result reaches 1, which promises nothing\n\
             hint: ask at a larger ε, or release with smaller losses"
        );
    }

    #[test]
    fn failures_add_up_below_their_sum() {
        let [a, b] = ["1e-5", "1e-6"].map(|text| Delta::parse(text).unwrap());
        let exact = Rational::one() - rational("0.99999") * rational("0.999999");
        let upper = any_failure_upper([(&a, 1), (&b, 1)]);
        assert!(upper >= exact && upper <= &exact + &Rational::power_of_two(-300));
        assert_eq!(any_failure_upper([(&Delta::zero(), 1_000_000)]), Rational::zero());
        let sum = Rational::from(10_000_000) * rational("1e-5");
        assert!(any_failure_upper([(&a, 10_000_000)]) < sum);
    }

    #[test]
    fn small_floats_become_rationals_above_them() {
        assert_eq!(rational_from_upper(0.5), rational("0.5"));
        assert!(rational_from_upper(5e-324).is_positive());
        assert_eq!(rational_from_upper(0.0), Rational::zero());
    }
}
