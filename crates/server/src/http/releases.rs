//! What is published: releases whose day has come, and their files as they were signed. And who approves what is to be.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use pointillist_access::Verb;
use pointillist_publication::PlanFile;
use serde::Deserialize;
use serde_json::json;

use super::body;
use super::caller::caller;
use super::presentation;
use super::problem::Problem;
use super::questions::replied;
use crate::service::Service;

/// `GET /v1/releases`: the releases and their files.
pub(crate) async fn list(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        caller(&service, &request.into_parts().0, &[Verb::Releases])?;
        let declared = service.declared();
        let releases: Vec<_> = declared.shelf.releases().collect();
        Ok(presentation::json(&json!({ "releases": releases })))
    })
    .await
}

/// What an approver sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalBody {
    /// The plan, word for word.
    plan: String,
}

/// `POST /v1/releases/approve`: the word of one of the catalog's approvers for a plan that somebody else has prepared as it is now.
pub(crate) async fn approve(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let (parts, body) = request.into_parts();
        let caller = caller(&service, &parts, &[Verb::Approve])?;
        let body = body::read(&service.limits, &parts.headers, body, &caller.exchange).await?;
        let ApprovalBody { plan } = serde_json::from_slice(&body).map_err(|error| {
            Problem::request(format!("the body is not understood: {error}"))
                .with_hint("send the text of the plan as `plan`, and nothing else")
        })?;
        let plan = PlanFile::parse(&plan).map_err(|error| Problem::of(&error))?;
        // Whose word it is, the token says.
        let agreed = service.approve(plan, &caller.person().name).await;
        Ok(presentation::json(&agreed.map_err(|error| Problem::of(&error))?.to_json()))
    })
    .await
}

/// `GET /v1/releases/{release}/{file}`: a file.
pub(crate) async fn file(
    State(service): State<Arc<Service>>,
    Path((release, file)): Path<(String, String)>,
    request: Request,
) -> Response {
    replied(request, async |request| {
        caller(&service, &request.into_parts().0, &[Verb::Releases])?;
        let none = || Problem::not_found("no release has such a file").with_hint("/v1/releases lists them");
        attachment(&service, release, file).await.ok_or_else(none)
    })
    .await
}

/// A file of a release; nothing where there is none.
pub(crate) async fn attachment(service: &Service, release: String, file: String) -> Option<Response> {
    let declared = service.declared();
    let kind = media_type(&file);
    let read = tokio::task::spawn_blocking(move || declared.shelf.read(&release, &file)).await;
    let mut response = read.ok().flatten()?.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    // Pages of a release are read from a disk, never run on this server's name.
    response.headers_mut().insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Some(response)
}

fn media_type(file: &str) -> &'static str {
    match file.rsplit_once('.').map(|(_, ending)| ending) {
        Some("csv") => "text/csv; charset=utf-8",
        Some("json") => "application/json",
        Some("html") => "text/html; charset=utf-8",
        Some("parquet") => "application/vnd.apache.parquet",
        _ => "application/octet-stream",
    }
}
