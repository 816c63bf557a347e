//! Tokens: made, hashed, found.
//!
//! A token is `ptl_<id>_<secret>`: the id (50 bits) finds it in lists, logs and the file, the secret (256 bits) is what lets
//! somebody in. **Guarantee.** Of the secret the SHA-256 is kept, which is enough for random 256 bits; it is compared in
//! constant time, and also where no token has the id.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::password::letters;
use crate::verifier::Key;
use crate::{AccessError, Verb};

const PREFIX: &str = "ptl_";
const SECRET_BYTES: usize = 32;
const ID_LETTERS: usize = 10;
const SECRET_LETTERS: usize = 52;

/// A token as it is shown once.
#[derive(Clone)]
pub struct NewToken {
    /// By which it is listed and revoked.
    pub id: String,
    /// The whole token, to be given to whoever uses it and kept nowhere here.
    pub text: String,
}

/// What a token is made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenTerms {
    /// Until when; `None` for no end.
    pub expires: Option<SystemTime>,
    /// What it is for; `None` for all that its person may do.
    pub verbs: Option<Vec<Verb>>,
}

/// What is known of a token, without what lets somebody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFacts {
    /// By which it is listed and revoked.
    pub id: String,
    /// Whose it is.
    pub person: String,
    /// When it was made.
    pub created: SystemTime,
    /// Until when it is good; `None` for no end.
    pub expires: Option<SystemTime>,
    /// What it is for; `None` for all that its person may do.
    pub verbs: Option<Vec<Verb>>,
    /// Whether it was taken back.
    pub revoked: bool,
}

impl TokenFacts {
    /// Whether its time is over.
    pub fn expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| now >= expires)
    }
}

impl NewToken {
    /// A token, and the hash of its secret.
    pub(crate) fn made() -> Result<(Self, Key), AccessError> {
        let (mut id, mut secret) = ([0; 8], [0; SECRET_BYTES]);
        getrandom::fill(&mut id).map_err(|_| AccessError::NoRandomness)?;
        getrandom::fill(&mut secret).map_err(|_| AccessError::NoRandomness)?;
        let id = letters(&id)[..ID_LETTERS].to_owned();
        let secret = letters(&secret);
        let hash = hash(&secret);
        Ok((Self { text: format!("{PREFIX}{id}_{secret}"), id }, hash))
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NewToken").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The id and the hash of the secret, where the text has the form of a token.
pub(crate) fn parts(text: &str) -> Option<(&str, Key)> {
    let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let made_of_letters =
        |text: &str| text.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    let whole = is_id(id) && secret.len() == SECRET_LETTERS && made_of_letters(secret);
    whole.then(|| (id, hash(secret)))
}

/// Whether this can be a token's id.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == ID_LETTERS
        && text.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
}

/// Whole seconds since 1970, as the file has times; before that, zero.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The time of so many seconds since 1970.
pub(crate) fn time(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

fn hash(secret: &str) -> Key {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_bits_that_its_debug_form_does_not_show() {
        let (token, hash) = NewToken::made().unwrap();
        let (id, secret) = token.text.strip_prefix("ptl_").unwrap().split_once('_').unwrap();
        assert_eq!((id, secret.len()), (token.id.as_str(), 52));
        assert_eq!(parts(&token.text), Some((id, hash)));
        assert!(!format!("{token:?}").contains(secret));
        assert_ne!(NewToken::made().unwrap().0.text, token.text);
    }

    #[test]
    fn texts_of_another_form_are_no_tokens() {
        let (token, _) = NewToken::made().unwrap();
        let text = token.text;
        for other in [
            "",
            "ptl_",
            "ptl__",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text}0"),
            &format!("{text} "),
            &text.to_uppercase(),
            &text.replacen("ptl_", "ptl_0", 1),
        ] {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
