//! Statements that ask for columns and no rows: `LIMIT 0`, `WHERE 1 <> 1`, `WHERE 0 = 1`.
//!
//! **Guarantee.** Whether a statement is one shows in its text: the outermost query keeps no row whatever the rows are. It is
//! answered from the catalog, free, with no row, and the curator is not asked. Columns that it may name are those that
//! everybody may see.

use pointillist_catalog::{Catalog, ColumnType};
use pointillist_curator::TableList;
use pointillist_plan::type_of_column;
use pointillist_query::parsed;
use sqlparser::ast::{
    BinaryOperator, Expr, LimitClause, ObjectNamePart, Query, Select, SelectItem, SetExpr, TableFactor, Value,
};

use super::answer_rows::{Field, pg_type};
use pointillist_pg_catalog::Base;

/// Whether a query keeps no row, whatever the rows are.
pub(crate) fn is_probe(sql: &str) -> bool {
    parsed(sql).is_ok_and(|query| has_no_rows(&query))
}

fn has_no_rows(query: &Query) -> bool {
    let limit = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit: Some(limit), .. }) => is_number(limit, 0),
        _ => false,
    };
    let never = match query.body.as_ref() {
        // An aggregate without GROUP BY has a row even where nothing is kept.
        SetExpr::Select(select) => select.selection.as_ref().is_some_and(is_false) && is_of_rows(select),
        _ => false,
    };
    limit || never
}

/// Whether its rows are rows of what stands after FROM: columns and literals alone.
fn is_of_rows(select: &Select) -> bool {
    select.projection.iter().all(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => is_plain(expr),
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => true,
        SelectItem::ExprWithAliases { .. } => false,
    })
}

fn is_plain(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_))
}

fn is_false(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_false(inner),
        Expr::Value(value) => value.value == Value::Boolean(false),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => is_false(left) || is_false(right),
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

fn is_number(expr: &Expr, wanted: u64) -> bool {
    number(expr) == Some(wanted)
}

/// The columns of a probe of single rows of one declared table, perhaps through subqueries; `None` for any other.
pub(crate) fn columns(catalog: &Catalog, sql: &str) -> Option<Vec<Field>> {
    let query: Box<Query> = parsed(sql).ok()?;
    of_query(catalog, &query)
}

fn of_query(catalog: &Catalog, query: &Query) -> Option<Vec<Field>> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let [from] = select.from.as_slice() else { return None };
    if query.with.is_some() || !from.joins.is_empty() {
        return None;
    }
    let known = match &from.relation {
        TableFactor::Table { name, args: None, .. } => of_table(catalog, &name.0)?,
        TableFactor::Derived { subquery, .. } => of_query(catalog, subquery)?,
        _ => return None,
    };
    let mut fields = Vec::new();
    for item in &select.projection {
        match item {
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                fields.extend(known.iter().cloned())
            }
            SelectItem::UnnamedExpr(expr) => fields.push(of_expression(expr, &known)?),
            SelectItem::ExprWithAlias { expr, alias } => {
                fields.push(Field { name: folded(alias), ..of_expression(expr, &known)? });
            }
            SelectItem::ExprWithAliases { .. } => return None,
        }
    }
    Some(fields)
}

fn of_table(catalog: &Catalog, name: &[ObjectNamePart]) -> Option<Vec<Field>> {
    let name = match name {
        [ObjectNamePart::Identifier(name)] => folded(name),
        [ObjectNamePart::Identifier(schema), ObjectNamePart::Identifier(name)]
            if folded(schema) == "public" =>
        {
            folded(name)
        }
        _ => return None,
    };
    let (columns, _) = TableList::columns_of(catalog, &name).ok()?;
    let declared = &catalog.table(&name)?.columns;
    let field = |name: &str| {
        let kind: &ColumnType = &declared.iter().find(|column| column.name == name)?.kind;
        Some(Field { name: name.to_owned(), kind: pg_type(type_of_column(kind)) })
    };
    columns.iter().map(|column| field(&column.name)).collect()
}

fn of_expression(expr: &Expr, known: &[Field]) -> Option<Field> {
    let name = match expr {
        Expr::Identifier(name) => folded(name),
        Expr::CompoundIdentifier(parts) => folded(parts.last()?),
        Expr::Value(value) => {
            let base = match &value.value {
                Value::Boolean(_) => Base::Bool,
                Value::Number(digits, _) if digits.parse::<i32>().is_ok() => Base::Int4,
                Value::Number(..) => Base::Numeric,
                _ => Base::Text,
            };
            return Some(Field::new("?column?", base));
        }
        _ => return None,
    };
    known.iter().find(|field| field.name == name).cloned()
}

fn folded(name: &sqlparser::ast::Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_told_from_questions_by_their_text() {
        for sql in [
            "SELECT TRUE AS \"_\" FROM \"public\".\"visits\" WHERE 1 <> 1 LIMIT 0",
            "SELECT * FROM visits WHERE (0 = 1)",
            "SELECT region, count(*) FROM visits GROUP BY region LIMIT 0",
            "SELECT * FROM (SELECT region, count(*) FROM visits GROUP BY region) q WHERE 1=0",
            "SELECT * FROM visits WHERE region = 'a' AND false",
        ] {
            assert!(is_probe(sql), "{sql}");
        }
        for sql in [
            "SELECT count(*) FROM visits WHERE 1 = 0",
            "SELECT count(*) FROM visits WHERE 1 = 1 LIMIT 1",
            "SELECT region FROM visits WHERE 0 = 1 OR region = 'a'",
            "SELECT * FROM (SELECT * FROM visits LIMIT 0) q",
            "SELECT count(*) FROM visits WHERE n <> n",
        ] {
            assert!(!is_probe(sql), "{sql}");
        }
    }
}
