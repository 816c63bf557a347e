//! A choice between finitely many candidates whose weights are real numbers.
//!
//! **Guarantee.** Candidate i is chosen with probability exactly `w(i)/Σw`, for any nonnegative real weights that can be
//! enclosed to any precision and are not all zero.
//! **Method.** A lazy uniform number is compared with the cumulative weights between certified bounds; digits and
//! precision grow together until one candidate is certain. Nothing underflows: weights need not sum to one.

use dashu_int::IBig;
use pointillist_numbers::Enclosure;

use crate::{BitSource, LazyUniform};

/// Chooses a candidate. `weights` is given a precision and returns the weights between bounds at that precision;
/// more precision must narrow them towards the same real numbers. Some weight should be of the order of one:
/// each round adds 64 bits, and weights that are all tiny need many.
///
/// The precision starts at 128 bits: a weight of one half or more among the candidates keeps the first try decisive
/// but once in 2^60.
pub fn weighted_choice<B: BitSource + ?Sized>(
    bits: &mut B,
    mut weights: impl FnMut(usize) -> Vec<Enclosure>,
) -> usize {
    let mut number = LazyUniform::new(bits);
    loop {
        let precision = number.length() + 64;
        let weights = weights(precision);
        let right = weights.iter().all(|weight| weight.precision() == precision);
        assert!(right, "weights have the precision they were asked for");
        if let Some(choice) = decide(&number, &weights) {
            return choice;
        }
        number.reveal(bits);
    }
}

/// The candidate that every number beginning with the known digits chooses, if it is one and the same.
fn decide(number: &LazyUniform, weights: &[Enclosure]) -> Option<usize> {
    let length = number.length();
    let add = |sum: &mut IBig, units: &IBig| {
        *sum += units;
        sum.clone()
    };
    let total_lower: IBig = weights.iter().map(Enclosure::lower_units).sum();
    let total_upper: IBig = weights.iter().map(Enclosure::upper_units).sum();
    let digits = IBig::from(number.digits().clone());
    // number·Σw lies in [low, high), in units of the weights scaled by 2^length.
    let low = &digits * total_lower;
    let high = (digits + IBig::ONE) * total_upper;
    let (mut sum_lower, mut sum_upper) = (IBig::ZERO, IBig::ZERO);
    for (choice, weight) in weights.iter().enumerate() {
        let upper = add(&mut sum_upper, weight.upper_units());
        let lower = add(&mut sum_lower, weight.lower_units());
        if (upper << length) > low {
            // The number is certainly past every earlier candidate; it must certainly not be past this one.
            return ((lower << length) >= high).then_some(choice);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_testkit::{assert_distribution, scripted, seeded};

    use super::*;

    fn exponentials(gammas: &[Rational]) -> impl FnMut(usize) -> Vec<Enclosure> + '_ {
        |precision| gammas.iter().map(|gamma| Enclosure::exp_of_minus(gamma, precision)).collect()
    }

    /// Specification: exponential weights are chosen in proportion, however far the smallest has fallen.
    /// False alarm: 1e-9 (χ², 100,000 draws).
    #[test]
    fn choices_are_proportional_to_weights() {
        let gammas: Vec<Rational> =
            ["0", "1", "1/3", "2000", "0.5"].map(|t| Rational::parse(t).unwrap()).to_vec();
        let weights: Vec<f64> = gammas.iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut bits = seeded(11);
        let draws = (0..100_000).map(|_| weighted_choice(&mut bits, exponentials(&gammas)) as i64);
        assert_distribution(draws, |k| weights[k as usize] / total, 0..=4, "weighted choice");
    }

    /// Specification: a number on the edge between two candidates is refined. Weights 1 and 2 meet at one third.
    #[test]
    fn an_edge_is_refined() {
        let weights =
            |precision: usize| vec![Enclosure::integer(1, precision), Enclosure::integer(2, precision)];
        let edge = 0x5555_5555_5555_5555;
        assert_eq!(weighted_choice(&mut scripted(vec![edge - 1]), weights), 0);
        assert_eq!(weighted_choice(&mut scripted(vec![edge + 1]), weights), 1);
        assert_eq!(weighted_choice(&mut scripted(vec![edge, edge - 1]), weights), 0);
        assert_eq!(weighted_choice(&mut scripted(vec![edge, edge + 1]), weights), 1);
    }

    /// Specification: candidates of weight zero are never chosen, not even by the first or the last word.
    #[test]
    fn a_candidate_without_weight_is_never_chosen() {
        let weights =
            |precision: usize| [0, 5, 0].map(|weight| Enclosure::integer(weight, precision)).to_vec();
        for word in [0, 1, u64::MAX / 2, u64::MAX] {
            assert_eq!(weighted_choice(&mut scripted(vec![word; 3]), weights), 1);
        }
    }
}
