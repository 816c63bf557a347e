//! Pages and pieces with their headers, and those who are turned away.

use axum::extract::Request;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Extensions, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use pointillist_console::{SCRIPT, STYLE, Section, Visitor, message_page};
use serde_json::{Value, json};

use crate::http::exchange::{Ended, Exchange};
use crate::http::problem::Problem;

/// What a page of the console may do: run our script, look as our style sheet says, talk to us. Nothing inline, nothing from elsewhere,
/// no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Names of bytes that never change are kept for a year.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A page.
pub(super) fn page(markup: Markup) -> Response {
    page_with(StatusCode::OK, markup)
}

pub(super) fn page_with(status: StatusCode, markup: Markup) -> Response {
    let mut response = (status, markup.into_string()).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Pieces of a page, for the script.
pub(super) fn pieces(pieces: &impl serde::Serialize) -> Response {
    pieces_with(StatusCode::OK, &json!(pieces))
}

fn pieces_with(status: StatusCode, pieces: &Value) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], pieces.to_string()).into_response()
}

/// Another page of ours; whatever was sent is not sent again.
pub(super) fn go_to(path: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static(path))]).into_response()
}

/// The style sheet.
pub(crate) async fn style(request: Request) -> Response {
    asset(&request, "text/css; charset=utf-8", STYLE)
}

/// The script.
pub(crate) async fn script(request: Request) -> Response {
    asset(&request, "text/javascript; charset=utf-8", SCRIPT)
}

fn asset(request: &Request, kind: &'static str, text: &'static str) -> Response {
    if let Some(exchange) = request.extensions().get::<Exchange>() {
        exchange.note_verb("asset");
    }
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER)),
    ];
    (headers, text).into_response()
}

/// Why somebody does not get what they came for.
#[derive(Debug)]
pub(super) enum TurnedAway {
    /// They are not signed in; where they wanted to go.
    Unknown(Option<Section>),
    /// Their role does not allow it.
    Forbidden,
    /// The form is none of ours, or not theirs any more.
    Foreign,
    /// There is no such thing.
    NotFound,
    /// It is wrong in some other way: what, and what to do next.
    Wrong(StatusCode, &'static str, String, Option<String>),
    /// What the programs' door would say.
    Problem(Box<Problem>),
}

impl From<Problem> for TurnedAway {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl TurnedAway {
    /// A request that is not understood.
    pub(super) fn request(words: &str) -> Self {
        Self::Wrong(StatusCode::BAD_REQUEST, "That was not understood", words.to_owned(), None)
    }

    /// Something that did not work here.
    pub(super) fn failed(words: &str) -> Self {
        let next = "Try again. If it stays, the owner finds more in the log.".to_owned();
        Self::Wrong(StatusCode::INTERNAL_SERVER_ERROR, "That did not work", words.to_owned(), Some(next))
    }

    /// The page, or the words for the script.
    pub(super) fn reply(
        self,
        visitor: Option<&Visitor>,
        wants_pieces: bool,
        extensions: &Extensions,
    ) -> Response {
        let (status, title, words, next, ended) = match self {
            Self::Unknown(next) if !wants_pieces => {
                let mut response = go_to(sign_in_path(next));
                response.extensions_mut().insert(Ended("unauthorized"));
                return response;
            }
            Self::Unknown(_) => (
                StatusCode::UNAUTHORIZED,
                "You are signed out",
                "Sign in again; what you wrote is still here.".to_owned(),
                None,
                "unauthorized",
            ),
            Self::Forbidden => (
                StatusCode::FORBIDDEN,
                "This page is not for your role",
                "Your role does not allow this.".to_owned(),
                Some("The owner of the data decides who may do what.".to_owned()),
                "forbidden",
            ),
            Self::Foreign => (
                StatusCode::FORBIDDEN,
                "This form is out of date",
                "Nothing was done. It came from another page, or from before you signed in.".to_owned(),
                Some("Go back, load the page again, and press once more.".to_owned()),
                "foreign_form",
            ),
            Self::NotFound => (
                StatusCode::NOT_FOUND,
                "Nothing is here",
                "There is no such page.".to_owned(),
                None,
                "not_found",
            ),
            Self::Wrong(status, title, words, next) => (status, title, words, next, "request"),
            Self::Problem(problem) => return problem.reply_to(extensions),
        };
        let mut response = match wants_pieces {
            true => {
                pieces_with(status, &json!({ "title": title, "words": words, "signed_out": status == 401 }))
            }
            false => page_with(status, message_page(visitor, title, &words, next.as_deref())),
        };
        response.extensions_mut().insert(Ended(ended));
        response
    }
}

/// The way in, and where it leads afterwards.
fn sign_in_path(next: Option<Section>) -> &'static str {
    match next {
        Some(Section::Ask) => "/sign-in?next=/ask",
        Some(Section::Desk) => "/sign-in?next=/desk",
        Some(Section::Catalog) => "/sign-in?next=/catalog",
        Some(Section::Budget) => "/sign-in?next=/budget",
        Some(Section::Graphs) => "/sign-in?next=/graphs",
        Some(Section::Releases) => "/sign-in?next=/releases",
        Some(Section::Playground) | None => "/sign-in",
    }
}
