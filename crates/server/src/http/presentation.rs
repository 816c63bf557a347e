//! Answers as JSON, CSV or Arrow, as the caller accepts.
//!
//! What is accepted is decided before anything is paid: nobody pays for an answer that they do not take.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use pointillist_curator::{Executed, List, Paid, PublicAnswer, Rehearsal, Reply};
use pointillist_render::csv;
use serde::Serialize;

use super::problem::Problem;

const JSON: &str = "application/json";
const CSV: &str = "text/csv";
const ARROW: &str = "application/vnd.apache.arrow.stream";
/// Who paid, where the reply is only a table.
const PAID: HeaderName = HeaderName::from_static("pointillist-paid");
/// The receipt, where the reply is only a table.
const RECEIPT: HeaderName = HeaderName::from_static("pointillist-receipt");

/// How a reply is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Csv,
    Arrow,
}

impl Format {
    fn of_range(range: &str) -> Option<Self> {
        match range {
            "*/*" | "application/*" | JSON => Some(Self::Json),
            "text/*" | CSV => Some(Self::Csv),
            ARROW => Some(Self::Arrow),
            _ => None,
        }
    }

    fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => JSON,
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Arrow => ARROW,
        })
    }
}

/// What the caller accepts most, among these.
pub(crate) fn accepted(headers: &HeaderMap, offered: &[Format]) -> Result<Format, Problem> {
    let mut ranges = headers.get_all(header::ACCEPT).iter().peekable();
    if ranges.peek().is_none() {
        return Ok(Format::Json);
    }
    let mut best: Option<(u32, Format)> = None;
    for range in ranges.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let format = Format::of_range(&parts.next().unwrap_or_default().to_ascii_lowercase());
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1_000), thousandths);
        let (Some(format), Some(weight @ 1..)) = (format, weight) else { continue };
        if offered.contains(&format) && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, format));
        }
    }
    best.map(|(_, format)| format)
        .ok_or_else(|| Problem::not_acceptable("this is not written as the caller accepts it"))
}

/// A weight such as `0.8`, in thousandths.
fn thousandths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = format!("{part:0<3}");
    let digits = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten()
    };
    Some(digits(whole)?.min(1) * 1_000 + digits(part.get(..3)?)?).map(|weight| weight.min(1_000))
}

/// An object.
pub(crate) fn json(object: &impl Serialize) -> Response {
    match serde_json::to_vec(object) {
        Ok(bytes) => written(Format::Json, bytes),
        Err(_) => failed(),
    }
}

/// What came of a statement.
pub(crate) fn executed(executed: &Executed, format: Format) -> Response {
    match executed {
        Executed::Answer(answer) => reply(answer, format),
        Executed::Public(answer) => public(answer, format),
        Executed::List(rows) => list(rows, format),
        Executed::Quote(quote) => json(quote),
        Executed::PublicQuote(quote) => json(quote),
    }
}

fn reply(reply: &Reply, format: Format) -> Response {
    let mut bytes = Vec::new();
    let is_whole = match format {
        Format::Json => return json(reply),
        Format::Csv => reply.answer.write_csv(&mut bytes, None).is_ok(),
        Format::Arrow => reply.write_arrow(&mut bytes).is_ok(),
    };
    if !is_whole {
        return failed();
    }
    let mut response = written(format, bytes);
    let paid = match reply.paid {
        Paid::InFull => "in_full",
        Paid::Nothing => "nothing",
    };
    response.headers_mut().insert(PAID, HeaderValue::from_static(paid));
    if let Ok(receipt) = HeaderValue::from_str(&reply.receipt.hash) {
        response.headers_mut().insert(RECEIPT, receipt);
    }
    response
}

fn public(answer: &PublicAnswer, format: Format) -> Response {
    let mut bytes = Vec::new();
    let is_whole = match format {
        Format::Json => return json(answer),
        Format::Csv => answer.answer.write_csv(&mut bytes, None).is_ok(),
        Format::Arrow => answer.write_arrow(&mut bytes).is_ok(),
    };
    if is_whole { written(format, bytes) } else { failed() }
}

/// An answer about nobody: every format says so.
pub(crate) fn rehearsal(rehearsal: &Rehearsal, format: Format) -> Response {
    let mut bytes = Vec::new();
    let is_whole = match format {
        Format::Json => return json(rehearsal),
        Format::Csv => rehearsal.write_csv(&mut bytes).is_ok(),
        Format::Arrow => rehearsal.write_arrow(&mut bytes).is_ok(),
    };
    if is_whole { written(format, bytes) } else { failed() }
}

fn list(list: &List, format: Format) -> Response {
    match format {
        Format::Csv => {
            let lines: String = list.lines().map(|fields| csv::line(&fields) + "\n").collect();
            written(format, lines.into_bytes())
        }
        Format::Json | Format::Arrow => json(list),
    }
}

fn written(format: Format, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, format.media_type())], bytes).into_response()
}

/// An answer that exists and cannot be written: whatever the reason, one text.
fn failed() -> Response {
    Problem::from(pointillist_errors::Explanation::new(
        pointillist_errors::Kind::Environment,
        "the reply could not be written",
    ))
    .reply("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_wanted_of_what_there_is() {
        let all = [Format::Json, Format::Csv, Format::Arrow];
        let of = |accept: &str, offered: &[Format]| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().expect("a header"));
            accepted(&headers, offered).ok()
        };
        assert_eq!(accepted(&HeaderMap::new(), &all).ok(), Some(Format::Json));
        for (accept, format) in [
            ("*/*", Some(Format::Json)),
            ("text/csv", Some(Format::Csv)),
            ("Text/CSV; charset=utf-8", Some(Format::Csv)),
            ("application/json;q=0.5, text/csv;q=0.9", Some(Format::Csv)),
            ("text/html, */*;q=0.1", Some(Format::Json)),
            (ARROW, Some(Format::Arrow)),
            ("text/csv;q=0", None),
            ("text/csv;q=0.000", None),
            ("text/csv;q=much", None),
            ("image/png", None),
            ("", None),
        ] {
            assert_eq!(of(accept, &all), format, "{accept}");
        }
        assert_eq!(of(ARROW, &[Format::Json, Format::Csv]), None);
    }
}
