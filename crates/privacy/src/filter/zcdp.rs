//! The approximate-zCDP filter: two sums of whole numbers. This is the rule a ledger enforces.
//!
//! **Guarantee.** If each release is, given the answers before it, δᵢ-approximate ρᵢ-zCDP, then release n
//! is admitted iff `Σρᵢ ≤ ρ_g` and `Σδᵢ ≤ δ_g`, release n included, and everything admitted is together
//! δ_g-approximate ρ_g-zCDP.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Whitehouse, Ramdas, Rogers, Wu (2023), arXiv:2203.05481. Proof where no release fails: for
//! every order α, given the past, `E[exp((α − 1)(Lₙ − αρₙ))] ≤ 1`, so the product over the releases has
//! mean at most one at any stopping time; as `Σρᵢ ≤ ρ_g` there, the divergence of order α is at most
//! `αρ_g`.
//! **Exactness.** Integers only. One unit is `10^-24` of ρ or of δ, so that decimals are whole numbers of units and a
//! budget of 1 admits 0.1 ten times; any other cost is rounded up to whole units, and a budget is rounded down. Sums that
//! would overflow are refused.

use pointillist_numbers::{decimal_lower, decimal_upper};

use super::{Filter, Refusal};
use crate::conversion::zcdp_rho_lower;
use crate::parameter::{units_lower, value_of_units};
use crate::{Delta, Epsilon, Guarantee, Loss, ParameterError, Rho};

const DIGITS: usize = 6;

/// The cost of one release, in whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZcdpCost {
    rho_units: u128,
    delta_units: u128,
}

impl ZcdpCost {
    /// The cost of a δ-approximate ρ-zCDP release, rounded up.
    pub fn new(rho: &Rho, delta: &Delta) -> Self {
        Self { rho_units: rho.units_upper(), delta_units: delta.units_upper() }
    }

    /// The cost of a release of which this much is proven; `None` where nothing proven implies approximate
    /// zCDP in range.
    pub fn from_loss(loss: &Loss) -> Option<Self> {
        let (rho, delta) = loss.approximate_rho()?;
        Some(Self::new(&rho, &delta))
    }

    /// A recorded cost. `None` for a ρ of zero units: no release is free.
    pub fn from_units(rho_units: u128, delta_units: u128) -> Option<Self> {
        (rho_units > 0).then_some(Self { rho_units, delta_units })
    }

    /// Units of ρ, at least one.
    pub fn rho_units(&self) -> u128 {
        self.rho_units
    }

    /// Units of δ.
    pub fn delta_units(&self) -> u128 {
        self.delta_units
    }
}

/// A budget in (ρ, δ), in whole units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZcdpFilter {
    rho: Units,
    delta: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Units {
    budget: u128,
    spent: u128,
}

impl ZcdpFilter {
    /// A budget of (ρ, δ), rounded down to whole units, all of it unspent.
    pub fn new(rho: &Rho, delta: &Delta) -> Self {
        Self {
            rho: Units::unspent(units_lower(rho.value())),
            delta: Units::unspent(units_lower(delta.value())),
        }
    }

    /// The largest budget of ρ that keeps everything admitted (ε,
    /// `delta_conversion + delta_failures`)-differentially private.
    ///
    /// # Errors When `delta_conversion` is zero, or the budget is below one unit.
    pub fn within(
        epsilon: &Epsilon,
        delta_conversion: &Delta,
        delta_failures: &Delta,
    ) -> Result<Self, ParameterError> {
        let rho = zcdp_rho_lower(epsilon, delta_conversion)?;
        Ok(Self::new(&rho, delta_failures))
    }

    /// A filter as it was left, from recorded units. What was spent counts, even past the budget.
    pub fn resumed(budget: [u128; 2], spent: [u128; 2]) -> Self {
        let [rho, delta] = [0, 1].map(|index| Units { budget: budget[index], spent: spent[index] });
        Self { rho, delta }
    }

    /// Units of ρ and of δ in the budget.
    pub fn budget_units(&self) -> [u128; 2] {
        [self.rho.budget, self.delta.budget]
    }

    /// Units of ρ and of δ spent.
    pub fn spent_units(&self) -> [u128; 2] {
        [self.rho.spent, self.delta.spent]
    }

    /// Units of ρ and of δ left.
    pub fn remaining_units(&self) -> [u128; 2] {
        [self.rho.remaining(), self.delta.remaining()]
    }

    /// What everything admitted satisfies together; `None` for a recorded budget outside the range of a
    /// guarantee.
    pub fn guarantee(&self) -> Option<Guarantee> {
        let rho = Rho::new(value_of_units(self.rho.budget)).ok()?;
        let delta = Delta::new(value_of_units(self.delta.budget)).ok()?;
        Some(Guarantee::ApproximateZeroConcentrated { rho, delta }.simplified())
    }
}

impl Filter for ZcdpFilter {
    type Cost = ZcdpCost;
    /// No ρ where nothing is left; in units, see [`ZcdpFilter::remaining_units`].
    type Remaining = (Option<Rho>, Delta);

    fn admits(&self, cost: &ZcdpCost) -> bool {
        self.rho.with(cost.rho_units).is_some() && self.delta.with(cost.delta_units).is_some()
    }

    fn try_charge(&mut self, cost: &ZcdpCost) -> Result<(), Refusal> {
        match (self.rho.with(cost.rho_units), self.delta.with(cost.delta_units)) {
            (Some(rho), Some(delta)) => {
                self.rho.spent = rho;
                self.delta.spent = delta;
                Ok(())
            }
            _ => {
                let asked = [cost.rho_units, cost.delta_units]
                    .map(|units| decimal_upper(&value_of_units(units), DIGITS));
                let left = self.remaining_units().map(|units| decimal_lower(&value_of_units(units), DIGITS));
                let text = |[rho, delta]: [String; 2]| format!("ρ = {rho} and δ = {delta}");
                Err(Refusal::Exhausted { asked: text(asked), remaining: text(left) })
            }
        }
    }

    fn remaining(&self) -> Self::Remaining {
        let rho = Rho::new(value_of_units(self.rho.remaining())).ok();
        let delta = Delta::new(value_of_units(self.delta.remaining())).unwrap_or_else(|_| Delta::zero());
        (rho, delta)
    }

    fn how_many_more(&self, cost: &ZcdpCost) -> u64 {
        let fits = |units: &Units, each: u128| match each {
            _ if units.spent > units.budget => 0,
            0 => u64::MAX,
            each => u64::try_from(units.remaining() / each).unwrap_or(u64::MAX),
        };
        fits(&self.rho, cost.rho_units).min(fits(&self.delta, cost.delta_units))
    }
}

impl Units {
    fn unspent(budget: u128) -> Self {
        Self { budget, spent: 0 }
    }

    fn remaining(&self) -> u128 {
        self.budget.saturating_sub(self.spent)
    }

    /// What would be spent with this much more, if that is within the budget.
    fn with(&self, more: u128) -> Option<u128> {
        self.spent.checked_add(more).filter(|total| *total <= self.budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    /// One half in units of 10^-24.
    const HALF: u128 = 5 * 10u128.pow(23);

    fn cost(r: &str, d: &str) -> ZcdpCost {
        ZcdpCost::new(&rho(r), &delta(d))
    }

    #[test]
    fn both_sums_must_stay_within_the_budget() {
        let mut filter = ZcdpFilter::new(&rho("0.5"), &delta("1e-6"));
        filter.try_charge(&cost("0.25", "0")).unwrap();
        assert!(!filter.admits(&cost("0.125", "2e-6")));
        assert!(!filter.admits(&cost("0.3", "0")));
        filter.try_charge(&cost("0.125", "9e-7")).unwrap();
        assert_eq!(filter.how_many_more(&cost("0.01", "1e-8")), 10, "δ ends first");
        filter.try_charge(&cost("0.125", "0")).unwrap();
        assert_eq!(filter.remaining().0, None);
        let message = filter.try_charge(&cost("0.005", "1e-9")).unwrap_err().to_string();
        assert!(message.starts_with("this release costs ρ = 0.005"), "{message}");
        assert!(message.contains("only ρ = 0 and δ = ") && message.contains("\nhint: "), "{message}");
    }

    #[test]
    fn a_refused_charge_changes_nothing() {
        let mut filter = ZcdpFilter::new(&rho("1"), &delta("1e-6"));
        let before = filter.clone();
        assert!(filter.try_charge(&cost("2", "0")).is_err());
        assert!(filter.try_charge(&cost("0.5", "1e-5")).is_err(), "ρ fits, δ does not");
        assert_eq!(filter, before);
    }

    /// 10⁶ charges of the smallest ρ are 10⁶ times its units; the next one past the budget is refused.
    #[test]
    fn tiny_charges_are_never_lost() {
        let least = ZcdpCost::new(&Rho::least(), &Delta::zero());
        // ⌈10^24 / 2^64⌉.
        assert_eq!((least.rho_units(), least.delta_units()), (54_211, 0));
        let mut filter = ZcdpFilter::resumed([54_211 * 1_000_000, 0], [0, 0]);
        for _ in 0..1_000_000 {
            filter.try_charge(&least).unwrap();
        }
        assert_eq!(filter.spent_units(), [54_211 * 1_000_000, 0]);
        assert!(filter.try_charge(&least).is_err());
    }

    /// Decimals are exact: a tenth fits ten times into one. Other costs go up and budgets down: a third fits twice.
    #[test]
    fn costs_round_up_and_budgets_down() {
        let filter = ZcdpFilter::new(&rho("1"), &Delta::zero());
        assert_eq!(filter.how_many_more(&cost("0.1", "0")), 10);
        assert_eq!(filter.how_many_more(&cost("1/3", "0")), 2);
        assert_eq!(filter.how_many_more(&cost("0.125", "0")), 8);
        let third = ZcdpFilter::new(&rho("1/3"), &delta("1/3"));
        assert!(!third.admits(&cost("1/3", "0")));
        let Some(Guarantee::ApproximateZeroConcentrated { rho: promised, .. }) = third.guarantee() else {
            panic!("a budget of (1/3, 1/3) is in range");
        };
        assert!(promised < rho("1/3"));
    }

    #[test]
    fn sums_that_overflow_are_refused() {
        let mut filter = ZcdpFilter::resumed([u128::MAX, u128::MAX], [u128::MAX - 1, 0]);
        assert!(filter.try_charge(&cost("1", "0")).is_err());
        assert!(filter.admits(&ZcdpCost::from_units(1, u128::MAX).unwrap()));
        assert_eq!(filter.guarantee(), None);
        assert_eq!(ZcdpCost::from_units(0, 5), None);
        let overdrawn = ZcdpFilter::resumed([5, 5], [6, 0]);
        assert!(!overdrawn.admits(&ZcdpCost::from_units(1, 0).unwrap()));
        assert_eq!(overdrawn.remaining_units(), [0, 5]);
        assert_eq!(overdrawn.how_many_more(&ZcdpCost::from_units(1, 0).unwrap()), 0);
    }

    #[test]
    fn losses_are_charged_in_what_is_proven_of_them() {
        let epsilon = |text| Epsilon::parse(text).unwrap();
        let pure = ZcdpCost::from_loss(&Loss::pure(epsilon("1"))).unwrap();
        assert_eq!((pure.rho_units(), pure.delta_units()), (HALF, 0));
        let range = ZcdpCost::from_loss(&Loss::bounded_range(epsilon("1"))).unwrap();
        assert_eq!(range.rho_units(), HALF / 4);
        let approximate = ZcdpCost::from_loss(&Loss::approximate(epsilon("1"), delta("0.5"))).unwrap();
        assert_eq!((approximate.rho_units(), approximate.delta_units()), (HALF, HALF));
        assert_eq!(ZcdpCost::from_loss(&Loss::pure(epsilon("1e6"))), None);
    }
}
