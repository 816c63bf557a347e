//! The functions that clients call: their signatures, and which of them a call means.
//!
//! A function that is not in these tables does not exist, so that `pg_sleep`, `pg_read_file` and `random` are nobody's
//! business. Each entry of a table says what it takes and what it gives; the evaluator brings the arguments to those types
//! before it calls, so that a function never sees an argument of another type. [`system`] is about what is declared; the
//! others are SQL's own.

mod arrays;
mod json;
pub(crate) mod keywords;
mod moments;
mod numbers;
mod privileges;
mod session_facts;
mod strings;
pub(crate) mod system;

use crate::evaluator::{Session, VALUE_MAX};
use crate::{Base, PgError, PgType, PgValue, SystemCatalog, encode_text};

/// What a function may look at.
pub(crate) struct Context<'c, 's> {
    /// What is declared.
    pub system: &'c SystemCatalog,
    /// Who asks; `set_config` changes their settings.
    pub session: &'c mut Session<'s>,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    /// Of this type; literals and whatever casts without words are brought to it.
    Is(PgType),
    /// Of any type, as it is; literals are text.
    Any,
    /// An array, an int2vector or an oidvector.
    AnyArray,
    /// Of the type of the elements of the first array among the arguments.
    Element,
    /// Any number of whatever, also none; only as the last.
    RestAny,
}

/// What a function gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Returns {
    /// A value.
    Is(PgType),
    /// A value of the type of the first argument.
    Same,
    /// Rows of one column; the function gives them as an array.
    SetOf(PgType),
    /// As many rows as the first argument has elements, or as its type says.
    SetOfElement,
    /// Rows of the type of the first argument.
    SetOfSame,
    /// Rows of the element `x` and its place `n`; the function gives an array of records.
    SetOfNumbered,
    /// Rows of these columns; the function gives an array of records.
    Table(&'static [(&'static str, PgType)]),
}

/// An entry of a table of functions. A name may stand in several entries: the one that fits the call best is called.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    /// Its name, in lower case, without its schema.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static [Takes],
    /// What it gives.
    pub returns: Returns,
    /// Whether a NULL among the arguments makes the result NULL (or no row) without a call.
    pub strict: bool,
    /// Its result for arguments of those types.
    pub run: fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>,
}

/// All entries of this name, in lower case.
pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Function> {
    tables().into_iter().flatten().filter(move |function| function.name == name)
}

fn tables() -> [&'static [Function]; 8] {
    [
        system::FUNCTIONS,
        privileges::FUNCTIONS,
        session_facts::FUNCTIONS,
        strings::FUNCTIONS,
        arrays::FUNCTIONS,
        numbers::FUNCTIONS,
        moments::FUNCTIONS,
        json::FUNCTIONS,
    ]
}

/// What every function does: arguments in, a value out.
type Body = fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>;

/// A function of values alone that gives NULL for NULL.
const fn strict(name: &'static str, takes: &'static [Takes], returns: Returns, run: Body) -> Function {
    Function { name, takes, returns, strict: true, run }
}

/// A function that is called with NULL too.
const fn lenient(name: &'static str, takes: &'static [Takes], returns: Returns, run: Body) -> Function {
    Function { name, takes, returns, strict: false, run }
}

const TEXT: Takes = Takes::Is(PgType::of(Base::Text));
const INT4: Takes = Takes::Is(PgType::of(Base::Int4));
const INT8: Takes = Takes::Is(PgType::of(Base::Int8));

/// A text that is being put together, and does not become longer than a value may be.
#[derive(Default)]
pub(crate) struct Bounded(String);

impl Bounded {
    pub(crate) fn push(&mut self, part: &str) -> Result<(), PgError> {
        if self.0.len() + part.len() > VALUE_MAX {
            return Err(PgError::new("54000", "the text becomes too long"));
        }
        self.0.push_str(part);
        Ok(())
    }
}

impl From<Bounded> for String {
    fn from(text: Bounded) -> Self {
        text.0
    }
}

/// An argument that is text; empty for anything else, which the types exclude.
fn text(arguments: &[PgValue], at: usize) -> &str {
    match arguments.get(at) {
        Some(PgValue::Text(text)) => text,
        _ => "",
    }
}

/// An argument that is a whole number; 0 for anything else, which the types exclude.
fn int(arguments: &[PgValue], at: usize) -> i64 {
    match arguments.get(at) {
        Some(PgValue::Int(value)) => *value,
        _ => 0,
    }
}

/// An argument that is an array.
fn array(arguments: &[PgValue], at: usize) -> (&[PgValue], i32) {
    match arguments.get(at) {
        Some(PgValue::Array { elements, lower }) => (elements, *lower),
        _ => (&[], 1),
    }
}

/// A value of any type as text; `None` for NULL.
fn shown(value: &PgValue) -> Option<String> {
    let kind = match value {
        PgValue::Null => return None,
        PgValue::Text(text) => return Some(text.clone()),
        PgValue::Int(value) => return Some(value.to_string()),
        PgValue::Reg { name, .. } => return Some(name.clone()),
        PgValue::Array { elements, .. } => {
            let first = elements.iter().find(|element| **element != PgValue::Null);
            PgType::array(first.map_or(Base::Text, base_of))
        }
        value => PgType::of(base_of(value)),
    };
    encode_text(value, kind)
}

/// A type that values like this one may have.
fn base_of(value: &PgValue) -> Base {
    match value {
        PgValue::Bool(_) => Base::Bool,
        PgValue::Int(_) => Base::Int8,
        PgValue::Float(_) => Base::Float8,
        PgValue::Numeric(_) => Base::Numeric,
        PgValue::Date(_) => Base::Date,
        PgValue::Timestamp(_) => Base::Timestamp,
        PgValue::Interval { .. } => Base::Interval,
        PgValue::Reg { .. } => Base::Regclass,
        PgValue::Record(_) => Base::Record,
        PgValue::Null | PgValue::Text(_) | PgValue::Array { .. } => Base::Text,
    }
}
