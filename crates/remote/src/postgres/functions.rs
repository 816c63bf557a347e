//! Functions of PostgreSQL that are no part of its documentation, and on which statements rest.
//!
//! **Guarantee.** Bounds are clamped by what `min` and `max` are made of (`int8smaller` and its like), because `LEAST` and
//! `GREATEST` skip NULL and these do not. They are there, strict (NULL in, NULL out), immutable, and PostgreSQL's own code, or
//! the question is refused.

use pointillist_postgres::{Cell, Connection, Parameter};

use super::Refusal;

/// The functions, each of two arguments of the type of its result.
const STRICT: [&str; 10] = [
    "int8smaller",
    "int8larger",
    "numeric_smaller",
    "numeric_larger",
    "float8smaller",
    "float8larger",
    "date_smaller",
    "date_larger",
    "timestamp_smaller",
    "timestamp_larger",
];

pub(super) fn confirm(connection: &Connection) -> Result<(), Refusal> {
    let statement = "\
        SELECT p.proname::text FROM pg_catalog.pg_proc p \
        JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname = 'internal' \
        WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname::text = ANY ($1::text[]) \
          AND p.proisstrict AND p.provolatile = 'i' AND p.prosrc = p.proname::text AND p.pronargs = 2";
    let names = STRICT.iter().map(|name| Some((*name).to_owned())).collect();
    let found = connection.query(statement, &[Parameter::Texts(names)]).map_err(Refusal::of_call)?;
    let is_there = |name: &str| found.iter().any(|row| row.first().and_then(Cell::text) == Some(name));
    match STRICT.into_iter().find(|name| !is_there(name)) {
        Some(name) => Err(Refusal::Function { name }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_postgres::{Address, Limits};
    use pointillist_testkit::postgres::PostgresServer;

    #[test]
    fn a_function_that_was_changed_refuses_the_question() {
        let Some(server) = PostgresServer::shared() else { return };
        for change in ["CALLED ON NULL INPUT", "VOLATILE"] {
            let address = Address::parse(&server.new_database("functions")).unwrap();
            let connection = Connection::open(&address, None, &Limits::default()).unwrap();
            assert_eq!(confirm(&connection), Ok(()));
            connection.batch(&format!("ALTER FUNCTION pg_catalog.int8larger(int8, int8) {change}")).unwrap();
            assert_eq!(confirm(&connection), Err(Refusal::Function { name: "int8larger" }));
        }
    }
}
