//! Days and moments: read from literals, cut down to their units, listed between bounds.
//!
//! The calendar is the proleptic Gregorian one, from year 1 to year 9999, without time zones or leap seconds.
//! The arithmetic is Howard Hinnant's `days_from_civil` and its inverse.

use crate::scalar::DatePart;

/// Microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;

/// The days from 1970-01-01 to a date written `2026-12-31`.
pub(crate) fn parse_date(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(&bytes[..4])?, digits(&bytes[5..7])?, digits(&bytes[8..])?);
    let days = days_from_civil(year, month, day);
    // A day that does not exist, such as the 30th of February, comes back as another one.
    (year >= 1 && civil_from_days(days) == (year, month, day)).then_some(())?;
    i32::try_from(days).ok()
}

/// The microseconds from 1970-01-01 to a moment written `2026-12-31 23:59:59.5`, a `T` allowed in between; a date
/// alone is its midnight.
pub(crate) fn parse_timestamp(text: &str) -> Option<i64> {
    let date = i64::from(parse_date(text.get(..10)?)?) * DAY;
    let bytes = text.as_bytes();
    if bytes.len() == 10 {
        return Some(date);
    }
    if bytes.len() < 16 || !matches!(bytes[10], b'T' | b't' | b' ') || bytes[13] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&bytes[11..13])?, digits(&bytes[14..16])?);
    let (second, fraction) = match &bytes[16..] {
        [] => (0, 0),
        [b':', a, b] => (digits(&[*a, *b])?, 0),
        [b':', a, b, b'.', rest @ ..] if (1..=6).contains(&rest.len()) => {
            let places = u32::try_from(rest.len()).expect("at most six");
            (digits(&[*a, *b])?, digits(rest)? * 10_i64.pow(6 - places))
        }
        _ => return None,
    };
    (hour < 24 && minute < 60 && second < 60).then_some(())?;
    Some(date + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
}

/// A day as `2026-12-31`.
pub(crate) fn date_text(days: i32) -> String {
    let (year, month, day) = civil_from_days(i64::from(days));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment as `2026-12-31 23:59:59`, with as many places as it needs.
pub(crate) fn timestamp_text(micros: i64) -> String {
    let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let (year, month, day) = civil_from_days(days);
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        text.push_str(format!(".{fraction:06}").trim_end_matches('0'));
    }
    text
}

/// The first and the last day of the calendar.
pub(crate) const DAYS: (i64, i64) = (-719_162, 2_932_896);

/// The year of a day; days outside the calendar count as its ends.
pub(crate) fn year_of(days: i64) -> i64 {
    civil_from_days(days.clamp(DAYS.0, DAYS.1)).0
}

/// The first day of the unit that a day lies in; `None` for parts that are no unit of days.
pub(crate) fn truncate_day(days: i64, part: DatePart) -> Option<i64> {
    let (year, month, _) = civil_from_days(days);
    match part {
        DatePart::Year => Some(days_from_civil(year, 1, 1)),
        DatePart::Quarter => Some(days_from_civil(year, (month - 1) / 3 * 3 + 1, 1)),
        DatePart::Month => Some(days_from_civil(year, month, 1)),
        // 1970-01-01 was a Thursday, three days after a Monday.
        DatePart::Week => Some(days - (days + 3).rem_euclid(7)),
        DatePart::Day => Some(days),
        _ => None,
    }
}

/// The microseconds of a unit shorter than a day.
pub(crate) fn unit_micros(part: DatePart) -> Option<i64> {
    match part {
        DatePart::Hour => Some(3_600_000_000),
        DatePart::Minute => Some(60_000_000),
        DatePart::Second => Some(1_000_000),
        _ => None,
    }
}

/// The first days of all units that meet a range of days, in order, if there are no more than `most`.
pub(crate) fn truncated_days(first: i64, last: i64, part: DatePart, most: usize) -> Option<Vec<i64>> {
    let (first, last) = (first.clamp(DAYS.0, DAYS.1), last.clamp(DAYS.0, DAYS.1));
    let mut day = truncate_day(first, part)?;
    let mut days = Vec::new();
    while day <= last {
        if days.len() == most {
            return None;
        }
        days.push(day);
        let longest = match part {
            DatePart::Year => 366,
            DatePart::Quarter => 92,
            DatePart::Month => 31,
            DatePart::Week => 7,
            _ => 1,
        };
        // The longest unit reaches into the next one, never past it.
        day = truncate_day(day + longest, part)?;
    }
    Some(days)
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_their_days() {
        assert_eq!(parse_date("2020-01-01"), Some(18_262));
        assert_eq!(date_text(20_818), "2026-12-31");
        assert_eq!(parse_timestamp("2020-01-01"), Some(18_262 * DAY));
        assert_eq!(
            timestamp_text(parse_timestamp("2020-01-01T12:30:15.5").unwrap()),
            "2020-01-01 12:30:15.5"
        );
        for text in
            ["2021-02-29", "2020-1-1", "20200101", "2020-01-01 25:00", "é020-01-01", "2020-01-01é", ""]
        {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }

    /// Every unit starts in the list, each once, over four centuries of bounds.
    #[test]
    fn units_between_bounds_are_complete() {
        let (first, last) =
            (parse_date("1899-12-30").unwrap().into(), parse_date("2104-03-02").unwrap().into());
        for part in [DatePart::Year, DatePart::Quarter, DatePart::Month, DatePart::Week, DatePart::Day] {
            let listed = truncated_days(first, last, part, usize::MAX).unwrap();
            let mut seen: Vec<i64> = (first..=last).map(|day| truncate_day(day, part).unwrap()).collect();
            seen.dedup();
            assert_eq!(listed, seen, "{part:?}");
        }
        assert_eq!(truncated_days(0, 10, DatePart::Day, 10), None);
        assert_eq!(truncated_days(0, 10, DatePart::Hour, 10), None);
    }
}
