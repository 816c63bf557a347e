//! What the whole accountant must not forget, against values computed by other means.

use super::accountant::{Target, delta_of, loss_rounding, ordered};
use super::inversion;
use super::laws::Direction;
use super::reference::{self, approximate, exact};
use super::{Accountant, Certified, Mechanism, PldError};
use pointillist_errors::Explained as _;

fn of(mechanism: &Mechanism, count: u64) -> Accountant {
    let mut accountant = Accountant::new();
    accountant.add(mechanism.clone(), count);
    accountant
}

fn sampled(base: Mechanism, rate: f64) -> Mechanism {
    Mechanism::PoissonSubsampled { rate, base: Box::new(base) }
}

fn laplace(scale: f64) -> Mechanism {
    Mechanism::Laplace { noise_multiplier: scale }
}

fn gaussian(sigma: f64) -> Mechanism {
    Mechanism::Gaussian { noise_multiplier: sigma }
}

/// δ(ε) of one direction by the lattice alone.
fn on_lattice(mechanism: &Mechanism, count: u64, direction: Direction, epsilon: f64) -> Certified {
    let accountant = of(mechanism, count);
    let mu = accountant.gaussian().upper();
    let laws = accountant.laws(direction, mu).unwrap();
    delta_of(&laws, &laws, epsilon).unwrap()
}

/// Specification: adding somebody and removing somebody are different questions, and the worse one counts. Laplace noise
/// on a sample of 0.3, twice, at ε = 0.2: 0.07556 for removing, 0.07701 for adding.
#[test]
fn the_worse_of_both_directions_counts() {
    let mechanism = sampled(laplace(1.0), 0.3);
    let expected = [(Direction::Remove, 0.07556), (Direction::Add, 0.07701)].map(|(direction, rounded)| {
        let truth = reference::twice(&reference::sampled_laplace(1.0, 0.3, direction, 3000), 0.2);
        assert!((truth - rounded).abs() < 6e-6, "{direction:?}: {truth}");
        let found = on_lattice(&mechanism, 2, direction, 0.2);
        assert!(
            found.upper >= truth && found.lower <= truth * (1.0 + 1e-6),
            "{direction:?}: {found:?} {truth}"
        );
        assert!(found.upper - found.lower < 1e-4, "{direction:?}: {found:?}");
        truth
    });
    let found = of(&mechanism, 2).delta(0.2).unwrap();
    assert!(found.upper >= expected[1] && found.lower > expected[0], "{found:?} {expected:?}");
}

/// Specification: the atoms of sampled Laplace noise weigh what the outputs beyond both ends weigh, in either direction.
#[test]
fn sampled_laplace_noise_matches_its_outputs() {
    for (scale, rate) in [(1.0, 0.3), (0.4, 0.05), (3.0, 0.8)] {
        for direction in [Direction::Remove, Direction::Add] {
            let events = reference::sampled_laplace(scale, rate, direction, 2000);
            for epsilon in [0.0, 0.01, 0.1, 0.25, 0.6] {
                for (count, truth) in
                    [(1, reference::once(&events, epsilon)), (2, reference::twice(&events, epsilon))]
                {
                    let found = on_lattice(&sampled(laplace(scale), rate), count, direction, epsilon);
                    let context =
                        format!("b = {scale}, q = {rate}, {direction:?}, ε = {epsilon}, {count} times");
                    assert!(found.upper >= truth * (1.0 - 1e-12), "{context}: {found:?} {truth}");
                    assert!(found.lower <= truth * (1.0 + 1e-5) + 1e-9, "{context}: {found:?} {truth}");
                    assert!(found.upper <= truth * (1.0 + 2e-3) + 2e-4, "{context}: {found:?} {truth}");
                }
            }
        }
    }
}

/// Specification: far out in the tail the bounds still hold. Gaussian noise of σ = 1 on a sample of a tenth, twice, at ε = 12: the
/// truth is 1.53185e-31, and a lattice that forgets its tails or its rounding says 1.52695e-31.
#[test]
fn a_far_tail_is_bounded_from_above() {
    let events = reference::sampled_gaussian(1.0, 0.1, Direction::Remove, 6000);
    let least = reference::twice(&events, 12.0);
    assert!((1.531e-31..1.531_85e-31).contains(&least), "{least:e}");
    let mechanism = sampled(gaussian(1.0), 0.1);
    for found in [of(&mechanism, 2).delta(12.0).unwrap(), on_lattice(&mechanism, 2, Direction::Remove, 12.0)]
    {
        assert!(found.upper >= 1.531_849e-31 && found.upper < 1.54e-31, "{found:?}");
        assert!(found.lower <= 1.531_851e-31 && found.lower > 1.52e-31, "{found:?}");
    }
}

/// Specification: losses are floats, and sums of them are off by their rounding; ε next to the largest loss pays for it.
#[test]
fn the_rounding_of_losses_is_paid_for() {
    for i in 1..60u32 {
        let (each, count) = (0.0137 * f64::from(i), 3 + 2 * (i % 3));
        let mechanism = Mechanism::RandomizedResponse { epsilon: each, categories: 2 };
        let largest = each * f64::from(count);
        for epsilon in [largest * (1.0 - 3.0 * f64::EPSILON), largest.next_down(), largest] {
            let truth = approximate(each, 0.0, count, epsilon);
            let found = on_lattice(&mechanism, count.into(), Direction::Remove, epsilon);
            assert!(exact(found.upper) >= truth.lower(), "{each} × {count} at {epsilon}: {found:?}");
            assert!(exact(found.lower) <= truth.upper(), "{each} × {count} at {epsilon}: {found:?}");
        }
        // At the largest loss itself the upper bound still allows for one unit of the sum.
        let all = (1.0 + (-each).exp()).powi(-(count as i32));
        let found = on_lattice(&mechanism, count.into(), Direction::Remove, largest);
        assert!(found.upper >= 0.99 * all * largest * f64::EPSILON, "{each} × {count}: {found:?}");
    }
}

/// Specification: what is allowed for the rounding of losses covers a unit of every single loss, and no more than a reader
/// could notice.
#[test]
fn the_allowance_for_rounding_covers_a_unit_of_every_loss() {
    for (each, count) in [(0.1, 1), (1.5, 7), (30.0, 1000)] {
        let accountant = of(&Mechanism::RandomizedResponse { epsilon: each, categories: 2 }, count);
        let laws = accountant.laws(Direction::Remove, accountant.gaussian().upper()).unwrap();
        let (allowed, all) = (loss_rounding(&laws), each * count as f64);
        assert!(allowed >= all * f64::EPSILON, "{each} × {count}: {allowed:e}");
        assert!(allowed <= all * 1e-10, "{each} × {count}: {allowed:e}");
    }
}

/// Specification: the δ of its own that each mechanism has is in the answer.
#[test]
fn the_failures_of_approximate_mechanisms_add_up() {
    for (each, failure, count) in [(0.25, 1e-3, 4u32), (0.125, 1e-9, 30), (1.0, 0.05, 2)] {
        let accountant = of(&Mechanism::Approximate { epsilon: each, delta: failure }, count.into());
        for epsilon in [0.0, 0.3, each * f64::from(count), 20.0] {
            let truth = approximate(each, failure, count, epsilon);
            let found = accountant.delta(epsilon).unwrap();
            assert!(exact(found.upper) >= truth.lower(), "{each} {failure} {count} at {epsilon}: {found:?}");
            assert!(exact(found.lower) <= truth.upper(), "{each} {failure} {count} at {epsilon}: {found:?}");
        }
        let all = approximate(each, failure, count, 1e3).lower().to_f64_lower();
        assert_eq!(accountant.epsilon(all * 0.99), Err(PldError::Unbounded));
        assert!(accountant.epsilon(all * 1.01).is_ok());
    }
}

/// Specification: bounds in the wrong order are an error, never put in order quietly.
#[test]
fn a_contradiction_is_an_error() {
    let found = ordered(Certified { lower: 2.0, upper: 1.0 });
    assert_eq!(found, Err(PldError::Contradiction { lower: 2.0, upper: 1.0 }));
    assert!(found.unwrap_err().explanation().text().contains("\nhint: "));
    assert!(ordered(Certified { lower: f64::NAN, upper: 1.0 }).is_err());
    assert!(ordered(Certified { lower: 1.0, upper: 1.0 }).is_ok());
}

/// Specification: a finite ε is found wherever there is one, however large.
#[test]
fn large_losses_have_a_finite_epsilon() {
    // Gaussian: ε solves the closed form; at μ = 1000 and δ = 1e-6 it is 504,752 and at four uses of 1e-9 about 2e18.
    for (sigma, count, least, most) in [(1e-3, 1, 504_740.0, 504_770.0), (1e-9, 4, 1.999e18, 2.001e18)] {
        let found = of(&gaussian(sigma), count).epsilon(1e-6).unwrap();
        assert!(least < found.lower && found.upper < most, "{sigma}: {found:?}");
    }
    // Laplace noise of 0.001 on a tenth: the largest loss is 1000 + ln 0.1, and it has probability 0.05.
    let largest = 1000.0 + 0.1f64.ln();
    for count in [1u32, 5] {
        let found = of(&sampled(laplace(0.001), 0.1), count.into()).epsilon(1e-9).unwrap();
        let top = f64::from(count) * largest;
        assert!(found.upper >= top - 1e-2 && found.upper <= top * (1.0 + 1e-9), "{found:?}");
    }
    // The loss of a discrete Gaussian moved by 2²⁰ at σ = 1 is near 2³⁹; five outputs left of zero weigh 2.9e-7 and count.
    let moved = Mechanism::DiscreteGaussian { sigma: 1.0, sensitivity: 1 << 20 };
    let found = of(&moved, 1).epsilon(1e-6).unwrap();
    let half = 0.5 * (1u64 << 40) as f64;
    assert!(half < found.lower && found.upper < half + 6.0 * (1u64 << 20) as f64, "{found:?}");
    assert!(of(&moved, 3).delta(1.0).unwrap().upper > 0.999);
}

/// Specification: Gaussians are merged as they are, however little noise they have together.
#[test]
fn merged_gaussians_are_not_made_quieter() {
    let [once, often] = [1u64, 1_000_000].map(|count| of(&gaussian(1e-9), count).epsilon(1e-6).unwrap());
    assert!(often.lower > 0.9e6 * once.upper, "{once:?} {often:?}");
    let merged = of(&gaussian(0.1), 7).gaussian();
    let truth = exact(merged.lower())..exact(merged.upper());
    let squares = exact(7.0) / (exact(0.1) * exact(0.1));
    assert!(truth.start.squared() < squares && squares < truth.end.squared());
}

/// Specification: δ is resolved however small it is, and near the largest loss it is small.
#[test]
fn small_deltas_are_resolved() {
    let far = of(&sampled(gaussian(1.0), 0.001), 20_000).delta(6.0).unwrap();
    assert!(far.upper < 1e-30 && far.lower > 0.5 * far.upper, "{far:?}");
    let response = Mechanism::RandomizedResponse { epsilon: 0.25, categories: 2 };
    let truth = approximate(0.25, 0.0, 120, 29.6).lower().to_f64_lower();
    let found = of(&response, 120).delta(29.6).unwrap();
    assert!(truth < 1e-28 && found.lower <= truth && truth <= found.upper, "{found:?} {truth:e}");
    assert!(found.upper < 1.01 * truth, "{found:?} {truth:e}");
    for count in [1u64, 3, 60] {
        let found = of(&laplace(1.0), count).delta(count as f64 - 1e-7).unwrap();
        assert!(found.upper < 1.1e-7, "{count}: {found:?}");
    }
}

/// Specification: both ways of composing agree where both apply.
#[test]
fn inversion_and_lattice_agree() {
    for (mechanism, count, epsilon) in [
        (sampled(gaussian(1.0), 0.1), 2, 12.0),
        (sampled(gaussian(1.0), 0.01), 10_000, 6.0),
        (gaussian(3.0), 5, 1.0),
        (laplace(100.0), 10_000, 4.0),
        (Mechanism::BoundedRange { eta: 0.1 }, 400, 1.0),
    ] {
        let direction = Direction::Remove;
        let accountant = of(&mechanism, count);
        let smooth = accountant.characteristics(direction, accountant.gaussian()).unwrap();
        let inverted = inversion::certified(&smooth, Target::Epsilon(epsilon));
        let inverted = inverted.unwrap_or_else(|| panic!("{mechanism:?} is smooth"));
        let lattice = on_lattice(&mechanism, count, direction, epsilon);
        let context = format!("{mechanism:?} × {count}: {inverted:?} {lattice:?}");
        assert!(inverted.lower <= inverted.upper && inverted.upper <= 1.0, "{context}");
        assert!(inverted.lower <= lattice.upper && lattice.lower <= inverted.upper, "{context}");
        assert!(inverted.upper - inverted.lower <= 1e-8 * inverted.upper, "{context}");
    }
}
