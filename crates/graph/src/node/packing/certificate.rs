//! What is certain about the optimum: a feasible packing from below, a dual solution from above, in whole
//! numbers.
//!
//! **From below.** Shares are whole multiples of a unit. A node that holds more than τ scales all its columns
//! by `τ/load`, each column by the smallest factor among its nodes, rounded down: then the columns at a node
//! add up to at most `load · τ/load = τ`. What room is left is filled up, column by column, never beyond a
//! bound or a node's room. The result is feasible whatever the shares were, so its value is at most the
//! optimum.
//! **From above.** For any weights `y ≥ 0` of the nodes and any feasible x, `Σ x_C = Σ x_C (1 − y(C)) + Σ_v
//! y_v Σ_{C∋v} x_C ≤ Σ_C u_C max(0, 1 − y(C)) + τ Σ_v y_v`, with `y(C)` the weights of C's nodes added up and
//! `u_C` the bound of column C. So the right-hand side is at least the optimum, whatever the weights were.
//! **Exactness.** Integers of 128 bits. Crowded nodes are in more than τ copies each, so that `τ · nodes` is
//! below `arity · copies`, and no sum exceeds `2 · arity · copies · unit`. Floats have steered which shares
//! and weights are tried; they have no say in what these are worth.

use super::programme::Programme;

/// The largest whole number that a packing with these shares reaches, once it is made feasible.
pub(super) fn value(programme: &Programme, unit: u128, share: impl Fn(usize) -> u128) -> u64 {
    let nodes = programme.nodes();
    let bound = |column: usize| u128::from(programme.bounds[column]) * unit;
    let room = u128::from(programme.tau) * unit;
    let mut loads = vec![0u128; nodes + 1];
    let mut shares: Vec<u128> = Vec::with_capacity(programme.columns.len());
    for (head, lasts, run) in programme.columns.iter() {
        let mut sum = 0;
        for (last, column) in lasts.iter().zip(run) {
            let share = share(column).min(bound(column));
            loads[*last as usize] += share;
            sum += share;
            shares.push(share);
        }
        head.iter().for_each(|node| loads[*node as usize] += sum);
    }
    // The factors τ/load in units of 2^-64, rounded down; the largest number stands for a factor of one.
    let factor = |load: &u128| if *load > room { fraction(room, *load) } else { u64::MAX };
    let mut factors: Vec<u64> = loads[..nodes].iter().map(factor).collect();
    factors.push(u64::MAX);
    let mut rooms = vec![room; nodes + 1];
    rooms[nodes] = u128::MAX;
    let mut total = 0;
    for (head, lasts, run) in programme.columns.iter() {
        let shared = head.iter().map(|node| factors[*node as usize]).min().unwrap_or(u64::MAX);
        let mut sum = 0;
        for (last, column) in lasts.iter().zip(run) {
            let factor = shared.min(factors[*last as usize]);
            if factor < u64::MAX {
                shares[column] = times(shares[column], factor);
            }
            rooms[*last as usize] -= shares[column];
            sum += shares[column];
        }
        head.iter().for_each(|node| rooms[*node as usize] -= sum);
        total += sum;
    }
    // Columns that are in use come first: the others are at nodes whose room is worth more elsewhere.
    for in_use in [true, false] {
        for (head, lasts, run) in programme.columns.iter() {
            let before = head.iter().map(|node| rooms[*node as usize]).min().unwrap_or(0);
            let mut left = before;
            for (last, column) in lasts.iter().zip(run) {
                if left > 0 && (shares[column] > 0) == in_use {
                    let more = (bound(column) - shares[column]).min(left).min(rooms[*last as usize]);
                    rooms[*last as usize] -= more;
                    left -= more;
                }
            }
            head.iter().for_each(|node| rooms[*node as usize] -= before - left);
            total += before - left;
        }
    }
    programme.packed_whole + (total / unit) as u64
}

/// The smallest whole number that the optimum cannot exceed, by these weights of the crowded nodes.
pub(super) fn upper(programme: &Programme, unit: u128, weight: impl Fn(usize) -> u128) -> u64 {
    let nodes = programme.nodes();
    // A weight above one pays for nothing more than a weight of one does.
    let mut weights: Vec<u128> = (0..nodes).map(|node| weight(node).min(unit)).collect();
    let mut total = u128::from(programme.tau) * weights.iter().sum::<u128>();
    weights.push(0);
    for (head, lasts, run) in programme.columns.iter() {
        let left = unit.saturating_sub(head.iter().map(|node| weights[*node as usize]).sum());
        for (last, bound) in lasts.iter().zip(&programme.bounds[run]) {
            total += u128::from(*bound) * left.saturating_sub(weights[*last as usize]);
        }
    }
    programme.packed_whole + total.div_ceil(unit) as u64
}

/// `part / whole` in units of 2^-64, rounded down, for a part below the whole.
fn fraction(part: u128, whole: u128) -> u64 {
    let shift = 64 - whole.leading_zeros().min(64);
    // A part rounded down over a whole rounded up: the fraction only gets smaller.
    let rounded = (whole >> shift) + u128::from(shift > 0);
    (((part >> shift) << 64) / rounded).min(u128::from(u64::MAX - 1)) as u64
}

/// A number times a factor in units of 2^-64, rounded down.
fn times(number: u128, factor: u64) -> u128 {
    let (high, low) = (number >> 64, number & u128::from(u64::MAX));
    high * u128::from(factor) + ((low * u128::from(factor)) >> 64)
}
