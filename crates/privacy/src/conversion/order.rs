//! α: the order of a Rényi divergence.

use std::sync::LazyLock;

use pointillist_numbers::Rational;

use crate::parameter::{Interval, Limit};

/// The order α of a Rényi divergence, between `1 + 2^-32` and `2^40`, exact.
///
/// Low orders see typical outputs, high orders the rare ones; a small δ is bought at a high order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(Rational);

static INTERVAL: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "Rényi order",
    least: Rational::one() + Rational::power_of_two(-32),
    limit: Limit::AtMost(Rational::power_of_two(40)),
    zero_hint: Some("an order is above 1; write one such as 8"),
    example: "8",
});

parameter!(Order in INTERVAL);

impl Order {
    /// The customary list: dense at low orders, doubling later.
    pub fn usual() -> Vec<Self> {
        let orders = [2u64, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64, 128, 256, 512];
        orders.map(|order| Self(Rational::from(order))).to_vec()
    }

    /// The valid order nearest to a float; 2 for a NaN.
    pub(crate) fn near(value: f64) -> Self {
        let (least, most) = (INTERVAL.least.to_f64_upper(), 2f64.powi(40));
        let value = if value.is_nan() { 2.0 } else { value.clamp(least, most) };
        Self(Rational::from_f64(value).unwrap_or_else(|_| Rational::from(2)))
    }

    /// `α − 1`.
    pub(crate) fn less_one(&self) -> Rational {
        &self.0 - &Rational::one()
    }

    /// The order as an integer, if it is one.
    pub(crate) fn whole(&self) -> Option<u64> {
        self.0.is_integer().then(|| u64::try_from(self.0.floor()).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::{assert_refuses_hostile_floats, assert_refuses_hostile_texts};
    use pointillist_errors::Explained as _;

    #[test]
    fn hostile_input_is_refused_with_a_hint() {
        assert_refuses_hostile_texts(Order::parse);
        assert_refuses_hostile_floats(Order::from_f64);
        for text in ["0", "0.5", "1", "1e13"] {
            let message = Order::parse(text).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: "), "{text}: {message}");
        }
    }

    #[test]
    fn the_usual_orders_are_sorted_and_whole() {
        let orders = Order::usual();
        assert!(orders.is_sorted());
        assert!(orders.iter().all(|order| order.whole().is_some()));
        assert_eq!(Order::parse("1.5").unwrap().whole(), None);
    }

    #[test]
    fn any_float_has_an_order_near_it() {
        for value in [f64::NAN, -1.0, 0.0, 1.0, 2.5, 1e300, f64::INFINITY] {
            assert!(Order::new(Order::near(value).value().clone()).is_ok(), "{value}");
        }
    }
}
