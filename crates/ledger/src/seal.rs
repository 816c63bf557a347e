//! Answers are stored encrypted to their question.
//!
//! **Guarantee.** Whoever reads the ledger without knowing the question learns the length of its answer and
//! nothing else about it; whoever asks the question again can open it. A sealed answer that was altered, or
//! moved to another place in the ledger, does not open.
//! **How.** XChaCha20-Poly1305 under a key that is a hash of the canonical question, or of its topic. The nonce is the writer's
//! epoch (16 random bytes) and the number of the reservation. No pair occurs twice: numbers grow within an
//! epoch, and a ledger restored from a backup goes on under another epoch.
//! **Not covered.** A question that can be guessed can be tried: this keeps answers from auditors who were
//! told none of the questions, not from those who can list them all. Answers are differentially private
//! anyway; sealing is about who may read whose answers.

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::Question;
use crate::record::Epoch;

pub(crate) fn seal(question: &Question, epoch: Epoch, reserve_seq: u64, answer: &[u8]) -> Vec<u8> {
    cipher(question)
        .encrypt(&nonce(epoch, reserve_seq), answer)
        .expect("an answer is far shorter than the 256 GiB that one nonce may encrypt")
}

/// The answer, or `None` when this is not the answer to that question from that place.
pub(crate) fn open(question: &Question, epoch: Epoch, reserve_seq: u64, sealed: &[u8]) -> Option<Vec<u8>> {
    cipher(question).decrypt(&nonce(epoch, reserve_seq), sealed).ok()
}

fn cipher(question: &Question) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(question.key().into())
}

fn nonce(epoch: Epoch, reserve_seq: u64) -> XNonce {
    let mut nonce = [0; 24];
    nonce[..16].copy_from_slice(&epoch.0);
    nonce[16..].copy_from_slice(&reserve_seq.to_be_bytes());
    nonce.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_question_at_the_same_place_opens_an_answer() {
        let (question, other) = (Question::new(b"how many"), Question::new(b"how much"));
        let (epoch, later) = (Epoch([1; 16]), Epoch([2; 16]));
        let sealed = seal(&question, epoch, 7, b"42");
        assert_eq!(sealed.len(), 2 + 16);
        assert_eq!(open(&question, epoch, 7, &sealed).as_deref(), Some(&b"42"[..]));
        assert_eq!(open(&other, epoch, 7, &sealed), None);
        assert_eq!(open(&question, later, 7, &sealed), None);
        assert_eq!(open(&question, epoch, 8, &sealed), None);
        for index in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[index] ^= 1;
            assert_eq!(open(&question, epoch, 7, &altered), None);
        }
    }
}
