//! What differential privacy allows any adversary at most, whatever they know and compute.
//!
//! **Statements**, for a release at the given price, neighbours that differ in the person attacked, and any
//! test:
//! 1. A fair secret bit is guessed with probability at most e^ε/(1 + e^ε), or 1/2 + √(ρ/8).
//! 2. A test that raises a false alarm with probability α is right about a true one with probability at most
//!    min(e^ε·α, 1 − e^−ε·(1 − α)); or min(α + √(ρ/2), exp(−(√ln(1/α) − √ρ)²)), the latter where ln(1/α) > ρ.
//! 3. A secret bit whose likelier value had probability q ≥ 1/2 beforehand is guessed with probability at most
//!    max(q, e^ε/(1 + e^ε)), or q + (1 − q)·√(ρ/2).
//!
//! **Proof.** Let P and Q be the laws of the release for the two values, and S where the test says "one".
//! Pure ε says P(S) ≤ e^ε·Q(S), and the same of the complement with the roles exchanged, which is 2. For 1,
//! the guess is right with probability (P(S) + 1 − Q(S))/2; under both inequalities that is largest where
//! they meet, at Q(S) = 1/(1 + e^ε). Under ρ-zCDP the Kullback-Leibler divergence, the limit of Rényi
//! divergences at order one, is at most ρ, so P and Q are at most √(ρ/2) apart in total variation (Pinsker),
//! and 1 and the first part of 2 follow. By Hölder's inequality for the order a > 1, P(S) ≤ Q(S)^(1 −
//! 1/a)·exp((a − 1)·ρ), as the divergence of order a is at most a·ρ; a = √(ln(1/α)/ρ) gives the second part.
//! For 3, let one be the likelier value: the guess is wrong with probability q·a + (1 − q)·b, where a = 1 −
//! P(S) and b = Q(S). Under pure ε, b ≥ 1 − e^ε·a and a ≥ 1 − e^ε·b; on the border of these the smallest
//! value is at a corner: q at (1, 0), 1 − q at (0, 1), 1/(1 + e^ε) where both meet. Blind guessing and
//! randomised response reach it. Under ρ-zCDP the guess is right with probability (1 − q)·(1 − Q(S)) +
//! q·P(S); with Q(S) ≥ P(S) − v, where v = √(ρ/2), that is at most (1 − q)·(1 + v) + (2q − 1)·P(S), which
//! is q + (1 − q)·v at P(S) = 1.
//! **Many people.** Under pure ε and independent bits, the odds of the next person's bit, given the output
//! and the bits of everybody before, are a ratio of two sums over the bits that come after, term by term
//! within e^ε of the odds beforehand. So the number of right guesses among n people is stochastically at
//! most binomial of n and q·e^ε/(1 − q + q·e^ε), and its mean is at most n times the bound of 3.
//! **Replacing.** Neighbours that exchange a person's record take two steps, out and in: 2ε, or 4ρ.
//! **Exactness.** Floats, for a reader: these bounds are compared with what attacks achieve and back no
//! release.

use pointillist_mechanisms::additive_noise::Price;

/// The probability with which a fair secret bit can be guessed, at most.
pub fn right_guess_upper(price: &Price) -> f64 {
    match price {
        Price::Pure(epsilon) => 1.0 / (1.0 + (-epsilon.to_f64_upper()).exp()),
        Price::Concentrated(rho) => (0.5 + (rho.to_f64_upper() / 8.0).sqrt()).min(1.0),
    }
}

/// The probability with which a secret bit can be guessed, at most, by somebody for whom its likelier value
/// had probability `prior` beforehand.
pub fn right_guess_from_upper(price: &Price, prior: f64) -> f64 {
    let prior = prior.max(1.0 - prior).clamp(0.5, 1.0);
    match price {
        Price::Pure(_) => prior.max(right_guess_upper(price)),
        Price::Concentrated(rho) => prior + (1.0 - prior) * (rho.to_f64_upper() / 2.0).sqrt().min(1.0),
    }
}

/// The probability with which a test that raises a false alarm with probability `false_positive` detects, at
/// most.
pub fn true_positive_upper(price: &Price, false_positive: f64) -> f64 {
    let alpha = false_positive.clamp(0.0, 1.0);
    match price {
        Price::Pure(epsilon) => {
            // Beyond this e^ε is no float, and the bound is one for every α that is.
            let epsilon = epsilon.to_f64_upper().min(700.0);
            (epsilon.exp() * alpha).min(1.0 - (-epsilon).exp() * (1.0 - alpha)).min(1.0)
        }
        Price::Concentrated(rho) => {
            let rho = rho.to_f64_upper();
            let surprise = -alpha.ln();
            let by_order = if surprise > rho { (-(surprise.sqrt() - rho.sqrt()).powi(2)).exp() } else { 1.0 };
            (alpha + (rho / 2.0).sqrt()).min(by_order).min(1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};

    use super::*;

    #[test]
    fn the_bounds_are_the_formulas() {
        let pure = |text| Price::Pure(Epsilon::parse(text).unwrap());
        let rho = |text| Price::Concentrated(Rho::parse(text).unwrap());
        assert!((right_guess_upper(&pure("1")) - 0.731_058_578_630).abs() < 1e-11);
        assert!((right_guess_upper(&rho("0.02")) - 0.55).abs() < 1e-12);
        for price in [pure("1"), pure("0.01"), rho("0.02"), rho("0.3"), pure("1000000"), rho("1000000")] {
            assert!((right_guess_from_upper(&price, 0.5) - right_guess_upper(&price)).abs() < 1e-12);
            assert!(
                (right_guess_from_upper(&price, 0.1) - right_guess_from_upper(&price, 0.9)).abs() < 1e-12
            );
            assert_eq!(right_guess_from_upper(&price, 1.0), 1.0);
        }
        // Who knows nine in ten learns nothing that changes a guess.
        assert_eq!(right_guess_from_upper(&pure("1"), 0.9), 0.9);
        assert!((right_guess_from_upper(&rho("0.02"), 0.9) - 0.91).abs() < 1e-12);
        assert!((true_positive_upper(&pure("1"), 0.05) - 0.135_914_091_423).abs() < 1e-11);
        assert!((true_positive_upper(&pure("3"), 0.5) - 0.975_106_465_816).abs() < 1e-11);
        assert!((true_positive_upper(&rho("0.02"), 0.4) - 0.5).abs() < 1e-12);
        assert!((true_positive_upper(&rho("0.5"), 0.01) - 0.126_145_922).abs() < 1e-8);
        assert_eq!(true_positive_upper(&rho("0.5"), 0.0), 0.0);
        for price in [pure("1000000"), rho("1000000")] {
            assert_eq!((right_guess_upper(&price), true_positive_upper(&price, 0.01)), (1.0, 1.0));
        }
        assert_eq!(true_positive_upper(&pure("1000000"), 0.0), 0.0);
    }

    /// Specification: no threshold on a normal variable of deviation 1, shifted by √(2ρ), passes the bound of
    /// ρ. Its tail is summed by the trapezoidal rule.
    #[test]
    fn a_gaussian_shift_stays_below_the_bound() {
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let tail = |z: f64| (0..20_000).map(|step| density(z + f64::from(step) * 1e-3)).sum::<f64>() * 1e-3;
        for (text, rho) in [("0.001", 0.001f64), ("0.1", 0.1), ("0.5", 0.5), ("3", 3.0)] {
            let price = Price::Concentrated(Rho::parse(text).unwrap());
            for z in -30..=60 {
                let z = f64::from(z) / 10.0;
                let (alpha, power) = (tail(z), tail(z - (2.0 * rho).sqrt()));
                assert!(power <= true_positive_upper(&price, alpha) + 1e-3, "{text} {z}");
            }
        }
    }

    /// Specification: the bound for a prior is the best of all tests that pure ε allows, searched on a grid
    /// of the two probabilities of a mistake.
    #[test]
    fn no_test_on_a_grid_passes_the_bound_for_a_prior() {
        const STEPS: u32 = 400;
        let part = |step: u32| f64::from(step) / f64::from(STEPS);
        for (text, epsilon) in [("0.2", 0.2f64), ("1", 1.0), ("3", 3.0)] {
            let price = Price::Pure(Epsilon::parse(text).unwrap());
            for prior in [0.5, 0.6, 0.75, 0.9, 1.0] {
                let errors = (0..=STEPS).flat_map(|a| (0..=STEPS).map(move |b| (part(a), part(b))));
                let best = errors
                    .filter(|(a, b)| 1.0 - a <= epsilon.exp() * b && 1.0 - b <= epsilon.exp() * a)
                    .map(|(a, b)| 1.0 - prior * a - (1.0 - prior) * b)
                    .fold(0.0, f64::max);
                let bound = right_guess_from_upper(&price, prior);
                assert!(best <= bound + 1e-12 && best >= bound - 0.01, "{text} {prior}: {best} {bound}");
            }
        }
    }

    /// Specification: randomised response reaches the bound, and no test on it passes the second one.
    #[test]
    fn randomized_response_reaches_the_bound() {
        let epsilon = 0.7f64;
        let price = Price::Pure(Epsilon::parse("0.7").unwrap());
        let truthful = epsilon.exp() / (1.0 + epsilon.exp());
        assert!((right_guess_upper(&price) - truthful).abs() < 1e-12);
        assert!(true_positive_upper(&price, 1.0 - truthful) >= truthful - 1e-12);
    }
}
