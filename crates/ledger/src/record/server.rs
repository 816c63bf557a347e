//! Records about servers that share a ledger, and about a ledger that moves from one store to another. None of them
//! spends anything.

use std::fmt;

use crate::digest::hex;
use crate::encoding::{Decoder, Encoder};

/// The name of a store: 16 random bytes that are kept in it, so that two stores are never taken for one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoreId(pub [u8; 16]);

/// A ledger leaves its store: no record follows it but the arrival in the store that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The store in which it goes on.
    pub to: StoreId,
    /// The same in words, for people: `postgres:main`.
    pub name: String,
}

impl fmt::Display for StoreId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for StoreId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StoreId({self})")
    }
}

impl Departure {
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.fixed(&self.to.0);
        out.text(&self.name);
    }

    pub(super) fn decode(from: &mut Decoder) -> Option<Self> {
        Some(Self { to: StoreId(from.fixed()?), name: from.text()? })
    }
}
