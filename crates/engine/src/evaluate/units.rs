//! A value as the integer that is summed: the index of its grid point, then the form of the measure.
//!
//! **Guarantee.** Every integer lies between the extremes that [`Form`] has on the indexes `0..=last` of the grid,
//! whatever the value was: sensitivities computed from these extremes hold for any data. NULL stays NULL. The map
//! looks at one value and at public numbers, so it is row-wise and costs no privacy.
//! **Exactness.** Integers on a grid of whole numbers are placed exactly. All other values are placed in floats:
//! ⌊(v − lower)/step + 1/2⌋, which close to the middle between two points may name the other one than
//! `Grid::index_of` would. That moves the index of such a row by the rounding errors of three float operations,
//! one step on grids of fewer than 2^50 points, and no bound at all.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_numbers::Rational;
use pointillist_plan::{Form, Units};

/// The integers of values, once.
pub fn integers(values: &ArrayRef, units: &Units) -> Int64Array {
    Integers::new(units).apply(values)
}

/// The map from values to integers, its constants prepared.
#[derive(Clone, Copy, Debug)]
pub struct Integers {
    /// The lower end of a grid of whole numbers.
    lower_whole: Option<i64>,
    lower: f64,
    step: f64,
    last: i64,
    form: Form,
    /// Whether the form fits 64 bits on the whole grid, as the plan promises; it saturates where it does not.
    fits: bool,
}

impl Integers {
    /// Prepares the map.
    pub fn new(units: &Units) -> Self {
        let (grid, last) = (&units.grid, units.grid.last_index());
        let whole = grid.step() == &Rational::one() && grid.lower().is_integer();
        let lower_whole = if whole { i64::try_from(grid.lower().numerator().clone()).ok() } else { None };
        let fits = match units.form {
            Form::Linear { offset, factor } => {
                factor.checked_mul(last).and_then(|top| top.checked_add(offset)).is_some()
            }
            Form::CentredSquare => last < 1 << 31,
        };
        // A step that floats do not reach becomes the smallest that they have.
        let (lower, step) =
            (grid.lower().to_f64_nearest(), grid.step().to_f64_nearest().max(f64::from_bits(1)));
        Self { lower_whole, lower, step, last, form: units.form, fits }
    }

    /// The integers of an array of integers, numbers, days or moments (in microseconds); NULL for any other type.
    pub fn apply(&self, values: &ArrayRef) -> Int64Array {
        if let Some(days) = values.as_primitive_opt::<Date32Type>() {
            let days = Int64Array::new(
                days.values().iter().map(|day| i64::from(*day)).collect(),
                days.nulls().cloned(),
            );
            return self.apply(&(Arc::new(days) as ArrayRef));
        }
        if let Some(moments) = values.as_primitive_opt::<TimestampMicrosecondType>() {
            let moments = Int64Array::new(moments.values().clone(), moments.nulls().cloned());
            return self.apply(&(Arc::new(moments) as ArrayRef));
        }
        let (integers, nulls) = if let Some(array) = values.as_primitive_opt::<Int64Type>() {
            let integers = match self.lower_whole {
                Some(lower) => {
                    // Where the upper end does not fit, no value is beyond it.
                    let upper = lower.saturating_add(self.last);
                    self.formed(array.values(), |value| value.clamp(lower, upper) - lower)
                }
                None => self.formed(array.values(), |value| self.placed(value as f64)),
            };
            (integers, array.nulls())
        } else if let Some(array) = values.as_primitive_opt::<Float64Type>() {
            let integers = self.formed(array.values(), |value| self.placed(value));
            (integers, array.nulls())
        } else {
            return Int64Array::new_null(values.len());
        };
        Int64Array::new(integers.into(), nulls.cloned())
    }

    /// The index of a float. The cast cuts the fraction off, sends what is too large to the ends and what is no
    /// number (which does not occur) to zero; a negative value, which it would round up, goes to zero anyway.
    #[inline(always)]
    fn placed(&self, value: f64) -> i64 {
        (((value - self.lower) / self.step + 0.5) as i64).clamp(0, self.last)
    }

    #[inline(always)]
    fn formed<T: Copy>(&self, values: &[T], index: impl Fn(T) -> i64) -> Vec<i64> {
        let last = self.last;
        match self.form {
            Form::Linear { offset, factor } if self.fits => {
                values.iter().map(|v| offset.wrapping_add(factor.wrapping_mul(index(*v)))).collect()
            }
            Form::CentredSquare if self.fits => {
                let square = |index: i64| {
                    let centred = 2 * index - last;
                    2 * centred * centred - last * last
                };
                values.iter().map(|v| square(index(*v))).collect()
            }
            Form::Linear { offset, factor } => {
                let linear =
                    |index: i64| saturated(i128::from(offset) + i128::from(factor) * i128::from(index));
                values.iter().map(|v| linear(index(*v))).collect()
            }
            Form::CentredSquare => {
                let last = i128::from(last);
                let square = |index: i64| {
                    let centred = 2 * i128::from(index) - last;
                    saturated(2 * centred * centred - last * last)
                };
                values.iter().map(|v| square(index(*v))).collect()
            }
        }
    }
}

fn saturated(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}
