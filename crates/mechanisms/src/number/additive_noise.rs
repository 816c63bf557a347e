//! Integer noise for integer answers, priced in ε or in ρ: what every aggregate of this crate adds.
//!
//! **Guarantee.** Let an integer vector move by at most Δ₁ in L1 and Δ₂ in L2 between neighbours (of
//! whichever relation the sensitivities were computed for). Adding independent discrete Laplace noise of
//! scale Δ₁/ε to every coordinate is ε-differentially private; discrete Gaussian noise of parameter σ² =
//! Δ₂²/(2ρ) is ρ-zCDP.
//! **Neighbours.** Whichever the sensitivities were computed for.
//! **Source.** Laplace: the ratio of densities at any point is at most exp(Σ|Δᵢ|·ε/Δ₁) ≤ e^ε. Gaussian:
//! Canonne, Kamath, Steinke (2020), arXiv:2004.00010, Theorem 4 for one coordinate; Rényi divergences of
//! independent coordinates add up, α·Δᵢ²/(2σ²) each.
//! **Error.** Laplace, with a = e^(−ε/Δ₁): P[|Z| > t] = 2·a^(t+1)/(1 + a), inverted. Gaussian: Σ_(k≥m)
//! e^(−k²/2σ²) is at most the integral from m − 1, and from m − ½ where the density is convex (m − ½ ≥ σ);
//! the normaliser is at least √(2πσ²) by Poisson summation; so P[|Z| > t] ≤ 2·P[N > t/σ], and ≤ 2·P[N > (t +
//! ½)/σ] when t + ½ ≥ σ. Sums of k values: Chernoff with the exact moment generating function (Laplace), and
//! with E[e^(λZ)] ≤ e^(λ²σ²/2) (Gaussian; completing the square leaves a shifted theta sum, largest at shift
//! zero).
//! **Exactness.** Scales are exact rationals; every bound is computed between certified bounds and rounded up.
//! **Not covered.** Timing: a single draw takes longer for larger noise; [`AdditiveNoise::sample_many`] does
//! not beyond a few thousand values.

use std::fmt;

use pointillist_noise::{DiscreteGaussian, DiscreteLaplace, SecureBits, noisy_sum};
use pointillist_numbers::{Enclosure, IBig, Rational, decimal_upper, normal_quantile_upper};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, Rho, SensitivityL1, SensitivityL2, Spend};

use crate::MechanismError;

/// From this many draws on a prepared table, which takes a millisecond or three to build, pays for itself.
const TABLE_FROM: usize = 4096;
/// Bits behind the point for logarithms: scales go up to 2^100, failure probabilities down to 2^-264.
const PRECISION: usize = 320;

/// Independent integer noise of one scale, and what it costs to release a vector with it.
#[derive(Clone, Debug)]
pub struct AdditiveNoise {
    law: Law,
    loss: Loss,
}

/// The laws that integer noise has here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseLaw {
    /// Two-sided geometric: for prices in ε.
    DiscreteLaplace,
    /// For prices in ρ.
    DiscreteGaussian,
}

impl NoiseLaw {
    /// The name, for machines to read.
    pub fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete_laplace",
            Self::DiscreteGaussian => "discrete_gaussian",
        }
    }
}

#[derive(Clone, Debug)]
enum Law {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
}

impl AdditiveNoise {
    /// Discrete Laplace noise of scale Δ₁/ε, exactly.
    pub fn for_epsilon(sensitivity_l1: &SensitivityL1, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let law = Law::Laplace(DiscreteLaplace::new(&(sensitivity_l1.value() / epsilon.value()))?);
        Ok(Self { law, loss: Loss::pure(epsilon.clone()) })
    }

    /// Discrete Gaussian noise of σ² = Δ₂²/(2ρ), exactly.
    pub fn for_rho(sensitivity_l2: &SensitivityL2, rho: &Rho) -> Result<Self, MechanismError> {
        let variance = sensitivity_l2.squared() / &(rho.value() * &Rational::from(2));
        let law = Law::Gaussian(DiscreteGaussian::new(&variance)?);
        Ok(Self { law, loss: Loss::zcdp(rho.clone()) })
    }

    /// The noise that a price buys for a vector with these two sensitivities.
    pub fn for_spend(
        sensitivity_l1: &SensitivityL1,
        sensitivity_l2: &SensitivityL2,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        match spend {
            Spend::Pure(epsilon) => Self::for_epsilon(sensitivity_l1, epsilon),
            Spend::Concentrated(rho) => Self::for_rho(sensitivity_l2, rho),
        }
    }

    /// The noise that a price buys for one number that moves by at most `sensitivity`.
    pub fn for_number(sensitivity: i128, spend: &Spend) -> Result<Self, MechanismError> {
        let sensitivity_l1 = SensitivityL1::new(Rational::from(sensitivity))?;
        Self::for_spend(&sensitivity_l1, &SensitivityL2::from_l1(&sensitivity_l1), spend)
    }

    /// What one release of the vector costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// Which law it is.
    pub fn law(&self) -> NoiseLaw {
        match &self.law {
            Law::Laplace(_) => NoiseLaw::DiscreteLaplace,
            Law::Gaussian(_) => NoiseLaw::DiscreteGaussian,
        }
    }

    /// The scale of a Laplace law, exactly, or the σ of a Gaussian one, rounded up.
    pub fn scale_upper(&self) -> Rational {
        match &self.law {
            Law::Laplace(law) => law.scale().clone(),
            Law::Gaussian(law) => Enclosure::of(law.variance_parameter(), PRECISION).sqrt().upper(),
        }
    }

    /// The parameter σ² of a Gaussian law, exactly.
    pub fn variance_parameter(&self) -> Option<&Rational> {
        match &self.law {
            Law::Laplace(_) => None,
            Law::Gaussian(law) => Some(law.variance_parameter()),
        }
    }

    /// One value.
    pub fn sample<B: SecureBits + ?Sized>(&self, bits: &mut B) -> i128 {
        match &self.law {
            Law::Laplace(law) => law.sample(bits),
            Law::Gaussian(law) => law.sample(bits),
        }
    }

    /// Independent values, from a prepared table when there are many.
    pub fn sample_many<B: SecureBits + ?Sized>(&self, count: usize, bits: &mut B) -> Vec<i128> {
        if count < TABLE_FROM {
            return (0..count).map(|_| self.sample(bits)).collect();
        }
        let table = match &self.law {
            Law::Laplace(law) => law.table(),
            Law::Gaussian(law) => law.table(),
        };
        let mut values = vec![0; count];
        table.fill(&mut values, bits);
        values
    }

    /// One number with noise added, at the end of its range when the sum would pass it.
    pub fn release<B: SecureBits + ?Sized>(&self, answer: i128, bits: &mut B) -> i128 {
        noisy_sum(answer, self.sample(bits))
    }

    /// One value stays within this of zero with probability at least 1 − β.
    pub fn error_bound(&self, beta: &FailureProbability) -> i128 {
        self.error_bound_of_all(1, beta)
    }

    /// All of `count` values stay within this of zero with probability at least 1 − β: β/count for each.
    pub fn error_bound_of_all(&self, count: u64, beta: &FailureProbability) -> i128 {
        let share = beta.value() / &Rational::from(count.max(1));
        let bound = match &self.law {
            Law::Laplace(law) => laplace_bound(law.scale(), &share),
            Law::Gaussian(law) => gaussian_bound(law.variance_parameter(), &share),
        };
        saturated(bound.max(IBig::ZERO))
    }

    /// The sum of `count` values stays within this of zero with probability at least 1 − β. It grows like
    /// √count.
    pub fn error_bound_of_sum(&self, count: u64, beta: &FailureProbability) -> i128 {
        let count = Rational::from(count.max(1));
        let logarithm = logarithm_upper(&(Rational::from(2) / beta.value().clone()));
        let bound = match &self.law {
            Law::Laplace(law) => laplace_sum_bound(law.scale(), &count, &logarithm),
            Law::Gaussian(law) => {
                let square = Rational::from(2) * count * law.variance_parameter().clone() * logarithm;
                Enclosure::of(&square, PRECISION).sqrt().upper()
            }
        };
        saturated(bound.floor())
    }
}

/// The law and its parameter, rounded up to six digits.
impl fmt::Display for AdditiveNoise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = decimal_upper(&self.scale_upper(), 6);
        match &self.law {
            Law::Laplace(_) => write!(out, "discrete Laplace of scale {scale}"),
            Law::Gaussian(_) => write!(out, "discrete Gaussian of σ = {scale}"),
        }
    }
}

/// The least t with 2·a^(t+1)/(1 + a) ≤ β, or one more when it cannot be told.
fn laplace_bound(scale: &Rational, beta: &Rational) -> IBig {
    let rate = scale.reciprocal().expect("a checked scale is positive");
    let odds = &Enclosure::integer(1, PRECISION) + &Enclosure::exp_of_minus(&rate, PRECISION);
    let tail = Enclosure::ln_of(&(Rational::from(2) / beta.clone()), PRECISION).expect("β is positive");
    let exponent = &tail - &odds.ln().expect("one and more is positive");
    (exponent.upper() * scale.clone()).ceil() - IBig::ONE
}

fn gaussian_bound(variance: &Rational, beta: &Rational) -> IBig {
    let sigma = Enclosure::of(variance, PRECISION).sqrt().upper();
    let quantile = normal_quantile_upper(&(beta * &Rational::ratio(1, 2)));
    let half = Rational::ratio(1, 2);
    let from_integral = (&sigma * &quantile).ceil();
    let from_convexity = (sigma * quantile.max(Rational::one()) - half).ceil();
    from_integral.min(from_convexity)
}

/// The smallest of a few Chernoff bounds (count·ln M(λ) + ln(2/β))/λ for λ = c/scale, 0 < c < 1, where
/// M(λ) = (1 − a)²/((1 − a·e^λ)(1 − a·e^−λ)) and a = e^(−1/scale).
fn laplace_sum_bound(scale: &Rational, count: &Rational, logarithm: &Rational) -> Rational {
    // For many terms √(ln(2/β)/count) is nearly the best c; a few larger ones serve few terms.
    let near_best = Enclosure::of(&(logarithm / count), 64).sqrt().upper();
    let candidates = [near_best, Rational::ratio(1, 2), Rational::ratio(3, 4), Rational::ratio(7, 8)];
    let rate = scale.reciprocal().expect("a checked scale is positive");
    let below_one = |gamma: &Rational| {
        let precision = 2 * PRECISION;
        &Enclosure::integer(1, precision) - &Enclosure::exp_of_minus(gamma, precision)
    };
    let ln = |value: Enclosure| value.ln().expect("the exponent is at least 2^-101 at 640 bits");
    let bound = |c: &Rational| {
        let lambda = c * &rate;
        let twice = ln(below_one(&rate)).mul_integer(2);
        let cost = &(&twice - &ln(below_one(&(&rate - &lambda)))) - &ln(below_one(&(&rate + &lambda)));
        (count * &cost.upper() + logarithm.clone()) / lambda
    };
    let usable = candidates.iter().filter(|c| **c <= Rational::ratio(7, 8));
    usable.map(bound).min().expect("three candidates are always usable")
}

/// ln of a positive number, rounded up.
pub(crate) fn logarithm_upper(value: &Rational) -> Rational {
    Enclosure::ln_of(value, PRECISION).expect("the callers' numbers are positive").upper()
}

fn saturated(value: IBig) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests;
