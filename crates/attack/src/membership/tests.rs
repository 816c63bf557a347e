use pointillist_errors::Explained;
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_testkit::seeded;

use super::*;
use crate::records::Records;

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

/// Specification: from exact frequencies of 5000 positions about 100 members, every statistic tells at least
/// 90 % of them at 1 % false accusations; from frequencies at ε = 1 in total none tells more than the bound
/// allows.
/// False alarm: below 1e-9. Members are shifted by √(k/n) = 7 deviations (the distance statistic by a little
/// less), so a missed member has probability below 1e-4. On the private side each member is accused with
/// probability about 0.05 and at most 0.136; 45 of 100 at 0.136 have probability below 1e-12.
#[test]
fn exact_frequencies_tell_members_and_private_ones_do_not() {
    let mut bits = seeded(1);
    let study = Study::simulated(100, 1000, 5000, &mut bits).unwrap();
    let private = study.release(&pure("1"), &mut bits).unwrap();
    for statistic in Statistic::ALL {
        let naive = study.attack(&study.publish(), statistic).unwrap();
        assert!(naive.at_1_percent.true_positive >= 0.9 && naive.area > 0.99, "{}", naive.summary());
        assert!(naive.at_1_percent.false_positive <= 0.01 && naive.at_5_percent.false_positive <= 0.05);
        assert_eq!(naive.at_1_percent.true_positive_upper, None);
        let ours = study.attack(&private, statistic).unwrap();
        assert!(ours.at_5_percent.true_positive < 0.45, "{}", ours.summary());
        assert!((ours.at_5_percent.true_positive_upper.unwrap() - 0.135_914).abs() < 1e-6);
        assert!((ours.area - 0.5).abs() < 0.2, "{}", ours.area);
    }
}

/// Specification: with k/n = 1 the likelihood ratio is shifted by one deviation, and the power at 5 % is that
/// of a normal variable above 1.645 − 1, 26 %.
/// False alarm: below 1e-9. 2000 members within 0.073 (Hoeffding); the rate at the threshold of 4000
/// outsiders within 0.023 (six and a half deviations of a binomial), which moves the power by at most 0.09;
/// the normal approximation is good to 0.02.
#[test]
fn the_power_is_what_theory_says() {
    let mut bits = seeded(2);
    let study = Study::simulated(2000, 4000, 2000, &mut bits).unwrap();
    let naive = study.attack(&study.publish(), Statistic::LikelihoodRatio).unwrap();
    assert!((naive.at_5_percent.true_positive - 0.26).abs() < 0.2, "{}", naive.summary());
    // A member beats an outsider when a normal variable is above −1/√2: 76 %.
    assert!((naive.area - 0.76).abs() < 0.1, "{}", naive.area);
}

#[test]
fn the_curve_rises_from_nobody_to_everybody() {
    let mut bits = seeded(3);
    let study = Study::simulated(50, 60, 40, &mut bits).unwrap();
    let found = study.attack(&study.publish(), Statistic::Correlation).unwrap();
    let first = found.curve.first().unwrap();
    let last = found.curve.last().unwrap();
    assert_eq!((first.false_positive, last.false_positive, last.true_positive), (0.0, 1.0, 1.0));
    assert!(found.curve.windows(2).all(|pair| {
        pair[0].false_positive < pair[1].false_positive && pair[0].true_positive <= pair[1].true_positive
    }));
    // The area under the steps is between the area with ties and one step off.
    let steps: f64 = found
        .curve
        .windows(2)
        .map(|pair| (pair[1].false_positive - pair[0].false_positive) * pair[0].true_positive)
        .sum();
    assert!((steps - found.area).abs() < 0.02, "{steps} {}", found.area);
}

/// A table of people who answer 60 questions of eight answers each.
fn survey(people: usize, bits: &mut dyn SecureBits) -> Records {
    let columns = (0..60).map(|column| format!("question {column}")).collect();
    let mut answer =
        || ["a", "b", "c", "d", "e", "f", "g", "h"][uniform_u64_below(8, bits) as usize].to_owned();
    let rows = (0..people).map(|_| (0..60).map(|_| answer()).collect()).collect();
    Records::new(columns, rows).unwrap()
}

/// Specification: one-way marginals of 60 questions about 50 people tell most of them at 5 % false
/// accusations: the shift is √(60·7/50) = 2.9 deviations, the power 90 %. At ε = 1 in total they do not.
/// False alarm: below 1e-9: fewer than 20 of 50 at 0.8, and more than 30 of 50 at 0.136.
#[test]
fn exact_marginals_tell_members_too() {
    let mut bits = seeded(4);
    let (members, outsiders, reference) =
        (survey(50, &mut bits), survey(500, &mut bits), survey(2000, &mut bits));
    let columns: Vec<&str> = members.columns().iter().map(String::as_str).collect();
    let study = Study::from_records(&members, &outsiders, &reference, &columns).unwrap();
    assert_eq!(
        (study.positions(), study.cells().len(), study.cells()[9].as_str()),
        (60, 480, "question 1 = b")
    );
    for statistic in Statistic::ALL {
        let naive = study.attack(&study.publish(), statistic).unwrap();
        assert!(naive.at_5_percent.true_positive >= 0.4, "{}", naive.summary());
        let private = study.release(&pure("1"), &mut bits).unwrap();
        let ours = study.attack(&private, statistic).unwrap();
        assert!(ours.at_5_percent.true_positive <= 0.6, "{}", ours.summary());
    }
}

/// Specification: published frequencies are what they should be, and noise has the scale of the stated
/// sensitivity: here 2k = 40 at ε = 1. False alarm: below 1e-9: the mean magnitude of 20 draws of scale 40
/// beyond 160, or below 4.
#[test]
fn frequencies_are_counted_and_noise_has_its_scale() {
    let members = vec![vec![0; 20], vec![1; 20], vec![2; 20], vec![2; 20]];
    let study = Study::from_genotypes(&members, &[vec![1; 20]], &[vec![1; 20]]).unwrap();
    assert_eq!(study.publish().frequencies(), vec![5.0 / 8.0; 20]);
    let private = study.release(&pure("1"), &mut seeded(5)).unwrap();
    let errors = private.frequencies().iter().map(|frequency| (frequency * 8.0 - 5.0).abs());
    let mean = errors.sum::<f64>() / 20.0;
    assert!((4.0..160.0).contains(&mean), "{mean}");
    let rho = Spend::Concentrated(Rho::parse("1").unwrap());
    assert!(study.attack(&study.release(&rho, &mut seeded(6)).unwrap(), Statistic::Distance).is_ok());
    let elsewhere = study.published_elsewhere(&[5.0; 20], None).unwrap();
    assert_eq!(elsewhere, study.publish());
    assert_eq!(study.cells()[19], "position 20");
}

#[test]
fn studies_that_cannot_be_are_refused_with_a_hint() {
    let mut bits = seeded(0);
    let row = vec![vec![0, 1, 2]];
    let refused = [
        Study::simulated(0, 10, 10, &mut bits),
        Study::simulated(10, 0, 10, &mut bits),
        Study::simulated(10, 10, 0, &mut bits),
        Study::simulated(usize::MAX, 10, 10, &mut bits),
        Study::simulated(1 << 20, 10, 1 << 20, &mut bits),
        Study::from_genotypes(&[], &row, &row),
        Study::from_genotypes(&row, &[], &row),
        Study::from_genotypes(&row, &row, &[]),
        Study::from_genotypes(&[vec![]], &row, &row),
        Study::from_genotypes(&row, &[vec![1]], &row),
        Study::from_genotypes(&[vec![0, 1, 3]], &row, &row),
    ];
    for error in refused {
        assert!(error.unwrap_err().hint().is_some());
    }
    let table = survey(3, &mut bits);
    let empty = survey(0, &mut bits);
    let errors = [
        Study::from_records(&table, &table, &table, &[]),
        Study::from_records(&table, &table, &table, &["no such column"]),
        Study::from_records(&empty, &table, &table, &["question 1"]),
        Study::from_records(&table, &empty, &table, &["question 1"]),
        Study::from_records(&table, &table, &empty, &["question 1"]),
    ];
    for error in errors {
        assert!(error.unwrap_err().hint().is_some());
    }
    let names: Vec<Vec<String>> = (0..300).map(|person| vec![person.to_string()]).collect();
    let distinct = Records::new(vec!["name".to_owned()], names).unwrap();
    let error = Study::from_records(&distinct, &distinct, &distinct, &["name"]).unwrap_err();
    assert!(error.to_string().starts_with("column `name` has 300 different values"), "{error}");
    // One person, one position, and prices at the ends of the range.
    let study = Study::from_genotypes(&[vec![1]], &[vec![0]], &[vec![0]]).unwrap();
    for counts in [vec![], vec![f64::NAN], vec![f64::INFINITY], vec![1e300], vec![1.0, 2.0]] {
        assert!(study.published_elsewhere(&counts, None).is_err());
    }
    let other = Study::simulated(2, 2, 2, &mut bits).unwrap();
    assert!(study.attack(&other.publish(), Statistic::Distance).is_err());
    for epsilon in ["1e-19", "1000000"] {
        let published = study.release(&pure(epsilon), &mut bits).unwrap();
        for statistic in Statistic::ALL {
            let found = study.attack(&published, statistic).unwrap();
            assert!(found.area.is_finite() && found.curve.len() == 2, "{}", found.summary());
        }
    }
}
