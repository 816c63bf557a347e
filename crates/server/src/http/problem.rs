//! What is wrong, as `application/problem+json` (RFC 9457).
//!
//! Everything in it follows from the kind of the error and from what the error says, which is about the request, the
//! catalog and the caller's own budget. Who may not come in is told so in the same bytes whatever the reason.

use axum::extract::Request;
use axum::http::header::{self, HeaderValue};
use axum::http::{Extensions, StatusCode};
use axum::response::{IntoResponse, Response};
use pointillist_errors::{Explained, Explanation, Kind};
use serde::Serialize;

use super::exchange::{Ended, Exchange};

/// The media type.
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Something that is wrong with a request.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    detail: String,
    hint: Option<String>,
    sqlstate: Option<&'static str>,
    /// Whether the connection is of no further use.
    closes: bool,
    /// Where the caller has to say who they are.
    challenges: bool,
}

#[derive(Serialize)]
struct ProblemJson<'p> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'p str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sqlstate: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'p str>,
    request_id: &'p str,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { status, code, title, detail, hint: None, sqlstate: None, closes: false, challenges: false }
    }

    /// The same with what to do next.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What an error says, with the status of its kind.
    pub(crate) fn of(error: &impl Explained) -> Self {
        Self::from(error.explanation())
    }

    /// A body or a header that is wrong.
    pub(crate) fn request(detail: impl Into<String>) -> Self {
        Self::from(Explanation::new(Kind::Request, detail))
    }

    /// A request that does not say once to whom it is sent.
    pub(crate) fn no_host() -> Self {
        let problem = Self::request("a request has one `Host`").with_hint("send the header `Host` once");
        Self { closes: true, ..problem }
    }

    /// Nobody, or nobody whom we know: one text for all of them.
    pub(crate) fn unauthorized() -> Self {
        let detail = "there is no such token";
        let problem = Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "Not authenticated", detail);
        Self { challenges: true, closes: true, ..problem }
            .with_hint("send `Authorization: Bearer` with a token that the owner gave you")
    }

    /// Somebody who may not do this.
    pub(crate) fn forbidden() -> Self {
        let detail = "your role, or your token, does not allow this";
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail)
            .with_hint("ask the owner for a role or a token that does")
    }

    /// Nothing of that name.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// Too much.
    pub(crate) fn too_large(bytes_max: usize) -> Self {
        let detail = format!("a body may have {bytes_max} bytes");
        let problem = Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "Too large", detail);
        Self { closes: true, ..problem }
    }

    /// Too slow.
    pub(crate) fn too_slow() -> Self {
        let detail = "the body did not come in time";
        let problem = Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "Too slow", detail);
        Self { closes: true, ..problem }
    }

    /// Not as the caller wants it; nothing was paid.
    pub(crate) fn not_acceptable(detail: &'static str) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", "Not acceptable", detail).with_hint(
            "accept application/json; answers are also text/csv and application/vnd.apache.arrow.stream",
        )
    }

    /// A body of another type.
    pub(crate) fn not_json() -> Self {
        let detail = "the body is not declared to be JSON";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "request", "Not JSON", detail)
            .with_hint("send `Content-Type: application/json`")
    }

    /// The reply to the request of this name.
    pub(crate) fn reply(&self, request_id: &str) -> Response {
        let body = ProblemJson {
            r#type: format!("urn:pointillist:problem:{}", self.code),
            title: self.title,
            status: self.status.as_u16(),
            detail: &self.detail,
            code: self.code,
            sqlstate: self.sqlstate,
            hint: self.hint.as_deref(),
            request_id,
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, PROBLEM)], body).into_response();
        response.extensions_mut().insert(Ended(self.code));
        if self.challenges {
            let bearer = HeaderValue::from_static("Bearer realm=\"pointillist\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        if self.closes {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The reply to the request that these belong to.
    pub(crate) fn reply_to(&self, extensions: &Extensions) -> Response {
        let exchange = extensions.get::<Exchange>();
        self.reply(exchange.map_or("", |exchange| &exchange.request_id))
    }
}

impl From<Explanation> for Problem {
    fn from(said: Explanation) -> Self {
        let kind = said.kind();
        let status = StatusCode::from_u16(kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self {
            hint: said.hint_text().map(str::to_owned),
            sqlstate: Some(kind.sqlstate()),
            ..Self::new(status, kind.word(), title(kind), said.message())
        }
    }
}

/// A kind in a few words.
fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Parameter => "A parameter is out of its range",
        Kind::Syntax => "Not understood as SQL",
        Kind::Type => "Types do not go together",
        Kind::UnknownTable => "No such table or graph",
        Kind::UnknownColumn => "No such column",
        Kind::UnknownAnalyst => "No such analyst",
        Kind::Unsupported => "No proof covers this question",
        Kind::CatalogMissing | Kind::Catalog => "The catalog is not understood",
        Kind::Privacy => "Refused for privacy",
        Kind::Refused => "Refused",
        Kind::Budget => "The budget does not hold the price",
        Kind::NoShare => "No share of the budget",
        Kind::BudgetChanged => "The catalog and the ledger disagree",
        Kind::DataUnavailable => "The data cannot be opened",
        Kind::ChargedInVain => "Charged, and not answered",
        Kind::Ledger | Kind::LedgerRestored | Kind::AnchorMissing => "The ledger does not serve",
        Kind::LedgerInUse => "The ledger is in use",
        Kind::Unverified => "Not what was signed",
        Kind::Environment => "The machine does not serve",
        // Kinds that are added later are wrong requests until somebody gives them a title.
        _ => "The request is wrong",
    }
}

/// A path that leads nowhere.
pub(crate) async fn no_such_path(request: Request) -> Response {
    Problem::not_found("there is nothing here")
        .with_hint("/docs lists what there is")
        .reply_to(request.extensions())
}

/// A path that is used differently.
pub(crate) async fn no_such_method(request: Request) -> Response {
    let detail = "this path is used with another method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "request", "Another method", detail)
        .with_hint("/docs says which")
        .reply_to(request.extensions())
}
