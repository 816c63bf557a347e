use super::*;

fn rho(text: &str) -> Rho {
    Rho::parse(text).unwrap()
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).unwrap()
}

fn gaussian(price: &str, variance: &str) -> FixedRelease {
    let variance_least = Rational::parse(variance).unwrap();
    FixedRelease::Gaussian { rho: rho(price), variance_least, shifts: None }
}

fn list(releases: impl IntoIterator<Item = FixedRelease>) -> FixedList {
    let mut list = FixedList::new();
    releases.into_iter().for_each(|release| list.add(release));
    list
}

/// Specification: Gaussian parts cost the sum of their ρ, exactly; pure ones ε·tanh(ε/2) each, which is less than what they
/// cost one by one; failures add up.
#[test]
fn the_price_is_the_sum_of_what_parts_are() {
    let mixed = list([
        gaussian("0.1", "1e6"),
        gaussian("0.025", "1e4"),
        FixedRelease::Failure { delta: delta("1e-9") },
        FixedRelease::Failure { delta: delta("2e-9") },
    ]);
    assert_eq!(mixed.price(Currency::Zcdp), Some(Price::zcdp(&rho("0.125"), &delta("3e-9"))));
    assert_eq!(mixed.price(Currency::Pure), None);
    let two = FixedRelease::Pure { epsilon: Epsilon::parse("2").unwrap() };
    let pure = list([two.clone(), two]);
    let tight = pure.rho().unwrap().to_f64_upper();
    assert!((tight - 2.0 * 2.0 * 1f64.tanh()).abs() < 1e-12, "{tight}");
    assert_eq!(pure.price(Currency::Pure), Some(Price::pure(&Epsilon::parse("4").unwrap())));
    let customary = Loss::pure(Epsilon::parse("2").unwrap());
    let customary = customary.then(&customary).unwrap();
    assert!(pure.rho().unwrap() < customary.rho().unwrap());
    assert!(FixedList::new().rho().is_err(), "nothing is not free: it is nothing");
}

/// Specification: the ε of smooth Gaussian parts is that of one continuous Gaussian of slightly less variance, below what ρ
/// alone says, and never below the continuous curve of the same ρ.
#[test]
fn the_tight_epsilon_lies_between_the_continuous_curve_and_what_rho_says() {
    for (price, variance) in [("0.02", "500"), ("0.1", "1e6"), ("0.001", "2e5"), ("1", "401")] {
        let list = list([gaussian(price, variance)]);
        let at = delta("1e-9");
        let tight = list.epsilon(&at).unwrap().epsilon;
        let by_rho = zcdp_epsilon_upper(&rho(price), &at).unwrap().epsilon;
        let mu_squared = rho(price).value() * &Rational::from(2);
        let continuous = GaussianDp::from_mu_squared(mu_squared).unwrap().epsilon_upper(&at).unwrap();
        assert!(tight < by_rho, "{price}: {tight} against {by_rho}");
        assert!(continuous <= tight, "{price}: the discrete law is never claimed to be better");
        assert!(tight.to_f64_upper() < continuous.to_f64_upper() * 1.02, "{price}");
    }
}

/// Specification: where both ways apply (a variance just above the border, and its shifts listed), they agree; the lattice
/// account of the exact law is the independent opinion.
#[test]
fn smooth_and_listed_noise_agree() {
    let variance = Rational::from(400);
    let listed = |count: u64| {
        let mut accountant = Accountant::new();
        accountant.add(Mechanism::DiscreteGaussian { sigma: 20.0, sensitivity: 1 }, count);
        accountant.epsilon(1e-6).unwrap()
    };
    for count in [1u64, 8, 64] {
        let price = Rho::new(Rational::from(count) / Rational::from(800)).unwrap();
        let smooth =
            list([FixedRelease::Gaussian { rho: price, variance_least: variance.clone(), shifts: None }]);
        let smooth = smooth.epsilon(&delta("1e-6")).unwrap().epsilon.to_f64_upper();
        let exact = listed(count);
        assert!(exact.lower <= smooth, "{count}: {} is the truth, {smooth} is claimed", exact.lower);
        assert!(smooth < exact.upper * 1.02, "{count}: {smooth} against {}", exact.upper);
    }
}

/// Specification: small noise is listed point by point; without a list only ρ speaks.
#[test]
fn small_noise_is_listed_or_counted_by_rho() {
    let shifts = Some(vec![Shift { variance: Rational::from(2), by: 1, count: 1 }]);
    let variance_least = Rational::from(2);
    let one = |shifts| {
        list([FixedRelease::Gaussian { rho: rho("0.25"), variance_least: variance_least.clone(), shifts }])
    };
    let at = delta("1e-6");
    let (listed, unlisted) = (one(shifts).epsilon(&at).unwrap(), one(None).epsilon(&at).unwrap());
    assert!(listed.epsilon < unlisted.epsilon);
    assert_eq!(unlisted.epsilon, zcdp_epsilon_upper(&rho("0.25"), &at).unwrap().epsilon);
}

/// Specification: mixed lists are counted together, between the largest part and the sum of parts; what fails with some
/// probability takes it from δ.
#[test]
fn mixed_lists_are_counted_together() {
    let at = delta("1e-6");
    let pure = FixedRelease::Pure { epsilon: Epsilon::parse("0.5").unwrap() };
    let range = FixedRelease::BoundedRange { eta: Epsilon::parse("0.5").unwrap(), count: 3 };
    let mixed = list([gaussian("0.01", "1e4"), pure.clone(), range.clone()]);
    let together = mixed.epsilon(&at).unwrap().epsilon;
    let alone = |release: FixedRelease| list([release]).epsilon(&at).unwrap().epsilon.to_f64_upper();
    let parts = alone(gaussian("0.01", "1e4")) + alone(pure.clone()) + alone(range);
    assert!(together.to_f64_upper() < parts && together.to_f64_upper() > alone(pure));
    let failing = list([gaussian("0.01", "1e4"), FixedRelease::Failure { delta: delta("5e-7") }]);
    let same = list([gaussian("0.01", "1e4")]);
    let half = same.epsilon(&delta("5e-7")).unwrap().epsilon.to_f64_upper();
    let failing = failing.epsilon(&at).unwrap().epsilon.to_f64_upper();
    assert!((failing / half - 1.0).abs() < 1e-6, "{failing} against {half}");
    let spent = list([gaussian("0.01", "1e4"), FixedRelease::Failure { delta: at.clone() }]);
    assert!(spent.epsilon(&at).is_err(), "δ is spent on failures: there is no ε");
}

/// Specification: a group of k moves everything k times as far.
#[test]
fn groups_move_further() {
    let at = delta("1e-9");
    let one = list([gaussian("0.01", "1e4")]);
    assert_eq!(one.group_epsilon(1, &at).unwrap(), one.epsilon(&at).unwrap());
    let four = list([gaussian("0.16", "1e4")]);
    assert_eq!(one.group_epsilon(4, &at).unwrap(), four.epsilon(&at).unwrap());
    let failing = list([gaussian("0.01", "1e4"), FixedRelease::Failure { delta: delta("1e-12") }]);
    assert!(failing.group_epsilon(2, &at).is_err());
}
