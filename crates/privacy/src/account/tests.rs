//! Accountants against each other and against known values.

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
    releases
        .iter()
        .for_each(|(release, count)| statement.add(release.clone(), *count));
    statement.accounts(&Delta::parse(delta).unwrap()).unwrap()
}

fn epsilon(accounts: &[Account], accountant: &str) -> Option<f64> {
    let found = accounts
        .iter()
        .find(|account| account.accountant == accountant)
        .expect("a known accountant");
    found.epsilon.as_ref().ok().map(|epsilon| epsilon.upper)
}

/// Golden: the exact ε of 10,000 Gaussians of σ = 50 at δ = 1e-6 is 10.99715, by zCDP 11.6886.
#[test]
fn the_accountants_agree_on_gaussians() {
    let found = accounts(&[(gaussian("50", None), 10_000)], "1e-6");
    let exact = epsilon(&found, "gaussian").unwrap();
    assert!((exact - 10.99715).abs() < 1e-5, "{exact}");
    let pld = found
        .iter()
        .find(|account| account.accountant == "pld")
        .unwrap()
        .epsilon
        .clone()
        .unwrap();
    assert!(pld.lower <= exact && exact <= pld.upper);
    assert!((epsilon(&found, "zcdp").unwrap() - 11.6886).abs() < 1e-3);
    assert!(epsilon(&found, "renyi").unwrap() >= epsilon(&found, "zcdp").unwrap() - 1e-9);
    assert_eq!(epsilon(&found, "basic"), None);
    assert_eq!(best(&found).unwrap().accountant, "gaussian");
}

/// Specification: no accountant is below the certified lower bound of the tightest one.
#[test]
fn no_accountant_is_optimistic() {
    let epsilon_of = |text: &str| Epsilon::parse(text).unwrap();
    let lists: Vec<Vec<(Release, u64)>> = vec![
        vec![(laplace("100"), 10_000)],
        vec![(laplace("10"), 60), (gaussian("4", None), 3)],
        vec![(gaussian("1", Some("0.01")), 1000)],
        vec![(
            Release::RandomizedResponse {
                epsilon: epsilon_of("0.1"),
                categories: 2,
            },
            100,
        )],
        vec![
            (
                Release::Pure {
                    epsilon: epsilon_of("0.05"),
                },
                200,
            ),
            (laplace("20"), 50),
        ],
        vec![(
            Release::Approximate {
                epsilon: epsilon_of("0.1"),
                delta: Delta::parse("1e-9").unwrap(),
            },
            50,
        )],
        vec![(
            Release::DiscreteGaussian {
                sigma: Scale::parse("20").unwrap(),
                sensitivity: 1,
            },
            400,
        )],
        vec![(
            Release::DiscreteLaplace {
                scale: Scale::parse("30").unwrap(),
                sensitivity: 2,
            },
            100,
        )],
    ];
    for list in lists {
        let found = accounts(&list, "1e-6");
        let pld = found[0]
            .epsilon
            .clone()
            .expect("every one of these has a worst pair");
        assert!(pld.upper - pld.lower <= 0.01 * pld.upper, "{list:?}: {pld:?}");
        let others: Vec<f64> = found
            .iter()
            .filter_map(|account| account.epsilon.as_ref().ok())
            .map(|e| e.upper)
            .collect();
        assert!(
            others.iter().all(|upper| *upper >= pld.lower),
            "{list:?}: {others:?} {pld:?}"
        );
        assert!(others.len() >= 2, "{list:?}: only {others:?}");
    }
}

/// Specification: the pair that dominates all bounded-range mechanisms is looser than their ρ, and claims no lower bound.
#[test]
fn bounded_range_is_best_accounted_by_rho() {
    let found = accounts(
        &[(
            Release::BoundedRange {
                eta: Epsilon::parse("0.2").unwrap(),
            },
            100,
        )],
        "1e-6",
    );
    assert_eq!(found[0].epsilon.clone().unwrap().lower, 0.0);
    assert_eq!(best(&found).unwrap().accountant, "zcdp");
}

#[test]
fn a_list_with_only_rho_still_has_an_account() {
    let rho = Release::Zcdp {
        rho: Rho::parse("0.01").unwrap(),
    };
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
    assert!(
        nothing
            .iter()
            .all(|account| !account.epsilon.clone().unwrap_err().is_empty())
    );
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
            assert!(
                upper.is_finite() && upper >= 0.0,
                "{release:?} × {count} at {delta}: {upper}"
            );
        }
    }
    assert!(Statement::new().accounts(&Delta::parse("1e-6").unwrap()).is_err());
}
