//! Days and moments: the proleptic Gregorian calendar from year 1 to year 9999, without time zones or leap seconds.
//!
//! The arithmetic is Howard Hinnant's `days_from_civil` and its inverse, as in the catalog's calendar.

/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000;
/// 0001-01-01 and 9999-12-31, in days since 1970-01-01.
pub(super) const DAYS: (i32, i32) = (-719_162, 2_932_896);
/// The first and the last microsecond of those days.
pub(super) const MOMENTS: (i64, i64) = (-719_162 * DAY, 2_932_897 * DAY - 1);

/// The days from 1970-01-01 to a date, if it exists in the years 1 to 9999.
pub(super) fn days(year: i64, month: i64, day: i64) -> Option<i32> {
    let days = days_from_civil(year, month, day);
    // A day that does not exist, such as the 30th of February, comes back as another one.
    ((1..=9999).contains(&year) && civil_from_days(days) == (year, month, day)).then_some(())?;
    i32::try_from(days).ok()
}

/// A day as `2026-12-31`; days outside of the years 1 to 9999 as they come.
pub(super) fn day_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days.clamp(-1 << 48, 1 << 48));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment as `2026-12-31T23:59:59.5`, from whole units since 1970 and the number of units in a second.
pub(super) fn moment_text(value: i64, per_second: i64) -> String {
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
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}
