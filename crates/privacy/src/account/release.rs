//! A release as people describe it in a list: which noise, how much of it, on what.

use pointillist_numbers::Rational;

use crate::amplification::{SamplingRate, subsampled_upper};
use crate::conversion::{GaussianDp, gaussian_rho_upper, pure_rho_upper};
use crate::pld::Mechanism;
use crate::{Delta, Epsilon, ParameterError, Rho, Scale, SensitivityL1, SensitivityL2};

/// One kind of release; add/remove neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Release {
    /// Gaussian noise, on everybody or on a Poisson sample.
    Gaussian {
        /// Standard deviation.
        sigma: Scale,
        /// How far the answer moves in L2.
        sensitivity: SensitivityL2,
        /// The rate at which units are sampled, if they are.
        sampling_rate: Option<SamplingRate>,
    },
    /// Laplace noise, on everybody or on a Poisson sample.
    Laplace {
        /// The scale.
        scale: Scale,
        /// How far the answer moves in L1.
        sensitivity: SensitivityL1,
        /// The rate at which units are sampled, if they are.
        sampling_rate: Option<SamplingRate>,
    },
    /// Discrete Laplace noise on one integer.
    DiscreteLaplace {
        /// The scale.
        scale: Scale,
        /// How far the integer moves.
        sensitivity: u32,
    },
    /// Discrete Gaussian noise on one integer.
    DiscreteGaussian {
        /// The parameter σ.
        sigma: Scale,
        /// How far the integer moves.
        sensitivity: u32,
    },
    /// Randomized response.
    RandomizedResponse {
        /// The ε that its lies are made for.
        epsilon: Epsilon,
        /// How many answers there are.
        categories: u32,
    },
    /// Anything of which only a pure ε is known.
    Pure {
        /// The loss ε.
        epsilon: Epsilon,
    },
    /// Anything of which only (ε, δ) is known.
    Approximate {
        /// The loss ε.
        epsilon: Epsilon,
        /// The probability δ with which it may not hold.
        delta: Delta,
    },
    /// Anything of which only ρ is known.
    Zcdp {
        /// The loss ρ of zCDP.
        rho: Rho,
    },
    /// An exponential mechanism, or anything else whose loss has range η.
    BoundedRange {
        /// The range η of its log-ratios.
        eta: Epsilon,
    },
}

impl Release {
    /// The (ε, δ) of one use; none where an ε needs a δ of somebody's choice.
    pub(crate) fn epsilon_delta(&self) -> Option<Result<(Epsilon, Delta), ParameterError>> {
        let pure =
            |epsilon: Result<Epsilon, ParameterError>| Some(epsilon.map(|epsilon| (epsilon, Delta::zero())));
        let ratio = |scale: &Scale, sensitivity: &Rational| Epsilon::new(sensitivity / scale.value());
        match self {
            Self::Laplace { scale, sensitivity, sampling_rate: None } => {
                pure(ratio(scale, sensitivity.value()))
            }
            Self::Laplace { scale, sensitivity, sampling_rate: Some(rate) } => {
                let epsilon = ratio(scale, sensitivity.value());
                Some(epsilon.and_then(|epsilon| subsampled_upper(&epsilon, &Delta::zero(), rate)))
            }
            Self::DiscreteLaplace { scale, sensitivity } => pure(ratio(scale, &Rational::from(*sensitivity))),
            Self::RandomizedResponse { epsilon, .. }
            | Self::Pure { epsilon }
            | Self::BoundedRange { eta: epsilon } => pure(Ok(epsilon.clone())),
            Self::Approximate { epsilon, delta } => Some(Ok((epsilon.clone(), delta.clone()))),
            Self::Gaussian { .. } | Self::DiscreteGaussian { .. } | Self::Zcdp { .. } => None,
        }
    }

    /// The ρ of one use, and the δ with which it fails.
    pub(crate) fn rho(&self) -> Option<Result<(Rho, Delta), ParameterError>> {
        let certain = |rho: Result<Rho, ParameterError>| Some(rho.map(|rho| (rho, Delta::zero())));
        match self {
            Self::Gaussian { sampling_rate: Some(_), .. } => None,
            Self::Gaussian { sigma, sensitivity, .. } => certain(gaussian_rho_upper(sensitivity, sigma)),
            Self::DiscreteGaussian { sigma, sensitivity } => {
                let moved = SensitivityL2::new(Rational::from(*sensitivity));
                certain(moved.and_then(|moved| gaussian_rho_upper(&moved, sigma)))
            }
            Self::Zcdp { rho } => certain(Ok(rho.clone())),
            Self::BoundedRange { eta } => certain(Rho::from_bounded_range(eta)),
            Self::Approximate { epsilon, delta } => {
                Some(Rho::from_pure(epsilon).map(|rho| (rho, delta.clone())))
            }
            _ => certain(self.epsilon_delta()?.and_then(|(epsilon, _)| pure_rho_upper(&epsilon))),
        }
    }

    /// The Gaussian it is, if it is one on everybody.
    pub(crate) fn gaussian(&self) -> Option<Result<GaussianDp, ParameterError>> {
        match self {
            Self::Gaussian { sigma, sensitivity, sampling_rate: None } => {
                Some(GaussianDp::from_mechanism(sensitivity, sigma))
            }
            _ => None,
        }
    }

    /// Its worst pair, with parameters rounded towards less privacy; none where only ρ is known.
    pub(crate) fn worst_pair(&self) -> Option<Mechanism> {
        self.pair(Rational::to_f64_lower, Rational::to_f64_upper)
    }

    /// The same rounded towards more privacy: what holds of it from below holds of the release. None of a sensitivity that
    /// is a root, which is rounded towards less already.
    pub(crate) fn worst_pair_lower(&self) -> Option<Mechanism> {
        if let Self::Gaussian { sensitivity, .. } = self
            && sensitivity.value_upper().squared() != *sensitivity.squared()
        {
            return None;
        }
        self.pair(Rational::to_f64_upper, Rational::to_f64_lower)
    }

    /// Its worst pair, with the floats that these make of its noise and of its losses.
    fn pair(&self, noise: fn(&Rational) -> f64, loss: fn(&Rational) -> f64) -> Option<Mechanism> {
        let multiplier = |scale: &Scale, sensitivity: &Rational| noise(&(scale.value() / sensitivity));
        let sampled = |base: Mechanism, rate: &Option<SamplingRate>| match rate {
            None => base,
            Some(rate) => Mechanism::PoissonSubsampled { rate: loss(rate.value()), base: Box::new(base) },
        };
        Some(match self {
            Self::Gaussian { sigma, sensitivity, sampling_rate } => {
                let noise_multiplier = multiplier(sigma, &sensitivity.value_upper());
                sampled(Mechanism::Gaussian { noise_multiplier }, sampling_rate)
            }
            Self::Laplace { scale, sensitivity, sampling_rate } => {
                let noise_multiplier = multiplier(scale, sensitivity.value());
                sampled(Mechanism::Laplace { noise_multiplier }, sampling_rate)
            }
            Self::DiscreteLaplace { scale, sensitivity } => {
                Mechanism::DiscreteLaplace { scale: noise(scale.value()), sensitivity: *sensitivity }
            }
            Self::DiscreteGaussian { sigma, sensitivity } => {
                Mechanism::DiscreteGaussian { sigma: noise(sigma.value()), sensitivity: *sensitivity }
            }
            Self::RandomizedResponse { epsilon, categories } => {
                Mechanism::RandomizedResponse { epsilon: loss(epsilon.value()), categories: *categories }
            }
            Self::Pure { epsilon } => Mechanism::Approximate { epsilon: loss(epsilon.value()), delta: 0.0 },
            Self::Approximate { epsilon, delta } => {
                Mechanism::Approximate { epsilon: loss(epsilon.value()), delta: loss(delta.value()) }
            }
            Self::BoundedRange { eta } => Mechanism::BoundedRange { eta: loss(eta.value()) },
            Self::Zcdp { .. } => return None,
        })
    }
}
