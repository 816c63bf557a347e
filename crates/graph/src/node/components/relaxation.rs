//! Bounds on a fractional forest within capacities, as near to each other as is asked.
//!
//! **Guarantee.** [`Relaxation`] holds bounds `lower ≤ f ≤ upper` for every connected component of a problem
//! of `residual.rs`, in units of `2^-60`; with every [`Relaxation::round`] they come nearer, and their
//! distance tends to zero.
//! **Proof.** *Upper:* let `y_v ≥ 0` be prices, zero at free nodes, and F a forest of largest weight for the
//! weights `1 − y_u − y_v` of ties. For every allowed x, `x(E) = Σ (1 − y_u − y_v)·x(uv) + Σ y_v·x(ties at v)
//! ≤ weight(F) + Σ y_v·c_v =: Ψ(y)`, as x is below a mean of forests. *Lower:* a mean x of forests whose ties
//! are lowered by the factor `min(1, c_u/load_u, c_v/load_v)`, where load is `x(ties at v)`, is below a mean
//! of forests and keeps all capacities. *They meet:* an epoch makes T steps `y_v ← max(0, y_v + η·(deg_F(v) −
//! c_v))` from prices y₀, with η = 2^-k. A node whose price is above one has no tie in F, so no price rises
//! above `1 + η·n`. As prices are not cut from above, the loads of the mean x of all F exceed capacities by
//! at most `(1 + ηn)/(ηT)` a node. Squaring the step, `Σ_t y·(c − deg) ≤ |y₀|²/2η + ηTG²/2` with `G² ≥ |deg −
//! c|²`, so the mean of all Ψ is at most `x(E) + |y₀|²/(2ηT) + ηG²/2`. The least Ψ is not above the mean, and
//! the lowering takes away at most what exceeds. So the bounds differ by at most `|y₀|²/(2ηT) + ηG²/2 + h(1 +
//! ηn)/(ηT)`, h the number of hubs. Round k ends with an epoch of `T = 4·4^k` steps: `η → 0` and `ηT = 4·2^k
//! → ∞`, prices are at most `1 + n`, and the difference tends to zero. ∎ Before that a round goes through all
//! step sizes with few steps each, which is usually enough.
//! **Exactness.** Prices are whole multiples of η, bounds are integers rounded to their safe side. Degrees
//! and capacities are below 2^32, and so is the number of nodes: `G² < 2^97`, and sums stay below 2^127 for
//! all k up to 60. No run gets that far.

use super::forest::{Bounds, Sets};
use super::residual::{FREE, Residual};

/// The bits behind the point of a bound.
pub(super) const FRACTION_BITS: u32 = 60;
/// The smallest step of the quick part of a round, as a power of one half.
const QUICK_EXPONENT: u32 = 20;
/// The steps of each size in the quick part of a round.
const QUICK_STEPS: u128 = 32;

/// Bounds that come nearer to each other.
pub(super) struct Relaxation<'a> {
    problem: &'a Residual,
    component: Vec<u32>,
    ties: Vec<(u32, u32)>,
    /// The price of every node in units of 2^-exponent.
    prices: Vec<i128>,
    exponent: u32,
    rounds: u32,
    lower: Vec<i128>,
    upper: Vec<i128>,
}

/// What the forests of an epoch have in common.
struct Mean {
    steps: u128,
    used: Vec<u128>,
    load: Vec<u128>,
}

impl<'a> Relaxation<'a> {
    /// Starts from known bounds, and from nodes whose price is probably one.
    pub fn new(problem: &'a Residual, component: Vec<u32>, known: &[Bounds], dear: &[u32]) -> Self {
        let rows = problem.rows.iter().zip(0u32..);
        let ties = rows.flat_map(|(row, u)| row.iter().filter(move |v| **v > u).map(move |v| (u, *v)));
        let fixed = |value: u64| i128::from(value) << FRACTION_BITS;
        let mut prices = vec![0; problem.rows.len()];
        dear.iter().for_each(|node| prices[*node as usize] = 1);
        Self {
            component,
            ties: ties.collect(),
            prices,
            exponent: 0,
            rounds: 0,
            lower: known.iter().map(|bounds| fixed(bounds.lower)).collect(),
            upper: known.iter().map(|bounds| fixed(bounds.upper)).collect(),
            problem,
        }
    }

    /// The sums of all bounds, lower and upper, in units of `2^-FRACTION_BITS`.
    pub fn bounds(&self) -> (i128, i128) {
        (self.lower.iter().sum(), self.upper.iter().sum())
    }

    /// Brings the bounds nearer to each other, and ends as soon as they are near `enough`.
    pub fn round(&mut self, enough: impl Fn(i128, i128) -> bool) {
        self.rounds = (self.rounds + 1).min(FRACTION_BITS);
        let quick = (1..=QUICK_EXPONENT).map(|exponent| (exponent, QUICK_STEPS));
        let long = (self.rounds, 4 << (2 * self.rounds));
        for (exponent, steps) in quick.chain([long]) {
            if self.epoch(exponent, steps, &enough) {
                return;
            }
        }
    }

    /// Whether the bounds are near enough after at most this many steps of size 2^-exponent.
    fn epoch(&mut self, exponent: u32, steps: u128, enough: &impl Fn(i128, i128) -> bool) -> bool {
        let (old, new) = (self.exponent, exponent);
        // Any prices may start an epoch: what does not fit the coarser grid is cut off.
        let rescaled = |price: i128| if new >= old { price << (new - old) } else { price >> (old - new) };
        self.prices.iter_mut().for_each(|price| *price = rescaled(*price));
        self.exponent = exponent;
        let mut mean =
            Mean { steps: 0, used: vec![0; self.ties.len()], load: vec![0; self.problem.rows.len()] };
        while mean.steps < steps {
            self.step(&mut mean);
            if mean.steps.is_multiple_of(8) {
                self.raise_lower(&mean);
                let (lower, upper) = self.bounds();
                if enough(lower, upper) {
                    return true;
                }
            }
        }
        false
    }

    fn step(&mut self, mean: &mut Mean) {
        let unit = 1i128 << self.exponent;
        let weight = |(u, v): &(u32, u32)| unit - self.prices[*u as usize] - self.prices[*v as usize];
        let weights = self.ties.iter().map(weight).zip(0..);
        let mut order: Vec<(i128, u32)> =
            weights.filter(|(weight, _)| *weight >= 0).map(|(weight, tie)| (-weight, tie)).collect();
        order.sort_unstable();
        let mut value = vec![0i128; self.upper.len()];
        let mut degree = vec![0u64; self.problem.rows.len()];
        let mut trees = Sets::new(self.problem.rows.len());
        for class in order.chunk_by(|a, b| a.0 == b.0) {
            let gain = -class[0].0;
            // Which of equal ties are taken is free: first those within capacities. Ties of weight zero may
            // be left out.
            for gentle in [true, false] {
                if gain == 0 && !gentle {
                    break;
                }
                for (_, tie) in class {
                    let (u, v) = self.ties[*tie as usize];
                    let room = |node: u32| degree[node as usize] < self.problem.capacity[node as usize];
                    if (!gentle || (room(u) && room(v))) && trees.join(u, v) {
                        value[self.component[u as usize] as usize] += gain;
                        degree[u as usize] += 1;
                        degree[v as usize] += 1;
                        mean.used[*tie as usize] += 1;
                    }
                }
            }
        }
        mean.steps += 1;
        for node in 0..self.prices.len() {
            mean.load[node] += u128::from(degree[node]);
            if self.problem.capacity[node] != FREE {
                let capacity = i128::from(self.problem.capacity[node]);
                value[self.component[node] as usize] += capacity * self.prices[node];
                self.prices[node] = (self.prices[node] + i128::from(degree[node]) - capacity).max(0);
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
            // The tie's weight is used/steps, or used·capacity/load at an end whose load is too large: the
            // smallest.
            let mut factor = (1, mean.steps);
            for node in [*u as usize, *v as usize] {
                let (capacity, load) = (u128::from(self.problem.capacity[node]), mean.load[node]);
                if self.problem.capacity[node] != FREE && capacity * factor.1 < load * factor.0 {
                    factor = (capacity, load);
                }
            }
            sums[self.component[*u as usize] as usize] += quotient(used * factor.0, factor.1);
        }
        for (lower, sum) in self.lower.iter_mut().zip(sums) {
            *lower = (*lower).max(sum);
        }
    }
}

/// `over/under`, at most one, in units of `2^-FRACTION_BITS`, rounded down.
fn quotient(over: u128, under: u128) -> i128 {
    // Where the shifted number would not fit, bits are given up on both sides, the safe way round.
    let shift = (u128::BITS - over.leading_zeros()).saturating_sub(u128::BITS - 1 - FRACTION_BITS);
    let under = (under >> shift) + u128::from(shift > 0);
    (((over >> shift) << FRACTION_BITS) / under.max(1)) as i128
}
