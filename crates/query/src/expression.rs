//! From SQL's expressions to ours, one by one: what is not listed here is refused by name.
//!
//! **Guarantee.** The result looks at one row, or at released numbers, and cannot fail (see [`Scalar`]). Chains of
//! operators are followed in a loop, so recursion is as deep as the brackets of the statement and no deeper.

use std::cell::RefCell;

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Comparison, Function, Scalar, Type, visit};
use sqlparser::ast::{
    BinaryOperator, CaseWhen, DataType, Expr, Ident, UnaryOperator, Value as Literal, ValueWithSpan,
};

use crate::aggregate::Collector;
use crate::coercion::{self, Typed, cast, common_type, unify};
use crate::names::{self, Meaning, Visible};
use crate::refusal::{Refusal, shown};
use crate::size::Nodes;

/// What expressions may use.
#[derive(Clone, Copy)]
pub(crate) struct Lowering<'a> {
    /// The columns of the rows.
    pub(crate) visible: &'a [Visible],
    /// Names of the answer's own columns, for a GROUP BY, HAVING or ORDER BY that uses them.
    pub(crate) aliases: &'a [(String, Typed)],
    /// Where aggregates go; `None` where there may be none.
    pub(crate) aggregates: Option<&'a RefCell<Collector>>,
    /// Names of the query around, for a subquery: columns from [`OUTER`] on.
    pub(crate) outer: &'a [Visible],
    /// Aggregates, windows and subqueries that have become columns.
    pub(crate) known: &'a [(&'a Expr, Typed)],
    /// What remains of the statement's size.
    pub(crate) nodes: &'a Nodes,
}

/// Columns from here on are those of the query around.
pub(crate) const OUTER: usize = 1 << 44;

/// What stands beside an operator: a value, or an interval of months and days.
enum Operand {
    Value(Typed),
    Interval { months: i64, days: i64 },
}

impl<'a> Lowering<'a> {
    /// Expressions of one row.
    pub(crate) fn rows(visible: &'a [Visible], nodes: &'a Nodes) -> Self {
        Self { visible, aliases: &[], aggregates: None, outer: &[], known: &[], nodes }
    }
}

impl Lowering<'_> {
    /// An expression, of a depth that everything behind can walk.
    pub(crate) fn expression(&self, expr: &Expr) -> Result<Typed, Refusal> {
        let typed = self.part(expr)?;
        crate::size::check_depth(&typed.scalar)?;
        Ok(typed)
    }

    /// A condition.
    pub(crate) fn condition(&self, expr: &Expr, place: &str) -> Result<Scalar, Refusal> {
        self.expression(expr)?.into_type(Type::Boolean, place)
    }

    pub(crate) fn part(&self, expr: &Expr) -> Result<Typed, Refusal> {
        self.nodes.take(1)?;
        match expr {
            Expr::Identifier(ident) => self.name(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(idents) => self.name(idents),
            Expr::Nested(inner) => self.part(inner),
            Expr::Value(literal) => literal_value(literal),
            Expr::TypedString(text) if !text.uses_odbc_syntax => {
                cast(literal_value(&text.value)?, sql_type(&text.data_type)?)
            }
            Expr::BinaryOp { .. } => self.operators(expr),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::IsNull(inner) => self.is_null(inner, false),
            Expr::IsNotNull(inner) => self.is_null(inner, true),
            Expr::IsTrue(inner) => self.is_truth(inner, Some(true), false),
            Expr::IsNotTrue(inner) => self.is_truth(inner, Some(true), true),
            Expr::IsFalse(inner) => self.is_truth(inner, Some(false), false),
            Expr::IsNotFalse(inner) => self.is_truth(inner, Some(false), true),
            Expr::IsUnknown(inner) => self.is_truth(inner, None, false),
            Expr::IsNotUnknown(inner) => self.is_truth(inner, None, true),
            Expr::IsDistinctFrom(left, right) => self.distinct(left, right, true),
            Expr::IsNotDistinctFrom(left, right) => self.distinct(left, right, false),
            Expr::InList { expr, list, negated } => self.in_list(expr, list, *negated),
            Expr::Between { expr, negated, low, high } => self.between(expr, low, high, *negated),
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(expr, pattern, escape_char.as_ref(), *negated, false)
            }
            Expr::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(expr, pattern, escape_char.as_ref(), *negated, true)
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())
            }
            Expr::Cast { expr, data_type, array: false, format: None, kind: _ } => {
                cast(self.part(expr)?, sql_type(data_type)?)
            }
            other => self.special(other),
        }
    }

    fn name(&self, idents: &[Ident]) -> Result<Typed, Refusal> {
        let parts: Vec<String> = idents.iter().map(names::folded).collect();
        let found = match names::find(self.visible, &parts) {
            Ok(found) => found,
            Err(refusal) => {
                let alias = self.aliases.iter().find(|(alias, _)| parts.len() == 1 && *alias == parts[0]);
                match (alias, names::find(self.outer, &parts)) {
                    (Some((_, typed)), _) => {
                        self.nodes.take(visit::count(&typed.scalar))?;
                        return Ok(typed.clone());
                    }
                    (None, Ok(found)) if !names::is_known(self.visible, &parts) => found,
                    (None, _) => return Err(refusal),
                }
            }
        };
        match &found.meaning {
            Meaning::Value(typed) => {
                self.nodes.take(visit::count(&typed.scalar))?;
                Ok(typed.clone())
            }
            Meaning::Owner(_) => Err(Refusal::not_private(
                format!("`{}` says whose row it is and is not declared as a column", names::dotted(&parts)),
                format!(
                    "COUNT(DISTINCT {}) counts people; for anything else the owner declares it under the table's columns",
                    names::dotted(&parts)
                ),
            )),
            Meaning::Link(_) => Err(Refusal::not_private(
                format!(
                    "`{}` links rows to their owners and is not declared as a column",
                    names::dotted(&parts)
                ),
                "join along the link with it; for anything else the owner declares it under the table's columns",
            )),
        }
    }

    /// A chain of operators, from left to right.
    fn operators(&self, expr: &Expr) -> Result<Typed, Refusal> {
        let mut chain = Vec::new();
        let mut first = expr;
        while let Expr::BinaryOp { left, op, right } = first {
            chain.push((op, right.as_ref()));
            first = left;
        }
        let mut left = self.operand(first)?;
        while let Some((op, right)) = chain.pop() {
            self.nodes.take(1)?;
            if *op == BinaryOperator::StringConcat {
                // All texts of a run at once: their NULL check copies each of them, and copies of copies would grow
                // without bound.
                let mut texts = vec![left.value()?, self.part(right)?];
                while let Some((_, next)) = chain.pop_if(|(op, _)| **op == BinaryOperator::StringConcat) {
                    texts.push(self.part(next)?);
                }
                left = Operand::Value(self.joined(texts)?);
            } else {
                left = Operand::Value(self.binary(op, left, self.operand(right)?)?);
            }
        }
        left.value()
    }

    fn operand(&self, expr: &Expr) -> Result<Operand, Refusal> {
        match expr {
            Expr::Nested(inner) if matches!(inner.as_ref(), Expr::Interval(_)) => self.operand(inner),
            Expr::Interval(interval) => {
                let (months, days) = crate::interval_literal::read(interval)?;
                Ok(Operand::Interval { months, days })
            }
            other => self.part(other).map(Operand::Value),
        }
    }

    fn binary(&self, op: &BinaryOperator, left: Operand, right: Operand) -> Result<Typed, Refusal> {
        use BinaryOperator as Op;
        let (left, right) = match (left, right) {
            (Operand::Value(left), Operand::Value(right)) => (left, right),
            (Operand::Value(date), Operand::Interval { months, days }) if *op == Op::Plus => {
                return moved(date, months, days);
            }
            (Operand::Interval { months, days }, Operand::Value(date)) if *op == Op::Plus => {
                return moved(date, months, days);
            }
            (Operand::Value(date), Operand::Interval { months, days }) if *op == Op::Minus => {
                return moved(date, -months, -days);
            }
            _ => return Err(lone_interval()),
        };
        match op {
            Op::And => Ok(Typed::boolean(visit::conjunction(
                left.into_type(Type::Boolean, "AND")?,
                right.into_type(Type::Boolean, "AND")?,
            ))),
            Op::Or => Ok(Typed::boolean(visit::disjunction(
                left.into_type(Type::Boolean, "OR")?,
                right.into_type(Type::Boolean, "OR")?,
            ))),
            Op::Eq => compare(Comparison::Equal, left, right),
            Op::NotEq => compare(Comparison::NotEqual, left, right),
            Op::Lt => compare(Comparison::Less, left, right),
            Op::LtEq => compare(Comparison::LessOrEqual, left, right),
            Op::Gt => compare(Comparison::Greater, left, right),
            Op::GtEq => compare(Comparison::GreaterOrEqual, left, right),
            Op::Plus => add(left, right),
            Op::Minus => subtract(left, right),
            Op::Multiply => arithmetic(Arithmetic::Multiply, left, right, "*"),
            Op::Divide => arithmetic(Arithmetic::Divide, left, right, "/"),
            Op::Modulo => arithmetic(Arithmetic::Remainder, left, right, "%"),
            Op::PGExp => {
                let (left, right) = (left.into_type(Type::Number, "^")?, right.into_type(Type::Number, "^")?);
                Ok(Typed::new(Scalar::Call(Function::Power, vec![left, right]), Type::Number))
            }
            other => Err(Refusal::not_provable(
                format!("the operator `{}` is not answered", shown(&other.to_string())),
                "use comparisons, AND, OR, NOT, + - * / %, ||, LIKE, IN or BETWEEN",
            )),
        }
    }

    /// `a || b || c`: NULL if one of them is.
    fn joined(&self, texts: Vec<Typed>) -> Result<Typed, Refusal> {
        let texts = texts
            .into_iter()
            .map(|text| cast(text, Type::Text).map(|text| text.scalar))
            .collect::<Result<Vec<_>, _>>()?;
        let mut missing = Vec::new();
        for text in texts.iter().filter(|text| !matches!(text, Scalar::Constant(_))) {
            missing.push(Scalar::IsNull(Box::new(self.nodes.copy(text)?)));
        }
        let all = Scalar::Call(Function::Concat, texts);
        let joined = match missing.is_empty() {
            true => all,
            false => Scalar::Case(vec![(Scalar::Any(missing), Scalar::Null(Type::Text))], Box::new(all)),
        };
        Ok(Typed::new(joined, Type::Text))
    }

    fn unary(&self, op: UnaryOperator, expr: &Expr) -> Result<Typed, Refusal> {
        match op {
            UnaryOperator::Not => {
                let inner = self.part(expr)?.into_type(Type::Boolean, "NOT")?;
                Ok(Typed::boolean(Scalar::Not(Box::new(inner))))
            }
            UnaryOperator::Plus => numeric(self.part(expr)?, "+"),
            UnaryOperator::Minus => {
                if let Expr::Value(ValueWithSpan { value: Literal::Number(digits, false), .. }) = expr {
                    return number_literal(&format!("-{digits}"));
                }
                if matches!(expr, Expr::BinaryOp { op: BinaryOperator::PGExp, .. }) {
                    // The parser takes -a ^ 2 for -(a ^ 2), PostgreSQL for (-a) ^ 2.
                    let message = "a minus before a power can be read in two ways";
                    return Err(Refusal::syntax(message, "write (-a) ^ b or -(a ^ b)"));
                }
                let inner = numeric(self.part(expr)?, "-")?;
                let zero = Typed::constant(Value::Integer(0));
                arithmetic(Arithmetic::Subtract, zero, inner, "-")
            }
            other => Err(Refusal::not_provable(
                format!("the operator `{}` is not answered", shown(&other.to_string())),
                "use NOT, - or a function such as abs(x)",
            )),
        }
    }

    fn is_null(&self, inner: &Expr, negated: bool) -> Result<Typed, Refusal> {
        let test = match names::owner(self.visible, inner) {
            // Every row has an owner; a side of a join may have no row.
            Some(None) => Scalar::Constant(Value::Boolean(false)),
            Some(Some(present)) => Scalar::IsNull(Box::new(Scalar::Column(present))),
            None => Scalar::IsNull(Box::new(self.part(inner)?.scalar)),
        };
        Ok(Typed::boolean(negate(test, negated)))
    }

    fn is_truth(&self, inner: &Expr, truth: Option<bool>, negated: bool) -> Result<Typed, Refusal> {
        let inner = Box::new(self.part(inner)?.into_type(Type::Boolean, "IS TRUE, IS FALSE or IS UNKNOWN")?);
        let test = match truth {
            Some(truth) => Scalar::Compare(
                Comparison::NotDistinct,
                inner,
                Box::new(Scalar::Constant(Value::Boolean(truth))),
            ),
            None => Scalar::IsNull(inner),
        };
        Ok(Typed::boolean(negate(test, negated)))
    }

    fn distinct(&self, left: &Expr, right: &Expr, negated: bool) -> Result<Typed, Refusal> {
        let same = compare(Comparison::NotDistinct, self.part(left)?, self.part(right)?)?;
        Ok(Typed::boolean(negate(same.scalar, negated)))
    }

    fn in_list(&self, expr: &Expr, list: &[Expr], negated: bool) -> Result<Typed, Refusal> {
        let mut values = vec![self.part(expr)?];
        for item in list {
            values.push(self.part(item)?);
        }
        let (mut scalars, _) = unify(values, "IN")?;
        let rest = scalars.split_off(1);
        let value = scalars.pop().expect("the value was put first");
        let mut any = Vec::with_capacity(rest.len());
        for item in rest {
            self.nodes.take(1)?;
            any.push(Scalar::Compare(Comparison::Equal, Box::new(self.nodes.copy(&value)?), Box::new(item)));
        }
        Ok(Typed::boolean(negate(Scalar::Any(any), negated)))
    }

    fn between(&self, expr: &Expr, low: &Expr, high: &Expr, negated: bool) -> Result<Typed, Refusal> {
        let values = vec![self.part(expr)?, self.part(low)?, self.part(high)?];
        let (scalars, _) = unify(values, "BETWEEN")?;
        let [value, low, high] = <[Scalar; 3]>::try_from(scalars).expect("three in, three out");
        let copy = self.nodes.copy(&value)?;
        let test = Scalar::All(vec![
            Scalar::Compare(Comparison::GreaterOrEqual, Box::new(copy), Box::new(low)),
            Scalar::Compare(Comparison::LessOrEqual, Box::new(value), Box::new(high)),
        ]);
        Ok(Typed::boolean(negate(test, negated)))
    }

    fn like(
        &self,
        expr: &Expr,
        pattern: &Expr,
        escape: Option<&ValueWithSpan>,
        negated: bool,
        ignore_case: bool,
    ) -> Result<Typed, Refusal> {
        let value = Box::new(self.part(expr)?.into_type(Type::Text, "LIKE")?);
        let Scalar::Constant(Value::Text(pattern)) = self.part(pattern)?.scalar else {
            return Err(Refusal::not_provable(
                "LIKE takes a constant pattern",
                "write the pattern in quotes",
            ));
        };
        // PostgreSQL escapes with a backslash unless told otherwise.
        let escape = match escape {
            None => Some('\\'),
            Some(literal) => {
                let Scalar::Constant(Value::Text(text)) = literal_value(literal)?.scalar else {
                    return Err(bad_escape());
                };
                let mut signs = text.chars();
                match (signs.next(), signs.next()) {
                    (sign, None) => sign,
                    _ => return Err(bad_escape()),
                }
            }
        };
        Ok(Typed::boolean(negate(Scalar::Like { value, pattern, escape, ignore_case }, negated)))
    }

    fn case(
        &self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
    ) -> Result<Typed, Refusal> {
        let operand = operand.map(|operand| self.part(operand)).transpose()?;
        let (mut tests, mut values) = (Vec::new(), Vec::new());
        for CaseWhen { condition, result } in conditions {
            let condition = self.part(condition)?;
            tests.push(match &operand {
                None => condition.into_type(Type::Boolean, "WHEN")?,
                Some(operand) => {
                    let copy = Typed { scalar: self.nodes.copy(&operand.scalar)?, kind: operand.kind };
                    compare(Comparison::Equal, copy, condition)?.scalar
                }
            });
            values.push(self.part(result)?);
        }
        values.push(otherwise.map_or_else(|| Ok(Typed::null()), |otherwise| self.part(otherwise))?);
        let (mut values, kind) = unify(values, "CASE")?;
        let last = values.pop().expect("ELSE was put last");
        Ok(Typed::new(Scalar::Case(tests.into_iter().zip(values).collect(), Box::new(last)), kind))
    }
}

impl Operand {
    fn value(self) -> Result<Typed, Refusal> {
        match self {
            Self::Value(typed) => Ok(typed),
            Self::Interval { .. } => Err(lone_interval()),
        }
    }
}

pub(crate) fn lone_interval() -> Refusal {
    Refusal::not_provable(
        "an INTERVAL can only be added to a date or taken from one",
        "write day + INTERVAL '1 month', for example",
    )
}

fn bad_escape() -> Refusal {
    Refusal::parameter("ESCAPE takes one character", "write ESCAPE '!', for example")
}

pub(crate) fn negate(test: Scalar, negated: bool) -> Scalar {
    if negated { Scalar::Not(Box::new(test)) } else { test }
}

fn compare(how: Comparison, left: Typed, right: Typed) -> Result<Typed, Refusal> {
    let (mut both, _) = unify(vec![left, right], "a comparison")?;
    let right = both.pop().expect("two in, two out");
    let left = both.pop().expect("two in, two out");
    Ok(Typed::boolean(Scalar::Compare(how, Box::new(left), Box::new(right))))
}

fn add(left: Typed, right: Typed) -> Result<Typed, Refusal> {
    match (left.kind, right.kind) {
        (Some(Type::Date), Some(Type::Integer)) => Ok(add_days(left.scalar, right.scalar)),
        (Some(Type::Integer), Some(Type::Date)) => Ok(add_days(right.scalar, left.scalar)),
        _ => arithmetic(Arithmetic::Add, left, right, "+"),
    }
}

fn subtract(left: Typed, right: Typed) -> Result<Typed, Refusal> {
    match (left.kind, right.kind) {
        (Some(Type::Date), Some(Type::Integer)) => Ok(add_days(left.scalar, opposite(right.scalar))),
        (Some(Type::Date), _) | (_, Some(Type::Date)) => {
            let days = [left, right].map(|date| date.into_type(Type::Date, "a difference of dates"));
            let days = days.into_iter().collect::<Result<_, _>>()?;
            Ok(Typed::new(Scalar::Call(Function::DaysBetween, days), Type::Integer))
        }
        _ => arithmetic(Arithmetic::Subtract, left, right, "-"),
    }
}

fn opposite(days: Scalar) -> Scalar {
    match days {
        Scalar::Constant(Value::Integer(days)) => Scalar::Constant(Value::Integer(days.saturating_neg())),
        other => {
            let zero = Scalar::Constant(Value::Integer(0));
            Scalar::Arithmetic(Arithmetic::Subtract, Box::new(zero), Box::new(other))
        }
    }
}

fn add_days(date: Scalar, days: Scalar) -> Typed {
    Typed::new(Scalar::Call(Function::AddDays, vec![date, days]), Type::Date)
}

/// A date moved by an interval: months first, then days.
fn moved(date: Typed, months: i64, days: i64) -> Result<Typed, Refusal> {
    let kind = match date.kind {
        Some(Type::Timestamp) => Type::Timestamp,
        _ => Type::Date,
    };
    let mut scalar = date.into_type(kind, "INTERVAL")?;
    for (function, count) in [(Function::AddMonths, months), (Function::AddDays, days)] {
        if count != 0 {
            scalar = Scalar::Call(function, vec![scalar, Scalar::Constant(Value::Integer(count))]);
        }
    }
    Ok(Typed::new(scalar, kind))
}

/// A whole number or a number.
pub(crate) fn numeric(value: Typed, place: &str) -> Result<Typed, Refusal> {
    match value.kind {
        Some(Type::Integer | Type::Number) => Ok(value),
        None => Ok(Typed::new(Scalar::Null(Type::Integer), Type::Integer)),
        Some(_) => value.into_type(Type::Number, place).map(|scalar| Typed::new(scalar, Type::Number)),
    }
}

fn arithmetic(how: Arithmetic, left: Typed, right: Typed, place: &str) -> Result<Typed, Refusal> {
    let kind = match common_type([&left, &right], place)? {
        kind @ (Type::Integer | Type::Number) => kind,
        // Two literals, or NULLs: numbers are meant.
        _ => Type::Number,
    };
    let (left, right) = (left.into_type(kind, place)?, right.into_type(kind, place)?);
    Ok(Typed::new(Scalar::Arithmetic(how, Box::new(left), Box::new(right)), kind))
}

/// A literal's value, exactly as written.
pub(crate) fn literal_value(literal: &ValueWithSpan) -> Result<Typed, Refusal> {
    match &literal.value {
        Literal::Number(digits, false) => number_literal(digits),
        Literal::SingleQuotedString(text) | Literal::EscapedStringLiteral(text) => {
            Ok(Typed::constant(Value::Text(text.clone())))
        }
        Literal::DollarQuotedString(text) => Ok(Typed::constant(Value::Text(text.value.clone()))),
        Literal::Boolean(truth) => Ok(Typed::constant(Value::Boolean(*truth))),
        Literal::Null => Ok(Typed::null()),
        Literal::Placeholder(name) => Err(crate::parameter::no_value(name)),
        _ => Err(Refusal::not_provable(
            "this kind of literal is not answered",
            "write numbers as 12.5 and texts in single quotes",
        )),
    }
}

fn number_literal(digits: &str) -> Result<Typed, Refusal> {
    if let Ok(number) = digits.parse() {
        return Ok(Typed::constant(Value::Integer(number)));
    }
    coercion::number(digits).map(Typed::constant).ok_or_else(|| {
        Refusal::parameter(
            format!("{} is not a number that can be held", shown(digits)),
            "write a number between -1e308 and 1e308",
        )
    })
}

/// A type that data has here.
pub(crate) fn sql_type(kind: &DataType) -> Result<Type, Refusal> {
    use DataType as Sql;
    Ok(match kind {
        Sql::Bool | Sql::Boolean => Type::Boolean,
        Sql::SmallInt(_)
        | Sql::Int(_)
        | Sql::Integer(_)
        | Sql::BigInt(_)
        | Sql::Int2(_)
        | Sql::Int4(_)
        | Sql::Int8(_)
        | Sql::Int64 => Type::Integer,
        Sql::Numeric(_)
        | Sql::Decimal(_)
        | Sql::Dec(_)
        | Sql::Float(_)
        | Sql::Float4
        | Sql::Float8
        | Sql::Float64
        | Sql::Real
        | Sql::Double(_)
        | Sql::DoublePrecision => Type::Number,
        Sql::Text | Sql::Varchar(None) | Sql::CharacterVarying(None) | Sql::String(None) => Type::Text,
        Sql::Date => Type::Date,
        // Moments are in UTC, which is the time zone of every session: with a zone and without one are the same.
        Sql::Timestamp(..) | Sql::Datetime(_) => Type::Timestamp,
        other => {
            return Err(Refusal::not_provable(
                format!("the type {} is not answered", shown(&other.to_string())),
                "use boolean, bigint, double precision, text, date or timestamp",
            ));
        }
    })
}
