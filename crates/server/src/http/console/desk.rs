//! The desk: what waits, whether the record is whole, who may come in; and a word for a release.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_console::{Chain, DeskPage, Past, Section, Somebody, moment_text};
use pointillist_curator::Home;
use pointillist_errors::Explained;
use pointillist_publication::PlanFile;

use super::guard::{self, Visit, replied, visit};
use super::reply::{self, TurnedAway};
use crate::service::Service;

/// Lines of what happened that the desk shows.
const PAST_MAX: usize = 15;

/// `GET /desk`.
pub(crate) async fn desk(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, Section::Desk.verbs(), Some(Section::Desk))?;
        page(&service, &visit, None).await
    })
    .await
}

/// `POST /desk/approve`: the word of whoever is signed in, for a plan that somebody else has prepared.
pub(crate) async fn approve(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (visit, form) = guard::form(&service, request, &[Verb::Approve], Some(Section::Desk)).await?;
        let text = form.get("plan").unwrap_or_default().replace("\r\n", "\n");
        let told = match PlanFile::parse(&text) {
            Err(error) => Err(error.explanation().text()),
            Ok(plan) => match service.approve(plan, &visit.person().name).await {
                Ok(agreed) => Ok(format!("Your word is written down, as record {}.", agreed.seq)),
                Err(error) => Err(error.explanation().text()),
            },
        };
        page(&service, &visit, Some(told)).await
    })
    .await
}

async fn page(
    service: &Arc<Service>,
    visit: &Visit,
    told: Option<Result<String, String>>,
) -> Result<Response, TurnedAway> {
    let sees_books = visit.may(Verb::AllBooks);
    let read = service.read(&visit.person().name, move |declared| {
        let home = &declared.home;
        let past = home.history(false).ok().filter(|_| sees_books).unwrap_or_default();
        let past: Vec<Past> = past
            .iter()
            .rev()
            // An answer that was recorded has no time, and stands beside its payment.
            .filter(|entry| entry.entry.at.is_some())
            .take(PAST_MAX)
            .map(|entry| Past {
                words: entry.words(&home.catalog),
                again: None,
                price: None,
                part: None,
                scope: None,
                moment: entry.entry.at.map(moment_text).unwrap_or_default(),
                seal: entry.hash.clone(),
            })
            .collect();
        let balances = declared.curator.balances().ok();
        (home.waiting_releases().unwrap_or_default(), sees_books.then(|| chain(home)), past, balances)
    });
    let (waiting, chain, past, balances) =
        read.await.ok_or_else(|| TurnedAway::failed("The books could not be read."))?;
    let shares = |name: &str| {
        let scopes = balances.iter().flat_map(|balances| &balances.scopes);
        let own = scopes.flat_map(|scope| {
            let own = scope.analysts.iter().filter(|(analyst, _)| analyst == name);
            own.map(|(_, share)| (scope.scope.clone(), *share))
        });
        own.collect()
    };
    let access = service.access();
    let people = access.people().filter(|_| sees_books).map(|person| Somebody {
        shares: shares(&person.name),
        name: person.name,
        role: person.role,
    });
    let people = people.collect();
    let visitor = visit.visitor();
    Ok(reply::page(DeskPage { visitor: &visitor, waiting, chain, people, past, told }.page()))
}

/// Reads every record of the ledger, and says what that tells.
fn chain(home: &Home) -> Chain {
    match home.verify() {
        Ok(verified) => Chain::Whole {
            records: verified.records,
            head: verified.head,
            anchor_apart: verified.anchor.is_some().then(|| !home.anchor_is_beside_the_ledger()),
        },
        Err(error) => Chain::Broken(error.to_string()),
    }
}
