//! The theorem and each of its error terms, against certified closed forms.

use super::*;
use crate::conversion::GaussianDp;
use crate::pld::reference;
use pointillist_numbers::{Enclosure, Rational};

fn gaussian(mu: f64) -> Characteristics {
    vec![(Characteristic::Gaussian { mu, mu_error: 0.0 }, 1)]
}

fn near(truth: &Enclosure) -> f64 {
    truth.upper().to_f64_upper()
}

/// Specification: the sum is δ and its aliases. With a short period the aliases are seen, and each is within its bound.
#[test]
fn the_sum_is_delta_and_its_aliases() {
    let coarse = Precision { aliases: 0.5, ..FINE };
    let inversion = Inversion::new(&gaussian(1.0), Target::Epsilon(3.0), coarse).unwrap();
    let period = std::f64::consts::TAU / inversion.spacing;
    let tilt = inversion.tilt;
    for epsilon in [2.5, 2.8, 3.0, 3.3, 4.0] {
        let alias = |sign: f64| -> f64 {
            (1..25)
                .map(|m| f64::from(m) * period)
                .map(|away| {
                    (sign * tilt * away).exp() * near(&reference::gaussian(1.0, epsilon + sign * away))
                })
                .sum()
        };
        let (left, right) = (alias(-1.0), alias(1.0));
        let truth = near(&reference::gaussian(1.0, epsilon));
        assert!(left > 0.01 * truth && right > 1e-6 * truth, "{epsilon}: {left} {right} {truth}");
        let found = inversion.delta(epsilon);
        assert!((found.upper / (truth + left + right) - 1.0).abs() < 1e-11, "{epsilon}: {found:?}");
        let bounds = inversion.aliases(epsilon);
        assert!(bounds[0] >= left && bounds[1] >= right, "{epsilon}: {bounds:?} {left} {right}");
        assert!(found.lower <= truth && truth <= found.upper, "{epsilon}: {found:?} {truth}");
    }
}

/// Specification: what is cut off is paid for, on both sides.
#[test]
fn a_sum_cut_short_pays_for_the_rest() {
    for cut in [0.0, 1.0, 3.0] {
        let inversion =
            Inversion::new(&gaussian(1.0), Target::Epsilon(1.0), Precision { cut, ..FINE }).unwrap();
        for step in 0..60 {
            let epsilon = 0.4 + 0.03 * f64::from(step);
            let (found, truth) = (inversion.delta(epsilon), near(&reference::gaussian(1.0, epsilon)));
            assert!(found.lower <= truth && truth <= found.upper, "{cut} {epsilon}: {found:?} {truth}");
        }
    }
}

/// Specification: rounding is paid for. At μ = 1000 exponents are in the thousands and angles too, and the bounds hold the
/// certified ε of Gaussian differential privacy between them.
#[test]
fn rounding_is_paid_for() {
    for (mu, delta) in
        [(1000.0, 1e-6), (777.7, 1e-9), (123.4, 0.01), (1.0, 1e-5), (1e-6, 1e-15), (0.003, 1e-30)]
    {
        let laws = gaussian(mu);
        let found = certified(&laws, Target::Delta(delta)).unwrap();
        let exact = GaussianDp::from_mu(&Rational::from_f64(mu).unwrap()).unwrap();
        let delta = crate::Delta::new(Rational::from_f64(delta).unwrap()).unwrap();
        let upper = exact.epsilon_upper(&delta).unwrap();
        let lower = exact.epsilon_lower(&delta, &upper).to_f64_lower();
        assert!(found.upper >= lower && found.lower <= upper.to_f64_upper(), "{mu}: {found:?} {lower}");
        assert!(found.upper - found.lower <= 1e-9 * found.upper, "{mu}: {found:?}");
    }
}

/// Specification: a list of atoms alone is not smooth, and is left to the lattice.
#[test]
fn atoms_are_not_inverted() {
    let atom = |loss: f64, probability: f64| crate::pld::law::Atom { loss, probability };
    let response = Characteristic::atoms(vec![atom(0.5, 0.622), atom(-0.5, 0.378)]).unwrap();
    assert!(certified(&vec![(response, 10)], Target::Epsilon(1.0)).is_none());
}
