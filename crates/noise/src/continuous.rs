//! Real-valued noise, known to as many digits as anybody asks for.
//!
//! **Guarantee.** [`LazyReal`] from [`ContinuousNoise::draw`] is a number whose every digit, drawn now or later,
//! follows the exact Laplace or normal law: rejection sampling under the blocks of `envelope.rs`, where the
//! position inside a block is a [`LazyUniform`]. Acceptance is decided by digits already drawn and is certain for
//! every number that begins with them, so the digits still to come stay uniform inside the block.

use std::sync::LazyLock;

use dashu_int::IBig;
use pointillist_numbers::{Enclosure, Rational};

use crate::acceptance::{Acceptance, FRACTION_BITS};
use crate::envelope::{Envelope, Shape};
use crate::{BitSource, LazyUniform};

/// Laplace of scale 1 or the standard normal, ready to be drawn from.
#[derive(Clone, Debug)]
pub(crate) struct ContinuousNoise {
    envelope: Envelope,
    acceptance: Acceptance,
}

/// ±(block + fraction)/16.
#[derive(Clone, Debug)]
pub(crate) struct LazyReal {
    negative: bool,
    block: usize,
    fraction: LazyUniform,
}

/// Sixteen blocks a unit.
const BLOCK_BITS: i64 = 4;

impl ContinuousNoise {
    /// Laplace of scale 1; prepared once for all.
    pub fn laplace() -> &'static Self {
        static LAPLACE: LazyLock<ContinuousNoise> =
            LazyLock::new(|| ContinuousNoise::new(Rational::one(), Rational::zero()));
        &LAPLACE
    }

    /// The standard normal law; prepared once for all.
    pub fn standard_normal() -> &'static Self {
        static NORMAL: LazyLock<ContinuousNoise> =
            LazyLock::new(|| ContinuousNoise::new(Rational::zero(), Rational::ratio(1, 2)));
        &NORMAL
    }

    fn new(linear: Rational, quadratic: Rational) -> Self {
        let width = Rational::power_of_two(-BLOCK_BITS);
        let envelope = Envelope::new(Shape { linear, quadratic, width, left_start: Rational::zero() });
        let acceptance = Acceptance::new(&envelope);
        Self { envelope, acceptance }
    }

    pub fn draw<B: BitSource + ?Sized>(&self, bits: &mut B) -> LazyReal {
        loop {
            let category = self.envelope.pick(bits);
            let (position, word) = (bits.word(), bits.word());
            let low = u128::from(position >> (64 - FRACTION_BITS));
            let mut fraction = LazyUniform::starting_with(position);
            let kept = match self.acceptance.decide(category, low, low + 1, word) {
                Some(kept) => kept,
                None => self.keeps_exactly(category, &mut fraction, word, bits),
            };
            if kept {
                return LazyReal { negative: category % 2 == 1, block: category / 2, fraction };
            }
        }
    }

    #[cold]
    fn keeps_exactly<B: BitSource + ?Sized>(
        &self,
        category: usize,
        fraction: &mut LazyUniform,
        word: u64,
        bits: &mut B,
    ) -> bool {
        LazyUniform::starting_with(word).is_below(bits, |precision, bits| {
            fraction.reveal_to(precision, bits);
            self.survival(category, fraction, precision)
        })
    }

    /// exp(−fall) between bounds, for every position that begins with the known digits.
    fn survival(&self, category: usize, fraction: &LazyUniform, precision: usize) -> Enclosure {
        let shape = self.envelope.shape();
        let whole = &shape.fall(category, &shape.width);
        let curvature = &shape.quadratic * &shape.width.squared();
        let steepness = Enclosure::of(&(whole - &curvature), precision);
        let curvature = Enclosure::of(&curvature, precision);
        let position = fraction.enclosure().at_precision(precision);
        let fall = &position * &(&steepness + &(&curvature * &position));
        (-&fall).exp()
    }
}

impl LazyReal {
    /// Every number that begins with the digits known so far.
    pub fn enclosure(&self) -> Enclosure {
        let precision = self.fraction.length() + BLOCK_BITS as usize;
        let units =
            (IBig::from(self.block) << self.fraction.length()) + IBig::from(self.fraction.digits().clone());
        let magnitude = Enclosure::new(units.clone(), units + IBig::ONE, precision);
        if self.negative { -&magnitude } else { magnitude }
    }

    /// The sign and the first digits of the magnitude: an integer in units of 2^-68, less than one unit below it. `None`
    /// when more digits are known than that.
    pub fn leading(&self) -> Option<(bool, u128)> {
        let digits =
            u64::try_from(self.fraction.digits().clone()).ok().filter(|_| self.fraction.length() == 64)?;
        let block = u64::try_from(self.block).ok().filter(|block| *block < 1 << 20)?;
        Some((self.negative, (u128::from(block) << 64) | u128::from(digits)))
    }

    /// Learns 64 more digits.
    pub fn refine<B: BitSource + ?Sized>(&mut self, bits: &mut B) {
        self.fraction.reveal(bits);
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    /// Specification: the quantiles of both laws are uniform. False alarm: 1e-9 each (χ² over 64 cells).
    #[test]
    fn quantiles_are_uniform() {
        let mut bits = seeded(1);
        let laplace = ContinuousNoise::laplace();
        let normal = ContinuousNoise::standard_normal();
        let value = |real: LazyReal| real.enclosure().lower().to_f64_lower();
        let cells = (0..100_000).map(|_| {
            let x = value(laplace.draw(&mut bits));
            let cdf = if x < 0.0 { x.exp() / 2.0 } else { 1.0 - (-x).exp() / 2.0 };
            (cdf * 64.0) as i64
        });
        assert_distribution(cells, |_| 1.0 / 64.0, 0..=63, "Laplace");
        // Quantiles of the standard normal at 1/8, 2/8, …, 7/8.
        let cuts = [
            -1.150349380376008,
            -0.674489750196082,
            -0.318639363964375,
            0.0,
            0.318639363964375,
            0.674489750196082,
            1.150349380376008,
        ];
        let cells = (0..100_000).map(|_| {
            let x = value(normal.draw(&mut bits));
            cuts.partition_point(|cut| *cut < x) as i64
        });
        assert_distribution(cells, |_| 1.0 / 8.0, 0..=7, "normal");
    }

    #[test]
    fn refining_narrows_and_never_moves() {
        let mut bits = seeded(2);
        for _ in 0..50 {
            let mut real = ContinuousNoise::standard_normal().draw(&mut bits);
            let before = real.enclosure();
            real.refine(&mut bits);
            let after = real.enclosure();
            assert!(before.lower() <= after.lower() && after.upper() <= before.upper());
            assert!(after.upper() - after.lower() < before.upper() - before.lower());
        }
    }
}
