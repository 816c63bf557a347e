//! q: the share of the units that a release looks at.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};

/// The probability with which each unit is in a random sample, between `2^-64` and one, exact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplingRate(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "sampling rate",
    least: Rational::power_of_two(-64),
    limit: Limit::AtMost(Rational::one()),
    zero_hint: Some("an empty sample tells nothing; write a share of the units, such as 0.01"),
    example: "0.01",
});

parameter!(SamplingRate in INTERVAL);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};
    use pointillist_errors::Explained as _;

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(SamplingRate::parse);
        assert_refuses_hostile_floats(SamplingRate::from_f64);
        for text in ["0", "1.01", "2"] {
            let message = SamplingRate::parse(text).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: "), "{text}: {message}");
        }
        assert!(SamplingRate::parse("1").is_ok());
    }
}
