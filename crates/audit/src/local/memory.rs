//! A remembered answer that is asked about again and again.
//!
//! **Claim.** However many reports are linked, they cost no more than the permanent response: ε_∞
//! ([`rappor`](pointillist_local::rappor)).
//! **Seen.** How many of the reports show a one at each place, which is all that reports of one memory tell, and how far
//! they lean to the first answer. Hash functions are the same in all reports.

use pointillist_local::rappor::Rappor;
use pointillist_local::{FrequencyOracle, Oracle, Report};

use crate::{Observation, Subject, Trial};

/// Rows longer than this are seen by what they lean to only.
const PLACES_SHOWN: usize = 64;

/// A respondent who holds one answer, and what they might have held.
pub(crate) struct Held {
    pub(crate) own: u64,
    pub(crate) pair: [u64; 2],
}

/// So many reports of one respondent, all from one memory.
pub fn memory_subject(rappor: Rappor, reports: u64) -> impl Subject {
    let claim = rappor.loss_of_reports(reports);
    let values = rappor.values();
    let name = format!("{}, {reports} reports of one memory", Oracle::Rappor(rappor.clone()));
    let release = move |held: &Held, bits: &mut dyn pointillist_noise::SecureBits| {
        let memory = rappor.remember(held.own, bits);
        let reports: Vec<Report> = (0..reports).map(|_| rappor.report(&memory, bits)).collect();
        linked(&rappor, &reports, held)
    };
    let trial = Trial::new(name, claim, release);
    let mut pairs = vec![[0, values - 1], [0, 1]];
    pairs.dedup();
    pairs.into_iter().fold(trial, |trial, pair| {
        let [left, right] = pair.map(|own| Held { own, pair });
        trial.pair(format!("{} or {}", pair[0], pair[1]), left, right)
    })
}

/// All reports of one person, side by side.
pub(crate) fn linked(rappor: &Rappor, reports: &[Report], held: &Held) -> Observation {
    let mut seen = Observation::new();
    let mut leans = 0i128;
    let mut ones: Vec<u64> = Vec::new();
    for report in reports {
        let [first, second] = held.pair.map(|value| rappor.support(report, value));
        leans += i128::from(first) - i128::from(second);
        if let Report::Bits(bits) | Report::HashedBits { bits, .. } = report {
            ones.resize(bits.len(), 0);
            bits.ones().for_each(|place| ones[place] += 1);
        }
    }
    if ones.len() <= PLACES_SHOWN {
        for (place, count) in ones.into_iter().enumerate() {
            seen = seen.with(format!("ones at {place}"), count);
        }
    }
    if let Some(Report::HashedBits { hashes, .. }) = reports.first() {
        for (block, hash) in hashes.iter().enumerate() {
            seen = seen
                .with(format!("multiplier {block}"), hash.multiplier)
                .with(format!("shift {block}"), hash.shift);
        }
    }
    seen.with("leans", leans)
}
