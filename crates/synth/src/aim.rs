//! AIM: one marginal after the other, the one that the model is most wrong about, with less noise when noise hides what is left to learn.
//!
//! **Guarantee.** A release for a price of ρ is ρ-zCDP.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** Columns (`one_way.rs`), then in each round a choice (`selection.rs`, weights 1 to 3, the number of columns) and a marginal (`noisy_marginal.rs`), for shares of ρ that
//! add up to it exactly whenever noise is halved (`annealed_budget.rs`); adaptive composition. When it is halved, which candidates fit, and the models in
//! between are functions of released numbers.
//! **Source.** McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Algorithms 2 to 4. With all marginals of one degree as workload, a candidate of r columns has
//! the weight Σ|r ∩ s| = r·C(d − 1, k − 1), so that r itself serves. Here rare values are merged first, as MST does; shares and scores are
//! exact; and squares are weighted by one over the variance.

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use rayon::prelude::*;

use crate::annealed_budget::AnnealedBudget;
use crate::attribute_set::AttributeSet;
use crate::domain::{CODES_MAX, subsets};
use crate::graphical_model::GraphicalModel;
use crate::histogram::{Renumbering, histograms};
use crate::measured::{NoisyMarginal, observation};
use crate::mst::fitting;
use crate::selection::Score;
use crate::synthesizer::{CANDIDATES_MAX, RELEASED_CELLS_MAX, deviation, rounded};
use crate::{CodeRows, Domain, Measured, Progress, Recipe, SynthError, noisy_marginal, one_way, selection};

/// The plan: what each step may lose.
pub(crate) struct Aim {
    domain: Domain,
    rows_per_person: u32,
    recipe: Recipe,
    each_column: Spend,
    budget: AnnealedBudget,
}

impl Aim {
    pub fn new(
        recipe: &Recipe,
        domain: &Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        let Spend::Concentrated(rho) = spend else {
            return Err(SynthError::parameter(
                "nothing is proven of `aim` in a budget of pure epsilon; mst, mwem and residual have pure variants",
            ));
        };
        let d = domain.attributes() as u64;
        let candidates =
            (1..=recipe.degree_of(domain) as u64).map(|r| choose(d, r)).fold(0, u64::saturating_add);
        if candidates > CANDIDATES_MAX {
            return Err(SynthError::parameter(format!(
                "{candidates} marginals are too many to choose from; choose fewer columns, or a lower degree"
            )));
        }
        let (each_column, budget) = AnnealedBudget::new(rho, domain.attributes())?;
        Ok(Self { domain: domain.clone(), rows_per_person, recipe: recipe.clone(), each_column, budget })
    }

    pub fn outlook(&self, words: &mut Vec<String>) {
        let noise = rounded(deviation(self.rows_per_person, &self.each_column));
        words.push(format!("every column with noise of {noise} on each count"));
        words.push(format!(
            "then marginals of up to {} columns, chosen one by one, with noise of at most {noise} on each count",
            self.recipe.degree_of(&self.domain)
        ));
    }

    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Measured, SynthError> {
        progress(Progress { stage: "columns", done: 0.0 });
        let k = self.rows_per_person;
        let merge = self.recipe.merge_deviations();
        let (mut measured, target) = one_way::release(rows, &self.domain, k, &self.each_column, merge, bits)?;
        let (d, degree) = (self.domain.attributes(), self.recipe.degree_of(&self.domain));
        let sets = (1..=degree).flat_map(|count| subsets(d, count)).collect();
        let cells_max = self.recipe.model_cells_max();
        let candidates = fitting(sets, &target, cells_max);
        let renumbering = Renumbering { domain: &self.domain, maps: &measured.maps, target: &target };
        let counts = histograms(rows, renumbering, &candidates)?;
        let sets: Vec<AttributeSet> = candidates.iter().map(|set| AttributeSet::of(set)).collect();
        let mut observations = measured.observations();
        let mut model = GraphicalModel::uniform(&target, 1.0);
        model.fit(&observations, self.recipe.last_effort());
        let mut budget = self.budget.clone();
        let mut sizes: Vec<Option<u64>> = vec![None; candidates.len()];
        let mut left = RELEASED_CELLS_MAX - CODES_MAX;
        loop {
            let round = budget.round()?;
            progress(Progress { stage: "rounds", done: round.spent });
            let noise = noise_of(k, &round.measurement);
            let room = (cells_max as f64 * round.spent) as u64;
            sizes.par_iter_mut().zip(&sets).filter(|(size, _)| size.is_none()).for_each(|(size, set)| {
                *size = Some(if model.has_clique(set) { 0 } else { model.cells_with(set) });
            });
            let mut open: Vec<usize> = (0..candidates.len())
                .filter(|index| sizes[*index].is_some_and(|size| size <= room))
                .collect();
            let is_kept = |index: &usize| target.cells(&candidates[*index]) <= left;
            open.retain(is_kept);
            if open.is_empty() {
                // Columns by themselves are within a clique, unless one is larger than the model may be.
                open = (0..candidates.len())
                    .filter(|index| is_kept(index) && model.has_clique(&sets[*index]))
                    .collect();
            }
            if open.is_empty() {
                break;
            }
            let score = |index: &usize| {
                let cells = model.marginal(&candidates[*index]);
                let score = Score::new(
                    &counts[*index],
                    &cells,
                    candidates[*index].len() as u32,
                    noise * cells.len() as f64,
                );
                (score, cells)
            };
            let scored: Vec<(Score, Vec<f64>)> = open.par_iter().map(score).collect();
            let scores: Vec<Score> = scored.iter().map(|(score, _)| *score).collect();
            let chosen = selection::release(&scores, k, &round.choice, bits)?;
            let before = &scored[chosen].1;
            let chosen = open[chosen];
            let (law, cells) = noisy_marginal::release(&counts[chosen], k, &round.measurement, bits)?;
            left -= cells.len() as u64;
            let marginal =
                NoisyMarginal { attributes: candidates[chosen].clone(), merged: true, noise: law, cells };
            observations.push(observation(&marginal, &measured.maps));
            measured.marginals.push(marginal);
            if round.last {
                break;
            }
            let grows = !model.has_clique(&sets[chosen]);
            model.fit(&observations, self.recipe.round_effort());
            if grows {
                sizes.iter_mut().for_each(|size| *size = None);
            }
            let after = model.marginal(&candidates[chosen]);
            let moved: f64 = before.iter().zip(&after).map(|(before, after)| (before - after).abs()).sum();
            if moved <= noise * after.len() as f64 {
                budget.anneal();
            }
        }
        progress(Progress { stage: "done", done: 1.0 });
        Ok(measured)
    }
}

/// What noise alone adds to the distance, for each cell: the mean of its absolute value.
fn noise_of(rows_per_person: u32, spend: &Spend) -> f64 {
    deviation(rows_per_person, spend) * (2.0 / std::f64::consts::PI).sqrt()
}

/// How many sets of r among d there are.
fn choose(d: u64, r: u64) -> u64 {
    (0..r).fold(1, |all, at| all * d.saturating_sub(at) / (at + 1))
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_privacy::Rho;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::{MemoryCodes, Method, Noise};

    /// Specification: a quarter of ρ is in the noise of columns and nine tenths of the rest in that of chosen marginals, exactly, however often
    /// noise was halved; choices have what remains.
    #[test]
    fn what_the_noise_cost_is_all_but_the_choices() {
        let domain = Domain::new(vec![2, 3, 4]).unwrap();
        let codes = (0..2000u32).flat_map(|row| [row % 2, row % 3, row % 2 + row % 3]).collect();
        let rows = MemoryCodes::new(codes, 3);
        for (price, k) in [("1/9", 1u32), ("0.001", 2), ("50", 1)] {
            let spend = Spend::Concentrated(Rho::parse(price).unwrap());
            let plan = Aim::new(&Recipe::new(Method::Aim), &domain, k, &spend).unwrap();
            let measured = plan.release(&rows, &mut seeded(4), &mut |_| ()).unwrap();
            let cost = |noise: &Noise| match noise {
                Noise::Gaussian(variance) => Rational::from(k).squared() / (variance * &Rational::from(2)),
                Noise::Laplace(_) => panic!("a price in ρ buys Gaussian noise"),
            };
            let spent = measured.marginals.iter().fold(Rational::zero(), |sum, one| sum + cost(&one.noise));
            // 1/4 + 9/10·3/4.
            assert_eq!(spent, Rational::parse(price).unwrap() * Rational::ratio(37, 40), "{price}");
        }
    }

    #[test]
    fn candidates_are_counted_before_they_are_listed() {
        assert_eq!([choose(5, 2), choose(5, 3), choose(2, 3), choose(256, 3)], [10, 10, 0, 2_763_520]);
        let many = Domain::new(vec![2; 256]).unwrap();
        let recipe = Recipe::new(Method::Aim).with_settings("degree = 3").unwrap();
        let refused =
            Aim::new(&recipe, &many, 1, &Spend::Concentrated(Rho::parse("1").unwrap())).err().unwrap();
        assert!(refused.to_string().contains("choose fewer columns"), "{refused}");
    }
}
