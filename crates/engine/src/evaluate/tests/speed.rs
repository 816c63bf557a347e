//! How long a row takes, for people to read: `cargo test --release -p pointillist-engine speed -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use pointillist_catalog::Value;
use pointillist_mechanisms::grid::Grid;
use pointillist_numbers::Rational;
use pointillist_query::plan::{Form, Units};
use pointillist_query::scalar::{Arithmetic, Comparison, DatePart, Function, Scalar, Type};

use super::array_of;
use super::random::Dice;
use crate::evaluate::{Integers, evaluate};

const ROWS: usize = 8_192;

#[test]
#[ignore = "prints times; asserts nothing"]
fn speed_of_common_expressions() {
    let mut dice = Dice(3);
    let integers = array_of(
        Type::Integer,
        &(0..ROWS).map(|_| Some(Value::Integer(dice.below(100) as i64))).collect::<Vec<_>>(),
    );
    let numbers = array_of(
        Type::Number,
        &(0..ROWS).map(|_| Some(Value::Number(dice.below(100_000) as f64 / 7.0))).collect::<Vec<_>>(),
    );
    let texts = array_of(
        Type::Text,
        &(0..ROWS).map(|row| Some(Value::Text(format!("customer {row} of the north")))).collect::<Vec<_>>(),
    );
    let dates = array_of(
        Type::Date,
        &(0..ROWS).map(|_| Some(Value::Date(dice.below(20_000) as i32))).collect::<Vec<_>>(),
    );
    let columns = [integers, numbers, texts, dates];
    let column = |at: usize| Box::new(Scalar::Column(at));
    let number = |value: f64| Box::new(Scalar::Constant(Value::Number(value)));
    let like = |pattern: &str, ignore_case| Scalar::Like {
        value: column(2),
        pattern: pattern.to_owned(),
        escape: None,
        ignore_case,
    };
    let less = Scalar::Compare(Comparison::Less, column(0), Box::new(Scalar::Constant(Value::Integer(50))));
    let scalars = [
        ("column", Scalar::Column(0)),
        ("number column", Scalar::Column(1)),
        ("x < 50", less.clone()),
        (
            "x < 50 and y > 3",
            Scalar::All(vec![less.clone(), Scalar::Compare(Comparison::Greater, column(1), number(3.0))]),
        ),
        ("y * 2", Scalar::Arithmetic(Arithmetic::Multiply, column(1), number(2.0))),
        ("y / y", Scalar::Arithmetic(Arithmetic::Divide, column(1), column(1))),
        ("x + x", Scalar::Arithmetic(Arithmetic::Add, column(0), column(0))),
        ("x / x", Scalar::Arithmetic(Arithmetic::Divide, column(0), column(0))),
        ("case", Scalar::Case(vec![(less, Scalar::Column(1))], number(0.0))),
        (
            "text = constant",
            Scalar::Compare(
                Comparison::Equal,
                column(2),
                Box::new(Scalar::Constant(Value::Text("customer 17 of the north".into()))),
            ),
        ),
        ("like %7 of%", like("%7 of%", false)),
        ("ilike %7 OF%", like("%7 OF%", true)),
        ("year", Scalar::Call(Function::DatePart(DatePart::Year), vec![Scalar::Column(3)])),
        ("month begins", Scalar::Call(Function::DateTruncate(DatePart::Month), vec![Scalar::Column(3)])),
        ("lower", Scalar::Call(Function::Lower, vec![Scalar::Column(2)])),
        ("cast to number", Scalar::Cast(column(0), Type::Number)),
        (
            "width_bucket",
            Scalar::Call(
                Function::WidthBucket,
                vec![Scalar::Column(1), *number(0.0), *number(100.0), Scalar::Constant(Value::Integer(10))],
            ),
        ),
    ];
    for (name, scalar) in scalars {
        time(name, || drop(black_box(evaluate(black_box(&scalar), &columns, ROWS))));
    }
    let cents = Grid::new(Rational::zero(), Rational::from(20_000), Rational::ratio(1, 100)).unwrap();
    for (name, grid, form, at) in [
        ("integers, whole grid", Grid::integers(0, 50).unwrap(), Form::Linear { offset: -25, factor: 2 }, 0),
        ("integers, squares", Grid::integers(0, 50).unwrap(), Form::CentredSquare, 0),
        ("numbers, cents", cents.clone(), Form::Linear { offset: 0, factor: 1 }, 1),
        ("numbers, squares", cents, Form::CentredSquare, 1),
    ] {
        let prepared = Integers::new(&Units { grid, form });
        time(name, || drop(black_box(prepared.apply(black_box(&columns[at])))));
    }
}

fn time(name: &str, mut run: impl FnMut()) {
    let best = (0..20)
        .map(|_| {
            let start = Instant::now();
            (0..50).for_each(|_| run());
            start.elapsed().as_secs_f64() / 50.0
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:>24}: {:7.2} ns a row", best * 1e9 / ROWS as f64);
}
