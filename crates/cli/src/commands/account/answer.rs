//! The answer of a calculator: a few aligned lines for people, one JSON object for scripts.
//!
//! **Rounding.** Losses, scales and failure probabilities of a claim are rounded up, budgets and what may be
//! spent are rounded down; the caller names the direction.

use std::io::{self, BufWriter, Write};

use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use serde_json::Value;

use crate::failure::Failure;

/// Significant digits that people read.
const DIGITS_SHORT: usize = 6;
/// Significant digits in JSON.
const DIGITS_LONG: usize = 17;

/// What a calculator found.
pub struct Answer {
    /// What was asked, in a line.
    pub heading: String,
    /// A number with its name, and where it comes from.
    pub rows: Vec<[String; 2]>,
    /// What to keep in mind, in a sentence or two.
    pub note: String,
    /// The same for scripts.
    pub json: Value,
}

impl Answer {
    /// Writes the answer to stdout.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        if json {
            writeln!(out, "{}", self.json)?;
        } else {
            writeln!(out, "{}", self.heading)?;
            let width = self.rows.iter().map(|[number, _]| number.chars().count()).max();
            let width = width.unwrap_or(0);
            for [number, words] in &self.rows {
                writeln!(out, "  {number:width$}   {words}")?;
            }
            writeln!(out, "{}", self.note)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Six digits, rounded up, for people.
pub fn short_upper(value: &Rational) -> String {
    without_leading_zeros(decimal_upper(value, DIGITS_SHORT))
}

/// Six digits, rounded down, for people.
pub fn short_lower(value: &Rational) -> String {
    without_leading_zeros(decimal_lower(value, DIGITS_SHORT))
}

/// Seventeen digits, rounded up, for scripts.
pub fn long_upper(value: &Rational) -> String {
    without_leading_zeros(decimal_upper(value, DIGITS_LONG))
}

/// Seventeen digits, rounded down, for scripts.
pub fn long_lower(value: &Rational) -> String {
    without_leading_zeros(decimal_lower(value, DIGITS_LONG))
}

/// A number as it was given, unrounded.
pub fn exact(value: &Rational) -> String {
    let upper = long_upper(value);
    if upper == long_lower(value) { upper } else { value.to_string() }
}

/// A request that cannot be answered, and what to ask instead.
pub fn refuse(what: &str, hint: &str) -> Failure {
    Failure::Request(format!("{what}\nhint: {hint}"))
}

/// The same number with a power of ten in place of three or more zeros behind the point.
fn without_leading_zeros(decimal: String) -> String {
    let Some(fraction) = decimal.strip_prefix("0.000").filter(|_| !decimal.contains('e')) else {
        return decimal;
    };
    let digits = fraction.trim_start_matches('0');
    let exponent = 4 + fraction.len() - digits.len();
    let (lead, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{lead}{point}{rest}e-{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
