//! Budgets and history: an analyst's own, everybody's for the owner and for auditors. Never an answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_access::{Role, Verb};
use pointillist_curator::OWNER;
use serde_json::json;

use super::caller::caller;
use super::presentation;
use super::problem::Problem;
use super::questions::replied;
use crate::service::Service;

/// `GET /v1/budget`: what is granted, spent and left.
pub(crate) async fn budget(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let caller = caller(&service, &request.into_parts().0, &[Verb::AllBooks, Verb::OwnBooks])?;
        let balances = service.declared().curator.balances().map_err(|error| Problem::of(&error))?;
        let whose = match caller.may(Verb::AllBooks) {
            true => OWNER,
            false => caller.asker()?,
        };
        Ok(presentation::json(&balances.seen_by(whose)))
    })
    .await
}

/// `GET /v1/history`: who paid for what. The words of questions are for whoever asked them and for the owner.
pub(crate) async fn history(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(request, async |request| {
        let caller = caller(&service, &request.into_parts().0, &[Verb::AllBooks, Verb::OwnBooks])?;
        let declared = service.declared();
        let (sees_all, sees_words) = (caller.may(Verb::AllBooks), caller.person().role == Role::Owner);
        let asker = caller.asker()?.to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let home = &declared.home;
            if !sees_all {
                return home.own_history(&asker).map(|own| presentation::json(&json!({ "history": own })));
            }
            let mut all = home.history(false)?;
            if !sees_words {
                all.iter_mut().for_each(|entry| entry.sql = None);
            }
            Ok(presentation::json(&json!({ "history": all })))
        });
        let failed = |_| Problem::request("the history could not be read");
        read.await.map_err(failed)?.map_err(|error| Problem::of(&error))
    })
    .await
}
