//! The description of every route for programs (OpenAPI 3.1): one list, from which the document and the page are made. A test holds it
//! against the router.

use pointillist_errors::Kind;
use serde_json::{Map, Value, json};

use super::books::{ENTRIES, ENTRIES_MAX};

/// A route and a method.
pub(crate) struct Operation {
    /// `get` or `post`.
    pub(crate) method: &'static str,
    /// With `{names}` for what varies.
    pub(crate) path: &'static str,
    /// What a caller gets from it, in a sentence.
    pub(crate) summary: &'static str,
    /// Who may, in words; `None` where nobody is asked.
    pub(crate) who: Option<&'static str>,
    /// The schema of the body.
    pub(crate) body: Option<&'static str>,
    /// The media types of the reply.
    pub(crate) replies: &'static [&'static str],
}

const JSON: &[&str] = &["application/json"];
const TABLES: &[&str] = &["application/json", "text/csv", "application/vnd.apache.arrow.stream"];

/// Files of releases, by their ending.
const RELEASED: &[&str] = &[
    "text/csv",
    "application/json",
    "text/html",
    "application/vnd.apache.parquet",
    "application/octet-stream",
];

/// Every operation.
pub(crate) const OPERATIONS: [Operation; 16] = [
    Operation {
        method: "post",
        path: "/v1/query",
        summary: "Answer a statement: values with intervals, the price, a receipt, what is left. EXPLAIN and SHOW TABLES are free.",
        who: Some("analysts; owner and curators for EXPLAIN, everybody for SHOW TABLES"),
        body: Some("Question"),
        replies: TABLES,
    },
    Operation {
        method: "post",
        path: "/v1/explain",
        summary: "Price, noise and expected error of a statement. Free, and reads no row.",
        who: Some("analysts, curators, the owner"),
        body: Some("Question"),
        replies: JSON,
    },
    Operation {
        method: "post",
        path: "/v1/rehearse",
        summary: "The same statement on rows that are made up from the catalog. Free, and about nobody.",
        who: Some("analysts"),
        body: Some("Question"),
        replies: TABLES,
    },
    Operation {
        method: "get",
        path: "/v1/budget",
        summary: "What is granted, spent and left: the caller's own shares, or everybody's.",
        who: Some("analysts their own; the owner and auditors all"),
        body: None,
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/v1/history",
        summary: "Who paid what and when, the newest first; never an answer. Auditors see no words and no digests of questions.",
        who: Some("analysts their own; the owner and auditors all"),
        body: None,
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/v1/catalog",
        summary: "The tables, columns and graphs that can be named, from what is declared alone.",
        who: Some("everybody"),
        body: None,
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/v1/graph/{graph}",
        summary: "What is declared about a graph, and which statistics and methods there are.",
        who: Some("everybody"),
        body: None,
        replies: JSON,
    },
    Operation {
        method: "post",
        path: "/v1/graph/{graph}/{statistic}",
        summary: "A statistic of a graph, such as triangles or 2-stars, with its error, its price and a receipt.",
        who: Some("analysts"),
        body: Some("GraphQuestion"),
        replies: TABLES,
    },
    Operation {
        method: "get",
        path: "/v1/releases",
        summary: "What is published, and the files of it with their digests.",
        who: Some("everybody"),
        body: None,
        replies: JSON,
    },
    Operation {
        method: "post",
        path: "/v1/releases/approve",
        summary: "Approve a plan that somebody else has prepared, as it is now. Costs nothing; the release itself is made at the owner's machine.",
        who: Some("curators whom the catalog names as approvers"),
        body: Some("Approval"),
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/v1/releases/{release}/{file}",
        summary: "A file of a release, if it is still what was signed.",
        who: Some("everybody"),
        body: None,
        replies: RELEASED,
    },
    Operation {
        method: "get",
        path: "/healthz",
        summary: "That the server is there.",
        who: None,
        body: None,
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/metrics",
        summary: "Counters for Prometheus; none depends on data.",
        who: Some("the owner and auditors"),
        body: None,
        replies: &["text/plain"],
    },
    Operation {
        method: "get",
        path: "/openapi.json",
        summary: "This description, for programs.",
        who: None,
        body: None,
        replies: JSON,
    },
    Operation {
        method: "get",
        path: "/docs",
        summary: "This description, for people.",
        who: None,
        body: None,
        replies: &["text/html"],
    },
    Operation {
        method: "get",
        path: "/docs.css",
        summary: "How it looks.",
        who: None,
        body: None,
        replies: &["text/css"],
    },
];

/// A field of a body: its name, its schema, what it is.
pub(crate) const FIELDS: [(&str, FieldKind, &str); 14] = [
    ("sql", FieldKind::Text, "The statement."),
    (
        "method",
        FieldKind::Text,
        "How a graph's statistic is made private; the best known where nothing is said.",
    ),
    ("parameters", FieldKind::List, "Values for $1, $2, … of the statement, in order."),
    ("epsilon", FieldKind::Positive, "The whole statement's ε. One of epsilon, rho and error is the price."),
    ("rho", FieldKind::Positive, "The whole statement's ρ."),
    (
        "error",
        FieldKind::Positive,
        "The error that every count and sum should stay within; the price follows.",
    ),
    ("confidence", FieldKind::Number, "With which probability it should; 0.95 where nothing is said."),
    ("delta", FieldKind::Number, "The δ for keys that must be earned."),
    ("max_groups", FieldKind::Number, "Groups that one person may touch."),
    ("max_contributions", FieldKind::Number, "Rows that one person may add to one group."),
    ("noise", FieldKind::Text, "auto, laplace or gaussian."),
    (
        "bias",
        FieldKind::Truth,
        "Whether to tell, for a twentieth of the price, how many people have more rows than count.",
    ),
    (
        "period",
        FieldKind::Text,
        "The period that is asked about, where each has a budget of its own, such as 2026-01.",
    ),
    (
        "request_id",
        FieldKind::Text,
        "The caller's name for this request: repeated under the same name it is never paid twice. The header Idempotency-Key is the same.",
    ),
];

/// What a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    Truth,
    List,
    /// Digits, as a number or in a text; never read as a float.
    Number,
    /// The same, above zero.
    Positive,
}

impl FieldKind {
    /// Whether digits are sent, as a number or in a text.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Positive)
    }

    fn schema(self, words: &str) -> Value {
        match self {
            Self::Text => json!({ "type": "string", "description": words }),
            Self::Truth => json!({ "type": "boolean", "description": words }),
            Self::List => json!({ "type": "array", "items": {}, "description": words }),
            Self::Number => json!({ "type": ["number", "string"], "description": words }),
            Self::Positive => {
                json!({ "type": ["number", "string"], "exclusiveMinimum": 0, "description": words })
            }
        }
    }
}

/// The whole document.
pub(crate) fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in &OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Pointillist",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Questions about people, answered with differential privacy.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Question": question(&["method"], &["sql"]),
                "GraphQuestion": question(&["sql", "parameters"], &[]),
                "Approval": approval(),
                "Answer": answer(),
                "Problem": problem(),
            },
        },
    })
}

fn described(operation: &Operation) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), done(operation));
    for (status, words) in statuses(operation) {
        let schema = json!({ "schema": { "$ref": "#/components/schemas/Problem" } });
        let problem = json!({ "description": words, "content": { "application/problem+json": schema } });
        responses.insert(status.to_string(), problem);
    }
    let mut described = json!({ "summary": operation.summary, "responses": responses });
    let names = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameter =
        |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
    let mut parameters: Vec<Value> = names.map(parameter).collect();
    if operation.body.is_some_and(|body| body.ends_with("Question")) {
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "schema": { "type": "string" },
            "description": "The caller's name for this request, as `request_id`: repeated under the same name it is never paid twice.",
        }));
    }
    if operation.path == "/v1/history" {
        parameters.push(json!({
            "name": "limit", "in": "query", "description": "How many entries, from the newest.",
            "schema": { "type": "integer", "minimum": 1, "maximum": ENTRIES_MAX, "default": ENTRIES },
        }));
    }
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(who) = operation.who {
        described["security"] = json!([{ "token": [] }]);
        described["description"] = format!("For {who}.").into();
    }
    if let Some(body) = operation.body {
        let schema = json!({ "schema": { "$ref": format!("#/components/schemas/{body}") } });
        described["requestBody"] = json!({ "required": true, "content": { "application/json": schema } });
    }
    described
}

/// Whether it gives an answer that is paid for.
fn is_paid(operation: &Operation) -> bool {
    matches!(operation.path, "/v1/query" | "/v1/graph/{graph}/{statistic}")
}

/// The reply where nothing is wrong.
fn done(operation: &Operation) -> Value {
    let schema = |kind: &str| match (is_paid(operation), kind) {
        (true, "application/json") => json!({ "schema": { "$ref": "#/components/schemas/Answer" } }),
        _ => json!({}),
    };
    let content: Map<String, Value> =
        operation.replies.iter().map(|kind| ((*kind).to_owned(), schema(kind))).collect();
    let mut done = json!({ "description": "Done.", "content": content });
    if is_paid(operation) {
        done["description"] = "An answer; for EXPLAIN a quote, for SHOW TABLES a list.".into();
        let header = |words: &str| json!({ "description": words, "schema": { "type": "string" } });
        done["headers"] = json!({
            "pointillist-paid": header("With CSV and Arrow: in_full, or nothing where the caller had paid before."),
            "pointillist-receipt": header("With CSV and Arrow: the head of the ledger's chain with the payment."),
        });
    }
    done
}

/// The statuses that an operation has where something is wrong, in words.
fn statuses(operation: &Operation) -> Vec<(u16, &'static str)> {
    let names_something = operation.path.contains('{') || operation.body.is_some();
    let [has_body, asks_who] = [operation.body.is_some(), operation.who.is_some()];
    let reads_ledger = has_body || matches!(operation.path, "/v1/budget" | "/v1/history");
    [
        (400, true, "The request is wrong: its head, its body or its statement."),
        (401, asks_who, "No token, or none that is known."),
        (402, is_paid(operation), "The budget, or the caller's share of it, does not hold the price."),
        (403, asks_who, "The role, the token or the lack of a share does not allow this."),
        (404, names_something, "Nothing of that name is declared or published."),
        (406, has_body, "Not written as the caller accepts it; nothing was paid."),
        (408, has_body, "The body did not come in time."),
        (413, has_body, "The body is too large."),
        (415, has_body, "The body is not declared to be JSON."),
        (422, has_body, "Refused for privacy."),
        (
            503,
            reads_ledger,
            "The data, the ledger or the machine does not serve; `charged_in_vain` was paid.",
        ),
    ]
    .into_iter()
    .filter_map(|(status, has, words)| has.then_some((status, words)))
    .collect()
}

/// Every code that a problem may have, with its status.
pub(crate) fn codes() -> Vec<(&'static str, u16)> {
    let own = [
        ("unauthorized", 401),
        ("forbidden", 403),
        ("not_found", 404),
        ("not_acceptable", 406),
        ("too_slow", 408),
        ("too_large", 413),
    ];
    let mut codes: Vec<(&str, u16)> =
        own.into_iter().chain(Kind::ALL.map(|kind| (kind.word(), kind.http_status()))).collect();
    codes.sort_by_key(|(code, status)| (*status, *code));
    codes.dedup();
    codes
}

/// An answer, as it is sent in JSON.
pub(crate) fn sample() -> Value {
    json!({
        "columns": [
            { "name": "region", "role": "key" },
            { "name": "n", "role": "released", "release": { "mechanism": "discrete Gaussian", "scale": "31.6" } },
        ],
        "rows": [["north", 5021], ["south", 4978]],
        "intervals": [[null, [4959, 5083]], [null, [4916, 5040]]],
        "notes": [],
        "cost": { "rho": "0.0005" },
        "paid": "in_full",
        "receipt": { "hash": "9f2c…", "scope": "people", "analyst": "ana" },
        "budget": { "remaining_rho": "0.0015", "more": 3 },
    })
}

fn answer() -> Value {
    let amounts =
        |words: &str| json!({ "type": "object", "description": words, "additionalProperties": true });
    json!({
        "type": "object",
        "required": ["columns", "rows", "intervals", "notes", "cost", "paid", "receipt", "budget"],
        "properties": {
            "columns": {
                "type": "array",
                "description": "Names, whether each is a key or released, and how its noise was drawn.",
                "items": { "type": "object", "required": ["name", "role"], "properties": {
                    "name": { "type": "string" }, "role": { "type": "string" }, "release": { "type": ["object", "null"] },
                } },
            },
            "rows": { "type": "array", "items": { "type": "array" }, "description": "Values, row by row." },
            "intervals": {
                "type": "array",
                "description": "Beside every value the interval that covers the true one with the asked confidence; null for keys.",
                "items": { "type": "array", "items": { "type": ["array", "null"] } },
            },
            "notes": { "type": "array", "items": { "type": "string" }, "description": "What to know about the numbers." },
            "cost": amounts("What it costs: rho or epsilon, and delta, as digits in a text."),
            "paid": { "type": "string", "enum": ["in_full", "nothing"] },
            "receipt": amounts("The head of the ledger's chain with the payment, the population, the asker."),
            "budget": amounts("What the asker has left, and how many more such questions fit."),
        },
        "examples": [sample()],
    })
}

fn question(without: &[&str], required: &[&str]) -> Value {
    let fields = FIELDS.iter().filter(|(name, ..)| !without.contains(name));
    let properties: Map<String, Value> =
        fields.map(|(name, kind, words)| ((*name).to_owned(), kind.schema(words))).collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

fn approval() -> Value {
    let plan = FieldKind::Text.schema("The plan, word for word as it was prepared.");
    json!({ "type": "object", "additionalProperties": false, "required": ["plan"], "properties": { "plan": plan } })
}

fn problem() -> Value {
    let text = |words: &str| json!({ "type": "string", "description": words });
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "properties": {
            "type": text("A URN of the code."),
            "title": text("The code in a few words."),
            "status": { "type": "integer" },
            "detail": text("What is wrong with this request."),
            "code": text("By which programs tell failures apart: budget, privacy, unsupported, syntax, unknown_table, …"),
            "sqlstate": text("The same for PostgreSQL's clients."),
            "hint": text("What to do next."),
            "request_id": text("The name of the request in the server's log."),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: every reference of the document leads somewhere, and every name in a path is declared.
    #[test]
    fn references_lead_somewhere() {
        let document = document();
        let text = document.to_string();
        for reference in text.split("\"#/components/schemas/").skip(1) {
            let name = reference.split('"').next().unwrap_or_default();
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
        assert_eq!(
            document["paths"]["/v1/graph/{graph}/{statistic}"]["post"]["parameters"].as_array().map(Vec::len),
            Some(3)
        );
        assert!(document["components"]["schemas"]["Question"]["properties"]["method"].is_null());
    }

    /// Specification: what a program needs to pay once and to know what went wrong is described.
    #[test]
    fn payments_and_statuses_are_described() {
        let document = document();
        let query = &document["paths"]["/v1/query"]["post"];
        let statuses: Vec<&str> =
            query["responses"].as_object().expect("responses").keys().map(String::as_str).collect();
        for status in ["200", "400", "401", "402", "403", "404", "408", "413", "422", "503"] {
            assert!(statuses.contains(&status), "{status}");
        }
        assert!(query["responses"]["200"]["headers"]["pointillist-receipt"].is_object());
        assert_eq!(query["parameters"][0]["name"], "Idempotency-Key");
        assert_eq!(document["paths"]["/v1/history"]["get"]["parameters"][0]["schema"]["default"], ENTRIES);
        let question = &document["components"]["schemas"]["Question"]["properties"];
        assert_eq!(question["epsilon"]["exclusiveMinimum"], 0);
        assert!(question["max_groups"]["exclusiveMinimum"].is_null());
        assert!(document["paths"]["/healthz"]["get"]["responses"]["401"].is_null());
        let sample = sample();
        for field in document["components"]["schemas"]["Answer"]["required"].as_array().expect("fields") {
            assert!(!sample[field.as_str().expect("a name")].is_null(), "{field}");
        }
    }
}
