//! What is answered from what is declared, and what stands between the two.

use super::house::{House, bind, describe, execute, parse};

#[tokio::test]
async fn statements_about_nothing_are_free_and_answered() {
    let house = House::new();
    let mut ana = house.ana().await;
    assert_eq!(ana.ask("SELECT 1").await, ["T ?column?:23", "D 1", "C SELECT 1", "Z I"]);
    assert_eq!(ana.ask("select current_user, current_database()").await[1], "D ana|clinic");
    assert_eq!(
        ana.ask("SELECT relname FROM pg_catalog.pg_class WHERE relname = 'visits'").await[1],
        "D visits"
    );
    assert_eq!(ana.ask("EXPLAIN SELECT 1").await[1], "D price    free: nothing private is read");
    let copied = ana.ask("COPY (SELECT 1, 'a') TO STDOUT").await;
    assert_eq!(copied, ["H 0", "d 1\\ta\\n", "c", "C COPY 1", "Z I"]);
}

/// asyncpg gives a connection back with these, and closes it where one of them fails.
#[tokio::test]
async fn a_pool_resets_its_connections() {
    let house = House::new();
    let mut ana = house.ana().await;
    let reset = "SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;";
    let tags: Vec<String> = ana.ask(reset).await.into_iter().filter(|reply| reply.starts_with('C')).collect();
    assert_eq!(tags, ["C SELECT 1", "C CLOSE CURSOR ALL", "C UNLISTEN", "C RESET"]);
}

/// Specification: `now()` is when the transaction began, and goes on with the next.
#[tokio::test]
async fn now_is_when_the_transaction_began() {
    let house = House::new();
    let mut ana = house.ana().await;
    let now = "SELECT now(), extract(year from now()) > 2025, current_date = now()::date";
    ana.ask("BEGIN").await;
    let first = ana.ask(now).await[1].clone();
    assert!(first.ends_with("|t|t"), "{first}");
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    assert_eq!(ana.ask(now).await[1], first);
    ana.ask("COMMIT").await;
    assert_ne!(ana.ask(now).await[1], first);
}

#[tokio::test]
async fn a_mixture_is_refused() {
    let house = House::new();
    let mut ana = house.ana().await;
    let before = house.left("ana");
    let mixed = "SELECT count(*) FROM visits WHERE region IN (SELECT relname FROM pg_catalog.pg_class)";
    assert!(ana.ask(mixed).await[0].starts_with("E 42501 "));
    assert_eq!(house.left("ana"), before);
}

/// Specification: what `set_config` sets is what `SET` sets, for questions and in transactions.
#[tokio::test]
async fn set_config_is_set() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SELECT set_config('pointillist.epsilon', '0.125', false)").await;
    let asked = ana.ask_aloud("SELECT count(*) FROM visits").await;
    assert!(asked.iter().any(|reply| reply.contains("price: ε = 0.125;")), "{asked:?}");
    let replies = ana.ask("BEGIN; SELECT set_config('application_name', 'x', false); COMMIT").await;
    assert!(replies.contains(&"S application_name=x".to_owned()), "{replies:?}");
    assert_eq!(ana.ask("SHOW application_name").await[1], "D x");
}

/// psycopg declares cursors with parameters, and describes them as portals.
#[tokio::test]
async fn cursors_are_declared_with_parameters_and_read_by_any_name() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("BEGIN").await;
    let before = house.left("ana");
    let declare =
        "DECLARE \"srv\" CURSOR FOR SELECT region, count(*) AS n FROM visits WHERE age > $1 GROUP BY region";
    let replies = ana
        .pipeline(&[
            parse("", declare, &[]),
            bind("", "", &[Some("30")], &[]),
            describe(b'P', ""),
            execute("", 0),
        ])
        .await;
    assert_eq!(replies, ["1", "2", "n", "C DECLARE CURSOR", "Z T"]);
    assert_eq!(ana.pipeline(&[describe(b'P', "srv")]).await, ["T region:25 n:20", "Z T"]);
    assert_eq!(house.left("ana"), before);
    let fetched = ana
        .pipeline(&[parse("", "FETCH FORWARD 3 FROM \"srv\"", &[]), bind("", "", &[], &[]), execute("", 0)])
        .await;
    assert_eq!((fetched.len(), fetched[5].as_str()), (7, "C FETCH 3"), "{fetched:?}");
    assert_ne!(house.left("ana"), before);
}

#[tokio::test]
async fn statements_are_prepared_and_executed_in_words() {
    let house = House::new();
    let mut ana = house.ana().await;
    let prepare = "PREPARE p (text, int) AS SELECT count(*) AS n FROM visits WHERE region = $1 AND age > $2";
    assert_eq!(ana.ask(prepare).await, ["C PREPARE", "Z I"]);
    let executed = ana.ask("EXECUTE p('north', 10 + 20)").await;
    let literal = ana.ask("SELECT count(*) AS n FROM visits WHERE region = 'north' AND age > 30").await;
    assert_eq!(executed, literal);
    assert!(ana.ask("EXECUTE p('north')").await[0].starts_with("E 42601 "));
    assert_eq!(ana.ask("DEALLOCATE p").await, ["C DEALLOCATE", "Z I"]);
    assert!(ana.ask("EXECUTE p('north', 1)").await[0].starts_with("E 26000 "));
}

/// Specification: `set_config` refuses what `SET` refuses, leaves one price, and goes back where it is local.
#[tokio::test]
async fn set_config_is_looked_at_as_set_is() {
    let house = House::new();
    let mut ana = house.ana().await;
    let call = |name: &str, value: &str, local: bool| {
        format!("SELECT set_config('pointillist.{name}', '{value}', {local})")
    };
    assert!(ana.ask(&call("epsilon", "many", false)).await[0].starts_with("E 22023 "));
    assert!(ana.ask(&call("Epsilon", "many", false)).await[0].starts_with("E 22023 "));
    ana.ask(&call("epsilon", "0.125", false)).await;
    ana.ask(&call("rho", "0.5", false)).await;
    assert_eq!(ana.ask("SHOW pointillist.epsilon").await[1], "D ");
    ana.ask("BEGIN").await;
    ana.ask(&call("rho", "0.25", true)).await;
    assert_eq!(ana.ask("SHOW pointillist.rho").await[1], "D 0.25");
    ana.ask("COMMIT").await;
    assert_eq!(ana.ask("SHOW pointillist.rho").await[1], "D 0.5");
    ana.ask(&call("rho", "0.25", true)).await;
    assert_eq!(
        ana.ask("SHOW pointillist.rho").await[1],
        "D 0.5",
        "outside of a block it ends with its statement"
    );
    ana.ask("PREPARE p (text) AS SELECT $1").await;
    assert!(
        ana.ask("EXECUTE p(set_config('pointillist.rho', 'many', false))").await[0].starts_with("E 22023 ")
    );
}

/// Specification: somebody who takes all their places takes nobody else's, and what they no longer wait for ends.
#[tokio::test]
async fn one_person_does_not_take_everybodys_places() {
    let house = House::new();
    let long = "SELECT count(*) FROM generate_series(1, 5000) AS a(n), generate_series(1, 5000) AS b(n) \
                WHERE a.n < b.n";
    let mut greedy = Vec::new();
    for _ in 0..20 {
        let mut ben = house.raw("ben", pointillist_access::Role::Analyst).await;
        greedy.push(tokio::spawn(async move { ben.ask(long).await }));
    }
    while house.service.aside_of("ben").available_permits() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut ana = house.ana().await;
    assert_eq!(ana.ask("SELECT 1").await[1], "D 1");
    let free = crate::wire::answering::PLACES.available_permits();
    assert!(free > 8, "{free} places are left for others");
    let waiting = greedy.iter().filter(|one| !one.is_finished()).count();
    assert!(waiting > 10, "{waiting} statements wait");
    for one in greedy {
        one.abort();
    }
}

/// Specification: a message has so many statements; none of more is done.
#[tokio::test]
async fn a_message_has_so_many_statements() {
    let house = House::new();
    let mut ana = house.ana().await;
    let many = format!("SET application_name = 'x'{}", ";SELECT 1".repeat(1_000));
    let replies = ana.ask(&many).await;
    assert_eq!((replies.len(), replies[0].starts_with("E 54001 ")), (2, true), "{replies:?}");
}
