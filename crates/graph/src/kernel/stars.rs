//! Stars: a node and some of its neighbours.

use crate::Graph;

/// How many stars with this many leaves there are, `Σ C(degree, leaves)`; ends at the largest number.
pub fn count(graph: &Graph, leaves: u32) -> u128 {
    let stars = |node| choose(u64::from(graph.degree(node)), leaves);
    (0..graph.nodes()).map(stars).fold(0, u128::saturating_add)
}

/// `C(n, k)`; ends at the largest number.
pub fn choose(n: u64, k: u32) -> u128 {
    if n < u64::from(k) {
        return 0;
    }
    let mut product: u128 = 1;
    for step in 1..=u128::from(k) {
        let factor = u128::from(n) - u128::from(k) + step;
        match product.checked_mul(factor) {
            Some(next) => product = next / step,
            None => return u128::MAX,
        }
    }
    product
}
