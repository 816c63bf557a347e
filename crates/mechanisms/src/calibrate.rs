//! The least noise with which so many uses of a mechanism keep a promise.
//!
//! **Guarantee.** `count` uses of the noise found here, each chosen in the light of the answers before it, meet the
//! target together. Gaussian noise: k uses are one use with √k times the sensitivity, and the curve is exact. Laplace
//! noise and randomized response: pure ε adds up, which is tight at δ = 0; with a δ, the smallest noise for which the
//! certified upper end of the privacy-loss distribution is within ε. ρ adds up.
//! **Neighbours.** Those of the sensitivity.
//! **Source.** Balle, Wang (2018), Theorem 8, for Gaussian noise ([`gaussian_calibration`](crate::number::gaussian_calibration));
//! Bun, Steinke (2016), Lemma 1.7, for sums of ρ; the accountant of [`pld`](pointillist_privacy::pld) for the rest.
//! **Rounding.** Noise is rounded up, the probability of the truth down; whatever is returned was checked.

mod least_scale;

use pointillist_numbers::Rational;
use pointillist_privacy::conversion::{GaussianDp, pure_rho_upper, zcdp_rho_lower};
use pointillist_privacy::pld::Mechanism as Pair;
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL1, SensitivityL2};

use crate::number::gaussian_calibration::{sigma_analytic, sigma_for_rho};
use crate::{CalibrationError, DiscreteLaplaceLaw, RandomizedResponse};
use least_scale::Uses;

/// Digits of noise that was computed rather than searched for.
const DIGITS_COMPUTED: usize = 17;
/// The largest integer sensitivity whose losses are listed one by one.
const SHIFT_LISTED_MAX: u32 = 1024;
/// The largest σ of a discrete Gaussian whose losses are listed one by one.
const SIGMA_LISTED_MAX: u32 = 2000;
/// Bits behind the point of probabilities.
const PRECISION: usize = 320;

/// A mechanism whose noise can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// Normal noise; needs a δ or a ρ.
    Gaussian,
    /// Laplace noise.
    Laplace,
    /// Gaussian noise on the integers; needs a δ or a ρ.
    DiscreteGaussian,
    /// Laplace noise on the integers.
    DiscreteLaplace,
    /// Yes or no, the truth with a known probability.
    RandomizedResponse,
}

/// What all uses together may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Pure ε.
    Pure(Epsilon),
    /// (ε, δ) with a positive δ.
    Approximate(Epsilon, Delta),
    /// ρ of zero-concentrated differential privacy.
    Concentrated(Rho),
}

impl Target {
    /// (ε, δ); pure where δ is zero.
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Self {
        if delta.is_zero() { Self::Pure(epsilon) } else { Self::Approximate(epsilon, delta) }
    }

    /// The target of a form: ε, with δ where it may fail, or ρ.
    pub fn of_form(
        epsilon: Option<&Epsilon>,
        delta: Option<&Delta>,
        rho: Option<&Rho>,
    ) -> Result<Self, CalibrationError> {
        match (epsilon, delta, rho) {
            (Some(epsilon), delta, None) => {
                Ok(Self::approximate(epsilon.clone(), delta.cloned().unwrap_or_else(Delta::zero)))
            }
            (None, None, Some(rho)) => Ok(Self::Concentrated(rho.clone())),
            (None, _, None) => Err(CalibrationError::NoTarget),
            (_, _, Some(_)) => Err(CalibrationError::TwoTargets),
        }
    }
}

/// How much noise is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// Of which kind.
    pub noise: Noise,
    /// For which promise.
    pub target: Target,
    /// After how many uses.
    pub count: u64,
    /// How far one person moves the answer of one use: Euclidean for Gaussian noise, in sum for Laplace noise. One
    /// where nothing is said; randomized response has none.
    pub sensitivity: Option<Rational>,
}

/// On which side of the exact number the shown digits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// At or above.
    Up,
    /// At or below.
    Down,
}

/// One number of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name for programs.
    pub name: &'static str,
    /// Its symbol for people.
    pub symbol: &'static str,
    /// The number.
    pub value: Rational,
    /// To which side its digits are rounded when it is shown.
    pub direction: Direction,
    /// Where it comes from, in a few words.
    pub words: &'static str,
}

impl Figure {
    fn up(name: &'static str, symbol: &'static str, value: Rational, words: &'static str) -> Self {
        Self { name, symbol, value, direction: Direction::Up, words }
    }

    fn down(name: &'static str, symbol: &'static str, value: Rational, words: &'static str) -> Self {
        Self { name, symbol, value, direction: Direction::Down, words }
    }
}

impl Noise {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Laplace => "laplace",
            Self::DiscreteGaussian => "discrete-gaussian",
            Self::DiscreteLaplace => "discrete-laplace",
            Self::RandomizedResponse => "randomized-response",
        }
    }
}

impl Calibration {
    /// The least noise, and what follows from it. With a δ and millions of uses the search takes seconds.
    pub fn figures(&self) -> Result<Vec<Figure>, CalibrationError> {
        if self.count == 0 {
            return Err(CalibrationError::NoUses);
        }
        match self.noise {
            Noise::Gaussian => self.gaussian(),
            Noise::Laplace => self.laplace(),
            Noise::DiscreteGaussian => self.discrete_gaussian(),
            Noise::DiscreteLaplace => self.discrete_laplace(),
            Noise::RandomizedResponse => self.randomized_response(),
        }
    }

    fn uses(&self) -> Uses<'_> {
        Uses { target: &self.target, count: self.count }
    }

    fn sensitivity(&self) -> Rational {
        self.sensitivity.clone().unwrap_or_else(Rational::one)
    }

    /// The sensitivity of all uses taken together, `√k·Δ₂`.
    fn sensitivity_l2_all(&self) -> Result<SensitivityL2, CalibrationError> {
        let each = SensitivityL2::new(self.sensitivity())?;
        Ok(SensitivityL2::from_squared(each.squared() * &Rational::from(self.count))?)
    }

    fn sensitivity_l1(&self) -> Result<Rational, CalibrationError> {
        Ok(SensitivityL1::new(self.sensitivity())?.value().clone())
    }

    /// How far one integer answer moves: the sensitivity rounded down, as integers move by integers.
    fn integer_shift(&self) -> Result<Rational, CalibrationError> {
        let shift = Rational::from(self.sensitivity_l1()?.floor());
        if shift.is_zero() { Err(CalibrationError::LessThanOne) } else { Ok(shift) }
    }

    fn gaussian(&self) -> Result<Vec<Figure>, CalibrationError> {
        let all = self.sensitivity_l2_all()?;
        let (epsilon, delta) = match &self.target {
            Target::Pure(_) => return Err(CalibrationError::PureGaussian),
            Target::Concentrated(rho) => return Ok(vec![concentrated_sigma(rho, &all)]),
            Target::Approximate(epsilon, delta) => (epsilon, delta),
        };
        let sigma = shown(&sigma_analytic(epsilon, delta, &all)?);
        let words = "standard deviation, the smallest there is";
        let mut figures = vec![Figure::up("sigma", "σ", sigma.clone(), words)];
        // A second implementation of the same curve checks the number that is shown.
        if let Ok(loss) = GaussianDp::from_mu_squared(all.squared() / &sigma.squared()) {
            let reached = loss.delta_upper(epsilon)?;
            if reached > *delta {
                return Err(CalibrationError::Disagreement);
            }
            figures.push(Figure::up("delta_reached", "δ", reached.value().clone(), "reached at this ε"));
            let rho = loss.rho().value().clone();
            figures.push(Figure::up("rho", "ρ", rho, "of all uses, for a ledger in zCDP"));
        }
        Ok(figures)
    }

    fn discrete_gaussian(&self) -> Result<Vec<Figure>, CalibrationError> {
        let all = self.sensitivity_l2_all()?;
        let shift = self.integer_shift()?;
        let (epsilon, delta) = match &self.target {
            Target::Pure(_) => return Err(CalibrationError::PureGaussian),
            Target::Concentrated(rho) => return Ok(vec![concentrated_sigma(rho, &all)]),
            Target::Approximate(epsilon, delta) => (epsilon, delta),
        };
        let by_rho = shown(&sigma_for_rho(&zcdp_rho_lower(epsilon, delta)?, &all));
        let any = "by way of ρ, any number of answers at once";
        // Listing takes time with σ, and convolving with the number of uses.
        let few = self.uses().can_be_convolved() && by_rho <= Rational::from(SIGMA_LISTED_MAX);
        let Some(sensitivity) = listed_shift(&shift).filter(|_| few) else {
            return Ok(vec![Figure::up("sigma", "σ", by_rho, any)]);
        };
        let pair = |sigma: &Rational| Pair::DiscreteGaussian { sigma: sigma.to_f64_lower(), sensitivity };
        let one = self.uses().least_within(&by_rho, epsilon, delta, pair).min(by_rho.clone());
        let words = "one integer answer a use, by its privacy-loss distribution";
        Ok(vec![Figure::up("sigma", "σ", one, words), Figure::up("sigma_any_dimension", "σ", by_rho, any)])
    }

    fn laplace(&self) -> Result<Vec<Figure>, CalibrationError> {
        let sensitivity = self.sensitivity_l1()?;
        let rho = |scale: &Rational| {
            let epsilon = Epsilon::new(&sensitivity / scale).ok()?;
            Some(pure_rho_upper(&epsilon).ok()?.value().clone())
        };
        let pair =
            |scale: &Rational| Pair::Laplace { noise_multiplier: (scale / &sensitivity).to_f64_lower() };
        let (scale, words) = self.uses().least_scale(&sensitivity, rho, Some(pair))?;
        Ok(vec![Figure::up("scale", "b", scale, words)])
    }

    fn discrete_laplace(&self) -> Result<Vec<Figure>, CalibrationError> {
        let shift = self.integer_shift()?;
        let rho = |scale: &Rational| Some(DiscreteLaplaceLaw::new(scale)?.zcdp_rho_upper(&shift));
        let pair = listed_shift(&shift).map(|sensitivity| {
            move |scale: &Rational| Pair::DiscreteLaplace { scale: scale.to_f64_lower(), sensitivity }
        });
        let (scale, words) = self.uses().least_scale(&shift, rho, pair)?;
        Ok(vec![Figure::up("scale", "b", scale, words)])
    }

    fn randomized_response(&self) -> Result<Vec<Figure>, CalibrationError> {
        if self.sensitivity.is_some() {
            return Err(CalibrationError::SensitivityOfResponse);
        }
        // The larger 1/ε, the more lies: it takes the place of a scale.
        let epsilon = |scale: &Rational| scale.reciprocal().expect("a scale is positive");
        let rho = |scale: &Rational| {
            let each = Epsilon::new(epsilon(scale)).ok()?;
            Some(pure_rho_upper(&each).ok()?.value().clone())
        };
        let pair = |scale: &Rational| Pair::RandomizedResponse {
            epsilon: epsilon(scale).to_f64_upper(),
            categories: 2,
        };
        let (scale, _) = self.uses().least_scale(&Rational::one(), rho, Some(pair))?;
        let each = Epsilon::new(epsilon(&scale))?;
        let response = RandomizedResponse::for_epsilon(&each);
        let lie = response.lie_probability(PRECISION).upper();
        let truth = Rational::one() - lie.clone();
        let gamma = response.gamma(PRECISION).lower();
        Ok(vec![
            Figure::down("truth_probability", "P[truth]", truth, "e^ε/(1 + e^ε)"),
            Figure::up("lie_probability", "P[lie]", lie, "1/(1 + e^ε)"),
            Figure::down("gamma", "γ", gamma, "how much likelier than a coin the truth is"),
            Figure::down("epsilon_each", "ε", each.value().clone(), "of each answer, rounded down"),
        ])
    }
}

/// `σ = √k·Δ/√(2ρ)`.
fn concentrated_sigma(rho: &Rho, sensitivity_l2_all: &SensitivityL2) -> Figure {
    let sigma = shown(&sigma_for_rho(rho, sensitivity_l2_all));
    Figure::up("sigma", "σ", sigma, "√k·Δ/√(2ρ), any number of answers at once")
}

/// The decimal that programs are shown, so that what was checked is what is read.
fn shown(value: &Rational) -> Rational {
    value.round_up_to_digits(DIGITS_COMPUTED)
}

/// The shift as the accountant takes it; none where listing its losses would take too long.
fn listed_shift(shift: &Rational) -> Option<u32> {
    u32::try_from(shift.floor()).ok().filter(|shift| *shift <= SHIFT_LISTED_MAX)
}

#[cfg(test)]
mod tests;
