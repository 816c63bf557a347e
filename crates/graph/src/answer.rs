//! What a private statistic says: figures with their intervals, and what to know about them.

use std::fmt;

/// The answer to one question about a graph. Everything in it was computed from released numbers and public settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One figure, or one for every degree of a distribution; none when the mechanism declined to answer.
    pub estimates: Vec<Estimate>,
    /// What a reader should know: what was cut, why nothing was answered.
    pub notes: Vec<String>,
}

/// A figure and where the truth lies with probability at least 95 %.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The degree this figure is about, in distributions.
    pub degree: Option<u64>,
    /// The figure.
    pub value: Figure,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval; infinite where nothing is known about what was cut off.
    pub upper: f64,
}

/// A whole number, or a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A count.
    Whole(i128),
    /// A share, a mean.
    Ratio(f64),
}

impl Estimate {
    /// A count that is off by at most `error` with probability at least 95 %.
    pub fn count(value: i128, error: f64) -> Self {
        let middle = value as f64;
        Self { degree: None, value: Figure::Whole(value), lower: middle - error, upper: middle + error }
    }

    /// The larger half of the interval, of those that have an end; infinite if none has.
    pub fn error_95(&self) -> f64 {
        let middle = self.value.as_f64();
        let halves = [middle - self.lower, self.upper - middle];
        halves.into_iter().filter(|half| half.is_finite()).reduce(f64::max).unwrap_or(f64::INFINITY)
    }
}

impl Figure {
    /// The nearest float.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Ratio(value) => value,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => write!(out, "{value}"),
            Self::Ratio(value) => write!(out, "{value:.4}"),
        }
    }
}
