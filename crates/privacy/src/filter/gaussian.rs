//! The Gaussian filter: squares of μ, added up.
//!
//! **Guarantee.** If each release is, given the answers before it, μᵢ-GDP, then release n is admitted iff
//! `Σμᵢ² ≤ μ_g²`, release n included, and everything admitted is together μ_g-GDP.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Smith, Thakurta (2022), arXiv:2210.17520; Koskela, Tobaben, Honkela (2022),
//! arXiv:2209.15596. Proof: a μ-GDP release can be made from one draw of `N(bμ, 1)`, `b` the secret bit, and
//! so from what a Brownian motion with drift `b` does in a time of `μ²`. Give each release its own stretch of
//! one and the same motion, one after the other: how long the next stretch is depends on the past only.
//! While `Σμᵢ² ≤ μ_g²`, everything is made from the motion up to time `μ_g²`, about whose drift its end says
//! all there is to say, and the end is `N(bμ_g², μ_g²)`.
//! **Exactness.** Exact rationals, see `account.rs`.

use super::account::Account;
use super::{Filter, Refusal};
use crate::conversion::GaussianDp;
use crate::guarantee::short;

/// A budget of μ-GDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaussianFilter {
    promise: GaussianDp,
    squares: Account,
}

impl GaussianFilter {
    /// A budget, all of it unspent.
    pub fn new(budget: GaussianDp) -> Self {
        Self { squares: Account::new(budget.mu_squared().clone()), promise: budget }
    }

    /// What everything admitted satisfies together.
    pub fn guarantee(&self) -> &GaussianDp {
        &self.promise
    }
}

impl Filter for GaussianFilter {
    type Cost = GaussianDp;
    /// None where nothing is left.
    type Remaining = Option<GaussianDp>;

    fn admits(&self, cost: &GaussianDp) -> bool {
        self.squares.admits(cost.mu_squared())
    }

    fn try_charge(&mut self, cost: &GaussianDp) -> Result<(), Refusal> {
        if !self.admits(cost) {
            return Err(Refusal::Exhausted {
                asked: format!("μ² = {}", short(cost.mu_squared())),
                remaining: format!("μ² = {}", self.squares.remaining_text()),
            });
        }
        self.squares.charge(cost.mu_squared());
        Ok(())
    }

    fn remaining(&self) -> Option<GaussianDp> {
        GaussianDp::from_mu_squared(self.squares.remaining()).ok()
    }

    fn how_many_more(&self, cost: &GaussianDp) -> u64 {
        self.squares.how_many_more(cost.mu_squared())
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_numbers::Rational;

    use super::*;

    fn loss(mu: &str) -> GaussianDp {
        GaussianDp::from_mu(&Rational::parse(mu).unwrap()).unwrap()
    }

    #[test]
    fn squares_add_up_to_the_budget() {
        let mut filter = GaussianFilter::new(loss("1"));
        assert_eq!(filter.how_many_more(&loss("0.1")), 100);
        filter.try_charge(&loss("0.6")).unwrap();
        filter.try_charge(&loss("0.8")).unwrap();
        assert_eq!(filter.remaining(), None);
        let message = filter.try_charge(&loss("0.001")).unwrap_err().explanation().text();
        assert!(
            message.starts_with("this release costs μ² = 1e-6, but only μ² = 0 is left\nhint:"),
            "{message}"
        );
        assert_eq!(*filter.guarantee(), loss("1"));
    }
}
