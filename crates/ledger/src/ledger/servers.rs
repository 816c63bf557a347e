//! Servers that share a ledger: who writes, who leaves, and whom the owner takes out.
//!
//! **Guarantee.** A server that was taken out has handed out its last receipt and recorded its last answer: both need a
//! turn, and a turn enters the fence before it judges. What it had reserved stays spent.

use super::Ledger;
use crate::record::{Departure, Epoch, Record};
use crate::{FenceError, LedgerError, Recorded};

impl Ledger {
    /// The name of this writer.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Everybody who may write: this server, and those it shares the store with.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn servers(&self) -> Result<Vec<Epoch>, LedgerError> {
        Ok(self.fresh()?.book.writers().live())
    }

    /// Takes a server out: nothing that it asks the ledger for is granted any more.
    ///
    /// # Errors
    /// When nobody of that name writes, when it is this server itself, or the ledger has stopped.
    pub fn fence(&self, epoch: Epoch) -> Result<Recorded, FenceError> {
        if epoch == self.epoch {
            return Err(FenceError::Oneself);
        }
        self.write_down(Record::Fence { epoch }, move |book| match book.writers().is_live(epoch) {
            true => Ok(()),
            false => Err(FenceError::Nobody),
        })
    }

    /// The last record of this store: the ledger goes on elsewhere.
    pub(crate) fn depart(&self, departure: Departure) -> Result<Recorded, LedgerError> {
        self.write_down(Record::Departure(departure), |_| Ok(()))
    }

    /// Says that this server is over, so that nobody waits for what it had begun.
    fn leave(&self) -> Result<(), LedgerError> {
        let epoch = self.epoch;
        self.transact(move |ledger, state| {
            if state.book.writers().departure().is_none() && state.book.writers().is_live(epoch) {
                ledger.enqueue(state, Record::Fence { epoch })?;
            }
            Ok(())
        })
    }
}

impl Drop for Ledger {
    /// One that shares its store says goodbye. Where that fails the owner can say it, and nothing is lost but patience.
    fn drop(&mut self) {
        let is_ours = self.process == std::process::id();
        // One that never got a turn has not joined, and does not wait for another to say so.
        let has_joined = || self.state().is_ok_and(|state| state.book.writers().is_live(self.epoch));
        if self.is_shared && is_ours && !std::thread::panicking() && has_joined() {
            let _ = self.leave();
        }
    }
}
