//! The comparison itself: a form with one guard taken out or moved is told from the right one.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type};

use super::Rows;

const COLUMNS: [Type; 10] = [
    Type::Integer,
    Type::Integer,
    Type::Number,
    Type::Number,
    Type::Text,
    Type::Text,
    Type::Date,
    Type::Timestamp,
    Type::Boolean,
    Type::Integer,
];

fn rows() -> Option<Rows> {
    let integers = |values: [i64; 8]| values.map(Value::Integer).to_vec();
    let numbers = |values: [f64; 8]| values.map(Value::Number).to_vec();
    let texts = |values: [&str; 8]| values.map(|value| Value::Text(value.to_owned())).to_vec();
    let days = [-719_162, 2_932_896, 0, 19_753, 59, 2_932_895, 1, -1];
    let moments = days.map(|day| Value::Timestamp(i64::from(day) * 86_400_000_000 + 86_399_999_999));
    let long = "a".repeat(9_999);
    let columns = vec![
        integers([i64::MAX, i64::MIN, 5, -7, i64::MIN, i64::MIN, 1, 3]),
        integers([1, -1, 0, 2, 2, i64::MIN, -1, 0]),
        numbers([
            f64::MAX,
            1.3407807929942596e154,
            1.0806454419566536e-224,
            9.5e-16,
            -0.5,
            5e-324,
            709.9,
            1e19,
        ]),
        numbers([1e292, 1.35e154, 2.2859747825645497e-100, 5e-324, -0.5, -746.0, 1.0, 1e-200]),
        texts([
            "I",
            &long,
            "1900-02-29",
            "1e309",
            " 42",
            "1e-400",
            "2026-12-31 24:00",
            "99999999999999999999",
        ]),
        texts(["i", "a\u{e9}", "x", "y", "_", "%", "\\", "ı"]),
        days.map(Value::Date).to_vec(),
        moments.to_vec(),
        vec![Value::Boolean(true); 8],
        integers([3_652_058, -1, -2, 0, 1, 31, 31, 3_652_058]),
    ];
    // And a row of NULL.
    let with_null = |column: Vec<Value>| column.into_iter().map(Some).chain([None]).collect();
    Rows::new(&COLUMNS, columns.into_iter().map(with_null).collect())
}

fn column(at: usize) -> Box<Scalar> {
    Box::new(Scalar::Column(at))
}

fn arithmetic(how: Arithmetic, a: usize, b: usize) -> Scalar {
    Scalar::Arithmetic(how, column(a), column(b))
}

fn call(function: Function, columns: &[usize]) -> Scalar {
    Scalar::Call(function, columns.iter().map(|at| Scalar::Column(*at)).collect())
}

/// Specification: each of these changes, which are the mistakes that one makes, is found.
#[test]
fn a_broken_guard_is_found() {
    use Arithmetic::{Add, Divide, Multiply, Remainder};
    use Function::{AddDays, Ceiling, Concat, Exponential, Lower, SquareRoot, Substring};
    let Some(rows) = rows() else { return };
    let plus_one = Scalar::Arithmetic(Add, column(0), Box::new(Scalar::Constant(Value::Integer(1))));
    let doubled = Scalar::Arithmetic(Multiply, column(2), Box::new(Scalar::Constant(Value::Number(2.0))));
    let second = call(Function::DatePart(DatePart::Second), &[7]);
    let less = Scalar::Compare(Comparison::Less, column(4), column(5));
    let like =
        Scalar::Like { value: column(5), pattern: "_".to_owned(), escape: Some('_'), ignore_case: false };
    let round = Scalar::Call(Function::Round, vec![Scalar::Column(2)]);
    let cast = |at, kind| Scalar::Cast(column(at), kind);
    let foreign = match super::collation(&rows.connection) {
        " COLLATE \"C\"" => None,
        foreign => Some(foreign),
    };
    let mut broken = vec![
        (arithmetic(Divide, 0, 1), "NULLIF(c1, 0)", "c1"),
        (arithmetic(Remainder, 0, 1), "NULLIF(c1, 0)", "c1"),
        (arithmetic(Divide, 0, 1), "'9223372036854775807'", "'9223372036854775808'"),
        (arithmetic(Add, 0, 1), "pg_catalog.numeric_smaller", "LEAST"),
        (arithmetic(Multiply, 0, 1), "'-9223372036854775808'", "'-9223372036854775809'"),
        (plus_one, "int8smaller", "int8larger"),
        (call(Function::Absolute, &[0]), "'-9223372036854775807'", "'-9223372036854775808'"),
        (arithmetic(Add, 2, 3), "'8.98846567431158e307'", "'1.7976931348623157e308'"),
        (arithmetic(Multiply, 2, 3), "'7.458340731200207e-155'", "'7.4e-155'"),
        (arithmetic(Multiply, 2, 3), "> 0 END THEN", "< 0 END THEN"),
        (arithmetic(Multiply, 2, 3), " IS NOT NULL THEN 0", " IS NOT NULL THEN 1"),
        (arithmetic(Divide, 2, 3), "'1e-16'", "'1e-15'"),
        (arithmetic(Divide, 2, 3), "c3 = 0", "c3 = 1"),
        (doubled, "pg_catalog.abs(c2) <=", "0 <="),
        (call(SquareRoot, &[2]), "CASE WHEN c2 >= 0 THEN c2 END", "c2"),
        (call(Exponential, &[2]), "<= '709.782712893384'", "<= '710'"),
        (call(Exponential, &[3]), "'-745.1332191019411'", "'-747'"),
        (call(Ceiling, &[2]), " + 0::float8", ""),
        (round, ">= '0.5'", "> '0.5'"),
        (cast(2, Type::Integer), "'9223372036854775808'", "'9223372036854775809e10'"),
        (cast(4, Type::Integer), "'9223372036854775807'", "'99999999999999999999'"),
        (cast(4, Type::Integer), "btrim", "concat"),
        (cast(4, Type::Number), "::text::numeric THEN v", "::text::numeric * 1e60 THEN v"),
        (cast(4, Type::Number), "< -330", "< -500"),
        (cast(4, Type::Date), "!~ '^.....02-29' OR", "!~ '^.....02-29' OR true OR"),
        (cast(4, Type::Timestamp), "2[0-3]", "2[0-4]"),
        (call(Substring, &[4, 0, 1]), "CASE WHEN c1 >= 0 THEN c1 END", "c1"),
        (call(Concat, &[4, 5]), "<= 10000", "<= 20000"),
        (second, "pg_catalog.floor", "pg_catalog.abs"),
        (call(AddDays, &[6, 9]), "'9999-12-31'", "'9999-12-30'"),
        (call(AddDays, &[7, 9]), "'9999-12-31'", "'10000-12-31'"),
        (call(Function::AddMonths, &[6, 9]), "make_interval(0, ", "make_interval(0, 0, 0, "),
        (like, "LIKE", "NOT LIKE"),
    ];
    if let Some(foreign) = foreign {
        broken.push((less, " COLLATE \"C\"", foreign));
        broken.push((call(Lower, &[4]), " COLLATE \"C\"", foreign));
    }
    let mut missed = Vec::new();
    for (scalar, from, to) in &broken {
        rows.compare(std::slice::from_ref(scalar));
        if rows.changed(std::slice::from_ref(scalar), from, to).is_ok() {
            missed.push(format!("{scalar:?}: {from} -> {to}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    println!("{} broken guards, each found", broken.len());
}
