//! A degree bound that holds for all but a few nodes, chosen privately.
//!
//! **Guarantee.** Rungs `(D, l)` are public. A graph is *crowded* at a rung when at least l of its nodes have
//! more than D ties (or, if a largest number of nodes was agreed on, when it has more nodes than that).
//! [`SafetyTest::choose`] says the first rung that passes a noisy test, or none. The choice alone is
//! ε₁-differentially private. Let a release follow that is ε₂-differentially private between neighbours of
//! which the larger is not crowded at the chosen rung, and nothing when no rung passes. Choice and release
//! together are (ε₁ + ε₂, δ)-differentially private, and δ-approximately (ρ₁ + ρ₂)-zCDP, ρ₁ that of every
//! pure ε₁ and ρ₂ that of the release.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Source.** Jain, Smith, Wagaman (2024), arXiv:2403.04630, for the scheme; distance, threshold and proof
//! are derived here.
//!
//! **The distance.** Let `dist(G)` be the number of nodes one has to add or take away until G is crowded. It
//! is a distance to a set of graphs in steps between neighbours, so one node moves it by at most 1. Being
//! crowded survives adding nodes. So taking nodes away never helps; and a graph H reached from G by k
//! additions is contained in what the same additions make of `G + w`, so `dist(G + w) ≤ dist(G)`: all rungs
//! move in one direction. Of all ways of adding k nodes, tying each to all others raises all degrees most: an
//! old node has then `d + k` ties and a new one `n + k − 1`. So dist is the least k with
//! `k·[n + k − 1 > D] + #{v : d_v + k > D} ≥ l`. Where `n + k − 1 ≤ D` no old node has more than D ties
//! either and, as l ≥ 1, the graph is not crowded: dist is the least `k ≥ D + 2 − n` with
//! `k + #{v : d_v ≥ D + 1 − k} ≥ l`. The distance to more than N nodes is `N + 1 − n`, and the distance to
//! either the smaller of the two.
//!
//! **Proof.** The choice is above threshold with monotone queries of sensitivity 1, ended by its first
//! answer: ε₁-private by the theorem of that mechanism. Let `G' = G + w`, and call a rung bad when G' is
//! crowded there: then G' has distance 0 and G at most 1. Noise V on the query and Z on the threshold T let
//! either pass only if `V − Z ≥ T − 1`, and T is the least integer for which the number of rungs times that
//! probability is at most δ. So on both sides a bad rung is chosen with probability at most δ. For an event E
//! of pairs (rung, answer), with no rung as an outcome without answer, `P(E) ≤ P(E, not bad) + δ`, and
//! `P(rung)·P(answer | rung) ≤ e^{ε₁}·P'(rung)·e^{ε₂}·P'(answer | rung)` where it is not bad. This is
//! (ε₁ + ε₂, δ), in both directions. *zCDP:* let p, p' be the laws of the rung, bad ones left out, of weights
//! `1 − b ≥ 1 − b'` say. Lower p where it exceeds p' until the weights agree, which is possible because these
//! excesses sum to at least `b' − b`, and keeps every ratio within `e^{±ε₁}`, so within ρ₁; scale both
//! weights down to `1 − δ`. What remains of the two joint laws are two laws of pairs whose rungs cost ρ₁ and
//! whose answers, given the rung, cost ρ₂; the rest has weight δ. ∎
//! **Threshold.** With noise of one scale on both, `a = e^{−1/scale}` and x ≥ 0,
//! `P[V − Z ≥ x] = a^x·((x + 1)(1 − a) + a + 2a²/(1 + a))/(1 + a)²`, the sum of
//! `P[V − Z = k] = ((1 − a)/(1 + a))²·a^k·(k + 1 + 2a²/(1 − a²))`.
//! **Error.** A graph at distance [`SafetyTest::distance_needed`] passes a rung but for the stated
//! probability.
//! **Exactness.** Integers and exact noise; the threshold is rounded up from enclosures.
//! **Not covered.** Timing. That the release is private given the rung is its own to prove.

use pointillist_mechanisms::Movement;
use pointillist_mechanisms::number::loss_upper::rho_of_pure;
use pointillist_mechanisms::{AboveThreshold, stream::above_threshold::Answer};
use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Guarantee, Loss, Rho, SensitivityLInf};

use crate::kernel::degrees;
use crate::{Graph, GraphError};

/// Bits behind the point of a probability: δ ends at 1e-60, scales at 2^100.
const PRECISION: usize = 640;
/// Thresholds end here, far beyond any number of nodes.
const THRESHOLD_MAX: u64 = 1 << 40;
/// The rungs of a ladder, each a quarter above the one before: a factor of 6000 from the first to the last.
const LADDER_RUNGS: usize = 40;

/// A degree bound, and how many nodes above it are a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// D: the bound on degrees.
    pub bound: u32,
    /// l: with this many nodes above the bound a graph is crowded.
    pub crowd: u64,
}

/// A private choice of a rung at which a graph is far from crowded.
#[derive(Clone, Debug)]
pub struct SafetyTest {
    rungs: Vec<Rung>,
    nodes_max: Option<u32>,
    epsilon: Epsilon,
    delta: Delta,
    mechanism: AboveThreshold,
    threshold: u64,
}

impl SafetyTest {
    /// The test over these rungs, which choose from the first on. With `nodes_max`, graphs with more nodes
    /// are crowded.
    pub fn new(
        rungs: Vec<Rung>,
        nodes_max: Option<u32>,
        epsilon: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, GraphError> {
        if rungs.is_empty() || rungs.iter().any(|rung| rung.bound == 0 || rung.crowd == 0) {
            return Err(GraphError::refused(
                "a test of degree bounds needs bounds and crowds of at least 1",
                "give at least one rung of positive numbers",
            ));
        }
        let (mechanism, threshold) = calibrated(rungs.len(), epsilon, delta)?;
        let (epsilon, delta) = (epsilon.clone(), delta.clone());
        Ok(Self { rungs, nodes_max, epsilon, delta, mechanism, threshold })
    }

    /// The test over a ladder of bounds, each a quarter above the one before. It begins where a graph can
    /// just pass: below the distance needed no graph does. `crowd` says from the bound and the distance
    /// needed how many nodes above the bound are a crowd.
    pub fn ladder(
        crowd: impl Fn(u32, u64) -> u64,
        nodes_max: Option<u32>,
        epsilon: &Epsilon,
        delta: &Delta,
    ) -> Result<Self, GraphError> {
        let (mechanism, threshold) = calibrated(LADDER_RUNGS, epsilon, delta)?;
        let needed =
            threshold + reach(&scale(&mechanism), 1, &Rational::ratio(1, 20)).unwrap_or(THRESHOLD_MAX);
        let mut bound = needed + needed.div_ceil(4);
        let mut rungs = Vec::with_capacity(LADDER_RUNGS);
        for _ in 0..LADDER_RUNGS {
            let bound_u32 = u32::try_from(bound).map_err(|_| too_fine())?;
            rungs.push(Rung { bound: bound_u32, crowd: crowd(bound_u32, needed).max(1) });
            bound += bound.div_ceil(4);
        }
        Self::new(rungs, nodes_max, epsilon, delta)
    }

    /// The rungs.
    pub fn rungs(&self) -> &[Rung] {
        &self.rungs
    }

    /// The rung of this bound.
    pub fn rung(&self, bound: i128) -> Option<usize> {
        self.rungs.iter().position(|rung| i128::from(rung.bound) == bound)
    }

    /// The noisy distance has to reach the noisy value of this.
    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    /// A graph this far from crowded at a rung passes there but for probability β.
    pub fn distance_needed(&self, beta: &FailureProbability) -> u64 {
        // At distance T + x − 1 a graph fails when Z − V ≥ x, which has the law of V − Z.
        self.threshold + reach(&scale(&self.mechanism), 1, beta.value()).unwrap_or(THRESHOLD_MAX) - 1
    }

    /// What the choice costs when nothing follows: pure ε₁.
    pub fn loss(&self) -> Loss {
        let pure = self.mechanism.loss();
        match rho_of_pure(&self.epsilon) {
            Some(rho) => pure.and(Guarantee::ZeroConcentrated { rho }),
            None => pure,
        }
    }

    /// What the choice costs together with a release of this ε₂, and of this ρ₂ where one is proven.
    pub fn loss_with(&self, epsilon_release: &Epsilon, rho_release: Option<Rho>) -> Result<Loss, GraphError> {
        let loss = Loss::approximate(self.epsilon.plus(epsilon_release)?, self.delta.clone());
        let rho = rho_of_pure(&self.epsilon).zip(rho_release).and_then(|(a, b)| a.plus(&b).ok());
        Ok(match rho {
            Some(rho) => loss.and(Guarantee::ApproximateZeroConcentrated { rho, delta: self.delta.clone() }),
            None => loss,
        })
    }

    /// The first rung that passes, by its place; none when no rung does.
    pub fn choose(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Option<usize> {
        let at_least = degrees::at_least(graph);
        let threshold = self.threshold as i64;
        let mut session = self.mechanism.start(bits);
        self.rungs.iter().position(|rung| {
            let distance = self.distance(&at_least, graph.nodes(), rung);
            session.ask(distance as i64, threshold, bits) == Ok(Answer::Above)
        })
    }

    fn distance(&self, at_least: &[u64], nodes: u32, rung: &Rung) -> u64 {
        let to_crowd = distance(at_least, nodes, rung);
        match self.nodes_max {
            Some(max) => to_crowd.min((u64::from(max) + 1).saturating_sub(u64::from(nodes))),
            None => to_crowd,
        }
    }
}

/// How many nodes have to be added until at least `crowd` nodes have more than `bound` ties, from the number
/// of nodes and of nodes with at least each degree. Private.
pub fn distance(at_least: &[u64], nodes: u32, rung: &Rung) -> u64 {
    let (bound, nodes) = (u64::from(rung.bound), u64::from(nodes));
    let crowded = |added: u64| {
        let high = match (bound + 1).checked_sub(added) {
            Some(degree @ 1..) => at_least.get(degree as usize).copied().unwrap_or(0),
            _ => nodes,
        };
        added + high >= rung.crowd
    };
    let mut least = (bound + 2).saturating_sub(nodes);
    let mut most = least.max(rung.crowd);
    // Being crowded is monotone in the number of added nodes, and as many as make a crowd make one.
    while least < most {
        let middle = least + (most - least) / 2;
        if crowded(middle) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    least
}

/// The mechanism for this many rungs and its threshold: one more than the noise reaches.
fn calibrated(rungs: usize, epsilon: &Epsilon, delta: &Delta) -> Result<(AboveThreshold, u64), GraphError> {
    if delta.is_zero() {
        return Err(GraphError::refused(
            "a test of degree bounds needs a δ",
            "write a small δ such as 1e-6: noise has no largest value, so crowded graphs pass sometimes",
        ));
    }
    let mechanism = AboveThreshold::new(&SensitivityLInf::parse("1")?, Movement::Monotone, 1, epsilon)?;
    let reached = reach(&scale(&mechanism), rungs as u64, delta.value()).ok_or_else(too_fine)?;
    Ok((mechanism, reached + 1))
}

fn too_fine() -> GraphError {
    GraphError::refused(
        "with so small an ε no graph is large enough to pass the test of its degrees",
        "ask with a larger ε, or for a statistic that needs no test",
    )
}

/// The scale of both noises. For one answer of monotone queries they are equal; a larger scale only makes
/// tails larger, because both laws are symmetric and fall from the middle.
fn scale(mechanism: &AboveThreshold) -> Rational {
    mechanism.threshold_scale().clone().max(mechanism.query_scale().clone())
}

/// The least x with `count·P[V − Z ≥ x] ≤ probability`, or none below the largest threshold. Never too small.
fn reach(scale: &Rational, count: u64, probability: &Rational) -> Option<u64> {
    let rare = |x: u64| tail_upper(scale, x) * Rational::from(count) <= *probability;
    let mut most = 1;
    while !rare(most) {
        most *= 2;
        if most > THRESHOLD_MAX {
            return None;
        }
    }
    let mut least = most / 2;
    while least < most {
        let middle = least + (most - least) / 2;
        if rare(middle) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    Some(least)
}

/// `P[V − Z ≥ x]` for two independent discrete Laplace noises of this scale, rounded up.
fn tail_upper(scale: &Rational, x: u64) -> Rational {
    let decay = scale.reciprocal().expect("a scale is positive");
    let one = Enclosure::integer(1, PRECISION);
    let a = Enclosure::exp_of_minus(&decay, PRECISION);
    let sum = &one + &a;
    let divided =
        |over: &Enclosure, under: &Enclosure| over.checked_div(under).expect("one and more is not zero");
    let last = divided(&(&a * &a).scale_by_power_of_two(1), &sum);
    let steps = &Enclosure::integer(x, PRECISION) + &one;
    let bracket = &(&(&steps * &(&one - &a)) + &a) + &last;
    let power = Enclosure::exp_of_minus(&(&decay * &Rational::from(x)), PRECISION);
    divided(&(&power * &bracket), &(&sum * &sum)).upper()
}

#[cfg(test)]
mod tests;
