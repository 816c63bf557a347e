//! Can anybody tell two neighbouring releases apart better than ε and δ allow?
//!
//! **Method.** Half of the samples choose events: thresholds at quantiles and the most frequent values, each
//! with a direction, ranked by how clearly they seem to violate `P(E) ≤ e^ε·Q(E) + δ`. The other half test
//! the best few with Clopper-Pearson bounds. The split makes the choice free: bounds hold for any event
//! chosen without looking at the half that tests it.
//! **False alarm.** At most `alpha` for each check of a release that keeps its promise, by a union bound over
//! the tested events and the two bounds of each.
//! **Power.** At `alpha` = 1e-9, 2 000 samples a side catch a halved sensitivity at ε = 1, and 1 400 an event
//! of probability 0.27 against zero.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::bounds::{clopper_pearson_lower, clopper_pearson_upper};

/// The false-alarm rate unless told otherwise.
const ALPHA_DEFAULT: f64 = 1e-9;
/// Cut points for thresholds, and values for points.
const CANDIDATES_MAX: usize = 64;
/// How many events each direction may test.
const TESTED_PER_DIRECTION: usize = 8;

/// A claim of (ε, δ) to be refuted from samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distinguisher {
    /// The claimed ε.
    pub epsilon: f64,
    /// The claimed δ.
    pub delta: f64,
    /// The probability with which a true claim is called violated.
    pub alpha: f64,
}

/// What the samples say about the claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No event refutes it.
    Consistent,
    /// An event is more likely on one side than the claim allows.
    Violation {
        /// The event and the side on which it is too likely.
        event: String,
        /// A lower bound on its probability on that side.
        lower: f64,
        /// The most the claim allows, from an upper bound on its probability on the other side.
        upper: f64,
    },
}

impl Distinguisher {
    /// The claim of (ε, δ), with a false-alarm rate of 1e-9.
    pub fn new(epsilon: f64, delta: f64) -> Self {
        Self { epsilon, delta, alpha: ALPHA_DEFAULT }
    }

    /// Looks for an event that refutes the claim. `left` and `right` are independent draws of a release on
    /// two neighbours, in the order in which they were drawn; sorting them first would spoil the split. Map
    /// each draw to whatever an attacker might look at: a grid residue, a reachability bit, a word count.
    ///
    /// # Panics
    /// With fewer than two samples on a side.
    pub fn check<T: Ord + Clone + Debug>(&self, left: &[T], right: &[T]) -> Verdict {
        assert!(left.len() >= 2 && right.len() >= 2, "a check needs two samples on each side");
        let [left_choosing, left_testing] = halves(left);
        let [right_choosing, right_testing] = halves(right);
        let events = candidates(&left_choosing, &right_choosing);

        let left_first = self.most_suspicious(&events, &left_choosing, &right_choosing);
        let right_first = self.most_suspicious(&events, &right_choosing, &left_choosing);
        // Two bounds for each event tested.
        let alpha = self.alpha / (2.0 * (left_first.len() + right_first.len()) as f64);
        let against_right = left_first
            .into_iter()
            .find_map(|event| self.violation(event, &left_testing, &right_testing, alpha, "left"));
        let against_left = || {
            right_first
                .into_iter()
                .find_map(|event| self.violation(event, &right_testing, &left_testing, alpha, "right"))
        };
        against_right.or_else(against_left).unwrap_or(Verdict::Consistent)
    }

    /// Fails when the samples refute the claim. False alarm: `alpha`.
    ///
    /// # Panics
    /// On a violation, naming the event.
    #[track_caller]
    pub fn assert_private<T: Ord + Clone + Debug>(&self, left: &[T], right: &[T], context: &str) {
        if let Verdict::Violation { event, lower, upper } = self.check(left, right) {
            panic!(
                "{context}: not ({}, {})-private: \
                 {event} has probability at least {lower}, where {upper} is the most",
                self.epsilon, self.delta
            );
        }
    }

    /// Fails when the samples do not refute the claim: for planted leaks, which show that the test can see.
    ///
    /// # Panics
    /// When nothing was found.
    #[track_caller]
    pub fn assert_leaks<T: Ord + Clone + Debug>(&self, left: &[T], right: &[T], context: &str) {
        assert!(
            self.check(left, right) != Verdict::Consistent,
            "{context}: no event refutes ({}, {})-privacy with {} and {} samples",
            self.epsilon,
            self.delta,
            left.len(),
            right.len()
        );
    }

    /// The events that seem most likely to be too likely in `suspect`, most suspicious first.
    fn most_suspicious<'a, T: Ord>(
        &self,
        events: &'a [Event<T>],
        suspect: &[&T],
        other: &[&T],
    ) -> Vec<&'a Event<T>> {
        let mut ranked: Vec<(f64, &Event<T>)> = events
            .iter()
            .map(|event| {
                let smoothed =
                    |samples: &[&T]| (event.count(samples) as f64 + 0.5) / (samples.len() as f64 + 1.0);
                let (p, q) = (smoothed(suspect), smoothed(other));
                let growth = self.epsilon.exp();
                let variance = p * (1.0 - p) / suspect.len() as f64
                    + growth * growth * q * (1.0 - q) / other.len() as f64;
                ((p - growth * q - self.delta) / variance.sqrt(), event)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().take(TESTED_PER_DIRECTION).map(|(_, event)| event).collect()
    }

    fn violation<T: Ord + Debug>(
        &self,
        event: &Event<T>,
        suspect: &[&T],
        other: &[&T],
        alpha: f64,
        side: &str,
    ) -> Option<Verdict> {
        let size = |samples: &[&T]| samples.len() as u64;
        let lower = clopper_pearson_lower(event.count(suspect), size(suspect), alpha);
        let other_upper = clopper_pearson_upper(event.count(other), size(other), alpha);
        let upper = self.epsilon.exp() * other_upper + self.delta;
        let event = format!("{} on the {side}", event.describe());
        (lower > upper).then_some(Verdict::Violation { event, lower, upper })
    }
}

/// A set of outputs.
enum Event<T> {
    AtMost(T),
    AtLeast(T),
    Exactly(T),
}

impl<T: Ord> Event<T> {
    fn count(&self, samples: &[&T]) -> u64 {
        let holds = |sample: &&&T| match self {
            Self::AtMost(cut) => **sample <= cut,
            Self::AtLeast(cut) => **sample >= cut,
            Self::Exactly(value) => **sample == value,
        };
        samples.iter().filter(holds).count() as u64
    }
}

impl<T: Debug> Event<T> {
    fn describe(&self) -> String {
        match self {
            Self::AtMost(cut) => format!("x ≤ {cut:?}"),
            Self::AtLeast(cut) => format!("x ≥ {cut:?}"),
            Self::Exactly(value) => format!("x = {value:?}"),
        }
    }
}

/// Every other sample: whatever drifts during a run drifts in both halves.
fn halves<T>(samples: &[T]) -> [Vec<&T>; 2] {
    [0, 1].map(|start| samples.iter().skip(start).step_by(2).collect())
}

/// Thresholds at the quantiles of both sides together, and the most frequent values.
fn candidates<T: Ord + Clone>(left: &[&T], right: &[&T]) -> Vec<Event<T>> {
    let mut pooled: Vec<&T> = left.iter().chain(right).copied().collect();
    pooled.sort_unstable();
    let mut cuts: Vec<&T> = (0..CANDIDATES_MAX).map(|i| pooled[i * pooled.len() / CANDIDATES_MAX]).collect();
    cuts.dedup();

    let mut frequencies: BTreeMap<&T, usize> = BTreeMap::new();
    for value in pooled {
        *frequencies.entry(value).or_default() += 1;
    }
    let mut points: Vec<(&T, usize)> = frequencies.into_iter().collect();
    points.sort_by_key(|(_, frequency)| std::cmp::Reverse(*frequency));
    points.truncate(CANDIDATES_MAX);

    let thresholds =
        cuts.into_iter().flat_map(|cut| [Event::AtMost(cut.clone()), Event::AtLeast(cut.clone())]);
    thresholds.chain(points.into_iter().map(|(value, _)| Event::Exactly(value.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded;

    /// Draws of a count of `centre` with continuous Laplace noise of this scale, on a fine grid.
    fn laplace(centre: f64, scale: f64, n: usize, seed: u64) -> Vec<i64> {
        let mut words = seeded(seed);
        let mut exponential = || -(((words() >> 11) as f64 + 0.5) / (1u64 << 53) as f64).ln();
        (0..n).map(|_| ((centre + scale * (exponential() - exponential())) * 1000.0).round() as i64).collect()
    }

    /// False alarm: 1e-9 a check. Power: with half the noise the true loss is 2ε.
    #[test]
    fn a_halved_sensitivity_is_found_and_the_right_one_cleared() {
        let claim = Distinguisher::new(1.0, 0.0);
        for seed in 0..20 {
            let (left, right) = (laplace(0.0, 1.0, 2_000, 2 * seed), laplace(1.0, 1.0, 2_000, 2 * seed + 1));
            claim.assert_private(&left, &right, "Laplace noise of scale 1");
            let (left, right) = (laplace(0.0, 0.5, 2_000, 2 * seed), laplace(1.0, 0.5, 2_000, 2 * seed + 1));
            claim.assert_leaks(&left, &right, "Laplace noise of scale 1/2");
            claim.assert_leaks(&right, &left, "the other way round");
        }
    }

    /// N3 of the threat model: an output off the grid has probability 0.273 on one side and 0 on the other.
    #[test]
    fn a_grid_that_gives_the_data_away_is_found() {
        let claim = Distinguisher::new(1.0, 0.0);
        for seed in 0..20 {
            let mut words = seeded(seed);
            let porous: Vec<bool> = (0..1_400).map(|_| words() % 1000 < 273).collect();
            let solid = vec![false; 1_400];
            claim.assert_leaks(&porous, &solid, "off the grid");
            claim.assert_leaks(&solid, &porous, "off the grid, the other way round");
            claim.assert_private(&solid, &solid, "on the grid");
        }
    }

    #[test]
    fn delta_forgives_what_it_should() {
        let mut words = seeded(4);
        let mut rare =
            |per_thousand| -> Vec<bool> { (0..20_000).map(|_| words() % 1000 < per_thousand).collect() };
        let (left, right) = (rare(50), rare(0));
        Distinguisher::new(1.0, 0.06).assert_private(&left, &right, "δ = 0.06 covers 0.05");
        Distinguisher::new(1.0, 0.02).assert_leaks(&left, &right, "δ = 0.02 does not");
    }

    #[test]
    fn a_violation_names_its_event() {
        let verdict = Distinguisher::new(0.1, 0.0).check(&[1; 400], &[2; 400]);
        let Verdict::Violation { event, lower, upper } = verdict else { panic!("{verdict:?}") };
        assert_eq!(event, "x ≤ 1 on the left");
        assert!(lower > 0.8 && upper < 0.2);
    }

    #[test]
    #[should_panic(expected = "swapped: not (1, 0)-private: x ≤ 1 on the left has probability at least")]
    fn an_assertion_says_what_went_wrong() {
        Distinguisher::new(1.0, 0.0).assert_private(&[1; 400], &[2; 400], "swapped");
    }

    #[test]
    #[should_panic(expected = "equal: no event refutes (1, 0)-privacy with 400 and 400 samples")]
    fn a_planted_leak_that_is_missed_fails() {
        Distinguisher::new(1.0, 0.0).assert_leaks(&[1; 400], &[1; 400], "equal");
    }
}
