use std::collections::BTreeSet;

use pointillist_errors::Explained;
use pointillist_local::{Domain, MeanMethod};
use pointillist_mechanisms::LogisticCoin;
use pointillist_noise::SecureBits;
use pointillist_testkit::seeded;

use super::*;
use crate::{Observation, Rates, Settings, Side, Trial, audit, one_run};

fn one() -> Epsilon {
    Epsilon::parse("1").unwrap()
}

/// The kind of a method; a new one does not compile until it is here and, below, in the list.
fn kind(protocol: &Protocol) -> &'static str {
    match protocol {
        Protocol::Frequency(oracle) => match oracle {
            Oracle::Binary(_) => "binary",
            Oracle::Kary(_) => "k-ary",
            Oracle::Unary(unary) if unary.is_symmetric() => "symmetric unary",
            Oracle::Unary(_) => "unary",
            Oracle::Hashing(_) => "hashing",
            Oracle::Hadamard(_) => "Hadamard",
            Oracle::Subset(_) => "subset",
            Oracle::Rappor(_) => "RAPPOR",
        },
        Protocol::Mean(oracle) => match oracle.method() {
            MeanMethod::Sign(_) => "sign",
            MeanMethod::Window(_) => "window",
        },
        Protocol::Strings(_) => "strings",
    }
}

#[test]
fn every_kind_of_method_is_audited() {
    let kinds: BTreeSet<&str> = protocols(&one()).unwrap().iter().map(kind).collect();
    assert_eq!(kinds.len(), 11, "{kinds:?}");
    let lines: Vec<String> = protocols(&one()).unwrap().iter().map(Protocol::to_string).collect();
    for method in Method::ALL {
        assert!(lines.iter().any(|line| line.starts_with(method.name())), "{}", method.name());
    }
}

/// Specification: every pair can be drawn on both sides, whatever the method.
#[test]
fn every_pair_can_be_drawn() {
    let mut bits = seeded(1);
    for mut subject in local(&one()).unwrap() {
        let pairs = subject.neighbours();
        assert!(!pairs.is_empty() && pairs.iter().collect::<BTreeSet<_>>().len() == pairs.len(), "{pairs:?}");
        for pair in 0..pairs.len() {
            for side in [Side::Left, Side::Right] {
                assert!(!subject.release(pair, side, &mut bits).unwrap().parts().is_empty());
            }
        }
        assert!(subject.release(99, Side::Left, &mut bits).unwrap_err().hint().is_some());
    }
}

/// Specification: no randomizer is refuted, and of every one a good part of the claim is seen. False alarm: 1e-9 an
/// audit, and the seed is fixed.
#[test]
fn no_randomizer_is_refuted() {
    for mut subject in local(&one()).unwrap() {
        let found = audit(subject.as_mut(), &Settings::new(4000), &mut seeded(5), &mut |_, _| ()).unwrap();
        assert!(!found.refuted(), "{found:?}");
        // Shuffled reports, and hashed rows seen once, say little a release: their claims cover far worse worlds.
        let faint = found.subject.contains("shuffled") || found.subject.contains("blocks");
        let tightness = found.closest().unwrap().tightness();
        assert!(faint || tightness > 0.5, "{tightness} {found:?}");
    }
}

/// Any line that users write, with labels or without: long rows are seen at the places of the two answers.
#[test]
fn lines_of_users_are_audited() {
    let mut bits = seeded(2);
    for line in [
        "unary-encoding values=5000 epsilon=1",
        "rappor values=5000 f=0.5 p=0.25 q=0.75 blocks=2 width=64",
        "local-hashing values=16777216 epsilon=3",
        "subset-selection values=1000 epsilon=0.1",
        "sign-mean lower=-1/3 upper=1e9 steps=1 epsilon=1",
        "prefix-tree alphabet=a length=1 epsilon=1",
        "randomized-response gamma=0.4",
    ] {
        let mut subject = protocol_subject(line.parse().unwrap(), None).unwrap();
        for pair in 0..subject.neighbours().len() {
            let seen = subject.release(pair, Side::Right, &mut bits).unwrap();
            assert!(seen.parts().len() <= 70, "{line}: {}", seen.parts().len());
        }
    }
    let labels = |words: &[&str]| Domain::labels_and_other(words.iter().map(|w| (*w).to_owned()).collect());
    let protocol = || "k-ary-response values=3 epsilon=1".parse::<Protocol>().unwrap();
    let subject = protocol_subject(protocol(), Some(labels(&["flu", "cold"]).unwrap())).unwrap();
    assert_eq!(subject.neighbours()[0], "\"flu\" or \"(other)\"");
    assert_eq!(subject.name(), "k-ary-response values=3 epsilon=1");
    let refused = protocol_subject(protocol(), Some(labels(&["flu"]).unwrap())).err().unwrap();
    assert!(refused.hint().is_some_and(|hint| hint.contains("give one label a value")), "{refused:?}");
}

/// Unary encoding with its two probabilities exchanged tells nobody anything worse: it is cleared, though useless.
/// False alarm: 1e-9, and the seed is fixed.
#[test]
fn exchanged_probabilities_are_no_leak() {
    let coin = LogisticCoin::new(one().value().clone(), 1);
    let release = move |own: &u64, bits: &mut dyn SecureBits| {
        (0..4).fold(Observation::new(), |seen, value| {
            let bit = if value == *own { !coin.sample(bits) } else { bits.coin() };
            seen.with(format!("bit {value}"), bit)
        })
    };
    let claim = pointillist_privacy::Loss::pure(one());
    let mut exchanged = Trial::new("exchanged", claim, release).pair("0 or 1", 0, 1);
    let found = audit(&mut exchanged, &Settings::new(10_000), &mut seeded(3), &mut |_, _| ()).unwrap();
    assert!(!found.refuted() && found.closest().unwrap().tightness() > 0.7, "{found:?}");
}

/// Specification: one survey of respondents with a coin each does not refute the claim and shows a good part of it; at
/// twice the price it would refute it. False alarm: 1e-9 a survey, and the seed is fixed. Power: of 5,000 guesses 73 % are
/// right at ε = 1 and 88 % at ε = 2, twenty deviations apart.
#[test]
fn one_survey_shows_what_many_would() {
    let rates = Rates { false_alarm: 1e-9, doubt: 0.05 };
    let mut bits = seeded(4);
    for line in [
        "randomized-response",
        "k-ary-response values=2",
        "local-hashing values=4 cells=2",
        "sign-mean lower=0 upper=1 steps=4",
    ] {
        let mut survey = |epsilon: u32| {
            let protocol = format!("{line} epsilon={epsilon}").parse().unwrap();
            one_run(&mut local_canaries(protocol, 5000).unwrap(), rates, &mut bits).unwrap()
        };
        let found = survey(1);
        assert!(!found.refuted() && found.lower > 0.3 && found.lower < 1.1, "{found:?}");
        let loud = survey(2);
        assert!(!loud.refuted() && loud.lower_verdict > 0.7, "{loud:?}");
    }
    for protocol in protocols(&one()).unwrap() {
        let found = one_run(&mut local_canaries(protocol, 1000).unwrap(), rates, &mut bits).unwrap();
        assert!(!found.refuted() && found.canaries == 1000, "{found:?}");
    }
}
