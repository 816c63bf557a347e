//! A bounded column's public grid: every value becomes an integer before anything private happens to it.
//!
//! **Guarantee.** [`Grid::index_of`] looks at one value and at public numbers only, so it is a row-wise map of
//! stability 1: neighbours stay neighbours, for add/remove and for replace-one alike. Every index lies in
//! `0..=last_index`, whatever the value was; sensitivities computed from these bounds hold for any data.
//! **Source.** Neighbours differ in the rows of one unit; a row-wise map changes no other unit's rows.
//! **Error.** At most half a step for values between the bounds; values outside move to the nearest grid point.
//! **Exactness.** Floats are converted exactly and compared as rationals; no float is ever rounded or summed.
//! **Not covered.** A step that does not divide the range ends the grid at the last whole step below the upper
//! bound.

use pointillist_numbers::{IBig, Rational};

use crate::MechanismError;

/// The most steps a grid may have: indexes and distances between them fit 64 bits with room to spare.
const STEPS_MAX: i64 = 1 << 62;

/// The points `lower, lower + step, …` up to an upper bound, numbered from zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    lower: Rational,
    step: Rational,
    last: i64,
}

impl Grid {
    /// The grid from `lower` to `upper` in steps of `step`: at least one step and at most 2^62.
    pub fn new(lower: Rational, upper: Rational, step: Rational) -> Result<Self, MechanismError> {
        if lower >= upper {
            let (lower, upper) = (lower.to_string(), upper.to_string());
            return Err(MechanismError::BoundsReversed { lower, upper });
        }
        if !step.is_positive() {
            let what = format!("the step of a grid must be positive, got {step}");
            return Err(MechanismError::invalid(what, "write a positive step such as 1 or 0.01"));
        }
        let steps = ((&upper - &lower) / step.clone()).floor();
        match i64::try_from(steps) {
            Ok(0) => Err(MechanismError::invalid(
                format!("the step {step} is longer than the range from {lower} to {upper}"),
                "write a step no longer than the distance between the bounds",
            )),
            Ok(last) if last <= STEPS_MAX => Ok(Self { lower, step, last }),
            _ => Err(MechanismError::invalid(
                format!("a step of {step} cuts the range from {lower} to {upper} into more than 2^62 steps"),
                "write a longer step",
            )),
        }
    }

    /// The whole numbers from `lower` to `upper`.
    pub fn integers(lower: i64, upper: i64) -> Result<Self, MechanismError> {
        Self::new(Rational::from(lower), Rational::from(upper), Rational::one())
    }

    /// The smallest value on the grid.
    pub fn lower(&self) -> &Rational {
        &self.lower
    }

    /// The largest value on the grid: the upper bound, or the last whole step below it.
    pub fn upper(&self) -> Rational {
        self.value_of(self.last)
    }

    /// The distance between neighbouring values.
    pub fn step(&self) -> &Rational {
        &self.step
    }

    /// The largest index; the smallest is zero.
    pub fn last_index(&self) -> i64 {
        self.last
    }

    /// The value in the middle of the range, which lies on the grid or halfway between two of its points.
    pub fn midpoint(&self) -> Rational {
        self.centred_value(&Rational::zero())
    }

    /// The index of the nearest grid point; a value halfway between two goes to the upper one, a value
    /// outside the bounds to the nearest bound.
    pub fn index_of(&self, value: &Rational) -> i64 {
        let rounded = ((value - &self.lower) / self.step.clone() + Rational::ratio(1, 2)).floor();
        let clamped = rounded.clamp(IBig::ZERO, IBig::from(self.last));
        i64::try_from(clamped).expect("an index between zero and the last fits i64")
    }

    /// The index of a float: exact, infinities at the bounds. NaN has no place on a grid.
    pub fn index_of_f64(&self, value: f64) -> Option<i64> {
        if value.is_nan() {
            return None;
        }
        if value.is_infinite() {
            return Some(if value > 0.0 { self.last } else { 0 });
        }
        // Multiplying a subnormal by 2^200 is exact and makes it normal, which is what converts.
        let exact = Rational::from_f64(value).or_else(|_| {
            let scaled = Rational::from_f64(value * 2f64.powi(200))?;
            Ok::<_, pointillist_numbers::NumberError>(scaled * Rational::power_of_two(-200))
        });
        exact.ok().map(|exact| self.index_of(&exact))
    }

    /// The value at an index; indexes outside the grid are moved to its ends.
    pub fn value_of(&self, index: i64) -> Rational {
        &self.lower + &(&self.step * &Rational::from(self.clamped(index)))
    }

    /// The same point counted in half steps from the middle: between `-last_index` and `last_index`.
    ///
    /// Half steps, because the middle of an odd number of steps is no grid point; a yes/no column becomes ±1.
    pub fn centred(&self, index: i64) -> i64 {
        let index = self.clamped(index);
        // Twice an index may not fit 64 bits; the difference of the two distances does.
        index - (self.last - index)
    }

    /// The value this many half steps above the middle, on the grid or not.
    pub fn centred_value(&self, half_steps: &Rational) -> Rational {
        let half = &self.step * &Rational::ratio(1, 2);
        &self.lower + &(half * (Rational::from(self.last) + half_steps.clone()))
    }

    /// An index moved to the nearest end when it lies outside.
    pub fn clamped(&self, index: i64) -> i64 {
        index.clamp(0, self.last)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{all_datasets, neighbours_add_remove, neighbours_replace_one};

    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn grid(lower: &str, upper: &str, step: &str) -> Grid {
        Grid::new(rational(lower), rational(upper), rational(step)).unwrap()
    }

    #[test]
    fn values_go_to_the_nearest_point_and_halves_go_up() {
        let cents = grid("-1", "1", "0.01");
        assert_eq!((cents.last_index(), cents.upper()), (200, rational("1")));
        for (value, index) in [
            ("-1", 0),
            ("-0.995", 1),
            ("-0.9950001", 0),
            ("0.004", 100),
            ("0.005", 101),
            ("0.994999", 199),
            ("0.995", 200),
            ("1", 200),
            ("1e300", 200),
            ("-1e300", 0),
        ] {
            assert_eq!(cents.index_of(&rational(value)), index, "{value}");
        }
        assert_eq!(cents.value_of(37), rational("-0.63"));
        assert_eq!(cents.value_of(-5), rational("-1"));
        assert_eq!(cents.value_of(i64::MAX), rational("1"));
    }

    #[test]
    fn every_point_is_its_own_nearest() {
        for grid in [grid("1/3", "7", "1/2"), grid("-5", "5", "1"), grid("0", "1e-9", "1e-12")] {
            for index in 0..=grid.last_index() {
                assert_eq!(grid.index_of(&grid.value_of(index)), index);
            }
        }
    }

    #[test]
    fn floats_are_placed_exactly_and_nan_nowhere() {
        let unit = grid("0", "1", "0.1");
        assert_eq!(unit.index_of_f64(f64::NAN), None);
        assert_eq!(unit.index_of_f64(f64::INFINITY), Some(10));
        assert_eq!(unit.index_of_f64(f64::NEG_INFINITY), Some(0));
        assert_eq!(unit.index_of_f64(-0.0), Some(0));
        assert_eq!(unit.index_of_f64(f64::MAX), Some(10));
        // The float 0.15 lies below 3/20, the float 0.45 above 9/20.
        assert_eq!((unit.index_of_f64(0.15), unit.index_of_f64(0.45)), (Some(1), Some(5)));
        let fine = grid("0", "1e-320", "1e-323");
        assert_eq!(fine.index_of_f64(5e-321), Some(500), "subnormal floats are values too");
    }

    #[test]
    fn a_step_that_does_not_divide_the_range_ends_below_the_bound() {
        let thirds = grid("0", "1", "0.3");
        assert_eq!((thirds.last_index(), thirds.upper()), (3, rational("0.9")));
        assert_eq!(thirds.index_of(&rational("1")), 3);
    }

    #[test]
    fn centred_indexes_are_symmetric() {
        for last in [1i64, 2, 7, 10] {
            let grid = Grid::integers(0, last).unwrap();
            assert_eq!((grid.centred(0), grid.centred(last)), (-last, last));
            for index in 0..=last {
                let half_steps = Rational::from(grid.centred(index));
                assert_eq!(grid.centred_value(&half_steps), grid.value_of(index));
            }
        }
        assert_eq!(grid("0", "1", "1").midpoint(), rational("0.5"));
        let widest = Grid::integers(0, 1 << 62).unwrap();
        assert_eq!(widest.centred(i64::MAX), 1 << 62);
    }

    #[test]
    fn grids_that_cannot_be_are_refused_with_a_hint() {
        let refuse = |lower: &str, upper: &str, step: &str| {
            let error = Grid::new(rational(lower), rational(upper), rational(step)).unwrap_err();
            assert!(error.explanation().text().contains("hint:"), "{error}");
            error
        };
        assert!(matches!(refuse("2", "1", "1"), MechanismError::BoundsReversed { .. }));
        assert!(matches!(refuse("1", "1", "1"), MechanismError::BoundsReversed { .. }));
        refuse("0", "1", "0");
        refuse("0", "1", "-1");
        refuse("0", "1", "2");
        refuse("0", "4611686018427387905", "1");
        assert!(Grid::new(Rational::zero(), Rational::power_of_two(62), Rational::one()).is_ok());
    }

    /// Brute force: the map keeps neighbours neighbours, for every data set of at most four rows over values at,
    /// between and beyond the bounds.
    #[test]
    fn neighbours_stay_neighbours_on_the_grid() {
        let alphabet = ["-1e9", "0", "0.4", "1", "2.5", "3", "1e9"].map(rational).to_vec();
        let grid = grid("0", "3", "1");
        let placed = |rows: &[Rational]| {
            let mut indexes: Vec<i64> = rows.iter().map(|row| grid.index_of(row)).collect();
            indexes.sort_unstable();
            indexes
        };
        let images: Vec<i64> = (0..=3).collect();
        for rows in all_datasets(&alphabet, 3) {
            let image = placed(&rows);
            let near = neighbours_add_remove(&image, &images);
            for other in neighbours_add_remove(&rows, &alphabet) {
                assert!(near.contains(&placed(&other)));
            }
            let near = neighbours_replace_one(&image, &images);
            for other in neighbours_replace_one(&rows, &alphabet) {
                let other = placed(&other);
                assert!(other == image || near.contains(&other));
            }
        }
    }
}
