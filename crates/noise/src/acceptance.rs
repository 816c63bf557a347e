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
    use pointillist_testkit::seeded;

    use super::*;

    fn units(value: u128) -> Rational {
        Rational::from(value) * Rational::power_of_two(-i64::from(FRACTION_BITS))
    }

    /// exp(−x), between bounds of 160 bits.
    fn survival(x: &Rational) -> Enclosure {
        Enclosure::exp_of_minus(x, 160)
    }

    /// The first digits for which `holds` is true; it stays true from there on.
    fn first(holds: impl Fn(u128) -> bool) -> u128 {
        let (mut below, mut above) = (0, 1u128 << FRACTION_BITS);
        while below < above {
            let middle = (below + above) / 2;
            if holds(middle) { above = middle } else { below = middle + 1 }
        }
        below
    }

    /// Specification: a decision is right for every toss that begins with the digits, every position between the bounds
    /// and every density that the rounded coefficients may stand for; asked where it is most likely to be wrong, at the
    /// last digits that are kept and the first that are not. Coefficients and positions of all sizes, since for falls of
    /// about 2^-24 the rounding of each step is as large as all that the series gives away.
    #[test]
    fn the_last_kept_and_the_first_dropped_digits_are_right() {
        let mut bits = seeded(21);
        let (mut kept_checked, mut dropped_checked) = (0, 0);
        for case in 0..6000u32 {
            let mut number = |size: u64| u128::from(bits() >> (63 - size));
            let steepness = number(u64::from(case % 50)) + 1;
            let curvature = number(u64::from(case / 50 % 50)) * u128::from(case % 3 != 0);
            let low = number(if case % 7 == 0 { 30 } else { 47 });
            let high = low + u128::from(case % 2);
            let acceptance = Acceptance { steepness: vec![steepness as u64], curvature: curvature as u64 };
            let decide = |digits: u128| acceptance.decide(0, low, high, (digits << 16) as u64);
            let fall = |steepness: u128, curvature: u128, at: u128| {
                units(steepness) * units(at) + units(curvature) * units(at).squared()
            };
            let slowest = survival(&fall(steepness - 1, curvature.saturating_sub(1), low));
            let fastest = survival(&fall(steepness, curvature, high));
            let undecided = first(|digits| decide(digits) != Some(true));
            if undecided > 0 {
                assert!(units(undecided) <= fastest.upper(), "case {case}: kept at {}", undecided - 1);
                kept_checked += 1;
            }
            let dropped = first(|digits| decide(digits) == Some(false));
            if dropped < 1 << FRACTION_BITS {
                assert!(units(dropped) >= slowest.lower(), "case {case}: dropped at {dropped}");
                dropped_checked += 1;
            }
            // Where the series is good, the digits that cannot tell are few.
            if steepness + curvature < 1 << 33 {
                assert!(dropped - undecided < 16, "case {case}: {} cannot tell", dropped - undecided);
            }
        }
        assert!(kept_checked > 5000 && dropped_checked > 3000, "{kept_checked} and {dropped_checked}");
    }

    /// Specification: the bracket of exp(−x) holds the truth for every x it is used for, and beyond nothing is decided.
    #[test]
    fn the_bracket_of_exp_is_never_wrong() {
        let point = 1u128 << FRACTION_BITS;
        for step in 0..2000u128 {
            let x = step * point / 600;
            let exact = survival(&units(x));
            let edge = u128::try_from((exact.lower() * Rational::from(point)).floor()).unwrap();
            for digits in [0, point / 7, point / 2, edge.saturating_sub(1), edge, edge + 1, point - 1] {
                match compare_with_exp(digits, x, x) {
                    Some(true) => assert!(units(digits + 1) <= exact.upper(), "x = {x}"),
                    Some(false) => assert!(units(digits) >= exact.lower(), "x = {x}"),
                    None => {}
                }
            }
        }
        let far = point << 2;
        assert_eq!(compare_with_exp(point - 1, far - 1, far), None);
        assert_eq!(compare_with_exp(point - 1, far - 1, far - 1), None);
        assert_eq!(compare_with_exp(0, 0, 0), Some(true));
    }

    /// Specification: coefficients are rounded up by less than one unit, for every block of the table.
    #[test]
    fn coefficients_are_less_than_one_unit_above_the_truth() {
        let shape = crate::envelope::Shape {
            linear: Rational::ratio(3, 1000),
            quadratic: Rational::ratio(1, 7000),
            width: Rational::from(8),
            left_start: Rational::one(),
        };
        let envelope = Envelope::new(shape.clone());
        let acceptance = Acceptance::new(&envelope);
        assert_eq!(acceptance.steepness.len(), envelope.len());
        let unit = units(1);
        let check = |found: u64, truth: Rational| {
            let above = units(u128::from(found)) - truth;
            assert!(!above.is_negative() && above < unit, "{found}");
        };
        check(acceptance.curvature, &shape.quadratic * &Rational::from(64));
        for (category, found) in acceptance.steepness.iter().enumerate() {
            // γ(s + 8f) − γ(s) = (8·linear + 16·s·quadratic)·f + 64·quadratic·f².
            let start = Rational::from(8 * (category / 2) + category % 2);
            let truth = &shape.linear * &Rational::from(8) + &shape.quadratic * &(start * Rational::from(16));
            check(*found, truth);
        }
        assert_eq!(Acceptance::of_points().decide(0, 0, 0, 0), None);
    }
}
