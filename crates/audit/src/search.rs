//! The search for an event that tells two sides apart.
//!
//! **Statement.** For a release that keeps its claim, each lower bound that [`search`] reports at a false-alarm rate α is
//! above the claimed number with probability at most α, all reported bounds of that rate together.
//! **Proof.** The releases of a side are independent and have one law, and are split in three by their place. The first part
//! trains distinguishers, the second chooses events, and only the third is counted: so for the counted releases the events
//! are fixed, and at most so many as were reckoned with. Each event's two probabilities are bounded by Clopper and
//! Pearson's bounds at α/(2·events) each; where all bounds hold, `measure.rs` shows that no number reported exceeds the
//! true one. ∎
//! **Not covered.** Releases that depend on earlier ones, such as those of a generator that is never reseeded: there the
//! counts are not binomial. Whoever implements `Subject` promises fresh releases.

use std::collections::BTreeSet;

use crate::AuditError;
use crate::binomial::{probability_lower, probability_upper};
use crate::distinguisher::Distinguishers;
use crate::measure::Measure;
use crate::{Observation, Side};

/// Events that are tested for each guarantee and each direction.
const TESTED: usize = 6;
/// Events from the same distinguisher among them.
const TESTED_OF_ONE: usize = 2;
/// Places where a score is cut, between the tails.
const CUTS: usize = 40;
/// Parts of the releases that are cut off in the tails.
const TAILS: [f64; 7] = [0.0001, 0.0003, 0.001, 0.002, 0.005, 0.01, 0.015];
/// Halvings when an event's bounds are guessed.
const HALVINGS: usize = 20;
/// How improbable chance is at one deviation, as an exponent.
pub(super) const CHANCE: f64 = 0.5;
/// Points of the curve that is drawn.
const CURVE: usize = 100;

/// How often a true claim is called false, and how sure the measured number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// For the verdict.
    pub false_alarm: f64,
    /// For the number that is shown.
    pub doubt: f64,
}

impl Rates {
    /// Rates are probabilities; at zero nothing is ever shown, at one everything is.
    pub(super) fn check(&self) -> Result<(), AuditError> {
        let proper = |rate: f64| rate > 0.0 && rate < 1.0;
        if proper(self.false_alarm) && proper(self.doubt) {
            return Ok(());
        }
        Err(AuditError::new(
            format!("rates of {} and {} are no probabilities", self.false_alarm, self.doubt),
            "choose numbers between 0 and 1, such as 1e-9 for the verdict and 0.05 for what is shown",
        ))
    }
}

/// An event and how often it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The event in words, over what is observed.
    pub description: String,
    /// The side on which it is likelier.
    pub likelier: Side,
    /// How often it happened there, and of how many releases.
    pub there: (u64, u64),
    /// The same on the other side.
    pub elsewhere: (u64, u64),
}

/// What was found about one guarantee.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The guarantee and its number.
    pub measure: Measure,
    /// The number is at least this, at the rate of the verdict.
    pub lower_verdict: f64,
    /// The number is at least this, at the rate of what is shown.
    pub lower: f64,
    /// The event that shows it; none when nothing tells.
    pub event: Option<Event>,
}

/// What a search found.
pub struct Found {
    /// One a guarantee.
    pub measured: Vec<Measured>,
    /// The best distinguisher's alarms: the probability of a false one and of a true one.
    pub curve: Vec<(f64, f64)>,
}

#[derive(Clone, Copy)]
struct Candidate {
    distinguisher: usize,
    cut: f64,
    at_least: bool,
    worth: f64,
}

impl Candidate {
    fn count(&self, sorted: &[f64]) -> u64 {
        let below = sorted.partition_point(|score| *score < self.cut);
        (if self.at_least { sorted.len() - below } else { below }) as u64
    }
}

/// The scores of some releases, one sorted list a distinguisher.
struct Scores(Vec<Vec<f64>>);

impl Scores {
    /// Only of the distinguishers asked for; the lists of others are empty.
    fn of(distinguishers: &Distinguishers, asked: &[usize], releases: &[&Observation]) -> Self {
        let mut lists = vec![Vec::new(); distinguishers.count()];
        asked.iter().for_each(|index| lists[*index].reserve_exact(releases.len()));
        for release in releases {
            for (index, score) in asked.iter().zip(distinguishers.scores(release, asked)) {
                lists[*index].push(score);
            }
        }
        for list in &mut lists {
            list.sort_by(f64::total_cmp);
        }
        Self(lists)
    }
}

/// Looks for the events that say most about each guarantee.
pub fn search(left: &[Observation], right: &[Observation], measures: &[Measure], rates: Rates) -> Found {
    let [left, right] = [left, right].map(split);
    let distinguishers = Distinguishers::learn(&left[0], &right[0]);
    let scores = |part: usize, asked: &[usize]| {
        [&left[part], &right[part]].map(|releases| Scores::of(&distinguishers, asked, releases))
    };
    let every: Vec<usize> = (0..distinguishers.count()).collect();
    let choosing = scores(1, &every);
    let sizes = [&left[2], &right[2]].map(|part| part.len() as u64);
    // Two bounds an event, two directions, and as many guarantees as there are.
    let events = (2 * TESTED * measures.len().max(1)) as f64;
    let share = |rate: f64| rate / (2.0 * events);
    let alphas = [share(rates.false_alarm), share(rates.doubt)];
    let chosen: Vec<[Vec<Candidate>; 2]> = measures
        .iter()
        .map(|measure| {
            [0, 1].map(|there| {
                let tested = [sizes[there], sizes[1 - there]];
                candidates(measure, &choosing[there], &choosing[1 - there], tested, alphas)
            })
        })
        .collect();
    // The counted part is looked at by what was chosen, and by nothing else.
    let asked: BTreeSet<usize> =
        chosen.iter().flatten().flatten().map(|candidate| candidate.distinguisher).collect();
    let testing = scores(2, &asked.into_iter().collect::<Vec<usize>>());
    let mut best_distinguisher = None;
    let measured = measures
        .iter()
        .zip(&chosen)
        .map(|(measure, chosen)| {
            let mut directions = [Side::Left, Side::Right].map(|likelier| {
                let (there, elsewhere) = (likelier.index(), 1 - likelier.index());
                let tested = chosen[there].iter().map(|candidate| {
                    let count = |side: usize| candidate.count(&testing[side].0[candidate.distinguisher]);
                    let (yes, no) = ((count(there), sizes[there]), (count(elsewhere), sizes[elsewhere]));
                    let lower = |rate: f64| {
                        let p = probability_lower(yes.0, yes.1, share(rate));
                        measure.lower(p, probability_upper(no.0, no.1, share(rate)))
                    };
                    (lower(rates.false_alarm), lower(rates.doubt), *candidate, yes, no)
                });
                // The verdict's number decides, then the other.
                tested.fold((0.0f64, 0.0f64, None), |(strict, lower, event), next| {
                    let better = event.is_none() || (next.0, next.1) > (strict, lower);
                    let event = if better { Some((likelier, next.2, next.3, next.4)) } else { event };
                    (strict.max(next.0), lower.max(next.1), event)
                })
            });
            if directions[1].1 > directions[0].1 {
                directions.swap(0, 1);
            }
            let [first, second] = directions;
            let event = first.2.map(|(likelier, candidate, there, elsewhere)| {
                best_distinguisher.get_or_insert((candidate.distinguisher, candidate.at_least, likelier));
                let score = distinguishers.describe(candidate.distinguisher);
                let relation = if candidate.at_least { "≥" } else { "<" };
                let description = format!("{score} {relation} {}", short(candidate.cut));
                Event { description, likelier, there, elsewhere }
            });
            let (mut strict, mut lower) = (first.0.max(second.0), first.1);
            if measure.adds_directions() {
                (strict, lower) = (first.0 + second.0, first.1 + second.1);
            }
            Measured { measure: measure.clone(), lower_verdict: strict, lower, event }
        })
        .collect();
    let curve = best_distinguisher.map_or_else(Vec::new, |(index, at_least, likelier)| {
        let [there, elsewhere] = [likelier.index(), 1 - likelier.index()].map(|side| &testing[side].0[index]);
        curve(there, elsewhere, at_least)
    });
    Found { measured, curve }
}

/// Three parts by place: whatever drifts during a run drifts in all of them.
fn split(releases: &[Observation]) -> [Vec<&Observation>; 3] {
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for (place, release) in releases.iter().enumerate() {
        parts[[0, 2, 1, 2, 0, 2, 1, 2, 0, 2][place % 10]].push(release);
    }
    parts
}

/// The events that seem to say most, from the releases that choose: what their frequencies would prove among as many
/// releases as will be counted.
fn candidates(
    measure: &Measure,
    there: &Scores,
    elsewhere: &Scores,
    tested: [u64; 2],
    alphas: [f64; 2],
) -> Vec<Candidate> {
    let [strict, shown] = alphas.map(|alpha| -alpha.ln());
    let mut all = Vec::new();
    for (distinguisher, (yes, no)) in there.0.iter().zip(&elsewhere.0).enumerate() {
        let mut own = Vec::new();
        for cut in cuts(yes, no) {
            for at_least in [true, false] {
                let mut candidate = Candidate { distinguisher, cut, at_least, worth: 0.0 };
                let counts = [(candidate.count(yes), yes.len()), (candidate.count(no), no.len())];
                // Where no event is clear at the verdict's rate, the one is tried that is at the other, then the one
                // that leans by more than chance; never the one of few releases that happen to lie on one side.
                let leaning = likely_lower(measure, counts, [yes.len(), no.len()].map(|n| n as u64), CHANCE);
                candidate.worth = 1e-6 * leaning;
                for (weight, doubt) in [(1e-3, shown), (1.0, strict)] {
                    if leaning > 0.0 {
                        candidate.worth += weight * likely_lower(measure, counts, tested, doubt);
                    }
                }
                own.push(candidate);
            }
        }
        own.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        all.extend(own.into_iter().take(TESTED_OF_ONE));
    }
    all.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    all.truncate(TESTED);
    all
}

/// Where scores of both sides together are cut.
fn cuts(there: &[f64], elsewhere: &[f64]) -> Vec<f64> {
    let mut pooled: Vec<f64> = there.iter().chain(elsewhere).copied().collect();
    pooled.sort_by(f64::total_cmp);
    let at = |part: f64| pooled.get((part * pooled.len() as f64) as usize).copied();
    let middle = (0..CUTS).map(|place| (place as f64 + 0.5) / CUTS as f64);
    let tails = TAILS.iter().flat_map(|part| [*part, 1.0 - part]);
    let mut cuts: Vec<f64> = middle.chain(tails).filter_map(at).collect();
    // The smallest and the largest value, and the value after each: discrete scores have few.
    cuts.extend([pooled.first(), pooled.last()].into_iter().flatten());
    for place in 0..cuts.len() {
        let next = pooled.partition_point(|score| *score <= cuts[place]);
        cuts.extend(pooled.get(next).copied());
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts
}

/// The number that an event with these counts, there and elsewhere, shows among so many releases, if chance is as
/// improbable as e^−doubt at most (Chernoff's bound): near enough to choose by.
pub(super) fn likely_lower(measure: &Measure, counts: [(u64, usize); 2], of: [u64; 2], doubt: f64) -> f64 {
    let [p, q] = counts.map(|(successes, n)| (successes as f64 + 0.5) / (n as f64 + 1.0));
    if p <= q {
        return 0.0;
    }
    let (p, q) = (below(p, doubt / of[0] as f64), 1.0 - below(1.0 - q, doubt / of[1] as f64));
    measure.lower(p, q).min(1e3)
}

/// The probability below `share` from which it is so far away.
fn below(share: f64, distance: f64) -> f64 {
    let (mut low, mut high) = (0.0, share);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if divergence(share, middle) > distance { low = middle } else { high = middle }
    }
    low
}

/// The Kullback-Leibler divergence of two coins, the first strictly between zero and one.
fn divergence(a: f64, b: f64) -> f64 {
    a * (a / b).ln() + (1.0 - a) * ((1.0 - a) / (1.0 - b)).ln()
}

/// The alarms of a score that is cut everywhere.
fn curve(there: &[f64], elsewhere: &[f64], at_least: bool) -> Vec<(f64, f64)> {
    let share = |sorted: &[f64], cut: f64| {
        let below = sorted.partition_point(|score| *score < cut) as f64 / sorted.len().max(1) as f64;
        if at_least { 1.0 - below } else { below }
    };
    let all = cuts(there, elsewhere);
    let stride = all.len() / CURVE + 1;
    let mut points: Vec<(f64, f64)> =
        all.iter().step_by(stride).map(|cut| (share(elsewhere, *cut), share(there, *cut))).collect();
    points.extend([(0.0, 0.0), (1.0, 1.0)]);
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    points
}

fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e15).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
