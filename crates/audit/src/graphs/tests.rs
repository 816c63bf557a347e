use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use pointillist_errors::Explained;
use pointillist_testkit::seeded;

use super::*;
use crate::{Settings, audit};

fn price() -> (Epsilon, Delta) {
    (Epsilon::parse("2").unwrap(), Delta::parse("0.01").unwrap())
}

/// The words of all statistics of one kind; a new kind does not compile until it is here.
fn words_of(statistic: Statistic) -> Vec<String> {
    let numbered = |kind: &str| (2..=8).map(|k| format!("{k}-{kind}")).collect();
    let plain = |word: &str| vec![word.to_owned()];
    match statistic {
        Statistic::Nodes => plain("nodes"),
        Statistic::Edges => plain("edges"),
        Statistic::MaxDegree => plain("max-degree"),
        Statistic::DegreeBound => plain("degree-bound"),
        Statistic::Degeneracy => plain("degeneracy"),
        Statistic::Components => plain("components"),
        Statistic::Triangles => plain("triangles"),
        Statistic::Stars(_) => numbered("stars"),
        Statistic::KTriangles(_) => numbered("triangles"),
        Statistic::FourCliques => plain("four-cliques"),
        Statistic::Rectangles => plain("rectangles"),
        Statistic::Degrees => plain("degrees"),
        Statistic::GlobalClustering => plain("global-clustering"),
        Statistic::AverageClustering => plain("average-clustering"),
    }
}

/// The same for methods.
fn word_of(method: Method) -> &'static str {
    match method {
        Method::Auto => "auto",
        Method::Smooth => "smooth",
        Method::StudentT => "student-t",
        Method::NoisyMaxDegree => "noisy-max-degree",
        Method::NoisyCommonNeighbours => "noisy-common-neighbours",
        Method::Ladder => "ladder",
        Method::ProposeTestRelease(_) => "propose-test-release:10",
        Method::Projection => "projection",
        Method::Flow => "flow",
        Method::Packing => "packing",
        Method::Restricted => "restricted",
    }
}

/// Specification: whatever a plan answers has a subject, and nothing else has.
#[test]
fn every_question_that_is_answered_is_audited() {
    let (epsilon, delta) = price();
    let all: Vec<_> = questions().collect();
    let statistics: BTreeSet<String> = all.iter().flat_map(|(statistic, ..)| words_of(*statistic)).collect();
    let methods: BTreeSet<&str> = all.iter().map(|(_, method, _)| word_of(*method)).collect();
    assert_eq!((statistics.len(), methods.len()), (26, 11), "{statistics:?} {methods:?}");
    let mut expected = BTreeSet::new();
    for (statistic, method) in statistics.iter().flat_map(|s| methods.iter().map(move |m| (s, m))) {
        for privacy in [Privacy::Edge, Privacy::Node] {
            let question = Question {
                statistic: statistic.parse().unwrap(),
                method: method.parse().unwrap(),
                privacy,
                epsilon: epsilon.clone(),
                delta: Some(delta.clone()),
            };
            if plan(&question, &Public { nodes: Some(NODES), listed: true }).is_ok() {
                expected.insert(format!("{statistic} under {privacy} privacy by {method}"));
            }
        }
    }
    let audited: BTreeSet<String> =
        graphs(&epsilon, &delta).unwrap().iter().map(|subject| subject.name().to_owned()).collect();
    assert_eq!(audited, expected);
    assert!(audited.len() > 80, "{}", audited.len());
}

/// Specification: no statistic of a graph is refuted. A method that is only another name of a mechanism draws the same
/// from the same bits, and is audited once. False alarm: 1e-9 an audit, and the seed is fixed.
#[test]
fn no_statistic_is_refuted() {
    let (epsilon, delta) = price();
    let mut known: HashMap<(Statistic, Privacy, &str), Vec<Observation>> = HashMap::new();
    let (mut audited, mut seen) = (0, 0);
    for (question, mut subject) in answered(&epsilon, &delta).unwrap() {
        let mut bits = seeded(3);
        let mut draw = |pair| subject.release(pair, Side::Right, &mut bits).unwrap();
        let few: Vec<Observation> = [0, 0, 1, 1, 2, 2].into_iter().map(&mut draw).collect();
        let identity = (question.statistic, question.privacy, subject.mechanism.name());
        if let Some(before) = known.get(&identity) {
            assert_eq!(*before, few, "{}", subject.name());
            continue;
        }
        known.insert(identity, few);
        let releases = (subject.profile().releases_a_second / 6).clamp(400, 4000);
        let settings = Settings { trial_releases: releases / 10, ..Settings::new(releases) };
        let found = audit(&mut subject, &settings, &mut seeded(7), &mut |_, _| ()).unwrap();
        assert!(!found.refuted(), "{found:?}");
        audited += 1;
        seen += usize::from(found.closest().unwrap().tightness() > 0.3);
    }
    assert!(audited >= 40, "{audited}");
    // Where nothing is seen an audit says nothing: most of them see a good part of the claim.
    assert!(2 * seen > audited, "{seen} of {audited}");
}

#[test]
fn changes_touch_one_tie_or_one_person() {
    let graph = Graph::with_labels(vec![9, 8, u128::MAX, 6], [(0, 1), (1, 2), (0, 3)]);
    let labels = |graph: &Graph| (0..graph.nodes()).map(|node| graph.label(node)).collect::<Vec<_>>();
    let pairs = |graph: &Graph| graph.pairs().collect::<Vec<_>>();
    let come = Change::TieComes(2, 3).of(&graph);
    assert_eq!((pairs(&come), labels(&come)), (vec![(0, 1), (0, 3), (1, 2), (2, 3)], labels(&graph)));
    assert_eq!(pairs(&Change::TieGoes(1, 0).of(&graph)), [(0, 3), (1, 2)]);
    let gone = Change::NodeGoes(1).of(&graph);
    assert_eq!((pairs(&gone), labels(&gone)), (vec![(0, 2)], vec![9, u128::MAX, 6]));
    let more = Change::NodeComes(vec![0, 2]).of(&graph);
    assert_eq!(pairs(&more), [(0, 1), (0, 3), (0, 4), (1, 2), (2, 4)]);
    assert_eq!(labels(&more), [9, 8, u128::MAX, 6, u128::MAX - 1]);
}

#[test]
fn pairs_that_are_no_neighbours_are_refused() {
    let (epsilon, delta) = price();
    let graph = Arc::new(Graph::from_pairs(3, [(0, 1)]));
    let ask = |privacy, nodes, change| {
        let (statistic, method) = (Statistic::Edges, Method::Auto);
        let (epsilon, delta) = (epsilon.clone(), Some(delta.clone()));
        let question = Question { statistic, privacy, method, epsilon, delta };
        let pairs = vec![GraphPair::new("a pair", &graph, change)];
        graph_subject(&question, &Public { nodes, listed: true }, pairs)
            .err()
            .map(|refusal| refusal.explanation().text())
    };
    assert_eq!(ask(Privacy::Edge, Some(3), Change::TieComes(1, 2)), None);
    assert_eq!(ask(Privacy::Node, None, Change::NodeGoes(0)), None);
    for (privacy, nodes, change) in [
        (Privacy::Edge, Some(3), Change::TieComes(0, 1)),
        (Privacy::Edge, Some(3), Change::TieComes(1, 1)),
        (Privacy::Edge, Some(3), Change::TieGoes(0, 2)),
        (Privacy::Edge, Some(3), Change::NodeGoes(0)),
        (Privacy::Edge, Some(4), Change::TieGoes(0, 1)),
        (Privacy::Node, None, Change::TieGoes(0, 1)),
        (Privacy::Node, None, Change::NodeGoes(3)),
        (Privacy::Node, None, Change::NodeComes(vec![3])),
    ] {
        let refusal = ask(privacy, nodes, change).unwrap();
        assert!(refusal.contains("no neighbours") && refusal.contains("hint:"), "{refusal}");
    }
    assert!(ask(Privacy::Edge, None, Change::TieGoes(0, 1)).unwrap().contains("list of nodes"));
}

/// A ring of six and a clique of four with a bridge between them, a pendant node and two without ties.
#[test]
fn the_search_finds_the_extremes_of_a_graph() {
    let ring = (0..6).map(|node| (node, (node + 1) % 6));
    let clique = [(6, 7), (6, 8), (6, 9), (7, 8), (7, 9), (8, 9)];
    let graph = || Graph::from_pairs(13, ring.clone().chain(clique).chain([(0, 6), (3, 10)]));
    let changes = |privacy| -> HashMap<String, Change> {
        let pairs = graph_pairs(graph(), privacy);
        pairs.iter().for_each(|pair| pair.check(privacy, Some(13)).unwrap());
        pairs.into_iter().map(|pair| (pair.name, pair.change)).collect()
    };
    let ties = changes(Privacy::Edge);
    assert_eq!(ties["a bridge goes"], Change::TieGoes(0, 6));
    assert_eq!(ties["two who had no tie are tied"], Change::TieComes(11, 12));
    assert!(matches!(ties["the tie in the most triangles goes"], Change::TieGoes(6..=9, 6..=9)));
    assert!(matches!(ties["those with the most ties are tied"], Change::TieComes(..)));
    let nodes = changes(Privacy::Node);
    assert_eq!(nodes["the one with the most ties goes"], Change::NodeGoes(6));
    assert_eq!(nodes["somebody with a single tie goes"], Change::NodeGoes(10));
    assert_eq!(nodes["somebody without ties goes"], Change::NodeGoes(11));
    assert!(
        matches!(&nodes["somebody comes who is tied to everybody"], Change::NodeComes(all) if all.len() == 13)
    );
    // A world without anybody still has a neighbour.
    assert!(!graph_pairs(Graph::from_pairs(0, []), Privacy::Node).is_empty());
    assert!(graph_pairs(Graph::from_pairs(1, []), Privacy::Edge).is_empty());
}

/// Specification: a graph is counted once for many releases, and every release is one that the mechanism draws.
#[test]
fn releases_are_those_of_the_mechanism() {
    let (epsilon, delta) = price();
    for (_, mut subject) in answered(&epsilon, &delta).unwrap() {
        let graph = Arc::clone(&subject.pairs[0].graph);
        let drawn = subject.mechanism.release(&graph, &mut seeded(11));
        assert_eq!(subject.release(0, Side::Left, &mut seeded(11)).unwrap(), Observation::list(drawn));
        assert!(subject.release(99, Side::Left, &mut seeded(11)).unwrap_err().hint().is_some());
    }
}
