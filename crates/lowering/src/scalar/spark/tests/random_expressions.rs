//! Random expressions over hostile rows, in every mode.

use arrow::array::{Array, AsArray};
use pointillist_plan::{Function, Scalar, Type};

use super::super::LETS_MAX;
use super::mentions::sum;
use super::random::{Dice, TYPES};
use super::rows::{MODES, Rows, difference};

const EXPRESSIONS: usize = 480;
const ROWS: usize = 150;
const AT_ONCE: usize = 40;

/// Specification: every expression has its value in every row, in every mode, and a filter takes the rows where it is true.
/// Expressions of this kind have caught a day of October 1582 sent as a date. The test was seen to fail for sums without their
/// ends.
#[test]
fn spark_computes_random_expressions_as_the_evaluator_does() {
    let seed = std::env::var("POINTILLIST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut dice = Dice(seed);
    let kinds: Vec<Type> = TYPES.iter().flat_map(|kind| [*kind, *kind]).collect();
    let columns: Vec<_> =
        kinds.iter().map(|kind| (0..ROWS).map(|_| dice.cell(*kind)).collect::<Vec<_>>()).collect();
    let Some(rows) = Rows::new("hostile", &kinds, &columns) else { return };
    let scalars: Vec<Scalar> = (0..EXPRESSIONS)
        .map(|number| {
            let depth = 1 + dice.below(4);
            dice.typed(TYPES[number % TYPES.len()], depth)
        })
        .collect();
    for (mode, settings) in MODES {
        rows.configure(&settings);
        let mut failures = Vec::new();
        for some in scalars.chunks(AT_ONCE) {
            failures.extend(failures_of(&rows, &some.iter().collect::<Vec<_>>()));
        }
        for condition in scalars.iter().filter(|scalar| is_condition(&rows, scalar)).take(40) {
            let here = rows.here(condition);
            let here = here.as_boolean();
            let numbers: Vec<i64> = (0..ROWS)
                .filter(|row| here.is_valid(*row) && here.value(*row))
                .map(|row| row as i64)
                .collect();
            if rows.filtered(condition) != Some(numbers) {
                failures.push(format!("other rows, or none, where {condition:?}"));
            }
        }
        assert!(failures.is_empty(), "seed {seed}, {mode}: {} like {}", failures.len(), failures[0]);
    }
}

fn is_condition(rows: &Rows, scalar: &Scalar) -> bool {
    rows.here(scalar).as_boolean_opt().is_some()
}

/// What is wrong with expressions that are computed together; where that fails, with each alone.
pub(super) fn failures_of(rows: &Rows, scalars: &[&Scalar]) -> Vec<String> {
    match (rows.there(scalars), scalars) {
        (Some(there), _) => {
            let differs = |(scalar, there)| {
                difference(&rows.here(scalar), there).map(|how| format!("{scalar:?}: {how}"))
            };
            scalars.iter().copied().zip(&there).filter_map(differs).collect()
        }
        (None, [scalar]) => vec![format!("{scalar:?} raises")],
        (None, scalars) => scalars.iter().flat_map(|scalar| failures_of(rows, &[scalar])).collect(),
    }
}

/// Specification: the deepest expressions that are not refused are computed, and filtered by, in reasonable time.
#[test]
fn spark_takes_the_deepest_expressions_that_are_lowered() {
    let mut dice = Dice(5);
    let kinds = [Type::Integer, Type::Number, Type::Text];
    let columns: Vec<_> =
        kinds.iter().map(|kind| (0..20).map(|_| dice.cell(*kind)).collect::<Vec<_>>()).collect();
    let Some(rows) = Rows::new("deep", &kinds, &columns) else { return };
    let more = |text, _| Scalar::Call(Function::Concat, vec![text, Scalar::Column(2)]);
    let joined = (0..LETS_MAX / 2).fold(Scalar::Column(2), more);
    let deep = [sum(0, LETS_MAX + 1), sum(1, LETS_MAX + 1), joined];
    for (mode, settings) in MODES {
        rows.configure(&settings);
        let failures = failures_of(&rows, &deep.iter().collect::<Vec<_>>());
        assert!(failures.is_empty(), "{mode}: {:.1000}", failures[0]);
        for scalar in &deep {
            let condition = Scalar::Not(Box::new(Scalar::IsNull(Box::new(scalar.clone()))));
            let here = rows.here(scalar);
            let numbers: Vec<i64> = (0..20).filter(|row| here.is_valid(*row)).map(|row| row as i64).collect();
            assert_eq!(rows.filtered(&condition), Some(numbers), "{mode}");
        }
    }
}
