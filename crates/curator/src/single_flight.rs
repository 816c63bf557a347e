//! One asker at a time for one question.
//!
//! **Why.** While a question is being computed it is not answered yet; once its answer is recorded it is, and a second
//! asker gets it for free. Whoever asked again and again would see that change happen, and with it how long the data
//! took, to the millisecond. So a question that is on its way is in flight: whoever comes with the same one waits until
//! the first reply has left, on its clock, and is then told the same whatever happened when. The same holds for what one
//! asker asks about one topic: what they hold of it decides what the next question costs.
//!
//! **What does not fly.** An answer that the asker holds, in the ledger's words: recorded, and paid for by them. Records
//! are written when replies leave, and a payment from a share has its asker's topic in flight until its reply has left, so
//! whoever finds that they hold an answer was given it before. Asked again it changes nothing: no record of an answer, no
//! payment, and what the asker holds of the topic is the same before, meanwhile and after. So nobody learns anything by not
//! waiting for it; and if it waited for others who are on their way with the same question, its asker would learn that
//! they are. It leaves on the clock as every reply does. One asker's repetitions therefore run beside each other.
//!
//! **What waiting costs.** Whoever waits holds their thread, until the reply before them has left: at most the time of a
//! question and a quantum, for each that is before them. How many threads one person can hold is for the door to say,
//! which lets so many questions of theirs begin at a time; questions of others wait only for the same question.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use pointillist_ledger::Digest;

/// The questions that are on their way.
#[derive(Clone, Default)]
pub(crate) struct SingleFlight {
    flights: Arc<Flights>,
}

#[derive(Default)]
struct Flights {
    questions: Mutex<HashSet<[u8; 32]>>,
    landed: Condvar,
}

/// A question on its way; when this is dropped, whoever waits with the same one is next.
pub(crate) struct Flight {
    flights: Arc<Flights>,
    question: [u8; 32],
}

impl SingleFlight {
    /// Waits until nobody else is on their way with this question.
    pub(crate) fn take_off(&self, question: Digest) -> Flight {
        // A thread that panicked while it held the lock left a whole set: one insertion or removal is all it does.
        let mut questions = self.flights.questions.lock().unwrap_or_else(PoisonError::into_inner);
        while !questions.insert(question.0) {
            questions = self.flights.landed.wait(questions).unwrap_or_else(PoisonError::into_inner);
        }
        Flight { flights: Arc::clone(&self.flights), question: question.0 }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.questions.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.question);
        self.flights.landed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_question_flies_at_a_time_and_others_do_not_wait() {
        let (single, inside, most) = (SingleFlight::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        let same = Digest::of("test", &[b"same"]);
        let other = single.take_off(Digest::of("test", &[b"other"]));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _flight = single.take_off(same);
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        drop(other);
        assert_eq!(most.into_inner(), 1);
        assert!(single.flights.questions.lock().unwrap().is_empty());
    }
}
