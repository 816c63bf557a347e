//! How many places behind the point a number is worth: those of its grid, or those that its error leaves standing.
//!
//! A total of cents has two places, whatever the noise. A mean has no grid: it is shown with as many places as its
//! error has two digits for. Bounds of intervals are rounded outwards.

use pointillist_numbers::Rational;

/// More places than this are noise in any unit.
const PLACES_MAX: usize = 9;
/// Places of numbers whose error is unknown.
const PLACES_USUAL: usize = 2;

/// So many places behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places(usize);

impl Places {
    /// None: whole numbers.
    pub const WHOLE: Self = Self(0);

    /// The places of a grid whose step is a finite decimal; a grid of thirds has none.
    pub fn of_step(step: &Rational) -> Option<Self> {
        let grid = step.to_string();
        if grid.contains(['/', 'e']) {
            return None;
        }
        let places = grid.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len());
        Some(Self(places.min(PLACES_MAX)))
    }

    /// So many places that the smallest of these errors has two digits; `None` where there is no positive one.
    pub fn of_known_errors(errors: impl IntoIterator<Item = f64>) -> Option<Self> {
        let known = errors.into_iter().filter(|error| error.is_finite() && *error > 0.0);
        let magnitude = known.reduce(f64::min)?.log10().floor();
        Some(Self((1.0 - magnitude).clamp(0.0, PLACES_MAX as f64) as usize))
    }

    /// The same, and two places where there is no positive error.
    pub fn of_errors(errors: impl IntoIterator<Item = f64>) -> Self {
        Self::of_known_errors(errors).unwrap_or(Self(PLACES_USUAL))
    }

    /// The nearest number of so many places.
    pub fn nearest(self, value: f64) -> String {
        without_minus_zero(format!("{value:.*}", self.0))
    }

    /// The lower end of an interval, rounded down.
    pub fn low(self, value: f64) -> String {
        self.rounded(value, f64::floor)
    }

    /// The upper end of an interval, or an error, rounded up.
    pub fn high(self, value: f64) -> String {
        self.rounded(value, f64::ceil)
    }

    fn rounded(self, value: f64, towards: fn(f64) -> f64) -> String {
        if !value.is_finite() {
            return if value > 0.0 { "∞".to_owned() } else { "-∞".to_owned() };
        }
        let scale = 10_f64.powi(i32::try_from(self.0).unwrap_or(0));
        let scaled = value * scale;
        // A bound that is a whole number of places, but for the last bit of a float, is not moved by a place.
        let near = scaled.round();
        let whole = if (scaled - near).abs() <= 1e-9 * near.abs().max(1.0) { near } else { towards(scaled) };
        self.nearest(whole / scale)
    }
}

/// A minus in front of nothing but zeros is an accident of rounding.
fn without_minus_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_says_how_many_places() {
        for (grid, places) in
            [("1", Some(0)), ("0.01", Some(2)), ("0.50", Some(1)), ("1/3", None), ("100", Some(0))]
        {
            assert_eq!(Places::of_step(&Rational::parse(grid).unwrap()), places.map(Places), "{grid}");
        }
    }

    #[test]
    fn an_error_says_how_many_places() {
        for (errors, places) in [
            (&[0.037][..], Some(3)),
            (&[1.0, 3.7], Some(1)),
            (&[37.0], Some(0)),
            (&[37_000.0], Some(0)),
            (&[0.0, f64::INFINITY], None),
            (&[], None),
        ] {
            assert_eq!(Places::of_known_errors(errors.iter().copied()), places.map(Places), "{errors:?}");
        }
        for (error, value, text) in [
            (0.4, 31.4159, "31.42"),
            (12.0, 31_415.9, "31416"),
            (0.0, 1.0, "1.00"),
            (1.0, -0.01, "0.0"),
            (f64::INFINITY, -2.0, "-2.00"),
        ] {
            assert_eq!(Places::of_errors([error]).nearest(value), text);
        }
    }

    #[test]
    fn bounds_go_outwards_and_floats_do_not_show() {
        let two = Places(2);
        assert_eq!((two.low(12.349), two.high(12.341)), ("12.34".into(), "12.35".into()));
        assert_eq!(
            (two.low(12.340_000_000_000_001), two.high(12.340_000_000_000_001)),
            ("12.34".into(), "12.34".into())
        );
        assert_eq!((two.nearest(-0.001), two.low(f64::NEG_INFINITY)), ("0.00".into(), "-∞".into()));
        assert_eq!((Places::WHOLE.low(-3.0), Places::WHOLE.high(25.2)), ("-3".into(), "26".into()));
    }
}
