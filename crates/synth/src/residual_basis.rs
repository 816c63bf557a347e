//! All marginals of one degree through residuals: nothing is chosen, and every marginal comes with its error.
//!
//! **Guarantee.** A release for a price of ρ is ρ-zCDP; for a price of ε it is ε-differentially private.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** `workload/src/measurement.rs` for each residual, with prices that add up to the given one exactly (`workload/src/allocation.rs`). That proof begins with a person who moves one cell of the
//! cube by at most k. A person with k rows moves the cube by a sum of k unit vectors, which is the mean of k moves of one cell by k each; what is measured is linear in
//! the cube, and L1 and L2 norms are convex, so that this person moves it by no more.
//! **Source.** Xiao, He, Zhang, Kifer 2023, arXiv:2305.08175, for the residuals and their prices. Rows are drawn from a graphical model of the reconstructed marginals, which is
//! post-processing: pairs are taken in the order of how far from independent they are, as long as the model has room.

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use pointillist_workload::{
    Attribute, Axis, Budget, Cube, Depths, Goal, Measurement, Moved, Reconstruction, Wanted, What, allocate,
    choose,
};

use crate::attribute_set::AttributeSet;
use crate::compression::nearest_on_simplex;
use crate::domain::subsets;
use crate::graphical_model::{GraphicalModel, Observation};
use crate::histogram::{Renumbering, histograms};
use crate::junction_tree::{maximal_cliques, model_cells};
use crate::measured::NoisyResidual;
use crate::model::Evidence;
use crate::synthesizer::{RELEASED_CELLS_MAX, rounded};
use crate::{CodeRows, Domain, Measured, Model, Progress, Recipe, SynthError, noisy_marginal};

/// The plan: what is measured, each at its price.
pub(crate) struct ResidualBasis {
    domain: Domain,
    cube: Cube,
    degree: usize,
    measurements: Vec<Measurement>,
    expected: f64,
}

impl ResidualBasis {
    pub fn new(
        recipe: &Recipe,
        domain: &Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        let (d, degree) = (domain.attributes(), recipe.degree_of(domain));
        let count = (0..degree as u64).fold(1u64, |all, at| all * (d as u64 - at) / (at + 1));
        let too_large = || {
            SynthError::parameter(
                "these columns have too many marginals, or too large ones, to measure all of them; choose fewer columns, a \
                 lower degree, or mst or aim, which choose among marginals and merge rare values",
            )
        };
        if count > 20_000 {
            return Err(too_large());
        }
        let workload = subsets(d, degree);
        let cells_of =
            |sets: &[Vec<usize>]| sets.iter().map(|set| domain.cells(set)).fold(0, u64::saturating_add);
        let cells = cells_of(&workload);
        // Whatever is measured is a part of the workload's tables, each at most once.
        let released = (0..degree).map(|count| cells_of(&subsets(d, count))).fold(cells, u64::saturating_add);
        if released > RELEASED_CELLS_MAX {
            return Err(too_large());
        }
        let attributes = domain.sizes().iter().map(|size| Attribute::categories(*size as usize));
        let cube = Cube::new(attributes.collect::<Result<_, _>>()?);
        let moved = Moved { bounded_at: cube.finest(), groups: 1, each: i128::from(rows_per_person) };
        // Sums of squares over cells: a marginal counts as often as it has cells.
        let wanted: Vec<Wanted> = workload
            .iter()
            .map(|set| Wanted {
                depths: depths(d, set),
                goal: Goal::Weight(domain.cells(set) as f64),
                ranges: false,
            })
            .collect();
        let budget = Budget::Given(spend.clone());
        let priced = |list: Vec<(What, Spend)>| {
            let measurement = |(what, spend)| Measurement::new(&cube, what, moved.clone(), &spend);
            list.into_iter().map(measurement).collect::<Result<Vec<_>, _>>()
        };
        // In ε other measurements may be better than residuals; where one of them would get too small a share, residuals it is.
        let chosen = match spend {
            Spend::Concentrated(_) => None,
            Spend::Pure(_) => {
                let axes: Vec<Axis> =
                    domain.sizes().iter().map(|size| Axis::Categories(*size as usize)).collect();
                choose(&axes, &wanted, &moved, &budget)
                    .and_then(|choice| priced(choice.chosen().measurements.clone()))
                    .ok()
            }
        };
        let measurements = match chosen {
            Some(measurements) => measurements,
            None => priced(allocate(&cube, &wanted, &moved, &budget)?)?,
        };
        let mut plan = Self { domain: domain.clone(), cube, degree, measurements, expected: 0.0 };
        if cells <= 1 << 22 {
            let zero = |measurement: &Measurement| NoisyResidual {
                attributes: set_of(measurement.what().depths()),
                rows: vec![0; measurement.rows()],
            };
            let zeros: Vec<NoisyResidual> = plan.measurements.iter().map(zero).collect();
            let reconstruction = plan.reconstruction(&zeros)?;
            let variance = |set: &Vec<usize>| {
                reconstruction.variances(&depths(d, set)).map(|all| all.first().copied().unwrap_or(0.0))
            };
            let variances = workload.iter().map(variance).collect::<Result<Vec<f64>, _>>()?;
            plan.expected = (variances.iter().sum::<f64>() / variances.len() as f64).sqrt();
        }
        Ok(plan)
    }

    pub fn outlook(&self, words: &mut Vec<String>) {
        let noise = if self.expected > 0.0 {
            format!(", with noise of about {} on each count", rounded(self.expected))
        } else {
            String::new()
        };
        words.push(format!("all marginals of {} columns{noise}", self.degree));
    }

    pub fn release<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Measured, SynthError> {
        progress(Progress { stage: "marginals", done: 0.0 });
        let sets: Vec<Vec<usize>> = self.measurements.iter().map(|one| set_of(one.what().depths())).collect();
        let renumbering = Renumbering { domain: &self.domain, maps: &[], target: &self.domain };
        let counts = histograms(rows, renumbering, &sets)?;
        progress(Progress { stage: "residuals", done: 0.5 });
        let mut measured = Measured::default();
        for ((measurement, attributes), counts) in self.measurements.iter().zip(sets).zip(&counts) {
            let table: Vec<i128> = counts.iter().map(|count| i128::from(*count)).collect();
            let rows = measurement.release(&table, bits)?.into_iter().map(noisy_marginal::clamped).collect();
            measured.residuals.push(NoisyResidual { attributes, rows });
        }
        progress(Progress { stage: "done", done: 1.0 });
        Ok(measured)
    }

    fn reconstruction(&self, residuals: &[NoisyResidual]) -> Result<Reconstruction, SynthError> {
        if residuals.len() != self.measurements.len() {
            return Err(SynthError::misfit("there are other residuals"));
        }
        let mut measured = Vec::with_capacity(residuals.len());
        for (measurement, residual) in self.measurements.iter().zip(residuals) {
            if set_of(measurement.what().depths()) != residual.attributes {
                return Err(SynthError::misfit("there are other residuals"));
            }
            measured.push((measurement.clone(), residual.rows.iter().map(|row| i128::from(*row)).collect()));
        }
        Ok(Reconstruction::new(&self.cube, &measured)?)
    }

    /// Consistent marginals, and a graphical model of as many of them as there is room for.
    pub fn model(&self, recipe: &Recipe, domain: &Domain, measured: &Measured) -> Result<Model, SynthError> {
        let reconstruction = self.reconstruction(&measured.residuals)?;
        let d = domain.attributes();
        let mut evidence = Vec::new();
        for attributes in (0..=self.degree).flat_map(|count| subsets(d, count)) {
            let depths = depths(d, &attributes);
            let variance = reconstruction.variances(&depths)?.first().copied().unwrap_or(1.0).max(1e-12);
            evidence.push(Evidence {
                attributes,
                merged: false,
                values: reconstruction.values(&depths)?,
                variance,
                // A column with one value has no residual: nothing of its own is added.
                residual: Some(reconstruction.residual_variance(&depths).unwrap_or(0.0)),
            });
        }
        let total = evidence.first().map_or(1.0, |known| known.values[0]).max(1.0);
        let kept = self.kept(recipe, domain, &evidence, total);
        let observations: Vec<Observation> = evidence
            .iter()
            .filter(|known| {
                !known.attributes.is_empty() && kept.contains(&AttributeSet::of(&known.attributes))
            })
            .map(|known| Observation {
                attributes: known.attributes.clone(),
                values: known.values.clone(),
                variances: vec![known.variance; known.values.len()],
            })
            .collect();
        let mut model = GraphicalModel::uniform(domain, total);
        model.fit(&observations, recipe.last_effort());
        model.total = total;
        Ok(Model::of_evidence(domain, evidence, model))
    }

    /// The sets that the graphical model is fitted to: pairs by how far from independent they are, as long as there is room, and everything within
    /// the cliques that follow.
    fn kept(&self, recipe: &Recipe, domain: &Domain, evidence: &[Evidence], total: f64) -> Vec<AttributeSet> {
        let d = domain.attributes();
        let singles: Vec<Vec<f64>> = (0..d)
            .map(|attribute| match evidence.iter().find(|known| known.attributes == [attribute]) {
                Some(known) => nearest_on_simplex(&known.values, total),
                None => vec![total / domain.size(attribute) as f64; domain.size(attribute)],
            })
            .collect();
        let mut pairs: Vec<(f64, AttributeSet)> = Vec::new();
        for known in evidence {
            let &[one, other] = known.attributes.as_slice() else { continue };
            let values = nearest_on_simplex(&known.values, total);
            let independent =
                singles[one].iter().flat_map(|a| singles[other].iter().map(move |b| a * b / total));
            let distance: f64 =
                values.iter().zip(independent).map(|(value, product)| (value - product).abs()).sum();
            pairs.push((distance, AttributeSet::of(&known.attributes)));
        }
        pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let all = AttributeSet::of(&(0..d).collect::<Vec<_>>());
        let cells_max = recipe.model_cells_max();
        let mut chosen: Vec<AttributeSet> = Vec::new();
        for (_, pair) in pairs {
            chosen.push(pair);
            if model_cells(domain, &all, &chosen) > cells_max {
                chosen.pop();
            }
        }
        let cliques = maximal_cliques(domain, &all, &chosen);
        let sets: Vec<AttributeSet> =
            evidence.iter().map(|known| AttributeSet::of(&known.attributes)).collect();
        let held: Vec<AttributeSet> =
            sets.into_iter().filter(|set| cliques.iter().any(|clique| set.is_within(clique))).collect();
        // What is within a larger set that is held as well says nothing more: marginals are consistent.
        held.iter()
            .filter(|set| !held.iter().any(|other| other != *set && set.is_within(other)))
            .copied()
            .collect()
    }
}

fn depths(d: usize, set: &[usize]) -> Depths {
    let mut depths = vec![0; d];
    set.iter().for_each(|attribute| depths[*attribute] = 1);
    depths
}

fn set_of(depths: &[usize]) -> Vec<usize> {
    (0..depths.len()).filter(|attribute| depths[*attribute] > 0).collect()
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_workload::Norms;

    use super::*;
    use crate::Method;

    fn plan(sizes: &[u32], k: u32, spend: &Spend) -> ResidualBasis {
        let domain = Domain::new(sizes.to_vec()).unwrap();
        ResidualBasis::new(&Recipe::new(Method::Residual), &domain, k, spend).unwrap()
    }

    #[test]
    fn the_prices_of_all_measurements_add_up_to_the_given_one() {
        let value = |spend: &Spend| match spend {
            Spend::Pure(epsilon) => epsilon.value().clone(),
            Spend::Concentrated(rho) => rho.value().clone(),
        };
        for sizes in [vec![2, 3, 4], vec![5], vec![1, 7, 2, 2]] {
            for spend in
                [Spend::Concentrated(Rho::parse("1/7").unwrap()), Spend::Pure(Epsilon::parse("0.3").unwrap())]
            {
                let plan = plan(&sizes, 2, &spend);
                let sum =
                    plan.measurements.iter().fold(Rational::zero(), |sum, one| sum + value(one.spend()));
                assert_eq!(sum, value(&spend), "{sizes:?}");
            }
        }
    }

    /// Specification: however the rows of a person with up to three rows lie in a table of 2 by 3, no residual moves by more, in L1 or in L2, than
    /// it is said to move for one cell moved by as many; and some person does move one by all of it.
    #[test]
    fn a_person_with_several_rows_moves_a_residual_by_no_more_than_is_claimed() {
        let cube = Cube::new(vec![Attribute::categories(2).unwrap(), Attribute::categories(3).unwrap()]);
        for depths in [vec![1, 1], vec![1, 0], vec![0, 1], vec![0, 0]] {
            for k in 1..=3u32 {
                let moved = Moved { bounded_at: cube.finest(), groups: 1, each: i128::from(k) };
                let norms = Norms::new(&cube, &What::Residual(depths.clone()), &moved).unwrap();
                let (l1_most, l2_most) = (norms.l1.to_f64_nearest(), norms.l2_squared.to_f64_nearest());
                let mut largest: f64 = 0.0;
                for person in 0..6usize.pow(k) {
                    let mut table = [0.0; 6];
                    (0..k).for_each(|row| table[person / 6usize.pow(row) % 6] += 1.0);
                    let kept: Vec<usize> = set_of(&depths);
                    let size = |axis: usize| [2, 3][axis];
                    let walk = crate::broadcast::Broadcast::new(&[0, 1], &kept, size);
                    let mut cells = vec![0.0; walk.small_cells()];
                    walk.sum(&table, &mut cells);
                    for axis in &kept {
                        let others: Vec<usize> = kept.iter().copied().filter(|other| other != axis).collect();
                        let walk = crate::broadcast::Broadcast::new(&kept, &others, size);
                        let mut sums = vec![0.0; walk.small_cells()];
                        walk.sum(&cells, &mut sums);
                        sums.iter_mut().for_each(|sum| *sum /= -(size(*axis) as f64));
                        walk.add(&mut cells, &sums);
                    }
                    let l1: f64 = cells.iter().map(|cell| cell.abs()).sum();
                    let l2: f64 = cells.iter().map(|cell| cell * cell).sum();
                    assert!(l1 <= l1_most + 1e-12 && l2 <= l2_most + 1e-12, "{depths:?} {k}: {l1} {l2}");
                    largest = largest.max(l2 / l2_most);
                }
                assert!((largest - 1.0).abs() < 1e-12, "the bound is reached: {largest}");
            }
        }
    }
}
