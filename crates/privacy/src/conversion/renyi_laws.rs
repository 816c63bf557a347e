//! The Rényi divergences of the mechanisms, order by order.
//!
//! **Guarantee.** Each function returns an upper bound, tight for the named mechanism, on the divergence of
//! every listed order α in both directions:
//!
//! * Gaussian noise, `μ = Δ/σ`: `α·μ²/2`; ρ-zCDP: `α·ρ`.
//! * Laplace noise, `t = Δ/b`: `t + ln((α + (α − 1)·e^{−(2α − 1)t})/(2α − 1))/(α − 1)`.
//! * Randomized response that keeps a bit with probability p: `ln(p^α·q^{1−α} + q^α·p^{1−α})/(α − 1)`,
//!   `q = 1 − p`.
//! * Any ε-private mechanism: that of randomized response with odds `e^ε`, from which all others can be
//!   made, which is `ε − ln((1 + e^{−ε})/(1 + e^{−(2α − 1)ε}))/(α − 1)`.
//! * Poisson-subsampled Gaussian noise, every unit kept with probability q, whole orders:
//!   `ln(Σⱼ C(α, j)·(1 − q)^{α−j}·q^j·e^{j(j−1)μ²/2})/(α − 1)`.
//!
//! **Neighbours.** Those of the sensitivity, but for the last: add/remove only.
//! **Source.** Mironov (2017), Propositions 5 to 7, arXiv:1702.07476; for any ε-private mechanism see
//! `pure.rs`; Mironov, Talwar, Zhang (2019), arXiv:1908.10530, who also show that of the two directions
//! this is the larger.
//! **Exactness.** Certified enclosures, rounded up at 256 bits behind the point. Sums are taken relative to
//! their largest term, so that no exponential outgrows memory.

use std::sync::LazyLock;

use dashu_int::UBig;
use pointillist_numbers::{Enclosure, Rational};

use super::claim::PRECISION;
use super::gaussian_dp::GaussianDp;
use super::order::Order;
use super::renyi::RenyiCurve;
use crate::amplification::SamplingRate;
use crate::parameter::{Interval, Limit};
use crate::{Epsilon, ParameterError, Rho, Scale, SensitivityL1};

/// The bits behind the point that a curve keeps.
const FRACTION_BITS: i64 = 256;
/// A subsampled order takes as many terms as its value: beyond this it would take seconds.
const WHOLE_ORDER_MAX: u64 = 4096;

static TRUTH: LazyLock<Interval> = LazyLock::new(|| Interval {
    parameter: "probability of the truth",
    least: Rational::power_of_two(-64),
    limit: Limit::AtMost(Rational::one() - Rational::power_of_two(-64)),
    zero_hint: Some("write a probability above one half, such as 0.75"),
    example: "0.75",
});

impl RenyiCurve {
    /// The curve of a Gaussian loss: `α·μ²/2`.
    pub fn gaussian(loss: &GaussianDp, orders: &[Order]) -> Result<Self, ParameterError> {
        let half = loss.mu_squared() * &Rational::ratio(1, 2);
        Self::of(orders, |order| Ok(order.value() * &half))
    }

    /// The curve of ρ-zCDP: `α·ρ`.
    pub fn zcdp(rho: &Rho, orders: &[Order]) -> Result<Self, ParameterError> {
        Self::of(orders, |order| Ok(order.value() * rho.value()))
    }

    /// The curve of any ε-differentially private release.
    pub fn pure(epsilon: &Epsilon, orders: &[Order]) -> Result<Self, ParameterError> {
        let epsilon = epsilon.value();
        let one = Enclosure::integer(1, PRECISION);
        let over = &one + &Enclosure::exp_of_minus(epsilon, PRECISION);
        Self::of(orders, |order| {
            let exponent = epsilon * &(order.value() + &order.less_one());
            let under = &one + &Enclosure::exp_of_minus(&exponent, PRECISION);
            let loss = over.checked_div(&under).expect("the divisor is at least one");
            let logarithm = loss.ln().expect("between one and two, and so positive");
            let divergence = &Enclosure::of(epsilon, PRECISION) - &over_less_one(&logarithm, order);
            Ok(divergence.upper().min(epsilon.clone()))
        })
    }

    /// The curve of Laplace noise of this scale on an answer of this sensitivity.
    pub fn laplace(
        sensitivity_l1: &SensitivityL1,
        scale: &Scale,
        orders: &[Order],
    ) -> Result<Self, ParameterError> {
        let ratio = sensitivity_l1.value() / scale.value();
        Self::of(orders, |order| {
            let (less_one, twice) = (order.less_one(), order.value() + &order.less_one());
            let decay = Enclosure::exp_of_minus(&(&ratio * &twice), PRECISION);
            let part = |weight: &Rational| Enclosure::of(&(weight / &twice), PRECISION);
            let sum = &part(order.value()) + &(&part(&less_one) * &decay);
            let logarithm = sum.ln().expect("at least one half");
            let divergence = &ratio + &over_less_one(&logarithm, order).upper();
            Ok(divergence.min(ratio.clone()))
        })
    }

    /// The curve of a randomized response that tells the truth with this probability.
    pub fn randomized_response(truth: &Rational, orders: &[Order]) -> Result<Self, ParameterError> {
        let truth = TRUTH.check(truth.clone())?;
        let lie = Rational::one() - truth.clone();
        // Keeping and flipping are the same release up to names.
        let (more, less) = if truth >= lie { (truth, lie) } else { (lie, truth) };
        let odds = Enclosure::ln_of(&(&more / &less), PRECISION).expect("both are positive");
        let log_more = Enclosure::ln_of(&more, PRECISION).expect("positive");
        let one = Enclosure::integer(1, PRECISION);
        Self::of(orders, |order| {
            // p^α·q^{1−α}·(1 + (q/p)^{2α−1}): the larger term in front.
            let twice = Enclosure::of(&(order.value() + &order.less_one()), PRECISION);
            let front = &log_more + &(&odds * &Enclosure::of(&order.less_one(), PRECISION));
            let small = (-&(&odds * &twice)).exp();
            let rest = (&one + &small).ln().expect("at least one");
            Ok(over_less_one(&(&front + &rest), order).upper())
        })
    }

    /// The curve of Gaussian noise on a Poisson sample: every unit is in it with probability `rate`,
    /// independently, and nobody learns who is. Add/remove neighbours; whole orders up to 4096.
    pub fn poisson_subsampled_gaussian(
        rate: &SamplingRate,
        loss: &GaussianDp,
        orders: &[Order],
    ) -> Result<Self, ParameterError> {
        if *rate.value() == Rational::one() {
            return Self::gaussian(loss, orders);
        }
        let half = loss.mu_squared() * &Rational::ratio(1, 2);
        Self::of(orders, |order| match order.whole() {
            Some(whole @ 2..=WHOLE_ORDER_MAX) => Ok(subsampled_upper(rate.value(), &half, whole, order)),
            _ => Err(ParameterError::OrderNotWhole { given: order.to_string(), most: WHOLE_ORDER_MAX }),
        })
    }

    fn of(
        orders: &[Order],
        divergence_upper: impl Fn(&Order) -> Result<Rational, ParameterError>,
    ) -> Result<Self, ParameterError> {
        let point = |order: &Order| {
            let divergence = divergence_upper(order)?.max(Rational::zero());
            let long = *divergence.denominator() > UBig::ONE << FRACTION_BITS.unsigned_abs() as usize;
            let short = if long { divergence.round_up_to_bits(FRACTION_BITS) } else { divergence };
            Ok((order.clone(), short))
        };
        Self::from_points(orders.iter().map(point).collect::<Result<_, ParameterError>>()?)
    }
}

fn over_less_one(value: &Enclosure, order: &Order) -> Enclosure {
    value
        .checked_div(&Enclosure::of(&order.less_one(), value.precision()))
        .expect("an order is at least 2^-32 above one")
}

/// `ln(Σⱼ C(α, j)·(1 − q)^{α−j}·q^j·e^{j(j−1)·μ²/2})/(α − 1)`, rounded up; `half` is `μ²/2`.
fn subsampled_upper(rate: &Rational, half: &Rational, whole: u64, order: &Order) -> Rational {
    let log = |value: &Rational| Enclosure::ln_of(value, PRECISION).expect("a probability inside (0, 1)");
    let (log_in, log_out) = (log(rate), log(&(Rational::one() - rate.clone())));
    let mut binomial = UBig::ONE;
    let mut logs = Vec::new();
    for j in 0..=whole {
        let chosen = Enclosure::ln_of(&Rational::from(binomial.clone()), PRECISION).expect("at least one");
        let integer = |value: u64| Enclosure::integer(value, PRECISION);
        let sampled = &(&log_in * &integer(j)) + &(&log_out * &integer(whole - j));
        let growth = Enclosure::of(&(half * &Rational::from(j * j.saturating_sub(1))), PRECISION);
        logs.push(&(&chosen + &sampled) + &growth);
        binomial = binomial * UBig::from(whole - j) / UBig::from(j + 1);
    }
    let largest = logs.iter().map(|term| term.upper_units().clone()).max().expect("at least three terms");
    let largest = Enclosure::new(largest.clone(), largest, PRECISION);
    let zero = Enclosure::integer(0, PRECISION);
    let sum = logs.iter().fold(zero, |sum, term| &sum + &(term - &largest).exp());
    let logarithm = &largest + &sum.ln().expect("the largest term alone is about one");
    over_less_one(&logarithm, order).upper()
}

#[cfg(test)]
mod tests;
