//! Fast kernels against slow ones that follow the definitions, on all small graphs, random, golden and hostile ones.

use pointillist_noise::SecureBits;
use pointillist_testkit::seeded;

use super::testing::all_graphs;
use super::{common_neighbours, components, cores, degrees, stars, triangles};
use crate::Graph;

/// Everything the kernels say about a graph.
#[derive(Debug, PartialEq, Eq)]
struct Everything {
    triangles: u64,
    per_node: Vec<u64>,
    list: Vec<[u32; 3]>,
    max_common: u32,
    frontier: Vec<(u32, u32)>,
    components: u32,
    cores: Vec<u32>,
    degeneracy: u32,
    max_degree: u32,
    degrees: Vec<u64>,
    at_least: Vec<u64>,
    stars: Vec<u128>,
}

fn fast(graph: &Graph) -> Everything {
    Everything {
        triangles: triangles::count(graph),
        per_node: triangles::per_node(graph),
        list: triangles::list(graph),
        max_common: common_neighbours::max(graph),
        frontier: common_neighbours::frontier(graph),
        components: components::count(graph),
        cores: cores::numbers(graph),
        degeneracy: cores::degeneracy(graph),
        max_degree: degrees::max(graph),
        degrees: degrees::histogram(graph),
        at_least: degrees::at_least(graph),
        stars: (0..5).map(|leaves| stars::count(graph, leaves)).collect(),
    }
}

fn slow(graph: &Graph) -> Everything {
    let nodes = || 0..graph.nodes();
    let later_common = |u: u32, v: u32| {
        let row = graph.neighbours(u).iter().filter(move |w| **w > v);
        row.filter(move |w| graph.has_edge(v, **w)).map(move |w| [u, v, *w])
    };
    let list: Vec<[u32; 3]> = graph.pairs().flat_map(|(u, v)| later_common(u, v)).collect();
    let mut per_node = vec![0; graph.nodes() as usize];
    list.iter().flatten().for_each(|node| per_node[*node as usize] += 1);
    let max_degree = nodes().map(|node| graph.neighbours(node).len() as u32).max().unwrap_or(0);
    let of_each_degree = |counts: fn(u32, u32) -> bool| {
        let nodes_with =
            |degree: u32| nodes().filter(|node| counts(graph.degree(*node), degree)).count() as u64;
        (0..=max_degree).take_while(|_| graph.nodes() > 0).map(nodes_with).collect()
    };
    let cores = peel(graph);
    Everything {
        triangles: list.len() as u64,
        per_node,
        list,
        max_common: slow_pairs(graph).map(|(common, _)| common).max().unwrap_or(0),
        frontier: slow_frontier(graph),
        components: flood(graph),
        degeneracy: cores.iter().copied().max().unwrap_or(0),
        cores,
        max_degree,
        degrees: of_each_degree(|has, degree| has == degree),
        at_least: of_each_degree(|has, degree| has >= degree),
        stars: (0..5)
            .map(|leaves| nodes().map(|node| subsets(graph.degree(node).into(), leaves)).sum())
            .collect(),
    }
}

/// Common neighbours and nodes on exactly one side, of every pair.
fn slow_pairs(graph: &Graph) -> impl Iterator<Item = (u32, u32)> + '_ {
    (0..graph.nodes()).flat_map(move |i| {
        (i + 1..graph.nodes()).map(move |j| {
            let (shorter, longer) = if graph.degree(i) < graph.degree(j) { (i, j) } else { (j, i) };
            let common =
                graph.neighbours(shorter).iter().filter(|k| graph.has_edge(longer, **k)).count() as u32;
            let both = graph.degree(i) + graph.degree(j);
            (common, both - 2 * common - 2 * u32::from(graph.has_edge(i, j)))
        })
    })
}

/// The pairs' points that no other point dominates, by the definition.
fn slow_frontier(graph: &Graph) -> Vec<(u32, u32)> {
    let mut points: Vec<(u32, u32)> = slow_pairs(graph).collect();
    points.sort_unstable();
    points.dedup();
    let dominates =
        |(a, b): (u32, u32), (c, d): (u32, u32)| a >= c && 2 * a + b >= 2 * c + d && (a, b) != (c, d);
    let all = points.clone();
    points.retain(|point| !all.iter().any(|other| dominates(*other, *point)));
    points
}

/// `C(n, k)` by Pascal's rule.
fn subsets(n: u64, k: u32) -> u128 {
    let mut row = vec![0u128; k as usize + 1];
    row[0] = 1;
    for _ in 0..n {
        (1..row.len()).rev().for_each(|place| row[place] += row[place - 1]);
    }
    row[k as usize]
}

/// Core numbers by taking nodes away, one k after the other.
fn peel(graph: &Graph) -> Vec<u32> {
    let mut core = vec![0; graph.nodes() as usize];
    let mut there = vec![true; graph.nodes() as usize];
    for k in 1.. {
        loop {
            let ties =
                |node: u32| graph.neighbours(node).iter().filter(|other| there[**other as usize]).count();
            let weak = |node: &u32| there[*node as usize] && ties(*node) < k as usize;
            let gone: Vec<u32> = (0..graph.nodes()).filter(weak).collect();
            gone.iter().for_each(|node| there[*node as usize] = false);
            if gone.is_empty() {
                break;
            }
        }
        if !there.contains(&true) {
            break;
        }
        (0..core.len()).filter(|node| there[*node]).for_each(|node| core[node] = k);
    }
    core
}

fn flood(graph: &Graph) -> u32 {
    let mut seen = vec![false; graph.nodes() as usize];
    let mut pieces = 0;
    for start in 0..graph.nodes() {
        let mut stack = vec![start];
        pieces += u32::from(!seen[start as usize]);
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                stack.extend(graph.neighbours(node));
            }
        }
    }
    pieces
}

/// So many random ties; `skew` makes low nodes popular.
fn random(bits: &mut impl SecureBits, nodes: u32, ties: usize, skew: u32) -> Graph {
    let mut node =
        || (0..=skew).map(|_| (bits.word() % u64::from(nodes)) as u32).min().expect("one draw at least");
    let pairs: Vec<(u32, u32)> = (0..ties).map(|_| (node(), node())).collect();
    Graph::from_pairs(nodes, pairs)
}

/// A hub that is tied to everybody, and some ties among the others.
fn hub(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (1..nodes).flat_map(|node| [(0, node), (node, 1 + node * 7 % (nodes - 1))]))
}

/// A ring in which everybody is tied to the next five, and so many hubs that are tied to every so-manieth node: all
/// degrees are alike, and all paths of two ties lead over hubs.
fn ring_and_hubs(nodes: u32, hubs: u32) -> Graph {
    let ring = (0..nodes).flat_map(|node| (1..=5).map(move |step| (node, (node + step) % nodes)));
    let ties =
        (0..hubs).flat_map(|hub| (0..nodes).step_by(hubs as usize).map(move |node| (node, nodes + hub)));
    Graph::from_pairs(nodes + hubs, ring.chain(ties))
}

fn star(leaves: u32) -> Graph {
    Graph::from_pairs(leaves + 1, (0..leaves).map(|leaf| (leaves, leaf)))
}

/// Two nodes that are not tied and share all neighbours.
fn two_hubs(shared: u32) -> Graph {
    Graph::from_pairs(shared + 2, (0..shared).flat_map(|node| [(shared, node), (node, shared + 1)]))
}

/// Everybody tied to everybody, and one more node tied to so many of them.
fn clique_and_one(nodes: u32, ties: u32) -> Graph {
    let clique = (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v)));
    Graph::from_pairs(nodes + 1, clique.chain((0..ties).map(|node| (node, nodes))))
}

/// Stars of different sizes that share nothing.
fn stars_apart() -> Graph {
    let centre = |star: u32| star * (star + 1) / 2;
    Graph::from_pairs(
        centre(101),
        (0..101u32).flat_map(|s| (1..=s).map(move |leaf| (centre(s), centre(s) + leaf))),
    )
}

/// Hubs with a hundred leaves each, all tied to each other, and one star apart with one tie less than a hub: together with
/// any hub it sees more nodes from one side than any two hubs do, though it ranks after all of them.
fn hubs_and_a_star(hubs: u32) -> Graph {
    let (leaves, star) = (100, 101 * hubs);
    let ties = hubs - 1 + leaves;
    let clique = (0..hubs).flat_map(|v| (0..v).map(move |u| (u, v)));
    let own = (0..hubs).flat_map(|hub| (0..leaves).map(move |leaf| (hub, hubs + leaves * hub + leaf)));
    let apart = (1..ties).map(|leaf| (star, star + leaf));
    Graph::from_pairs(star + ties, clique.chain(own).chain(apart))
}

/// Thirty hubs of falling degree around one centre that all are tied to; two late ones share two more nodes.
fn hubs_around_a_centre() -> Graph {
    let (hubs, leaves) = (30u32, 90u32);
    let centre = hubs;
    let to_centre = (0..hubs).map(|hub| (hub, centre));
    let own =
        (0..hubs).flat_map(|hub| (0..leaves - hub).map(move |leaf| (hub, hubs + 3 + leaves * hub + leaf)));
    let shared = [20, 25].into_iter().flat_map(|hub| [(hub, centre + 1), (hub, centre + 2)]);
    Graph::from_pairs(hubs + 3 + leaves * hubs, to_centre.chain(own).chain(shared))
}

#[test]
fn every_count_of_every_small_graph_follows_its_definition() {
    for graph in (0..=5).flat_map(all_graphs).map(|small| small.graph()) {
        assert_eq!(fast(&graph), slow(&graph));
    }
}

#[test]
fn every_count_of_random_graphs_follows_its_definition() {
    let mut bits = seeded(11);
    for nodes in 6..60 {
        for (ties, skew) in [(nodes / 2, 0), (2 * nodes, 0), (2 * nodes, 3), (nodes * nodes / 4, 1)] {
            let graph = random(&mut bits, nodes, ties as usize, skew);
            assert_eq!(fast(&graph), slow(&graph));
        }
    }
}

/// These are large enough for threads.
#[test]
fn every_count_of_larger_graphs_follows_its_definition_on_any_number_of_threads() {
    let mut bits = seeded(12);
    let graphs = [
        random(&mut bits, 900, 4_000, 0),
        random(&mut bits, 700, 9_000, 4),
        random(&mut bits, 3_000, 3_000, 1),
        hub(1_500),
        hubs_and_a_star(20),
        hubs_around_a_centre(),
        ring_and_hubs(1_200, 1),
        ring_and_hubs(1_000, 3),
        two_hubs(2_500),
        star(5_000),
        clique_and_one(120, 50),
        stars_apart(),
        Graph::from_pairs(5_000, []),
    ];
    for graph in &graphs {
        assert!(!super::work::is_small(graph));
        let expected = slow(graph);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            assert!(pool.install(|| fast(graph)) == expected, "{threads} threads");
        }
    }
}

#[test]
fn hostile_graphs_have_their_known_counts() {
    // The largest number of common neighbours is met by the two hubs, which are not tied; tied pairs have none.
    let hubs = two_hubs(40);
    assert_eq!((common_neighbours::max(&hubs), triangles::count(&hubs)), (40, 0));
    assert_eq!(common_neighbours::frontier(&hubs), [(40, 0)]);
    // A star: two leaves share the centre, while centre and leaf see all other leaves from one side.
    assert_eq!(common_neighbours::frontier(&star(40)), [(0, 39), (1, 0)]);
    assert_eq!(stars::count(&star(40), 3), 9_880);
    // The best pair without common neighbours is a hub and the star apart, which ranks after many hubs.
    assert_eq!(common_neighbours::frontier(&hubs_and_a_star(20)), [(0, 119 + 118), (18, 2 * 100)]);
    assert_eq!(common_neighbours::max(&hubs_around_a_centre()), 3);
    // In a clique with a pendant, the pendant sees most of the clique from one side only.
    let clique = clique_and_one(20, 1);
    assert_eq!((common_neighbours::max(&clique), cores::degeneracy(&clique)), (18, 19));
    assert_eq!(triangles::count(&clique), 20 * 19 * 18 / 6);
    for nodes in [0, 1, 2, 9_000] {
        let empty = Graph::from_pairs(nodes, []);
        assert_eq!(components::count(&empty), nodes);
        assert_eq!((common_neighbours::max(&empty), degrees::max(&empty)), (0, 0));
        assert_eq!(common_neighbours::frontier(&empty), vec![(0, 0); usize::from(nodes > 1)]);
        assert!(
            triangles::list(&empty).is_empty()
                && triangles::per_node(&empty).iter().all(|through| *through == 0)
        );
        assert_eq!(degrees::at_least(&empty), vec![u64::from(nodes); usize::from(nodes > 0)]);
    }
}

/// The points alone decide how many common neighbours any pair can have after s changes: all pairs say the same.
#[test]
fn the_frontier_decides_the_local_sensitivity_at_every_distance() {
    let at = |points: &[(u32, u32)], s: u32| points.iter().map(|(a, b)| a + (s + s.min(*b)) / 2).max();
    let mut bits = seeded(13);
    let larger = (0..60).map(|round| random(&mut bits, 10 + round, 3 * round as usize, round % 4));
    for graph in (2..=5).flat_map(all_graphs).map(|small| small.graph()).chain(larger) {
        let (points, pairs) = (common_neighbours::frontier(&graph), slow_pairs(&graph).collect::<Vec<_>>());
        for s in 0..2 * graph.nodes() {
            assert_eq!(at(&points, s), at(&pairs, s));
        }
    }
}

#[test]
fn renaming_nodes_changes_no_count() {
    let mut bits = seeded(14);
    for graph in [random(&mut bits, 60, 200, 2), random(&mut bits, 2_000, 9_000, 3), hub(800)] {
        // A random renaming: nodes sorted by random words.
        let mut keys: Vec<(u64, u32)> = (0..graph.nodes()).map(|node| (bits(), node)).collect();
        keys.sort_unstable();
        let name: Vec<u32> = keys.iter().map(|(_, node)| *node).collect();
        let renamed = graph.pairs().map(|(u, v)| (name[v as usize], name[u as usize]));
        let (before, after) = (fast(&graph), fast(&Graph::from_pairs(graph.nodes(), renamed)));
        for (node, new) in name.iter().enumerate() {
            assert_eq!(before.per_node[node], after.per_node[*new as usize]);
            assert_eq!(before.cores[node], after.cores[*new as usize]);
        }
        let mut list: Vec<[u32; 3]> =
            before.list.iter().map(|three| three.map(|node| name[node as usize])).collect();
        list.iter_mut().for_each(|three| three.sort_unstable());
        list.sort_unstable();
        assert_eq!(list, after.list);
        let rest = |e: Everything| (e.triangles, e.max_common, e.frontier, e.components, e.degrees, e.stars);
        assert_eq!(rest(before), rest(after));
    }
}

/// Zachary's karate club: for every node the later nodes it is tied to.
const KARATE: [&[u32]; 33] = [
    &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    &[2, 3, 7, 13, 17, 19, 21, 30],
    &[3, 7, 8, 9, 13, 27, 28, 32],
    &[7, 12, 13],
    &[6, 10],
    &[6, 10, 16],
    &[16],
    &[],
    &[30, 32, 33],
    &[33],
    &[],
    &[],
    &[],
    &[33],
    &[32, 33],
    &[32, 33],
    &[],
    &[],
    &[32, 33],
    &[33],
    &[32, 33],
    &[],
    &[32, 33],
    &[25, 27, 29, 32, 33],
    &[25, 27, 31],
    &[31],
    &[29, 33],
    &[33],
    &[31, 33],
    &[32, 33],
    &[32, 33],
    &[32, 33],
    &[33],
];

#[test]
fn the_karate_club_has_its_known_counts() {
    let pairs = (0..).zip(KARATE).flat_map(|(u, row)| row.iter().map(move |v| (u, *v)));
    let karate = Graph::from_pairs(34, pairs);
    assert_eq!(fast(&karate), slow(&karate));
    assert_eq!((karate.edges(), degrees::max(&karate), triangles::count(&karate)), (78, 17, 45));
    assert_eq!(triangles::per_node(&karate).into_iter().max(), Some(18));
    assert_eq!((common_neighbours::max(&karate), stars::count(&karate, 2)), (10, 528));
    assert_eq!((components::count(&karate), cores::degeneracy(&karate)), (1, 4));
    let points = common_neighbours::frontier(&karate);
    let at = |s: u32| points.iter().map(|(a, b)| a + (s + s.min(*b)) / 2).max().expect("a pair");
    assert_eq!((0..=10).map(at).collect::<Vec<_>>(), [10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 18]);
}

#[test]
fn binomials_are_exact_up_to_the_largest_number() {
    for n in 0..130 {
        for k in 0..=n {
            assert_eq!(stars::choose(n.into(), k), subsets(n.into(), k));
        }
    }
    assert_eq!(stars::choose(5, 6), 0);
    assert_eq!(stars::choose(u64::MAX, 0), 1);
    assert_eq!(stars::choose(u64::MAX, 1), u128::from(u64::MAX));
    assert_eq!(stars::choose(u64::from(u32::MAX) + 1, u32::MAX), u128::from(u32::MAX) + 1);
    // The last that fits and the first that does not, where eight times the last would not fit either.
    let last = (0..1u64 << 20).rev().find(|n| stars::choose(*n, 8) < u128::MAX).expect("a small one fits");
    let ratio = stars::choose(last, 8) / stars::choose(last - 1, 8);
    assert_eq!((last > 100_000, ratio), (true, 1));
    assert!(stars::choose(last, 8) > u128::MAX / 100 * 99);
    assert_eq!(stars::choose(u64::MAX, u32::MAX), u128::MAX);
}
