//! Who is signed in to the console, and for how long.
//!
//! **Guarantee.** A session is named by 256 random bits, of which only the hash is kept, in memory alone: whoever reads memory dumps or
//! logs cannot use one, and a restart ends all. Every sign-in makes a new name. A session ends when it was not used for [`IDLE`], after
//! [`LONGEST`] in any case, when its person signs out, and with the first request after the access file changed their role or
//! password or let them go, as sessions of the Postgres wire do.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pointillist_access::{Access, Person, Verifier};
use sha2::{Digest, Sha256};

/// How long nobody may do anything.
pub(crate) const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long a session lasts, whatever is done in it.
pub(crate) const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
/// Sessions of one person; the one that was used longest ago leaves for another.
const PER_PERSON: usize = 16;
/// Sessions of everybody.
const SESSIONS_MAX: usize = 10_000;

/// A session's name, hashed.
type Name = [u8; 32];

/// Everybody who is signed in.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Name, Session>>);

struct Session {
    person: Person,
    /// What their password was held against.
    verifier: Verifier,
    form_token: String,
    began: Instant,
    used: Instant,
}

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignedIn {
    /// Who.
    pub(crate) person: Person,
    /// What their forms carry.
    pub(crate) form_token: String,
}

impl Sessions {
    /// Signs somebody in; the new session's name, which is told to their browser alone. Nothing where the system gives no randomness.
    pub(crate) fn begin(&self, person: Person, verifier: Verifier, now: Instant) -> Option<String> {
        let (id, form_token) = (random_text()?, random_text()?);
        let mut sessions = self.sessions();
        sessions.retain(|_, session| !session.is_over(now));
        let of_person = |session: &Session| session.person.name == person.name;
        if sessions.values().filter(|session| of_person(session)).count() >= PER_PERSON {
            remove_oldest(&mut sessions, of_person);
        }
        if sessions.len() >= SESSIONS_MAX {
            remove_oldest(&mut sessions, |_| true);
        }
        sessions.insert(hashed(&id), Session { person, verifier, form_token, began: now, used: now });
        Some(id)
    }

    /// Whoever has the session of this name, as long as the access file still lets them in as it did then.
    pub(crate) fn find(&self, id: &str, access: &Access, now: Instant) -> Option<SignedIn> {
        let name = hashed(id);
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&name)?;
        let is_still_let_in = access.person(&session.person.name).as_ref() == Some(&session.person)
            && access.is_verified_by(&session.person.name, &session.verifier);
        if session.is_over(now) || !is_still_let_in {
            sessions.remove(&name);
            return None;
        }
        session.used = now;
        Some(SignedIn { person: session.person.clone(), form_token: session.form_token.clone() })
    }

    /// Ends the session of this name.
    pub(crate) fn end(&self, id: &str) {
        self.sessions().remove(&hashed(id));
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Name, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.used) >= IDLE
            || now.saturating_duration_since(self.began) >= LONGEST
    }
}

fn remove_oldest(sessions: &mut HashMap<Name, Session>, among: impl Fn(&Session) -> bool) {
    let oldest =
        sessions.iter().filter(|(_, session)| among(session)).min_by_key(|(_, session)| session.used);
    if let Some(oldest) = oldest.map(|(name, _)| *name) {
        sessions.remove(&oldest);
    }
}

fn hashed(id: &str) -> Name {
    Sha256::digest(id.as_bytes()).into()
}

/// 256 random bits as hexadecimal digits.
pub(crate) fn random_text() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use pointillist_access::{Password, Role};

    use super::*;

    fn access() -> Access {
        let mut access = Access::new().unwrap();
        let password = Password::new("correct horse").unwrap();
        access.add("ana", Role::Analyst, Some(&password)).unwrap();
        access.add("ben", Role::Analyst, Some(&password)).unwrap();
        access
    }

    fn begun(sessions: &Sessions, access: &Access, name: &str, now: Instant) -> String {
        sessions.begin(access.person(name).unwrap(), access.verifier_of(name), now).unwrap()
    }

    #[test]
    fn a_session_is_found_by_its_own_name_alone() {
        let (sessions, access, now) = (Sessions::default(), access(), Instant::now());
        let (one, two) = (begun(&sessions, &access, "ana", now), begun(&sessions, &access, "ana", now));
        assert!(one.len() == 64 && one != two, "a name of its own each time");
        let found = sessions.find(&one, &access, now).unwrap();
        assert_eq!(found.person.name, "ana");
        assert_ne!(found.form_token, sessions.find(&two, &access, now).unwrap().form_token);
        assert_eq!(sessions.find(&one[1..], &access, now), None);
        assert!(
            !sessions.sessions().keys().any(|name| name[..] == one.as_bytes()[..32]),
            "only the hash is kept"
        );
        sessions.end(&one);
        assert_eq!(sessions.find(&one, &access, now), None);
        assert!(sessions.find(&two, &access, now).is_some());
    }

    #[test]
    fn sessions_end_when_they_are_idle_or_old() {
        let (sessions, access, now) = (Sessions::default(), access(), Instant::now());
        let idle = begun(&sessions, &access, "ana", now);
        assert!(sessions.find(&idle, &access, now + IDLE - Duration::from_secs(1)).is_some());
        assert!(
            sessions.find(&idle, &access, now + IDLE + Duration::from_secs(1)).is_some(),
            "used meanwhile"
        );
        assert_eq!(sessions.find(&idle, &access, now + IDLE + IDLE + Duration::from_secs(1)), None);
        let busy = begun(&sessions, &access, "ana", now);
        let mut later = now;
        while later + IDLE / 2 < now + LONGEST {
            later += IDLE / 2;
            assert!(sessions.find(&busy, &access, later).is_some());
        }
        assert_eq!(sessions.find(&busy, &access, now + LONGEST), None);
    }

    /// Specification: another password, another role or nobody of that name: the next request is nobody's.
    #[test]
    fn sessions_end_when_who_may_come_in_changes() {
        let now = Instant::now();
        let changes: [fn(&mut Access); 3] = [
            |access| access.set_password("ana", &Password::new("another").unwrap()).unwrap(),
            |access| access.set_role("ana", Role::Auditor).unwrap(),
            |access| access.remove("ana").unwrap(),
        ];
        for change in changes {
            let (sessions, mut access) = (Sessions::default(), access());
            let (ana, ben) = (begun(&sessions, &access, "ana", now), begun(&sessions, &access, "ben", now));
            change(&mut access);
            assert_eq!(sessions.find(&ana, &access, now), None);
            assert!(sessions.find(&ben, &access, now).is_some());
        }
    }

    #[test]
    fn somebody_has_so_many_sessions_and_no_more() {
        let (sessions, access, now) = (Sessions::default(), access(), Instant::now());
        let other = begun(&sessions, &access, "ben", now);
        let first = begun(&sessions, &access, "ana", now);
        for second in 1..=PER_PERSON as u64 {
            begun(&sessions, &access, "ana", now + Duration::from_secs(second));
        }
        assert_eq!(sessions.sessions().len(), PER_PERSON + 1);
        assert_eq!(sessions.find(&first, &access, now), None, "the one that was used longest ago");
        assert!(sessions.find(&other, &access, now).is_some());
    }
}
