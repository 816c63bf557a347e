//! Whether a position inside a block is kept: exp(−x) against one word, quickly and never wrongly.
//!
//! **Guarantee.** [`Acceptance::decide`] says yes or no only when that is right for every position and every toss that begin with
//! the digits it was given: it compares one word with 48-bit bounds of exp(−x), first 1 − x, then three terms of the
//! series. About one question in 20,000 it leaves to certified bounds of any precision.

use pointillist_numbers::{Enclosure, Rational};

use crate::envelope::Envelope;

/// Bits behind the point.
pub(crate) const FRACTION_BITS: u32 = 48;

/// x = steepness·f + curvature·f² is how far the density falls over the fraction f of a block; both are upper bounds,
/// less than one unit above the truth.
#[derive(Clone, Debug)]
pub(crate) struct Acceptance {
    steepness: Vec<u64>,
    curvature: u64,
}

impl Acceptance {
    /// For blocks of a single point, where nothing is ever asked.
    pub fn of_points() -> Self {
        Self { steepness: Vec::new(), curvature: 0 }
    }

    pub fn new(envelope: &Envelope) -> Self {
        let shape = envelope.shape();
        let upper = |value: &Rational| -> u64 {
            let units = Enclosure::of(value, FRACTION_BITS as usize).upper_units().clone();
            u64::try_from(units).expect("the density falls by less than e^65000 over one block")
        };
        let squared = &shape.quadratic * &shape.width.squared();
        let steepness = (0..envelope.len())
            .map(|category| upper(&(shape.fall(category, &shape.width) - squared.clone())))
            .collect();
        Self { steepness, curvature: upper(&squared) }
    }

    /// Whether a position between `low` and `high`, in units of 2^-48 of the block, is kept by the toss that begins with
    /// `word`; `None` when these digits cannot tell.
    #[inline]
    pub fn decide(&self, category: usize, low: u128, high: u128, word: u64) -> Option<bool> {
        let (steepness, curvature) = (u128::from(*self.steepness.get(category)?), u128::from(self.curvature));
        let x_upper = ((steepness * high) >> FRACTION_BITS)
            + ((curvature * (((high * high) >> FRACTION_BITS) + 1)) >> FRACTION_BITS)
            + 2;
        // The word is below 1 − x ≤ exp(−x): kept, and no finer question is needed.
        let digits = u128::from(word >> (64 - FRACTION_BITS));
        if digits + x_upper < 1 << FRACTION_BITS {
            return Some(true);
        }
        let x_lower = ((steepness.saturating_sub(1) * low) >> FRACTION_BITS)
            + ((curvature.saturating_sub(1) * ((low * low) >> FRACTION_BITS)) >> FRACTION_BITS);
        compare_with_exp(digits, x_lower, x_upper)
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
mod tests {
    use pointillist_numbers::IBig;

    use super::*;

    /// Specification: the bracket of exp(−x) holds the truth for every x it is used for.
    #[test]
    fn the_bracket_of_exp_is_never_wrong() {
        let point = 1u128 << FRACTION_BITS;
        for step in 0..2000u128 {
            let x = step * point / 600;
            let exact =
                Enclosure::exp_of_minus(&Rational::new(IBig::from(x), 1u128 << FRACTION_BITS).unwrap(), 48);
            let (lower, upper) = (exact.lower_units().clone(), exact.upper_units().clone());
            for digits in [0, point / 7, point / 2, u128::try_from(lower.clone()).unwrap(), point - 1] {
                match compare_with_exp(digits, x, x) {
                    Some(true) => assert!(IBig::from(digits) < upper, "x = {x}"),
                    Some(false) => assert!(IBig::from(digits) >= lower, "x = {x}"),
                    None => {}
                }
            }
        }
    }
}
