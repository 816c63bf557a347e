use std::collections::BTreeSet;

use pointillist_testkit::seeded;

use super::*;
use crate::{Settings, audit};

/// Specification: every planted leak is refuted, at a false-alarm rate of 1e-9, by as many releases as it
/// says. Seeds are fixed; the smallest leak passes its claim by six deviations more than a verdict asks for.
#[test]
fn every_planted_leak_is_refuted() {
    let mut missed = Vec::new();
    for (place, mut leak) in planted().into_iter().enumerate() {
        let settings = Settings::new(leak.releases);
        let mut bits = seeded(place as u64);
        let found = audit(leak.subject.as_mut(), &settings, &mut bits, &mut |_, _| ()).unwrap();
        if !found.refuted() {
            missed.push(found.subject);
        }
    }
    assert!(missed.is_empty(), "not refuted: {missed:#?}");
}

#[test]
fn every_leak_has_a_name_and_a_reason() {
    let all = planted();
    let names: BTreeSet<String> = all.iter().map(|leak| leak.subject.name().to_owned()).collect();
    assert_eq!(names.len(), all.len(), "a name is used twice");
    assert!(all.iter().all(|leak| leak.flaw.ends_with('.') && !leak.flaw.contains('\n')));
}
