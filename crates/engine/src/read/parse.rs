//! Text to values: what a field of a CSV file, or a text where the catalog declares something else, says.
//!
//! **Guarantee.** Every function is total: a text that does not say such a value is `None`. Blanks around a value
//! do not count. Numbers too large for their type are infinite, or saturate where `bounded` says that bounds are
//! declared, which a sum will apply.

use pointillist_catalog::calendar::{self, Civil, DAY};

/// `true`, `t`, `yes`, `y`, `1` and their opposites, in any case.
pub(super) fn boolean(text: &str) -> Option<bool> {
    let is = |words: [&str; 5]| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    if is(["true", "t", "yes", "y", "1"]) {
        Some(true)
    } else if is(["false", "f", "no", "n", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// A whole number; a fraction is rounded to the nearest, halves away from zero.
pub(super) fn integer(text: &str, bounded: bool) -> Option<i64> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    match decimal(text) {
        Some(value) => narrow(value, bounded),
        None => whole(text.parse().ok()?, bounded),
    }
}

/// A number, perhaps infinite; NaN is none.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| !value.is_nan())
}

/// A day: `2026-12-31`, or the day of a moment.
pub(super) fn date(text: &str) -> Option<i32> {
    i32::try_from(timestamp(text)?.div_euclid(DAY)).ok()
}

/// A moment: `2026-12-31`, `2026-12-31T23:59`, `2026-12-31 23:59:59.123456+02:00` and the like. An offset leads to
/// UTC, digits beyond microseconds are dropped.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let (date, rest) = text.trim().as_bytes().split_at_checked(10)?;
    (date[4] == b'-' && date[7] == b'-').then_some(())?;
    let number = |digits_of: &[u8]| i32::try_from(digits(digits_of)?).ok();
    let (year, month, day) = (number(&date[..4])?, number(&date[5..7])?, number(&date[8..])?);
    let days = calendar::days(Civil { year, month, day })?;
    let midnight = i64::from(days) * DAY;
    let Some((separator, time)) = rest.split_first() else {
        return Some(midnight);
    };
    matches!(separator, b'T' | b't' | b' ').then_some(())?;
    let zone = time.iter().position(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-')).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone);
    Some(midnight + clock_micros(clock)? - zone_micros(zone)?)
}

/// The nearest whole number, halves away from zero.
pub(super) fn whole(value: f64, bounded: bool) -> Option<i64> {
    let nearest = value.round();
    // 2^63 is a double, i64::MAX is not.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&nearest);
    #[allow(clippy::cast_possible_truncation)] // In range, or meant to saturate.
    ((fits || bounded) && !nearest.is_nan()).then_some(nearest as i64)
}

/// A wide whole number as a narrow one.
pub(super) fn narrow(value: i128, bounded: bool) -> Option<i64> {
    i64::try_from(value).ok().or(bounded.then_some(if value < 0 { i64::MIN } else { i64::MAX }))
}

/// Digits, perhaps with a sign and a fraction, as the nearest whole number; saturates.
pub(super) fn decimal(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (before, after) = (&digits[..point], digits.get(point + 1..).unwrap_or(&[]));
    let all_digits = before.iter().chain(after).all(u8::is_ascii_digit);
    (all_digits && before.len() + after.len() > 0).then_some(())?;
    let magnitude = before
        .iter()
        .fold(0_i128, |value, byte| value.saturating_mul(10).saturating_add(i128::from(byte - b'0')))
        .saturating_add(i128::from(after.first().is_some_and(|tenth| *tenth >= b'5')));
    Some(if negative { -magnitude } else { magnitude })
}

fn clock_micros(clock: &[u8]) -> Option<i64> {
    let (minutes, seconds) = clock.split_at_checked(5)?;
    (minutes[2] == b':').then_some(())?;
    let (hour, minute) = (digits(&minutes[..2])?, digits(&minutes[3..])?);
    let (second, fraction) = match seconds {
        [] => (0, 0),
        [b':', a, b] => (digits(&[*a, *b])?, 0),
        [b':', a, b, b'.', fraction @ ..] if (1..=18).contains(&fraction.len()) => {
            digits(fraction)?;
            let micros = (0..6).fold(0, |value, place| {
                value * 10 + i64::from(fraction.get(place).map_or(0, |digit| digit - b'0'))
            });
            (digits(&[*a, *b])?, micros)
        }
        _ => return None,
    };
    (hour < 24 && minute < 60 && second < 60)
        .then_some(((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
}

fn zone_micros(zone: &[u8]) -> Option<i64> {
    let (sign, hour, minute) = match zone {
        [] | [b'Z' | b'z'] => return Some(0),
        [sign, a, b] => (sign, [*a, *b], [b'0'; 2]),
        [sign, a, b, c, d] | [sign, a, b, b':', c, d] => (sign, [*a, *b], [*c, *d]),
        _ => return None,
    };
    let (hour, minute) = (digits(&hour)?, digits(&minute)?);
    let micros = (hour < 24 && minute < 60).then_some((hour * 60 + minute) * 60_000_000)?;
    match sign {
        b'+' => Some(micros),
        b'-' => Some(-micros),
        _ => None,
    }
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes
        .iter()
        .try_fold(0, |value: i64, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_people_write_them() {
        for (text, value) in [
            ("12", Some(12)),
            (" +12 ", Some(12)),
            ("-12.5", Some(-13)),
            ("12.49", Some(12)),
            ("1e3", Some(1000)),
            (".5", Some(1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("1e400", None),
            ("nan", None),
            ("", None),
            (".", None),
            ("-", None),
            ("1,234", None),
            ("0x10", None),
            ("1_000", None),
            ("１", None),
        ] {
            assert_eq!(integer(text, false), value, "{text:?}");
        }
        assert_eq!(integer("99999999999999999999999999999999999999999999", true), Some(i64::MAX));
        assert_eq!(integer("-1e400", true), Some(i64::MIN));
    }

    #[test]
    fn moments_are_read_with_and_without_zones() {
        let noon = 20_000 * DAY + DAY / 2;
        for text in [
            "2024-10-04T12:00",
            "2024-10-04 12:00:00",
            "2024-10-04t12:00:00.000000999Z",
            "2024-10-04T14:00:00+02:00",
            "2024-10-04T14:00:00+0200",
            " 2024-10-04T10:00-02 ",
        ] {
            assert_eq!(timestamp(text), Some(noon), "{text}");
            assert_eq!(date(text), Some(20_000), "{text}");
        }
        for text in [
            "",
            "2024-10-04T",
            "2024-10-04T12",
            "2024-10-04T24:00",
            "2024-10-04T12:60",
            "2024-10-04T12:00:60",
            "2024-10-04T12:00:00.",
            "2024-10-04T12:00+2",
            "2024-10-04T12:00x02:00",
            "2023-02-29",
            "0000-01-01",
            "2024/10/04",
            "20241004",
            "é024-10-04",
            "2024-10-0é",
        ] {
            assert_eq!(timestamp(text), None, "{text}");
        }
        assert_eq!(timestamp("0001-01-01"), Some(calendar::MOMENTS.0));
        assert_eq!(timestamp("9999-12-31T23:59:59.999999"), Some(calendar::MOMENTS.1));
        assert_eq!(calendar::moment_text(noon + 500_000, 1_000_000), "2024-10-04T12:00:00.5");
    }

    #[test]
    fn truth_has_several_spellings() {
        assert_eq!(["TRUE", "t", "Yes", "y", " 1 "].map(boolean), [Some(true); 5]);
        assert_eq!(["false", "F", "no", "N", "0"].map(boolean), [Some(false); 5]);
        assert_eq!(["", "2", "ja", "truee"].map(boolean), [None; 4]);
    }
}
