//! Bounds around what was seen in a column: outwards, to round numbers.
//!
//! **Not private.** Such bounds depend on the smallest and the largest value. Rounding makes them coarse, not
//! harmless: they are for drafts that the owner asked for, and the draft says where they come from.

use pointillist_numbers::Rational;

use crate::Value;
use crate::calendar::{DAY, civil_from_days};
use crate::write::{number, quoted};

/// The two bounds as they stand in a catalog; `None` where there is nothing to bound.
pub(super) fn bounds(low: &Value, high: &Value) -> Option<(String, String)> {
    match (low, high) {
        (Value::Integer(low), Value::Integer(high)) => {
            let (lower, upper) = around(&Rational::from(*low), &Rational::from(*high))?;
            Some((lower.floor().to_string(), upper.ceil().to_string()))
        }
        (Value::Number(low), Value::Number(high)) => {
            let (lower, upper) = around(&Rational::from_f64(*low).ok()?, &Rational::from_f64(*high).ok()?)?;
            Some((number(&lower), number(&upper)))
        }
        (Value::Date(low), Value::Date(high)) => years(i64::from(*low), i64::from(*high), "", ""),
        (Value::Timestamp(low), Value::Timestamp(high)) => {
            years(low.div_euclid(DAY), high.div_euclid(DAY), "T00:00:00", "T23:59:59")
        }
        _ => None,
    }
}

/// How many, rounded up to 1, 2, 5, 10, 20, 50 and so on.
pub(super) fn count(count: u64) -> u64 {
    let rounded = above(&Rational::from(count.max(1))).map(|rounded| rounded.ceil());
    rounded.and_then(|rounded| u64::try_from(rounded).ok()).unwrap_or(count)
}

/// Whole years.
fn years(first: i64, last: i64, opens: &str, closes: &str) -> Option<(String, String)> {
    let [(first, ..), (last, ..)] = [first, last].map(civil_from_days);
    Some((quoted(&format!("{first:04}-01-01{opens}")), quoted(&format!("{last:04}-12-31{closes}"))))
}

/// Round numbers below and above: from zero where that is near, otherwise in steps as wide as the values are.
fn around(low: &Rational, high: &Rational) -> Option<(Rational, Rational)> {
    let zero = Rational::zero();
    let two = Rational::from(2u32);
    let largest = if low.abs() > high.abs() { low.abs() } else { high.abs() };
    if largest.is_zero() {
        return Some((zero, Rational::one()));
    }
    let far = (low.is_positive() && low * &two > *high) || (high.is_negative() && high * &two < *low);
    if far {
        let hundredth = &largest / &Rational::from(100u32);
        let width = high - low;
        let step = above(if width > hundredth { &width } else { &hundredth })?;
        let lower = Rational::from((low / &step).floor()) * step.clone();
        let upper = Rational::from((high / &step).ceil()) * step.clone();
        return Some(if lower < upper { (lower, upper) } else { (lower.clone(), lower + step) });
    }
    let lower = if low.is_negative() { zero.clone() - above(&low.abs())? } else { zero.clone() };
    let upper = if high.is_positive() { above(high)? } else { zero };
    Some((lower, upper))
}

/// The next of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, … that is not below a positive number.
fn above(value: &Rational) -> Option<Rational> {
    // Beyond these no bound is declared.
    let [ten, tenth] = [Rational::from(10u32), Rational::ratio(1, 10)];
    let mut power = Rational::one();
    for _ in 0..400 {
        if power > *value {
            power = &power * &tenth;
        } else if &power * &ten <= *value {
            power = &power * &ten;
        } else {
            let rounded = [1u32, 2, 5, 10].map(|digit| &power * &Rational::from(digit));
            return rounded.into_iter().find(|rounded| rounded >= value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(low: f64, high: f64) -> (String, String) {
        bounds(&Value::Number(low), &Value::Number(high)).unwrap()
    }

    /// Specification: bounds hold what was seen, and are round.
    #[test]
    fn bounds_go_outwards_to_round_numbers() {
        for (low, high, lower, upper) in [
            (17, 90, "0", "100"),
            (0, 0, "0", "1"),
            (1, 1, "1", "2"),
            (2011, 2012, "2000", "2050"),
            (1959, 2013, "1900", "2100"),
            (-43, 1301, "-50", "2000"),
            (-90, -17, "-100", "0"),
            (99_999, 99_999, "99000", "100000"),
            (7, 7, "7", "8"),
        ] {
            let found = bounds(&Value::Integer(low), &Value::Integer(high)).unwrap();
            assert_eq!((found.0.as_str(), found.1.as_str()), (lower, upper), "{low}..{high}");
        }
        assert_eq!(numbers(0.0, 0.85), ("0".into(), "1".into()));
        assert_eq!(numbers(0.013, 0.041), ("0".into(), "0.05".into()));
        assert_eq!(numbers(-124.3, -114.1), ("-140".into(), "-100".into()));
        assert_eq!(bounds(&Value::Text("a".into()), &Value::Text("b".into())), None);
        let days = bounds(&Value::Date(19_782), &Value::Date(20_100)).unwrap();
        assert_eq!(days, ("\"2024-01-01\"".to_owned(), "\"2025-12-31\"".to_owned()));
    }

    #[test]
    fn counts_are_rounded_up() {
        for (seen, rounded) in [(0, 1), (1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (20, 20), (21, 50)] {
            assert_eq!(count(seen), rounded, "{seen}");
        }
    }
}
