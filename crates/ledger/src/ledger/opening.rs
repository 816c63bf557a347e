//! Taking over a ledger: lock it, read it, compare it with its anchor, and start a new epoch.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Condvar, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::turn::Disk;
use super::{Ledger, Place, State};
use crate::anchor::{Anchor, Witness};
use crate::record::{Epoch, Record};
use crate::replay::{Replayed, replay};
use crate::store::Store;
use crate::{LedgerError, OpenError};

/// What a ledger takes from outside.
pub struct Options {
    pub(super) clock: Box<dyn Fn() -> u64 + Send + Sync>,
    pub(super) epoch: Option<Epoch>,
}

impl Default for Options {
    /// The system's clock, and an epoch from the operating system's randomness.
    fn default() -> Self {
        let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self { clock: Box::new(seconds), epoch: None }
    }
}

impl Options {
    /// Stamps records with another clock, in seconds since 1970. No decision depends on it.
    pub fn with_clock(self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { clock: Box::new(clock), ..self }
    }

    /// Names this writer. The name is no secret, but must be new: one that the records contain is refused.
    pub fn with_epoch(self, epoch: Epoch) -> Self {
        Self { epoch: Some(epoch), ..self }
    }
}

/// What the owner has explicitly accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accepted {
    Nothing,
    RestoredCopy,
    MissingAnchor,
}

impl Ledger {
    /// Opens a ledger, or starts a new one where there is neither a record nor an anchor, and the folder knows of no other.
    ///
    /// # Errors
    /// When another writer holds it, when a record is not what was written, when the anchor is missing or has
    /// seen what the ledger does not contain, and when the folder belongs to another ledger.
    pub fn open(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::Nothing)
    }

    /// The owner's way on when an older copy was restored and the newer one is lost: what the anchor knows to be
    /// spent is spent, and the ledger opens. Answers given since that copy are unknown to it, so that the same
    /// questions are charged again.
    ///
    /// # Errors
    /// As [`Ledger::open`], except for an anchor that is ahead or of another history.
    pub fn accept_restored(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::RestoredCopy)
    }

    /// The owner's way on when the anchor is lost: whoever calls this vouches that the records are the newest.
    ///
    /// # Errors
    /// As [`Ledger::open`], except for a missing anchor.
    pub fn accept_missing_anchor(place: &Place, options: Options) -> Result<Self, OpenError> {
        Self::open_at(place, options, Accepted::MissingAnchor)
    }

    /// Opens a ledger over a store and a witness of one's own. Unless the store is shared, they see to it that there is one
    /// writer.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_on(
        store: Box<dyn Store>,
        witness: Box<dyn Witness>,
        options: Options,
    ) -> Result<Self, OpenError> {
        Self::start(store, witness, options, Accepted::Nothing, Vec::new(), |_, _| Ok(()))
    }

    fn open_at(place: &Place, options: Options, accepted: Accepted) -> Result<Self, OpenError> {
        let locks = place.lock()?;
        let (store, witness, id) = place.open_named_parts()?;
        let check = |replayed: &Replayed, anchor: Option<&Anchor>| {
            place.check_folder(id, replayed.book.is_blank(), anchor.is_some())
        };
        let ledger = Self::start(store, witness, options, accepted, locks, check)?;
        id.map_or(Ok(()), |id| place.remember(id))?;
        Ok(ledger)
    }

    fn start(
        mut store: Box<dyn Store>,
        mut witness: Box<dyn Witness>,
        options: Options,
        accepted: Accepted,
        locks: Vec<File>,
        check: impl FnOnce(&Replayed, Option<&Anchor>) -> Result<(), OpenError>,
    ) -> Result<Self, OpenError> {
        let is_shared = store.is_shared();
        let mut look = || {
            let anchor = witness.read().map_err(OpenError::Anchor)?;
            let replayed = replay(&mut *store, anchor.as_ref(), |_, _| {})?;
            Ok::<_, OpenError>((anchor, replayed))
        };
        let (mut anchor, mut replayed) = look()?;
        // The first anchor of all may have been written by another server while we read.
        if is_shared && anchor.is_none() && replayed.compare(None).is_err() {
            (anchor, replayed) = look()?;
        }
        let burn = match (replayed.compare(anchor.as_ref()), &anchor) {
            (Ok(()), _) => None,
            (Err(OpenError::AnchorMissing { .. }), None) if accepted == Accepted::MissingAnchor => None,
            (Err(OpenError::AnchorAhead { .. } | OpenError::Forked { .. }), Some(anchor))
                if accepted == Accepted::RestoredCopy =>
            {
                Some(replayed.burn(anchor))
            }
            (Err(error), _) => return Err(error),
        };
        check(&replayed, anchor.as_ref())?;
        let epoch = options.epoch.map_or_else(random_epoch, Ok)?;
        if replayed.book.writers().has_used(epoch) {
            return Err(OpenError::EpochReused);
        }
        let state = State {
            durable_seq: replayed.head.seq,
            head: replayed.head,
            book: replayed.book,
            queue: Vec::new(),
            is_writing: false,
            open: HashMap::new(),
            stopped: None,
            jobs: Vec::new(),
            jobs_queued: 0,
            jobs_done: 0,
        };
        let disk = Disk { store, witness, anchor, after_anchor: replayed.after_anchor };
        let (state, written, disk) = (Mutex::new(state), Condvar::new(), Mutex::new(disk));
        let ledger = Self {
            epoch,
            clock: options.clock,
            state,
            written,
            disk,
            is_shared,
            process: std::process::id(),
            _locks: locks,
        };
        // One batch: whoever finds the new epoch on disk finds the burn as well.
        match ledger.introduce(burn) {
            Ok(()) => Ok(ledger),
            Err(LedgerError::Busy) => Err(LedgerError::Busy.into()),
            Err(_) => Err(OpenError::Unwritable { cause: ledger.why_stopped().unwrap_or_default() }),
        }
    }

    fn introduce(&self, burn: Option<Record>) -> Result<(), LedgerError> {
        let start = if self.is_shared { Record::Join } else { Record::Epoch };
        self.transact(move |ledger, state| {
            for record in [Some(start), burn].into_iter().flatten() {
                ledger.enqueue(state, record)?;
            }
            Ok(())
        })
    }
}

pub(super) fn random_epoch() -> Result<Epoch, OpenError> {
    let mut epoch = Epoch([0; 16]);
    getrandom::fill(&mut epoch.0).map_err(|_| OpenError::NoRandomness)?;
    Ok(epoch)
}
