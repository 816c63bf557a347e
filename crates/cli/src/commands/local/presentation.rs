//! Figures of surveys for people and for scripts.

use pointillist_local::Interval;
use serde_json::{Value, json};

use super::survey::Survey;
use crate::ink::Ink;
pub use pointillist_render::decimals::significant;
use pointillist_render::decimals::{grouped, long_upper, short_upper};
use pointillist_render::text::wrapped;

/// Columns that words are wrapped to.
const WIDTH: usize = 80;

/// What a report costs, in words.
pub fn price_words(survey: &Survey) -> String {
    let one = short_upper(survey.epsilon().value());
    match survey.epsilon_for_ever() {
        None => format!("each report costs its sender ε = {one}"),
        Some(all) => format!(
            "a report costs its sender ε = {one}, and any number of them from one memory ε = {} together",
            short_upper(all.value())
        ),
    }
}

/// What a report costs, rounded up where it is not a decimal; and all reports from one memory.
pub fn cost_json(survey: &Survey) -> Value {
    let mut cost = json!({ "epsilon": long_upper(survey.epsilon().value()) });
    if let Some(all) = survey.epsilon_for_ever() {
        cost["epsilon_of_one_memory"] = long_upper(all.value()).into();
    }
    cost
}

/// Both ends.
pub fn interval_json(interval: Interval) -> Value {
    json!([interval.lower, interval.upper])
}

/// A name and what belongs to it, in lines of their own width.
pub fn named(name: &str, text: &str, ink: Ink) -> Vec<String> {
    let mut name = name;
    let line = |part: &String| {
        let line = format!("{}  {part}", ink.faint(&format!("{name:>9}")));
        name = "";
        line
    };
    wrapped(text, WIDTH).iter().map(line).collect()
}

/// Numbers of one table with as many digits as their errors leave room for.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    decimals: usize,
}

impl Rounding {
    /// Two digits of the smallest error.
    pub fn for_error(error: f64) -> Self {
        let wanted = if error > 0.0 && error.is_finite() { 1.0 - error.log10().floor() } else { 2.0 };
        Self { decimals: wanted.clamp(0.0, 9.0) as usize }
    }

    /// A number.
    pub fn number(self, value: f64) -> String {
        let text = format!("{value:.*}", self.decimals);
        // A minus in front of nothing but zeros is an accident of rounding.
        let text = text.strip_prefix('-').filter(|rest| rest.parse() == Ok(0.0)).unwrap_or(&text).to_owned();
        grouped(&text)
    }

    /// Two ends.
    pub fn interval(self, interval: Interval) -> String {
        format!("{} to {}", self.number(interval.lower), self.number(interval.upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_error() {
        assert_eq!(Rounding::for_error(0.4).number(31.4159), "31.42");
        assert_eq!(Rounding::for_error(12.0).number(31_415.9), "31,416");
        assert_eq!(Rounding::for_error(0.0).number(1.0), "1.00");
        assert_eq!(Rounding::for_error(1.0).number(-0.01), "0.0");
        assert_eq!(Rounding::for_error(f64::INFINITY).number(-2.0), "-2.00");
    }
}
