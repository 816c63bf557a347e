//! What is asked, reduced to a name that anybody may see and a key that only those who know it can make.

use std::fmt;

use crate::Digest;

/// How many bytes of an id are the topic's. Few, as nothing rests on them: an answer of another topic does not open.
const TOPIC_BYTES: usize = 8;

/// A question: what is asked, at which price, of which version of the data.
///
/// Two questions with the same canonical bytes are the same question and have one answer. The ledger keeps the
/// [`id`](Self::id) and never the bytes.
///
/// Questions about the same thing that differ in what exactly is released, or at which price, are of one topic: their ids
/// begin alike, and their answers open with one key, so that whoever holds one answer can see whether it answers another
/// question. The rest of an id, 24 bytes of a hash of everything, tells them apart.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    id: Digest,
    key: [u8; 32],
}

impl Question {
    /// Takes the canonical bytes of (plan, price, data version): a topic of its own.
    pub fn new(canonical: &[u8]) -> Self {
        Self {
            id: Digest::of("pointillist question", &[canonical]),
            key: Digest::of("pointillist seal", &[canonical]).0,
        }
    }

    /// Takes the canonical bytes of what it is about, the data version among them, and of what is released at which
    /// price.
    pub fn on_topic(topic: &[u8], release: &[u8]) -> Self {
        let mut id = Digest::of("pointillist question on a topic", &[topic, release]);
        id.0[..TOPIC_BYTES].copy_from_slice(&Digest::of("pointillist topic", &[topic]).0[..TOPIC_BYTES]);
        Self { id, key: Digest::of("pointillist seal", &[topic]).0 }
    }

    /// The name of the question in the ledger.
    pub fn id(&self) -> Digest {
        self.id
    }

    /// What questions of one topic have in common, and hardly any others.
    pub fn topic(&self) -> Digest {
        Digest::of("pointillist topic of a question", &[&self.id.0[..TOPIC_BYTES], &self.key])
    }

    /// Between which names, both included, those of the same topic lie; if a question of such a name is of it, this one's
    /// key opens its answer.
    pub(crate) fn topic_ids(&self) -> [Digest; 2] {
        let filled = |rest: u8| {
            let mut id = Digest([rest; 32]);
            id.0[..TOPIC_BYTES].copy_from_slice(&self.id.0[..TOPIC_BYTES]);
            id
        };
        [filled(0), filled(u8::MAX)]
    }

    /// Another question of the same topic, by its name.
    pub(crate) fn named(&self, id: Digest) -> Self {
        Self { id, key: self.key }
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
