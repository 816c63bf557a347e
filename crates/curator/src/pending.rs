//! A reply that waits for its moment.
//!
//! **Guarantee.** Before the moment that [`Pending::due`] names nothing of the outcome can be observed: not whether there
//! is an answer, not the answer, no record of it in the ledger, and no sign of it in how long the same question takes from
//! elsewhere, since that question waits until this one is recorded (`single_flight.rs`). [`Pending::collect`] does not
//! return earlier, whoever calls it when. When the moment is depends on the clock of `reply_clock.rs` and on nothing finer.
//! **Nobody waits.** A reply that is dropped, because its asker has gone, is recorded at its moment all the same: when an
//! asker hangs up must not tell when the answer was ready.

use std::thread;
use std::time::Instant;

use crate::ask::Unrecorded;
use crate::error::AskError;
use crate::reply::Reply;

/// A reply that is computed and may not leave yet.
pub struct Pending {
    due: Instant,
    /// Until it is collected.
    outcome: Option<Unrecorded>,
}

impl Pending {
    pub(crate) fn new(due: Instant, outcome: Unrecorded) -> Self {
        Self { due, outcome: Some(outcome) }
    }

    /// When the reply leaves. An asynchronous caller sleeps until then, holding no thread, and then collects.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Records and presents the reply. Whoever comes before it is due is kept waiting.
    pub fn collect(mut self) -> Result<Reply, AskError> {
        self.outcome.take().map_or(Err(AskError::Failed), |outcome| at(self.due, outcome))
    }
}

/// The reply of an outcome, at its moment.
fn at(due: Instant, outcome: Unrecorded) -> Result<Reply, AskError> {
    thread::sleep(due.saturating_duration_since(Instant::now()));
    outcome.reply()
}

impl Drop for Pending {
    fn drop(&mut self) {
        let Some(outcome) = self.outcome.take() else { return };
        let due = self.due;
        if due <= Instant::now() {
            let _ = outcome.reply();
            return;
        }
        // Where no thread can be had, the outcome is dropped here: its budget is lost, and its question is free again.
        let _ = thread::Builder::new().spawn(move || at(due, outcome));
    }
}
