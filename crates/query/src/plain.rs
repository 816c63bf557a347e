//! The shape of a query: its one SELECT, and everything else of it refused by name.

use std::collections::BTreeMap;

use sqlparser::ast::{
    Cte, Distinct, Expr, GroupByExpr, LimitClause, NamedWindowDefinition, Query, Select, SelectFlavor,
    SelectItem, SetExpr, TableWithJoins,
};

use crate::from::{DEPTH_MAX, Tables};
use crate::names;
use crate::refusal::{Refusal, shown};

/// Named subqueries in sight.
pub(crate) type Named<'q> = BTreeMap<String, &'q Cte>;

/// The parts of a SELECT that are answered; all others have been checked to be absent.
pub(crate) struct Plain<'q> {
    pub(crate) distinct: bool,
    pub(crate) projection: &'q [SelectItem],
    pub(crate) from: &'q [TableWithJoins],
    pub(crate) selection: Option<&'q Expr>,
    pub(crate) group_by: &'q [Expr],
    pub(crate) having: Option<&'q Expr>,
    pub(crate) windows: &'q [NamedWindowDefinition],
    pub(crate) qualify: Option<&'q Expr>,
}

impl Plain<'_> {
    /// Refuses what only a SELECT below the outermost may have.
    pub(crate) fn without_windows(&self) -> Result<(), Refusal> {
        match (self.windows, self.qualify) {
            ([], None) => Ok(()),
            ([_, ..], _) => Err(clause("WINDOW")),
            (_, Some(_)) => Err(clause("QUALIFY")),
        }
    }
}

impl Tables<'_, '_> {
    /// The WITH names that a query sees; what is not answered around its body is refused.
    pub(crate) fn names_of<'q>(&self, query: &'q Query, named: &Named<'q>) -> Result<Named<'q>, Refusal> {
        let Query {
            with,
            body: _,
            order_by: _,
            limit_clause,
            fetch: _,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() || for_clause.is_some() {
            return Err(clause("FOR"));
        }
        if settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
            return Err(clause("SETTINGS, FORMAT or a pipe"));
        }
        if let Some(LimitClause::LimitOffset { limit_by, .. }) = limit_clause
            && !limit_by.is_empty()
        {
            return Err(clause("LIMIT BY"));
        }
        let mut named = named.clone();
        if let Some(with) = with {
            if with.recursive {
                return Err(Refusal::not_provable("WITH RECURSIVE is not answered", "use a plain WITH"));
            }
            for cte in &with.cte_tables {
                if cte.from.is_some() {
                    return Err(clause("FROM behind WITH"));
                }
                if !matches!(
                    cte.query.body.as_ref(),
                    SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::SetOperation { .. }
                ) {
                    return Err(clause("WITH of anything but a SELECT"));
                }
                let name = names::folded(&cte.alias.name);
                if named.insert(name.clone(), cte).is_some() {
                    return Err(Refusal::syntax(
                        format!("WITH names `{}` twice, or hides another one of that name", shown(&name)),
                        "choose different names",
                    ));
                }
            }
        }
        Ok(named)
    }

    /// The one SELECT of a query and the WITH names it sees; everything else of a query is refused.
    pub(crate) fn plain_query<'q>(
        &self,
        query: &'q Query,
        named: &Named<'q>,
        depth: usize,
    ) -> Result<(Plain<'q>, Named<'q>), Refusal> {
        let named = self.names_of(query, named)?;
        match query.body.as_ref() {
            SetExpr::Select(select) => Ok((plain_select(select)?, named)),
            SetExpr::Query(inner) if depth < DEPTH_MAX => {
                if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
                    return Err(clause("ORDER BY or LIMIT behind brackets"));
                }
                if inner.order_by.is_some() || inner.limit_clause.is_some() || inner.fetch.is_some() {
                    return Err(clause("ORDER BY or LIMIT inside brackets"));
                }
                self.plain_query(inner, &named, depth + 1)
            }
            SetExpr::SetOperation { op, .. } => Err(Refusal::not_provable(
                format!("{op} is not answered"),
                "ask one statement for each part and combine the released answers",
            )),
            other => Err(not_select(other)),
        }
    }
}

/// The answered parts of a SELECT. Every other field is named, so that a new one cannot slip through.
pub(crate) fn plain_select(select: &Select) -> Result<Plain<'_>, Refusal> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into,
        from,
        lateral_views,
        prewhere,
        selection,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor,
    } = select;
    let absent = [
        ("optimizer hints", optimizer_hints.is_empty()),
        ("a modifier of SELECT", select_modifiers.is_none()),
        ("TOP", top.is_none()),
        ("EXCLUDE", exclude.is_none()),
        ("SELECT INTO", into.is_none()),
        ("LATERAL VIEW", lateral_views.is_empty()),
        ("PREWHERE", prewhere.is_none()),
        ("CONNECT BY", connect_by.is_empty()),
        ("CLUSTER BY", cluster_by.is_empty()),
        ("DISTRIBUTE BY", distribute_by.is_empty()),
        ("SORT BY", sort_by.is_empty()),
        ("SELECT AS", value_table_mode.is_none()),
        ("FROM before SELECT", *flavor == SelectFlavor::Standard),
    ];
    if let Some((what, _)) = absent.iter().find(|(_, absent)| !absent) {
        return Err(clause(what));
    }
    let distinct = match distinct {
        None | Some(Distinct::All) => false,
        Some(Distinct::Distinct) => true,
        Some(Distinct::On(_)) => {
            return Err(Refusal::not_private(
                "DISTINCT ON picks single rows",
                "use GROUP BY and an aggregate",
            ));
        }
    };
    let group_by = match group_by {
        GroupByExpr::Expressions(keys, modifiers) if modifiers.is_empty() => keys.as_slice(),
        GroupByExpr::Expressions(..) => {
            return Err(Refusal::not_provable(
                "GROUPING SETS, CUBE and ROLLUP are not answered",
                "ask one statement for each set of keys",
            ));
        }
        GroupByExpr::All(_) => {
            return Err(Refusal::not_provable("GROUP BY ALL is not answered", "name the keys"));
        }
    };
    Ok(Plain {
        distinct,
        projection,
        from,
        selection: selection.as_ref(),
        group_by,
        having: having.as_ref(),
        windows: named_window,
        qualify: qualify.as_ref(),
    })
}

/// Why a body of a query that is no SELECT is not answered.
pub(crate) fn not_select(body: &SetExpr) -> Refusal {
    match body {
        SetExpr::Values(_) => Refusal::not_provable("VALUES is not answered", "name a table with FROM"),
        SetExpr::Table(_) => {
            Refusal::not_private("TABLE shows single rows", "use SELECT with COUNT, SUM or AVG")
        }
        _ => Refusal::not_provable("only SELECT is answered", "ask with SELECT …"),
    }
}

pub(crate) fn clause(what: &str) -> Refusal {
    Refusal::not_provable(
        format!("{what} is not answered"),
        "use SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT",
    )
}
