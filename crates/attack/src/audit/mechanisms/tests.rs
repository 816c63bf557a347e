use std::collections::BTreeSet;

use pointillist_mechanisms::catalogue;
use pointillist_testkit::seeded;

use super::*;
use crate::audit::Side;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

/// Specification: no card is forgotten, no name is used twice, every name begins with a card's, and everything has a
/// pair at least and can be drawn, whatever is paid.
#[test]
fn every_mechanism_is_a_subject() {
    for price in ["0.1", "1", "8"] {
        let mut subjects = mechanisms(&epsilon(price)).unwrap();
        let names: BTreeSet<String> = subjects.iter().map(|subject| subject.name()).collect();
        assert_eq!(names.len(), subjects.len(), "a name is used twice");
        let base = |name: &str| name.split(" (").next().unwrap().to_owned();
        let bases: BTreeSet<String> = names.iter().map(|name| base(name)).collect();
        let cards: BTreeSet<String> = catalogue().iter().map(|card| card.name.to_owned()).collect();
        assert_eq!(bases, cards);
        let mut bits = seeded(1);
        for subject in &mut subjects {
            let pairs = subject.neighbours();
            assert!(!pairs.is_empty(), "{} has no pair", subject.name());
            assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), pairs.len(), "{}", subject.name());
            for pair in 0..pairs.len() {
                for side in [Side::Left, Side::Right] {
                    subject.release(pair, side, &mut bits).unwrap();
                }
            }
        }
    }
}

#[test]
fn every_canary_has_a_score() {
    for price in ["0.1", "1", "8"] {
        for mut crowd in canaries(&epsilon(price)).unwrap() {
            let present: Vec<bool> = (0..crowd.count()).map(|place| place % 3 == 0).collect();
            let scores = crowd.scores(&present, &mut seeded(2)).unwrap();
            assert_eq!(scores.len(), crowd.count(), "{}", crowd.name());
            assert!(scores.iter().all(|score| score.is_finite()), "{}", crowd.name());
        }
    }
}
