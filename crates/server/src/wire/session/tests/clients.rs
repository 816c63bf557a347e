//! The same through `tokio-postgres`, which takes nothing on trust.

use tokio_postgres::SimpleQueryMessage;

use super::house::House;

const REGIONS: &str =
    "SELECT region, count(*) AS n, avg(cost) AS c FROM visits GROUP BY region ORDER BY region";

/// Specification: text and binary, simple and extended, hold the same numbers.
#[tokio::test]
async fn simple_and_extended_answers_are_the_same_numbers() {
    let house = House::new();
    let client = house.client("ana").await;
    let binary = client.query(REGIONS, &[]).await.unwrap();
    let left = house.left("ana");
    let simple = client.simple_query(REGIONS).await.unwrap();
    let simple: Vec<(String, i64, f64)> = simple
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((
                row.get(0).unwrap().to_owned(),
                row.get(1).unwrap().parse().unwrap(),
                row.get(2).unwrap().parse().unwrap(),
            )),
            _ => None,
        })
        .collect();
    let binary: Vec<(String, i64, f64)> =
        binary.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
    assert_eq!((simple.len(), house.left("ana")), (4, left));
    assert_eq!(simple, binary);
}

#[tokio::test]
async fn parameters_have_the_types_of_what_they_are_compared_with() {
    let house = House::new();
    let client = house.client("ana").await;
    let asked = "SELECT count(*) FROM visits WHERE region = $1 AND age > $2 AND cost < $3";
    let row = client.query_one(asked, &[&"north", &30_i64, &500.5_f64]).await.unwrap();
    let literal = "SELECT count(*) FROM visits WHERE region = 'north' AND age > 30 AND cost < 500.5";
    assert_eq!(row.get::<_, i64>(0), client.query_one(literal, &[]).await.unwrap().get::<_, i64>(0));
}

/// Specification: a list of values is a parameter like any other, in binary and as text; the question is that of the same list
/// written down.
#[tokio::test]
async fn lists_are_parameters() {
    let house = House::new();
    let client = house.client("ana").await;
    let asked = client
        .prepare("SELECT count(*) FROM visits WHERE region = ANY($1) AND age <> ALL($2)")
        .await
        .unwrap();
    let kinds: Vec<&str> = asked.params().iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, ["_text", "_int8"]);
    let row = client.query_one(&asked, &[&vec!["north", "it's"], &vec![30_i64, 31]]).await.unwrap();
    let left = house.left("ana");
    let literal = "SELECT count(*) FROM visits WHERE region IN ('north', 'it''s') AND age NOT IN (30, 31)";
    assert_eq!(row.get::<_, i64>(0), client.query_one(literal, &[]).await.unwrap().get::<_, i64>(0));
    assert_eq!(house.left("ana"), left, "it is the same question");
}

/// Specification: keys that are declared, and columns without rows, cost nothing: also to those who have nothing left to pay with.
#[tokio::test]
async fn declared_keys_and_columns_without_rows_are_free() {
    let house = House::new();
    let client = house.client("ana").await;
    let left = house.left("ana");
    let regions =
        client.query("SELECT region FROM visits GROUP BY 1 ORDER BY 1 LIMIT 1001", &[]).await.unwrap();
    let regions: Vec<String> = regions.iter().map(|row| row.get(0)).collect();
    assert_eq!(regions, ["east", "north", "south", "west"]);
    let few = client
        .query("SELECT DISTINCT region FROM public.visits WHERE region LIKE '%o%' AND age > 60", &[])
        .await;
    let mut few: Vec<String> = few.unwrap().iter().map(|row| row.get(0)).collect();
    few.sort();
    assert_eq!(few, ["north", "south"]);
    for probe in [
        "SELECT * FROM (SELECT region, count(*) AS n FROM visits GROUP BY region) q LIMIT 0",
        "SELECT region, avg(cost) FROM visits WHERE false GROUP BY region",
        "SELECT region, lower(region) FROM visits WHERE 1 = 0",
    ] {
        let prepared = client.prepare(probe).await.unwrap();
        assert_eq!(prepared.columns().len(), 2, "{probe}");
        assert!(client.query(&prepared, &[]).await.unwrap().is_empty(), "{probe}");
    }
    assert_eq!(client.query("TABLE pg_am", &[]).await.unwrap().len(), 2);
    assert_eq!(house.left("ana"), left);
}

#[tokio::test]
async fn transactions_portals_and_copies_work_as_with_postgresql() {
    let house = House::new();
    let mut client = house.client("ana").await;
    let transaction = client.transaction().await.unwrap();
    let portal = transaction.bind(REGIONS, &[]).await.unwrap();
    assert_eq!(transaction.query_portal(&portal, 3).await.unwrap().len(), 3);
    assert_eq!(transaction.query_portal(&portal, 3).await.unwrap().len(), 1);
    let nested = transaction.query("SELECT * FROM visits", &[]).await.unwrap_err();
    assert_eq!(nested.code().unwrap().code(), "42501");
    assert!(nested.as_db_error().unwrap().hint().is_some());
    transaction.rollback().await.unwrap();
    let error = client.query("SELECT count(*) FROM vizits", &[]).await.unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!((error.code().code(), error.routine()), ("42P01", None));
    assert!(matches!(error.position(), Some(tokio_postgres::error::ErrorPosition::Original(22))));
}
