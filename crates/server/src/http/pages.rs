//! Health, counters, and the description of the routes for programs and for people.
//!
//! The page holds no script, loads nothing from elsewhere, and is the same for everybody.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use pointillist_access::Verb;
use serde_json::json;

use super::caller::caller;
use super::exchange::Exchange;
use super::openapi::{FIELDS, OPERATIONS, codes, document, sample};
use super::presentation;
use super::questions::replied;
use crate::service::Service;

/// The longest name of a host that is repeated.
const HOST_MAX: usize = 255;

const STYLE: &str = "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { font-family: ui-monospace, monospace; background: #8881; padding: 0 0.2em }
pre { background: #8881; padding: 0.7rem; overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #8884 }
.who { color: #777 }
";

/// `GET /healthz`.
pub(crate) async fn health(request: Request) -> Response {
    note(&request, "health");
    presentation::json(&json!({ "status": "ok" }))
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let parts = request.into_parts().0;
        let caller = caller(&service, &parts, &[Verb::AllBooks])?;
        caller.exchange.note_caller(&caller.person().name, "metrics");
        let text = service.metrics.text(service.log.lost());
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
    })
    .await
}

/// `GET /openapi.json`.
pub(crate) async fn description(request: Request) -> Response {
    note(&request, "documentation");
    presentation::json(&document())
}

/// `GET /docs.css`.
pub(crate) async fn style(request: Request) -> Response {
    note(&request, "documentation");
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"))], STYLE).into_response()
}

/// `GET /docs`.
pub(crate) async fn documentation(request: Request) -> Response {
    note(&request, "documentation");
    let policy =
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
    ];
    (headers, page(&address(request.headers())).into_string()).into_response()
}

fn note(request: &Request, verb: &'static str) {
    if let Some(exchange) = request.extensions().get::<Exchange>() {
        exchange.note_verb(verb);
    }
}

/// Where the caller found this page. What is no name of a host is not repeated.
pub(crate) fn address(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if host.is_empty() || host.len() > HOST_MAX || !host.bytes().all(is_plain) {
        return "http://127.0.0.1:8433".to_owned();
    }
    format!("{}://{host}", if is_near(host) { "http" } else { "https" })
}

/// Whether a host is this machine. Without a certificate only this machine is listened on: others come through TLS, ours or a
/// proxy's.
pub(crate) fn is_near(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|digit| digit.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn page(address: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "Pointillist" }
                link rel="stylesheet" href="/docs.css";
            }
            body {
                h1 { "Pointillist" }
                p { "Questions about people, answered with differential privacy. Every answer says how wrong it may be, what it cost and what is left." }
                pre { "curl -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n  -d '{\"sql\": \"SELECT region, count(*) FROM visits GROUP BY region\", \"epsilon\": \"0.1\"}' \\\n  " (address) "/v1/query" }
                p { "What comes back, with numbers of nobody:" }
                pre { (format!("{:#}", sample())) }
                h2 { "Paths" }
                table {
                    @for operation in &OPERATIONS {
                        tr {
                            td { code { (operation.method.to_uppercase()) " " (operation.path) } }
                            td {
                                (operation.summary)
                                @if let Some(who) = operation.who { br; span.who { "For " (who) "." } }
                            }
                        }
                    }
                }
                h2 { "Fields of a question" }
                table {
                    @for (name, kind, words) in &FIELDS {
                        tr {
                            td { code { (name) } }
                            td { (words) @if kind.is_number() { " A number, or its digits as a text: none is rounded." } }
                        }
                    }
                }
                h2 { "When something is wrong" }
                p {
                    "Replies are " code { "application/problem+json" } ": " code { "code" } " tells failures apart, "
                    code { "detail" } " says what is wrong, " code { "hint" } " what to do next. Refusals cost nothing unless they say so."
                }
                table {
                    @for (code, status) in codes() {
                        tr { td { code { (code) } } td { (status) } }
                    }
                }
                p { a href="/openapi.json" { "The same for programs (OpenAPI 3.1)" } }
            }
        }
    }
}
