//! Decimal numbers: digits as people write them, and PostgreSQL's groups of four.
//!
//! **Exactness.** Digits are moved, never computed with.

use crate::{Base, PgError, PgType, PgValue};

use super::invalid_text;

/// Zeros that nobody has sent: an exponent or a weight asks for them. PostgreSQL writes any number of them, and an array of
/// a million bytes would become gigabytes; floats need 324.
const ZEROS_MAX: usize = 400;

/// PostgreSQL's limits of digits before and after the point.
const WHOLE_MAX: usize = 131_072;
const SCALE_MAX: usize = 16_383;

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const NEGATIVE_INFINITY: u16 = 0xF000;
/// What PostgreSQL gives as the scale of an infinity.
const INFINITY_SCALE: u16 = 0x20;

/// Reads `-12.50`, `.5`, `1e3`, `NaN`.
pub(super) fn parse(text: &str) -> Result<PgValue, PgError> {
    let kind = PgType::of(Base::Numeric);
    let word = text.trim();
    match word.to_ascii_lowercase().as_str() {
        "nan" => return Ok(PgValue::Numeric("NaN".to_owned())),
        "infinity" | "+infinity" | "inf" | "+inf" => return Ok(PgValue::Numeric("Infinity".to_owned())),
        "-infinity" | "-inf" => return Ok(PgValue::Numeric("-Infinity".to_owned())),
        _ => {}
    }
    let (is_negative, unsigned) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().map_err(|_| invalid_text(text, kind))?)
        }
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !is_digits(whole) || !is_digits(fraction) {
        return Err(invalid_text(text, kind));
    }
    shifted(whole, fraction, exponent)
        .map(|digits| PgValue::Numeric(signed(digits, is_negative)))
        .ok_or_else(|| PgError::new("22003", "value overflows numeric format"))
}

/// The digits with the point moved to the right by `exponent`; `None` beyond PostgreSQL's limits.
fn shifted(whole: &str, fraction: &str, exponent: i32) -> Option<String> {
    let digits = format!("{whole}{fraction}");
    let point = whole.len() as i64 + i64::from(exponent);
    let scale = (fraction.len() as i64 - i64::from(exponent)).max(0);
    let whole = digits.get(..usize::try_from(point.clamp(0, digits.len() as i64)).ok()?)?;
    let zeros_after = usize::try_from((point - digits.len() as i64).max(0)).ok()?;
    let zeros_before = usize::try_from((-point).max(0)).ok()?;
    let is_zero = digits.bytes().all(|digit| digit == b'0');
    if zeros_before > ZEROS_MAX || (!is_zero && zeros_after > ZEROS_MAX) {
        return None;
    }
    if scale > SCALE_MAX as i64 || (!is_zero && whole.len() + zeros_after > WHOLE_MAX) {
        return None;
    }
    let zeros_after = if is_zero { 0 } else { zeros_after };
    let whole_digits = format!("{whole}{}", "0".repeat(zeros_after));
    let fraction_digits = match scale {
        0 => String::new(),
        scale => {
            let rest = &digits[whole.len()..];
            let mut text = format!("{}{rest}", "0".repeat(zeros_before));
            text.truncate(usize::try_from(scale).ok()?);
            format!(".{text}")
        }
    };
    let trimmed = whole_digits.trim_start_matches('0');
    Some(format!("{}{fraction_digits}", if trimmed.is_empty() { "0" } else { trimmed }))
}

/// Zero has no sign.
fn signed(digits: String, is_negative: bool) -> String {
    let is_zero = digits.bytes().all(|digit| digit == b'0' || digit == b'.');
    if is_negative && !is_zero { format!("-{digits}") } else { digits }
}

/// The binary form of decimal digits. Text that is no number is NaN: a number that cannot be said is not another one.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let special =
        |sign: u16, scale: u16| [0, 0, sign, scale].iter().flat_map(|part| part.to_be_bytes()).collect();
    match parse(text) {
        Ok(PgValue::Numeric(digits)) => match digits.as_str() {
            "NaN" => special(NAN, 0),
            "Infinity" => special(INFINITY, INFINITY_SCALE),
            "-Infinity" => special(NEGATIVE_INFINITY, INFINITY_SCALE),
            digits => grouped(digits),
        },
        _ => special(NAN, 0),
    }
}

fn grouped(text: &str) -> Vec<u8> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => (NEGATIVE, unsigned),
        None => (0, text),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let whole_groups = whole.len().div_ceil(4);
    let padded = format!(
        "{}{whole}{fraction}{}",
        "0".repeat(whole_groups * 4 - whole.len()),
        "0".repeat(fraction.len().div_ceil(4) * 4 - fraction.len())
    );
    let group = |digits: &[u8]| digits.iter().fold(0, |sum: u16, digit| sum * 10 + u16::from(digit - b'0'));
    let groups: Vec<u16> = padded.as_bytes().chunks(4).map(group).collect();
    let first = groups.iter().position(|group| *group != 0).unwrap_or(groups.len());
    let end = groups.iter().rposition(|group| *group != 0).map_or(first, |last| last + 1);
    let used = &groups[first..end];
    let weight = if used.is_empty() { 0 } else { whole_groups as i64 - 1 - first as i64 };
    // Within PostgreSQL's limits, which `parse` keeps, each of these fits into its two bytes.
    let header = [used.len() as u16, weight as i16 as u16, sign, fraction.len() as u16];
    header.iter().chain(used).flat_map(|part| part.to_be_bytes()).collect()
}

/// Reads the binary form; digits beyond the scale are cut off, as PostgreSQL does.
pub(super) fn decode(bytes: &[u8]) -> Option<PgValue> {
    let parts: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let [count, weight, sign, scale, groups @ ..] = parts.as_slice() else { return None };
    let (count, scale) = (usize::from(*count), usize::from(*scale));
    if !bytes.len().is_multiple_of(2) || groups.len() != count || groups.iter().any(|group| *group > 9999) {
        return None;
    }
    let is_negative = match *sign {
        0 => false,
        NEGATIVE => true,
        NAN => return Some(PgValue::Numeric("NaN".to_owned())),
        INFINITY => return Some(PgValue::Numeric("Infinity".to_owned())),
        NEGATIVE_INFINITY => return Some(PgValue::Numeric("-Infinity".to_owned())),
        _ => return None,
    };
    let weight = i64::from(*weight as i16);
    let sent = count * 4 + ZEROS_MAX;
    let is_long = scale > sent || (count > 0 && weight * 4 > sent as i64);
    if scale > SCALE_MAX || is_long {
        return None;
    }
    let group_at = |power: i64| {
        usize::try_from(weight - power).ok().and_then(|index| groups.get(index)).copied().unwrap_or(0)
    };
    let write = |powers: &mut dyn Iterator<Item = i64>| {
        powers.map(|power| format!("{:04}", group_at(power))).collect::<String>()
    };
    let first = if count == 0 { -1 } else { weight };
    let whole = write(&mut (0..=first).rev());
    let mut fraction = write(&mut (1..=scale.div_ceil(4) as i64).map(|power| -power));
    fraction.truncate(scale);
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let digits = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    Some(PgValue::Numeric(signed(digits, is_negative)))
}
