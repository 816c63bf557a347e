//! The programme against another solver, against brute force, and against figures known from elsewhere.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT};
use pointillist_testkit::seeded;

use super::*;
use crate::Graph;
use crate::kernel::testing::{SmallGraph, all_graphs, graph_of_bits};

/// With every copy as many times over, and the threshold as many times as high, the optimum is as many times
/// as large: so a gap of two certifies the optimum itself to three decimals.
const FINE: u32 = 4096;

/// The optimum in units of 1/4096, between two numbers that are at most two apart.
fn fine(copies: &Copies, tau: u64) -> (u64, u64) {
    let sorted = Sorted::new(copies);
    if tau == 0 || sorted.crowding_max() <= tau {
        let all = copies.count() * tau.min(1) * u64::from(FINE);
        return (all, all);
    }
    let programme = sorted.programme(tau).magnified(FINE);
    let (value, upper) = proximal::solve(&programme, 2).expect("the search succeeds");
    assert!(value <= upper && upper <= value + 2);
    (value, upper)
}

/// The optimum between two numbers.
fn optimum(copies: &Copies, tau: u64) -> (f64, f64) {
    let (value, upper) = fine(copies, tau);
    (value as f64 / f64::from(FINE), upper as f64 / f64::from(FINE))
}

/// The optimum by another solver, to six decimals.
fn oracle(copies: &Copies, tau: u64) -> f64 {
    let (columns, arity) = (copies.count() as usize, copies.arity());
    if columns == 0 {
        return 0.0;
    }
    let nodes = copies.nodes() as usize;
    // Rows: every node's capacity, every share at most one, every share at least zero.
    let rows = nodes + 2 * columns;
    let (mut starts, mut places, mut entries) = (vec![0], Vec::new(), Vec::new());
    for (column, copy) in copies.members().chunks(arity).enumerate() {
        let mut copy = copy.to_vec();
        copy.sort_unstable();
        places.extend(copy.iter().map(|node| *node as usize));
        places.extend([nodes + column, nodes + columns + column]);
        entries.extend(vec![1.0; arity + 1]);
        entries.push(-1.0);
        starts.push(places.len());
    }
    let matrix = CscMatrix::new(rows, columns, starts, places, entries);
    let mut right = vec![tau as f64; nodes];
    right.extend(vec![1.0; columns]);
    right.extend(vec![0.0; columns]);
    let settings = DefaultSettingsBuilder::default().verbose(false).build().expect("settings");
    let cones = [NonnegativeConeT(rows)];
    let nothing = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&nothing, &vec![-1.0; columns], &matrix, &right, &cones, settings)
        .expect("a programme");
    solver.solve();
    -solver.solution.obj_val
}

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

/// A random graph with about this share of all ties.
fn random(nodes: u32, share: f64, seed: u64) -> Graph {
    let mut words = seeded(seed);
    let mut tied = || (words() >> 11) as f64 / (1u64 << 53) as f64 <= share;
    let pairs: Vec<(u32, u32)> = (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
    Graph::from_pairs(nodes, pairs.into_iter().filter(|_| tied()))
}

fn patterns(graph: &Graph) -> [Copies; 3] {
    [Copies::triangles(graph), Copies::four_cliques(graph), Copies::rectangles(graph)]
}

/// How many copies the most crowded node is in.
fn most_crowded(copies: &Copies) -> u64 {
    Sorted::new(copies).crowding_max()
}

/// Specification: on random graphs of every density, at thresholds below and above the most crowded node's,
/// another solver's optimum lies between the certificates.
#[test]
fn the_optimum_of_another_solver_is_enclosed() {
    for seed in 0..60 {
        let graph = random(4 + seed as u32 % 20, 0.1 + 0.03 * (seed % 29) as f64, seed);
        for copies in patterns(&graph).iter().filter(|copies| copies.count() < 400) {
            let most = most_crowded(copies);
            for tau in [1, 2, 1 + most / 3, 1 + most / 2, most.max(2) - 1, most, most + 5] {
                let expected = oracle(copies, tau);
                let (value, upper) = optimum(copies, tau);
                assert!(value <= expected + 1e-5 && expected <= upper + 1e-5, "{value} {expected} {upper}");
                let [certified] = packed(copies, &[tau])[..] else { panic!("one threshold, one value") };
                assert!(certified.value as f64 <= expected + 1e-5);
                assert!(expected <= certified.upper as f64 + 1e-5);
                assert!(certified.upper <= certified.value + gap(tau));
            }
        }
    }
}

/// Specification: optima known in closed form.
#[test]
fn optima_known_in_closed_form_are_found() {
    let near = |copies: &Copies, tau: u64, expected: f64| {
        let (value, upper) = optimum(copies, tau);
        assert!(value <= expected && expected <= upper, "τ = {tau}: {expected} not in [{value}, {upper}]");
    };
    let empty = Graph::from_pairs(0, []);
    let triangle = complete(3);
    for tau in [0, 1, 2, 1000] {
        near(&Copies::triangles(&empty), tau, 0.0);
        near(&Copies::triangles(&Graph::from_pairs(7, [])), tau, 0.0);
        near(&Copies::triangles(&triangle), tau, tau.min(1) as f64);
    }
    // By symmetry every share of a complete graph is the same.
    for nodes in 4..12 {
        for tau in [1, 2, 5, 17, 40, 100] {
            for copies in patterns(&complete(nodes)) {
                let all = copies.count() as f64;
                near(&copies, tau, all.min(f64::from(nodes) * tau as f64 / copies.arity() as f64));
            }
        }
    }
    // A hub joined to everything in a ring: all triangles need the hub.
    let ring = (1..=30).flat_map(|node| [(0, node), (node, node % 30 + 1)]);
    let wheel = Graph::from_pairs(31, ring);
    for tau in [1, 2, 15, 29, 30, 31] {
        near(&Copies::triangles(&wheel), tau, tau.min(30) as f64);
    }
}

/// Specification: the optima that two other solvers found, with a duality certificate, for small public
/// graphs.
#[test]
fn reference_optima_are_found() {
    let near = |graph: &Graph, tau: u64, expected: f64| {
        let (value, upper) = optimum(&Copies::triangles(graph), tau);
        assert!(value <= expected + 1e-6 && expected <= upper + 1e-6, "{expected} not in [{value}, {upper}]");
    };
    let karate = Graph::from_pairs(34, KARATE);
    for (tau, expected) in [(1, 6.5), (3, 15.0), (10, 32.0), (28, 45.0), (6, 24.0), (18, 45.0)] {
        near(&karate, tau, expected);
    }
    let florentine = Graph::from_pairs(15, FLORENTINE);
    for (tau, expected) in [(1, 2.0), (3, 3.0), (6, 3.0)] {
        near(&florentine, tau, expected);
    }
    let gnp_20 = Graph::from_pairs(20, GNP_20);
    for (tau, expected) in [(1, 6.666666667), (3, 19.0), (10, 44.0), (28, 47.0), (6, 32.0), (18, 47.0)] {
        near(&gnp_20, tau, expected);
    }
    let gnp_40 = Graph::from_pairs(40, GNP_40);
    for (tau, expected) in [(1, 9.5), (3, 26.0), (10, 42.0), (6, 39.0), (18, 42.0)] {
        near(&gnp_40, tau, expected);
    }
    let gnp_60 = Graph::from_pairs(60, GNP_60);
    for (tau, expected) in [(1, 13.5), (3, 34.0), (10, 48.0), (6, 45.0), (18, 48.0)] {
        near(&gnp_60, tau, expected);
    }
    for (tau, expected) in [(1, 1.666666667), (3, 5.0), (10, 10.0), (6, 10.0)] {
        near(&complete(5), tau, expected);
    }
    for (tau, expected) in [(1, 3.333333333), (3, 10.0), (10, 33.333333333), (28, 93.333333333), (36, 120.0)]
    {
        near(&complete(10), tau, expected);
    }
}

/// By how much the optimum and the value move when each node goes, in units of 1/4096 and of one.
fn moves(small: &SmallGraph, of: impl Fn(&Graph) -> Copies, tau: u64) -> Vec<(i64, i64)> {
    let both = |small: &SmallGraph| {
        let copies = of(&small.graph());
        (fine(&copies, tau).0 as i64, packed(&copies, &[tau])[0].value as i64)
    };
    let with = both(small);
    small.without_a_node().map(|without| both(&without)).map(|w| (with.0 - w.0, with.1 - w.1)).collect()
}

/// Specification: when a node comes, the value moves by no more than the claim, and the optimum by no more
/// than τ, for all graphs with five nodes and fewer and random ones with up to ten; and somewhere it moves by
/// τ.
#[test]
fn one_node_moves_a_value_by_at_most_its_sensitivity() {
    let check = |small: &SmallGraph, of: fn(&Graph) -> Copies, tau: u64, largest: &mut i64| {
        for (fine, whole) in moves(small, of, tau) {
            assert!((-2..=tau as i64 * i64::from(FINE) + 2).contains(&fine), "{small:?} τ = {tau}: {fine}");
            assert!((-(gap(tau) as i64)..=sensitivity(tau) as i64).contains(&whole));
            *largest = (*largest).max(fine);
        }
    };
    for of in [Copies::triangles, Copies::four_cliques, Copies::rectangles] {
        let mut largest = [0; 4];
        for small in (0..=5).flat_map(all_graphs) {
            for tau in 1..=3 {
                check(&small, of, tau, &mut largest[tau as usize]);
            }
        }
        let mut words = seeded(5);
        for _ in 0..40 {
            let nodes = 6 + (words() % 5) as u32;
            // Dense graphs: two of three ties.
            let small = graph_of_bits(nodes, words() | words() & words());
            for tau in [1, 2, 7] {
                check(&small, of, tau, &mut largest[3.min(tau) as usize]);
            }
        }
        assert!(largest[1] >= i64::from(FINE) - 2 && largest[2] >= 2 * i64::from(FINE) - 2);
    }
}

/// Specification: the chain of triangles on which greedy truncation moves by three times τ moves the packing
/// by no more than τ.
#[test]
fn a_chain_that_misleads_greedy_truncation_does_not_mislead_packing() {
    // w a b, a c d, b e f, c g h, d i j, e k l, f m n: every triangle has a node of the one before.
    let triangles: [[u32; 3]; 7] =
        [[14, 0, 1], [0, 2, 3], [1, 4, 5], [2, 6, 7], [3, 8, 9], [4, 10, 11], [5, 12, 13]];
    let greedy = |all: &[[u32; 3]]| {
        let mut full = [false; 15];
        all.iter()
            .filter(|copy| {
                let fits = copy.iter().all(|node| !full[*node as usize]);
                copy.iter().filter(|_| fits).for_each(|node| full[*node as usize] = true);
                fits
            })
            .count()
    };
    assert_eq!((greedy(&triangles), greedy(&triangles[1..])), (5, 2));
    let ties = |all: &[[u32; 3]]| -> Vec<(u32, u32)> {
        all.iter().flat_map(|[a, b, c]| [(*a, *b), (*a, *c), (*b, *c)]).collect()
    };
    let with = Copies::triangles(&Graph::from_pairs(15, ties(&triangles)));
    let without = Copies::triangles(&Graph::from_pairs(14, ties(&triangles[1..])));
    assert_eq!((with.count(), without.count()), (7, 6));
    let (with, without) = (optimum(&with, 1), optimum(&without, 1));
    assert!(with.1 >= without.0 && with.0 - without.1 <= 1.0);
    assert!(with.0 <= 5.0 && 5.0 <= with.1 && without.0 <= 4.0 && 4.0 <= without.1);
}

/// Specification: the last resort encloses the same optima, from any start.
#[test]
fn the_last_resort_ends_and_agrees() {
    let check = |copies: &Copies, tau: u64, times: u32, start: f64| {
        let sorted = Sorted::new(copies);
        if sorted.crowding_max() <= tau {
            return;
        }
        let programme = sorted.programme(tau).magnified(times);
        let (value, upper) = subgradient::solve(&programme, 2, &vec![start; programme.nodes()]);
        let other = solve(&programme, 2);
        assert!(value <= upper && upper <= value + 2);
        assert!(value.max(other.0) <= upper.min(other.1), "[{value}, {upper}] and {other:?}");
    };
    for small in (3..=5).flat_map(all_graphs).step_by(7) {
        for copies in patterns(&small.graph()) {
            for tau in 1..=3 {
                check(&copies, tau, 1, 0.0);
                check(&copies, tau, 8, 1.0);
            }
        }
    }
    for seed in 0..10 {
        let graph = random(12, 0.3 + 0.06 * seed as f64, seed);
        for tau in [1, 3, 9] {
            check(&Copies::triangles(&graph), tau, 1, 0.5);
        }
    }
    check(&Copies::triangles(&Graph::from_pairs(34, KARATE)), 3, 1, f64::NAN);
}

/// Specification: whatever shares and weights are tried, the certificates hold.
#[test]
fn certificates_hold_whatever_floats_say() {
    let mut words = seeded(9);
    for seed in 0..40 {
        let copies = Copies::triangles(&random(14, 0.5, seed));
        for tau in [1, 4, 13] {
            let sorted = Sorted::new(&copies);
            let (low, high) = enclosed(&sorted, tau, 2);
            let programme = sorted.programme(tau);
            let unit = 1 << (words() % 50);
            // From nothing to far too much.
            let shift = words() % 128;
            let shares: Vec<u128> =
                (0..programme.columns.len()).map(|_| (u128::from(words()) << 64) >> shift).collect();
            let weights: Vec<u128> =
                (0..programme.nodes()).map(|_| (u128::from(words()) << 64) >> shift).collect();
            assert!(certificate::value(&programme, unit, |column| shares[column]) <= high);
            assert!(certificate::upper(&programme, unit, |node| weights[node]) >= low);
        }
    }
}

/// Specification: a value depends on the graph and its threshold, not on what else is asked or on who is at
/// work.
#[test]
fn a_value_does_not_depend_on_the_other_thresholds() {
    let copies = Copies::triangles(&random(60, 0.4, 3));
    let grid: Vec<u64> = (0..12).map(|power| 1 << power).collect();
    let together = packed(&copies, &grid);
    for (tau, certified) in grid.iter().zip(&together) {
        assert_eq!(packed(&copies, &[*tau]), [*certified]);
    }
    assert!(together.windows(2).all(|pair| pair[0].value <= pair[1].upper));
    assert_eq!(together[11], Certified { tau: 2048, value: copies.count(), upper: copies.count() });
    assert!(packed(&copies, &[]).is_empty());
}

#[test]
fn the_gap_is_small_and_public() {
    assert_eq!([0, 1, 32, 128, 191, 192, 1024].map(gap), [2, 2, 2, 2, 2, 3, 16]);
    assert_eq!(sensitivity(1024), 1040);
    assert_eq!(sensitivity(u64::MAX), u64::MAX);
}

#[rustfmt::skip]
const KARATE: [(u32, u32); 78] = [
    (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (0, 10), (0, 11), (0, 12), (0, 13),
    (0, 17), (0, 19), (0, 21), (0, 31), (1, 2), (1, 3), (1, 7), (1, 13), (1, 17), (1, 19), (1, 21), (1, 30),
    (2, 3), (2, 7), (2, 8), (2, 9), (2, 13), (2, 27), (2, 28), (2, 32), (3, 7), (3, 12), (3, 13), (4, 6),
    (4, 10), (5, 6), (5, 10), (5, 16), (6, 16), (8, 30), (8, 32), (8, 33), (9, 33), (13, 33), (14, 32),
    (14, 33), (15, 32), (15, 33), (18, 32), (18, 33), (19, 33), (20, 32), (20, 33), (22, 32), (22, 33),
    (23, 25), (23, 27), (23, 29), (23, 32), (23, 33), (24, 25), (24, 27), (24, 31), (25, 31), (26, 29),
    (26, 33), (27, 33), (28, 31), (28, 33), (29, 32), (29, 33), (30, 32), (30, 33), (31, 32), (31, 33),
    (32, 33),
];

#[rustfmt::skip]
const FLORENTINE: [(u32, u32); 20] = [
    (0, 8), (1, 5), (1, 6), (1, 8), (2, 4), (2, 8), (3, 6), (3, 10), (3, 13), (4, 10), (4, 13), (6, 7),
    (6, 14), (8, 11), (8, 12), (8, 14), (9, 12), (10, 13), (11, 13), (11, 14),
];

#[rustfmt::skip]
const GNP_20: [(u32, u32); 67] = [
    (0, 1), (0, 4), (0, 5), (0, 7), (0, 8), (0, 14), (0, 15), (1, 4), (1, 9), (1, 12), (1, 14), (1, 15),
    (1, 18), (2, 3), (2, 5), (2, 6), (2, 7), (2, 13), (2, 14), (2, 18), (2, 19), (3, 8), (3, 9), (3, 10),
    (3, 13), (3, 15), (3, 16), (3, 19), (4, 6), (4, 7), (4, 8), (4, 9), (4, 13), (4, 15), (5, 8), (5, 9),
    (5, 11), (5, 19), (6, 8), (6, 13), (6, 15), (6, 17), (6, 18), (7, 8), (7, 11), (7, 13), (7, 15),
    (7, 16), (7, 17), (8, 12), (8, 16), (8, 17), (9, 12), (9, 15), (9, 17), (10, 13), (10, 15), (10, 16),
    (10, 19), (11, 14), (11, 18), (12, 17), (12, 19), (13, 16), (13, 17), (14, 18), (15, 19),
];

#[rustfmt::skip]
const GNP_40: [(u32, u32); 129] = [
    (0, 8), (0, 11), (0, 13), (0, 25), (0, 35), (0, 37), (0, 39), (1, 22), (1, 32), (2, 3), (2, 6), (2, 10),
    (2, 18), (2, 20), (2, 21), (2, 32), (2, 33), (2, 36), (3, 10), (3, 12), (3, 14), (3, 15), (3, 16),
    (3, 20), (3, 25), (3, 26), (3, 36), (4, 12), (4, 13), (4, 15), (4, 20), (4, 23), (4, 31), (5, 7),
    (5, 9), (5, 15), (5, 30), (5, 38), (6, 7), (6, 16), (6, 25), (6, 29), (6, 32), (6, 33), (6, 34),
    (6, 37), (7, 8), (7, 30), (7, 33), (8, 18), (8, 21), (8, 22), (8, 30), (8, 36), (9, 15), (9, 21),
    (9, 31), (10, 12), (10, 17), (10, 19), (10, 23), (10, 31), (10, 35), (11, 12), (11, 22), (11, 24),
    (11, 37), (12, 15), (12, 19), (12, 27), (12, 33), (12, 34), (13, 14), (13, 18), (13, 26), (13, 33),
    (13, 39), (14, 31), (14, 32), (15, 22), (15, 27), (15, 28), (16, 20), (16, 35), (16, 38), (16, 39),
    (17, 20), (17, 29), (17, 33), (17, 34), (18, 25), (18, 30), (19, 23), (19, 24), (19, 33), (19, 34),
    (19, 38), (20, 21), (20, 28), (20, 29), (20, 31), (20, 37), (21, 22), (21, 28), (21, 36), (22, 27),
    (22, 32), (22, 33), (23, 24), (23, 25), (23, 28), (23, 30), (24, 34), (24, 36), (25, 29), (27, 32),
    (29, 33), (29, 39), (30, 31), (30, 34), (30, 38), (31, 33), (31, 37), (31, 38), (32, 33), (34, 35),
    (34, 39), (36, 37), (36, 39),
];

#[rustfmt::skip]
const GNP_60: [(u32, u32); 200] = [
    (0, 5), (0, 8), (0, 13), (0, 27), (0, 36), (0, 39), (1, 2), (1, 6), (1, 18), (1, 22), (2, 18), (2, 21),
    (2, 31), (2, 38), (2, 39), (2, 43), (2, 47), (3, 13), (3, 40), (3, 49), (4, 21), (4, 28), (4, 29),
    (4, 53), (5, 18), (5, 25), (5, 31), (5, 44), (5, 47), (5, 59), (6, 9), (6, 11), (6, 18), (6, 24),
    (6, 38), (6, 42), (6, 59), (7, 12), (7, 23), (7, 30), (7, 37), (7, 41), (7, 46), (7, 51), (7, 52),
    (7, 59), (8, 12), (8, 18), (8, 38), (9, 13), (9, 21), (9, 26), (9, 46), (9, 48), (9, 55), (10, 11),
    (10, 15), (10, 19), (10, 20), (10, 49), (10, 52), (10, 58), (11, 17), (11, 20), (11, 37), (11, 51),
    (12, 23), (12, 24), (12, 38), (12, 51), (12, 58), (13, 22), (13, 35), (13, 39), (13, 43), (13, 46),
    (14, 17), (14, 21), (14, 24), (14, 33), (14, 35), (14, 36), (14, 39), (14, 53), (15, 49), (16, 18),
    (16, 21), (16, 25), (16, 38), (16, 39), (16, 45), (16, 48), (16, 52), (16, 54), (16, 56), (16, 59),
    (17, 24), (17, 26), (17, 30), (17, 35), (17, 37), (17, 42), (18, 22), (18, 33), (18, 35), (18, 41),
    (18, 44), (18, 59), (19, 51), (19, 55), (19, 57), (20, 23), (20, 26), (20, 37), (20, 55), (21, 35),
    (21, 41), (21, 42), (21, 43), (21, 44), (21, 47), (21, 49), (21, 58), (22, 38), (22, 40), (22, 53),
    (23, 40), (24, 39), (25, 29), (25, 30), (26, 58), (27, 28), (27, 29), (27, 32), (27, 47), (27, 49),
    (27, 55), (28, 29), (28, 31), (28, 35), (28, 39), (28, 43), (28, 45), (28, 51), (29, 33), (29, 34),
    (29, 48), (30, 46), (30, 49), (31, 32), (31, 42), (31, 43), (32, 36), (32, 47), (33, 36), (33, 37),
    (33, 48), (33, 49), (33, 59), (34, 35), (34, 41), (34, 49), (34, 52), (35, 38), (35, 55), (35, 59),
    (36, 42), (36, 44), (36, 48), (36, 52), (37, 42), (37, 54), (37, 56), (38, 52), (38, 53), (38, 55),
    (39, 50), (39, 56), (40, 48), (40, 57), (41, 48), (41, 58), (42, 46), (42, 52), (43, 45), (43, 46),
    (43, 50), (44, 52), (45, 46), (46, 47), (46, 53), (47, 56), (48, 50), (48, 55), (48, 58), (51, 59),
    (52, 54), (52, 57), (54, 55), (54, 58),
];
