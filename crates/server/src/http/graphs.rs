//! Graphs: what can be asked about one, and asking it.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_curator::{Ask, TableList};
use pointillist_graph::{Method, Statistic};
use serde_json::json;

use super::body::{self, QuestionBody};
use super::caller::caller;
use super::presentation::{self, Format, accepted};
use super::problem::Problem;
use super::questions::replied;
use crate::service::Service;

/// `GET /v1/graph/{graph}`: what is declared about it, and which statistics there are.
pub(crate) async fn can_be_asked(
    State(service): State<Arc<Service>>,
    graph: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    replied(request, async |request| {
        caller(&service, &request.into_parts().0, &[Verb::Catalog])?;
        let Path(graph) = graph.map_err(|_| no_such_graph())?;
        let declared = service.declared();
        let list = TableList::of(&declared.home.catalog);
        let facts = list.graphs.iter().find(|facts| facts.name == graph).ok_or_else(no_such_graph)?;
        let statistics: Vec<String> = Statistic::names();
        let methods: Vec<String> = Method::names();
        Ok(presentation::json(&json!({ "graph": facts, "statistics": statistics, "methods": methods })))
    })
    .await
}

/// `POST /v1/graph/{graph}/{statistic}`: a statistic with its error and its receipt.
pub(crate) async fn statistic(
    State(service): State<Arc<Service>>,
    names: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    replied(request, async |request| {
        let (parts, body) = request.into_parts();
        let caller = caller(&service, &parts, &[Verb::Ask])?;
        let Path((graph, statistic)) = names.map_err(|_| no_such_graph())?;
        let statistic: Statistic = statistic.parse().map_err(|error| Problem::of(&error))?;
        if !service.declared().home.catalog.graphs.contains_key(&graph) {
            return Err(no_such_graph());
        }
        let body = body::read(&service.limits, &parts.headers, body, &caller.exchange).await?;
        let QuestionBody { sql, method, request_id, options, parameters } =
            QuestionBody::new(&parts.headers, &body)?;
        if sql.is_some() || !parameters.is_empty() {
            return Err(Problem::request("a statistic of a graph has no `sql` and no `parameters`")
                .with_hint("leave them out"));
        }
        let method = method.map_or(Ok(Method::default()), |method| method.parse());
        let method = method.map_err(|error| Problem::of(&error))?;
        let format = accepted(&parts.headers, &[Format::Json, Format::Csv, Format::Arrow])?;
        let ask = Ask::about_graph(&graph, statistic, method, options, caller.asker()?);
        let ask = Ask { request_id, ..ask };
        caller.exchange.note_statement(&ask.sql);
        let executed = service.execute(ask).await.map_err(|error| Problem::of(&error))?;
        Ok(presentation::executed(&executed, format))
    })
    .await
}

fn no_such_graph() -> Problem {
    Problem::not_found("there is no graph of that name").with_hint("/v1/catalog lists what is declared")
}
