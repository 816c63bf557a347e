//! Stars: a node and some of its neighbours.

use crate::Graph;
use crate::kernel::degrees;

/// How many stars with this many leaves there are, `Σ C(degree, leaves)`; exactly, or the largest number if there are
/// more.
pub fn count(graph: &Graph, leaves: u32) -> u128 {
    let of_degree = |(degree, nodes): (u64, u64)| choose(degree, leaves).saturating_mul(u128::from(nodes));
    let nodes_by_degree = degrees::histogram(graph);
    (0..).zip(nodes_by_degree).filter(|(_, nodes)| *nodes > 0).map(of_degree).fold(0, u128::saturating_add)
}

/// `C(n, k)`; exactly, or the largest number if it is more.
pub fn choose(n: u64, k: u32) -> u128 {
    let Some(rest) = n.checked_sub(u64::from(k)) else { return 0 };
    let (rest, k) = (rest.max(u64::from(k)), rest.min(u64::from(k)));
    let mut product: u128 = 1;
    for step in 1..=u128::from(k) {
        // From C(rest + step - 1, step - 1) to C(rest + step, step). These numbers rise with every step, so one that
        // does not fit shows that the last does not. The product is divided first, as it may fit where its multiple
        // does not.
        let factor = u128::from(rest) + step;
        let next = (product / step).checked_mul(factor);
        match next.and_then(|whole| whole.checked_add(product % step * factor / step)) {
            Some(next) => product = next,
            None => return u128::MAX,
        }
    }
    product
}
