//! The degree distribution, by ties kept under a threshold of the degree.
//!
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Graphs that differ in one node with all its ties; how many nodes there are is private.
//! **Method.** Ties are dropped in a public order until no node has more than θ
//! ([`projection`](super::projection)), θ chosen privately ([`choice`](super::choice)). With `c(i)` the
//! number of nodes that keep at most i ties, the sums of c over groups of degrees are released with noise of
//! scale `(θ + 1)/(17⁄20·ε)`. Small degrees stand alone, larger ones in groups of a quarter of the degree, θ
//! alone again: `c(θ)` is the number of nodes.
//! **Proof.** A new node moves the `c(i)`, `i = 0 … θ`, by at most `θ + 1` in sum (`projection.rs`), hence
//! also the sums over disjoint groups. For the choice the values are the kept ties, which do not fall and
//! rise by at most θ. The choice costs 3⁄20 of ε, the sums the rest, and losses add up.
//! **Figures.** Group means are brought into rising order (least squares, weights by the variance of a mean),
//! every group is filled with a piece of a parabola that keeps the mean and never falls (Colella and Woodward
//! 1984), and the result is turned into numbers of nodes with *at least* so many ties.
//! **Intervals.** Each holds on its own with probability 95 %. Nodes keep no more ties than they have, so the
//! count of nodes that keep at least d is at most the count of those that have at least d: `c(θ) − c(d − 1)`,
//! bounded from below, is a lower end. Above there is only the number of nodes. Three draws of noise matter,
//! each on one side, 1⁄60 each.
//! **Constants.** A threshold costs about `θ^{3/2}/ε`, the length of the noise vector: allowances are that,
//! prices six times that. Chosen once by the Kolmogorov-Smirnov distance on nineteen graphs, with all other
//! constants, and flat around the choice.
//! **Error.** Mean Kolmogorov-Smirnov distance to the true distribution at ε = 1, on graphs of 4 000 to 80
//! 000 nodes: 0.006 where no degree exceeds 112, 0.01 to 0.04 on most, 0.07 to 0.1 where degrees reach a
//! thousand and more; on 1 000 to 2 000 nodes 0.1 to 0.15.
//! **Exactness.** Integers and rationals until the release; figures are floats, rounded.
//! **Not covered.** Ties beyond θ: figures near θ and above are too small by what was cut off. Timing.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_mechanisms::Scores;
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use super::choice::{Candidate, ThresholdChoice};
use super::edges::degree_thresholds;
use super::projection::OrderedTies;
use crate::{Answer, Draw, Estimate, Figure, Graph, GraphError, Mechanism, Outlook};

/// The thresholds 1, 2, 4, 8 and 16 have no handicap.
const UNHANDICAPPED: usize = 5;
/// A group is this part of its first degree long.
const GROUPS_PER_DOUBLING: u64 = 4;
/// Degrees up to this one are all shown, larger ones where a group begins.
const SHOWN_MOST: u64 = 1 << 10;

/// How many nodes have at least each degree.
#[derive(Clone, Debug)]
pub struct ProjectedDegrees {
    thresholds: Vec<u64>,
    choice: ThresholdChoice,
    noises: Vec<GeometricMechanism>,
    loss: Loss,
}

impl ProjectedDegrees {
    /// The distribution at this price.
    pub fn new(epsilon: &Epsilon) -> Result<Self, GraphError> {
        let epsilon_choice = Epsilon::new(epsilon.value() * &Rational::ratio(3, 20))?;
        let epsilon_sums = Epsilon::new(epsilon.value() - epsilon_choice.value())?;
        let thresholds = degree_thresholds();
        let handicap_step = Rational::ratio(7, 5);
        let candidate = |(index, threshold): (usize, &u64)| {
            let rise_max = u128::from(*threshold);
            let cost = Rational::from(rise_max.pow(3).isqrt()) / epsilon.value().clone();
            Candidate {
                rise_max,
                fall_max: 0,
                price: &Rational::from(6) * &cost,
                allowance: cost,
                handicap: &handicap_step * &Rational::from((index + 1).saturating_sub(UNHANDICAPPED)),
            }
        };
        let candidates = thresholds.iter().enumerate().map(candidate).collect();
        let choice = ThresholdChoice::new(candidates, &epsilon_choice)?;
        let noise = |threshold: &u64| {
            let sensitivity = SensitivityL1::new(Rational::from(threshold + 1))?;
            Ok::<_, GraphError>(GeometricMechanism::new(&sensitivity, &epsilon_sums)?)
        };
        let noises = thresholds.iter().map(noise).collect::<Result<_, _>>()?;
        let loss = choice.loss().then(&Loss::pure(epsilon_sums)).unwrap_or(Loss::pure(epsilon.clone()));
        Ok(Self { thresholds, choice, noises, loss })
    }
}

impl ProjectedDegrees {
    /// The scores of the thresholds: the more ties are kept, the better, until noise outweighs them.
    fn scores(&self, ties: &OrderedTies) -> Scores {
        let kept: Vec<i128> = ties.kept_edges(&self.thresholds).into_iter().map(i128::from).collect();
        self.choice.scores(&kept, &[])
    }

    fn sums(&self, ties: &OrderedTies, index: usize) -> Vec<i128> {
        group_sums(&ties.kept_degrees(self.thresholds[index]), self.thresholds[index])
    }

    fn noisy(&self, index: usize, sums: &[i128], bits: &mut dyn SecureBits) -> Vec<i128> {
        std::iter::once(index as i128).chain(self.noises[index].release_all(sums, bits)).collect()
    }
}

impl Mechanism for ProjectedDegrees {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let words = [
            "the error grows with the degree at which few nodes stand out, and falls with nodes times ε",
            "typical at ε = 1 and 4,000 nodes or more: shares of nodes are right within 1 to 10 points in 100",
            "ties beyond a threshold a node, chosen privately, are cut off: more nodes may have high degrees",
        ];
        Outlook { error_95: None, words: words.map(str::to_owned).to_vec() }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        let ties = OrderedTies::of(graph);
        let index = self.choice.release_scored(&self.scores(&ties), bits);
        self.noisy(index, &self.sums(&ties, index), bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        let ties = OrderedTies::of(graph);
        let scores = self.scores(&ties);
        let sums: Vec<Vec<i128>> = (0..self.thresholds.len()).map(|index| self.sums(&ties, index)).collect();
        Box::new(move |bits| {
            let index = self.choice.release_scored(&scores, bits);
            self.noisy(index, &sums[index], bits)
        })
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let (index, sums) = released.split_first()?;
        let index = usize::try_from(*index).ok().filter(|index| *index < self.noises.len())?;
        let threshold = self.thresholds[index];
        let starts = group_starts(threshold);
        if sums.len() + 1 != starts.len() {
            return None;
        }
        // Noise reaches the bound on either side with probability 1⁄30, so on one side with 1⁄60.
        let rare = FailureProbability::new(Rational::ratio(1, 30)).expect("a probability");
        let reach = self.noises[index].error_bound(&rare) as f64 - 1.0;
        let curve = Curve::new(&starts, sums);
        let shown =
            (0..=threshold.min(SHOWN_MOST)).chain(starts.iter().copied().filter(|start| *start > SHOWN_MOST));
        // Curves never rise, but the last digit of a float may.
        let mut least = f64::INFINITY;
        let estimate = |degree| {
            let estimate = curve.estimate(degree, least, reach);
            least = estimate.value.as_f64();
            estimate
        };
        let estimates = shown.filter(|degree| *degree <= threshold).map(estimate).collect();
        let notes = vec![
            "each figure is the number of nodes with at least that many ties".to_owned(),
            "each interval holds for its own degree with 95 %, not all of them at once".to_owned(),
            format!("of every node at most {threshold} ties are counted: more nodes may have high degrees"),
        ];
        Some(Answer { estimates, notes })
    }
}

/// The first degree of each group, and one more than the last degree, which is the threshold.
fn group_starts(threshold: u64) -> Vec<u64> {
    let next = |start: &u64| Some(start + (start / GROUPS_PER_DOUBLING).max(1));
    let before_last = std::iter::successors(Some(0), next).take_while(|start| *start < threshold);
    before_last.chain([threshold, threshold + 1]).collect()
}

/// The sums over groups of how many nodes keep at most each number of ties.
fn group_sums(kept: &[u32], threshold: u64) -> Vec<i128> {
    let most = kept.iter().max().copied().unwrap_or(0) as usize;
    let mut at_most = vec![0i128; most + 1];
    kept.iter().for_each(|degree| at_most[*degree as usize] += 1);
    for degree in 1..at_most.len() {
        at_most[degree] += at_most[degree - 1];
    }
    let sum = |group: &[u64]| {
        let [start, end] = [group[0], group[1]];
        let known = at_most.len() as u64;
        // Beyond the largest kept degree every node counts.
        let beyond = i128::from(end.max(known) - start.max(known)) * kept.len() as i128;
        at_most[start.min(known) as usize..end.min(known) as usize].iter().sum::<i128>() + beyond
    };
    group_starts(threshold).windows(2).map(sum).collect()
}

/// The noisy distribution: how many nodes keep at most each number of ties.
struct Curve<'a> {
    starts: &'a [u64],
    sums: &'a [i128],
    /// The means of groups in rising order, none below zero.
    rising: Vec<f64>,
}

impl<'a> Curve<'a> {
    fn new(starts: &'a [u64], sums: &'a [i128]) -> Self {
        let widths: Vec<f64> = starts.windows(2).map(|group| (group[1] - group[0]) as f64).collect();
        let means: Vec<(f64, f64)> =
            sums.iter().zip(widths).map(|(sum, width)| (*sum as f64 / width, width * width)).collect();
        let rising = never_falling(&means).into_iter().map(|mean| mean.max(0.0)).collect();
        Self { starts, sums, rising }
    }

    fn width(&self, group: usize) -> f64 {
        (self.starts[group + 1] - self.starts[group]) as f64
    }

    /// How many nodes have at most this many ties.
    fn at_most(&self, degree: u64) -> f64 {
        let group = self.starts.partition_point(|start| *start <= degree) - 1;
        let mean = self.rising[group];
        // Between two groups the curve passes through the mean of their means, the narrower one counting
        // more.
        let edge = |other: usize| {
            let weight = self.width(other) / (self.width(group) + self.width(other));
            mean * weight + self.rising[other] * (1.0 - weight)
        };
        let mut left = if group == 0 { mean } else { edge(group - 1) };
        let mut right = if group + 1 == self.rising.len() { mean } else { edge(group + 1) };
        // A parabola with this mean and these ends may have its extremum inside: then the farther end gives
        // way.
        let bend = 6.0 * (mean - f64::midpoint(left, right));
        if bend > right - left {
            left = 3.0 * mean - 2.0 * right;
        } else if bend < left - right {
            right = 3.0 * mean - 2.0 * left;
        }
        let bend = 6.0 * (mean - f64::midpoint(left, right));
        // The mean over the degree's own part of the group, of t and of t·(1 − t).
        let from = (degree - self.starts[group]) as f64 / self.width(group);
        let to = from + 1.0 / self.width(group);
        let middle = f64::midpoint(from, to);
        let square = (from * from + from * to + to * to) / 3.0;
        left + (right - left) * middle + bend * (middle - square)
    }

    /// How many nodes have at least this many ties, and no more of them than `most`.
    fn estimate(&self, degree: u64, most: f64, reach: f64) -> Estimate {
        let last = self.sums.len() - 1;
        let nodes = self.sums[last] as f64;
        let (mut lower, upper) = (nodes - reach, nodes + reach);
        let mut value = self.rising[last];
        if let Some(below) = degree.checked_sub(1) {
            value -= self.at_most(below);
            // The curve rises: its value is at most the mean of any group that begins there or later.
            let group = self.starts.partition_point(|start| *start < below).min(last);
            let beyond = lower - (self.sums[group] as f64 + reach) / self.width(group);
            lower = if group == last { 0.0 } else { beyond };
        }
        // The figure uses more sums than the interval; the interval is widened to hold it.
        let figure = value.max(0.0).round().min(most);
        let [lower, upper] = [lower.max(0.0).min(figure), upper.max(figure)];
        Estimate { degree: Some(degree), value: Figure::Whole(figure as i128), lower, upper }
    }
}

/// The closest values in rising order, least squares with these weights: neighbours out of order are pooled.
fn never_falling(weighted: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (value, weight) in weighted {
        let mut pool = (*value, *weight, 1);
        while let Some((before, heavier, count)) = pools.pop_if(|(before, ..)| *before >= pool.0) {
            let total = heavier + pool.1;
            pool = ((before * heavier + pool.0 * pool.1) / total, total, count + pool.2);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

#[cfg(test)]
mod tests;
