//! The span of integer vectors: elimination without fractions, and combinations that are unit vectors.
//!
//! **Method.** Gauss-Jordan elimination of the questions, with the combinations beside them, in exact
//! integers without fractions (Bareiss): every entry is a minor of the matrix, so the division of each step
//! leaves no remainder. In the reduced form e_i is in the span exactly when it is a row: a combination of the
//! reduced rows has their coefficients in the pivot columns. People about whom all questions say the same are
//! one column, and nobody in a column of two is determined.

use std::fmt;

use pointillist_numbers::{IBig, Rational};

/// A person whose value follows from the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Determined {
    /// Who, counted from zero.
    pub person: usize,
    /// Which answers, counted from zero, times what, add up to the value.
    pub combination: Vec<(usize, Rational)>,
}

impl Determined {
    /// The combination of these answers.
    pub fn value(&self, answers: &[i128]) -> Rational {
        let answer = |question: usize| Rational::from(answers.get(question).copied().unwrap_or(0));
        let terms = self.combination.iter().map(|(question, factor)| factor * &answer(*question));
        terms.fold(Rational::zero(), |sum, term| sum + term)
    }

    /// How much wider the noise of the combination is than that of one answer: the Euclidean length of the
    /// coefficients.
    pub fn amplification(&self) -> f64 {
        self.combination.iter().map(|(_, factor)| factor.to_f64_upper().powi(2)).sum::<f64>().sqrt()
    }
}

/// The combination as a formula, with answers counted from one.
impl fmt::Display for Determined {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (question, factor)) in self.combination.iter().enumerate() {
            let sign = if factor.is_negative() { "−" } else { "+" };
            match position {
                0 if factor.is_negative() => write!(out, "−")?,
                0 => {}
                _ => write!(out, " {sign} ")?,
            }
            if factor.abs() != Rational::one() {
                write!(out, "{}·", factor.abs())?;
            }
            write!(out, "answer {}", question + 1)?;
        }
        Ok(())
    }
}

/// Reduces the first `columns` columns; returns the pivot column of each of the first rows.
pub(super) fn eliminate(rows: &mut [Vec<IBig>], columns: usize) -> Vec<usize> {
    let mut pivots = Vec::new();
    let mut previous = IBig::ONE;
    for column in 0..columns {
        let done = pivots.len();
        let Some(chosen) = (done..rows.len()).find(|row| rows[*row][column] != IBig::ZERO) else {
            continue;
        };
        rows.swap(done, chosen);
        let pivot_row = rows[done].clone();
        let pivot = &pivot_row[column];
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != done) {
            let factor = row[column].clone();
            for (entry, above) in row.iter_mut().zip(&pivot_row) {
                // The entries of both are minors of the original matrix, so this division is exact.
                let scaled = &*entry * pivot - &factor * above;
                *entry = scaled / &previous;
            }
        }
        previous = pivot.clone();
        pivots.push(column);
    }
    pivots
}
