//! The filter of a budget: two sums of whole numbers. This is the rule a ledger enforces.
//!
//! **Guarantee.** In [`Currency::Zcdp`]: if each release is, given the answers before it, δᵢ-approximate ρᵢ-zCDP, then
//! release n is admitted iff `Σρᵢ ≤ ρ_g` and `Σδᵢ ≤ δ_g`, release n included, and everything admitted is together
//! δ_g-approximate ρ_g-zCDP. In [`Currency::Pure`]: the same two sums, over ε and δ; everything admitted is together
//! (ε_g, δ_g)-differentially private. A price in another currency is never admitted.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** zCDP: Whitehouse, Ramdas, Rogers, Wu (2023), arXiv:2203.05481. Proof where no release fails: for
//! every order α, given the past, `E[exp((α − 1)(Lₙ − αρₙ))] ≤ 1`, so the product over the releases has
//! mean at most one at any stopping time; as `Σρᵢ ≤ ρ_g` there, the divergence of order α is at most
//! `αρ_g`. Pure: the basic filter of Rogers, Roth, Ullman, Vadhan (2016), arXiv:1605.08294: adaptively chosen losses are
//! within (Σε, Σδ).
//! **Exactness.** Integers only. One unit is `10^-24` of the loss or of δ, so that decimals are whole numbers of units and
//! a budget of 1 admits 0.1 ten times; any other price is rounded up to whole units, and a budget is rounded down. Sums
//! that would overflow are refused.

use pointillist_numbers::{decimal_lower, decimal_upper};

use super::{Filter, Refusal};
use crate::conversion::zcdp_rho_lower;
use crate::{Amount, Budget, Currency, Delta, Epsilon, Guarantee, ParameterError, Price, Rho};

const DIGITS: usize = 6;

/// A budget and what was spent of it, in whole units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetFilter {
    budget: Budget,
    spent: Amount,
}

impl BudgetFilter {
    /// A budget, all of it unspent.
    pub fn new(budget: Budget) -> Self {
        Self::resumed(budget, Amount::ZERO)
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
        Ok(Self::new(Budget::zcdp(&rho, delta_failures)))
    }

    /// A filter as it was left, from recorded units. What was spent counts, even past the budget.
    pub fn resumed(budget: Budget, spent: Amount) -> Self {
        Self { budget, spent }
    }

    /// What may be spent in all.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// What is spent.
    pub fn spent(&self) -> Amount {
        self.spent
    }

    /// What everything admitted satisfies together; `None` for a recorded budget outside the range of a
    /// guarantee.
    pub fn guarantee(&self) -> Option<Guarantee> {
        let Budget { currency, amount } = self.budget;
        let delta = Delta::new(amount.delta()).ok()?;
        let guarantee = match currency {
            Currency::Zcdp => {
                Guarantee::ApproximateZeroConcentrated { rho: Rho::new(amount.loss()).ok()?, delta }
            }
            Currency::Pure => Guarantee::Approximate { epsilon: Epsilon::new(amount.loss()).ok()?, delta },
        };
        Some(guarantee.simplified())
    }

    /// What would be spent with this price, if that is within the budget.
    fn with(&self, price: &Price) -> Option<Amount> {
        let Amount { loss_units, delta_units } = price.amount();
        let total = Amount {
            loss_units: self.spent.loss_units.checked_add(loss_units)?,
            delta_units: self.spent.delta_units.checked_add(delta_units)?,
        };
        (price.currency() == self.budget.currency && total.is_within(self.budget.amount)).then_some(total)
    }
}

impl Filter for BudgetFilter {
    type Cost = Price;
    type Remaining = Amount;

    fn admits(&self, price: &Price) -> bool {
        self.with(price).is_some()
    }

    fn try_charge(&mut self, price: &Price) -> Result<(), Refusal> {
        if let Some(total) = self.with(price) {
            self.spent = total;
            return Ok(());
        }
        let text = |currency: Currency, amount: Amount, decimal: fn(&_, _) -> String| {
            let [loss, delta] = [amount.loss(), amount.delta()].map(|value| decimal(&value, DIGITS));
            format!("{} = {loss} and δ = {delta}", currency.symbol())
        };
        Err(Refusal::Exhausted {
            asked: text(price.currency(), price.amount(), decimal_upper),
            remaining: text(self.budget.currency, self.remaining(), decimal_lower),
        })
    }

    fn remaining(&self) -> Amount {
        self.budget.amount.minus(self.spent)
    }

    fn how_many_more(&self, price: &Price) -> u64 {
        if price.currency() != self.budget.currency {
            return 0;
        }
        let fits = |budget: u128, spent: u128, each: u128| match each {
            _ if spent > budget => 0,
            0 => u64::MAX,
            each => u64::try_from((budget - spent) / each).unwrap_or(u64::MAX),
        };
        let (budget, spent, price) = (self.budget.amount, self.spent, price.amount());
        fits(budget.loss_units, spent.loss_units, price.loss_units).min(fits(
            budget.delta_units,
            spent.delta_units,
            price.delta_units,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn budget(r: &str, d: &str) -> BudgetFilter {
        BudgetFilter::new(Budget::zcdp(&rho(r), &delta(d)))
    }

    fn cost(r: &str, d: &str) -> Price {
        Price::zcdp(&rho(r), &delta(d))
    }

    /// A filter of these units, of which these are spent.
    fn resumed([loss_units, delta_units]: [u128; 2], spent: [u128; 2]) -> BudgetFilter {
        let budget = Budget { currency: Currency::Zcdp, amount: Amount { loss_units, delta_units } };
        BudgetFilter::resumed(budget, Amount { loss_units: spent[0], delta_units: spent[1] })
    }

    fn units(loss_units: u128, delta_units: u128) -> Option<Price> {
        Price::from_units(Currency::Zcdp, Amount { loss_units, delta_units })
    }

    #[test]
    fn both_sums_must_stay_within_the_budget() {
        let mut filter = budget("0.5", "1e-6");
        filter.try_charge(&cost("0.25", "0")).unwrap();
        assert!(!filter.admits(&cost("0.125", "2e-6")));
        assert!(!filter.admits(&cost("0.3", "0")));
        filter.try_charge(&cost("0.125", "9e-7")).unwrap();
        assert_eq!(filter.how_many_more(&cost("0.01", "1e-8")), 10, "δ ends first");
        filter.try_charge(&cost("0.125", "0")).unwrap();
        assert_eq!(filter.remaining().loss_units, 0);
        let message = filter.try_charge(&cost("0.005", "1e-9")).unwrap_err().explanation().text();
        assert!(message.starts_with("this release costs ρ = 0.005"), "{message}");
        assert!(message.contains("only ρ = 0 and δ = ") && message.contains("\nhint: "), "{message}");
    }

    #[test]
    fn a_refused_charge_changes_nothing() {
        let mut filter = budget("1", "1e-6");
        let before = filter.clone();
        assert!(filter.try_charge(&cost("2", "0")).is_err());
        assert!(filter.try_charge(&cost("0.5", "1e-5")).is_err(), "ρ fits, δ does not");
        assert_eq!(filter, before);
    }

    /// 10⁶ charges of the smallest ρ are 10⁶ times its units; the next one past the budget is refused.
    #[test]
    fn tiny_charges_are_never_lost() {
        let least = Price::zcdp(&Rho::least(), &Delta::zero());
        // ⌈10^24 / 2^64⌉.
        assert_eq!(Some(least), units(54_211, 0));
        let mut filter = resumed([54_211 * 1_000_000, 0], [0, 0]);
        for _ in 0..1_000_000 {
            filter.try_charge(&least).unwrap();
        }
        assert_eq!(filter.spent(), Amount { loss_units: 54_211 * 1_000_000, delta_units: 0 });
        assert!(filter.try_charge(&least).is_err());
    }

    /// Decimals are exact: a tenth fits ten times into one. Other costs go up and budgets down: a third fits twice.
    #[test]
    fn costs_round_up_and_budgets_down() {
        let filter = budget("1", "0");
        assert_eq!(filter.how_many_more(&cost("0.1", "0")), 10);
        assert_eq!(filter.how_many_more(&cost("1/3", "0")), 2);
        assert_eq!(filter.how_many_more(&cost("0.125", "0")), 8);
        let third = budget("1/3", "1/3");
        assert!(!third.admits(&cost("1/3", "0")));
        let Some(Guarantee::ApproximateZeroConcentrated { rho: promised, .. }) = third.guarantee() else {
            panic!("a budget of (1/3, 1/3) is in range");
        };
        assert!(promised < rho("1/3"));
    }

    #[test]
    fn sums_that_overflow_are_refused() {
        let mut filter = resumed([u128::MAX, u128::MAX], [u128::MAX - 1, 0]);
        assert!(filter.try_charge(&cost("1", "0")).is_err());
        assert!(filter.admits(&units(1, u128::MAX).unwrap()));
        assert_eq!(filter.guarantee(), None);
        assert_eq!(units(0, 5), None);
        let overdrawn = resumed([5, 5], [6, 0]);
        assert!(!overdrawn.admits(&units(1, 0).unwrap()));
        assert_eq!(overdrawn.remaining(), Amount { loss_units: 0, delta_units: 5 });
        assert_eq!(overdrawn.how_many_more(&units(1, 0).unwrap()), 0);
    }

    /// Specification: a filter of ε promises ε, and counts nothing that is not ε; nor does a filter of ρ count ε.
    #[test]
    fn a_price_in_another_currency_is_never_admitted() {
        let epsilon = |text: &str| Epsilon::parse(text).unwrap();
        let mut pure = BudgetFilter::new(Budget::pure(&epsilon("1")));
        assert_eq!(pure.guarantee(), Some(Guarantee::Pure { epsilon: epsilon("1") }));
        assert!(pure.admits(&Price::pure(&epsilon("1"))));
        assert!(!pure.admits(&cost("0.1", "0")));
        assert_eq!(pure.how_many_more(&cost("0.1", "0")), 0);
        assert!(pure.try_charge(&cost("0.1", "0")).is_err());
        assert!(!budget("1", "0").admits(&Price::pure(&epsilon("0.1"))));
        for _ in 0..10 {
            pure.try_charge(&Price::pure(&epsilon("0.1"))).unwrap();
        }
        let message = pure.try_charge(&Price::pure(&epsilon("0.1"))).unwrap_err().to_string();
        assert!(message.starts_with("this release costs ε = 0.1 and δ = 0, but only ε = 0"), "{message}");
    }
}
