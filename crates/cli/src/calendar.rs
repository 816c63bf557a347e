//! Days and moments as text, for answers and for the ledger's clock.
//!
//! The arithmetic is Howard Hinnant's `civil_from_days`, in the proleptic Gregorian calendar.

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// A day, counted from 1970-01-01, as `2026-12-31`.
pub fn date_text(days: i32) -> String {
    let (year, month, day) = civil(i64::from(days));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment, in microseconds from 1970, as `2026-12-31 23:59:59`, with as many places as it needs.
pub fn timestamp_text(micros: i64) -> String {
    let (year, month, day) = civil(micros.div_euclid(DAY));
    let rest = micros.rem_euclid(DAY);
    let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        text.push_str(format!(".{fraction:06}").trim_end_matches('0'));
    }
    text
}

/// Seconds from 1970 as `2026-12-31 23:59`, in UTC.
pub fn minute_text(seconds: u64) -> String {
    let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    timestamp_text(micros).chars().take(16).collect()
}

/// Year, month and day of a day counted from 1970-01-01.
pub fn civil(days: i64) -> (i64, i64, i64) {
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
    fn known_days_have_their_names() {
        for (days, text) in [(0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (20_089, "2025-01-01")] {
            assert_eq!(date_text(days), text);
        }
    }

    #[test]
    fn moments_have_the_places_they_need() {
        assert_eq!(timestamp_text(0), "1970-01-01 00:00:00");
        assert_eq!(timestamp_text(-1), "1969-12-31 23:59:59.999999");
        assert_eq!(timestamp_text(1_500_000), "1970-01-01 00:00:01.5");
        assert_eq!(minute_text(1_767_225_599), "2025-12-31 23:59");
        assert_eq!(minute_text(u64::MAX).chars().count(), 16);
    }
}
