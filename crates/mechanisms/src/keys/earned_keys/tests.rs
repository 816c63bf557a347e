use pointillist_testkit::{clopper_pearson_upper, seeded};

use super::*;
use crate::number::discrete_gaussian_law::DiscreteGaussianLaw;

fn earned(groups_max: u64, rho: &str, delta: &str) -> EarnedKeys {
    EarnedKeys::new(groups_max, &Rho::parse(rho).unwrap(), &Delta::parse(delta).unwrap()).unwrap()
}

/// The probability that a key of one person is shown, rounded up, from the exact law.
fn shown(groups_max: u64, rho: &str, threshold: i128) -> f64 {
    let variance = Rational::from(groups_max) / (Rational::parse(rho).unwrap() * Rational::from(2));
    let law = DiscreteGaussianLaw::new(&variance).unwrap();
    let tail = law.upper_tail(i64::try_from(threshold - 1).unwrap(), 400).unwrap();
    tail.upper().to_f64_upper()
}

/// Specification: by the exact law of the noise, a person's g keys that nobody else holds are shown with
/// probability at most δ; with a threshold three lower, or one made for a single key, they are not.
#[test]
fn keys_of_one_person_are_shown_with_probability_at_most_delta() {
    for (groups, rho, delta) in [(1, "0.1", 1e-9), (8, "0.01", 1e-9), (3, "1", 1e-6), (100, "0.005", 1e-12)] {
        let threshold = earned(groups, rho, &format!("{delta:e}")).threshold();
        let leak = |threshold: i128| -f64::exp_m1(groups as f64 * f64::ln_1p(-shown(groups, rho, threshold)));
        assert!(leak(threshold) <= delta, "{groups} {rho}: {}", leak(threshold));
        assert!(leak(threshold - 3) > delta || groups == 1 && rho == "1", "{groups} {rho}");
        if groups >= 8 {
            let for_one_key =
                earned(1, &format!("{}", rho.parse::<f64>().unwrap() / groups as f64), &format!("{delta:e}"));
            assert!(leak(for_one_key.threshold()) > delta, "a δ that is not divided among keys is caught");
        }
    }
}

/// Specification: noise has σ² = g/(2ρ), so that g counts moved by one each cost ρ.
#[test]
fn the_noise_pays_for_every_key_of_a_person() {
    let law = earned(8, "0.01", "1e-9");
    assert_eq!(law.noise().loss().rho().unwrap(), Rho::parse("0.01").unwrap());
    assert_eq!(law.loss().approximate_rho().unwrap().0, Rho::parse("0.01").unwrap());
    // σ = 20, so 95 % of the noise is within about 39.2.
    let within = law.noise().error_bound(&FailureProbability::parse("0.05").unwrap());
    assert!((39..=40).contains(&within), "{within}");
}

/// Specification: a key that does not occur is never shown, whatever the noise. False alarm: none.
#[test]
fn absent_keys_do_not_exist() {
    let law = earned(1, "5", "0.3");
    let mut bits = seeded(7);
    let shown = law.release(&[0; 20_000], &mut bits);
    assert!(shown.iter().all(Option::is_none));
    assert!(law.release(&[1; 20_000], &mut bits).iter().any(Option::is_some), "the test has power");
}

/// Specification: a key of one person is shown at most at the δ rate. False alarm: 1e-9 (Clopper-Pearson).
/// Power: at this size a threshold one lower shows more than twice as often and fails.
#[test]
fn rare_keys_are_rare_in_samples_too() {
    let law = earned(1, "0.5", "0.02");
    let mut bits = seeded(8);
    let runs = 200_000;
    let count = |law: &EarnedKeys, bits: &mut dyn FnMut() -> u64| {
        law.release(&vec![1; runs as usize], bits).iter().flatten().count() as u64
    };
    let rate_upper = clopper_pearson_upper(count(&law, &mut bits), runs, 1e-9);
    assert!(rate_upper <= 0.02, "{rate_upper}");
    let mut lower = law.clone();
    lower.threshold -= 1;
    assert!(
        clopper_pearson_upper(count(&lower, &mut bits), runs, 1e-9) > 0.02,
        "a lower threshold is caught"
    );
}

#[test]
fn enough_people_earn_their_key() {
    let law = earned(4, "0.1", "1e-9");
    let beta = FailureProbability::parse("1e-9").unwrap();
    let needed = law.people_needed(&beta);
    let mut bits = seeded(9);
    assert!(law.release(&[needed; 1000], &mut bits).iter().all(Option::is_some));
    assert!(EarnedKeys::new(1, &Rho::parse("1").unwrap(), &Delta::zero()).is_err());
}
