//! Values become integers between the extremes of their form, whatever they are.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array};
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{Form, Units};

use super::random::Dice;
use crate::evaluate::{Integers, integers};

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn grid(lower: &str, upper: &str, step: &str) -> Grid {
    Grid::new(rational(lower), rational(upper), rational(step)).unwrap()
}

/// From 0 or −2^upper to 2^upper in steps of 2^step, beyond all floats.
fn powers(sign: i64, upper: i64, step: i64) -> Grid {
    let end = Rational::power_of_two(upper);
    Grid::new(Rational::from(sign) * end.clone(), end, Rational::power_of_two(step)).unwrap()
}

const PLAIN: Form = Form::Linear { offset: 0, factor: 1 };

/// The form, by its definition.
fn formed(form: Form, last: i64, index: i64) -> i128 {
    let (last, index) = (i128::from(last), i128::from(index));
    match form {
        Form::Linear { offset, factor } => i128::from(offset) + i128::from(factor) * index,
        Form::CentredSquare => 2 * (2 * index - last).pow(2) - last.pow(2),
    }
}

#[test]
fn integers_on_whole_numbers_are_placed_exactly() {
    let values = [i64::MIN, -11, -10, 0, 9, 10, 11, (1 << 53) + 1, i64::MAX];
    let array: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
    for (lower, upper) in
        [(-10, 10), (0, 1 << 62), (i64::MIN, i64::MIN + (1 << 62)), (i64::MAX - 5, i64::MAX)]
    {
        let grid = Grid::integers(lower, upper).unwrap();
        let placed = integers(&array, &Units { grid: grid.clone(), form: PLAIN });
        for (value, index) in values.iter().zip(placed.values()) {
            assert_eq!(*index, grid.index_of(&Rational::from(*value)), "{value} on {lower}..{upper}");
        }
    }
    // A grid that begins below all integers and ends above them.
    let wide = grid("-1e19", "1e19", "1e10");
    let placed = integers(&array, &Units { grid: wide.clone(), form: PLAIN });
    assert_eq!(placed.value(0), wide.index_of(&Rational::from(i64::MIN)));
    assert_eq!(placed.value(3), wide.index_of(&Rational::zero()));
}

#[test]
fn null_stays_null_and_other_types_become_null() {
    let units = Units { grid: Grid::integers(0, 5).unwrap(), form: Form::Linear { offset: -3, factor: 2 } };
    let integers_in: ArrayRef = Arc::new(Int64Array::from(vec![Some(4), None, Some(-9)]));
    assert_eq!(integers(&integers_in, &units), Int64Array::from(vec![Some(5), None, Some(-3)]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), None, Some(4.49)]));
    assert_eq!(integers(&numbers, &units), Int64Array::from(vec![Some(-1), None, Some(5)]));
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    assert_eq!(integers(&truths, &units), Int64Array::from(vec![None]));
}

/// Every float lands on the exact index or the one beside it, and on the exact one unless it lies close to the
/// middle between two.
#[test]
fn numbers_are_placed_within_one_step_of_the_exact_index() {
    let mut dice = Dice(7);
    for grid in [
        grid("0", "1", "0.1"),
        grid("-1000", "1000", "0.01"),
        grid("1/3", "7", "1/7"),
        grid("-1e6", "1e9", "1e-3"),
    ] {
        let (lower, upper) = (grid.lower().to_f64_lower(), grid.upper().to_f64_upper());
        let mut values: Vec<f64> = (0..2_000)
            .map(|_| lower + (upper - lower) * dice.below(1 << 40) as f64 / (1u64 << 40) as f64)
            .collect();
        values.extend([f64::MIN, f64::MAX, 0.0, 5e-324, lower, upper, 0.15, 0.25, 0.45]);
        let array: ArrayRef = Arc::new(Float64Array::from(values.clone()));
        let placed = integers(&array, &Units { grid: grid.clone(), form: PLAIN });
        let mut off = 0;
        for (value, index) in values.iter().zip(placed.values()) {
            let exact = grid.index_of_f64(*value).unwrap();
            assert!((exact - index).abs() <= 1, "{value}: {index}, exactly {exact}");
            off += usize::from(exact != *index);
        }
        assert!(off <= 5, "{off} of {} values off the exact index", values.len());
    }
}

/// The bound that sensitivities rest on: for any value at all, those that should not exist included.
#[test]
fn every_integer_lies_between_the_extremes_of_its_form() {
    let mut dice = Dice(11);
    let mut floats: Vec<f64> = (0..3_000).map(|_| f64::from_bits(dice.word())).collect();
    floats.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, f64::MAX, f64::MIN]);
    let mut wholes: Vec<i64> = (0..3_000).map(|_| (dice.word() as i64) >> dice.below(64)).collect();
    wholes.extend([i64::MIN, i64::MAX, 0]);
    let arrays: [ArrayRef; 2] = [Arc::new(Float64Array::from(floats)), Arc::new(Int64Array::from(wholes))];
    let grids = [
        grid("0", "1", "1"),
        grid("-5", "5", "1/3"),
        Grid::integers(0, (1 << 31) - 1).unwrap(),
        Grid::integers(-(1 << 61), 1 << 61).unwrap(),
        Grid::integers(0, 1 << 62).unwrap(),
        grid("0", "1e-320", "1e-323"),
        powers(0, -1300, -1310),
        grid("1e300", "1e308", "1e306"),
        powers(-1, 1300, 1290),
        grid("9223372036854775800", "9223372036854775900", "1"),
    ];
    for grid in grids {
        let last = grid.last_index();
        let mut forms = vec![PLAIN, Form::Linear { offset: -(1 << 62), factor: 1 }];
        forms.extend((last < 1 << 31).then_some(Form::CentredSquare));
        forms.push(Form::Linear { offset: -5, factor: ((1 << 62) / last).max(1) });
        for form in forms {
            let centre = (last / 2).clamp(0, last);
            let ends = [0, centre, last - centre, last].map(|index| formed(form, last, index));
            let (low, high) = (*ends.iter().min().unwrap(), *ends.iter().max().unwrap());
            let prepared = Integers::new(&Units { grid: grid.clone(), form });
            for array in &arrays {
                let placed = prepared.apply(array);
                assert_eq!(placed.len(), array.len());
                let between = |value: &i64| (low..=high).contains(&i128::from(*value));
                assert!(placed.values().iter().all(between), "{grid:?} {form:?} {prepared:?}");
            }
        }
    }
}

/// A form that the plan should not hold saturates rather than wraps.
#[test]
fn forms_beyond_64_bits_saturate() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![0, i64::MAX]));
    let wide = || Grid::integers(0, 1 << 62).unwrap();
    let steep = Units { grid: wide(), form: Form::Linear { offset: 0, factor: i64::MAX } };
    assert_eq!(integers(&array, &steep).values().to_vec(), [0, i64::MAX]);
    let square = Units { grid: wide(), form: Form::CentredSquare };
    assert_eq!(integers(&array, &square).values().to_vec(), [i64::MAX, i64::MAX]);
    let middle: ArrayRef = Arc::new(Int64Array::from(vec![1 << 61]));
    assert_eq!(integers(&middle, &square).values().to_vec(), [i64::MIN]);
}

#[test]
fn centred_squares_follow_their_definition() {
    for last in [1, 2, 7, 100, (1 << 31) - 1] {
        let values: Vec<i64> = [0, 1, last / 2, last - 1, last].to_vec();
        let array: ArrayRef = Arc::new(Int64Array::from(values.clone()));
        let units = Units { grid: Grid::integers(0, last).unwrap(), form: Form::CentredSquare };
        for (index, square) in values.iter().zip(integers(&array, &units).values()) {
            assert_eq!(i128::from(*square), formed(Form::CentredSquare, last, *index));
        }
    }
}
