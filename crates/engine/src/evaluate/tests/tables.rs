//! Every operator and function on cases written by hand: NULL, the extremes, and what people expect in between.
//!
//! Each case runs with its arguments as constants, as columns, and in every mixture.

use pointillist_catalog::{Value, calendar};
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type, type_of};

use super::{array_of, values_of};
use crate::evaluate::evaluate;

/// A value, or NULL, of a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell(Type, Option<Value>);

fn b(value: bool) -> Cell {
    Cell(Type::Boolean, Some(Value::Boolean(value)))
}

fn i(value: i64) -> Cell {
    Cell(Type::Integer, Some(Value::Integer(value)))
}

fn n(value: f64) -> Cell {
    Cell(Type::Number, Some(Value::Number(value)))
}

fn t(value: &str) -> Cell {
    Cell(Type::Text, Some(Value::Text(value.to_owned())))
}

fn d(value: &str) -> Cell {
    let (day, _) = calendar::parse_date_or_timestamp(value).and_then(calendar::split).unwrap();
    Cell(Type::Date, Some(Value::Date(day)))
}

fn day(value: i32) -> Cell {
    Cell(Type::Date, Some(Value::Date(value)))
}

fn ts(value: &str) -> Cell {
    Cell(Type::Timestamp, Some(Value::Timestamp(calendar::parse_date_or_timestamp(value).unwrap())))
}

fn micros(value: i64) -> Cell {
    Cell(Type::Timestamp, Some(Value::Timestamp(value)))
}

fn null(kind: Type) -> Cell {
    Cell(kind, None)
}

/// Whether an expression of these arguments has this value, however they come. `fixed` arguments at the end are
/// constants always.
fn check(build: &dyn Fn(Vec<Scalar>) -> Scalar, arguments: &[Cell], fixed: usize, expected: &Cell) {
    let open = arguments.len() - fixed;
    for columns in 0..1u32 << open {
        let scalars = arguments.iter().enumerate().map(|(at, Cell(kind, value))| match value {
            _ if at < open && columns >> at & 1 == 1 => Scalar::Column(at),
            None => Scalar::Null(*kind),
            Some(value) => Scalar::Constant(value.clone()),
        });
        let scalar = build(scalars.collect());
        let kinds: Vec<Type> = arguments.iter().map(|Cell(kind, _)| *kind).collect();
        // A second row of NULL: the first must not mind.
        let arrays: Vec<_> =
            arguments.iter().map(|Cell(kind, value)| array_of(*kind, &[value.clone(), None])).collect();
        let kind = type_of(&scalar, &kinds).unwrap_or_else(|| panic!("{scalar:?} has no type"));
        let value = values_of(&evaluate(&scalar, &arrays, 2))[0].clone();
        assert_eq!(&Cell(kind, value), expected, "{scalar:?} of {arguments:?}");
    }
}

fn call(function: Function, cases: &[(&[Cell], Cell)]) {
    let fixed = match function {
        Function::Round => 1,
        Function::WidthBucket => 3,
        _ => 0,
    };
    for (arguments, expected) in cases {
        check(&|scalars| Scalar::Call(function, scalars), arguments, fixed, expected);
    }
}

fn binary(build: impl Fn(Box<Scalar>, Box<Scalar>) -> Scalar, cases: &[(Cell, Cell, Cell)]) {
    for (left, right, expected) in cases {
        let build = |scalars: Vec<Scalar>| {
            let [left, right] = <[Scalar; 2]>::try_from(scalars).unwrap();
            build(Box::new(left), Box::new(right))
        };
        check(&build, &[left.clone(), right.clone()], 0, expected);
    }
}

fn cast(to: Type, cases: &[(Cell, Cell)]) {
    for (value, expected) in cases {
        let build = |mut scalars: Vec<Scalar>| Scalar::Cast(Box::new(scalars.remove(0)), to);
        check(&build, std::slice::from_ref(value), 0, expected);
    }
}

#[test]
fn logic_has_three_values() {
    let truths = [Some(false), None, Some(true)];
    let cell = |truth: Option<bool>| Cell(Type::Boolean, truth.map(Value::Boolean));
    for a in truths {
        check(&|mut s| Scalar::Not(Box::new(s.remove(0))), &[cell(a)], 0, &cell(a.map(|a| !a)));
        check(&|mut s| Scalar::IsNull(Box::new(s.remove(0))), &[cell(a)], 0, &b(a.is_none()));
        for c in truths {
            // With false < NULL < true, AND is the least and OR the greatest.
            let rank = |truth| truths.iter().position(|known| *known == truth).unwrap();
            let (all, any) = (truths[rank(a).min(rank(c))], truths[rank(a).max(rank(c))]);
            check(&Scalar::All, &[cell(a), cell(c)], 0, &cell(all));
            check(&Scalar::Any, &[cell(a), cell(c)], 0, &cell(any));
        }
    }
    check(&Scalar::All, &[], 0, &b(true));
    check(&Scalar::Any, &[], 0, &b(false));
}

#[test]
fn comparisons_order_each_type_and_pass_null_on() {
    let ladder: [Vec<Cell>; 6] = [
        vec![b(false), b(true)],
        vec![i(i64::MIN), i(-1), i(0), i(i64::MAX)],
        vec![n(f64::MIN), n(-5e-324), n(0.0), n(5e-324), n(f64::MAX)],
        vec![t(""), t("A"), t("Zebra, a long one"), t("Zebra, a long two"), t("a"), t("é"), t("日")],
        vec![day(i32::MIN), d("0001-01-01"), d("1970-01-01"), day(i32::MAX)],
        vec![micros(i64::MIN), ts("1970-01-01"), micros(i64::MAX)],
    ];
    use Comparison::*;
    for values in &ladder {
        let none = null(values[0].0);
        for (x, left) in values.iter().enumerate() {
            for (y, right) in values.iter().enumerate() {
                let truths = [(Equal, x == y), (NotEqual, x != y), (Less, x < y), (LessOrEqual, x <= y)];
                for (how, truth) in truths {
                    binary(|l, r| Scalar::Compare(how, l, r), &[(left.clone(), right.clone(), b(truth))]);
                }
                for (how, truth) in [(Greater, x > y), (GreaterOrEqual, x >= y), (NotDistinct, x == y)] {
                    binary(|l, r| Scalar::Compare(how, l, r), &[(left.clone(), right.clone(), b(truth))]);
                }
            }
            for how in [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual] {
                let unknown = null(Type::Boolean);
                let cases =
                    [(left.clone(), none.clone(), unknown.clone()), (none.clone(), left.clone(), unknown)];
                binary(|l, r| Scalar::Compare(how, l, r), &cases);
            }
            let cases = [(left.clone(), none.clone(), b(false)), (none.clone(), none.clone(), b(true))];
            binary(|l, r| Scalar::Compare(NotDistinct, l, r), &cases);
        }
    }
    binary(|l, r| Scalar::Compare(Equal, l, r), &[(n(-0.0), n(0.0), b(true))]);
}

#[test]
fn integers_saturate_and_numbers_that_are_not_finite_are_null() {
    let (min, max, none) = (i64::MIN, i64::MAX, null(Type::Integer));
    let none_n = null(Type::Number);
    let arithmetic = |how, cases: &[(Cell, Cell, Cell)]| binary(|l, r| Scalar::Arithmetic(how, l, r), cases);
    arithmetic(
        Arithmetic::Add,
        &[
            (i(2), i(3), i(5)),
            (i(max), i(1), i(max)),
            (i(min), i(-1), i(min)),
            (i(max), none.clone(), none.clone()),
            (n(0.1), n(0.2), n(0.1 + 0.2)),
            (n(f64::MAX), n(f64::MAX), none_n.clone()),
            (n(-0.0), n(-0.0), n(0.0)),
            (none_n.clone(), n(1.0), none_n.clone()),
        ],
    );
    arithmetic(
        Arithmetic::Subtract,
        &[
            (i(min), i(1), i(min)),
            (i(0), i(min), i(max)),
            (n(1.0), n(1.0), n(0.0)),
            (n(5e-324), n(5e-324), n(0.0)),
        ],
    );
    arithmetic(
        Arithmetic::Multiply,
        &[
            (i(min), i(-1), i(max)),
            (i(max), i(max), i(max)),
            (i(max), i(min), i(min)),
            (n(-1.0), n(0.0), n(0.0)),
            (n(f64::MAX), n(2.0), none_n.clone()),
        ],
    );
    arithmetic(
        Arithmetic::Divide,
        &[
            (i(7), i(2), i(3)),
            (i(-7), i(2), i(-3)),
            (i(min), i(-1), i(max)),
            (i(1), i(0), none.clone()),
            (i(0), i(0), none.clone()),
            (n(1.0), n(0.0), none_n.clone()),
            (n(0.0), n(0.0), none_n.clone()),
            (n(-1.0), n(f64::MAX), n(-1.0 / f64::MAX)),
            (n(1.0), n(5e-324), none_n.clone()),
        ],
    );
    arithmetic(
        Arithmetic::Remainder,
        &[
            (i(-7), i(2), i(-1)),
            (i(7), i(-2), i(1)),
            (i(min), i(-1), i(0)),
            (i(1), i(0), none),
            (n(-7.5), n(2.0), n(-1.5)),
            (n(-4.0), n(2.0), n(0.0)),
            (n(1.0), n(0.0), none_n),
        ],
    );
}

#[test]
fn functions_of_numbers() {
    let none = || null(Type::Number);
    call(
        Function::Absolute,
        &[(&[i(i64::MIN)], i(i64::MAX)), (&[i(-3)], i(3)), (&[n(-2.5)], n(2.5)), (&[none()], none())],
    );
    call(
        Function::Sign,
        &[(&[i(i64::MIN)], i(-1)), (&[i(0)], i(0)), (&[n(-0.0)], n(0.0)), (&[n(5e-324)], n(1.0))],
    );
    call(Function::Sign, &[(&[n(-3.0)], n(-1.0)), (&[null(Type::Integer)], null(Type::Integer))]);
    call(Function::Floor, &[(&[n(-0.5)], n(-1.0)), (&[n(f64::MAX)], n(f64::MAX)), (&[none()], none())]);
    call(Function::Ceiling, &[(&[n(-0.5)], n(0.0)), (&[n(0.2)], n(1.0))]);
    call(Function::SquareRoot, &[(&[n(9.0)], n(3.0)), (&[n(-1.0)], none()), (&[n(0.0)], n(0.0))]);
    call(Function::Exponential, &[(&[n(0.0)], n(1.0)), (&[n(1000.0)], none()), (&[n(-1000.0)], n(0.0))]);
    call(Function::NaturalLogarithm, &[(&[n(1.0)], n(0.0)), (&[n(0.0)], none()), (&[n(-1.0)], none())]);
    call(Function::CommonLogarithm, &[(&[n(1000.0)], n(3.0)), (&[n(0.0)], none())]);
    call(
        Function::Power,
        &[
            (&[n(2.0), n(10.0)], n(1024.0)),
            (&[n(0.0), n(-1.0)], none()),
            (&[n(-8.0), n(0.5)], none()),
            (&[n(10.0), n(400.0)], none()),
            (&[n(0.0), n(0.0)], n(1.0)),
            (&[none(), n(0.0)], none()),
        ],
    );
    call(
        Function::Round,
        &[
            (&[n(2.5), i(0)], n(3.0)),
            (&[n(-2.5), i(0)], n(-3.0)),
            (&[n(-0.4), i(0)], n(0.0)),
            (&[n(1.25), i(1)], n(1.3)),
            (&[n(-1.25), i(1)], n(-1.3)),
            (&[n(1234.5), i(-2)], n(1200.0)),
            (&[n(1250.0), i(-2)], n(1300.0)),
            (&[n(f64::MAX), i(2)], n(f64::MAX)),
            (&[n(f64::MAX), i(-308)], none()),
            (&[n(0.1), i(300)], n(0.1)),
            (&[n(5e-324), i(2)], n(0.0)),
            (&[n(1.5), i(i64::MAX)], n(1.5)),
            (&[n(1.5), i(i64::MIN)], n(0.0)),
            (&[n(1.5), null(Type::Integer)], none()),
        ],
    );
    let bucket = |x: f64, low: f64, high: f64, count: i64, expected: Option<i64>| {
        let expected = Cell(Type::Integer, expected.map(Value::Integer));
        call(Function::WidthBucket, &[(&[n(x), n(low), n(high), i(count)], expected)]);
    };
    bucket(-0.1, 0.0, 10.0, 5, Some(0));
    bucket(0.0, 0.0, 10.0, 5, Some(1));
    bucket(1.99, 0.0, 10.0, 5, Some(1));
    bucket(2.0, 0.0, 10.0, 5, Some(2));
    bucket(9.999, 0.0, 10.0, 5, Some(5));
    bucket(10.0, 0.0, 10.0, 5, Some(6));
    bucket(f64::MAX, 0.0, 10.0, i64::MAX, Some(i64::MAX));
    bucket(0.0, f64::MIN, f64::MAX, 4, Some(3));
    bucket(f64::MAX.next_down(), f64::MIN, f64::MAX, 4, Some(4));
    bucket(1.0, 10.0, 0.0, 5, None);
    bucket(1.0, 0.0, 10.0, 0, None);
}

#[test]
fn choices_take_one_of_their_arguments() {
    let text = null(Type::Text);
    call(
        Function::Least,
        &[(&[i(3), null(Type::Integer), i(-1)], i(-1)), (&[t("é"), t("z"), text.clone()], t("z"))],
    );
    call(
        Function::Greatest,
        &[(&[n(-0.0), n(5e-324)], n(5e-324)), (&[text.clone(), text.clone()], text.clone())],
    );
    call(
        Function::Greatest,
        &[(&[day(i32::MIN), day(i32::MAX)], day(i32::MAX)), (&[ts("2024-01-01")], ts("2024-01-01"))],
    );
    let long = "x".repeat(10_000);
    call(
        Function::Coalesce,
        &[(&[text.clone(), t(&long), t("b")], t(&long)), (&[null(Type::Text)], text.clone())],
    );
    call(
        Function::Coalesce,
        &[(&[null(Type::Boolean), b(false)], b(false)), (&[d("2024-01-01")], d("2024-01-01"))],
    );
    call(Function::NullIf, &[(&[i(1), i(1)], null(Type::Integer)), (&[i(1), i(2)], i(1))]);
    call(Function::NullIf, &[(&[t("a"), text.clone()], t("a")), (&[text.clone(), t("a")], text.clone())]);
    let case = |mut scalars: Vec<Scalar>| {
        let last = scalars.pop().unwrap();
        let branches = scalars.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        Scalar::Case(branches, Box::new(last))
    };
    let unknown = null(Type::Boolean);
    for (arguments, expected) in [
        (vec![b(true), i(1), b(true), i(2), i(3)], i(1)),
        (vec![b(false), i(1), b(true), i(2), i(3)], i(2)),
        (vec![unknown.clone(), i(1), b(false), i(2), i(3)], i(3)),
        (vec![unknown, t("long enough to have a buffer"), text.clone()], text),
        (vec![b(true), null(Type::Number), n(1.0)], null(Type::Number)),
        (vec![b(false), b(true), b(false)], b(false)),
        (vec![b(true), ts("2024-01-01"), micros(i64::MAX)], ts("2024-01-01")),
        (vec![i(7)], i(7)),
    ] {
        check(&case, &arguments, 0, &expected);
    }
}

#[test]
fn functions_of_text() {
    let none = || null(Type::Text);
    call(Function::Lower, &[(&[t("ÀBC日")], t("Àbc日")), (&[t("")], t("")), (&[none()], none())]);
    call(Function::Upper, &[(&[t("straße")], t("STRAßE"))]);
    call(
        Function::Trim,
        &[(&[t("  a b\t ")], t("a b\t")), (&[t("   ")], t("")), (&[t("\u{a0}x")], t("\u{a0}x"))],
    );
    call(Function::Length, &[(&[t("日本語")], i(3)), (&[t("")], i(0)), (&[none()], null(Type::Integer))]);
    call(Function::Length, &[(&[t(&"é".repeat(5_000))], i(5_000))]);
    call(
        Function::Substring,
        &[
            (&[t("héllo"), i(2), i(3)], t("éll")),
            (&[t("héllo"), i(2)], t("éllo")),
            (&[t("hello"), i(0), i(3)], t("he")),
            (&[t("hello"), i(-5), i(3)], t("")),
            (&[t("hello"), i(9), i(3)], t("")),
            (&[t("hello"), i(2), i(0)], t("")),
            (&[t("hello"), i(2), i(-1)], none()),
            (&[t("hello"), i(i64::MIN), i(i64::MAX)], t("")),
            (&[t("hello"), i(i64::MIN)], t("hello")),
            (&[t("hello"), i(2), i(i64::MAX)], t("ello")),
            (&[t("hello"), i(i64::MAX), i(i64::MAX)], t("")),
            (&[t("hello"), null(Type::Integer)], none()),
        ],
    );
    let long = "é".repeat(4_999);
    call(
        Function::Concat,
        &[
            (&[t("a"), none(), t("日")], t("a日")),
            (&[none(), none()], t("")),
            (&[], t("")),
            (&[t(&long), t("abc")], t(&format!("{long}ab"))),
            (&[t(&long), t("a"), t("é"), t("b")], t(&format!("{long}a"))),
        ],
    );
    call(Function::StartsWith, &[(&[t("日本"), t("日")], b(true)), (&[t("a"), t("ab")], b(false))]);
    call(Function::StartsWith, &[(&[t(""), t("")], b(true)), (&[t("a"), none()], null(Type::Boolean))]);
    call(
        Function::Position,
        &[
            (&[t("日本語"), t("語")], i(3)),
            (&[t("éé"), t("é")], i(1)),
            (&[t("abc"), t("d")], i(0)),
            (&[t(""), t("")], i(1)),
            (&[t(""), t("a")], i(0)),
            (&[t("a"), none()], null(Type::Integer)),
            (&[none(), t("a")], null(Type::Integer)),
        ],
    );
    let like = |mut s: Vec<Scalar>| Scalar::Like {
        value: Box::new(s.remove(0)),
        pattern: "%_b!%".to_owned(),
        escape: Some('!'),
        ignore_case: true,
    };
    check(&like, &[t("éB%")], 0, &b(true));
    check(&like, &[t("b%")], 0, &b(false));
    check(&like, &[none()], 0, &null(Type::Boolean));
}

#[test]
fn dates_have_parts_and_beginnings() {
    use DatePart::*;
    let moment = "2024-02-29 13:14:15.999999";
    let cases = [
        (Year, 2024, Some("2024-01-01")),
        (Quarter, 1, Some("2024-01-01")),
        (Month, 2, Some("2024-02-01")),
        (Week, 9, Some("2024-02-26")),
        (Day, 29, Some("2024-02-29")),
        (DayOfWeek, 4, None),
        (DayOfYear, 60, None),
        (Hour, 13, Some("2024-02-29 13:00")),
        (Minute, 14, Some("2024-02-29 13:14")),
        (Second, 15, Some("2024-02-29 13:14:15")),
    ];
    let (no_day, no_moment) = (null(Type::Date), null(Type::Timestamp));
    for (part, value, beginning) in cases {
        call(Function::DatePart(part), &[(&[ts(moment)], i(value))]);
        let of_day = if matches!(part, Hour | Minute | Second) { 0 } else { value };
        call(Function::DatePart(part), &[(&[d("2024-02-29")], i(of_day))]);
        let beginning = |of: fn(&str) -> Cell, none: &Cell| beginning.map_or(none.clone(), of);
        call(Function::DateTruncate(part), &[(&[ts(moment)], beginning(ts, &no_moment))]);
        call(Function::DateTruncate(part), &[(&[d("2024-02-29")], beginning(d, &no_day))]);
        for outside in [i32::MIN, i32::MAX, -719_163, 2_932_897] {
            call(Function::DatePart(part), &[(&[day(outside)], null(Type::Integer))]);
            call(Function::DateTruncate(part), &[(&[day(outside)], no_day.clone())]);
        }
        for outside in [i64::MIN, i64::MAX] {
            call(Function::DatePart(part), &[(&[micros(outside)], null(Type::Integer))]);
            call(Function::DateTruncate(part), &[(&[micros(outside)], no_moment.clone())]);
        }
        call(Function::DatePart(part), &[(&[null(Type::Date)], null(Type::Integer))]);
    }
    call(Function::DatePart(Second), &[(&[micros(-1)], i(59))]);
    call(
        Function::DateTruncate(Week),
        &[(&[d("0001-01-01")], d("0001-01-01")), (&[d("2023-01-01")], d("2022-12-26"))],
    );
}

#[test]
fn dates_move_within_the_calendar() {
    let none = || null(Type::Date);
    call(
        Function::AddDays,
        &[
            (&[d("2024-02-28"), i(2)], d("2024-03-01")),
            (&[d("9999-12-31"), i(1)], none()),
            (&[d("0001-01-01"), i(-1)], none()),
            (&[d("2024-01-01"), i(i64::MAX)], none()),
            (&[d("2024-01-01"), i(i64::MIN)], none()),
            (&[day(i32::MAX), i(-2_144_550_751)], none()),
            (&[d("2024-01-01"), null(Type::Integer)], none()),
        ],
    );
    call(
        Function::AddMonths,
        &[
            (&[d("2024-01-31"), i(1)], d("2024-02-29")),
            (&[d("2024-03-31"), i(-13)], d("2023-02-28")),
            (&[d("2024-01-31"), i(i64::MAX)], none()),
            (&[day(i32::MIN), i(0)], none()),
        ],
    );
    let (moment, no_moment) = ("2024-01-31 23:59:59.999999", || null(Type::Timestamp));
    call(
        Function::AddDays,
        &[
            (&[ts(moment), i(-31)], ts("2023-12-31 23:59:59.999999")),
            (&[ts("9999-12-31 00:00"), i(1)], no_moment()),
            (&[micros(i64::MIN), i(0)], no_moment()),
            (&[ts(moment), i(i64::MIN)], no_moment()),
        ],
    );
    call(
        Function::AddMonths,
        &[(&[ts(moment), i(1)], ts("2024-02-29 23:59:59.999999")), (&[micros(i64::MAX), i(-1)], no_moment())],
    );
    call(
        Function::Epoch,
        &[
            (&[d("1970-01-02")], n(86_400.0)),
            (&[ts("1969-12-31 23:59:59.5")], n(-0.5)),
            (&[ts("2024-02-29 13:14:15.25")], n(1_709_212_455.25)),
            (&[day(i32::MAX)], null(Type::Number)),
            (&[micros(i64::MIN)], null(Type::Number)),
            (&[none()], null(Type::Number)),
        ],
    );
    call(
        Function::DaysBetween,
        &[
            (&[d("2024-03-01"), d("2024-02-01")], i(29)),
            (&[d("0001-01-01"), d("9999-12-31")], i(-3_652_058)),
            (&[day(i32::MAX), day(i32::MIN)], null(Type::Integer)),
            (&[none(), d("2024-01-01")], null(Type::Integer)),
        ],
    );
}

#[test]
fn casts_follow_the_table() {
    let (integer, number, truth) = (null(Type::Integer), null(Type::Number), null(Type::Boolean));
    cast(
        Type::Integer,
        &[
            (b(true), i(1)),
            (n(0.5), i(0)),
            (n(1.5), i(2)),
            (n(2.5), i(2)),
            (n(-2.5), i(-2)),
            (n(9_223_372_036_854_774_784.0), i(9_223_372_036_854_774_784)),
            (n(9_223_372_036_854_775_808.0), integer.clone()),
            (n(-9_223_372_036_854_775_808.0), i(i64::MIN)),
            (n(f64::MAX), integer.clone()),
            (t(" -42\n"), i(-42)),
            (t("+7"), i(7)),
            (t("9223372036854775808"), integer.clone()),
            (t("1.0"), integer.clone()),
            (t(""), integer.clone()),
            (t("١"), integer.clone()),
            (t(&"9".repeat(10_000)), integer.clone()),
            (d("2024-01-01"), integer.clone()),
            (micros(0), integer),
        ],
    );
    cast(
        Type::Number,
        &[
            (i(i64::MAX), n(9_223_372_036_854_775_808.0)),
            (b(false), n(0.0)),
            (t(" 1e3 "), n(1000.0)),
            (t("-0"), n(0.0)),
            (t(".5"), n(0.5)),
            (t("nan"), number.clone()),
            (t("-Infinity"), number.clone()),
            (t("1e400"), number.clone()),
            (t("1e-400"), n(0.0)),
            (t("1,5"), number.clone()),
            (t(&format!("0.{}", "1".repeat(9_998))), n(1.0 / 9.0)),
            (number.clone(), number),
        ],
    );
    cast(
        Type::Boolean,
        &[
            (i(0), b(false)),
            (i(-5), b(true)),
            (n(-0.0), b(false)),
            (n(5e-324), b(true)),
            (t("TRUE"), b(true)),
            (t(" y "), b(true)),
            (t("on"), b(true)),
            (t("of"), b(false)),
            (t("0"), b(false)),
            (t("o"), truth.clone()),
            (t("truely"), truth.clone()),
            (t(""), truth.clone()),
            (d("2024-01-01"), truth),
        ],
    );
    cast(
        Type::Text,
        &[
            (b(true), t("true")),
            (i(i64::MIN), t("-9223372036854775808")),
            (n(-0.0), t("0")),
            (n(0.1), t("0.1")),
            (n(100_000.0), t("100000")),
            (n(1e15), t("1e+15")),
            (n(123_456_789_012_345.6), t("123456789012345.6")),
            (n(0.0001), t("0.0001")),
            (n(-0.00001), t("-1e-05")),
            (n(f64::MAX), t("1.7976931348623157e+308")),
            (n(5e-324), t("5e-324")),
            (d("0999-01-02"), t("0999-01-02")),
            (day(i32::MAX), null(Type::Text)),
            (ts("2024-02-29 01:02:03.450000"), t("2024-02-29 01:02:03.45")),
            (micros(-1), t("1969-12-31 23:59:59.999999")),
            (micros(i64::MIN), null(Type::Text)),
            (null(Type::Timestamp), null(Type::Text)),
        ],
    );
    let (no_day, no_moment) = (null(Type::Date), null(Type::Timestamp));
    cast(
        Type::Date,
        &[
            (t(" 2024-02-29 "), d("2024-02-29")),
            (t("2024-02-29T10:00:00"), d("2024-02-29")),
            (t("2023-02-29"), no_day.clone()),
            (t("29.2.2024"), no_day.clone()),
            (micros(-1), d("1969-12-31")),
            (micros(i64::MAX), no_day.clone()),
            (i(1), no_day),
        ],
    );
    cast(
        Type::Timestamp,
        &[
            (t("2024-02-29"), ts("2024-02-29 00:00")),
            (t("2024-02-29 25:00"), no_moment.clone()),
            (d("9999-12-31"), ts("9999-12-31")),
            (day(2_932_897), no_moment.clone()),
            (n(1.0), no_moment),
        ],
    );
}
