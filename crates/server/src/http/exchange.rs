//! A request and its reply: names, headers, the log.
//!
//! Every request has a name of 32 hexadecimal digits: the trace id of its `traceparent` (W3C Trace Context), where it has a
//! well-formed one, and else random. It is in the reply, in what is said when something is wrong, and in the log.
//! **Guarantee.** Every request whose head was read is in the log once, also where its caller hangs up before the reply (`gone`).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::http::Version;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use super::problem::Problem;
use crate::log::{Door, Event};
use crate::service::Service;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request on its way: its name, and what is to be said about it in the log.
#[derive(Clone)]
pub(crate) struct Exchange {
    /// 32 hexadecimal digits.
    pub(crate) request_id: Arc<str>,
    notes: Arc<Mutex<Notes>>,
}

struct Notes {
    person: Option<String>,
    verb: &'static str,
    statement: Option<String>,
    bytes_in: u64,
}

/// How a request ended, in the word that the log and the counters have for it.
#[derive(Clone, Copy)]
pub(crate) struct Ended(pub(crate) &'static str);

impl Exchange {
    fn new(request_id: String) -> Self {
        let notes = Notes { person: None, verb: "other", statement: None, bytes_in: 0 };
        Self { request_id: request_id.into(), notes: Arc::new(Mutex::new(notes)) }
    }

    /// Who calls, and what for.
    pub(crate) fn note_caller(&self, person: &str, verb: &'static str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        (notes.person, notes.verb) = (Some(person.to_owned()), verb);
    }

    /// What is to be done, where nobody is asked who they are.
    pub(crate) fn note_verb(&self, verb: &'static str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).verb = verb;
    }

    /// What is asked.
    pub(crate) fn note_statement(&self, statement: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).statement = Some(statement.to_owned());
    }

    /// How long the body was.
    pub(crate) fn note_body(&self, bytes: usize) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).bytes_in = bytes as u64;
    }
}

/// A request that will be in the log, however it ends.
struct Unlogged {
    service: Arc<Service>,
    exchange: Exchange,
    begin: Instant,
    outcome: &'static str,
    bytes_out: u64,
}

impl Drop for Unlogged {
    fn drop(&mut self) {
        let notes = self.exchange.notes.lock().unwrap_or_else(PoisonError::into_inner);
        self.service.done(&Event {
            door: Door::Http,
            request_id: &self.exchange.request_id,
            person: notes.person.as_deref(),
            verb: notes.verb,
            outcome: self.outcome,
            statement: notes.statement.as_deref(),
            quanta: self.service.quanta_since(self.begin),
            bytes_in: notes.bytes_in,
            bytes_out: self.bytes_out,
        });
    }
}

/// Gives a request its name, and writes into the log how it ended.
pub(crate) async fn observed(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    let begin = Instant::now();
    let trace = request.headers().get(TRACEPARENT).and_then(|value| trace_id(value.to_str().ok()?));
    let parent = trace.is_some().then(|| request.headers().get(TRACEPARENT).cloned()).flatten();
    let exchange = Exchange::new(trace.unwrap_or_else(made_id));
    // With a length beside the pieces two readers could disagree about where a request ends; the length is dropped before we
    // see it, so that no connection on which pieces came is used again (RFC 9112, section 6.1).
    let is_chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
    request.extensions_mut().insert(exchange.clone());
    // Dropped with this future where the caller hangs up; a question that was begun is paid and recorded all the same.
    let mut unlogged = Unlogged { service, exchange: exchange.clone(), begin, outcome: "gone", bytes_out: 0 };
    let mut response = match names_one_host(&request) {
        true => next.run(request).await,
        false => Problem::no_host().reply_to(request.extensions()),
    };
    let headers = response.headers_mut();
    if is_chunked {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    add_headers(headers, &exchange, parent);
    unlogged.outcome = response.extensions().get::<Ended>().map_or("ok", |ended| ended.0);
    unlogged.bytes_out = response.body().size_hint().exact().unwrap_or_default();
    response
}

/// Whether there is exactly one `Host` (RFC 9112, section 3.2); HTTP/1.0 may have none.
fn names_one_host(request: &Request) -> bool {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    hosts == 1 || (hosts == 0 && request.version() == Version::HTTP_10)
}

/// What every reply says: whose it is, and that nobody keeps, guesses at or frames it.
fn add_headers(headers: &mut HeaderMap, exchange: &Exchange, parent: Option<HeaderValue>) {
    if let Ok(request_id) = HeaderValue::from_str(&exchange.request_id) {
        headers.insert(REQUEST_ID, request_id);
    }
    if let Some(parent) = parent {
        headers.insert(TRACEPARENT, parent);
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// The trace id of a `traceparent`: `00-<32 hex>-<16 hex>-<2 hex>`, neither id all zeros.
fn trace_id(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, parent, flags] = parts.as_slice() else { return None };
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let somebody = |text: &str| text.bytes().any(|byte| byte != b'0');
    let is_well_formed = *version == "00"
        && hex(trace, 32)
        && hex(parent, 16)
        && hex(flags, 2)
        && somebody(trace)
        && somebody(parent);
    is_well_formed.then(|| (*trace).to_owned())
}

fn made_id() -> String {
    let mut bytes = [0; 16];
    // Where the system gives no randomness the name is zeros: nothing rests on it.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_ids_are_taken_only_from_well_formed_parents() {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        assert_eq!(trace_id(&format!("00-{trace}-{parent}-01")).as_deref(), Some(trace));
        for wrong in [
            String::new(),
            trace.to_owned(),
            format!("01-{trace}-{parent}-01"),
            format!("00-{}-{parent}-01", trace.to_uppercase()),
            format!("00-{}-{parent}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{parent}-1"),
            format!("00-{trace}-{parent}-01-more"),
            format!("00-{}-{parent}-01", &trace[1..]),
        ] {
            assert_eq!(trace_id(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn made_names_differ() {
        assert_ne!(made_id(), made_id());
        assert_eq!(made_id().len(), 32);
    }
}
