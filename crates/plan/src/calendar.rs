//! Days and moments: read from literals, cut down to their units, listed between bounds.
//!
//! The calendar is the catalog's.

use pointillist_catalog::calendar::{self, civil_from_days, days_from_civil};
pub use pointillist_catalog::calendar::{DAY, date_text, parse_date, timestamp_text};

use crate::DatePart;

/// The first and the last day of the calendar.
pub const DAYS: (i64, i64) = (calendar::DAYS.0 as i64, calendar::DAYS.1 as i64);

/// The microseconds from 1970-01-01 to a moment written `2026-12-31 23:59:59.5`, a `T` allowed in between; a date
/// alone is its midnight.
pub fn parse_timestamp(text: &str) -> Option<i64> {
    match parse_date(text) {
        Some(days) => Some(i64::from(days) * DAY),
        None => calendar::parse_timestamp(text),
    }
}

/// The year of a day; days outside the calendar count as its ends.
pub fn year_of(days: i64) -> i64 {
    civil_from_days(days.clamp(DAYS.0, DAYS.1)).0
}

/// The first day of the unit that a day lies in; `None` for parts that are no unit of days.
pub fn truncate_day(days: i64, part: DatePart) -> Option<i64> {
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
pub fn unit_micros(part: DatePart) -> Option<i64> {
    match part {
        DatePart::Hour => Some(3_600_000_000),
        DatePart::Minute => Some(60_000_000),
        DatePart::Second => Some(1_000_000),
        _ => None,
    }
}

/// The first days of all units that meet a range of days, in order, if there are no more than `most`.
pub fn truncated_days(first: i64, last: i64, part: DatePart, most: usize) -> Option<Vec<i64>> {
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
            "2020-01-01T12:30:15.5"
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
