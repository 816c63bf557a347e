//! Conditions that must all hold, one by one; and what stands inside an expression.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments,
};

use crate::refusal::Refusal;
use crate::size::{self, DEPTH_MAX};

/// The parts of `a AND b AND …`, whatever the brackets around them, from left to right.
pub(crate) fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    let (mut found, mut waiting) = (Vec::new(), vec![expr]);
    while let Some(next) = waiting.pop() {
        match next {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                waiting.push(right);
                waiting.push(left);
            }
            Expr::Nested(inner) if is_and(inner) => waiting.push(inner),
            other => found.push(other),
        }
    }
    found
}

fn is_and(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryOp { op: BinaryOperator::And, .. } => true,
        Expr::Nested(inner) => is_and(inner),
        _ => false,
    }
}

/// The expressions directly inside, as far as any of them can be answered; subqueries are not looked into.
fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Nested(inner)
        | Expr::UnaryOp { expr: inner, .. }
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::IsUnknown(inner)
        | Expr::IsNotUnknown(inner)
        | Expr::Cast { expr: inner, .. }
        | Expr::Extract { expr: inner, .. }
        | Expr::Ceil { expr: inner, .. }
        | Expr::Floor { expr: inner, .. }
        | Expr::Trim { expr: inner, .. }
        | Expr::InSubquery { expr: inner, .. }
        | Expr::AnyOp { left: inner, .. }
        | Expr::AllOp { left: inner, .. } => vec![inner],
        Expr::BinaryOp { left, right, .. }
        | Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right) => vec![left, right],
        Expr::InList { expr, list, .. } => [expr.as_ref()].into_iter().chain(list).collect(),
        Expr::Between { expr, low, high, .. } => vec![expr, low, high],
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => vec![expr, pattern],
        Expr::Case { operand, conditions, else_result, .. } => {
            let branches = conditions.iter().flat_map(|CaseWhen { condition, result }| [condition, result]);
            let ends = operand.as_deref().into_iter().chain(else_result.as_deref());
            ends.chain(branches).collect()
        }
        Expr::Substring { expr, substring_from, substring_for, .. } => [expr.as_ref()]
            .into_iter()
            .chain(substring_from.as_deref())
            .chain(substring_for.as_deref())
            .collect(),
        Expr::Function(call) => arguments(call),
        Expr::Tuple(all) => all.iter().collect(),
        _ => Vec::new(),
    }
}

/// The arguments of a call that are expressions.
pub(crate) fn arguments(call: &Call) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = match &call.args {
        FunctionArguments::List(list) => list
            .args
            .iter()
            .filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect(),
        FunctionArguments::None | FunctionArguments::Subquery(_) => Vec::new(),
    };
    found.extend(call.filter.as_deref());
    found
}

/// An expression and everything inside it for which `wanted` holds, the outer before the inner.
pub(crate) fn inside(expr: &Expr, wanted: impl Fn(&Expr) -> bool) -> Vec<&Expr> {
    let (mut found, mut waiting) = (Vec::new(), vec![expr]);
    while let Some(next) = waiting.pop() {
        if wanted(next) {
            found.push(next);
        }
        waiting.extend(children(next).into_iter().rev());
    }
    found
}

/// Refuses an expression of SQL that cannot be copied as it is: one that is too deep (chains of operators are as deep as
/// long), or that may hide something deep.
pub(crate) fn check_copyable(expr: &Expr) -> Result<(), Refusal> {
    let (mut depth, mut level) = (0, vec![expr]);
    while !level.is_empty() {
        depth += 1;
        let mut below = Vec::new();
        for next in level {
            let inner = children(next);
            let plain = match next {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) | Expr::TypedString(_) => {
                    true
                }
                Expr::Interval(interval) => matches!(interval.value.as_ref(), Expr::Value(_)),
                Expr::Function(call) => call.over.is_none(),
                Expr::InSubquery { .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => false,
                _ => !inner.is_empty(),
            };
            if depth > DEPTH_MAX || !plain {
                return Err(size::too_deep());
            }
            below.extend(inner);
        }
        level = below;
    }
    Ok(())
}
