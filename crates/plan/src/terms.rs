//! On what terms numbers were released, and which other questions they answer.
//!
//! **Guarantee.** Using released numbers again is private whatever the question: it is post-processing. What is decided
//! here is whether they are an answer to *this* question. They are, for a question of the same topic
//! ([`canonical_topic`](crate::canonical_topic)), if they hold every measure that it needs, each with noise of the same
//! law, and each
//!
//! - at no smaller price than the question offers for it: the number is at least as exact as what was asked for; or
//! - in a release that cost no less than the question offers in all: what was bought together is not sold again in
//!   parts. Its error is then larger than a new release would have, so a question that names its error is not answered
//!   this way.
//!
//! **Bars.** [`PrivatePlan::on_terms`] gives the plan the noise that the numbers were released with, so that error bars and
//! thresholds are those of the numbers shown and not of the price that was offered.
//! **Several releases.** With public groups every measure may come from another release: the groups are the same. Earned
//! keys are another list in each release, so there one release must hold everything.
//! **The first.** Of several releases that would do the first is taken: the same question, asked again, has the same
//! answer, whatever was bought in between.

use pointillist_mechanisms::EarnedKeys;
use pointillist_mechanisms::MechanismError;
use pointillist_privacy::{Delta, Price, Rho, Spend};

use crate::canonical::{key_labels, measure_labels};
use crate::notes::notes;
use crate::{PrivatePlan, Release};

/// What a release held and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// What identifies each key of a group, in the order of the release.
    pub keys: Vec<Vec<u8>>,
    /// The measures, in the order of the release.
    pub measures: Vec<MeasureTerms>,
    /// What choosing the keys cost, where they were earned.
    pub selection: Option<(Rho, Delta)>,
    /// What the whole release cost.
    pub price: Price,
}

/// One measure of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureTerms {
    /// What identifies it within its topic.
    pub label: Vec<u8>,
    /// Its part of what was spent, which is what its noise was made for.
    pub spend: Spend,
}

/// Where a measure is found: which release, and which of its measures.
pub type Found = (usize, usize);

impl PrivatePlan {
    /// The terms on which this plan releases.
    pub fn terms(&self) -> Terms {
        let priced = measure_labels(&self.aggregation).into_iter().zip(&self.releases);
        Terms {
            keys: key_labels(&self.aggregation),
            measures: priced
                .map(|(label, release)| MeasureTerms { label, spend: release.spend.clone() })
                .collect(),
            selection: self.selection.as_ref().and_then(|selection| selection.loss().approximate_rho()),
            price: self.price,
        }
    }

    /// Where each measure of this plan is found among earlier releases of its topic, if they answer it.
    ///
    /// Asked again, a question has the answer that it had, whatever was bought in between: the fewest of the first
    /// releases that answer it decide, and among these one release with everything comes before several with parts.
    pub fn answered_by(&self, earlier: &[&Terms]) -> Option<Vec<Found>> {
        let asked = self.terms();
        let find_in = |release: usize, measure| {
            self.found(measure, &asked, earlier[release]).map(|position| (release, position))
        };
        let whole = |release: usize| {
            let fits = asked.selection.is_none() || self.chosen(&asked, earlier[release]);
            let parts = asked.measures.iter().map(|measure| find_in(release, measure));
            fits.then(|| parts.collect::<Option<Vec<Found>>>()).flatten()
        };
        let parts = |bought: usize| {
            let find = |measure| (0..=bought).find_map(|release| find_in(release, measure));
            // Groups that were earned are those of one release: others may have other groups.
            asked
                .selection
                .is_none()
                .then(|| asked.measures.iter().map(find).collect::<Option<_>>())
                .flatten()
        };
        (0..earlier.len()).find_map(|bought| whole(bought).or_else(|| parts(bought)))
    }

    /// The first earlier release whose keys were earned at what this plan offers for them, or more.
    pub fn keys_from(&self, earlier: &[&Terms]) -> Option<usize> {
        let asked = self.terms();
        (0..earlier.len()).find(|release| self.chosen(&asked, earlier[*release]))
    }

    fn chosen(&self, asked: &Terms, terms: &Terms) -> bool {
        match (&terms.selection, &asked.selection) {
            (Some((rho, delta)), Some((wanted, allowed))) => {
                (!self.by_error && terms.price.covers(&asked.price)) || (rho >= wanted && delta >= allowed)
            }
            _ => false,
        }
    }

    fn found(&self, measure: &MeasureTerms, asked: &Terms, terms: &Terms) -> Option<usize> {
        let whole = !self.by_error && terms.price.covers(&asked.price);
        let answers = |recorded: &MeasureTerms| {
            let exact = match (&recorded.spend, &measure.spend) {
                (Spend::Pure(paid), Spend::Pure(offered)) => whole || paid >= offered,
                (Spend::Concentrated(paid), Spend::Concentrated(offered)) => whole || paid >= offered,
                _ => false,
            };
            recorded.label == measure.label && exact
        };
        terms.measures.iter().position(answers)
    }

    /// The same question about numbers that were released on other terms: with this much spent on each measure, and with keys
    /// that were earned for this.
    pub fn on_terms(
        &self,
        spends: &[Spend],
        selection: Option<&(Rho, Delta)>,
    ) -> Result<Self, MechanismError> {
        let mut plan = self.clone();
        let measures = self.aggregation.measures.iter().zip(spends);
        plan.releases = measures
            .map(|(measure, spend)| Release::new(&self.aggregation, measure, spend.clone()))
            .collect::<Result<_, _>>()?;
        if let Some((rho, delta)) = selection {
            plan.selection = Some(EarnedKeys::new(self.aggregation.bound.groups_max(), rho, delta)?);
        }
        let about_prices = self.notes.len().saturating_sub(notes(self).len());
        plan.notes.truncate(about_prices);
        if plan.terms() != self.terms() {
            plan.notes.push(
                "these numbers were released to you before, and their bars are those of that time; \
                 a smaller error or a higher price buys new ones"
                    .to_owned(),
            );
        }
        plan.notes.extend(notes(&plan));
        Ok(plan)
    }
}
