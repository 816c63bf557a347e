//! Every question has an answer or a way out, and every mechanism keeps to what it says.

use pointillist_errors::Explained as _;
use pointillist_testkit::seeded;

use super::*;
use crate::Graph;

const STATISTICS: [&str; 26] = [
    "nodes",
    "edges",
    "max-degree",
    "degree-bound",
    "degeneracy",
    "components",
    "triangles",
    "four-cliques",
    "rectangles",
    "degrees",
    "global-clustering",
    "average-clustering",
    "2-stars",
    "3-stars",
    "4-stars",
    "5-stars",
    "6-stars",
    "7-stars",
    "8-stars",
    "2-triangles",
    "3-triangles",
    "4-triangles",
    "5-triangles",
    "6-triangles",
    "7-triangles",
    "8-triangles",
];
const METHODS: [&str; 11] = [
    "auto",
    "smooth",
    "student-t",
    "noisy-max-degree",
    "noisy-common-neighbours",
    "ladder",
    "propose-test-release:3",
    "projection",
    "flow",
    "packing",
    "restricted",
];

/// A hub tied to everybody, a clique plus one node, no ties, nobody, two hubs that share all neighbours.
fn hostile_graphs() -> Vec<Graph> {
    let hub = Graph::from_pairs(60, (1..60).map(|leaf| (0, leaf)));
    let clique = (0..20).flat_map(|v| (0..v).map(move |u| (u, v))).chain([(0, 20)]);
    let hubs = (2..40).flat_map(|leaf| [(0, leaf), (1, leaf)]);
    vec![
        hub,
        Graph::from_pairs(21, clique),
        Graph::from_pairs(9, []),
        Graph::from_pairs(0, []),
        Graph::from_pairs(40, hubs),
        Graph::from_pairs(2, [(0, 1)]),
    ]
}

/// Specification: whatever is asked of whatever graph, the answer is a refusal from public things alone or an answer that
/// the mechanism itself understands, at no more than the price that was offered.
#[test]
fn every_question_is_answered_or_refused_with_a_hint() {
    let mut bits = seeded(7);
    let mut answered = 0;
    for graph in hostile_graphs() {
        for (statistic, method) in STATISTICS.iter().flat_map(|s| METHODS.map(|m| (*s, m))) {
            for privacy in [Privacy::Edge, Privacy::Node] {
                let question = Question {
                    statistic: statistic.parse().unwrap(),
                    privacy,
                    method: method.parse().unwrap(),
                    epsilon: Epsilon::parse("1").unwrap(),
                    delta: Some(Delta::parse("1e-6").unwrap()),
                };
                let nodes = (privacy == Privacy::Edge).then(|| graph.nodes());
                let public = Public { nodes, listed: true };
                let mechanism = match plan(&question, &public) {
                    Ok(mechanism) => mechanism,
                    Err(refusal) => {
                        assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
                        continue;
                    }
                };
                let (epsilon, delta) = mechanism.loss().approximate_epsilon().expect("a price");
                assert!(
                    epsilon <= question.epsilon && delta <= question.delta.unwrap(),
                    "{statistic} {method}"
                );
                assert!(!mechanism.outlook().words.is_empty(), "{statistic} {method}");
                let released = mechanism.release(&graph, &mut bits);
                let draw = |seed| mechanism.counted(&graph)(&mut seeded(seed));
                assert_eq!(draw(9), mechanism.release(&graph, &mut seeded(9)), "{statistic} {method}");
                let answer =
                    mechanism.present(&released).unwrap_or_else(|| panic!("{statistic} {method} {privacy}"));
                assert!(
                    !answer.estimates.is_empty() || !answer.notes.is_empty(),
                    "{statistic} {method} {privacy}"
                );
                for estimate in &answer.estimates {
                    assert!(estimate.lower <= estimate.upper, "{statistic} {method} {privacy}: {estimate:?}");
                    assert!(!estimate.value.as_f64().is_nan());
                }
                assert_eq!(
                    mechanism.present(&[]).is_some(),
                    released.is_empty(),
                    "{statistic} {method} {privacy}"
                );
                answered += 1;
            }
        }
    }
    // Most questions have one method or a few.
    assert!(answered > 6 * 40, "{answered}");
}

#[test]
fn what_is_missing_is_said() {
    let ask = |statistic: &str, privacy, method: &str, delta: Option<&str>| Question {
        statistic: statistic.parse().unwrap(),
        privacy,
        method: method.parse().unwrap(),
        epsilon: Epsilon::parse("1").unwrap(),
        delta: delta.map(|delta| Delta::parse(delta).unwrap()),
    };
    let refusal = |question: &Question, nodes| {
        plan(question, &Public { nodes, listed: true }).err().unwrap().explanation().text()
    };
    let text = refusal(&ask("triangles", Privacy::Edge, "noisy-max-degree", None), Some(5));
    assert!(text.contains("δ"), "{text}");
    let text = refusal(&ask("triangles", Privacy::Edge, "auto", None), None);
    assert!(text.contains("list of nodes"), "{text}");
    let text = refusal(&ask("max-degree", Privacy::Node, "auto", None), None);
    assert!(text.contains("every graph") && text.contains("degree bound"), "{text}");
    let text = refusal(&ask("edges", Privacy::Node, "ladder", None), None);
    assert!(text.contains("the method ladder does not answer edges under node privacy"), "{text}");
}

/// Specification: what is answered without a list of nodes does not change with nodes that have no ties, whatever the
/// noise; so nobody's leaving takes others along. What counts them is refused: in a file of a star's ties, all nodes
/// vanish with the hub.
#[test]
fn without_a_list_nodes_without_ties_do_not_count() {
    let (mut answered, mut refused) = (Vec::new(), Vec::new());
    for (statistic, method) in STATISTICS.iter().flat_map(|s| METHODS.map(|m| (*s, m))) {
        let question = Question {
            statistic: statistic.parse().unwrap(),
            privacy: Privacy::Node,
            method: method.parse().unwrap(),
            epsilon: Epsilon::parse("1").unwrap(),
            delta: Some(Delta::parse("1e-6").unwrap()),
        };
        let Ok(listed) = plan(&question, &Public { nodes: None, listed: true }) else { continue };
        let name = format!("{statistic} {method}");
        let Ok(mechanism) = plan(&question, &Public { nodes: None, listed: false }) else {
            refused.push(name);
            continue;
        };
        assert_eq!(mechanism.loss().to_string(), listed.loss().to_string());
        for graph in hostile_graphs() {
            let more: Vec<u128> =
                (0..graph.nodes()).map(|node| graph.label(node)).chain(1000..1007).collect();
            let crowded = Graph::with_labels(more, graph.pairs());
            for seed in 0..5 {
                let release = |graph: &Graph| mechanism.release(graph, &mut seeded(seed));
                assert_eq!(release(&graph), release(&crowded), "{name}");
            }
        }
        answered.push(name);
    }
    for expected in ["edges auto", "edges flow", "triangles auto", "2-stars auto", "degeneracy auto"] {
        assert!(answered.iter().any(|name| name == expected), "{expected} of {answered:?}");
    }
    for expected in
        ["nodes auto", "degrees auto", "components auto", "triangles restricted", "global-clustering auto"]
    {
        assert!(refused.iter().any(|name| name == expected), "{expected} of {refused:?}");
    }
}
