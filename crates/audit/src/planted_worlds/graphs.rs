//! Broken statistics of graphs.

use std::sync::Arc;

use pointillist_graph::edge::triangle_sensitivity::TriangleSensitivity;
use pointillist_graph::kernel::{common_neighbours, degrees, triangles};
use pointillist_graph::node::bounded_projection::BoundedProjection;
use pointillist_graph::node::projection::OrderedTies;
use pointillist_graph::{Graph, Method, Privacy, Public, Question, Statistic};
use pointillist_mechanisms::GeometricMechanism;
use pointillist_mechanisms::Smoothing;
use pointillist_noise::{DiscreteLaplace, SecureBits};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Loss, SensitivityL1};

use super::{Claiming, Planted, one, planted};
use crate::AuditError;
use crate::graphs::{NODES, edge_pairs, fours, node_pairs, star};
use crate::{Change, GraphPair, GraphSubject, Observation, Trial, graph_subject};

/// Every broken statistic.
pub(super) fn all() -> Result<Vec<Planted>, AuditError> {
    Ok(vec![
        planted("a sixth of the noise", more(Method::Ladder, "6")?),
        planted("a rung costs all of ε and not half of it", more(Method::Ladder, "2")?),
        planted("a sixth of the noise", more(Method::NoisyCommonNeighbours, "6")?),
        planted("a sixth of the noise", more(Method::NoisyMaxDegree, "6")?),
        planted("noise for the local sensitivity, which itself tells", triangles_at(local_sensitivity)?),
        planted("noise for a graph in which no two have a friend in common but one", triangles_at(|_| 1)?),
        planted("pairs that are tied are looked at, pairs that may be are not", triangles_at(tied_pairs)?),
        planted(
            "smoothed so little that the noise of neighbours differs by more than ε allows",
            smoothed_too_little()?,
        ),
        planted("the bound is proposed and not tested", proposed_untested()?),
        planted("the largest degree is shown exactly, and noise follows it", max_degree_shown()?),
        planted("a histogram moves by four, and gets noise for one", histogram(1)?),
        planted("a histogram moves by four, and gets noise for two", histogram(2)?),
        planted(
            "people without ties are not in the file: the public number of people is not public",
            people_of_ties()?,
        ),
        planted("a person with all their ties is hidden by the noise of one tie", edges_of_a_node()?),
        planted("whoever loses their only friend is gone too", people_with_friends()?),
        planted("ties are kept in an order that depends on degrees", kept_by_degree()?),
        planted(
            "people above the bound are left out, and one newcomer lifts everybody above it",
            left_out()?,
        ),
        planted("projected to bounded degrees without a test that few are above", projected_untested()?),
        planted("kept ties are counted at both ends, and paid for at one", kept_at_both_ends()?),
    ])
}

/// The promise of everything that is pure.
fn claim() -> Loss {
    Loss::pure(one())
}

/// Geometric noise for one ε and this sensitivity.
fn noise(sensitivity: u64) -> Result<GeometricMechanism, AuditError> {
    Ok(GeometricMechanism::new(&SensitivityL1::new(Rational::from(sensitivity))?, &one())?)
}

/// Noise for a sensitivity that may be zero: then there is none.
fn noise_if_any(sensitivity: u64) -> Option<GeometricMechanism> {
    (sensitivity > 0).then(|| noise(sensitivity).expect("a small sensitivity"))
}

fn pair(name: &str, nodes: u32, ties: Vec<(u32, u32)>, change: Change) -> GraphPair {
    GraphPair::new(name, &Arc::new(Graph::from_pairs(nodes, ties)), change)
}

/// A subject that prepares each graph once.
fn world<P: 'static>(
    name: &str,
    pairs: Vec<GraphPair>,
    prepare: impl Fn(&Graph) -> P,
    release: impl Fn(&P, &mut dyn SecureBits) -> Observation + Send + 'static,
) -> Trial<P> {
    pairs.into_iter().fold(Trial::new(name, claim(), release), |trial, pair| {
        trial.pair(pair.name.clone(), prepare(&pair.graph), prepare(&pair.change.of(&pair.graph)))
    })
}

/// A mechanism at a higher price than it says.
fn more(method: Method, spent: &str) -> Result<Claiming<GraphSubject>, AuditError> {
    let question = |epsilon: Epsilon| -> Result<Question, AuditError> {
        let (statistic, privacy, delta) = (Statistic::Triangles, Privacy::Edge, Some(Delta::parse("0.01")?));
        Ok(Question { statistic, privacy, method, epsilon, delta })
    };
    let public = Public { nodes: Some(NODES), listed: true };
    let loud = graph_subject(&question(Epsilon::parse(spent)?)?, &public, edge_pairs())?;
    let claim = pointillist_graph::plan(&question(one())?, &public)?.loss();
    Ok(Claiming::new(format!("triangles by {method}"), loud, claim))
}

fn local_sensitivity(graph: &Graph) -> u64 {
    u64::from(common_neighbours::max(graph))
}

/// The largest number of common neighbours of two who are tied.
fn tied_pairs(graph: &Graph) -> u64 {
    let common = |(u, v): (u32, u32)| graph.neighbours(u).iter().filter(|w| graph.has_edge(v, **w)).count();
    graph.pairs().map(common).max().unwrap_or(0) as u64
}

/// Triangles with noise for a number computed from the graph.
fn triangles_at(sensitivity: fn(&Graph) -> u64) -> Result<Trial<impl Sized>, AuditError> {
    let prepare = move |graph: &Graph| (triangles::count(graph), noise_if_any(sensitivity(graph)));
    let release = |(count, noise): &(u64, Option<GeometricMechanism>), bits: &mut dyn SecureBits| {
        let exact = i128::from(*count);
        Observation::of(noise.as_ref().map_or(exact, |noise| noise.release(exact, bits)))
    };
    Ok(world("triangles", edge_pairs(), prepare, release))
}

fn smoothed_too_little() -> Result<Trial<impl Sized>, AuditError> {
    // At ε = 1 noise with power tails pays for a β of a third at most; here it is three.
    let smoothing = Smoothing::new(&Rational::from(3), &Rational::ratio(1, 100), &Rational::from(NODES))?;
    let prepare = move |graph: &Graph| {
        let local = TriangleSensitivity::of(graph, NODES);
        let smooth = smoothing.of(|distance| Rational::from(local.at(distance)));
        // At ε = 1 the scale of Laplace noise is the sensitivity.
        let noise = DiscreteLaplace::new(smooth.value_upper()).expect("a small scale");
        (i128::from(triangles::count(graph)), noise)
    };
    Ok(world("triangles at smooth sensitivity", edge_pairs(), prepare, |(count, noise), bits| {
        Observation::of(count + noise.sample(bits))
    }))
}

fn proposed_untested() -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(2)?;
    let prepare = |graph: &Graph| i128::from(triangles::count(graph));
    Ok(world("triangles by propose-test-release:2", edge_pairs(), prepare, move |count: &i128, bits| {
        Observation::list([1, noise.release(*count, bits)])
    }))
}

fn max_degree_shown() -> Result<Trial<impl Sized>, AuditError> {
    let prepare = |graph: &Graph| {
        let most = degrees::max(graph);
        (i128::from(triangles::count(graph)), most, noise_if_any(u64::from(most)))
    };
    Ok(world("triangles by the largest degree", edge_pairs(), prepare, |(count, most, noise), bits| {
        let noisy = noise.as_ref().map_or(*count, |noise| noise.release(*count, bits));
        Observation::list([noisy, i128::from(*most)])
    }))
}

fn histogram(sensitivity: u64) -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(sensitivity)?;
    let prepare = |graph: &Graph| {
        let mut bars: Vec<i128> = degrees::histogram(graph).into_iter().map(i128::from).collect();
        bars.resize(NODES as usize, 0);
        bars
    };
    Ok(world("degree histogram", edge_pairs(), prepare, move |bars: &Vec<i128>, bits| {
        Observation::list(noise.release_all(bars, bits))
    }))
}

/// How many have a tie.
fn tied(graph: &Graph) -> i128 {
    (0..graph.nodes()).filter(|node| graph.degree(*node) > 0).count() as i128
}

fn people_of_ties() -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(1)?;
    let prepare = |graph: &Graph| (tied(graph), i128::from(graph.edges()));
    Ok(world("ties of a list of ties", edge_pairs(), prepare, move |(people, ties), bits| {
        Observation::new().with("people", *people).with("ties", noise.release(*ties, bits))
    }))
}

fn edges_of_a_node() -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(1)?;
    let prepare = |graph: &Graph| i128::from(graph.edges());
    Ok(world("ties", node_pairs(), prepare, move |ties: &i128, bits| {
        Observation::of(noise.release(*ties, bits))
    }))
}

fn people_with_friends() -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(1)?;
    let mut pairs = node_pairs();
    pairs.push(pair("the hub of a star goes", NODES, star(0..NODES), Change::NodeGoes(0)));
    Ok(world("people", pairs, tied, move |people: &i128, bits| Observation::of(noise.release(*people, bits))))
}

fn kept_by_degree() -> Result<Trial<impl Sized>, AuditError> {
    let noise = noise(1)?;
    // Paths of four: whoever keeps the middle first keeps one tie of three, else two. Those in the middle have the most
    // ties, until somebody comes who knows all the ends.
    let paths: Vec<(u32, u32)> = (0..NODES / 4)
        .flat_map(|path| (0..3).map(move |step| (4 * path + step, 4 * path + step + 1)))
        .collect();
    let ends: Vec<u32> = (0..NODES).filter(|node| matches!(node % 4, 0 | 3)).collect();
    let comes = pair("somebody comes who knows all ends of paths", NODES, paths, Change::NodeComes(ends));
    let prepare = |graph: &Graph| {
        let mut ties: Vec<(u32, u32)> = graph.pairs().collect();
        ties.sort_by_key(|(u, v)| (std::cmp::Reverse(graph.degree(*u) + graph.degree(*v)), *u, *v));
        let mut kept = vec![0; graph.nodes() as usize];
        ties.retain(|(u, v)| {
            let keeps = kept[*u as usize] < 1 && kept[*v as usize] < 1;
            kept[*u as usize] += usize::from(keeps);
            kept[*v as usize] += usize::from(keeps);
            keeps
        });
        ties.len() as i128
    };
    Ok(world("ties, one a person", vec![comes], prepare, move |kept: &i128, bits| {
        Observation::of(noise.release(*kept, bits))
    }))
}

/// Everybody is tied to the newcomer.
fn newcomer_among_fours() -> GraphPair {
    let everybody = Change::NodeComes((0..NODES).collect());
    pair("somebody tied to all comes among fours", NODES, fours(NODES), everybody)
}

fn left_out() -> Result<Trial<impl Sized>, AuditError> {
    let (bound, noise) = (3, noise(3)?);
    let prepare = move |graph: &Graph| {
        let stays = |node: u32| graph.degree(node) <= bound;
        graph.pairs().filter(|(u, v)| stays(*u) && stays(*v)).count() as i128
    };
    Ok(world("ties of degree at most 3", vec![newcomer_among_fours()], prepare, move |ties: &i128, bits| {
        Observation::of(noise.release(*ties, bits))
    }))
}

fn projected_untested() -> Result<Trial<impl Sized>, AuditError> {
    let (bound, noise) = (3, noise(3)?);
    let prepare = move |graph: &Graph| BoundedProjection::new(graph).ties(bound).count() as i128;
    Ok(world("ties, three a person", vec![newcomer_among_fours()], prepare, move |ties: &i128, bits| {
        Observation::of(noise.release(*ties, bits))
    }))
}

fn kept_at_both_ends() -> Result<Trial<impl Sized>, AuditError> {
    let (bound, noise) = (4u32, noise(5)?);
    // Nodes that keep at *most* so many ties move by θ + 1 in sum; nodes that keep at least so many by 2θ + 1.
    let prepare = move |graph: &Graph| -> Vec<i128> {
        let kept = OrderedTies::of(graph).kept_degrees(u64::from(bound));
        vec![kept.len() as i128, kept.into_iter().map(i128::from).sum()]
    };
    let comes = Change::NodeComes((0..bound).collect());
    let pairs = vec![pair("somebody comes and knows four strangers", NODES, Vec::new(), comes)];
    Ok(world("people, and the ties they keep", pairs, prepare, move |counts: &Vec<i128>, bits| {
        Observation::list(noise.release_all(counts, bits))
    }))
}
