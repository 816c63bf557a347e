use std::collections::BTreeSet;

use pointillist_mechanisms::catalogue;
use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;
use pointillist_testkit::seeded;

use super::*;
use crate::{Rates, Settings, Side, audit, one_run};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

/// Specification: no card is forgotten, no name is used twice, every name begins with a card's, and
/// everything has a pair at least and can be drawn, whatever is paid.
#[test]
fn every_mechanism_is_a_subject() {
    for price in ["0.1", "1", "8"] {
        let mut subjects = mechanisms(&epsilon(price)).unwrap();
        let names: BTreeSet<String> = subjects.iter().map(|subject| subject.name().to_owned()).collect();
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

/// Specification: no audit refutes a mechanism. False alarm: 1e-9 each, and seeds are fixed.
#[test]
fn no_mechanism_is_refuted() {
    for (place, mut subject) in mechanisms(&epsilon("1")).unwrap().into_iter().enumerate() {
        let releases = (subject.profile().releases_a_second / 2).clamp(500, 8_000);
        let settings = Settings::new(releases);
        let found = audit(subject.as_mut(), &settings, &mut seeded(place as u64), &mut |_, _| ()).unwrap();
        assert!(!found.refuted(), "{found:#?}");
    }
}

/// A crowd that promises less than it keeps, or more.
struct Claiming {
    crowd: Box<dyn Canaries>,
    claim: Loss,
}

impl Canaries for Claiming {
    fn name(&self) -> String {
        self.crowd.name()
    }

    fn claim(&self) -> Loss {
        self.claim.clone()
    }

    fn count(&self) -> usize {
        self.crowd.count()
    }

    fn scores(&mut self, present: &[bool], bits: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
        self.crowd.scores(present, bits)
    }
}

/// Specification: one run clears every crowd, and refutes each that promises a fifth of its ε. Normal noise
/// is the exception: at so small a δ its ε is far above what any one guess shows. False alarm: 1e-9 each.
#[test]
fn one_run_clears_what_is_true_and_refutes_a_fifth() {
    let rates = Rates { false_alarm: 1e-9, doubt: 0.05 };
    let fifths = canaries(&epsilon("0.5")).unwrap();
    for (mut crowd, fifth) in canaries(&epsilon("2.5")).unwrap().into_iter().zip(fifths) {
        let honest = one_run(crowd.as_mut(), rates, &mut seeded(1)).unwrap();
        assert!(!honest.refuted(), "{honest:#?}");
        let mut lying = Claiming { crowd, claim: fifth.claim() };
        let found = one_run(&mut lying, rates, &mut seeded(2)).unwrap();
        assert_eq!(found.refuted(), !found.subject.contains("Gaussian"), "{found:#?}");
    }
}
