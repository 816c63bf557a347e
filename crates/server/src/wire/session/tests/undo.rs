//! Scripts that try to undo a payment.

use std::time::Duration;

use super::house::{House, bind, execute, parse};

const COUNT: &str = "SELECT count(*) AS n FROM visits";
const REGIONS: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region";

/// Specification: each script asks one question, and is charged for it once, whatever is undone around it.
#[tokio::test]
async fn nothing_undoes_a_payment() {
    let honest = House::new();
    honest.ana().await.ask(REGIONS).await;
    let charged_once = honest.left("ana");
    let scripts: [&[&str]; 6] = [
        &["BEGIN", REGIONS, "ROLLBACK", REGIONS],
        &["BEGIN", "SAVEPOINT s", REGIONS, "ROLLBACK TO s", REGIONS, "ROLLBACK"],
        &["BEGIN", "DECLARE c CURSOR FOR $", "FETCH 1 FROM c", "ROLLBACK", REGIONS],
        &["BEGIN", "DECLARE c CURSOR FOR $", "MOVE 2 FROM c", "FETCH ALL FROM c", "CLOSE c", "COMMIT"],
        &[
            "BEGIN",
            "DECLARE c CURSOR WITH HOLD FOR $",
            "COMMIT",
            "FETCH 1 FROM c",
            "FETCH ALL FROM c",
            "FETCH 1 FROM c",
            "CLOSE ALL",
        ],
        &[
            "PREPARE p AS $",
            "BEGIN",
            "EXECUTE p",
            "SELECT * FROM visits",
            "ROLLBACK",
            "EXECUTE p",
            "DISCARD ALL",
        ],
    ];
    for script in scripts {
        let house = House::new();
        let before = house.left("ana");
        let mut ana = house.ana().await;
        for statement in script {
            ana.ask(&statement.replace('$', REGIONS)).await;
        }
        assert_ne!(charged_once, before);
        assert_eq!(house.left("ana"), charged_once, "{script:?}");
    }
}

#[tokio::test]
async fn a_cursor_that_nobody_reads_costs_nothing() {
    let house = House::new();
    let mut ana = house.ana().await;
    let before = house.left("ana");
    assert_eq!(
        ana.ask(&format!("DECLARE c CURSOR FOR {COUNT}")).await[0],
        "E 25P01 DECLARE CURSOR can only be used in transaction blocks"
    );
    ana.ask("BEGIN").await;
    assert_eq!(ana.ask(&format!("DECLARE c CURSOR FOR {REGIONS}")).await, ["C DECLARE CURSOR", "Z T"]);
    let described = ana.pipeline(&[super::house::describe(b'P', "c")]).await;
    assert_eq!(described, ["T region:25 n:20", "Z T"]);
    assert_eq!(house.left("ana"), before);
    let fetched = ana.ask("FETCH FORWARD 3 FROM c").await;
    assert_eq!((fetched.len(), fetched[4].as_str()), (6, "C FETCH 3"));
    assert_eq!(ana.ask("FETCH ALL FROM c").await[2], "C FETCH 1");
    assert_eq!(ana.ask("FETCH 5 FROM c").await[1], "C FETCH 0");
    assert_eq!(
        ana.ask("FETCH BACKWARD 1 FROM c").await[1..],
        [
            "D west|".to_owned() + fetched_west(&fetched, &house).await.as_str(),
            "C FETCH 1".to_owned(),
            "Z T".to_owned()
        ]
    );
    assert_eq!(ana.ask("CLOSE c").await, ["C CLOSE CURSOR", "Z T"]);
    assert!(ana.ask("FETCH 1 FROM c").await[0].starts_with("E 34000 "));
    assert_eq!(
        ana.ask("SELECT 1 FROM nowhere").await[0],
        "E 25P02 current transaction is aborted, commands ignored until end of transaction block"
    );
}

/// The last region's number, asked again for free.
async fn fetched_west(_fetched: &[String], house: &House) -> String {
    let all = house.ana().await.ask(REGIONS).await;
    all[4].trim_start_matches("D west|").to_owned()
}

/// Specification: whoever cancels is told so at once, the session goes on, and the question stays paid.
#[tokio::test]
async fn a_cancelled_question_stays_paid() {
    let house = House::slow();
    let before = house.left("ana");
    let mut ana = house.ana().await;
    ana.send(&[super::house::query(COUNT)]).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    house.registry.cancel(ana.pid, &ana.key);
    assert_eq!(ana.reply().await, ["E 57014 canceling statement due to user request", "Z I"]);
    let paid = house.left("ana");
    assert_ne!(paid, before);
    assert_eq!(ana.ask("SET statement_timeout = 100").await, ["C SET", "Z I"]);
    let late = ana.ask("SELECT sum(age) FROM visits").await;
    assert_eq!(late, ["E 57014 canceling statement due to statement timeout", "Z I"]);
    ana.ask("SET statement_timeout = 0").await;
    let asked = ana.ask_aloud(COUNT).await;
    assert!(asked.iter().any(|reply| reply.contains("price: free: asked before")), "{asked:?}");
}

#[tokio::test]
async fn a_portal_that_failed_is_not_asked_again() {
    let house = House::slow();
    let mut ana = house.ana().await;
    ana.ask("SET statement_timeout = 50").await;
    ana.ask("BEGIN").await;
    let replies = ana.pipeline(&[parse("", COUNT, &[]), bind("p", "", &[], &[]), execute("p", 0)]).await;
    assert!(replies[2].starts_with("E 57014 "), "{replies:?}");
    assert!(ana.pipeline(&[execute("p", 0)]).await[0].starts_with("E 25P02 "));
}

/// Specification: a request under a name is asked once; the name is used up by its question.
#[tokio::test]
async fn a_request_is_named_once() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SET pointillist.request_id = 'r1'").await;
    ana.ask("BEGIN").await;
    let first = ana.ask(COUNT).await;
    ana.ask("ROLLBACK").await;
    assert_eq!(ana.ask("SHOW pointillist.request_id").await[1], "D ");
    let before = house.left("ana");
    ana.ask("SET pointillist.request_id = 'r1'").await;
    assert_eq!(
        (ana.ask(COUNT).await, house.left("ana")),
        (first.clone().into_iter().map(|r| if r == "Z T" { "Z I".to_owned() } else { r }).collect(), before)
    );
    ana.ask("SET pointillist.request_id = 'r1'").await;
    assert!(
        ana.ask("SELECT sum(age) FROM visits").await[0].starts_with("E "),
        "the name was another question's"
    );
}

/// Specification: statements of one message outside of a block are done together or not at all, as far as they set anything.
#[tokio::test]
async fn a_message_that_fails_leaves_settings_as_they_were() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SET application_name = 'a'").await;
    ana.ask("SET application_name = 'b'; SELECT nothing").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D a");
    ana.ask("SET application_name = 'c'; COMMIT; SET application_name = 'd'; SELECT nothing").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D c");
    ana.ask("SET application_name = 'd'; BEGIN; SET application_name = 'e'; ROLLBACK").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D c");
    ana.ask("SET application_name = 'f'; SELECT 1").await;
    assert_eq!(ana.ask("SHOW application_name").await[1], "D f");
}

/// Specification: a question that was refused leaves the name for the next one; one that was answered does not, also where its
/// message fails behind it.
#[tokio::test]
async fn a_refusal_leaves_the_name_of_a_request() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("SET pointillist.request_id = 'r9'").await;
    assert!(ana.ask("SELECT count(*) FROM visits WHERE agee > 3").await[0].starts_with("E "));
    assert_eq!(ana.ask("SHOW pointillist.request_id").await[1], "D r9");
    ana.ask(&format!("{COUNT}; SELECT nothing")).await;
    assert_eq!(ana.ask("SHOW pointillist.request_id").await[1], "D ");
}
