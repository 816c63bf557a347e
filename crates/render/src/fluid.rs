//! Charts for pages that change their width: x in per cent, y in pixels, no view box, so that letters never shrink.
//!
//! Everything is drawn by classes of the page's style sheet: no attribute carries a style, so that a page may forbid inline
//! styles. **Error bars are never hidden**: whoever draws a bar here draws its whisker last, on top.

mod columns;
mod gauge;
mod line;
mod row_bar;

pub use columns::{Column, columns};
pub use gauge::{Gauge, Slice};
pub use line::{LinePoint, line};
pub use row_bar::{RowAxis, RowBar};

/// A place in per cent of the width.
fn percent(part: f64) -> String {
    let text = format!("{:.2}", 100.0 * part.clamp(0.0, 1.0));
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A place in pixels.
fn pixels(place: f64) -> String {
    format!("{place:.1}")
}

/// The least round number from `value` on, of which a few steps make an axis: 12,000 for 10,432.
fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps
        .iter()
        .map(|step| step * power)
        .find(|round| *round >= value * (1.0 - 1e-12))
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, end) in [(10_432.0, 12_000.0), (1.0, 1.0), (0.17, 0.2), (999.0, 1_000.0), (-3.0, 1.0)] {
            assert!((round_up(value) - end).abs() < 1e-9 * end, "{value}: {}", round_up(value));
        }
        assert_eq!(round_up(f64::NAN), 1.0);
    }

    #[test]
    fn places_stay_inside_the_frame() {
        assert_eq!((percent(0.5), percent(-1.0), percent(7.0)), ("50%".into(), "0%".into(), "100%".into()));
        assert_eq!(percent(0.333_333), "33.33%");
    }
}
