//! One calendar for everybody: what the owner declares, what the planner lists and what the engine cuts rows to.
//!
//! It is the proleptic Gregorian calendar of the years 1 to 9999, without time zones or leap seconds; days are counted from
//! 1970-01-01, moments in microseconds from its midnight. Every function is total: a day or a moment outside of the
//! calendar has no parts and is `None`.
//! **Source.** Howard Hinnant's `days_from_civil` and its inverse; the tests go through every day.

mod notation;
#[cfg(test)]
mod tests;

pub use notation::{
    date_text, day_text, moment_text, parse_date, parse_date_or_timestamp, parse_timestamp, timestamp_text,
};

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;
/// The first and the last day: 0001-01-01, a Monday, and 9999-12-31, a Friday.
pub const DAYS: (i32, i32) = (-719_162, 2_932_896);
/// The first and the last microsecond.
pub const MOMENTS: (i64, i64) = (DAYS.0 as i64 * DAY, (DAYS.1 as i64 + 1) * DAY - 1);

/// A day by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Civil {
    /// The year.
    pub year: i32,
    /// 1 to 12.
    pub month: i32,
    /// 1 to 31.
    pub day: i32,
}

/// A day of the calendar, in days since 1970-01-01.
pub fn in_calendar(days: i64) -> Option<i32> {
    i32::try_from(days).ok().filter(|days| (DAYS.0..=DAYS.1).contains(days))
}

/// The day and the microseconds of a moment.
pub fn split(micros: i64) -> Option<(i32, i64)> {
    Some((in_calendar(micros.div_euclid(DAY))?, micros.rem_euclid(DAY)))
}

/// The moment so many microseconds into a day of the calendar.
pub fn moment(days: i32, micros: i64) -> i64 {
    i64::from(days) * DAY + micros
}

/// The name of a day.
pub fn civil(days: i32) -> Option<Civil> {
    let (year, month, day) = civil_from_days(in_calendar(i64::from(days))?.into());
    Some(Civil { year: year as i32, month: month as i32, day: day as i32 })
}

/// The day of a name, if there is one.
pub fn days(civil: Civil) -> Option<i32> {
    let Civil { year, month, day } = civil;
    let known = (1..=9999).contains(&year) && (1..=12).contains(&month);
    (known && (1..=month_length(year, month)).contains(&day))
        .then(|| in_calendar(days_from_civil(year.into(), month.into(), day.into())))
        .flatten()
}

/// The days of a month.
pub fn month_length(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// 0 (Sunday) to 6; 1970-01-01 was a Thursday.
pub fn day_of_week(days: i32) -> i32 {
    (days.rem_euclid(7) + 4) % 7
}

/// 1 to 366.
pub fn day_of_year(at: Civil) -> i32 {
    (1..at.month).map(|month| month_length(at.year, month)).sum::<i32>() + at.day
}

/// The days since the last Monday, that day included.
pub fn since_monday(days: i32) -> i32 {
    (day_of_week(days) + 6) % 7
}

/// The ISO week, 1 to 53: that of the Thursday in the same week, of which every year has as many as weeks.
pub fn iso_week(on: i32) -> Option<i32> {
    let on = in_calendar(i64::from(on))?;
    let thursday = on - since_monday(on) + 3;
    // The last day of the calendar is a Friday, so every Thursday that is asked for has a name.
    Some((day_of_year(civil(thursday)?) - 1) / 7 + 1)
}

/// A day moved by months, its day cut to the month's last.
pub fn add_months(from: i32, months: i64) -> Option<i32> {
    let Civil { year, month, day } = civil(from)?;
    let moved = (i64::from(year) * 12 + i64::from(month - 1)).checked_add(months)?;
    let year = i32::try_from(moved.div_euclid(12)).ok()?;
    let month = i32::try_from(moved.rem_euclid(12)).ok()? + 1;
    days(Civil { year, month, day: day.min(month_length(year, month)) })
}

/// The days from 1970-01-01 to a year, a month and a day; those of no calendar day are some other day's.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The year, the month and the day that a number of days from 1970-01-01 is, also outside of the calendar.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // Days since 0000-03-01: years that begin in March end with the leap day.
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
