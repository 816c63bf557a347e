//! Days and moments as people write them: `2026-12-31`, `2026-12-31T23:59:59.5`.

use super::{Civil, civil_from_days, days, moment};

/// The day that is written `2026-12-31`.
pub fn parse_date(text: &str) -> Option<i32> {
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text.as_bytes() else { return None };
    days(Civil { year: digits(&[y0, y1, y2, y3])?, month: digits(&[m0, m1])?, day: digits(&[d0, d1])? })
}

/// The moment that is written `2026-12-31T23:59`, `2026-12-31T23:59:59` or `2026-12-31T23:59:59.5`, or with a blank in
/// place of the `T`.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let date = parse_date(text.get(..10)?)?;
    let [b' ' | b'T' | b't', h0, h1, b':', m0, m1, rest @ ..] = &text.as_bytes()[10..] else { return None };
    let (hour, minute) = (digits(&[*h0, *h1])?, digits(&[*m0, *m1])?);
    let (second, fraction) = match rest {
        [] => (0, 0),
        [b':', s0, s1] => (digits(&[*s0, *s1])?, 0),
        [b':', s0, s1, b'.', places @ ..] if (1..=6).contains(&places.len()) => {
            let mut padded = [b'0'; 6];
            padded[..places.len()].copy_from_slice(places);
            (digits(&[*s0, *s1])?, digits(&padded)?)
        }
        _ => return None,
    };
    (hour < 24 && minute < 60 && second < 60).then(|| {
        let seconds = i64::from((hour * 60 + minute) * 60 + second);
        moment(date, seconds * 1_000_000 + i64::from(fraction))
    })
}

/// A moment, or a day for its midnight.
pub fn parse_date_or_timestamp(text: &str) -> Option<i64> {
    match parse_date(text) {
        Some(days) => Some(moment(days, 0)),
        None => parse_timestamp(text),
    }
}

/// A day as `2026-12-31`.
pub fn date_text(days: i32) -> String {
    day_text(days.into())
}

/// A moment as `2026-12-31T23:59:59`, with as many places as it needs.
pub fn timestamp_text(micros: i64) -> String {
    moment_text(micros, 1_000_000)
}

/// A day as `2026-12-31`; days outside of the years 1 to 9999 as they come.
pub fn day_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days.clamp(-1 << 48, 1 << 48));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment as `2026-12-31T23:59:59.5`, from whole units since 1970 and the number of units in a second, a power of ten
/// up to 10^9.
pub fn moment_text(value: i64, per_second: i64) -> String {
    let per_day = per_second * 86_400;
    let (days, rest) = (value.div_euclid(per_day), value.rem_euclid(per_day));
    let (seconds, fraction) = (rest / per_second, rest % per_second);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{}T{hour:02}:{minute:02}:{second:02}", day_text(days));
    if fraction > 0 {
        let nanos = fraction * (1_000_000_000 / per_second);
        text.push_str(format!(".{nanos:09}").trim_end_matches('0'));
    }
    text
}

/// At most six digits as a number.
fn digits(bytes: &[u8]) -> Option<i32> {
    bytes.iter().try_fold(0, |sofar, byte| byte.is_ascii_digit().then(|| sofar * 10 + i32::from(byte - b'0')))
}
