use super::*;

fn read(sql: &str) -> Command {
    Command::read(sql).unwrap_or_else(|failure| panic!("{sql}: {failure:?}"))
}

fn set(name: &str, value: &str) -> Command {
    Command::Set { local: false, name: name.to_owned(), value: Some(value.to_owned()) }
}

#[test]
fn transactions_are_read_in_all_their_words() {
    for sql in [
        "BEGIN",
        "begin transaction isolation level repeatable read read only",
        "BEGIN READ ONLY",
        "Begin Work",
    ] {
        assert_eq!(read(sql), Command::Begin { tag: "BEGIN" }, "{sql}");
    }
    assert_eq!(read("START TRANSACTION READ ONLY, DEFERRABLE"), Command::Begin { tag: "START TRANSACTION" });
    for sql in ["COMMIT", "END", "commit work", "END TRANSACTION AND NO CHAIN"] {
        assert_eq!(read(sql), Command::Commit { chain: false }, "{sql}");
    }
    assert_eq!(read("ABORT"), Command::Rollback { chain: false });
    assert_eq!(read("rollback and chain"), Command::Rollback { chain: true });
    assert_eq!(read("ROLLBACK TO SAVEPOINT \"_Pg3_2\""), Command::RollbackTo("_Pg3_2".to_owned()));
    assert_eq!(read("release _EXEC_SVP_0x55"), Command::Release("_exec_svp_0x55".to_owned()));
    assert_eq!(Command::read("BEGIN WORSE").unwrap_err().sqlstate, "42601");
}

#[test]
fn settings_are_read_as_clients_write_them() {
    assert_eq!(read("SET extra_float_digits = 3"), set("extra_float_digits", "3"));
    assert_eq!(read("SET SESSION search_path TO 'public'"), set("search_path", "public"));
    assert_eq!(read("set datestyle to 'iso, mdy'"), set("datestyle", "iso, mdy"));
    assert_eq!(read("SET DateStyle = ISO, MDY"), set("datestyle", "ISO, MDY"));
    assert_eq!(read("SET TIME ZONE 'UTC'"), set("timezone", "UTC"));
    assert_eq!(read("SET SESSION TIMEZONE TO 'UTC'"), set("timezone", "UTC"));
    assert_eq!(read("SET NAMES 'utf8'"), set("client_encoding", "utf8"));
    assert_eq!(read("set pointillist.epsilon = 0.5"), set("pointillist.epsilon", "0.5"));
    assert_eq!(read("SET x.y = -1.5"), set("x.y", "-1.5"));
    let local = Command::Set { local: true, name: "statement_timeout".to_owned(), value: None };
    assert_eq!(read("SET LOCAL statement_timeout TO DEFAULT"), local);
    for sql in [
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "SET TRANSACTION READ ONLY",
        "SET SESSION AUTHORIZATION DEFAULT",
        "SET ROLE NONE",
        "set role = none",
    ] {
        assert_eq!(read(sql), Command::SetNothing, "{sql}");
    }
    for sql in ["SET ROLE bob", "SET SESSION AUTHORIZATION 'bob'", "SET TRANSACTION SNAPSHOT '1'"] {
        assert_eq!(Command::read(sql).unwrap_err().sqlstate, "42501", "{sql}");
    }
    assert_eq!(
        read("show transaction isolation level"),
        Command::Show(Some("transaction_isolation".to_owned()))
    );
    assert_eq!(read("SHOW TIME ZONE"), Command::Show(Some("timezone".to_owned())));
    assert_eq!(read("SHOW TABLES"), Command::List);
    assert_eq!(read("RESET ALL"), Command::Reset(None));
}

#[test]
fn cursors_are_read_as_clients_write_them() {
    let Command::Declare(declared) =
        read("DECLARE _psql_cursor NO SCROLL CURSOR FOR select 1 ; ".trim_end_matches([' ', ';']))
    else {
        panic!("no cursor")
    };
    assert_eq!(
        (declared.name.as_str(), declared.scroll, declared.query.as_str()),
        ("_psql_cursor", false, "select 1")
    );
    let Command::Declare(declared) = read("declare \"SQL_CUR1\" cursor with hold for SELECT 2") else {
        panic!("none")
    };
    assert!(declared.hold && declared.name == "SQL_CUR1");
    let direction = |sql: &str| match read(sql) {
        Command::Fetch { direction, .. } => direction,
        other => panic!("{other:?}"),
    };
    for (sql, wanted) in [
        ("FETCH FORWARD 5 FROM _psql_cursor", Direction::Count(5)),
        ("fetch 2048 in \"SQL_CUR1\"", Direction::Count(2048)),
        ("FETCH c", Direction::Count(1)),
        ("FETCH ALL FROM c", Direction::ForwardAll),
        ("FETCH FORWARD ALL c", Direction::ForwardAll),
        ("MOVE BACKWARD 2 IN c", Direction::Count(-2)),
        ("FETCH ABSOLUTE -1 FROM c", Direction::Absolute(-1)),
    ] {
        assert_eq!(direction(sql), wanted, "{sql}");
    }
}

#[test]
fn copies_are_read_in_old_and_new_words() {
    let options = |sql: &str| match read(sql) {
        Command::Copy { query, options } => {
            assert_eq!(query, "select (1), ')'", "{sql}");
            options
        }
        other => panic!("{other:?}"),
    };
    let copy = |rest: &str| options(&format!("COPY  ( select (1), ')' ) TO STDOUT {rest}"));
    assert_eq!(copy("").format, CopyFormat::Text);
    for binary in ["WITH BINARY", "(FORMAT binary)", "(FORMAT \"binary\")", "WITH (FORMAT 'binary')"] {
        assert_eq!(copy(binary).format, CopyFormat::Binary, "{binary}");
    }
    let csv = copy("WITH CSV HEADER DELIMITER AS ';'");
    assert_eq!((csv.format, csv.header, csv.delimiter), (CopyFormat::Csv, true, ';'));
    let csv = copy("(FORMAT csv, HEADER, DELIMITER '|', NULL 'none')");
    assert_eq!((csv.header, csv.delimiter, csv.null.as_str()), (true, '|', "none"));
    for (sql, sqlstate) in [
        ("COPY visits TO STDOUT", "42501"),
        ("COPY visits FROM STDIN", "25006"),
        ("COPY (select 1) TO '/etc/passwd'", "42501"),
        ("COPY (select 1) TO PROGRAM 'rm'", "42501"),
        ("COPY (select 1) TO STDOUT (FORMAT csv, DELIMITER '')", "22023"),
        ("COPY (select 1 TO STDOUT", "42601"),
    ] {
        assert_eq!(Command::read(sql).unwrap_err().sqlstate, sqlstate, "{sql}");
    }
}

#[test]
fn what_is_not_done_says_so_with_codes_that_keep_the_connection() {
    for (sql, sqlstate) in [
        ("INSERT INTO visits VALUES (1)", "25006"),
        ("DROP TABLE visits", "25006"),
        ("CREATE LOCAL TEMPORARY TABLE \"#Tableau\" (\"COL\" INTEGER)", "42501"),
        ("CREATE TABLE x (a int)", "25006"),
        ("LISTEN x", "42501"),
        ("DO $$ begin end $$", "42501"),
        ("EXPLAIN ANALYZE SELECT 1", "42501"),
        ("EXPLAIN (ANALYZE, BUFFERS) SELECT 1", "42501"),
        ("FROBNICATE", "42601"),
        ("'text'", "42601"),
    ] {
        assert_eq!(Command::read(sql).unwrap_err().sqlstate, sqlstate, "{sql}");
    }
    let failure = Command::read("frob it").unwrap_err();
    assert_eq!((failure.message.as_str(), failure.position), ("syntax error at or near \"frob\"", Some(1)));
}

/// Specification: whatever is sent is split and read, or refused; it is never a panic, and statements are parts of the message.
#[test]
fn whatever_is_sent_is_read_or_refused() {
    let words = [
        "select",
        "copy",
        "(",
        ")",
        ";",
        "'",
        "\"",
        "$1",
        "$$",
        "E'\\",
        "/*",
        "*/",
        "--",
        "\n",
        "é",
        "\u{0}",
        "declare",
        "cursor",
        "for",
        "fetch",
        "-",
        "9999999999999999999",
        "set",
        "=",
        ",",
        "explain",
        "to",
        "stdout",
        "with",
        "begin",
        "prepare",
        "as",
        "execute",
        "x",
        ".",
        "delimiter",
        "format",
        "header",
        "show",
        "time",
        "zone",
        "absolute",
        "all",
        "from",
        "\\",
        "U&'",
        "b'",
    ];
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut message = String::new();
        for _ in 0..1 + state % 9 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            message.push_str(words[(state >> 33) as usize % words.len()]);
            message.push_str([" ", ""][(state >> 20) as usize % 2]);
        }
        for statement in crate::wire::tokens::split(&message).unwrap_or_default() {
            assert!(message.contains(statement) && !statement.is_empty());
            let _ = Command::read(statement);
        }
    }
}

#[test]
fn explanations_know_their_query_from_their_options() {
    let explain = |sql: &str| match read(sql) {
        Command::Explain { query, json, plan } => (query, json, plan),
        other => panic!("{other:?}"),
    };
    assert_eq!(explain("EXPLAIN SELECT 1"), ("SELECT 1".to_owned(), false, false));
    assert_eq!(explain("explain private verbose SELECT 1"), ("SELECT 1".to_owned(), false, true));
    assert_eq!(explain("EXPLAIN (FORMAT JSON, COSTS off) SELECT 1"), ("SELECT 1".to_owned(), true, false));
    assert_eq!(explain("EXPLAIN (SELECT 1)"), ("(SELECT 1)".to_owned(), false, false));
}
