//! What is asked, reduced to a name that anybody may see and a key that only those who know it can make.

use std::fmt;

use crate::Digest;

/// A question: what is asked, at which price, of which version of the data.
///
/// Two questions with the same canonical bytes are the same question and have one answer. The ledger keeps the
/// [`id`](Self::id) and never the bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    id: Digest,
    key: [u8; 32],
}

impl Question {
    /// Takes the canonical bytes of (plan, price, data version).
    pub fn new(canonical: &[u8]) -> Self {
        Self {
            id: Digest::of("pointillist question", &[canonical]),
            key: Digest::of("pointillist seal", &[canonical]).0,
        }
    }

    /// The name of the question in the ledger.
    pub fn id(&self) -> Digest {
        self.id
    }

    /// What the ledger records of an answer. Keyed by the question: a plain hash of a count would be the count,
    /// to anybody with an afternoon to try them all.
    pub fn answer_hash(&self, answer: &[u8]) -> Digest {
        Digest::of("pointillist answer", &[&self.key, answer])
    }

    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.key
    }
}

/// Shows the id only: the key opens the answer.
impl fmt::Debug for Question {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Question({})", self.id)
    }
}
