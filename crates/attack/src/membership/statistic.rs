//! The three statistics, as a score for every value at every position.

use std::fmt;

use serde::{Serialize, Serializer};

/// What an adversary adds up over positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// How much nearer the person is to the published frequencies than to the population's (Homer et al.
    /// 2008).
    Distance,
    /// How much likelier the person is under the published frequencies (Sankararaman et al. 2009).
    LikelihoodRatio,
    /// How much the published frequencies lean the person's way.
    Correlation,
}

impl Statistic {
    /// Every statistic, the simplest first.
    pub const ALL: [Self; 3] = [Self::Distance, Self::LikelihoodRatio, Self::Correlation];

    /// The scores of 0, 1, … copies of an allele. `least` is the smallest frequency taken for possible.
    pub(super) fn of_alleles(self, copies: u8, published: f64, population: f64, least: f64) -> Vec<f64> {
        let clamped = published.clamp(least, 1.0 - least);
        let all = f64::from(copies);
        let score = |count: u8| {
            let count = f64::from(count);
            match self {
                Self::Distance => (count / all - population).abs() - (count / all - clamped).abs(),
                Self::LikelihoodRatio => {
                    let other = ((1.0 - clamped) / (1.0 - population)).ln();
                    count * (clamped / population).ln() + (all - count) * other
                }
                Self::Correlation => {
                    let variance = population * (1.0 - population);
                    (published - population) * (count - all * population) / variance
                }
            }
        };
        (0..=copies).map(score).collect()
    }

    /// The scores of the values of a category. `least` is the smallest frequency taken for possible.
    pub(super) fn of_category(self, published: &[f64], population: &[f64], least: f64) -> Vec<f64> {
        let cells = || published.iter().zip(population).map(|(f, p)| (f.clamp(least, 1.0), *p));
        // A person is at one in their own cell and at zero in all others.
        let at_zero: f64 = cells().map(|(f, p)| p - f).sum();
        let score = |(cell, (clamped, p)): (usize, (f64, f64))| match self {
            Self::Distance => at_zero - (p - clamped) + ((1.0 - p) - (1.0 - clamped)),
            Self::LikelihoodRatio => (clamped / p).ln(),
            Self::Correlation => (published[cell] - p) / p,
        };
        cells().enumerate().map(score).collect()
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Distance => "distance statistic",
            Self::LikelihoodRatio => "likelihood ratio",
            Self::Correlation => "correlation statistic",
        })
    }
}

impl Serialize for Statistic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: &[f64], want: &[f64]) -> bool {
        got.len() == want.len() && got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-12)
    }

    #[test]
    fn scores_are_the_formulas() {
        let alleles = |statistic: Statistic| statistic.of_alleles(2, 0.5, 0.25, 0.01);
        assert!(near(&alleles(Statistic::Distance), &[-0.25, 0.25, 0.25]));
        let (up, down) = (2f64.ln(), (2.0f64 / 3.0).ln());
        assert!(near(&alleles(Statistic::LikelihoodRatio), &[2.0 * down, up + down, 2.0 * up]));
        let unit = 0.25 / (0.25 * 0.75);
        assert!(near(&alleles(Statistic::Correlation), &[-0.5 * unit, 0.5 * unit, 1.5 * unit]));
        let category =
            |statistic: Statistic| statistic.of_category(&[0.5, 0.5, 0.0], &[0.25, 0.5, 0.25], 0.01);
        assert!(near(&category(Statistic::LikelihoodRatio), &[up, 0.0, 0.04f64.ln()]));
        assert!(near(&category(Statistic::Correlation), &[1.0, 0.0, -1.0]));
        // |x − p| − |x − f| over the cells, for the value whose frequency rose, stayed and fell.
        let sum = -0.25 + 0.24;
        assert!(near(&category(Statistic::Distance), &[sum + 0.5, sum, sum - 0.48]));
    }

    /// Specification: two values are a category of two or an allele of one copy; all statistics rank people
    /// alike.
    #[test]
    fn an_allele_of_one_copy_is_a_category_of_two() {
        for statistic in Statistic::ALL {
            let allele = statistic.of_alleles(1, 0.4, 0.3, 0.01);
            let category = statistic.of_category(&[0.6, 0.4], &[0.7, 0.3], 0.01);
            let (gap, other) = (allele[1] - allele[0], category[1] - category[0]);
            let factor = if statistic == Statistic::Distance { 2.0 } else { 1.0 };
            assert!((gap * factor - other).abs() < 1e-12, "{statistic}");
        }
    }
}
