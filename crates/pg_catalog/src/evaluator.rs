//! `SELECT` over system tables, and over nothing.
//!
//! **Guarantee.** A statement is answered from the declared catalog, the session and the text; there is nothing else to
//! answer from. Whatever the text, its work, its memory and its recursion are bounded (`run.rs`, `bind.rs`).
//!
//! The way of a statement: parsed within the limits of every question → `bind*.rs`, `scope.rs`, `types.rs`, `coerce.rs` (names
//! become places, types are settled: `plan.rs`) → `run*.rs`, `eval.rs` (rows). [`Question::describe`] stops after the first
//! half.

mod arithmetic;
mod bind;
mod bind_call;
mod bind_expr;
mod bind_from;
mod bind_select;
mod cast;
mod coerce;
mod column_name;
mod compare;
mod decimal;
mod eval;
mod operators;
mod pattern;
mod plan;
mod routing;
mod run;
mod run_from;
mod run_group;
mod scope;
mod types;

#[cfg(test)]
mod tests;

use pointillist_errors::Explained;
use pointillist_query::Refusal;
use sqlparser::ast;

use crate::functions::{self, Context};
use crate::{PgError, PgType, PgValue, Settings, SystemCatalog};
use bind::Binder;
pub(crate) use decimal::with_scale as decimal_with_scale;
use run::Run;
pub(crate) use run::VALUE_MAX;

/// The session that asks.
pub struct Session<'s> {
    /// Who.
    pub user: &'s str,
    /// The database that they are connected to.
    pub database: &'s str,
    /// The number of their connection.
    pub backend_pid: i32,
    /// When their transaction began, in microseconds from 2000-01-01: what `now()` is. There is no clock in here.
    pub now: i64,
    /// What they have set. `set_config` changes it.
    pub settings: &'s mut Settings,
}

/// Where a statement belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// To the system catalog: it reads system tables, or none at all. Free.
    System,
    /// To the curator: it names what is declared, or what nobody knows.
    Curator,
    /// To the curator, for the columns alone: it names what is declared, and keeps no row. Free.
    Probe,
    /// To nobody: it mixes the two.
    Mixed,
}

/// Where a query belongs, by the names after FROM wherever they stand.
///
/// # Errors
/// When the text is no query.
pub fn route(system: &SystemCatalog, sql: &str) -> Result<Route, Refusal> {
    routing::route(system, sql)
}

/// What names are looked up in.
#[derive(Clone, Copy)]
struct View<'v> {
    system: &'v SystemCatalog,
    session: &'v Session<'v>,
}

/// A statement about the system catalog, parsed once.
#[derive(Clone, Debug)]
pub struct Question {
    query: Box<ast::Query>,
    declared: Vec<Option<PgType>>,
}

/// What a statement gives, before it is executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The types of `$1`, `$2`, …
    pub parameters: Vec<PgType>,
    /// Names and types of the columns.
    pub columns: Vec<(String, PgType)>,
}

/// What a statement gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Names and types of the columns.
    pub columns: Vec<(String, PgType)>,
    /// The rows.
    pub rows: Vec<Vec<PgValue>>,
}

impl Question {
    /// Parses; `declared` are the types that the client gives its parameters, `None` where it leaves them to us.
    ///
    /// # Errors
    /// What is not understood, with its SQLSTATE.
    pub fn parse(sql: &str, declared: &[Option<PgType>]) -> Result<Self, PgError> {
        let query = pointillist_query::parsed(sql).map_err(|refusal| PgError {
            sqlstate: refusal.sqlstate(),
            message: refusal.message().to_owned(),
            hint: Explained::hint(&refusal),
        })?;
        Ok(Self { query, declared: declared.to_vec() })
    }

    /// The types of parameters and columns.
    ///
    /// # Errors
    /// 42P01, 42703, 42883 for names that are not known; others as PostgreSQL.
    pub fn describe(&self, system: &SystemCatalog, session: &Session<'_>) -> Result<Described, PgError> {
        let binder = Binder::new(View { system, session }, &self.declared);
        let plan = binder.statement(&self.query)?;
        let columns = plan.columns.into_iter().map(|(name, kind)| (name, kind.pg)).collect();
        Ok(Described { parameters: parameters(&binder), columns })
    }

    /// The rows, for these parameters.
    ///
    /// # Errors
    /// As [`Question::describe`]; and 54001 when the steps are used up.
    pub fn execute(
        &self,
        system: &SystemCatalog,
        session: &mut Session<'_>,
        parameters: &[PgValue],
    ) -> Result<Outcome, PgError> {
        self.execute_unless(system, session, parameters, &|| false)
    }

    /// The same, until somebody says that nobody waits for it any more.
    ///
    /// # Errors
    /// As [`Question::execute`]; and 57014 when it was stopped.
    pub fn execute_unless(
        &self,
        system: &SystemCatalog,
        session: &mut Session<'_>,
        parameters: &[PgValue],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Outcome, PgError> {
        let binder = Binder::new(View { system, session }, &self.declared);
        let plan = binder.statement(&self.query)?;
        let (places, kinds) = (binder.places(), self::parameters(&binder));
        if parameters.len() != kinds.len() {
            let message =
                format!("the statement has {} parameters, and {} values came", kinds.len(), parameters.len());
            return Err(PgError::new("08P01", message));
        }
        let named = |(value, kind): (&PgValue, &PgType)| with_name(system, session, value, *kind);
        let parameters: Vec<PgValue> =
            parameters.iter().zip(&kinds).map(named).collect::<Result<_, PgError>>()?;
        let run = Run::new(Context { system, session }, &parameters, places, is_stopped);
        let rows = run.query(&plan, None)?;
        let columns = plan.columns.into_iter().map(|(name, kind)| (name, kind.pg)).collect();
        let rows = rows.into_iter().map(std::rc::Rc::unwrap_or_clone).collect();
        Ok(Outcome { columns, rows })
    }
}

/// A parameter that is an oid with a name: a client gives one of the two, the catalog knows the other.
fn with_name(
    system: &SystemCatalog,
    session: &Session<'_>,
    value: &PgValue,
    kind: PgType,
) -> Result<PgValue, PgError> {
    match value {
        value if !types::is_reg(kind.base) => Ok(value.clone()),
        PgValue::Array { elements, lower } => {
            let name = |value| with_name(system, session, value, PgType::of(kind.base));
            Ok(PgValue::Array {
                elements: elements.iter().map(name).collect::<Result<_, _>>()?,
                lower: *lower,
            })
        }
        value => functions::system::reg(system, session, kind.base, value),
    }
}

/// The types of all parameters; those that nothing says are text.
fn parameters(binder: &Binder<'_>) -> Vec<PgType> {
    binder.parameters.borrow().iter().map(|kind| kind.unwrap_or(types::TEXT)).collect()
}
