//! Expressions in Spark.
//!
//! **Once.** Every form mentions every operand once, so that a statement grows with its expression. A layer of names would
//! not do: Spark puts filters below projections and writes each name out again on the way, four guards into each other
//! became four to the fourth. What a form needs more often it binds itself: `transform(array(e), x -> …)[0]` is *let x = e*,
//! and for several operands the one element is a struct. Operands stand outside of the lambda, so its names catch none of theirs.
//! `nullif` and `BETWEEN`, which Spark rewrites into several mentions, are not used.
//! **Total in both modes.** Nothing here depends on `spark.sql.ansi.enabled`: what raises in one mode and wraps in the other
//! (casts, `/ 0`, overflow) gets arguments for which it does neither.
//! **Pinned.** Time zone UTC, `escapedStringLiterals` off (a backslash in a literal is written twice), texts UTF8_BINARY.

mod arithmetic;
mod cast;
mod dates;
mod like;
mod number;
#[cfg(test)]
mod tests;
mod text;

use pointillist_catalog::Value;
use pointillist_plan::{Comparison, Function, Scalar, Type, type_of_value, visit};

use super::fold::fold;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Parameter, Refusal};

/// The most lambdas inside each other. Spark goes over a statement at most a hundred times before it gives up
/// (`spark.sql.analyzer.maxIterations`), and resolves one lambda of a nest in two of them; its parser gives up near a hundred.
const LETS_MAX: usize = 40;

/// The expression over the rows of a stage.
pub(super) fn lower(stage: &mut Stage, scalar: &Scalar) -> Result<Expression, Refusal> {
    let folded = fold(scalar, &stage.types())?;
    if lets(&folded) > LETS_MAX {
        return Err(Refusal::new(
            "an expression is nested too deeply for Spark",
            "ask for less in one expression",
        ));
    }
    node(stage, &folded)
}

/// How many lambdas lie inside each other, at most.
fn lets(scalar: &Scalar) -> usize {
    use Function::*;
    let own = match scalar {
        Scalar::Arithmetic(..) => 1,
        Scalar::Cast(..) | Scalar::Call(Round | WidthBucket | Concat, _) => 2,
        Scalar::Call(Coalesce | Least | Greatest | Lower | Upper | Trim | Length | StartsWith, _) => 0,
        Scalar::Call(Position | DatePart(_) | DateTruncate(_) | Epoch | DaysBetween, _) => 0,
        Scalar::Call(..) => 1,
        _ => 0,
    };
    own + visit::children(scalar).into_iter().map(lets).max().unwrap_or(0)
}

/// A part of a folded expression.
fn node(stage: &Stage, scalar: &Scalar) -> Result<Expression, Refusal> {
    match scalar {
        Scalar::Column(position) => stage.column(*position),
        Scalar::Constant(value) => Ok(constant(value)),
        Scalar::Null(kind) => Ok(null(*kind)),
        Scalar::Not(inner) => Ok(Expression::of(Type::Boolean, "(NOT {0})", &[&node(stage, inner)?])),
        Scalar::All(parts) => Ok(joined(&each(stage, parts)?, true)),
        Scalar::Any(parts) => Ok(joined(&each(stage, parts)?, false)),
        Scalar::Compare(how, left, right) => Ok(compared(*how, &node(stage, left)?, &node(stage, right)?)),
        Scalar::IsNull(inner) => Ok(Expression::of(Type::Boolean, "({0} IS NULL)", &[&node(stage, inner)?])),
        Scalar::Arithmetic(how, left, right) => {
            arithmetic::lower(*how, &node(stage, left)?, &node(stage, right)?)
        }
        Scalar::Case(branches, last) => case(stage, branches, last),
        Scalar::Like { value, pattern, escape, ignore_case } => {
            like::lower(node(stage, value)?, pattern, *escape, *ignore_case)
        }
        Scalar::Cast(inner, kind) => cast::lower(node(stage, inner)?, *kind),
        Scalar::Call(function, arguments) => call(stage, *function, arguments),
    }
}

fn each(stage: &Stage, scalars: &[Scalar]) -> Result<Vec<Expression>, Refusal> {
    scalars.iter().map(|scalar| node(stage, scalar)).collect()
}

/// A value beside the statement. A day travels as a number: as a date it would go through Java's old calendar, which does
/// not have the ten days before 1582-10-15.
fn constant(value: &Value) -> Expression {
    let kind = type_of_value(value);
    if let Value::Date(day) = value {
        return Expression::of(kind, "date_from_unix_date(CAST({0} AS INT))", &[&integer((*day).into())]);
    }
    Expression::parameter(kind, Parameter::of(kind, Some(value)))
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

/// `AND` or `OR`, in three-valued logic.
fn joined(parts: &[Expression], all: bool) -> Expression {
    let Some((first, rest)) = parts.split_first() else {
        return Expression::parameter(Type::Boolean, Parameter::Boolean(Some(all)));
    };
    if rest.is_empty() {
        return first.clone();
    }
    listed(Type::Boolean, "({0})", parts, if all { " AND " } else { " OR " })
}

/// A form around all operands, with words between them.
fn listed(kind: Type, form: &'static str, operands: &[Expression], between: &'static str) -> Expression {
    let pieces: Vec<Sql> = operands.iter().map(|operand| operand.sql.clone()).collect();
    let operands: Vec<&Expression> = operands.iter().collect();
    let list = Expression::new(kind, Sql::join(&pieces, between), &operands);
    Expression::of(kind, form, &[&list])
}

/// Numbers have one zero and no NaN; text is compared byte by byte; false is less than true.
fn compared(how: Comparison, left: &Expression, right: &Expression) -> Expression {
    let form = match how {
        Comparison::Equal => "({0} = {1})",
        Comparison::NotEqual => "({0} <> {1})",
        Comparison::Less => "({0} < {1})",
        Comparison::LessOrEqual => "({0} <= {1})",
        Comparison::Greater => "({0} > {1})",
        Comparison::GreaterOrEqual => "({0} >= {1})",
        Comparison::NotDistinct => "({0} <=> {1})",
    };
    Expression::of(Type::Boolean, form, &[left, right])
}

fn case(stage: &Stage, branches: &[(Scalar, Scalar)], last: &Scalar) -> Result<Expression, Refusal> {
    let mut all = Vec::with_capacity(branches.len());
    for (condition, value) in branches {
        let (condition, value) = (node(stage, condition)?, node(stage, value)?);
        all.push(Expression::of(value.kind, "WHEN {0} THEN {1}", &[&condition, &value]));
    }
    let last = node(stage, last)?;
    if all.is_empty() {
        return Ok(last);
    }
    let branches = listed(last.kind, "{0}", &all, " ");
    Ok(Expression::of(last.kind, "CASE {0} ELSE {1} END", &[&branches, &last]))
}

fn call(stage: &Stage, function: Function, arguments: &[Scalar]) -> Result<Expression, Refusal> {
    use Function::*;
    if function == Round || function == WidthBucket {
        let [value, constants @ ..] = arguments else { return Err(misfit()) };
        let value = node(stage, value)?;
        return match function {
            Round => number::round(value, constants),
            _ => number::width_bucket(value, constants),
        };
    }
    let operands = each(stage, arguments)?;
    let Some(kind) = operands.first().map(|first| first.kind) else {
        return if function == Concat { text::lower(function, &operands) } else { Err(misfit()) };
    };
    match function {
        Coalesce => Ok(listed(kind, "coalesce({0})", &operands, ", ")),
        // These want two arguments; both leave NULL out.
        Least | Greatest if operands.len() == 1 => Ok(operands[0].clone()),
        Least => Ok(listed(kind, "least({0})", &operands, ", ")),
        Greatest => Ok(listed(kind, "greatest({0})", &operands, ", ")),
        NullIf => formed(
            kind,
            "transform(array(struct({0} AS a, {1} AS b)), r -> CASE WHEN r.a = r.b THEN NULL ELSE r.a END)[0]",
            &operands,
        ),
        Absolute | Sign | Floor | Ceiling | SquareRoot | Exponential | NaturalLogarithm => {
            number::lower(function, &operands)
        }
        CommonLogarithm | Power | Round | WidthBucket => number::lower(function, &operands),
        Lower | Upper | Trim | Length | Substring | Concat | StartsWith | Position => {
            text::lower(function, &operands)
        }
        DatePart(part) => dates::part(&operands, part),
        DateTruncate(part) => dates::truncate(&operands, part),
        Epoch | AddDays | AddMonths | DaysBetween => dates::lower(function, &operands),
    }
}

/// A form of as many operands as it has places.
fn formed(kind: Type, form: &'static str, operands: &[Expression]) -> Result<Expression, Refusal> {
    match ["{0}", "{1}", "{2}"].iter().filter(|place| form.contains(**place)).count() == operands.len() {
        true => Ok(Expression::of(kind, form, &operands.iter().collect::<Vec<_>>())),
        false => Err(misfit()),
    }
}

/// What `type_of` has refused before.
fn misfit() -> Refusal {
    Refusal::new("an expression has no type", "this is a mistake of ours: please report it")
}
