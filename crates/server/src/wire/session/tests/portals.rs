use super::house::{House, bind, close, describe, execute, flush, parse, raw, sync, without_notices};

const COUNT: &str = "SELECT count(*) AS n FROM visits";
const REGIONS: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region";

#[tokio::test]
async fn describing_is_free_and_executing_is_charged_once() {
    let house = House::new();
    let mut ana = house.ana().await;
    let before = house.left("ana");
    let replies = ana
        .pipeline(&[
            parse("s", REGIONS, &[]),
            describe(b'S', "s"),
            bind("", "s", &[], &[1]),
            describe(b'P', ""),
        ])
        .await;
    assert_eq!(replies, ["1", "t []", "T region:25 n:20", "2", "T region:25b n:20b", "Z I"]);
    assert_eq!(house.left("ana"), before, "nothing was executed");
    let replies = ana.pipeline(&[bind("", "s", &[], &[]), execute("", 0)]).await;
    assert_eq!((replies.len(), replies[5].as_str()), (7, "C SELECT 4"));
    let after = house.left("ana");
    assert_ne!(after, before);
    let again = ana.pipeline(&[bind("", "s", &[], &[]), execute("", 0)]).await;
    assert_eq!((again, house.left("ana")), (replies, after), "the same question is free");
}

/// Specification: exactly as many rows as wanted is a suspension; the next Execute says that there are no more.
#[tokio::test]
async fn a_portal_gives_the_rest_of_the_same_rows() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.ask("BEGIN").await;
    let replies = ana.pipeline(&[parse("", REGIONS, &[]), bind("p", "", &[], &[]), execute("p", 2)]).await;
    assert_eq!((replies.len(), replies[4].as_str(), replies[5].as_str()), (6, "s", "Z T"));
    let after_the_first = house.left("ana");
    // Named portals outlive Sync in a transaction.
    let replies = ana.pipeline(&[execute("p", 2)]).await;
    assert!(replies[0].starts_with("D south|") && replies[2] == "s", "{replies:?}");
    assert_eq!(ana.pipeline(&[execute("p", 2)]).await, ["C SELECT 0", "Z T"]);
    assert_eq!(ana.pipeline(&[execute("p", 0)]).await, ["C SELECT 0", "Z T"]);
    assert_eq!(house.left("ana"), after_the_first);
    ana.ask("COMMIT").await;
    assert!(ana.pipeline(&[execute("p", 0)]).await[0].starts_with("E 34000 "), "gone with its transaction");
}

#[tokio::test]
async fn strange_numbers_of_rows_mean_all() {
    let house = House::new();
    let mut ana = house.ana().await;
    for max in [-1, i32::MIN, i32::MAX] {
        let replies =
            ana.pipeline(&[parse("", REGIONS, &[]), bind("", "", &[], &[]), execute("", max)]).await;
        assert_eq!((replies.len(), replies[6].as_str()), (8, "C SELECT 4"), "{max}: {replies:?}");
    }
}

/// Specification: after an error nothing is done until Sync, and nothing of it is charged.
#[tokio::test]
async fn what_is_skipped_is_not_charged() {
    let house = House::new();
    let mut ana = house.ana().await;
    let before = house.left("ana");
    let replies = ana
        .pipeline(&[
            parse("", "SELECT * FROM visits", &[]),
            parse("", COUNT, &[]),
            bind("", "", &[], &[]),
            execute("", 0),
            close(b'S', ""),
        ])
        .await;
    assert!(replies[0].starts_with("E 42501 "), "{replies:?}");
    assert_eq!(replies[1..], ["Z I"]);
    assert_eq!(house.left("ana"), before);
    let replies = ana.pipeline(&[parse("", COUNT, &[]), bind("", "", &[], &[]), execute("", 0)]).await;
    assert_eq!(replies[3], "C SELECT 1");
}

#[tokio::test]
async fn counts_of_formats_and_values_are_compared() {
    let house = House::new();
    let mut ana = house.ana().await;
    let asked = "SELECT count(*) AS n FROM visits WHERE age > $1 AND region = $2";
    let replies = ana.pipeline(&[parse("s", asked, &[0, 25]), describe(b'S', "s")]).await;
    assert_eq!(replies, ["1", "t [20, 25]", "T n:20", "Z I"]);
    for (values, formats) in [
        (&[][..], &[][..]),
        (&[Some("1")][..], &[]),
        (&[Some("1"), Some("north"), None], &[]),
        (&[Some("1"), Some("north")], &[0, 1]),
    ] {
        let replies = ana.pipeline(&[bind("", "s", values, formats), execute("", 0)]).await;
        assert!(replies[0].starts_with("E 08P01 "), "{replies:?}");
    }
    let replies = ana.pipeline(&[bind("", "s", &[Some("1"), Some("north")], &[2])]).await;
    assert!(replies[0].starts_with("E 22023 "), "{replies:?}");
    let replies = ana.pipeline(&[bind("", "s", &[Some("x"), Some("north")], &[])]).await;
    assert!(replies[0].starts_with("E 22P02 "), "{replies:?}");
    for values in [[Some("30"), Some("north")], [Some("30"), None]] {
        let replies = ana.pipeline(&[bind("", "s", &values, &[1]), execute("", 0)]).await;
        assert_eq!(replies[2], "C SELECT 1", "{replies:?}");
    }
}

#[tokio::test]
async fn a_parameter_is_the_same_question_as_a_literal() {
    let house = House::new();
    let mut ana = house.ana().await;
    let literal =
        ana.ask("SELECT count(*) AS n FROM visits WHERE region = 'north' AND day >= '2024-03-01'").await;
    let before = house.left("ana");
    let asked = "SELECT count(*) AS n FROM visits WHERE region = $1 AND day >= $2";
    let replies = ana
        .pipeline(&[
            parse("", asked, &[]),
            bind("", "", &[Some("north"), Some("2024-03-01")], &[]),
            execute("", 0),
        ])
        .await;
    assert_eq!((&replies[2], house.left("ana")), (&literal[1], before));
}

#[tokio::test]
async fn a_flush_delivers_without_a_sync() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.send(&[parse("s", COUNT, &[]), describe(b'S', "s"), flush()]).await;
    assert_eq!(ana.some(3).await, ["1", "t []", "T n:20"]);
    ana.send(&[bind("", "s", &[], &[]), execute("", 0), flush()]).await;
    assert_eq!(ana.some(3).await[2], "C SELECT 1");
    ana.send(&[sync()]).await;
    assert_eq!(without_notices(ana.reply().await), ["Z I"]);
}

#[tokio::test]
async fn commands_have_no_data_and_run_once() {
    let house = House::new();
    let mut ana = house.ana().await;
    let replies = ana
        .pipeline(&[
            parse("", "BEGIN", &[]),
            bind("", "", &[], &[1]),
            describe(b'P', ""),
            execute("", 1),
            parse("", COUNT, &[]),
            bind("", "", &[], &[]),
            execute("", 0),
        ])
        .await;
    assert_eq!(replies[..6], ["1", "2", "n", "C BEGIN", "1", "2"]);
    assert_eq!(replies[7..], ["C SELECT 1", "Z T"]);
    let replies =
        ana.pipeline(&[parse("", "", &[]), bind("", "", &[], &[]), describe(b'P', ""), execute("", 0)]).await;
    assert_eq!(replies, ["1", "2", "n", "I", "Z T"]);
    let twice = [parse("", "SAVEPOINT s", &[]), bind("", "", &[], &[]), execute("", 0), execute("", 0)];
    assert!(ana.pipeline(&twice).await[3].starts_with("E 55000 "));
    assert_eq!(
        ana.ask(COUNT).await,
        ["E 25P02 current transaction is aborted, commands ignored until end of transaction block", "Z E"]
    );
    assert_eq!(ana.ask("COMMIT").await, ["C ROLLBACK", "Z I"]);
    let replies = ana.pipeline(&[parse("", "SELECT 1; SELECT 2", &[])]).await;
    assert!(replies[0].starts_with("E 42601 "), "{replies:?}");
}

#[tokio::test]
async fn copies_go_through_extended_messages_too() {
    let house = House::new();
    let mut ana = house.ana().await;
    let copy = format!("COPY ({COUNT}) TO STDOUT (FORMAT binary)");
    let replies = ana
        .pipeline(&[parse("", &copy, &[]), bind("", "", &[], &[1]), describe(b'P', ""), execute("", 0)])
        .await;
    assert_eq!(replies[..4], ["1", "2", "n", "H 1"]);
    assert_eq!(replies[replies.len() - 3..], ["c", "C COPY 1", "Z I"]);
}

/// Specification: a message whose body is not what its type says is an error of its own; the session goes on behind Sync.
#[tokio::test]
async fn a_broken_message_ends_its_pipeline_and_nothing_else() {
    let house = House::new();
    let mut ana = house.ana().await;
    for (kind, body) in [(b'B', &b"\0"[..]), (b'P', b"x"), (b'E', b"\0\0"), (b'D', b"Q\0"), (b'Q', b"no end")]
    {
        let before = house.left("ana");
        let mut broken = vec![raw(kind, body)];
        if kind != b'Q' {
            broken.extend([parse("", COUNT, &[]), bind("", "", &[], &[]), execute("", 0), sync()]);
        }
        ana.send(&broken).await;
        let replies = ana.reply().await;
        assert!(replies[0].starts_with("E 08P01 ") && replies[1..] == ["Z I"], "{kind}: {replies:?}");
        assert_eq!(house.left("ana"), before);
    }
    assert_eq!(ana.ask("SELECT 1").await[1], "D 1");
}

/// Specification: nothing is called by its oid; the session goes on at once, since no Sync follows such a call.
#[tokio::test]
async fn a_function_call_is_refused_and_nothing_else() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.send(&[raw(b'F', &[0; 10])]).await;
    let replies = ana.reply().await;
    assert!(replies[0].starts_with("E 42501 ") && replies[1..] == ["Z I"], "{replies:?}");
    assert_eq!(ana.ask("SELECT 1").await[1], "D 1");
}

#[tokio::test]
async fn names_are_unique_and_closing_is_never_wrong() {
    let house = House::new();
    let mut ana = house.ana().await;
    ana.pipeline(&[parse("s", COUNT, &[])]).await;
    assert!(ana.pipeline(&[parse("s", COUNT, &[])]).await[0].starts_with("E 42P05 "));
    assert!(ana.pipeline(&[bind("", "none", &[], &[])]).await[0].starts_with("E 26000 "));
    assert_eq!(
        ana.pipeline(&[close(b'S', "s"), close(b'S', "s"), close(b'P', "none")]).await,
        ["3", "3", "3", "Z I"]
    );
    ana.ask("BEGIN; DECLARE c CURSOR FOR SELECT count(*) FROM visits").await;
    let replies = ana.pipeline(&[parse("", COUNT, &[]), bind("c", "", &[], &[])]).await;
    assert!(replies[1].starts_with("E 42P03 "), "cursors and portals share their names: {replies:?}");
}
