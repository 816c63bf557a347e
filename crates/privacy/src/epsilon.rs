//! ε: how much one unit can change the probability of any answer.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};

/// A privacy loss ε between `2^-64` and a million, exact.
///
/// Whatever happens with probability `p` when a unit is in the data happens with probability at most `e^ε·p`
/// when it is not, and the other way round. Below `2^-64` a loss is too small for the ledger to count; above
/// a million it protects nobody, and bounding it keeps every `exp(ε)` of the library computable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epsilon(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "epsilon",
    least: Rational::power_of_two(-64),
    limit: Limit::AtMost(Rational::from(1_000_000)),
    zero_hint: Some("no answer is free; write a positive number such as 0.5"),
    example: "0.5",
});

parameter!(Epsilon in INTERVAL);
adds_up!(Epsilon in INTERVAL);

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::ParameterError;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(Epsilon::parse);
        assert_refuses_hostile_texts(str::parse::<Epsilon>);
        assert_refuses_hostile_floats(Epsilon::from_f64);
        for text in ["0", "0.0", "1000001"] {
            assert!(Epsilon::parse(text).unwrap_err().explanation().text().contains("hint:"), "{text}");
        }
    }

    #[test]
    fn the_ends_of_the_range_belong_to_it() {
        assert!(Epsilon::new(Rational::power_of_two(-64)).is_ok());
        assert!(Epsilon::parse("1/18446744073709551616").is_ok());
        assert!(Epsilon::parse("1/18446744073709551617").is_err());
        assert!(Epsilon::parse("1e6").is_ok());
        assert!(Epsilon::parse("1000000.0000001").is_err());
    }

    #[test]
    fn refusals_say_what_to_write() {
        let text = |given: &str| Epsilon::parse(given).unwrap_err().explanation().text();
        assert_eq!(
            text("1e-30"),
            "epsilon = 1e-30 is too small to count\nhint: write at least 5.43e-20, for example 0.5"
        );
        assert_eq!(text("2e6"), "epsilon = 2e6 is too large\nhint: write at most 1000000, for example 0.5");
        assert_eq!(text("-1"), "epsilon = -1 is negative\nhint: write a number without a sign, such as 0.5");
        assert_eq!(
            text("0"),
            "epsilon = 0 is zero\nhint: no answer is free; write a positive number such as 0.5"
        );
    }

    #[test]
    fn one_tenth_ten_times_is_one() {
        let mut sum = epsilon("0.1");
        for _ in 0..9 {
            sum = sum.plus(&epsilon("0.1")).unwrap();
        }
        assert_eq!(sum, epsilon("1"));
        assert_eq!(epsilon("0.1").times(10).unwrap(), epsilon("1"));
        assert_eq!(epsilon("1").divided_by(3).unwrap().times(3).unwrap(), epsilon("1"));
    }

    #[test]
    fn floats_keep_their_dyadic_value() {
        let tenth = Epsilon::from_f64(0.1).unwrap();
        assert!(tenth > epsilon("0.1"), "the float 0.1 lies above one tenth");
        assert_eq!(tenth.to_f64_lower(), 0.1);
        assert_eq!(tenth.to_f64_upper(), 0.1);
        assert_eq!(epsilon("0.1").to_f64_upper(), 0.1);
        assert_eq!(epsilon("0.1").to_f64_lower(), 0.1f64.next_down());
    }

    #[test]
    fn texts_parse_back() {
        for text in ["0.5", "1/3", "1000000", "0.000001"] {
            assert_eq!(epsilon(text).to_string(), text);
        }
    }

    #[test]
    fn results_outside_the_range_are_refused() {
        assert!(epsilon("600000").plus(&epsilon("600000")).is_err());
        assert!(epsilon("1").times(u64::MAX).is_err());
        assert!(epsilon("1").times(0).is_err());
        assert!(epsilon("1").divided_by(u64::MAX).is_ok(), "a little more than 2^-64");
        assert!(epsilon("0.5").divided_by(u64::MAX).is_err());
        assert!(matches!(epsilon("1").divided_by(0), Err(ParameterError::NoShares { .. })));
    }

    /// Random fractions with denominators of up to 192 bits: whatever the rounding, a sum is never below the
    /// exact sum, never above it by 2^-256, and shares never outgrow the whole.
    #[test]
    fn sums_round_up_and_shares_never_outgrow_the_whole() {
        let mut words = seeded(1);
        let mut draw = || {
            let wide = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
            let over = Rational::from(wide(words() >> 2, words()) + 1);
            let under = Rational::from(wide(words() | (1 << 62), words()));
            let finer = Rational::from(words() | 1);
            Epsilon::new(over / under + Rational::one() / finer).unwrap()
        };
        for _ in 0..200 {
            let (a, b) = (draw(), draw());
            let exact = a.value() + b.value();
            let sum = a.plus(&b).unwrap();
            assert!(*sum.value() >= exact);
            assert!(sum.value() - &exact < Rational::power_of_two(-256));
            let share = a.divided_by(7).unwrap();
            assert!(share.value() * &Rational::from(7) <= *a.value());
            let units = Rational::ratio(a.units_upper() as i128, 10u128.pow(24));
            assert!(units >= *a.value() && units - a.value().clone() < Rational::ratio(1, 10u128.pow(24)));
        }
    }
}
