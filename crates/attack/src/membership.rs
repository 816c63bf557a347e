//! Membership: was this person in the group whose averages were published?
//!
//! **Setting.** A study publishes how often each allele occurs among its cases, or how often each answer was
//! given, over many positions. An adversary has one person's own values and the frequencies of the general
//! population. Members pull every published frequency a little towards themselves; no position shows it, and
//! thousands together do. Being a case is the secret.
//! **Statistics.** With x the person's value, f the published and p the population's frequency, summed over
//! positions:
//! * *Distance* (Homer et al. 2008): |x − p| − |x − f|.
//! * *Likelihood ratio* (Sankararaman et al. 2009): the logarithm of the probability of x under f over that
//!   under p.
//! * *Correlation* (as in Dwork et al. 2015): (f − p)·(x − p)/variance, the likelihood ratio to first order,
//!   which noise that carries frequencies out of [0, 1] does not break.
//!
//! **Power.** For n members, k independent positions and exact frequencies, the likelihood ratio is shifted
//! by k/n for members and has deviation √(k/n): with more positions than members it tells nearly everybody.
//! **What noise does.** One person moves k counts of alleles, by up to 2 each, so that all together cost 2k
//! in L1: noise of scale 2k/ε drowns shifts of one. At ε in total the power at a false-positive rate α is at
//! most e^ε·α ([`limits`]), for every statistic, also those nobody has thought of.
//! **Neighbours.** One member is exchanged for an outsider; the size of the group is public. The bound is
//! about a person who could have been either. Between members and outsiders of different populations any
//! statistic may tell without it, by the population alone, as it would about people who were never asked.

mod outcome;
mod page;
mod people;
mod publication;
mod releases;
mod roc;
mod simulated;
mod statistic;
mod study;

pub use outcome::{ByStatistic, Outcome, Settings, run};
pub use people::{Columns, People, TableKind};
pub use publication::Published;
pub use releases::{MeanCurve, MeanPower, MeanRate, Releases};
pub use roc::RocPoint;
pub use statistic::Statistic;
pub use study::Study;

use pointillist_privacy::Spend;
use serde::Serialize;

use crate::{AttackError, limits};
use roc::Scores;

/// How well a statistic tells members from outsiders.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Membership {
    /// The statistic.
    #[serde(skip)]
    pub statistic: Statistic,
    /// What the frequencies cost; `None` when they were published exactly or come from elsewhere.
    #[serde(skip)]
    pub price: Option<Spend>,
    /// How many members were tried.
    #[serde(skip)]
    pub members: usize,
    /// How many outsiders were tried.
    #[serde(skip)]
    pub outsiders: usize,
    /// Over how many positions.
    #[serde(skip)]
    pub positions: usize,
    /// The power where one outsider in twenty is accused.
    pub at_5_percent: Power,
    /// The power where one outsider in a hundred is accused.
    pub at_1_percent: Power,
    /// The probability that a member scores above an outsider: one half is no information.
    pub area: f64,
    /// The whole curve, from nobody accused to everybody: the figures of a plot.
    #[serde(skip)]
    pub curve: Vec<RocPoint>,
}

/// How many members are told at a rate of false accusations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Power {
    /// The fraction of outsiders who were accused, at most the rate asked for.
    pub false_positive: f64,
    /// The fraction of members who were.
    pub true_positive: f64,
    /// The most that any statistic can reach at the price, where there is one.
    pub true_positive_upper: Option<f64>,
}

impl Membership {
    /// The attack in words.
    pub fn summary(&self) -> String {
        let source = match &self.price {
            None => "published as they are".to_owned(),
            Some(price) => format!("released at {price} in total"),
        };
        let bounds = (self.at_5_percent.true_positive_upper, self.at_1_percent.true_positive_upper);
        let bound = match bounds {
            (Some(at_5), Some(at_1)) => format!(
                " At this price no statistic finds more than {:.1} % and {:.1} % in the mean over releases.",
                100.0 * at_5,
                100.0 * at_1
            ),
            _ => String::new(),
        };
        format!(
            "From {} positions, {source}, the {} accuses {:.1} % of {} members where it accuses at most 5 % \
             of {} outsiders, and {:.1} % where it accuses at most 1 %.{bound}",
            self.positions,
            self.statistic,
            100.0 * self.at_5_percent.true_positive,
            self.members,
            self.outsiders,
            100.0 * self.at_1_percent.true_positive
        )
    }
}

impl Study {
    /// Scores every member and every outsider against what was published.
    pub fn attack(&self, published: &Published, statistic: Statistic) -> Result<Membership, AttackError> {
        self.attack_with_scores(published, statistic).map(|(attack, _)| attack)
    }

    fn attack_with_scores(
        &self,
        published: &Published,
        statistic: Statistic,
    ) -> Result<(Membership, Scores), AttackError> {
        let (members, outsiders) = self.scores(published, statistic)?;
        let scores = Scores::new(members, outsiders);
        let power = |rate: f64| {
            let RocPoint { false_positive, true_positive } = scores.accusing_at_most(rate);
            let bound = published.price().map(|price| limits::true_positive_upper(price, rate));
            Power { false_positive, true_positive, true_positive_upper: bound }
        };
        let attack = Membership {
            statistic,
            price: published.price().cloned(),
            members: self.members(),
            outsiders: self.outsiders(),
            positions: self.positions(),
            at_5_percent: power(0.05),
            at_1_percent: power(0.01),
            area: scores.area(),
            curve: scores.curve(),
        };
        Ok((attack, scores))
    }
}

#[cfg(test)]
mod tests;
