//! One column, and the features that it becomes.

use serde::{Deserialize, Serialize};

use super::Label;
use crate::LearnError;

/// A column as a model knows it: everything here is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnEncoding {
    /// Its name.
    pub name: String,
    /// What its values are.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// Whether a value may be missing: a number or a truth then has a feature that says so.
    #[serde(default)]
    pub nullable: bool,
}

/// What the values of a column are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ColumnKind {
    /// Points of a grid between bounds.
    Number {
        /// The first point.
        lower: f64,
        /// The last.
        upper: f64,
        /// How many steps there are between them.
        steps: u32,
        /// What is counted.
        #[serde(default)]
        unit: NumberUnit,
    },
    /// One of a list; `None` is NULL.
    Category {
        /// The list.
        values: Vec<Option<Label>>,
    },
    /// False or true.
    Truth,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberUnit {
    /// Whatever it is.
    #[default]
    Number,
    /// Days since 1970-01-01.
    Day,
    /// Microseconds since 1970-01-01 00:00:00.
    Microsecond,
}

impl ColumnEncoding {
    pub(super) fn check(&self) -> Result<(), LearnError> {
        let wrong = |what: &str| Err(LearnError::parameter(format!("the column `{}` {what}", self.name)));
        match &self.kind {
            ColumnKind::Number { lower, upper, steps, .. } => {
                let range = upper - lower;
                if !(range.is_finite() && range > 0.0) || *steps == 0 || *steps == u32::MAX {
                    return wrong("has no bounds with steps between them");
                }
            }
            ColumnKind::Category { values } => {
                let again = |at: usize| {
                    values[..at].iter().any(|other| match (other, &values[at]) {
                        (Some(left), Some(right)) => left.is(right),
                        (left, right) => left == right,
                    })
                };
                if values.is_empty() || u32::try_from(values.len()).is_err() {
                    return wrong("has no values");
                }
                if values
                    .iter()
                    .flatten()
                    .any(|value| value.number().is_some_and(|number| !number.is_finite()))
                {
                    return wrong("has a value that is no number");
                }
                // Long lists come from catalogs, which have each value once; a short check is enough for files.
                if values.len() <= 4_096 && (0..values.len()).any(again) {
                    return wrong("has a value twice");
                }
            }
            ColumnKind::Truth => {}
        }
        Ok(())
    }

    /// The largest index of a value.
    pub(super) fn last_index(&self) -> u32 {
        match &self.kind {
            ColumnKind::Number { steps, .. } => *steps,
            ColumnKind::Category { values } => {
                u32::try_from(values.len()).unwrap_or(u32::MAX).saturating_sub(1)
            }
            ColumnKind::Truth => 1,
        }
    }

    /// How many features it becomes.
    pub fn features(&self) -> usize {
        match &self.kind {
            ColumnKind::Category { values } => values.len(),
            ColumnKind::Number { .. } | ColumnKind::Truth => 1 + usize::from(self.nullable),
        }
    }

    /// The largest sum of squares that its features can have.
    pub(super) fn square_max(&self) -> f64 {
        match (&self.kind, self.nullable) {
            // In the middle, and missing.
            (ColumnKind::Number { .. }, true) => 1.25,
            _ => 1.0,
        }
    }

    /// What its features are called.
    pub fn feature_names(&self) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            ColumnKind::Category { values } => values
                .iter()
                .map(|value| match value {
                    Some(value) => format!("{name} = {value}"),
                    None => format!("{name} = NULL"),
                })
                .collect(),
            ColumnKind::Number { .. } | ColumnKind::Truth => {
                let missing = self.nullable.then(|| format!("{name} is missing"));
                [name.clone()].into_iter().chain(missing).collect()
            }
        }
    }

    /// Writes the features of a code; a code that there is not says nothing.
    pub(super) fn write(&self, code: u32, features: &mut [f64]) {
        features.fill(0.0);
        let index = code.checked_sub(1).filter(|index| *index <= self.last_index());
        match (&self.kind, index) {
            (ColumnKind::Category { .. }, None) => {}
            (ColumnKind::Category { .. }, Some(index)) => features[index as usize] = 1.0,
            (ColumnKind::Number { steps, .. }, Some(index)) => {
                features[0] = f64::from(index) / f64::from(*steps);
            }
            (ColumnKind::Truth, Some(index)) => features[0] = f64::from(index),
            (kind, None) => {
                if matches!(kind, ColumnKind::Number { .. }) {
                    features[0] = 0.5;
                }
                if self.nullable {
                    features[1] = 1.0;
                }
            }
        }
    }

    /// The code of a value. A number outside of the bounds goes to the nearest end.
    pub fn code_of(&self, value: Option<&Label>) -> u32 {
        let index = match (&self.kind, value) {
            (ColumnKind::Category { values }, value) => {
                values.iter().position(|listed| match (listed, value) {
                    (Some(listed), Some(value)) => listed.is(value),
                    (listed, value) => listed.is_none() && value.is_none(),
                })
            }
            (_, None) => None,
            (ColumnKind::Number { lower, upper, steps, .. }, Some(value)) => {
                let place =
                    value.number().map(|number| (number - lower) / (upper - lower) * f64::from(*steps));
                // The cast sends what is too large or too small to the ends.
                place.filter(|place| !place.is_nan()).map(|place| ((place + 0.5) as u32).min(*steps) as usize)
            }
            (ColumnKind::Truth, Some(Label::Truth(truth))) => Some(usize::from(*truth)),
            (ColumnKind::Truth, Some(_)) => None,
        };
        index.map_or(0, |index| index as u32 + 1)
    }
}
