use std::collections::BTreeSet;

use pointillist_testkit::seeded;

use super::*;
use crate::{Settings, audit};

/// Specification: every planted leak is refuted, most of them by 3,000 releases of either side and all by 20,000.
#[test]
fn every_planted_leak_is_refuted() {
    for mut leak in planted_worlds() {
        let mut audited = |releases: usize| {
            audit(leak.subject.as_mut(), &Settings::new(releases), &mut seeded(7), &mut |_, _| ()).unwrap()
        };
        let quick = audited(3000);
        if !quick.refuted() {
            let found = audited(20_000);
            assert!(found.refuted(), "{}: {found:?}", leak.flaw);
        }
    }
}

#[test]
fn every_leak_says_what_is_wrong() {
    let leaks = planted_worlds();
    let told: BTreeSet<(&str, &str)> = leaks.iter().map(|leak| (leak.subject.name(), leak.flaw)).collect();
    assert_eq!(told.len(), leaks.len());
    assert!(leaks.len() > 30, "{}", leaks.len());
}
