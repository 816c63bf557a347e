//! Who may do what over HTTP: every role at every path, and tokens that are none.

use serde_json::{Value, json};

use crate::fixture::{HttpReply, Site};

const COUNT: &str = "SELECT count(*) FROM visits";

/// Specification: the matrix of roles, path by path.
#[test]
fn every_role_at_every_path() {
    let site = Site::start();
    let question = json!({ "sql": COUNT, "rho": "0.01" });
    let explain = json!({ "sql": format!("EXPLAIN {COUNT}"), "rho": "0.01" });
    let show = json!({ "sql": "SHOW TABLES" });
    let statistic = json!({ "epsilon": "0.1" });
    let everybody: &[&str] = &["ana", "carla", "chief", "otto"];
    let paths: [(&str, Option<&Value>, &[&str]); 13] = [
        ("/v1/query", Some(&question), &["ana"]),
        ("/v1/query", Some(&explain), &["ana", "carla", "chief"]),
        ("/v1/query", Some(&show), everybody),
        ("/v1/explain", Some(&question), &["ana", "carla", "chief"]),
        ("/v1/rehearse", Some(&question), &["ana"]),
        ("/v1/graph/contacts/edges", Some(&statistic), &["ana"]),
        ("/v1/graph/contacts", None, everybody),
        ("/v1/budget", None, &["ana", "chief", "otto"]),
        ("/v1/history", None, &["ana", "chief", "otto"]),
        ("/v1/catalog", None, everybody),
        ("/v1/releases", None, everybody),
        ("/metrics", None, &["chief", "otto"]),
        ("/healthz", None, everybody),
    ];
    for (path, body, allowed) in paths {
        for who in everybody {
            let reply = body.map_or_else(|| site.get(who, path), |body| site.post(who, path, body));
            let expected = if allowed.contains(who) { 200 } else { 403 };
            assert_eq!(reply.status, expected, "{who} at {path}: {}", reply.text());
        }
    }
}

/// Specification: whatever is wrong with a token, the reply is the same, byte for byte.
#[test]
fn tokens_that_are_none_are_told_alike() {
    let site = Site::start();
    let good = site.tokens["ana"].clone();
    let mut changed = good.clone();
    let last = if changed.pop() == Some('A') { 'B' } else { 'A' };
    changed.push(last);
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let call = |authorization: Option<&str>| -> HttpReply {
        let mut headers = vec![("traceparent", trace), ("x-user", "ana"), ("x-forwarded-user", "chief")];
        headers.extend(authorization.map(|value| ("authorization", value)));
        let mut reply = site.call("GET", "/v1/budget", &headers, "");
        assert!(reply.headers.remove("date").is_some());
        reply
    };
    let first = call(None);
    assert_eq!(first.status, 401);
    assert!(first.headers["www-authenticate"].starts_with("Bearer"));
    assert_eq!(first.headers["traceparent"], trace);
    for wrong in [
        String::new(),
        "Bearer ".to_owned(),
        format!("Bearer {}", &good[..good.len() - 1]),
        format!("Bearer {changed}"),
        format!("Bearer {good}A"),
        format!("Bearer {}", site.tokens["expired"]),
        format!("Basic {good}"),
        good.clone(),
        "Bearer ptl_nothing".to_owned(),
        format!("Bearer {}", "x".repeat(4_000)),
    ] {
        assert_eq!(call(Some(&wrong)), first, "{}", &wrong[..wrong.len().min(60)]);
    }
    assert_eq!(call(Some(&format!("bearer {good}"))).status, 200);
}

/// Specification: an analyst sees their own share and past, the owner and auditors everybody's, and nobody an answer.
#[test]
fn books_are_each_ones_own() {
    let site = Site::start();
    for (who, rho) in [("ana", "0.05"), ("ben", "0.02")] {
        let sql = format!("SELECT region, count(*) FROM visits WHERE cost < {rho}00 GROUP BY region");
        assert_eq!(site.post(who, "/v1/query", &json!({ "sql": sql, "rho": rho })).status, 200);
    }
    let own = site.get("ana", "/v1/budget").json();
    assert_eq!(own["scopes"][0]["spent"]["rho"], "0.05");
    assert_eq!(own["scopes"][0]["granted"]["rho"], "0.4");
    assert_eq!(own["scopes"][0]["analysts"], json!([]));
    let history = site.get("ana", "/v1/history");
    let entries = history.json()["history"].as_array().cloned().expect("a list");
    assert_eq!(entries.len(), 1, "{}", history.text());
    assert!(entries[0]["sql"].as_str().is_some_and(|sql| sql.contains("0.0500")));
    assert!(!history.text().contains("ben") && entries[0]["seq"].is_null());
    for who in ["chief", "otto"] {
        let all = site.get(who, "/v1/budget").json();
        assert_eq!(all["scopes"][0]["analysts"].as_array().map(Vec::len), Some(2), "{all}");
        let history = site.get(who, "/v1/history").text();
        assert!(history.contains("ana") && history.contains("ben"), "{history}");
        assert_eq!(history.contains("0.0500"), who == "chief", "words are for the owner: {history}");
        assert!(!history.contains("\"rows\"") && !history.contains("values"), "{history}");
    }
}

/// Specification: a curator's explanation says nothing about what others have asked or left.
#[test]
fn a_curators_quote_is_about_the_catalog_alone() {
    let site = Site::start();
    let body = json!({ "sql": COUNT, "rho": "0.05" });
    let before = site.post("carla", "/v1/explain", &body).json();
    assert_eq!(site.post("ana", "/v1/query", &body).status, 200);
    assert_eq!(site.post("carla", "/v1/explain", &body).json(), before);
}
