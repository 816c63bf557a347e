//! Tables whose rows could make a statement fail, or that are not tables at all, are refused before anybody pays.
//!
//! **Guarantee.** What passes is ordinary storage: heap tables, their partitions and inheriting tables, and materialized views,
//! logged and permanent, without rules; columns that are computed when they are read are refused by name (`schema.rs`). Reading such rows runs no
//! expression of anybody, so that nothing but sizes and the machine can end a statement of total expressions.
//!
//! **Views and row security** run their owner's expressions on rows: `10 / i` in a policy ends a question if one `i` is zero, and
//! a subquery in one lets a person's row hide another's. They pass only where the owner has written `trust_views = true`, and
//! then these two facts are the owner's word: that no such expression can fail on any row, and that it looks at the rows of one
//! person at a time. What lies behind a view is held to the rule above all the same.
//!
//! **A part of another table** is refused: questions about the other table read its rows as well, and two budgets could pay for them.
//!
//! **Not covered.** A partition that is attached between this look and the statement, and a function whose body is replaced
//! in that moment, which only concerns trusted views.

use pointillist_postgres::{Cell, Connection};

use super::{Refusal, TableName};

/// The table, whatever inherits from it, and whatever views among these are made of.
const FAMILY: &str = "\
WITH RECURSIVE family (oid, behind_view) AS (
    SELECT c.oid, false
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relname = $2::text
  UNION
    SELECT next.oid, next.behind_view
    FROM family f
    CROSS JOIN LATERAL (
        SELECT i.inhrelid, f.behind_view FROM pg_catalog.pg_inherits i WHERE i.inhparent = f.oid
      UNION ALL
        SELECT d.refobjid, true
        FROM pg_catalog.pg_class v
        JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
        JOIN pg_catalog.pg_depend d
          ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
         AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> v.oid
        WHERE v.oid = f.oid AND v.relkind = 'v'
    ) AS next (oid, behind_view)
)
SELECT
    c.oid::int8,
    c.relkind::text,
    c.relpersistence::text,
    c.relrowsecurity,
    EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid),
    (SELECT m.amname::text FROM pg_catalog.pg_am m WHERE m.oid = c.relam),
    (SELECT pg_catalog.min(a.attname::text) FROM pg_catalog.pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated NOT IN ('', 's')
       AND f.behind_view),
    c.relispopulated,
    EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
      AND n.nspname = $1::text AND c.relname = $2::text,
    n.nspname = $1::text AND c.relname = $2::text
FROM family f
JOIN pg_catalog.pg_class c ON c.oid = f.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY f.behind_view, c.oid";

/// Refuses a table by the first thing about it that could fail on a row.
pub(super) fn check(connection: &Connection, table: &TableName, trust_views: bool) -> Result<(), Refusal> {
    let rows = connection.query(FAMILY, &table.parameters()).map_err(Refusal::of_call)?;
    if rows.is_empty() {
        return Err(Refusal::Missing { table: table.to_string() });
    }
    rows.iter().try_for_each(|row| judge(table, row, trust_views))
}

fn judge(table: &TableName, row: &[Cell], trust_views: bool) -> Result<(), Refusal> {
    let text = |index: usize| row[index].text().unwrap_or_default();
    // Whatever cannot be read as a truth value counts against the table.
    let is_so = |index: usize| row[index].boolean().unwrap_or(true);
    // Parts of a table are often named after what is in them: they are not named to whoever asks.
    let is_part = row[9].boolean() != Some(true);
    let table = table.to_string();
    let refuse = |what: &str| {
        let what = if is_part { format!("made of a part that is {what}") } else { what.to_owned() };
        Err(Refusal::Kind { table: table.clone(), what })
    };
    match text(1) {
        // An ordinary table, a partitioned one, a materialized view.
        "r" | "p" | "m" => {}
        "v" if trust_views => {}
        "v" => return Err(Refusal::View { table }),
        "f" => return refuse("a foreign table, whose server can fail or round on its own"),
        _ => return refuse("no table"),
    }
    match text(2) {
        "p" => {}
        "t" => return refuse("a temporary table, which ends with its session"),
        "u" => return refuse("an unlogged table, which is empty after a crash"),
        _ => return refuse("stored in a way that is not known"),
    }
    if is_so(3) && !trust_views {
        return Err(Refusal::RowSecurity { table });
    }
    // A view is a rule, and so is what a materialized view was filled by.
    if is_so(4) && matches!(text(1), "r" | "p") {
        return refuse("a table with rules");
    }
    match &row[5] {
        Cell::Null => {}
        Cell::Text(method) if method == "heap" => {}
        Cell::Text(method) => return refuse(&format!("stored by the access method `{method}`")),
        _ => return refuse("stored by an access method that is not known"),
    }
    if !row[7].boolean().unwrap_or(false) {
        return refuse("a materialized view that was never filled, or emptied");
    }
    if is_so(8) {
        return refuse("a part of another table, whose questions read its rows as well");
    }
    match &row[6] {
        Cell::Null => Ok(()),
        Cell::Text(column) => Err(Refusal::Virtual { table, column: column.clone() }),
        _ => refuse("computed when it is read"),
    }
}
