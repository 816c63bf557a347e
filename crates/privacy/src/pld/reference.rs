//! Expected values by other means than the accountant's: laws of outputs written out, and certified sums.
//!
//! Nothing here uses a lattice, a transform or a law of `laws/`. Output laws are cut into events by their distribution
//! functions, and compositions are the sums over all pairs of events that the definition of δ names. Events only merge
//! outcomes, so such a sum is never above the truth, and it comes near it as the square of the events' width.

use pointillist_numbers::{Enclosure, Rational};

use super::laws::Direction;

/// Bits behind the point of certified sums.
pub(crate) const PRECISION: usize = 400;

/// The probabilities of events under P and under Q.
pub(crate) type Events = Vec<(f64, f64)>;

/// (P, Q) of a mechanism on a Poisson sample, from events with and without the unit.
fn sampled(with: impl Iterator<Item = (f64, f64)>, rate: f64, direction: Direction) -> Events {
    with.map(|(with, without)| {
        let mixture = (1.0 - rate) * without + rate * with;
        match direction {
            Direction::Remove => (mixture, without),
            Direction::Add => (without, mixture),
        }
    })
    .collect()
}

/// The probability that a standard normal variable lies between two points, to nearly all digits in either tail.
fn normal_between(left: f64, right: f64) -> f64 {
    let tail = |x: f64| 0.5 * libm::erfc(x / std::f64::consts::SQRT_2);
    if left > 0.0 { tail(left) - tail(right) } else { tail(-right) - tail(-left) }
}

/// Gaussian noise of this σ at sensitivity 1, sampled.
pub(crate) fn sampled_gaussian(sigma: f64, rate: f64, direction: Direction, count: usize) -> Events {
    let (left, right) = (-14.0, 14.0 + 1.0 / sigma);
    let edge = |index: usize| left + (right - left) * index as f64 / count as f64;
    let event = |index: usize| {
        let (low, high) = (edge(index), edge(index + 1));
        (normal_between(low - 1.0 / sigma, high - 1.0 / sigma), normal_between(low, high))
    };
    sampled((0..count).map(event), rate, direction)
}

/// Laplace noise of this scale at sensitivity 1, sampled: with the unit around zero, without it around one.
pub(crate) fn sampled_laplace(scale: f64, rate: f64, direction: Direction, count: usize) -> Events {
    let fall = |from: f64, to: f64| -0.5 * (-from / scale).exp() * ((from - to) / scale).exp_m1();
    let between = |index: usize| {
        let (low, high) = (index as f64 / count as f64, (index + 1) as f64 / count as f64);
        (fall(low, high), fall(1.0 - high, 1.0 - low))
    };
    let far = 0.5 * (-1.0 / scale).exp();
    let events = [(0.5, far), (far, 0.5)].into_iter().chain((0..count).map(between));
    sampled(events, rate, direction)
}

/// δ(ε) of two uses, by the definition.
pub(crate) fn twice(events: &Events, epsilon: f64) -> f64 {
    let odds = epsilon.exp();
    let row = |(p, q): &(f64, f64)| -> f64 {
        events.iter().map(|(other_p, other_q)| (p * other_p - odds * q * other_q).max(0.0)).sum()
    };
    events.iter().map(row).sum()
}

/// δ(ε) of one use.
pub(crate) fn once(events: &Events, epsilon: f64) -> f64 {
    events.iter().map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
}

pub(crate) fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("a finite float")
}

/// δ(ε) of `copies` uses of an (ε₀, δ₀)-private mechanism at its worst, certified:
/// `1 − (1 − δ₀)^k + (1 − δ₀)^k·Σ_j C(k, j)·p^j·(1 − p)^(k−j)·(1 − e^(ε−(2j−k)ε₀))₊`.
pub(crate) fn approximate(each: f64, failure: f64, copies: u32, epsilon: f64) -> Enclosure {
    let one = Enclosure::integer(1, PRECISION);
    let lie = {
        let decay = Enclosure::exp_of_minus(&exact(each), PRECISION);
        decay.checked_div(&(&one + &decay)).expect("at least one")
    };
    let truth = &one - &lie;
    let power = |base: &Enclosure, times: u32| (0..times).fold(one.clone(), |product, _| &product * base);
    let survival = power(&(&one - &Enclosure::of(&exact(failure), PRECISION)), copies);
    let mut sum = Enclosure::integer(0, PRECISION);
    let mut ways = Rational::one();
    for kept in 0..=copies {
        let excess = exact(each) * Rational::from(2 * i64::from(kept) - i64::from(copies)) - exact(epsilon);
        if excess.is_positive() {
            let hinge = &one - &Enclosure::exp_of_minus(&excess, PRECISION);
            let probability = &power(&truth, kept) * &power(&lie, copies - kept);
            sum = &sum + &(&(&Enclosure::of(&ways, PRECISION) * &probability) * &hinge);
        }
        ways = ways * Rational::ratio(i128::from(copies - kept), u128::from(kept + 1));
    }
    &(&one - &survival) + &(&survival * &sum)
}

/// δ(ε) of Gaussian noise with μ = Δ/σ, certified: `Φ̄(ε/μ − μ/2) − e^ε·Φ̄(ε/μ + μ/2)`.
pub(crate) fn gaussian(mu: f64, epsilon: f64) -> Enclosure {
    let (mu, epsilon) = (exact(mu), exact(epsilon));
    let (standard, half) = (&epsilon / &mu, &mu * &Rational::ratio(1, 2));
    let tail = |at: Rational| Enclosure::of(&at, PRECISION).normal_tail();
    let growth = Enclosure::of(&epsilon, PRECISION).exp();
    &tail(&standard - &half) - &(&growth * &tail(&standard + &half))
}

/// The sums of events are the closed forms where there are any.
#[test]
fn the_reference_agrees_with_closed_forms() {
    let single = once(&sampled_gaussian(0.8, 0.1, Direction::Remove, 200_000), 1.0);
    assert!((single / 0.0015676589280900738 - 1.0).abs() < 1e-8, "{single}");
    let all = once(&sampled_gaussian(1.0, 1.0, Direction::Remove, 200_000), 1.0);
    let closed = gaussian(1.0, 1.0).upper().to_f64_upper();
    assert!(
        (all / closed - 1.0).abs() < 1e-8 && (closed - 0.12693673750664395).abs() < 1e-15,
        "{all} {closed}"
    );
    let laplace = once(&sampled_laplace(1.0, 1.0, Direction::Add, 100_000), 0.5);
    assert!((laplace - 0.22119921692859513).abs() < 1e-10, "{laplace}");
    let response = approximate(0.2, 0.0, 50, 1.0).upper().to_f64_upper();
    assert!((response - 0.2880976469368663).abs() < 1e-15, "{response}");
}
