//! What is declared.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_curator::TableList;

use super::caller::caller;
use super::presentation;
use super::questions::replied;
use crate::service::Service;

/// `GET /v1/catalog`: tables, graphs and columns that can be named.
pub(crate) async fn catalog(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        caller(&service, &request.into_parts().0, &[Verb::Catalog])?;
        Ok(presentation::json(&TableList::of(&service.declared().home.catalog)))
    })
    .await
}
