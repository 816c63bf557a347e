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
    use pointillist_testkit::{assert_distribution, scripted, seeded};

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

    /// How far the density falls from the start of a block over a fraction of it, from the densities themselves:
    /// |x| for the Laplace law and x²/2 for the normal one, sixteen blocks a unit.
    fn fall(normal: bool, block: usize, fraction: &Rational) -> Rational {
        let distance = |blocks: Rational| blocks * Rational::ratio(1, 16);
        let (start, end) =
            (distance(Rational::from(block)), distance(Rational::from(block) + fraction.clone()));
        let gamma = |x: Rational| if normal { x.squared() * Rational::ratio(1, 2) } else { x };
        gamma(end) - gamma(start)
    }

    /// Specification: the survival of a position is exp(−fall), for both ends of the digits that are known.
    #[test]
    fn survival_is_the_ratio_of_densities() {
        for (noise, normal) in
            [(ContinuousNoise::laplace(), false), (ContinuousNoise::standard_normal(), true)]
        {
            for category in [0usize, 1, 2, 7, 16, 40, 93] {
                for word in [0, 1, 1 << 40, u64::MAX / 3, u64::MAX / 2, u64::MAX] {
                    let found = noise.survival(category, &LazyUniform::starting_with(word), 64);
                    for digits in [u128::from(word), u128::from(word) + 1] {
                        let fraction = Rational::from(digits) * Rational::power_of_two(-64);
                        let truth = Enclosure::exp_of_minus(&fall(normal, category / 2, &fraction), 128);
                        let name = format!("normal {normal}, category {category}, word {word:#x}");
                        assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{name}");
                    }
                    let width = found.upper() - found.lower();
                    assert!(width < Rational::power_of_two(-58), "category {category}, word {word:#x}");
                }
            }
        }
    }

    /// Specification: a toss is kept below exp(−fall) and dropped above it, also where 48 digits cannot tell: the script
    /// puts the toss 2^-58 below and above. A dropped position starts again, here in block 0 of the left side.
    #[test]
    fn tosses_next_to_the_density_are_told_apart() {
        for (noise, normal) in
            [(ContinuousNoise::laplace(), false), (ContinuousNoise::standard_normal(), true)]
        {
            // A word that picks each category, found by picking.
            let word_of = |category: usize| {
                let words = (0..1u64 << 16).map(|step| step << 48);
                words
                    .into_iter()
                    .find(|word| noise.envelope.pick(&mut scripted(vec![*word, 0, 0])) == category)
            };
            for category in [0usize, 1, 2, 3, 8, 21, 30] {
                let picks = word_of(category).expect("every common category has a word");
                let left = word_of(1).expect("block 0 of the left side is common");
                for position in [u64::MAX / 5, u64::MAX / 2, u64::MAX - (1 << 33)] {
                    let fraction = Rational::from(position) * Rational::power_of_two(-64);
                    let truth = Enclosure::exp_of_minus(&fall(normal, category / 2, &fraction), 64);
                    let edge = u64::try_from(truth.lower_units().clone()).unwrap();
                    let draw = |toss: u64| {
                        let again = [left, 77, 0];
                        noise.draw(&mut scripted([&[picks, position, toss][..], &again, &[0; 4]].concat()))
                    };
                    let kept = draw(edge - 64);
                    let name = format!("normal {normal}, category {category}, position {position:#x}");
                    assert_eq!((kept.negative, kept.block), (category % 2 == 1, category / 2), "{name}");
                    assert_eq!(kept.leading().unwrap().1 as u64, position, "{name}");
                    let again = draw(edge.saturating_add(64));
                    assert_eq!((again.negative, again.block), (true, 0), "{name}");
                    assert_eq!(again.leading().unwrap().1, 77, "{name}");
                }
            }
        }
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
