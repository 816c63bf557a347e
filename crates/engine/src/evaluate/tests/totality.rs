//! Nothing can fail on a row, and rows do not see each other: on random expressions over hostile rows.
//!
//! The expressions are the same on every run, so there is no false alarm; `POINTILLIST_SEED` gives others.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::Float64Type;
use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Function, Scalar, Type, type_of};

use super::random::{Dice, TYPES};
use super::reference::interpret;
use super::{array_of, values_of};
use crate::evaluate::{evaluate, operand};

const ROWS: usize = 64;

fn seed() -> u64 {
    std::env::var("POINTILLIST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// Two columns of each type.
fn hostile_columns(dice: &mut Dice, rows: usize) -> (Vec<Type>, Vec<Vec<Option<Value>>>, Vec<ArrayRef>) {
    let kinds: Vec<Type> = TYPES.iter().flat_map(|kind| [*kind, *kind]).collect();
    let cells: Vec<Vec<Option<Value>>> =
        kinds.iter().map(|kind| (0..rows).map(|_| dice.cell(*kind)).collect()).collect();
    let arrays = kinds.iter().zip(&cells).map(|(kind, cells)| array_of(*kind, cells)).collect();
    (kinds, cells, arrays)
}

fn taken(columns: &[ArrayRef], rows: &[u32]) -> Vec<ArrayRef> {
    let rows = UInt32Array::from(rows.to_vec());
    columns.iter().map(|column| take(column, &rows, None).unwrap()).collect()
}

/// Numbers are finite, with one zero, also where NULL hides them.
fn assert_tidy(array: &ArrayRef, scalar: &Scalar) {
    if let Some(numbers) = array.as_primitive_opt::<Float64Type>() {
        let tidy = |value: &f64| value.is_finite() && value.to_bits() != (-0.0f64).to_bits();
        assert!(numbers.values().iter().all(tidy), "{scalar:?}");
    }
}

/// 1,800 expressions over 64 rows: 115,200 values, each compared with the second interpreter; all rows again in
/// another order, and some of them alone.
#[test]
fn random_expressions_agree_with_the_second_interpreter_row_by_row() {
    let mut dice = Dice(seed());
    let mut known = 0;
    for round in 0..60 {
        let (kinds, cells, columns) = hostile_columns(&mut dice, ROWS);
        let mut order: Vec<u32> = (0..ROWS as u32).collect();
        (1..ROWS).rev().for_each(|last| order.swap(last, dice.below(last + 1)));
        let shuffled = taken(&columns, &order);
        for _ in 0..30 {
            let kind = dice.of(&TYPES);
            let depth = 1 + dice.below(6);
            let scalar = dice.typed(kind, depth);
            let context = || format!("seed {}, round {round}: {scalar:?}", seed());
            assert_eq!(type_of(&scalar, &kinds), Some(kind), "{}", context());
            let array = evaluate(&scalar, &columns, ROWS);
            assert_eq!((array.len(), operand::kind_of(&array)), (ROWS, Some(kind)), "{}", context());
            assert_tidy(&array, &scalar);
            let values = values_of(&array);
            known += values.iter().flatten().count();
            for (row, value) in values.iter().enumerate() {
                let row: Vec<Option<Value>> = cells.iter().map(|column| column[row].clone()).collect();
                let expected = interpret(&scalar, &row);
                assert!(*value == expected, "{value:?} is not {expected:?} for {row:?}, {}", context());
            }
            let in_order: Vec<Option<Value>> =
                order.iter().map(|row| values[*row as usize].clone()).collect();
            assert!(values_of(&evaluate(&scalar, &shuffled, ROWS)) == in_order, "{}", context());
            for _ in 0..8 {
                let row = dice.below(ROWS);
                let alone = evaluate(&scalar, &taken(&columns, &[row as u32]), 1);
                assert!(values_of(&alone)[0] == values[row], "{}", context());
            }
            assert_eq!(evaluate(&scalar, &taken(&columns, &[]), 0).len(), 0);
        }
    }
    assert!(known > 40_000, "only {known} values are not NULL: the expressions say too little");
}

/// Columns that are missing, too short or of a type that does not exist here, and expressions without a type.
#[test]
fn expressions_without_a_type_are_null_and_never_fail() {
    let mut dice = Dice(seed() ^ 0xbad);
    for _ in 0..100 {
        let (mut kinds, _, mut columns) = hostile_columns(&mut dice, 17);
        for _ in 0..40 {
            let depth = dice.below(6);
            let scalar = dice.wild(depth);
            let kind = type_of(&scalar, &kinds);
            let array = evaluate(&scalar, &columns, 17);
            assert_eq!(array.len(), 17, "{scalar:?}");
            let got = operand::kind_of(&array).expect("always one of the six types");
            assert!(kind.is_none_or(|kind| kind == got), "{kind:?} became {got:?}: {scalar:?}");
            assert_tidy(&array, &scalar);
        }
        columns.push(Arc::new(Int32Array::from(vec![1; 17])));
        columns.push(Arc::new(StringArray::from(vec!["a"; 17])));
        columns.push(array_of(Type::Integer, &[Some(Value::Integer(1))]));
        columns.swap(0, 12);
        kinds.clear();
        for _ in 0..40 {
            let depth = dice.below(6);
            assert_eq!(evaluate(&dice.wild(depth), &columns, 17).len(), 17);
        }
    }
}

#[test]
fn an_expression_has_a_type_only_if_all_its_parts_fit() {
    let integer = || Scalar::Constant(Value::Integer(1));
    let number = || Scalar::Constant(Value::Number(1.0));
    let truth = || Scalar::Constant(Value::Boolean(true));
    let mixed = Scalar::Arithmetic(Arithmetic::Add, Box::new(integer()), Box::new(number()));
    for scalar in [
        mixed.clone(),
        Scalar::Column(0),
        Scalar::Not(Box::new(integer())),
        Scalar::All(vec![truth(), integer()]),
        Scalar::Case(vec![(integer(), integer())], Box::new(integer())),
        Scalar::Case(vec![(truth(), number())], Box::new(integer())),
        Scalar::Constant(Value::Number(f64::NAN)),
        Scalar::Call(Function::Least, vec![truth()]),
        Scalar::Call(Function::Coalesce, vec![]),
        Scalar::Call(Function::Floor, vec![integer()]),
        Scalar::Call(Function::Round, vec![number(), Scalar::Cast(Box::new(number()), Type::Integer)]),
        Scalar::IsNull(Box::new(mixed)),
        Scalar::Like {
            value: Box::new(Scalar::Null(Type::Text)),
            pattern: "a".repeat(10_001),
            escape: None,
            ignore_case: false,
        },
    ] {
        assert_eq!(type_of(&scalar, &[]), None, "{scalar:?}");
        assert_eq!(evaluate(&scalar, &[], 2).len(), 2);
    }
    assert_eq!(type_of(&Scalar::All(vec![]), &[]), Some(Type::Boolean));
    assert_eq!(type_of(&Scalar::Call(Function::Concat, vec![]), &[]), Some(Type::Text));
    assert_eq!(type_of(&Scalar::Any(vec![truth(); 9_999]), &[]), Some(Type::Boolean));
    assert_eq!(type_of(&Scalar::Any(vec![truth(); 10_000]), &[]), None, "too many parts");
}

/// The deepest expression of the planner has a value, on the stack of an ordinary thread; one far deeper has neither
/// a type nor a value, and does not end the stack.
#[test]
fn depth_is_bounded() {
    let column = array_of(Type::Integer, &[Some(Value::Integer(1)), None]);
    let one = || Scalar::Constant(Value::Integer(1));
    let wraps: [&dyn Fn(Scalar) -> Scalar; 4] = [
        &|inner| Scalar::Arithmetic(Arithmetic::Multiply, Box::new(inner), Box::new(one())),
        &|inner| Scalar::Case(vec![(Scalar::Null(Type::Boolean), one())], Box::new(inner)),
        &|inner| Scalar::Call(Function::Coalesce, vec![inner]),
        &|inner| Scalar::Cast(Box::new(inner), Type::Integer),
    ];
    for wrap in wraps {
        let chain = |depth: usize| (1..depth).fold(Scalar::Column(0), |inner, _| wrap(inner));
        let deep = chain(256);
        assert_eq!(type_of(&deep, &[Type::Integer]), Some(Type::Integer));
        let expected = vec![Some(Value::Integer(1)), None];
        assert_eq!(values_of(&evaluate(&deep, &[Arc::clone(&column)], 2)), expected);
        let too_deep = chain(5_000);
        assert_eq!(type_of(&too_deep, &[Type::Integer]), None);
        assert_eq!(values_of(&evaluate(&too_deep, &[Arc::clone(&column)], 2)), vec![None, None]);
    }
}

/// Six texts of 10,000 bytes for each of 8,192 rows would take half a gigabyte at once; in pieces they do not, and
/// the answer is the same.
#[test]
fn expressions_that_copy_text_run_in_pieces_with_the_same_result() {
    let rows = 8_192;
    let cells: Vec<Option<Value>> =
        (0..rows).map(|row| (row % 5 > 0).then(|| Value::Text(format!("{row:>20} é")))).collect();
    let column = array_of(Type::Text, &cells);
    let call = |function, arguments| Scalar::Call(function, arguments);
    let upper = || call(Function::Upper, vec![Scalar::Column(0)]);
    let trimmed = || call(Function::Trim, vec![upper()]);
    let joined = call(Function::Concat, vec![upper(), trimmed(), Scalar::Column(0)]);
    let array = evaluate(&joined, &[column], rows);
    for (cell, value) in cells.iter().zip(values_of(&array)) {
        assert_eq!(value, interpret(&joined, std::slice::from_ref(cell)));
    }
}
