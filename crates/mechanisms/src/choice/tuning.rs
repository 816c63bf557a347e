//! Tuning: the most accurate of several trained models, by their right answers on private validation data.
//!
//! **Guarantee.** The exponential mechanism on the numbers of records that each model classifies correctly.
//! Adding, removing or exchanging a validation record moves each number by at most one, so model `i` is chosen
//! with probability proportional to `exp(ε·correct(i)/2)` when records are exchanged, and to
//! `exp(ε·correct(i))` when they are added or removed, because then all numbers move in one direction. Both are
//! ε-bounded range: ε-differentially private, and `ε²/8`-zCDP.
//! **Neighbours.** Validation data that differ by one record; as said when the mechanism is built.
//! **Source.** `exponential.rs`. In terms of accuracy `f = correct/|D|`, whose sensitivity is `1/|D|` when
//! records are exchanged, the first form is the textbook's `exp(ε·|D|·f/2)`; counting instead needs no division
//! by a size that may itself be private.
//! **Error.** With probability at least `1 − β` the chosen model is right on at most `(2/ε)·ln(k/β)` records
//! fewer than the best of `k` (half of that for added or removed records).
//! **Exactness.** As the exponential mechanism: counts are integers.
//! **Not covered.** Only the validation data is paid for. Models trained on private records have to be trained
//! privately, or on records of other units, and that is a charge of its own: choosing one privately does not
//! make it private. The number of models must not depend on the data. The accuracy of the chosen model is not
//! released; ask for it with a count of its own.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, Neighbours, SensitivityLInf};

use crate::choice::exponential::ExponentialMechanism;
use crate::choice::scores::{Movement, Scores};
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "tuning",
    releases: "the index of a model that is nearly the most accurate",
    guarantee: "ε-bounded range for the validation data, so ε-DP and ρ = ε²/8; training is paid for separately",
    error: "right on fewer records than the best by more than (2/ε)·ln(k/β) with probability β",
    source: "McSherry and Talwar 2007, on counts of right answers",
};

/// Chooses a model by its right answers.
#[derive(Clone, Debug)]
pub struct Tuning {
    mechanism: ExponentialMechanism,
}

impl Tuning {
    /// The mechanism for validation data with these neighbours.
    pub fn new(neighbours: Neighbours, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        let one_record = SensitivityLInf::new(Rational::one())?;
        let movement = Movement::of_counts(neighbours);
        Ok(Self { mechanism: ExponentialMechanism::new(&one_record, movement, epsilon)? })
    }

    /// What a release costs: ε-bounded range, for the validation data alone.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// The index of the chosen model, from the number of validation records that each model gets right.
    ///
    /// # Errors
    /// When there is no model.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        correct_counts: &[u64],
        bits: &mut B,
    ) -> Result<usize, MechanismError> {
        Ok(self.mechanism.release(&scores(correct_counts)?, bits))
    }

    /// On how many records fewer than the best of `models` the chosen one may be right, but for a probability
    /// of β.
    pub fn error_bound(&self, models: usize, beta: &FailureProbability) -> Rational {
        self.mechanism.error_bound(models, beta)
    }
}

fn scores(correct_counts: &[u64]) -> Result<Scores, MechanismError> {
    Scores::new(correct_counts.iter().map(|count| Rational::from(*count)).collect())
}

/// The textbook's form: model `i` with probability proportional to `exp(ε·correct(i)/2)`, ε-bounded range for
/// records that are exchanged, and all the more for records that are added or removed.
///
/// ```
/// use pointillist_mechanisms::choose_best;
/// use pointillist_noise::with_system_bits;
/// use pointillist_privacy::Epsilon;
///
/// // Right answers of three models on 1000 validation records.
/// let correct = [702, 911, 880];
/// let model = with_system_bits(|bits| choose_best(&correct, &Epsilon::parse("0.5")?, bits))??;
/// assert_ne!(model, 0); // The first has probability below e^-50.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is no model.
pub fn choose_best<B: SecureBits + ?Sized>(
    correct_counts: &[u64],
    epsilon: &Epsilon,
    bits: &mut B,
) -> Result<usize, MechanismError> {
    Tuning::new(Neighbours::ReplaceOne, epsilon)?.release(correct_counts, bits)
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{
        Distinguisher, all_datasets, assert_distribution, log_ratio_range, neighbours_add_remove,
        neighbours_replace_one, seeded,
    };

    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    /// A record is written as three bits: which of three models gets it right.
    const RECORDS: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    fn correct_counts(data: &[u64]) -> Vec<u64> {
        (0..3).map(|model| data.iter().map(|record| record >> model & 1).sum()).collect()
    }

    fn law(tuning: &Tuning, counts: &[u64]) -> Vec<f64> {
        let exponents = tuning.mechanism.exponents(&scores(counts).unwrap());
        let weights: Vec<f64> = exponents.iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// Specification: with accuracy f on |D| records the weights are exp(ε·|D|·f/2).
    #[test]
    fn the_law_is_the_textbooks() {
        let tuning = Tuning::new(Neighbours::ReplaceOne, &epsilon("0.3")).unwrap();
        let (size, accuracies) = (50.0, [0.9, 0.84, 0.5]);
        let counts = accuracies.map(|f| (f * size) as u64);
        let weights = accuracies.map(|f: f64| (0.3 * size * f / 2.0).exp());
        let total: f64 = weights.iter().sum();
        for (got, weight) in law(&tuning, &counts).iter().zip(weights) {
            assert!((got - weight / total).abs() <= 1e-12, "{got}");
        }
    }

    /// Specification (all validation sets of at most three records, all neighbours): counts move by at most
    /// one; all in one direction when a record comes or goes; and the log-ratio of probabilities has range at
    /// most ε. Planted leak: the sharper weights of added and removed records, used for exchanged ones.
    #[test]
    fn one_validation_record_moves_little() {
        let budget = 0.6;
        let [added, exchanged] = [Neighbours::AddRemove, Neighbours::ReplaceOne]
            .map(|neighbours| Tuning::new(neighbours, &epsilon("0.6")).unwrap());
        let (mut widest, mut planted) = ([0f64; 2], 0f64);
        for data in all_datasets(&RECORDS, 3) {
            let counts = correct_counts(&data);
            for other in neighbours_add_remove(&data, &RECORDS).iter().map(|other| correct_counts(other)) {
                let moves: Vec<i64> = counts.iter().zip(&other).map(|(a, b)| *b as i64 - *a as i64).collect();
                let one_way = |sign: i64| moves.iter().all(|step| (0..=1).contains(&(sign * step)));
                assert!(one_way(1) || one_way(-1));
                widest[0] = widest[0].max(log_ratio_range(&law(&added, &counts), &law(&added, &other)));
            }
            for other in neighbours_replace_one(&data, &RECORDS).iter().map(|other| correct_counts(other)) {
                assert!(counts.iter().zip(&other).all(|(a, b)| a.abs_diff(*b) <= 1));
                widest[1] =
                    widest[1].max(log_ratio_range(&law(&exchanged, &counts), &law(&exchanged, &other)));
                planted = planted.max(log_ratio_range(&law(&added, &counts), &law(&added, &other)));
            }
        }
        assert!(widest.iter().all(|range| (range - budget).abs() <= 1e-9), "{widest:?}");
        assert!(planted > 1.9 * budget);
    }

    /// False alarm: about 1e-9 (χ², 50,000 draws). Power: a model without noise, which always takes the best,
    /// would put everything in one cell.
    #[test]
    fn draws_follow_the_law() {
        let law = law(&Tuning::new(Neighbours::ReplaceOne, &epsilon("1")).unwrap(), &[5, 7, 8]);
        let mut bits = seeded(1);
        let draws = (0..50_000).map(|_| choose_best(&[5, 7, 8], &epsilon("1"), &mut bits).unwrap() as i64);
        assert_distribution(draws, |k| law[k as usize], 0..=2, "tuning");
    }

    /// False alarm: 1e-9 (split samples, Clopper-Pearson). Power: choosing the best without noise is caught.
    #[test]
    fn samples_on_neighbours_stay_within_epsilon() {
        let draws = |counts: [u64; 2], seed| -> Vec<usize> {
            let mut bits = seeded(seed);
            (0..20_000).map(|_| choose_best(&counts, &epsilon("1"), &mut bits).unwrap()).collect()
        };
        let claim = Distinguisher::new(1.0, 0.0);
        claim.assert_private(&draws([10, 10], 1), &draws([11, 9], 2), "tuning");
        let best = |counts: [u64; 2]| vec![usize::from(counts[1] >= counts[0]); 2000];
        claim.assert_leaks(&best([10, 10]), &best([11, 9]), "the best without noise");
    }

    /// The running example: twenty models, the best right on 950 of 1000. At ε = 1 the chosen one is, with 99
    /// %, at most sixteen records behind.
    #[test]
    fn the_chosen_model_is_nearly_the_best() {
        let tuning = Tuning::new(Neighbours::ReplaceOne, &epsilon("1")).unwrap();
        let correct: Vec<u64> = (0..20).map(|i| 950 - 7 * i).collect();
        let bound = tuning.error_bound(20, &FailureProbability::parse("0.01").unwrap()).to_f64_upper();
        assert!((15.2..15.3).contains(&bound), "{bound}");
        let law = law(&tuning, &correct);
        let failing: f64 =
            correct.iter().zip(&law).filter(|(c, _)| (950 - **c) as f64 >= bound).map(|(_, p)| p).sum();
        assert!(failing <= 0.01, "{failing}");
    }

    #[test]
    fn no_model_is_refused() {
        let mut bits = seeded(0);
        assert_eq!(choose_best(&[], &epsilon("1"), &mut bits), Err(MechanismError::NoCandidates));
        let loss = Tuning::new(Neighbours::AddRemove, &epsilon("1")).unwrap().loss();
        assert_eq!(loss.rho().unwrap().to_string(), "0.125");
    }
}
