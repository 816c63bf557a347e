use pointillist_errors::Explained as _;
use pointillist_noise::weighted_choice;
use pointillist_testkit::{assert_distribution, seeded};

use super::*;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn part(text: &str) -> Part {
    Part::new(&rational(text)).unwrap()
}

/// The imbalance of one point, straight from the definition.
fn imbalance(rows: &[i64], point: i64, part: &Part) -> i128 {
    let below = rows.iter().filter(|row| **row < point).count() as i128;
    let above = rows.iter().filter(|row| **row > point).count() as i128;
    (part.under - part.over) * below - part.over * above
}

#[test]
fn runs_cover_every_point_with_its_imbalance() {
    for rows in [
        vec![],
        vec![3],
        vec![0, 0, 9],
        vec![2, 3, 3, 3, 4, 8],
        vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        vec![9; 5],
    ] {
        for text in ["0", "0.25", "1/2", "2/3", "1"] {
            let part = part(text);
            let runs = runs(&rows, 0, 9, &part);
            let mut next = 0;
            for run in &runs {
                assert_eq!(run.first, next);
                next += run.length as i64;
                for point in run.first..next {
                    assert_eq!(run.imbalance, imbalance(&rows, point, &part), "{rows:?} at {point}");
                }
            }
            assert_eq!(next, 10);
            assert!(runs.is_sorted_by_key(|run| run.imbalance));
        }
    }
}

/// Specification: the same words choose the same run as the general choice between real weights does, for
/// small and steep decays, for many and for huge runs: pruning and rounding change nothing.
#[test]
fn the_choice_is_that_of_the_weights() {
    let mut bits = seeded(1);
    for round in 0..300u64 {
        let count = 1 + bits() % 40;
        let last = if round % 3 == 0 { 1 << 61 } else { 50 };
        let mut rows: Vec<i64> = (0..count).map(|_| (bits() % (last as u64 + 1)) as i64).collect();
        rows.extend(vec![rows[0]; (bits() % 20) as usize]);
        rows.sort_unstable();
        let decay = rational(["1e-6", "0.01", "0.3", "1", "40", "100000"][(round % 6) as usize]);
        let runs = runs(&rows, 0, last, &part(["1/2", "0.1", "0.99"][(round % 3) as usize]));
        let words: Vec<u64> = (0..64).map(|_| bits()).collect();
        let feed = || {
            let mut next = words.clone().into_iter();
            move || next.next().unwrap_or(7)
        };
        let point = choose(&runs, &decay, &mut feed());
        let expected = weighted_choice(&mut feed(), |precision| {
            let weight = |run: &Run| {
                let gamma = &decay * &Rational::from(run.imbalance.abs());
                // The largest weight must not vanish, so this one is given its own scale.
                let least = runs.iter().map(|run| run.imbalance.abs()).min().unwrap();
                let relative =
                    Enclosure::exp_of_minus(&(gamma - &decay * &Rational::from(least)), precision + 70);
                relative.mul_integer(run.length as i64).at_precision(precision)
            };
            runs.iter().map(weight).collect()
        });
        let run = &runs[expected];
        assert!(run.first <= point && (point - run.first) < run.length as i64, "round {round}");
    }
}

/// Specification: computed bounds hold the true weights at every precision, after many multiplications.
#[test]
fn weights_lie_between_their_bounds() {
    let rows: Vec<i64> = (0..400).map(|k| 3 * k + k % 2).collect();
    let runs = runs(&rows, 0, 1300, &part("0.3"));
    let decay = rational("0.07");
    for precision in [64, 128, 192] {
        let core = Core::new(&runs, &decay, precision);
        let least = runs.iter().map(|run| run.imbalance.abs()).min().unwrap();
        for ((weight, slack), index) in core.weights.iter().zip(&core.slacks).zip(core.range.clone()) {
            let run = &runs[index];
            let gamma = &decay * &Rational::from(run.imbalance.abs() - least);
            if gamma.is_zero() {
                assert_eq!(
                    (weight, *slack),
                    (&(UBig::from(run.length) << precision), 0),
                    "the largest is exact"
                );
                continue;
            }
            let exact = Enclosure::exp_of_minus(&gamma, precision + 64).mul_integer(run.length as i64);
            let unit = Rational::power_of_two(-(precision as i64));
            let lower = Rational::from(weight.clone()) * unit.clone();
            let upper = &lower + &(Rational::from(*slack) * unit);
            assert!(lower <= exact.lower() && exact.upper() <= upper, "run {index} at {precision} bits");
        }
        let outside = (0..runs.len()).filter(|index| !core.range.contains(index));
        for index in outside {
            let gamma = &decay * &Rational::from(runs[index].imbalance.abs() - least);
            let exact = Enclosure::exp_of_minus(&gamma, 2 * precision);
            assert!(
                exact.upper() <= Rational::power_of_two(-(precision as i64)),
                "run {index} was cut too early"
            );
        }
    }
}

/// Specification: points are chosen in proportion to their weights, also inside runs. False alarm: 1e-9 (χ²).
#[test]
fn points_have_the_right_probabilities() {
    let rows = [2, 2, 5, 6, 11];
    let part = part("0.4");
    let runs = runs(&rows, 0, 14, &part);
    let decay = rational("0.21");
    let weights: Vec<f64> =
        (0..=14).map(|point| (-0.21 * imbalance(&rows, point, &part).abs() as f64).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mut bits = seeded(2);
    let draws: Vec<i64> = (0..20_000).map(|_| choose(&runs, &decay, &mut bits)).collect();
    assert_distribution(draws, |point| weights[point as usize] / total, 0..=14, "ranked choice");
}

#[test]
fn parts_that_cannot_be_are_refused_with_a_hint() {
    for text in ["-0.1", "1.01", "1/4294967297"] {
        let error = Part::new(&rational(text)).unwrap_err();
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
    assert_eq!(part("0.25"), Part { over: 1, under: 4 });
    assert_eq!(part("0.25").swing(Neighbours::AddRemove), rational("1.5"));
    assert_eq!(part("0.25").swing(Neighbours::ReplaceOne), rational("2"));
    assert_eq!(part("1").swing(Neighbours::ReplaceOne), rational("1"));
}
