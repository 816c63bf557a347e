//! The functions that clients call: their signatures, and which of them a call means.
//!
//! A function that is not in these tables does not exist, so that `pg_sleep`, `pg_read_file` and `random` are nobody's
//! business. Each entry of a table says what it takes and what it gives; the evaluator brings the arguments to those types
//! before it calls, so that a function never sees an argument of another type. [`system`] is about what is declared; the
//! others are SQL's own.

#[allow(dead_code)]
pub(crate) mod keywords;
#[allow(dead_code)]
mod privileges;
#[allow(dead_code)]
mod session_facts;
#[allow(dead_code)]
pub(crate) mod system;

use crate::evaluator::Session;
use crate::{PgError, PgType, PgValue, SystemCatalog};

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
    /// Any number of these, also none; only as the last.
    Rest(PgType),
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
    /// An element of the first argument, which is an array.
    Element,
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
    /// What it does.
    pub run: fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>,
}

/// All entries of this name, in lower case.
pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Function> {
    tables().into_iter().flatten().filter(move |function| function.name == name)
}

fn tables() -> [&'static [Function]; 3] {
    [system::FUNCTIONS, privileges::FUNCTIONS, session_facts::FUNCTIONS]
}
