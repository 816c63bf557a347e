use pointillist_testkit::seeded;

use super::*;
use crate::kernel::testing::{all_graphs, graph_of_bits};
use crate::node::projection::OrderedTies;
use crate::node::projection::tests::random_neighbours;

const KARATE: [(u32, u32); 78] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (0, 5),
    (0, 6),
    (0, 7),
    (0, 8),
    (0, 10),
    (0, 11),
    (0, 12),
    (0, 13),
    (0, 17),
    (0, 19),
    (0, 21),
    (0, 31),
    (1, 2),
    (1, 3),
    (1, 7),
    (1, 13),
    (1, 17),
    (1, 19),
    (1, 21),
    (1, 30),
    (2, 3),
    (2, 7),
    (2, 8),
    (2, 9),
    (2, 13),
    (2, 27),
    (2, 28),
    (2, 32),
    (3, 7),
    (3, 12),
    (3, 13),
    (4, 6),
    (4, 10),
    (5, 6),
    (5, 10),
    (5, 16),
    (6, 16),
    (8, 30),
    (8, 32),
    (8, 33),
    (9, 33),
    (13, 33),
    (14, 32),
    (14, 33),
    (15, 32),
    (15, 33),
    (18, 32),
    (18, 33),
    (19, 33),
    (20, 32),
    (20, 33),
    (22, 32),
    (22, 33),
    (23, 25),
    (23, 27),
    (23, 29),
    (23, 32),
    (23, 33),
    (24, 25),
    (24, 27),
    (24, 31),
    (25, 31),
    (26, 29),
    (26, 33),
    (27, 33),
    (28, 31),
    (28, 33),
    (29, 32),
    (29, 33),
    (30, 32),
    (30, 33),
    (31, 32),
    (31, 33),
    (32, 33),
];
const FLORENTINE: [(u32, u32); 20] = [
    (0, 8),
    (1, 5),
    (1, 6),
    (1, 8),
    (2, 4),
    (2, 8),
    (3, 6),
    (3, 10),
    (3, 13),
    (4, 10),
    (4, 13),
    (6, 7),
    (6, 14),
    (8, 11),
    (8, 12),
    (8, 14),
    (9, 12),
    (10, 13),
    (11, 13),
    (11, 14),
];
const RANDOM: [(u32, u32); 67] = [
    (0, 1),
    (0, 4),
    (0, 5),
    (0, 7),
    (0, 8),
    (0, 14),
    (0, 15),
    (1, 4),
    (1, 9),
    (1, 12),
    (1, 14),
    (1, 15),
    (1, 18),
    (2, 3),
    (2, 5),
    (2, 6),
    (2, 7),
    (2, 13),
    (2, 14),
    (2, 18),
    (2, 19),
    (3, 8),
    (3, 9),
    (3, 10),
    (3, 13),
    (3, 15),
    (3, 16),
    (3, 19),
    (4, 6),
    (4, 7),
    (4, 8),
    (4, 9),
    (4, 13),
    (4, 15),
    (5, 8),
    (5, 9),
    (5, 11),
    (5, 19),
    (6, 8),
    (6, 13),
    (6, 15),
    (6, 17),
    (6, 18),
    (7, 8),
    (7, 11),
    (7, 13),
    (7, 15),
    (7, 16),
    (7, 17),
    (8, 12),
    (8, 16),
    (8, 17),
    (9, 12),
    (9, 15),
    (9, 17),
    (10, 13),
    (10, 15),
    (10, 16),
    (10, 19),
    (11, 14),
    (11, 18),
    (12, 17),
    (12, 19),
    (13, 16),
    (13, 17),
    (14, 18),
    (15, 19),
];

/// Thresholds and doubled values, computed elsewhere by two methods.
type Reference = (Graph, Vec<(u64, u64)>);

fn references() -> Vec<Reference> {
    let complete = |n: u32| Graph::from_pairs(n, (0..n).flat_map(|v| (0..v).map(move |u| (u, v))));
    let star_and_triangle = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (0, 5),
        (0, 6),
        (0, 7),
        (0, 8),
        (0, 9),
        (0, 10),
        (0, 11),
        (1, 2),
        (3, 4),
    ];
    vec![
        (Graph::from_pairs(34, KARATE), vec![(1, 27), (2, 50), (3, 68), (5, 88), (8, 116), (17, 156)]),
        (Graph::from_pairs(15, FLORENTINE), vec![(1, 15), (2, 24), (3, 30), (5, 38), (6, 40), (8, 40)]),
        (Graph::from_pairs(20, RANDOM), vec![(1, 20), (2, 40), (3, 60), (5, 99), (8, 130), (9, 134)]),
        (complete(5), vec![(1, 5), (2, 10), (3, 15), (4, 20), (8, 20)]),
        (complete(10), vec![(1, 10), (2, 20), (3, 30), (5, 50), (8, 80), (9, 90)]),
        (
            Graph::from_pairs(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]),
            vec![(1, 5), (2, 8), (3, 10), (4, 12)],
        ),
        (Graph::from_pairs(7, (0..6).map(|v| (v, v + 1))), vec![(1, 6), (2, 12)]),
        (Graph::from_pairs(12, star_and_triangle), vec![(1, 6), (2, 8), (3, 10), (5, 14), (8, 20), (11, 26)]),
        (Graph::from_pairs(6, []), vec![(1, 0), (8, 0)]),
    ]
}

/// Specification: the values of small known graphs, thresholds asked together and alone.
#[test]
fn known_values_are_found() {
    for (graph, values) in references() {
        let thresholds: Vec<u64> = values.iter().map(|(threshold, _)| *threshold).collect();
        let doubled: Vec<u64> = values.iter().map(|(_, doubled)| *doubled).collect();
        assert_eq!(doubled_extensions(&graph, &thresholds), doubled);
        for (threshold, doubled) in values {
            assert_eq!(doubled_extensions(&graph, &[threshold]), [doubled]);
        }
    }
}

/// Specification: the flow is the value of the dual programme, whose weights on nodes are 0, ½ or 1, by brute
/// force over all of them, on all graphs with at most five nodes.
#[test]
fn flows_are_largest() {
    for small in (0..=5).flat_map(all_graphs) {
        let graph = small.graph();
        let thresholds = [1, 2, 3, 4];
        let duals = thresholds.map(|threshold| {
            let value = |weights: u32| {
                let weight = |node: u32| u64::from(weights / 3u32.pow(node) % 3);
                let nodes: u64 = (0..graph.nodes()).map(weight).sum();
                let ties: u64 = graph.pairs().map(|(u, v)| 2u64.saturating_sub(weight(u) + weight(v))).sum();
                threshold * nodes + ties
            };
            (0..3u32.pow(graph.nodes())).map(value).min().unwrap()
        });
        assert_eq!(doubled_extensions(&graph, &thresholds), duals);
    }
}

/// Specification: over all neighbours among graphs with at most five nodes and many random ones, a node adds
/// between 0 and D, both to `f_D` and to `⌈f_D⌉`, and both ends occur; `f_D` lies between what the projection
/// keeps and its double.
#[test]
fn one_node_adds_at_most_the_threshold() {
    let thresholds = [1, 2, 3, 4, 8];
    let mut reached = [[false; 2]; 5];
    let mut check = |with: &Graph, without: &Graph| {
        let [after, before] = [with, without].map(|graph| doubled_extensions(graph, &thresholds));
        let kept = OrderedTies::of(with).kept_edges(&thresholds);
        for (i, threshold) in thresholds.iter().enumerate() {
            assert!((0..=2 * threshold).contains(&(after[i] - before[i])));
            let risen = after[i].div_ceil(2) - before[i].div_ceil(2);
            assert!((0..=*threshold).contains(&risen));
            assert!(after[i] >= 2 * kept[i] && after[i] <= 4 * kept[i]);
            reached[i][0] |= risen == 0;
            reached[i][1] |= risen == *threshold;
        }
    };
    for with in (1..=5).flat_map(all_graphs) {
        with.without_a_node().for_each(|without| check(&with.graph(), &without.graph()));
    }
    let mut bits = seeded(6);
    for round in 0..1_000 {
        let [with, without] = random_neighbours(6 + round % 7, 30 + u64::from(round) % 70, &mut bits);
        check(&with, &without);
    }
    assert_eq!(reached, [[true; 2]; 5]);
}

/// Specification: with a huge ε the count is right; the price is what was asked.
#[test]
fn without_noise_the_truth_is_released() {
    let mechanism = FlowEdges::new(&Epsilon::parse("1000").unwrap()).unwrap();
    let graph = graph_of_bits(8, 0xABCDEF).graph();
    let answer = mechanism.present(&mechanism.release(&graph, &mut seeded(1))).unwrap();
    assert_eq!(answer.estimates[0].value.as_f64(), graph.edges() as f64);
    assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("1000").unwrap()));
    assert_eq!(mechanism.present(&[]), None);
}
