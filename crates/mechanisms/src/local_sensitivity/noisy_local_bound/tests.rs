//! Triangles under edge privacy: the exact joint law of bound and answer, for all small graphs and all their
//! edges.

use pointillist_errors::Explained as _;
use pointillist_testkit::{assert_distribution, hockey_stick, renyi_divergence, seeded};

use super::*;
use crate::number::discrete_laplace_tail::tests::{pmf, tail};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).unwrap()
}

/// A simple graph as an adjacency matrix.
#[derive(Clone)]
struct Graph(Vec<Vec<bool>>);

impl Graph {
    fn with_edges(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut graph = Self(vec![vec![false; nodes]; nodes]);
        edges.into_iter().for_each(|edge| graph.flip(edge));
        graph
    }

    fn flip(&mut self, (a, b): (usize, usize)) {
        self.0[a][b] = !self.0[a][b];
        self.0[b][a] = !self.0[b][a];
    }

    fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..nodes).flat_map(move |a| (a + 1..nodes).map(move |b| (a, b)))
    }

    fn common(&self, (a, b): (usize, usize)) -> u64 {
        (0..self.0.len()).filter(|c| self.0[a][*c] && self.0[b][*c]).count() as u64
    }

    fn triangles(&self) -> i64 {
        let adjacent = Self::pairs(self.0.len()).filter(|(a, b)| self.0[*a][*b]);
        adjacent.map(|pair| self.common(pair) as i64).sum::<i64>() / 3
    }

    /// The largest number of common neighbours, over all pairs or, wrongly, over adjacent ones.
    fn most_common(&self, adjacent_only: bool) -> u64 {
        let counted = Self::pairs(self.0.len()).filter(|(a, b)| !adjacent_only || self.0[*a][*b]);
        counted.map(|pair| self.common(pair)).max().unwrap_or(0)
    }

    /// Two hubs that are both joined to every other node, and not to each other.
    fn two_hubs(others: usize) -> Self {
        Self::with_edges(others + 2, (2..others + 2).flat_map(|node| [(0, node), (1, node)]))
    }
}

fn all_graphs(nodes: usize) -> impl Iterator<Item = Graph> {
    let pairs: Vec<_> = Graph::pairs(nodes).collect();
    (0..1u32 << pairs.len()).map(move |mask| {
        let edges = pairs.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
        Graph::with_edges(nodes, edges.map(|(_, pair)| *pair))
    })
}

/// The law of L̂ at ε₁ = 1, moved into 1 ..= `bound_max`.
fn bound_law(local_bound: u64, offset: i64, bound_max: i64, l: i64) -> f64 {
    let centre = local_bound as i64 + offset;
    match l {
        1 => 1.0 - tail(1.0, 2 - centre),
        _ if l == bound_max => tail(1.0, l - centre),
        _ => pmf(1.0, l - centre),
    }
}

/// The exact joint law of (L̂, answer) with ε₁ = ε₂ = 1, of answers between −150 and 150. What lies beyond is
/// a little mass at the largest L̂, where the noise is more than enough.
fn law(graph: &Graph, local_bound: u64, offset: i64, bound_max: i64) -> Vec<f64> {
    let triangles = graph.triangles();
    let row = |l: i64| {
        let weight = bound_law(local_bound, offset, bound_max, l);
        (-150..=150).map(move |answer| weight * pmf(l as f64, answer - triangles))
    };
    (1..=bound_max).flat_map(row).collect()
}

/// The largest δ at ε₁ + ε₂ = 2 over the pairs of this graph and each graph with one edge flipped, both ways.
fn worst_delta(graph: &Graph, law_of: impl Fn(&Graph) -> Vec<f64>) -> f64 {
    let here = law_of(graph);
    Graph::pairs(graph.0.len())
        .map(|pair| {
            let mut other = graph.clone();
            other.flip(pair);
            let there = law_of(&other);
            hockey_stick(&here, &there, 2.0).max(hockey_stick(&there, &here, 2.0))
        })
        .fold(0.0, f64::max)
}

/// Both properties of the bound, on every graph of four nodes and every edge.
#[test]
fn common_neighbours_bound_triangles_and_move_by_one() {
    for graph in all_graphs(4) {
        for pair in Graph::pairs(4) {
            let mut other = graph.clone();
            other.flip(pair);
            assert!(graph.triangles().abs_diff(other.triangles()) <= graph.most_common(false));
            assert!(graph.most_common(false).abs_diff(other.most_common(false)) <= 1);
        }
    }
}

/// The theorem, exactly, on the 64 graphs of four nodes and on a graph whose edges differ a lot. The same
/// check rejects a bound over adjacent pairs only, a bound without offset, and noise for half the bound.
#[test]
fn no_pair_of_neighbours_is_told_apart_by_more_than_epsilon_and_delta() {
    for (d, bound_max) in [("0.01", 2), ("0.01", 30), ("0.2", 30)] {
        let mechanism = NoisyLocalBound::new(&epsilon("1"), &epsilon("1"), &delta(d), 1, bound_max).unwrap();
        let offset = mechanism.offset() as i64;
        let right = |graph: &Graph| law(graph, graph.most_common(false), offset, bound_max as i64);
        let d = delta(d).to_f64_upper();
        for graph in all_graphs(4).chain([Graph::two_hubs(8)]) {
            if graph.0.len() > 4 && bound_max < 8 {
                continue;
            }
            let worst = worst_delta(&graph, right);
            assert!(worst <= d * (1.0 + 1e-9), "{worst}");
        }
    }
    let mechanism = NoisyLocalBound::new(&epsilon("1"), &epsilon("1"), &delta("0.01"), 1, 30).unwrap();
    let offset = mechanism.offset() as i64;
    let hubs = Graph::two_hubs(8);
    let adjacent = worst_delta(&hubs, |graph| law(graph, graph.most_common(true), offset, 30));
    assert!(adjacent > 0.1, "adjacent pairs only: {adjacent}");
    // Without offset the bound is too small half of the time, but rarely by much: the damage is far above δ =
    // 1e-6 only.
    let claimed =
        NoisyLocalBound::new(&epsilon("1"), &epsilon("1"), &delta("1e-6"), 1, 30).unwrap().offset() as i64;
    let with = |offset: i64| worst_delta(&hubs, |graph| law(graph, graph.most_common(false), offset, 30));
    assert!(with(claimed) <= 1e-6, "{}", with(claimed));
    assert!(with(0) > 1e-3, "no offset: {}", with(0));
    let quiet = worst_delta(&hubs, |graph| law(graph, graph.most_common(false) / 4, offset / 4, 30));
    assert!(quiet > 0.1, "a quarter of the bound: {quiet}");
}

/// The second theorem: conditioned on bounds that bound, no divergence passes what is charged, though the
/// conditional laws are no longer ε₁-close.
#[test]
fn conditioned_on_a_good_bound_the_divergence_is_that_of_two_pure_steps() {
    let mechanism = NoisyLocalBound::new(&epsilon("1"), &epsilon("1"), &delta("0.2"), 1, 30).unwrap();
    assert_eq!(mechanism.loss().approximate_rho(), Some((Rho::parse("1").unwrap(), delta("0.2"))));
    let largest = |graph: &Graph, other: &Graph, order: f64| {
        let moved = graph.triangles().abs_diff(other.triangles());
        let conditioned = |graph: &Graph| {
            let kept = 301 * (moved.max(1) as usize - 1);
            let whole = law(graph, graph.most_common(false), mechanism.offset() as i64, 30);
            let law = &whole[kept..];
            let mass: f64 = law.iter().sum();
            law.iter().map(|p| p / mass).collect::<Vec<f64>>()
        };
        renyi_divergence(&conditioned(graph), &conditioned(other), order)
    };
    let pairs = |graph: Graph| {
        Graph::pairs(graph.0.len()).map(move |pair| {
            let mut other = graph.clone();
            other.flip(pair);
            (graph.clone(), other)
        })
    };
    for (graph, other) in all_graphs(4).flat_map(pairs).chain(pairs(Graph::two_hubs(8))) {
        for order in [1.1, 2.0, 8.0] {
            let divergence = largest(&graph, &other, order).max(largest(&other, &graph, order));
            assert!(divergence <= order, "order {order}: {divergence}");
        }
    }
    let hubs = Graph::two_hubs(8);
    let mut tied = hubs.clone();
    tied.flip((0, 1));
    assert!(largest(&hubs, &tied, 1.1) > 0.1, "the check would see something");
}

/// The offset is the least integer that the noise undercuts with probability at most δ.
#[test]
fn the_offset_is_the_exact_quantile() {
    for (e, d, s) in [("1", "0.01", 1), ("0.2", "1e-6", 1), ("0.5", "1e-9", 3)] {
        let mechanism = NoisyLocalBound::new(&epsilon(e), &epsilon("1"), &delta(d), s, 100).unwrap();
        let scale = s as f64 / epsilon(e).to_f64_upper();
        let undercut = |offset: i128| tail(scale, offset as i64 + 1);
        assert!(undercut(mechanism.offset()) <= delta(d).to_f64_upper() * (1.0 + 1e-9));
        assert!(undercut(mechanism.offset() - 1) > delta(d).to_f64_upper());
        // The lecture's offset is larger.
        assert!((mechanism.offset() as f64) < scale * (1.0 / delta(d).to_f64_upper()).ln());
    }
}

/// Specification: the pair has the joint law computed above. False alarm: 1e-9 a marginal (χ²).
#[test]
fn releases_have_the_law_that_was_checked() {
    let mechanism = NoisyLocalBound::new(&epsilon("1"), &epsilon("1"), &delta("0.01"), 1, 30).unwrap();
    let graph = Graph::two_hubs(8);
    let bound = |l: i64| bound_law(graph.most_common(false), mechanism.offset() as i64, 30, l);
    let mut bits = seeded(1);
    let draws: Vec<BoundedAnswer> = (0..20_000)
        .map(|_| mechanism.release(graph.triangles(), graph.most_common(false), &mut bits))
        .collect();
    assert_distribution(draws.iter().map(|draw| draw.bound as i64), bound, 1..=30, "bound");
    let answers = draws.iter().map(|draw| draw.value.clamp(-80, 80));
    let given = |l: i64, answer: i64| match answer.abs() {
        80 => tail(l as f64, 80),
        _ => pmf(l as f64, answer),
    };
    let answer = |a: i64| (1..=30).map(|l| bound(l) * given(l, a)).sum::<f64>();
    assert_distribution(answers, answer, -80..=80, "answer");
    // The joint law: large bounds come with large noise.
    let spread = |large: bool| {
        let chosen = draws.iter().filter(|draw| (draw.bound > 12) == large);
        let squares: Vec<f64> = chosen.map(|draw| (draw.value as f64).powi(2)).collect();
        squares.iter().sum::<f64>() / squares.len() as f64
    };
    assert!(spread(true) > 1.3 * spread(false));
}

#[test]
fn the_error_bar_follows_from_the_released_bound() {
    let mechanism = NoisyLocalBound::new(&epsilon("1"), &epsilon("0.5"), &delta("1e-6"), 1, 1000).unwrap();
    let beta = FailureProbability::parse("0.05").unwrap();
    let bound = mechanism.error_bound(20, &beta) as i64;
    assert!(2.0 * tail(40.0, bound + 1) <= 0.05 && 2.0 * tail(40.0, bound) > 0.05);
    assert_eq!(mechanism.error_bound(0, &beta), mechanism.error_bound(1, &beta));
    assert_eq!(mechanism.loss().approximate_epsilon(), Some((epsilon("1.5"), delta("1e-6"))));
    // A bound beyond the public maximum counts as the maximum.
    let capped = mechanism.release(5, u64::MAX, &mut seeded(2));
    assert!(capped.bound <= 1000);
}

#[test]
fn parameters_that_cannot_be_are_refused_with_a_hint() {
    let new = |e: &str, d: Delta, s, max| NoisyLocalBound::new(&epsilon(e), &epsilon(e), &d, s, max);
    let small = delta("1e-6");
    let errors = [
        new("1", Delta::zero(), 1, 10).unwrap_err(),
        new("1", small.clone(), 0, 10).unwrap_err(),
        new("1", small.clone(), 1, 0).unwrap_err(),
        new("1e-15", small, 1, u64::MAX).unwrap_err(),
    ];
    for error in errors {
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
}
