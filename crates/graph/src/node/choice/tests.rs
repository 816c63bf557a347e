use pointillist_errors::Explained as _;
use pointillist_testkit::{assert_distribution, max_log_ratio, seeded};

use super::*;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

/// The law of permute and flip: `P(i) = ∫₀¹ p(i)·Π_{j≠i}(1 − t·p(j)) dt` with `p = exp(−γ)`, by Simpson's
/// rule. The integrand is a polynomial of degree below 33 without large derivatives: the error is far below
/// 1e-9.
pub(crate) fn law(exponents: &[Rational]) -> Vec<f64> {
    const STEPS: usize = 512;
    let p: Vec<f64> = exponents.iter().map(|gamma| (-gamma.to_f64_upper()).exp()).collect();
    let mut law = vec![0.0; p.len()];
    for step in 0..=STEPS {
        let t = step as f64 / STEPS as f64;
        let weight = match step {
            0 | STEPS => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        };
        // Products of everything before and everything after a candidate; a quotient would divide zero by
        // zero.
        let mut before = 1.0;
        let mut after = vec![1.0; p.len() + 1];
        for j in (0..p.len()).rev() {
            after[j] = after[j + 1] * (1.0 - t * p[j]);
        }
        for i in 0..p.len() {
            law[i] += weight / (3.0 * STEPS as f64) * p[i] * before * after[i + 1];
            before *= 1.0 - t * p[i];
        }
    }
    law
}

fn candidate(rise_max: u128, fall_max: u128) -> Candidate {
    let zero = Rational::zero();
    Candidate { rise_max, fall_max, allowance: zero.clone(), price: zero.clone(), handicap: zero }
}

fn doubling(falls: [u128; 3]) -> Vec<Candidate> {
    [1, 2, 4].into_iter().zip(falls).map(|(rise, fall)| candidate(rise, fall)).collect()
}

/// All vectors with each entry in its range.
fn vectors(ranges: &[(i128, i128)]) -> Vec<Vec<i128>> {
    ranges.iter().fold(vec![Vec::new()], |vectors, (low, high)| {
        let longer = |vector: &Vec<i128>| {
            (*low..=*high).map(|entry| vector.iter().copied().chain([entry]).collect()).collect::<Vec<_>>()
        };
        vectors.iter().flat_map(longer).collect()
    })
}

/// The families of the brute force: never falling, falling a little, falling as much as rising; with floors
/// and without; with prices and handicaps.
fn families() -> Vec<Vec<Candidate>> {
    let mut priced = doubling([0, 0, 0]);
    for (index, candidate) in priced.iter_mut().enumerate() {
        candidate.allowance = Rational::ratio(index as i128, 3);
        candidate.price = Rational::from(2 * candidate.rise_max);
        candidate.handicap = Rational::ratio(index as i128, 5);
    }
    vec![doubling([0, 0, 0]), doubling([0, 1, 1]), doubling([1, 2, 4]), priced]
}

/// Specification: values of three thresholds that rise and fall as far as they may, from everywhere in a box:
/// two penalties never move against each other by more than the span, and somewhere they do by exactly the
/// span.
#[test]
fn penalties_move_against_each_other_by_the_span_at_most() {
    for candidates in families() {
        let choice = ThresholdChoice::new(candidates.clone(), &epsilon("1")).unwrap();
        let span = span(&candidates);
        let moves: Vec<(i128, i128)> =
            candidates.iter().map(|bounds| (-(bounds.fall_max as i128), bounds.rise_max as i128)).collect();
        let mut largest = Rational::zero();
        for values in vectors(&[(0, 8), (4, 8), (0, 12)]) {
            let before = choice.penalties(&values, &[1, 0, 0]);
            for step in vectors(&moves) {
                let moved: Vec<i128> = values.iter().zip(&step).map(|(value, by)| value + by).collect();
                let after = choice.penalties(&moved, &[2, 0, 1]);
                let by: Vec<Rational> =
                    after.iter().zip(&before).map(|(after, before)| after - before).collect();
                let against = by.iter().max().unwrap() - by.iter().min().unwrap();
                assert!(against <= span, "{values:?} {step:?}: {against} beyond {span}");
                largest = largest.max(against);
            }
        }
        assert_eq!(largest, span);
    }
}

/// Specification: values that never fall and rises that double have a span of 3/2, however many thresholds
/// there are.
#[test]
fn doubling_thresholds_have_a_span_of_three_halves() {
    for count in 2..40 {
        let candidates: Vec<Candidate> = (0..count).map(|exponent| candidate(1 << exponent, 0)).collect();
        assert_eq!(span(&candidates), Rational::ratio(3, 2));
    }
    assert_eq!(span(&[candidate(7, 0)]), Rational::one());
}

/// Specification: on all neighbours of the box the probabilities of every threshold differ by a factor of at
/// most e^ε, and somewhere by more than e^{0.9·ε}, so that a rate too high by a ninth would be caught.
#[test]
fn the_law_is_private_and_no_more_than_that() {
    for text in ["0.25", "1", "3"] {
        let claimed = epsilon(text);
        let mut candidates = doubling([0, 0, 0]);
        candidates.iter_mut().for_each(|priced| priced.price = Rational::from(20 * priced.rise_max));
        let choice = ThresholdChoice::new(candidates, &claimed).unwrap();
        let moves = [(0, 1), (0, 2), (0, 4)];
        let mut largest = 0.0f64;
        for mut values in vectors(&[(0, 1), (0, 6), (0, 20)]) {
            values[2] *= 5;
            let before = law(&choice.exponents(&values, &[]));
            for step in vectors(&moves) {
                let moved: Vec<i128> = values.iter().zip(&step).map(|(value, by)| value + by).collect();
                largest = largest.max(max_log_ratio(&before, &law(&choice.exponents(&moved, &[]))));
            }
        }
        let claimed = claimed.to_f64_upper();
        assert!(largest <= claimed + 1e-9, "{largest} beyond {claimed}");
        assert!(largest >= 0.9 * claimed, "{largest} is far below {claimed}");
    }
}

/// Specification: what is released has the law that the exponents say. False alarm: 1e-9 (χ², 50,000 draws).
#[test]
fn choices_have_their_law() {
    let mut candidates = doubling([0, 0, 0]);
    candidates[2].handicap = Rational::ratio(1, 2);
    let choice = ThresholdChoice::new(candidates, &epsilon("1")).unwrap();
    let (values, floors) = ([0, 1, 3], [1, 0, 0]);
    let law = law(&choice.exponents(&values, &floors));
    assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let mut bits = seeded(5);
    let draws = (0..50_000).map(|_| choice.release(&values, &floors, &mut bits) as i64);
    assert_distribution(draws, |index| law[index as usize], 0..=2, "threshold choice");
}

/// Specification: a threshold that lacks much is next to never chosen, one that is far too large neither, and
/// one alone always.
#[test]
fn the_threshold_that_is_needed_is_chosen() {
    let needed = |rise: u128| Candidate { price: Rational::from(40 * rise), ..candidate(rise, 0) };
    let choice = ThresholdChoice::new([1, 2, 4, 8].map(needed).to_vec(), &epsilon("1")).unwrap();
    let law = law(&choice.exponents(&[100, 200, 1000, 1000], &[]));
    assert!(law[2] > 0.99, "{law:?}");
    let alone = ThresholdChoice::new(vec![candidate(3, 1)], &epsilon("1")).unwrap();
    assert_eq!(alone.release(&[-7], &[], &mut seeded(1)), 0);
}

#[test]
fn a_choice_of_nothing_is_refused() {
    for candidates in [Vec::new(), vec![candidate(0, 0)]] {
        let error = ThresholdChoice::new(candidates, &epsilon("1")).unwrap_err().explanation().text();
        assert!(error.contains("hint:"), "{error}");
    }
}
