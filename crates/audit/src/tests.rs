//! Audits of releases whose loss is known: what is true is cleared, what is not is refuted, and the number is near.

use pointillist_errors::Explained;
use pointillist_mechanisms::GeometricMechanism;
use pointillist_privacy::{Delta, Epsilon, Loss, Rho, SensitivityL1};
use pointillist_testkit::seeded;

use pointillist_noise::SecureBits;

use super::*;

mod odd;
mod power;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn run(mut subject: impl Subject, releases: usize) -> Finding {
    audit(&mut subject, &Settings::new(releases), &mut seeded(7), &mut |_, _| ()).unwrap()
}

/// A count with noise for one person, claimed at ε = 1; neighbours move it as the pairs say.
fn counts(pairs: &[(&str, i128)]) -> impl Subject {
    let noise = GeometricMechanism::new(&SensitivityL1::new(1i64.into()).unwrap(), &epsilon("1")).unwrap();
    let claim = Loss::pure(epsilon("1"));
    let mut trial =
        Trial::new("count", claim, move |count: &i128, bits| Observation::of(noise.release(*count, bits)));
    for (name, moved) in pairs {
        trial = trial.pair(*name, 70, 70 + moved);
    }
    trial
}

/// False alarm: 1e-9. The measured number is at least half of the claim: an event of probability 0.27 against 0.73
/// exists, and 10,000 releases bound both within a few hundredths.
#[test]
fn a_true_claim_is_cleared_and_nearly_reached() {
    let found = run(counts(&[("nobody moves", 0), ("one person", 1)]), 20_000);
    assert!(!found.refuted(), "{found:?}");
    assert_eq!((found.neighbours.as_str(), found.pairs), ("one person", 2));
    let closest = found.closest().unwrap();
    assert!(closest.tightness() > 0.85 && closest.tightness() <= 1.0, "{closest:?}");
}

#[test]
fn a_forgotten_row_is_found_among_harmless_neighbours() {
    let found = run(counts(&[("nobody", 0), ("one row", 1), ("two rows", 2), ("nobody again", 0)]), 5_000);
    assert!(found.refuted(), "{found:?}");
    assert_eq!(found.neighbours, "two rows");
    assert!(found.closest().unwrap().event.is_some());
}

/// A δ that is too small by a factor of three: with probability 0.06 everything is shown.
#[test]
fn a_delta_that_does_not_cover_is_refuted_and_one_that_does_is_cleared() {
    let shown = |delta: &str| {
        let claim = Loss::approximate(epsilon("0.5"), Delta::parse(delta).unwrap());
        let release = |bit: &bool, bits: &mut dyn SecureBits| {
            let word = if bits.take(16) < 3932 { bit.to_string() } else { "nothing".to_owned() };
            Observation::of(word)
        };
        run(Trial::new("sometimes all", claim, release).pair("a bit", false, true), 10_000)
    };
    assert!(shown("0.02").refuted());
    assert!(!shown("0.07").refuted());
}

/// Concentrated claims: normal noise, rounded finely, of deviation 1 and of half of it.
#[test]
fn half_of_the_noise_is_refuted_in_rho() {
    let noisy = |deviation: f64| {
        let claim = Loss::zcdp(Rho::parse("0.5").unwrap());
        let release = move |centre: &f64, bits: &mut dyn SecureBits| {
            let mut unit = || (bits.take(52) as f64 + 0.5) / 2f64.powi(52);
            let normal = (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
            Observation::of(((centre + deviation * normal) * 4096.0).round() as i64)
        };
        run(Trial::new("normal", claim, release).pair("one", 0.0, 1.0), 20_000)
    };
    let honest = noisy(1.0);
    assert!(!honest.refuted() && honest.closest().unwrap().tightness() > 0.35, "{honest:?}");
    assert!(noisy(0.5).refuted());
}

/// Two numbers with the same noise: neither tells, their difference is exact. A classifier sees it, no column does.
#[test]
fn the_same_noise_twice_is_refuted() {
    let noise = GeometricMechanism::new(&SensitivityL1::new(2i64.into()).unwrap(), &epsilon("1")).unwrap();
    let release = move |value: &i128, bits: &mut dyn SecureBits| {
        let drawn = noise.release(0, bits);
        Observation::list([drawn, drawn + value])
    };
    let twice = Trial::new("the same noise", Loss::pure(epsilon("1")), release).pair("one", 0, 1);
    assert!(run(twice, 5_000).refuted());
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let refused = |subject: &mut dyn Subject, releases: usize| {
        audit(subject, &Settings::new(releases), &mut seeded(1), &mut |_, _| ())
            .unwrap_err()
            .explanation()
            .text()
    };
    assert!(refused(&mut counts(&[("one", 1)]), 10).contains("hint:"));
    assert!(refused(&mut counts(&[]), 1000).contains("no neighbouring data"));
}
