//! Cases written by hand, each with the value that it must have: operands as columns, and all but one as constants.

use pointillist_catalog::{Value, calendar};
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type, type_of_value};

use super::hostile::TYPES;
use super::{Rows, array_of, is_same, values_of};
use crate::Refusal;
use crate::stage::Stage;

/// An expression of operands, and what it is worth.
struct Case {
    build: Box<dyn Fn(Vec<Scalar>) -> Scalar>,
    operands: Vec<(Type, Option<Value>)>,
    expected: Option<Value>,
}

/// The columns of each type.
const WIDTH: usize = 3;
const MAX: i64 = i64::MAX;
const MIN: i64 = i64::MIN;

trait Written {
    fn value(self) -> Option<Value>;
}

macro_rules! written {
    ($kind:ty, $self:ident => $value:expr) => {
        impl Written for $kind {
            fn value($self) -> Option<Value> {
                $value
            }
        }
    };
}

/// NULL.
#[derive(Clone, Copy)]
struct Nothing;
#[derive(Clone, Copy)]
struct Day(&'static str);
#[derive(Clone, Copy)]
struct Moment(&'static str);

written!(Nothing, self => None);
written!(bool, self => Some(Value::Boolean(self)));
written!(i64, self => Some(Value::Integer(self)));
written!(f64, self => Some(Value::Number(self)));
written!(&str, self => Some(Value::Text(self.to_owned())));
written!(String, self => Some(Value::Text(self)));
written!(Day, self => Some(Value::Date(calendar::parse_date(self.0).unwrap())));
written!(Moment, self => Some(Value::Timestamp(calendar::parse_timestamp(self.0).unwrap())));

/// An operand that is not NULL has its type.
fn given(value: impl Written) -> (Type, Option<Value>) {
    let value = value.value().unwrap();
    (type_of_value(&value), Some(value))
}

fn case(
    build: impl Fn(Vec<Scalar>) -> Scalar + 'static,
    operands: Vec<(Type, Option<Value>)>,
    expected: impl Written,
) -> Case {
    Case { build: Box::new(build), operands, expected: expected.value() }
}

fn arithmetic<T: Written>(how: Arithmetic, a: T, b: T, expected: impl Written) -> Case {
    let build = move |mut of: Vec<Scalar>| {
        let (b, a) = (of.pop().unwrap(), of.pop().unwrap());
        Scalar::Arithmetic(how, Box::new(a), Box::new(b))
    };
    case(build, vec![given(a), given(b)], expected)
}

/// A function of the operand, with constants behind it.
fn call(function: Function, value: impl Written, constants: &[Value], expected: impl Written) -> Case {
    let constants = constants.to_vec();
    let build = move |mut of: Vec<Scalar>| {
        of.extend(constants.iter().cloned().map(Scalar::Constant));
        Scalar::Call(function, of)
    };
    case(build, vec![given(value)], expected)
}

fn of_all(function: Function, operands: Vec<(Type, Option<Value>)>, expected: impl Written) -> Case {
    case(move |of| Scalar::Call(function, of), operands, expected)
}

fn cast(value: impl Written, to: Type, expected: impl Written) -> Case {
    case(move |mut of| Scalar::Cast(Box::new(of.remove(0)), to), vec![given(value)], expected)
}

fn like(value: &str, pattern: &'static str, escape: Option<char>, ignore_case: bool, expected: bool) -> Case {
    let build = move |mut of: Vec<Scalar>| Scalar::Like {
        value: Box::new(of.remove(0)),
        pattern: pattern.to_owned(),
        escape,
        ignore_case,
    };
    case(build, vec![given(value)], expected)
}

fn less(a: &str, b: &str) -> Case {
    let build = |mut of: Vec<Scalar>| {
        let (b, a) = (of.pop().unwrap(), of.pop().unwrap());
        Scalar::Compare(Comparison::Less, Box::new(a), Box::new(b))
    };
    case(build, vec![given(a), given(b)], true)
}

fn integers() -> Vec<Case> {
    use Arithmetic::{Add, Divide, Multiply, Remainder, Subtract};
    let sum_with_null =
        |of: Vec<Scalar>| Scalar::Arithmetic(Add, Box::new(of[0].clone()), Box::new(of[1].clone()));
    vec![
        arithmetic(Add, MAX, 1, MAX),
        arithmetic(Add, MIN, -1, MIN),
        arithmetic(Add, MIN, MIN, MIN),
        case(sum_with_null, vec![(Type::Integer, None), given(1)], Nothing),
        arithmetic(Subtract, 0, MIN, MAX),
        arithmetic(Subtract, -1, MIN, MAX),
        arithmetic(Subtract, -2, MAX, MIN),
        arithmetic(Multiply, MIN, -1, MAX),
        arithmetic(Multiply, 3_037_000_500, 3_037_000_500, MAX),
        arithmetic(Divide, MIN, -1, MAX),
        arithmetic(Divide, -7, 2, -3),
        arithmetic(Divide, MAX, 4_611_686_018_427_387_904, 1),
        arithmetic(Divide, 5, 0, Nothing),
        arithmetic(Remainder, MIN, -1, 0),
        arithmetic(Remainder, -7, 3, -1),
        arithmetic(Remainder, -7, 0, Nothing),
        call(Function::Absolute, MIN, &[], MAX),
        call(Function::Sign, MIN, &[], -1),
    ]
}

fn numbers() -> Vec<Case> {
    use Arithmetic::{Add, Divide, Multiply, Subtract};
    use Function::{Ceiling, Exponential, Floor, NaturalLogarithm, Round, SquareRoot, WidthBucket};
    let places = |places: i64| vec![Value::Integer(places)];
    let range = |lower: f64, upper: f64, count: i64| {
        vec![Value::Number(lower), Value::Number(upper), Value::Integer(count)]
    };
    let root_of_less = |mut of: Vec<Scalar>| {
        let root = Scalar::Call(SquareRoot, vec![Scalar::Constant(Value::Number(-1.0))]);
        let zero = Scalar::Constant(Value::Number(0.0));
        Scalar::Case(vec![(Scalar::IsNull(Box::new(of.remove(0))), zero)], Box::new(root))
    };
    vec![
        arithmetic(Add, f64::MAX, f64::MAX, Nothing),
        arithmetic(Add, 8.98846567431158e307, 8.98846567431158e307, Nothing),
        arithmetic(Add, 8.98846567431157e307, 8.98846567431158e307, 1.797693134862315e308),
        arithmetic(Add, f64::MAX, 5e-324, f64::MAX),
        arithmetic(Subtract, f64::MIN, f64::MAX, Nothing),
        arithmetic(Multiply, 1e-200, 1e-200, 0.0),
        arithmetic(Multiply, 0.0, -5.0, 0.0),
        arithmetic(Multiply, 1.3407807929942596e154, 1.35e154, Nothing),
        // Just above half of the smallest float, by less than an ulp of the scaled product.
        arithmetic(Multiply, 1.0806454419566536e-224, 2.2859747825645497e-100, 5e-324),
        arithmetic(Divide, 5e-324, 2.0, 0.0),
        arithmetic(Divide, 1e-15, 5e-324, Nothing),
        arithmetic(Divide, 1.0, 0.0, Nothing),
        arithmetic(Divide, 0.0, 0.0, Nothing),
        arithmetic(Divide, 0.0, -2.0, 0.0),
        call(Ceiling, -0.5, &[], 0.0),
        call(Floor, 1e300, &[], 1e300),
        call(Round, 0.49999999999999994, &[], 0.0),
        call(Round, 2.5, &[], 3.0),
        call(Round, -2.5, &[], -3.0),
        call(Round, 1.005, &places(2), 1.0),
        call(Round, f64::MAX, &places(-308), Nothing),
        call(Round, 5e-324, &places(-2), 0.0),
        call(SquareRoot, -5e-324, &[], Nothing),
        call(NaturalLogarithm, 0.0, &[], Nothing),
        call(Exponential, 709.7827128933841, &[], Nothing),
        call(Exponential, -745.1332191019412, &[], 0.0),
        call(Exponential, -745.1332191019411, &[], 5e-324),
        case(root_of_less, vec![(Type::Number, None)], 0.0),
        case(root_of_less, vec![given(1.0)], Nothing),
        call(WidthBucket, 1e-300, &range(0.0, 1e300, 1 << 62), 1),
        call(WidthBucket, 5e-324, &range(-1e308, 1.7e308, 7), 3),
        // The quotient is 1, and 2^62 + 255 parts are 2^62 as a float.
        call(WidthBucket, 1.0 - f64::EPSILON / 2.0, &range(-1.0, 1.0, (1 << 62) + 255), (1 << 62) + 1),
    ]
}

fn casts() -> Vec<Case> {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    vec![
        cast(2.5, Integer, 2),
        cast(9223372036854775808.0, Integer, Nothing),
        cast(-9223372036854775808.0, Integer, MIN),
        cast(true, Number, 1.0),
        cast(0, Boolean, false),
        cast(MIN, Text, MIN.to_string()),
        cast(Day("0001-01-01"), Text, "0001-01-01"),
        cast(Moment("2026-12-31T23:59:59.5"), Text, "2026-12-31 23:59:59.5"),
        cast(Moment("2026-12-31T23:59:59.5"), Date, Day("2026-12-31")),
        cast(" 42\n", Integer, 42),
        cast("+5", Integer, 5),
        cast("9223372036854775808", Integer, Nothing),
        cast("9".repeat(9_000), Integer, Nothing),
        cast("٣", Integer, Nothing),
        cast("1.", Number, 1.0),
        cast(".5", Number, 0.5),
        cast("1.e2", Number, 100.0),
        cast(".", Number, Nothing),
        cast("1e400", Number, Nothing),
        cast("1e-400", Number, 0.0),
        cast("0x1p3", Number, Nothing),
        cast("1d", Number, Nothing),
        cast("inf", Number, Nothing),
        cast("2.4e-324", Number, 0.0),
        cast("4.9e-324", Number, 5e-324),
        cast("0e99999999999999999999", Number, 0.0),
        cast("1e99999999999999999999", Number, Nothing),
        cast("-1e-99999999999999999999", Number, 0.0),
        cast("1.7976931348623158e308", Number, f64::MAX),
        cast("1.7976931348623159e308", Number, Nothing),
        cast(format!("0.{}1e9001", "0".repeat(9_000)), Number, 1.0),
        cast(format!("{}e-9990", "1".repeat(9_991)), Number, 1.1111111111111112),
        cast("1900-02-29", Date, Nothing),
        cast("2000-02-29", Date, Day("2000-02-29")),
        cast("2024-04-31", Date, Nothing),
        cast("0000-01-01", Date, Nothing),
        cast("infinity", Date, Nothing),
        cast("2026-12-31t23:59", Date, Day("2026-12-31")),
        cast("2026-12-31 24:00", Timestamp, Nothing),
        cast("2026-12-31 23:59:60", Timestamp, Nothing),
        cast("2026-12-31 23:59:59.1234567", Timestamp, Nothing),
        cast("2026-12-31 ", Timestamp, Moment("2026-12-31T00:00")),
        cast("0001-01-01 00:00:00.000001", Timestamp, Moment("0001-01-01T00:00:00.000001")),
        cast("of", Boolean, false),
        cast("o", Boolean, Nothing),
        cast("Tr", Boolean, true),
        cast("truex", Boolean, Nothing),
    ]
}

fn texts() -> Vec<Case> {
    use Function::{Concat, Length, Lower, Position, StartsWith, Substring};
    let long = format!("a{}", "é".repeat(4_999));
    vec![
        call(Lower, "ÉA\u{212A}İ", &[], "Éa\u{212A}İ"),
        call(Length, "\u{1F600}e\u{301}", &[], 3),
        like("\u{1F600}", "_", None, false, true),
        like("e\u{301}", "_", None, false, false),
        like("zz!", "zz!", Some('!'), false, true),
        like("zz", "zz!", Some('!'), false, false),
        like("a\nb", "a%b", None, false, true),
        like("\u{212A}", "K", None, true, false),
        like("\\", "\\", None, false, true),
        of_all(Substring, vec![given("abc"), given(-5_000_000_000), given(5_000_000_003)], "ab"),
        of_all(Substring, vec![given("abc"), given(1), given(-1)], Nothing),
        of_all(Substring, vec![given("abc"), given(MAX), given(MAX)], ""),
        of_all(Substring, vec![given("abc"), given(MIN)], "abc"),
        of_all(Concat, vec![given(long.as_str()), given("é")], long),
        of_all(Concat, vec![(Type::Text, None), (Type::Text, None)], ""),
        of_all(Position, vec![given("日本語"), given("語")], 3),
        of_all(Position, vec![given("abc"), given("")], 1),
        of_all(StartsWith, vec![given("Éa"), given("É")], true),
        less("Z", "a"),
        less("\u{FFFD}", "\u{1F600}"),
    ]
}

fn dates() -> Vec<Case> {
    use Function::{AddDays, AddMonths, DateTruncate, DaysBetween, Epoch};
    let moved = |function, from: Day, by: i64, expected: Option<&'static str>| {
        let (day, moment) = (given(from), Moment::at(from.0));
        let expected_day = expected.map(Day);
        let expected_moment = expected.map(Moment::at);
        [
            Case {
                build: Box::new(move |of| Scalar::Call(function, of)),
                operands: vec![day, given(by)],
                expected: expected_day.and_then(Written::value),
            },
            Case {
                build: Box::new(move |of| Scalar::Call(function, of)),
                operands: vec![(Type::Timestamp, moment.clone()), given(by)],
                expected: expected_moment.flatten(),
            },
        ]
    };
    let part = |part, value: Moment, expected: i64| call(Function::DatePart(part), value, &[], expected);
    let mut cases = vec![
        call(Function::DatePart(DatePart::Week), Day("2010-01-03"), &[], 53),
        call(Function::DatePart(DatePart::Week), Day("0001-01-01"), &[], 1),
        call(Function::DatePart(DatePart::Hour), Day("2010-01-03"), &[], 0),
        call(DateTruncate(DatePart::Week), Day("2010-01-03"), &[], Day("2009-12-28")),
        call(DateTruncate(DatePart::Week), Day("0001-01-01"), &[], Day("0001-01-01")),
        call(DateTruncate(DatePart::DayOfWeek), Day("0001-01-01"), &[], Nothing),
        call(DateTruncate(DatePart::Hour), Moment("2026-03-08T02:30"), &[], Moment("2026-03-08T02:00")),
        part(DatePart::Second, Moment("9999-12-31T23:59:59.999999"), 59),
        part(DatePart::DayOfWeek, Moment("2026-11-15T00:00"), 0),
        call(Epoch, Moment("9999-12-31T23:59:59.999999"), &[], 253402300799999999_i64 as f64 / 1e6),
        call(Epoch, Moment("0001-01-01T00:00:00.000001"), &[], -62135596799999999_i64 as f64 / 1e6),
        call(Epoch, Day("0001-01-01"), &[], -62135596800.0),
        of_all(DaysBetween, vec![given(Day("9999-12-31")), given(Day("0001-01-01"))], 3_652_058),
    ];
    for some in [
        moved(AddMonths, Day("2024-01-31"), 1, Some("2024-02-29")),
        moved(AddMonths, Day("9999-12-01"), 1, None),
        moved(AddMonths, Day("0001-01-31"), -1, None),
        moved(AddMonths, Day("2024-01-31"), MIN, None),
        moved(AddMonths, Day("0001-01-31"), 119_987, Some("9999-12-31")),
        moved(AddDays, Day("9999-12-31"), 1, None),
        moved(AddDays, Day("9999-12-31"), -3_652_058, Some("0001-01-01")),
        moved(AddDays, Day("9999-12-31"), -3_652_059, None),
        moved(AddDays, Day("2024-01-31"), MAX, None),
    ] {
        cases.extend(some);
    }
    cases
}

impl Moment {
    /// A second before midnight, where the session's zone would count the next day.
    fn at(day: &str) -> Option<Value> {
        let day = calendar::parse_date(day).unwrap();
        Some(Value::Timestamp(calendar::moment(day, calendar::DAY - 1_000_000)))
    }
}

/// Specification: the value of every case is the one written here, for the evaluator and for PostgreSQL, with operands as
/// columns and with all but one as constants. The time zone of the session is not UTC.
#[test]
fn every_case_has_its_value() {
    let cases: Vec<Case> = [integers(), numbers(), casts(), texts(), dates()].into_iter().flatten().collect();
    let kinds: Vec<Type> = TYPES.iter().flat_map(|kind| [*kind; WIDTH]).collect();
    let mut columns = vec![vec![None; cases.len()]; kinds.len()];
    let place = |case: &Case, operand: usize| {
        let kind = case.operands[operand].0;
        let before = case.operands[..operand].iter().filter(|other| other.0 == kind).count();
        TYPES.iter().position(|other| *other == kind).unwrap() * WIDTH + before
    };
    for (row, case) in cases.iter().enumerate() {
        for (operand, (_, value)) in case.operands.iter().enumerate() {
            columns[place(case, operand)][row] = value.clone();
        }
    }
    let arrays: Vec<_> = kinds.iter().zip(&columns).map(|(kind, column)| array_of(*kind, column)).collect();
    let rows = Rows::new(&kinds, columns.clone());
    let mut all = Vec::new();
    for (row, case) in cases.iter().enumerate() {
        let constant = |(kind, value): &(Type, Option<Value>)| match value {
            Some(value) => Scalar::Constant(value.clone()),
            None => Scalar::Null(*kind),
        };
        let variant = |is_column: &dyn Fn(usize) -> bool| {
            let operand = |at: usize| match is_column(at) {
                true => Scalar::Column(place(case, at)),
                false => constant(&case.operands[at]),
            };
            (case.build)((0..case.operands.len()).map(operand).collect())
        };
        let mut variants = vec![variant(&|_| true)];
        if case.operands.len() > 1 {
            variants.extend((0..case.operands.len()).map(|only| variant(&|at| at == only)));
        }
        for scalar in &variants {
            let got = values_of(&pointillist_engine::evaluate(scalar, &arrays, cases.len())).remove(row);
            assert!(is_same(&got, &case.expected), "{scalar:?} is {got:?}, not {:?}", case.expected);
        }
        all.extend(variants);
    }
    let Some(rows) = rows else { return };
    all.chunks(8).for_each(|some| rows.compare(some));
    println!("compared {} expressions of {} cases over {} rows", all.len(), cases.len(), rows.count());
}

/// Specification: what PostgreSQL cannot do as the evaluator does is refused by name.
#[test]
fn what_cannot_be_faithful_is_refused() {
    let lower = |scalar: &Scalar| -> Result<(), Refusal> {
        let mut stage = Stage::over(crate::Dialect::Postgres, &[Type::Number, Type::Text, Type::Date]);
        super::super::lower(&mut stage, scalar).map(|_| ())
    };
    let number = || Box::new(Scalar::Column(0));
    let like = |pattern: &str| Scalar::Like {
        value: Box::new(Scalar::Column(1)),
        pattern: pattern.to_owned(),
        escape: None,
        ignore_case: false,
    };
    for (scalar, what) in [
        (Scalar::Arithmetic(Arithmetic::Remainder, number(), number()), "remainder"),
        (Scalar::Call(Function::Power, vec![*number(), *number()]), "power"),
        (Scalar::Cast(number(), Type::Text), "digits"),
        (like(&"%a".repeat(9)), "more than 8 `%`"),
        (like("a\0"), "U+0000"),
        (Scalar::Call(Function::Concat, vec![Scalar::Column(1), text("\0")]), "U+0000"),
        (Scalar::Call(Function::Concat, vec![Scalar::Column(1), text(&"a".repeat(10_001))]), "10,000"),
    ] {
        let refusal = lower(&scalar).expect_err(what).to_string();
        assert!(refusal.contains(what), "{refusal}");
    }
    assert!(lower(&like("%a%")).is_ok());
}

fn text(text: &str) -> Scalar {
    Scalar::Constant(Value::Text(text.to_owned()))
}

/// Specification: the deepest and the widest expressions that have a type are lowered and run, or are refused.
#[test]
fn deep_and_wide_expressions_run_or_are_refused() {
    let numbers = vec![Some(Value::Number(1.5)), None];
    let texts = vec![Some(Value::Text("a".repeat(30))), None];
    let Some(rows) = Rows::new(&[Type::Number, Type::Text], vec![numbers, texts]) else { return };
    let deep = |levels: usize| {
        (0..levels).fold(Scalar::Column(0), |inner, _| {
            Scalar::Arithmetic(Arithmetic::Multiply, Box::new(inner), Box::new(Scalar::Column(0)))
        })
    };
    rows.compare(&[deep(100)]);
    let mut stage = Stage::over(crate::Dialect::Postgres, &[Type::Number, Type::Text]);
    assert!(super::super::lower(&mut stage, &deep(298)).is_err());
    let absolute = (0..298).fold(Scalar::Column(0), |inner, _| Scalar::Call(Function::Absolute, vec![inner]));
    let wide = Scalar::Call(Function::Concat, vec![Scalar::Column(1); 500]);
    let any = Scalar::Any(vec![Scalar::IsNull(Box::new(Scalar::Column(0))); 4_000]);
    rows.compare(&[absolute, wide, any]);
}
