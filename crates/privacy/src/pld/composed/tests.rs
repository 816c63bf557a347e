//! Each guard of a profile on its own, against certified sums.

use pointillist_numbers::Enclosure;

use super::*;
use crate::pld::Mechanism;
use crate::pld::lattice::{Lattice, discretise};
use crate::pld::laws::Direction;
use crate::pld::reference;

fn lattice(mechanism: &Mechanism, step: f64, tail: f64, rounding: Rounding) -> Lattice {
    discretise(mechanism.law(Direction::Remove).unwrap().as_ref(), step, tail, rounding)
}

/// The profile from below and from above.
fn profiles(mechanism: &Mechanism, count: u64, plan: &Plan) -> [Profile; 2] {
    [Rounding::Optimistic, Rounding::Pessimistic].map(|rounding| {
        Profile::new(&[(lattice(mechanism, plan.step, 1e-20, rounding), count)], rounding, plan)
    })
}

fn assert_between(profiles: &[Profile; 2], epsilon: f64, truth: &Enclosure) {
    let (lower, upper) = (profiles[0].delta(epsilon), profiles[1].delta(epsilon));
    let (least, most) = (truth.lower().to_f64_lower(), truth.upper().to_f64_upper());
    assert!(lower <= least, "ε = {epsilon}: {lower} is claimed from below, {least} is true");
    assert!(upper >= most, "ε = {epsilon}: {upper} is claimed from above, {most} is true");
}

/// Specification: what lies outside the window wraps into it, and is paid for. The window holds ±1.3 deviations.
#[test]
fn a_window_that_is_too_short_pays_for_what_wraps_around() {
    let mechanism = Mechanism::Gaussian { noise_multiplier: 1.0 };
    for tilt in [0.5, 1.0] {
        let plan = Plan {
            step: 0.01,
            start: -80 + (tilt * 100.0) as i64,
            length: 256,
            tilt,
            directions: [-1.5, 1.5],
        };
        let found = profiles(&mechanism, 1, &plan);
        for step in 1..255 {
            let epsilon = (plan.start + step) as f64 * plan.step;
            assert_between(&found, epsilon, &reference::gaussian(1.0, epsilon));
        }
    }
}

/// Specification: left of the window nothing is known from above.
#[test]
fn left_of_the_window_the_upper_bound_is_one() {
    let plan = Plan { step: 0.01, start: 100, length: 1024, tilt: 1.0, directions: [-1.5, 1.5] };
    let found = profiles(&Mechanism::Gaussian { noise_multiplier: 1.0 }, 1, &plan);
    for epsilon in [-3.0, 0.0, 0.5, 0.98] {
        assert_between(&found, epsilon, &reference::gaussian(1.0, epsilon));
    }
}

fn responses() -> Mechanism {
    Mechanism::RandomizedResponse { epsilon: 0.125, categories: 2 }
}

/// Specification: without a tilt, δ far out is smaller than what a transform rounds: only the counted error keeps the bounds
/// true.
#[test]
fn the_rounding_of_the_transform_is_paid_for() {
    let plan = Plan { step: 0.125, start: -128, length: 256, tilt: 1e-9, directions: [-20.0, 20.0] };
    let found = profiles(&responses(), 100, &plan);
    for step in 1..100 {
        let epsilon = 0.125 * f64::from(step) + 0.01;
        assert_between(&found, epsilon, &reference::approximate(0.125, 0.0, 100, epsilon));
    }
}

/// Specification: masses, powers and weights round relative to themselves, and one term pays for that: with the other
/// guards set to zero it is enough.
#[test]
fn relative_rounding_is_paid_for_alone() {
    let plan = Plan { step: 0.125, start: -128, length: 256, tilt: 3.0, directions: [-20.0, 20.0] };
    let mut found = profiles(&responses(), 100, &plan);
    // The masses as they are, without the lattice's own padding.
    for profile in &mut found {
        (profile.error, profile.outside) = (0.0, 0.0);
    }
    for (profile, padding) in found.iter_mut().zip([1e-10, -1e-13]) {
        profile.log_scale += 100.0 * padding;
    }
    for step in 20..70 {
        let epsilon = 0.125 * f64::from(step) + 0.01;
        assert_between(&found, epsilon, &reference::approximate(0.125, 0.0, 100, epsilon));
    }
}

/// Specification: the δ of its own that a mechanism has is in the result, to the last digit.
#[test]
fn infinite_losses_are_counted() {
    for (failure, count) in [(1e-9, 7u32), (3e-4, 5), (0.01, 40), (1.3e-12, 3), (0.3, 2)] {
        let mechanism = Mechanism::Approximate { epsilon: 0.125, delta: failure };
        let plan = Plan { step: 0.125, start: -64, length: 128, tilt: 0.5, directions: [-20.0, 20.0] };
        let found = profiles(&mechanism, count.into(), &plan);
        for epsilon in [0.3, 0.125 * f64::from(count), 7.0] {
            assert_between(&found, epsilon, &reference::approximate(0.125, failure, count, epsilon));
        }
    }
}

/// Specification: the probability that some loss is infinite is not rounded to the wrong side, whatever the lattice padded:
/// beyond the window nothing else is left.
#[test]
fn the_rounding_of_infinite_losses_is_paid_for() {
    for i in 1..150u32 {
        let (infinite, count) = (1.7e-4 * f64::from(i), 2 + i % 9);
        let plan = Plan { step: 0.125, start: -4, length: 64, tilt: 0.5, directions: [-20.0, 20.0] };
        let found = [Rounding::Optimistic, Rounding::Pessimistic].map(|rounding| {
            let masses = vec![1.0 - infinite];
            let lattice = Lattice { step: 0.125, offset: 0.0, first: 0, masses, infinite };
            Profile::new(&[(lattice, count.into())], rounding, &plan)
        });
        assert_between(&found, 100.0, &reference::approximate(0.125, infinite, count, 100.0));
    }
}
