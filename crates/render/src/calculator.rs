//! Answers of the calculators: a few aligned lines for people, one object for programs.

mod amplify;
mod calibrate;
mod compose;
mod convert;
mod filters;
mod group;

pub use amplify::amplification;
pub use calibrate::calibration;
pub use compose::{composition_json, composition_lines, profile_chart, repeated_use_chart};
pub use convert::conversion;
pub use filters::filter_comparison;
pub use group::group_loss;

use serde_json::Value;

/// What a calculator found.
#[derive(Clone, Debug, PartialEq)]
pub struct CalculatorAnswer {
    /// What was asked, in a line.
    pub heading: String,
    /// A number with its name, and where it comes from.
    pub rows: Vec<[String; 2]>,
    /// How the numbers for people are rounded; programs get more digits.
    pub rounding: RowRounding,
    /// What to keep in mind; may be empty.
    pub note: String,
    /// The same for programs.
    pub json: Value,
}

/// How the numbers of an answer are rounded to six digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRounding {
    /// All up.
    Up,
    /// All down.
    Down,
    /// Each as its line says.
    Either,
    /// Noise, losses and lies up, the truth down.
    Noise,
    /// They are counts.
    Exact,
}

impl CalculatorAnswer {
    /// The lines: heading, aligned rows, and notes. `more_digits` says in words of the door where there are more digits,
    /// such as "--json has 17".
    pub fn lines(&self, more_digits: &str) -> Vec<String> {
        let width = self.rows.iter().map(|[number, _]| number.chars().count()).max().unwrap_or(0);
        let row = |[number, words]: &[String; 2]| format!("  {number:width$}   {words}");
        let rounded = match self.rounding {
            RowRounding::Up => format!("Rounded up to 6 digits; {more_digits}."),
            RowRounding::Down => format!("Rounded down to 6 digits; {more_digits}."),
            RowRounding::Either => format!("Shown to 6 digits; {more_digits}."),
            RowRounding::Noise => {
                format!("Noise, losses and lies are rounded up to 6 digits, the truth down; {more_digits}.")
            }
            RowRounding::Exact => String::new(),
        };
        let mut lines = vec![self.heading.clone()];
        lines.extend(self.rows.iter().map(row));
        lines.extend([rounded, self.note.clone()].into_iter().filter(|text| !text.is_empty()));
        lines
    }
}

#[cfg(test)]
mod tests;
