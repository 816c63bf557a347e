//! Broken randomizers and broken statistics of graphs, for showing that audits see.
//!
//! Each makes the promise of the right one and has one flaw: one that textbooks warn of, or that tests of ours plant.

mod graphs;
mod local;

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss};

use crate::{AuditError, Observation, Planted, Profile, Side, Subject};

/// So many releases of either side refute the smallest leak here.
const RELEASES: usize = 20_000;

/// Every broken randomizer, then every broken statistic of a graph.
pub fn planted_worlds() -> Vec<Planted> {
    let all = local::all().and_then(|local| Ok((local, graphs::all()?)));
    let (mut all, graphs) = all.expect("all settings are constants in their ranges");
    all.extend(graphs);
    all
}

fn planted(flaw: &'static str, subject: impl Subject + 'static) -> Planted {
    Planted { subject: Box::new(subject), flaw, releases: RELEASES }
}

/// The ε that everything here claims, unless its right form has another.
fn one() -> Epsilon {
    Epsilon::parse("1").expect("one is a loss")
}

/// A release that makes another promise than its own.
struct Claiming<S> {
    subject: S,
    profile: Profile,
}

impl<S: Subject> Claiming<S> {
    fn new(name: impl Into<String>, subject: S, claim: Loss) -> Self {
        let profile = Profile { name: name.into(), claim, ..subject.profile().clone() };
        Self { subject, profile }
    }
}

impl<S: Subject> Subject for Claiming<S> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        self.subject.release(pair, side, bits)
    }
}

#[cfg(test)]
mod tests;
