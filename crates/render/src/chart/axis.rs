//! Axes: from a number to its place, and the round numbers along the way.

use pointillist_catalog::calendar;

use crate::decimals::grouped;

/// How an axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences, and zero is on the axis.
    Linear,
    /// Equal distances are equal differences, from the least number to the greatest.
    Tight,
    /// Days since 1970-01-01, written as dates.
    Dates,
    /// Equal distances are equal ratios; only positive numbers are drawn.
    Logarithmic,
}

/// An axis: the numbers from `low` to `high` in one direction.
pub(super) struct Axis {
    scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Axis {
    /// Just long enough for these values.
    pub(super) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let drawable = |value: &f64| value.is_finite() && (scale != Scale::Logarithmic || *value > 0.0);
        let (mut low, mut high) = values
            .filter(drawable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear | Scale::Tight | Scale::Dates => {
                if scale == Scale::Linear {
                    low = low.min(0.0);
                }
                if high <= low {
                    high = low + 1.0;
                }
            }
            Scale::Logarithmic => {
                if high <= low * 1.000_001 {
                    (low, high) = (low / 2.0, high * 2.0);
                }
            }
        }
        Self { scale, low, high }
    }

    /// The position between 0 and 1; `None` when it cannot be drawn.
    pub(super) fn position(&self, value: f64) -> Option<f64> {
        let position = match self.scale {
            Scale::Linear | Scale::Tight | Scale::Dates => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Logarithmic => return None,
        };
        position.is_finite().then_some(position)
    }

    /// The value itself, or the lower end of the axis where it cannot be drawn: a band that reaches below zero is cut
    /// there.
    pub(super) fn floor(&self, value: f64) -> f64 {
        if value > self.low { value } else { self.low }
    }

    pub(super) fn label(&self, tick: f64) -> String {
        match self.scale {
            Scale::Dates => calendar::date_text(tick.floor() as i32),
            _ => label(tick),
        }
    }

    /// Round numbers along the axis, about so many.
    pub(super) fn ticks(&self, about: usize) -> Vec<f64> {
        match self.scale {
            Scale::Linear | Scale::Tight | Scale::Dates => round_numbers(self.low, self.high, about),
            Scale::Logarithmic => {
                let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
                let stride = ((last - first) / (about as i32 + 2) + 1).max(1);
                let decades: Vec<f64> =
                    (first..=last).step_by(stride as usize).map(|power| 10f64.powi(power)).collect();
                if decades.len() >= 3 {
                    return decades;
                }
                let between = (first - 1..=last)
                    .flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * 10f64.powi(power)));
                let between: Vec<f64> = between
                    .filter(|tick| (self.low * (1.0 - 1e-9)..=self.high * (1.0 + 1e-9)).contains(tick))
                    .collect();
                if between.len() >= 2 { between } else { round_numbers(self.low, self.high, about) }
            }
        }
    }
}

/// Round numbers from `low` to `high`, about so many.
pub(super) fn round_numbers(low: f64, high: f64, about: usize) -> Vec<f64> {
    let rough = (high - low) / about as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = first.saturating_add(4 * about as i64);
    (first..=last).map(|place| place as f64 * step).take_while(|tick| *tick <= high + step * 1e-9).collect()
}

/// A number short enough for an axis, and never the same for two ticks.
pub(super) fn label(value: f64) -> String {
    let without_idle_zeros = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&size) {
        let text = without_idle_zeros(&format!("{value:.6}"));
        // Four digits may be a year.
        if size < 1e4 { text } else { grouped(&text) }
    } else {
        let text = format!("{value:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", without_idle_zeros(digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1e-6, "1e-6"),
            (1e7, "1e7"),
            (2500.0, "2500"),
            (-1.0, "-1"),
            (150_000.0, "150,000"),
            (1.5e7, "1.5e7"),
        ] {
            assert_eq!(label(value), text);
        }
    }

    #[test]
    fn ticks_of_a_short_logarithmic_axis_are_round_too() {
        let labels = |low, high| {
            let axis = Axis { low, high, scale: Scale::Logarithmic };
            axis.ticks(6).into_iter().map(label).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.5, 4.0), ["0.5", "1", "2"]);
        assert_eq!(labels(0.1, 10.0), ["0.1", "1", "10"]);
        assert_eq!(labels(0.3, 0.45), ["0.3", "0.35", "0.4", "0.45"]);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            round_numbers(0.0, 50.0, 6).into_iter().map(label).collect::<Vec<_>>(),
            ["0", "10", "20", "30", "40", "50"]
        );
        assert_eq!(
            round_numbers(0.0, 0.7, 6).into_iter().map(label).collect::<Vec<_>>(),
            ["0", "0.2", "0.4", "0.6"]
        );
    }
}
