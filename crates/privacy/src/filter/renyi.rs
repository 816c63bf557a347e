//! The Rényi filter: divergences of one order, fixed in advance, added up.
//!
//! **Guarantee.** If each release has, given the answers before it, a Rényi divergence of order α of at
//! most τᵢ, then release n is admitted iff `Στᵢ ≤ τ_g`, release n included, and everything admitted has
//! together a divergence of order α of at most τ_g.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Feldman, Zrnic (2021), arXiv:2008.11193. Proof: `exp((α − 1)·Σ(Lᵢ − τᵢ))` is a
//! supermartingale; stop it.
//! **Exactness.** Exact rationals, see `account.rs`.
//! **Not covered.** Several orders at once; budgets of single persons, whose exhaustion would itself be
//! private.

use pointillist_numbers::Rational;

use super::account::Account;
use super::{Filter, Refusal};
use crate::ParameterError;
use crate::conversion::{Order, RenyiCurve};
use crate::guarantee::short;

/// A budget of Rényi divergence at one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenyiFilter {
    order: Order,
    divergence: Account,
}

impl RenyiFilter {
    /// A budget at this order, all of it unspent.
    ///
    /// # Errors
    /// When the budget is negative.
    pub fn new(order: Order, divergence: Rational) -> Result<Self, ParameterError> {
        RenyiCurve::point(order.clone(), divergence.clone())?;
        let divergence = Account::new(divergence);
        Ok(Self { order, divergence })
    }

    /// The order of the budget.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// What everything admitted satisfies together, to be converted to (ε, δ).
    pub fn guarantee(&self) -> RenyiCurve {
        RenyiCurve::point(self.order.clone(), self.divergence.budget().clone())
            .expect("a budget was checked not to be negative")
    }
}

impl Filter for RenyiFilter {
    type Cost = RenyiCurve;
    /// A divergence at the order of the budget.
    type Remaining = Rational;

    fn admits(&self, cost: &RenyiCurve) -> bool {
        cost.at(&self.order).is_some_and(|divergence| self.divergence.admits(divergence))
    }

    fn try_charge(&mut self, cost: &RenyiCurve) -> Result<(), Refusal> {
        let Some(divergence) = cost.at(&self.order) else {
            let order = self.order.to_string();
            return Err(Refusal::OrderUnknown { order });
        };
        if !self.divergence.admits(divergence) {
            return Err(Refusal::Exhausted {
                asked: format!("a divergence of {}", short(divergence)),
                remaining: self.divergence.remaining_text(),
            });
        }
        self.divergence.charge(divergence);
        Ok(())
    }

    fn remaining(&self) -> Rational {
        self.divergence.remaining()
    }

    fn how_many_more(&self, cost: &RenyiCurve) -> u64 {
        cost.at(&self.order).map_or(0, |divergence| self.divergence.how_many_more(divergence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delta, Rho};
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn order(text: &str) -> Order {
        Order::parse(text).unwrap()
    }

    #[test]
    fn divergences_add_up_to_the_budget() {
        let mut filter = RenyiFilter::new(order("8"), rational("1")).unwrap();
        let gaussian = RenyiCurve::zcdp(&Rho::parse("0.0125").unwrap(), &[order("4"), order("8")]).unwrap();
        assert_eq!(filter.how_many_more(&gaussian), 10);
        for _ in 0..10 {
            filter.try_charge(&gaussian).unwrap();
        }
        assert_eq!(filter.remaining(), Rational::zero());
        let message = filter.try_charge(&gaussian).unwrap_err().explanation().text();
        assert!(
            message.starts_with("this release costs a divergence of 0.1, but only 0 is left\nhint:"),
            "{message}"
        );
        let promise = filter.guarantee().epsilon_upper(&Delta::parse("1e-6").unwrap()).unwrap();
        assert_eq!(promise.order, *filter.order());
    }

    #[test]
    fn a_curve_without_the_order_is_refused() {
        let mut filter = RenyiFilter::new(order("8"), rational("1")).unwrap();
        let elsewhere = RenyiCurve::point(order("4"), rational("0.1")).unwrap();
        assert!(!filter.admits(&elsewhere));
        assert_eq!(filter.how_many_more(&elsewhere), 0);
        assert_eq!(
            filter.try_charge(&elsewhere).unwrap_err().explanation().text(),
            "this release has no bound at the Rényi order 8 of the budget\n\
             hint: evaluate the mechanism's curve at order 8 as well"
        );
        assert!(RenyiFilter::new(order("8"), rational("-1")).is_err());
    }
}
