//! Triangles by the ladder: integers around the count, in rungs of equal probability.
//!
//! **Guarantee.** ε-differentially private. A tenth of ε buys a noisy upper bound of the local sensitivity,
//! for the interval; the rest, ε' below, buys the count. The count alone costs `ε'²/8` of ρ.
//! **Neighbours.** Graphs over the same n nodes that differ in one tie; n is public.
//! **Source.** Zhang, Cormode, Procopiuc, Srivastava, Xiao (2015), for the scheme; the sampler is ours.
//! **Proof.** With the local sensitivities `LS_s` let `R_t = LS_0 + … + LS_{t−1}`. An integer y is on rung 0
//! when it is the count T, and on rung t when `R_{t−1} < |y − T| ≤ R_t`. If y is at most on rung t of G, then
//! for a neighbour G' `|y − T'| ≤ |T − T'| + R_t(G) ≤ LS_0(G') + LS_1(G') + … + LS_t(G') = R_{t+1}(G')`,
//! because `LS_s(G) ≤ LS_{s+1}(G')`. So the rung of every y moves by at most one, and y with probability
//! proportional to `e^{−ε't/2}` is the exponential mechanism: ε' in all, and a log-ratio that ranges over an
//! interval of length ε'.
//! **Error.** About `2·L/ε'` on average, where L is the largest number of common neighbours of two nodes:
//! more than noise at smooth sensitivity. It is kept as a second opinion, and because its ρ is a quarter of
//! what its ε would cost.
//! **Interval.** The answer is beyond rung t with probability `Σ_{u≥t} LS_u·r^u/Σ_u LS_u·r^u` at most,
//! `r = e^{−ε'/2}`. As `LS_{t+u} ≤ LS_u + t`, that is at most `r^t·min(1 + t/m, cap/m)`, where m is the mean
//! of `LS_u` under the weights `r^u`; and `LS_u ≥ min(L + ⌊u/2⌋, cap)` gives
//! `m ≥ L + e^{−ε'}(1 − e^{−ε'(cap − L)})/(1 − e^{−ε'})`. The first t for which that is at most 3 % makes the
//! interval `R_t`, with `min(L̂ + s, cap)` for `LS_s`. Both ends of the noisy bound take 1 % each, so 95 % is
//! left.
//! **Exactness.** Rung t ≥ 1 has the weight `2·LS_{t−1}·r^t`. With `u = t − 1` and `LS_u ≤ L + u`, rung 0 and
//! two families, `L·r^u` and `u·r^u`, are chosen between with enclosed weights; the first is a geometric u,
//! the second one more than the sum of two; and u is kept with the rational probability `LS_u/(L + u)`, else
//! all is drawn again. Where the cap is low, `cap·r^u` is the envelope instead. Then a sign and a uniform
//! place on the rung. No float decides anything.
//! **Not covered.** Timing: counting and sampling take a time that depends on the graph.

use pointillist_noise::{Geometric, SecureBits, uniform_below, weighted_choice};
use pointillist_numbers::{Enclosure, Rational, UBig};
use pointillist_privacy::{Epsilon, FailureProbability, Loss};

use super::private_bound::PrivateBound;
use super::triangle_sensitivity::{TriangleSensitivity, cap};
use super::triangles::{count, paid, shares};
use crate::{Answer, Draw, Estimate, Graph, GraphError, Mechanism, Outlook};

/// One part in this many of ε buys the bound.
const BOUND_SHARE: u64 = 10;
/// The noisy bound may be too low or too high, 1 % each.
const BOUND_FAILURE: &str = "0.02";
/// What is left to the rungs of the interval's 5 %.
const RUNG_FAILURE: f64 = 0.03;

/// The number of triangles by the ladder, and a bound of its local sensitivity.
#[derive(Clone, Debug)]
pub struct LadderTriangles {
    nodes: u32,
    loss: Loss,
    bound: PrivateBound,
    ladder: Ladder,
}

/// The choice of a rung and of a place on it.
#[derive(Clone, Debug)]
struct Ladder {
    /// ε', half of which is the cost of a rung.
    epsilon: Epsilon,
    /// Steps with the ratio `e^{−ε'/2}`.
    steps: Geometric,
}

impl LadderTriangles {
    /// The count at this price, for graphs with this many nodes.
    pub fn new(epsilon: &Epsilon, nodes: u32) -> Result<Self, GraphError> {
        let (epsilon_bound, epsilon_count) = shares(epsilon, BOUND_SHARE)?;
        let failure = FailureProbability::parse(BOUND_FAILURE).expect("a probability");
        let bound = PrivateBound::failing(&epsilon_bound, &failure, cap(nodes))?;
        let loss = paid(epsilon, &bound.loss(), &Loss::bounded_range(epsilon_count.clone()));
        Ok(Self { nodes, loss, bound, ladder: Ladder::new(epsilon_count)? })
    }

    /// How far the count is off with probability at most 5 %, given a released bound.
    fn error_95(&self, bound: u64) -> f64 {
        let epsilon = self.ladder.epsilon.to_f64_lower();
        let (cap, lower) = (cap(self.nodes) as f64, self.bound.lower(bound) as f64);
        let growth = -(-epsilon * (cap - lower)).exp_m1() / epsilon.exp_m1();
        let mean = (lower + growth).max(f64::MIN_POSITIVE);
        // In logarithms, as a tiny mean is a huge ratio.
        let beyond = |rung: f64| ((1.0 + rung / mean).min(cap / mean)).ln() - epsilon * rung / 2.0;
        // The bound starts at one, may rise, and then falls for good: double, then halve.
        let fits = |rung: f64| beyond(rung) <= RUNG_FAILURE.ln();
        let mut most = 1.0;
        while !fits(most) {
            most *= 2.0;
        }
        let mut least = (most / 2.0).floor();
        while most - least > 1.0 {
            let middle = ((least + most) / 2.0).floor();
            if fits(middle) { most = middle } else { least = middle }
        }
        // R_t for the ladder L̂, L̂ + 1, … up to the cap.
        let rising = most.min(cap - bound as f64);
        rising * bound as f64 + rising * (rising - 1.0) / 2.0 + (most - rising) * cap
    }
}

impl Ladder {
    fn new(epsilon: Epsilon) -> Result<Self, GraphError> {
        let steps = Geometric::new(&(Rational::from(2) / epsilon.value().clone()))?;
        Ok(Self { epsilon, steps })
    }

    /// How far the answer is off: an integer on a random rung.
    fn error(&self, local: &TriangleSensitivity, bits: &mut dyn SecureBits) -> i128 {
        let Some(rung) = self.rung(local, bits) else { return 0 };
        let width = local.at(saturated(rung));
        let place = uniform_below(&UBig::from(width), bits);
        let place = i128::try_from(place).expect("a place on a rung is below n");
        let magnitude = i128::try_from(height(local, rung)).unwrap_or(i128::MAX).saturating_add(place + 1);
        if bits.coin() { -magnitude } else { magnitude }
    }

    /// `t − 1` for a rung t ≥ 1; none for rung 0.
    fn rung(&self, local: &TriangleSensitivity, bits: &mut dyn SecureBits) -> Option<u128> {
        let (start, cap) = (local.local(), local.cap());
        // Which envelope is lower on average decides how often u is kept, and nothing else.
        let low = Rational::from(cap - start) * self.epsilon.value().clone() < Rational::from(2);
        let flat = if low { cap } else { start };
        loop {
            let choice = weighted_choice(bits, |precision| self.weights(flat, !low, precision));
            let mut steps = || self.steps.sample(bits).unsigned_abs();
            let rung = match choice {
                0 => return None,
                1 => steps(),
                _ => steps() + steps() + 1,
            };
            let envelope = u128::from(flat).saturating_add(if low { 0 } else { rung });
            let kept = uniform_below(&UBig::from(envelope), bits) < UBig::from(local.at(saturated(rung)));
            if kept {
                return Some(rung);
            }
        }
    }

    /// The weights of rung 0, of all `flat·r^u` and, if rising, of all `u·r^u`, times a common factor that
    /// keeps them from being large: the sums are `2r·flat/(1 − r)` and `2r²/(1 − r)²`.
    fn weights(&self, flat: u64, rising: bool, precision: usize) -> Vec<Enclosure> {
        let half = self.epsilon.value() / &Rational::from(2);
        // A factor below 2^32 and a few operations lose fewer digits than these.
        let working = precision + 48;
        let ratio = Enclosure::exp_of_minus(&half, working);
        let rest = &Enclosure::integer(1, working) - &ratio;
        let flat = &ratio.mul_integer(2) * &Enclosure::integer(flat, working);
        let weights = if rising {
            vec![&rest * &rest, &flat * &rest, &ratio.mul_integer(2) * &ratio]
        } else {
            vec![rest, flat]
        };
        weights.iter().map(|weight| weight.at_precision(precision)).collect()
    }
}

/// `R_u = LS_0 + … + LS_{u−1}`.
fn height(local: &TriangleSensitivity, rung: u128) -> u128 {
    // Two changes make any node a common neighbour: from twice the cap on, all are the cap.
    let rising = saturated(rung).min(2 * local.cap());
    let below: u128 = (0..rising).map(|distance| u128::from(local.at(distance))).sum();
    below.saturating_add((rung - u128::from(rising)).saturating_mul(u128::from(local.cap())))
}

fn saturated(rung: u128) -> u64 {
    u64::try_from(rung).unwrap_or(u64::MAX)
}

impl Mechanism for LadderTriangles {
    fn name(&self) -> &'static str {
        "ladder"
    }

    fn loss(&self) -> Loss {
        self.loss.clone()
    }

    fn outlook(&self) -> Outlook {
        let most = cap(self.nodes);
        if most == 0 {
            return Outlook { error_95: Some(0.0), words: vec!["three nodes make a triangle".to_owned()] };
        }
        let unit = 2.0 * (1.0 / RUNG_FAILURE).ln() / self.ladder.epsilon.to_f64_lower();
        let words = vec![
            format!(
                "the error exceeds about {unit:.1} times the largest number of common neighbours of two \
                 nodes with probability 3 %; it is not known before, and at most {most}"
            ),
            "the interval is wider: it rests on a noisy bound of that number".to_owned(),
        ];
        Outlook { error_95: None, words }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        self.counted(graph)(bits)
    }

    fn counted<'a>(&'a self, graph: &'a Graph) -> Draw<'a> {
        if cap(self.nodes) == 0 {
            return Box::new(|_| vec![0, 0]);
        }
        let (count, local) = (i128::from(count(graph)), TriangleSensitivity::of(graph, self.nodes));
        Box::new(move |bits| {
            let bound = self.bound.release(local.local(), bits);
            vec![count.saturating_add(self.ladder.error(&local, bits)), i128::from(bound)]
        })
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy, bound] = *released else { return None };
        let bound = self.bound.recognised(bound)?;
        if cap(self.nodes) == 0 {
            let nothing = Answer { estimates: vec![Estimate::count(0, 0.0)], notes: Vec::new() };
            return (noisy == 0).then_some(nothing);
        }
        Some(Answer { estimates: vec![Estimate::count(noisy, self.error_95(bound))], notes: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
