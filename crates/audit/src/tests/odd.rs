//! Releases that nobody should make, under claims that nobody should believe: audits end, without a panic, and what
//! does not depend on the side is never refuted.

use super::*;
use power::{drawn, noise};

fn same(releases: usize, claim: Loss, release: impl Fn(&mut dyn SecureBits) -> Observation + Send + 'static) {
    let subject = Trial::new("the same", claim, move |(): &(), bits: &mut dyn SecureBits| release(bits));
    let found = run(subject.pair("no difference", (), ()), releases);
    assert!(!found.refuted(), "{found:?}");
    let closest = found.closest().unwrap();
    assert!(closest.tightness() >= 0.0 && found.curve.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
}

/// False alarm: 1e-9 for each, of which there are ten.
#[test]
fn odd_numbers_are_no_trouble() {
    let tiny = || Loss::pure(epsilon("1e-9"));
    let one_of = |bits: &mut dyn SecureBits, values: &[f64]| values[bits.take(8) as usize % values.len()];
    same(1000, tiny(), move |bits| {
        Observation::of(one_of(bits, &[f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0]))
    });
    // Half of the values are further from the middle than a float can say.
    same(1000, tiny(), move |bits| {
        let far = one_of(bits, &[f64::MAX, f64::MIN]);
        Observation::of(far).with("noise", noise(bits)).with("small", one_of(bits, &[5e-324, 1e-310, 1.0]))
    });
    same(1000, tiny(), move |bits| {
        Observation::of([i128::MIN, i128::MAX, 0, -1][bits.take(2) as usize]).with("noise", noise(bits))
    });
    same(1000, tiny(), |bits| Observation::of(i128::MIN + drawn(60, bits)));
    same(300, tiny(), |_| Observation::of(7));
    same(300, tiny(), |_| Observation::new());
}

#[test]
fn many_names_and_long_words_are_no_trouble() {
    same(300, Loss::pure(epsilon("1")), |bits| {
        let names = (0..30).map(|_| drawn(14, bits)).collect::<Vec<_>>();
        names.into_iter().fold(Observation::new(), |seen, name| seen.with(name.to_string(), name))
    });
    same(200, Loss::pure(epsilon("1")), |bits| {
        Observation::of("a".repeat(1 << 14) + &bits.take(3).to_string())
    });
}

#[test]
fn odd_claims_are_no_trouble() {
    let delta = |text: &str| Delta::parse(text).unwrap();
    let rho = |text: &str| Rho::parse(text).unwrap();
    let claims = [
        Loss::pure(epsilon("1000000")),
        Loss::bounded_range(epsilon("1e-9")),
        Loss::approximate(epsilon("1e-9"), delta("0.999999999999999999999")),
        Loss::approximate(epsilon("1e-9"), delta("1e-60")),
        Loss::approximate_zcdp(rho("1e-9"), delta("0.999999999999999999999")),
        Loss::approximate_zcdp(rho("1e-9"), delta("1e-60")),
    ];
    for claim in claims {
        same(300, claim.clone(), |bits| Observation::of(noise(bits)));
        for guarantee in claim.guarantees() {
            let measure = Measure::of(guarantee);
            for (p, q) in
                [(0.0, 0.0), (1.0, 1.0), (1.0, 1e-9), (1.0, 0.5), (0.5, 1e-300), (0.5, 0.5), (0.0, 1.0)]
            {
                assert!(
                    measure.lower(p, q) >= 0.0 && (0.0..=1.0).contains(&measure.allowed(q)),
                    "{guarantee}"
                );
            }
        }
    }
}

#[test]
fn rates_that_are_no_probabilities_are_refused() {
    for (false_alarm, doubt) in [(0.0, 0.05), (1e-9, 1.0), (f64::NAN, 0.05), (1e-9, -1.0)] {
        let settings = Settings { rates: Rates { false_alarm, doubt }, ..Settings::new(1000) };
        let refused = audit(&mut counts(&[("one", 1)]), &settings, &mut seeded(1), &mut |_, _| ());
        assert!(refused.unwrap_err().to_string().contains("no probabilities"));
    }
}

/// A release that stops working ends the audit with its own words.
#[test]
fn a_failing_release_is_passed_on() {
    struct Failing(Profile, usize);
    impl Subject for Failing {
        fn profile(&self) -> &Profile {
            &self.0
        }
        fn release(&mut self, _: usize, _: Side, _: &mut dyn SecureBits) -> Result<Observation, AuditError> {
            self.1 += 1;
            if self.1 > 500 {
                Err(AuditError::new("the disk is full", "buy one"))
            } else {
                Ok(Observation::of(1))
            }
        }
    }
    let profile =
        Profile::new("failing", Loss::pure(epsilon("1"))).with_neighbours(["one", "two"].map(str::to_owned));
    let refused = audit(&mut Failing(profile, 0), &Settings::new(1000), &mut seeded(1), &mut |_, _| ());
    assert!(refused.unwrap_err().to_string().contains("the disk is full"));
}
