//! A table of cases with their values: what servers are known to do differently.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{parse_date, parse_timestamp};
use pointillist_plan::Arithmetic::{Add, Divide, Multiply, Remainder, Subtract};
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type, visit};

use super::random_expressions::failures_of;
use super::rows::{MODES, Rows, cell};

const MAX: i64 = i64::MAX;
const MIN: i64 = i64::MIN;
/// Three integers, two numbers, two texts, a date and a timestamp.
const KINDS: [Type; 9] = [
    Type::Integer,
    Type::Integer,
    Type::Integer,
    Type::Number,
    Type::Number,
    Type::Text,
    Type::Text,
    Type::Date,
    Type::Timestamp,
];
const I: [Scalar; 3] = [Scalar::Column(0), Scalar::Column(1), Scalar::Column(2)];
const N: [Scalar; 2] = [Scalar::Column(3), Scalar::Column(4)];
const T: [Scalar; 2] = [Scalar::Column(5), Scalar::Column(6)];
const D: Scalar = Scalar::Column(7);
const M: Scalar = Scalar::Column(8);

type Cell = Option<Value>;

/// An expression, and rows with the value that it has there.
struct Case(Scalar, Vec<(Vec<Cell>, Cell)>);

fn int(value: i64) -> Cell {
    Some(Value::Integer(value))
}

fn num(value: f64) -> Cell {
    Some(Value::Number(value))
}

fn text(value: &str) -> Cell {
    Some(Value::Text(value.to_owned()))
}

fn truth(value: bool) -> Cell {
    Some(Value::Boolean(value))
}

fn day(value: &str) -> Cell {
    parse_date(value).map(Value::Date)
}

fn moment(value: &str) -> Cell {
    parse_timestamp(value).map(Value::Timestamp)
}

fn call(function: Function, arguments: &[Scalar]) -> Scalar {
    Scalar::Call(function, arguments.to_vec())
}

fn constant(value: Cell) -> Scalar {
    Scalar::Constant(value.unwrap())
}

fn integers(how: Arithmetic, rows: &[(Cell, Cell, Cell)]) -> Case {
    let [a, b, _] = I;
    let rows = rows.iter().map(|(a, b, value)| (vec![a.clone(), b.clone()], value.clone()));
    Case(Scalar::Arithmetic(how, Box::new(a), Box::new(b)), rows.collect())
}

fn numbers(how: Arithmetic, rows: &[(f64, f64, Cell)]) -> Case {
    let [a, b] = N;
    let rows = rows.iter().map(|(a, b, value)| (vec![None, None, None, num(*a), num(*b)], value.clone()));
    Case(Scalar::Arithmetic(how, Box::new(a), Box::new(b)), rows.collect())
}

fn of_number(scalar: Scalar, rows: &[(f64, Cell)]) -> Case {
    Case(scalar, rows.iter().map(|(a, value)| (vec![None, None, None, num(*a)], value.clone())).collect())
}

fn of_text(scalar: Scalar, rows: &[(&str, Cell)]) -> Case {
    let row = |a: &str| vec![None, None, None, None, None, text(a)];
    Case(scalar, rows.iter().map(|(a, value)| (row(a), value.clone())).collect())
}

fn round(places: i64) -> Scalar {
    call(Function::Round, &[N[0].clone(), constant(int(places))])
}

fn cast(from: &Scalar, to: Type) -> Scalar {
    Scalar::Cast(Box::new(from.clone()), to)
}

fn like(pattern: &str, escape: Option<char>, ignore_case: bool) -> Scalar {
    Scalar::Like { value: Box::new(T[0].clone()), pattern: pattern.to_owned(), escape, ignore_case }
}

fn buckets(lower: f64, upper: f64, count: i64) -> Scalar {
    let ends = [N[0].clone(), constant(num(lower)), constant(num(upper)), constant(int(count))];
    call(Function::WidthBucket, &ends)
}

fn of_integers() -> Vec<Case> {
    let root = 3_037_000_500;
    let absolute = call(Function::Absolute, &I[..1]);
    let sign = call(Function::Sign, &I[..1]);
    vec![
        integers(Add, &[(int(MAX), int(1), int(MAX)), (int(MIN), int(-1), int(MIN)), (None, int(1), None)]),
        integers(Add, &[(int(1), None, None), (int(MIN), int(MAX), int(-1))]),
        integers(
            Subtract,
            &[(int(0), int(MIN), int(MAX)), (int(-2), int(MAX), int(MIN)), (None, int(MIN), None)],
        ),
        integers(Multiply, &[(int(MIN), int(-1), int(MAX)), (int(root), int(root), int(MAX))]),
        integers(Multiply, &[(int(root), int(-root), int(MIN)), (int(MIN), None, None)]),
        integers(Divide, &[(int(MIN), int(-1), int(MAX)), (int(-7), int(2), int(-3)), (None, int(-1), None)]),
        integers(
            Divide,
            &[(int(MAX), int(1 << 62), int(1)), (int(5), int(0), None), (int(7), int(-1), int(-7))],
        ),
        integers(
            Remainder,
            &[(int(MIN), int(-1), int(0)), (int(-7), int(3), int(-1)), (int(7), int(0), None)],
        ),
        Case(absolute, vec![(vec![int(MIN)], int(MAX)), (vec![int(-5)], int(5)), (vec![None], None)]),
        Case(sign, vec![(vec![int(MIN)], int(-1)), (vec![int(0)], int(0)), (vec![None], None)]),
    ]
}

fn of_numbers() -> Vec<Case> {
    let (max, tiny) = (f64::MAX, 5e-324);
    let is_null = Scalar::IsNull(Box::new(N[0].clone()));
    let root = call(Function::SquareRoot, &[constant(num(-1.0))]);
    let guarded = Scalar::Case(vec![(is_null, constant(num(0.0)))], Box::new(root));
    let of_null = vec![(vec![], num(0.0)), (vec![None, None, None, num(4.0)], None)];
    vec![
        numbers(
            Add,
            &[(max, max, None), (8.98846567431158e307, 8.98846567431158e307, None), (max, tiny, num(max))],
        ),
        numbers(Add, &[(8.98846567431157e307, 8.98846567431158e307, num(1.797693134862315e308))]),
        numbers(Multiply, &[(1e-200, 1e-200, num(0.0)), (0.0, -5.0, num(0.0))]),
        numbers(Multiply, &[(1.3407807929942596e154, 1.35e154, None)]),
        numbers(Multiply, &[(1.0806454419566536e-224, 2.2859747825645497e-100, num(tiny))]),
        numbers(Divide, &[(tiny, 2.0, num(0.0)), (1e-15, tiny, None), (1.0, 0.0, None), (0.0, 0.0, None)]),
        numbers(Remainder, &[(-7.5, 2.0, num(-1.5)), (1.0, 0.0, None), (-4.0, 2.0, num(0.0))]),
        of_number(
            call(Function::Ceiling, &N[..1]),
            &[(-0.5, num(0.0)), (1e300, num(1e300)), (0.1, num(1.0))],
        ),
        of_number(call(Function::Floor, &N[..1]), &[(1e300, num(1e300)), (-0.5, num(-1.0)), (max, num(max))]),
        of_number(
            round(0),
            &[(0.49999999999999994, num(0.0)), (2.5, num(3.0)), (-2.5, num(-3.0)), (-0.2, num(0.0))],
        ),
        of_number(round(2), &[(1.005, num(1.0)), (max, num(max)), (-0.001, num(0.0))]),
        of_number(round(-308), &[(max, None), (-max, None), (1.2e308, num(1e308))]),
        of_number(round(-2), &[(tiny, num(0.0)), (-250.0, num(-300.0))]),
        of_number(
            call(Function::SquareRoot, &N[..1]),
            &[(-tiny, None), (4.0, num(2.0)), (2.0, num(2f64.sqrt()))],
        ),
        of_number(call(Function::NaturalLogarithm, &N[..1]), &[(0.0, None), (-1.0, None), (1.0, num(0.0))]),
        of_number(call(Function::CommonLogarithm, &N[..1]), &[(0.0, None), (-1.0, None), (1.0, num(0.0))]),
        of_number(
            call(Function::Exponential, &N[..1]),
            &[(709.7827128933841, None), (-745.1332191019412, num(0.0))],
        ),
        numbers_called(
            Function::Power,
            &[(0.0, -1.0, None), (-8.0, 0.5, None), (1e200, 2.0, None), (2.0, 10.0, num(1024.0))],
        ),
        Case(guarded, of_null),
        of_number(
            buckets(0.0, 1e300, 1 << 62),
            &[(1e-300, int(1)), (1e300, int((1 << 62) + 1)), (-1.0, int(0))],
        ),
        of_number(buckets(-1e308, 1.7e308, 7), &[(tiny, int(3)), (1.7e308, int(8)), (-1.1e308, int(0))]),
        of_number(buckets(0.0, 1.0, MAX), &[(0.9999999999999999, int(9223372036854774785)), (1.0, int(MAX))]),
        of_number(
            cast(&N[0], Type::Integer),
            &[(2.5, int(2)), (9.223372036854776e18, None), (-9.223372036854776e18, int(MIN))],
        ),
        of_number(
            cast(&N[0], Type::Integer),
            &[(-0.5, int(0)), (3.5, int(4)), (max, None), (4503599627370497.5, int(4503599627370498))],
        ),
    ]
}

fn numbers_called(function: Function, rows: &[(f64, f64, Cell)]) -> Case {
    let rows = rows.iter().map(|(a, b, value)| (vec![None, None, None, num(*a), num(*b)], value.clone()));
    Case(call(function, &N), rows.collect())
}

fn of_casts() -> Vec<Case> {
    let (nines, zeros) = ("9".repeat(9_000), format!("{}7", "0".repeat(9_000)));
    let small = format!("0.{}1e9001", "0".repeat(9_000));
    let integer = cast(&T[0], Type::Integer);
    let number = cast(&T[0], Type::Number);
    let date = cast(&T[0], Type::Date);
    let timestamp = cast(&T[0], Type::Timestamp);
    let boolean = cast(&T[0], Type::Boolean);
    let last = "2026-12-31 23:59:59.999999";
    let of_moment = |value: &str, written: Cell| {
        let mut row = vec![None; 8];
        row.push(moment(value));
        (row, written)
    };
    vec![
        of_text(
            integer.clone(),
            &[(" 42\n", int(42)), ("+5", int(5)), ("9223372036854775808", None), (&nines, None)],
        ),
        of_text(
            integer,
            &[
                ("٣", None),
                (&zeros, int(7)),
                ("-9223372036854775808", int(MIN)),
                ("5\n\u{a0}", None),
                ("1.0", None),
            ],
        ),
        of_text(
            number.clone(),
            &[("1.", num(1.0)), (".5", num(0.5)), (".", None), ("1e400", None), ("1e-400", num(0.0))],
        ),
        of_text(
            number.clone(),
            &[("0x1p3", None), ("1d", None), ("1f", None), ("inf", None), ("NaN", None), ("-0", num(0.0))],
        ),
        of_text(
            number.clone(),
            &[("2.4e-324", num(0.0)), ("4.9e-324", num(5e-324)), ("0e99999999999999999999", num(0.0))],
        ),
        of_text(
            number,
            &[(&small, num(1.0)), (&zeros, num(7.0)), ("1e-99999999999999999999", num(0.0)), ("1 2", None)],
        ),
        of_text(
            date.clone(),
            &[("1900-02-29", None), ("2000-02-29", day("2000-02-29")), ("0000-01-01", None)],
        ),
        of_text(
            date.clone(),
            &[("infinity", None), ("2026-12-31t23:59", day("2026-12-31")), ("2026-12-31 24:00", None)],
        ),
        of_text(
            date,
            &[
                ("1582-10-10", day("1582-10-10")),
                ("2026-1-1", None),
                ("10000-01-01", None),
                ("0001-01-01", day("0001-01-01")),
            ],
        ),
        of_text(
            timestamp.clone(),
            &[("2026-12-31 24:00", None), ("2026-12-31 23:59:60", None), (last, moment(last))],
        ),
        of_text(
            timestamp.clone(),
            &[("2026-12-31 23:59:59.1234567", None), ("2026-12-31 ", moment("2026-12-31 00:00"))],
        ),
        of_text(
            timestamp,
            &[("2026-12-31 23:59:59+01", None), ("1582-10-10T01:02", moment("1582-10-10 01:02"))],
        ),
        of_text(
            boolean,
            &[
                ("of", truth(false)),
                ("o", None),
                ("Tr", truth(true)),
                ("truex", None),
                (" oFF\t", truth(false)),
            ],
        ),
        Case(
            cast(&I[0], Type::Text),
            vec![(vec![int(MIN)], text("-9223372036854775808")), (vec![None], None)],
        ),
        Case(
            cast(&M, Type::Text),
            vec![
                of_moment("0001-01-01 00:00", text("0001-01-01 00:00:00")),
                of_moment("2026-12-31 23:59:59.5", text("2026-12-31 23:59:59.5")),
                of_moment("1582-10-10 00:00:00.000001", text("1582-10-10 00:00:00.000001")),
            ],
        ),
    ]
}

fn of_texts() -> Vec<Case> {
    let row = |values: &[Cell]| [vec![None; 5], values.to_vec()].concat();
    let cut = |start: i64, count: i64, value: Cell| {
        (vec![int(start), int(count), None, None, None, text("abc")], value)
    };
    let substring = call(Function::Substring, &[T[0].clone(), I[0].clone(), I[1].clone()]);
    let behind = call(Function::Substring, &[T[0].clone(), I[0].clone()]);
    let long = format!("a{}", "é".repeat(4_999));
    let full = "😀".repeat(2_499);
    let concat = call(Function::Concat, &T);
    let less = Scalar::Compare(Comparison::Less, Box::new(T[0].clone()), Box::new(T[1].clone()));
    let position = call(Function::Position, &T);
    let unchanged = |text_: &'static str| (text_, text(text_));
    let slow = "a".repeat(9_999);
    vec![
        of_text(
            call(Function::Lower, &T[..1]),
            &[unchanged("É"), unchanged("\u{212A}"), unchanged("İ"), ("AZ", text("az"))],
        ),
        of_text(call(Function::Upper, &T[..1]), &[unchanged("ß"), unchanged("ı"), ("az\0", text("AZ\0"))]),
        of_text(
            call(Function::Trim, &T[..1]),
            &[("  a \t", text("a \t")), ("   ", text("")), ("", text(""))],
        ),
        of_text(call(Function::Length, &T[..1]), &[("😀", int(1)), ("e\u{301}", int(2)), ("", int(0))]),
        of_text(
            like("_", None, false),
            &[("\u{1F600}", truth(true)), ("e\u{301}", truth(false)), ("\n", truth(true))],
        ),
        of_text(like("zz!", Some('!'), false), &[("zz!", truth(true)), ("zz", truth(false))]),
        of_text(like("a%b", None, false), &[("a\nb", truth(true)), ("a\nb\n", truth(false))]),
        of_text(
            like("%a%b%c", None, false),
            &[("a\nb\nc", truth(true)), ("a\nb\nc\n", truth(false)), ("cba", truth(false))],
        ),
        of_text(
            like("ab%ba%ab", None, false),
            &[("abbaab", truth(true)), ("abab", truth(false)), ("abxbaab", truth(true))],
        ),
        of_text(like("%.%*%\\", None, false), &[("a.b*c\\", truth(true)), ("abbc\\", truth(false))]),
        // Twice as long with each `%` where a matcher goes back; here it must come to an end.
        of_text(like("%a%a%a%a%a%a%_b", None, false), &[(&slow, truth(false)), ("aaaaaaab", truth(true))]),
        of_text(like("K", None, true), &[("\u{212A}", truth(false)), ("k", truth(true))]),
        of_text(like("%k%É%", None, true), &[("KÉ", truth(true)), ("Ké", truth(false))]),
        Case(
            substring.clone(),
            vec![cut(-5_000_000_000, 5_000_000_003, text("ab")), cut(1, -1, None), cut(MAX, MAX, text(""))],
        ),
        Case(
            substring,
            vec![
                cut(MIN, 0, text("")),
                cut(MIN, MAX, text("")),
                cut(2, MAX, text("bc")),
                cut(0, 2, text("a")),
            ],
        ),
        Case(
            behind,
            vec![
                cut(MIN, 0, text("abc")),
                cut(3, 0, text("c")),
                cut(MAX, 0, text("")),
                (row(&[text("abc")]), None),
            ],
        ),
        Case(
            concat,
            vec![
                (row(&[text(&long), text("é")]), text(&long)),
                (row(&[text(&full), text("éé")]), text(&format!("{full}éé"))),
                (row(&[text(&full), text("ééa")]), text(&format!("{full}éé"))),
                (row(&[text(&full), text("a日b")]), text(&format!("{full}a日"))),
                (row(&[text(&full), text("ab日")]), text(&format!("{full}ab"))),
                (row(&[text(&full), text("abc😀")]), text(&format!("{full}abc"))),
                (row(&[None, None]), text("")),
            ],
        ),
        Case(
            less,
            vec![
                (row(&[text("Z"), text("a")]), truth(true)),
                (row(&[text("\u{fffd}"), text("\u{1F600}")]), truth(true)),
            ],
        ),
        Case(
            position,
            vec![
                (row(&[text("a😀b"), text("b")]), int(3)),
                (row(&[text("abc"), text("")]), int(1)),
                (row(&[text(""), text("")]), int(1)),
                (row(&[text("abc"), text("d")]), int(0)),
                (row(&[text("abc"), None]), None),
            ],
        ),
    ]
}

fn of_dates() -> Vec<Case> {
    let on = |count: Option<i64>, from: &str, value: &str| {
        let mut row = vec![None; 9];
        (row[0], row[7]) = (count.map(Value::Integer), day(from));
        (row, day(value))
    };
    let at = |count: i64, from: &str, value: &str| {
        let mut row = vec![None; 9];
        (row[0], row[8]) = (int(count), moment(from));
        (row, moment(value))
    };
    let part = |part, from: &str, value: i64| {
        let mut row = vec![None; 9];
        row[8] = moment(from);
        Case(call(Function::DatePart(part), &[M]), vec![(row, int(value))])
    };
    let cut = |part, rows: Vec<(Vec<Cell>, Cell)>| Case(call(Function::DateTruncate(part), &[D]), rows);
    let months = call(Function::AddMonths, &[D, I[0].clone()]);
    let days = call(Function::AddDays, &[D, I[0].clone()]);
    let days_of_moment = call(Function::AddDays, &[M, I[0].clone()]);
    let months_of_moment = call(Function::AddMonths, &[M, I[0].clone()]);
    let last = "9999-12-31 23:59:59.999999";
    let october = constant(day("1582-10-10"));
    let same = Scalar::Compare(Comparison::Equal, Box::new(D), Box::new(october));
    vec![
        Case(
            months,
            vec![
                on(Some(1), "2024-01-31", "2024-02-29"),
                on(Some(1), "9999-12-01", ""),
                on(Some(-1), "0001-01-31", ""),
                on(Some(MIN), "2024-01-31", ""),
                on(None, "2024-01-31", ""),
            ],
        ),
        Case(
            days,
            vec![
                on(Some(1), "9999-12-31", ""),
                on(Some(-1), "0001-01-01", ""),
                on(Some(3_652_058), "0001-01-01", "9999-12-31"),
                on(Some(MAX), "2024-01-31", ""),
            ],
        ),
        Case(
            days_of_moment,
            vec![
                at(1, last, ""),
                at(-3_652_058, last, "0001-01-01 23:59:59.999999"),
                at(1, "1582-10-04 01:00", "1582-10-05 01:00"),
                at(MIN, last, ""),
            ],
        ),
        Case(
            months_of_moment,
            vec![
                at(1, "2024-01-31 23:59:59.000001", "2024-02-29 23:59:59.000001"),
                at(1, last, ""),
                at(-119_987, last, "0001-01-31 23:59:59.999999"),
            ],
        ),
        part(DatePart::Week, "2010-01-03 12:00", 53),
        part(DatePart::Week, "0001-01-01 00:00", 1),
        part(DatePart::Second, "2026-12-31 23:59:59.999999", 59),
        part(DatePart::Hour, "0001-01-01 23:00", 23),
        part(DatePart::DayOfWeek, "1582-10-10 00:00", 0),
        cut(DatePart::Week, vec![on(None, "2010-01-03", "2009-12-28"), on(None, "0001-01-01", "0001-01-01")]),
        cut(
            DatePart::Quarter,
            vec![on(None, "1582-10-10", "1582-10-01"), on(None, "2024-12-31", "2024-10-01")],
        ),
        cut(DatePart::Hour, vec![on(None, "1582-10-10", "1582-10-10")]),
        cut(DatePart::DayOfYear, vec![on(None, "1582-10-10", "")]),
        Case(
            call(Function::DateTruncate(DatePart::Second), &[M]),
            vec![at(0, last, "9999-12-31 23:59:59"), at(0, "0001-01-01 00:00:00.9", "0001-01-01 00:00")],
        ),
        Case(
            same,
            vec![(on(None, "1582-10-10", "").0, truth(true)), (on(None, "1582-10-15", "").0, truth(false))],
        ),
    ]
}

/// Specification: every case has its value: all operands as columns, and all but one as constants.
#[test]
fn spark_gives_known_cases_their_values() {
    let cases: Vec<Case> =
        [of_integers(), of_numbers(), of_casts(), of_texts(), of_dates()].into_iter().flatten().collect();
    let mut columns = vec![Vec::new(); KINDS.len()];
    for (row, _) in cases.iter().flat_map(|Case(_, rows)| rows) {
        for (at, column) in columns.iter_mut().enumerate() {
            column.push(row.get(at).cloned().flatten());
        }
    }
    let Some(rows) = Rows::new("cases", &KINDS, &columns) else { return };
    // Where each expression has been written down, and what it is worth there.
    let (mut asked, mut row) = (Vec::new(), 0);
    for Case(scalar, expected) in &cases {
        for (operands, value) in expected {
            asked.push((scalar.clone(), row, value.clone()));
            for kept in visit::columns(scalar) {
                let fixed = visit::with_replaced(scalar, &mut |part| match part {
                    Scalar::Column(at) if *at != kept => {
                        let value = operands.get(*at).cloned().flatten();
                        Some(value.map_or(Scalar::Null(KINDS[*at]), Scalar::Constant))
                    }
                    _ => None,
                });
                if fixed != *scalar {
                    asked.push((fixed, row, value.clone()));
                }
            }
            row += 1;
        }
    }
    for (mode, settings) in MODES {
        rows.configure(&settings);
        for some in asked.chunks(40) {
            let scalars: Vec<&Scalar> = some.iter().map(|(scalar, ..)| scalar).collect();
            let Some(there) = rows.there(&scalars) else {
                panic!("{mode}: {:.2000}", failures_of(&rows, &scalars).join("\n"));
            };
            for ((scalar, row, value), there) in some.iter().zip(&there) {
                let here = rows.here(scalar);
                assert_eq!(cell(&here, *row), written(value), "here: {scalar:?}");
                assert_eq!(cell(there, *row), written(value), "{mode}: {scalar:.300?}");
            }
        }
    }
}

fn written(value: &Cell) -> Option<String> {
    value.as_ref().map(|value| match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => format!("{value:e} ({:x})", value.to_bits()),
        Value::Text(value) => value.clone(),
        Value::Date(value) => value.to_string(),
        Value::Timestamp(value) => value.to_string(),
    })
}
