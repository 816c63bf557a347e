//! Who calls, from where, and whether they may.
//!
//! **Guarantee.** [`visit`] and [`form`] are the only ways to a [`Visit`]: a session that stands, and a role that allows one of the verbs. A
//! form is looked at only where the browser says that it comes from this origin, and taken only with the session's own token in it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};
use axum::response::Response;
use pointillist_access::{Person, Verb};
use pointillist_console::{Form, Section, Share, Visitor};
use pointillist_curator::OWNER;
use subtle::ConstantTimeEq;

use super::cookie;
use super::reply::TurnedAway;
use super::sessions::SignedIn;
use crate::http::body;
use crate::http::connection::Peer;
use crate::http::exchange::Exchange;
use crate::http::pages::is_near;
use crate::service::Service;

/// Somebody who may do what they came for.
pub(super) struct Visit {
    signed_in: SignedIn,
    /// The request that they call with.
    pub(super) exchange: Exchange,
    /// What they would be shown of their own budget.
    pub(super) shares: Vec<Share>,
}

impl Visit {
    /// Who.
    pub(super) fn person(&self) -> &Person {
        &self.signed_in.person
    }

    /// Whether they may do this, too.
    pub(super) fn may(&self, verb: Verb) -> bool {
        self.person().may(verb)
    }

    /// The name under which they ask.
    pub(super) fn asker(&self) -> Result<String, TurnedAway> {
        Service::asker(self.person()).map(str::to_owned).ok_or(TurnedAway::Forbidden)
    }

    /// As pages show them.
    pub(super) fn visitor(&self) -> Visitor {
        let is_analyst = self.may(Verb::OwnBooks);
        Visitor {
            name: self.person().name.clone(),
            role: self.person().role,
            form_token: self.signed_in.form_token.clone(),
            spent: self.shares.first().filter(|_| is_analyst).map(Share::spent),
        }
    }

    /// Reads what they have once more: after something was paid.
    pub(super) fn refresh(&mut self, service: &Service) {
        self.shares = shares(service, self.person());
    }
}

/// Whether the way here is encrypted: by us, or by a proxy where the name is not this machine's.
pub(super) fn is_secure(extensions: &Extensions, headers: &HeaderMap) -> bool {
    let is_encrypted = extensions.get::<Peer>().is_some_and(|peer| peer.is_encrypted);
    // A proxy that says so is believed: it only makes the cookie stricter.
    let by_proxy = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    is_encrypted || by_proxy || host(headers).is_some_and(|host| !is_near(host))
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Whoever is signed in, if anybody is.
pub(super) fn signed_in(service: &Service, extensions: &Extensions, headers: &HeaderMap) -> Option<SignedIn> {
    let id = cookie::session(headers, is_secure(extensions, headers))?;
    service.sessions.find(id, &service.access(), Instant::now())
}

/// Whoever looks, if they may do at least one of these.
pub(super) fn visit(
    service: &Service,
    parts: &Parts,
    verbs: &[Verb],
    section: Option<Section>,
) -> Result<Visit, TurnedAway> {
    let exchange = parts.extensions.get::<Exchange>().cloned().ok_or(TurnedAway::Unknown(None))?;
    exchange.note_verb(verbs.first().map_or("other", |verb| verb.word()));
    let signed_in =
        signed_in(service, &parts.extensions, &parts.headers).ok_or(TurnedAway::Unknown(section))?;
    let allowed = verbs.iter().find(|verb| signed_in.person.may(**verb));
    let verb = allowed.or(verbs.first()).map_or("other", |verb| verb.word());
    exchange.note_caller(&signed_in.person.name, verb);
    if allowed.is_none() {
        return Err(TurnedAway::Forbidden);
    }
    let shares = shares(service, &signed_in.person);
    Ok(Visit { signed_in, exchange, shares })
}

/// Whoever sends a form, and what it says.
pub(super) async fn form(
    service: &Service,
    request: Request,
    verbs: &[Verb],
    section: Option<Section>,
) -> Result<(Visit, Form), TurnedAway> {
    let (parts, body) = request.into_parts();
    if !is_from_here(&parts.headers) {
        return Err(TurnedAway::Foreign);
    }
    let visit = visit(service, &parts, verbs, section)?;
    let form = read_form(service, &parts, body, &visit.exchange).await?;
    let token = form.get("form_token").unwrap_or_default();
    if !bool::from(token.as_bytes().ct_eq(visit.signed_in.form_token.as_bytes())) {
        return Err(TurnedAway::Foreign);
    }
    Ok((visit, form))
}

/// The fields of a body.
pub(super) async fn read_form(
    service: &Service,
    parts: &Parts,
    body: axum::body::Body,
    exchange: &Exchange,
) -> Result<Form, TurnedAway> {
    if !body::is_of_type(&parts.headers, "application/x-www-form-urlencoded") {
        return Err(TurnedAway::request("That is not how a form of ours is sent."));
    }
    let bytes = body::read_bytes(&service.limits, body, exchange).await?;
    Form::parse(&bytes).ok_or_else(|| TurnedAway::request("That is not how a form of ours is sent."))
}

/// Whether a form comes from a page of this origin, as far as the browser says. `Sec-Fetch-Site` decides where there is one: a page
/// without a referrer sends `Origin: null`. What is no browser sends neither, and has no cookie that it did not ask for.
pub(super) fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = text("origin") else { return true };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some() && authority == host(headers)
}

/// Whether the script asks, which wants pieces and no pages.
pub(super) fn wants_pieces(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json")
}

fn shares(service: &Service, person: &Person) -> Vec<Share> {
    let Some(asker) = Service::asker(person) else { return Vec::new() };
    let sees_all = person.may(Verb::AllBooks);
    if !(sees_all || person.may(Verb::OwnBooks)) {
        return Vec::new();
    }
    let seen = service.declared().curator.balances().ok();
    seen.map(|balances| Share::all(&balances.seen_by(if sees_all { OWNER } else { asker })))
        .unwrap_or_default()
}

/// The reply of a handler, or why somebody is turned away.
pub(super) async fn replied(
    service: Arc<Service>,
    request: Request,
    handler: impl AsyncFnOnce(Arc<Service>, Request) -> Result<Response, TurnedAway>,
) -> Response {
    let mut extensions = Extensions::new();
    extensions.extend(request.extensions().clone());
    let headers = request.headers().clone();
    match handler(Arc::clone(&service), request).await {
        Ok(response) => response,
        Err(turned_away) => {
            let visitor = signed_in(&service, &extensions, &headers).map(|signed_in| Visitor {
                name: signed_in.person.name,
                role: signed_in.person.role,
                form_token: signed_in.form_token,
                spent: None,
            });
            turned_away.reply(visitor.as_ref(), wants_pieces(&headers), &extensions)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        map.insert("host", "db.example:8433".parse().unwrap());
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        is_from_here(&map)
    }

    /// Specification: the strict cookie is used wherever the way is not just this machine's, by its name or by what a proxy says.
    #[test]
    fn the_way_is_taken_for_encrypted_unless_it_is_this_machine_alone() {
        let secure = |headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.parse().unwrap());
            }
            is_secure(&Extensions::new(), &map)
        };
        for near in ["localhost", "localhost:8433", "127.0.0.1:8433", "127.8.8.8", "[::1]:8433", "[::1]"] {
            assert!(!secure(&[("host", near)]), "{near}");
            assert!(secure(&[("host", near), ("x-forwarded-proto", "https")]), "{near} behind a proxy");
        }
        for far in [
            "db.example",
            "localhost.example.org:1",
            "127.example.org",
            "127.0.0.1.example.org:80",
            "10.0.0.1",
        ] {
            assert!(secure(&[("host", far)]), "{far}");
        }
    }

    /// Specification: where a browser says that a form comes from elsewhere, it is not looked at.
    #[test]
    fn forms_from_elsewhere_are_known_by_their_headers() {
        for here in [
            &[][..],
            &[("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "same-origin"), ("origin", "null")],
            &[("origin", "https://db.example:8433")],
            &[("origin", "http://db.example:8433")],
        ] {
            assert!(sent(here), "{here:?}");
        }
        for elsewhere in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "cross-site"), ("origin", "https://db.example:8433")],
            &[("origin", "null")],
            &[("origin", "https://evil.example")],
            &[("origin", "https://db.example:8433.evil.example")],
            &[("origin", "https://db.example")],
            &[("origin", "db.example:8433")],
        ] {
            assert!(!sent(elsewhere), "{elsewhere:?}");
        }
    }
}
