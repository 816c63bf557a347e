//! The discrete Laplace law in exact numbers: probabilities, tails, and what a shift of it reveals.
//!
//! **Guarantee.** For noise X with `P[X = k] = (1 − a)/(1 + a)·a^|k|`, `a = exp(−1/scale)`, every probability
//! returned encloses the true one, every tail bound is certified, and [`DiscreteLaplaceLaw::zcdp_rho_upper`]
//! is at or above the smallest ρ for which integer answers that move by at most `d` in L1 norm are ρ-zCDP
//! under independent noise X.
//!
//! **zCDP, proof.** One coordinate moved by d ≥ 1; θ = 1/scale, x = α − 1/2, c = cosh(θx), U the Chebyshev
//! polynomials of the second kind. Summing the geometric series of `P^α·Q^(1−α)` gives
//! `exp((α − 1)·D_α) = G(x)/G(1/2)` with `G(x) = U_d(c) − a·U_{d−2}(c)`. At `c = cos φ`,
//! `sin φ·G = sin((d+1)φ) − a·sin((d−1)φ)` changes its sign between the d + 1 points of (0, π) where the
//! first sine is ±1, because a < 1; so all d zeros are some `cos φ_k`, and G is a product of factors
//! `cosh(2θx) − cos(2φ_k)`, and of `cosh(θx)` when d is odd. As a function of s = x² the logarithm of each
//! factor is concave: its derivative is a multiple of `(sinh y/y)/(cosh y − κ)`, y = 2θ√s, κ < 1, whose
//! logarithmic derivative is at most that for κ = −1, `1/sinh y − 1/y < 0`. A concave function lies below its
//! tangent at s = 1/4, and `s − 1/4 = α(α − 1)`: hence `D_α ≤ α·ρ`, where ρ, the slope there, is the limit of
//! D_α for α → 1: the Kullback-Leibler divergence. It is `θ·E(|X − d| − |X|) = θ·(d − 2a(1 − a^d)/(1 − a²))`,
//! and no smaller ρ holds. For several coordinates divergences add up, and the divergence is convex in d and
//! zero at d = 0, so `Σ ρ(d_j) ≤ ρ(Σ d_j)`: the worst case moves one coordinate by everything.
//!
//! For d = 1 this is `ε·tanh(ε/2)`, for fine grids it tends to `ε − 1 + e^−ε`; both are below `ε²/2`.

use pointillist_numbers::{Enclosure, IBig, Rational};

/// Precision for ρ: scales reach 2^100, and two cancellations take up to 200 bits.
const PRECISION: usize = 512;

/// The discrete Laplace distribution of a positive rational scale.
#[derive(Clone, Debug)]
pub struct DiscreteLaplaceLaw {
    scale: Rational,
    decay: Rational,
}

impl DiscreteLaplaceLaw {
    /// The law of this scale; none unless the scale is positive and at most 2^100, as samplers ask.
    pub fn new(scale: &Rational) -> Option<Self> {
        if *scale > Rational::power_of_two(100) {
            return None;
        }
        let decay = scale.reciprocal().filter(Rational::is_positive)?;
        Some(Self { scale: scale.clone(), decay })
    }

    /// a^k = exp(−k/scale), for k ≥ 0.
    pub fn power(&self, k: u128, precision: usize) -> Enclosure {
        Enclosure::exp_of_minus(&(&self.decay * &Rational::from(k)), precision)
    }

    /// The probability of one value.
    pub fn probability(&self, value: i128, precision: usize) -> Enclosure {
        let one = Enclosure::integer(1, precision);
        let a = self.power(1, precision);
        let centre = (&one - &a).checked_div(&(&one + &a)).expect("one and more is not zero");
        &centre * &self.power(value.unsigned_abs(), precision)
    }

    /// The probability of a value at or below.
    pub fn cumulative(&self, value: i128, precision: usize) -> Enclosure {
        let one = Enclosure::integer(1, precision);
        let sum = &one + &self.power(1, precision);
        let beyond = |k: u128| self.power(k, precision).checked_div(&sum).expect("one and more is not zero");
        if value < 0 { beyond(value.unsigned_abs()) } else { &one - &beyond(value.unsigned_abs() + 1) }
    }

    /// The probability that the magnitude reaches `magnitude`: `2a^m/(1 + a)`, and 1 for zero.
    pub fn tail(&self, magnitude: u128, precision: usize) -> Enclosure {
        let one = Enclosure::integer(1, precision);
        if magnitude == 0 {
            return one;
        }
        let sum = &one + &self.power(1, precision);
        let power = self.power(magnitude, precision).scale_by_power_of_two(1);
        power.checked_div(&sum).expect("one and more is not zero")
    }

    /// The least m ≥ 1 with `P[|X| ≥ m] ≤ beta`, for a beta strictly between 0 and 1.
    ///
    /// `m ≥ scale·ln(2/((1 + a)·beta))`, and the right side is never an integer: otherwise
    /// `2a^m = (1 + a)·beta` would make the transcendental number a algebraic. So more digits always decide.
    pub(crate) fn least_rare_magnitude(&self, beta: &Rational) -> u128 {
        let two_over_beta = Rational::from(2) / beta.clone();
        let mut precision = 256;
        loop {
            let ln = |value: &Rational| Enclosure::ln_of(value, precision).expect("2/β is positive");
            let sum = &Enclosure::integer(1, precision) + &self.power(1, precision);
            let exponent = &ln(&two_over_beta) - &sum.ln().expect("1 + a is positive");
            let bound = &Enclosure::of(&self.scale, precision) * &exponent;
            if let Some(floor) = bound.floor() {
                // Scales end at 2^100 and logarithms of probabilities at a few hundred.
                return u128::try_from(floor + IBig::ONE).unwrap_or(u128::MAX);
            }
            precision *= 2;
        }
    }

    /// The smallest ρ for integer answers that move by at most `shift` in L1 norm, rounded up.
    pub fn zcdp_rho_upper(&self, shift: &Rational) -> Rational {
        let one = Enclosure::integer(1, PRECISION);
        let a = self.power(1, PRECISION);
        let all = Enclosure::exp_of_minus(&(&self.decay * shift), PRECISION);
        let returned = (&a * &(&one - &all)).scale_by_power_of_two(1);
        let returned =
            returned.checked_div(&(&one - &(&a * &a))).expect("scales end at 2^100: a² is below one");
        let distance = &Enclosure::of(shift, PRECISION) - &returned;
        distance.upper() * self.decay.clone()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::renyi_divergence;

    use super::*;

    /// The law of `shift + X` on a window that holds all but a negligible part of it.
    fn shifted(scale: f64, shift: i64) -> Vec<f64> {
        let reach = (60.0 * scale) as i64 + 20;
        let peak = (0.5 / scale).tanh();
        (-reach..=reach).map(|k| peak * (-((k - shift).abs() as f64) / scale).exp()).collect()
    }

    /// Specification: the divergence of every order stays within `α·ρ`, and near order one it reaches it; so ρ is neither
    /// too small nor larger than it must be. ε²/8, which only bounded-range mechanisms may claim, is refuted.
    #[test]
    fn rho_is_valid_at_every_order_and_tight_near_one() {
        for (scale, shift) in [("1", 1), ("2/5", 1), ("5", 1), ("3", 4), ("10", 30), ("1/2", 3), ("25/2", 2)]
        {
            let scale = Rational::parse(scale).unwrap();
            let law = DiscreteLaplaceLaw::new(&scale).unwrap();
            let rho = law.zcdp_rho_upper(&Rational::from(shift)).to_f64_upper();
            let scale = scale.to_f64_upper();
            let (p, q) = (shifted(scale, shift), shifted(scale, 0));
            for order in [1.01, 1.1, 1.5, 2.0, 3.0, 5.0, 9.0, 20.0] {
                let divergence = renyi_divergence(&p, &q, order);
                assert!(
                    divergence <= order * rho * (1.0 + 1e-9),
                    "scale {scale}, shift {shift}, order {order}"
                );
            }
            let near_one = renyi_divergence(&p, &q, 1.001) / 1.001;
            assert!(near_one >= 0.99 * rho, "scale {scale}, shift {shift}: {near_one} against {rho}");
            let epsilon = shift as f64 / scale;
            assert!(rho <= epsilon * epsilon / 2.0);
            if epsilon <= 1.0 {
                assert!(
                    renyi_divergence(&p, &q, 2.0) > 2.0 * epsilon * epsilon / 8.0,
                    "a planted under-charge"
                );
            }
        }
    }

    /// Specification: spreading a move over coordinates never costs more than making it in one.
    #[test]
    fn one_coordinate_is_the_worst_case() {
        let law = DiscreteLaplaceLaw::new(&Rational::from(4)).unwrap();
        let rho = |shift: i64| law.zcdp_rho_upper(&Rational::from(shift));
        for whole in 2..12 {
            for part in 1..whole {
                assert!(rho(part) + rho(whole - part) <= rho(whole));
            }
        }
    }
}
