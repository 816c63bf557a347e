//! Parts and units of days and moments, over the catalog's calendar.
//!
//! **One for both.** The planner lists the public units between two bounds ([`units_of_days`]) and an engine cuts rows to
//! their units ([`truncate`]): by the same function, so that every row within the bounds finds its group in the list.
//! **Total.** A day outside of the calendar of years 1 to 9999 has no parts: `None`.

use pointillist_catalog::calendar::{
    Civil, DAYS, civil, day_of_week, day_of_year, days, in_calendar, iso_week, moment, since_monday,
};

use crate::DatePart;

/// A part of a moment, so many microseconds into a day.
pub fn part(day: i32, micros: i64, part: DatePart) -> Option<i64> {
    let at = civil(day)?;
    let seconds = micros / 1_000_000;
    Some(match part {
        DatePart::Year => at.year.into(),
        DatePart::Quarter => ((at.month - 1) / 3 + 1).into(),
        DatePart::Month => at.month.into(),
        DatePart::Week => iso_week(day)?.into(),
        DatePart::Day => at.day.into(),
        DatePart::DayOfWeek => day_of_week(day).into(),
        DatePart::DayOfYear => day_of_year(at).into(),
        DatePart::Hour => seconds / 3600,
        DatePart::Minute => seconds / 60 % 60,
        DatePart::Second => seconds % 60,
    })
}

/// The seconds from 1970 to a moment, the nearest number where there is a fraction. Monotone: later is not less.
pub fn epoch(day: i32, micros: i64) -> Option<f64> {
    civil(day)?;
    Some(moment(day, micros) as f64 / 1e6)
}

/// The beginning of the unit that a moment lies in. There is nothing to cut at a day of the week or of the year: `None`.
pub fn truncate(day: i32, micros: i64, part: DatePart) -> Option<(i32, i64)> {
    if let Some(unit) = unit_micros(part) {
        civil(day)?;
        return Some((day, micros - micros % unit));
    }
    truncate_day(day, part).map(|day| (day, 0))
}

/// The first day of the unit that a day lies in; `None` for parts that are no unit of days.
fn truncate_day(day: i32, part: DatePart) -> Option<i32> {
    let at = civil(day)?;
    let first_of = |month| days(Civil { year: at.year, month, day: 1 });
    match part {
        DatePart::Year => first_of(1),
        DatePart::Quarter => first_of((at.month - 1) / 3 * 3 + 1),
        DatePart::Month => first_of(at.month),
        // The calendar begins on a Monday, so the week's is in it.
        DatePart::Week => Some(day - since_monday(day)),
        DatePart::Day => Some(day),
        DatePart::DayOfWeek | DatePart::DayOfYear => None,
        DatePart::Hour | DatePart::Minute | DatePart::Second => None,
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

/// The year of a day; days outside of the calendar count as its ends.
pub fn year_of(day: i64) -> i64 {
    let day = clamped(day);
    civil(day).map_or(1, |at| at.year).into()
}

/// The first days of all units that meet a range of days, in order, if there are no more than `most`.
pub fn units_of_days(first: i64, last: i64, part: DatePart, most: usize) -> Option<Vec<i32>> {
    let (first, last) = (clamped(first), clamped(last));
    let longest = match part {
        DatePart::Year => 366,
        DatePart::Quarter => 92,
        DatePart::Month => 31,
        DatePart::Week => 7,
        _ => 1,
    };
    let mut next = Some(truncate_day(first, part)?);
    let mut units = Vec::new();
    while let Some(day) = next.filter(|day| *day <= last) {
        if units.len() == most {
            return None;
        }
        units.push(day);
        // The longest unit reaches into the next one, never past it; after the last unit of the calendar there is none.
        next = in_calendar(i64::from(day) + longest).and_then(|day| truncate_day(day, part));
    }
    Some(units)
}

fn clamped(day: i64) -> i32 {
    in_calendar(day).unwrap_or(if day < 0 { DAYS.0 } else { DAYS.1 })
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::calendar::parse_date;

    use super::*;

    const UNITS: [DatePart; 5] =
        [DatePart::Year, DatePart::Quarter, DatePart::Month, DatePart::Week, DatePart::Day];

    fn day(text: &str) -> i32 {
        parse_date(text).unwrap()
    }

    /// Every unit starts in the list, each once, over two centuries of bounds: what rows are cut to is what was listed.
    #[test]
    fn units_between_bounds_are_complete() {
        let (first, last) = (day("1899-12-30"), day("2104-03-02"));
        for part in UNITS {
            let listed = units_of_days(first.into(), last.into(), part, usize::MAX).unwrap();
            let mut seen: Vec<i32> =
                (first..=last).map(|day| truncate(day, 12_345, part).unwrap().0).collect();
            seen.dedup();
            assert_eq!(listed, seen, "{part:?}");
        }
        assert_eq!(units_of_days(0, 10, DatePart::Day, 10), None);
        assert_eq!(units_of_days(0, 10, DatePart::Hour, 10), None);
    }

    #[test]
    fn lists_end_with_the_calendar() {
        for part in UNITS {
            let listed = units_of_days(day("9998-02-03").into(), i64::MAX, part, usize::MAX).unwrap();
            let mut seen: Vec<i32> =
                (day("9998-02-03")..=DAYS.1).map(|day| truncate(day, 0, part).unwrap().0).collect();
            seen.dedup();
            assert_eq!(listed, seen, "{part:?}");
        }
        assert_eq!(units_of_days(i64::MIN, i64::MIN, DatePart::Year, 1), Some(vec![DAYS.0]));
        assert_eq!((year_of(i64::MIN), year_of(i64::MAX)), (1, 9999));
    }
}
