//! A reply that waits for its moment.
//!
//! **Guarantee.** Before the moment that [`Pending::due`] names nothing of the outcome can be observed: not whether there
//! is an answer, not the answer, no record of it in the ledger, and no sign of it in how long the same question takes from
//! elsewhere, since that question waits until this one is recorded (`single_flight.rs`). [`Pending::collect`] does not
//! return earlier, whoever calls it when. When the moment is depends on the clock of `reply_clock.rs` and on nothing finer.
//! **Nobody waits.** At its moment a reply is recorded, collected or not (`departures.rs`): when an asker hangs up must not
//! tell when the answer was ready, and an asker who forgets to collect holds nobody up. No thread waits for it: whoever has
//! something to do then says so ([`crate::Curator::execute_then`]).

use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use crate::ask::Unrecorded;
use crate::departures::Departing;
use crate::error::AskError;
use crate::reply::Reply;

/// What is done with a reply when it leaves.
pub(crate) type Then = Box<dyn FnOnce(Result<Reply, AskError>) + Send>;

/// An outcome, and who is told of it at its moment.
pub(crate) struct Leaving {
    pub(crate) outcome: Unrecorded,
    pub(crate) then: Then,
}

impl Departing for Leaving {
    /// Records all of them at once; then puts each answer together and hands it over.
    fn leave(together: Vec<Self>) {
        let (outcomes, thens): (Vec<Unrecorded>, Vec<Then>) =
            together.into_iter().map(|leaving| (leaving.outcome, leaving.then)).unzip();
        for (recorded, then) in Unrecorded::recorded(outcomes).into_iter().zip(thens) {
            let slow = recorded.is_slow().then(|| recorded.state());
            let hand_over = move || {
                let reply = recorded.reply();
                // What a caller does with a reply is the caller's; those of others leave all the same.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| then(reply)));
            };
            match slow {
                Some(state) => state.slow_presentations.run(Box::new(hand_over)),
                None => hand_over(),
            }
        }
    }
}

/// A reply that is computed and may not leave yet.
pub struct Pending {
    due: Instant,
    reply: Receiver<Result<Reply, AskError>>,
}

impl Pending {
    /// A reply that leaves at this moment, and where it is to be handed over.
    pub(crate) fn new(due: Instant) -> (Self, Then) {
        let (sender, reply) = mpsc::sync_channel(1);
        // Nobody may be waiting any more; the reply is recorded all the same.
        let then = move |reply| _ = sender.send(reply);
        (Self { due, reply }, Box::new(then))
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
