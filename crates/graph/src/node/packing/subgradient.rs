//! The last resort: a slow method in whole numbers that certainly ends.
//!
//! Weights `y` of the nodes start anywhere in [0, 1]. Step i packs every copy whose nodes weigh less than one
//! in all, and no other: `x^i_C` is 1 if `y^i(C) < 1`, else 0. Then
//! `y^{i+1}_v = max(0, y^i_v + η (load_v(x^i) − τ))`. After K steps the average of all shares is made
//! feasible and certified from below, the average of all weights from above.
//!
//! **Proof that it ends.** Write T for the number of copies, m for that of crowded nodes, `t_v` for the
//! copies at v, `f(y) = Σ_C max(0, 1 − y(C)) + τ Σ y_v` for the bound from above, and x̄, ȳ for the averages.
//! * Weights stay below 2, because `η max t_v` is below one from the start: where `y_v ≥ 1` no copy at v is
//!   packed and the weight falls; elsewhere it rises by less than one.
//! * From `y^{i+1}_v ≥ y^i_v + η (load_v − τ)`, added up: at every node `load_v(x̄) ≤ τ + 2/(ηK)`. Scaling
//!   takes from x̄ at most the share `2/(ηKτ)` of what is packed.
//! * `x^i` maximises `Σ x_C (1 − y^i(C))`, so `f(y^i) = Σ x^i_C + Σ_v y^i_v (τ − load_v(x^i))`. And
//!   `|y^{i+1}|² ≤ |y^i|² − 2η Σ_v y^i_v (τ − load_v) + η² G²` with `G² = Σ_v max(τ, t_v − τ)²`. Added up and
//!   divided: the average of `f(y^i)`, which is at least `f(ȳ)`, is at most `Σ x̄_C + 2m/(ηK) + ηG²/2`.
//! * So the two certificates differ by at most `ηG²/2 + 2m/(ηK) + 2T/(ηKτ) + T/K + T/2^62`, the last two
//!   terms for rounding down to units of 1/K and factors to units of 2^-64. Every stage halves η and makes K
//!   four times as large: all but the last term go to zero. Once they differ by less than one, with fewer
//!   than 2^60 copies, the whole numbers around them differ by at most two.
//!
//! All of it happens in integers: weights are kept in units of η, a power of two, shares in units of 1/K,
//! sums of weights in units of η/K. The number of steps may be astronomical; it is finite, and no graph is
//! known that comes here at all.
//! **Not proven.** That 128 bits hold all sums. They do while `8 T K/η` is below 2^128: for stages of up to
//! 2^32 steps on a graph with 2^40 copies, and longer ones on smaller graphs.

use super::certificate;
use super::programme::Programme;

/// A whole number that the optimum reaches and one that it does not exceed, at most `gap` apart. The gap is
/// at least 2.
pub(super) fn solve(programme: &Programme, gap: u64, start: &[f64]) -> (u64, u64) {
    let nodes = programme.nodes();
    let tau = i128::from(programme.tau);
    let most = programme.crowding.iter().copied().max().unwrap_or(1);
    // One is `1 << one` units of η.
    let mut one = 64 - most.leading_zeros();
    let whole = |weight: f64| (weight.clamp(0.0, 1.0) * (1u64 << one) as f64) as i128;
    let mut weights: Vec<i128> = (0..nodes).map(|node| whole(start[node])).collect();
    weights.push(0);
    let mut steps: u128 = 256;
    let (mut value, mut upper) = (programme.packed_whole, u64::MAX);
    loop {
        let mut packed = vec![0u128; programme.columns.len()];
        let mut weight_sums = vec![0u128; nodes];
        for _ in 0..steps {
            weight_sums.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += *weight as u128);
            let mut loads = vec![0u64; nodes + 1];
            for (head, lasts, run) in programme.columns.iter() {
                let left = (1 << one) - head.iter().map(|node| weights[*node as usize]).sum::<i128>();
                let mut sum = 0;
                for (last, column) in lasts.iter().zip(run) {
                    if weights[*last as usize] < left {
                        let bound = u64::from(programme.bounds[column]);
                        packed[column] += 1;
                        loads[*last as usize] += bound;
                        sum += bound;
                    }
                }
                head.iter().for_each(|node| loads[*node as usize] += sum);
            }
            for (weight, load) in weights[..nodes].iter_mut().zip(&loads) {
                *weight = (*weight + i128::from(*load) - tau).max(0);
            }
        }
        let share = |column: usize| packed[column] * u128::from(programme.bounds[column]);
        value = value.max(certificate::value(programme, steps, share));
        upper = upper.min(certificate::upper(programme, steps << one, |node| weight_sums[node]));
        if upper <= value.saturating_add(gap) {
            return (value, upper);
        }
        weights.iter_mut().for_each(|weight| *weight *= 2);
        one += 1;
        steps *= 4;
    }
}
