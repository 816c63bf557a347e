//! Characteristic functions against sums over output laws.

use super::*;
use crate::pld::laws::Direction;
use crate::pld::reference::{self, Events};

/// Σ p·e^((λ+it)L) over events, and its value at t = 0: what K and φ are by definition.
fn by_definition(events: &Events, tilt: f64, t: f64) -> (f64, Complex64) {
    let (mut zero, mut sum) = (0.0, Complex64::default());
    for (p, q) in events.iter().filter(|(p, q)| *p > 0.0 && *q > 0.0) {
        let loss = (p / q).ln();
        let weight = p * (tilt * loss).exp();
        zero += weight;
        sum += weight * Complex64::new((t * loss).cos(), (t * loss).sin());
    }
    (zero.ln(), sum / zero)
}

fn cases() -> Vec<(Characteristic, Events)> {
    let mut cases = Vec::new();
    for direction in [Direction::Remove, Direction::Add] {
        for (sigma, rate) in [(1.0, 0.1), (0.5, 0.01), (3.0, 0.9)] {
            let law = SampledGaussian { mu: 1.0 / sigma, rate, direction };
            let events = reference::sampled_gaussian(sigma, rate, direction, 100_000);
            cases.push((Characteristic::Sampled(law), events));
        }
    }
    for scale in [1.0, 10.0] {
        let law = Characteristic::Ends(Ends { largest: 1.0 / scale, atoms: true });
        cases.push((law, reference::sampled_laplace(scale, 1.0, Direction::Remove, 20_000)));
    }
    cases.push((
        Characteristic::Gaussian { mu: 0.5, mu_error: 0.0 },
        reference::sampled_gaussian(2.0, 1.0, Direction::Remove, 100_000),
    ));
    cases
}

#[test]
fn values_are_what_the_definition_says() {
    for (law, events) in cases() {
        for tilt in [0.1, 1.0, 4.0] {
            for t in [0.05, 1.0, 7.0] {
                let (log_moment, phi) = by_definition(&events, tilt, t);
                let found = law.log_moment(tilt);
                assert!((found.value - log_moment).abs() < 1e-6, "{law:?} {tilt}: {found:?} {log_moment}");
                assert!(found.error < 1e-11, "{law:?} {tilt}: {found:?}");
                // The second of two values, so that the spacing is part of the test.
                let value = law.log_values(tilt, 0.5 * t, 2)[1];
                assert!((value.value.exp() - phi).norm() < 1e-6, "{law:?} {tilt} {t}: {value:?} {phi}");
                // A value that is nearly zero has lost digits of its logarithm.
                assert!(value.error < 1e-9 || phi.norm() < 1e-3, "{law:?} {tilt} {t}: {value:?}");
            }
        }
    }
}

/// Specification: no value passes the envelope of any earlier point.
#[test]
fn envelopes_hold_from_their_point_on() {
    let bounded = Characteristic::Ends(Ends { largest: 0.7, atoms: false });
    let laws = cases().into_iter().map(|(law, _)| law).chain([bounded]);
    for law in laws {
        for tilt in [0.1, 2.0] {
            let values = law.log_values(tilt, 0.25, 400);
            let mut useful = false;
            for start in [1usize, 8, 40, 200] {
                let envelope = law.envelope(tilt, start as f64 * 0.25);
                // Values too small to be known are below everything that matters here.
                let known = values[start - 1..].iter().filter(|value| value.error < 0.1);
                let largest = known.map(|value| value.value.re.exp()).fold(0.0, f64::max);
                // A known value is within a tenth of itself.
                assert!(largest <= envelope * 1.2, "{law:?} {tilt} {start}: {largest} {envelope}");
                useful |= envelope < 0.999;
            }
            assert!(useful, "{law:?} {tilt}");
        }
    }
}
