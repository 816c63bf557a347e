//! Statements that ask for columns and no rows: `LIMIT 0`, `WHERE 1 <> 1`, `WHERE false`.
//!
//! **Guarantee.** Whether a statement is one shows in its text: the outermost query keeps no row whatever the rows are. Its
//! columns follow from the catalog. It is free, reads nothing and shows no row; so it may also name single rows of people,
//! which tools do when they look at what a table has.

use pointillist_catalog::Catalog;
use pointillist_plan::{DeclaredRows, Outer, OuterColumn, PublicStatement, Relation, Scalar};
use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, LimitClause, Query, Select, SelectItem, SetExpr, Value,
};

use crate::aggregate::is_aggregate;
use crate::conjuncts::{conjuncts, inside};
use crate::from::Tables;
use crate::listed_keys;
use crate::names::{self, Meaning};
use crate::options::Options;
use crate::plain::Named;
use crate::refusal::Refusal;
use crate::released::{Releases, statement as released, written_out};
use crate::size::Nodes;

/// Whether a query keeps no row, whatever the rows are.
pub fn has_no_rows(query: &Query) -> bool {
    let limit = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit: Some(limit), .. }) => is_zero(limit),
        _ => false,
    };
    let fetch = query
        .fetch
        .as_ref()
        .is_some_and(|fetch| !fetch.percent && fetch.quantity.as_ref().is_some_and(is_zero));
    let never = match query.body.as_ref() {
        // An aggregate without GROUP BY has a row even where nothing is kept.
        SetExpr::Select(select) => select.selection.as_ref().is_some_and(is_never) && !is_one_group(select),
        _ => false,
    };
    limit || fetch || never
}

/// Whether a SELECT has one row for all rows, or a row for none of them.
fn is_one_group(select: &Select) -> bool {
    let is_call = |expr: &Expr| match expr {
        Expr::Function(call) => {
            let name = names::parts(&call.name).and_then(|mut parts| parts.pop());
            // What is not known is taken for an aggregate: it is asked as a question.
            call.over.is_none()
                && name.is_none_or(|name| is_aggregate(&name) || !crate::functions::is_known(&name))
        }
        Expr::Subquery(_) => true,
        _ => false,
    };
    let has_call = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            !inside(expr, is_call).is_empty()
        }
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => false,
        SelectItem::ExprWithAliases { .. } => true,
    };
    let ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(keys, sets) if keys.is_empty() && sets.is_empty());
    // The empty one of several sets of keys has a row in any case.
    let plain_keys = match &select.group_by {
        GroupByExpr::Expressions(keys, sets) => {
            let is_key = |key: &Expr| {
                matches!(key, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_))
            };
            sets.is_empty() && keys.iter().all(is_key)
        }
        GroupByExpr::All(_) => false,
    };
    if ungrouped { select.having.is_some() || select.projection.iter().any(has_call) } else { !plain_keys }
}

/// Whether a condition is true for no row: one of its parts is false as it is written.
fn is_never(condition: &Expr) -> bool {
    conjuncts(condition).into_iter().any(is_false)
}

fn is_false(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_false(inner),
        Expr::Value(value) => value.value == Value::Boolean(false),
        Expr::BinaryOp { left, op, right } => match (number(left), op, number(right)) {
            (Some(left), BinaryOperator::Eq, Some(right)) => left != right,
            (Some(left), BinaryOperator::NotEq, Some(right)) => left == right,
            _ => false,
        },
        _ => false,
    }
}

fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Nested(inner) => number(inner),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn is_zero(expr: &Expr) -> bool {
    number(expr) == Some(0)
}

/// The columns of a query that keeps no row, and no row.
///
/// # Errors
/// When the query would be refused for anything but that it shows single rows.
pub(crate) fn statement(
    catalog: &Catalog,
    query: &Query,
    options: &Options,
) -> Result<PublicStatement, Refusal> {
    let columns = match released(catalog, query, options) {
        Ok(plan) => match (plan.only(), plan.outer()) {
            (Some(only), _) => {
                let column = |(name, kind): (String, _)| OuterColumn { name, kind };
                only.answer.columns.iter().map(|one| column((one.name.clone(), one.kind))).collect()
            }
            (None, outer) => outer.map(|outer| outer.columns.clone()).unwrap_or_default(),
        },
        Err(refusal) => match columns(catalog, query, options) {
            Ok(columns) => columns,
            Err(_) => match listed_keys::statement(catalog, query, options) {
                Some(listed) => listed.outer().columns.clone(),
                None => return Err(refusal),
            },
        },
    };
    let types: Vec<_> = columns.iter().map(|column: &OuterColumn| column.kind).collect();
    let relation = Relation::Map {
        columns: (0..types.len()).map(Scalar::Column).collect(),
        input: Box::new(Relation::Released { part: 0, types: types.clone() }),
        filter: None,
    };
    let nothing = DeclaredRows { types, rows: Vec::new() };
    let note = "no row can be in this answer: it tells the columns".to_owned();
    PublicStatement::with_rows(Outer { relation, columns }, vec![nothing], vec![note])
        .ok_or_else(|| Refusal::not_provable("this statement has no columns", "name columns of a table"))
}

/// The columns of rows that nobody is shown.
fn columns(catalog: &Catalog, query: &Query, options: &Options) -> Result<Vec<OuterColumn>, Refusal> {
    let written = written_out(query)?;
    let query = written.as_ref().unwrap_or(query);
    let (nodes, releases) = (Nodes::new(), Releases::probing(options));
    let tables = Tables {
        catalog,
        nodes: &nodes,
        max_contributions: options.max_contributions,
        period: options.period.as_deref(),
        releases: Some(&releases),
        public: None,
    };
    let source = tables.rows(query, &Named::new(), 0)?;
    let column = |one: &names::Visible| match &one.meaning {
        Meaning::Value(typed) => Some(OuterColumn { name: one.name.clone(), kind: typed.known() }),
        // What is not declared as a column is none.
        Meaning::Owner(_) | Meaning::Link(_) => None,
    };
    Ok(source.visible.iter().filter_map(column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_probe(sql: &str) -> bool {
        crate::parsed(sql).is_ok_and(|query| has_no_rows(&query))
    }

    #[test]
    fn probes_are_told_from_questions_by_their_text() {
        for sql in [
            "SELECT TRUE AS \"_\" FROM \"public\".\"visits\" WHERE 1 <> 1 LIMIT 0",
            "SELECT * FROM visits WHERE (0 = 1)",
            "SELECT region, count(*) FROM visits GROUP BY region LIMIT 0",
            "SELECT region, count(*) FROM visits WHERE false GROUP BY region",
            "SELECT * FROM (SELECT region, count(*) FROM visits GROUP BY region) q WHERE 1=0",
            "SELECT * FROM visits WHERE region = 'a' AND false",
            "SELECT lower(region) FROM visits WHERE 1 = 0",
            "SELECT region FROM visits FETCH FIRST 0 ROWS ONLY",
        ] {
            assert!(is_probe(sql), "{sql}");
        }
        for sql in [
            "SELECT count(*) FROM visits WHERE 1 = 0",
            "SELECT 1 + count(*) FROM visits WHERE 1 = 0",
            "SELECT unheard_of(region) FROM visits WHERE 1 = 0",
            "SELECT (SELECT count(*) FROM visits) FROM visits WHERE 1 = 0",
            "SELECT 1 FROM visits WHERE 1 = 0 HAVING true",
            "SELECT region, count(*) FROM visits WHERE false GROUP BY ROLLUP (region)",
            "SELECT region, count(*) FROM visits WHERE false GROUP BY GROUPING SETS ((region), ())",
            "SELECT count(*) FROM visits WHERE 1 = 1 LIMIT 1",
            "SELECT region FROM visits WHERE 0 = 1 OR region = 'a'",
            "SELECT * FROM (SELECT * FROM visits LIMIT 0) q",
            "SELECT count(*) FROM visits WHERE n <> n",
            "SELECT region FROM visits UNION ALL SELECT region FROM visits WHERE false",
        ] {
            assert!(!is_probe(sql), "{sql}");
        }
    }
}
