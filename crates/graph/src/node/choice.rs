//! A threshold chosen privately: what is cut off below it weighed against the noise above it.
//!
//! **Setting.** For thresholds `0 … K − 1`, from small to large, there are values `v(i)` of a private graph,
//! each with public bounds: when a node comes, `v(i)` rises by at most `rise(i)` and falls by at most
//! `fall(i)`. Small thresholds cut off much, large ones need much noise. The best one depends on the graph,
//! so the choice costs privacy as well.
//! **Method.** Every threshold gets a penalty, the largest of zero and
//! * what it lacks: `max_{j>i} ((v(j) − a(j)) − (v(i) − a(i)))/rise(j)`;
//! * half of what it is larger than needed: `½·max_{j<i} ((v(j) − b(j)) − (v(i) − b(i)))/rise(i)`;
//! * its floor `h(i)`, a statistic that does not fall when a node comes and rises by at most one.
//!
//! Here `a` and `b` are public. One threshold is chosen by permute and flip on the penalties, each raised by
//! a public handicap; handicaps keep thresholds that are far too large from being chosen by chance.
//! **Guarantee.** ε-differentially private.
//! **Neighbours.** Those for which the bounds hold: graphs that differ in one node with all its ties.
//! **Proof.** When a node comes, the first term moves, for each j, by at least `−(fall(j) + rise(i))/rise(j)`
//! and at most `(rise(j) + fall(i))/rise(j)`; the second by at least `−½·(fall(j) + rise(i))/rise(i)` and at
//! most `½·(rise(j) + fall(i))/rise(i)`; the third by at least 0 and at most 1. Let F be the largest of these
//! falls and R the largest of these rises, over all pairs: both are public. If every function of a family
//! moves within `[−F, R]`, then so does their maximum. So every penalty moves within `[−F, R]`. Add `F·n` to
//! all of them, n the number of nodes: that changes no difference between two penalties, hence not the
//! choice, and makes them scores that do not fall and rise by at most `F + R` when a node comes. Permute and
//! flip on monotone scores of sensitivity `F + R` is ε-private. For values that never fall and rises that
//! double from threshold to threshold, `F + R = 3/2`.
//! **Source.** After the generalized exponential mechanism of Raskhodnikova and Smith (2016), which divides
//! by `rise(i) + rise(j)` and spends ε on scores of range 2. Two of our thresholds i < j are told apart by ε
//! times `(v(j) − v(i))/rise(j)`, which is the most that the bounds allow, since that quotient alone can move
//! by one.
//! **Error.** See the mechanisms that choose.
//! **Exactness.** Rationals throughout; permute and flip draws exactly.
//! **Not covered.** Whether the bounds are true is the caller's to prove. Timing.

use pointillist_mechanisms::PermuteAndFlip;
use pointillist_mechanisms::{Movement, Scores};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss, SensitivityLInf};

use crate::GraphError;

/// How much less it counts to be larger than needed than to lack something.
fn needless_weight() -> Rational {
    Rational::ratio(1, 2)
}

/// What is public about one threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// By how much its value can rise when a node comes; at least one.
    pub rise_max: u128,
    /// By how much its value can fall when a node comes.
    pub fall_max: u128,
    /// `a`: a larger threshold must have so much more than a smaller one has before the smaller one is
    /// penalized.
    pub allowance: Rational,
    /// `b`: a larger threshold must have so much more than a smaller one has to be penalized no more.
    pub price: Rational,
    /// Added to the exponent: its probability falls by about this power of e, whatever the graph.
    pub handicap: Rational,
}

/// Chooses one of several thresholds.
#[derive(Clone, Debug)]
pub struct ThresholdChoice {
    candidates: Vec<Candidate>,
    /// How much of the exponent one unit of penalty is.
    rate: Rational,
    flip: PermuteAndFlip,
}

impl ThresholdChoice {
    /// A choice between thresholds, from small to large.
    pub fn new(candidates: Vec<Candidate>, epsilon: &Epsilon) -> Result<Self, GraphError> {
        if candidates.is_empty() || candidates.iter().any(|candidate| candidate.rise_max == 0) {
            return Err(GraphError::refused(
                "a threshold is chosen from at least one, and each has a value that can move",
                "give thresholds with sensitivities of at least 1",
            ));
        }
        let span = SensitivityLInf::new(span(&candidates))?;
        let rate = Movement::Monotone.rate(&span, epsilon);
        let flip = PermuteAndFlip::new(&span, Movement::Monotone, epsilon)?;
        Ok(Self { candidates, rate, flip })
    }

    /// What a choice costs.
    pub fn loss(&self) -> Loss {
        self.flip.loss()
    }

    /// The chosen threshold's index. There is a value for every candidate, and a floor or no floors at all.
    ///
    /// # Panics
    /// When there are more or fewer values than candidates, or some floors but not all.
    pub fn release(&self, values: &[i128], floors: &[u64], bits: &mut dyn SecureBits) -> usize {
        self.release_scored(&self.scores(values, floors), bits)
    }

    /// The same from scores that were computed before, for simulations.
    pub(crate) fn release_scored(&self, scores: &Scores, bits: &mut dyn SecureBits) -> usize {
        self.flip.release(scores, bits)
    }

    /// The exponents `γ` of permute and flip: for tests and simulations. They are private and must not leave.
    pub fn exponents(&self, values: &[i128], floors: &[u64]) -> Vec<Rational> {
        self.flip.exponents(&self.scores(values, floors))
    }

    /// Permute and flip prefers high scores: penalties and handicaps count against a threshold. Scores are private
    /// and must not leave.
    pub(crate) fn scores(&self, values: &[i128], floors: &[u64]) -> Scores {
        let penalties = self.penalties(values, floors);
        let handicaps = self.candidates.iter().map(|candidate| &candidate.handicap / &self.rate);
        let scores = penalties.into_iter().zip(handicaps).map(|(penalty, handicap)| -(penalty + handicap));
        Scores::new(scores.collect()).expect("there is at least one candidate")
    }

    fn penalties(&self, values: &[i128], floors: &[u64]) -> Vec<Rational> {
        let count = self.candidates.len();
        assert_eq!(values.len(), count, "there is a value for every candidate");
        assert!(floors.is_empty() || floors.len() == count, "there is a floor for every candidate, or none");
        let net = |public: fn(&Candidate) -> &Rational| -> Vec<Rational> {
            let pairs = values.iter().zip(&self.candidates);
            pairs.map(|(value, candidate)| &Rational::from(*value) - public(candidate)).collect()
        };
        let above_allowance = net(|candidate| &candidate.allowance);
        let above_price = net(|candidate| &candidate.price);
        let rise = |i: usize| Rational::from(self.candidates[i].rise_max);
        let penalty = |i: usize| -> Rational {
            let lacks = (i + 1..count).map(|j| (&above_allowance[j] - &above_allowance[i]) / rise(j));
            let weight = needless_weight() / rise(i);
            let needless = (0..i).map(|j| &(&above_price[j] - &above_price[i]) * &weight);
            let floor = Rational::from(floors.get(i).copied().unwrap_or(0));
            lacks.chain(needless).fold(floor, Rational::max)
        };
        (0..count).map(penalty).collect()
    }
}

/// `F + R`: by how much two penalties can move against each other.
fn span(candidates: &[Candidate]) -> Rational {
    let (mut fall, mut rise) = (Rational::zero(), Rational::one());
    for (j, larger) in candidates.iter().enumerate() {
        for smaller in &candidates[..j] {
            // The difference of the larger one's value and the smaller one's moves within [−down, up].
            let up = Rational::from(larger.rise_max) + Rational::from(smaller.fall_max);
            let down = Rational::from(larger.fall_max) + Rational::from(smaller.rise_max);
            let unit = Rational::from(larger.rise_max);
            // What the smaller one lacks is that difference; what the larger one is too large is its
            // negative.
            fall = fall.max(&down / &unit).max(&(&up * &needless_weight()) / &unit);
            rise = rise.max(&up / &unit).max(&(&down * &needless_weight()) / &unit);
        }
    }
    fall + rise
}

#[cfg(test)]
pub(crate) mod tests;
