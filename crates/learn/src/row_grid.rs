//! Rows as integers: what is summed exactly has exactly the sensitivity that was proven.
//!
//! **Guarantee.** [`RowGrid::quantise`] writes integers q with ‖q‖² ≤ [`RowGrid::square_max`] = ⌊L·4^bits⌋, where L
//! bounds the square of a row's norm, whatever the row is: also one that breaks the promise of
//! [`Rows`](crate::Rows), and one of infinities and NaN. What is written depends on that row alone, not on where in
//! a block it stands.
//! **Proof.** The square of q is added up in integers and compared. Rounding to the nearest integer can lengthen a
//! row; where it does so beyond the bound the row is rounded towards zero instead, which never lengthens it:
//! |trunc(v)| ≤ |v|, and v = x·2^bits is exact. A row that is longer even so broke its promise and is shortened
//! until the comparison holds, or is zero.
//! **Sums.** √square_max ≤ 2^20. A sum of products of two coordinates over [`EXACT_ROWS`] rows is at most 2^11·2^40
//! = 2^51 in absolute value, and so is each of its partial sums in whatever order: by Cauchy and Schwarz each
//! product of a row is at most its square. Integers up to 2^53 are exact in f64, fused or not, so a matrix product
//! of such rows is exact.

use pointillist_numbers::Rational;

use crate::LearnError;

/// The largest norm of a row in steps has this many bits.
pub(crate) const ROW_BITS: i32 = 20;
/// So many rows are multiplied at once without leaving the integers of f64.
pub(crate) const EXACT_ROWS: usize = 2048;
/// No more features than this: squares of clamped rows then add up within 64 bits.
pub(crate) const DIMENSION_MAX: usize = 1 << 20;
/// Adding and subtracting it rounds to the nearest integer, ties to even, below 2^51.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;
/// No coordinate is larger, in steps.
const LIMIT: f64 = (1u64 << ROW_BITS) as f64;
/// Coordinates whose squares, of 2^40 each, add up within the integers of f64.
const EXACT_SQUARES: usize = 4096;

/// A grid for rows of which the norm is bounded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowGrid {
    bits: i32,
    /// 2^bits.
    scale: f64,
    square_max: u64,
}

impl RowGrid {
    /// The finest grid on which a row whose norm's square is at most `norm_square` has at most 2^20 steps.
    pub fn new(norm_square: &Rational) -> Result<Self, LearnError> {
        let least = Rational::power_of_two(-80);
        let largest = Rational::power_of_two(80);
        if *norm_square < least || *norm_square > largest {
            return Err(LearnError::parameter("the bound of a row's norm is between 2^-40 and 2^40"));
        }
        let scaled = |bits: i32| norm_square * &Rational::power_of_two(2 * i64::from(bits));
        let limit = Rational::power_of_two(2 * i64::from(ROW_BITS));
        // At 2^-40 the answer is 60, at 2^40 it is −20.
        let bits =
            (-20..=60).rev().find(|bits| scaled(*bits) <= limit).expect("2^80·4^-20 is the limit itself");
        let square_max = u64::try_from(scaled(bits).floor()).expect("at most 2^40");
        Ok(Self { bits, scale: f64::from(bits).exp2(), square_max })
    }

    /// The step is 2^-bits.
    pub fn bits(&self) -> i32 {
        self.bits
    }

    /// The largest square of a norm, in steps.
    pub fn square_max(&self) -> u64 {
        self.square_max
    }

    /// The integers of a row, as floats.
    pub fn quantise(&self, row: &[f64], out: &mut [f64]) {
        let scale = self.scale;
        for (value, out) in row.iter().zip(out.iter_mut()) {
            // NaN fails both comparisons of `clamp` and is zero after the next line.
            let steps = (value * scale).clamp(-LIMIT, LIMIT);
            let steps = if steps.is_nan() { 0.0 } else { steps };
            *out = (steps + ROUNDER) - ROUNDER;
        }
        if square(out) > self.square_max {
            self.truncate(row, out);
        }
    }

    #[cold]
    fn truncate(&self, row: &[f64], out: &mut [f64]) {
        for (value, out) in row.iter().zip(out.iter_mut()) {
            let steps = (value * self.scale).clamp(-LIMIT, LIMIT);
            *out = if steps.is_nan() { 0.0 } else { steps.trunc() };
        }
        for _ in 0..4 {
            let square = square(out);
            if square <= self.square_max {
                return;
            }
            let factor = (self.square_max as f64 / square as f64).sqrt();
            out.iter_mut().for_each(|value| *value = (*value * factor).trunc());
        }
        if square(out) > self.square_max {
            out.fill(0.0);
        }
    }
}

/// The sum of squares of integers of at most 2^20, exactly.
fn square(row: &[f64]) -> u64 {
    row.chunks(EXACT_SQUARES).map(|part| part.iter().map(|value| value * value).sum::<f64>() as u64).sum()
}

/// A number from −1 to 1 in steps of 2^-20: an integer of at most 2^20, whatever the number is.
pub(crate) fn unit_steps(value: f64) -> f64 {
    let steps = (value * LIMIT).clamp(-LIMIT, LIMIT);
    if steps.is_nan() { 0.0 } else { (steps + ROUNDER) - ROUNDER }
}

/// The square of a public bound, exactly.
pub(crate) fn squared(bound: f64) -> Result<Rational, LearnError> {
    let value = Rational::from_f64(bound).map_err(|_| LearnError::parameter("a bound is a finite number"))?;
    if !value.is_positive() {
        return Err(LearnError::parameter("a bound is above zero"));
    }
    Ok(value.squared())
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn exact_square(row: &[f64]) -> u128 {
        row.iter().map(|value| (*value as i128).pow(2) as u128).sum()
    }

    /// Power: without the comparison, rounding up lengthens rows on the bound, and hostile ones pass.
    #[test]
    fn no_row_is_longer_in_steps_than_the_bound() {
        let mut words = seeded(11);
        for bound in [1e-9, 0.3, 1.0, 1.5, 3.9, 1e9] {
            let grid = RowGrid::new(&squared(bound).unwrap()).unwrap();
            assert!(grid.square_max() <= 1 << 40 && grid.square_max() >= 1 << 38, "{bound}");
            for dimension in [1usize, 2, 39, 5000] {
                for stretch in [0.5, 1.0, 1.0 + 1e-9, 3.0, 1e20, 1e300] {
                    let raw: Vec<f64> =
                        (0..dimension).map(|_| words() as f64 / u64::MAX as f64 - 0.5).collect();
                    let norm = raw.iter().map(|value| value * value).sum::<f64>().sqrt();
                    let row: Vec<f64> = raw.iter().map(|value| value / norm * bound * stretch).collect();
                    let mut out = vec![0.0; dimension];
                    grid.quantise(&row, &mut out);
                    assert!(out.iter().all(|value| value.fract() == 0.0));
                    assert!(
                        exact_square(&out) <= u128::from(grid.square_max()),
                        "{bound} {dimension} {stretch}"
                    );
                    if stretch <= 1.0 {
                        let step = (-f64::from(grid.bits())).exp2();
                        let near = row.iter().zip(&out).all(|(value, q)| (value - q * step).abs() <= step);
                        assert!(near, "{bound} {dimension} {stretch}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_zero_or_the_bound() {
        let grid = RowGrid::new(&Rational::one()).unwrap();
        let mut out = [7.0; 2];
        grid.quantise(&[f64::NAN, 0.25], &mut out);
        assert_eq!(out, [0.0, (1 << 18) as f64]);
        let mut out = [7.0; 3];
        grid.quantise(&[f64::NEG_INFINITY, f64::INFINITY, f64::NAN], &mut out);
        assert!(exact_square(&out) <= u128::from(grid.square_max()) && out[2] == 0.0);
    }

    #[test]
    fn bounds_that_no_proof_covers_are_refused() {
        for bound in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-30, 1e30] {
            assert!(squared(bound).and_then(|square| RowGrid::new(&square)).is_err(), "{bound}");
        }
    }
}
