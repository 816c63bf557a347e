//! Discrete Laplace and discrete Gaussian noise for many draws at one scale.
//!
//! **Guarantee.** [`NoiseTable::sample`] has exactly the law of [`DiscreteLaplace`](crate::DiscreteLaplace) or
//! [`DiscreteGaussian`](crate::DiscreteGaussian). A block is picked with probability proportional to the density at its start
//! (see `envelope.rs`), an integer of the block uniformly (the width is a power of two), and it is kept with
//! probability density/density at the start: rejection sampling under an envelope. Up to scale 32 a block is one
//! integer and nothing is rejected. Keeping is decided by comparing one word with 48-bit bounds of exp(−x), first
//! 1 − x, then three terms of the series; about one draw in 20,000 is decided by certified bounds of any precision.
//! **Time.** Nearly constant: one to four words, and one draw in about thirty tries twice.

use pointillist_numbers::{Enclosure, IBig, Rational};

use crate::discrete_gaussian::floor_sqrt;
use crate::envelope::{Envelope, Shape};
use crate::{BitSource, LazyUniform};

/// Bits behind the point in the quick tests of keeping.
const FRACTION_BITS: u32 = 48;
/// A scale holds this many blocks or more, up to twice as many.
const BLOCKS_PER_SCALE_BITS: u32 = 4;

/// An exact sampler of integer noise, prepared for one scale.
#[derive(Clone, Debug)]
pub struct NoiseTable {
    envelope: Envelope,
    width_bits: u32,
    /// x = steepness·f + curvature·f² is how far the density falls over the fraction f of a block; upper bounds.
    steepness: Vec<u64>,
    curvature: u64,
}

impl NoiseTable {
    pub(crate) fn discrete_laplace(scale: &Rational) -> Self {
        let linear = scale.reciprocal().expect("a checked scale is positive");
        Self::new(linear, Rational::zero(), &scale.floor())
    }

    pub(crate) fn discrete_gaussian(variance: &Rational) -> Self {
        let quadratic = (variance + variance).reciprocal().expect("a checked variance is positive");
        Self::new(Rational::zero(), quadratic, &IBig::from(floor_sqrt(variance)))
    }

    fn new(linear: Rational, quadratic: Rational, scale_floor: &IBig) -> Self {
        let scale_floor = u128::try_from(scale_floor.clone()).expect("a checked scale is below 2^101");
        let width_bits = (128 - scale_floor.leading_zeros()).saturating_sub(BLOCKS_PER_SCALE_BITS + 1);
        let width = Rational::power_of_two(i64::from(width_bits));
        let shape = Shape { linear, quadratic, width, left_start: Rational::one() };
        let envelope = Envelope::new(shape);
        let shape = envelope.shape();
        let upper = |value: &Rational| -> u64 {
            let units = Enclosure::of(value, FRACTION_BITS as usize).upper_units().clone();
            u64::try_from(units).expect("the density falls by less than e^65000 over one block")
        };
        let (steepness, curvature) = if width_bits == 0 {
            (Vec::new(), 0)
        } else {
            let squared = &shape.quadratic * &shape.width.squared();
            let steepness = (0..envelope.len())
                .map(|category| upper(&(shape.fall(category, &shape.width) - squared.clone())))
                .collect();
            (steepness, upper(&squared))
        };
        Self { envelope, width_bits, steepness, curvature }
    }

    /// One value. Values beyond 2^127 saturate, which no scale makes likelier than exp(−2^26).
    #[inline]
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        loop {
            let category = self.envelope.pick(bits);
            let block = (category / 2) as i128;
            let magnitude = if self.width_bits == 0 {
                block
            } else {
                let offset = bits.take(self.width_bits);
                let word = bits.word();
                if !self.keeps(category, offset, word, bits) {
                    continue;
                }
                // A block number has at most 40 bits beyond the table's few thousand, a width at most 2^96.
                (block << self.width_bits) | offset as i128
            };
            return if category.is_multiple_of(2) { magnitude } else { -magnitude - 1 };
        }
    }

    /// Fills a slice with independent values.
    pub fn fill<B: BitSource + ?Sized>(&self, values: &mut [i128], bits: &mut B) {
        values.iter_mut().for_each(|value| *value = self.sample(bits));
    }

    /// Whether an offset into a block is kept: true with probability exp(−fall), decided by the uniform `word`.
    #[inline]
    fn keeps<B: BitSource + ?Sized>(&self, category: usize, offset: u128, word: u64, bits: &mut B) -> bool {
        let Some(steepness) = self.steepness.get(category) else {
            return self.keeps_exactly(category, offset, word, bits);
        };
        // The fraction of the block, in units of 2^-48, between two bounds that are equal for narrow blocks.
        let (low, high) = if self.width_bits <= FRACTION_BITS {
            let fraction = offset << (FRACTION_BITS - self.width_bits);
            (fraction, fraction)
        } else {
            let fraction = offset >> (self.width_bits - FRACTION_BITS);
            (fraction, fraction + 1)
        };
        let (steepness, curvature) = (u128::from(*steepness), u128::from(self.curvature));
        let x_upper = ((steepness * high) >> FRACTION_BITS)
            + ((curvature * (((high * high) >> FRACTION_BITS) + 1)) >> FRACTION_BITS)
            + 2;
        let point = 1u128 << FRACTION_BITS;
        // The word is below 1 − x ≤ exp(−x): kept, and no finer question is needed.
        let digits = u128::from(word >> (64 - FRACTION_BITS));
        if digits + x_upper < point {
            return true;
        }
        let x_lower = ((steepness.saturating_sub(1) * low) >> FRACTION_BITS)
            + ((curvature.saturating_sub(1) * ((low * low) >> FRACTION_BITS)) >> FRACTION_BITS);
        match compare_with_exp(digits, x_lower, x_upper) {
            Some(below) => below,
            None => self.keeps_exactly(category, offset, word, bits),
        }
    }

    #[cold]
    fn keeps_exactly<B: BitSource + ?Sized>(
        &self,
        category: usize,
        offset: u128,
        word: u64,
        bits: &mut B,
    ) -> bool {
        let fall = self.envelope.shape().fall(category, &Rational::from(offset));
        LazyUniform::starting_with(word)
            .is_below(bits, |precision, _| Enclosure::exp_of_minus(&fall, precision))
    }
}

/// Whether every number that begins with `digits` lies below exp(−x), or none does, for x between two bounds; all
/// in units of 2^-48. The series of exp(−x) brackets it: 1 − x + x²/2 − x³/6 ≤ exp(−x) ≤ 1 − x + x²/2.
#[inline]
fn compare_with_exp(digits: u128, x_lower: u128, x_upper: u128) -> Option<bool> {
    let point = 1i128 << FRACTION_BITS;
    if x_upper >= 1 << (FRACTION_BITS + 2) {
        return None;
    }
    let (low, high) = (x_lower as i128, x_upper as i128);
    let square_floor = (high * high) >> FRACTION_BITS;
    let cube_ceil = (((square_floor + 1) * high) >> FRACTION_BITS) + 1;
    let exp_lower = point - high + square_floor / 2 - (cube_ceil / 6 + 1);
    let exp_upper = point - low + ((low * low) >> FRACTION_BITS) / 2 + 1;
    let digits = digits as i128;
    if digits < exp_lower {
        Some(true)
    } else if digits >= exp_upper {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
