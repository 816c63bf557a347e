//! The best extension of all, by a linear programme: is the construction's the smallest ratio there is?
//!
//! For a ratio c, the laws outside of the class are unknown: nonnegative, each adding up to one, and at all neighbours and outcomes
//! `p ≤ c·p' + t`. There is an extension within c if and only if the smallest t is at most 0. The solver computes in floats; its answer is
//! made fractions, and those are compared like any extension. That nothing better exists is never the solver's word, but [`least_ratio`]'s.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, ZeroConeT};

use super::*;

/// Rows of a programme: which unknown, by which number.
#[derive(Default)]
struct Rows {
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
}

impl Rows {
    fn push(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, right: f64) {
        let row = self.right.len();
        self.entries.extend(entries.into_iter().map(|(column, entry)| (row, column, entry)));
        self.right.push(right);
    }
}

/// The laws with the smallest t, as fractions.
fn programme(instance: &Instance, ratio: f64) -> Vec<Law> {
    let outcomes = instance.laws.iter().flatten().next().unwrap().outcomes();
    let outside: Vec<usize> =
        (0..instance.laws.len()).filter(|place| instance.laws[*place].is_none()).collect();
    let column = |data_set: usize, outcome: usize| {
        outside.binary_search(&data_set).ok().map(|place| place * outcomes + outcome)
    };
    let unknowns = outside.len() * outcomes;
    let mut rows = Rows::default();
    for place in 0..outside.len() {
        rows.push((0..outcomes).map(|outcome| (place * outcomes + outcome, 1.0)), 1.0);
    }
    let equations = rows.right.len();
    rows_of_signs(&mut rows, unknowns);
    for (one, other) in instance.data_sets.neighbours() {
        for outcome in 0..outcomes {
            let mut entries = vec![(unknowns, -1.0)];
            let mut right = 0.0;
            for (data_set, factor) in [(one, 1.0), (other, -ratio)] {
                match (&instance.laws[data_set], column(data_set, outcome)) {
                    (_, Some(column)) => entries.push((column, factor)),
                    (law, None) => {
                        let law = law.as_ref().unwrap();
                        right -= factor * law.probabilities()[outcome].to_f64_nearest();
                    }
                }
            }
            if entries.len() > 1 {
                rows.push(entries, right);
            }
        }
    }
    let count = rows.right.len();
    let (mut places, mut columns, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (row, column, entry) in rows.entries {
        places.push(row);
        columns.push(column);
        numbers.push(entry);
    }
    let matrix = CscMatrix::new_from_triplets(count, unknowns + 1, places, columns, numbers);
    let cones = [ZeroConeT(equations), NonnegativeConeT(count - equations)];
    let mut objective = vec![0.0; unknowns + 1];
    objective[unknowns] = 1.0;
    let settings = DefaultSettingsBuilder::default().verbose(false).build().expect("settings");
    let nothing = CscMatrix::zeros((unknowns + 1, unknowns + 1));
    let mut solver = DefaultSolver::new(&nothing, &objective, &matrix, &rows.right, &cones, settings)
        .expect("a programme");
    solver.solve();
    let solved = |data_set: usize| {
        let weight = |outcome: usize| {
            let probability = solver.solution.x[column(data_set, outcome).unwrap()];
            Rational::from_f64(probability.max(1e-300)).unwrap()
        };
        Law::from_weights((0..outcomes).map(weight).collect()).unwrap()
    };
    let laws = instance.laws.iter().enumerate();
    laws.map(|(data_set, law)| law.clone().unwrap_or_else(|| solved(data_set))).collect()
}

/// No probability is negative.
fn rows_of_signs(rows: &mut Rows, unknowns: usize) {
    for unknown in 0..unknowns {
        rows.push([(unknown, -1.0)], 0.0);
    }
}

/// Specification: where everybody has at most one tie, a choice of four names has an extension for ε alone (b = 3/2, up to 1/1000), and the
/// construction's has 5/3: it is not always the best one.
#[test]
fn the_construction_is_not_always_the_best() {
    let instance = instance(Example::Hub, 4, 1, "2");
    let ours = instance.report(&instance.extension().unwrap());
    assert_eq!((&ours.base, &ours.worst), (&fraction("3/2"), &Some(fraction("5/3"))));
    assert_eq!(ours.least, Some(fraction("3/2")));
    let best = instance.report(&programme(&instance, 1.5005));
    assert!(best.is_equal_on_class && best.worst.as_ref().unwrap() <= &fraction("1.501"), "{best:?}");
}

/// Specification: where (2) and the construction agree, the programme finds nothing in between; a ratio that is too small is not reached.
#[test]
fn the_programme_reaches_what_is_needed_and_no_less() {
    for (example, size, bound) in [(Example::Hub, 4, 2), (Example::Response, 3, 0), (Example::Edges, 4, 1)] {
        let instance = instance(example, size, bound, "2");
        let needed = least_ratio(&instance.data_sets, &instance.laws).unwrap();
        for share in [0.9, 0.99, 1.001] {
            let ratio = needed.to_f64_nearest() * share;
            let best = instance.report(&programme(&instance, ratio));
            assert!(best.is_equal_on_class);
            let (worst, slack) = (best.worst.unwrap(), &fraction("1.002") * &needed);
            assert!(worst >= needed, "{example:?} {share} {worst}");
            assert!(share < 1.0 || worst <= slack, "{example:?} {share} {worst}");
        }
    }
}
