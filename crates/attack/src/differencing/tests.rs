use pointillist_errors::Explained;
use pointillist_noise::BitSource;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_testkit::{hoeffding_radius, seeded};

use super::two_counts::{Counts, attack};
use super::*;

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

/// Specification: exact counts reveal the person; private ones are right as often as the law of the noise
/// says, and never more often than the bound. With a = e^−ε and p₀ = P[both noises are equal] =
/// ((1−a)/(1+a))²·(1+a²)/(1−a²), the guess is right with probability (1 + p₀)/2. False alarm: 1e-9 a price
/// (Hoeffding).
#[test]
fn the_difference_of_exact_counts_is_the_person_and_of_private_ones_is_noise() {
    let trials = 100_000;
    for (seed, epsilon) in ["0.1", "1", "2"].iter().enumerate() {
        for counts in [Counts::EXAMPLE, Counts::new(70, 70).unwrap()] {
            let found = attack(&counts, &pure(epsilon), trials, &mut seeded(seed as u64)).unwrap();
            let a = (-epsilon.parse::<f64>().unwrap()).exp();
            let equal = ((1.0 - a) / (1.0 + a)).powi(2) * (1.0 + a * a) / (1.0 - a * a);
            let expected = (1.0 + equal) / 2.0;
            let radius = hoeffding_radius(trials as u64, 1e-9);
            assert!((found.right_fraction - expected).abs() <= radius, "{}", found.right_fraction);
            assert!(expected < found.right_upper);
            assert_eq!(found.differences.iter().map(|(_, times)| times).sum::<usize>(), trials);
        }
    }
    assert!(Counts::EXAMPLE.reveal() && !Counts::new(70, 70).unwrap().reveal());
}

#[test]
fn the_example_reads_well() {
    let found = attack(&Counts::EXAMPLE, &pure("0.1"), 1000, &mut seeded(1)).unwrap();
    let summary = found.summary();
    assert!(
        summary.starts_with("Exact counts: 71 − 70 = 1, so the person has it, for certain."),
        "{summary}"
    );
    assert!(summary.ends_with("no guess at this price is right with probability above 52.5 %."), "{summary}");
    let rho = Spend::Concentrated(Rho::parse("0.02").unwrap());
    assert!((attack(&Counts::EXAMPLE, &rho, 10, &mut seeded(1)).unwrap().right_upper - 0.55).abs() < 1e-12);
}

#[test]
fn counts_that_cannot_be_are_refused_with_a_hint() {
    for (with, without) in
        [(-1, 0), (0, -1), (70, 71), (80, 70), (i128::MAX, 0), (i128::MIN, i128::MAX), (1 << 64, 1 << 64)]
    {
        assert!(Counts::new(with, without).unwrap_err().hint().is_some());
    }
    for trials in [0, usize::MAX] {
        assert!(attack(&Counts::EXAMPLE, &pure("1"), trials, &mut seeded(1)).is_err());
    }
    for epsilon in ["1e-19", "1000000"] {
        assert!(attack(&Counts::EXAMPLE, &pure(epsilon), 10, &mut seeded(1)).is_ok());
    }
}

#[test]
fn two_counts_determine_the_one_who_is_in_only_one() {
    let everybody = vec![1; 5];
    let without_third = vec![1, 1, 0, 1, 1];
    let questions = LinearQuestions::new(vec![everybody, without_third]).unwrap();
    let found = questions.determined();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].person, found[0].to_string().as_str()), (2, "answer 1 − answer 2"));
    assert_eq!(found[0].value(&[71, 70]), Rational::one());
    assert!((found[0].amplification() - 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(questions.determines(0).unwrap(), None);
}

#[test]
fn a_triangle_of_pairs_needs_halves() {
    let questions = LinearQuestions::new(vec![vec![1, 1, 0], vec![0, 1, 1], vec![1, 0, 1]]).unwrap();
    let formulas: Vec<String> = questions.determined().iter().map(ToString::to_string).collect();
    assert_eq!(formulas[0], "0.5·answer 1 − 0.5·answer 2 + 0.5·answer 3");
    assert_eq!(formulas.len(), 3);
    let pair = LinearQuestions::new(vec![vec![1, 1, 0], vec![0, 1, 1]]).unwrap();
    assert!(pair.determined().is_empty());
    let found = pair.attack(&[true, false, true], &pure("1"), &mut seeded(1)).unwrap();
    assert!(found.summary().starts_with("No combination"), "{}", found.summary());
}

/// Specification, by brute force on all sets of up to three counting questions about up to four people: a
/// person is reported exactly when no change of values within −3..=3 is invisible and moves the person; and
/// the combination is right. (The least invisible changes have minors of order at most three as entries,
/// which for zeros and ones are at most 2.)
#[test]
fn the_span_is_what_brute_force_says() {
    let values: Vec<Vec<i64>> =
        (0..7i64.pow(4)).map(|code| (0..4).map(|person| code / 7i64.pow(person) % 7 - 3).collect()).collect();
    for people in 1..=4usize {
        let masks = 1u32 << people;
        for count in 1..=3u32 {
            for code in 0..masks.pow(count) {
                let weights: Vec<Vec<i64>> = (0..count)
                    .map(|question| code / masks.pow(question) % masks)
                    .map(|mask| (0..people).map(|person| i64::from(mask >> person & 1)).collect())
                    .collect();
                let questions = LinearQuestions::new(weights.clone()).unwrap();
                let dot =
                    |question: &Vec<i64>, x: &[i64]| question.iter().zip(x).map(|(w, x)| w * x).sum::<i64>();
                let found = questions.determined();
                for combination in &found {
                    let mut sums = vec![Rational::zero(); people];
                    for (question, factor) in &combination.combination {
                        for (sum, weight) in sums.iter_mut().zip(&weights[*question]) {
                            *sum = &*sum + &(factor * &Rational::from(*weight));
                        }
                    }
                    let unit = |person| Rational::from(i32::from(person == combination.person));
                    assert_eq!(sums, (0..people).map(unit).collect::<Vec<_>>());
                }
                for person in 0..people {
                    let reported = found.iter().any(|found| found.person == person);
                    let hidden = values.iter().any(|x| {
                        x[person] != 0
                            && x[people..].iter().all(|x| *x == 0)
                            && weights.iter().all(|question| dot(question, &x[..people]) == 0)
                    });
                    assert_eq!(reported, !hidden, "{weights:?} {person}");
                }
            }
        }
    }
}

/// Specification: many random subsets determine everybody exactly; at ε = 1 in total the same formulas are
/// noise.
/// False alarm: below 1e-9: the deviations are above ten, and all of forty values near their bits would need
/// luck below 0.1 each.
#[test]
fn enough_questions_determine_everybody_and_noise_hides_them() {
    let mut bits = seeded(5);
    let subsets: Vec<Vec<bool>> = (0..50).map(|_| (0..40).map(|_| bits.coin()).collect()).collect();
    let values: Vec<bool> = (0..40).map(|_| bits.coin()).collect();
    let questions = LinearQuestions::counting(&subsets).unwrap();
    let found = questions.attack(&values, &pure("1"), &mut bits).unwrap();
    assert_eq!(found.inferences.len(), 40);
    for (inference, value) in found.inferences.iter().zip(&values) {
        assert_eq!(inference.exact, Rational::from(i32::from(*value)));
        assert!(inference.private_deviation > 10.0);
    }
    let near = found.inferences.iter().zip(&values);
    let near =
        near.filter(|(inference, value)| (inference.private - f64::from(u8::from(**value))).abs() < 0.5);
    assert!(near.count() < 40);
    assert!(found.summary().starts_with("These exact answers determine 40 of 40 people, for certain"));
}

#[test]
fn large_sets_of_questions_are_examined_in_time() {
    let mut bits = seeded(6);
    let subsets: Vec<Vec<bool>> = (0..64).map(|_| (0..512).map(|_| bits.coin()).collect()).collect();
    assert!(LinearQuestions::counting(&subsets).unwrap().determined().is_empty());
}

#[test]
fn questions_that_cannot_be_are_refused_with_a_hint() {
    let refused = [
        LinearQuestions::new(vec![]),
        LinearQuestions::new(vec![vec![]]),
        LinearQuestions::new(vec![vec![1], vec![1, 2]]),
        LinearQuestions::new(vec![vec![i64::MIN]]),
        LinearQuestions::new(vec![vec![1]; 129]),
        LinearQuestions::new(vec![(0..2000).collect()]),
    ];
    for error in refused {
        assert!(error.unwrap_err().hint().is_some());
    }
    let questions = LinearQuestions::new(vec![vec![1, 0]]).unwrap();
    assert!(questions.determines(2).is_err() && questions.answers(&[true]).is_err());
    assert!(questions.attack(&[], &pure("1"), &mut seeded(0)).is_err());
    assert!(questions.attack_answers(&[], &pure("1"), &mut seeded(0)).is_err());
    let nothing = LinearQuestions::new(vec![vec![0, 0]]).unwrap();
    assert!(nothing.determined().is_empty());
    assert!(nothing.attack(&[true, true], &pure("1"), &mut seeded(0)).is_err(), "nothing is asked");
    assert_eq!(questions.determined()[0].value(&[]), Rational::zero());
}
