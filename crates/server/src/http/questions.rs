//! Asking, explaining, rehearsing.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Extensions;
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_curator::Ask;

use super::body::{self, QuestionBody};
use super::caller::{Caller, caller};
use super::presentation::{self, Format, accepted};
use super::problem::Problem;
use crate::service::Service;

const TABLES: [Format; 3] = [Format::Json, Format::Csv, Format::Arrow];

/// `POST /v1/query`: an answer with its error bars and its receipt; a list or a quote where the statement is one.
pub(crate) async fn query(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let verbs = [Verb::Ask, Verb::Explain, Verb::Catalog];
        let (caller, ask, headers) = question(&service, request, &verbs).await?;
        let verb = Service::verb_of(&ask);
        caller.exchange.note_caller(&caller.person().name, verb.word());
        if !caller.may(verb) {
            return Err(Problem::forbidden());
        }
        let format = match verb {
            Verb::Explain => accepted(&headers, &[Format::Json])?,
            Verb::Catalog => accepted(&headers, &[Format::Json, Format::Csv])?,
            _ => accepted(&headers, &TABLES)?,
        };
        let executed = match verb {
            Verb::Explain => service.explain(caller.person().role, ask).await,
            _ => service.execute(ask).await,
        };
        let executed = executed.map_err(|error| Problem::of(&error))?;
        Ok(presentation::executed(&executed, format))
    })
    .await
}

/// `POST /v1/explain`: what an answer would cost and how wrong it may be; free.
pub(crate) async fn explain(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let (caller, ask, headers) = question(&service, request, &[Verb::Explain]).await?;
        accepted(&headers, &[Format::Json])?;
        let executed = service.explain(caller.person().role, ask).await;
        let executed = executed.map_err(|error| Problem::of(&error))?;
        Ok(presentation::executed(&executed, Format::Json))
    })
    .await
}

/// `POST /v1/rehearse`: the same question on made-up rows; free, and about nobody.
pub(crate) async fn rehearse(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let (_, ask, headers) = question(&service, request, &[Verb::Rehearse]).await?;
        let format = accepted(&headers, &TABLES)?;
        let rehearsal = service.rehearse(ask).await.map_err(|error| Problem::of(&error))?;
        Ok(presentation::rehearsal(&rehearsal, format))
    })
    .await
}

/// Who asks what. The caller is known before the body is read.
async fn question(
    service: &Service,
    request: Request,
    verbs: &[Verb],
) -> Result<(Caller, Ask, axum::http::HeaderMap), Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(service, &parts, verbs)?;
    let body = body::read(&service.limits, &parts.headers, body, &caller.exchange).await?;
    let QuestionBody { sql, method, request_id, options, parameters } =
        QuestionBody::new(&parts.headers, &body)?;
    if method.is_some() {
        return Err(
            Problem::request("a statement has no `method`").with_hint("leave it out; it is for graphs")
        );
    }
    let sql =
        sql.ok_or_else(|| Problem::request("there is no `sql`").with_hint("send the statement as `sql`"))?;
    caller.exchange.note_statement(&sql);
    let ask = Ask { sql, options, analyst: caller.asker()?.to_owned(), request_id, parameters };
    Ok((caller, ask, parts.headers))
}

/// The reply of a handler, or what is wrong, under the request's name.
pub(crate) async fn replied(
    request: Request,
    handler: impl AsyncFnOnce(Request) -> Result<Response, Problem>,
) -> Response {
    let mut extensions = Extensions::new();
    extensions.extend(request.extensions().clone());
    match handler(request).await {
        Ok(response) => response,
        Err(problem) => problem.reply_to(&extensions),
    }
}
