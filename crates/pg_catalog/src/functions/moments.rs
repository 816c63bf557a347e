//! Parts of dates and moments, and the moment that a session says it is: there is no clock here, and time zones are UTC.

use super::{Function, Returns, TEXT, Takes, strict, text};
use crate::{Base, PgError, PgType, PgValue};

const NUMERIC: Returns = Returns::Is(PgType::of(Base::Numeric));
const ZONED: Returns = Returns::Is(PgType::of(Base::Timestamptz));
const DAY: i64 = 86_400_000_000;
/// Days from 1970-01-01 to 2000-01-01.
const EPOCH_DAYS: i64 = 10_957;

pub(super) const FUNCTIONS: &[Function] = &[
    strict("now", &[], ZONED, moment),
    strict("current_timestamp", &[], ZONED, moment),
    strict("transaction_timestamp", &[], ZONED, moment),
    strict("localtimestamp", &[], Returns::Is(PgType::of(Base::Timestamp)), moment),
    strict("current_date", &[], Returns::Is(PgType::of(Base::Date)), day),
    strict("extract", &[TEXT, Takes::Is(PgType::of(Base::Date))], NUMERIC, extract),
    strict("extract", &[TEXT, Takes::Is(PgType::of(Base::Timestamp))], NUMERIC, extract),
    strict("extract", &[TEXT, Takes::Is(PgType::of(Base::Timestamptz))], NUMERIC, extract),
    strict(
        "date_part",
        &[TEXT, Takes::Is(PgType::of(Base::Timestamp))],
        Returns::Is(PgType::of(Base::Float8)),
        part,
    ),
];

fn moment(context: &mut super::Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Timestamp(context.session.now))
}

fn day(context: &mut super::Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    let days = i32::try_from(context.session.now.div_euclid(DAY));
    Ok(PgValue::Date(days.map_err(|_| PgError::new("22008", "date out of range"))?))
}

fn part(context: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    match extract(context, given)? {
        PgValue::Numeric(digits) => Ok(PgValue::Float(digits.parse().unwrap_or(f64::NAN))),
        other => Ok(other),
    }
}

fn extract(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let microseconds = match given.get(1) {
        Some(PgValue::Date(days)) => i64::from(*days).saturating_mul(DAY),
        Some(PgValue::Timestamp(microseconds)) => *microseconds,
        _ => return Ok(PgValue::Null),
    };
    let (days, rest) = (microseconds.div_euclid(DAY), microseconds.rem_euclid(DAY));
    let (year, month, day) = civil(days.saturating_add(EPOCH_DAYS));
    let second = rest / 1_000_000;
    Ok(PgValue::Numeric(match text(given, 0) {
        "year" => year.to_string(),
        "quarter" => ((month - 1) / 3 + 1).to_string(),
        "month" => month.to_string(),
        "day" => day.to_string(),
        "dow" => (days + 6).rem_euclid(7).to_string(),
        "hour" => (second / 3600).to_string(),
        "minute" => (second / 60 % 60).to_string(),
        "second" => format!("{}.{:06}", second % 60, rest % 1_000_000),
        "epoch" => {
            let whole = i128::from(microseconds) + i128::from(EPOCH_DAYS) * i128::from(DAY);
            let sign = if whole < 0 { "-" } else { "" };
            format!("{sign}{}.{:06}", whole.unsigned_abs() / 1_000_000, whole.unsigned_abs() % 1_000_000)
        }
        _ => return Err(PgError::new("22023", "this unit is not recognized for a moment")),
    }))
}

/// Year, month and day of a day counted from 1970-01-01. Source: Hinnant, "chrono-compatible low-level date algorithms".
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
