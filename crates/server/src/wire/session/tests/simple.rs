use pointillist_access::Role;

use super::house::House;

const COUNT: &str = "SELECT count(*) AS n FROM visits";

#[tokio::test]
async fn a_question_is_answered_with_its_price_before_the_end() {
    let house = House::new();
    let mut ana = house.ana().await;
    let replies = ana.ask_aloud(COUNT).await;
    assert_eq!(replies[0], "T n:20");
    assert!(replies[1].starts_with("D ") && replies[1][2..].parse::<i64>().is_ok(), "{replies:?}");
    let notices: Vec<&String> = replies.iter().filter(|reply| reply.starts_with('N')).collect();
    assert!(notices[0].starts_with("N 00000 price: ε = "), "{notices:?}");
    assert!(notices.iter().any(|notice| notice.contains("error: n: ± ")), "{notices:?}");
    assert!(notices.iter().any(|notice| notice.contains("left: ")), "{notices:?}");
    assert_eq!(replies[replies.len() - 2..], ["C SELECT 1", "Z I"]);
    let again = ana.ask_aloud(COUNT).await;
    assert_eq!(again[1], replies[1], "the same question has the same answer");
    assert!(again.iter().any(|reply| reply.contains("price: free: asked before")), "{again:?}");
    ana.ask("SET client_min_messages = warning").await;
    assert!(ana.ask_aloud(COUNT).await.iter().all(|reply| !reply.starts_with('N')));
}

#[tokio::test]
async fn several_statements_are_answered_up_to_the_first_mistake() {
    let house = House::new();
    let mut ana = house.ana().await;
    let replies = ana.ask(&format!("{COUNT}; SELECT * FROM visits; {COUNT}")).await;
    assert_eq!((replies[0].as_str(), replies[2].as_str()), ("T n:20", "C SELECT 1"));
    assert!(replies[3].starts_with("E 42501 "), "{replies:?}");
    assert_eq!(replies[4..], ["Z I"]);
    let before = house.left("ana");
    assert!(ana.ask("SELECT sum(age) FROM visits; SELECT 'open").await[0].starts_with("E 42601 "));
    assert_eq!(house.left("ana"), before, "of a message that is not SQL nothing is done");
    for empty in ["", ";", "-- ping", " /* ; */ ; "] {
        assert_eq!(ana.ask(empty).await, ["I", "Z I"], "{empty}");
    }
}

#[tokio::test]
async fn names_that_are_not_known_are_told_as_postgresql_tells_them() {
    let house = House::new();
    let mut ana = house.ana().await;
    assert_eq!(ana.ask("SELECT count(*) FROM vizits").await[0], "E 42P01 relation \"vizits\" does not exist");
    let reply = ana.ask("SELECT count(*) FROM visits WHERE regio = 'x'").await;
    assert_eq!(reply[0], "E 42703 column \"regio\" does not exist");
}

#[tokio::test]
async fn settings_are_set_shown_and_undone() {
    let house = House::new();
    let mut ana = house.ana().await;
    assert_eq!(ana.ask("SET application_name = 'psql'").await, ["S application_name=psql", "C SET", "Z I"]);
    assert_eq!(ana.ask("SHOW application_name").await, ["T application_name:25", "D psql", "C SHOW", "Z I"]);
    ana.ask("BEGIN").await;
    ana.ask("SET LOCAL application_name = 'local'").await;
    ana.ask("SET statement_timeout = 5000").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D local");
    assert_eq!(ana.ask("COMMIT").await, ["S application_name=psql", "C COMMIT", "Z I"]);
    assert_eq!(ana.ask("SHOW statement_timeout").await[1], "D 5s");
    ana.ask("BEGIN; SET application_name = 'gone'; SAVEPOINT s; SET application_name = 'gone too'").await;
    ana.ask("ROLLBACK TO s").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D gone");
    assert_eq!(ana.ask("ROLLBACK").await, ["S application_name=psql", "C ROLLBACK", "Z I"]);
    assert!(ana.ask("SET pointillist.epsilon = 'lots'").await[0].starts_with("E 22023 "));
    assert!(ana.ask("SET nothing_known = 1").await[0].starts_with("E 42704 "));
    assert_eq!(ana.ask("DISCARD ALL").await.last().unwrap(), "Z I");
    assert_eq!(ana.ask("SHOW statement_timeout").await[1], "D 0");
}

#[tokio::test]
async fn prices_of_a_session_are_the_prices_of_its_questions() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SET pointillist.epsilon = 0.25").await;
    let replies = ana.ask_aloud(COUNT).await;
    assert!(replies.iter().any(|reply| reply.contains("price: ε = 0.25;")), "{replies:?}");
    let explained = ana.ask("EXPLAIN SELECT sum(age) FROM visits").await;
    assert_eq!(explained[0], "T QUERY PLAN:25");
    assert!(explained.iter().any(|line| line.starts_with("D price    ε = 0.25")), "{explained:?}");
    assert_eq!(explained[explained.len() - 2..], ["C EXPLAIN", "Z I"]);
}

#[tokio::test]
async fn intervals_are_columns_for_whoever_wants_them() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SET pointillist.intervals = on").await;
    let replies = ana.ask("SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region").await;
    assert_eq!(replies[0], "T region:25 n:20 n_low:701 n_high:701");
    let values: Vec<&str> = replies[1][2..].split('|').collect();
    let [n, low, high] = [1, 2, 3].map(|column| values[column].parse::<f64>().unwrap());
    assert!(low < n && n < high, "{replies:?}");
    assert_eq!(replies[5], "C SELECT 4");
}

#[tokio::test]
async fn probes_of_columns_are_free_and_row_reads_are_refused() {
    let house = House::new();
    let mut ana = house.ana().await;
    let before = house.left("ana");
    for (sql, columns) in [
        ("SELECT TRUE AS \"_\" FROM \"public\".\"visits\" WHERE 1 <> 1 LIMIT 0", "T _:16"),
        ("SELECT * FROM visits LIMIT 0", "T patient:20 region:25 age:20 cost:701 day:1082 flag:16"),
        ("SELECT region, avg(cost) AS c FROM visits GROUP BY region LIMIT 0", "T region:25 c:701"),
    ] {
        assert_eq!(ana.ask(sql).await, [columns, "C SELECT 0", "Z I"], "{sql}");
    }
    for sql in ["SELECT * FROM visits", "SELECT region, cost FROM visits LIMIT 10", "TABLE visits"] {
        assert!(ana.ask(sql).await[0].starts_with("E 42501 "), "{sql}");
    }
    assert_eq!(house.left("ana"), before);
}

#[tokio::test]
async fn what_is_not_done_leaves_the_connection_open() {
    let house = House::new();
    let mut ana = house.ana().await;
    for (sql, code) in [
        ("INSERT INTO visits VALUES (1)", "25006"),
        ("CREATE TEMP TABLE t (a int)", "42501"),
        ("COPY visits TO STDOUT", "42501"),
        ("COPY visits FROM STDIN", "25006"),
        ("LISTEN x", "42501"),
        ("SET ROLE ben", "42501"),
        ("FROB", "42601"),
    ] {
        assert!(ana.ask(sql).await[0].starts_with(&format!("E {code} ")), "{sql}");
    }
    assert_eq!(ana.ask("UNLISTEN *").await, ["C UNLISTEN", "Z I"]);
}

#[tokio::test]
async fn roles_decide_what_is_answered() {
    let house = House::new();
    for (name, role, asks, explains) in [
        ("ana", Role::Analyst, true, true),
        ("olga", Role::Owner, false, true),
        ("carl", Role::Curator, false, true),
        ("aud", Role::Auditor, false, false),
    ] {
        let mut raw = house.raw(name, role).await;
        let asked = raw.ask(COUNT).await;
        assert_eq!(asked[0].starts_with("T "), asks, "{name}: {asked:?}");
        let explained = raw.ask(&format!("EXPLAIN {COUNT}")).await;
        assert_eq!(explained[0].starts_with("T "), explains, "{name}: {explained:?}");
        assert_eq!(raw.ask("SHOW TABLES").await[0], "T name:25 kind:25 scope:25 privacy_unit:25 columns:25");
    }
    let mut curator = house.raw("carl", Role::Curator).await;
    let explained = curator.ask(&format!("EXPLAIN {COUNT}")).await;
    assert!(
        explained.iter().all(|line| !line.contains("holds")),
        "what is left is not theirs to see: {explained:?}"
    );
}

#[tokio::test]
async fn copies_hold_the_same_answer() {
    let house = House::new();
    let mut ana = house.ana().await;
    let asked = "SELECT region, count(*) AS n, avg(cost) AS c FROM visits GROUP BY region ORDER BY region";
    let rows = ana.ask(asked).await;
    let values: Vec<String> = rows[1..5].iter().map(|row| row[2..].replace('|', "\t")).collect();
    let before = house.left("ana");
    let copied = ana.ask(&format!("COPY ({asked}) TO STDOUT")).await;
    assert_eq!(copied[0], "H 0");
    let lines: Vec<String> =
        values.iter().map(|line| format!("d {}\\n", line.replace('\t', "\\t"))).collect();
    assert_eq!(copied[1..5], lines);
    assert_eq!(copied[5..], ["c", "C COPY 4", "Z I"]);
    let csv = ana.ask(&format!("COPY ({asked}) TO STDOUT (FORMAT csv, HEADER, DELIMITER ';')")).await;
    assert_eq!(csv[1], "d region;n;c\\n");
    assert_eq!(csv[2], format!("d {}\\n", values[0].replace('\t', ";")));
    let binary = ana.ask(&format!("COPY ({asked}) TO STDOUT WITH BINARY")).await;
    assert_eq!((binary[0].as_str(), binary[binary.len() - 2].as_str()), ("H 1", "C COPY 4"));
    assert_eq!(binary.iter().filter(|reply| reply.starts_with("d ")).count(), 5, "four rows and an end");
    assert_eq!(house.left("ana"), before, "the same question is free");
}

#[tokio::test]
async fn public_tables_are_free() {
    let house = House::new();
    let mut ana = house.ana().await;
    let replies = ana.ask_aloud("SELECT region, opened, beds FROM regions ORDER BY region").await;
    assert_eq!(
        replies[..3],
        ["T region:25 opened:1082 beds:20", "D north|1999-12-31|12", "D south|2020-02-29|NULL"]
    );
    assert!(replies.iter().any(|reply| reply.contains("price: free")), "{replies:?}");
}
