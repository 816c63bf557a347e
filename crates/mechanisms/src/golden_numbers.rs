//! Comparison of exact results with decimals computed elsewhere to more digits than any tolerance needs.

use pointillist_numbers::{Enclosure, Rational, UBig};

/// A law's parameter, then values with their probabilities and cumulative probabilities.
pub(crate) type GoldenLaw = (&'static str, &'static [(i64, &'static str, &'static str)]);

/// A decimal with an exponent of any size, exactly.
pub(crate) fn decimal(text: &str) -> Rational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap();
    let power = Rational::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
    let mantissa = Rational::parse(mantissa).unwrap();
    if exponent >= 0 { mantissa * power } else { mantissa / power }
}

/// Bits behind the point that leave this decimal more than 60 significant bits.
pub(crate) fn precision_for(text: &str) -> usize {
    let exponent: i64 = text.split_once('e').map_or(0, |(_, exponent)| exponent.parse().unwrap());
    160 + 4 * usize::try_from((-exponent).max(0)).unwrap()
}

#[track_caller]
pub(crate) fn assert_near(got: &Rational, want: &str, relative: &str, context: &str) {
    let want = decimal(want);
    let allowed = want.abs() * Rational::parse(relative).unwrap();
    assert!(
        (got - &want).abs() <= allowed,
        "{context}: {} is not {}",
        got.to_f64_upper(),
        want.to_f64_upper()
    );
}

/// Both ends of the enclosure are near the number.
#[track_caller]
pub(crate) fn assert_encloses(got: &Enclosure, want: &str, relative: &str, context: &str) {
    assert_near(&got.lower(), want, relative, context);
    assert_near(&got.upper(), want, relative, context);
}

/// The number is at or above the exact one, by at most the relative margin.
#[track_caller]
pub(crate) fn assert_upper(got: &Rational, exact: &str, relative: &str, context: &str) {
    assert!(*got >= decimal(exact), "{context}: {} is below {exact}", got.to_f64_upper());
    assert_near(got, exact, relative, context);
}
