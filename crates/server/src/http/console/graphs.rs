//! Graphs: both kinds of privacy side by side, from public things alone.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_console::{Form, GRAPH_STEP, GraphsPage, PRICES, Section};
use pointillist_curator::{Ask, GraphFacts, GraphOutlook, OWNER, TableList, graph_outlooks};
use pointillist_graph::Method;
use pointillist_query::Options;
use serde_json::json;

use super::guard::{replied, visit, wants_pieces};
use super::reply::{self, TurnedAway};
use crate::service::Service;

/// `GET /graphs`: the page, or the part of it that changes where the script asks.
pub(crate) async fn graphs(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (parts, _) = request.into_parts();
        let visit = visit(&service, &parts, Section::Graphs.verbs(), Some(Section::Graphs))?;
        let query = parts.uri.query().and_then(|query| Form::parse(query.as_bytes())).unwrap_or_default();
        let list = TableList::of(&service.declared().home.catalog);
        let chosen = match query.text("graph") {
            "" => list.graphs.first(),
            name => Some(list.graphs.iter().find(|graph| graph.name == name).ok_or(TurnedAway::NotFound)?),
        };
        let step = query.text("step").parse().ok().filter(|step| *step < PRICES.len()).unwrap_or(GRAPH_STEP);
        let outlooks =
            service.read(&visit.person().name, move |_| price(step).map(|epsilon| graph_outlooks(&epsilon)));
        let outlooks = outlooks
            .await
            .flatten()
            .ok_or_else(|| TurnedAway::failed("The outlook could not be worked out."))?;
        let statement = |graph: &GraphFacts, outlook: &GraphOutlook| {
            Ask::about_graph(&graph.name, outlook.statistic, Method::Auto, Options::default(), OWNER).sql
        };
        let visitor = visit.visitor();
        let page = GraphsPage {
            visitor: &visitor,
            graphs: &list.graphs,
            chosen,
            step,
            outlooks,
            statement: &statement,
        };
        Ok(match wants_pieces(&parts.headers) {
            true => reply::pieces(&json!({ "outlooks": page.piece().into_string() })),
            false => reply::page(page.page()),
        })
    })
    .await
}

/// The price at a step, by its digits.
fn price(step: usize) -> Option<pointillist_privacy::Epsilon> {
    let mut options = Options::default();
    options.set("epsilon", PRICES[step]).ok()?;
    options.epsilon
}
