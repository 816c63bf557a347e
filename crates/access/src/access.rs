//! Everybody who may come in: people with a role and a verifier, and tokens in their names.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use subtle::{Choice, ConstantTimeEq};

use crate::token::{self, NewToken, TokenFacts, TokenTerms};
use crate::verifier::Key;
use crate::{AccessError, Password, Role, TokenRefusal, Verb, Verifier, name};

/// Everybody who may come in.
#[derive(Clone, PartialEq, Eq)]
pub struct Access {
    /// Makes the verifiers of people whom nobody knows.
    pub(crate) secret: Key,
    pub(crate) people: BTreeMap<String, Entry>,
    pub(crate) tokens: BTreeMap<String, Token>,
}

/// Somebody who has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name, which is the analyst's where they are one.
    pub name: String,
    /// Their role, which says what they may do.
    pub role: Role,
}

impl Person {
    /// Whether they may do this, as themselves.
    pub fn may(&self, verb: Verb) -> bool {
        self.role.may(verb)
    }
}

/// Somebody who has come in with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// In whose name.
    pub person: Person,
    /// The token's id, which may be logged.
    pub token: String,
    /// What the token is for; `None` for all that its person may do.
    pub verbs: Option<Vec<Verb>>,
}

impl Bearer {
    /// Whether both the person's role and the token let them do this.
    pub fn may(&self, verb: Verb) -> bool {
        self.person.may(verb) && self.verbs.as_ref().is_none_or(|verbs| verbs.contains(&verb))
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) role: Role,
    /// `None` where they come in with tokens alone.
    pub(crate) verifier: Option<Verifier>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) person: String,
    pub(crate) hash: Key,
    pub(crate) created: SystemTime,
    pub(crate) expires: Option<SystemTime>,
    pub(crate) verbs: Option<Vec<Verb>>,
    pub(crate) revoked: bool,
}

impl Access {
    /// Nobody may come in.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new() -> Result<Self, AccessError> {
        let mut secret = Key::default();
        getrandom::fill(&mut secret).map_err(|_| AccessError::NoRandomness)?;
        Ok(Self { secret, people: BTreeMap::new(), tokens: BTreeMap::new() })
    }

    /// Lets somebody in by this password; without one they come in with tokens alone.
    ///
    /// # Errors
    /// When somebody of that role cannot have that name, or somebody has it.
    pub fn add(&mut self, name: &str, role: Role, password: Option<&Password>) -> Result<(), AccessError> {
        name::check(name, role)?;
        if let Some(other) = self.people.keys().find(|other| name::folded(other) == name::folded(name)) {
            return Err(AccessError::NameTaken { name: other.clone() });
        }
        let verifier = password.map(Verifier::new).transpose()?;
        self.people.insert(name.to_owned(), Entry { role, verifier });
        Ok(())
    }

    /// Lets them in no longer; their tokens go with them.
    ///
    /// # Errors
    /// When nobody has that name.
    pub fn remove(&mut self, name: &str) -> Result<(), AccessError> {
        self.people.remove(name).ok_or_else(|| nobody(name))?;
        self.tokens.retain(|_, token| token.person != name);
        Ok(())
    }

    /// Gives them this password in place of any other.
    ///
    /// # Errors
    /// When nobody has that name.
    pub fn set_password(&mut self, name: &str, password: &Password) -> Result<(), AccessError> {
        let verifier = Verifier::new(password)?;
        self.people.get_mut(name).ok_or_else(|| nobody(name))?.verifier = Some(verifier);
        Ok(())
    }

    /// Gives them another role. Tokens keep what they are for, and let them do what the new role may of it.
    ///
    /// # Errors
    /// When nobody has that name, or nobody of that role can have it.
    pub fn set_role(&mut self, name: &str, role: Role) -> Result<(), AccessError> {
        let entry = self.people.get_mut(name).ok_or_else(|| nobody(name))?;
        name::check(name, role)?;
        entry.role = role;
        Ok(())
    }

    /// Somebody by name.
    pub fn person(&self, name: &str) -> Option<Person> {
        self.people.get(name).map(|entry| Person { name: name.to_owned(), role: entry.role })
    }

    /// Everybody, by name.
    pub fn people(&self) -> impl Iterator<Item = Person> + '_ {
        self.people.iter().map(|(name, entry)| Person { name: name.clone(), role: entry.role })
    }

    /// Whether they can log in by a password.
    pub fn has_password(&self, name: &str) -> bool {
        self.people.get(name).is_some_and(|entry| entry.verifier.is_some())
    }

    /// What to hold against whoever says that this is their name: made up, and always the same, where nobody has it.
    pub fn verifier_of(&self, name: &str) -> Verifier {
        // Made for everybody, so that it takes as long for those whom somebody knows.
        let mock = Verifier::mock(&self.secret, name);
        self.people.get(name).and_then(|entry| entry.verifier.clone()).unwrap_or(mock)
    }

    /// Whether this is still what is held against whoever says that this is their name.
    pub fn is_verified_by(&self, name: &str, verifier: &Verifier) -> bool {
        self.people.get(name).is_some_and(|entry| match &entry.verifier {
            Some(own) => own == verifier,
            None => Verifier::mock(&self.secret, name) == *verifier,
        })
    }

    /// Makes a token in somebody's name.
    ///
    /// # Errors
    /// When nobody has that name, or the token is for something that they may not do.
    pub fn create_token(
        &mut self,
        person: &str,
        terms: TokenTerms,
        now: SystemTime,
    ) -> Result<NewToken, AccessError> {
        let role = self.people.get(person).ok_or_else(|| nobody(person))?.role;
        if let Some(verb) = terms.verbs.iter().flatten().find(|verb| !role.may(**verb)) {
            return Err(AccessError::NotTheirs {
                name: person.to_owned(),
                role: with_article(role),
                verb: verb.word(),
            });
        }
        let (mut new, mut hash) = NewToken::made()?;
        while self.tokens.contains_key(&new.id) {
            (new, hash) = NewToken::made()?;
        }
        let token = Token {
            person: person.to_owned(),
            hash,
            // The file has whole seconds; what is kept is what will be read.
            created: token::time(token::seconds(now)).unwrap_or(now),
            expires: terms.expires.map(|end| token::time(token::seconds(end)).unwrap_or(end)),
            verbs: terms.verbs,
            revoked: false,
        };
        self.tokens.insert(new.id.clone(), token);
        Ok(new)
    }

    /// Every token, by id.
    pub fn tokens(&self) -> impl Iterator<Item = TokenFacts> + '_ {
        self.tokens.iter().map(|(id, token)| TokenFacts {
            id: id.clone(),
            person: token.person.clone(),
            created: token.created,
            expires: token.expires,
            verbs: token.verbs.clone(),
            revoked: token.revoked,
        })
    }

    /// Takes a token back. It stays listed.
    ///
    /// # Errors
    /// When there is no such token.
    pub fn revoke_token(&mut self, id: &str) -> Result<(), AccessError> {
        let unknown = || AccessError::NoSuchToken { id: name::shown(id) };
        self.tokens.get_mut(id).ok_or_else(unknown)?.revoked = true;
        Ok(())
    }

    /// Who comes in with this token.
    ///
    /// # Errors
    /// When it is not known, has expired or was revoked.
    pub fn person_of_token(&self, text: &str, now: SystemTime) -> Result<Bearer, TokenRefusal> {
        let (id, hash) = token::parts(text).ok_or(TokenRefusal::Unknown)?;
        let found = self.tokens.get(id);
        // Also compared where there is none; the file's secret is not the hash of anything that was given out.
        let kept = found.map_or(&self.secret, |token| &token.hash);
        let same = hash.ct_eq(kept) & Choice::from(u8::from(found.is_some()));
        let token = found.filter(|_| bool::from(same)).ok_or(TokenRefusal::Unknown)?;
        if token.revoked {
            return Err(TokenRefusal::Revoked);
        }
        if token.expires.is_some_and(|expires| now >= expires) {
            return Err(TokenRefusal::Expired);
        }
        let person = self.person(&token.person).ok_or(TokenRefusal::Unknown)?;
        Ok(Bearer { person, token: id.to_owned(), verbs: token.verbs.clone() })
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Access")
            .field("people", &self.people.len())
            .field("tokens", &self.tokens.len())
            .finish_non_exhaustive()
    }
}

fn nobody(name: &str) -> AccessError {
    AccessError::NobodyOfThatName { name: name::shown(name) }
}

fn with_article(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner",
        Role::Curator => "a curator",
        Role::Analyst => "an analyst",
        Role::Auditor => "an auditor",
    }
}

#[cfg(test)]
#[path = "access/tests.rs"]
mod tests;
