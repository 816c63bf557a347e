//! What differential privacy allows any adversary at most, whatever they know and compute.
//!
//! **Statements**, for a release whose laws on neighbours are [alike](Indistinguishability), neighbours that differ in
//! the person attacked, and any test:
//! 1. A fair secret bit is guessed with probability at most e^ε/(1 + e^ε), or 1/2 + √(ρ/8).
//! 2. A test that raises a false alarm with probability α is right about a true one with probability at most
//!    min(e^ε·α, 1 − e^−ε·(1 − α)); or min(α + √(ρ/2), exp(−(√ln(1/α) − √ρ)²)), the latter where ln(1/α) > ρ.
//! 3. A secret bit whose likelier value had probability q ≥ 1/2 beforehand is guessed with probability at most
//!    max(q + (1 − q)·δ, (e^ε + δ)/(1 + e^ε)) under (ε, δ), and q + (1 − q)·(√(ρ/2) + δ) under δ-approximate ρ-zCDP. With
//!    q = 1/2 and δ = 0 that is 1.
//! 4. Let a budget be spent on answers of any kind, asked in any order and at any prices, and let everybody's bit be an
//!    independent coin whose likelier face has probability q. Who only counts people that have the bit guesses it as 3
//!    says of the budget; whoever asks anything, as 3 says of two steps of it.
//!
//! **Proof.** Let P and Q be the laws of the release for the two values, and S where the test says "one".
//! Pure ε says P(S) ≤ e^ε·Q(S), and the same of the complement with the roles exchanged, which is 2. Under ρ-zCDP the
//! Kullback-Leibler divergence, the limit of Rényi divergences at order one, is at most ρ, so P and Q are at most √(ρ/2)
//! apart in total variation (Pinsker), and the first part of 2 follows. By Hölder's inequality for the order a > 1, P(S)
//! ≤ Q(S)^(1 − 1/a)·exp((a − 1)·ρ), as the divergence of order a is at most a·ρ; a = √(ln(1/α)/ρ) gives the second part.
//! For 3, let one be the likelier value: the guess is wrong with probability q·a + (1 − q)·b, where a = 1 − P(S) and b =
//! Q(S). Under (ε, δ), b ≥ e^−ε·(1 − a − δ) and a ≥ e^−ε·(1 − b − δ); on the border of these the smallest value is at a
//! corner: q·(1 − δ) at (1 − δ, 0), (1 − q)·(1 − δ) at (0, 1 − δ), (1 − δ)/(1 + e^ε) where both meet. Blind guessing and
//! randomised response reach it. For zCDP let v be the total variation: the guess is right with probability (1 − q)·(1 −
//! Q(S)) + q·P(S), and with Q(S) ≥ P(S) − v that is at most (1 − q)·(1 + v) + (2q − 1)·P(S), which is q + (1 − q)·v at
//! P(S) = 1. Being δ-approximate means that P = (1 − δ)·P₁ + δ·P₀ and Q = (1 − δ)·Q₁ + δ·Q₀ with P₁ and Q₁ as under
//! ρ-zCDP, so that v ≤ (1 − δ)·√(ρ/2) + δ.
//! For 4, the ledger's filter keeps all answers within the budget for neighbours that differ in one person's presence. A
//! changed bit takes two such steps, out and in; but where only people with the bit are counted, a person without it
//! might as well be absent, and one step is enough. ∎ The bound for counts is reached, at pure ε and q = 1/2, by one
//! question with a group for everybody: discrete Laplace noise of scale 1/ε leaves the sign of "one or zero" right with
//! probability e^ε/(1 + e^ε).
//! **Many people.** Under pure ε and independent bits, the odds of the next person's bit, given the output
//! and the bits of everybody before, are a ratio of two sums over the bits that come after, term by term
//! within e^ε of the odds beforehand. So the number of right guesses among n people is stochastically at
//! most binomial of n and q·e^ε/(1 − q + q·e^ε), and its mean is at most n times the bound of 3.
//! **Two steps.** Neighbours that exchange a person's record are two steps apart, out and in: 2ε and (1 + e^ε)·δ. Total
//! variation adds up: √(ρ/2) + δ twice, which is that of 4ρ and 2δ.
//! **Exactness.** Rationals and certified enclosures, rounded up to a float at the end. The bounds are compared with what
//! attacks achieve and back no release.

use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Amount, Currency, Spend};

/// Bits behind the point of roots and exponentials.
const PRECISION: usize = 128;
/// Beyond this e^ε times the smallest positive float is above one.
const EPSILON_MAX: u32 = 1000;
/// Beyond this e^ε times a δ of one unit of the ledger, 10⁻²⁴, is above one.
const EPSILON_OF_STEPS_MAX: u32 = 60;

/// How alike the laws of a release are on neighbours that differ in one person's presence: (ε, δ), or ρ-zCDP but for δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indistinguishability {
    loss: Loss,
    delta: Rational,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Loss {
    Epsilon(Rational),
    Rho(Rational),
}

impl From<&Spend> for Indistinguishability {
    fn from(spend: &Spend) -> Self {
        let loss = match spend {
            Spend::Pure(epsilon) => Loss::Epsilon(epsilon.value().clone()),
            Spend::Concentrated(rho) => Loss::Rho(rho.value().clone()),
        };
        Self { loss, delta: Rational::zero() }
    }
}

impl Indistinguishability {
    /// What answers that cost this much together leave of it, however they were chosen.
    pub fn of_amount(currency: Currency, amount: Amount) -> Self {
        let loss = match currency {
            Currency::Pure => Loss::Epsilon(amount.loss()),
            Currency::Zcdp => Loss::Rho(amount.loss()),
        };
        Self { loss, delta: amount.delta() }
    }

    /// What two steps leave of it: a person's record is exchanged, out and in. See the top of the file.
    #[must_use]
    pub fn of_two_steps(&self) -> Self {
        let two = Rational::from(2u32);
        match &self.loss {
            Loss::Rho(rho) => {
                Self { loss: Loss::Rho(rho * &Rational::from(4u32)), delta: &self.delta * &two }
            }
            Loss::Epsilon(epsilon) => {
                let delta = if self.delta.is_zero() {
                    Rational::zero()
                } else if *epsilon > Rational::from(EPSILON_OF_STEPS_MAX) {
                    Rational::one()
                } else {
                    let factor = Rational::one() + Enclosure::of(epsilon, PRECISION).exp().upper();
                    &self.delta * &factor
                };
                Self { loss: Loss::Epsilon(epsilon * &two), delta }
            }
        }
    }
}

/// The probability with which a fair secret bit can be guessed, at most.
pub fn right_guess_upper(spend: &Spend) -> f64 {
    right_guess_from_upper(&spend.into(), 0.5)
}

/// The probability with which a secret bit can be guessed, at most, by somebody for whom its likelier value
/// had probability `prior` beforehand.
pub fn right_guess_from_upper(alike: &Indistinguishability, prior: f64) -> f64 {
    let one = Rational::one();
    // Where a prior is no number, nothing is promised.
    let prior = Rational::from_f64(prior.max(1.0 - prior).clamp(0.5, 1.0)).unwrap_or_else(|_| one.clone());
    let delta = alike.delta.clone().min(one.clone());
    let moved = |variation: &Rational| &prior + &(&(&one - &prior) * variation);
    let bound = match &alike.loss {
        Loss::Rho(rho) => moved(&(root_upper(&(rho * &Rational::ratio(1, 2))) + delta).min(one.clone())),
        Loss::Epsilon(epsilon) => {
            let shrunk = Enclosure::exp_of_minus(epsilon, PRECISION).lower().max(Rational::zero());
            let wrong = &shrunk / &(&one + &shrunk);
            moved(&delta).max(&one - &(&(&one - &delta) * &wrong))
        }
    };
    bound.min(one).to_f64_upper()
}

/// The probability with which a test that raises a false alarm with probability `false_positive` detects, at
/// most.
pub fn true_positive_upper(spend: &Spend, false_positive: f64) -> f64 {
    let one = Rational::one();
    let alpha = Rational::from_f64(false_positive.clamp(0.0, 1.0)).unwrap_or_else(|_| one.clone());
    if alpha.is_zero() {
        return 0.0;
    }
    let bound = match spend {
        Spend::Pure(epsilon) => {
            let epsilon = epsilon.value();
            let shrunk = Enclosure::exp_of_minus(epsilon, PRECISION).lower().max(Rational::zero());
            let missed = &shrunk * &(&one - &alpha);
            let by_false_alarms = (*epsilon <= Rational::from(EPSILON_MAX))
                .then(|| Enclosure::of(epsilon, PRECISION).exp().upper() * alpha);
            by_false_alarms.unwrap_or_else(|| one.clone()).min(&one - &missed)
        }
        Spend::Concentrated(rho) => {
            let variation = root_upper(&(rho.value() * &Rational::ratio(1, 2)));
            let surprise = Enclosure::ln_of(&alpha, PRECISION).map_or_else(Rational::zero, |ln| -ln.upper());
            let gap = root_lower(&surprise) - root_upper(rho.value());
            let by_order = if gap.is_positive() {
                Enclosure::exp_of_minus(&gap.squared(), PRECISION).upper()
            } else {
                one.clone()
            };
            (alpha + variation).min(by_order)
        }
    };
    bound.min(one).to_f64_upper()
}

fn root_upper(square: &Rational) -> Rational {
    Enclosure::of(square, PRECISION).sqrt().upper()
}

fn root_lower(square: &Rational) -> Rational {
    Enclosure::of(&square.clone().max(Rational::zero()), PRECISION).sqrt().lower()
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};

    use super::*;

    fn alike(spend: &Spend) -> Indistinguishability {
        spend.into()
    }

    fn with_delta(spend: &Spend, delta: &str) -> Indistinguishability {
        Indistinguishability { delta: Rational::parse(delta).unwrap(), ..spend.into() }
    }

    #[test]
    fn the_bounds_are_the_formulas() {
        let pure = |text| Spend::Pure(Epsilon::parse(text).unwrap());
        let rho = |text| Spend::Concentrated(Rho::parse(text).unwrap());
        assert!((right_guess_upper(&pure("1")) - 0.731_058_578_630).abs() < 1e-11);
        assert!((right_guess_upper(&rho("0.02")) - 0.55).abs() < 1e-12);
        for spend in [pure("1"), pure("0.01"), rho("0.02"), rho("0.3"), pure("1000000"), rho("1000000")] {
            assert!((right_guess_from_upper(&alike(&spend), 0.5) - right_guess_upper(&spend)).abs() < 1e-12);
            assert!(
                (right_guess_from_upper(&alike(&spend), 0.1) - right_guess_from_upper(&alike(&spend), 0.9))
                    .abs()
                    < 1e-12
            );
            assert_eq!(right_guess_from_upper(&alike(&spend), 1.0), 1.0);
        }
        // Who knows nine in ten learns nothing that changes a guess.
        assert_eq!(right_guess_from_upper(&alike(&pure("1")), 0.9), 0.9);
        assert!((right_guess_from_upper(&alike(&rho("0.02")), 0.9) - 0.91).abs() < 1e-12);
        assert!((true_positive_upper(&pure("1"), 0.05) - 0.135_914_091_423).abs() < 1e-11);
        assert!((true_positive_upper(&pure("3"), 0.5) - 0.975_106_465_816).abs() < 1e-11);
        assert!((true_positive_upper(&rho("0.02"), 0.4) - 0.5).abs() < 1e-12);
        assert!((true_positive_upper(&rho("0.5"), 0.01) - 0.126_145_922).abs() < 1e-8);
        assert_eq!(true_positive_upper(&rho("0.5"), 0.0), 0.0);
        for spend in [pure("1000000"), rho("1000000")] {
            assert_eq!((right_guess_upper(&spend), true_positive_upper(&spend, 0.01)), (1.0, 1.0));
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
            let spend = Spend::Concentrated(Rho::parse(text).unwrap());
            for z in -30..=60 {
                let z = f64::from(z) / 10.0;
                let (alpha, power) = (tail(z), tail(z - (2.0 * rho).sqrt()));
                assert!(power <= true_positive_upper(&spend, alpha) + 1e-3, "{text} {z}");
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
            let spend = Spend::Pure(Epsilon::parse(text).unwrap());
            for (delta_text, delta) in [("0", 0.0), ("0.02", 0.02), ("0.5", 0.5)] {
                for prior in [0.5, 0.6, 0.75, 0.9, 1.0] {
                    let errors = (0..=STEPS).flat_map(|a| (0..=STEPS).map(move |b| (part(a), part(b))));
                    let allowed = |a: f64, b: f64| 1.0 - a <= epsilon.exp() * b + delta + 1e-12;
                    let best = errors
                        .filter(|(a, b)| allowed(*a, *b) && allowed(*b, *a))
                        .map(|(a, b)| 1.0 - prior * a - (1.0 - prior) * b)
                        .fold(0.0, f64::max);
                    let bound = right_guess_from_upper(&with_delta(&spend, delta_text), prior);
                    let near = best <= bound + 1e-11 && best >= bound - 0.01;
                    assert!(near, "{text} {delta} {prior}: {best} {bound}");
                }
            }
        }
    }

    /// Specification: randomised response reaches the bound, and no test on it passes the second one.
    #[test]
    fn randomized_response_reaches_the_bound() {
        let epsilon = 0.7f64;
        let spend = Spend::Pure(Epsilon::parse("0.7").unwrap());
        let truthful = epsilon.exp() / (1.0 + epsilon.exp());
        assert!((right_guess_upper(&spend) - truthful).abs() < 1e-12);
        assert!(true_positive_upper(&spend, 1.0 - truthful) >= truthful - 1e-12);
    }

    /// Specification: what a budget allows those who count people with a bit, and those who ask anything: e/(1 + e) and
    /// e²/(1 + e²) at ε = 1, ½ + ½·(0.1 + 0.001) and ½ + ½·(0.2 + 0.002) at ρ = 0.02 and δ = 0.001; never less than that,
    /// and nobody is more right than certainly.
    #[test]
    fn a_budget_bounds_one_step_and_two() {
        let near = |alike: Indistinguishability, want: [f64; 2]| {
            let found = [&alike, &alike.of_two_steps()].map(|alike| right_guess_from_upper(alike, 0.5));
            let close = |(found, want): (&f64, f64)| (*found - want).abs() < 1e-11 && *found >= want - 1e-15;
            assert!(found.iter().zip(want).all(close), "{found:?}");
        };
        let spend = |text| Spend::Concentrated(Rho::parse(text).unwrap());
        near(
            alike(&Spend::Pure(Epsilon::parse("1").unwrap())),
            [0.731_058_578_630_004_9, 0.880_797_077_977_882_4],
        );
        near(with_delta(&spend("0.02"), "0.001"), [0.5505, 0.601]);
        near(with_delta(&spend("0.02"), "0"), [0.55, 0.6]);
        near(with_delta(&spend("900"), "0"), [1.0, 1.0]);
        near(with_delta(&spend("0.02"), "0.9"), [1.0, 1.0]);
        let e = 1f64.exp();
        let pure = with_delta(&Spend::Pure(Epsilon::parse("1").unwrap()), "0.01");
        let twice = 0.01 * (1.0 + e);
        near(pure, [(e + 0.01) / (1.0 + e), (e * e + twice) / (1.0 + e * e)]);
        // What somebody knew beforehand is no number: then nothing is promised.
        assert_eq!(right_guess_from_upper(&with_delta(&spend("0.02"), "0"), f64::NAN), 1.0);
    }

    /// Specification: a cost in units of the ledger is as good as the loss it stands for: √(0.02/2) = 0.1, so 55 % at even
    /// odds; nothing tells nothing.
    #[test]
    fn a_cost_bounds_a_guess() {
        let guess = |rho: u128| {
            let cost = Amount { loss_units: rho * 10u128.pow(22), delta_units: 0 };
            right_guess_from_upper(&Indistinguishability::of_amount(Currency::Zcdp, cost), 0.5)
        };
        assert!((guess(2) - 0.55).abs() < 1e-12 && guess(2) >= 0.55);
        assert_eq!((guess(900), guess(0)), (1.0, 0.5));
        let one = Amount { loss_units: 10u128.pow(24), delta_units: 10u128.pow(21) };
        assert_eq!(
            Indistinguishability::of_amount(Currency::Pure, one),
            with_delta(&Spend::Pure(Epsilon::parse("1").unwrap()), "0.001")
        );
    }

    /// Specification: no test on a pair of laws that are alike but for δ passes the bound. The pair: normal laws √(2ρ)
    /// apart with probability 1 − δ, and a sign that tells with probability δ. The best guess takes the likelier of the
    /// two everywhere; sums by the trapezoidal rule.
    #[test]
    fn a_gaussian_shift_with_a_slip_stays_below_the_bound() {
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        for (text, rho) in [("0.001", 0.001f64), ("0.1", 0.1), ("0.5", 0.5), ("3", 3.0)] {
            let spend = Spend::Concentrated(Rho::parse(text).unwrap());
            for (delta_text, delta) in [("0", 0.0), ("0.01", 0.01), ("0.3", 0.3)] {
                for prior in [0.5, 0.7, 0.95] {
                    let shift = (2.0 * rho).sqrt();
                    let right: f64 = (-10_000..20_000)
                        .map(|step| f64::from(step) * 1e-3)
                        .map(|x| (prior * density(x)).max((1.0 - prior) * density(x - shift)) * 1e-3)
                        .sum();
                    let right = (1.0 - delta) * right + delta;
                    let bound = right_guess_from_upper(&with_delta(&spend, delta_text), prior);
                    assert!(right <= bound + 1e-6, "{text} {delta} {prior}: {right} {bound}");
                }
            }
        }
    }
}
