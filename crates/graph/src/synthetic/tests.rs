use pointillist_errors::Explained as _;

use super::*;
use crate::kernel::{degrees, triangles};

/// What a release without noise would say of a graph.
fn exactly(graph: &Graph) -> ReleasedNumbers {
    let at_least = degrees::at_least(graph);
    ReleasedNumbers {
        at_least: (0u64..).zip(at_least).map(|(degree, count)| (degree, i128::from(count))).collect(),
        triangles: i128::from(triangles::count(graph)),
    }
}

/// Groups of five who all know each other, and a few ties between them.
fn friends(groups: u32) -> Graph {
    let inside = (0..groups)
        .flat_map(|group| (0..5).flat_map(move |a| (0..a).map(move |b| (5 * group + a, 5 * group + b))));
    let between = (0..groups).map(|group| (5 * group, (5 * group + 7) % (5 * groups)));
    Graph::from_pairs(5 * groups, inside.chain(between))
}

fn sorted_degrees(graph: &Graph) -> Vec<u32> {
    let mut degrees: Vec<u32> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
    degrees.sort_unstable_by(|one, other| other.cmp(one));
    degrees
}

/// Specification: with degrees that a graph has, the made-up graph has them exactly, nine tenths of the triangles are reached, and everything that
/// is said about the distance is so.
#[test]
fn degrees_are_met_and_triangles_are_neared() {
    for graph in [friends(60), Graph::from_pairs(40, (0..39).map(|node| (node, node + 1))), friends(3)] {
        let made = SyntheticGraph::new(&exactly(&graph)).unwrap();
        assert_eq!(sorted_degrees(&made.graph), sorted_degrees(&graph));
        let Distance { degrees, ties_wanted, ties, triangles_wanted, triangles } = made.distance;
        assert_eq!((degrees, ties_wanted, ties), (0, graph.edges(), graph.edges()));
        assert_eq!(made.graph.edges(), ties, "no tie is a loop or there twice");
        assert_eq!(triangles, triangles::count(&made.graph));
        assert_eq!(triangles_wanted, triangles::count(&graph));
        assert!(10 * triangles.abs_diff(triangles_wanted) <= triangles_wanted, "{:?}", made.distance);
    }
}

/// Specification: fewer triangles than chance has are neared as well: a complete graph less nothing keeps its own, and a dense one loses some.
#[test]
fn triangles_are_given_up_where_fewer_are_wanted() {
    let dense = Graph::from_pairs(
        30,
        (0..30).flat_map(|a| (0..a).filter(move |b| (a + b) % 2 == 0).map(move |b| (a, b))),
    );
    let wanted = ReleasedNumbers { triangles: 0, ..exactly(&dense) };
    let made = SyntheticGraph::new(&wanted).unwrap();
    assert!(made.distance.triangles < triangles::count(&dense) / 4, "{:?}", made.distance);
    assert_eq!(made.distance.degrees, 0);
}

#[test]
fn the_same_numbers_make_the_same_graph_and_others_another() {
    let released = exactly(&friends(20));
    let pairs =
        |released: &ReleasedNumbers| SyntheticGraph::new(released).unwrap().graph.pairs().collect::<Vec<_>>();
    assert_eq!(pairs(&released), pairs(&released));
    let other = ReleasedNumbers { triangles: released.triangles - 1, ..released.clone() };
    assert_ne!(pairs(&released), pairs(&other));
}

/// Specification: whatever the numbers are, a simple graph comes out that says how far it is off, or a refusal with a way out.
#[test]
fn hostile_numbers_make_a_graph_or_a_refusal() {
    let of = |at_least: &[(u64, i128)], triangles: i128| {
        SyntheticGraph::new(&ReleasedNumbers { at_least: at_least.to_vec(), triangles })
    };
    let seen = |at_least: &[(u64, i128)], triangles| {
        let made = of(at_least, triangles).unwrap();
        (made.graph.nodes(), made.graph.edges(), made.distance)
    };
    let (nodes, ties, distance) = seen(&[(0, 0)], 7);
    assert_eq!((nodes, ties, distance.triangles), (0, 0, 0));
    let (nodes, ties, distance) = seen(&[(0, 9)], -3);
    assert_eq!((nodes, ties, distance.triangles_wanted), (9, 0, 0));
    // Everybody is tied to everybody: nothing can be switched.
    let all: Vec<(u64, i128)> = (0..12).map(|degree| (degree, 12)).collect();
    let (_, ties, distance) = seen(&all, i128::MAX);
    assert_eq!((ties, distance.degrees, distance.triangles), (66, 0, 220));
    // More ties than there are others, rising counts, negative counts, any order, twice the same degree.
    let (_, ties, distance) = seen(&[(500, 3), (0, 4), (2, -8), (1, 90), (1, 2), (u64::MAX, i128::MAX)], 2);
    assert!(ties <= 6 && distance.degrees <= 12, "{distance:?}");
    // One hub wants more than others want: what finds no place is left out, and said.
    let (_, ties, distance) = seen(&[(0, 10), (1, 1), (9, 1)], 0);
    assert_eq!((ties, distance.ties_wanted, distance.degrees), (0, 4, 9));
    for refused in
        [of(&[], 0), of(&[(1, 5)], 0), of(&[(0, i128::MAX)], 0), of(&[(0, 1 << 20), (1 << 19, 1 << 20)], 0)]
    {
        let error = refused.err().unwrap();
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{error}");
    }
}

/// Specification: degrees between those that were told are spread over the gap, and no node is lost.
#[test]
fn gaps_between_degrees_are_filled_evenly() {
    let sequence = degree_sequence::of(&[(0, 6), (1, 5), (4, 2), (8, 0)]).unwrap();
    assert_eq!(sequence, [5, 4, 3, 2, 1, 0]);
    let sequence = degree_sequence::of(&[(0, 4), (2, 3)]).unwrap();
    assert_eq!(sequence, [2, 2, 2, 0], "nothing is known beyond the last");
}
