//! A reply that waits for its moment.
//!
//! **Guarantee.** Before the moment that [`Pending::due`] names nothing of the outcome can be observed: not whether there
//! is an answer, not the answer, no record of it in the ledger, and no sign of it in how long the same question takes from
//! elsewhere, since that question waits until this one is recorded (`single_flight.rs`). [`Pending::collect`] does not
//! return earlier, whoever calls it when. When the moment is depends on the clock of `reply_clock.rs` and on nothing finer.
//! **Nobody waits.** At its moment a reply is recorded, collected or not (`departures.rs`): when an asker hangs up must not
//! tell when the answer was ready, and an asker who forgets to collect holds nobody up.

use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use crate::ask::Unrecorded;
use crate::departures::Departures;
use crate::error::AskError;
use crate::reply::Reply;

/// A reply that is computed and may not leave yet.
pub struct Pending {
    due: Instant,
    reply: Receiver<Result<Reply, AskError>>,
}

impl Pending {
    pub(crate) fn new(due: Instant, outcome: Unrecorded, departures: &Departures) -> Self {
        let (sender, reply) = mpsc::sync_channel(1);
        departures.at(due, move || {
            // Nobody may be waiting any more; the reply is recorded all the same.
            let _ = sender.send(outcome.reply());
        });
        Self { due, reply }
    }

    /// When the reply leaves. An asynchronous caller sleeps until then, holding no thread, and then collects.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The reply, recorded and presented. Whoever comes before it is due is kept waiting.
    pub fn collect(self) -> Result<Reply, AskError> {
        self.reply.recv().unwrap_or(Err(AskError::Failed))
    }
}
