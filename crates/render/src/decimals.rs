//! Numbers as people read them: few digits, rounded to the side that keeps a promise.
//!
//! **Rounding.** Losses, scales and failure probabilities of a claim are rounded up, budgets and what may be
//! spent are rounded down; the caller names the direction.

use pointillist_numbers::{Rational, short_decimal_lower, short_decimal_upper, without_leading_zeros};

/// Significant digits that people read.
const DIGITS_SHORT: usize = 6;
/// Significant digits at a glance, where the exact number is in the ledger.
const DIGITS_GLANCE: usize = 3;
/// Significant digits in JSON.
const DIGITS_LONG: usize = 17;

/// Six digits, rounded up, for people.
pub fn short_upper(value: &Rational) -> String {
    short_decimal_upper(value, DIGITS_SHORT)
}

/// Six digits, rounded down, for people.
pub fn short_lower(value: &Rational) -> String {
    short_decimal_lower(value, DIGITS_SHORT)
}

/// Three digits, rounded up: what was paid or lost, at a glance.
pub fn glance_upper(value: &Rational) -> String {
    short_decimal_upper(value, DIGITS_GLANCE)
}

/// Three digits, rounded down: what is left, at a glance.
pub fn glance_lower(value: &Rational) -> String {
    short_decimal_lower(value, DIGITS_GLANCE)
}

/// Seventeen digits, rounded up, for scripts.
pub fn long_upper(value: &Rational) -> String {
    short_decimal_upper(value, DIGITS_LONG)
}

/// Seventeen digits, rounded down, for scripts.
pub fn long_lower(value: &Rational) -> String {
    short_decimal_lower(value, DIGITS_LONG)
}

/// A number as it was given, unrounded.
pub fn exact(value: &Rational) -> String {
    let upper = long_upper(value);
    if upper == long_lower(value) { upper } else { value.to_string() }
}

/// The digits in front of the point in groups of three: `1234567.89` is `1,234,567.89`.
pub fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let end = digits.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(end);
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// A number with three significant digits.
pub fn significant(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    match exponent {
        -5..=2 => format!("{value:.*}", (2 - exponent) as usize),
        3..=11 => grouped(&format!("{value:.0}")),
        _ => format!("{value:.2e}"),
    }
}

/// A positive number with three significant digits, rounded down: for lower bounds.
pub fn significant_lower(value: f64) -> String {
    if !value.is_finite() || value <= 0.0 {
        return significant(value);
    }
    let digits = 10f64.powi(2 - value.log10().floor() as i32);
    significant((value * digits).floor() / digits)
}

/// A count in groups of three.
pub fn grouped_count(count: u64) -> String {
    grouped(&count.to_string())
}

/// A sentence in which whole numbers that stand alone have their digits in groups of three. Only for sentences in which every number
/// counts something: a year is no count.
pub fn grouped_in(sentence: &str) -> String {
    let word = |word: &str| {
        let number = word.trim_end_matches(['.', ',', ';', ':', ')']);
        let is_count = number.len() > 3 && number.bytes().all(|sign| sign.is_ascii_digit());
        if is_count { grouped(number) + &word[number.len()..] } else { word.to_owned() }
    };
    sentence.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The part as a percentage that does not hide what is small.
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent > 0.0 && percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if percent < 100.0 && percent > 99.9 {
        "> 99.9 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

/// A text in which amounts (`ρ = 0.024834273…`) have at most six digits that count. What is cut is marked; nothing is
/// rounded, so that it stays true whichever way the amount is meant.
pub fn readable(text: &str) -> String {
    let mut parts = text.split(" = ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|sign: char| !(sign.is_ascii_digit() || sign == '.')).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        out.push_str(" = ");
        out.push_str(&few_digits(number));
        out.push_str(rest);
    }
    out
}

fn few_digits(number: &str) -> String {
    let Some((whole, fraction)) = number.split_once('.') else {
        return number.to_owned();
    };
    let zeros = if whole == "0" { fraction.len() - fraction.trim_start_matches('0').len() } else { 0 };
    let digits = if whole == "0" { DIGITS_SHORT + zeros } else { DIGITS_SHORT.saturating_sub(whole.len()) };
    let cut = fraction.len() > digits && fraction.is_ascii();
    let fraction = if cut { &fraction[..digits] } else { fraction };
    let shown = without_leading_zeros(&format!("{whole}.{fraction}"));
    match (cut, shown.split_once('e')) {
        (false, _) => shown,
        (true, Some((digits, exponent))) => format!("{digits}…e{exponent}"),
        (true, None) => format!("{}…", shown.trim_end_matches('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_messages_have_few_digits() {
        for (text, shown) in [
            ("ρ = 0.024834273155127999123456 and δ = 0.0000000005", "ρ = 0.0248342… and δ = 5e-10"),
            ("it costs ε = 0.25, no more", "it costs ε = 0.25, no more"),
            ("δ = 0.000000000123456789, and", "δ = 1.23456…e-10, and"),
            ("ρ = 12.5000001", "ρ = 12.5000…"),
            ("a.b = c, version 1.2.3 of /tmp/0.123456789", "a.b = c, version 1.2.3 of /tmp/0.123456789"),
        ] {
            assert_eq!(readable(text), shown);
        }
    }

    #[test]
    fn counts_in_sentences_are_grouped_and_nothing_else_is() {
        for (sentence, shown) in [
            ("the truth may be above 24181", "the truth may be above 24,181"),
            (
                "3 off in all, over 9021 ties; 1234567 found no place.",
                "3 off in all, over 9,021 ties; 1,234,567 found no place.",
            ),
            ("δ = 0.00012345, 1e-1000, 999 of node12345", "δ = 0.00012345, 1e-1000, 999 of node12345"),
        ] {
            assert_eq!(grouped_in(sentence), shown);
        }
    }

    #[test]
    fn lower_bounds_are_rounded_down() {
        for (value, text) in [
            (1.996, "1.99"),
            (0.0, "0"),
            (0.93849, "0.938"),
            (2.0, "2.00"),
            (0.000_123_9, "0.000123"),
            (99.99, "99.9"),
        ] {
            assert_eq!(significant_lower(value), text);
        }
    }

    #[test]
    fn short_and_long_numbers_stay_on_their_side() {
        for text in
            ["0", "0.1", "1/3", "0.00012", "1e-6", "5.367003099e-6", "1e-60", "123456789", "1e25", "1"]
        {
            let exact = Rational::parse(text).unwrap();
            for (low, high) in
                [(short_lower(&exact), short_upper(&exact)), (long_lower(&exact), long_upper(&exact))]
            {
                let [lower, upper] = [&low, &high].map(|shown| Rational::parse(shown).unwrap());
                assert!(lower <= exact && exact <= upper, "{text}: {low} {high}");
                let spread = &exact * &Rational::parse("1e-5").unwrap();
                assert!(upper - lower <= spread, "{text}: {low} {high}");
            }
        }
        assert_eq!(short_upper(&Rational::parse("0.000005367003099").unwrap()), "5.36701e-6");
        assert_eq!(short_upper(&Rational::parse("0.0012").unwrap()), "0.0012");
        for text in ["1e-6", "1e-60", "0.5", "1/3", "12", "0"] {
            assert_eq!(exact(&Rational::parse(text).unwrap()), text);
        }
    }

    #[test]
    fn three_digits_are_enough_for_an_error() {
        for (value, text) in [
            (0.0, "0"),
            (0.043_122, "0.0431"),
            (0.000_027_4, "0.0000274"),
            (1.5e-9, "1.50e-9"),
            (12.345, "12.3"),
            (999.9, "1000"),
            (24_812_345.6, "24,812,346"),
            (1e18, "1.00e18"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn digits_come_in_groups_of_three() {
        for (plain, shown) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.891", "-1,234,567.891"),
            ("123456", "123,456"),
            ("1e25", "1e25"),
            ("", ""),
        ] {
            assert_eq!(grouped(plain), shown);
        }
    }

    #[test]
    fn percentages_do_not_hide_what_is_small() {
        for (part, text) in
            [(0.0, "0.0 %"), (1e-6, "< 0.1 %"), (0.123, "12.3 %"), (0.99999, "> 99.9 %"), (1.0, "100.0 %")]
        {
            assert_eq!(percent(part), text);
        }
    }
}
