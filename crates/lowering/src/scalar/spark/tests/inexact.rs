//! Exponentials, logarithms and powers: total, and equal but for the last bits.

use arrow::array::{Array, AsArray};
use arrow::datatypes::Float64Type;
use pointillist_plan::{Function, Scalar, Type};

use super::random::Dice;
use super::rows::{MODES, Rows};

const ROWS: usize = 2_000;

/// Specification: a value here and a value there are at most two floats apart; where only one of them is NULL, the other is
/// next to the largest number.
#[test]
fn spark_computes_exponentials_logarithms_and_powers_nearly_as_the_evaluator_does() {
    let mut dice = Dice(3);
    let columns: Vec<_> =
        (0..2).map(|_| (0..ROWS).map(|_| dice.cell(Type::Number)).collect::<Vec<_>>()).collect();
    let Some(rows) = Rows::new("inexact", &[Type::Number, Type::Number], &columns) else { return };
    let call = |function| Scalar::Call(function, vec![Scalar::Column(0)]);
    let scalars = [
        call(Function::Exponential),
        call(Function::NaturalLogarithm),
        call(Function::CommonLogarithm),
        Scalar::Call(Function::Power, vec![Scalar::Column(0), Scalar::Column(1)]),
    ];
    for (mode, settings) in MODES {
        rows.configure(&settings);
        let there = rows.there(&scalars.iter().collect::<Vec<_>>()).expect("nothing raises");
        for (scalar, there) in scalars.iter().zip(&there) {
            let here = rows.here(scalar);
            let numbers = |array: &arrow::array::ArrayRef| -> Vec<Option<f64>> {
                array.as_primitive::<Float64Type>().iter().collect()
            };
            assert!(here.null_count() < ROWS * 9 / 10, "{scalar:?}");
            for (here, there) in numbers(&here).into_iter().zip(numbers(there)) {
                let near = match (here, there) {
                    (Some(here), Some(there)) => place(here).abs_diff(place(there)) <= 2,
                    (Some(one), None) | (None, Some(one)) => {
                        one.abs() >= f64::MAX / (1.0 + 4.0 * f64::EPSILON)
                    }
                    (None, None) => true,
                };
                assert!(near, "{mode}: {scalar:?} is {here:?} here and {there:?} there");
            }
        }
    }
}

/// The place of a number among all floats, in their order.
fn place(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}
