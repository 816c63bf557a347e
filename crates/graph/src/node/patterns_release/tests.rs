use pointillist_testkit::seeded;

use super::*;
use crate::node::choice::tests::law;

/// The packing of triangles in a complete graph is known: equal weights on all, until τ stops them.
/// A value below it by as much as the gap allows, as the number of nodes happens to say.
const COMPLETE: Packer = Packer {
    gap: |threshold| threshold / 8,
    packed: |_, graph, thresholds| {
        let nodes = u64::from(graph.nodes());
        let all = nodes * (nodes - 1) * (nodes - 2) / 6;
        let value = |threshold: &u64| {
            let lost = nodes.wrapping_mul(0x9E37_79B9) % (threshold / 8 + 1);
            all.min(nodes * threshold / 3).saturating_sub(lost)
        };
        thresholds.iter().map(value).collect()
    },
};

fn complete(nodes: u32) -> Graph {
    Graph::from_pairs(nodes, (0..nodes).flat_map(|v| (0..v).map(move |u| (u, v))))
}

fn mechanism(epsilon: &str) -> PackedPatterns {
    PackedPatterns::with_packer(Pattern::Triangles, COMPLETE, &Epsilon::parse(epsilon).unwrap()).unwrap()
}

/// Specification: complete graphs with up to sixty nodes, whose values move by more than τ because they are
/// not exact, in both directions: the log-ratio of all that is released is at most ε, and more than a third
/// of it somewhere.
#[test]
fn releases_of_neighbours_are_as_close_as_claimed() {
    for epsilon in [0.5, 3.0] {
        let mechanism = mechanism(&epsilon.to_string());
        let laws: Vec<(Vec<f64>, Vec<i128>)> = (3..=60)
            .map(|nodes| {
                let values = mechanism.values(&complete(nodes));
                (law(&mechanism.count.choice().exponents(&values, &[])), values)
            })
            .collect();
        let (mut largest, mut falls) = (0.0f64, 0);
        for pair in laws.windows(2) {
            for index in 0..mechanism.count.thresholds().len() {
                let moved = pair[1].1[index] - pair[0].1[index];
                falls += usize::from(moved < 0);
                let count = mechanism.count.exponent(index, moved);
                largest = largest.max((pair[1].0[index] / pair[0].0[index]).ln().abs() + count);
            }
        }
        assert!(largest <= epsilon + 1e-9, "{largest} beyond {epsilon}");
        assert!(largest > epsilon / 3.0 && falls > 0, "{largest}, {falls} falls");
    }
}

/// Specification: an answer says what was released and what was cut, for every pattern; the price is what was
/// asked.
#[test]
fn an_answer_says_what_was_released() {
    for pattern in [Pattern::Triangles, Pattern::FourCliques, Pattern::Rectangles] {
        let epsilon = Epsilon::parse("100000").unwrap();
        let mechanism = PackedPatterns::with_packer(pattern, COMPLETE, &epsilon).unwrap();
        let released = mechanism.release(&complete(20), &mut seeded(1));
        let answer = mechanism.present(&released).unwrap();
        assert_eq!(answer.estimates[0].value.as_f64(), released[1] as f64);
        // Every node is in 171 of 1140 triangles, and values lack up to an eighth of the threshold.
        let threshold = 32 << released[0];
        assert!(threshold >= 256 && (released[1] - 1140).abs() <= threshold / 8, "{released:?}");
        let word = pattern.word();
        let note = format!("of every node at most {threshold} {word} are counted: the truth may be larger");
        assert_eq!(answer.notes, [note]);
        assert_eq!(mechanism.loss().pure_epsilon(), Some(epsilon));
        assert!(mechanism.outlook().words.iter().any(|words| words.contains(word)));
        assert_eq!(mechanism.present(&released[..1]), None);
    }
}
