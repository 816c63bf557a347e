//! The search for the pair of neighbours and the event that tell most about one subject.

use pointillist_noise::SecureBits;
use pointillist_privacy::Guarantee;

use crate::search::{self, Measured, Rates};
use crate::{AuditError, Measure, Side, Subject};

/// The fewest releases of either side: with fewer no event can be seen at a false-alarm rate of 1e-9.
const RELEASES_MIN: usize = 200;
/// The most. All are kept until they are counted, and an observation of one part takes 0.7 kB, one of twenty 3.4 kB: for
/// both sides this is 1.4 GB and 7 GB.
const RELEASES_MAX: usize = 1_000_000;

/// How an audit is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Releases of either side of the pair that is measured.
    pub releases: usize,
    /// Releases of either side of each pair that is tried before.
    pub trial_releases: usize,
    /// How often a true claim is called false, and how sure the measured number is.
    pub rates: Rates,
}

impl Settings {
    /// This many releases of either side; a tenth of them tries each pair; a false alarm in 10⁹ audits; numbers with 95 %
    /// confidence.
    pub fn new(releases: usize) -> Self {
        let rates = Rates { false_alarm: 1e-9, doubt: 0.05 };
        Self { releases, trial_releases: (releases / 10).max(RELEASES_MIN), rates }
    }
}

/// What an audit found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was audited.
    pub subject: String,
    /// The pair of neighbours that told most.
    pub neighbours: String,
    /// How many pairs were tried.
    pub pairs: usize,
    /// Releases of either side of that pair.
    pub releases: usize,
    /// What was found about each guarantee.
    pub measured: Vec<Measured>,
    /// The best distinguisher's alarms: the probability of a false one and of a true one.
    pub curve: Vec<(f64, f64)>,
    /// How often a true claim is called false, and how sure the measured numbers are.
    pub rates: Rates,
}

impl Finding {
    /// Whether the claim is refuted.
    pub fn refuted(&self) -> bool {
        self.measured.iter().any(Measured::refutes)
    }

    /// The guarantee that is measured most closely, refuted ones first.
    pub fn closest(&self) -> Option<&Measured> {
        self.measured.iter().max_by(|a, b| {
            (a.refutes(), a.tightness()).partial_cmp(&(b.refutes(), b.tightness())).expect("numbers compare")
        })
    }
}

impl Measured {
    /// Whether the number measured is above the one claimed, at the rate of the verdict.
    pub fn refutes(&self) -> bool {
        self.lower_verdict > self.measure.claimed()
    }

    /// How much of the claim was seen: near one, the claim is as small as it can be.
    pub fn tightness(&self) -> f64 {
        self.lower / self.measure.claimed()
    }
}

/// Tries every pair of neighbours, then measures the one that tells most with fresh releases. `progress` is told how many
/// releases are done, of how many.
pub fn audit(
    subject: &mut dyn Subject,
    settings: &Settings,
    bits: &mut dyn SecureBits,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Finding, AuditError> {
    if !(RELEASES_MIN..=RELEASES_MAX).contains(&settings.releases) {
        return Err(AuditError::new(
            format!("{} releases of either side cannot be audited", settings.releases),
            format!("ask for {RELEASES_MIN} to {RELEASES_MAX}; 20000 see most leaks"),
        ));
    }
    settings.rates.check()?;
    let pairs = subject.neighbours().to_vec();
    if pairs.is_empty() {
        return Err(AuditError::new(
            format!("{} has no neighbouring data to compare", subject.name()),
            "give at least one pair of neighbours",
        ));
    }
    let measures = measures(subject);
    let trials = if pairs.len() > 1 { 2 * pairs.len() * settings.trial_releases } else { 0 };
    let total = trials + 2 * settings.releases;
    let mut done = 0;
    let mut draw = |subject: &mut dyn Subject, pair: usize, count: usize| {
        let mut sides = [Vec::with_capacity(count), Vec::with_capacity(count)];
        for _ in 0..count {
            for side in [Side::Left, Side::Right] {
                sides[side.index()].push(subject.release(pair, side, bits)?);
            }
            done += 2;
            progress(done, total);
        }
        Ok::<_, AuditError>(sides)
    };
    let mut best = (f64::NEG_INFINITY, 0);
    if pairs.len() > 1 {
        for pair in 0..pairs.len() {
            let [left, right] = draw(subject, pair, settings.trial_releases)?;
            let found = search::search(&left, &right, &measures, settings.rates);
            let worth = found.measured.iter().map(promise).fold(f64::NEG_INFINITY, f64::max);
            if worth > best.0 {
                best = (worth, pair);
            }
        }
    }
    let [left, right] = draw(subject, best.1, settings.releases)?;
    let mut found = search::search(&left, &right, &measures, settings.rates);
    // An event that leans chooses a pair, and shows nothing.
    found
        .measured
        .iter_mut()
        .filter(|measured| measured.lower == 0.0)
        .for_each(|measured| measured.event = None);
    Ok(Finding {
        subject: subject.name().to_owned(),
        neighbours: pairs[best.1].clone(),
        pairs: pairs.len(),
        releases: settings.releases,
        measured: found.measured,
        curve: found.curve,
        rates: settings.rates,
    })
}

/// What a trial promises: the bound where there is one, and else how far the frequencies lean beyond chance.
fn promise(measured: &Measured) -> f64 {
    let leaning = measured.event.as_ref().map_or(0.0, |event| {
        let sides = [event.there, event.elsewhere];
        let counts = sides.map(|(successes, n)| (successes, n as usize));
        search::likely_lower(&measured.measure, counts, sides.map(|(_, n)| n), search::CHANCE)
    });
    (measured.lower + 1e-3 * leaning) / measured.measure.claimed()
}

/// One a guarantee; what follows from another of the list is left out.
fn measures(subject: &dyn Subject) -> Vec<Measure> {
    let guarantees = subject.claim().guarantees();
    let follows = |guarantee: &Guarantee| match guarantee {
        Guarantee::Pure { epsilon } => {
            guarantees.iter().any(|other| matches!(other, Guarantee::BoundedRange { eta } if eta <= epsilon))
        }
        _ => false,
    };
    guarantees.iter().filter(|guarantee| !follows(guarantee)).map(Measure::of).collect()
}
