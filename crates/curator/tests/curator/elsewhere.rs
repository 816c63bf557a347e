//! Tables that live on a server, asked through the whole curator: the error oracles, and texts that try to become statements.
//! What is asked of PostgreSQL here `elsewhere_spark.rs` asks of Spark.
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
pub const HOSTILE: [&str; 24] = [
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

/// A row of visits, column by column as texts.
pub type Visit = Vec<Option<String>>;

/// A server that visits are put on.
pub trait Elsewhere {
    fn name(&self) -> &'static str;
    /// Puts visits into a table of their own.
    fn put(&self, word: &str, rows: &[Visit]) -> Put;
}

/// Puts other visits into the place of those that are there.
type Refill = Box<dyn Fn(&[Visit])>;

/// Visits on a server.
pub struct Put {
    /// The clinic's catalog with this table.
    pub catalog: String,
    /// Something of the table that changes when it does.
    pub state: Box<dyn Fn() -> String>,
    /// Other visits in the same place.
    pub refill: Refill,
}

/// The rows of a file of visits.
pub fn rows_of(csv: &str) -> Vec<Visit> {
    csv.lines().skip(1).map(|line| line.split(',').map(|cell| Some(cell.to_owned())).collect()).collect()
}

/// The clinic's catalog with its visits behind a connection.
pub fn catalog(url: &str, source: &str) -> String {
    let source = serde_json::to_string(source).unwrap();
    format!("[connection.clinic]\nurl = \"{url}\"\n{CATALOG}")
        .replace("source = \"visits.csv\"", &format!("source = {source}"))
}

impl Elsewhere for PostgresServer {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn put(&self, word: &str, rows: &[Visit]) -> Put {
        let (url, name) = database(self, word);
        fill(self, &name, rows);
        let server = PostgresServer::shared().unwrap();
        Put {
            catalog: catalog(&url, "postgres:clinic/public.visits"),
            state: Box::new({
                let name = name.clone();
                move || server.sql(&name, "SELECT count(*) FROM visits")
            }),
            refill: Box::new(move |rows| {
                server.sql(&name, "DROP TABLE visits");
                fill(server, &name, rows);
            }),
        }
    }
}

/// A database, its address, and its name.
pub fn database(server: &PostgresServer, word: &str) -> (String, String) {
    let url = server.new_database(word);
    let name = url.split('?').next().and_then(|front| front.rsplit('/').next());
    let name = name.unwrap_or_default().to_owned();
    (url, name)
}

pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The clinic's visits in a database.
pub fn fill(server: &PostgresServer, name: &str, rows: &[Visit]) {
    let mut statements = "CREATE TABLE visits (patient int8, name text, region text, ward text, age int8, \
                          cost float8, ratio float8, day date, code text, flag bool);"
        .to_owned();
    for row in rows {
        // Standard strings: a backslash is itself.
        let value = |cell: &Option<String>| cell.as_deref().map_or_else(|| "NULL".to_owned(), quoted);
        let values: Vec<String> = row.iter().map(value).collect();
        write!(statements, "INSERT INTO visits VALUES ({});", values.join(", ")).unwrap();
    }
    server.sql(name, &statements);
}

pub fn count(reply: &Reply) -> Option<i64> {
    match reply.answer.rows.first()?.values.first()? {
        Some(Value::Integer(count)) => Some(*count),
        Some(Value::Number(count)) => Some(count.round() as i64),
        _ => None,
    }
}

/// Specification: same reply, same charge, no canary, and never a failure after the debit.
pub fn no_statement_fails_on_one_row(server: &dyn Elsewhere) {
    // One after the other in one place, whose name the ledger records.
    let put = server.put("oracles", &rows_of(&(visits(60) + &target_rows())));
    let all = |clinic: &Clinic| STATEMENTS.map(|statement| clinic.ask(&priced(statement)));
    let with = Clinic::with_catalog(&put.catalog, "");
    let with_target = all(&with);
    (put.refill)(&rows_of(&visits(60)));
    let without = Clinic::with_catalog(&put.catalog, "");
    let without_target = all(&without);
    let files = all(&Clinic::new(&visits(60)));
    let (mut answered, mut refused_there) = (0, Vec::new());
    for (at, statement) in STATEMENTS.into_iter().enumerate() {
        let (here, there) = (&with_target[at], &without_target[at]);
        assert_eq!(shape(here), shape(there), "{statement}");
        assert!(!format!("{here:?}").contains(CANARY), "{statement}");
        assert!(!matches!(here, Err(AskError::Failed | AskError::Away { .. })), "{statement}: {here:?}");
        answered += usize::from(here.is_ok());
        if files[at].is_ok()
            && let Err(error) = here
        {
            refused_there.push(format!("{error}: {statement}"));
        }
    }
    println!("{answered} of {} oracles are answered in {}", STATEMENTS.len(), server.name());
    println!("answered from files and refused there:\n  {}", refused_there.join("\n  "));
    assert!(answered >= 30, "{answered} were answered: total expressions are what closes oracles");
    let bytes = |clinic: &Clinic| clinic.curator.ledger().public_bytes().unwrap();
    assert_eq!(bytes(&with), bytes(&without));
}

#[test]
fn no_statement_fails_on_one_row_of_postgresql() {
    let Some(server) = PostgresServer::shared() else { return };
    no_statement_fails_on_one_row(server);
}

/// The statements are oracles: PostgreSQL itself fails on many of them with the target's rows, and on none of those without.
#[test]
fn the_server_itself_gives_the_person_away() {
    let Some(server) = PostgresServer::shared() else { return };
    let [with, without] = [visits(60) + &target_rows(), visits(60)].map(|rows| {
        let (_, name) = database(server, "ordinary");
        fill(server, &name, &rows_of(&rows));
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
pub fn a_text_of_an_analyst_stays_a_text(server: &dyn Elsewhere) {
    let mut rows = rows_of(&visits(20));
    for (number, text) in HOSTILE.iter().enumerate() {
        let mut row: Visit = vec![None; 10];
        row[0] = Some((100 + number).to_string());
        (row[1], row[3]) = (Some((*text).to_owned()), Some((*text).to_owned()));
        rows.push(row);
    }
    let put = server.put("literals", &rows);
    let clinic = Clinic::with_catalog(&put.catalog.replace("rho = 50,", "rho = 50000,"), "");
    // At this price the noise of a count is zero but for one run in 1e15.
    let ask = |rest: &str| {
        clinic.ask(&format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 40, max_contributions = 1, max_groups = 1) {rest}"
        ))
    };
    let before = (put.state)();
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
    assert_eq!((put.state)(), before);
}

#[test]
fn a_text_of_an_analyst_stays_a_text_in_postgresql() {
    let Some(server) = PostgresServer::shared() else { return };
    a_text_of_an_analyst_stays_a_text(server);
}

/// Specification: names of tables, schemas and columns, and public keys, whatever they hold: the catalog refuses them, the
/// question is refused, or it is answered from the very table of that name; and the other tables are still there.
///
/// `make` makes a table of two rows of a text: (1, text, text) and (2, NULL, 'b') in the columns `patient`, the text and `k`; it
/// gives back its source, and the name of the second column.
pub fn a_name_of_an_owner_stays_a_name(url: &str, mut make: impl FnMut(usize, &str) -> (String, String)) {
    let long = "x".repeat(70);
    let (mut answered, mut refused) = (0, 0);
    for (number, text) in
        HOSTILE.iter().copied().chain(["a.b", "a\0b", long.as_str(), "ctid", "C", " "]).enumerate()
    {
        let toml = |text: &str| serde_json::to_string(text).unwrap().replace("\\/", "/");
        let (source, column) = make(number, text);
        let catalog = format!(
            "[scope.patients]\nbudget = {{ rho = 50000, delta = 1e-6 }}\n[connection.clinic]\nurl = \"{url}\"\n\
             [table.odd]\nscope = \"patients\"\nsource = {}\nprivacy_unit = \"patient\"\nmax_groups = 1\n\
             max_contributions = 1\n[table.odd.columns]\npatient = {{ type = \"integer\" }}\n\
             k = {{ type = \"text\", public_keys = [{}, \"b\"] }}\n\
             c = {{ type = \"text\", name = {} }}\n",
            toml(&source),
            toml(text),
            toml(&column),
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
}

#[test]
fn a_name_of_an_owner_stays_a_name_in_postgresql() {
    let Some(server) = PostgresServer::shared() else { return };
    let (url, name) = database(server, "names");
    fill(server, &name, &rows_of(&visits(5)));
    a_name_of_an_owner_stays_a_name(&url, |_, text| {
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
        (format!("postgres:clinic/{identifier}.{identifier}"), text.to_owned())
    });
    assert_eq!(
        server.sql(&name, "SELECT count(*) FROM visits"),
        visits(5).lines().skip(1).count().to_string()
    );
}
