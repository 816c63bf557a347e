//! The loss of one release, in every currency proven for it.
//!
//! A [`Guarantee`] is one claim; a [`Loss`] is all that is proven. It is exact: what a ledger takes for it is a
//! [`Price`](crate::Price), rounded up to whole units.
//!
//! **Guarantee.** Every query and every operation below returns something that follows from the guarantees
//! the loss was built of, for the same unit and the same neighbours.
//! **Rounding.** Towards a larger loss, as described at [`Epsilon`], [`Delta`] and [`Rho`].

use std::fmt;

use crate::{Delta, Epsilon, Guarantee, ParameterError, Rho};

/// What one release costs: at least one [`Guarantee`], all of them true.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    /// Never empty.
    guarantees: Vec<Guarantee>,
}

impl Loss {
    /// The loss of a release of which this much is proven.
    pub fn new(guarantee: Guarantee) -> Self {
        Self { guarantees: vec![guarantee.simplified()] }
    }

    /// Pure ε-differential privacy.
    pub fn pure(epsilon: Epsilon) -> Self {
        Self::new(Guarantee::Pure { epsilon })
    }

    /// η-bounded range, which is also pure ε = η and costs only `η²/8` of ρ.
    pub fn bounded_range(eta: Epsilon) -> Self {
        Self::new(Guarantee::BoundedRange { eta })
    }

    /// ρ-zCDP.
    pub fn zcdp(rho: Rho) -> Self {
        Self::new(Guarantee::ZeroConcentrated { rho })
    }

    /// (ε, δ)-differential privacy.
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Self {
        Self::new(Guarantee::Approximate { epsilon, delta })
    }

    /// δ-approximate ρ-zCDP.
    pub fn approximate_zcdp(rho: Rho, delta: Delta) -> Self {
        Self::new(Guarantee::ApproximateZeroConcentrated { rho, delta })
    }

    /// The same loss, of which something more is proven.
    pub fn and(mut self, guarantee: Guarantee) -> Self {
        let guarantee = guarantee.simplified();
        if !self.guarantees.contains(&guarantee) {
            self.guarantees.push(guarantee);
        }
        self
    }

    /// Everything proven, at least one guarantee.
    pub fn guarantees(&self) -> &[Guarantee] {
        &self.guarantees
    }

    /// The smallest pure ε.
    pub fn pure_epsilon(&self) -> Option<Epsilon> {
        self.guarantees.iter().filter_map(Guarantee::pure_epsilon).min().cloned()
    }

    /// The smallest ρ that never fails.
    pub fn rho(&self) -> Option<Rho> {
        self.guarantees.iter().filter_map(Guarantee::rho).min()
    }

    /// The (ρ, δ) a ledger charges: the smallest ρ with δ = 0 where there is one, otherwise the approximate
    /// zCDP with the smallest δ, otherwise what an (ε, δ) guarantee implies.
    ///
    /// (ε, δ) implies δ-approximate `ε²/2`-zCDP: the two output distributions agree, but for a part of weight
    /// δ each, with a pair that is ε-close (Bun and Steinke 2016, arXiv:1605.02065, section 8), and ε-close
    /// costs `ε²/2`.
    pub fn approximate_rho(&self) -> Option<(Rho, Delta)> {
        let never_failing = || self.rho().map(|rho| (rho, Delta::zero()));
        let stated = || {
            self.least_delta_first(|guarantee| match guarantee {
                Guarantee::ApproximateZeroConcentrated { rho, delta } => Some((rho.clone(), delta.clone())),
                _ => None,
            })
        };
        let implied = || {
            self.least_delta_first(|guarantee| match guarantee {
                Guarantee::Approximate { epsilon, delta } => {
                    Some((Rho::from_pure(epsilon).ok()?, delta.clone()))
                }
                _ => None,
            })
        };
        never_failing().or_else(stated).or_else(implied)
    }

    /// An (ε, δ): the smallest pure ε with δ = 0 where there is one, otherwise the stated pair with the
    /// smallest δ. Converting from zCDP needs a δ of somebody's choice and is left to the accountants.
    pub fn approximate_epsilon(&self) -> Option<(Epsilon, Delta)> {
        let never_failing = || self.pure_epsilon().map(|epsilon| (epsilon, Delta::zero()));
        let stated = || {
            self.least_delta_first(|guarantee| match guarantee {
                Guarantee::Approximate { epsilon, delta } => Some((epsilon.clone(), delta.clone())),
                _ => None,
            })
        };
        never_failing().or_else(stated)
    }

    /// The loss of two releases, the second chosen after the first was seen: whatever both have in common,
    /// added.
    ///
    /// Pure ε add up, ρ add up; where one of the two is only approximate, (ε, δ) add up in both numbers, and
    /// so do (ρ, δ). Bounded range is not kept: the second release's log-ratio may lie in a different
    /// interval after each first answer, so ranges chosen adaptively do not add up; it composes as pure and
    /// as zCDP. Sums past the range of their type are left out; `None` when nothing remains.
    pub fn then(&self, next: &Loss) -> Option<Loss> {
        let pure = self.pure_epsilon().zip(next.pure_epsilon());
        let pure = pure.and_then(|(a, b)| Some(Guarantee::Pure { epsilon: a.plus(&b).ok()? }));

        let concentrated = self.rho().zip(next.rho());
        let concentrated =
            concentrated.and_then(|(a, b)| Some(Guarantee::ZeroConcentrated { rho: a.plus(&b).ok()? }));

        let approximate = self.approximate_epsilon().zip(next.approximate_epsilon());
        let approximate = approximate.and_then(|((epsilon, delta), (epsilon_next, delta_next))| {
            let (epsilon, delta) = (epsilon.plus(&epsilon_next).ok()?, delta.plus(&delta_next).ok()?);
            Some(Guarantee::Approximate { epsilon, delta })
        });

        let approximate_concentrated = self.approximate_rho().zip(next.approximate_rho());
        let approximate_concentrated =
            approximate_concentrated.and_then(|((rho, delta), (rho_next, delta_next))| {
                let (rho, delta) = (rho.plus(&rho_next).ok()?, delta.plus(&delta_next).ok()?);
                Some(Guarantee::ApproximateZeroConcentrated { rho, delta })
            });

        // Where both are pure, the approximate sum has δ = 0 and `and` recognises the pure sum in it.
        Self::of([pure, concentrated, approximate, approximate_concentrated].into_iter().flatten())
    }

    /// The loss as a group of `size` units sees it; what each guarantee becomes is said and proven in this
    /// crate's `group.rs`. Guarantees that say nothing about the group are left out.
    ///
    /// # Errors
    /// When nothing remains: the group is too large for δ or for the range of ε and ρ, or only approximate
    /// zCDP was known. The error is that of the first guarantee.
    pub fn group(&self, size: u64) -> Result<Loss, ParameterError> {
        let mut kept = Vec::new();
        let mut refusal = ParameterError::EmptyGroup;
        for guarantee in self.guarantees.iter().rev() {
            match guarantee.group(size) {
                Ok(guarantee) => kept.push(guarantee),
                Err(error) => refusal = error,
            }
        }
        Self::of(kept.into_iter().rev()).ok_or(refusal)
    }

    /// An add/remove loss, read for neighbours that replace one unit: the loss of a group of two, because a
    /// replacement is a removal and an addition.
    pub fn replace_one(&self) -> Result<Loss, ParameterError> {
        self.group(2)
    }

    fn of(guarantees: impl IntoIterator<Item = Guarantee>) -> Option<Self> {
        let mut guarantees = guarantees.into_iter();
        let first = Self::new(guarantees.next()?);
        Some(guarantees.fold(first, Self::and))
    }

    fn least_delta_first<T: Ord>(
        &self,
        select: impl Fn(&Guarantee) -> Option<(T, Delta)>,
    ) -> Option<(T, Delta)> {
        let pairs = self.guarantees.iter().filter_map(select);
        pairs.min_by(|(loss, delta), (loss_other, delta_other)| (delta, loss).cmp(&(delta_other, loss_other)))
    }
}

/// Every guarantee in words, separated by "and".
impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, guarantee) in self.guarantees.iter().enumerate() {
            let separator = if index == 0 { "" } else { " and " };
            write!(out, "{separator}{guarantee}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    #[test]
    fn a_pure_loss_is_known_in_every_currency() {
        let loss = Loss::pure(epsilon("0.5"));
        assert_eq!(loss.pure_epsilon(), Some(epsilon("0.5")));
        assert_eq!(loss.rho(), Some(rho("0.125")));
        assert_eq!(loss.approximate_rho(), Some((rho("0.125"), Delta::zero())));
        assert_eq!(loss.approximate_epsilon(), Some((epsilon("0.5"), Delta::zero())));
    }

    /// The ρ of noisy max by permute-and-flip is ε²/2; only bounded range earns ε²/8 (opendp#2911).
    #[test]
    fn only_bounded_range_earns_the_smaller_rho() {
        let range = Loss::bounded_range(epsilon("1"));
        assert_eq!((range.pure_epsilon(), range.rho()), (Some(epsilon("1")), Some(rho("0.125"))));
        assert_eq!(Loss::pure(epsilon("1")).rho(), Some(rho("0.5")));
    }

    #[test]
    fn the_smallest_proven_loss_counts() {
        let loss = Loss::pure(epsilon("1")).and(Guarantee::ZeroConcentrated { rho: rho("0.3") });
        assert_eq!(loss.rho(), Some(rho("0.3")));
        let loss = loss.and(Guarantee::BoundedRange { eta: epsilon("1.2") });
        assert_eq!((loss.pure_epsilon(), loss.rho()), (Some(epsilon("1")), Some(rho("0.18"))));
        assert_eq!(loss.guarantees().len(), 3);
    }

    #[test]
    fn an_approximate_loss_has_no_exact_rho() {
        let loss = Loss::approximate(epsilon("1"), delta("1e-6"));
        assert_eq!((loss.pure_epsilon(), loss.rho()), (None, None));
        assert_eq!(loss.approximate_rho(), Some((rho("0.5"), delta("1e-6"))));
        let better =
            loss.and(Guarantee::ApproximateZeroConcentrated { rho: rho("0.1"), delta: delta("1e-5") });
        assert_eq!(better.approximate_rho(), Some((rho("0.1"), delta("1e-5"))));
        assert_eq!(better.approximate_epsilon(), Some((epsilon("1"), delta("1e-6"))));
        let exact = better.and(Guarantee::ZeroConcentrated { rho: rho("3") });
        assert_eq!(exact.approximate_rho(), Some((rho("3"), Delta::zero())));
    }

    #[test]
    fn the_smallest_delta_is_preferred_then_the_smallest_loss() {
        let pair = |e: &str, d: &str| Guarantee::Approximate { epsilon: epsilon(e), delta: delta(d) };
        let loss = Loss::new(pair("1", "1e-5")).and(pair("3", "1e-9")).and(pair("2", "1e-9"));
        assert_eq!(loss.approximate_epsilon(), Some((epsilon("2"), delta("1e-9"))));
    }

    #[test]
    fn a_delta_of_zero_is_no_approximation() {
        assert_eq!(Loss::approximate(epsilon("1"), Delta::zero()), Loss::pure(epsilon("1")));
        assert_eq!(Loss::approximate_zcdp(rho("1"), Delta::zero()), Loss::zcdp(rho("1")));
    }

    #[test]
    fn a_rho_past_its_range_is_not_claimed() {
        let loss = Loss::pure(epsilon("100000"));
        assert_eq!(loss.rho(), None);
        assert_eq!(loss.pure_epsilon(), Some(epsilon("100000")));
    }

    #[test]
    fn losses_of_one_kind_add_up_exactly() {
        let tenth = Loss::pure(epsilon("0.1"));
        let mut total = tenth.clone();
        for _ in 0..9 {
            total = total.then(&tenth).unwrap();
        }
        assert_eq!(total.pure_epsilon(), Some(epsilon("1")));
        assert_eq!(total.rho(), Some(rho("0.05")), "ten times 0.1²/2, far less than 1²/2");
        assert_eq!(total.guarantees().len(), 2);
    }

    #[test]
    fn mixtures_compose_in_what_they_share() {
        let laplace = Loss::pure(epsilon("0.5"));
        let gaussian = Loss::zcdp(rho("0.1"));
        let threshold = Loss::approximate(epsilon("1"), delta("1e-6"));

        let both = laplace.then(&gaussian).unwrap();
        assert_eq!(both, Loss::zcdp(rho("0.225")));

        let both = laplace.then(&threshold).unwrap();
        assert_eq!(both.approximate_epsilon(), Some((epsilon("1.5"), delta("1e-6"))));
        assert_eq!(both.approximate_rho(), Some((rho("0.625"), delta("1e-6"))));
        assert_eq!((both.pure_epsilon(), both.rho()), (None, None));

        let both = gaussian.then(&threshold).unwrap();
        assert_eq!(both, Loss::approximate_zcdp(rho("0.6"), delta("1e-6")));
    }

    #[test]
    fn bounded_range_composes_as_pure_and_as_zcdp() {
        let range = Loss::bounded_range(epsilon("1"));
        let twice = range.then(&range).unwrap();
        assert_eq!((twice.pure_epsilon(), twice.rho()), (Some(epsilon("2")), Some(rho("0.25"))));
        assert!(!twice.guarantees().iter().any(|g| matches!(g, Guarantee::BoundedRange { .. })));
    }

    /// Sums of the frozen reference values `comp-basic-*`.
    #[test]
    fn basic_composition_matches_the_reference() {
        let sum = |pairs: &[(&str, &str)]| {
            let losses = pairs.iter().map(|(e, d)| Loss::approximate(epsilon(e), delta(d)));
            losses.reduce(|a, b| a.then(&b).unwrap()).unwrap().approximate_epsilon().unwrap()
        };
        assert_eq!(sum(&[("0.1", "0"); 5]), (epsilon("0.5"), Delta::zero()));
        assert_eq!(
            sum(&[("0.5", "1e-6"), ("0.25", "1e-7"), ("1", "0")]),
            (epsilon("1.75"), delta("0.0000011"))
        );
        assert_eq!(sum(&[("1e-6", "1e-15"); 3]), (epsilon("0.000003"), delta("3e-15")));
        assert_eq!(sum(&[("50", "1e-5"), ("0.001", "0")]), (epsilon("50.001"), delta("0.00001")));
    }

    #[test]
    fn composition_past_every_range_says_nothing() {
        let vacuous = Loss::approximate(epsilon("1"), delta("0.6"));
        assert_eq!(vacuous.then(&vacuous), None);
        let huge = Loss::pure(epsilon("900000"));
        assert_eq!(huge.then(&huge), None);
    }

    #[test]
    fn losses_read_like_sentences() {
        let loss = Loss::bounded_range(epsilon("1")).and(Guarantee::ZeroConcentrated { rho: rho("0.125") });
        assert_eq!(loss.to_string(), "η = 1 (bounded range, pure) and ρ = 0.125 (zCDP)");
    }
}
