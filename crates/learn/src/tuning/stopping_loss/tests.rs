//! The bounds against brute force on discrete laws.

use pointillist_privacy::Rho;
use pointillist_testkit::{max_log_ratio, renyi_divergence, seeded};

use super::*;

fn law(eta: &str, gamma: &str) -> StoppingLaw {
    StoppingLaw::new(Rational::parse(eta).unwrap(), Rational::parse(gamma).unwrap()).unwrap()
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).unwrap()
}

/// f' up to a factor, integrated: the law of the best of K, outcomes in rising order. f(p) − f(q) without cancellation.
fn best(law: &StoppingLaw, p: &[f64]) -> Vec<f64> {
    let (eta, gamma) = (law.eta().to_f64_nearest(), law.gamma().to_f64_nearest());
    // What is above each outcome is added up from the top: no digit of a small tail is lost.
    let mut above = 0.0;
    let mut found = vec![0.0; p.len()];
    for (at, mass) in p.iter().enumerate().rev() {
        let high = gamma + (1.0 - gamma) * above;
        let ratio = (1.0 - gamma) * mass / high;
        found[at] = if eta == 0.0 {
            ratio.ln_1p() / -gamma.ln()
        } else {
            let grown = -(-eta * ratio.ln_1p()).exp_m1();
            high.powf(-eta) * grown / (gamma.powf(-eta) - 1.0)
        };
        above += mass;
    }
    found
}

fn normal(p: &[f64]) -> Vec<f64> {
    let total: f64 = p.iter().sum();
    p.iter().map(|mass| mass / total).collect()
}

/// Statement 1, from one law to the other, with the divergences that the theorem takes.
fn stated(law: &StoppingLaw, p: &[f64], q: &[f64], order: f64, order_hat: f64) -> f64 {
    let tail = law.tail_upper(&exact(order_hat), &exact(renyi_divergence(q, p, order_hat)));
    law.best_upper(&exact(order), &exact(renyi_divergence(p, q, order)), &tail).to_f64_upper()
}

const LAWS: [(&str, &str); 5] =
    [("1", "0.1"), ("0", "0.1"), ("0", "0.001"), ("-0.5", "0.01"), ("0.5", "0.03")];

/// The test's own law of the best: for η = 1 the masses of a geometric K, added up one by one.
#[test]
fn the_law_of_the_best_is_the_sum_over_runs() {
    let p = [0.2, 0.5, 0.3];
    let found = best(&law("1", "0.25"), &p);
    let mut expected = [0.0; 3];
    for k in 1..400 {
        let mass = 0.25 * 0.75f64.powi(k - 1);
        let (mut below, mut before) = (0.0f64, 0.0);
        for (at, each) in p.iter().enumerate() {
            below += each;
            expected[at] += mass * (below.powi(k) - before);
            before = below.powi(k);
        }
    }
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    for (eta, gamma) in LAWS {
        assert!((best(&law(eta, gamma), &p).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// Specification: no pair of laws, no order passes statement 1 or 2. Over 400 random pairs, mild and wild.
#[test]
fn no_pair_of_laws_passes_the_bound() {
    let mut words = seeded(6);
    let mut unit = || (words() >> 11) as f64 / (1u64 << 53) as f64;
    for round in 0..400 {
        let wild = if round % 2 == 0 { 0.3 } else { 12.0 };
        let outcomes = 2 + round % 4;
        let p = normal(&(0..outcomes).map(|_| (-12.0 * unit()).exp()).collect::<Vec<_>>());
        let q = normal(&p.iter().map(|mass| mass * (wild * (unit() - 0.5)).exp()).collect::<Vec<_>>());
        for (eta, gamma) in LAWS {
            let law = law(eta, gamma);
            let (a, b) = (best(&law, &p), best(&law, &q));
            for order in [1.1, 2.0, 5.0, 40.0] {
                let real = renyi_divergence(&a, &b, order);
                for order_hat in [1.5, 4.0, 30.0] {
                    let bound = stated(&law, &p, &q, order, order_hat);
                    assert!(real <= bound + 1e-9, "{eta} {gamma} {order} {order_hat}: {real} {bound}");
                }
                let divergence = exact(renyi_divergence(&p, &q, order).max(1e-12));
                if let Some(composed) = law.composed_upper(&exact(order), &divergence) {
                    let bound = composed.to_f64_upper();
                    assert!(real <= bound + 1e-9, "{eta} {gamma} {order}: {real} {bound}");
                }
            }
            let epsilon = max_log_ratio(&p, &q).max(max_log_ratio(&q, &p));
            let bound = law.pure_upper(&exact(epsilon)).to_f64_upper();
            assert!(max_log_ratio(&a, &b) <= bound + 1e-9, "{eta} {gamma}");
        }
    }
}

/// Power: each constant of statement 1 is needed. The pairs: a best outcome that the other law nearly lacks needs all of
/// ln E[K]; and (2 + η)ε is reached by an outcome just below a rare best one.
#[test]
fn smaller_constants_are_wrong() {
    for (eta, gamma) in LAWS {
        let law = law(eta, gamma);
        let mean = law.mean_upper().to_f64_upper().ln();
        let p = normal(&[1.0, 1e-6]);
        let q = normal(&[1.0, 1e-14]);
        let real = renyi_divergence(&best(&law, &p), &best(&law, &q), 2.0);
        let bound = stated(&law, &p, &q, 2.0, 1e5);
        assert!(real <= bound && real > bound - 0.05, "{eta} {gamma}: {real} {bound}");
        assert!(real > bound - mean / 2.0, "half of ln E[K] is not enough");
    }
    for eta in ["-0.5", "0", "0.5", "1"] {
        let law = law(eta, "0.00001");
        let pair = |sign: f64| [1.0, 1e-12 * (sign * 0.25f64).exp(), 0.02 * (-sign * 0.25f64).exp()];
        let (p, q) = (normal(&pair(1.0)), normal(&pair(-1.0)));
        let epsilon = max_log_ratio(&p, &q).max(max_log_ratio(&q, &p));
        let real = max_log_ratio(&best(&law, &p), &best(&law, &q));
        let bound = law.pure_upper(&exact(epsilon)).to_f64_upper();
        assert!(real <= bound && real > 0.97 * bound, "{eta}: {real} of {bound}");
        // At a high order, (1 + η) times the tail is what it takes; η times it is not.
        let order = 400.0;
        let tail = law.tail_upper(&exact(1e3), &exact(renyi_divergence(&q, &p, 1e3)));
        let own = exact(renyi_divergence(&p, &q, order));
        let real = renyi_divergence(&best(&law, &p), &best(&law, &q), order);
        let eta = eta.parse::<f64>().unwrap();
        let less = tail.to_f64_upper() * eta / (1.0 + eta);
        let bound = law.best_upper(&exact(order), &own, &Rational::zero()).to_f64_upper();
        assert!(real <= bound + tail.to_f64_upper() && real > bound + less + 0.1, "{eta}");
    }
    // ln(1/γ)/â at the order infinity: an outcome just below a best one that has mass γ under one law, one half under the other.
    let law = law("1", "0.001");
    let (p, q) = (normal(&[1.0, 1e-9, 1e-3]), normal(&[1.0, 1e-9, 1.0]));
    let real = (best(&law, &p)[1] / best(&law, &q)[1]).ln();
    let rest = 2.0 * 0.5 * renyi_divergence(&q, &p, 2.0) + (p[1] / q[1]).ln();
    let bound = rest + 2.0 * 0.001f64.ln().abs() / 2.0;
    assert!(real <= bound && real > rest + 1.0, "{real} {rest} {bound}");
}

/// Specification: runs that release a Gaussian number, best by an order of the outcomes that an adversary chose, have
/// divergences below ρ'·a at every order; and ρ' is at most what statement 1 alone gives at its best order.
#[test]
fn the_best_of_gaussian_runs_stays_below_its_rho() {
    let mut words = seeded(8);
    for text in ["0.005", "0.1", "1"] {
        let rho = Rho::parse(text).unwrap().value().to_f64_nearest();
        let shift = (2.0 * rho).sqrt();
        let cells: Vec<f64> = (-200..=200).map(|at| f64::from(at) / 25.0).collect();
        let density = |centre: f64| -> Vec<f64> {
            normal(&cells.iter().map(|x| (-(x - centre).powi(2) / 2.0).exp()).collect::<Vec<_>>())
        };
        let (p, q) = (density(0.0), density(shift));
        let mut orders: Vec<Vec<usize>> = vec![(0..cells.len()).collect(), (0..cells.len()).rev().collect()];
        for _ in 0..4 {
            let mut order: Vec<(u64, usize)> = (0..cells.len()).map(|at| (words(), at)).collect();
            order.sort_unstable();
            orders.push(order.into_iter().map(|(_, at)| at).collect());
        }
        for (eta, gamma) in LAWS {
            let law = law(eta, gamma);
            let claimed = law.zcdp_upper(Rho::parse(text).unwrap().value()).to_f64_upper();
            let runs = law.mean_upper().to_f64_upper();
            let (eta_value, rare) = (law.eta().to_f64_nearest(), -law.gamma().to_f64_nearest().ln());
            let tail = (1.0 + eta_value) * (2.0 * (rho * rare).sqrt() - rho);
            let closed = rho + 2.0 * (rho * runs.ln()).sqrt() + tail;
            assert!(claimed <= closed * 1.001, "{eta} {gamma} {text}: {claimed} {closed}");
            for order in &orders {
                let sorted = |masses: &[f64]| -> Vec<f64> { order.iter().map(|at| masses[*at]).collect() };
                let (a, b) = (best(&law, &sorted(&p)), best(&law, &sorted(&q)));
                for a_order in [1.01, 1.3, 2.0, 4.0, 10.0, 50.0] {
                    for real in [renyi_divergence(&a, &b, a_order), renyi_divergence(&b, &a, a_order)] {
                        assert!(
                            real <= claimed * a_order * (1.0 + 1e-9),
                            "{eta} {gamma} {text} {a_order}: {real} {claimed}"
                        );
                    }
                }
            }
        }
    }
}

/// Specification: the published example of two figures by hand. η = 0, γ = e^-1 in effect: E[K] = (e − 1); a run of D = 0.1
/// at a = â = 10.
#[test]
fn a_point_by_hand() {
    let law = law("0", "0.36787944117144233");
    let tail = law.tail_upper(&Rational::from(10), &Rational::ratio(1, 10));
    let found = law.best_upper(&Rational::from(10), &Rational::ratio(1, 10), &tail).to_f64_upper();
    let expected = 0.1 + 0.9 * 0.1 + 1.0 / 10.0 + (std::f64::consts::E - 1.0).ln() / 9.0;
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    let curve = RenyiCurve::point(Order::parse("10").unwrap(), Rational::ratio(1, 10)).unwrap();
    let stopped = law.renyi_upper(&curve).unwrap();
    assert!(stopped.points()[0].1.to_f64_upper() <= found);
}
