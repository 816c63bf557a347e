//! Parameters: values that travel beside a statement, for `$1`, `$2` and so on.
//!
//! **Guarantee.** A parameter is data whatever stands in it. Its value takes the place of `$n` in the tree that the parser
//! has made of the text; no text is put together, and nothing of a value is read as SQL. The tree is then that of the same
//! statement with literals: one plan, one price, one question, one answer, through whichever door it came.
//! **Refused** are values for parameters that the statement does not have, parameters without a value, and a parameter where
//! a number would be read as the position of a column (`GROUP BY $1`, `ORDER BY $1`).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    DataType, Expr, GroupByExpr, LimitClause, OrderByKind, Query, Select, TimezoneInfo, TypedString,
    UnaryOperator, Value as Literal, ValueWithSpan, VisitMut, VisitorMut,
};

use crate::coercion;
use crate::refusal::{Refusal, shown};
use crate::value_list;

/// The most bytes that the texts of all parameters have together.
const BYTES_MAX: usize = 64 * 1024;
/// The highest number of a parameter, as in PostgreSQL's protocol.
const NUMBER_MAX: usize = 65_535;

/// A value that travels beside a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// No value.
    Null,
    /// Text whose type nobody has said: like a quoted literal it becomes what stands beside it.
    Untyped(String),
    /// A truth value.
    Boolean(bool),
    /// A number as decimal text: digits, a point, an exponent, a sign.
    Number(String),
    /// A text.
    Text(String),
    /// A day as `2026-12-31`.
    Date(String),
    /// A moment as `2026-12-31 23:59:59.5`; with an offset such as `+01:00` behind it, that moment in UTC.
    Timestamp(String),
    /// Several values, for `= ANY ($1)` and `<> ALL ($1)`; none of them is a list.
    List(Vec<Parameter>),
}

impl Parameter {
    /// The text, where there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Null | Self::List(_) => None,
            Self::Boolean(truth) => Some(if *truth { "true" } else { "false" }),
            Self::Untyped(text)
            | Self::Number(text)
            | Self::Text(text)
            | Self::Date(text)
            | Self::Timestamp(text) => Some(text),
        }
    }

    /// How many bytes its texts have.
    fn bytes(&self) -> usize {
        match self {
            // A list of nothing takes room, too.
            Self::List(values) => values.iter().map(|value| 8 + value.bytes()).sum(),
            other => other.text().map_or(0, str::len),
        }
    }

    /// The value as the parser would have read it, had it been written into the statement.
    fn literal(&self) -> Result<Expr, Refusal> {
        let value = |literal: Literal| Expr::Value(literal.with_empty_span());
        let text = |text: &String| Literal::SingleQuotedString(text.clone());
        let typed = |kind: DataType, text: String| {
            let value = Literal::SingleQuotedString(text).with_empty_span();
            Expr::TypedString(TypedString { data_type: kind, value, uses_odbc_syntax: false })
        };
        Ok(match self {
            Self::Null => value(Literal::Null),
            Self::Untyped(untyped) => value(text(untyped)),
            Self::Text(typed) => value(text(typed)),
            Self::Boolean(truth) => value(Literal::Boolean(*truth)),
            Self::Number(digits) => {
                let trimmed = digits.trim();
                let (is_negative, magnitude) = match trimmed.strip_prefix('-') {
                    Some(magnitude) => (true, magnitude),
                    None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
                };
                let is_number = magnitude.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.')
                    && coercion::number(magnitude).is_some();
                if !is_number {
                    return Err(not_a_value(digits, "a number that can be held", "3.5"));
                }
                let number = value(Literal::Number(magnitude.to_owned(), false));
                match is_negative {
                    true => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(number) },
                    false => number,
                }
            }
            Self::List(_) => {
                return Err(Refusal::parameter(
                    "a parameter is a list where one value is needed",
                    "write x = ANY ($1) for a list of values",
                ));
            }
            Self::Date(day) => typed(DataType::Date, day.clone()),
            Self::Timestamp(moment) => typed(DataType::Timestamp(None, TimezoneInfo::None), moment.clone()),
        })
    }

    /// The same as a count of rows, if it is one: clients send those as text, too.
    fn as_count(&self) -> Self {
        match self {
            Self::Untyped(text) | Self::Text(text)
                if !text.trim().is_empty() && text.trim().bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                Self::Number(text.trim().to_owned())
            }
            other => other.clone(),
        }
    }
}

fn not_a_value(text: &str, what: &str, example: &str) -> Refusal {
    Refusal::parameter(format!("'{}' is not {what}", shown(text)), format!("send a value like {example}"))
}

/// Puts values in the places of `$1`, `$2` and so on.
///
/// # Errors
/// When there are more or fewer values than parameters, and when one is not what its type says.
pub(crate) fn bind(query: &mut Query, parameters: &[Parameter]) -> Result<(), Refusal> {
    let bytes: usize = parameters.iter().map(Parameter::bytes).sum();
    if bytes > BYTES_MAX {
        return Err(Refusal::syntax(
            format!("the parameters have more than {BYTES_MAX} bytes"),
            "ask several questions",
        ));
    }
    let mut binding = Binding { parameters, named: BTreeSet::new() };
    if let ControlFlow::Break(refusal) = query.visit(&mut binding) {
        return Err(refusal);
    }
    match (1..=parameters.len()).find(|number| !binding.named.contains(number)) {
        None => Ok(()),
        Some(number) => Err(Refusal::parameter(
            format!(
                "there are values for {} parameters, but the statement has no parameter ${number}",
                parameters.len()
            ),
            "send as many values as the statement has parameters",
        )),
    }
}

/// The highest number of a parameter that a query has; zero if it has none.
///
/// # Errors
/// When a parameter is written in another way than `$1`.
pub(crate) fn count(query: &mut Query) -> Result<usize, Refusal> {
    let mut counting = Counting(0);
    match query.visit(&mut counting) {
        ControlFlow::Break(refusal) => Err(refusal),
        ControlFlow::Continue(()) => Ok(counting.0),
    }
}

/// The number in `$1`.
fn number(name: &str) -> Result<usize, Refusal> {
    let number = name.strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
    number.filter(|number| (1..=NUMBER_MAX).contains(number)).ok_or_else(|| {
        Refusal::parameter(
            format!("the parameter `{}` has no number", shown(name)),
            "write parameters as $1, $2 and so on",
        )
    })
}

/// Which parameter a literal is, counted from zero.
pub(crate) fn numbered(value: &ValueWithSpan) -> Option<usize> {
    match &value.value {
        Literal::Placeholder(name) => number(name).ok().map(|number| number - 1),
        _ => None,
    }
}

struct Counting(usize);

impl VisitorMut for Counting {
    type Break = Refusal;

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Refusal> {
        if let Literal::Placeholder(name) = &value.value {
            match number(name) {
                Ok(number) => self.0 = self.0.max(number),
                Err(refusal) => return ControlFlow::Break(refusal),
            }
        }
        ControlFlow::Continue(())
    }
}

struct Binding<'p> {
    parameters: &'p [Parameter],
    named: BTreeSet<usize>,
}

impl Binding<'_> {
    fn parameter(&mut self, name: &str) -> Result<&Parameter, Refusal> {
        let number = number(name)?;
        self.named.insert(number);
        self.parameters.get(number - 1).ok_or_else(|| no_value(name))
    }

    /// The values of a parameter that is a list.
    fn list(&mut self, number: usize) -> Result<Vec<Expr>, Refusal> {
        match self.parameter(&format!("${}", number + 1))? {
            Parameter::List(values) => values.iter().map(Parameter::literal).collect(),
            Parameter::Null => Ok(vec![Expr::Value(Literal::Null.with_empty_span())]),
            Parameter::Untyped(text) | Parameter::Text(text) => value_list::quoted(text),
            _ => Err(Refusal::parameter("a parameter is one value where a list is needed", "send an array")),
        }
    }

    fn place(&mut self, expr: &mut Expr, is_count: bool) -> ControlFlow<Refusal> {
        let Some(name) = placeholder(expr) else { return ControlFlow::Continue(()) };
        let literal = self.parameter(name).and_then(|parameter| match is_count {
            true => parameter.as_count().literal(),
            false => parameter.literal(),
        });
        match literal {
            Ok(literal) => {
                *expr = literal;
                ControlFlow::Continue(())
            }
            Err(refusal) => ControlFlow::Break(refusal),
        }
    }
}

/// Why a parameter without a value is refused.
pub(crate) fn no_value(name: &str) -> Refusal {
    Refusal::parameter(
        format!("the parameter `{}` has no value", shown(name)),
        "send a value for it, or write the value into the statement",
    )
}

/// The name of a parameter that an expression is.
fn placeholder(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(ValueWithSpan { value: Literal::Placeholder(name), .. }) => Some(name),
        _ => None,
    }
}

/// The places of a query that count its rows, without casts around them.
pub(crate) fn counts(query: &mut Query) -> impl Iterator<Item = &mut Expr> {
    let limits: Vec<&mut Expr> = match &mut query.limit_clause {
        None => Vec::new(),
        Some(LimitClause::LimitOffset { limit, offset, .. }) => {
            limit.iter_mut().chain(offset.iter_mut().map(|offset| &mut offset.value)).collect()
        }
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => vec![offset, limit],
    };
    let fetch = query.fetch.iter_mut().filter_map(|fetch| fetch.quantity.as_mut());
    limits.into_iter().chain(fetch).map(uncast)
}

/// What stands inside brackets and casts, as in `LIMIT $1::INTEGER`.
fn uncast(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => uncast(inner),
        innermost => innermost,
    }
}

impl VisitorMut for Binding<'_> {
    type Break = Refusal;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Refusal> {
        if let Some(OrderByKind::Expressions(criteria)) = query.order_by.as_ref().map(|order| &order.kind)
            && criteria.iter().any(|criterion| placeholder(&criterion.expr).is_some())
        {
            return ControlFlow::Break(constant_key("ORDER BY"));
        }
        counts(query).try_for_each(|count| self.place(count, true))
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Refusal> {
        match &select.group_by {
            GroupByExpr::Expressions(keys, _) if keys.iter().any(|key| placeholder(key).is_some()) => {
                ControlFlow::Break(constant_key("GROUP BY"))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refusal> {
        if let Err(refusal) = value_list::write_in(expr, &mut |number| self.list(number)) {
            return ControlFlow::Break(refusal);
        }
        self.place(expr, false)
    }

    /// Where only a literal may stand, such as behind `ESCAPE`.
    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Refusal> {
        let Literal::Placeholder(name) = &value.value else { return ControlFlow::Continue(()) };
        let shown_name = shown(name);
        match self.parameter(name).and_then(Parameter::literal) {
            Ok(Expr::Value(literal)) => {
                *value = literal;
                ControlFlow::Continue(())
            }
            Ok(_) => ControlFlow::Break(Refusal::parameter(
                format!("the parameter `{shown_name}` stands where only a literal may"),
                "write the value into the statement",
            )),
            Err(refusal) => ControlFlow::Break(refusal),
        }
    }
}

fn constant_key(clause: &str) -> Refusal {
    Refusal::parameter(
        format!("a parameter in {clause} is the same value for every row"),
        format!("name a column in {clause}; a number that is written there is the position of one"),
    )
}
