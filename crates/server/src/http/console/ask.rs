//! Asking: the page, and the forms on it. Each reply is a whole page, or its pieces where the script asks.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_console::ask::{AskPage, Draft, Earlier, Panel};
use pointillist_console::{Form, Section, Sentence, Visitor, examples, moment_text};
use pointillist_curator::TableList;

use super::asked::{self, Asked};
use super::guard::{self, Visit, replied, visit, wants_pieces};
use super::reply::{self, TurnedAway, go_to};
use super::sessions::random_text;
use crate::service::Service;

/// Questions of before that a page offers.
const EARLIER: usize = 8;

/// `GET /ask`.
pub(crate) async fn page(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, Section::Ask.verbs(), Some(Section::Ask))?;
        let list = TableList::of(&service.declared().home.catalog);
        let first = examples(&list).into_iter().next().map(|(_, sentence)| sentence.sql(&list));
        let draft = asked::draft(first.unwrap_or_default(), None);
        let asked = asked::quote(&service, &visit, &draft).await?;
        Ok(whole(&service, &visit, &list, draft, asked).await)
    })
    .await
}

/// A page that only a form leads to, loaded by its address.
pub(crate) async fn again() -> Response {
    go_to(Section::Ask.path())
}

/// `POST /ask/quote`: what it would cost.
pub(crate) async fn quote(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let for_script = wants_pieces(request.headers());
        let (visit, form) = guard::form(&service, request, &[Verb::Explain], Some(Section::Ask)).await?;
        let draft = written(&form);
        let asked = asked::quote(&service, &visit, &draft).await?;
        answered(&service, &visit, draft, asked, for_script).await
    })
    .await
}

/// `POST /ask/build`: a sentence to SQL, and what that would cost.
pub(crate) async fn build(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let for_script = wants_pieces(request.headers());
        let (visit, form) = guard::form(&service, request, &[Verb::Explain], Some(Section::Ask)).await?;
        let list = TableList::of(&service.declared().home.catalog);
        let sentence = Sentence::of_form(&form, &list);
        let sentence = sentence.ok_or_else(|| TurnedAway::request("There is no such table."))?;
        let mut draft = asked::draft(sentence.sql(&list), form.get("epsilon"));
        draft.sentence = Some(sentence);
        let asked = asked::quote(&service, &visit, &draft).await?;
        answered(&service, &visit, draft, asked, for_script).await
    })
    .await
}

/// `POST /ask/rehearse`: the same on made-up rows.
pub(crate) async fn rehearse(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let for_script = wants_pieces(request.headers());
        let (visit, form) = guard::form(&service, request, &[Verb::Rehearse], Some(Section::Ask)).await?;
        let draft = written(&form);
        let asked = asked::rehearse(&service, &visit, &draft).await?;
        answered(&service, &visit, draft, asked, for_script).await
    })
    .await
}

/// `POST /ask/answer`: pays, once, and answers.
pub(crate) async fn answer(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let for_script = wants_pieces(request.headers());
        let address = crate::http::pages::address(request.headers());
        let (mut visit, form) = guard::form(&service, request, &[Verb::Ask], Some(Section::Ask)).await?;
        let mut draft = written(&form);
        let offered = form.text("offered").to_owned();
        let asked = asked::answer(&service, &mut visit, &draft, &offered, &address).await?;
        // The next question is another one.
        draft.nonce = random_text().unwrap_or_default();
        answered(&service, &visit, draft, asked, for_script).await
    })
    .await
}

/// What a form says.
fn written(form: &Form) -> Draft {
    let cheaper = form.get("cheaper").filter(|price| !price.is_empty());
    let draft = asked::draft(
        form.get("sql").unwrap_or_default().replace("\r\n", "\n"),
        cheaper.or(form.get("epsilon")),
    );
    Draft {
        max_groups: form.text("max_groups").to_owned(),
        max_contributions: form.text("max_contributions").to_owned(),
        nonce: form.get("nonce").filter(|nonce| !nonce.is_empty()).map_or(draft.nonce, str::to_owned),
        ..draft
    }
}

async fn answered(
    service: &Arc<Service>,
    visit: &Visit,
    draft: Draft,
    asked: Asked,
    for_script: bool,
) -> Result<Response, TurnedAway> {
    let list = TableList::of(&service.declared().home.catalog);
    if !for_script {
        return Ok(whole(service, visit, &list, draft, asked).await);
    }
    let visitor = visit.visitor();
    Ok(reply::pieces(&shown(&visitor, &list, draft, asked, Vec::new()).pieces()))
}

async fn whole(
    service: &Arc<Service>,
    visit: &Visit,
    list: &TableList,
    draft: Draft,
    asked: Asked,
) -> Response {
    let (name, whose) = (&visit.person().name, visit.person().name.clone());
    let own = service.read(name, move |declared| declared.home.own_history(&whose).unwrap_or_default());
    let own = own.await.unwrap_or_default();
    let mut earlier: Vec<Earlier> = Vec::new();
    for question in own.iter().rev() {
        let Some(sql) = question.sql.clone() else { continue };
        if earlier.len() < EARLIER && !earlier.iter().any(|known| known.sql == sql) {
            earlier.push(Earlier { sql, moment: question.at.map(moment_text).unwrap_or_default() });
        }
    }
    let visitor = visit.visitor();
    reply::page(shown(&visitor, list, draft, asked, earlier).page())
}

fn shown<'p>(
    visitor: &'p Visitor,
    list: &'p TableList,
    draft: Draft,
    asked: Asked,
    earlier: Vec<Earlier>,
) -> AskPage<'p> {
    let Asked { panel, ladder, preview, outcome } = asked;
    let panel = if draft.sql.trim().is_empty() { Panel::Empty } else { panel };
    AskPage { visitor, list, draft, panel, ladder, preview, outcome, earlier }
}
