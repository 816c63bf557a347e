//! Pricing: one price for all, chosen from private bids.
//!
//! **Guarantee.** The exponential mechanism over a public list of prices, scored by revenue: `p` times the
//! number of bids at or above `p`. One bidder moves the revenue at any price by at most that price, so the
//! sensitivity is the highest price of the list, and all revenues in one direction, so the weights are
//! `exp(ε·revenue/highest)`. It is ε-bounded range: ε-differentially private, and `ε²/8`-zCDP.
//! **Neighbours.** One bid a bidder; a bidder is added or removed, or exchanges the bid for another. Revenues
//! are monotone in either case: a bidder who comes, or bids more, buys at some more prices and at no fewer.
//! **Source.** `exponential.rs`; the example is McSherry and Talwar's (2007), whose weights are
//! `exp(ε·revenue/(2·highest))`: half as sharp, as they use the sensitivity alone.
//! **Error.** With probability at least `1 − β` the revenue is less than `(highest/ε)·ln(n/β)` below the best
//! of `n` prices.
//! **Exactness.** Prices, bids and revenues are rationals.
//! **Not covered.** Bidders with several bids. Whether people bid truthfully; that ε bounds what a bidder can
//! gain by lying is another theorem. Timing.
//!
//! Why not add noise to the best price? Three bids of 1.00 and one of 3.01 bring 4.00 at price 1.00 and 3.01 at
//! price 3.01; at 3.02 they bring nothing, and at 1.01 only 1.01. Noise on the price itself destroys its worth
//! however small it is; and it cannot be small, as without one of the three the best price jumps from 1.00 to
//! 3.01.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::choice::exponential::ExponentialMechanism;
use crate::choice::scores::{Movement, Scores};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "pricing",
    releases: "a price of a public list that brings nearly the highest revenue",
    guarantee: "ε-bounded range, so ε-DP and ρ = ε²/8; the revenue's sensitivity is the highest price",
    error: "revenue below the best by more than (highest/ε)·ln(n/β) with probability β",
    source: "McSherry and Talwar 2007",
};

/// Chooses a price from bids.
#[derive(Clone, Debug)]
pub struct Pricing {
    prices: Vec<Rational>,
    mechanism: ExponentialMechanism,
}

impl Pricing {
    /// The mechanism over these public prices.
    ///
    /// # Errors
    /// When there is no price, or one is not positive.
    pub fn new(prices: &[Rational], epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let highest = prices.iter().max().ok_or(MechanismError::NoCandidates)?;
        if let Some(price) = prices.iter().find(|price| !price.is_positive()) {
            return Err(MechanismError::invalid(
                format!("{price} is not a price"),
                "list positive prices only",
            ));
        }
        let sensitivity = SensitivityLInf::new(highest.clone())?;
        let mechanism = ExponentialMechanism::new(&sensitivity, Movement::Monotone, epsilon)?;
        Ok(Self { prices: prices.to_vec(), mechanism })
    }

    /// What a release costs: ε-bounded range.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// The chosen price. Any number of bids is fine, of any size.
    pub fn release<B: SecureBits + ?Sized>(&self, bids: &[Rational], bits: &mut B) -> &Rational {
        &self.prices[self.mechanism.release(&self.revenues(bids), bits)]
    }

    /// How far the revenue may lie below the best of the list, but for a probability of β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        self.mechanism.error_bound(self.prices.len(), beta)
    }

    /// The revenue at every price: private.
    fn revenues(&self, bids: &[Rational]) -> Scores {
        let mut rising: Vec<&Rational> = bids.iter().collect();
        rising.sort_unstable();
        let revenue = |price: &Rational| {
            let buyers = rising.len() - rising.partition_point(|bid| *bid < price);
            price * &Rational::from(buyers)
        };
        Scores::new(self.prices.iter().map(revenue).collect()).expect("there is at least one price")
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{
        Distinguisher, all_datasets, assert_distribution, distribution_p_value, log_ratio_range,
        neighbours_add_remove, neighbours_replace_one, seeded,
    };

    use super::*;

    fn cents(cents: i64) -> Rational {
        Rational::ratio(i128::from(cents), 100)
    }

    /// Every price from 0.01 to 4.00.
    fn price_list() -> Vec<Rational> {
        (1..=400).map(cents).collect()
    }

    fn pricing(prices: &[Rational], epsilon: &str) -> Pricing {
        Pricing::new(prices, &Epsilon::parse(epsilon).unwrap()).unwrap()
    }

    /// Three bids of 1.00 and one of 3.01, this many times over.
    fn bids(times: usize) -> Vec<Rational> {
        [100, 100, 100, 301].map(cents).iter().cycle().take(4 * times).cloned().collect()
    }

    fn law(pricing: &Pricing, bids: &[Rational]) -> Vec<f64> {
        let exponents = pricing.mechanism.exponents(&pricing.revenues(bids));
        let weights: Vec<f64> = exponents.iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    #[test]
    fn revenues_are_those_of_the_textbook() {
        let pricing = pricing(&price_list(), "1");
        let revenues = pricing.revenues(&bids(1));
        let at = |price: i64| revenues.values()[price as usize - 1].to_string();
        assert_eq!([at(301), at(300), at(302)], ["3.01", "3", "0"]);
        assert_eq!([at(100), at(101)], ["4", "1.01"]);
        assert_eq!(revenues.best().to_string(), "4");
    }

    fn best_price(bids: &[Rational]) -> Rational {
        let pricing = pricing(&price_list(), "1");
        let revenues = pricing.revenues(bids);
        let place = revenues.values().iter().position(|revenue| revenue == revenues.best()).unwrap();
        pricing.prices[place].clone()
    }

    /// Specification: without one bidder the best price jumps from 1.00 to 3.01, so noise on the price needs a
    /// scale of at least 2.01/ε. For 400 bidders at ε = 1, exactly computed, a price with that noise loses more
    /// than two thirds of the best revenue of 400 on average; the mechanism loses less than 4 %.
    #[test]
    fn noise_on_the_price_is_worthless_and_the_mechanism_is_not() {
        assert_eq!(best_price(&bids(1)), cents(100));
        assert_eq!(best_price(&bids(1)[1..]), cents(301));

        let bids = bids(100);
        let pricing = pricing(&price_list(), "1");
        let revenues = pricing.revenues(&bids);
        assert_eq!(*revenues.best(), Rational::from(400));
        let expected: f64 = law(&pricing, &bids)
            .iter()
            .zip(revenues.values())
            .map(|(p, revenue)| p * revenue.to_f64_upper())
            .sum();
        assert!(expected > 384.0, "{expected}");

        // A noisy price below 0.01 or above 4.00 brings nothing.
        let ratio = (-1.0f64 / 201.0).exp();
        let noisy_price = |price: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi((price - 100).abs() as i32);
        let expected: f64 = (1..)
            .zip(revenues.values())
            .map(|(price, revenue)| noisy_price(price) * revenue.to_f64_upper())
            .sum();
        assert!(expected < 134.0, "{expected}");
    }

    #[test]
    fn the_error_bound_holds_for_the_exact_law() {
        let pricing = pricing(&price_list(), "1");
        let (revenues, law) = (pricing.revenues(&bids(100)), law(&pricing, &bids(100)));
        for beta in ["0.5", "0.05", "1e-6"] {
            let bound = pricing.error_bound(&FailureProbability::parse(beta).unwrap());
            let floor = revenues.best() - &bound;
            let failing = revenues.values().iter().zip(&law).filter(|(revenue, _)| **revenue <= floor);
            assert!(failing.map(|(_, p)| p).sum::<f64>() <= beta.parse::<f64>().unwrap());
        }
    }

    /// Specification (all sets of at most four bids out of six, all neighbours of both kinds): a revenue moves
    /// by at most the highest price, and by exactly that somewhere; all revenues move in one direction; and the
    /// log-ratio of probabilities has range at most ε, and exactly ε somewhere. Planted leak: the mean price
    /// taken for the sensitivity.
    #[test]
    fn one_bidder_moves_revenues_by_the_highest_price() {
        let alphabet: Vec<Rational> = [0, 99, 100, 300, 301, 1000].map(cents).to_vec();
        let prices: Vec<Rational> = [50, 100, 200, 301].map(cents).to_vec();
        let honest = pricing(&prices, "0.5");
        let mean = SensitivityLInf::new(Rational::ratio(651, 400)).unwrap();
        let epsilon = Epsilon::parse("0.5").unwrap();
        let broken = ExponentialMechanism::new(&mean, Movement::Monotone, &epsilon).unwrap();
        let broken = Pricing { prices: prices.clone(), mechanism: broken };
        let (mut moved, mut widest, mut planted) = (Rational::zero(), 0f64, 0f64);
        for data in all_datasets(&alphabet, 4) {
            let others =
                [neighbours_add_remove(&data, &alphabet), neighbours_replace_one(&data, &alphabet)].concat();
            for other in others {
                let (before, after) = (honest.revenues(&data), honest.revenues(&other));
                let moves: Vec<Rational> =
                    before.values().iter().zip(after.values()).map(|(a, b)| b - a).collect();
                moved = moves.iter().map(Rational::abs).fold(moved, Rational::max);
                assert!(moves.iter().all(|m| !m.is_negative()) || moves.iter().all(|m| !m.is_positive()));
                widest = widest.max(log_ratio_range(&law(&honest, &data), &law(&honest, &other)));
                planted = planted.max(log_ratio_range(&law(&broken, &data), &law(&broken, &other)));
            }
        }
        assert_eq!(moved, cents(301));
        assert!((widest - 0.5).abs() <= 1e-9, "{widest}");
        assert!(planted > 0.9, "{planted}");
    }

    /// False alarm: about 1e-9 (χ², 30,000 draws). Power: the law of the textbook's weights, below, does not
    /// fit.
    #[test]
    fn draws_follow_the_law() {
        let prices: Vec<Rational> = [50, 100, 200, 301].map(cents).to_vec();
        let pricing = pricing(&prices, "2");
        let (bids, mut bits) = (bids(1), seeded(1));
        let law = law(&pricing, &bids);
        let place = |price: &Rational| prices.iter().position(|other| other == price).unwrap() as i64;
        let draws: Vec<i64> = (0..30_000).map(|_| place(pricing.release(&bids, &mut bits))).collect();
        assert_distribution(draws.iter().copied(), |k| law[k as usize], 0..=3, "pricing");
        let square_roots: Vec<f64> = law.iter().map(|p| p.sqrt()).collect();
        let total: f64 = square_roots.iter().sum();
        assert!(distribution_p_value(draws, |k| square_roots[k as usize] / total, 0..=3) < 1e-9);
    }

    /// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: the best price without noise is caught.
    #[test]
    fn samples_on_neighbours_stay_within_epsilon() {
        let prices: Vec<Rational> = [100, 301].map(cents).to_vec();
        let pricing = pricing(&prices, "1");
        let draws = |bids: &[Rational], seed| -> Vec<Rational> {
            let mut bits = seeded(seed);
            (0..20_000).map(|_| pricing.release(bids, &mut bits).clone()).collect()
        };
        let claim = Distinguisher::new(1.0, 0.0);
        claim.assert_private(&draws(&bids(1), 1), &draws(&bids(1)[1..], 2), "pricing");
        let noiseless = |bids: &[Rational]| vec![best_price(bids); 2000];
        claim.assert_leaks(&noiseless(&bids(1)), &noiseless(&bids(1)[1..]), "the best price without noise");
    }

    #[test]
    fn bad_lists_of_prices_are_refused() {
        let epsilon = Epsilon::parse("1").unwrap();
        let refused = |prices: &[Rational]| Pricing::new(prices, &epsilon).unwrap_err();
        assert_eq!(refused(&[]), MechanismError::NoCandidates);
        for bad in [0, -100] {
            assert!(
                refused(&[cents(100), cents(bad)])
                    .explanation()
                    .text()
                    .contains("hint: list positive prices only")
            );
        }
        let empty = pricing(&price_list(), "1");
        assert!(empty.prices.contains(empty.release(&[], &mut seeded(1))));
        assert_eq!(empty.loss().rho().unwrap().to_string(), "0.125");
    }
}
