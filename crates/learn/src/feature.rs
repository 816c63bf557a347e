//! Features as numbered bins, by public cut points or by the columns of a category.

use serde::{Deserialize, Serialize};

use crate::LearnError;

/// How a row's encoded columns become the number of a bin. Everything here is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Feature {
    /// The bin is the number of cut points that the column's value reaches.
    Cuts {
        /// The column.
        column: usize,
        /// Cut points, rising.
        cuts: Vec<f64>,
    },
    /// The bin is the column with the largest value of several beside each other, the first of them where they are equal.
    Category {
        /// The first column.
        first: usize,
        /// How many columns there are.
        count: usize,
    },
}

impl Feature {
    /// Bins of equal width between two public bounds.
    pub fn equal(column: usize, low: f64, high: f64, bins: usize) -> Self {
        let cut = |at: usize| low + (high - low) * at as f64 / bins as f64;
        Self::Cuts { column, cuts: (1..bins.max(1)).map(cut).collect() }
    }

    /// How many bins there are.
    pub fn bins(&self) -> usize {
        match self {
            Self::Cuts { cuts, .. } => cuts.len() + 1,
            Self::Category { count, .. } => *count,
        }
    }

    /// The bin of a row: a function of that row alone. What is no number is in the first.
    pub fn bin(&self, row: &[f64]) -> usize {
        match self {
            Self::Cuts { column, cuts } => {
                let value = row[*column];
                cuts.partition_point(|cut| *cut <= value)
            }
            Self::Category { first, count } => {
                let mut best = 0;
                for at in 1..*count {
                    if row[first + at] > row[first + best] {
                        best = at;
                    }
                }
                best
            }
        }
    }

    pub(crate) fn check(&self, dimension: usize) -> Result<(), LearnError> {
        let (beyond, bins) = match self {
            Self::Cuts { column, cuts } => {
                let rising = cuts.windows(2).all(|pair| pair[0] < pair[1]);
                if !rising || cuts.iter().any(|cut| !cut.is_finite()) {
                    return Err(LearnError::parameter("cut points are finite and rise"));
                }
                (*column >= dimension, cuts.len() + 1)
            }
            Self::Category { first, count } => (first.saturating_add(*count) > dimension, *count),
        };
        if beyond {
            return Err(LearnError::parameter(format!(
                "a feature is of a column that {dimension} columns do not have"
            )));
        }
        if bins == 0 || bins > 1 << 16 {
            return Err(LearnError::parameter("a feature has 1 to 65536 bins"));
        }
        Ok(())
    }
}

/// The number of a row's class: of two, whether the target is above zero; of several, the target. What is no class
/// is one of them.
pub(crate) fn class_of(target: f64, classes: usize) -> usize {
    if classes == 2 { usize::from(target > 0.0) } else { (target as usize).min(classes - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_where_values_are() {
        let cuts = Feature::equal(1, -1.0, 1.0, 4);
        let bin = |value| cuts.bin(&[9.0, value]);
        assert_eq!([bin(-7.0), bin(-0.5), bin(0.2), bin(0.5), bin(7.0), bin(f64::NAN)], [0, 1, 2, 3, 3, 0]);
        let category = Feature::Category { first: 1, count: 3 };
        assert_eq!(category.bin(&[5.0, 0.0, 0.0, 0.3]), 2);
        assert_eq!(category.bin(&[5.0, 0.0, 0.0, 0.0]), 0);
        assert_eq!((cuts.bins(), category.bins()), (4, 3));
    }

    #[test]
    fn features_of_other_columns_are_refused() {
        assert!(Feature::equal(3, 0.0, 1.0, 4).check(3).is_err());
        assert!(Feature::Category { first: 1, count: 3 }.check(3).is_err());
        assert!(Feature::Category { first: 1, count: 0 }.check(3).is_err());
        assert!(Feature::Category { first: usize::MAX, count: 3 }.check(3).is_err());
        assert!(Feature::Cuts { column: 0, cuts: vec![1.0, 1.0] }.check(3).is_err());
        assert!(Feature::Cuts { column: 0, cuts: vec![f64::NAN] }.check(3).is_err());
        assert!(Feature::equal(2, 0.0, 1.0, 4).check(3).is_ok());
    }

    #[test]
    fn every_target_has_a_class() {
        assert_eq!([-1.0, 0.0, 1.0, f64::NAN].map(|y| class_of(y, 2)), [0, 0, 1, 0]);
        assert_eq!([-1.0, 0.0, 2.0, 9.0, f64::NAN].map(|y| class_of(y, 3)), [0, 0, 2, 2, 0]);
    }
}
