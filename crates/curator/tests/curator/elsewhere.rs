//! Tables that live in PostgreSQL, asked through the whole curator: the error oracles, and texts that try to become statements.
//!
//! An ordinary server fails on one row and says so; here every reply is the same with and without the target's rows, and
//! nothing fails after it was paid for. Whatever an analyst writes as a text, or an owner as a name, stays one.

use std::fmt::Write;

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{AskError, Reply};
use pointillist_testkit::postgres::PostgresServer;

use crate::clinic::{CANARY, CATALOG, Clinic, target_rows, visits};
use crate::oracles::{STATEMENTS, priced};
use crate::twins::shape;

/// Texts that end a literal or a name somewhere, or begin something else.
const HOSTILE: [&str; 24] = [
    "'; DROP TABLE visits; --",
    "' OR '1'='1",
    "\"; DROP TABLE visits; --",
    "\\'; DROP TABLE visits; --",
    "\\",
    "\\\\'",
    "$$; DROP TABLE visits; $$",
    "$1",
    "$tag$x$tag$",
    "/* ",
    "*/ DROP TABLE visits; /*",
    "-- ",
    "U&'\\0027'",
    "U&\"\\0022\"",
    "\u{2019}; DROP TABLE visits; --",
    "\u{FF07}",
    "%s {0} {1} ${2}",
    "E'\\x27'",
    "`; DROP TABLE visits; --",
    "a\nb\r\tc",
    "\u{1F9D0}\u{FEFF}\u{202E}",
    "NULL",
    "?",
    ";",
];

/// A database, its address, and its name.
fn database(server: &PostgresServer, word: &str) -> (String, String) {
    let url = server.new_database(word);
    let name = url.split('?').next().and_then(|front| front.rsplit('/').next());
    let name = name.unwrap_or_default().to_owned();
    (url, name)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The clinic's visits in a database.
fn fill(server: &PostgresServer, name: &str, rows: &str) {
    let mut statements = "CREATE TABLE visits (patient int8, name text, region text, ward text, age int8, \
                          cost float8, ratio float8, day date, code text, flag bool);"
        .to_owned();
    for row in rows.lines().skip(1) {
        let values: Vec<String> = row.split(',').map(quoted).collect();
        write!(statements, "INSERT INTO visits VALUES ({});", values.join(", ")).unwrap();
    }
    server.sql(name, &statements);
}

fn catalog(url: &str) -> String {
    format!("[connection.clinic]\nurl = \"{url}\"\n{CATALOG}")
        .replace("source = \"visits.csv\"", "source = \"postgres:clinic/public.visits\"")
}

fn clinic(server: &PostgresServer, word: &str, rows: &str) -> Clinic {
    let (url, name) = database(server, word);
    fill(server, &name, rows);
    Clinic::with_catalog(&catalog(&url), "")
}

fn count(reply: &Reply) -> Option<i64> {
    match reply.answer.rows.first()?.values.first()? {
        Some(Value::Integer(count)) => Some(*count),
        Some(Value::Number(count)) => Some(count.round() as i64),
        _ => None,
    }
}

/// Specification: same reply, same charge, no canary, and never a failure after the debit.
#[test]
fn no_statement_fails_on_one_row_of_a_server() {
    let Some(server) = PostgresServer::shared() else { return };
    let with = clinic(server, "oracles", &(visits(60) + &target_rows()));
    let without = clinic(server, "oracles", &visits(60));
    let files = Clinic::new(&visits(60));
    let (mut answered, mut refused_there) = (0, Vec::new());
    for statement in STATEMENTS {
        let sql = priced(statement);
        let (here, there) = (with.ask(&sql), without.ask(&sql));
        assert_eq!(shape(&here), shape(&there), "{statement}");
        assert!(!format!("{here:?}").contains(CANARY), "{statement}");
        assert!(!matches!(here, Err(AskError::Failed | AskError::Away { .. })), "{statement}: {here:?}");
        answered += usize::from(here.is_ok());
        if files.ask(&sql).is_ok()
            && let Err(error) = &here
        {
            refused_there.push(format!("{error}: {statement}"));
        }
    }
    println!("{answered} of {} oracles are answered in PostgreSQL", STATEMENTS.len());
    println!("answered from files and refused there:\n  {}", refused_there.join("\n  "));
    assert!(answered >= 30, "{answered} were answered: total expressions are what closes oracles");
    let bytes = |clinic: &Clinic| clinic.curator.ledger().public_bytes().unwrap();
    assert_eq!(bytes(&with), bytes(&without));
}

/// The statements are oracles: PostgreSQL itself fails on many of them with the target's rows, and on none of those without.
#[test]
fn the_server_itself_gives_the_person_away() {
    let Some(server) = PostgresServer::shared() else { return };
    let [with, without] = [visits(60) + &target_rows(), visits(60)].map(|rows| {
        let (_, name) = database(server, "ordinary");
        fill(server, &name, &rows);
        server.sql(
            &name,
            "CREATE FUNCTION fails(question text) RETURNS bool LANGUAGE plpgsql AS \
             'BEGIN EXECUTE question; RETURN false; EXCEPTION WHEN OTHERS THEN RETURN true; END'",
        );
        let questions = STATEMENTS.iter().map(|statement| quoted(&format!("SELECT {statement}")));
        let list = questions.collect::<Vec<_>>().join(", ");
        let fails = format!("SELECT fails(q) FROM unnest(ARRAY[{list}]) WITH ORDINALITY u (q, n) ORDER BY n");
        server.sql(&name, &fails)
    });
    let gives_away = with.lines().zip(without.lines()).filter(|outcomes| *outcomes == ("t", "f")).count();
    println!("{gives_away} statements separate the two tables in PostgreSQL");
    assert!(gives_away >= 15, "only {gives_away} statements separate the two tables");
}

/// Specification: a hostile text is found where it stands, as itself; one with U+0000, which no text of PostgreSQL holds, is
/// refused or found nowhere; and the tables are still there.
#[test]
fn a_text_of_an_analyst_stays_a_text() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, name) = database(server, "literals");
    fill(server, &name, &visits(20));
    for (number, text) in HOSTILE.iter().enumerate() {
        // Standard strings: a backslash is itself.
        let text = quoted(text);
        server.sql(
            &name,
            &format!("INSERT INTO visits (patient, name, ward) VALUES ({}, {text}, {text})", 100 + number),
        );
    }
    let catalog = catalog(&url).replace("rho = 50,", "rho = 50000,");
    let clinic = Clinic::with_catalog(&catalog, "");
    // At this price the noise of a count is zero but for one run in 1e15.
    let ask = |rest: &str| {
        clinic.ask(&format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 40, max_contributions = 1, max_groups = 1) {rest}"
        ))
    };
    let rows = || server.sql(&name, "SELECT count(*) FROM visits");
    let before = rows();
    let mut answered = 0;
    for text in HOSTILE {
        let text = quoted(text);
        for (statement, expected) in [
            (format!("count(*) FROM visits WHERE name = {text}"), 1),
            (format!("count(*) FROM visits WHERE name IN ('nobody', {text})"), 1),
            (
                format!(
                    "count(*) FROM visits WHERE concat(ward, {text}) = concat({text}, name) AND patient >= 100"
                ),
                24,
            ),
            (format!("count(*) FROM visits WHERE CASE WHEN name = {text} THEN {text} END IS NOT NULL"), 1),
            (format!("count(*) FROM visits WHERE position({text} IN name) = 1 AND name = {text}"), 1),
        ] {
            let reply = ask(&statement);
            assert!(
                !matches!(reply, Err(AskError::Failed | AskError::Away { .. })),
                "{statement}: {reply:?}"
            );
            // A text before and after another is the same text only for itself and for repetitions of it.
            let Ok(reply) = reply else { continue };
            answered += 1;
            let count = count(&reply);
            match expected {
                24 => assert!(count >= Some(1), "{statement}: {count:?}"),
                _ => assert_eq!(count, Some(expected), "{statement}"),
            }
        }
        let like = text.replace('%', "!%").replace('_', "!_");
        let reply = ask(&format!("count(*) FROM visits WHERE name LIKE {like} ESCAPE '!'"));
        assert!(!matches!(reply, Err(AskError::Failed | AskError::Away { .. })), "LIKE {like}: {reply:?}");
        if let Ok(reply) = reply {
            assert_eq!(count(&reply), Some(1), "LIKE {like}");
            answered += 1;
        }
    }
    for statement in
        ["count(*) FROM visits WHERE name = 'a\0b'", "count(*) FROM visits WHERE concat(name, '\0') = ''"]
    {
        let reply = ask(statement);
        assert!(!matches!(reply, Err(AskError::Failed | AskError::Away { .. })), "{statement:?}: {reply:?}");
    }
    println!("{answered} questions with hostile texts are answered");
    assert!(answered >= 5 * HOSTILE.len(), "{answered} of {} are answered", 6 * HOSTILE.len());
    assert_eq!(rows(), before);
}

/// Specification: names of tables, schemas and columns, and public keys, whatever they hold: the catalog refuses them, the
/// question is refused, or it is answered from the very table of that name; and the other tables are still there.
#[test]
fn a_name_of_an_owner_stays_a_name() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, name) = database(server, "names");
    fill(server, &name, &visits(5));
    let long = "x".repeat(70);
    let (mut answered, mut refused) = (0, 0);
    for (number, text) in
        HOSTILE.iter().copied().chain(["a.b", "a\0b", long.as_str(), "ctid", "C", " "]).enumerate()
    {
        let identifier = format!("\"{}\"", text.replace('"', "\"\""));
        if !text.contains('\0') {
            server.sql(
                &name,
                &format!(
                    "CREATE SCHEMA IF NOT EXISTS {identifier}; CREATE TABLE {identifier}.{identifier} \
                     (patient int8, {column} text, k text); \
                     INSERT INTO {identifier}.{identifier} VALUES (1, {value}, {value}), (2, NULL, 'b')",
                    value = quoted(text),
                    column = if text == "ctid" { "c" } else { &identifier },
                ),
            );
        }
        let toml = |text: &str| serde_json::to_string(text).unwrap().replace("\\/", "/");
        let source = format!("postgres:clinic/{identifier}.{identifier}");
        let catalog = format!(
            "[scope.patients]\nbudget = {{ rho = 50000, delta = 1e-6 }}\n[connection.clinic]\nurl = \"{url}\"\n\
             [table.odd]\nscope = \"patients\"\nsource = {}\nprivacy_unit = \"patient\"\nmax_groups = 1\n\
             max_contributions = 1\n[table.odd.columns]\npatient = {{ type = \"integer\" }}\n\
             k = {{ type = \"text\", public_keys = [{}, \"b\"] }}\n\
             c = {{ type = \"text\", name = {} }}\n",
            toml(&source),
            toml(text),
            toml(text),
        );
        if Catalog::parse(&catalog).is_err() {
            refused += 1;
            continue;
        }
        let clinic = Clinic::with_catalog(&catalog, "");
        for (rest, expected) in [
            ("count(c) FROM odd", 1),
            ("count(*) FROM odd WHERE c = k", 1),
            ("k, count(*) FROM odd GROUP BY k", 0),
            ("c, count(*) FROM odd GROUP BY c", 0),
        ] {
            let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 40) {rest}");
            let reply = clinic.ask(&sql);
            assert!(!matches!(reply, Err(AskError::Failed)), "{number} {text:?}: {rest}: {reply:?}");
            match reply {
                Err(_) => refused += 1,
                Ok(reply) => {
                    answered += 1;
                    if expected > 0 {
                        assert_eq!(count(&reply), Some(expected), "{text:?}: {rest}");
                    }
                }
            }
        }
    }
    println!("{answered} questions about hostile names are answered, {refused} refused");
    assert!(answered >= 40, "{answered} are answered");
    assert_eq!(
        server.sql(&name, "SELECT count(*) FROM visits"),
        visits(5).lines().skip(1).count().to_string()
    );
}
