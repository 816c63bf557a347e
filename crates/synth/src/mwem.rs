//! MWEM: a fixed number of rounds, each a choice of the marginal that the model is most wrong about, and its noisy counts.
//!
//! **Guarantee.** A release for a price of ρ is ρ-zCDP; for a price of ε it is ε-differentially private.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A twentieth of the price for the number of rows, which nobody knows before, and equal shares of the rest for the rounds; in each, a tenth of ρ or a half of ε for
//! the choice (`selection.rs`, weight 1), the rest for the marginal (`noisy_marginal.rs`). The shares are exact; adaptive composition.
//! **Source.** Hardt, Ligett, McSherry 2012, arXiv:1012.4763, Algorithm 1, with marginals in place of single queries and a graphical model in place of
//! multiplicative weights (McKenna, Sheldon, Miklau 2019, arXiv:1901.09136, section 4.2).

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use rayon::prelude::*;

use crate::attribute_set::AttributeSet;
use crate::domain::subsets;
use crate::graphical_model::GraphicalModel;
use crate::histogram::{Renumbering, histograms};
use crate::measured::NoisyMarginal;
use crate::mst::fitting;
use crate::selection::Score;
use crate::synthesizer::{CANDIDATES_MAX, RELEASED_CELLS_MAX, deviation, rounded};
use crate::{CodeRows, Domain, Measured, Progress, Recipe, SynthError, noisy_marginal, selection};

/// The plan: what each step may lose.
pub(crate) struct Mwem {
    domain: Domain,
    rows_per_person: u32,
    recipe: Recipe,
    total: Spend,
    /// For each round the prices of the choice and of the marginal.
    rounds: Vec<(Spend, Spend)>,
}

impl Mwem {
    pub fn new(
        recipe: &Recipe,
        domain: &Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        let workload = subsets_count(domain, recipe);
        if workload > CANDIDATES_MAX {
            return Err(SynthError::parameter(format!(
                "{workload} marginals are too many to choose from; choose fewer columns, or a lower degree"
            )));
        }
        let rounds = recipe.rounds.map_or(domain.attributes(), |rounds| rounds as usize);
        let parts = spend.split(&[1, 19])?;
        let shares = match spend {
            Spend::Concentrated(_) => [1, 9],
            Spend::Pure(_) => [1, 1],
        };
        let round = |spend: &Spend| -> Result<(Spend, Spend), SynthError> {
            let mut both = spend.split(&shares)?;
            both[0].bounded_range()?;
            let marginal = both.remove(1);
            Ok((both.remove(0), marginal))
        };
        let rounds = parts[1].split(&vec![1; rounds])?.iter().map(round).collect::<Result<_, _>>()?;
        Ok(Self {
            domain: domain.clone(),
            rows_per_person,
            recipe: recipe.clone(),
            total: parts[0].clone(),
            rounds,
        })
    }

    pub fn outlook(&self, words: &mut Vec<String>) {
        let noise = self.rounds.first().map_or(0.0, |(_, spend)| deviation(self.rows_per_person, spend));
        words.push(format!(
            "{} marginals, chosen one by one, with noise of {} on each count",
            self.rounds.len(),
            rounded(noise)
        ));
    }

    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Measured, SynthError> {
        progress(Progress { stage: "rows", done: 0.0 });
        let (k, domain) = (self.rows_per_person, &self.domain);
        let cells_max = self.recipe.model_cells_max();
        let sets = subsets(domain.attributes(), self.recipe.degree_of(domain));
        let candidates = fitting(sets, domain, cells_max);
        let all: Vec<Vec<usize>> = [Vec::new()].into_iter().chain(candidates.iter().cloned()).collect();
        let mut counts = histograms(rows, Renumbering { domain, maps: &[], target: domain }, &all)?;
        let total = counts.remove(0);
        let mut measured = Measured::default();
        let (noise, cells) = noisy_marginal::release(&total, k, &self.total, bits)?;
        measured.marginals.push(NoisyMarginal { attributes: Vec::new(), merged: true, noise, cells });
        let sets: Vec<AttributeSet> = candidates.iter().map(|set| AttributeSet::of(set)).collect();
        let mut model = GraphicalModel::uniform(domain, 1.0);
        let mut left = RELEASED_CELLS_MAX - 1;
        for (index, (choice, marginal)) in self.rounds.iter().enumerate() {
            progress(Progress { stage: "rounds", done: index as f64 / self.rounds.len() as f64 });
            model.fit(&measured.observations(), self.recipe.round_effort());
            let room = cells_max.saturating_mul(index as u64 + 1) / self.rounds.len() as u64;
            let fits = |index: &usize| {
                domain.cells(&candidates[*index]) <= left
                    && (model.has_clique(&sets[*index]) || model.cells_with(&sets[*index]) <= room)
            };
            let open: Vec<usize> = (0..candidates.len()).into_par_iter().filter(fits).collect();
            if open.is_empty() {
                continue;
            }
            let score = |index: &usize| {
                let cells = model.marginal(&candidates[*index]);
                Score::new(&counts[*index], &cells, 1, cells.len() as f64)
            };
            let scores: Vec<Score> = open.par_iter().map(score).collect();
            let chosen = open[selection::release(&scores, k, choice, bits)?];
            let (noise, cells) = noisy_marginal::release(&counts[chosen], k, marginal, bits)?;
            left -= cells.len() as u64;
            measured.marginals.push(NoisyMarginal {
                attributes: candidates[chosen].clone(),
                merged: true,
                noise,
                cells,
            });
        }
        progress(Progress { stage: "done", done: 1.0 });
        Ok(measured)
    }
}

fn subsets_count(domain: &Domain, recipe: &Recipe) -> u64 {
    let (d, r) = (domain.attributes() as u64, recipe.degree_of(domain) as u64);
    (0..r).fold(1, |all, at| all * d.saturating_sub(at) / (at + 1))
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
        for spend in
            [Spend::Concentrated(Rho::parse("1/7").unwrap()), Spend::Pure(Epsilon::parse("0.3").unwrap())]
        {
            for rounds in [1, 5, 30] {
                let recipe = Recipe::new(Method::Mwem).with_settings(&format!("rounds = {rounds}")).unwrap();
                let plan = Mwem::new(&recipe, &Domain::new(vec![2, 3, 4]).unwrap(), 1, &spend).unwrap();
                assert_eq!(plan.rounds.len(), rounds);
                let both = |sum, (choice, marginal): &(Spend, Spend)| sum + value(choice) + value(marginal);
                assert_eq!(plan.rounds.iter().fold(value(&plan.total), both), value(&spend));
            }
        }
    }
}
