//! Requests as the router sees them: a small clinic, people with tokens, no sockets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, SystemTime};

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use pointillist_access::{Access, Role, TokenTerms};
use pointillist_catalog::Catalog;
use pointillist_curator::{Clock, Home};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Limits;
use crate::log::{Log, LogTarget};
use crate::server::declared;
use crate::service::Service;

const CATALOG: &str = r#"
[service]
quantum_ms = 200

[scope.patients]
budget = { rho = 10, delta = 1e-9 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 2
max_contributions = 3

[table.visits.columns]
patient = { type = "integer" }
region = { type = "text", public_keys = ["north", "south"] }

[analyst.ana]
shares = { patients = { rho = 5 } }
"#;

/// A clinic that does not exist.
struct Clinic {
    folder: TempDir,
    service: Arc<Service>,
    tokens: BTreeMap<&'static str, String>,
    log: Receiver<String>,
}

impl Clinic {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("visits.csv"), "patient,region\n1,north\n2,south\n").unwrap();
        let home = Home::new(folder.path().to_owned(), Catalog::parse(CATALOG).unwrap());
        let curator = home.curator(Clock::Declared).unwrap();
        let mut access = Access::new().unwrap();
        let mut tokens = BTreeMap::new();
        for (name, role) in [("ana", Role::Analyst), ("chief", Role::Owner), ("otto", Role::Auditor)] {
            access.add(name, role, None).unwrap();
            let token = access.create_token(name, TokenTerms::default(), SystemTime::now()).unwrap();
            tokens.insert(name, token.text);
        }
        let (sender, log) = mpsc::channel();
        let declared = declared(curator, home, "clinic").unwrap();
        let log_target = Log::new(LogTarget::Lines(sender));
        let service = Service::new(declared, access, Limits::default(), log_target);
        Self { folder, service: Arc::new(service), tokens, log }
    }

    fn request(&self, who: &str, method: &str, path: &str, body: &Value) -> Request<Body> {
        let request = Request::builder().method(method).uri(path).header("host", "a");
        let request = match self.tokens.get(who) {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap()
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        let router = super::router(Arc::clone(&self.service));
        TowerToHyperService::new(router).call(request).await.unwrap()
    }

    async fn get(&self, who: &str, path: &str) -> (u16, Value) {
        told(self.send(self.request(who, "GET", path, &Value::Null)).await).await
    }

    async fn ask(&self, sql: &str) -> (u16, Value) {
        let body = json!({ "sql": sql, "rho": "0.01" });
        told(self.send(self.request("ana", "POST", "/v1/query", &body)).await).await
    }

    /// The lines of the log, up to now.
    fn lines(&self) -> Vec<Value> {
        self.service.log.close();
        self.log.try_iter().map(|line| serde_json::from_str(&line).unwrap()).collect()
    }
}

async fn told(response: Response<Body>) -> (u16, Value) {
    let status = response.status().as_u16();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(status < 400 || kind == "application/problem+json", "{status} {kind}");
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {bytes:?}")))
}

/// Specification: an auditor sees who paid, and no digest that words of a question could be tried against.
#[tokio::test]
async fn auditors_see_nothing_that_words_can_be_tried_against() {
    let clinic = Clinic::new();
    let (status, said) = clinic.ask("SELECT count(*) FROM visits WHERE region = 'north'").await;
    assert_eq!(status, 200, "{said}");
    let (_, all) = clinic.get("chief", "/v1/history").await;
    let entries = all["history"].as_array().unwrap();
    let paid = entries.iter().find(|entry| entry["kind"] == "reserve").unwrap();
    let digest = paid["question"].as_str().expect("the owner sees it");
    assert!(paid["sql"].as_str().unwrap().contains("north"), "{paid}");
    let (_, wordless) = clinic.get("otto", "/v1/history").await;
    let text = wordless.to_string();
    assert!(text.contains("\"cost\"") && text.contains("\"hash\""), "{text}");
    for word in [digest, "question", "north", "sql", "epoch"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

/// Specification: the newest entries come first, and no more than are wanted.
#[tokio::test]
async fn histories_begin_with_the_newest_and_end_in_time() {
    let clinic = Clinic::new();
    for region in ["north", "south"] {
        let sql = format!("SELECT count(*) FROM visits WHERE region = '{region}'");
        assert_eq!(clinic.ask(&sql).await.0, 200);
    }
    for who in ["ana", "chief"] {
        let (_, all) = clinic.get(who, "/v1/history").await;
        let words: Vec<&str> =
            all["history"].as_array().unwrap().iter().filter_map(|entry| entry["sql"].as_str()).collect();
        assert!(words[0].contains("south") && words[1].contains("north"), "{who}: {words:?}");
        let (_, one) = clinic.get(who, "/v1/history?limit=1").await;
        assert_eq!(one["history"].as_array().map(Vec::len), Some(1), "{who}");
        assert_eq!(one["history"][0], all["history"][0], "{who}");
    }
    for wrong in ["limit=0", "limit=-1", "limit=+1", "limit=100001", "limit=", "limit=1&limit=2", "most=1"] {
        assert_eq!(clinic.get("ana", &format!("/v1/history?{wrong}")).await.0, 400, "{wrong}");
    }
}

/// Specification: whoever hangs up is in the log, and what they asked is paid.
#[tokio::test]
async fn a_question_of_somebody_who_hangs_up_is_in_the_log() {
    let clinic = Clinic::new();
    let body = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.01" });
    let sent = clinic.send(clinic.request("ana", "POST", "/v1/query", &body));
    assert!(tokio::time::timeout(Duration::from_millis(5), sent).await.is_err(), "replies take a quantum");
    clinic.service.idle().await;
    let (_, own) = clinic.get("ana", "/v1/history").await;
    assert_eq!(own["history"].as_array().map(Vec::len), Some(1));
    let lines = clinic.lines();
    let gone: Vec<&Value> = lines.iter().filter(|line| line["outcome"] == "gone").collect();
    assert_eq!(gone.len(), 1, "{lines:?}");
    assert_eq!((gone[0]["person"].as_str(), gone[0]["verb"].as_str()), (Some("ana"), Some("ask")));
    assert!(gone[0]["statement"].is_string());
}

/// Specification: the owner reads in the log which file does not open; the asker does not.
#[tokio::test]
async fn files_that_do_not_open_are_named_to_the_owner_alone() {
    let clinic = Clinic::new();
    std::fs::remove_file(clinic.folder.path().join("visits.csv")).unwrap();
    let (_, said) = clinic.ask("SELECT count(*) FROM visits").await;
    assert_eq!(said["code"], "data_unavailable");
    assert!(!said.to_string().contains("visits.csv"), "{said}");
    let lines = clinic.lines();
    let reason = lines.iter().find(|line| line["event"] == "data_unavailable").expect("a reason");
    let reason = reason["message"].as_str().unwrap();
    assert!(reason.contains("visits.csv") && reason.contains("not found"), "{reason}");
}

/// Specification: names that are no text are a problem like any other, and none before somebody has said who they are.
#[tokio::test]
async fn names_that_are_no_text_are_problems() {
    let clinic = Clinic::new();
    for (method, path) in [("GET", "/v1/graph/%ff"), ("POST", "/v1/graph/%ff/triangles")] {
        let (status, _) = told(clinic.send(clinic.request("nobody", method, path, &json!({}))).await).await;
        assert_eq!(status, 401, "{path}");
        let (status, _) = told(clinic.send(clinic.request("ana", method, path, &json!({}))).await).await;
        assert_eq!(status, 404, "{path}");
    }
}

/// Specification: a request says once to whom it is sent.
#[tokio::test]
async fn a_request_has_one_host() {
    let clinic = Clinic::new();
    let health = || Request::builder().uri("/healthz");
    let request = |builder: axum::http::request::Builder| builder.body(Body::empty()).unwrap();
    let none = clinic.send(request(health())).await;
    assert_eq!(none.headers()["connection"], "close");
    assert_eq!(told(none).await.0, 400);
    let two = request(health().header("host", "a").header("host", "b"));
    assert_eq!(told(clinic.send(two).await).await.0, 400);
    let old = request(health().version(axum::http::Version::HTTP_10));
    assert_eq!(told(clinic.send(old).await).await.0, 200);
    assert_eq!(told(clinic.send(request(health().header("host", "a"))).await).await.0, 200);
}

/// Specification: the page names the address that it was found under, every code, and nothing that a stranger wrote.
#[tokio::test]
async fn the_page_names_its_own_address() {
    let clinic = Clinic::new();
    let page = async |host: &str| {
        let request = Request::builder().uri("/docs").header("host", host).body(Body::empty()).unwrap();
        let bytes = to_bytes(clinic.send(request).await.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    assert!(page("db.example:8433").await.contains("https://db.example:8433/v1/query"));
    let near = page("127.0.0.1:9").await;
    assert!(near.contains("http://127.0.0.1:9/v1/query"));
    assert!(near.contains("charged_in_vain") && near.contains("402") && near.contains("receipt"));
    assert!(!page("a<script>").await.contains("a<script"));
    assert!(!page("a'b").await.contains("a'b"));
}
