//! Variance and standard deviation of a bounded column.
//!
//! **Guarantee.** Three numbers are released, each with its own noise and a third of the price: the sum of
//! centred values c (in half steps, |c| ≤ K, K the number of steps), the sum of 2c² − K² (between −K² and K²:
//! centring the squares halves their noise), and the number of rows. Neighbours add or remove one person, who
//! adds at most m·K, m·K² and m. The loss is that of the three together; variance and deviation are
//! post-processing.
//! **Neighbours.** Add or remove one person.
//! **Source.** Basic composition (`additive_noise.rs`). A person with k > m rows counts as m rows of their
//! own means, as in `mean.rs`.
//! **Error.** [`Variance::interval`]: the population variance of the bounded rows lies in it with probability
//! at least 1 − β, by intervals for the three sums at β/3 each.
//! **Exactness.** Integers in half steps and quarter squares; the variance is an exact rational clamped to
//! [0, (U − L)²/4], the standard deviation is rounded down to a multiple of 2^-65 steps.
//! **Not covered.** Small counts: with fewer than two noisy rows the middle of the possible range is returned.

use std::fmt;

use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{FailureProbability, Loss, Spend};

use crate::aggregate::grid::Grid;
use crate::aggregate::mean::{around, composed, quotient, sum_per_person};
use crate::aggregate::thinning::thinned;
use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "variance",
    releases: "variance and standard deviation of a bounded column, with an interval",
    guarantee: "ε-DP or ρ-zCDP (add/remove); centred sum, centred squares and count share the price",
    error: "about (U−L)²·m·ln(1/β)/(ε·n); an interval is computed from the released numbers",
    source: "basic composition of noisy numbers; Canonne, Kamath, Steinke 2020, Theorem 4",
};

/// A noisy variance.
#[derive(Clone, Debug)]
pub struct Variance {
    grid: Grid,
    rows_max: u64,
    share: Spend,
    sum_noise: AdditiveNoise,
    square_noise: AdditiveNoise,
    count_noise: AdditiveNoise,
    loss: Loss,
}

/// The three numbers that were released; everything else follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarianceRelease {
    /// The noisy sum of distances from the middle, in half steps.
    pub centred_sum: i128,
    /// The noisy sum of 2c² − K², c in half steps.
    pub centred_squares: i128,
    /// The noisy number of rows.
    pub count: i128,
}

impl Variance {
    /// The variance of a column on this grid with at most `max_contributions` rows a person.
    pub fn new(grid: &Grid, max_contributions: u64, spend: &Spend) -> Result<Self, MechanismError> {
        let share = spend.split(&[1, 1, 1])?.remove(0);
        let last = i128::from(grid.last_index());
        let sum_noise = AdditiveNoise::for_number(sum_per_person(last, max_contributions)?, &share)?;
        let square_noise =
            AdditiveNoise::for_number(sum_per_person(last * last, max_contributions)?, &share)?;
        let count_noise = AdditiveNoise::for_number(i128::from(max_contributions), &share)?;
        let loss = composed(&[&sum_noise, &square_noise, &count_noise])?;
        let (grid, rows_max) = (grid.clone(), max_contributions);
        Ok(Self { grid, rows_max, share, sum_noise, square_noise, count_noise, loss })
    }

    /// What one release costs: the three numbers together.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// What each of the three numbers costs.
    pub fn share(&self) -> &Spend {
        &self.share
    }

    /// Releases from grid indexes, one list a person.
    pub fn release<P, R, B>(&self, people: P, bits: &mut B) -> VarianceRelease
    where
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = i64>,
        B: SecureBits + ?Sized,
    {
        self.release_bounded(self.bounded(people), bits)
    }

    /// Releases the three sums, in the units of [`VarianceRelease`], taken after bounding each person.
    pub fn release_bounded<B: SecureBits + ?Sized>(&self, sums: [i128; 3], bits: &mut B) -> VarianceRelease {
        let [sum, squares, count] = sums;
        VarianceRelease {
            centred_sum: self.sum_noise.release(sum, bits),
            centred_squares: self.square_noise.release(squares, bits),
            count: self.count_noise.release(count, bits),
        }
    }

    /// The population variance, clamped to what is possible.
    pub fn population(&self, released: &VarianceRelease) -> Rational {
        if released.count < 1 {
            return self.in_values(self.most() * Rational::ratio(1, 2));
        }
        let over_count = |sum: i128| Rational::from(sum) / Rational::from(released.count);
        let mean = self.clamped_mean(over_count(released.centred_sum));
        let square = self.mean_square(over_count(released.centred_squares));
        self.in_values((square - mean.squared()).clamp(Rational::zero(), self.most()))
    }

    /// The sample variance: the population variance times n/(n − 1), n the noisy count.
    pub fn sample(&self, released: &VarianceRelease) -> Rational {
        if released.count < 2 {
            return self.in_values(self.most() * Rational::ratio(1, 2));
        }
        let count = Rational::from(released.count);
        let correction = &count / &(&count - &Rational::one());
        self.population(released) * correction
    }

    /// The population standard deviation, rounded down to a multiple of 2^-65 steps.
    pub fn standard_deviation(&self, released: &VarianceRelease) -> Rational {
        self.root(&self.population(released))
    }

    /// The sample standard deviation, rounded down to a multiple of 2^-65 steps.
    pub fn sample_standard_deviation(&self, released: &VarianceRelease) -> Rational {
        self.root(&self.sample(released))
    }

    /// The population variance of the bounded rows lies in this interval with probability at least 1 − β, if
    /// there are any rows.
    pub fn interval(&self, released: &VarianceRelease, beta: &FailureProbability) -> (Rational, Rational) {
        self.interval_within(released, self.radii(beta))
    }

    /// With probability at least 1 − β none of the three sums errs by more than this: the costly part of an
    /// interval, the same for every group of an answer.
    pub fn radii(&self, beta: &FailureProbability) -> [i128; 3] {
        [&self.sum_noise, &self.square_noise, &self.count_noise]
            .map(|noise| noise.error_bound_of_all(3, beta))
    }

    /// The interval for given radii of sum, squares and count.
    pub fn interval_within(&self, released: &VarianceRelease, radii: [i128; 3]) -> (Rational, Rational) {
        let count = around(released.count, radii[2]);
        let mean = quotient(&around(released.centred_sum, radii[0]), &count);
        let square = quotient(&around(released.centred_squares, radii[1]), &count);
        let (Some(mean), Some(square)) = (mean, square) else {
            return (Rational::zero(), self.in_values(self.most()));
        };
        let ends = [mean.0, mean.1].map(|end| self.clamped_mean(end));
        let largest = ends[0].squared().max(ends[1].squared());
        let straddles = ends[0].is_negative() && ends[1].is_positive();
        let smallest = if straddles { Rational::zero() } else { ends[0].squared().min(ends[1].squared()) };
        let clamp = |variance: Rational| self.in_values(variance.clamp(Rational::zero(), self.most()));
        (clamp(self.mean_square(square.0) - largest), clamp(self.mean_square(square.1) - smallest))
    }

    fn bounded<R: IntoIterator<Item = i64>>(&self, people: impl IntoIterator<Item = R>) -> [i128; 3] {
        let last = i128::from(self.grid.last_index());
        people.into_iter().fold([0; 3], |sums, rows| {
            let (mut total, mut squares, mut seen) = (0i128, 0i128, 0u64);
            for index in rows {
                let centred = i128::from(self.grid.centred(index));
                total += centred;
                squares += 2 * centred * centred - last * last;
                seen += 1;
            }
            let share = |total: i128| thinned(total, i128::from(seen), self.rows_max, 0);
            let person = [share(total), share(squares), i128::from(seen.min(self.rows_max))];
            [0, 1, 2].map(|part| sums[part] + person[part])
        })
    }

    /// The largest variance there can be, in squares of half steps: K², half of the rows at either end.
    fn most(&self) -> Rational {
        Rational::from(self.grid.last_index()).squared()
    }

    fn clamped_mean(&self, mean: Rational) -> Rational {
        let last = Rational::from(self.grid.last_index());
        mean.clamp(-last.clone(), last)
    }

    /// The mean of c² from the mean of 2c² − K², clamped to what is possible.
    fn mean_square(&self, centred: Rational) -> Rational {
        ((centred + self.most()) * Rational::ratio(1, 2)).clamp(Rational::zero(), self.most())
    }

    fn root(&self, variance: &Rational) -> Rational {
        // In half steps, so that the rounding is fine on any grid.
        let half = self.grid.step() * &Rational::ratio(1, 2);
        let half_steps_squared = variance / &half.squared();
        Enclosure::of(&half_steps_squared, 160).sqrt().lower().round_down_to_bits(64) * half
    }

    fn in_values(&self, half_steps_squared: Rational) -> Rational {
        (self.grid.step() * &Rational::ratio(1, 2)).squared() * half_steps_squared
    }
}

/// How the price is spent, for plans that people read.
impl fmt::Display for Variance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = &self.share;
        write!(
            out,
            "variance of centred sum ({share}, {}), centred squares ({share}, {}) and count ({share}, {})",
            self.sum_noise, self.square_noise, self.count_noise
        )
    }
}

#[cfg(test)]
mod tests;
