//! Lessons on made-up people: open to everybody, in moderation.
//!
//! **Guarantee.** Nothing of the home is read: a lesson is a function of its name, a step out of a short list, and fresh noise. A few are
//! computed at once, and an address gets so many in a while; whoever wants more is told to wait.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use pointillist_console::{Form, Lesson, Visitor, playground_page};
use serde_json::json;
use tokio::sync::Semaphore;

use super::guard::{replied, signed_in, wants_pieces};
use super::reply::{self, TurnedAway};
use crate::http::connection::Peer;
use crate::http::exchange::Exchange;
use crate::login_failures::network;
use crate::service::Service;

/// Lessons that are computed at once.
const AT_ONCE: usize = 4;
/// How long one waits for a place.
const PATIENCE: Duration = Duration::from_secs(2);
/// Lessons of one address within a [`WINDOW`].
const LESSONS_MAX: u32 = 200;
const WINDOW: Duration = Duration::from_secs(10);
/// Addresses that are remembered.
const ADDRESSES_MAX: usize = 10_000;

/// How often strangers play.
pub(crate) struct Moderation {
    places: Arc<Semaphore>,
    by_address: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

impl Default for Moderation {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), by_address: Mutex::default() }
    }
}

impl Moderation {
    /// Whether an address may have one more lesson now.
    fn lets(&self, address: IpAddr, now: Instant) -> bool {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if by_address.len() >= ADDRESSES_MAX {
            by_address.retain(|_, (_, began)| now.saturating_duration_since(*began) < WINDOW);
        }
        let is_full = by_address.len() >= ADDRESSES_MAX;
        let network = network(address);
        if is_full && !by_address.contains_key(&network) {
            return false;
        }
        let (count, began) = by_address.entry(network).or_insert((0, now));
        if now.saturating_duration_since(*began) >= WINDOW {
            (*count, *began) = (0, now);
        }
        *count = count.saturating_add(1);
        *count <= LESSONS_MAX
    }
}

/// `GET /playground`.
pub(crate) async fn index(State(service): State<Arc<Service>>, request: Request) -> Response {
    note(&request);
    let visitor = visitor(&service, &request);
    reply::page(playground_page(visitor.as_ref()))
}

/// `GET /playground/{lesson}`: the page, or the part of it that changes where the script asks.
pub(crate) async fn lesson(
    State(service): State<Arc<Service>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    note(&request);
    replied(service, request, async |service, request| {
        let lesson = name.ok().and_then(|Path(name)| Lesson::from_word(&name)).ok_or(TurnedAway::NotFound)?;
        let query = request.uri().query().and_then(|query| Form::parse(query.as_bytes())).unwrap_or_default();
        let step = query.text("step").parse().ok().filter(|step| *step < lesson.steps());
        let step = step.unwrap_or_else(|| lesson.first_step());
        let peer = request.extensions().get::<Peer>().copied().ok_or(TurnedAway::NotFound)?;
        if !service.moderation.lets(peer.address, Instant::now()) {
            return Err(busy());
        }
        let place =
            tokio::time::timeout(PATIENCE, Arc::clone(&service.moderation.places).acquire_owned()).await;
        let place = place.map_err(|_| busy())?.map_err(|_| busy())?;
        let drawn = tokio::task::spawn_blocking(move || {
            let _place = place;
            lesson.piece(step)
        });
        let piece = drawn
            .await
            .ok()
            .flatten()
            .ok_or_else(|| TurnedAway::failed("The machine gives no random bytes."))?;
        if wants_pieces(request.headers()) {
            return Ok(reply::pieces(&json!({ "lesson": piece.into_string() })));
        }
        Ok(reply::page(lesson.page(visitor(&service, &request).as_ref(), step, &piece)))
    })
    .await
}

fn busy() -> TurnedAway {
    let words = "Many people are playing just now.".to_owned();
    TurnedAway::Wrong(
        StatusCode::TOO_MANY_REQUESTS,
        "One moment",
        words,
        Some("Try again in ten seconds.".to_owned()),
    )
}

fn note(request: &Request) {
    if let Some(exchange) = request.extensions().get::<Exchange>() {
        exchange.note_verb("playground");
    }
}

/// Whoever is signed in keeps their navigation here.
fn visitor(service: &Service, request: &Request) -> Option<Visitor> {
    let found = signed_in(service, request.extensions(), request.headers())?;
    Some(Visitor {
        name: found.person.name,
        role: found.person.role,
        form_token: found.form_token,
        spent: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_so_many_lessons_and_then_waits() {
        let (moderation, now) = (Moderation::default(), Instant::now());
        let here: IpAddr = "10.0.0.1".parse().unwrap();
        assert!((0..LESSONS_MAX).all(|_| moderation.lets(here, now)));
        assert!(!moderation.lets(here, now));
        assert!(moderation.lets("10.0.0.2".parse().unwrap(), now), "others play on");
        assert!(moderation.lets(here, now + WINDOW));
    }

    #[test]
    fn addresses_are_remembered_within_bounds() {
        let (moderation, now) = (Moderation::default(), Instant::now());
        for number in 0..ADDRESSES_MAX as u32 {
            assert!(moderation.lets(IpAddr::from(number.to_be_bytes()), now));
        }
        assert!(!moderation.lets("200.0.0.1".parse().unwrap(), now));
        assert!(moderation.lets("200.0.0.1".parse().unwrap(), now + WINDOW), "old ones are forgotten");
    }
}
