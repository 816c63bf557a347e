//! The lattice against closed forms and certified arithmetic.

use super::*;
use crate::pld::Mechanism;
use crate::pld::laws::Direction;

/// δ(ε) of a lattice, for tests.
fn delta(lattice: &Lattice, epsilon: f64) -> f64 {
    let finite: f64 = lattice
        .masses
        .iter()
        .enumerate()
        .map(|(index, mass)| {
            let loss = lattice.offset + (lattice.first + index as i64) as f64 * lattice.step;
            if loss > epsilon { -mass * (epsilon - loss).exp_m1() } else { 0.0 }
        })
        .sum();
    finite + lattice.infinite
}

/// δ(ε) of a law by a very fine lattice rounded both ways.
fn laws() -> Vec<(&'static str, Mechanism)> {
    let gaussian = Mechanism::Gaussian { noise_multiplier: 1.3 };
    vec![
        ("gaussian", gaussian.clone()),
        ("laplace", Mechanism::Laplace { noise_multiplier: 0.7 }),
        ("discrete laplace", Mechanism::DiscreteLaplace { scale: 2.5, sensitivity: 3 }),
        ("discrete gaussian", Mechanism::DiscreteGaussian { sigma: 2.2, sensitivity: 2 }),
        ("randomized response", Mechanism::RandomizedResponse { epsilon: 0.9, categories: 4 }),
        ("approximate", Mechanism::Approximate { epsilon: 0.5, delta: 1e-3 }),
        ("bounded range", Mechanism::BoundedRange { eta: 1.1 }),
        ("sampled gaussian", Mechanism::PoissonSubsampled { rate: 0.05, base: Box::new(gaussian) }),
        (
            "sampled laplace",
            Mechanism::PoissonSubsampled {
                rate: 0.3,
                base: Box::new(Mechanism::Laplace { noise_multiplier: 1.0 }),
            },
        ),
    ]
}

/// Specification: at every ε the optimistic profile is at or below the pessimistic one, of the same or of any
/// other step: the truth lies between all of them. The gap closes with the step.
#[test]
fn the_truth_lies_between_both_roundings_at_every_step() {
    for (name, mechanism) in laws() {
        for direction in [Direction::Remove, Direction::Add] {
            let law = mechanism.law(direction).unwrap();
            let steps = [0.37, 0.1, 0.031, 0.01, 0.0031];
            let lattices: Vec<_> = steps.iter().map(|step| both(law.as_ref(), *step, 1e-18)).collect();
            for epsilon in (-20..60).map(|i| f64::from(i) * 0.0737) {
                for [low, _] in &lattices {
                    for [_, high] in &lattices {
                        let (low, high) = (delta(low, epsilon), delta(high, epsilon));
                        assert!(low <= high + 1e-15, "{name} at {epsilon}: {low} > {high}");
                    }
                }
                let [low, high] = lattices.last().unwrap();
                let gap = delta(high, epsilon) - delta(low, epsilon);
                assert!((-1e-15..0.5 * low.step).contains(&gap), "{name} at {epsilon}: gap {gap}");
            }
        }
    }
}

/// Specification: masses are never negative and add up to one, but for the padding and what is dropped.
#[test]
fn masses_are_probabilities() {
    for (name, mechanism) in laws() {
        let law = mechanism.law(Direction::Remove).unwrap();
        let [low, high] = both(law.as_ref(), 0.05, 1e-18);
        for lattice in [low, high] {
            assert!(lattice.masses.iter().all(|mass| *mass >= 0.0), "{name}");
            let total = lattice.masses.iter().sum::<f64>() + lattice.infinite;
            assert!((total - 1.0).abs() < 0.02, "{name}: {total}");
        }
    }
}

fn both(law: &dyn LossLaw, step: f64, tail: f64) -> [Lattice; 2] {
    [Rounding::Optimistic, Rounding::Pessimistic].map(|rounding| discretise(law, step, tail, rounding))
}

use crate::pld::law::Masses;
use crate::pld::reference::{self, PRECISION, exact};
use pointillist_numbers::{Enclosure, Rational};

/// The exact masses of the Gaussian loss between two losses, under P and under Q.
fn gaussian_masses(mu: f64, lower: f64, upper: f64) -> (Enclosure, Enclosure) {
    let tail = |loss: f64, sign: i128| {
        let standard = &exact(loss) / &exact(mu) + exact(mu) * Rational::ratio(sign, 2);
        Enclosure::of(&standard, PRECISION).normal_tail()
    };
    (&tail(lower, -1) - &tail(upper, -1), &tail(lower, 1) - &tail(upper, 1))
}

/// The exact masses of the continuous part of the Laplace loss: e^((t − ε)/2)/2 and −e^(−(t + ε)/2)/2 from end to end.
fn laplace_masses(epsilon: f64, lower: f64, upper: f64) -> (Enclosure, Enclosure) {
    let half = |value: Rational| Enclosure::of(&(value * Rational::ratio(1, 2)), PRECISION).exp();
    let p = |loss: f64| half(exact(loss) - exact(epsilon)).scale_by_power_of_two(-1);
    let q = |loss: f64| half(Rational::zero() - exact(loss) - exact(epsilon)).scale_by_power_of_two(-1);
    (&p(upper) - &p(lower), &q(lower) - &q(upper))
}

/// Specification: a cell's masses, moved up for the bound from above, are at least the exact ones moved to the cell's two
/// ends, and moved down for the bound from below at most those. In cells of a billionth the share of either end has
/// lost most of its digits, and only the counted errors make this true.
#[test]
fn cells_stay_on_their_side_of_certified_masses() {
    type Exact = fn(f64, f64, f64) -> (Enclosure, Enclosure);
    let cases: [(Mechanism, f64, f64, f64, Exact); 4] = [
        (Mechanism::Gaussian { noise_multiplier: 1.3 }, 1.0 / 1.3, 0.01, 1e-9, gaussian_masses),
        (Mechanism::Gaussian { noise_multiplier: 1000.0 }, 1e-3, 1e-9, 0.4999, gaussian_masses),
        (Mechanism::Laplace { noise_multiplier: 0.7 }, 1.0 / 0.7, 0.01, 1e-9, laplace_masses),
        (Mechanism::Laplace { noise_multiplier: 1e5 }, 1e-5, 1.3e-8, 1e-9, laplace_masses),
    ];
    for (mechanism, parameter, step, tail, masses) in cases {
        let law = mechanism.law(Direction::Remove).unwrap();
        let cells = Cells::new(law.as_ref(), step, tail);
        let (low, high) = (cells.padded(Rounding::Optimistic), cells.padded(Rounding::Pessimistic));
        let point = |index: usize| cells.offset + (cells.first + index as i64) as f64 * step;
        let full = &Enclosure::integer(1, PRECISION) - &Enclosure::exp_of_minus(&exact(step), PRECISION);
        let mut looked = 0;
        let stride = (cells.to_lower.len() / 60).max(1);
        for cell in (stride..cells.to_lower.len() - stride).step_by(stride) {
            let (p, q) = masses(parameter, point(cell), point(cell + 1));
            let growth = Enclosure::of(&exact(point(cell)), PRECISION).exp();
            let share = (&p - &(&q * &growth)).checked_div(&full).unwrap();
            let [above, below] =
                [&high, &low].map(|cells| (exact(cells.to_lower[cell]), exact(cells.to_upper[cell])));
            let context = format!("{mechanism:?}, cell {cell}");
            assert!(above.1 >= share.upper(), "{context}: the upper end is too light");
            assert!(&above.0 + &above.1 >= p.upper(), "{context}: the cell is too light");
            assert!(below.1 <= share.lower(), "{context}: the upper end is too heavy from below");
            assert!(&below.0 + &below.1 <= p.lower(), "{context}: the cell is too heavy from below");
            looked += 1;
        }
        assert!(looked >= 20, "{mechanism:?}: {looked}");
    }
}

/// Specification: tails that the lattice does not resolve still count. They are one in a hundred here; without what lies
/// above the upper bound would be false beyond the lattice's end, without what lies below, for very negative ε.
#[test]
fn unresolved_tails_are_counted() {
    let mu = 1.0 / 1.3;
    let law = Mechanism::Gaussian { noise_multiplier: 1.3 }.law(Direction::Remove).unwrap();
    let [low, high] = both(law.as_ref(), 0.01, 1e-2);
    for epsilon in (-40..60).map(|i| f64::from(i) * 0.1) {
        let truth = reference::gaussian(mu, epsilon);
        let (below, above) = (delta(&low, epsilon), delta(&high, epsilon));
        assert!(above >= truth.upper().to_f64_upper() * (1.0 - 1e-12), "{epsilon}: {above}");
        assert!(below <= truth.lower().to_f64_lower() * (1.0 + 1e-12), "{epsilon}: {below}");
    }
    assert!(delta(&high, -60.0) >= 1.0, "everything that can happen is somewhere");
    assert!(delta(&high, 50.0) >= 0.005, "what lies above counts as revealing everything");
}

/// Specification: where e^(−loss) underflows, nobody knows how a cell splits: its mass moves to one end and stays.
#[test]
fn cells_whose_second_mass_underflows_are_kept() {
    let law = Mechanism::Gaussian { noise_multiplier: 1.0 / 60.0 }.law(Direction::Remove).unwrap();
    let [low, high] = both(law.as_ref(), 0.5, 1e-15);
    // Φ(5/3) − φ(5/3)/φ(175/3)·Φ̄(175/3): 0.952210 less 0.001705.
    let (below, above) = (delta(&low, 1700.0), delta(&high, 1700.0));
    // Moving by half a nat moves 0.0008.
    assert!((0.950_504..0.952).contains(&above), "{above}");
    assert!((0.949..0.950_506).contains(&below), "{below}");
}

/// Specification: not even the last digit of a probability is lost: the masses of randomized response are at least the
/// exact ones from above and at most those from below.
#[test]
fn atoms_are_padded_past_their_rounding() {
    for i in 1..200u32 {
        let epsilon = f64::from(i) * 0.017;
        let law = Mechanism::RandomizedResponse { epsilon, categories: 2 }.law(Direction::Remove).unwrap();
        let [low, high] = both(law.as_ref(), epsilon, 1e-15);
        let decay = Enclosure::exp_of_minus(&exact(epsilon), PRECISION);
        let one = Enclosure::integer(1, PRECISION);
        let truth = one.checked_div(&(&one + &decay)).unwrap();
        assert!(exact(*high.masses.last().unwrap()) >= truth.upper(), "{epsilon}");
        assert!(exact(*low.masses.last().unwrap()) <= truth.lower(), "{epsilon}");
    }
}

/// Specification: the bounds that laws state on their own errors hold for every kind of interval.
#[test]
fn laws_state_errors_that_hold() {
    let gaussian = Mechanism::Gaussian { noise_multiplier: 1.3 }.law(Direction::Remove).unwrap();
    let laplace = Mechanism::Laplace { noise_multiplier: 0.7 }.law(Direction::Remove).unwrap();
    for step in 0..40 {
        let lower = -1.3 + 0.061 * f64::from(step);
        for width in [1e-9, 1e-5, 0.1] {
            let upper = lower + width;
            let holds = |found: Masses, (p, q): (Enclosure, Enclosure)| {
                let near = |value: f64, error: f64, truth: &Enclosure| {
                    exact(value + error) >= truth.lower() && exact((value - error).max(0.0)) <= truth.upper()
                };
                near(found.p, found.p_error, &p) && near(found.q, found.q_error, &q)
            };
            assert!(
                holds(gaussian.between(lower, upper), gaussian_masses(1.0 / 1.3, lower, upper)),
                "{lower} {width}"
            );
            assert!(
                holds(laplace.between(lower, upper), laplace_masses(1.0 / 0.7, lower, upper)),
                "{lower} {width}"
            );
        }
    }
}
