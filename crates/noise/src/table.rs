//! Discrete Laplace and discrete Gaussian noise for many draws at one scale.
//!
//! **Guarantee.** [`NoiseTable::sample`] has exactly the law of [`DiscreteLaplace`](crate::DiscreteLaplace) or
//! [`DiscreteGaussian`](crate::DiscreteGaussian). A block is picked with probability proportional to the density at its start
//! (see `envelope.rs`), an integer of the block uniformly (the width is a power of two), and it is kept with
//! probability density/density at the start: rejection sampling under an envelope. Up to scale 32 a block is one
//! integer and nothing is rejected. No block is too far out to be drawn; integers beyond 128 bits become the end of that
//! range, as with those two.
//! **Time.** Nearly constant: one to four words, and one draw in about thirty tries twice.

use pointillist_numbers::{Enclosure, IBig, Rational};

use crate::acceptance::{Acceptance, FRACTION_BITS};
use crate::discrete_gaussian::floor_sqrt;
use crate::envelope::{Envelope, Shape};
use crate::{BitSource, LazyUniform};

/// A scale holds this many blocks or more, up to twice as many.
const BLOCKS_PER_SCALE_BITS: u32 = 4;

/// An exact sampler of integer noise, prepared for one scale.
#[derive(Clone, Debug)]
pub struct NoiseTable {
    envelope: Envelope,
    width_bits: u32,
    acceptance: Acceptance,
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
        let acceptance = if width_bits == 0 { Acceptance::of_points() } else { Acceptance::new(&envelope) };
        Self { envelope, width_bits, acceptance }
    }

    /// One value. What lies beyond the ends of 128 bits is the end; [`noisy_sum`](crate::noisy_sum) makes post-processing of
    /// that.
    #[inline]
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        loop {
            let category = self.envelope.pick(bits);
            if self.width_bits == 0 {
                return self.value(category, 0);
            }
            let offset = bits.take(self.width_bits);
            let word = bits.word();
            if self.keeps(category, offset, word, bits) {
                return self.value(category, offset);
            }
        }
    }

    /// The integer at this offset into a block, or the end of the range when the block lies beyond it.
    #[inline]
    fn value(&self, category: usize, offset: u128) -> i128 {
        let block = (category / 2) as u128;
        // A width has at most 96 bits.
        let fits = block >> (127 - self.width_bits) == 0;
        let magnitude = if fits { ((block << self.width_bits) | offset) as i128 } else { i128::MAX };
        if category.is_multiple_of(2) { magnitude } else { -magnitude - 1 }
    }

    /// Fills a slice with independent values.
    pub fn fill<B: BitSource + ?Sized>(&self, values: &mut [i128], bits: &mut B) {
        values.iter_mut().for_each(|value| *value = self.sample(bits));
    }

    /// Whether an offset into a block is kept: true with probability exp(−fall), decided by the uniform `word`.
    #[inline]
    fn keeps<B: BitSource + ?Sized>(&self, category: usize, offset: u128, word: u64, bits: &mut B) -> bool {
        // The fraction of the block, in units of 2^-48, between two bounds that are equal for narrow blocks.
        let (low, high) = if self.width_bits <= FRACTION_BITS {
            let fraction = offset << (FRACTION_BITS - self.width_bits);
            (fraction, fraction)
        } else {
            let fraction = offset >> (self.width_bits - FRACTION_BITS);
            (fraction, fraction + 1)
        };
        match self.acceptance.decide(category, low, high, word) {
            Some(kept) => kept,
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

#[cfg(test)]
mod tests;
