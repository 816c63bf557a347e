//! The types of parameters, before anybody has sent a value.
//!
//! **How.** The statement is planned with a mark in the place of every parameter. A mark is a quoted literal, and a quoted
//! literal becomes whatever stands beside it (`coercion.rs`): where that happens is written down, and a sample of the type
//! goes on in its place. So a parameter has the type that its literal would have had, by the rules of the planner and not
//! by a second set of them. The plan itself is thrown away.
//! **Guarantee.** A function of the catalog and the text. Whoever writes a mark into a statement of their own is told
//! something about that statement and nothing else.

use std::cell::RefCell;
use std::ops::ControlFlow;

use pointillist_catalog::{Catalog, Value};
use pointillist_plan::Type;
use sqlparser::ast::{Expr, Query, Value as Literal, ValueWithSpan, VisitMut, VisitorMut};

use crate::parameter::{self, Parameter};
use crate::refusal::Refusal;
use crate::{parse, planned, prediction, value_list};

/// What a mark begins with: a sign that no keyboard has.
const MARK: char = '\u{1}';
/// How many parameters are tried as plain words where marks alone are refused.
const RETRIES_MAX: usize = 8;

thread_local! {
    /// What is known of the parameters of the statement that this thread is planning; `None` where it plans in earnest.
    static KNOWN: RefCell<Option<Vec<Option<Type>>>> = const { RefCell::new(None) };
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterType {
    /// The type of its value, or of its values.
    pub kind: Type,
    /// Whether it holds several values.
    pub is_list: bool,
}

/// The types of a statement's parameters: of what each is compared with, cast to or given to; text where nothing says.
///
/// # Errors
/// When the text is no query. A query that is not answered has parameters all the same.
pub fn parameter_types(catalog: &Catalog, sql: &str) -> Result<Vec<ParameterType>, Refusal> {
    let (mut query, _) = parse::read(sql)?;
    let count = parameter::count(&mut query)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut known = vec![None; count];
    let mut lists = Lists(vec![false; count]);
    let _ = query.visit(&mut lists);
    if !learn(catalog, sql, &mut known, None)? {
        // Where only a word of a list may stand, such as a unit of time, a mark ends the plan before its other parameters.
        let unknown: Vec<usize> = (0..count).filter(|number| known[*number].is_none()).collect();
        for plain in unknown.into_iter().take(RETRIES_MAX) {
            if learn(catalog, sql, &mut known, Some(plain))? {
                break;
            }
        }
    }
    let kinds = known.into_iter().map(|kind| kind.unwrap_or(Type::Text));
    Ok(kinds.zip(lists.0).map(|(kind, is_list)| ParameterType { kind, is_list }).collect())
}

/// Plans with marks, and writes down what is learned. Whether the statement was planned to its end.
fn learn(
    catalog: &Catalog,
    sql: &str,
    known: &mut Vec<Option<Type>>,
    plain: Option<usize>,
) -> Result<bool, Refusal> {
    // Read again and not copied: a copy takes a stack as deep as the expressions.
    let (mut marked, options) = parse::read(sql)?;
    if prediction::write_out(catalog, &mut marked).is_err() {
        return Ok(false);
    }
    let mut marking = Marking { known, plain };
    let _ = marked.visit(&mut marking);
    let learning = Learning::begin(std::mem::take(known));
    let is_planned = planned(catalog, &marked, &options).is_ok();
    *known = learning.end();
    Ok(is_planned)
}

/// What a mark becomes where this type is needed; `None` for any other text, and where nobody asks for types.
pub(crate) fn learned(text: &str, kind: Type) -> Option<Value> {
    let number: usize = text.strip_prefix(MARK)?.parse().ok()?;
    KNOWN.with_borrow_mut(|known| {
        let place = known.as_mut()?.get_mut(number)?;
        place.get_or_insert(kind);
        Some(sample(text, kind))
    })
}

/// A value of a type; a text stays the mark that it is.
fn sample(mark: &str, kind: Type) -> Value {
    match kind {
        Type::Boolean => Value::Boolean(true),
        Type::Integer => Value::Integer(1),
        Type::Number => Value::Number(0.5),
        Type::Text => Value::Text(mark.to_owned()),
        Type::Date => Value::Date(18_262),
        Type::Timestamp => Value::Timestamp(18_262 * 86_400_000_000),
    }
}

impl Parameter {
    /// Some value of a type, for whoever wants to know the shape of an answer before the values are known.
    pub fn sample(wanted: ParameterType) -> Self {
        if wanted.is_list {
            return Self::List(vec![Self::sample(ParameterType { is_list: false, ..wanted })]);
        }
        match wanted.kind {
            Type::Boolean => Self::Boolean(true),
            Type::Integer => Self::Number("1".to_owned()),
            Type::Number => Self::Number("0.5".to_owned()),
            // A word that is also a unit of time, where one is needed.
            Type::Text => Self::Untyped("day".to_owned()),
            Type::Date => Self::Date("2020-01-01".to_owned()),
            Type::Timestamp => Self::Timestamp("2020-01-01 00:00:00".to_owned()),
        }
    }
}

/// While this lives, marks are learned from.
struct Learning;

impl Learning {
    fn begin(known: Vec<Option<Type>>) -> Self {
        KNOWN.set(Some(known));
        Self
    }

    fn end(self) -> Vec<Option<Type>> {
        KNOWN.take().unwrap_or_default()
    }
}

impl Drop for Learning {
    fn drop(&mut self) {
        KNOWN.set(None);
    }
}

/// Which parameters are lists.
struct Lists(Vec<bool>);

impl VisitorMut for Lists {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(is_list) = value_list::parameter_of(expr).and_then(|number| self.0.get_mut(number)) {
            *is_list = true;
        }
        ControlFlow::Continue(())
    }
}

struct Marking<'k> {
    known: &'k mut [Option<Type>],
    plain: Option<usize>,
}

impl VisitorMut for Marking<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for count in parameter::counts(query) {
            if let Some(number) = numbered(count) {
                self.known[number].get_or_insert(Type::Integer);
                *count = Expr::Value(Literal::Number("1".to_owned(), false).with_empty_span());
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        // One mark stands for all values of a list.
        let mark = |number: usize| {
            let value = Literal::Placeholder(format!("${}", number + 1)).with_empty_span();
            Ok(vec![Expr::Value(value)])
        };
        // What is wrong with a written list is told where the statement is planned in earnest.
        let _ = value_list::write_in(expr, &mut { mark });
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        if let Some(number) = parameter::numbered(value) {
            let text = match self.plain == Some(number) {
                true => "day".to_owned(),
                false => format!("{MARK}{number}"),
            };
            *value = Literal::SingleQuotedString(text).with_empty_span();
        }
        ControlFlow::Continue(())
    }
}

fn numbered(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => parameter::numbered(value),
        _ => None,
    }
}
