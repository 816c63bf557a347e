//! Optimal composition of many different releases: their losses on a grid.
//!
//! **Guarantee.** [`LossGrid::delta_upper`] is at or above the hockey-stick divergence of the composed
//! randomized responses at every ε.
//! **Method.** Each outcome of a group of equal releases has a loss and a probability `m` under `P`. An
//! outcome between two grid points is replaced by two outcomes on them, with the same probability under `P`
//! together and the same under `Q`: the upper one gets `m·(1 − e^{−x})/(1 − e^{−s})`, `x` above the lower
//! point and `s` the step. Merging the two gives the outcome back, so the replacement is at least as easy
//! to tell apart, and by data processing every divergence of it is at least as large. Sums of losses are
//! then a convolution of probabilities over whole numbers.
//! **Source.** Murtagh, Vadhan (2016), arXiv:1507.03113, round each εᵢ up to the grid instead, which is
//! true as well and moves the total by up to a step a release; splitting adds a little variance, a squared
//! step a release, and moves the total by far less.
//! **Exactness.** Which grid points an outcome lies between is decided in exact rationals. Probabilities
//! are floats, all positive, and carry a relative error of at most a few parts in 2⁵² for each operation,
//! counted and added at the end; `exp_m1` is trusted to one part in 10¹⁴. Outcomes with a probability below
//! 1e-75 are moved up: to the lowest point kept, or to an infinite loss.

use pointillist_numbers::{IBig, Rational};

use super::enumeration::Groups;
use super::repetition::Repetition;
use crate::ParameterError;

/// How many steps the likely losses span, at first.
const POINTS: f64 = 32_768.0;
/// The coarsest grid that is still of use.
const POINTS_MIN: f64 = 1024.0;
/// Multiplications that take about two seconds.
const WORK_MAX: f64 = 2e9;
/// Beyond so many different losses they are rounded up to 13 bits, and so to few.
const DISTINCT_MAX: usize = 1024;
const ROUNDED_BITS: usize = 13;
/// Probabilities that are moved rather than kept.
const NEGLIGIBLE: f64 = 1e-75;
/// `√(2·ln 10⁶¹)`: so many standard deviations hold all but 1e-61.
const DEVIATIONS: f64 = 16.8;
/// Above what floats could have lost to underflow.
const UNDERFLOW: f64 = 1e-250;
/// What `exp_m1` and its surroundings may err by.
const SPLIT_ERROR: f64 = 1e-14;

/// The loss of all releases together, on multiples of a power of two.
#[derive(Clone, Debug)]
pub(crate) struct LossGrid {
    step: Rational,
    masses: Masses,
    /// The relative error of the masses, at most.
    slack: f64,
}

/// Probabilities at `lowest·step`, `(lowest + 1)·step`, … and at infinity.
#[derive(Clone, Debug)]
struct Masses {
    lowest: i64,
    masses: Vec<f64>,
    infinite: f64,
}

impl LossGrid {
    /// # Errors
    /// When there are so many different losses that the sum would take minutes.
    pub(crate) fn of(groups: &Groups) -> Result<Self, ParameterError> {
        let groups = if groups.len() > DISTINCT_MAX { rounded(groups) } else { groups.to_vec() };
        let mut points = POINTS;
        while points >= POINTS_MIN {
            let step = step(&groups, points);
            let near = step.to_f64_upper();
            let work: f64 = groups.iter().map(|group| atoms_near(group, near) * points).sum();
            if work <= WORK_MAX {
                return Ok(Self::on(&groups, step));
            }
            points /= 2.0;
        }
        Err(ParameterError::TooLarge {
            parameter: "number of different losses",
            given: groups.len().to_string(),
            limit: "fewer, by rounding losses up to two digits".to_owned(),
            example: "0.12 for all of 0.111 to 0.12",
        })
    }

    /// The δ at a given ε ≥ 0, rounded up; at most one.
    pub(crate) fn delta_upper(&self, epsilon: &Rational) -> f64 {
        let first = (epsilon / &self.step).floor() + IBig::ONE;
        let offset = (Rational::from(first.clone()) * self.step.clone() - epsilon.clone()).to_f64_upper();
        let Ok(first) = i64::try_from(first) else {
            return (self.masses.infinite * (1.0 + self.slack) + UNDERFLOW).min(1.0);
        };
        let step = self.step.to_f64_upper();
        let skipped = first.saturating_sub(self.masses.lowest);
        let above = self.masses.masses.iter().enumerate().skip(usize::try_from(skipped).unwrap_or(0));
        let mut sum = self.masses.infinite + UNDERFLOW;
        for (index, mass) in above {
            let steps = self.masses.lowest + index as i64 - first;
            sum += mass * -(-(offset + step * steps as f64)).exp_m1();
        }
        (sum * (1.0 + self.slack)).min(1.0)
    }

    fn on(groups: &Groups, step: Rational) -> Self {
        let mut total = Masses { lowest: 0, masses: vec![1.0], infinite: 0.0 };
        let mut operations = 0.0;
        for (epsilon, count) in groups {
            let group = split(epsilon, *count, &step);
            operations += 16.0 + group.masses.len().min(total.masses.len()) as f64;
            total = total.convolved(&group);
            total.trim();
        }
        operations += 64.0 + total.masses.len() as f64;
        let slack = operations * f64::EPSILON + groups.len() as f64 * 4.0 * SPLIT_ERROR;
        Self { step, masses: total, slack }
    }
}

impl Masses {
    fn convolved(&self, other: &Self) -> Self {
        let (long, short) =
            if self.masses.len() >= other.masses.len() { (self, other) } else { (other, self) };
        let mut masses = vec![0.0; long.masses.len() + short.masses.len() - 1];
        for (offset, weight) in short.masses.iter().enumerate() {
            if *weight == 0.0 {
                continue;
            }
            for (sum, mass) in masses[offset..].iter_mut().zip(&long.masses) {
                *sum += weight * mass;
            }
        }
        // Sums of masses may pass one by their slack; the union bound does not mind.
        let all = |side: &Self| side.masses.iter().sum::<f64>() + side.infinite;
        let infinite = self.infinite * all(other) + other.infinite * all(self);
        Self { lowest: self.lowest + other.lowest, masses, infinite }
    }

    /// Moves negligible ends up.
    fn trim(&mut self) {
        let mut below = 0.0;
        let mut start = 0;
        while start + 1 < self.masses.len() && below + self.masses[start] < NEGLIGIBLE {
            below += self.masses[start];
            start += 1;
        }
        let mut above = 0.0;
        let mut end = self.masses.len();
        while end > start + 1 && above + self.masses[end - 1] < NEGLIGIBLE {
            above += self.masses[end - 1];
            end -= 1;
        }
        self.masses.truncate(end);
        self.masses.drain(..start);
        self.lowest += start as i64;
        self.masses[0] += below;
        self.infinite += above;
    }
}

/// A power of two such that the likely losses span between `points/2` and `points` steps.
fn step(groups: &Groups, points: f64) -> Rational {
    let (mut total, mut squares) = (0.0, 0.0);
    for (epsilon, count) in groups {
        let (epsilon, count) = (epsilon.to_f64_upper(), *count as f64);
        total += epsilon * count;
        squares += epsilon * epsilon * count;
    }
    let span = (2.0 * total).min(2.0 * DEVIATIONS * squares.sqrt());
    Rational::power_of_two((span / points).log2().ceil() as i64)
}

/// About how many grid points the losses of a group occupy.
fn atoms_near((epsilon, count): &(Rational, u64), step: f64) -> f64 {
    let (epsilon, count) = (epsilon.to_f64_upper(), *count as f64);
    let span = (2.0 * epsilon * count).min(2.0 * DEVIATIONS * epsilon * count.sqrt());
    4.0 + (span / step).min(2.0 * count)
}

/// The losses of `count` equal releases, each outcome split between its neighbours on the grid.
fn split(epsilon: &Rational, count: u64, step: &Rational) -> Masses {
    let repetition = Repetition::of(epsilon, count);
    let terms = repetition.terms(NEGLIGIBLE);
    let place = |kept: u64| {
        let loss = repetition.loss(kept);
        let point = (&loss / step).floor();
        let excess = (loss - Rational::from(point.clone()) * step.clone()).to_f64_upper();
        (i64::try_from(point).expect("at most 10^15 releases are at most 2^44 steps"), excess)
    };
    let places: Vec<_> = terms.inside.iter().map(|term| place(term.hits)).collect();
    let (lowest, highest) = (places[0].0, places[places.len() - 1].0 + 1);
    let mut masses = vec![0.0; usize::try_from(highest - lowest + 1).expect("places rise with the terms")];
    let whole = -(-step.to_f64_upper()).exp_m1();
    for (term, (point, excess)) in terms.inside.iter().zip(places) {
        let share = -(-excess).exp_m1() / whole;
        let index = usize::try_from(point - lowest).expect("places rise with the terms");
        masses[index] += term.mass * (1.0 - share * (1.0 - SPLIT_ERROR)).max(0.0);
        masses[index + 1] += term.mass * (share * (1.0 + SPLIT_ERROR)).min(1.0);
    }
    masses[0] += terms.below;
    Masses { lowest, masses, infinite: terms.above }
}

/// The same releases with losses rounded up to a few significant bits, equal ones counted together.
fn rounded(groups: &Groups) -> Vec<(Rational, u64)> {
    let mut merged: Vec<(Rational, u64)> = Vec::new();
    let mut up: Vec<_> =
        groups.iter().map(|(epsilon, count)| (epsilon.round_up_significant(ROUNDED_BITS), *count)).collect();
    up.sort();
    for (epsilon, count) in up {
        match merged.last_mut() {
            Some((last, sum)) if *last == epsilon => *sum += count,
            _ => merged.push((epsilon, count)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::enumeration::Enumeration;
    use crate::conversion::claim::rational_from_upper;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// Never below the certified enumeration, and within a thousandth of it.
    #[test]
    fn the_grid_stays_above_the_certified_sum() {
        let few: Vec<_> = ["0.1", "0.2", "0.3", "0.45", "0.7", "1.1"].map(|e| (rational(e), 1)).to_vec();
        let mixed = vec![(rational("1/3"), 20), (rational("0.011"), 300)];
        let alone = vec![(rational("0.7"), 1)];
        for groups in [few, mixed, alone] {
            let exact = Enumeration::of(&groups).unwrap();
            let grid = LossGrid::of(&groups).unwrap();
            let total = groups.iter().fold(Rational::zero(), |sum, (e, n)| sum + e * &Rational::from(*n));
            for share in ["0", "0.01", "0.1", "0.3", "0.5", "0.9", "0.99"] {
                let at = &total * &rational(share);
                let (truth, found) = (exact.delta_upper(&at), grid.delta_upper(&at));
                assert!(rational_from_upper(found) >= truth, "{share}: {found}");
                assert!(
                    found <= truth.to_f64_upper() * 1.001 + 1e-60,
                    "{share}: {found} {}",
                    truth.to_f64_upper()
                );
            }
        }
    }

    /// Specification: outcomes too rare to keep count as revealing everything. At ε near the sum of all losses nothing else is
    /// left: the truth is far below the probabilities that are kept, and still the grid is at or above it.
    #[test]
    fn outcomes_too_rare_to_keep_are_counted() {
        let lists = [
            vec![(rational("0.5"), 400)],
            vec![(rational("0.25"), 300), (rational("0.3"), 100)],
            (1..=300u32).map(|i| (Rational::ratio((200 + i).into(), 1000), 1)).collect(),
        ];
        for groups in lists {
            let grid = LossGrid::of(&groups).unwrap();
            let total = groups.iter().fold(Rational::zero(), |sum, (e, n)| sum + e * &Rational::from(*n));
            // All releases tell the truth: probability Π 1/(1 + e^−ε), at a loss of the total.
            let log_all: f64 =
                groups.iter().map(|(e, n)| -(*n as f64) * (-e.to_f64_upper()).exp().ln_1p()).sum();
            for share in ["0.97", "0.99", "0.999"] {
                let at = &total * &rational(share);
                let hinge = -(at.to_f64_upper() - total.to_f64_lower()).exp_m1();
                let truth = log_all.exp() * hinge;
                assert!((1e-245..1e-60).contains(&truth), "{truth:e}");
                let found = grid.delta_upper(&at);
                assert!(found >= truth * (1.0 - 1e-9), "{share}: {found:e} {truth:e}");
            }
        }
        let kept = split(&rational("0.5"), 3000, &Rational::power_of_two(-6));
        assert!(kept.infinite > 0.0, "what lies above the terms of a group");
    }

    /// Specification: an infinite loss of one part is one of the whole, and so is what trimming cuts off above.
    #[test]
    fn infinite_losses_survive_convolution_and_trimming() {
        let part = |masses: &[f64], infinite: f64| Masses { lowest: 0, masses: masses.to_vec(), infinite };
        let both = part(&[0.5, 0.25], 0.25).convolved(&part(&[0.875], 0.125));
        // 1 − (1 − 1/4)(1 − 1/8), as a union bound: 1/4 + 1/8.
        assert!((0.34375..=0.375).contains(&both.infinite), "{}", both.infinite);
        let mut trimmed = part(&[1e-80, 1.0, 1e-80, 2e-80], 0.0);
        trimmed.trim();
        assert_eq!((trimmed.lowest, trimmed.masses.len()), (1, 1));
        assert!(trimmed.infinite >= 3e-80 * (1.0 - 1e-12) && trimmed.masses[0] >= 1.0);
    }

    #[test]
    fn many_different_losses_are_rounded_up_and_stay_few() {
        let groups: Vec<_> = (1..=5000u32).map(|i| (Rational::ratio(i.into(), 100_000), 1)).collect();
        let merged = rounded(&groups);
        assert_eq!(merged.iter().map(|(_, count)| count).sum::<u64>(), 5000);
        let [exact, up] = [&groups, &merged]
            .map(|groups| groups.iter().fold(Rational::zero(), |sum, (e, n)| sum + e * &Rational::from(*n)));
        assert!(up >= exact && up <= exact * rational("1.00013"));
    }

    #[test]
    fn the_masses_of_a_group_are_kept() {
        let masses = split(&rational("0.37"), 1000, &Rational::power_of_two(-6));
        let total: f64 = masses.masses.iter().sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        assert!(masses.infinite < 1e-70);
    }
}
