//! A second interpreter: one row, one value at a time, written from the language's definition and not from the
//! evaluator. Slow and plain; the calendar is another one (Fliegel and Van Flandern, 1968).

use std::cmp::Ordering;

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type};

type Cell = Option<Value>;

/// The value of a well-typed expression in one row.
pub(crate) fn interpret(scalar: &Scalar, row: &[Cell]) -> Cell {
    let of = |scalar: &Scalar| interpret(scalar, row);
    match scalar {
        Scalar::Column(position) => tidy(row[*position].clone()?),
        Scalar::Constant(value) => tidy(value.clone()),
        Scalar::Null(_) => None,
        Scalar::Not(inner) => Some(Value::Boolean(!boolean(of(inner))?)),
        Scalar::All(parts) => kleene(parts.iter().map(|part| boolean(of(part))).collect(), false),
        Scalar::Any(parts) => kleene(parts.iter().map(|part| boolean(of(part))).collect(), true),
        Scalar::Compare(how, left, right) => compare(*how, of(left), of(right)),
        Scalar::IsNull(inner) => Some(Value::Boolean(of(inner).is_none())),
        Scalar::Arithmetic(how, left, right) => match (of(left)?, of(right)?) {
            (Value::Integer(a), Value::Integer(b)) => integers(*how, a.into(), b.into()),
            (Value::Number(a), Value::Number(b)) => tidy(Value::Number(match how {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide => a / b,
                Arithmetic::Remainder => a % b,
            })),
            other => panic!("{other:?}"),
        },
        Scalar::Case(branches, last) => {
            for (condition, value) in branches {
                if of(condition) == Some(Value::Boolean(true)) {
                    return of(value);
                }
            }
            of(last)
        }
        Scalar::Like { value, pattern, escape, ignore_case } => {
            Some(Value::Boolean(like(&text(of(value))?, pattern, *escape, *ignore_case)))
        }
        Scalar::Cast(inner, kind) => cast(of(inner)?, *kind),
        Scalar::Call(function, arguments) => call(*function, &arguments.iter().map(of).collect::<Vec<_>>()),
    }
}

/// Numbers that do not exist are NULL; there is one zero.
fn tidy(value: Value) -> Cell {
    match value {
        Value::Number(number) => Value::number(number),
        value => Some(value),
    }
}

fn boolean(cell: Cell) -> Option<bool> {
    cell.map(|value| if let Value::Boolean(value) = value { value } else { panic!("{value:?}") })
}

fn integer(cell: &Cell) -> Option<i64> {
    cell.as_ref().map(|value| if let Value::Integer(value) = value { *value } else { panic!("{value:?}") })
}

fn number(cell: &Cell) -> Option<f64> {
    cell.as_ref().map(|value| if let Value::Number(value) = value { *value } else { panic!("{value:?}") })
}

fn text(cell: Cell) -> Option<String> {
    cell.map(|value| if let Value::Text(value) = value { value } else { panic!("{value:?}") })
}

fn kleene(parts: Vec<Option<bool>>, decides: bool) -> Cell {
    if parts.contains(&Some(decides)) {
        Some(Value::Boolean(decides))
    } else if parts.contains(&None) {
        None
    } else {
        Some(Value::Boolean(!decides))
    }
}

fn compare(how: Comparison, left: Cell, right: Cell) -> Cell {
    if how == Comparison::NotDistinct {
        return Some(Value::Boolean(left == right));
    }
    let order = left?.cmp(&right?);
    Some(Value::Boolean(match how {
        Comparison::Equal | Comparison::NotDistinct => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    }))
}

fn integers(how: Arithmetic, a: i128, b: i128) -> Cell {
    let exact = match how {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a.checked_div(b)?,
        Arithmetic::Remainder => a.checked_rem(b)?,
    };
    Some(Value::Integer(exact.clamp(i64::MIN.into(), i64::MAX.into()) as i64))
}

/// A table of all beginnings of the text against all beginnings of the pattern.
fn like(text: &str, pattern: &str, escape: Option<char>, ignore_case: bool) -> bool {
    let mut signs: Vec<(char, bool)> = Vec::new();
    let mut escaped = false;
    for sign in pattern.chars() {
        if !escaped && Some(sign) == escape {
            escaped = true;
        } else {
            signs.push((sign, escaped));
            escaped = false;
        }
    }
    if escaped {
        signs.extend(escape.map(|escape| (escape, true)));
    }
    let mut matched = vec![true];
    for &(sign, literal) in &signs {
        matched.push(matched[matched.len() - 1] && sign == '%' && !literal);
    }
    for character in text.chars() {
        let mut next = vec![false];
        for (at, &(sign, literal)) in signs.iter().enumerate() {
            next.push(match sign {
                '%' if !literal => next[at] || matched[at + 1],
                '_' if !literal => matched[at],
                sign => {
                    let same =
                        if ignore_case { sign.eq_ignore_ascii_case(&character) } else { sign == character };
                    same && matched[at]
                }
            });
        }
        matched = next;
    }
    matched[signs.len()]
}

fn call(function: Function, cells: &[Cell]) -> Cell {
    match function {
        Function::Absolute => match cells[0].clone()? {
            Value::Integer(value) => Some(Value::Integer(value.checked_abs().unwrap_or(i64::MAX))),
            value => tidy(Value::Number(number(&Some(value))?.abs())),
        },
        Function::Sign => match cells[0].clone()? {
            Value::Integer(value) => Some(Value::Integer((value > 0) as i64 - (value < 0) as i64)),
            value => {
                let value = number(&Some(value))?;
                Some(Value::Number(if value == 0.0 { 0.0 } else { value.signum() }))
            }
        },
        Function::Floor => tidy(Value::Number(number(&cells[0])?.floor())),
        Function::Ceiling => tidy(Value::Number(number(&cells[0])?.ceil())),
        Function::SquareRoot => tidy(Value::Number(number(&cells[0])?.sqrt())),
        Function::Exponential => tidy(Value::Number(number(&cells[0])?.exp())),
        Function::NaturalLogarithm => tidy(Value::Number(number(&cells[0])?.ln())),
        Function::CommonLogarithm => tidy(Value::Number(number(&cells[0])?.log10())),
        Function::Power => tidy(Value::Number(number(&cells[0])?.powf(number(&cells[1])?))),
        Function::Round => round(number(&cells[0])?, integer(&cells[1])?),
        Function::Least => cells.iter().flatten().min().cloned(),
        Function::Greatest => cells.iter().flatten().max().cloned(),
        Function::Coalesce => cells.iter().flatten().next().cloned(),
        Function::NullIf => cells[0].clone().filter(|value| Some(value) != cells[1].as_ref()),
        Function::Lower => {
            Some(Value::Text(text(cells[0].clone())?.chars().map(|c| c.to_ascii_lowercase()).collect()))
        }
        Function::Upper => {
            Some(Value::Text(text(cells[0].clone())?.chars().map(|c| c.to_ascii_uppercase()).collect()))
        }
        Function::Trim => {
            let mut text = text(cells[0].clone())?;
            while text.ends_with(' ') {
                text.pop();
            }
            while text.starts_with(' ') {
                text.remove(0);
            }
            Some(Value::Text(text))
        }
        Function::Length => Some(Value::Integer(text(cells[0].clone())?.chars().count() as i64)),
        Function::Substring => {
            let (text, start) = (text(cells[0].clone())?, i128::from(integer(&cells[1])?));
            let end = match cells.get(2) {
                None => i128::MAX,
                Some(count) => start + i128::from(integer(count).filter(|count| *count >= 0)?),
            };
            let inside = |(position, c): (i128, char)| (start <= position && position < end).then_some(c);
            Some(Value::Text((1..).zip(text.chars()).filter_map(inside).collect()))
        }
        Function::Concat => {
            let mut all: String = cells.iter().filter_map(|cell| text(cell.clone())).collect();
            while all.len() > 10_000 {
                all.pop();
            }
            Some(Value::Text(all))
        }
        Function::StartsWith => {
            let (text, beginning) = (text(cells[0].clone())?, text(cells[1].clone())?);
            Some(Value::Boolean(text.as_bytes().get(..beginning.len()) == Some(beginning.as_bytes())))
        }
        Function::Position => {
            let (text, part) = (text(cells[0].clone())?, text(cells[1].clone())?);
            let begins = |at: &usize| text.as_bytes()[*at..].starts_with(part.as_bytes());
            let at = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).position(|at| begins(&at));
            Some(Value::Integer(at.map_or(0, |at| at as i64 + 1)))
        }
        Function::Epoch => {
            let (days, micros) = moment(cells[0].clone()?)?;
            let micros = i128::from(days) * i128::from(DAY) + i128::from(micros);
            Some(Value::Number(micros as f64 / 1_000_000.0))
        }
        Function::DatePart(part) => {
            let (days, micros) = moment(cells[0].clone()?)?;
            date_part(part, days, micros).map(Value::Integer)
        }
        Function::DateTruncate(part) => {
            let value = cells[0].clone()?;
            let (days, micros) = truncate(part, moment(value.clone())?)?;
            Some(match value {
                Value::Date(_) => Value::Date(days as i32),
                _ => Value::Timestamp(days * DAY + micros),
            })
        }
        Function::WidthBucket => bucket(
            number(&cells[0])?,
            number(&cells[1])?,
            number(&cells[2])?,
            integer(&cells[3]).filter(|count| *count > 0)?,
        ),
        Function::AddDays => {
            let value = cells[0].clone()?;
            let (days, micros) = moment(value.clone())?;
            let day = date((i128::from(days) + i128::from(integer(&cells[1])?)).try_into().ok()?);
            at_time(day?, value, micros)
        }
        Function::AddMonths => {
            let value = cells[0].clone()?;
            let (days, micros) = moment(value.clone())?;
            let (year, month, day) = civil(days);
            let months = i128::from(year) * 12 + i128::from(month - 1) + i128::from(integer(&cells[1])?);
            let (year, month) = (months.div_euclid(12), months.rem_euclid(12) as i64 + 1);
            (1..=9999).contains(&year).then_some(())?;
            let year = year as i64;
            // The last of its days that is still in the month.
            let last = (0..4).map(|less| julian(year, month, day - less));
            at_time(date(last.into_iter().find(|days| civil(*days).1 == month)?)?, value, micros)
        }
        Function::DaysBetween => {
            Some(Value::Integer(moment(cells[0].clone()?)?.0 - moment(cells[1].clone()?)?.0))
        }
    }
}

/// A day in the type of the value that it was computed from, at the same time.
fn at_time(day: Value, like: Value, micros: i64) -> Cell {
    Some(match (day, like) {
        (Value::Date(day), Value::Timestamp(_)) => Value::Timestamp(i64::from(day) * DAY + micros),
        (day, _) => day,
    })
}

fn round(value: f64, places: i64) -> Cell {
    if places > 308 {
        return Some(Value::Number(value));
    }
    if places < -308 {
        return Some(Value::Number(0.0));
    }
    let scale: f64 = format!("1e{}", places.abs()).parse().unwrap();
    let rounded = match places < 0 {
        true => (value / scale).round() * scale,
        false if (value * scale).abs() >= 2f64.powi(52) => value,
        false => (value * scale).round() / scale,
    };
    tidy(Value::Number(rounded))
}

fn bucket(value: f64, lower: f64, upper: f64, count: i64) -> Cell {
    if lower >= upper {
        return None;
    }
    let bucket = match value {
        value if value < lower => 0,
        value if value >= upper => i128::from(count) + 1,
        value => {
            let halves = if (upper - lower).is_finite() { 1.0 } else { 2.0 };
            let part = (value / halves - lower / halves) / (upper / halves - lower / halves);
            1 + ((part * count as f64).floor() as i128).min(i128::from(count) - 1)
        }
    };
    Some(Value::Integer(bucket.min(i64::MAX.into()) as i64))
}

const DAY: i64 = 86_400_000_000;

/// Days since 1970 of a name; days beyond a month's end run into the next.
fn julian(year: i64, month: i64, day: i64) -> i64 {
    let a = (month - 14) / 12;
    day - 32_075 + 1461 * (year + 4800 + a) / 4 + 367 * (month - 2 - a * 12) / 12
        - 3 * ((year + 4900 + a) / 100) / 4
        - 2_440_588
}

fn civil(days: i64) -> (i64, i64, i64) {
    let l = days + 2_440_588 + 68_569;
    let n = 4 * l / 146_097;
    let l = l - (146_097 * n + 3) / 4;
    let i = 4000 * (l + 1) / 1_461_001;
    let l = l - 1461 * i / 4 + 31;
    let j = 80 * l / 2447;
    (100 * (n - 49) + i + j / 11, j + 2 - 12 * (j / 11), l - 2447 * j / 80)
}

/// The day, if it is in the calendar.
fn date(days: i64) -> Cell {
    (julian(1, 1, 1)..=julian(9999, 12, 31)).contains(&days).then_some(Value::Date(days as i32))
}

fn moment(value: Value) -> Option<(i64, i64)> {
    let (days, micros) = match value {
        Value::Date(days) => (i64::from(days), 0),
        Value::Timestamp(micros) => (micros.div_euclid(DAY), micros.rem_euclid(DAY)),
        other => panic!("{other:?}"),
    };
    date(days).map(|_| (days, micros))
}

fn date_part(part: DatePart, days: i64, micros: i64) -> Option<i64> {
    let (year, month, day) = civil(days);
    Some(match part {
        DatePart::Year => year,
        DatePart::Quarter => (month + 2) / 3,
        DatePart::Month => month,
        DatePart::Week => {
            // Week one is the one with January 4th.
            let monday = |days: i64| days - (days + 3).rem_euclid(7);
            let first = |year| monday(julian(year, 1, 4));
            let year = (year - 1..=year + 1).rev().find(|year| first(*year) <= days)?;
            (monday(days) - first(year)) / 7 + 1
        }
        DatePart::Day => day,
        DatePart::DayOfWeek => (days + 4).rem_euclid(7),
        DatePart::DayOfYear => days - julian(year, 1, 1) + 1,
        DatePart::Hour => micros / 1_000_000 / 60 / 60,
        DatePart::Minute => micros / 1_000_000 / 60 % 60,
        DatePart::Second => micros / 1_000_000 % 60,
    })
}

fn truncate(part: DatePart, (days, micros): (i64, i64)) -> Option<(i64, i64)> {
    let (year, month, _) = civil(days);
    Some(match part {
        DatePart::Year => (julian(year, 1, 1), 0),
        DatePart::Quarter => (julian(year, [1, 4, 7, 10][(month as usize - 1) / 3], 1), 0),
        DatePart::Month => (julian(year, month, 1), 0),
        DatePart::Week => (days - (days + 3).rem_euclid(7), 0),
        DatePart::Day => (days, 0),
        DatePart::Hour => (days, micros / 3_600_000_000 * 3_600_000_000),
        DatePart::Minute => (days, micros / 60_000_000 * 60_000_000),
        DatePart::Second => (days, micros / 1_000_000 * 1_000_000),
        DatePart::DayOfWeek | DatePart::DayOfYear => return None,
    })
}

fn cast(value: Value, kind: Type) -> Cell {
    match (value, kind) {
        (Value::Boolean(value), Type::Boolean) => Some(Value::Boolean(value)),
        (Value::Boolean(value), Type::Integer) => Some(Value::Integer(if value { 1 } else { 0 })),
        (Value::Boolean(value), Type::Number) => Some(Value::Number(if value { 1.0 } else { 0.0 })),
        (Value::Boolean(value), Type::Text) => Some(Value::Text(value.to_string())),
        (Value::Integer(value), Type::Boolean) => Some(Value::Boolean(value != 0)),
        (Value::Integer(value), Type::Integer) => Some(Value::Integer(value)),
        (Value::Integer(value), Type::Number) => Some(Value::Number(value as f64)),
        (Value::Integer(value), Type::Text) => Some(Value::Text(value.to_string())),
        (Value::Number(value), Type::Boolean) => Some(Value::Boolean(value != 0.0)),
        (Value::Number(value), Type::Integer) => half_to_even(value).map(Value::Integer),
        (Value::Number(value), Type::Number) => Some(Value::Number(value)),
        (Value::Number(value), Type::Text) => Some(Value::Text(shortest(value))),
        (Value::Text(value), kind) => read(&value, kind),
        (value @ Value::Date(_), Type::Date) | (value @ Value::Timestamp(_), Type::Timestamp) => Some(value),
        (value @ Value::Date(_), Type::Timestamp) => Some(Value::Timestamp(moment(value)?.0 * DAY)),
        (value @ Value::Timestamp(_), Type::Date) => date(moment(value)?.0),
        (value @ Value::Date(_), Type::Text) => {
            let (year, month, day) = civil(moment(value)?.0);
            Some(Value::Text(format!("{year:04}-{month:02}-{day:02}")))
        }
        (value @ Value::Timestamp(_), Type::Text) => {
            let (days, micros) = moment(value)?;
            let (year, month, day) = civil(days);
            let part = |part| date_part(part, days, micros).unwrap();
            let (hour, minute) = (part(DatePart::Hour), part(DatePart::Minute));
            let seconds = format!("{:09.6}", (micros % 60_000_000) as f64 / 1e6);
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            let seconds = format!("{seconds:0<2}");
            Some(Value::Text(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{seconds}")))
        }
        (_, _) => None,
    }
}

fn half_to_even(value: f64) -> Option<i64> {
    let floor = value.floor();
    let rest = value - floor;
    let up = rest > 0.5 || rest == 0.5 && floor % 2.0 != 0.0;
    let whole = if up { floor + 1.0 } else { floor };
    (whole >= -(2f64.powi(63)) && whole < 2f64.powi(63)).then_some(whole as i64)
}

/// The digits of the shortest notation, put together by hand.
fn shortest(value: f64) -> String {
    let scientific = format!("{:e}", value.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let sign = if value < 0.0 { "-" } else { "" };
    if !(-4..15).contains(&exponent) {
        return format!("{sign}{digits}e{exponent:+03}");
    }
    let mut digits: String = digits.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        digits.insert_str(0, &"0".repeat(exponent.unsigned_abs() as usize));
        digits.insert(1, '.');
    } else {
        let before = exponent as usize + 1;
        match digits.len() > before {
            true => digits.insert(before, '.'),
            false => digits.push_str(&"0".repeat(before - digits.len())),
        }
    }
    format!("{sign}{digits}")
}

fn read(text: &str, kind: Type) -> Cell {
    let bare = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    match kind {
        Type::Text => Some(Value::Text(text.to_owned())),
        Type::Boolean => {
            let means = |words: [&str; 4]| {
                let word = bare.to_ascii_lowercase();
                !["", "o"].contains(&word.as_str()) && words.iter().any(|w| w.starts_with(&word))
            };
            match (means(["true", "yes", "on", "1"]), means(["false", "no", "off", "0"])) {
                (true, false) => Some(Value::Boolean(true)),
                (false, true) => Some(Value::Boolean(false)),
                _ => None,
            }
        }
        Type::Integer => {
            let digits = bare.strip_prefix(['+', '-']).unwrap_or(bare);
            (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(())?;
            let magnitude = digits.bytes().try_fold(0i128, |sofar, b| {
                Some(sofar * 10 + i128::from(b - b'0')).filter(|sofar| *sofar <= 1 << 64)
            })?;
            let signed = if bare.starts_with('-') { -magnitude } else { magnitude };
            i64::try_from(signed).ok().map(Value::Integer)
        }
        Type::Number => bare.parse().ok().and_then(Value::number),
        Type::Date => moment(read(text, Type::Timestamp)?).and_then(|(days, _)| date(days)),
        Type::Timestamp => {
            let field = |from: usize, to: usize| {
                let digits = bare.get(from..to)?;
                digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>().unwrap())
            };
            let sign = |at: usize, signs: &str| bare.get(at..at + 1).is_some_and(|sign| signs.contains(sign));
            let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
            let days = julian(year, month, day);
            (sign(4, "-") && sign(7, "-") && civil(days) == (year, month, day)).then_some(())?;
            date(days)?;
            let (mut hour, mut minute, mut second, mut fraction) = (0, 0, 0, 0);
            if bare.len() > 10 {
                (sign(10, " tT") && sign(13, ":")).then_some(())?;
                (hour, minute) = (field(11, 13)?, field(14, 16)?);
            }
            if bare.len() > 16 {
                sign(16, ":").then_some(())?;
                second = field(17, 19)?;
            }
            if bare.len() > 19 {
                (sign(19, ".") && (21..=26).contains(&bare.len())).then_some(())?;
                fraction = field(20, bare.len())? * 10i64.pow(26 - bare.len() as u32);
            }
            (hour < 24 && minute < 60 && second < 60).then_some(())?;
            Some(Value::Timestamp(days * DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction))
        }
    }
}
