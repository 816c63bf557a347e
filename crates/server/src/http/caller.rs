//! Who calls, and whether they may.
//!
//! **Guarantee.** [`caller`] is the only way to a [`Caller`], and asks the token, the role and the verb, in that order. Tokens that are
//! missing, malformed, unknown, expired or revoked are one reply.

use std::time::SystemTime;

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use pointillist_access::{Bearer, Person, Verb};

use super::exchange::Exchange;
use super::problem::Problem;
use crate::service::Service;

/// Somebody who may do what they ask for.
pub(crate) struct Caller {
    bearer: Bearer,
    /// The request that they call with.
    pub(crate) exchange: Exchange,
}

impl Caller {
    /// Who.
    pub(crate) fn person(&self) -> &Person {
        &self.bearer.person
    }

    /// Whether they may do this, too.
    pub(crate) fn may(&self, verb: Verb) -> bool {
        self.bearer.may(verb)
    }

    /// The name under which they ask.
    pub(crate) fn asker(&self) -> Result<&str, Problem> {
        Service::asker(self.person()).ok_or_else(Problem::forbidden)
    }
}

/// Whoever calls, if they may do at least one of these.
pub(crate) fn caller(service: &Service, parts: &Parts, verbs: &[Verb]) -> Result<Caller, Problem> {
    let exchange = parts.extensions.get::<Exchange>().cloned().ok_or_else(Problem::unauthorized)?;
    let first = verbs.first().map_or("other", |verb| verb.word());
    exchange.note_verb(first);
    let token = bearer_token(&parts.headers).ok_or_else(Problem::unauthorized)?;
    let bearer = service.access().person_of_token(token, SystemTime::now());
    let bearer = bearer.map_err(|_| Problem::unauthorized())?;
    let allowed = verbs.iter().find(|verb| bearer.may(**verb));
    exchange.note_caller(&bearer.person.name, allowed.map_or(first, |verb| verb.word()));
    match allowed {
        Some(_) => Ok(Caller { bearer, exchange }),
        None => Err(Problem::forbidden()),
    }
}

/// The token of the one `Authorization` header, `Bearer` in any case.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (all.next()?, all.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
