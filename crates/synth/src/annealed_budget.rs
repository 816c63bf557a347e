//! How an adaptive synthesizer spends ρ in rounds that may cost four times as much as those before, and never more than it has.
//!
//! **Guarantee.** Whatever is annealed when, the shares that [`AnnealedBudget::new`] and [`AnnealedBudget::round`] hand out add up to exactly the given
//! ρ when the last round has been handed out, and to less before.
//! **Proof.** ρ is 80·d equal units, an integer. Columns take 20 units each, a quarter of all. A round takes 10·4^l units, one of ten for the choice, as long as twice that are left, and
//! all that is left otherwise, which ends it. So what is left is an integer that never falls below zero; it is zero after the last
//! round and no sooner: a round leaves at least as much as it took.
//! **Source.** The schedule is AIM's (McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Algorithm 4), in integers, with other shares: see [`UNITS`].

use pointillist_numbers::Rational;
use pointillist_privacy::{Rho, Spend};

use crate::SynthError;

/// Units for each column. AIM plans for 16 rounds a column and gives columns 9 of 160 units; half as many rounds and a quarter of all for columns, which
/// also decide what is merged, had smaller errors at every price tried (Adult, Titanic and NIST's excerpts, pairs, ε = 0.1 and 1).
const UNITS: u64 = 80;
const ONE_WAY: u64 = 20;
const ROUND: u64 = 10;

/// What is left.
#[derive(Clone, Debug)]
pub(crate) struct AnnealedBudget {
    rho: Rho,
    /// How many units ρ is.
    units: u64,
    left: u64,
    /// What a round costs.
    round: u64,
}

/// A round's prices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Round {
    pub choice: Spend,
    pub measurement: Spend,
    pub last: bool,
    /// How much of ρ is spent after it, for the size of the model.
    pub spent: f64,
}

impl AnnealedBudget {
    /// The price of each column's marginal, and what is left for rounds.
    ///
    /// # Errors
    /// When the smallest share is less than can be counted.
    pub fn new(rho: &Rho, columns: usize) -> Result<(Spend, Self), SynthError> {
        let columns = columns as u64;
        let units = UNITS * columns;
        let budget = Self { rho: rho.clone(), units, left: units - ONE_WAY * columns, round: ROUND };
        budget.share(1, 1)?;
        Ok((budget.share(ONE_WAY, 1)?, budget))
    }

    /// The prices of the next round.
    pub fn round(&mut self) -> Result<Round, SynthError> {
        let last = self.left < 2 * self.round;
        let cost = if last { self.left } else { self.round };
        self.left -= cost;
        Ok(Round {
            choice: self.share(cost, 10)?,
            measurement: self.share(9 * cost, 10)?,
            last,
            spent: (self.units - self.left) as f64 / self.units as f64,
        })
    }

    /// Rounds from now on have half the noise.
    pub fn anneal(&mut self) {
        self.round = self.round.saturating_mul(4);
    }

    /// So many units over a divisor.
    fn share(&self, units: u64, over: u64) -> Result<Spend, SynthError> {
        let share = Rational::ratio(i128::from(units), u128::from(self.units) * u128::from(over));
        Ok(Spend::Concentrated(Rho::new(self.rho.value() * &share)?))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: for random prices, numbers of columns and annealings, the shares add up to ρ exactly, and never to more on the way.
    #[test]
    fn all_that_is_spent_is_what_was_given() {
        let mut words = seeded(11);
        let value = |spend: &Spend| match spend {
            Spend::Concentrated(rho) => rho.value().clone(),
            Spend::Pure(_) => unreachable!("a budget of ρ"),
        };
        for _ in 0..300 {
            let rho = Rho::new(Rational::ratio(1 + i128::from(words() >> 40), 1 + u128::from(words() >> 40)))
                .unwrap();
            let columns = 1 + (words() % 20) as usize;
            let (one_way, mut budget) = AnnealedBudget::new(&rho, columns).unwrap();
            let mut spent = value(&one_way) * Rational::from(columns);
            for round in 0.. {
                let prices = budget.round().unwrap();
                spent = spent + value(&prices.choice) + value(&prices.measurement);
                assert!(spent <= *rho.value());
                if prices.last {
                    break;
                }
                assert!(spent < *rho.value() && round < 16 * columns);
                if words().is_multiple_of(3) {
                    budget.anneal();
                }
            }
            assert_eq!(spent, *rho.value());
        }
    }

    #[test]
    fn a_price_too_small_to_be_split_is_refused_before_anything_is_read() {
        assert!(AnnealedBudget::new(&Rho::least(), 15).is_err());
    }
}
