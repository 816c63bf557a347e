//! What is kept of a password, in PostgreSQL's text form: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`.
//!
//! **Guarantee.** From a verifier nobody can log in (RFC 5802, section 9: StoredKey is a hash of what a client proves); whoever
//! has it can guess passwords offline, and can pretend to be the server. **Mock verifiers.** For a name that nobody has, salt
//! and keys are an HMAC of the name under a secret of the file: the same at every try, as a real one is, and without a
//! password, since nobody knows a preimage of its StoredKey.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::{AccessError, Password};

/// What PostgreSQL uses. Passwords that are made here have 160 bits, so that more rounds would slow down clients alone.
pub(crate) const ITERATIONS: u32 = 4_096;

/// More than this in a file is a mistake, and clients would hang on it.
const ITERATIONS_MAX: u32 = 10_000_000;

const SALT_BYTES: usize = 16;
const SALT_BYTES_MAX: usize = 64;
const SCHEME: &str = "SCRAM-SHA-256";

/// A key or a hash.
pub(crate) type Key = [u8; 32];

/// What the server keeps of one password.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    pub(crate) salt: Vec<u8>,
    pub(crate) iterations: u32,
    pub(crate) stored_key: Key,
    pub(crate) server_key: Key,
    /// Made up for a name that nobody has: no proof is good enough.
    pub(crate) mock: bool,
}

impl Verifier {
    /// The verifier of this password, under a fresh salt.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new(password: &Password) -> Result<Self, AccessError> {
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| AccessError::NoRandomness)?;
        Ok(Self::with_salt(password, &salt, ITERATIONS))
    }

    pub(crate) fn with_salt(password: &Password, salt: &[u8], iterations: u32) -> Self {
        let mut salted = [0; 32];
        pbkdf2::pbkdf2::<Hmac<Sha256>>(password.prepared().as_bytes(), salt, iterations, &mut salted)
            .unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
        Self {
            salt: salt.to_vec(),
            iterations,
            stored_key: Sha256::digest(hmac(&salted, &[b"Client Key"])).into(),
            server_key: hmac(&salted, &[b"Server Key"]),
            mock: false,
        }
    }

    /// What stands in for the verifier of somebody whom nobody knows.
    pub(crate) fn mock(secret: &Key, name: &str) -> Self {
        let salt = hmac(secret, &[b"salt\0", name.as_bytes()]);
        Self {
            salt: salt[..SALT_BYTES].to_vec(),
            iterations: ITERATIONS,
            stored_key: hmac(secret, &[b"stored key\0", name.as_bytes()]),
            server_key: hmac(secret, &[b"server key\0", name.as_bytes()]),
            mock: true,
        }
    }

    /// Whether this is of that password: for whoever sends the password itself, over a connection that nobody reads. Takes the same
    /// steps whether or not somebody has the name that the verifier was looked up by, and as long wherever keys differ.
    pub fn verifies(&self, password: &Password) -> bool {
        let made = Self::with_salt(password, &self.salt, self.iterations);
        bool::from(made.stored_key.ct_eq(&self.stored_key) & Choice::from(u8::from(!self.mock)))
    }

    /// The text form, as PostgreSQL has it in `pg_authid`.
    pub fn text(&self) -> String {
        let (salt, stored, server) =
            (STANDARD.encode(&self.salt), STANDARD.encode(self.stored_key), STANDARD.encode(self.server_key));
        format!("{SCHEME}${}:{salt}${stored}:{server}", self.iterations)
    }

    /// Reads the text form. Fewer than 4096 rounds are refused.
    pub fn from_text(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(SCHEME)?.strip_prefix('$')?;
        let (rounds, keys) = rest.split_once('$')?;
        let (iterations, salt) = rounds.split_once(':')?;
        let (stored, server) = keys.split_once(':')?;
        if !iterations.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let iterations =
            iterations.parse().ok().filter(|rounds| (ITERATIONS..=ITERATIONS_MAX).contains(rounds))?;
        let salt = STANDARD.decode(salt).ok().filter(|salt| (1..=SALT_BYTES_MAX).contains(&salt.len()))?;
        let key = |text: &str| Key::try_from(STANDARD.decode(text).ok()?).ok();
        Some(Self { salt, iterations, stored_key: key(stored)?, server_key: key(server)?, mock: false })
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verifier").field("iterations", &self.iterations).finish_non_exhaustive()
    }
}

/// HMAC-SHA-256 of the parts, one after the other.
pub(crate) fn hmac(key: &[u8], parts: &[&[u8]]) -> Key {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The password, salt and rounds of RFC 7677's example, in PostgreSQL's form. That its keys are right shows in `scram.rs`,
    /// where they give the proof and the signature that the RFC prints.
    const PENCIL: &str = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";

    /// Specification: the text form, both ways.
    #[test]
    fn a_verifier_is_written_and_read_in_postgresqls_form() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let verifier = Verifier::with_salt(&Password::new("pencil").unwrap(), &salt, 4_096);
        assert_eq!(verifier.text(), PENCIL);
        assert_eq!(Verifier::from_text(PENCIL), Some(verifier));
    }

    #[test]
    fn verifiers_that_are_not_whole_are_refused() {
        for (from, to) in [
            ("SCRAM-SHA-256$", "SCRAM-SHA-1$"),
            ("$4096:", "$4095:"),
            ("$4096:", "$+4096:"),
            ("$4096:", "$99999999999:"),
            ("$4096:", "$:"),
            ("gQ==$", "gQ=$"),
            ("W22ZaJ0SNY7soEsUEjb6gQ==", ""),
            ("$WG5d", "$WG5"),
            (":wfPL", "wfPL"),
            ("2dU=", "2dU= "),
        ] {
            assert!(PENCIL.contains(from));
            assert_eq!(Verifier::from_text(&PENCIL.replacen(from, to, 1)), None, "{from} {to}");
        }
    }

    /// Specification: the password itself opens what its proof would, and nothing opens a name that nobody has.
    #[test]
    fn a_password_is_held_against_its_verifier() {
        let pencil = Verifier::from_text(PENCIL).unwrap();
        let password = |text: &str| Password::new(text).unwrap();
        assert!(pencil.verifies(&password("pencil")));
        assert!(pencil.verifies(&password("pen\u{ad}cil")), "prepared as on the wire");
        for wrong in ["Pencil", "pencil ", "p", PENCIL] {
            assert!(!pencil.verifies(&password(wrong)), "{wrong}");
        }
        let nobody = Verifier { mock: true, ..pencil };
        assert!(!nobody.verifies(&password("pencil")), "a mock lets nobody in, whatever its keys are");
    }

    #[test]
    fn a_mock_verifier_is_stable_and_looks_like_any_other() {
        let mock = |secret: u8, name| Verifier::mock(&[secret; 32], name);
        assert_eq!(mock(1, "ana"), mock(1, "ana"));
        assert_ne!(mock(1, "ana").salt, mock(1, "bob").salt);
        assert_ne!(mock(1, "ana").salt, mock(2, "ana").salt);
        let real = Verifier::new(&Password::new("pencil").unwrap()).unwrap();
        assert_eq!(mock(1, "ana").salt.len(), real.salt.len());
        assert_eq!(mock(1, "ana").iterations, real.iterations);
    }

    #[test]
    fn a_verifier_does_not_print_its_keys() {
        let text = format!("{:?}", Verifier::from_text(PENCIL).unwrap());
        assert_eq!(text, "Verifier { iterations: 4096, .. }");
    }
}
