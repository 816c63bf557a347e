//! Connected components through forests of bounded degree: a family of values that one node moves little.
//!
//! **Guarantee.** A graph with n nodes and c components has spanning forests of `n − c` ties. For every
//! degree D let `f_D` be the largest total weight `x(E)` of weights on ties that are a mean of forests (or
//! below one) and give every node at most D. When a node comes, `f_D` does not fall and rises by at most D;
//! `f_D ≤ n − c`; and `f_D = n − c` if a spanning forest of degree at most D exists. [`forest_family`]
//! returns whole numbers `v_D` with `f_D − s ≤ v_D ≤ f_D` for every graph, with the public slack
//! `s = max(2, D/4)`. So when a node comes, `v_D` falls by at most [`fall_max`] = s and rises by at most
//! [`rise_max`]` = D + s`, and the number `n − v_D`, never below the number of components, moves by at most
//! [`sensitivity`]` = max(s + 1, D + s − 1)`.
//! **Neighbours.** Graphs that differ in one node with all its ties.
//! **Source.** Kalemaj, Raskhodnikova, Smith, Tsourakakis (2023), arXiv:2304.05890, for the family `f_D`.
//! **Proof.** Let `G' = G + w`. Weights allowed on G, with zero at w, are allowed on G': `f_D` does not fall.
//! Weights allowed on G', without those at w, are allowed on G: being below a mean of forests, and
//! capacities, survive leaving ties out; and the ties at w weighed at most D. So `f_D(G) ≥ f_D(G') − D`. A
//! mean of forests weighs at most `n − c`, and a spanning forest within the degree is allowed itself. For
//! `v_D`: `v' ≤ f' ≤ f + D ≤ v + s + D` and `v' ≥ f' − s ≥ f − s ≥ v − s`; with the new node, `n − v` moves
//! within `[1 − (D + s), 1 + s]`. ∎
//! **Computation.** The linear programme has a constraint for every set of nodes, but most of it solves
//! itself: single ties, nodes with few ties, and whatever those leave, are settled exactly (`residual.rs`).
//! On what is left a forest is grown and a set of nodes that explains why it cannot be larger (`forest.rs`);
//! where the two do not meet within s, prices on hubs bring a fractional forest and its bound together
//! (`relaxation.rs`), which always ends. Each step gives bounds that hold whatever the others did. On sixteen
//! public graphs of 34 to 76,000 nodes the second step was exact for all `D ≥ 8`, in milliseconds to seconds;
//! for D from 3 to 6 the third took up to a minute, and D = 2, where forests are paths, can take far longer.
//! Graphs made for it (thousands of hubs tied to each other that leaves fill up to just below D) took half a
//! minute and more at D = 8 with a slack of 2.
//! **Exactness.** Whole numbers, and fixed-point numbers rounded to their safe side.
//! **Not covered.** Timing. The choice of D and the noise: values here are private and must not leave without
//! both.

mod forest;
mod relaxation;
mod residual;

use crate::Graph;
use crate::kernel::{components, degrees};
use relaxation::{FRACTION_BITS, Relaxation};
use residual::Residual;

/// How far a value may be below the exact one: public. At least 2: then bounds that differ by one leave a
/// whole number between.
fn slack(degree: u64) -> u64 {
    (degree / 4).max(2)
}

/// By how much a value can rise when a node comes.
pub fn rise_max(degree: u64) -> u64 {
    degree.saturating_add(slack(degree))
}

/// By how much a value can fall when a node comes.
pub fn fall_max(degree: u64) -> u64 {
    slack(degree)
}

/// By how much the number of nodes less the value can move when a node comes or goes.
pub fn sensitivity(degree: u64) -> u64 {
    (rise_max(degree) - 1).max(fall_max(degree) + 1)
}

/// The size of a largest forest of each of these degrees, at most the slack below the fractional optimum and
/// never above it. Private. A degree of zero allows no tie.
pub fn forest_family(graph: &Graph, bounds: &[u64]) -> Vec<u64> {
    let spanning = u64::from(graph.nodes() - components::count(graph));
    // From a degree at which a spanning forest exists on, all values are that of a spanning forest.
    let mut enough = u64::from(degrees::max(graph));
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    order.sort_unstable_by_key(|place| bounds[*place]);
    let mut values = vec![spanning; bounds.len()];
    for place in order {
        if bounds[place] < enough {
            values[place] = forest_value(graph, bounds[place]);
            if values[place] == spanning {
                enough = bounds[place];
            }
        }
    }
    values
}

/// A whole number at most the slack below `f_D` and never above it.
fn forest_value(graph: &Graph, degree: u64) -> u64 {
    let close = |lower: i128, upper: i128| {
        let slack = i128::from(slack(degree)) << FRACTION_BITS;
        (lower >> FRACTION_BITS << FRACTION_BITS) + slack >= upper
    };
    let (lower, _) = enclosed(graph, degree, close);
    u64::try_from(lower >> FRACTION_BITS).unwrap_or(0)
}

/// Bounds on `f_D` in units of `2^-FRACTION_BITS` that are close enough.
fn enclosed(graph: &Graph, degree: u64, enough: impl Fn(i128, i128) -> bool) -> (i128, i128) {
    let problem = Residual::of(graph, degree);
    let (component, sizes) = problem.components();
    let (known, stayed_full) = forest::bounds(&problem, &component, &sizes);
    let open = |bounds: &forest::Bounds| bounds.lower < bounds.upper;
    let exact: u64 = known.iter().filter(|bounds| !open(bounds)).map(|bounds| bounds.lower).sum();
    let settled = i128::from(problem.settled + exact) << FRACTION_BITS;
    // Components whose bounds do not meet are looked at again.
    let known_open: Vec<forest::Bounds> = known.iter().copied().filter(open).collect();
    let is_open = |node: &u32| open(&known[component[*node as usize] as usize]);
    let nodes: Vec<u32> = (0..component.len() as u32).filter(is_open).collect();
    let dear: Vec<u32> =
        (0..nodes.len() as u32).filter(|place| stayed_full[nodes[*place as usize] as usize]).collect();
    let part = problem.part(&nodes);
    let (component, _) = part.components();
    let mut relaxation = Relaxation::new(&part, component, &known_open, &dear);
    loop {
        let (lower, upper) = relaxation.bounds();
        if enough(settled + lower, settled + upper) {
            return (settled + lower, settled + upper);
        }
        relaxation.round(|lower, upper| enough(settled + lower, settled + upper));
    }
}

#[cfg(test)]
mod tests;
