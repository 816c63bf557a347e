//! Expressions: names, operators, CASE, queries inside.

use sqlparser::ast;

use super::bind::{Binder, ident, no_column, not_answered};
use super::bind_select::no_table;
use super::operators::{Operator, no_operator, operator};
use super::plan::{Comparison, Expr, Kind, Pattern, Test};
use super::scope::{Scope, shown};
use super::types::{BOOL, INT4, INT8, TEXT, UNKNOWN, array_of, common, element, rank, written};
use crate::{Base, PgError, PgType, PgValue};

impl Binder<'_> {
    pub(super) fn expr(&self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        self.deeper(|| self.expr_inside(expr, scope))
    }

    fn expr_inside(&self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        use ast::Expr as E;
        match expr {
            E::Nested(inner) | E::Collate { expr: inner, .. } => self.expr(inner, scope),
            E::Value(value) => self.literal(&value.value),
            E::Identifier(name) => self.bare_name(name, scope),
            E::CompoundIdentifier(names) => self.compound(names, scope),
            E::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain, scope),
            E::BinaryOp { left, op, right } => self.binary(expr, left, op, right, scope),
            E::UnaryOp { op, expr } => self.unary(*op, expr, scope),
            E::IsNull(inner) => self.is_null(inner, scope),
            E::IsNotNull(inner) => Ok(not(self.is_null(inner, scope)?)),
            E::IsUnknown(inner) => self.is_null(inner, scope),
            E::IsNotUnknown(inner) => Ok(not(self.is_null(inner, scope)?)),
            E::IsTrue(inner) => self.is_truth(inner, true, scope),
            E::IsNotTrue(inner) => Ok(not(self.is_truth(inner, true, scope)?)),
            E::IsFalse(inner) => self.is_truth(inner, false, scope),
            E::IsNotFalse(inner) => Ok(not(self.is_truth(inner, false, scope)?)),
            E::IsDistinctFrom(left, right) => self.distinct_from(left, right, scope),
            E::IsNotDistinctFrom(left, right) => Ok(not(self.distinct_from(left, right, scope)?)),
            E::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), scope)
            }
            E::Cast { expr, data_type, format: None, .. } => {
                let inner = self.expr(expr, scope)?;
                self.written_cast(inner, data_type)
            }
            E::TypedString(typed) => {
                let to = written(&typed.data_type)?;
                let inner = self.literal(&typed.value.value)?;
                self.cast(inner, to)
            }
            E::Function(call) => self.function(call, scope),
            other => self.expr_rest(other, scope),
        }
    }

    fn expr_rest(&self, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        use ast::Expr as E;
        match expr {
            E::InList { expr, list, negated } => Ok(negated_if(*negated, self.in_list(expr, list, scope)?)),
            E::InSubquery { expr, subquery, negated } => {
                let equal = Test::Compare(Comparison::Eq);
                let found = self.of_query(equal, self.expr(expr, scope)?, subquery, false, scope)?;
                Ok(negated_if(*negated, found))
            }
            E::Between { expr, negated, low, high } => self.between(expr, low, high, *negated, scope),
            E::Like { negated, any, expr, pattern, escape_char } => {
                self.like(expr, pattern, (*negated, false, *any), escape_char.as_ref(), scope)
            }
            E::ILike { negated, any, expr, pattern, escape_char } => {
                self.like(expr, pattern, (*negated, true, *any), escape_char.as_ref(), scope)
            }
            E::AnyOp { left, compare_op, right, .. } => {
                self.quantified(left, compare_op, right, false, scope)
            }
            E::AllOp { left, compare_op, right } => self.quantified(left, compare_op, right, true, scope),
            E::Exists { subquery, negated } => {
                let exists = Expr::new(Kind::Exists(self.subquery(subquery, scope)?), BOOL);
                Ok(negated_if(*negated, exists))
            }
            E::Subquery(query) => {
                let query = self.subquery(query, scope)?;
                let ty = one_column(&query)?;
                Ok(Expr { kind: Kind::Scalar(query), ty })
            }
            E::Array(array) => self.array(&array.elem, scope),
            E::Tuple(list) => self.row(list, scope),
            E::Interval(interval) => {
                let inner = self.expr(&interval.value, scope)?;
                match (&interval.leading_field, inner.ty.pg) {
                    (None, UNKNOWN) => self.cast(inner, PgType::of(Base::Interval)),
                    _ => Err(not_answered("this INTERVAL")),
                }
            }
            other => self.spelled(other, scope),
        }
    }

    /// A cast in the text; `varchar(3)` cuts.
    fn written_cast(&self, inner: Expr, data_type: &ast::DataType) -> Result<Expr, PgError> {
        let to = written(data_type)?;
        let cast = self.cast(inner, to)?;
        let Some(length) = length(data_type) else { return Ok(cast) };
        let length = Expr::new(Kind::Constant(PgValue::Int(length)), INT4);
        let text = Expr { ty: TEXT.into(), ..cast };
        Ok(Expr { ty: to.into(), ..self.resolved("left", vec![text, length])? })
    }

    pub(super) fn literal(&self, value: &ast::Value) -> Result<Expr, PgError> {
        use ast::Value as V;
        Ok(match value {
            V::Number(text, _) => number(text)?,
            V::SingleQuotedString(text) | V::EscapedStringLiteral(text) | V::UnicodeStringLiteral(text) => {
                unknown(text)
            }
            V::DollarQuotedString(text) => unknown(&text.value),
            V::Boolean(value) => Expr::new(Kind::Constant(PgValue::Bool(*value)), BOOL),
            V::Null => Expr::new(Kind::Constant(PgValue::Null), UNKNOWN),
            V::Placeholder(text) => {
                let number = text.strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
                let number =
                    number.ok_or_else(|| PgError::new("42601", "parameters are written $1, $2, …"))?;
                let kind = self.parameter(number)?.unwrap_or(UNKNOWN);
                Expr::new(Kind::Parameter(number - 1), kind)
            }
            _ => return Err(not_answered("this kind of literal")),
        })
    }

    fn bare_name(&self, name: &ast::Ident, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let folded = ident(name);
        if let Some((expr, depth)) = scope.name(&folded)? {
            self.touch(depth);
            return Ok(expr);
        }
        // Words of SQL that are calls without brackets.
        let words = [
            "current_schema",
            "current_catalog",
            "current_user",
            "session_user",
            "user",
            "current_role",
            "current_timestamp",
            "current_date",
            "localtimestamp",
        ];
        if name.quote_style.is_none() && words.contains(&folded.as_str()) {
            return self.resolved(&folded, Vec::new());
        }
        Err(no_column(&folded))
    }

    fn compound(&self, names: &[ast::Ident], scope: &Scope<'_>) -> Result<Expr, PgError> {
        let folded: Vec<String> = names.iter().map(ident).collect();
        let (schema, table, column) = match folded.as_slice() {
            [table, column] => (None, table, column),
            [schema, table, column] | [_, schema, table, column] => (Some(schema.as_str()), table, column),
            _ => return Err(no_column(&folded.join("."))),
        };
        match scope.qualified(schema, table, column)? {
            Some((expr, depth)) => {
                self.touch(depth);
                Ok(expr)
            }
            None => Err(no_table(table)),
        }
    }

    /// `a.b[1]`, `(f(x)).n`, `(array)[i]`.
    fn access(
        &self,
        root: &ast::Expr,
        chain: &[ast::AccessExpr],
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let mut rest = chain;
        let mut expr = match root {
            ast::Expr::Identifier(first) => {
                let mut names = vec![first.clone()];
                while let [ast::AccessExpr::Dot(ast::Expr::Identifier(next)), tail @ ..] = rest {
                    names.push(next.clone());
                    rest = tail;
                }
                if names.len() == 1 { self.bare_name(first, scope)? } else { self.compound(&names, scope)? }
            }
            root => self.expr(root, scope)?,
        };
        if rest.len() > 16 {
            return Err(PgError::new("54001", "the statement is nested too deeply"));
        }
        for step in rest {
            expr = match step {
                ast::AccessExpr::Dot(ast::Expr::Identifier(name)) => field(expr, &ident(name))?,
                ast::AccessExpr::Dot(_) => return Err(not_answered("this access")),
                ast::AccessExpr::Subscript(subscript) => self.subscript(expr, subscript, scope)?,
            };
        }
        Ok(expr)
    }

    fn subscript(&self, array: Expr, subscript: &ast::Subscript, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let of = element(array.ty.pg).ok_or_else(|| {
            PgError::new("42804", format!("cannot subscript type {}", array.ty.pg.sql_name()))
        })?;
        let number = |expr: &ast::Expr| -> Result<Box<Expr>, PgError> {
            let expr = self.expr(expr, scope)?;
            Ok(self.coerced(expr, INT4)?.boxed())
        };
        match subscript {
            ast::Subscript::Index { index } => {
                Ok(Expr::new(Kind::Subscript { index: number(index)?, array: array.boxed() }, of))
            }
            ast::Subscript::Slice { lower_bound, upper_bound, stride: None } => {
                let lower = lower_bound.as_ref().map(number).transpose()?;
                let upper = upper_bound.as_ref().map(number).transpose()?;
                let ty = array_of(of);
                Ok(Expr::new(Kind::Slice { array: array.boxed(), lower, upper }, ty))
            }
            ast::Subscript::Slice { .. } => Err(not_answered("this subscript")),
        }
    }

    fn binary(
        &self,
        whole: &ast::Expr,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        if matches!(op, ast::BinaryOperator::And | ast::BinaryOperator::Or) {
            let parts = chain(whole, op).into_iter().map(|part| {
                let part = self.expr(part, scope)?;
                self.coerced(part, BOOL)
            });
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let kind = if *op == ast::BinaryOperator::And { Kind::And(parts) } else { Kind::Or(parts) };
            return Ok(Expr::new(kind, BOOL));
        }
        let left = self.expr(left, scope)?;
        let right = self.expr(right, scope)?;
        match operator(op)? {
            Operator::Test(test) => self.compared(test, left, right),
            Operator::Arithmetic(op) => self.arithmetic(op, left, right),
            Operator::Concat => self.concat(left, right),
        }
    }

    fn unary(&self, op: ast::UnaryOperator, inner: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let inner = self.expr(inner, scope)?;
        match op {
            ast::UnaryOperator::Not => Ok(not(self.coerced(inner, BOOL)?)),
            ast::UnaryOperator::Plus if rank(inner.ty.pg.base).is_some() => Ok(inner),
            ast::UnaryOperator::Minus => match inner {
                Expr { kind: Kind::Constant(PgValue::Int(value)), ty } => {
                    Ok(Expr { kind: Kind::Constant(PgValue::Int(value.wrapping_neg())), ty })
                }
                Expr { ty, .. } if rank(ty.pg.base).is_some() && !ty.pg.is_array => {
                    Ok(Expr { ty: ty.clone(), kind: Kind::Negative(Expr { ty, ..inner }.boxed()) })
                }
                other => Err(no_operator("-", None, other.ty.pg)),
            },
            _ => Err(not_answered("this operator")),
        }
    }

    fn is_null(&self, inner: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        Ok(Expr::new(Kind::IsNull(self.expr(inner, scope)?.boxed()), BOOL))
    }

    fn is_truth(&self, inner: &ast::Expr, wanted: bool, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let inner = self.expr(inner, scope)?;
        Ok(Expr::new(Kind::Is(self.coerced(inner, BOOL)?.boxed(), wanted), BOOL))
    }

    fn distinct_from(&self, left: &ast::Expr, right: &ast::Expr, scope: &Scope<'_>) -> Result<Expr, PgError> {
        let left = self.expr(left, scope)?;
        let right = self.expr(right, scope)?;
        let (left, right) = self.pair("IS DISTINCT FROM", left, right)?;
        Ok(Expr::new(Kind::DistinctFrom(left.boxed(), right.boxed()), BOOL))
    }

    fn case(
        &self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let mut operand = operand.map(|operand| self.expr(operand, scope)).transpose()?;
        let mut tests = Vec::new();
        let mut results = Vec::new();
        for when in conditions {
            let condition = self.expr(&when.condition, scope)?;
            tests.push(match operand.take() {
                None => self.coerced(condition, BOOL)?,
                Some(of) => {
                    let (of, condition) = self.pair("=", of, condition)?;
                    operand = Some(of);
                    condition
                }
            });
            results.push(self.expr(&when.result, scope)?);
        }
        if let Some(otherwise) = otherwise {
            results.push(self.expr(otherwise, scope)?);
        }
        let (mut results, ty) = self.alike(results, "CASE")?;
        let otherwise = if otherwise.is_some() { results.pop().map(Expr::boxed) } else { None };
        let branches = tests.into_iter().zip(results).collect();
        Ok(Expr::new(Kind::Case { operand: operand.map(Expr::boxed), branches, otherwise }, ty))
    }

    /// Expressions brought to the type that they have in common.
    pub(super) fn alike(&self, list: Vec<Expr>, what: &str) -> Result<(Vec<Expr>, PgType), PgError> {
        let kind = common(list.iter().map(|item| item.ty.pg), what)?;
        let list = list.into_iter().map(|item| self.coerced(item, kind)).collect::<Result<_, _>>()?;
        Ok((list, kind))
    }

    fn in_list(&self, expr: &ast::Expr, list: &[ast::Expr], scope: &Scope<'_>) -> Result<Expr, PgError> {
        let mut expr = self.expr(expr, scope)?;
        let list = list.iter().map(|item| self.expr(item, scope)).collect::<Result<Vec<_>, _>>()?;
        let mut items = Vec::with_capacity(list.len());
        for item in list {
            let (left, right) = self.pair("=", expr, item)?;
            expr = left;
            items.push(right);
        }
        Ok(Expr::new(Kind::InList { expr: expr.boxed(), list: items }, BOOL))
    }

    fn between(
        &self,
        expr: &ast::Expr,
        low: &ast::Expr,
        high: &ast::Expr,
        negated: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let side = |op, bound: &ast::Expr| {
            let bound = self.expr(bound, scope)?;
            self.compared(Test::Compare(op), self.expr(expr, scope)?, bound)
        };
        let inside = vec![side(Comparison::GtEq, low)?, side(Comparison::LtEq, high)?];
        Ok(negated_if(negated, Expr::new(Kind::And(inside), BOOL)))
    }

    fn like(
        &self,
        expr: &ast::Expr,
        pattern: &ast::Expr,
        (negated, ignore_case, any): (bool, bool, bool),
        escape: Option<&ast::ValueWithSpan>,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let escape = match escape.map(|escape| &escape.value) {
            None => Some('\\'),
            Some(ast::Value::SingleQuotedString(text)) => {
                let mut signs = text.chars();
                match (signs.next(), signs.next()) {
                    (sign, None) => sign,
                    _ => return Err(PgError::new("22019", "invalid escape string")),
                }
            }
            Some(_) => return Err(not_answered("this ESCAPE")),
        };
        let test = Test::Match(Pattern { regex: false, ignore_case, negated, escape });
        let left = self.expr(expr, scope)?;
        if any {
            return self.of_array(test, left, self.expr(pattern, scope)?, false);
        }
        let right = self.expr(pattern, scope)?;
        self.compared(test, left, right)
    }

    fn quantified(
        &self,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        all: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let Operator::Test(test) = operator(op)? else { return Err(not_answered("this operator")) };
        let left = self.expr(left, scope)?;
        if let Some(query) = query_of(right) {
            return self.of_query(test, left, query, all, scope);
        }
        let array = self.expr(right, scope)?;
        self.of_array(test, left, array, all)
    }

    fn of_array(&self, test: Test, left: Expr, array: Expr, all: bool) -> Result<Expr, PgError> {
        let array = match (array.ty.pg, test) {
            (UNKNOWN, Test::Compare(_)) => self.coerced(array, array_of(left.ty.pg))?,
            (UNKNOWN, Test::Match(_)) => self.coerced(array, PgType::array(Base::Text))?,
            _ => array,
        };
        let of = element(array.ty.pg)
            .ok_or_else(|| PgError::new("42809", "op ANY/ALL (array) requires array on right side"))?;
        let left = match test {
            Test::Compare(_) => self.pair("=", left, Expr::new(Kind::Constant(PgValue::Null), of))?.0,
            Test::Match(_) => self.text(left)?,
        };
        Ok(Expr::new(Kind::OfArray { test, left: left.boxed(), array: array.boxed(), all }, BOOL))
    }

    fn of_query(
        &self,
        test: Test,
        left: Expr,
        query: &ast::Query,
        all: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr, PgError> {
        let query = self.subquery(query, scope)?;
        let columns = &query.plan.columns;
        let left = match (&left.kind, columns.as_slice()) {
            (Kind::Row(list), columns) if list.len() == columns.len() => left,
            (_, [column]) => match test {
                Test::Compare(_) => {
                    let other = Expr { kind: Kind::Constant(PgValue::Null), ty: column.1.clone() };
                    self.pair("=", left, other)?.0
                }
                Test::Match(_) => self.text(left)?,
            },
            _ => return Err(PgError::new("42601", "subquery has too many columns")),
        };
        Ok(Expr::new(Kind::OfQuery { test, left: left.boxed(), query, all }, BOOL))
    }

    fn array(&self, list: &[ast::Expr], scope: &Scope<'_>) -> Result<Expr, PgError> {
        let list = list.iter().map(|item| self.expr(item, scope)).collect::<Result<Vec<_>, _>>()?;
        let (list, kind) = self.alike(list, "ARRAY")?;
        if element(kind).is_some() {
            return Err(not_answered("an array of arrays"));
        }
        Ok(Expr::new(Kind::Array(list), array_of(kind)))
    }

    pub(super) fn row(&self, list: &[ast::Expr], scope: &Scope<'_>) -> Result<Expr, PgError> {
        let list = list.iter().map(|item| self.expr(item, scope)).collect::<Result<Vec<_>, _>>()?;
        Ok(Expr::new(Kind::Row(list), PgType::of(Base::Record)))
    }
}

/// The parts that AND or OR puts together. A long row of them is a deep tree, which is not recursed over.
pub(super) fn chain<'e>(expr: &'e ast::Expr, with: &ast::BinaryOperator) -> Vec<&'e ast::Expr> {
    let mut parts = Vec::new();
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match expr {
            ast::Expr::BinaryOp { left, op, right } if op == with => {
                waiting.extend([right.as_ref(), left.as_ref()])
            }
            ast::Expr::Nested(inner) if matches!(inner.as_ref(), ast::Expr::BinaryOp { op, .. } if op == with) =>
            {
                waiting.push(inner);
            }
            other => parts.push(other),
        }
    }
    parts
}

/// The length that a type of texts is cut to.
fn length(data_type: &ast::DataType) -> Option<i64> {
    use ast::DataType::{Char, CharVarying, Character, CharacterVarying, Varchar};
    match data_type {
        Char(None) | Character(None) => Some(1),
        Char(Some(length))
        | Character(Some(length))
        | Varchar(Some(length))
        | CharVarying(Some(length))
        | CharacterVarying(Some(length)) => match length {
            ast::CharacterLength::IntegerLength { length, .. } => i64::try_from(*length).ok(),
            ast::CharacterLength::Max => None,
        },
        _ => None,
    }
}

fn number(text: &str) -> Result<Expr, PgError> {
    let plain = text.replace('_', "");
    if let Ok(value) = plain.parse::<i64>() {
        let kind = if i32::try_from(value).is_ok() { INT4 } else { INT8 };
        return Ok(Expr::new(Kind::Constant(PgValue::Int(value)), kind));
    }
    let value = super::decimal::written(&plain)
        .ok_or_else(|| PgError::new("22003", format!("the number {} is out of range", shown(text))))?;
    Ok(Expr::new(Kind::Constant(value), PgType::of(Base::Numeric)))
}

fn unknown(text: &str) -> Expr {
    Expr::new(Kind::Constant(PgValue::Text(text.to_owned())), UNKNOWN)
}

pub(super) fn not(expr: Expr) -> Expr {
    Expr::new(Kind::Not(expr.boxed()), BOOL)
}

fn negated_if(negated: bool, expr: Expr) -> Expr {
    if negated { not(expr) } else { expr }
}

fn field(record: Expr, name: &str) -> Result<Expr, PgError> {
    let fields = record.ty.fields.as_ref();
    let kind = fields.and_then(|fields| fields.iter().find(|field| field.0 == name)).map(|field| field.1);
    let kind = kind.ok_or_else(|| {
        PgError::new("42703", format!("could not identify column \"{}\" in record data type", shown(name)))
    })?;
    Ok(Expr::new(Kind::Field { record: record.boxed(), name: name.to_owned() }, kind))
}

fn query_of(expr: &ast::Expr) -> Option<&ast::Query> {
    match expr {
        ast::Expr::Subquery(query) => Some(query),
        ast::Expr::Nested(inner) => query_of(inner),
        _ => None,
    }
}

pub(super) fn one_column(query: &super::plan::Subquery) -> Result<super::plan::Type, PgError> {
    match query.plan.columns.as_slice() {
        [column] => Ok(column.1.clone()),
        _ => Err(PgError::new("42601", "subquery must return only one column")),
    }
}
