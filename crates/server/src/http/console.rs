//! The console: pages, forms and sessions of people with a browser.
//!
//! **Guarantee.** Whoever is not signed in sees the way in, the playground and nothing else. What somebody may see and do is the one
//! matrix of roles that tokens obey as well. A form is taken from a page of ours alone: the session's own token stands in it, and the
//! browser says that it comes from this origin. No page may be framed, kept or made to run what it does not bring along.
//!
//! | file | its idea |
//! | --- | --- |
//! | `sessions.rs` | who is signed in, and for how long |
//! | `cookie.rs` | the one cookie |
//! | `guard.rs` | who calls, from where, and whether they may |
//! | `reply.rs` | pages and pieces with their headers, and those who are turned away |
//! | `sign_in.rs` | coming in and leaving |
//! | `ask.rs`, `asked.rs` | asking: forms to questions, questions to pages |
//! | `desk.rs`, `catalog_editor.rs`, `audit.rs` | the owner's and the approver's |
//! | `reading.rs`, `graphs.rs` | catalog, budget, releases and graphs |
//! | `playground.rs` | lessons on made-up people, for everybody, in moderation |

mod ask;
mod asked;
mod audit;
mod catalog_editor;
mod cookie;
mod desk;
mod graphs;
mod guard;
mod playground;
mod reading;
mod reply;
mod sessions;
mod sign_in;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::service::Service;

pub(crate) use audit::Audits;
pub(crate) use playground::Moderation;
pub(crate) use sessions::Sessions;

/// Every route of the console.
pub(crate) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/", get(sign_in::entrance))
        .route("/sign-in", get(sign_in::page).post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/ask", get(ask::page))
        .route("/ask/quote", post(ask::quote).get(ask::again))
        .route("/ask/build", post(ask::build).get(ask::again))
        .route("/ask/rehearse", post(ask::rehearse).get(ask::again))
        .route("/ask/answer", post(ask::answer).get(ask::again))
        .route("/catalog", get(reading::catalog))
        .route("/budget", get(reading::budget))
        .route("/releases", get(reading::releases))
        .route("/releases/{release}/{file}", get(reading::release_file))
        .route("/catalog/edit", get(catalog_editor::editor))
        .route("/catalog/check", post(catalog_editor::check))
        .route("/catalog/save", post(catalog_editor::save))
        .route("/graphs", get(graphs::graphs))
        .route("/desk", get(desk::desk))
        .route("/desk/approve", post(desk::approve))
        .route("/desk/audit", get(audit::page).post(audit::audit))
        .route("/desk/audit/page", get(audit::whole_page))
        .route("/playground", get(playground::index))
        .route("/playground/{lesson}", get(playground::lesson))
        .route(pointillist_console::STYLE_PATH, get(reply::style))
        .route(pointillist_console::SCRIPT_PATH, get(reply::script))
}
