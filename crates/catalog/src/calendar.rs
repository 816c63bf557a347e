//! Days and moments as people write them, and as columns hold them.
//!
//! The calendar is the proleptic Gregorian one, from year 1 to year 9999, without time zones or leap seconds.
//! The arithmetic is Howard Hinnant's `days_from_civil` and its inverse.

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;
/// The first and the last day: 0001-01-01 and 9999-12-31, in days since 1970-01-01.
pub const DAYS: (i32, i32) = (-719_162, 2_932_896);

/// The days from 1970-01-01 to a date written `2026-12-31`.
pub fn parse_date(text: &str) -> Option<i32> {
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

/// The microseconds from 1970-01-01T00:00:00 to a moment written `2026-12-31T23:59:59.5`, or with a blank in
/// place of the `T`.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let date = parse_date(text.get(..10)?)?;
    let bytes = text.as_bytes();
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
    Some(i64::from(date) * DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
}

/// A day as `2026-12-31`.
pub fn date_text(days: i32) -> String {
    let (year, month, day) = civil_from_days(i64::from(days));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment as `2026-12-31T23:59:59`, with as many places as it needs.
pub fn timestamp_text(micros: i64) -> String {
    let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let (year, month, day) = civil_from_days(days);
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        text.push_str(format!(".{fraction:06}").trim_end_matches('0'));
    }
    text
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

/// The days from 1970-01-01 to a year, a month and a day; those of no calendar day are some other day's.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The year, the month and the day that a number of days from 1970-01-01 is.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_have_their_numbers() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2020-01-01", 18_262),
            ("2026-12-31", 20_818),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(parse_date(text), Some(days), "{text}");
            assert_eq!(date_text(days), text);
        }
    }

    #[test]
    fn days_of_the_whole_calendar_come_back() {
        // 97 has no factor in common with the lengths of years and cycles: every kind of day is visited.
        for days in (-719_162..=2_932_896).step_by(97) {
            assert_eq!(parse_date(&date_text(days)), Some(days));
        }
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in [
            "2021-02-29",
            "1900-02-29",
            "2020-13-01",
            "2020-00-10",
            "2020-01-00",
            "2020-1-1",
            "0000-01-01",
            "",
            "２０２０-01-01",
            "2020-01-01 ",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_counted_in_microseconds() {
        for (text, micros) in [
            ("1970-01-01T00:00:00", 0),
            ("1969-12-31T23:59:59.999999", -1),
            ("2020-01-01T12:30:15.5", 18_262 * DAY + 45_015_500_000),
        ] {
            assert_eq!(parse_timestamp(text), Some(micros), "{text}");
            assert_eq!(timestamp_text(micros), text);
        }
        assert_eq!(parse_timestamp("2020-01-01 12:30"), parse_timestamp("2020-01-01T12:30:00"));
        for text in [
            "2020-01-01",
            "2020-01-01T24:00:00",
            "2020-01-01T23:59:60",
            "2020-01-01T00:00:00Z",
            "2020-01-01T00:00:00.1234567",
            "2020-01-01T00:00:00.",
            "2020-01-01T00-00",
            "2020-01-0１T00:00",
        ] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
