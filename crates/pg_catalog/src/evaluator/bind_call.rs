//! Calls: functions, aggregates, windows, and what SQL spells with words of its own.

use sqlparser::ast;

use super::bind::{Binder, not_answered, parts, way};
use super::bind_expr::one_column;
use super::plan::{Aggregate, AggregateKind, Expr, Kind, Type, Way, Window, WindowKind};
use super::scope::{Clause, Scope, shown};
use super::types::{BOOL, Category, INT8, TEXT, UNKNOWN, array_of, category, element, goes_into};
use crate::functions::{self, Function, Returns, Takes};
use crate::{Base, PgError, PgType, PgValue};

impl Binder<'_> {
    pub(super) fn function(&self, call: &ast::Function, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let name = function_name(&call.name)?;
        if let ast::FunctionArguments::Subquery(query) = &call.args {
            if name != "array" {
                return Err(not_answered("a query as the only argument"));
            }
            let query = self.subquery(query, scope)?;
            let kind = array_of(one_column(&query)?.pg);
            return Ok(Expr::new(Kind::ArrayOf(query), kind));
        }
        if !matches!(call.parameters, ast::FunctionArguments::None) || call.null_treatment.is_some() {
            return Err(not_answered("this call"));
        }
        let empty =
            ast::FunctionArgumentList { duplicate_treatment: None, args: Vec::new(), clauses: Vec::new() };
        let list = match &call.args {
            ast::FunctionArguments::List(list) => list,
            _ => &empty,
        };
        if let Some(over) = &call.over {
            return self.window(&name, list, over, scope);
        }
        if let Some(kind) = aggregate_kind(&name) {
            return self.aggregate(kind, &name, call, list, scope);
        }
        let plain = list.duplicate_treatment.is_none() && list.clauses.is_empty();
        if !plain || call.filter.is_some() || !call.within_group.is_empty() {
            let message = format!("{} is not an aggregate function", shown(&name));
            return Err(PgError::new("42809", message));
        }
        let written = plain_arguments(&list.args)?;
        if name == "row" {
            let owned: Vec<ast::Expr> = written.into_iter().cloned().collect();
            return self.row(&owned, scope);
        }
        let arguments = written.into_iter().map(|argument| self.expr(argument, scope));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        self.call(&name, arguments, scope)
    }

    /// A call whose arguments are bound.
    pub(super) fn call(&self, name: &str, arguments: Vec<Expr>, scope: &Scope<'_>) -> Result<Expr, PgError> {
        match name {
            "coalesce" if !arguments.is_empty() => {
                let (list, kind) = self.alike(arguments, "COALESCE")?;
                return Ok(Expr::new(Kind::Coalesce(list), kind));
            }
            "greatest" | "least" if !arguments.is_empty() => {
                let (list, kind) = self.alike(arguments, "GREATEST")?;
                return Ok(Expr::new(Kind::Extreme { greatest: name == "greatest", list }, kind));
            }
            "nullif" if arguments.len() == 2 => {
                let mut arguments = arguments.into_iter();
                if let (Some(left), Some(right)) = (arguments.next(), arguments.next()) {
                    let (left, right) = self.pair("=", left, right)?;
                    let kind = left.ty.clone();
                    return Ok(Expr { kind: Kind::NullIf(left.boxed(), right.boxed()), ty: kind });
                }
                return Err(no_function(name, &[]));
            }
            "pg_typeof" if arguments.len() == 1 => {
                let kind = arguments.first().map_or(UNKNOWN, |argument| argument.ty.pg);
                let oid = Kind::Constant(PgValue::Int(i64::from(kind.oid())));
                return self.cast(Expr::new(oid, PgType::of(Base::Oid)), PgType::of(Base::Regtype));
            }
            _ => {}
        }
        let call = self.resolved(name, arguments)?;
        let Kind::Call { function, .. } = &call.kind else { return Ok(call) };
        if matches!(function.returns, Returns::Is(_) | Returns::Same) {
            return Ok(call);
        }
        if scope.clause.get() != Clause::List {
            return Err(PgError::new("0A000", "set-returning functions are not allowed here"));
        }
        let ty = call.ty.clone();
        let mut sets = scope.sets.borrow_mut();
        sets.push(call);
        Ok(Expr { kind: Kind::Set(sets.len() - 1), ty })
    }

    /// The function that a name and these arguments mean.
    pub(super) fn resolved(&self, name: &str, arguments: Vec<Expr>) -> Result<Expr, PgError> {
        let types: Vec<PgType> = arguments.iter().map(|argument| argument.ty.pg).collect();
        let fitting = functions::named(name).filter_map(|function| Some((fit(function, &types)?, function)));
        // The first of those that fit best, as their table lists them.
        let best = fitting.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let Some((_, function)) = best else { return Err(no_function(name, &types)) };
        let of = types.iter().find_map(|kind| element(*kind));
        let mut bound = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.into_iter().enumerate() {
            bound.push(match wanted(function, at) {
                Some(Takes::Is(kind)) => self.coerced(argument, kind)?,
                Some(Takes::Element) => self.coerced(argument, of.unwrap_or(TEXT))?,
                Some(Takes::AnyArray) if argument.ty.pg == UNKNOWN => {
                    self.coerced(argument, PgType::array(Base::Text))?
                }
                _ if argument.ty.pg == UNKNOWN => self.coerced(argument, TEXT)?,
                _ => argument,
            });
        }
        let first = bound.first().map_or(TEXT, |argument| argument.ty.pg);
        let ty = returned(function, first);
        Ok(Expr { kind: Kind::Call { function, arguments: bound }, ty })
    }

    fn aggregate(
        &self,
        kind: AggregateKind,
        name: &str,
        call: &ast::Function,
        list: &ast::FunctionArgumentList,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        if !matches!(scope.clause.get(), Clause::List | Clause::Having) || !call.within_group.is_empty() {
            return Err(PgError::new("42803", "aggregate functions are not allowed here"));
        }
        let star =
            matches!(list.args.as_slice(), [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)]);
        let bind = || {
            let written = if star { Vec::new() } else { plain_arguments(&list.args)? };
            let arguments = written.into_iter().map(|argument| self.expr(argument, scope));
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            let filter = call.filter.as_ref().map(|filter| {
                let filter = self.expr(filter, scope)?;
                self.coerced(filter, BOOL)
            });
            let mut order = Vec::new();
            for clause in &list.clauses {
                let ast::FunctionArgumentClause::OrderBy(items) = clause else {
                    return Err(not_answered("this clause of an aggregate"));
                };
                order.extend(self.ways(items, scope)?);
            }
            Ok((arguments, filter.transpose()?, order))
        };
        let (arguments, filter, order) = scope.within(Clause::Aggregate, bind)?;
        let (arguments, returns) = self.aggregated(kind, name, arguments, star)?;
        let distinct = list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
        let mut aggregates = scope.aggregates.borrow_mut();
        aggregates.push(Aggregate { kind, arguments, distinct, order, filter, returns });
        Ok(Expr::new(Kind::Aggregate(aggregates.len() - 1), returns))
    }

    /// The arguments of an aggregate in the types that it takes, and the type that it gives.
    fn aggregated(
        &self,
        kind: AggregateKind,
        name: &str,
        arguments: Vec<Expr>,
        star: bool,
    ) -> Result<(Vec<Expr>, PgType), PgError> {
        use AggregateKind as A;
        let types: Vec<PgType> = arguments.iter().map(|argument| argument.ty.pg).collect();
        let wrong = || no_function(name, &types);
        let count = if kind == A::StringAgg { 2 } else { usize::from(!star) };
        if arguments.len() != count || star && kind != A::Count {
            return Err(wrong());
        }
        let arguments = arguments.into_iter().map(|argument| match argument.ty.pg {
            UNKNOWN => self.coerced(argument, TEXT),
            _ => Ok(argument),
        });
        let mut arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let first = arguments.first().map_or(TEXT, |argument| argument.ty.pg);
        let returns = match kind {
            A::Count => INT8,
            A::Min | A::Max => match first.base {
                Base::Char | Base::Name | Base::Varchar if !first.is_array => TEXT,
                _ => first,
            },
            A::Sum | A::Avg if first.is_array => return Err(wrong()),
            A::Sum => match first.base {
                Base::Int2 | Base::Int4 => INT8,
                Base::Int8 | Base::Numeric => PgType::of(Base::Numeric),
                Base::Float4 | Base::Float8 => first,
                _ => return Err(wrong()),
            },
            A::Avg => match first.base {
                Base::Int2 | Base::Int4 | Base::Int8 | Base::Numeric => PgType::of(Base::Numeric),
                Base::Float4 | Base::Float8 => PgType::of(Base::Float8),
                _ => return Err(wrong()),
            },
            A::BoolAnd | A::BoolOr if first == BOOL => BOOL,
            A::BoolAnd | A::BoolOr => return Err(wrong()),
            A::ArrayAgg => array_of(first),
            A::StringAgg => {
                if arguments.iter().any(|argument| category(argument.ty.pg) != Category::String) {
                    return Err(wrong());
                }
                TEXT
            }
            A::JsonAgg => {
                let value = arguments.pop().ok_or_else(wrong)?;
                arguments.push(self.resolved("to_json", vec![value])?);
                PgType::of(Base::Json)
            }
        };
        Ok((arguments, returns))
    }

    fn window(
        &self,
        name: &str,
        list: &ast::FunctionArgumentList,
        over: &ast::WindowType,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        if scope.clause.get() != Clause::List {
            return Err(PgError::new("42P20", "window functions are not allowed here"));
        }
        let star =
            matches!(list.args.as_slice(), [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)]);
        let kind = match name {
            "row_number" if list.args.is_empty() => WindowKind::RowNumber,
            "rank" if list.args.is_empty() => WindowKind::Rank,
            "dense_rank" if list.args.is_empty() => WindowKind::DenseRank,
            "count" if star => WindowKind::Count,
            _ => return Err(not_answered("this window function")),
        };
        let ast::WindowType::WindowSpec(spec) = over else { return Err(not_answered("a named window")) };
        if spec.window_name.is_some() || spec.window_frame.is_some() {
            return Err(not_answered("this window"));
        }
        if kind == WindowKind::Count && !spec.order_by.is_empty() {
            return Err(not_answered("a running count"));
        }
        let bind = || {
            let partition = spec.partition_by.iter().map(|expr| self.expr(expr, scope));
            Ok((partition.collect::<Result<Vec<_>, _>>()?, self.ways(&spec.order_by, scope)?))
        };
        let (partition, order) = scope.within(Clause::Having, bind)?;
        let mut windows = scope.windows.borrow_mut();
        windows.push(Window { kind, partition, order });
        Ok(Expr::new(Kind::Window(windows.len() - 1), INT8))
    }

    fn ways(&self, items: &[ast::OrderByExpr], scope: &Scope<'_>) -> Result<Vec<(Expr, Way)>, PgError> {
        items.iter().map(|item| Ok((self.expr(&item.expr, scope)?, way(item)))).collect()
    }

    /// Calls that SQL writes with words between the arguments: TRIM, SUBSTRING, POSITION, EXTRACT, CEIL, FLOOR.
    pub(super) fn spelled(&self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        use ast::Expr as E;
        let bind = |list: &[&ast::Expr]| {
            list.iter().map(|item| self.expr(item, scope)).collect::<Result<Vec<_>, _>>()
        };
        match expr {
            E::Trim { expr, trim_where, trim_what, trim_characters } => {
                use ast::TrimWhereField::{Both, Leading, Trailing};
                let name = match trim_where {
                    Some(Leading) => "ltrim",
                    Some(Trailing) => "rtrim",
                    None | Some(Both) => "btrim",
                };
                let what = trim_what.as_deref().or(trim_characters.as_ref().and_then(|list| list.first()));
                let list: Vec<_> = [Some(expr.as_ref()), what].into_iter().flatten().collect();
                self.call(name, bind(&list)?, scope)
            }
            E::Substring { expr, substring_from, substring_for, .. } => {
                let one = ast::Expr::value(ast::Value::Number("1".to_owned(), false));
                let from = substring_from.as_deref().unwrap_or(&one);
                let list: Vec<_> = [Some(expr.as_ref()), Some(from), substring_for.as_deref()]
                    .into_iter()
                    .flatten()
                    .collect();
                self.call("substring", bind(&list)?, scope)
            }
            E::Position { expr, r#in } => self.call("strpos", bind(&[r#in, expr])?, scope),
            E::Extract { field, expr, .. } => {
                let field =
                    self.literal(&ast::Value::SingleQuotedString(field.to_string().to_lowercase()))?;
                let mut arguments = vec![field];
                arguments.extend(bind(&[expr])?);
                self.call("extract", arguments, scope)
            }
            E::Ceil { expr, field: ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime) } => {
                self.call("ceil", bind(&[expr])?, scope)
            }
            E::Floor { expr, field: ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime) } => {
                self.call("floor", bind(&[expr])?, scope)
            }
            _ => Err(not_answered("this expression")),
        }
    }
}

/// The name of a function without the schemas in which functions are.
pub(super) fn function_name(name: &ast::ObjectName) -> Result<String, PgError> {
    let parts = parts(name)?;
    match parts.as_slice() {
        [name] => Ok(name.clone()),
        [schema, name] if schema == "pg_catalog" || schema == "information_schema" => Ok(name.clone()),
        _ => Err(no_function(&parts.join("."), &[])),
    }
}

pub(super) fn plain_arguments(arguments: &[ast::FunctionArg]) -> Result<Vec<&ast::Expr>, PgError> {
    let plain = arguments.iter().map(|argument| match argument {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Ok(expr),
        _ => Err(not_answered("this kind of argument")),
    });
    plain.collect()
}

fn wanted(function: &Function, at: usize) -> Option<Takes> {
    let takes = function.takes;
    takes.get(at).copied().or_else(|| takes.last().copied().filter(|last| matches!(last, Takes::RestAny)))
}

/// How well a function fits these arguments; `None` where it does not. Exact types count most, then text for what has no type.
fn fit(function: &Function, types: &[PgType]) -> Option<usize> {
    let fixed = function.takes.iter().filter(|takes| !matches!(takes, Takes::RestAny)).count();
    let open = fixed < function.takes.len();
    if types.len() < fixed || !open && types.len() > fixed {
        return None;
    }
    let mut score = 0;
    for (at, kind) in types.iter().enumerate() {
        score += match wanted(function, at)? {
            Takes::Is(to) if *kind == to => 4,
            Takes::Is(to) if *kind == UNKNOWN => 1 + usize::from(to == TEXT),
            Takes::Is(to) if goes_into(*kind, to) => 1 + usize::from(category(*kind) == category(to)),
            Takes::Is(_) => return None,
            Takes::AnyArray if *kind == UNKNOWN => 0,
            Takes::AnyArray => element(*kind).map(|_| 3)?,
            Takes::Element => {
                let of = types.iter().find_map(|kind| element(*kind));
                usize::from(of.is_none_or(|of| goes_into(*kind, of))).checked_sub(1)?
            }
            Takes::Any | Takes::RestAny => 0,
        };
    }
    Some(score)
}

fn returned(function: &Function, first: PgType) -> Type {
    let record =
        |fields: Vec<(String, PgType)>| Type { pg: PgType::of(Base::Record), fields: Some(fields.into()) };
    match function.returns {
        Returns::Is(kind) | Returns::SetOf(kind) => kind.into(),
        Returns::Same | Returns::SetOfSame => first.into(),
        Returns::SetOfElement => element(first).unwrap_or(TEXT).into(),
        Returns::SetOfNumbered => {
            let of = element(first).unwrap_or(TEXT);
            record(vec![("x".to_owned(), of), ("n".to_owned(), super::types::INT4)])
        }
        Returns::Table(columns) => {
            record(columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect())
        }
    }
}

fn aggregate_kind(name: &str) -> Option<AggregateKind> {
    Some(match name {
        "count" => AggregateKind::Count,
        "min" => AggregateKind::Min,
        "max" => AggregateKind::Max,
        "sum" => AggregateKind::Sum,
        "avg" => AggregateKind::Avg,
        "bool_and" | "every" => AggregateKind::BoolAnd,
        "bool_or" => AggregateKind::BoolOr,
        "array_agg" => AggregateKind::ArrayAgg,
        "string_agg" => AggregateKind::StringAgg,
        "json_agg" => AggregateKind::JsonAgg,
        _ => return None,
    })
}

fn no_function(name: &str, types: &[PgType]) -> PgError {
    let types: Vec<String> = types.iter().map(|kind| kind.sql_name()).collect();
    let message = format!("function {}({}) does not exist", shown(name), types.join(", "));
    PgError::new("42883", message).with_hint(
        "No function matches the given name and argument types. You might need to add explicit type casts.",
    )
}
