use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use pointillist_noise::BitSource;
use pointillist_testkit::seeded;

use super::*;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

fn as_float(fixed: i128) -> f64 {
    fixed as f64 / (1u128 << FRACTION_BITS) as f64
}

/// Bounds on `f_D` that differ by at most this.
fn narrow(graph: &Graph, degree: u64, gap: f64) -> (f64, f64) {
    let (lower, upper) = enclosed(graph, degree, |lower, upper| as_float(upper - lower) <= gap);
    (as_float(lower), as_float(upper))
}

/// The linear programme itself, with a constraint for every set of nodes, by an interior-point solver.
fn oracle(graph: &Graph, degree: u64) -> f64 {
    let ties: Vec<(u32, u32)> = graph.pairs().collect();
    if ties.is_empty() {
        return 0.0;
    }
    let nodes = graph.nodes();
    let mut rows: Vec<(Vec<usize>, f64)> = Vec::new();
    for set in 1u32..1 << nodes {
        let inside: Vec<usize> = (0..ties.len())
            .filter(|tie| set >> ties[*tie].0 & 1 == 1 && set >> ties[*tie].1 & 1 == 1)
            .collect();
        if !inside.is_empty() {
            rows.push((inside, f64::from(set.count_ones()) - 1.0));
        }
    }
    for node in 0..nodes {
        let at: Vec<usize> =
            (0..ties.len()).filter(|tie| [ties[*tie].0, ties[*tie].1].contains(&node)).collect();
        rows.push((at, degree as f64));
    }
    let (mut i, mut j, mut a, mut b) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, (inside, bound)) in rows.iter().enumerate() {
        for tie in inside {
            i.push(row);
            j.push(*tie);
            a.push(1.0);
        }
        b.push(*bound);
    }
    for tie in 0..ties.len() {
        i.push(rows.len() + tie);
        j.push(tie);
        a.push(-1.0);
        b.push(0.0);
    }
    let matrix = CscMatrix::new_from_triplets(b.len(), ties.len(), i, j, a);
    let objective = vec![-1.0; ties.len()];
    let cones = [SupportedConeT::NonnegativeConeT(b.len())];
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let quadratic = CscMatrix::zeros((ties.len(), ties.len()));
    let mut solver = DefaultSolver::new(&quadratic, &objective, &matrix, &b, &cones, settings).unwrap();
    solver.solve();
    -solver.solution.obj_val
}

fn random_graphs(nodes: std::ops::RangeInclusive<u32>, count: usize, seed: u64) -> Vec<SmallGraph> {
    let mut bits = seeded(seed);
    let mut next = |k: usize| if k.is_multiple_of(2) { bits.word() & bits.word() } else { bits.word() };
    nodes
        .flat_map(|nodes| (0..count).map(move |k| (nodes, k)))
        .map(|(n, k)| graph_of_bits(n, next(k)))
        .collect()
}

/// Specification: the bounds enclose the value of the linear programme, for all graphs with at most five
/// nodes and random ones with up to seven.
#[test]
fn bounds_enclose_the_linear_programme() {
    for small in (0..=5).flat_map(all_graphs).chain(random_graphs(6..=7, 60, 1)) {
        let graph = small.graph();
        for degree in 1..=3 {
            let exact = oracle(&graph, degree);
            let (lower, upper) = narrow(&graph, degree, 0.01);
            assert!(
                lower <= exact + 1e-6 && exact <= upper + 1e-6,
                "{lower} ≤ {exact} ≤ {upper}: {small:?}, {degree}"
            );
        }
    }
}

/// Specification: when a node comes, `f_D` does not fall and rises by at most D, for all graphs with at most
/// five nodes and random ones with up to ten; and it rises by D somewhere.
#[test]
fn one_node_raises_the_fractional_forest_by_at_most_the_degree() {
    let gap = 0.02;
    let mut largest = [0.0f64; 4];
    for small in (1..=5).flat_map(all_graphs).chain(random_graphs(6..=10, 40, 2)) {
        let with = small.graph();
        for degree in 1..=3 {
            let (lower, upper) = narrow(&with, degree, gap);
            for without in small.without_a_node() {
                let (lower_without, upper_without) = narrow(&without.graph(), degree, gap);
                let rise = upper - lower_without;
                assert!(lower_without <= upper && lower - upper_without <= degree as f64, "{small:?}");
                largest[degree as usize] = largest[degree as usize].max(rise);
            }
        }
    }
    for (degree, rise) in largest.iter().enumerate().skip(1) {
        assert!(*rise >= degree as f64);
    }
}

/// Specification: the whole numbers that are returned stay within their stated movement, and are at most two
/// below.
#[test]
fn values_move_within_their_bounds() {
    for small in (1..=5).flat_map(all_graphs).chain(random_graphs(6..=10, 40, 3)) {
        let with = small.graph();
        for degree in 0..=4 {
            let value = |graph: &Graph| forest_family(graph, &[degree])[0] as i128;
            let here = value(&with);
            let (lower, upper) = narrow(&with, degree, 0.5);
            assert!(here as f64 <= upper && here as f64 >= lower - 2.0);
            assert!(here <= i128::from(with.nodes() - components::count(&with)));
            for without in small.without_a_node() {
                let rise = here - value(&without.graph());
                assert!(rise <= i128::from(rise_max(degree)) && -rise <= i128::from(fall_max(degree)));
                assert!((1 - rise).abs() <= i128::from(sensitivity(degree)));
            }
        }
    }
}

#[test]
fn known_values() {
    let star = Graph::from_pairs(31, (1..31).map(|leaf| (0, leaf)));
    assert_eq!(forest_family(&star, &[0, 1, 7, 30, 31, 1000]), [0, 1, 7, 30, 30, 30]);
    assert_eq!(forest_family(&star, &[1000, 7, 30, 0, 7]), [30, 7, 30, 0, 7]);
    let ring = |nodes: u32| Graph::from_pairs(nodes, (0..nodes).map(|u| (u, (u + 1) % nodes)));
    let (lower, upper) = narrow(&ring(9), 1, 0.05);
    assert!(lower <= 4.5 && upper >= 4.5);
    assert_eq!(forest_family(&ring(9), &[2]), [8]);
    let path = |nodes: u32| Graph::from_pairs(nodes, (1..nodes).map(|u| (u - 1, u)));
    assert_eq!(forest_family(&path(9), &[1, 2]), [4, 8]);
    assert_eq!(forest_family(&path(10), &[1, 2]), [5, 9]);
    // A tree of stars: each of ten centres has twenty leaves and is tied to a middle.
    let centres = (0..10u32).flat_map(|c| (0..20).map(move |leaf| (c, 11 + 20 * c + leaf)).chain([(c, 10)]));
    let stars = Graph::from_pairs(211, centres);
    assert_eq!(forest_family(&stars, &[4, 8, 20, 21]), [4 * 10, 8 * 10, 200, 210]);
    // Two hubs that share all of a hundred neighbours: each holds as many as its degree.
    let shared = Graph::from_pairs(102, (2..102).flat_map(|u| [(0, u), (1, u)]));
    assert_eq!(forest_family(&shared, &[8, 60, 100]), [16, 101, 101]);
    assert_eq!(forest_family(&Graph::from_pairs(0, []), &[0, 3]), [0, 0]);
}

/// Specification: where half ties are best, forests and sets of nodes do not meet, and prices bring them
/// together. Sixty triangles whose corners have five leaves each, at degree six: 16.5 each, 16 in whole ties.
#[test]
fn prices_close_the_gap_where_whole_forests_cannot() {
    let triangle = |k: u32| {
        let corner = move |i: u32| 18 * k + 6 * i;
        (0..3).flat_map(move |i| {
            (1..6).map(move |leaf| (corner(i), corner(i) + leaf)).chain([(corner(i), corner((i + 1) % 3))])
        })
    };
    let graph = Graph::from_pairs(18 * 60, (0..60).flat_map(triangle));
    let problem = Residual::of(&graph, 6);
    let (component, sizes) = problem.components();
    let (known, _) = forest::bounds(&problem, &component, &sizes);
    assert_eq!((known.len(), known[0].lower, known[0].upper), (60, 1, 2));
    let value = forest_family(&graph, &[6])[0];
    assert!((60 * 33 / 2 - 2..=60 * 33 / 2).contains(&value), "{value}");
}

/// Specification: on random graphs too large for the linear programme, the search, the sets of nodes and the
/// prices agree: bounds never cross, values are within two of the narrow bounds, and grow with the degree.
#[test]
fn bounds_of_larger_graphs_agree() {
    let mut bits = seeded(4);
    let mut gaps = 0;
    for nodes in [30u32, 60, 120] {
        for _ in 0..12 {
            // Half of all ties lead to one of a few hubs.
            let mut node = |below: u32| (bits.word() % u64::from(below)) as u32;
            let ties: Vec<(u32, u32)> = (0..2 * nodes)
                .map(|k| (node(nodes), node(if k % 2 == 0 { nodes } else { nodes / 8 })))
                .collect();
            let graph = Graph::from_pairs(nodes, ties);
            let degrees = [1, 2, 3, 4, 6, 10];
            let values = forest_family(&graph, &degrees);
            let mut before = 0.0;
            for (degree, value) in degrees.iter().zip(values) {
                let problem = Residual::of(&graph, *degree);
                let (component, sizes) = problem.components();
                let (known, _) = forest::bounds(&problem, &component, &sizes);
                assert!(known.iter().all(|bounds| bounds.lower <= bounds.upper));
                gaps += usize::from(known.iter().any(|bounds| bounds.lower < bounds.upper));
                let (lower, upper) = narrow(&graph, *degree, 0.5);
                assert!(lower <= upper && value as f64 <= upper && value as f64 >= lower - 2.0);
                assert!(upper >= before);
                before = lower;
            }
        }
    }
    assert!(gaps > 10, "{gaps}: the search alone was exact nearly everywhere");
}

/// Specification: a tree of any shape is settled without a search, and long chains neither fail nor overflow.
#[test]
fn trees_are_settled_exactly() {
    let chain = Graph::from_pairs(200_000, (1..200_000).map(|u| (u - 1, u)));
    assert!(Residual::of(&chain, 1).rows.is_empty());
    assert_eq!(forest_family(&chain, &[1]), [100_000]);
    let mut bits = seeded(5);
    let tree = Graph::from_pairs(5000, (1..5000).map(|u| (u, (bits.word() % u64::from(u)) as u32)));
    let values = forest_family(&tree, &[1, 2, 3, 4, 100]);
    assert!(values.is_sorted() && values[4] == 4999);
    assert!(Residual::of(&tree, 2).rows.is_empty());
}

#[test]
fn sensitivities_are_those_of_the_proof() {
    assert_eq!([0, 1, 2, 8, 16].map(sensitivity), [3, 3, 3, 9, 19]);
    assert_eq!((rise_max(8), fall_max(8)), (10, 2));
    assert_eq!((rise_max(32), fall_max(32)), (40, 8));
}
