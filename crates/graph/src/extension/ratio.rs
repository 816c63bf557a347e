//! How far the laws of neighbours are apart, and how far those of any extension must be.

use pointillist_numbers::Rational;

use super::law::total;
use super::{DataSets, Law};

/// The largest ratio of probabilities of one outcome at two neighbours that both have a law: one where there are none, and
/// nothing where an outcome is possible at one neighbour and impossible at the other. Its logarithm is ε.
pub fn worst_ratio<'a>(data_sets: &DataSets, law_at: impl Fn(usize) -> Option<&'a Law>) -> Option<Rational> {
    let mut worst = Rational::one();
    for (one, other) in data_sets.neighbours() {
        let (Some(one), Some(other)) = (law_at(one), law_at(other)) else { continue };
        for (over, under) in one.probabilities().iter().zip(other.probabilities()) {
            // A product is cheaper than a quotient, which is reduced.
            if *over > &worst * under {
                worst = if under.is_zero() { return None } else { over / under };
            }
        }
    }
    Some(worst)
}

/// A ratio that no extension of these laws can stay below: that of neighbours within the class, and condition (2) of the theorem
/// at every data set outside. Nothing where no ratio is large enough.
pub fn least_ratio(data_sets: &DataSets, class: &[Option<Law>]) -> Option<Rational> {
    let mut least = worst_ratio(data_sets, |data_set| class[data_set].as_ref())?;
    for near in laws_near(data_sets, class) {
        let at = |outcome: usize| near.iter().map(move |law| &law.probabilities()[outcome]);
        let outcomes = 0..near.first().map_or(0, |law| law.outcomes());
        let largest = total(outcomes.clone().filter_map(|outcome| at(outcome).max().cloned()));
        let smallest = total(outcomes.filter_map(|outcome| at(outcome).min().cloned()));
        least = least.max(largest).max(smallest.reciprocal()?);
    }
    Some(least)
}

/// For every data set outside of the class that has neighbours in it, the laws of those.
fn laws_near<'a>(data_sets: &'a DataSets, class: &'a [Option<Law>]) -> impl Iterator<Item = Vec<&'a Law>> {
    let outside = (0..data_sets.count()).filter(|data_set| class[*data_set].is_none());
    let near = |data_set| data_sets.neighbours_of(data_set).iter().filter_map(|other| class[*other].as_ref());
    outside.map(move |data_set| near(data_set).collect()).filter(|near: &Vec<&Law>| !near.is_empty())
}
