//! Catalog, budget and releases, as each role may see them.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use pointillist_access::{Role, Verb};
use pointillist_console::{BudgetPage, Past, Section, SeenScope, catalog_page, moment_text, releases_page};
use pointillist_curator::words::{paid_at_a_glance, part_of_budget};
use pointillist_curator::{OWNER, TableList};

use super::guard::{Visit, replied, visit};
use super::reply::{self, TurnedAway};
use crate::http::releases;
use crate::service::Service;

/// Lines of a history that a page shows.
const PAST_MAX: usize = 100;

/// `GET /catalog`.
pub(crate) async fn catalog(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, Section::Catalog.verbs(), Some(Section::Catalog))?;
        let declared = service.declared();
        let list = TableList::of(&declared.home.catalog);
        Ok(reply::page(catalog_page(&visit.visitor(), &list, visit.may(Verb::Reload))))
    })
    .await
}

/// `GET /budget`.
pub(crate) async fn budget(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, Section::Budget.verbs(), Some(Section::Budget))?;
        let asker = visit.asker()?;
        let sees_all = visit.may(Verb::AllBooks);
        let whose = if sees_all { OWNER.to_owned() } else { asker.clone() };
        let balances = service.declared().curator.balances();
        let balances = balances.map_err(|_| TurnedAway::failed("The books could not be read."))?;
        let seen = balances.seen_by(&whose);
        let past =
            if sees_all { everybodys(&service, &visit).await } else { own(&service, &visit, asker).await };
        let visitor = visit.visitor();
        let page = BudgetPage {
            visitor: &visitor,
            scopes: SeenScope::all(&seen),
            periods: seen.periods.iter().flat_map(|periods| periods.lines()).collect(),
            past: past?,
            verified: None,
        };
        Ok(reply::page(page.page()))
    })
    .await
}

/// What somebody asked themselves, the newest first.
async fn own(service: &Arc<Service>, visit: &Visit, asker: String) -> Result<Vec<Past>, TurnedAway> {
    let (shares, whose) = (visit.shares.clone(), asker.clone());
    let read = service.read(&asker, move |declared| {
        let own = declared.home.own_history(&whose).ok()?;
        let past = own.iter().rev().take(PAST_MAX).map(|question| {
            let share = shares.iter().find(|share| share.scope == question.scope);
            let catalog = &declared.home.catalog;
            Past {
                words: "a question whose words were not kept".to_owned(),
                again: question.sql.clone(),
                price: paid_at_a_glance(catalog, &question.scope, question.currency, question.amount),
                part: share.and_then(|share| part_of_budget(question.amount, &share.balance)),
                scope: Some(question.scope.clone()),
                moment: question.at.map(moment_text).unwrap_or_default(),
                seal: question.hash.clone(),
            }
        });
        Some(past.collect())
    });
    read.await.flatten().ok_or_else(unread)
}

/// What happened, for the owner with the words of questions, for auditors without.
async fn everybodys(service: &Arc<Service>, visit: &Visit) -> Result<Vec<Past>, TurnedAway> {
    let sees_words = visit.person().role == Role::Owner;
    let asker = visit.asker()?;
    let read = service.read(&asker, move |declared| {
        let all = declared.home.history(false).ok()?;
        let past = all.iter().rev().take(PAST_MAX).map(|entry| {
            let catalog = &declared.home.catalog;
            let words = match sees_words {
                true => entry.words(catalog),
                false => entry.words_without_plans(catalog),
            };
            let sql = entry.sql.as_ref().filter(|_| sees_words);
            Past {
                words: sql.map_or(words.clone(), |sql| format!("{words}: {}", one_line(sql))),
                again: None,
                price: entry.payment().and_then(|(scope, amount)| {
                    paid_at_a_glance(&declared.home.catalog, scope, entry.currency, amount)
                }),
                part: None,
                scope: None,
                moment: entry.entry.at.map(moment_text).unwrap_or_default(),
                seal: entry.hash.clone(),
            }
        });
        Some(past.collect())
    });
    read.await.flatten().ok_or_else(unread)
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unread() -> TurnedAway {
    TurnedAway::failed("The books could not be read.")
}

/// `GET /releases`.
pub(crate) async fn releases(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, Section::Releases.verbs(), Some(Section::Releases))?;
        let declared = service.declared();
        Ok(reply::page(releases_page(&visit.visitor(), declared.shelf.releases())))
    })
    .await
}

/// `GET /releases/{release}/{file}`: a file, to be kept and never to be run on this server's name.
pub(crate) async fn release_file(
    State(service): State<Arc<Service>>,
    names: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        visit(&service, &parts, Section::Releases.verbs(), Some(Section::Releases))?;
        let Path((release, file)) = names.map_err(|_| TurnedAway::NotFound)?;
        releases::attachment(&service, release, file).await.ok_or(TurnedAway::NotFound)
    })
    .await
}
