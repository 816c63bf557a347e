//! MST: every column by itself, then the pairs of a tree, chosen by how far from independent they are.
//!
//! **Guarantee.** A release for a price of ρ is ρ-zCDP; for a price of ε it is ε-differentially private.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A third of the price each, in exact shares, for the columns (`one_way.rs`), for at most d − 1 choices of an edge (`selection.rs`, weight 1), and for the chosen
//! pairs (`noisy_marginal.rs`); adaptive composition. With one column there is nothing to choose, and the column has all of it.
//! **Source.** McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 2. Here shares are exact, scores integers, and pairs that the model has no room
//! for are left out by their released sizes.

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use rayon::prelude::*;

use crate::domain::{CODES_MAX, subsets};
use crate::graphical_model::GraphicalModel;
use crate::histogram::{Renumbering, histograms};
use crate::measured::NoisyMarginal;
use crate::selection::Score;
use crate::synthesizer::{COUNTED_CELLS_MAX, RELEASED_CELLS_MAX, deviation, rounded};
use crate::{CodeRows, Domain, Measured, Progress, Recipe, SynthError, noisy_marginal, one_way, selection};

/// The plan: what each step may lose.
pub(crate) struct Mst {
    domain: Domain,
    rows_per_person: u32,
    each_column: Spend,
    /// For each choice; empty where there is nothing to choose.
    choices: Vec<Spend>,
    pairs: Option<Spend>,
    recipe: Recipe,
}

impl Mst {
    pub fn new(
        recipe: &Recipe,
        domain: &Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        let d = domain.attributes();
        let (columns, choices, pairs) = match d {
            1 => (spend.clone(), Vec::new(), None),
            _ => match spend.split(&[1, 1, 1])?.as_slice() {
                [columns, choices, pairs] => {
                    (columns.clone(), choices.split(&vec![1; d - 1])?, Some(pairs.clone()))
                }
                _ => return Err(SynthError::parameter("a price has three thirds")),
            },
        };
        let each_column = columns.split(&vec![1; d])?.remove(0);
        if let Some(pairs) = &pairs {
            pairs.split(&vec![1; d - 1])?;
        }
        choices.iter().try_for_each(|choice| choice.bounded_range().map(drop))?;
        Ok(Self {
            domain: domain.clone(),
            rows_per_person,
            each_column,
            choices,
            pairs,
            recipe: recipe.clone(),
        })
    }

    pub fn outlook(&self, words: &mut Vec<String>) {
        let k = self.rows_per_person;
        words.push(format!(
            "every column with noise of {} on each count",
            rounded(deviation(k, &self.each_column))
        ));
        if let Some(pairs) = &self.pairs {
            let each = deviation(k, pairs) * ((self.domain.attributes() - 1) as f64).sqrt();
            words.push(format!(
                "a tree of {} pairs of columns with noise of {} on each count",
                self.domain.attributes() - 1,
                rounded(each)
            ));
        }
    }

    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Measured, SynthError> {
        progress(Progress { stage: "columns", done: 0.0 });
        let merge = self.recipe.merge_deviations();
        let (mut measured, target) =
            one_way::release(rows, &self.domain, self.rows_per_person, &self.each_column, merge, bits)?;
        let Some(pairs_spend) = &self.pairs else { return Ok(measured) };
        progress(Progress { stage: "pairs", done: 0.3 });
        let d = self.domain.attributes();
        let pairs = fitting(subsets(d, 2), &target, self.recipe.model_cells_max());
        let renumbering = Renumbering { domain: &self.domain, maps: &measured.maps, target: &target };
        let counts = histograms(rows, renumbering, &pairs)?;
        let mut model = GraphicalModel::uniform(&target, 1.0);
        model.fit(&measured.observations(), self.recipe.last_effort());
        let score =
            |(pair, counts): (&Vec<usize>, &Vec<u64>)| Score::new(counts, &model.marginal(pair), 1, 0.0);
        let scores: Vec<Score> = pairs.par_iter().zip(&counts).map(score).collect();
        progress(Progress { stage: "tree", done: 0.6 });
        let mut part: Vec<usize> = (0..d).collect();
        let mut tree = Vec::new();
        let mut left = self.recipe.model_cells_max().min(RELEASED_CELLS_MAX - CODES_MAX);
        for choice in &self.choices {
            let open: Vec<usize> = (0..pairs.len())
                .filter(|pair| {
                    part[pairs[*pair][0]] != part[pairs[*pair][1]] && target.cells(&pairs[*pair]) <= left
                })
                .collect();
            if open.is_empty() {
                break;
            }
            let own: Vec<Score> = open.iter().map(|pair| scores[*pair]).collect();
            let chosen = open[selection::release(&own, self.rows_per_person, choice, bits)?];
            let (from, to) = (part[pairs[chosen][0]], part[pairs[chosen][1]]);
            part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
            left -= target.cells(&pairs[chosen]);
            tree.push(chosen);
        }
        progress(Progress { stage: "measurements", done: 0.9 });
        if !tree.is_empty() {
            let each = pairs_spend.split(&vec![1; tree.len()])?;
            for (pair, spend) in tree.iter().zip(&each) {
                let (noise, cells) =
                    noisy_marginal::release(&counts[*pair], self.rows_per_person, spend, bits)?;
                measured.marginals.push(NoisyMarginal {
                    attributes: pairs[*pair].clone(),
                    merged: true,
                    noise,
                    cells,
                });
            }
        }
        progress(Progress { stage: "done", done: 1.0 });
        Ok(measured)
    }
}

/// The sets whose tables fit, the smaller first where not all can be counted at once; in their own order.
pub(crate) fn fitting(sets: Vec<Vec<usize>>, target: &Domain, cells_max: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> =
        (0..sets.len()).filter(|set| target.cells(&sets[*set]) <= cells_max).collect();
    order.sort_by_key(|set| target.cells(&sets[*set]));
    let mut cells = 0u64;
    order.retain(|set| {
        cells = cells.saturating_add(target.cells(&sets[*set]));
        cells <= COUNTED_CELLS_MAX
    });
    order.sort_unstable();
    order.into_iter().map(|set| sets[set].clone()).collect()
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_privacy::{Epsilon, Rho};

    use super::*;
    use crate::Method;

    fn value(spend: &Spend) -> Rational {
        match spend {
            Spend::Pure(epsilon) => epsilon.value().clone(),
            Spend::Concentrated(rho) => rho.value().clone(),
        }
    }

    #[test]
    fn the_shares_add_up_to_the_price() {
        for sizes in [vec![4], vec![2, 3], vec![2; 7]] {
            for spend in
                [Spend::Concentrated(Rho::parse("1/7").unwrap()), Spend::Pure(Epsilon::parse("0.3").unwrap())]
            {
                let domain = Domain::new(sizes.clone()).unwrap();
                let plan = Mst::new(&Recipe::new(Method::Mst), &domain, 1, &spend).unwrap();
                let columns = value(&plan.each_column) * Rational::from(sizes.len());
                let choices = plan.choices.iter().fold(Rational::zero(), |sum, choice| sum + value(choice));
                let pairs = plan.pairs.as_ref().map_or_else(Rational::zero, value);
                assert_eq!(columns + choices + pairs, value(&spend), "{sizes:?}");
            }
        }
    }

    #[test]
    fn tables_that_do_not_fit_are_left_out_by_their_sizes() {
        let domain = Domain::new(vec![10, 20, 30]).unwrap();
        let sets = || subsets(3, 2);
        assert_eq!(fitting(sets(), &domain, 300), [[0, 1], [0, 2]]);
        assert_eq!(fitting(sets(), &domain, 1000).len(), 3);
        let large = Domain::new(vec![5000, 6000, 7000]).unwrap();
        assert_eq!(fitting(sets(), &large, u64::MAX), [[0, 1]], "the largest are not counted");
    }
}
