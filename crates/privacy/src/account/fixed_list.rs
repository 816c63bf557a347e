//! What a list of releases costs that was fixed in advance: one release with one price, and the least ε that can be claimed.
//!
//! **Guarantee.** Let M₁, …, M_k be releases with independent noise, all of them and all their parameters fixed before the
//! first row is read. Then M = (M₁, …, M_k) is one mechanism, and
//! 1. [`FixedList::rho`]: M is δ-approximate ρ-zCDP with ρ = Σρᵢ and δ = Σδᵢ, where ρᵢ is the least that holds for what Mᵢ
//!    *is*: Δ²/(2σ²) for discrete Gaussian noise, ε·tanh(ε/2) for a pure release (not the customary ε²/2), η²/8 for a
//!    bounded range η;
//! 2. [`FixedList::epsilon`]: M is (ε, δ)-differentially private for the ε that its privacy-loss distribution has at δ.
//!
//! **Neighbours.** Those of the parts.
//! **Why the first may be charged.** The ledger's filter adds up approximate zCDP over steps, and takes for each step a ρ
//! and a δ that hold for whatever has happened before. M is one step: what it does is a function of the plan alone, no part
//! of it looks at the outcome of another, so the pair of its laws on two neighbours is a product, and Rényi divergences of
//! products are sums: D_α(M) = Σ D_α(Mᵢ) ≤ α·Σρᵢ for every α > 1. Parts that hold but for an event of weight δᵢ hold
//! together but for the union of these events. That is the very premise of the filter, whichever steps come before and
//! after. Parts that are chosen one after the other, each in the light of the last answer, are k steps: they may be charged
//! their own ρᵢ as well; what they may *not* do is to share what follows, since the ε of the second statement holds for
//! lists that were fixed, and composes with nothing but by its ρ. So the ledger never counts this ε: it is what the
//! release says of itself, and what a plan that names an ε is calibrated with.
//! **Source.** Sums: Bun, Steinke (2016), Lemma 2.3 and section 8, arXiv:1605.02065. Pure releases: `conversion/pure.rs`.
//! Gaussian curves: `conversion/gaussian_dp.rs`. Other lists: `pld/accountant.rs`.
//! **Discrete Gaussians as continuous ones.** The discrete Gaussian is not μ-GDP, but nearly. Let X be normal with variance
//! σ² − s², and K(c) a discrete Gaussian of parameter s² around c. With Θ(c) = Σ_z e^(−(z−c)²/2s²), for an integer q,
//! P[K(q + X) = z] = ∫ φ(x)·e^(−(z−q−x)²/2s²)/Θ(q + x) dx. By Poisson summation Θ lies within a factor 1 ± ϑ of s√(2π), ϑ = 2Σ_(j≥1)
//! e^(−2π²s²j²); and without Θ the integral is s√(2π) times the normal density of variance σ² at z − q. So P[K(q + X) = z]
//! is that density up to 1/(1 ± ϑ), and the discrete Gaussian's P[q + Z = z] is the same density up to its own normaliser,
//! which is 1 ± ϑ as well. Hence the discrete Gaussian mechanism of σ² is, up to a factor e^(±3ϑ) at every point and for
//! every coordinate, a post-processing of the continuous one of σ² − s². With s = 2, ϑ < 1e-33: for all coordinates of a
//! list (2^40 at most) together less than 1e-15, which is added to ε, and δ is cut by as much. This is used from
//! σ² = 400 on, where it takes one part in a hundred of ρ at most; smaller noise is listed point by point where its shifts
//! are known, and counted by ρ alone where nothing better is.

use pointillist_numbers::Rational;

use crate::conversion::{GaussianDp, pure_rho_upper, zcdp_epsilon_upper};
use crate::pld::{Accountant, Mechanism};
use crate::{Currency, Delta, Epsilon, EpsilonDelta, Loss, ParameterError, Price, Rho};

/// s²: what is given away of a discrete Gaussian's variance.
const SMOOTHING: i128 = 4;
/// From this variance on a discrete Gaussian is counted as a continuous one.
const SMOOTH_FROM: i128 = 400;
/// Where nothing is known of single shifts, from this one on: a fifth of ρ at most is added, which is what ρ alone would lose.
const SMOOTH_AT_LEAST: i128 = 24;
/// Above what 2^40 coordinates may differ from continuous noise together: 6ϑ each.
const SLACK: f64 = 1e-15;

/// One release of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum FixedRelease {
    /// Discrete Gaussian noise on integers.
    Gaussian {
        /// What it costs: half of Σ(shift²/variance).
        rho: Rho,
        /// The smallest σ² among its integers.
        variance_least: Rational,
        /// How far neighbours move which integers, where that is one pattern that dominates all others: only needed for
        /// small noise.
        shifts: Option<Vec<Shift>>,
    },
    /// Anything of which a pure ε is known.
    Pure {
        /// The loss that never fails.
        epsilon: Epsilon,
    },
    /// Choices of bounded range.
    BoundedRange {
        /// The range of one.
        eta: Epsilon,
        /// How many of them neighbours differ in.
        count: u64,
    },
    /// Something that happens with at most this probability, and then everything may be lost.
    Failure {
        /// How likely that is, at most.
        delta: Delta,
    },
}

/// Integers that move by as much, under noise of the same variance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// σ² of the discrete Gaussian.
    pub variance: Rational,
    /// How far each moves.
    pub by: u32,
    /// How many do.
    pub count: u64,
}

/// Releases that were fixed in advance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixedList {
    releases: Vec<FixedRelease>,
}

impl FixedList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a release.
    pub fn add(&mut self, release: FixedRelease) {
        self.releases.push(release);
    }

    /// Σρᵢ, each as small as it is known; none where the sum has none.
    pub fn rho(&self) -> Result<Rho, ParameterError> {
        let mut sum: Option<Rho> = None;
        for release in &self.releases {
            let Some(rho) = release.rho()? else { continue };
            sum = Some(match sum {
                None => rho,
                Some(sum) => sum.plus(&rho)?,
            });
        }
        sum.ok_or_else(|| Rho::new(Rational::zero()).expect_err("no release is free"))
    }

    /// Σδᵢ.
    pub fn delta(&self) -> Result<Delta, ParameterError> {
        let deltas = self.releases.iter().filter_map(|release| match release {
            FixedRelease::Failure { delta } => Some(delta),
            _ => None,
        });
        deltas.into_iter().try_fold(Delta::zero(), |sum, delta| sum.plus(delta))
    }

    /// Σεᵢ, where every release is pure.
    pub fn pure_epsilon(&self) -> Option<Epsilon> {
        let mut sum: Option<Epsilon> = None;
        for release in &self.releases {
            let epsilon = match release {
                FixedRelease::Pure { epsilon } => epsilon.clone(),
                FixedRelease::BoundedRange { eta, count } => {
                    Epsilon::new(eta.value() * &Rational::from(*count)).ok()?
                }
                _ => return None,
            };
            sum = Some(match sum {
                None => epsilon,
                Some(sum) => sum.plus(&epsilon).ok()?,
            });
        }
        sum
    }

    /// What a ledger takes for the list as one release.
    pub fn price(&self, currency: Currency) -> Option<Price> {
        match currency {
            Currency::Zcdp => Some(Price::zcdp(&self.rho().ok()?, &self.delta().ok()?)),
            Currency::Pure => Some(Price::pure(&self.pure_epsilon()?)),
        }
    }

    /// Everything that is proven of the list.
    pub fn loss(&self) -> Option<Loss> {
        let (rho, delta) = (self.rho().ok()?, self.delta().ok()?);
        let loss = if delta.is_zero() { Loss::zcdp(rho) } else { Loss::approximate_zcdp(rho, delta) };
        let pure = self.pure_epsilon().map(|epsilon| crate::Guarantee::Pure { epsilon });
        Some(match pure {
            Some(pure) => loss.and(pure),
            None => loss,
        })
    }

    /// The least ε at this δ that is known: from the privacy-loss distribution where every release has one, else from ρ.
    pub fn epsilon(&self, delta: &Delta) -> Result<EpsilonDelta, ParameterError> {
        let by_rho = || {
            let left = Delta::new(delta.value() - self.delta()?.value())?;
            let epsilon = zcdp_epsilon_upper(&self.rho()?, &left)?.epsilon;
            Ok(EpsilonDelta { epsilon, delta: delta.clone() })
        };
        let numeric =
            self.numeric_epsilon(delta).map(|epsilon| EpsilonDelta { epsilon, delta: delta.clone() });
        match (numeric, by_rho()) {
            (Some(numeric), Ok(by_rho)) if numeric.epsilon <= by_rho.epsilon => Ok(numeric),
            (Some(numeric), Err(_)) => Ok(numeric),
            (_, by_rho) => by_rho,
        }
    }

    /// The ε that holds for a group of this many units: they move integers that many times as far.
    pub fn group_epsilon(&self, size: u64, delta: &Delta) -> Result<EpsilonDelta, ParameterError> {
        let enlarged =
            self.releases.iter().map(|release| release.group(size)).collect::<Result<Vec<_>, _>>()?;
        Self { releases: enlarged }.epsilon(delta)
    }

    /// From distributions of the loss; none where some release has none, or δ is spent on failures.
    fn numeric_epsilon(&self, delta: &Delta) -> Option<Epsilon> {
        let left = delta.value() - self.delta().ok()?.value();
        let left = Delta::new(left * Rational::parse("0.999999999999999").ok()?)
            .ok()
            .filter(|left| !left.is_zero())?;
        let slack = Epsilon::from_f64(SLACK).ok()?;
        let found = match self.gaussian() {
            Some(gaussian) => gaussian.ok()?.epsilon_upper(&left).ok()?,
            None => {
                let mut accountant = Accountant::new();
                for release in &self.releases {
                    for (mechanism, count) in release.worst_pairs()? {
                        accountant.add(mechanism, count);
                    }
                }
                Epsilon::from_f64(accountant.epsilon(left.to_f64_lower()).ok()?.upper.max(1e-15)).ok()?
            }
        };
        found.plus(&slack).ok()
    }

    /// The one continuous Gaussian that it is counted as, where all of it is smooth Gaussian noise.
    fn gaussian(&self) -> Option<Result<GaussianDp, ParameterError>> {
        let mut sum = Rational::zero();
        for release in &self.releases {
            match release {
                FixedRelease::Failure { .. } => {}
                release => sum = sum + release.smooth_mu_squared()?,
            }
        }
        sum.is_positive().then(|| GaussianDp::from_mu_squared(sum.round_up_significant(200)))
    }
}

impl FixedRelease {
    fn rho(&self) -> Result<Option<Rho>, ParameterError> {
        Ok(match self {
            Self::Gaussian { rho, .. } => Some(rho.clone()),
            Self::Pure { epsilon } => Some(pure_rho_upper(epsilon)?),
            Self::BoundedRange { eta, count } => {
                let one = Rho::from_bounded_range(eta)?;
                Some(Rho::new(one.value() * &Rational::from(*count))?)
            }
            Self::Failure { .. } => None,
        })
    }

    /// μ² of the continuous Gaussian that a smooth discrete one is a post-processing of.
    fn smooth_mu_squared(&self) -> Option<Rational> {
        let Self::Gaussian { rho, variance_least, shifts } = self else { return None };
        let from = if shifts.is_some() { SMOOTH_FROM } else { SMOOTH_AT_LEAST };
        if *variance_least < Rational::from(from) {
            return None;
        }
        let rest = variance_least - &Rational::from(SMOOTHING);
        Some(rho.value() * &Rational::from(2) * variance_least.clone() / rest)
    }

    /// The worst pairs, with parameters rounded towards less privacy.
    fn worst_pairs(&self) -> Option<Vec<(Mechanism, u64)>> {
        if let Some(mu_squared) = self.smooth_mu_squared() {
            let noise_multiplier = 1.0 / mu_squared.to_f64_upper().sqrt() * (1.0 - 1e-15);
            return Some(vec![(Mechanism::Gaussian { noise_multiplier }, 1)]);
        }
        match self {
            Self::Gaussian { shifts, .. } => {
                let one = |shift: &Shift| {
                    let sigma = shift.variance.to_f64_lower().sqrt() * (1.0 - 1e-15);
                    (Mechanism::DiscreteGaussian { sigma, sensitivity: shift.by }, shift.count)
                };
                Some(shifts.as_ref()?.iter().map(one).collect())
            }
            Self::Pure { epsilon } => {
                Some(vec![(Mechanism::Approximate { epsilon: epsilon.to_f64_upper(), delta: 0.0 }, 1)])
            }
            Self::BoundedRange { eta, count } => {
                Some(vec![(Mechanism::BoundedRange { eta: eta.to_f64_upper() }, *count)])
            }
            Self::Failure { .. } => Some(Vec::new()),
        }
    }

    /// The same for a group of `size`: everything moves up to `size` times as far in L2, which costs size²·ρ. Which integers
    /// move, and how far each, is another pattern for every group, so nothing is listed point by point.
    fn group(&self, size: u64) -> Result<Self, ParameterError> {
        let times = Rational::from(size);
        let enlarged = |rho: &Rho| Rho::new(rho.value() * &times.squared());
        Ok(match self {
            Self::Gaussian { rho, variance_least, .. } => {
                Self::Gaussian { rho: enlarged(rho)?, variance_least: variance_least.clone(), shifts: None }
            }
            Self::Pure { epsilon } => Self::Pure { epsilon: Epsilon::new(epsilon.value() * &times)? },
            // Counted by ρ alone: no noise is smooth enough to be listed with a variance of zero.
            Self::BoundedRange { eta, count } => {
                let one = Rho::from_bounded_range(eta)?;
                let all = Rho::new(one.value() * &Rational::from(*count))?;
                Self::Gaussian { rho: enlarged(&all)?, variance_least: Rational::zero(), shifts: None }
            }
            // A group of k is k steps of one unit each; where a step may fail by e^ε more often than the last, no such sum
            // is known, and nothing is claimed.
            Self::Failure { delta } => {
                return Err(Delta::new(Rational::from(2) + delta.value().clone()).expect_err("above one"));
            }
        })
    }
}

#[cfg(test)]
mod tests;
