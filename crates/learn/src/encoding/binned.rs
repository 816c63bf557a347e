//! Columns as trainers on bins see them: additive models and naive Bayes.
//!
//! Both look at single features, so rows must not have been shortened one by one: [`RowLength::Whole`] or
//! [`RowLength::Scale`], under which a feature is the column's place between its bounds times one public number.

use super::{ColumnKind, Encoding, RowLength};
use crate::naive_bayes::Number;
use crate::{Feature, LearnError};

impl Encoding {
    /// Every column as bins: numbers in so many of equal width, a category by its values, truths in two; and in two whether
    /// a value is missing, where it may be.
    ///
    /// # Errors
    /// When rows are shortened one by one.
    pub fn bins(&self, number_bins: usize) -> Result<Vec<Feature>, LearnError> {
        let (numbers, others) = self.evidence()?;
        let equal = |number: Number| Feature::equal(number.column, number.low, number.high, number_bins);
        let mut bins: Vec<Feature> = numbers.into_iter().map(equal).chain(others).collect();
        bins.sort_by_key(first_column);
        Ok(bins)
    }

    /// The numbers, and everything else as bins, as naive Bayes wants them.
    ///
    /// # Errors
    /// When rows are shortened one by one.
    pub fn evidence(&self) -> Result<(Vec<Number>, Vec<Feature>), LearnError> {
        if self.parts.row_length == RowLength::Clip {
            return Err(LearnError::parameter(
                "rows that are shortened one by one have no bins: encode them whole, or scaled",
            ));
        }
        let (mut numbers, mut bins, mut column) = (Vec::new(), Vec::new(), 0);
        let half = |column: usize| Feature::Cuts { column, cuts: vec![self.factor / 2.0] };
        for encoding in &self.parts.columns {
            let count = encoding.features();
            match &encoding.kind {
                ColumnKind::Category { .. } => bins.push(Feature::Category { first: column, count }),
                ColumnKind::Number { .. } => numbers.push(Number { column, low: 0.0, high: self.factor }),
                ColumnKind::Truth => bins.push(half(column)),
            }
            if encoding.nullable && !matches!(encoding.kind, ColumnKind::Category { .. }) {
                bins.push(half(column + 1));
            }
            column += count;
        }
        Ok((numbers, bins))
    }
}

fn first_column(feature: &Feature) -> usize {
    match feature {
        Feature::Cuts { column, .. } => *column,
        Feature::Category { first, .. } => *first,
    }
}
