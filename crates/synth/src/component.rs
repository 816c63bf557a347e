//! Columns that hang together, fitted to what was measured of them.
//!
//! **Method.** Among distributions over the cliques, one that is likeliest to have given the noisy numbers: least Σ weight·(N·μ − y)²/2 with
//! weight 1/variance, by mirror descent on logarithmic potentials (McKenna, Sheldon, Miklau 2019, arXiv:1901.09136, Algorithm 1; the step is
//! accepted when the loss falls by at least half of what the slope promised). Only post-processing: nothing here sees rows.

use crate::Domain;
use crate::attribute_set::AttributeSet;
use crate::propagation::{Beliefs, Propagation};

/// What was measured of one set of columns: numbers and one over their variances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub set: AttributeSet,
    pub values: Vec<f64>,
    pub weights: Vec<f64>,
}

/// How long is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    pub iterations: u32,
    /// A fit ends when a round of iterations lowers the loss by less than this part of it.
    pub least_gain: f64,
}

const GROWTH: f64 = 1.25;
/// Gains are looked at every so many iterations.
const LOOK: u32 = 8;
/// Potentials stay within this: e^−600 of a person is nobody.
const POTENTIAL_MAX: f64 = 600.0;

/// A connected part of a model.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub attributes: AttributeSet,
    pub targets: Vec<Target>,
    pub potentials: Vec<Vec<f64>>,
    pub propagation: Propagation,
    pub beliefs: Beliefs,
    step: f64,
}

impl Component {
    /// A part whose potentials are those given; all zero where there are none.
    pub fn new(
        domain: &Domain,
        attributes: AttributeSet,
        targets: Vec<Target>,
        potentials: Vec<Option<Vec<f64>>>,
    ) -> Self {
        let sets: Vec<AttributeSet> = targets.iter().map(|target| target.set).collect();
        let propagation = Propagation::new(domain, &attributes, &sets);
        let potentials: Vec<Vec<f64>> = targets
            .iter()
            .zip(potentials)
            .map(|(target, known)| known.unwrap_or_else(|| vec![0.0; target.values.len()]))
            .collect();
        let mut beliefs = Beliefs::default();
        propagation.propagate(&potentials, &mut beliefs);
        Self { attributes, targets, potentials, propagation, beliefs, step: 0.0 }
    }

    /// Fits the potentials; says the loss before and after every accepted step.
    pub fn fit(&mut self, total: f64, effort: Effort) -> Vec<f64> {
        let mut losses = Vec::new();
        if self.targets.is_empty() {
            return losses;
        }
        let mut gradients: Vec<Vec<f64>> = vec![Vec::new(); self.targets.len()];
        let mut next_gradients = gradients.clone();
        let mut marginals: Vec<Vec<f64>> = vec![Vec::new(); self.targets.len()];
        let mut next_marginals = marginals.clone();
        let mut loss = self.slopes(&self.beliefs, total, &mut marginals, &mut gradients);
        losses.push(loss);
        let heaviest = self.targets.iter().flat_map(|target| &target.weights).copied().fold(0.0, f64::max);
        if self.step == 0.0 {
            self.step = 2.0 / (total * heaviest.max(f64::MIN_POSITIVE));
        }
        let mut next_beliefs = Beliefs::default();
        let mut next: Vec<Vec<f64>> = self.potentials.clone();
        let mut before = loss;
        for iteration in 1..=effort.iterations {
            for ((next, old), gradient) in next.iter_mut().zip(&self.potentials).zip(&gradients) {
                for ((next, old), slope) in next.iter_mut().zip(old).zip(gradient) {
                    *next = (old - self.step * slope).clamp(-POTENTIAL_MAX, POTENTIAL_MAX);
                }
            }
            self.propagation.propagate(&next, &mut next_beliefs);
            let next_loss = self.slopes(&next_beliefs, total, &mut next_marginals, &mut next_gradients);
            let promised: f64 = gradients
                .iter()
                .zip(marginals.iter().zip(&next_marginals))
                .map(|(gradient, (old, new))| {
                    gradient
                        .iter()
                        .zip(old.iter().zip(new))
                        .map(|(g, (old, new))| g * (old - new))
                        .sum::<f64>()
                })
                .sum::<f64>()
                * total;
            // Not `next_loss > …`: a loss that is no number is refused too.
            if loss - next_loss >= 0.5 * promised && next_loss <= loss {
                std::mem::swap(&mut self.potentials, &mut next);
                std::mem::swap(&mut self.beliefs, &mut next_beliefs);
                std::mem::swap(&mut gradients, &mut next_gradients);
                std::mem::swap(&mut marginals, &mut next_marginals);
                loss = next_loss;
                losses.push(loss);
                self.step *= GROWTH;
            } else {
                self.step *= 0.5;
                if self.step * total * heaviest < 1e-12 {
                    break;
                }
            }
            if iteration % LOOK == 0 {
                if before - loss <= effort.least_gain * before {
                    break;
                }
                before = loss;
            }
        }
        losses
    }

    /// The loss, and its slope for every cell of every measured set.
    fn slopes(
        &self,
        beliefs: &Beliefs,
        total: f64,
        marginals: &mut [Vec<f64>],
        slopes: &mut [Vec<f64>],
    ) -> f64 {
        let mut loss = 0.0;
        for (factor, (target, (marginal, slope))) in
            self.targets.iter().zip(marginals.iter_mut().zip(slopes.iter_mut())).enumerate()
        {
            self.propagation.marginal(factor, beliefs, marginal);
            slope.clear();
            let mut part = 0.0;
            for ((probability, value), weight) in marginal.iter().zip(&target.values).zip(&target.weights) {
                let gap = probability * total - value;
                part += weight * gap * gap;
                slope.push(weight * gap);
            }
            loss += part * 0.5;
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::broadcast::Broadcast;
    use crate::propagation::tests::{brute_force, random_model};

    /// Specification: the loss never rises, and marginals that some distribution has are reached.
    #[test]
    fn the_loss_never_rises_and_true_marginals_are_reached() {
        let mut words = seeded(4);
        for round in 0..40 {
            let (domain, sets, potentials) = random_model(&mut words);
            let all: Vec<usize> = (0..domain.attributes()).collect();
            let joint = brute_force(&domain, &sets, &potentials);
            let total = 1000.0;
            let target = |set: &AttributeSet| {
                let mut values = vec![0.0; domain.cells(&set.to_vec()) as usize];
                Broadcast::new(&all, &set.to_vec(), |a| domain.size(a)).sum(&joint, &mut values);
                values.iter_mut().for_each(|value| *value *= total);
                Target { set: *set, weights: vec![1.0; values.len()], values }
            };
            let targets: Vec<Target> = sets.iter().map(target).collect();
            let known = vec![None; targets.len()];
            let mut part = Component::new(&domain, AttributeSet::of(&all), targets, known);
            let losses = part.fit(total, Effort { iterations: 2000, least_gain: 0.0 });
            assert!(losses.windows(2).all(|pair| pair[1] <= pair[0]), "round {round}");
            let (first, last) = (losses[0], losses[losses.len() - 1]);
            assert!(last <= 1e-4 * first + 1e-9, "round {round}: {first} to {last}");
        }
    }

    #[test]
    fn numbers_that_no_distribution_has_are_fitted_without_a_panic() {
        let domain = Domain::new(vec![3, 1]).unwrap();
        for values in [vec![-1e18, 5e17, 0.0], vec![0.0; 3], vec![1e18; 3]] {
            let target = Target { set: AttributeSet::of(&[0]), weights: vec![1e-30; 3], values };
            let mut part = Component::new(&domain, AttributeSet::of(&[0]), vec![target], vec![None]);
            part.fit(1.0, Effort { iterations: 100, least_gain: 0.0 });
            assert!(part.beliefs.cliques[0].iter().all(|cell| cell.is_finite()));
        }
    }
}
