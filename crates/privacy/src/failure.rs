//! β: the probability with which an error bar may be wrong.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};

/// The probability β with which a stated error bound may fail, between `1e-60` and one, one excluded; exact.
///
/// It concerns accuracy only: a β of 0.05 stands behind "within ±50 with 95 %". No privacy depends on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailureProbability(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "failure probability",
    least: Rational::parse("1e-60").expect("a constant decimal parses"),
    limit: Limit::Below(Rational::one()),
    zero_hint: Some("noise has no largest value; write a small number such as 0.05"),
    example: "0.05",
});

parameter!(FailureProbability in INTERVAL);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};
    use pointillist_errors::Explained as _;

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(FailureProbability::parse);
        assert_refuses_hostile_floats(FailureProbability::from_f64);
        for text in ["0", "1", "1.5", "95"] {
            let message = FailureProbability::parse(text).unwrap_err().explanation().text();
            assert!(message.contains("hint:"), "{text}: {message}");
        }
    }

    #[test]
    fn five_percent_is_exact() {
        let beta = FailureProbability::parse("0.05").unwrap();
        assert_eq!(*beta.value(), Rational::ratio(1, 20));
    }
}
