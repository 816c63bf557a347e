//! k-triangles at smooth sensitivity: a tie and k common neighbours of its ends.
//!
//! **Guarantee.** ε-differentially private: the number of k-triangles with noise at smooth sensitivity, and a
//! noisy level for its interval (`smooth_count.rs`).
//! **Neighbours.** Graphs over the same nodes that differ in one tie; how many nodes there are is public.
//! **Proof.** Write `a(u, v)` for the number of common neighbours of two nodes, adjacent or not, and A for
//! the largest. The number is `f = Σ C(a(u, v), k)` over ties. When the tie i, j comes, it brings its own
//! `C(a(i, j), k)`, and each common neighbour l sees one more common neighbour at the ties i, l and j, l:
//! `C(a + 1, k) − C(a, k) = C(a, k−1)`. So it moves f by
//! `L(i, j) = C(a(i, j), k) + Σ_l (C(a'(i, l), k−1) + C(a'(j, l), k−1))`, where `a'` leaves out the third of
//! i, j, l; that makes L the same whether the tie is there or not. L is the local sensitivity's term, and it
//! grows with every other tie.
//! *How fast.* Let another tie come. If it joins i with w (or j, likewise): when w is tied to j, `a(i, j)`
//! grows by one, which adds `C(a, k−1)`, and w becomes a common neighbour, which adds two terms `C(a', k−1)`;
//! and for the common neighbours l tied to w, at most A, `a'(i, l)` grows, which adds `C(a', k−2)` each. If
//! it joins two nodes u, w outside the pair: only when u is a common neighbour can `a'(i, u)` and `a'(j, u)`
//! grow, and both only when w is one too: then four terms grow, otherwise one. All numbers are at most A
//! before the tie comes, so L grows by at most `h(A) = 3·C(A, k−1) + max(A, 4)·C(A, k−2)`. The 4 matters:
//! with A = 2, k = 3 four terms grow by 2, more than `3·C(2, 2) + 2·C(2, 1)`; a test has the graph.
//! *Ladder.* `U_s = LS + h(A) + h(A+1) + … + h(A+s−1)`. If G has one tie more than G',
//! `LS(G) ≤ LS(G') + h(A')` and `A ≤ A' + 1`; if one less, both are at most those of G'. So
//! `U_s(G) ≤ U_{s+1}(G')`. No pair moves f further than in the complete graph, because L grows with ties:
//! `C(n−2, k) + 2(n−2)·C(n−3, k−1)` is the cap.
//! *Level.* Let `H(m) = h(0) + … + h(m−1)`, and M the least m with `m ≥ A` and `H(m) ≥ LS`. One tie more, and
//! `LS ≤ H(M) + h(A) ≤ H(M + 1)` and `A ≤ M + 1`: M moves by at most one. And `U_s ≤ H(M + s)`: the ceiling.
//! It is of the order of LS, as `H(A)` is about `(k + 2)·C(A, k)` and `LS ≥ C(A, k)`.
//! **Error.** About `1.2·LS/ε` on average where A is well above `10·k/ε`. The ceiling is up to k + 2 times
//! LS, so intervals are wider than errors.
//! **Exactness.** Whole numbers of 128 bits. Where one of them saturates, `C(A, k)` and with it LS is beyond
//! the limit of the counts, `2^90`, anyway.
//! **Not covered.** Timing.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss};

use super::smooth_count::{COUNT_MAX, Setting, SmoothCount, check_nodes, counted};
use crate::kernel::k_triangles::{self, KTriangles};
use crate::kernel::stars::choose;
use crate::{Answer, Graph, GraphError, Mechanism, Outlook};

/// One part in so many of ε pays for the level. The width of an interval grows with the k-th power of the
/// level.
const LEVEL_SHARE: u32 = 6;

/// The number of k-triangles.
#[derive(Clone, Debug)]
pub struct KTriangleCount {
    k: u32,
    nodes: u32,
    count: SmoothCount,
}

impl KTriangleCount {
    /// The number of ties with 2 to 8 common neighbours at this price, in graphs with this many nodes.
    pub fn new(count: u32, epsilon: &Epsilon, nodes: u32) -> Result<Self, GraphError> {
        if !(2..=8).contains(&count) {
            return Err(GraphError::refused(
                format!("{count}-triangles are not counted"),
                "ask for 2-triangles to 8-triangles, or for triangles",
            ));
        }
        let others = u64::from(nodes).saturating_sub(2);
        let ends = choose(others.saturating_sub(1), count - 1).saturating_mul(2 * u128::from(others));
        let cap = choose(others, count).saturating_add(ends);
        let level_max = level_of(count, cap, others);
        let setting = Setting { level_share: LEVEL_SHARE, floor: 1, cap, level_max };
        Ok(Self { k: count, nodes, count: SmoothCount::new(epsilon, &setting)? })
    }

    fn ceiling(&self) -> impl Fn(u64, u64) -> u128 {
        let k = self.k;
        move |level, distance| steps_below(k, level.saturating_add(distance))
    }
}

impl Mechanism for KTriangleCount {
    fn name(&self) -> &'static str {
        "smooth-k-triangles"
    }

    fn loss(&self) -> Loss {
        self.count.loss()
    }

    fn outlook(&self) -> Outlook {
        let words = format!(
            "the error is about 1.2/ε times what one tie can change, which grows with the largest number of \
             common neighbours to the power of {}",
            self.k
        );
        Outlook { error_95: None, words: vec![words] }
    }

    fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128> {
        check_nodes(graph, self.nodes);
        let survey = k_triangles::survey(graph, self.k);
        let local = |distance| local_at(self.k, &survey, distance);
        let level = level_of(self.k, survey.local, u64::from(survey.common));
        self.count.release(survey.count, local, level, self.ceiling(), bits).to_vec()
    }

    fn present(&self, released: &[i128]) -> Option<Answer> {
        let [noisy, level] = *released else { return None };
        let error = self.count.error_upper(level, self.ceiling(), &Rational::ratio(1, 20));
        let pairs = choose(u64::from(self.nodes), 2);
        let most = choose(u64::from(self.nodes).saturating_sub(2), self.k).saturating_mul(pairs);
        let cut = most > COUNT_MAX;
        let notes = cut.then(|| "counts above 2^90 would be cut off there".to_owned());
        Some(Answer { estimates: vec![counted(noisy, error, cut)], notes: notes.into_iter().collect() })
    }
}

/// The ladder: no graph within this distance has a larger local sensitivity.
fn local_at(k: u32, survey: &KTriangles, distance: u64) -> u128 {
    let common = u64::from(survey.common);
    let growth = steps_below(k, common.saturating_add(distance)).saturating_sub(steps_below(k, common));
    survey.local.saturating_add(growth)
}

/// The least level, from `common` on, whose steps add up to the local sensitivity.
fn level_of(k: u32, local: u128, common: u64) -> u64 {
    let enough = |level: u64| steps_below(k, level) >= local.min(COUNT_MAX);
    if enough(common) {
        return common;
    }
    // Twice as many nodes have at least four times as many steps, and the cap is below 2k + 1 times
    // `C(n, k)`.
    let (mut below, mut level) = (common, 1 << 36);
    while level - below > 1 {
        let middle = below.midpoint(level);
        if enough(middle) { level = middle } else { below = middle }
    }
    level
}

/// `H(m) = h(0) + … + h(m − 1)`. As `x·C(x, k−2) = (k−1)·C(x, k−1) + (k−2)·C(x, k−2)`, and sums of `C(x, j)`
/// over x below m are `C(m, j+1)`, this is `(k+2)·C(m, k) + (k−2)·C(m, k−1)`, and for the first four x what
/// is missing to 4.
fn steps_below(k: u32, level: u64) -> u128 {
    let missing = |x: u64| u128::from(4 - x) * choose(x, k - 2);
    let small: u128 = (0..level.min(4)).map(missing).sum();
    let steep = choose(level, k).saturating_mul(u128::from(k + 2));
    let flat = choose(level, k - 1).saturating_mul(u128::from(k - 2));
    steep.saturating_add(flat).saturating_add(small)
}

#[cfg(test)]
mod tests;
