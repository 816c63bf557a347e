//! Accountants against each other and against known values.

use pointillist_numbers::Rational;

use super::*;
use crate::amplification::SamplingRate;
use crate::{Epsilon, Rho, Scale, SensitivityL1, SensitivityL2};

fn gaussian(sigma: &str, rate: Option<&str>) -> Release {
    Release::Gaussian {
        sigma: Scale::parse(sigma).unwrap(),
        sensitivity: SensitivityL2::parse("1").unwrap(),
        sampling_rate: rate.map(|rate| SamplingRate::parse(rate).unwrap()),
    }
}

fn laplace(scale: &str) -> Release {
    Release::Laplace {
        scale: Scale::parse(scale).unwrap(),
        sensitivity: SensitivityL1::parse("1").unwrap(),
        sampling_rate: None,
    }
}

fn accounts(releases: &[(Release, u64)], delta: &str) -> Vec<Account> {
    let mut statement = Statement::new();
    releases.iter().for_each(|(release, count)| statement.add(release.clone(), *count));
    statement.accounts(&Delta::parse(delta).unwrap()).unwrap()
}

fn epsilon(accounts: &[Account], accountant: &str) -> Option<f64> {
    let found = accounts.iter().find(|account| account.accountant == accountant).expect("a known accountant");
    found.epsilon.as_ref().ok().map(|epsilon| epsilon.upper)
}

/// Golden: the exact ε of 10,000 Gaussians of σ = 50 at δ = 1e-6 is 10.99715, by zCDP 11.6886.
#[test]
fn the_accountants_agree_on_gaussians() {
    let found = accounts(&[(gaussian("50", None), 10_000)], "1e-6");
    let exact = epsilon(&found, "gaussian").unwrap();
    assert!((exact - 10.99715).abs() < 1e-5, "{exact}");
    let pld = found.iter().find(|account| account.accountant == "pld").unwrap().epsilon.clone().unwrap();
    let gaussian =
        found.iter().find(|account| account.accountant == "gaussian").unwrap().epsilon.clone().unwrap();
    assert!(pld.lower <= exact && gaussian.lower <= pld.upper, "{pld:?} {gaussian:?}");
    assert!((epsilon(&found, "zcdp").unwrap() - 11.6886).abs() < 1e-3);
    assert!((epsilon(&found, "renyi").unwrap() - epsilon(&found, "zcdp").unwrap()).abs() < 1e-9);
    assert_eq!(epsilon(&found, "basic"), None);
    let smallest = best(&found).unwrap().epsilon.as_ref().unwrap().upper;
    assert!(smallest <= exact && smallest >= gaussian.lower, "{smallest} {gaussian:?}");
}

/// Specification: no accountant is below the certified lower bound of the tightest one.
#[test]
fn no_accountant_is_optimistic() {
    let epsilon_of = |text: &str| Epsilon::parse(text).unwrap();
    let lists: Vec<Vec<(Release, u64)>> = vec![
        vec![(laplace("100"), 10_000)],
        vec![(laplace("10"), 60), (gaussian("4", None), 3)],
        vec![(gaussian("1", Some("0.01")), 1000)],
        vec![(Release::RandomizedResponse { epsilon: epsilon_of("0.1"), categories: 2 }, 100)],
        vec![(Release::Pure { epsilon: epsilon_of("0.05") }, 200), (laplace("20"), 50)],
        vec![(Release::Approximate { epsilon: epsilon_of("0.1"), delta: Delta::parse("1e-9").unwrap() }, 50)],
        vec![(Release::DiscreteGaussian { sigma: Scale::parse("20").unwrap(), sensitivity: 1 }, 400)],
        vec![(Release::DiscreteLaplace { scale: Scale::parse("30").unwrap(), sensitivity: 2 }, 100)],
    ];
    for list in lists {
        let found = accounts(&list, "1e-6");
        let pld = found[0].epsilon.clone().expect("every one of these has a worst pair");
        assert!(pld.upper - pld.lower <= 0.01 * pld.upper, "{list:?}: {pld:?}");
        let others: Vec<f64> =
            found.iter().filter_map(|account| account.epsilon.as_ref().ok()).map(|e| e.upper).collect();
        assert!(others.iter().all(|upper| *upper >= pld.lower), "{list:?}: {others:?} {pld:?}");
        assert!(others.len() >= 2, "{list:?}: only {others:?}");
    }
}

/// Specification: the pair that dominates all bounded-range mechanisms is looser than their ρ, and claims no lower bound.
#[test]
fn bounded_range_is_best_accounted_by_rho() {
    let found = accounts(&[(Release::BoundedRange { eta: Epsilon::parse("0.2").unwrap() }, 100)], "1e-6");
    assert_eq!(found[0].epsilon.clone().unwrap().lower, 0.0);
    let smallest = best(&found).unwrap().epsilon.as_ref().unwrap().upper;
    assert_eq!(Some(smallest), epsilon(&found, "zcdp"));
}

#[test]
fn a_list_with_only_rho_still_has_an_account() {
    let rho = Release::Zcdp { rho: Rho::parse("0.01").unwrap() };
    let found = accounts(&[(rho, 10), (laplace("10"), 5)], "1e-6");
    assert_eq!(epsilon(&found, "pld"), None);
    assert!(epsilon(&found, "zcdp").unwrap() > 0.0);
    assert!(found[0].epsilon.clone().unwrap_err().contains("worst pair"));
}

/// Specification: at δ = 0 only pure lists have an ε, and it is their sum.
#[test]
fn without_delta_only_the_pure_sum_is_left() {
    let found = accounts(&[(laplace("10"), 7)], "0");
    assert!((epsilon(&found, "basic").unwrap() - 0.7).abs() < 1e-12);
    assert!(best(&found).unwrap().epsilon.as_ref().unwrap().upper >= 0.7 - 1e-12);
    let nothing = accounts(&[(gaussian("5", None), 7)], "0");
    assert!(best(&nothing).is_none());
    assert!(nothing.iter().all(|account| !account.epsilon.clone().unwrap_err().is_empty()));
}

#[test]
fn extreme_lists_have_an_answer_or_a_reason() {
    for (release, count) in [
        (laplace("1e9"), 10_000_000),
        (laplace("0.02"), 1),
        (gaussian("1e6", None), 10_000_000),
        (gaussian("0.1", None), 1),
    ] {
        for delta in ["1e-15", "1e-6", "0.5"] {
            let found = accounts(&[(release.clone(), count)], delta);
            let upper = best(&found).expect("an account").epsilon.as_ref().unwrap().upper;
            assert!(upper.is_finite() && upper >= 0.0, "{release:?} × {count} at {delta}: {upper}");
        }
    }
    assert!(Statement::new().accounts(&Delta::parse("1e-6").unwrap()).is_err());
}

/// Specification: on lists nobody chose, with parameters across many orders of magnitude, the certified bounds are in
/// order and finite, and no other accountant contradicts the lower one.
#[test]
fn random_lists_never_contradict() {
    let mut word = pointillist_testkit::seeded(2026);
    let mut unit = move || (word() >> 11) as f64 / (1u64 << 53) as f64;
    let text = |value: f64| format!("{value:.6e}");
    for round in 0..150 {
        let mut between = |low: f64, high: f64| low * (high / low).powf(unit());
        let mut list = Vec::new();
        for _ in 0..1 + round % 3 {
            let count = between(1.0, 3e4) as u64;
            // Noise that makes a sensible total, give or take a factor of ten.
            let multiplier = between(0.3, 30.0) * (count as f64).sqrt();
            let epsilon = Epsilon::parse(&text(between(0.1, 3.0) / (count as f64).sqrt())).unwrap();
            list.push((
                match between(1.0, 8.0) as u32 {
                    1 => gaussian(&text(multiplier), None),
                    2 => laplace(&text(multiplier)),
                    3 => gaussian(&text(between(0.6, 5.0)), Some(&text(between(1e-3, 0.9)))),
                    4 => Release::RandomizedResponse { epsilon, categories: 2 + (round % 5) },
                    5 => Release::Pure { epsilon },
                    6 => Release::DiscreteLaplace {
                        scale: Scale::parse(&text(multiplier)).unwrap(),
                        sensitivity: 1 + round % 3,
                    },
                    _ => Release::DiscreteGaussian {
                        sigma: Scale::parse(&text(multiplier.min(300.0))).unwrap(),
                        sensitivity: 1,
                    },
                },
                count,
            ));
        }
        let delta = text(between(1e-14, 0.1));
        let found = accounts(&list, &delta);
        let pld = found[0].epsilon.clone().unwrap_or_else(|reason| panic!("{list:?} at {delta}: {reason}"));
        assert!(
            pld.upper.is_finite() && 0.0 <= pld.lower && pld.lower <= pld.upper,
            "{list:?} at {delta}: {pld:?}"
        );
        for account in &found {
            if let Ok(epsilon) = &account.epsilon {
                assert!(
                    epsilon.upper >= pld.lower * (1.0 - 1e-9),
                    "{list:?} at {delta}: {account:?} {pld:?}"
                );
            }
        }
        let allowed = 0.03 * pld.upper + 1e-4;
        assert!(pld.upper - pld.lower <= allowed, "{list:?} at {delta}: the gap of {pld:?} is wide");
    }
}

/// Specification: ε between 1e-6 and 50, δ down to 1e-15 and ten million uses have an answer that is no worse than the sum.
#[test]
fn the_corners_of_the_range_have_answers() {
    for (each, count) in [("1e-6", 10_000_000), ("1e-6", 1), ("50", 1), ("50", 3), ("0.001", 10_000_000)] {
        for delta in ["1e-15", "1e-6", "0.4"] {
            let epsilon = Epsilon::parse(each).unwrap();
            let found = accounts(&[(Release::Pure { epsilon: epsilon.clone() }, count)], delta);
            let sum = epsilon.to_f64_upper() * count as f64;
            let upper = best(&found).expect("an account").epsilon.as_ref().unwrap().upper;
            assert!(
                upper.is_finite() && upper >= 0.0 && upper <= sum * (1.0 + 1e-12),
                "{each} × {count} at {delta}: {upper}"
            );
            let pld = found[0].epsilon.clone().unwrap();
            assert!(pld.lower <= upper * (1.0 + 1e-9), "{each} × {count} at {delta}: {pld:?} {upper}");
        }
    }
}

/// Specification: Rényi curves are known at more than their ρ says, and are never above it for want of an order.
#[test]
fn renyi_curves_are_never_above_their_rho() {
    let pure = |text: &str| Release::Pure { epsilon: Epsilon::parse(text).unwrap() };
    for (list, delta) in [
        (vec![(gaussian("50", None), 10_000)], "1e-6"),
        (vec![(gaussian("1000", None), 3)], "1e-9"),
        (vec![(gaussian("0.1", None), 1)], "0.01"),
        (vec![(gaussian("20", None), 30), (laplace("10"), 60)], "1e-6"),
        (vec![(pure("0.01"), 500), (laplace("200"), 7)], "1e-12"),
        (vec![(Release::BoundedRange { eta: Epsilon::parse("0.02").unwrap() }, 90)], "1e-7"),
    ] {
        let found = accounts(&list, delta);
        let [renyi, zcdp] = ["renyi", "zcdp"].map(|name| epsilon(&found, name).unwrap());
        assert!(renyi <= zcdp, "{list:?} at {delta}: {renyi} {zcdp}");
    }
}

/// Specification: the lower end of Gaussian DP is a place where the certified curve is above δ, not a guess beside the
/// upper one.
#[test]
fn the_lower_end_of_gaussian_dp_was_looked_at() {
    for (sigma, count, delta, truth) in [
        ("1", 1, "1e-5", "4.37717809568122462"),
        ("10", 100, "1e-6", "4.886554117462212"),
        ("0.1", 1, "1e-6", "96.7172719638677"),
        ("5", 40, "1e-15", "10.529216298021973"),
    ] {
        let found = accounts(&[(gaussian(sigma, None), count)], delta);
        let said = found.iter().find(|account| account.accountant == "gaussian").unwrap();
        let said = said.epsilon.clone().unwrap();
        let truth: f64 = truth.parse().unwrap();
        assert!(said.lower <= truth && truth <= said.upper * (1.0 + 1e-15), "{sigma}: {said:?}");
        assert!(said.lower >= said.upper * (1.0 - 2e-11), "{sigma}: {said:?}");
    }
    // An upper end that a search left far too high has no lower end next to it.
    let one = crate::conversion::GaussianDp::from_mu(&Rational::one()).unwrap();
    let delta = Delta::parse("1e-5").unwrap();
    let lower = |upper: &str| one.epsilon_lower(&delta, &Epsilon::parse(upper).unwrap()).to_f64_upper();
    assert!(lower("4.38") < 4.3772 && lower("4.38") > 4.37, "{}", lower("4.38"));
    assert_eq!(lower("5"), 0.0);
}

/// Specification: δ at the certified ε of a δ is that δ between its bounds, and lists without a worst pair have a δ too.
#[test]
fn delta_at_an_epsilon_is_the_inverse_of_epsilon_at_a_delta() {
    let at = |list: &[(Release, u64)], epsilon: f64| {
        let mut statement = Statement::new();
        list.iter().for_each(|(release, count)| statement.add(release.clone(), *count));
        statement.delta(&Epsilon::from_f64(epsilon).unwrap()).unwrap()
    };
    for list in [
        vec![(laplace("100"), 10_000)],
        vec![(gaussian("50", None), 10_000)],
        vec![(gaussian("1", Some("0.01")), 1000)],
        vec![(laplace("10/3"), 60), (gaussian("4", None), 3)],
    ] {
        let found = accounts(&list, "1e-6")[0].epsilon.clone().unwrap();
        let mut statement = Statement::new();
        list.iter().for_each(|(release, count)| statement.add(release.clone(), *count));
        assert_eq!(statement.epsilon(&Delta::parse("1e-6").unwrap()), Ok(Some(found)), "{list:?}");
        assert!(at(&list, found.upper).lower <= 1e-6, "{list:?}");
        assert!(at(&list, found.lower).upper >= 1e-6, "{list:?}");
        let delta = at(&list, found.upper);
        assert!(delta.lower > 0.0 && delta.upper <= 1.05 * delta.lower, "{list:?}: {delta:?}");
    }
    let rho = (Release::Zcdp { rho: Rho::parse("0.1").unwrap() }, 1);
    let mut statement = Statement::new();
    statement.add(rho.0.clone(), 1);
    let fallen_back = statement.epsilon(&Delta::parse("1e-6").unwrap()).unwrap().unwrap();
    assert!(fallen_back.lower == 0.0 && (fallen_back.upper - 2.1419389284).abs() < 1e-6, "{fallen_back:?}");
    assert_eq!(statement.epsilon(&Delta::parse("0").unwrap()), Ok(None));
    let known = at(std::slice::from_ref(&rho), 2.1419389284);
    assert!(known.lower == 0.0 && (known.upper - 1e-6).abs() < 1e-9, "{known:?}");
    assert!(at(&[rho, (gaussian("1", Some("0.01")), 100)], 6.0).upper < 1e-3);
    // Seven times one tenth never fails at seven tenths.
    assert_eq!(at(&[(laplace("10"), 7)], 0.7000000000000001).upper, 0.0);
    let empty = Statement::new().delta(&Epsilon::parse("1").unwrap());
    assert_eq!(empty, Err(ParameterError::NothingToCompose));
}
