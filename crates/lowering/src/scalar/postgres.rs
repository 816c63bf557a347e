//! Expressions in PostgreSQL.
//!
//! **Guarantee.** A lowered expression has the evaluator's value, bit for bit, and cannot raise. Every form is total *by its
//! arguments*: a function that raises on some operands is given NULL in their place (`sqrt(CASE WHEN a >= 0 THEN a END)`,
//! `a % NULLIF(b, 0)`), or stands in a CASE whose conditions look at the very operands that it uses. Nothing rests on the
//! order in which filters, joins or layers are computed.
//! **Constants.** A plan for given parameters computes constant parts before any CASE around them is looked at. So there are
//! none: parts without columns are values already (`fold.rs`), no operand of a form is a constant unless the form was made
//! for that constant, and then its guards are too.
//! **Inexact.** `exp`, `ln` and `log10` are the C library's of the server's host, whose last bit may be another
//! than that of the curator's (`is_inexact` in `scalar.rs`); all else agrees exactly.
//! **Session.** Operators and casts are looked up in `search_path`, which is `pg_catalog` alone; days and moments are written
//! and read by `DateStyle = 'ISO, YMD'`; the database holds UTF-8.
//! **Proof.** `postgres/tests.rs` holds random expressions over hostile rows against the evaluator.

mod cast;
mod dates;
mod functions;
mod integers;
mod numbers;
mod parse;
mod rounding;
#[cfg(test)]
mod tests;
mod text;
mod threshold;

use pointillist_catalog::Value;
use pointillist_plan::{Comparison, Function, Scalar, Type};

use super::fold::fold;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Parameter, Refusal};

/// The expression over the rows of a stage.
pub(super) fn lower(stage: &mut Stage, scalar: &Scalar) -> Result<Expression, Refusal> {
    let folded = fold(scalar, &stage.types())?;
    node(stage, &folded)
}

/// A part of a folded expression.
fn node(stage: &mut Stage, scalar: &Scalar) -> Result<Expression, Refusal> {
    match scalar {
        Scalar::Column(position) => stage.column(*position),
        Scalar::Constant(value) => constant(value),
        Scalar::Null(kind) => Ok(null(*kind)),
        Scalar::Not(inner) => Ok(Expression::of(Type::Boolean, "(NOT {0})", &[&node(stage, inner)?])),
        Scalar::All(parts) => Ok(list(Type::Boolean, "({0})", " AND ", &nodes(stage, parts)?)),
        Scalar::Any(parts) => Ok(list(Type::Boolean, "({0})", " OR ", &nodes(stage, parts)?)),
        Scalar::Compare(how, left, right) => {
            let (left, right) = (node(stage, left)?, node(stage, right)?);
            Ok(compared(*how, &left, &right))
        }
        Scalar::IsNull(inner) => Ok(Expression::of(Type::Boolean, "({0} IS NULL)", &[&node(stage, inner)?])),
        Scalar::Arithmetic(how, left, right) => {
            let (a, b) = (node(stage, left)?, node(stage, right)?);
            match a.kind {
                Type::Integer => Ok(integers::arithmetic(*how, (left, a), (right, b))),
                _ => numbers::arithmetic(stage, *how, (left, a), (right, b)),
            }
        }
        Scalar::Case(branches, last) => case(stage, branches, last),
        Scalar::Like { value, pattern, escape, ignore_case } => {
            let value = node(stage, value)?;
            text::like(&value, pattern, *escape, *ignore_case)
        }
        Scalar::Cast(inner, kind) => {
            let inner = node(stage, inner)?;
            cast::cast(stage, inner, *kind)
        }
        Scalar::Call(function, arguments) => {
            let values = nodes(stage, arguments)?;
            call(stage, *function, arguments, values)
        }
    }
}

fn nodes(stage: &mut Stage, scalars: &[Scalar]) -> Result<Vec<Expression>, Refusal> {
    scalars.iter().map(|scalar| node(stage, scalar)).collect()
}

fn constant(value: &Value) -> Result<Expression, Refusal> {
    let kind = pointillist_plan::type_of_value(value);
    let parameter = Parameter::of(kind, Some(value));
    match parameter.has_nul() {
        true => Err(nul()),
        false => Ok(Expression::parameter(kind, parameter)),
    }
}

fn nul() -> Refusal {
    Refusal::new(
        "the question holds the character U+0000, which PostgreSQL's texts cannot",
        "compare with a text without it",
    )
}

fn null(kind: Type) -> Expression {
    Expression::parameter(kind, Parameter::of(kind, None))
}

fn number(value: f64) -> Expression {
    Expression::parameter(Type::Number, Parameter::Number(Some(value)))
}

fn integer(value: i64) -> Expression {
    Expression::parameter(Type::Integer, Parameter::Integer(Some(value)))
}

/// Operands one after the other, in a form for all of them.
fn list(kind: Type, form: &'static str, between: &'static str, operands: &[Expression]) -> Expression {
    let pieces: Vec<Sql> = operands.iter().map(|operand| operand.sql.clone()).collect();
    let operands: Vec<&Expression> = operands.iter().collect();
    Expression::new(kind, Sql::form(form, &[&Sql::join(&pieces, between)]), &operands)
}

/// A text that is compared byte by byte; anything else as it is.
fn bytewise(operand: &Expression) -> Expression {
    match operand.kind {
        Type::Text => Expression::of(Type::Text, "({0} COLLATE \"C\")", &[operand]),
        _ => operand.clone(),
    }
}

fn compared(how: Comparison, left: &Expression, right: &Expression) -> Expression {
    let form = match how {
        Comparison::Equal => "({0} = {1})",
        Comparison::NotEqual => "({0} <> {1})",
        Comparison::Less => "({0} < {1})",
        Comparison::LessOrEqual => "({0} <= {1})",
        Comparison::Greater => "({0} > {1})",
        Comparison::GreaterOrEqual => "({0} >= {1})",
        Comparison::NotDistinct => "({0} IS NOT DISTINCT FROM {1})",
    };
    Expression::of(Type::Boolean, form, &[&bytewise(left), &bytewise(right)])
}

fn case(stage: &mut Stage, branches: &[(Scalar, Scalar)], last: &Scalar) -> Result<Expression, Refusal> {
    let last = node(stage, last)?;
    let (mut whens, mut operands) = (Vec::new(), Vec::new());
    for (condition, value) in branches {
        let (condition, value) = (node(stage, condition)?, node(stage, value)?);
        whens.push(Sql::form(" WHEN {0} THEN {1}", &[&condition.sql, &value.sql]));
        operands.extend([condition, value]);
    }
    if branches.is_empty() {
        return Ok(last);
    }
    let sql = Sql::form("CASE{0} ELSE {1} END", &[&Sql::join(&whens, ""), &last.sql]);
    let kind = last.kind;
    operands.push(last);
    Ok(Expression::new(kind, sql, &operands.iter().collect::<Vec<_>>()))
}

fn call(
    stage: &mut Stage,
    function: Function,
    arguments: &[Scalar],
    mut values: Vec<Expression>,
) -> Result<Expression, Refusal> {
    use Function::*;
    match (function, values.as_mut_slice()) {
        (Least, [first, ..]) => {
            let kind = first.kind;
            Ok(list(kind, "LEAST({0})", ", ", &values.iter().map(bytewise).collect::<Vec<_>>()))
        }
        (Greatest, [first, ..]) => {
            let kind = first.kind;
            Ok(list(kind, "GREATEST({0})", ", ", &values.iter().map(bytewise).collect::<Vec<_>>()))
        }
        (Coalesce, [first, ..]) => Ok(list(first.kind, "COALESCE({0})", ", ", &values)),
        (NullIf, [value, other]) => {
            Ok(Expression::of(value.kind, "NULLIF({0}, {1})", &[&bytewise(value), &bytewise(other)]))
        }
        (Absolute | Sign, [value]) if value.kind == Type::Integer => Ok(integers::unary(function, value)),
        (Round, [value, ..]) => rounding::round(stage, value.clone(), arguments.get(1)),
        (WidthBucket, [value, ..]) => rounding::width_bucket(stage, value.clone(), &arguments[1..]),
        // It raises where the result leaves the range of floats, which depends on the C library's last bit.
        (Power, _) => Err(Refusal::new(
            "PostgreSQL has no power of numbers that never fails",
            "multiply instead: x * x",
        )),
        (Absolute | Sign | Floor | Ceiling | SquareRoot | Exponential, [value]) => {
            functions::unary(stage, function, value.clone())
        }
        (NaturalLogarithm | CommonLogarithm, [value]) => functions::unary(stage, function, value.clone()),
        (Lower | Upper | Trim | Length | Substring | Concat | StartsWith | Position, _) => {
            text::call(stage, function, values)
        }
        (DatePart(_) | DateTruncate(_) | Epoch | AddDays | AddMonths | DaysBetween, _) => {
            dates::call(stage, function, arguments, values)
        }
        (Least | Greatest | Coalesce | NullIf | Absolute | Sign | Floor | Ceiling, _) => Err(ours()),
        (Round | SquareRoot | Exponential | NaturalLogarithm | CommonLogarithm | WidthBucket, _) => {
            Err(ours())
        }
    }
}

/// A call that has no type, which `fold` refuses.
fn ours() -> Refusal {
    Refusal::new(
        "the plan calls a function with arguments that it does not take",
        "this is a mistake of ours: please report it",
    )
}
