//! Prices, odds and moments as a page says them. Prices are rounded up, what is left is rounded down.

use pointillist_catalog::calendar::date_text;
use pointillist_privacy::{EpsilonDelta, Price};
use pointillist_render::decimals::{glance_upper, grouped, percent};

/// The price of one question: `ε 0.24`, or what the ledger counts where that has no ε.
pub fn price_text(price: &Price, epsilon_at_delta: Option<&EpsilonDelta>) -> String {
    match epsilon_at_delta {
        Some(at) => format!("ε\u{a0}{}", glance_upper(at.epsilon.value())),
        None => {
            let (symbol, loss) = (price.currency().symbol(), price.amount().loss());
            format!("{symbol}\u{a0}{}", glance_upper(&loss))
        }
    }
}

/// By which factor something can become more likely: `1.27 times`, rounded up; nothing where a price has no ε.
pub(crate) fn odds_text(epsilon_at_delta: Option<&EpsilonDelta>) -> Option<String> {
    let odds = epsilon_at_delta?.epsilon.to_f64_upper().exp();
    let shown = if odds < 10.0 {
        format!("{:.2}", (100.0 * odds).ceil() / 100.0)
    } else {
        format!("{:.0}", odds.ceil())
    };
    Some(format!("{}\u{a0}times", grouped(&shown)))
}

/// An error bar: `± 304`, rounded up to digits that it is worth.
pub fn error_text(error: f64) -> String {
    format!("±\u{a0}{}", size_upper(error))
}

/// A positive number, rounded up: whole from ten on, two digits that count below.
pub(crate) fn size_upper(size: f64) -> String {
    if !size.is_finite() {
        return "∞".to_owned();
    }
    if size >= 10.0 || size == 0.0 {
        return grouped(&format!("{:.0}", size.ceil()));
    }
    let places = (1 - size.log10().floor() as i32).clamp(0, 12);
    let factor = 10f64.powi(places);
    let text = format!("{:.*}", places as usize, (size * factor - 1e-9).ceil() / factor);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A part of a whole: `1.0 %`, which does not hide what is small.
pub(crate) fn part_text(part: f64) -> String {
    percent(part).replace(' ', "\u{a0}")
}

/// A moment, to the minute: `2026-11-13, 09:41`.
pub fn moment_text(seconds: u64) -> String {
    let days = i32::try_from(seconds / 86_400).unwrap_or(i32::MAX);
    let minutes = seconds % 86_400 / 60;
    format!("{},\u{a0}{:02}:{:02}", date_text(days), minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_bars_are_rounded_up() {
        for (error, text) in [
            (303.2, "304"),
            (12_000.1, "12,001"),
            (9.01, "9.1"),
            (0.123, "0.13"),
            (0.5, "0.5"),
            (0.0, "0"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(size_upper(error), text, "{error}");
        }
        assert_eq!(error_text(1.0), "±\u{a0}1");
    }

    #[test]
    fn moments_are_to_the_minute() {
        assert_eq!(moment_text(0), "1970-01-01,\u{a0}00:00");
        assert_eq!(moment_text(1_763_026_919), "2025-11-13,\u{a0}09:41");
    }
}
