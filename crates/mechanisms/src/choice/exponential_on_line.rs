//! Exponential mechanism on a line: a number from an interval, and the median as its best-known use.
//!
//! **Guarantee.** A real `x` of `[lower, upper]` is drawn with density proportional to `exp(rate·u(x))`, where
//! the score `u` is constant between breakpoints; what is released is `x` rounded down to the public grid. It
//! is ε-bounded range: hence ε-differentially private, and `ε²/8`-zCDP.
//! **Neighbours.** Those for which the score moves by at most `Δ` at every point but the breakpoints, and for
//! which it is monotone if that was said. For the median, `u(x) = −|#{records < x} − n/2|`: adding or removing
//! a record moves the count by 0 or 1 and `n/2` by 1/2, so `Δ = 1/2`; exchanging one moves the count by at most
//! 1, so `Δ = 1`. It is never monotone.
//! **Source.** As for `exponential.rs`, with densities for probabilities; rounding to a public grid is
//! post-processing, which keeps a bounded range: the ratio for a grid point is a weighted mean of ratios of
//! densities. The interval form of the median: Smith (2011).
//! **Error.** If the score is at least `v` on a set of length `λ`, then with probability at least `1 − β` the
//! drawn `x`, before rounding, has a score above `v − ln((upper − lower)/(λβ))/rate`: what lies at or below has
//! weight at most `(upper − lower)·exp(rate·v)·λβ/(upper − lower)` against at least `λ·exp(rate·v)`.
//! **Exactness.** A piece is chosen with probability exactly proportional to length·exp(−γ), by certified
//! bounds; a lazy uniform number inside it is drawn as far as its grid point takes. Exponents are measured from
//! the best piece that has a length, so any number of equal records cannot make all weights vanish.
//! **Not covered.** Equal records leave pieces of length zero, which are never chosen: when most records share
//! one value, the released median need not be near it. Use a quantile over grid points there. Timing depends on
//! the data.

use pointillist_noise::{LazyUniform, SecureBits, weighted_choice};
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Epsilon, FailureProbability, Loss, Neighbours, SensitivityLInf};

use crate::choice::scores::{Movement, Scores, tail_bound_upper};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "exponential on a line",
    releases: "a number on a grid between two bounds, such as a median",
    guarantee: "ε-bounded range, so ε-DP and ρ = ε²/8; the median's score has Δ = 1/2 (add/remove) or 1 (replace one)",
    error: "score below one reached on a share λ of the line by more than (2Δ/ε)·ln(1/(λβ)) with probability β",
    source: "McSherry and Talwar 2007; Smith 2011; Durfee and Rogers 2019, arXiv:1905.04273",
};

/// A public interval with a public grid: all a release can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    lower: Rational,
    upper: Rational,
    step: Rational,
}

impl Line {
    /// The grid points `lower, lower + step, …` below `upper`.
    ///
    /// # Errors
    /// When the bounds are reversed or equal, the step is not positive, or a bound is no multiple of the step.
    pub fn new(lower: Rational, upper: Rational, step: Rational) -> Result<Self, MechanismError> {
        if lower >= upper {
            return Err(MechanismError::BoundsReversed {
                lower: lower.to_string(),
                upper: upper.to_string(),
            });
        }
        if !step.is_positive() {
            return Err(MechanismError::invalid(
                format!("a grid step of {step} makes no grid"),
                "write a positive step, such as 0.01",
            ));
        }
        if [&lower, &upper].iter().any(|bound| !(*bound / &step).is_integer()) {
            return Err(MechanismError::invalid(
                format!("the bounds {lower} and {upper} are not on the grid of step {step}"),
                "choose bounds that are multiples of the step",
            ));
        }
        Ok(Self { lower, upper, step })
    }

    fn width(&self) -> Rational {
        &self.upper - &self.lower
    }

    /// The nearest number of the interval: a map of one record at a time, which moves no neighbours apart.
    fn clamp(&self, value: &Rational) -> Rational {
        value.clamp(&self.lower, &self.upper).clone()
    }
}

/// A stretch of the line on which the score is constant. Its length is positive.
#[derive(Clone, Debug)]
struct Piece {
    start: Rational,
    length: Rational,
    score: Rational,
}

/// Draws a number where the score is high.
#[derive(Clone, Debug)]
pub struct ExponentialOnLine {
    line: Line,
    epsilon: Epsilon,
    rate: Rational,
}

impl ExponentialOnLine {
    /// The mechanism for scores of this sensitivity on a line.
    pub fn new(
        line: &Line,
        sensitivity: &SensitivityLInf,
        movement: Movement,
        epsilon: &Epsilon,
    ) -> Result<Self, MechanismError> {
        Ok(Self { line: line.clone(), epsilon: epsilon.clone(), rate: movement.rate(sensitivity, epsilon) })
    }

    /// What a release costs: ε-bounded range.
    pub fn loss(&self) -> Loss {
        Loss::bounded_range(self.epsilon.clone())
    }

    /// A grid point. The first score holds below the first breakpoint, the last one above the last; breakpoints
    /// beyond the bounds count as the bounds.
    ///
    /// # Errors
    /// When breakpoints are not rising, or there is not one score more than breakpoints.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        breakpoints: &[Rational],
        scores: &Scores,
        bits: &mut B,
    ) -> Result<Rational, MechanismError> {
        if scores.len() != breakpoints.len() + 1 {
            return Err(MechanismError::invalid(
                "the scores do not match the breakpoints",
                "give one score more than breakpoints: one for each stretch between them",
            ));
        }
        if !breakpoints.is_sorted() {
            return Err(MechanismError::invalid(
                "the breakpoints are not in rising order",
                "sort the breakpoints",
            ));
        }
        Ok(self.draw(&self.pieces(breakpoints.iter(), scores.values().iter().cloned()), bits))
    }

    /// How far the score may lie below one that is reached on a set of length `reached_length`, but for a
    /// probability of β. A length beyond the line counts as the line.
    pub fn error_bound(
        &self,
        reached_length: &Rational,
        beta: &FailureProbability,
    ) -> Result<Rational, MechanismError> {
        if !reached_length.is_positive() {
            return Err(MechanismError::invalid(
                "no bound holds for a score that is reached nowhere",
                "give a positive length, such as the grid step",
            ));
        }
        let width = self.line.width();
        let share = &width / &reached_length.clone().min(width.clone());
        let factor = self.rate.reciprocal().expect("ε is positive, and so is the rate");
        Ok(tail_bound_upper(&factor, &share, beta))
    }

    /// The stretches between rising breakpoints that have a length. There is at least one, as the line has one.
    fn pieces<'a>(
        &self,
        breakpoints: impl Iterator<Item = &'a Rational>,
        scores: impl Iterator<Item = Rational>,
    ) -> Vec<Piece> {
        let mut start = self.line.lower.clone();
        let ends = breakpoints.map(|end| self.line.clamp(end)).chain([self.line.upper.clone()]);
        let mut pieces = Vec::new();
        for (end, score) in ends.zip(scores) {
            let length = &end - &start;
            if length.is_positive() {
                pieces.push(Piece { start, length, score });
            }
            start = end;
        }
        pieces
    }

    fn draw<B: SecureBits + ?Sized>(&self, pieces: &[Piece], bits: &mut B) -> Rational {
        let weights = self.weights(pieces);
        let choice = weighted_choice(bits, |precision| {
            let weight = |(share, gamma): &(Rational, Rational)| {
                &Enclosure::of(share, precision) * &Enclosure::exp_of_minus(gamma, precision)
            };
            weights.iter().map(weight).collect()
        });
        let mut position = LazyUniform::new(bits);
        loop {
            if let Some(point) = self.grid_point(&pieces[choice], &position) {
                return point;
            }
            position.reveal(bits);
        }
    }

    /// The share of the line that each piece has, and its exponent measured from the best piece.
    fn weights(&self, pieces: &[Piece]) -> Vec<(Rational, Rational)> {
        let best = pieces.iter().map(|piece| &piece.score).max().expect("the line has a positive length");
        let width = self.line.width();
        let weight = |piece: &Piece| (&piece.length / &width, &self.rate * &(best - &piece.score));
        pieces.iter().map(weight).collect()
    }

    /// The grid point that every number beginning with the known digits rounds down to, if it is one and the
    /// same.
    fn grid_point(&self, piece: &Piece, position: &LazyUniform) -> Option<Rational> {
        let digits = IBig::from(position.digits().clone());
        let length = i64::try_from(position.length()).expect("a few hundred digits");
        let unit = &piece.length * &Rational::power_of_two(-length);
        let low = &piece.start + &(&unit * &Rational::from(digits));
        // The number lies at or above `low` and strictly below `high`.
        let high = &low + &unit;
        let point = Rational::from((&low / &self.line.step).floor()) * self.line.step.clone();
        (high <= &point + &self.line.step).then_some(point)
    }
}

/// The median of records, without a grid of candidates.
#[derive(Clone, Debug)]
pub struct ContinuousMedian {
    mechanism: ExponentialOnLine,
}

impl ContinuousMedian {
    /// The median of one record a unit on this line.
    pub fn new(line: &Line, neighbours: Neighbours, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let sensitivity = match neighbours {
            Neighbours::AddRemove => Rational::ratio(1, 2),
            Neighbours::ReplaceOne => Rational::one(),
        };
        let sensitivity = SensitivityLInf::new(sensitivity)?;
        Ok(Self { mechanism: ExponentialOnLine::new(line, &sensitivity, Movement::General, epsilon)? })
    }

    /// What a release costs: ε-bounded range.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// A grid point near the median. Records are clamped to the bounds, in any order; none at all is fine.
    pub fn release<B: SecureBits + ?Sized>(&self, records: &[Rational], bits: &mut B) -> Rational {
        self.mechanism.draw(&self.pieces(records), bits)
    }

    /// By how many records the drawn number, before rounding, may be off the middle, but for a probability of
    /// β, where a stretch of `middle_length` holds no record but the middle one.
    pub fn error_bound(
        &self,
        middle_length: &Rational,
        beta: &FailureProbability,
    ) -> Result<Rational, MechanismError> {
        // The best score is at least −1/2 everywhere between the two middle records, and a score of −s is s
        // records off.
        Ok(self.mechanism.error_bound(middle_length, beta)? + Rational::ratio(1, 2))
    }

    /// Between the i-th and the next record in rising order, i records lie below: the score is −|i − n/2|.
    fn pieces(&self, records: &[Rational]) -> Vec<Piece> {
        let mut sorted: Vec<&Rational> = records.iter().collect();
        sorted.sort_unstable();
        let middle = Rational::from(records.len()) * Rational::ratio(1, 2);
        let scores = (0..=records.len()).map(|below| -(Rational::from(below) - middle.clone()).abs());
        self.mechanism.pieces(sorted.into_iter(), scores)
    }
}

#[cfg(test)]
mod tests;
