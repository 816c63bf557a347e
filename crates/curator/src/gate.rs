//! One asker at a time for one question.
//!
//! **Why.** While a question is being computed it is not answered yet; once its answer is recorded it is, and a second
//! asker gets it for free. Whoever asked again and again would see that change happen, and with it how long the data
//! took, to the millisecond. So a question that is on its way is a closed gate: whoever comes with the same one
//! waits until the first reply has left, on its clock, and is then told the same whatever happened when.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, PoisonError};

use pointillist_ledger::Digest;

/// The questions that are on their way.
#[derive(Default)]
pub(crate) struct Gate {
    passing: Mutex<HashSet<[u8; 32]>>,
    opened: Condvar,
}

/// A question on its way; the gate opens when this is dropped.
pub(crate) struct Passage<'a> {
    gate: &'a Gate,
    question: [u8; 32],
}

impl Gate {
    /// Waits until nobody else is passing with this question.
    pub(crate) fn pass(&self, question: Digest) -> Passage<'_> {
        // Nothing panics while the set is held, and a set that was left in the middle of nothing is whole.
        let mut passing = self.passing.lock().unwrap_or_else(PoisonError::into_inner);
        while !passing.insert(question.0) {
            passing = self.opened.wait(passing).unwrap_or_else(PoisonError::into_inner);
        }
        Passage { gate: self, question: question.0 }
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.gate.passing.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.question);
        self.gate.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_question_passes_at_a_time_and_others_do_not_wait() {
        let (gate, inside, most) = (Gate::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        let same = Digest::of("test", &[b"same"]);
        let other = gate.pass(Digest::of("test", &[b"other"]));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _passage = gate.pass(same);
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        drop(other);
        assert_eq!(most.into_inner(), 1);
        assert!(gate.passing.lock().unwrap().is_empty());
    }
}
