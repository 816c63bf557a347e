//! From columns to features: numbers by public bounds, categories one feature each, and rows of bounded length.
//!
//! **Guarantee.** Whatever codes a row has, its features are finite and their Euclidean norm is at most
//! [`Encoding::norm_bound`]: [`shorten`] ends every row, with a margin for rounding. The encoding looks at one
//! row and at public things, so it is a row-wise map: neighbours stay neighbours, and one person has as many rows after it
//! as before, or fewer.
//! **Codes.** A column comes as small integers: zero says nothing (NULL, or a value that is not listed), and one more than
//! an index otherwise, of a grid point between public bounds, of a listed value, or of false and true.
//! **Features.** A number becomes its place between its bounds, from 0 to 1, and the middle where it is NULL; a column that
//! may be NULL has a second feature, 1 where it is. A category becomes one feature a value, all 0 where the value is not
//! listed. True is 1 and false is 0. The last feature is the constant 1, the intercept.
//! **Length.** With [`RowLength::Clip`] a row that is longer than one is shortened to one, as the reference figures on Adult have it (d = 109,
//! numbers scaled by public bounds, rows clipped to norm 1). With [`RowLength::Scale`] all rows are divided by the
//! same public number, the length of the longest row there can be, which keeps them linear in the columns. With
//! [`RowLength::Whole`] rows stay as they are and that length is the bound, for trainers that look at single features.
//! **Target.** Two classes are −1 and 1, K classes 0 to K − 1, and a number goes from −1 to 1. A row whose target says
//! nothing is left out.

mod binned;
mod column;
mod encoded_rows;
mod label;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::column::{ColumnEncoding, ColumnKind, NumberUnit};
pub use self::encoded_rows::{CodeBlocks, EncodedRows};
pub use self::label::Label;
use crate::LearnError;
use crate::rows::shorten;

/// The most features: trainers keep a square of them in memory.
const DIMENSION_MAX: usize = 1 << 16;

/// How rows get a bounded length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowLength {
    /// Rows that are longer than one are shortened to one.
    #[default]
    Clip,
    /// All rows are divided by the length of the longest that there can be.
    Scale,
    /// Rows stay as they are, and the bound is the length of the longest that there can be.
    Whole,
}

/// From columns to features and a target. Part of a model: what is predicted later is encoded in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Encoding {
    parts: Parts,
    dimension: usize,
    factor: f64,
    norm_bound: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parts {
    columns: Vec<ColumnEncoding>,
    target: Option<ColumnEncoding>,
    #[serde(default)]
    row_length: RowLength,
}

/// What a model says of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetKind {
    /// One of two classes: the first is −1, the second 1.
    TwoClasses([String; 2]),
    /// One of several classes, numbered from zero.
    Classes(Vec<String>),
    /// A number.
    Number,
}

impl TryFrom<Parts> for Encoding {
    type Error = LearnError;

    fn try_from(parts: Parts) -> Result<Self, LearnError> {
        Self::new(parts.columns, parts.target, parts.row_length)
    }
}

impl From<Encoding> for Parts {
    fn from(encoding: Encoding) -> Self {
        encoding.parts
    }
}

impl Encoding {
    /// The encoding of these columns, and of a target where there is one.
    ///
    /// # Errors
    /// When there is no column, a column has no bounds or values, a target has fewer than two classes, or there are too
    /// many features.
    pub fn new(
        columns: Vec<ColumnEncoding>,
        target: Option<ColumnEncoding>,
        row_length: RowLength,
    ) -> Result<Self, LearnError> {
        if columns.is_empty() {
            return Err(LearnError::parameter("a model needs at least one feature"));
        }
        columns.iter().chain(&target).try_for_each(ColumnEncoding::check)?;
        if let Some(ColumnEncoding { name, kind: ColumnKind::Category { values }, .. }) = &target
            && values.len() < 2
        {
            return Err(LearnError::parameter(format!(
                "the target `{name}` has fewer than two values, so there is nothing to learn"
            )));
        }
        let dimension = columns.iter().map(ColumnEncoding::features).fold(1, usize::saturating_add);
        if dimension > DIMENSION_MAX {
            return Err(LearnError::parameter(format!(
                "the columns make {dimension} features, more than the {DIMENSION_MAX} of a model"
            )));
        }
        let longest =
            columns.iter().map(ColumnEncoding::square_max).fold(1.0, |sum, square| sum + square).sqrt();
        // The margin that `shorten` leaves is taken up here, so that it changes no row.
        let longest = longest * (1.0 + 2.0 * (dimension as f64 + 16.0) * f64::EPSILON);
        let (factor, norm_bound) = match row_length {
            RowLength::Clip => (1.0, 1.0),
            RowLength::Scale => (longest.recip(), 1.0),
            RowLength::Whole => (1.0, longest),
        };
        Ok(Self { parts: Parts { columns, target, row_length }, dimension, factor, norm_bound })
    }

    /// How many features a row has, the constant among them.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// No row is longer than this.
    pub fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    /// What a feature that is one of a row as it came is in a row that was scaled: the value of the constant.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Between which numbers each feature lies.
    pub fn feature_bounds(&self) -> Vec<(f64, f64)> {
        let mut bounds = vec![(0.0, self.factor); self.dimension];
        bounds[self.dimension - 1].0 = self.factor;
        bounds
    }

    /// How rows get a bounded length.
    pub fn row_length(&self) -> RowLength {
        self.parts.row_length
    }

    /// The columns that features are made of.
    pub fn columns(&self) -> &[ColumnEncoding] {
        &self.parts.columns
    }

    /// The column of the target.
    pub fn target(&self) -> Option<&ColumnEncoding> {
        self.parts.target.as_ref()
    }

    /// How many codes a row has: of the columns, and of the target where there is one.
    pub fn width(&self) -> usize {
        self.parts.columns.len() + usize::from(self.parts.target.is_some())
    }

    /// What the features are called, in their order.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.parts.columns.iter().flat_map(ColumnEncoding::feature_names).collect();
        names.push("constant".to_owned());
        names
    }

    /// What the target is.
    pub fn target_kind(&self) -> Option<TargetKind> {
        let text = |value: &Option<Label>| value.as_ref().map_or_else(|| "NULL".to_owned(), Label::to_string);
        Some(match &self.target()?.kind {
            ColumnKind::Number { .. } => TargetKind::Number,
            ColumnKind::Truth => TargetKind::TwoClasses(["false".to_owned(), "true".to_owned()]),
            ColumnKind::Category { values } => match values.as_slice() {
                [first, second] => TargetKind::TwoClasses([text(first), text(second)]),
                values => TargetKind::Classes(values.iter().map(text).collect()),
            },
        })
    }

    /// The features of a row, from the codes of its columns; a code that there is not says nothing.
    ///
    /// # Panics
    /// When `features` has another length than [`dimension`](Self::dimension).
    pub fn features(&self, codes: &[u32], features: &mut [f64]) {
        assert_eq!(features.len(), self.dimension, "one place for each feature");
        let mut rest = &mut *features;
        for (at, column) in self.parts.columns.iter().enumerate() {
            let (own, after) = rest.split_at_mut(column.features());
            column.write(codes.get(at).copied().unwrap_or(0), own);
            rest = after;
        }
        rest[0] = 1.0;
        if self.factor != 1.0 {
            features.iter_mut().for_each(|feature| *feature *= self.factor);
        }
        shorten(features, self.norm_bound);
    }

    /// The target of a row, from its code: `None` where it says nothing, and the row is left out.
    pub fn target_of(&self, code: u32) -> Option<f64> {
        let target = self.target()?;
        let index = code.checked_sub(1).filter(|index| *index <= target.last_index())?;
        Some(match &target.kind {
            ColumnKind::Number { steps, .. } => 2.0 * (f64::from(index) / f64::from(*steps)) - 1.0,
            ColumnKind::Truth => 2.0 * f64::from(index) - 1.0,
            ColumnKind::Category { values } if values.len() == 2 => 2.0 * f64::from(index) - 1.0,
            ColumnKind::Category { .. } => f64::from(index),
        })
    }

    /// The number that a prediction from −1 to 1 stands for, between the bounds of the target. `None` for classes.
    pub fn number_of(&self, predicted: f64) -> Option<f64> {
        match &self.target()?.kind {
            ColumnKind::Number { lower, upper, .. } => {
                let share = (predicted.clamp(-1.0, 1.0) + 1.0) / 2.0;
                Some(if share.is_nan() { (lower + upper) / 2.0 } else { lower + share * (upper - lower) })
            }
            ColumnKind::Category { .. } | ColumnKind::Truth => None,
        }
    }

    /// The features of one row of values, in the order of the columns: encoded as in training.
    pub fn features_of(&self, values: &[Option<Label>]) -> Vec<f64> {
        let value = |at: usize| values.get(at).and_then(Option::as_ref);
        let codes: Vec<u32> =
            self.parts.columns.iter().enumerate().map(|(at, column)| column.code_of(value(at))).collect();
        let mut features = vec![0.0; self.dimension];
        self.features(&codes, &mut features);
        features
    }
}
