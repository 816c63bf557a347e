//! One question is one answer, whichever door it goes through.

use tokio_postgres::SimpleQueryMessage;

use super::{Folder, block_on};

const QUESTION: &str =
    "SELECT region, count(*) AS n, sum(cost) AS total FROM visits GROUP BY region ORDER BY region";
const WITH_PARAMETER: &str = "SELECT region, count(*) AS n, sum(cost) AS total FROM visits WHERE cost >= $1 GROUP BY region ORDER BY region";

/// Specification: the command line, HTTP as JSON and CSV, and the wire as text and binary, simple and extended and in a cursor, give the same digits
/// for one question, and it is paid for once.
#[test]
fn every_door_gives_the_same_digits_and_one_price() {
    let folder = Folder::new("10", 400);
    let server = folder.serve();
    let first = server.ask(QUESTION, "0.5").expect("an answer");
    let digits: Vec<Vec<String>> = first["rows"].as_array().expect("rows").iter().map(texts).collect();
    assert_eq!(digits.len(), 2, "{first}");
    let paid = folder.budget();
    let csv = server
        .request(
            "POST",
            "/v1/query",
            "text/csv",
            &serde_json::json!({ "sql": QUESTION, "rho": "0.5" }).to_string(),
        )
        .expect("CSV");
    for row in &digits {
        assert!(csv.contains(&row.join(",")) || row.iter().all(|cell| csv.contains(cell)), "{csv}");
    }
    block_on(over_the_wire(&server, &digits));
    assert_eq!(folder.budget(), paid, "a repeated question was paid for");
    block_on(with_a_parameter(&server));
    let twice = folder.budget();
    assert_eq!(twice.pointer("/scopes/0/spent/rho"), Some(&"1".into()), "one question, two ways to write it");
    drop(server);
    let catalog = folder.catalog();
    let arguments = [
        "query",
        QUESTION,
        "--rho",
        "0.5",
        "--as",
        "ana",
        "--json",
        "--catalog",
        catalog.to_str().expect("a path"),
    ];
    let output = crate::pointillist(&arguments);
    let answer: serde_json::Value = serde_json::from_str(&crate::stdout(&output)).expect("JSON");
    assert_eq!(answer["rows"], first["rows"], "the command line");
}

async fn over_the_wire(server: &super::Server, digits: &[Vec<String>]) {
    let mut client = server.connect().await.expect("ana comes in");
    client.batch_execute("SET pointillist.rho = 0.5").await.expect("a price");
    assert_eq!(simple(&client, QUESTION).await, digits, "text");
    let rows = client.query(QUESTION, &[]).await.expect("an answer");
    for (row, digits) in rows.iter().zip(digits) {
        let binary =
            [row.get::<_, String>(0), row.get::<_, i64>(1).to_string(), row.get::<_, i64>(2).to_string()];
        assert_eq!(binary, digits.as_slice(), "binary");
    }
    let transaction = client.transaction().await.expect("BEGIN");
    transaction.batch_execute(&format!("DECLARE c CURSOR FOR {QUESTION}")).await.expect("a cursor");
    let fetched = transaction.simple_query("FETCH ALL FROM c").await.expect("rows");
    assert_eq!(texts_of(&fetched), digits, "a cursor");
    transaction.rollback().await.expect("ROLLBACK");
}

async fn with_a_parameter(server: &super::Server) {
    let client = server.connect().await.expect("ana comes in");
    client.batch_execute("SET pointillist.rho = 0.5").await.expect("a price");
    let bound = client.query(WITH_PARAMETER, &[&0_i64]).await.expect("a parameter");
    let literal = simple(&client, &WITH_PARAMETER.replace("$1", "0")).await;
    let bound: Vec<String> = bound.iter().map(|row| row.get::<_, i64>(1).to_string()).collect();
    assert_eq!(bound, literal.iter().map(|row| row[1].clone()).collect::<Vec<_>>(), "a parameter");
}

async fn simple(client: &tokio_postgres::Client, sql: &str) -> Vec<Vec<String>> {
    texts_of(&client.simple_query(sql).await.expect("an answer"))
}

fn texts_of(messages: &[SimpleQueryMessage]) -> Vec<Vec<String>> {
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned()).collect())
        }
        _ => None,
    };
    messages.iter().filter_map(row).collect()
}

fn texts(row: &serde_json::Value) -> Vec<String> {
    let text = |cell: &serde_json::Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
    row.as_array().expect("cells").iter().map(text).collect()
}
