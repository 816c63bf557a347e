use std::collections::BTreeSet;

use pointillist_testkit::seeded;

use super::*;
use crate::audit::{Settings, audit};

/// Specification: every planted leak is refuted, at a false-alarm rate of 1e-9, by as many releases as it says.
#[test]
fn every_planted_leak_is_refuted() {
    let mut missed = Vec::new();
    for mut leak in planted() {
        let start = std::time::Instant::now();
        let settings = Settings::new(leak.releases);
        let found = audit(leak.subject.as_mut(), &settings, &mut seeded(11), &mut |_, _| ()).unwrap();
        let line: Vec<String> = found
            .measured
            .iter()
            .map(|m| format!("{:.3}({:.3})/{:.3}", m.lower_verdict, m.lower, m.measure.claimed()))
            .collect();
        println!(
            "{:5.2}s {:6} {:50} {} {} {}",
            start.elapsed().as_secs_f64(),
            leak.releases,
            found.subject,
            line.join(" "),
            if found.refuted() { "" } else { "MISSED" },
            found
                .closest()
                .and_then(|m| m.event.as_ref())
                .map_or(String::new(), |e| format!("{} {:?} {:?}", e.description, e.there, e.elsewhere))
        );
        if !found.refuted() {
            missed.push(found.subject);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn every_leak_has_a_name_and_a_reason() {
    let all = planted();
    let names: BTreeSet<String> = all.iter().map(|leak| leak.subject.name()).collect();
    assert_eq!(names.len(), all.len(), "a name is used twice");
    assert!(all.iter().all(|leak| leak.flaw.ends_with('.') && !leak.flaw.contains('\n')));
}
