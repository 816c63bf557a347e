//! What a Rényi divergence of one order says about ε and δ.
//!
//! **Guarantee.** If the Rényi divergence of order α between the output distributions on neighbours is at
//! most τ in both directions, the release is (ε, δ)-differentially private for every δ > 0 with
//! `ε = τ + ln(1/(αδ))/(α − 1) + ln(1 − 1/α)`, and for every ε with
//! `δ = exp((α − 1)(τ − ε))/(α − 1) · (1 − 1/α)^α`.
//! **Source.** Canonne, Kamath, Steinke (2020), Proposition 12, arXiv:2004.00010; the same as Balle,
//! Barthe, Gaboardi, Hsu, Sato (2020), Theorem 21, arXiv:1905.09982. Idea of the proof: with `L` the
//! privacy loss, `δ = E[max(0, 1 − e^{ε − L})]`, and `max(0, 1 − e^{ε − x}) ≤ c·e^{(α − 1)x}` for the
//! smallest such `c`. The older `ε = τ + ln(1/δ)/(α − 1)` is Mironov (2017), Proposition 3,
//! arXiv:1702.07476: the same proof with the indicator of `x > ε`. It is never smaller.
//! **Exactness.** Certified enclosures, rounded up.

use pointillist_numbers::{Enclosure, Rational};

use super::claim::PRECISION;
use crate::Epsilon;
use crate::conversion::Order;

/// An ε, and the Rényi order at which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtOrder {
    /// The loss, rounded up.
    pub epsilon: Epsilon,
    /// The order that gave it; every other order gives a true but larger bound.
    pub order: Order,
}

/// `τ + ln(1/(αδ))/(α − 1) + ln(1 − 1/α)`, rounded up; may be negative, which means zero.
pub(crate) fn epsilon_at_order_upper(order: &Order, divergence: &Rational, delta: &Rational) -> Rational {
    let less_one = order.less_one();
    let share =
        Enclosure::ln_of(&(order.value() * delta), PRECISION).expect("an order and a nonzero δ are positive");
    let quotient = (-&share)
        .checked_div(&Enclosure::of(&less_one, PRECISION))
        .expect("an order is at least 2^-32 above one");
    let rest = ln_of_rest(order);
    divergence + &(&quotient + &rest).upper()
}

/// `τ + ln(1/δ)/(α − 1)`, rounded up.
pub(crate) fn epsilon_at_order_mironov_upper(
    order: &Order,
    divergence: &Rational,
    delta: &Rational,
) -> Rational {
    let logarithm = Enclosure::ln_of(delta, PRECISION).expect("a nonzero δ is positive");
    let quotient = (-&logarithm)
        .checked_div(&Enclosure::of(&order.less_one(), PRECISION))
        .expect("an order is at least 2^-32 above one");
    divergence + &quotient.upper()
}

/// `exp((α − 1)(τ − ε))/(α − 1) · (1 − 1/α)^α`, rounded up; one where that is not below one.
pub(crate) fn delta_at_order_upper(order: &Order, divergence: &Rational, epsilon: &Rational) -> Rational {
    let less_one = order.less_one();
    let excess = Enclosure::of(&((divergence - epsilon) * less_one.clone()), PRECISION);
    let power = &ln_of_rest(order) * &Enclosure::of(order.value(), PRECISION);
    let scale = Enclosure::ln_of(&less_one, PRECISION).expect("an order is above one");
    let exponent = &(&excess + &power) - &scale;
    if !exponent.upper().is_negative() {
        return Rational::one();
    }
    exponent.exp().upper().min(Rational::one())
}

/// `ln(1 − 1/α)`.
fn ln_of_rest(order: &Order) -> Enclosure {
    Enclosure::ln_of(&(order.less_one() / order.value().clone()), PRECISION).expect("an order is above one")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// The frozen reference values `zcdp-rdp1-*`: α, τ, δ, then ε and Mironov's ε, to 1e-11.
    #[test]
    fn single_orders_match_the_reference() {
        let cases = [
            ("2", "1", "1e-5", "11.1266311038503378012554930305", "12.5129254649702284200899572734"),
            ("10", "0.5", "1e-6", "1.67385342489442130100471649399", "2.03505672866269712267866096979"),
            ("1.5", "0.001", "1e-15", "67.1690102849369320651884721727", "69.0785527898213705205397436405"),
            ("64", "20", "1e-9", "20.2471783534062535186886176372", "20.328940727570577954859713065"),
        ];
        for (order, divergence, delta, tight, mironov) in cases {
            let (order, divergence, delta) =
                (Order::parse(order).unwrap(), rational(divergence), rational(delta));
            for (upper, reference) in [
                (epsilon_at_order_upper(&order, &divergence, &delta), tight),
                (epsilon_at_order_mironov_upper(&order, &divergence, &delta), mironov),
            ] {
                let error = (&upper - &rational(reference)).abs();
                assert!(error <= rational("1e-27"), "{order} {divergence} {delta}: {}", upper.to_f64_upper());
            }
        }
    }

    /// δ at the ε of a δ gives that δ back.
    #[test]
    fn delta_undoes_epsilon() {
        for (order, divergence, delta) in [("2", "1", "1e-5"), ("100", "0.25", "1e-30"), ("1.01", "3", "0.1")]
        {
            let (order, divergence, delta) =
                (Order::parse(order).unwrap(), rational(divergence), rational(delta));
            let epsilon = epsilon_at_order_upper(&order, &divergence, &delta);
            let back = delta_at_order_upper(&order, &divergence, &epsilon);
            assert!((&back - &delta).abs() <= &delta * &rational("1e-25"), "{order}");
        }
    }

    #[test]
    fn a_vacuous_delta_is_one() {
        let order = Order::parse("5").unwrap();
        assert_eq!(delta_at_order_upper(&order, &rational("1e6"), &rational("1")), Rational::one());
    }
}
