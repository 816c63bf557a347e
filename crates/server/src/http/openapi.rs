//! The description of every route (OpenAPI 3.1): one list, from which the document and the page are made. A test holds it
//! against the router.

use serde_json::{Map, Value, json};

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

/// Every operation.
pub(crate) const OPERATIONS: [Operation; 17] = [
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
        summary: "Who paid what for which question; never an answer.",
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
        replies: &["application/octet-stream"],
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
    Operation {
        method: "get",
        path: "/",
        summary: "The same page.",
        who: None,
        body: None,
        replies: &["text/html"],
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
    ("epsilon", FieldKind::Number, "The whole statement's ε. One of epsilon, rho and error is the price."),
    ("rho", FieldKind::Number, "The whole statement's ρ."),
    ("error", FieldKind::Number, "The error that every count and sum should stay within; the price follows."),
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
}

impl FieldKind {
    fn schema(self, words: &str) -> Value {
        match self {
            Self::Text => json!({ "type": "string", "description": words }),
            Self::Truth => json!({ "type": "boolean", "description": words }),
            Self::List => json!({ "type": "array", "items": {}, "description": words }),
            Self::Number => json!({ "type": ["number", "string"], "description": words }),
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
                "Problem": problem(),
            },
        },
    })
}

fn described(operation: &Operation) -> Value {
    let content = |kinds: &[&str]| -> Value {
        kinds.iter().map(|kind| ((*kind).to_owned(), json!({}))).collect::<Map<_, _>>().into()
    };
    let problem = json!({
        "description": "What is wrong, and what to do next.",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    let mut described = json!({
        "summary": operation.summary,
        "responses": {
            "200": { "description": "Done.", "content": content(operation.replies) },
            "default": problem,
        },
    });
    let names = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameter =
        |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
    let parameters: Vec<Value> = names.map(parameter).collect();
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
            Some(2)
        );
        assert!(document["components"]["schemas"]["Question"]["properties"]["method"].is_null());
    }
}
