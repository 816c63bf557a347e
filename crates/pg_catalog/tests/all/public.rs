//! The catalog is a function of `pointillist.toml` and of who asks.

use pointillist_pg_catalog::{PgError, SystemCatalog};

use crate::fixture::{CATALOG, ask, catalog, lines};

fn rows(system: &SystemCatalog, sql: &str) -> Vec<String> {
    lines(&ask(system, sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}")))
}

fn tables(system: &SystemCatalog) -> Vec<String> {
    let sql = "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname <> 'public' ORDER BY 1";
    rows(system, sql)
}

/// Specification: two servers of one catalog tell the same, whatever lies in their files; here nothing lies anywhere.
#[test]
fn twins_tell_the_same() {
    let one = SystemCatalog::new(&catalog(CATALOG), "shop");
    // Another place of the same files and another version of their data are no business of the catalog's readers.
    let moved = CATALOG.replace("no/such/", "other/");
    let other = SystemCatalog::new(&catalog(&moved), "shop");
    for table in tables(&one) {
        let sql = format!("SELECT * FROM {table}");
        assert_eq!(rows(&one, &sql), rows(&other, &sql), "{table}");
    }
    assert!(tables(&one).len() > 100);
}

/// Specification: whoever asks reads of no other analyst, and of no file.
#[test]
fn nothing_of_others_and_no_file_is_told() {
    let system = SystemCatalog::new(&catalog(CATALOG), "shop");
    for table in tables(&system) {
        for row in rows(&system, &format!("SELECT * FROM {table}")) {
            assert!(!row.contains(".csv"), "{table}: {row}");
            assert!(
                !row.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "bo"),
                "{table}: {row}"
            );
        }
    }
}

#[test]
fn what_is_not_declared_does_not_exist() {
    let system = SystemCatalog::new(&catalog(CATALOG), "shop");
    let sqlstate =
        |sql: &str| ask(&system, sql, &[]).map_or_else(|error: PgError| error.sqlstate, |_| "answered");
    assert_eq!(sqlstate("SELECT 'public.nobody'::regclass"), "42P01");
    assert_eq!(sqlstate("SELECT * FROM pg_authid"), "42P01");
    assert_eq!(sqlstate("SELECT nothing FROM pg_class"), "42703");
    assert_eq!(sqlstate("SELECT pg_read_file('/etc/passwd')"), "42883");
    assert_eq!(sqlstate("SELECT pg_sleep(10)"), "42883");
    assert_eq!(rows(&system, "SELECT to_regclass('nobody'), to_regtype('hstore')"), ["␀|␀"]);
    assert_eq!(
        rows(
            &system,
            "SELECT has_table_privilege('visits', 'select'), has_table_privilege('visits', 'insert')"
        ),
        ["t|f"]
    );
}
