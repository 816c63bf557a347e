//! Bounds on a fractional forest within capacities, as near to each other as is asked.
//!
//! **Guarantee.** [`Relaxation`] holds bounds `lower ≤ f ≤ upper` for every connected component of a problem of
//! `residual.rs`, in units of `2^-60`, and every [`Relaxation::epoch`] brings them nearer: their distance tends to zero.
//! **Proof.** *Upper:* let `y_v ≥ 0` be prices, zero at free nodes, and F a forest of largest weight for the weights
//! `1 − y_u − y_v` of ties. For every allowed x, `x(E) = Σ (1 − y_u − y_v)·x(uv) + Σ y_v·x(ties at v)
//! ≤ weight(F) + Σ y_v·c_v =: Ψ(y)`, as x is a mean of forests (or below one).
//! *Lower:* a mean x of forests whose ties are lowered by the factor `min(1, c_u/load_u, c_v/load_v)`, where load is
//! `x(ties at v)`, is below a mean of forests and keeps all capacities.
//! *They meet:* an epoch makes T steps `y_v ← max(0, y_v + η·(deg_F(v) − c_v))` from prices y₀, with η = 2^-k and
//! `T = 4·4^k`. A tie whose price is one or more is in no F, so no price rises above `1 + η·n`. As prices are not cut from
//! above, the loads of the mean of all F exceed capacities by at most `(1 + ηn)/(ηT)` a node. Squaring the step,
//! `Σ_t y·(c − deg) ≤ |y₀|²/2η + ηTG²/2` with `G² ≥ |deg − c|²`, so the mean of all Ψ is at most
//! `x(E) + |y₀|²/(2ηT) + ηG²/2`. The least Ψ is not above the mean, and the lowering takes away at most what exceeds. So
//! the bounds differ by at most `|y₀|²/(2ηT) + ηG²/2 + h(1 + ηn)/(ηT)`, h the number of hubs, which tends to zero with
//! `η → 0` and `ηT = 4·2^k → ∞`: the prices y₀ are at most `1 + n` each. ∎
//! **Exactness.** Prices are whole multiples of η and bounds are integers rounded to their safe side. Degrees and
//! capacities are below 2^32 and there are fewer than 2^32 nodes, so `G² < 2^97`, and k = 60 epochs would not exhaust the
//! 128 bits of a sum; no graph that fits a memory gets that far.
//! **Time.** Each step sorts all ties. Where bounds of `forest.rs` meet, none of this runs.

use super::forest::{Bounds, Sets};
use super::residual::{FREE, Residual};

/// The bits behind the point of a bound.
pub(super) const FRACTION_BITS: u32 = 60;

/// Bounds that come nearer to each other.
pub(super) struct Relaxation<'a> {
    problem: &'a Residual,
    component: Vec<u32>,
    ties: Vec<(u32, u32)>,
    /// The price of every node in units of 2^-exponent.
    prices: Vec<i128>,
    exponent: u32,
    lower: Vec<i128>,
    upper: Vec<i128>,
}

/// What the forests of an epoch have in common.
struct Mean {
    steps: i128,
    used: Vec<i128>,
    load: Vec<i128>,
}

impl<'a> Relaxation<'a> {
    /// Starts from known bounds.
    pub fn new(problem: &'a Residual, component: Vec<u32>, known: &[Bounds]) -> Self {
        let rows = problem.rows.iter().zip(0u32..);
        let ties = rows.flat_map(|(row, u)| row.iter().filter(move |v| **v > u).map(move |v| (u, *v)));
        let fixed = |value: u64| i128::from(value) << FRACTION_BITS;
        Self {
            component,
            ties: ties.collect(),
            prices: vec![0; problem.rows.len()],
            exponent: 0,
            lower: known.iter().map(|bounds| fixed(bounds.lower)).collect(),
            upper: known.iter().map(|bounds| fixed(bounds.upper)).collect(),
            problem,
        }
    }

    /// The sums of all bounds, lower and upper, in units of `2^-FRACTION_BITS`.
    pub fn bounds(&self) -> (i128, i128) {
        (self.lower.iter().sum(), self.upper.iter().sum())
    }

    /// Steps with half the step size of the epoch before, until `enough` of the two bounds.
    pub fn epoch(&mut self, enough: impl Fn(i128, i128) -> bool) {
        if self.exponent < FRACTION_BITS {
            self.exponent += 1;
            self.prices.iter_mut().for_each(|price| *price *= 2);
        }
        let mut mean =
            Mean { steps: 0, used: vec![0; self.ties.len()], load: vec![0; self.problem.rows.len()] };
        let mut order: Vec<u32> = (0..self.ties.len() as u32).collect();
        let steps = 4i128 << (2 * self.exponent);
        while mean.steps < steps {
            self.step(&mut order, &mut mean);
            if mean.steps % 4 == 0 {
                self.raise_lower(&mean);
                let (lower, upper) = self.bounds();
                if enough(lower, upper) {
                    return;
                }
            }
        }
    }

    fn step(&mut self, order: &mut [u32], mean: &mut Mean) {
        let unit = 1i128 << self.exponent;
        let prices = &self.prices;
        let weight = |tie: u32| {
            let (u, v) = self.ties[tie as usize];
            unit - prices[u as usize] - prices[v as usize]
        };
        order.sort_unstable_by_key(|tie| (-weight(*tie), *tie));
        let mut value = vec![0i128; self.upper.len()];
        let mut degree = vec![0i128; self.problem.rows.len()];
        let mut trees = Sets::new(self.problem.rows.len());
        for tie in order.iter() {
            let (u, v) = self.ties[*tie as usize];
            let gain = weight(*tie);
            if gain <= 0 {
                break;
            }
            if trees.join(u, v) {
                value[self.component[u as usize] as usize] += gain;
                degree[u as usize] += 1;
                degree[v as usize] += 1;
                mean.used[*tie as usize] += 1;
            }
        }
        mean.steps += 1;
        for node in 0..self.prices.len() {
            mean.load[node] += degree[node];
            if self.problem.capacity[node] != FREE {
                let capacity = i128::from(self.problem.capacity[node]);
                value[self.component[node] as usize] += capacity * self.prices[node];
                self.prices[node] = (self.prices[node] + degree[node] - capacity).max(0);
            }
        }
        for (upper, value) in self.upper.iter_mut().zip(value) {
            *upper = (*upper).min(value << (FRACTION_BITS - self.exponent));
        }
    }

    /// The mean of all forests of the epoch, lowered to the capacities, is a lower bound.
    fn raise_lower(&mut self, mean: &Mean) {
        let mut sums = vec![0i128; self.lower.len()];
        for ((u, v), used) in self.ties.iter().zip(&mean.used) {
            // The tie's weight is used/steps, or used·capacity/(steps·load) at an end whose load is too large.
            let mut factor = (1, mean.steps);
            for node in [*u as usize, *v as usize] {
                let capacity = i128::from(self.problem.capacity[node]);
                let load = mean.load[node];
                if self.problem.capacity[node] != FREE && capacity * factor.1 < load * factor.0 {
                    factor = (capacity, load);
                }
            }
            sums[self.component[*u as usize] as usize] += scaled(*used * factor.0, factor.1);
        }
        for (lower, sum) in self.lower.iter_mut().zip(sums) {
            *lower = (*lower).max(sum);
        }
    }
}

/// `over/under` in units of `2^-FRACTION_BITS`, rounded down; both are positive or zero, and the quotient is at most one.
fn scaled(over: i128, under: i128) -> i128 {
    // Bits are given up on both sides, the safe way, when the product would not fit.
    let shift = (128 - over.leading_zeros()).saturating_sub(126 - FRACTION_BITS);
    ((over >> shift) << FRACTION_BITS) / ((under >> shift) + i128::from(shift > 0)).max(1)
}
