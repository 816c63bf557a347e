//! Aggregates without noise, as SQL writes them: of one person's rows, of public rows, or of frames of windows.

use pointillist_catalog::Value;
use pointillist_plan::{ExactAggregate, ExactFunction, Scalar, Type};
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, OrderByExpr,
};

use crate::coercion::Typed;
use crate::expression::Lowering;
use crate::from::Tables;
use crate::names;
use crate::refusal::{Refusal, did_you_mean, shown};

/// The names of aggregates that have no noise below the outermost SELECT.
const NAMES: [&str; 21] = [
    "count",
    "sum",
    "avg",
    "mean",
    "min",
    "max",
    "median",
    "mode",
    "percentile_cont",
    "percentile_disc",
    "var_pop",
    "var_samp",
    "variance",
    "var",
    "stddev_pop",
    "stddev_samp",
    "stddev",
    "bool_and",
    "every",
    "bool_or",
    "any_value",
];

/// Whether an expression is a call of an aggregate, and no window.
pub(crate) fn is_exact_call(expr: &Expr) -> bool {
    let Expr::Function(call) = expr else { return false };
    call.over.is_none() && name_of(call).is_some_and(|name| crate::aggregate::is_aggregate(&name))
}

/// Whether a name is that of an aggregate.
pub(crate) fn is_exact_name(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The name of a function that has no schema.
pub(crate) fn name_of(call: &Call) -> Option<String> {
    match names::parts(&call.name)?.as_slice() {
        [name] => Some(name.clone()),
        _ => None,
    }
}

impl Tables<'_, '_> {
    /// The aggregate that a call is, and its type.
    pub(crate) fn exact(
        &self,
        expr: &Expr,
        lowering: &Lowering<'_>,
    ) -> Result<(ExactAggregate, Type), Refusal> {
        match expr {
            Expr::Function(call) => self.exact_call(call, lowering),
            _ => Err(clause("this expression")),
        }
    }

    /// The same of a call.
    pub(crate) fn exact_call(
        &self,
        call: &Call,
        lowering: &Lowering<'_>,
    ) -> Result<(ExactAggregate, Type), Refusal> {
        let name = name_of(call).unwrap_or_default();
        let upper = name.to_uppercase();
        if !NAMES.contains(&name.as_str()) {
            return Err(Refusal::not_provable(
                format!("{upper} is not answered below the outermost SELECT"),
                did_you_mean(&name, NAMES, || {
                    format!("the aggregates of one person's rows are {}", NAMES.join(", "))
                }),
            ));
        }
        let Call {
            parameters: FunctionArguments::None,
            null_treatment: None,
            uses_odbc_syntax: false,
            args: FunctionArguments::List(list),
            filter,
            within_group,
            over: _,
            name: _,
        } = call
        else {
            return Err(clause(&upper));
        };
        if !list.clauses.is_empty() {
            return Err(clause(&upper));
        }
        let counted = filter.as_ref().map(|filter| lowering.condition(filter, "FILTER")).transpose()?;
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let arguments: Vec<&FunctionArgExpr> = list
            .args
            .iter()
            .map(|argument| match argument {
                FunctionArg::Unnamed(argument) => Ok(argument),
                _ => Err(clause(&upper)),
            })
            .collect::<Result<_, _>>()?;
        let (function, value) = match (name.as_str(), arguments.as_slice(), within_group.as_slice()) {
            ("count", [FunctionArgExpr::Wildcard], []) if !distinct => {
                (ExactFunction::Count, Typed::constant(Value::Boolean(true)))
            }
            ("percentile_cont" | "percentile_disc", [FunctionArgExpr::Expr(share)], [order]) => {
                quantile(&name, lowering.expression(share)?, order, lowering)?
            }
            ("mode", [], [order]) => (ExactFunction::Mode, lowering.expression(&order.expr)?),
            (_, [FunctionArgExpr::Expr(argument)], []) => {
                (function(&name).ok_or_else(|| clause(&upper))?, counted_value(&name, argument, lowering)?)
            }
            _ => return Err(clause(&upper)),
        };
        // A constant is there in every row.
        let value = match (function, &value.scalar) {
            (ExactFunction::Count, Scalar::Constant(_)) if !distinct => Typed::constant(Value::Boolean(true)),
            _ => value,
        };
        let kind = value.known();
        let scalar = value.into_type(kind, &upper)?;
        let aggregate = ExactAggregate { function, value: scalar, counted, distinct };
        match aggregate.kind(kind) {
            Some(result) => Ok((aggregate, result)),
            None => Err(Refusal::mismatch(
                format!("{upper} does not take {}", kind.words()),
                "use COUNT, MIN or MAX, or cast to a number",
            )),
        }
    }
}

fn function(name: &str) -> Option<ExactFunction> {
    Some(match name {
        "count" => ExactFunction::Count,
        "sum" => ExactFunction::Sum,
        "avg" | "mean" => ExactFunction::Average,
        "min" | "any_value" => ExactFunction::Minimum,
        "max" => ExactFunction::Maximum,
        "median" => ExactFunction::QuantileContinuous(0.5),
        "mode" => ExactFunction::Mode,
        "var_pop" => ExactFunction::Variance { sample: false, root: false },
        "var_samp" | "variance" | "var" => ExactFunction::Variance { sample: true, root: false },
        "stddev_pop" => ExactFunction::Variance { sample: false, root: true },
        "stddev_samp" | "stddev" => ExactFunction::Variance { sample: true, root: true },
        "bool_and" | "every" => ExactFunction::Every,
        "bool_or" => ExactFunction::Some,
        _ => return None,
    })
}

/// What is aggregated; a hidden owner is there in every row.
fn counted_value(name: &str, argument: &Expr, lowering: &Lowering<'_>) -> Result<Typed, Refusal> {
    match names::owner(lowering.visible, argument) {
        Some(None) if name == "count" => Ok(Typed::constant(Value::Boolean(true))),
        Some(Some(present)) if name == "count" => Ok(Typed::boolean(Scalar::Column(present))),
        _ => lowering.expression(argument),
    }
}

fn quantile(
    name: &str,
    share: Typed,
    order: &OrderByExpr,
    lowering: &Lowering<'_>,
) -> Result<(ExactFunction, Typed), Refusal> {
    let share = match share.into_type(Type::Number, name)? {
        Scalar::Constant(Value::Number(share)) if (0.0..=1.0).contains(&share) => share,
        _ => {
            return Err(Refusal::parameter(
                format!("{}() takes a constant share between 0 and 1", shown(name)),
                format!("write {}(0.5) WITHIN GROUP (ORDER BY x)", shown(name)),
            ));
        }
    };
    let falling = order.options.asc == Some(false);
    let value = lowering.expression(&order.expr)?;
    match (name, falling) {
        ("percentile_cont", true) => Ok((ExactFunction::QuantileContinuous(1.0 - share), value)),
        ("percentile_cont", false) => Ok((ExactFunction::QuantileContinuous(share), value)),
        (_, false) => Ok((ExactFunction::QuantileDiscrete(share), value)),
        (_, true) => Err(Refusal::not_provable(
            "PERCENTILE_DISC of falling values is not answered",
            "leave DESC out and ask for the share from the other end",
        )),
    }
}

fn clause(upper: &str) -> Refusal {
    Refusal::not_provable(
        format!("{upper} with this clause is not answered"),
        format!("write {upper}(x) or {upper}(x) FILTER (WHERE …)"),
    )
}
