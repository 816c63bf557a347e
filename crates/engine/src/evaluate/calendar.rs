//! Days and moments in the proleptic Gregorian calendar of years 1 to 9999, without zones or leap seconds.
//!
//! Every function is total: a day or moment outside that calendar has no parts and is `None`.
//! **Source.** Howard Hinnant's `days_from_civil` and its inverse; the tests go through every day.

/// 0001-01-01, a Monday.
pub(super) const FIRST_DAY: i32 = -719_162;
/// 9999-12-31, a Friday.
pub(super) const LAST_DAY: i32 = 2_932_896;
/// Microseconds of a day.
pub(super) const DAY_MICROS: i64 = 86_400_000_000;

/// A day by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Civil {
    pub(super) year: i32,
    pub(super) month: i32,
    pub(super) day: i32,
}

/// A day of the calendar, in days since 1970-01-01.
pub(super) fn in_calendar(days: i64) -> Option<i32> {
    i32::try_from(days).ok().filter(|days| (FIRST_DAY..=LAST_DAY).contains(days))
}

/// The day and the microseconds of a moment.
pub(super) fn split(micros: i64) -> Option<(i32, i64)> {
    Some((in_calendar(micros.div_euclid(DAY_MICROS))?, micros.rem_euclid(DAY_MICROS)))
}

/// The moment so many microseconds into a day of the calendar.
pub(super) fn joined(days: i32, micros: i64) -> i64 {
    i64::from(days) * DAY_MICROS + micros
}

/// The name of a day.
pub(super) fn civil(days: i32) -> Option<Civil> {
    // Days since 0000-03-01: years that begin in March end with the leap day.
    let days = in_calendar(i64::from(days))? + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    Some(Civil { year: era * 400 + year_of_era + i32::from(month <= 2), month, day })
}

/// The day of a name, if there is one.
pub(super) fn days(civil: Civil) -> Option<i32> {
    let Civil { year, month, day } = civil;
    let known = (1..=9999).contains(&year) && (1..=12).contains(&month);
    (known && (1..=month_length(year, month)).contains(&day)).then(|| {
        let year = year - i32::from(month <= 2);
        let (era, year_of_era) = (year / 400, year % 400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    })
}

/// The days of a month.
pub(super) fn month_length(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// 0 (Sunday) to 6; 1970-01-01 was a Thursday.
pub(super) fn day_of_week(days: i32) -> i32 {
    (days.rem_euclid(7) + 4) % 7
}

/// 1 to 366.
pub(super) fn day_of_year(at: Civil) -> i32 {
    (1..at.month).map(|month| month_length(at.year, month)).sum::<i32>() + at.day
}

/// The days since the last Monday, that day included.
pub(super) fn since_monday(days: i32) -> i32 {
    (day_of_week(days) + 6) % 7
}

/// The ISO week, 1 to 53: that of the Thursday in the same week, of which every year has as many as weeks.
pub(super) fn iso_week(on: i32) -> Option<i32> {
    let on = in_calendar(i64::from(on))?;
    let thursday = on - since_monday(on) + 3;
    // The last day of the calendar is a Friday, so every Thursday that is asked for has a name.
    Some((day_of_year(civil(thursday)?) - 1) / 7 + 1)
}

/// A day moved by months, its day cut to the month's last.
pub(super) fn add_months(from: i32, months: i64) -> Option<i32> {
    let Civil { year, month, day } = civil(from)?;
    let moved = (i64::from(year) * 12 + i64::from(month - 1)).checked_add(months)?;
    let year = i32::try_from(moved.div_euclid(12)).ok()?;
    let month = i32::try_from(moved.rem_euclid(12)).ok()? + 1;
    days(Civil { year, month, day: day.min(month_length(year, month)) })
}

/// A day written `2026-12-31`, or the day of a moment.
pub(super) fn parse_date(text: &str) -> Option<i32> {
    parse_timestamp(text).and_then(split).map(|(days, _)| days)
}

/// A moment written `2026-12-31 23:59`, `2026-12-31T23:59:59` or `2026-12-31 23:59:59.123456`; a day alone is its
/// midnight.
pub(super) fn parse_timestamp(text: &str) -> Option<i64> {
    let (date, time) = text.as_bytes().split_at_checked(10)?;
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = date else { return None };
    let days =
        days(Civil { year: digits(&[y0, y1, y2, y3])?, month: digits(&[m0, m1])?, day: digits(&[d0, d1])? })?;
    let (hour, minute, rest) = match time {
        [] => return Some(joined(days, 0)),
        [b' ' | b'T' | b't', h0, h1, b':', m0, m1, rest @ ..] => {
            (digits(&[*h0, *h1])?, digits(&[*m0, *m1])?, rest)
        }
        _ => return None,
    };
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
        joined(days, seconds * 1_000_000 + i64::from(fraction))
    })
}

/// At most six digits as a number.
fn digits(bytes: &[u8]) -> Option<i32> {
    bytes.iter().try_fold(0, |sofar, byte| byte.is_ascii_digit().then(|| sofar * 10 + i32::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> i32 {
        parse_date(text).unwrap()
    }

    /// Counted by hand, without a formula: 3,652,059 days.
    #[test]
    fn every_day_of_the_calendar_has_its_name_and_back() {
        let mut name = Civil { year: 1, month: 1, day: 1 };
        let (mut weekday, mut of_year) = (1, 1);
        for count in FIRST_DAY..=LAST_DAY {
            assert_eq!((civil(count), days(name)), (Some(name), Some(count)));
            assert_eq!((day_of_week(count), day_of_year(name)), (weekday, of_year));
            weekday = (weekday + 1) % 7;
            of_year += 1;
            name.day += 1;
            if name.day > month_length(name.year, name.month) {
                name = Civil { year: name.year, month: name.month + 1, day: 1 };
            }
            if name.month > 12 {
                name = Civil { year: name.year + 1, month: 1, day: 1 };
                of_year = 1;
            }
        }
        assert_eq!(name, Civil { year: 10_000, month: 1, day: 1 });
        for outside in [i32::MIN, FIRST_DAY - 1, LAST_DAY + 1, i32::MAX] {
            assert_eq!((civil(outside), add_months(outside, 0)), (None, None));
        }
    }

    #[test]
    fn known_days_are_where_they_are() {
        assert_eq!((day("1970-01-01"), day("2000-02-29"), day("1969-12-31")), (0, 11_016, -1));
        assert_eq!((day("0001-01-01"), day("9999-12-31")), (FIRST_DAY, LAST_DAY));
        assert_eq!(day_of_week(day("2026-03-01")), 0, "a Sunday");
        assert_eq!(day_of_year(civil(day("2024-12-31")).unwrap()), 366);
    }

    /// The examples of ISO 8601 and the ends of the calendar.
    #[test]
    fn iso_weeks_belong_to_the_year_of_their_thursday() {
        for (text, week) in [
            ("1977-01-01", 53),
            ("1977-01-02", 53),
            ("1977-12-31", 52),
            ("1978-01-01", 52),
            ("1978-01-02", 1),
            ("1980-12-29", 1),
            ("2004-12-31", 53),
            ("2010-01-03", 53),
            ("2010-01-04", 1),
            ("0001-01-01", 1),
            ("9999-12-31", 52),
        ] {
            assert_eq!(iso_week(day(text)), Some(week), "{text}");
        }
    }

    #[test]
    fn months_are_added_and_days_cut_to_the_last() {
        assert_eq!(add_months(day("2024-01-31"), 1), Some(day("2024-02-29")));
        assert_eq!(add_months(day("2023-01-31"), 1), Some(day("2023-02-28")));
        assert_eq!(add_months(day("2024-02-29"), -12), Some(day("2023-02-28")));
        assert_eq!(add_months(day("2024-11-30"), 3), Some(day("2025-02-28")));
        assert_eq!(add_months(day("9999-12-01"), 1), None);
        assert_eq!(add_months(day("0001-01-31"), -1), None);
        for months in [i64::MIN, i64::MAX] {
            assert_eq!(add_months(0, months), None);
        }
    }

    #[test]
    fn moments_are_read_in_one_notation_only() {
        assert_eq!(parse_timestamp("1970-01-01 00:00:01.5"), Some(1_500_000));
        assert_eq!(parse_timestamp("1970-01-01T00:01"), Some(60_000_000));
        assert_eq!(parse_timestamp("1969-12-31t23:59:59.999999"), Some(-1));
        assert_eq!(parse_timestamp("1970-01-02"), Some(DAY_MICROS));
        for not_one in [
            "",
            "1970",
            "1970-1-1",
            "1970-01-32",
            "1970-02-29",
            "0000-01-01",
            "10000-01-01",
            "-001-01-01",
            "1970-01-01 ",
            "1970-01-01 1:00",
            "1970-01-01 24:00",
            "1970-01-01 00:60",
            "1970-01-01 00:00:60",
            "1970-01-01 00:00:00.",
            "1970-01-01 00:00:00.1234567",
            "1970-01-01 00:00Z",
            "1970-01-0é",
            "+970-01-01",
            "1970-01-01 00:00:0é",
        ] {
            assert_eq!(parse_timestamp(not_one), None, "{not_one:?}");
        }
    }
}
