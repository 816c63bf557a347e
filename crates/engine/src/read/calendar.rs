//! Days and moments of files, in the catalog's calendar.

pub(super) use pointillist_catalog::calendar::{DAY, DAYS};
use pointillist_catalog::calendar::{civil_from_days, days_from_civil};

/// The first and the last microsecond of the calendar.
pub(super) const MOMENTS: (i64, i64) = (DAYS.0 as i64 * DAY, (DAYS.1 as i64 + 1) * DAY - 1);

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
