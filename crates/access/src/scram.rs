//! SCRAM-SHA-256 and SCRAM-SHA-256-PLUS as a server, without sockets (RFC 5802, RFC 7677; channel binding of RFC 5929).
//!
//! ```text
//! client-first   n,,n=ana,r=<nonce>                      Exchange::first
//! server-first   r=<nonce><more>,s=<salt>,i=<rounds>
//! client-final   c=<binding>,r=<nonce><more>,p=<proof>   Exchange::last
//! server-final   v=<signature>
//! ```
//!
//! **Guarantee.** Nobody gets `server-final` without a proof of the password over this very exchange: this server's nonce, and,
//! with PLUS, this server's certificate. Proofs are compared in constant time, and after the same steps where nobody has the
//! name. Every message is taken once, in its turn; after an error nothing is taken any more.
//!
//! **Who.** The name in client-first is ignored, as PostgreSQL does: clients write there what they like, and who somebody is was
//! said before. **Downgrade.** `y` says that the client would have bound the channel and thinks that the server cannot; where
//! PLUS was offered somebody took it out of the offer, and the exchange ends.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::Verifier;
use crate::verifier::{Key, hmac};

/// The mechanism without channel binding.
pub const SCRAM: &str = "SCRAM-SHA-256";

/// The mechanism with it.
pub const SCRAM_PLUS: &str = "SCRAM-SHA-256-PLUS";

/// Random bytes of the server's part of the nonce, as PostgreSQL has them.
const NONCE_BYTES: usize = 18;

/// The longest message that is looked at. Real ones have some 200 bytes.
const LENGTH_MAX: usize = 4_096;

/// What ties an exchange to the connection under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nothing: the connection is not encrypted, or its certificate has no hash to tie to. PLUS is not offered.
    None,
    /// The hash of the server's certificate (`tls-server-end-point`).
    EndPoint(Vec<u8>),
}

impl Binding {
    /// The mechanisms to offer, best first.
    pub fn mechanisms(&self) -> &'static [&'static str] {
        match self {
            Self::None => &[SCRAM],
            Self::EndPoint(_) => &[SCRAM_PLUS, SCRAM],
        }
    }
}

/// Why an exchange ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScramError {
    /// Not the message whose turn it is, or not one at all.
    #[error("malformed SCRAM message ({0})")]
    Malformed(&'static str),
    /// A mechanism that was not offered.
    #[error("client selected an invalid SASL authentication mechanism")]
    Mechanism,
    /// Channel binding that does not go with the mechanism, or was talked out of.
    #[error("SCRAM channel binding negotiation error")]
    Downgrade,
    /// The client is connected to somebody else's certificate.
    #[error("SCRAM channel binding check failed")]
    Binding,
    /// An extension or an identity that is not supported.
    #[error("client requires an unsupported SCRAM extension")]
    Unsupported,
    /// The wrong password, or nobody's name.
    #[error("the proof is not of this password")]
    Proof,
    /// The operating system gives no random bytes.
    #[error("could not generate random nonce")]
    NoRandomness,
}

/// One exchange with somebody who says who they are.
pub struct Exchange {
    verifier: Verifier,
    binding: Binding,
    /// Base64 of random bytes, made when the exchange is.
    server_nonce: String,
    state: State,
}

enum State {
    Start,
    Challenged(Challenge),
    Done,
}

struct Challenge {
    /// What `c=` must be, byte for byte.
    binding: String,
    nonce: String,
    /// client-first-bare and server-first, with a comma behind each.
    transcript: String,
}

impl Exchange {
    /// An exchange against this verifier, over a connection with this binding.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new(verifier: Verifier, binding: Binding) -> Result<Self, ScramError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| ScramError::NoRandomness)?;
        Ok(Self { verifier, binding, server_nonce: STANDARD.encode(nonce), state: State::Start })
    }

    /// Takes client-first and gives server-first.
    ///
    /// # Errors
    /// When it is not client-first of a mechanism that was offered. The exchange is over.
    pub fn first(&mut self, mechanism: &str, message: &[u8]) -> Result<Vec<u8>, ScramError> {
        let State::Start = std::mem::replace(&mut self.state, State::Done) else {
            return Err(ScramError::Malformed("a message out of turn"));
        };
        if !self.binding.mechanisms().contains(&mechanism) {
            return Err(ScramError::Mechanism);
        }
        let message = text(message)?;
        let (flag, rest) = message.split_once(',').ok_or(ScramError::Malformed("no channel binding flag"))?;
        let (identity, bare) =
            rest.split_once(',').ok_or(ScramError::Malformed("no authorization identity"))?;
        let bound = self.bound_data(flag, mechanism == SCRAM_PLUS)?;
        if !identity.is_empty() {
            // Nobody may act as somebody else.
            let asked = identity.starts_with("a=");
            return Err(if asked { ScramError::Unsupported } else { ScramError::Malformed("an attribute") });
        }
        let nonce = format!("{}{}", client_nonce(bare)?, self.server_nonce);
        let reply =
            format!("r={nonce},s={},i={}", STANDARD.encode(&self.verifier.salt), self.verifier.iterations);
        let binding = STANDARD.encode([flag.as_bytes(), b",,", bound].concat());
        let transcript = format!("{bare},{reply},");
        self.state = State::Challenged(Challenge { binding, nonce, transcript });
        Ok(reply.into_bytes())
    }

    /// What the flag of client-first ties the exchange to.
    fn bound_data(&self, flag: &str, plus: bool) -> Result<&[u8], ScramError> {
        match (flag, &self.binding, plus) {
            ("n", _, false) | ("y", Binding::None, false) => Ok(&[]),
            ("p=tls-server-end-point", Binding::EndPoint(hash), true) => Ok(hash),
            ("n" | "y", ..) => Err(ScramError::Downgrade),
            (other, _, true) if other.starts_with("p=") => Err(ScramError::Unsupported),
            (other, ..) if other.starts_with("p=") => Err(ScramError::Downgrade),
            _ => Err(ScramError::Malformed("an unknown channel binding flag")),
        }
    }

    /// Takes client-final and gives server-final: whoever gets it is let in.
    ///
    /// # Errors
    /// When it is not client-final of this exchange, or proves another password. The exchange is over.
    pub fn last(&mut self, message: &[u8]) -> Result<Vec<u8>, ScramError> {
        let State::Challenged(challenge) = std::mem::replace(&mut self.state, State::Done) else {
            return Err(ScramError::Malformed("a message out of turn"));
        };
        let message = text(message)?;
        let (unproved, proof) = message.rsplit_once(",p=").ok_or(ScramError::Malformed("no proof"))?;
        let mut attributes = unproved.split(',');
        let mut attribute = |prefix| attributes.next().and_then(|attribute| attribute.strip_prefix(prefix));
        let binding = attribute("c=").ok_or(ScramError::Malformed("no channel binding"))?;
        let nonce = attribute("r=").ok_or(ScramError::Malformed("no nonce"))?;
        if attributes.any(|attribute| !is_extension(attribute)) {
            return Err(ScramError::Malformed("an attribute"));
        }
        let proof = STANDARD.decode(proof).ok().and_then(|proof| Key::try_from(proof).ok());
        let proof = proof.ok_or(ScramError::Malformed("a proof of another length"))?;
        if binding != challenge.binding {
            return Err(ScramError::Binding);
        }
        if !bool::from(nonce.as_bytes().ct_eq(challenge.nonce.as_bytes())) {
            return Err(ScramError::Malformed("another nonce"));
        }
        let signed: [&[u8]; 2] = [challenge.transcript.as_bytes(), unproved.as_bytes()];
        let signature = hmac(&self.verifier.server_key, &signed);
        if bool::from(self.proves(&signed, &proof)) {
            Ok(format!("v={}", STANDARD.encode(signature)).into_bytes())
        } else {
            Err(ScramError::Proof)
        }
    }

    /// Whether the proof is of the verifier's password, in the same steps whoever it is.
    fn proves(&self, signed: &[&[u8]], proof: &Key) -> Choice {
        let mut client_key = hmac(&self.verifier.stored_key, signed);
        for (byte, proved) in client_key.iter_mut().zip(proof) {
            *byte ^= proved;
        }
        let proved: Key = Sha256::digest(client_key).into();
        proved.ct_eq(&self.verifier.stored_key) & Choice::from(u8::from(!self.verifier.mock))
    }
}

/// The client's part of the nonce. The name before it may be anything; extensions after it are ignored.
fn client_nonce(bare: &str) -> Result<&str, ScramError> {
    if bare.starts_with("m=") {
        return Err(ScramError::Unsupported);
    }
    let mut attributes = bare.split(',');
    let name = attributes.next().filter(|attribute| attribute.starts_with("n="));
    name.ok_or(ScramError::Malformed("no name"))?;
    let nonce = attributes.next().and_then(|attribute| attribute.strip_prefix("r="));
    let nonce = nonce.filter(|nonce| !nonce.is_empty() && nonce.bytes().all(|byte| byte.is_ascii_graphic()));
    let nonce = nonce.ok_or(ScramError::Malformed("no nonce"))?;
    if attributes.any(|attribute| !is_extension(attribute)) {
        return Err(ScramError::Malformed("an attribute"));
    }
    Ok(nonce)
}

/// A letter, `=` and a value. `m` is what a server must understand, and none is understood.
fn is_extension(attribute: &str) -> bool {
    matches!(attribute.as_bytes(), [letter, b'=', ..] if letter.is_ascii_alphabetic() && *letter != b'm')
}

fn text(message: &[u8]) -> Result<&str, ScramError> {
    if message.len() > LENGTH_MAX {
        return Err(ScramError::Malformed("too long"));
    }
    let text = std::str::from_utf8(message).map_err(|_| ScramError::Malformed("not UTF-8"))?;
    if text.contains('\0') { Err(ScramError::Malformed("a zero")) } else { Ok(text) }
}

#[cfg(test)]
mod tests;
