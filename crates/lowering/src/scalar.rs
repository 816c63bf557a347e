//! Expressions of one row, in a dialect.
//!
//! **Guarantee.** For every row whose columns hold values of their types (whole numbers of 64 bits, finite numbers with one
//! zero, texts of at most 10,000 bytes, days and moments of the years 1 to 9999, NULL), a lowered expression has the value that
//! the embedded evaluator gives the same expression (`engine/src/evaluate.rs`), and evaluating it cannot fail: not for any
//! operand of its type, wherever an optimizer moves it. What a dialect cannot do so is refused by name.
//! **How.** Guards stand inside the arguments that they guard, never beside them; whatever holds no column is computed here
//! and travels as a value, so that no planner folds what it must not.

mod fold;
mod pattern;
mod postgres;
mod spark;

use pointillist_plan::{Function, Scalar, visit};

use crate::stage::{Expression, Stage};
use crate::{Dialect, Refusal};

/// The expression over the rows of a stage.
pub(crate) fn lower(stage: &mut Stage, scalar: &Scalar) -> Result<Expression, Refusal> {
    match stage.dialect {
        Dialect::Postgres => postgres::lower(stage, scalar),
        Dialect::Spark => spark::lower(stage, scalar),
    }
}

/// Whether the last digit of its value depends on whose library computes it: exponentials, logarithms and powers. Nobody's
/// privacy does, since each row is computed alone; but engines may disagree on it.
pub(crate) fn is_inexact(scalar: &Scalar) -> bool {
    use Function::{CommonLogarithm, Exponential, NaturalLogarithm, Power};
    let inexact = |part: &Scalar| {
        matches!(part, Scalar::Call(Exponential | NaturalLogarithm | CommonLogarithm | Power, _))
    };
    visit::walk(scalar).any(inexact)
}

/// Why such a value is no key.
pub(crate) fn inexact_key() -> Refusal {
    Refusal::new(
        "a key or a column of a subquery is a logarithm, a power or an exponential, whose last digit depends on the machine",
        "compute it inside the aggregate or the filter, and group by something else",
    )
}
