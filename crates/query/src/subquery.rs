//! A subquery in FROM: rows seen through expressions.

use pointillist_plan::visit;
use sqlparser::ast::{Expr, Query, SelectItem, SelectItemQualifiedWildcardKind, WildcardAdditionalOptions};

use crate::expression::Lowering;
use crate::from::Tables;
use crate::names::{self, Meaning, Visible};
use crate::plain::{Named, clause};
use crate::refusal::{Refusal, shown};
use crate::source::Source;

impl Tables<'_, '_> {
    /// A subquery that only projects and filters.
    pub(crate) fn rows<'q>(
        &self,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<Source, Refusal> {
        let (select, named) = self.plain_query(query, named, depth)?;
        if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
            return Err(Refusal::not_provable(
                "ORDER BY, LIMIT and OFFSET below an aggregate let rows push each other out",
                "move them to the outermost SELECT, or use WHERE",
            ));
        }
        if select.distinct || !select.group_by.is_empty() || select.having.is_some() {
            return Err(Refusal::not_provable(
                "DISTINCT, GROUP BY and HAVING below the outermost SELECT are not answered",
                "use a subquery that only projects and filters, and aggregate outside",
            ));
        }
        let mut source = self.from(select.from, &named, depth)?;
        let lowering = Lowering::rows(&source.visible, self.nodes);
        let filter = select.selection.map(|condition| lowering.condition(condition, "WHERE")).transpose()?;
        let mut visible = Vec::new();
        for item in select.projection {
            self.project(item, &source, &lowering, &mut visible)?;
        }
        source.filter = visit::both(source.filter, filter);
        source.visible = visible;
        Ok(source)
    }

    fn project(
        &self,
        item: &SelectItem,
        source: &Source,
        lowering: &Lowering<'_>,
        visible: &mut Vec<Visible>,
    ) -> Result<(), Refusal> {
        let (expr, alias) = match item {
            SelectItem::Wildcard(options) => {
                plain_wildcard(options)?;
                return self.project_all(source, None, visible);
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                plain_wildcard(options)?;
                let parts = names::parts(name).unwrap_or_default();
                return self.project_all(source, parts.last().map(String::as_str), visible);
            }
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(names::folded(alias))),
            _ => {
                return Err(Refusal::not_provable(
                    "this item of a SELECT is not answered",
                    "write an expression and AS name",
                ));
            }
        };
        let name = alias.unwrap_or_else(|| crate::answer::column_name(expr));
        // The unit may be handed on, under any name; it stays what it is.
        let idents = match expr {
            Expr::Identifier(ident) => vec![names::folded(ident)],
            Expr::CompoundIdentifier(idents) => idents.iter().map(names::folded).collect(),
            _ => Vec::new(),
        };
        let owner = !idents.is_empty()
            && names::find(lowering.visible, &idents)
                .is_ok_and(|found| matches!(found.meaning, Meaning::Owner));
        let meaning = if owner { Meaning::Owner } else { Meaning::Value(lowering.expression(expr)?) };
        visible.push(Visible { qualifier: None, name, meaning });
        Ok(())
    }

    fn project_all(
        &self,
        source: &Source,
        qualifier: Option<&str>,
        visible: &mut Vec<Visible>,
    ) -> Result<(), Refusal> {
        let mut found = false;
        for column in &source.visible {
            if qualifier.is_none_or(|wanted| column.qualifier.as_deref() == Some(wanted)) {
                found = true;
                if let Meaning::Value(typed) = &column.meaning {
                    self.nodes.take(visit::count(&typed.scalar))?;
                }
                visible.push(Visible { qualifier: None, ..column.clone() });
            }
        }
        match (found, qualifier) {
            (false, Some(wanted)) => {
                Err(Refusal::table(format!("there is no table `{}` here", shown(wanted)), "write *"))
            }
            _ => Ok(()),
        }
    }
}

fn plain_wildcard(options: &WildcardAdditionalOptions) -> Result<(), Refusal> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
    } = options
    else {
        return Err(clause("* with EXCEPT, REPLACE or RENAME"));
    };
    Ok(())
}
