//! One of several public classifiers, by its mistakes on private rows.
//!
//! **Guarantee.** The exponential mechanism on the numbers of mistakes: classifier `i` is chosen with probability
//! proportional to `exp(−ε·mistakes(i)/k)`, where one person has at most k rows. That is ε-bounded range, hence ε-DP and
//! `ε²/8`-zCDP.
//! **Neighbours.** Add or remove everything of one person.
//! **Proof.** The classifiers are functions of one row. A person's rows add between zero and k to every number of mistakes,
//! so the numbers move by at most k and all in one direction: `mechanisms/src/choice/scores.rs` with Δ = k, monotone. The
//! lectures' `exp(−ε·mistakes/2)` is for rows that are exchanged, one for each person, and would be twice as random here.
//! **Error.** The chosen one makes at most `(k/ε)·ln(m/β)` mistakes more than the best of m, but for a probability of β.
//! **Not covered.** How the classifiers came about: they are public, or paid for. The number of mistakes of the chosen
//! one is not released ([`Accuracy`](crate::evaluation::Accuracy) does that).

use pointillist_mechanisms::{ExponentialMechanism, Movement, Scores};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityLInf};

use crate::{LearnError, Rows};

/// Says the class of a row.
pub type Classifier<'a> = dyn Fn(&[f64]) -> f64 + 'a;

/// Chooses among classifiers.
#[derive(Clone, Debug)]
pub struct ModelChoice {
    mechanism: ExponentialMechanism,
    rows_per_person: u32,
}

impl ModelChoice {
    /// The choice for rows of which one person has at most `rows_per_person`.
    ///
    /// # Errors
    /// When a person has no rows.
    pub fn new(rows_per_person: u32, epsilon: &Epsilon) -> Result<Self, LearnError> {
        let rows = SensitivityLInf::new(Rational::from(rows_per_person))?;
        let mechanism = ExponentialMechanism::new(&rows, Movement::Monotone, epsilon)?;
        Ok(Self { mechanism, rows_per_person })
    }

    /// What a choice loses.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// How many mistakes more than the best of `classifiers` the chosen one may make, but for a probability of β.
    pub fn error_bound(&self, classifiers: usize, beta: &FailureProbability) -> Rational {
        self.mechanism.error_bound(classifiers, beta)
    }

    /// The index of the chosen classifier. A classifier says the class of a row, as its target says it: −1 or 1, or the
    /// number of the class.
    ///
    /// # Errors
    /// When there is no classifier, when the rows declare more for each person than this was made for, or went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        classifiers: &[&Classifier<'_>],
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<usize, LearnError> {
        if rows.rows_per_person() > self.rows_per_person {
            return Err(LearnError::parameter(format!(
                "people have up to {} rows here, the choice was made for {}",
                rows.rows_per_person(),
                self.rows_per_person
            )));
        }
        let scores: Vec<i64> = mistakes(classifiers, rows)?.iter().map(|count| -count).collect();
        Ok(self.mechanism.release(&Scores::from_integers(&scores)?, bits))
    }
}

/// On how many rows each classifier is wrong.
fn mistakes(classifiers: &[&Classifier<'_>], rows: &dyn Rows) -> Result<Vec<i64>, LearnError> {
    let mut mistakes = vec![0; classifiers.len()];
    rows.for_each_block(&mut |block| {
        for (row, y) in (0..block.len()).map(|at| (block.row(at), block.y[at])) {
            for (count, classifier) in mistakes.iter_mut().zip(classifiers) {
                *count += i64::from(classifier(row) != y);
            }
        }
    })?;
    Ok(mistakes)
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, log_ratio_range, seeded};

    use super::*;
    use crate::MemoryRows;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn rows(of: &[(f64, f64)], rows_per_person: u32) -> MemoryRows {
        let (x, y) = of.iter().copied().unzip();
        MemoryRows::new(x, y, 1, 1.0, rows_per_person)
    }

    const ALWAYS: fn(&[f64]) -> f64 = |_| 1.0;
    const NEVER: fn(&[f64]) -> f64 = |_| -1.0;
    const SIGN: fn(&[f64]) -> f64 = |row| if row[0] > 0.0 { 1.0 } else { -1.0 };

    fn law(choice: &ModelChoice, of: &[(f64, f64)]) -> Vec<f64> {
        let counts = mistakes(&[&ALWAYS, &NEVER, &SIGN], &rows(of, 2)).unwrap();
        let scores: Vec<i64> = counts.iter().map(|count| -count).collect();
        let exponents = choice.mechanism.exponents(&Scores::from_integers(&scores).unwrap());
        let weights: Vec<f64> = exponents.iter().map(|gamma| (-gamma.to_f64_nearest()).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// Specification: over all people of up to two rows and some data, the log-ratio has range at most ε, and reaches it.
    /// Power: made for one row each, the same choice passes ε for two.
    #[test]
    fn a_person_of_several_rows_moves_the_choice_by_epsilon() {
        let each = [(0.5, 1.0), (0.5, -1.0), (-0.5, 1.0), (-0.5, -1.0)];
        let mut people: Vec<Vec<(f64, f64)>> = each.iter().map(|row| vec![*row]).collect();
        people.extend(each.iter().flat_map(|a| each.iter().map(|b| vec![*a, *b])));
        let widest = |choice: &ModelChoice| {
            let mut widest = 0f64;
            for others in [&each[..0], &each[..1], &each[1..], &each[..]] {
                for person in &people {
                    let with: Vec<_> = others.iter().chain(person).copied().collect();
                    widest = widest.max(log_ratio_range(&law(choice, others), &law(choice, &with)));
                }
            }
            widest
        };
        let stated = widest(&ModelChoice::new(2, &epsilon("0.7")).unwrap());
        assert!((stated - 0.7).abs() < 1e-9, "{stated}");
        assert!(widest(&ModelChoice::new(1, &epsilon("0.7")).unwrap()) > 1.39);
    }

    /// False alarm: about 1e-9 (χ², 20 000 draws).
    #[test]
    fn choices_follow_the_law() {
        let of = [(0.5, 1.0), (-0.2, -1.0), (0.1, 1.0), (0.9, -1.0)];
        let choice = ModelChoice::new(2, &epsilon("1.5")).unwrap();
        let (law, rows) = (law(&choice, &of), rows(&of, 2));
        let mut bits = seeded(3);
        let mut draw = || choice.release(&[&ALWAYS, &NEVER, &SIGN], &rows, &mut bits).unwrap() as i64;
        let draws: Vec<i64> = (0..20_000).map(|_| draw()).collect();
        assert_distribution(draws, |at| law[at as usize], 0..=2, "choice of a model");
    }

    #[test]
    fn what_no_proof_covers_is_refused() {
        let choice = ModelChoice::new(1, &epsilon("1")).unwrap();
        let mut bits = seeded(1);
        assert!(choice.release(&[&ALWAYS], &rows(&[], 2), &mut bits).is_err());
        assert!(choice.release(&[], &rows(&[], 1), &mut bits).is_err());
        assert_eq!(choice.release(&[&ALWAYS], &rows(&[], 1), &mut bits), Ok(0));
        assert!(ModelChoice::new(0, &epsilon("1")).is_err());
    }

    /// Specification: 100 rows that one classifier gets right and another wrong decide, at ε = 1, but for e^−100.
    #[test]
    fn the_best_is_chosen_when_it_is_clearly_better() {
        let of: Vec<(f64, f64)> =
            (0..200).map(|at| if at % 2 == 0 { (0.5, 1.0) } else { (-0.5, -1.0) }).collect();
        let choice = ModelChoice::new(1, &epsilon("1")).unwrap();
        for seed in 0..20 {
            assert_eq!(choice.release(&[&ALWAYS, &SIGN, &NEVER], &rows(&of, 1), &mut seeded(seed)), Ok(1));
        }
        let bound = choice.error_bound(3, &FailureProbability::parse("0.01").unwrap()).to_f64_upper();
        assert!((5.70..5.71).contains(&bound), "ln 300: {bound}");
    }
}
