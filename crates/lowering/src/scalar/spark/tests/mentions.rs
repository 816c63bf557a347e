//! What is true of statements before any server reads them.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Function, Scalar, Type, visit};

use super::super::LETS_MAX;
use super::random::{Dice, TYPES};
use crate::Dialect;
use crate::scalar::lower;
use crate::stage::Stage;

/// Specification: a statement mentions no column more often than its expression does, so that it grows with it; and no layer
/// is needed, because Spark would write its names out.
#[test]
fn spark_forms_mention_each_operand_once() {
    let mut dice = Dice(2);
    let kinds: Vec<Type> = TYPES.iter().flat_map(|kind| [*kind, *kind]).collect();
    for number in 0..2_000 {
        let depth = 1 + dice.below(6);
        let scalar = dice.typed(TYPES[number % TYPES.len()], depth);
        let mut stage = Stage::over(Dialect::Spark, &kinds);
        let (text, _) = lower(&mut stage, &scalar).unwrap().sql.render(Dialect::Spark);
        for column in 0..kinds.len() {
            let named = format!("c{column}");
            let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
            let mentions = words.filter(|word| *word == named).count();
            let meant = visit::columns(&scalar).filter(|of| *of == column).count();
            assert!(mentions <= meant, "{mentions} of {named}, {meant} in {scalar:?}: {text}");
        }
        assert!(!stage.has_layers(), "{text}");
    }
}

/// A sum of so many terms, each added to the ones before.
pub(super) fn sum(column: usize, terms: usize) -> Scalar {
    let add = |sum, _| Scalar::Arithmetic(Arithmetic::Add, Box::new(sum), Box::new(Scalar::Column(column)));
    (1..terms).fold(Scalar::Column(column), add)
}

/// Specification: what Spark's analysis would give up on is refused by name, before.
#[test]
fn spark_refuses_what_is_nested_too_deeply() {
    let lowered =
        |terms| lower(&mut Stage::over(Dialect::Spark, &[Type::Number]), &sum(0, terms)).map(|_| ());
    assert_eq!(lowered(LETS_MAX + 1), Ok(()));
    assert!(lowered(LETS_MAX + 2).unwrap_err().to_string().contains("nested too deeply"));
}

/// Specification: numbers do not become text, whatever they are computed from; what holds no column still does.
#[test]
fn spark_refuses_numbers_as_text_by_name() {
    let as_text = |scalar: Scalar| {
        let mut stage = Stage::over(Dialect::Spark, &[Type::Number]);
        lower(&mut stage, &Scalar::Cast(Box::new(scalar), Type::Text)).map(|_| ())
    };
    let half = Scalar::Constant(Value::Number(0.5));
    let sum = Scalar::Arithmetic(Arithmetic::Add, Box::new(Scalar::Column(0)), Box::new(half.clone()));
    for scalar in [Scalar::Column(0), sum, Scalar::Call(Function::Floor, vec![Scalar::Column(0)])] {
        assert!(as_text(scalar).unwrap_err().to_string().contains("numbers as text"));
    }
    assert_eq!(as_text(half), Ok(()));
}
