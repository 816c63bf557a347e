//! HTTP and JSON.
//!
//! **Guarantee.** Nobody without a token of the access file, or a session of the console, is told anything but that the server is there and how it is spoken to, in
//! the same bytes whatever is wrong with what they show. Who somebody is comes from the token or the session alone; no header and
//! no field says otherwise. What is read is bounded before it is read: heads, bodies, connections, and how long each may take.
//!
//! | file | its idea |
//! | --- | --- |
//! | `http/connection.rs`, `http/head_wait.rs` | connections: how many, how long, and that slow and silent ones end |
//! | `http/exchange.rs` | a request and its reply: names, headers, the log |
//! | `http/caller.rs` | who calls, and whether they may |
//! | `http/problem.rs` | what is wrong, as `application/problem+json` |
//! | `http/body.rs` | a body as a question: strict JSON, numbers by their digits |
//! | `http/presentation.rs` | answers as JSON, CSV or Arrow, as the caller accepts |
//! | `http/questions.rs`, `http/graphs.rs` | asking, explaining, rehearsing |
//! | `http/books.rs`, `http/catalog.rs`, `http/releases.rs` | budgets and history, what is declared, what is published |
//! | `http/console.rs` | the console: pages, forms and sessions of people with a browser |
//! | `http/pages.rs`, `http/openapi.rs` | health, counters, the description of all this |

mod body;
mod books;
mod caller;
mod catalog;
mod connection;
mod console;
mod exchange;
mod graphs;
mod head_wait;
mod openapi;
mod pages;
mod presentation;
mod problem;
mod questions;
mod releases;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::service::Service;

pub(crate) use connection::serve;
pub(crate) use console::{Audits, Moderation, Sessions};

/// Every route. The description of those for programs is `openapi.rs`; a test holds the two against each other.
fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/query", post(questions::query))
        .route("/v1/explain", post(questions::explain))
        .route("/v1/rehearse", post(questions::rehearse))
        .route("/v1/budget", get(books::budget))
        .route("/v1/history", get(books::history))
        .route("/v1/catalog", get(catalog::catalog))
        .route("/v1/graph/{graph}", get(graphs::can_be_asked))
        .route("/v1/graph/{graph}/{statistic}", post(graphs::statistic))
        .route("/v1/releases", get(releases::list))
        .route("/v1/releases/approve", post(releases::approve))
        .route("/v1/releases/{release}/{file}", get(releases::file))
        .route("/healthz", get(pages::health))
        .route("/metrics", get(pages::metrics))
        .route("/openapi.json", get(pages::description))
        .route("/docs", get(pages::documentation))
        .route("/docs.css", get(pages::style))
        .merge(console::routes())
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(from_fn_with_state(Arc::clone(&service), exchange::observed))
        .with_state(service)
}
