//! Expressions: names, operators, CASE, queries inside.

use sqlparser::ast;

use super::bind::{Binder, ident, no_column, not_answered};
use super::bind_select::no_table;
use super::plan::{Arithmetic, Comparison, Expr, Kind, Pattern, Test};
use super::scope::{Scope, shown};
use super::types::{
    BOOL, Category, INT4, INT8, TEXT, UNKNOWN, array_of, category, common, element, is_integer, rank, written,
};
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
                let to = written(data_type)?;
                let inner = self.expr(expr, scope)?;
                self.cast(inner, to)
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
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(expr, pattern, (*negated, false), escape_char.as_ref(), scope)
            }
            E::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(expr, pattern, (*negated, true), escape_char.as_ref(), scope)
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
        let words =
            ["current_schema", "current_catalog", "current_user", "session_user", "user", "current_role"];
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
        (negated, ignore_case): (bool, bool),
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
        let left = self.expr(expr, scope)?;
        let right = self.expr(pattern, scope)?;
        self.compared(Test::Match(Pattern { regex: false, ignore_case, negated, escape }), left, right)
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
        Ok(Expr::new(Kind::Array(list), array_of(kind)))
    }

    pub(super) fn row(&self, list: &[ast::Expr], scope: &Scope<'_>) -> Result<Expr, PgError> {
        let list = list.iter().map(|item| self.expr(item, scope)).collect::<Result<Vec<_>, _>>()?;
        Ok(Expr::new(Kind::Row(list), PgType::of(Base::Record)))
    }

    /// Two sides of a test, brought to types that are put beside each other.
    pub(super) fn compared(&self, test: Test, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (left, right) = match test {
            Test::Match(_) => (self.text(left)?, self.text(right)?),
            Test::Compare(op) => match (left, right) {
                (Expr { kind: Kind::Row(left), ty }, Expr { kind: Kind::Row(right), .. })
                    if left.len() == right.len() =>
                {
                    let pairs =
                        left.into_iter().zip(right).map(|(left, right)| self.pair(sign(op), left, right));
                    let (left, right) = pairs.collect::<Result<(Vec<_>, Vec<_>), _>>()?;
                    (Expr { kind: Kind::Row(left), ty: ty.clone() }, Expr { kind: Kind::Row(right), ty })
                }
                (left, right) => self.pair(sign(op), left, right)?,
            },
        };
        Ok(Expr::new(Kind::Test { test, left: left.boxed(), right: right.boxed() }, BOOL))
    }

    /// Two values that can be compared.
    pub(super) fn pair(&self, sign: &str, left: Expr, right: Expr) -> Result<(Expr, Expr), PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        match (one == UNKNOWN, other == UNKNOWN) {
            (true, true) => return Ok((self.coerced(left, TEXT)?, self.coerced(right, TEXT)?)),
            (true, false) => return Ok((self.coerced(left, other)?, right)),
            (false, true) => {
                let right = self.coerced(right, one)?;
                return Ok((left, right));
            }
            (false, false) => {}
        }
        let (kind, with) = (category(one), category(other));
        match (kind, with) {
            (Category::String, Category::Number) if super::types::is_reg(other.base) => {
                Ok((self.coerced(left, other)?, right))
            }
            (Category::Number, Category::String) if super::types::is_reg(one.base) => {
                let right = self.coerced(right, one)?;
                Ok((left, right))
            }
            _ if kind == with => Ok((left, right)),
            _ => Err(no_operator(sign, Some(one), other)),
        }
    }

    fn text(&self, expr: Expr) -> Result<Expr, PgError> {
        match category(expr.ty.pg) {
            Category::String => self.coerced(expr, TEXT),
            _ => Err(no_operator("~~", Some(expr.ty.pg), UNKNOWN)),
        }
    }

    fn arithmetic(&self, op: Arithmetic, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        let (left, right) = match (one == UNKNOWN, other == UNKNOWN) {
            (true, false) => (self.coerced(left, other)?, right),
            (false, true) => (self.coerced(left.clone(), one)?, self.coerced(right, one)?),
            _ => (left, right),
        };
        let (one, other) = (left.ty.pg, right.ty.pg);
        let wrong = || no_operator(arithmetic_sign(op), Some(one), other);
        if one.is_array || other.is_array {
            return Err(wrong());
        }
        let kind = match (one.base, other.base) {
            (Base::Date, days) if is_integer(days) && matches!(op, Arithmetic::Plus | Arithmetic::Minus) => {
                one
            }
            (Base::Date, Base::Date) if op == Arithmetic::Minus => INT4,
            (Base::Oid, with) | (with, Base::Oid) if is_integer(with) || with == Base::Oid => INT8,
            (one_base, other_base) => {
                let (Some(small), Some(large)) = (rank(one_base), rank(other_base)) else {
                    return Err(wrong());
                };
                let bits = !matches!(
                    op,
                    Arithmetic::Plus
                        | Arithmetic::Minus
                        | Arithmetic::Multiply
                        | Arithmetic::Divide
                        | Arithmetic::Modulo
                        | Arithmetic::Power
                );
                match op {
                    _ if bits && small.max(large) > 2 => return Err(wrong()),
                    Arithmetic::Power => PgType::of(Base::Float8),
                    _ if small >= large => one,
                    _ => other,
                }
            }
        };
        Ok(Expr::new(Kind::Arithmetic { op, left: left.boxed(), right: right.boxed() }, kind))
    }

    /// `||`, of texts and of arrays.
    fn concat(&self, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        let (kind, left, right) = match (element(one), element(other)) {
            (Some(_), Some(_)) => {
                let kind = common([one, other], "ARRAY")?;
                (kind, self.coerced(left, kind)?, self.coerced(right, kind)?)
            }
            (Some(_), None) if other == UNKNOWN => (one, left, self.coerced(right, one)?),
            (None, Some(_)) if one == UNKNOWN => (other, self.coerced(left, other)?, right),
            (Some(of), None) => (one, left, self.coerced(right, of)?),
            (None, Some(of)) => (other, self.coerced(left, of)?, right),
            (None, None) => {
                if category(one) != Category::String && category(other) != Category::String {
                    return Err(no_operator("||", Some(one), other));
                }
                (TEXT, self.coerced(left, TEXT)?, self.coerced(right, TEXT)?)
            }
        };
        Ok(Expr::new(Kind::Concat(left.boxed(), right.boxed()), kind))
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

enum Operator {
    Test(Test),
    Arithmetic(Arithmetic),
    Concat,
}

fn operator(op: &ast::BinaryOperator) -> Result<Operator, PgError> {
    use ast::BinaryOperator as B;
    let compare = |op| Operator::Test(Test::Compare(op));
    let matches = |regex, ignore_case, negated| {
        Operator::Test(Test::Match(Pattern { regex, ignore_case, negated, escape: Some('\\') }))
    };
    Ok(match op {
        B::Eq => compare(Comparison::Eq),
        B::NotEq => compare(Comparison::NotEq),
        B::Lt => compare(Comparison::Lt),
        B::LtEq => compare(Comparison::LtEq),
        B::Gt => compare(Comparison::Gt),
        B::GtEq => compare(Comparison::GtEq),
        B::PGRegexMatch => matches(true, false, false),
        B::PGRegexIMatch => matches(true, true, false),
        B::PGRegexNotMatch => matches(true, false, true),
        B::PGRegexNotIMatch => matches(true, true, true),
        B::PGLikeMatch => matches(false, false, false),
        B::PGILikeMatch => matches(false, true, false),
        B::PGNotLikeMatch => matches(false, false, true),
        B::PGNotILikeMatch => matches(false, true, true),
        B::StringConcat => Operator::Concat,
        B::Plus => Operator::Arithmetic(Arithmetic::Plus),
        B::Minus => Operator::Arithmetic(Arithmetic::Minus),
        B::Multiply => Operator::Arithmetic(Arithmetic::Multiply),
        B::Divide => Operator::Arithmetic(Arithmetic::Divide),
        B::Modulo => Operator::Arithmetic(Arithmetic::Modulo),
        B::PGExp | B::BitwiseXor => Operator::Arithmetic(Arithmetic::Power),
        B::PGBitwiseXor => Operator::Arithmetic(Arithmetic::BitXor),
        B::BitwiseAnd => Operator::Arithmetic(Arithmetic::BitAnd),
        B::BitwiseOr => Operator::Arithmetic(Arithmetic::BitOr),
        B::PGBitwiseShiftLeft => Operator::Arithmetic(Arithmetic::ShiftLeft),
        B::PGBitwiseShiftRight => Operator::Arithmetic(Arithmetic::ShiftRight),
        B::PGCustomBinaryOperator(names) => named_operator(names)?,
        other => {
            return Err(PgError::new(
                "42883",
                format!("operator does not exist: {}", shown(&other.to_string())),
            ));
        }
    })
}

/// `OPERATOR(pg_catalog.~)`.
fn named_operator(names: &[String]) -> Result<Operator, PgError> {
    use ast::BinaryOperator as B;
    let sign = match names {
        [sign] => sign,
        [schema, sign] if schema.eq_ignore_ascii_case("pg_catalog") => sign,
        _ => return Err(PgError::new("42883", "operator does not exist")),
    };
    let known = [
        ("=", B::Eq),
        ("<>", B::NotEq),
        ("!=", B::NotEq),
        ("<", B::Lt),
        ("<=", B::LtEq),
        (">", B::Gt),
        (">=", B::GtEq),
        ("~", B::PGRegexMatch),
        ("~*", B::PGRegexIMatch),
        ("!~", B::PGRegexNotMatch),
        ("!~*", B::PGRegexNotIMatch),
        ("~~", B::PGLikeMatch),
        ("~~*", B::PGILikeMatch),
        ("!~~", B::PGNotLikeMatch),
        ("!~~*", B::PGNotILikeMatch),
        ("||", B::StringConcat),
        ("+", B::Plus),
        ("-", B::Minus),
        ("*", B::Multiply),
        ("/", B::Divide),
        ("%", B::Modulo),
        ("&", B::BitwiseAnd),
    ];
    match known.iter().find(|(known, _)| known == sign) {
        Some((_, op)) => operator(op),
        None => Err(PgError::new("42883", format!("operator does not exist: {}", shown(sign)))),
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

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "=",
        Comparison::NotEq => "<>",
        Comparison::Lt => "<",
        Comparison::LtEq => "<=",
        Comparison::Gt => ">",
        Comparison::GtEq => ">=",
    }
}

fn arithmetic_sign(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Plus => "+",
        Arithmetic::Minus => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Modulo => "%",
        Arithmetic::Power => "^",
        Arithmetic::BitAnd => "&",
        Arithmetic::BitOr => "|",
        Arithmetic::BitXor => "#",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
    }
}

fn no_operator(sign: &str, left: Option<PgType>, right: PgType) -> PgError {
    let left = left.map_or_else(String::new, |left| format!("{} ", left.sql_name()));
    let message = format!("operator does not exist: {left}{sign} {}", right.sql_name());
    PgError::new("42883", message).with_hint("You might need to add explicit type casts.")
}
