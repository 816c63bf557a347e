//! The mechanisms the accountant knows, each with its worst pair.

mod atomic;
mod bounded_range;
mod gaussian;
mod laplace;
mod subsampled;

use super::PldError;
use super::characteristic::{Characteristic, Ends, SampledGaussian};
use super::law::LossLaw;
pub(crate) use gaussian::Gaussian;

/// A mechanism by its worst pair, with parameters as the numbers people write.
///
/// Neighbours add or remove one unit; `sensitivity` is that of the answer the noise is added to.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// Gaussian noise of standard deviation `sigma`.
    Gaussian {
        /// Standard deviation over sensitivity.
        noise_multiplier: f64,
    },
    /// Laplace noise.
    Laplace {
        /// Scale over sensitivity.
        noise_multiplier: f64,
    },
    /// Discrete Laplace noise on integers.
    DiscreteLaplace {
        /// Scale.
        scale: f64,
        /// How far the integer answer moves.
        sensitivity: u32,
    },
    /// Discrete Gaussian noise on integers.
    DiscreteGaussian {
        /// Parameter σ.
        sigma: f64,
        /// How far the integer answer moves.
        sensitivity: u32,
    },
    /// Randomized response over `categories` answers that keeps the truth e^ε times as often as any other.
    RandomizedResponse {
        /// The local ε.
        epsilon: f64,
        /// How many answers there are.
        categories: u32,
    },
    /// Any (ε, δ)-private mechanism; pure with δ = 0.
    Approximate {
        /// The loss ε.
        epsilon: f64,
        /// The probability δ with which it may not hold.
        delta: f64,
    },
    /// Any η-bounded-range mechanism, such as the exponential mechanism. The pair dominates all of them and is none of
    /// them, so bounds from below speak of the pair alone.
    BoundedRange {
        /// The range η of the loss.
        eta: f64,
    },
    /// A mechanism run on a Poisson sample: every unit takes part with probability `rate`.
    PoissonSubsampled {
        /// The sampling rate.
        rate: f64,
        /// What runs on the sample: Gaussian or Laplace.
        base: Box<Mechanism>,
    },
}

/// Which of two neighbours has the extra unit: a mechanism must hide both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// P is the law with the unit.
    Remove,
    /// P is the law without it.
    Add,
}

impl Mechanism {
    /// The law of the loss in one direction.
    pub(crate) fn law(&self, direction: Direction) -> Result<Box<dyn LossLaw>, PldError> {
        Ok(match self {
            Self::Gaussian { noise_multiplier } => {
                positive("noise multiplier", *noise_multiplier)?;
                Box::new(Gaussian { mu: 1.0 / noise_multiplier })
            }
            Self::Laplace { noise_multiplier } => {
                positive("noise multiplier", *noise_multiplier)?;
                Box::new(laplace::Laplace { epsilon: 1.0 / noise_multiplier })
            }
            Self::DiscreteLaplace { scale, sensitivity } => {
                positive("scale", *scale)?;
                Box::new(atomic::discrete_laplace(*scale, count("sensitivity", *sensitivity, 1, 1 << 20)?))
            }
            Self::DiscreteGaussian { sigma, sensitivity } => {
                positive("sigma", *sigma)?;
                if *sigma > 1e5 {
                    return Err(PldError::TooFine);
                }
                Box::new(atomic::discrete_gaussian(*sigma, count("sensitivity", *sensitivity, 1, 1 << 20)?))
            }
            Self::RandomizedResponse { epsilon, categories } => {
                positive("epsilon", *epsilon)?;
                Box::new(atomic::randomized_response(
                    *epsilon,
                    count("categories", *categories, 2, u32::MAX)?,
                ))
            }
            Self::Approximate { epsilon, delta } => {
                positive("epsilon", *epsilon)?;
                if !(0.0..1.0).contains(delta) {
                    return Err(PldError::Parameter { name: "delta", got: *delta });
                }
                Box::new(atomic::approximate(*epsilon, *delta))
            }
            Self::BoundedRange { eta } => {
                positive("eta", *eta)?;
                Box::new(bounded_range::BoundedRange { eta: *eta })
            }
            Self::PoissonSubsampled { rate, base } => {
                positive("sampling rate", *rate)?;
                if *rate > 1.0 {
                    return Err(PldError::Parameter { name: "sampling rate", got: *rate });
                }
                // Both bases are symmetric: one direction of theirs serves both of ours.
                let inner = match base.as_ref() {
                    Self::Gaussian { .. } | Self::Laplace { .. } => base.law(direction)?,
                    _ => return Err(PldError::Subsampled),
                };
                if *rate == 1.0 {
                    return Ok(inner);
                }
                Box::new(subsampled::Subsampled { base: inner, rate: *rate, direction })
            }
        })
    }

    /// The characteristic function of the loss in one direction, where it is known.
    pub(crate) fn characteristic(&self, direction: Direction) -> Option<Characteristic> {
        let ends = |largest: f64, atoms: bool| Some(Characteristic::Ends(Ends { largest, atoms }));
        match self {
            Self::Gaussian { noise_multiplier } => {
                Some(Characteristic::Gaussian { mu: 1.0 / noise_multiplier, mu_error: f64::EPSILON })
            }
            Self::Laplace { noise_multiplier } => ends(1.0 / noise_multiplier, true),
            Self::BoundedRange { eta } => ends(*eta, false),
            Self::PoissonSubsampled { rate, base } => match base.as_ref() {
                _ if *rate == 1.0 => base.characteristic(direction),
                Self::Gaussian { noise_multiplier } => Some(Characteristic::Sampled(SampledGaussian {
                    mu: 1.0 / noise_multiplier,
                    rate: *rate,
                    direction,
                })),
                _ => None,
            },
            _ => Characteristic::atoms(self.law(direction).ok()?.atoms()),
        }
    }

    /// Whether both directions have the same law.
    pub(crate) fn is_symmetric(&self) -> bool {
        !matches!(self, Self::PoissonSubsampled { rate, .. } if *rate < 1.0)
    }
}

/// Parameters beyond these have no use and would overflow on the way.
fn positive(name: &'static str, value: f64) -> Result<(), PldError> {
    if (1e-9..=1e9).contains(&value) { Ok(()) } else { Err(PldError::Parameter { name, got: value }) }
}

fn count(name: &'static str, value: u32, least: u32, most: u32) -> Result<u32, PldError> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(PldError::Parameter { name, got: f64::from(value) })
    }
}
