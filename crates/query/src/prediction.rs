//! `predict('income', age, region)`: what a public linear model says of a row, as an expression.
//!
//! **Guarantee.** The call is put in the place of an ordinary expression of the statement, before anything is planned: sums of
//! CASE, arithmetic and constants over its arguments. Nothing downstream knows of models, so bounds, lists of values, owners and
//! sensitivities are those of the expression. The model is public; that it is part of the question follows, as every number of
//! it is in the plan.
//! **Totality.** That of expressions: whatever a row holds, there is a value.

use std::ops::ControlFlow;

use pointillist_catalog::Catalog;
use sqlparser::ast::{
    Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query, SelectItem,
    SetExpr, Value as Literal, Visit, VisitMut, Visitor, VisitorMut,
};
use sqlparser::parser::Parser;

use crate::dialect::Postgres;
use crate::evaluation::public_model;
use crate::model_expression::{prediction_expression, quoted};
use crate::names;
use crate::refusal::{Refusal, shown};

/// The function.
const FUNCTION: &str = "predict";
/// A statement may predict this often: every call is as long as its model.
const CALLS_MAX: usize = 16;
/// The parts that an argument may have.
const ARGUMENT_MAX: usize = 32;
/// What arguments are called until they are put in.
const PLACE: &str = "argument ";

/// Writes out every call of the function.
///
/// # Errors
/// When there is no such model, it is not linear, or its columns are not given.
pub(crate) fn write_out(catalog: &Catalog, query: &mut Query) -> Result<(), Refusal> {
    let mut written = Written { catalog, calls: 0 };
    match VisitMut::visit(query, &mut written) {
        ControlFlow::Break(refusal) => Err(refusal),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Written<'c> {
    catalog: &'c Catalog,
    calls: usize,
}

impl VisitorMut for Written<'_> {
    type Break = Refusal;

    /// An item without a name keeps that of the function, as PostgreSQL has it.
    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Refusal> {
        if let SetExpr::Select(select) = query.body.as_mut() {
            for item in &mut select.projection {
                if let SelectItem::UnnamedExpr(expr) = item
                    && is_call(expr).is_some()
                {
                    // Moved and not copied: a copy takes a stack as deep as the expression.
                    let expr = std::mem::replace(expr, Expr::Value(Literal::Null.with_empty_span()));
                    *item = SelectItem::ExprWithAlias { expr, alias: Ident::new(FUNCTION) };
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refusal> {
        let Some(call) = is_call(expr) else { return ControlFlow::Continue(()) };
        self.calls += 1;
        if self.calls > CALLS_MAX {
            return ControlFlow::Break(Refusal::syntax(
                format!("the statement predicts more than {CALLS_MAX} times"),
                "predict in a subquery, and use its column",
            ));
        }
        match prediction(self.catalog, call) {
            Ok(written) => {
                *expr = written;
                ControlFlow::Continue(())
            }
            Err(refusal) => ControlFlow::Break(refusal),
        }
    }
}

/// The call, where the expression is one of the function.
fn is_call(expr: &Expr) -> Option<&Call> {
    let Expr::Function(call) = expr else { return None };
    (names::parts(&call.name)?.as_slice() == [FUNCTION]).then_some(call)
}

fn prediction(catalog: &Catalog, call: &Call) -> Result<Expr, Refusal> {
    // Before anything is copied: a model uses each of its columns several times.
    let is_long = |argument: &FunctionArg| Visit::visit(argument, &mut Parts(0)).is_break();
    if matches!(&call.args, FunctionArguments::List(list) if list.args.iter().any(is_long)) {
        return Err(Refusal::syntax(
            format!("an argument of `predict` has more than {ARGUMENT_MAX} parts"),
            "give it a name in a subquery: FROM (SELECT … AS age FROM …) AS rows",
        ));
    }
    let arguments = arguments(call).ok_or_else(usage)?;
    let Some((Expr::Value(name), given)) = arguments.split_first() else { return Err(usage()) };
    let Literal::SingleQuotedString(name) = &name.value else { return Err(usage()) };
    let model = public_model(catalog, name)?;
    let columns = model.encoding().columns();
    let given: Vec<Expr> = match given {
        [] => {
            let column = |name: &str| Expr::Identifier(Ident::with_quote('"', name));
            columns.iter().map(|it| column(&it.name)).collect()
        }
        given if given.len() == columns.len() => given.to_vec(),
        given => {
            let names: Vec<String> = columns.iter().map(|column| shown(&column.name)).collect();
            return Err(Refusal::parameter(
                format!("`{}` has {} columns, and {} are given", shown(name), columns.len(), given.len()),
                format!(
                    "write predict('{}', {}), or only predict('{}') where the rows have columns of these names",
                    shown(name),
                    names.join(", "),
                    shown(name)
                ),
            ));
        }
    };
    let places: Vec<String> = (0..given.len()).map(|at| quoted(&format!("{PLACE}{at}"))).collect();
    let text = prediction_expression(model, &places).map_err(|problem| {
        Refusal::not_provable(
            format!("`{}` {problem}: SQL predicts with linear, logistic and svm models", shown(name)),
            "predict from a file of rows instead, or evaluate the model, which every kind of them allows",
        )
    })?;
    let unread =
        |_| Refusal::syntax("the model is too large for a statement", "train one with fewer columns");
    let dialect = Postgres::new();
    let mut parser = Parser::new(&dialect).try_with_sql(&text).map_err(unread)?;
    let mut written = parser.parse_expr().map_err(unread)?;
    let _ = VisitMut::visit(&mut written, &mut Arguments(&given));
    Ok(Expr::Nested(Box::new(written)))
}

/// Counts the parts of an argument, and stops at too many.
struct Parts(usize);

impl Visitor for Parts {
    type Break = ();

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.0 += 1;
        if self.0 > ARGUMENT_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The arguments of a plain call.
fn arguments(call: &Call) -> Option<Vec<Expr>> {
    let Call {
        parameters: FunctionArguments::None,
        filter: None,
        null_treatment: None,
        over: None,
        uses_odbc_syntax: false,
        args: FunctionArguments::List(list),
        within_group,
        ..
    } = call
    else {
        return None;
    };
    if !within_group.is_empty() || list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return None;
    }
    let argument = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    };
    list.args.iter().map(argument).collect()
}

/// Puts arguments in their places.
struct Arguments<'a>(&'a [Expr]);

impl VisitorMut for Arguments<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(Ident { value, quote_style: Some('"'), .. }) = &*expr
            && let Some(place) = value.strip_prefix(PLACE).and_then(|place| place.parse::<usize>().ok())
            && let Some(argument) = self.0.get(place)
        {
            *expr = match argument {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => argument.clone(),
                other => Expr::Nested(Box::new(other.clone())),
            };
        }
        ControlFlow::Continue(())
    }
}

fn usage() -> Refusal {
    Refusal::parameter(
        "`predict` takes the name of a public model in quotes, and perhaps a value for each of its columns",
        "write predict('income'), or predict('income', age, region)",
    )
}
