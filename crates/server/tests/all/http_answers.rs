//! Answers over HTTP: what the command line says with `--json`, in three formats, paid once.

use serde_json::json;

use crate::fixture::Site;

const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region";

#[test]
fn an_answer_has_bars_a_price_and_a_receipt() {
    let site = Site::start();
    let reply = site.post("ana", "/v1/query", &json!({ "sql": COUNT, "rho": "0.05" }));
    assert_eq!((reply.status, reply.headers["content-type"].as_str()), (200, "application/json"));
    let json = reply.json();
    assert_eq!(json["columns"][0]["role"], "key");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["cost"]["rho"], "0.05");
    assert_eq!(json["receipt"]["analyst"], "ana");
    assert!(json["receipt"]["seq"].is_null(), "numbers of records count what others do");
    assert_eq!(reply.headers["x-request-id"].len(), 32);
    assert_eq!(reply.headers["cache-control"], "no-store");
}

/// Specification: digits of a price are kept, as a number and as a text; a float would make another number of them.
#[test]
fn prices_are_their_digits() {
    let site = Site::start();
    let digits = "0.010000000000000000001";
    for body in [
        format!("{{\"sql\": \"{COUNT}\", \"rho\": {digits}}}"),
        format!("{{\"sql\": \"{COUNT}\", \"rho\": \"{digits}\"}}"),
    ] {
        let bearer = format!("Bearer {}", site.tokens["ana"]);
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let quote = site.call("POST", "/v1/explain", &headers, &body).json();
        let rounded_up = quote["cost"]["rho"].as_str().expect("a price").to_owned();
        assert!(rounded_up.starts_with("0.01000000000000") && rounded_up != "0.01", "{quote}");
    }
}

#[test]
fn answers_are_json_csv_or_arrow_as_the_caller_accepts() {
    let site = Site::start();
    let body = json!({ "sql": COUNT, "rho": "0.05" });
    let csv = site.post_with("ana", "/v1/query", &[("accept", "text/csv")], &body);
    assert!(csv.text().starts_with("region,n,n_low,n_high\n"), "{}", csv.text());
    assert_eq!(csv.headers["pointillist-paid"], "in_full");
    let arrow = [("accept", "application/vnd.apache.arrow.stream")];
    let arrow = site.post_with("ana", "/v1/query", &arrow, &body);
    assert_eq!((arrow.status, &arrow.body[..4]), (200, &[0xff; 4][..]));
    assert_eq!(arrow.headers["pointillist-paid"], "nothing", "the same question is free");
    // What nobody could read is not paid for.
    let other = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.05" });
    let refused = site.post_with("ana", "/v1/query", &[("accept", "image/png")], &other);
    assert_eq!(refused.status, 406);
    let explained = site.post("ana", "/v1/explain", &other).json();
    assert_eq!(explained["free"], false, "{explained}");
}

#[test]
fn explaining_and_rehearsing_are_free() {
    let site = Site::start();
    let before = site.get("ana", "/v1/budget").json();
    let body = json!({ "sql": COUNT, "rho": "0.05" });
    assert_eq!(site.post("ana", "/v1/explain", &body).json()["cost"]["rho"], "0.05");
    let explain = json!({ "sql": format!("EXPLAIN {COUNT}"), "rho": "0.05" });
    assert_eq!(site.post("ana", "/v1/query", &explain).json()["cost"]["rho"], "0.05");
    assert_eq!(site.post("ana", "/v1/rehearse", &body).json()["dummy"], true);
    let tables = site.post("ana", "/v1/query", &json!({ "sql": "SHOW TABLES" }));
    assert!(tables.text().contains("visits"), "{}", tables.text());
    let public = site.post("ana", "/v1/query", &json!({ "sql": "SELECT hospital FROM hospitals" })).json();
    assert_eq!(public["free"], true, "{public}");
    for (sql, rows) in [
        ("SELECT DISTINCT region FROM visits ORDER BY region", 2),
        ("SELECT region, count(*) FROM visits GROUP BY region LIMIT 0", 0),
        ("SELECT * FROM visits WHERE 1 = 0", 0),
    ] {
        let free = site.post("ana", "/v1/query", &json!({ "sql": sql })).json();
        assert_eq!(
            (&free["free"], free["rows"].as_array().map(Vec::len)),
            (&json!(true), Some(rows)),
            "{free}"
        );
    }
    assert_eq!(site.get("ana", "/v1/budget").json(), before);
}

#[test]
fn lists_are_parameters() {
    let site = Site::start();
    let sql = "SELECT count(*) FROM visits WHERE region = ANY($1)";
    let body = json!({ "sql": sql, "parameters": [["north", "south"]], "rho": "0.05" });
    let rows = site.post("ana", "/v1/query", &body).json()["rows"].clone();
    let literal =
        json!({ "sql": "SELECT count(*) FROM visits WHERE region IN ('north', 'south')", "rho": "0.05" });
    let written = site.post("ana", "/v1/query", &literal).json();
    assert_eq!((&written["rows"], &written["paid"]), (&rows, &json!("nothing")), "{written}");
    for wrong in [json!([["north"], ["south"]]), json!([[["north"]]]), json!(["north"]), json!([[{}]])] {
        let body = json!({ "sql": sql, "parameters": wrong, "rho": "0.05" });
        assert_eq!(site.post("ana", "/v1/query", &body).status, 400, "{body}");
    }
}

/// Specification: one name of a request is one payment, and another request under the same name is a conflict.
#[test]
fn a_request_that_is_repeated_is_paid_once() {
    let site = Site::start();
    let body = json!({ "sql": COUNT, "rho": "0.05", "request_id": "monday" });
    let first = site.post("ana", "/v1/query", &body).json();
    let key = [("idempotency-key", "monday")];
    let again = site.post_with("ana", "/v1/query", &key, &json!({ "sql": COUNT, "rho": "0.05" })).json();
    assert_eq!(first["rows"], again["rows"]);
    assert_eq!(first["budget"], again["budget"]);
    let other = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.05", "request_id": "monday" });
    let conflict = site.post("ana", "/v1/query", &other);
    assert!(conflict.status >= 400 && conflict.text().contains("monday"), "{}", conflict.text());
    let two = site.post_with("ana", "/v1/query", &key, &json!({ "sql": COUNT, "request_id": "tuesday" }));
    assert_eq!(two.status, 400);
    // Names of requests are each caller's own.
    let ben = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.05", "request_id": "monday" });
    assert_eq!(site.post("ben", "/v1/query", &ben).status, 200);
}

#[test]
fn refusals_are_problems_with_codes_and_hints() {
    let site = Site::start();
    for (body, status, code, sqlstate) in [
        (json!({ "sql": "SELECT count( FROM visits" }), 400, "syntax", "42601"),
        (json!({ "sql": "SELECT count(*) FROM nowhere", "rho": "0.01" }), 404, "unknown_table", "42P01"),
        (json!({ "sql": COUNT, "rho": "0.4" , "epsilon": 1 }), 400, "parameter", "22023"),
        (json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.9" }), 402, "budget", "53400"),
        (json!({ "sql": "SELECT cost FROM visits", "rho": "0.01" }), 422, "privacy", "0A000"),
    ] {
        let reply = site.post("ana", "/v1/query", &body);
        let problem = reply.json();
        assert_eq!(
            (reply.status, problem["code"].as_str(), problem["sqlstate"].as_str()),
            (status, Some(code), Some(sqlstate)),
            "{problem}"
        );
        assert_eq!(reply.headers["content-type"], "application/problem+json");
        assert_eq!(problem["request_id"].as_str(), Some(reply.headers["x-request-id"].as_str()));
        assert_eq!(problem["status"], status);
    }
}

#[test]
fn graphs_are_described_and_asked() {
    let site = Site::start();
    let graph = site.get("otto", "/v1/graph/contacts").json();
    assert_eq!(graph["graph"]["name"], "contacts");
    assert!(graph["statistics"].as_array().is_some_and(|all| all.contains(&json!("triangles"))), "{graph}");
    assert_eq!(site.get("ana", "/v1/graph/nothing").status, 404);
    let answer = site.post("ana", "/v1/graph/contacts/edges", &json!({ "epsilon": "0.5" }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["receipt"]["scope"], "patients");
    assert_eq!(site.post("ana", "/v1/graph/contacts/squares", &json!({ "epsilon": 1 })).status, 400);
    assert_eq!(site.post("ana", "/v1/graph/nothing/edges", &json!({ "epsilon": 1 })).status, 404);
}

/// Specification: values travel beside the statement, and never become part of its text.
#[test]
fn parameters_are_values() {
    let site = Site::start();
    let sql = "SELECT count(*) AS n FROM visits WHERE region = $1 AND cost < $2";
    let ask = |parameters: serde_json::Value| {
        site.post("ana", "/v1/query", &json!({ "sql": sql, "rho": "0.02", "parameters": parameters }))
    };
    let count = ask(json!(["north", 100])).json()["rows"][0][0].as_i64().expect("a count");
    assert!((300..700).contains(&count), "{count}");
    let none = ask(json!(["' OR true --", 100])).json()["rows"][0][0].as_i64().expect("a count");
    assert!((-200..200).contains(&none), "{none}");
    for wrong in [json!([["north"], 1]), json!([{}, 1])] {
        assert_eq!(ask(wrong).status, 400);
    }
    assert!(ask(json!(["north"])).status >= 400);
}

/// Specification: a rehearsal takes values as the real question does, and refuses them alike.
#[test]
fn rehearsals_take_parameters() {
    let site = Site::start();
    let sql = "SELECT count(*) AS n FROM visits WHERE cost < $1";
    let count = |parameters: serde_json::Value| {
        let body = json!({ "sql": sql, "rho": "100", "parameters": parameters });
        site.post("ana", "/v1/rehearse", &body)
    };
    let value = |most: i64| count(json!([most])).json()["rows"][0][0].as_i64().expect("a count");
    let (none, all) = (value(0), value(101));
    assert!(none < 100 && all > 500, "{none} and {all}");
    assert!(count(json!([])).status >= 400);
    assert!(count(json!(["north"])).status >= 400);
}
