//! A body as a question: strict JSON, numbers by their digits.
//!
//! **Guarantee.** An unknown field, a field that is given twice, anything nested where a plain value belongs, and anything after the
//! object are refused. A number that carries a promise is never a float here: its digits go to the planner as they were
//! written, in a text or as a number.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, HttpBody};
use axum::http::header::{self, HeaderMap, HeaderName};
use pointillist_query::{Options, Parameter};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::exchange::Exchange;
use super::problem::Problem;
use crate::Limits;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What a caller may say in a body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyJson<'b> {
    sql: Option<String>,
    method: Option<String>,
    request_id: Option<String>,
    #[serde(borrow)]
    parameters: Option<Vec<&'b RawValue>>,
    #[serde(borrow)]
    epsilon: Option<&'b RawValue>,
    #[serde(borrow)]
    rho: Option<&'b RawValue>,
    #[serde(borrow)]
    error: Option<&'b RawValue>,
    #[serde(borrow)]
    confidence: Option<&'b RawValue>,
    #[serde(borrow)]
    delta: Option<&'b RawValue>,
    #[serde(borrow)]
    max_groups: Option<&'b RawValue>,
    #[serde(borrow)]
    max_contributions: Option<&'b RawValue>,
    #[serde(borrow)]
    noise: Option<&'b RawValue>,
    #[serde(borrow)]
    bias: Option<&'b RawValue>,
    #[serde(borrow)]
    period: Option<&'b RawValue>,
}

/// A question as it was sent.
#[derive(Debug)]
pub(crate) struct QuestionBody {
    /// The statement, where one was sent.
    pub(crate) sql: Option<String>,
    /// How a graph's statistic is made private, where that was said.
    pub(crate) method: Option<String>,
    /// The caller's name for the request.
    pub(crate) request_id: Option<String>,
    /// The price.
    pub(crate) options: Options,
    /// Values for `$1`, `$2`, …
    pub(crate) parameters: Vec<Parameter>,
}

/// Reads a body of JSON, as far as it may be long and as long as it may take.
pub(crate) async fn read(
    limits: &Limits,
    headers: &HeaderMap,
    body: Body,
    exchange: &Exchange,
) -> Result<Vec<u8>, Problem> {
    if !is_of_type(headers, "application/json") {
        return Err(Problem::not_json());
    }
    read_bytes(limits, body, exchange).await
}

/// Whether a body is declared to be of this type.
pub(crate) fn is_of_type(headers: &HeaderMap, wanted: &str) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted)
}

/// Reads a body of any type, within the same limits.
pub(crate) async fn read_bytes(limits: &Limits, body: Body, exchange: &Exchange) -> Result<Vec<u8>, Problem> {
    let too_large = || Problem::too_large(limits.message_bytes);
    if body.size_hint().lower() > limits.message_bytes as u64 {
        return Err(too_large());
    }
    let whole = tokio::time::timeout(limits.request, collected(body, limits.message_bytes)).await;
    let whole = whole.map_err(|_| Problem::too_slow())?;
    let whole = whole.map_err(|_| Problem::request("the body broke off"))?.ok_or_else(too_large)?;
    exchange.note_body(whole.len());
    Ok(whole)
}

/// The whole body; `None` where it is longer than that.
async fn collected(mut body: Body, bytes_max: usize) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut whole = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Some(piece) = frame?.data_ref() {
            if whole.len() + piece.len() > bytes_max {
                return Ok(None);
            }
            whole.extend_from_slice(piece);
        }
    }
    Ok(Some(whole))
}

impl QuestionBody {
    /// What a body says; the header `Idempotency-Key` is another place for the request's name.
    pub(crate) fn new(headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        let body: BodyJson<'_> = serde_json::from_slice(body).map_err(|error| {
            Problem::request(format!("the body is not understood: {error}"))
                .with_hint("send one object with the fields that /docs lists, each at most once")
        })?;
        let mut options = Options::default();
        for (name, value) in [
            ("epsilon", body.epsilon),
            ("rho", body.rho),
            ("error", body.error),
            ("confidence", body.confidence),
            ("delta", body.delta),
            ("max_groups", body.max_groups),
            ("max_contributions", body.max_contributions),
            ("noise", body.noise),
            ("bias", body.bias),
            ("period", body.period),
        ] {
            if let Some(value) = value {
                let text = plain_text(value).filter(|text| !text.trim().is_empty()).ok_or_else(|| {
                    Problem::request(format!("`{name}` is neither a number nor a text"))
                        .with_hint("write a number, or its digits as a text")
                })?;
                options.set(name, &text).map_err(|refusal| Problem::of(&refusal))?;
            }
        }
        let parameters = body.parameters.unwrap_or_default().into_iter().map(parameter);
        let parameters = parameters.collect::<Option<Vec<_>>>().ok_or_else(|| {
            Problem::request("a parameter is neither a number, a text, a truth value nor null")
                .with_hint("write days and moments as texts")
        })?;
        let request_id = request_id(headers, body.request_id)?;
        Ok(Self { sql: body.sql, method: body.method, request_id, options, parameters })
    }
}

/// A number by its digits, a truth value by its word, or a text.
fn plain_text(value: &RawValue) -> Option<String> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b'-' | b'0'..=b'9' | b't' | b'f' => Some(text.to_owned()),
        _ => None,
    }
}

/// A value beside the statement; a text becomes what stands beside it, as a quoted literal does.
fn parameter(value: &RawValue) -> Option<Parameter> {
    let text = value.get();
    Some(match text.as_bytes().first()? {
        b'n' => Parameter::Null,
        b't' | b'f' => Parameter::Boolean(text == "true"),
        b'"' => Parameter::Untyped(serde_json::from_str(text).ok()?),
        b'-' | b'0'..=b'9' => Parameter::Number(text.to_owned()),
        b'[' => {
            let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            let is_plain = |value: &&&RawValue| !value.get().starts_with('[');
            if !values.iter().all(|value| is_plain(&value)) {
                return None;
            }
            Parameter::List(values.into_iter().map(parameter).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// The one name of a request, wherever it is given.
fn request_id(headers: &HeaderMap, in_body: Option<String>) -> Result<Option<String>, Problem> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let in_header = match (keys.next(), keys.next()) {
        (None, _) => None,
        (Some(key), None) => {
            let key = key.to_str().map_err(|_| Problem::request("the Idempotency-Key is not plain text"))?;
            // The draft of the header makes it a quoted text; most callers send it bare.
            Some(key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key).to_owned())
        }
        (Some(_), Some(_)) => return Err(Problem::request("there are two Idempotency-Keys")),
    };
    match (in_header, in_body) {
        (Some(header), Some(body)) if header != body => {
            Err(Problem::request("the Idempotency-Key and `request_id` differ")
                .with_hint("give the request one name"))
        }
        (header, body) => Ok(body.or(header)),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Epsilon;

    use super::*;

    fn parsed(body: &str) -> Result<QuestionBody, Problem> {
        QuestionBody::new(&HeaderMap::new(), body.as_bytes())
    }

    /// Specification: digits reach the planner as they were written. A float would make 0.1 of 0.1000000000000000055….
    #[test]
    fn numbers_are_their_digits_and_not_floats() {
        let digits = "0.10000000000000000000000000000000000001";
        for body in [format!("{{\"epsilon\": {digits}}}"), format!("{{\"epsilon\": \"{digits}\"}}")] {
            let options = parsed(&body).expect("an epsilon").options;
            assert_eq!(options.epsilon, Some(Epsilon::parse(digits).expect("a number")));
            assert_ne!(options.epsilon, Some(Epsilon::parse("0.1").expect("a number")));
        }
    }

    #[test]
    fn what_is_not_plain_is_refused() {
        let deep = format!("{{\"epsilon\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for body in [
            "",
            "[]",
            "{",
            "{} {}",
            "{\"sql\": \"a\", \"sql\": \"b\"}",
            "{\"epsilon\": 1, \"epsilon\": 1}",
            "{\"epsilom\": 1}",
            "{\"epsilon\": [1]}",
            "{\"epsilon\": {}}",
            "{\"epsilon\": \"\"}",
            "{\"epsilon\": NaN}",
            "{\"epsilon\": 1e}",
            "{\"sql\": 3}",
            "{\"analyst\": \"ben\", \"sql\": \"SELECT 1\"}",
            deep.as_str(),
        ] {
            assert!(parsed(body).is_err(), "{}", &body[..body.len().min(80)]);
        }
        assert!(parsed("{\"sql\": \"SELECT 1\", \"epsilon\": null, \"bias\": true}").is_ok());
    }

    #[test]
    fn a_request_has_one_name() {
        let mut headers = HeaderMap::new();
        headers.insert(IDEMPOTENCY_KEY, "\"r1\"".parse().expect("a header"));
        let named = |body: &str| QuestionBody::new(&headers, body.as_bytes()).map(|body| body.request_id);
        assert_eq!(named("{}").expect("one name"), Some("r1".to_owned()));
        assert_eq!(named("{\"request_id\": \"r1\"}").expect("one name"), Some("r1".to_owned()));
        assert!(named("{\"request_id\": \"r2\"}").is_err());
        headers.append(IDEMPOTENCY_KEY, "r1".parse().expect("a header"));
        assert!(QuestionBody::new(&headers, b"{}").is_err());
    }
}
