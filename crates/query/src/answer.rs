//! What happens to released numbers: columns, HAVING, ORDER BY, LIMIT. All of it is post-processing and free.
//!
//! **Guarantee.** An expression of the answer uses keys and aggregates and nothing else: [`Released::of`] turns every
//! part that equals a key into that key, every aggregate into its number, and refuses what is left of a row.

use pointillist_plan::{AnswerColumn, AnswerPlan, Order, Role, Scalar, Type, visit};
use sqlparser::ast::{
    BinaryOperator, Expr, Fetch, LimitClause, Offset, OrderBy, OrderByExpr, OrderByKind, OrderByOptions,
    Query, SelectItem, Value as Literal,
};

use crate::aggregate::AGGREGATES;
use crate::coercion::Typed;
use crate::expression::Lowering;
use crate::functions::constant_count;
use crate::names;
use crate::refusal::{Refusal, shown};

/// An item of the outermost SELECT, over rows and aggregates.
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) value: Typed,
}

/// The items of the outermost SELECT.
pub(crate) fn items(projection: &[SelectItem], lowering: &Lowering<'_>) -> Result<Vec<Item>, Refusal> {
    projection
        .iter()
        .map(|item| match item {
            SelectItem::UnnamedExpr(expr) => {
                Ok(Item { name: column_name(expr), value: lowering.expression(expr)? })
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                Ok(Item { name: names::folded(alias), value: lowering.expression(expr)? })
            }
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => Err(single_rows()),
            SelectItem::ExprWithAliases { .. } => {
                Err(Refusal::not_provable("an item of SELECT has several names", "write AS and one name"))
            }
        })
        .collect()
}

/// Whether a condition says that a group has a row, as tools do where they ask for a total: `COUNT(1) > 0`.
pub(crate) fn counts_a_row(having: &Expr) -> bool {
    let is_number = |expr: &Expr, wanted: &str| match expr {
        Expr::Value(value) => matches!(&value.value, Literal::Number(digits, _) if digits == wanted),
        _ => false,
    };
    let counts = |expr: &Expr| match expr {
        Expr::Function(call) => {
            let is_count = names::parts(&call.name).is_some_and(|name| name == ["count"]);
            let text = call.to_string().to_ascii_lowercase();
            is_count
                && call.filter.is_none()
                && call.over.is_none()
                && matches!(text.as_str(), "count(1)" | "count(*)")
        }
        _ => false,
    };
    match having {
        Expr::Nested(inner) => counts_a_row(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Gt, right } => counts(left) && is_number(right, "0"),
        Expr::BinaryOp { left, op: BinaryOperator::GtEq, right } => counts(left) && is_number(right, "1"),
        _ => false,
    }
}

pub(crate) fn single_rows() -> Refusal {
    Refusal::not_private(
        "this would show single rows, which is what nobody may see",
        "use COUNT, SUM, AVG or GROUP BY",
    )
}

/// The name of a column without AS, as PostgreSQL gives it.
pub(crate) fn column_name(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(ident) => names::folded(ident),
        Expr::CompoundIdentifier(idents) => idents.last().map_or_else(String::new, names::folded),
        Expr::Function(call) => names::parts(&call.name)
            .and_then(|parts| parts.last().cloned())
            .unwrap_or_else(|| "?column?".to_owned()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => column_name(inner),
        Expr::Case { .. } => "case".to_owned(),
        Expr::Extract { .. } => "extract".to_owned(),
        Expr::Substring { .. } => "substring".to_owned(),
        Expr::Trim { .. } => "btrim".to_owned(),
        Expr::Position { .. } => "position".to_owned(),
        Expr::Ceil { .. } => "ceil".to_owned(),
        Expr::Floor { .. } => "floor".to_owned(),
        _ => "?column?".to_owned(),
    }
}

/// The keys of a question, for expressions of its answer.
pub(crate) struct Released<'a> {
    pub(crate) keys: &'a [Scalar],
    /// The names of the table's columns, for messages.
    pub(crate) columns: &'a [String],
}

impl Released<'_> {
    /// An expression over rows and aggregates as one over keys and aggregates.
    pub(crate) fn of(&self, scalar: &Scalar) -> Result<Scalar, Refusal> {
        visit::replaced(scalar, &mut |part| {
            if let Some(key) = self.keys.iter().position(|key| key == part) {
                return Some(Ok(Scalar::Column(key)));
            }
            match part {
                Scalar::Column(column) if *column >= AGGREGATES => {
                    Some(Ok(Scalar::Column(self.keys.len() + (column - AGGREGATES))))
                }
                Scalar::Column(column) => Some(Err(self.bare(*column))),
                _ => None,
            }
        })
    }

    fn bare(&self, column: usize) -> Refusal {
        let name = self.columns.get(column).map_or_else(String::new, |name| shown(name));
        Refusal::not_private(
            format!("`{name}` is neither a key nor inside an aggregate: it would show single rows"),
            format!("add {name} to GROUP BY, or use COUNT, SUM or AVG"),
        )
    }

    /// The columns, in the order of the items.
    pub(crate) fn columns(&self, items: &[Item]) -> Result<Vec<AnswerColumn>, Refusal> {
        items
            .iter()
            .map(|item| {
                let value = self.of(&item.value.scalar)?;
                let role = match &value {
                    Scalar::Column(column) if *column < self.keys.len() => Role::Key(*column),
                    Scalar::Column(column) => Role::Aggregate(column - self.keys.len()),
                    _ => Role::Derived,
                };
                Ok(AnswerColumn { name: item.name.clone(), kind: item.value.known(), value, role })
            })
            .collect()
    }
}

/// Whether an expression uses an aggregate.
pub(crate) fn aggregated(scalar: &Scalar) -> bool {
    visit::columns(scalar).any(|column| column >= AGGREGATES)
}

/// An item by its number, as in `GROUP BY 1`.
pub(crate) fn ordinal<'i>(expr: &Expr, items: &'i [Item], place: &str) -> Result<Option<&'i Item>, Refusal> {
    Ok(position(expr, items.len(), place)?.map(|position| &items[position]))
}

/// The position of one of so many columns that a number names.
pub(crate) fn position(expr: &Expr, columns: usize, place: &str) -> Result<Option<usize>, Refusal> {
    let Expr::Value(literal) = expr else { return Ok(None) };
    let Literal::Number(digits, false) = &literal.value else { return Ok(None) };
    let position = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match position.filter(|position| *position < columns) {
        Some(position) => Ok(Some(position)),
        None => Err(Refusal::parameter(
            format!("{place} {} names no column", shown(digits)),
            format!("the columns are numbered from 1 to {columns}"),
        )),
    }
}

/// What ORDER BY compares, still over rows and aggregates.
pub(crate) fn order(
    order_by: Option<&OrderBy>,
    items: &[Item],
    lowering: &Lowering<'_>,
) -> Result<Vec<(Typed, OrderByOptions)>, Refusal> {
    let Some(order_by) = order_by else { return Ok(Vec::new()) };
    let OrderBy { kind: OrderByKind::Expressions(list), interpolate: None } = order_by else {
        return Err(Refusal::not_provable("ORDER BY ALL is not answered", "name the columns"));
    };
    list.iter()
        .map(|OrderByExpr { expr, options, with_fill }| {
            if with_fill.is_some() {
                return Err(Refusal::not_provable("WITH FILL is not answered", "leave it out"));
            }
            // A name of the answer goes before a column of the table, as in PostgreSQL.
            let named = match expr {
                Expr::Identifier(ident) => items.iter().find(|item| item.name == names::folded(ident)),
                other => ordinal(other, items, "ORDER BY")?,
            };
            let value = match named {
                Some(item) => {
                    lowering.nodes.take(visit::count(&item.value.scalar))?;
                    item.value.clone()
                }
                None => lowering.expression(expr)?,
            };
            Ok((value, *options))
        })
        .collect()
}

/// One criterion, with PostgreSQL's place for NULL: last when rising, first when falling.
pub(crate) fn criterion(by: Scalar, kind: Type, options: &OrderByOptions) -> Order {
    let descending = options.asc == Some(false);
    Order { by, kind, descending, nulls_first: options.nulls_first.unwrap_or(descending) }
}

/// How many groups are left out at the beginning, and how many are shown at most.
pub(crate) fn limits(query: &Query) -> Result<(u64, Option<u64>), Refusal> {
    let (mut skip, mut fetch) = (0, None);
    match &query.limit_clause {
        None => {}
        Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
            if let Some(limit) = limit
                && !is_null(limit)
            {
                fetch = Some(constant_count(limit, "LIMIT")?);
            }
            if let Some(Offset { value, rows: _ }) = offset {
                skip = constant_count(value, "OFFSET")?;
            }
        }
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
            skip = constant_count(offset, "OFFSET")?;
            fetch = Some(constant_count(limit, "LIMIT")?);
        }
    }
    match &query.fetch {
        None => {}
        Some(Fetch { with_ties: false, percent: false, quantity }) if fetch.is_none() => {
            fetch =
                Some(quantity.as_ref().map_or(Ok(1), |quantity| constant_count(quantity, "FETCH FIRST"))?);
        }
        Some(_) => {
            return Err(Refusal::not_provable("FETCH WITH TIES or PERCENT is not answered", "use LIMIT"));
        }
    }
    Ok((skip, fetch))
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(literal) if literal.value == Literal::Null)
}

/// An empty frame, to be filled by the question.
pub(crate) fn frame(columns: Vec<AnswerColumn>, limits: (u64, Option<u64>)) -> AnswerPlan {
    AnswerPlan {
        aggregates: Vec::new(),
        having: None,
        columns,
        order: Vec::new(),
        skip: limits.0,
        fetch: limits.1,
    }
}
