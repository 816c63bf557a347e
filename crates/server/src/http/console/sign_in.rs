//! Coming in and leaving.
//!
//! **Guarantee.** What is said about a wrong password and about a name that nobody has is the same, after the same steps. Failures slow the
//! next try down as on the Postgres wire, and count together with those there; a try is counted before it is looked at, so that many
//! at once count too. Whoever comes in gets a new session, whatever cookie they brought; where they go afterwards is a section of ours.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use pointillist_access::{Password, Person, Verifier};
use pointillist_console::{Form, Section, SignIn, sign_in_page};

use super::cookie;
use super::guard::{self, is_from_here, is_secure, read_form, replied, signed_in};
use super::reply::{TurnedAway, go_to, page_with};
use crate::http::connection::Peer;
use crate::http::exchange::{Ended, Exchange};
use crate::service::Service;

const WRONG: &str = "Name and password do not go together.";
const TOO_MANY: &str = "Too many tries. Wait a minute, then try again.";

/// `GET /`: where somebody begins.
pub(crate) async fn entrance(State(service): State<Arc<Service>>, request: Request) -> Response {
    note(request.extensions().get::<Exchange>(), "page");
    match signed_in(&service, request.extensions(), request.headers()) {
        Some(found) => go_to(Section::first(found.person.role).path()),
        None => go_to("/sign-in"),
    }
}

/// `GET /sign-in`.
pub(crate) async fn page(State(service): State<Arc<Service>>, request: Request) -> Response {
    note(request.extensions().get::<Exchange>(), "page");
    if let Some(found) = signed_in(&service, request.extensions(), request.headers()) {
        return go_to(Section::first(found.person.role).path());
    }
    let query = request.uri().query().and_then(|query| Form::parse(query.as_bytes())).unwrap_or_default();
    let next = Section::of_path(query.text("next"));
    page_with(StatusCode::OK, sign_in_page(&SignIn { next, ..SignIn::default() }))
}

/// `POST /sign-in`.
pub(crate) async fn sign_in(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (parts, body) = request.into_parts();
        note(parts.extensions.get::<Exchange>(), "sign_in");
        if !is_from_here(&parts.headers) {
            return Err(TurnedAway::Foreign);
        }
        let exchange = parts.extensions.get::<Exchange>().cloned().ok_or(TurnedAway::NotFound)?;
        let form = read_form(&service, &parts, body, &exchange).await?;
        let next = Section::of_path(form.text("next"));
        let name = form.text("name").to_owned();
        let refused = |status, refusal, ended| {
            let sign_in = SignIn { name: name.clone(), next, refusal: Some(refusal) };
            let mut response = page_with(status, sign_in_page(&sign_in));
            response.extensions_mut().insert(Ended(ended));
            response
        };
        let peer = parts.extensions.get::<Peer>().copied().ok_or(TurnedAway::NotFound)?;
        let Ok(delay) = service.login_failures.delay(peer.address, &name, Instant::now()) else {
            return Ok(refused(StatusCode::TOO_MANY_REQUESTS, TOO_MANY, "too_many"));
        };
        service.login_failures.failed(peer.address, &name, Instant::now());
        tokio::time::sleep(delay).await;
        let Some((person, verifier)) =
            verified(&service, &name, form.get("password").unwrap_or_default()).await
        else {
            return Ok(refused(StatusCode::UNAUTHORIZED, WRONG, "unauthorized"));
        };
        service.login_failures.succeeded(peer.address, &name);
        exchange.note_caller(&person.name, "sign_in");
        begin(&service, &parts, person, verifier, next)
    })
    .await
}

/// Whoever has this name and this password.
async fn verified(service: &Service, name: &str, password: &str) -> Option<(Person, Verifier)> {
    let access = service.access();
    let verifier = access.verifier_of(name);
    // What is no password is held against the verifier all the same, so that it takes as long.
    let password = Password::new(password)
        .or_else(|_| Password::new("none"))
        .ok()
        .zip(Some(Password::new(password).is_ok()));
    let (password, is_one) = password?;
    let held = verifier.clone();
    let matches = tokio::task::spawn_blocking(move || held.verifies(&password)).await.ok()?;
    access.person(name).filter(|_| matches && is_one).map(|person| (person, verifier))
}

fn begin(
    service: &Service,
    parts: &Parts,
    person: Person,
    verifier: Verifier,
    next: Option<Section>,
) -> Result<Response, TurnedAway> {
    let is_secure = is_secure(&parts.extensions, &parts.headers);
    if let Some(old) = cookie::session(&parts.headers, is_secure) {
        service.sessions.end(old);
    }
    let role = person.role;
    let id = service.sessions.begin(person, verifier, Instant::now());
    let given = id.and_then(|id| cookie::given(&id, is_secure));
    let given = given.ok_or_else(|| TurnedAway::failed("The machine gives no random bytes."))?;
    let section = next.filter(|section| section.is_for(role)).unwrap_or_else(|| Section::first(role));
    let mut response = go_to(section.path());
    response.headers_mut().insert(header::SET_COOKIE, given);
    Ok(response)
}

/// `POST /sign-out`.
pub(crate) async fn sign_out(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (extensions, headers) = (request.extensions().clone(), request.headers().clone());
        let every = pointillist_access::Verb::ALL;
        let (visit, _) = guard::form(&service, request, &every, None).await?;
        visit.exchange.note_caller(&visit.person().name, "sign_out");
        let is_secure = is_secure(&extensions, &headers);
        if let Some(id) = cookie::session(&headers, is_secure) {
            service.sessions.end(id);
        }
        let mut response = go_to("/sign-in");
        if let Some(taken) = cookie::taken(is_secure) {
            response.headers_mut().insert(header::SET_COOKIE, taken);
        }
        // Whatever the browser keeps of us, the back button among it.
        response.headers_mut().insert("clear-site-data", header::HeaderValue::from_static("\"cache\""));
        Ok(response)
    })
    .await
}

fn note(exchange: Option<&Exchange>, verb: &'static str) {
    if let Some(exchange) = exchange {
        exchange.note_verb(verb);
    }
}
