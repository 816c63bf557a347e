//! `to_date` and `to_timestamp` of a written text: a day or a moment, read by a template when the question is planned.
//!
//! Templates are made of `YYYY MM DD HH24 MI SS MS US`, each once, and of signs that stand for themselves; the text has to have
//! exactly these digits. PostgreSQL reads many other texts, some of them in surprising ways: those are refused.

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{self, Civil};
use pointillist_plan::{Scalar, Type};

use crate::coercion::{Typed, cast};
use crate::refusal::{Refusal, shown};

/// The parts of a template, the longer names first, and how many digits each has.
const PARTS: [(&str, usize); 8] =
    [("YYYY", 4), ("HH24", 2), ("MM", 2), ("DD", 2), ("MI", 2), ("SS", 2), ("MS", 3), ("US", 6)];
/// What a column may be read by: as a cast reads it.
const ISO_DATE: &str = "YYYY-MM-DD";

/// `to_date(text, template)`.
pub(crate) fn to_date(text: Typed, template: &str) -> Result<Typed, Refusal> {
    match &text.scalar {
        Scalar::Constant(Value::Text(written)) => {
            let (day, _) = read(written, template).ok_or_else(|| unreadable(written, template))?;
            Ok(Typed::constant(Value::Date(day)))
        }
        _ if text.kind.is_none() => Ok(Typed::new(Scalar::Null(Type::Date), Type::Date)),
        _ if template.eq_ignore_ascii_case(ISO_DATE) && text.kind == Some(Type::Text) => {
            cast(text, Type::Date)
        }
        _ => Err(Refusal::not_provable(
            format!("to_date() reads a text that is written in the statement, or a column as {ISO_DATE}"),
            "ask the owner for a column of dates, or write CAST(x AS date)",
        )),
    }
}

/// `to_timestamp(text, template)`.
pub(crate) fn to_timestamp(text: Typed, template: &str) -> Result<Typed, Refusal> {
    match &text.scalar {
        Scalar::Constant(Value::Text(written)) => {
            let (day, micros) = read(written, template).ok_or_else(|| unreadable(written, template))?;
            Ok(Typed::constant(Value::Timestamp(calendar::moment(day, micros))))
        }
        _ if text.kind.is_none() => Ok(Typed::new(Scalar::Null(Type::Timestamp), Type::Timestamp)),
        _ => Err(written_only()),
    }
}

/// `to_timestamp(seconds)`: of seconds that are written in the statement.
pub(crate) fn of_seconds(seconds: Typed) -> Result<Typed, Refusal> {
    const MICROS: f64 = 1e6;
    let micros = match seconds.scalar {
        Scalar::Constant(Value::Integer(seconds)) => seconds.checked_mul(1_000_000),
        // The nearest microsecond; the cast saturates, and what is beyond the calendar is refused below.
        Scalar::Constant(Value::Number(seconds)) => Some((seconds * MICROS).round() as i64),
        _ => return Err(written_only()),
    };
    let micros = micros.filter(|micros| calendar::split(*micros).is_some());
    micros.map(|micros| Typed::constant(Value::Timestamp(micros))).ok_or_else(|| {
        Refusal::parameter(
            "to_timestamp() leaves the calendar",
            "write seconds since 1970, such as 1700000000",
        )
    })
}

fn written_only() -> Refusal {
    Refusal::not_provable(
        "to_timestamp() takes what is written in the statement",
        "write a constant, or ask the owner for a column of timestamps",
    )
}

fn unreadable(text: &str, template: &str) -> Refusal {
    Refusal::parameter(
        format!("'{}' cannot be read as '{}'", shown(text), shown(template)),
        "write to_date('2026-12-31', 'YYYY-MM-DD') or to_timestamp('2026-12-31 23:59:59', 'YYYY-MM-DD HH24:MI:SS')",
    )
}

/// The day and the microseconds of a text. Month and day are 1, and the time is midnight, where the template has none.
fn read(text: &str, template: &str) -> Option<(i32, i64)> {
    let (mut rest, mut template) = (text.trim(), template.trim());
    let mut found: [Option<i64>; PARTS.len()] = [None; PARTS.len()];
    while let Some(sign) = template.chars().next() {
        let part = PARTS.iter().position(|(name, _)| {
            template.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        });
        match part {
            Some(part) => {
                let (name, digits) = PARTS[part];
                let number =
                    rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
                if found[part].replace(number.parse().ok()?).is_some() {
                    return None;
                }
                (rest, template) = (&rest[digits..], &template[name.len()..]);
            }
            None if sign.is_alphanumeric() => return None,
            None => {
                rest = rest.strip_prefix(sign)?;
                template = &template[sign.len_utf8()..];
            }
        }
    }
    let [year, hour, month, day, minute, second, millis, micros] = found;
    let within = |value: Option<i64>, end: i64| Some(value.unwrap_or(0)).filter(|value| *value < end);
    let small = |value: i64| i32::try_from(value).ok();
    let civil =
        Civil { year: small(year?)?, month: small(month.unwrap_or(1))?, day: small(day.unwrap_or(1))? };
    let seconds = (within(hour, 24)? * 60 + within(minute, 60)?) * 60 + within(second, 60)?;
    let micros = seconds * 1_000_000 + millis.unwrap_or(0) * 1_000 + micros.unwrap_or(0);
    (rest.is_empty() && !(millis.is_some() && found[7].is_some())).then_some(())?;
    Some((calendar::days(civil)?, micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_moment(text: &str, template: &str) -> Option<String> {
        read(text, template).map(|(day, micros)| calendar::timestamp_text(calendar::moment(day, micros)))
    }

    #[test]
    fn templates_of_tools_are_read_and_others_are_not() {
        for (text, template, moment) in [
            ("2024-01-31", "YYYY-MM-DD", "2024-01-31T00:00:00"),
            ("2024-02-01 13:14:15.000016", "YYYY-MM-DD HH24:MI:SS.US", "2024-02-01T13:14:15.000016"),
            ("20240201", "yyyymmdd", "2024-02-01T00:00:00"),
            ("2024", "YYYY", "2024-01-01T00:00:00"),
            (" 2024-02-01 00:00:00.250 ", "YYYY-MM-DD HH24:MI:SS.MS", "2024-02-01T00:00:00.25"),
        ] {
            assert_eq!(shown_moment(text, template).as_deref(), Some(moment), "{text} {template}");
        }
        for (text, template) in [
            ("2024-02-30", "YYYY-MM-DD"),
            ("2024-13-01", "YYYY-MM-DD"),
            ("2024-1-1", "YYYY-MM-DD"),
            ("2024-01-01x", "YYYY-MM-DD"),
            ("2024-01-01", "YYYY/MM/DD"),
            ("01", "MM"),
            ("2024-01-01 24:00:00", "YYYY-MM-DD HH24:MI:SS"),
            ("2024 2024", "YYYY YYYY"),
            ("Jan 2024", "Mon YYYY"),
            ("2024é", "YYYY"),
            ("２０２４", "YYYY"),
            ("", ""),
        ] {
            assert_eq!(shown_moment(text, template), None, "{text} {template}");
        }
    }
}
