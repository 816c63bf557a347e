//! The name of a column that the statement does not name, as PostgreSQL chooses it.

use sqlparser::ast;

use super::bind::ident;
use super::types::written;

/// The name of a column of the list.
pub(super) fn column_name(expr: &ast::Expr) -> String {
    figured(expr).map_or_else(|| "?column?".to_owned(), |(name, _)| name)
}

/// A name, and whether it is a good one: casts and CASE take a good one of what is inside.
fn figured(expr: &ast::Expr) -> Option<(String, bool)> {
    use ast::Expr as E;
    let good = |name: &str| Some((name.to_owned(), true));
    match expr {
        E::Nested(inner) | E::Collate { expr: inner, .. } => figured(inner),
        E::Identifier(name) => Some((ident(name), true)),
        E::CompoundIdentifier(names) => names.last().map(|name| (ident(name), true)),
        E::CompoundFieldAccess { root, access_chain } => {
            let name = access_chain.iter().rev().find_map(|step| match step {
                ast::AccessExpr::Dot(E::Identifier(name)) => Some((ident(name), true)),
                _ => None,
            });
            name.or_else(|| figured(root))
        }
        E::Function(call) => {
            let name = call.name.0.last().and_then(|part| part.as_ident())?;
            Some((ident(name), true))
        }
        E::Cast { expr, data_type, .. } => {
            figured(expr).filter(|(_, good)| *good).or_else(|| type_name(data_type))
        }
        E::TypedString(typed) => type_name(&typed.data_type),
        E::Interval(_) => Some(("interval".to_owned(), false)),
        E::Value(ast::ValueWithSpan { value: ast::Value::Boolean(_), .. }) => {
            Some(("bool".to_owned(), false))
        }
        E::Case { else_result, .. } => {
            let inside = else_result.as_ref().and_then(|inner| figured(inner)).filter(|(_, good)| *good);
            inside.or_else(|| Some(("case".to_owned(), false)))
        }
        E::Exists { .. } => good("exists"),
        E::Array(_) => good("array"),
        E::Tuple(_) => good("row"),
        E::Trim { trim_where, .. } => good(match trim_where {
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        E::Substring { .. } => good("substring"),
        E::Position { .. } => good("position"),
        E::Extract { .. } => good("extract"),
        E::Ceil { .. } => good("ceil"),
        E::Floor { .. } => good("floor"),
        E::Subquery(query) => figured_of_query(query),
        _ => None,
    }
}

fn figured_of_query(query: &ast::Query) -> Option<(String, bool)> {
    let mut body = query.body.as_ref();
    while let ast::SetExpr::SetOperation { left, .. } = body {
        body = left;
    }
    match body {
        ast::SetExpr::Select(select) => match select.projection.first()? {
            ast::SelectItem::ExprWithAlias { alias, .. } => Some((ident(alias), true)),
            ast::SelectItem::UnnamedExpr(expr) => figured(expr),
            _ => None,
        },
        ast::SetExpr::Values(_) => Some(("column1".to_owned(), true)),
        _ => None,
    }
}

fn type_name(kind: &ast::DataType) -> Option<(String, bool)> {
    let kind = written(kind).ok()?;
    Some((crate::PgType::of(kind.base).name(), false))
}
