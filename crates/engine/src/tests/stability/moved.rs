//! How far groups moved, against how far the plan says they can.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_numbers::Rational;
use pointillist_plan::{Draw, Excess, Form, PrivatePlan, Quantity};
use pointillist_privacy::Spend;

use crate::Groups;

pub(super) type Key = Vec<Option<Value>>;
/// By key: how many people, then every measure.
pub(super) type Vector = BTreeMap<Key, Vec<i128>>;

/// What a plan claims about one person.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    pub(super) groups: u64,
    pub(super) measures: Vec<Claim>,
    /// The groups that appear whatever the data.
    domain: Option<Vec<Key>>,
}

/// What a plan claims about one measure.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) class: &'static str,
    /// The least and the most that a person adds to one group.
    pub(super) person: (i128, i128),
    pub(super) l1: Rational,
    pub(super) l2_squared: Rational,
    /// The same of the noise that is bought: ε·scale, or 2ρσ² with σ as the plan rounds it up.
    bought: Bought,
}

#[derive(Clone, Debug)]
enum Bought {
    L1(Rational),
    L2Squared(Rational),
}

/// A broken promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Violation {
    /// The keys are not those that were declared.
    Domain,
    /// More groups moved than a person may touch.
    Groups,
    /// People were not one more or the same.
    People,
    /// A measure moved further than a person's bounds, or against their direction.
    Measure,
    /// All groups together moved too far.
    L1,
    /// All groups together moved too far.
    L2,
    /// They moved further than the noise hides.
    Noise,
}

/// How close a move came to the claims: what was reached exactly.
#[derive(Debug, Default)]
pub(super) struct Reached(pub(super) Vec<String>);

impl Claims {
    pub(super) fn of(plan: &PrivatePlan) -> Self {
        let aggregation = &plan.aggregation;
        assert_eq!(plan.releases.len(), aggregation.measures.len());
        assert_eq!(plan.selection.is_none(), aggregation.domain.is_some(), "keys are public or earned");
        let claim = |(measure, release): (_, &pointillist_plan::Release)| {
            let measure: &pointillist_plan::Measure = measure;
            let (l1, l2) = aggregation.sensitivities(measure).expect("the plan has priced it");
            let bought = match (&release.draw, &release.spend) {
                (Draw::Noise(noise), Spend::Pure(epsilon)) => {
                    Bought::L1(epsilon.value() * &noise.scale_upper())
                }
                (Draw::Noise(noise), Spend::Concentrated(rho)) => {
                    let scale = noise.scale_upper();
                    Bought::L2Squared(scale.squared() * rho.value().clone() * Rational::from(2))
                }
                // Exponents fall by e for every scale of rows, and nobody weighs more than a swing of one or two scales of
                // those that one choice pays for: weights of one group within m·2^b is all that it was made for.
                (Draw::Choice(choice), spend) => {
                    let groups = Rational::from(aggregation.groups_moved());
                    let range = choice.range().value().clone();
                    let each = Rational::from(measure.person_bounds(&aggregation.bound).1);
                    match spend {
                        Spend::Pure(epsilon) => Bought::L1(&(epsilon.value() / &range) * &each),
                        Spend::Concentrated(rho) => {
                            // 8ρ/e² groups, rounded outward: e is rounded down.
                            assert!(range.squared() * groups <= rho.value() * &Rational::from(8));
                            Bought::L2Squared(
                                rho.value() * &Rational::from(8) / range.squared() * each.squared(),
                            )
                        }
                    }
                }
            };
            Claim {
                class: class(&measure.quantity),
                person: measure.person_bounds(&aggregation.bound),
                l1: l1.value().clone(),
                l2_squared: l2.squared().clone(),
                bought,
            }
        };
        Self {
            groups: aggregation.groups_moved(),
            measures: aggregation.measures.iter().zip(&plan.releases).map(claim).collect(),
            domain: aggregation.domain.clone(),
        }
    }
}

impl Claim {
    /// The same claim with noise of half the scale.
    pub(super) fn with_half_the_noise(&self) -> Self {
        let bought = match &self.bought {
            Bought::L1(most) => Bought::L1(most * &Rational::ratio(1, 2)),
            Bought::L2Squared(most) => Bought::L2Squared(most * &Rational::ratio(1, 4)),
        };
        Self { bought, ..self.clone() }
    }
}

fn class(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity::Rows => "rows",
        Quantity::People => "people",
        Quantity::PeopleCut => "people cut",
        Quantity::Total { units, excess, .. } => match (units.form, excess) {
            (Form::CentredSquare, _) => "squares",
            (Form::Linear { .. }, Excess::Clamp) => "sums",
            (Form::Linear { .. }, Excess::Thin { .. }) => "means",
        },
        Quantity::Product { .. } => "products",
        Quantity::Distinct { .. } => "values",
        Quantity::Quantile { .. } => "weights",
    }
}

pub(super) fn vector(groups: &Groups) -> Vector {
    let sums = |at: usize| {
        let totals = (0..groups.measures()).map(|measure| groups.totals(measure)[at]);
        std::iter::once(groups.people()[at]).chain(totals).collect()
    };
    let vector: Vector = groups.keys().iter().enumerate().map(|(at, key)| (key.clone(), sums(at))).collect();
    assert_eq!(vector.len(), groups.keys().len(), "every key comes once");
    vector
}

/// Compares groups with a person and without.
pub(super) fn check(with: &Vector, without: &Vector, claims: &Claims) -> Result<Reached, Violation> {
    if let Some(domain) = &claims.domain {
        let declared = |vector: &Vector| {
            vector.len() == domain.len() && domain.iter().all(|key| vector.contains_key(key))
        };
        if !declared(with) || !declared(without) {
            return Err(Violation::Domain);
        }
    }
    let nothing = vec![0; claims.measures.len() + 1];
    let keys = with.keys().chain(without.keys().filter(|key| !with.contains_key(*key)));
    let changes: Vec<Vec<i128>> = keys
        .map(|key| {
            let (with, without) = (with.get(key).unwrap_or(&nothing), without.get(key).unwrap_or(&nothing));
            with.iter().zip(without).map(|(with, without)| with - without).collect()
        })
        .filter(|change: &Vec<i128>| change.iter().any(|change| *change != 0))
        .collect();
    let mut reached = Vec::new();
    let moved = changes.len() as u64;
    if moved > claims.groups {
        return Err(Violation::Groups);
    }
    if moved == claims.groups && moved > 1 {
        reached.push("groups".to_owned());
    }
    if changes.iter().any(|change| !(0..=1).contains(&change[0])) {
        return Err(Violation::People);
    }
    for (at, claim) in claims.measures.iter().enumerate() {
        let changes: Vec<i128> = changes.iter().map(|change| change[at + 1]).collect();
        let (low, high) = claim.person;
        if changes.iter().any(|change| !(low..=high).contains(change)) {
            return Err(Violation::Measure);
        }
        let l1 = changes.iter().fold(Rational::zero(), |sum, change| sum + Rational::from(change.abs()));
        let l2_squared =
            changes.iter().fold(Rational::zero(), |sum, change| sum + Rational::from(*change).squared());
        if l1 > claim.l1 {
            return Err(Violation::L1);
        }
        if l2_squared > claim.l2_squared {
            return Err(Violation::L2);
        }
        let hidden = match &claim.bought {
            Bought::L1(most) => l1 <= *most,
            Bought::L2Squared(most) => l2_squared <= *most,
        };
        if !hidden {
            return Err(Violation::Noise);
        }
        for (end, name) in [(low, "low"), (high, "high")] {
            if end != 0 && changes.contains(&end) {
                reached.push(format!("{} {name}", claim.class));
            }
        }
        if l1 == claim.l1 && l2_squared == claim.l2_squared {
            let several = if moved > 1 { "over groups" } else { "in one group" };
            reached.push(format!("{} {several}", claim.class));
        }
    }
    Ok(Reached(reached))
}
