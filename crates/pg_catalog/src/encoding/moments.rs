//! Days and moments as text, in the proleptic Gregorian calendar: year 0 is 1 BC.

/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000;

/// Days from 1970-01-01 to 2000-01-01.
const EPOCH: i64 = 10_957;

/// `2024-02-29`, `0044-03-15 BC`, `infinity`.
pub(super) fn date_text(days: i32) -> String {
    match days {
        i32::MAX => "infinity".to_owned(),
        i32::MIN => "-infinity".to_owned(),
        days => {
            let (day, era) = civil_text(days.into());
            format!("{day}{era}")
        }
    }
}

/// `2024-02-29 12:00:00.5`, with the offset before the era.
pub(super) fn timestamp_text(micros: i64, offset: &str) -> String {
    match micros {
        i64::MAX => "infinity".to_owned(),
        i64::MIN => "-infinity".to_owned(),
        micros => {
            let (day, era) = civil_text(micros.div_euclid(DAY));
            format!("{day} {}{offset}{era}", time_text(micros.rem_euclid(DAY)))
        }
    }
}

/// `12:00:00.5`, for any number of hours.
pub(super) fn time_text(micros: i64) -> String {
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match fraction {
        0 => whole,
        fraction => format!("{whole}.{}", format!("{fraction:06}").trim_end_matches('0')),
    }
}

fn civil_text(days: i64) -> (String, &'static str) {
    let (year, month, day) = civil(days);
    let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    (format!("{year:04}-{month:02}-{day:02}"), era)
}

/// Days from 2000-01-01 to a day. **Source.** Howard Hinnant's `days_from_civil`.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468 - EPOCH
}

/// Year, month and day. **Source.** Howard Hinnant's `civil_from_days`.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
