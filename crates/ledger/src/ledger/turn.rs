//! One turn at the disk: what others have written is entered, everything asked is judged, rows and anchor are written.
//!
//! **Guarantee.** Whatever a turn judges is judged against every record that the store holds, and is told to its caller
//! only after the rows and then the anchor are durable. A turn whose end is unknown, be it that the connection was lost
//! during the commit, tells nobody anything but [`LedgerError::Stopped`]: its rows count as spent if they are there, for
//! everybody, and no receipt was handed out for them if they are not.
//! **A store of one's own** has nobody else's rows. There the caller judges at once, while somebody else is writing, and a
//! turn only writes. **A shared store** is locked by the turn, from before the first row is read until the anchor is
//! written; whoever asks meanwhile queues, and the next turn takes all of them.
//! **The anchor** that a turn finds must be the one it left, or one of the records since: an anchor that is ahead of the
//! records means that an older copy of them was put in their place. It is replaced only if it is still the one that was found,
//! so that a server that was cut off in the middle of its turn cannot put an older one back, and of two copies of a folder that
//! have one anchor one goes on.
//! **Patience.** Whoever waits for a turn for too long is told so, and nothing has happened. An answer is paid for: whoever
//! records one waits for as long as it takes.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard};

use super::{Ledger, State};
use crate::LedgerError;
use crate::anchor::{Anchor, Witness};
use crate::chain::Head;
use crate::store::{Row, Store, is_last_page};

/// Rows that are read at a time.
const PAGE: usize = 256;

/// A wish that is judged in the next turn.
pub(super) type Job = Box<dyn FnOnce(&Ledger, &mut State) + Send>;

/// Where everything is kept.
pub(super) struct Disk {
    pub store: Box<dyn Store>,
    pub witness: Box<dyn Witness>,
    /// What we left in the anchor, or found there.
    pub anchor: Option<Anchor>,
    /// In a shared store: the records after that one, any of which somebody else may have put into the anchor.
    pub after_anchor: Vec<Head>,
}

/// Why a turn came to nothing.
enum Setback {
    /// Others held the store for too long. Nothing was judged, and what we know is still true.
    Busy,
    /// Anything else.
    Broken(io::Error),
}

/// What to do when others held the store for too long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Say so.
    Bounded,
    /// Wait again: what is written down was paid for.
    Unbounded,
}

impl From<io::Error> for Setback {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl Ledger {
    /// Judges, and returns once everything that was judged so far is durable. A refusal is told as soon as it is certain.
    pub(super) fn transact<T, E>(
        &self,
        judge: impl FnOnce(&Self, &mut State) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<LedgerError> + Send + 'static,
    {
        self.transact_with(Patience::Bounded, judge)
    }

    /// The same with another patience.
    pub(super) fn transact_with<T, E>(
        &self,
        patience: Patience,
        judge: impl FnOnce(&Self, &mut State) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<LedgerError> + Send + 'static,
    {
        if self.is_shared {
            return self.queue(patience, judge);
        }
        let mut state = self.state()?;
        let judged = judge(self, &mut state)?;
        let last_seq = state.head.seq;
        drop(state);
        self.settle(last_seq)?;
        Ok(judged)
    }

    fn queue<T, E>(
        &self,
        patience: Patience,
        judge: impl FnOnce(&Self, &mut State) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<LedgerError> + Send + 'static,
    {
        // Taken by the turn that judges it, so that it is still here where none did.
        let wish = Arc::new(Mutex::new((Some(judge), None)));
        loop {
            let place = Arc::clone(&wish);
            let job = move |ledger: &Self, state: &mut State| {
                let Ok(mut wish) = place.lock() else { return };
                if let Some(judge) = wish.0.take() {
                    wish.1 = Some(judge(ledger, state));
                }
            };
            let mut state = self.state()?;
            state.jobs.push(Box::new(job));
            state.jobs_queued += 1;
            let number = state.jobs_queued;
            self.wait_until(state, move |state| state.jobs_done >= number)?;
            let judged = wish.lock().map_err(|_| LedgerError::Stopped)?.1.take();
            match (judged, patience) {
                (Some(judged), _) => return judged,
                // Taken from the queue and never judged: the turn did not get as far as that.
                (None, Patience::Bounded) => return Err(LedgerError::Busy.into()),
                (None, Patience::Unbounded) => {}
            }
        }
    }

    /// Returns once the record of this number is durable: somebody else has taken it along, or we take everybody's.
    pub(super) fn settle(&self, seq: u64) -> Result<(), LedgerError> {
        let state = self.state()?;
        self.wait_until(state, move |state| state.durable_seq >= seq)
    }

    fn wait_until<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        is_done: impl Fn(&State) -> bool,
    ) -> Result<(), LedgerError> {
        while state.is_writing && !is_done(&state) {
            state = self.written.wait(state).map_err(|_| LedgerError::Stopped)?;
        }
        if !is_done(&state) && state.stopped.is_none() {
            state = self.write(state)?;
        }
        if state.stopped.is_some() { Err(LedgerError::Stopped) } else { Ok(()) }
    }

    /// Takes a turn, with nobody else writing and everybody free to queue more.
    fn write<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<MutexGuard<'a, State>, LedgerError> {
        state.is_writing = true;
        drop(state);
        // A panic is a failure like any other: those who wait must hear of it.
        let turn = || {
            let mut disk = self.disk.lock().map_err(|_| io::Error::other("a panic"))?;
            self.turn(&mut disk)
        };
        let outcome = panic::catch_unwind(AssertUnwindSafe(turn));
        let mut state = self.state.lock().map_err(|_| {
            self.written.notify_all();
            LedgerError::Stopped
        })?;
        match outcome.unwrap_or_else(|_| Err(io::Error::other("a panic while writing").into())) {
            Ok(Written { seq, jobs }) => (state.durable_seq, state.jobs_done) = (seq, jobs),
            Err(Setback::Busy) => {
                state.jobs.clear();
                state.jobs_done = state.jobs_queued;
            }
            Err(Setback::Broken(error)) => state.stopped = Some(error.to_string()),
        }
        state.is_writing = false;
        self.written.notify_all();
        Ok(state)
    }

    fn turn(&self, disk: &mut Disk) -> Result<Written, Setback> {
        match disk.store.begin() {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(Setback::Busy),
            Err(error) => {
                let _ = disk.store.end();
                return Err(error.into());
            }
            Ok(()) => {}
        }
        let written = panic::catch_unwind(AssertUnwindSafe(|| self.judge_and_write(disk)));
        let written = written.unwrap_or_else(|_| Err(io::Error::other("a panic while writing")));
        // Whatever came of it, the others go on.
        let ended = disk.store.end();
        let written = written?;
        ended?;
        Ok(written)
    }

    fn judge_and_write(&self, disk: &mut Disk) -> io::Result<Written> {
        let found = disk.witness.read()?;
        if !self.is_shared && found != disk.anchor {
            return Err(io::Error::other("the anchor has changed: another writer has taken over"));
        }
        let mut state = match self.is_shared {
            true => self.catch_up(disk)?,
            false => self.locked()?,
        };
        if self.is_shared {
            // Where the ledger has gone the anchor goes with it.
            self.check_membership(&state)?;
            disk.check_anchor(found.as_ref(), state.head)?;
        }
        for job in std::mem::take(&mut state.jobs) {
            job(self, &mut state);
        }
        if let Some(cause) = &state.stopped {
            return Err(io::Error::other(cause.clone()));
        }
        let (rows, jobs) = (std::mem::take(&mut state.queue), state.jobs_queued);
        let Head { seq, hash: head } = state.head;
        // Where nothing was written, the anchor may still be behind what a server left that died between its two writes.
        if self.is_shared && rows.is_empty() && found.as_ref().is_some_and(|found| found.head == head) {
            disk.leave(found);
            return Ok(Written { seq, jobs });
        }
        let home = found.as_ref().and_then(|found| found.home.clone());
        let anchor = Anchor { seq, head, epoch: self.epoch, spent: state.book.spent(), home };
        drop(state);
        if !rows.is_empty() || !self.is_shared {
            disk.store.append(&rows)?;
        }
        disk.witness.replace(found.as_ref(), &anchor)?;
        disk.leave(Some(anchor));
        Ok(Written { seq, jobs })
    }

    /// Enters what others have written since we last looked. Nothing is locked by that alone: rows are only ever added, and
    /// one server at a time adds them, so that whatever can be read is a beginning of what will be there.
    fn catch_up(&self, disk: &mut Disk) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.locked()?;
        loop {
            let known = state.head;
            drop(state);
            // Our own last row is read again: a store that was put back, or goes on differently, does not hold it.
            let mut rows = disk.store.read(known.seq.max(1), PAGE)?;
            let is_last_page = is_last_page(&rows, PAGE);
            if known != Head::START {
                let is_ours = rows.first().is_some_and(|row| (row.seq, row.hash) == (known.seq, known.hash));
                if !is_ours {
                    let seq = known.seq;
                    return Err(io::Error::other(format!(
                        "record {seq}, which was there before, is not in the store any more: an older copy was put in \
                         its place"
                    )));
                }
                rows.remove(0);
            }
            state = self.locked()?;
            for row in &rows {
                self.enter_row(&mut state, row)?;
                disk.after_anchor.push(state.head);
            }
            if is_last_page {
                state.durable_seq = state.head.seq;
                return Ok(state);
            }
        }
    }

    fn enter_row(&self, state: &mut State, row: &Row) -> io::Result<()> {
        let entry = state.head.follow(row).map_err(io::Error::other)?;
        let seq = entry.seq;
        let damaged = |problem| io::Error::other(crate::OpenError::Damaged { seq, problem });
        state.book.enter(&entry).map_err(damaged)
    }

    /// Whether this server may still write.
    fn check_membership(&self, state: &State) -> io::Result<()> {
        let writers = state.book.writers();
        if let Some(departure) = writers.departure() {
            return Err(io::Error::other(format!("the ledger has moved to {}", departure.name)));
        }
        if writers.has_used(self.epoch) && !writers.is_live(self.epoch) {
            return Err(io::Error::other("this server was taken out by the owner"));
        }
        Ok(())
    }

    /// The state as it stands, or, in a shared store, with what others have written up to now.
    pub(super) fn fresh(&self) -> Result<MutexGuard<'_, State>, LedgerError> {
        if !self.is_shared {
            return self.state();
        }
        let mut disk = self.disk.lock().map_err(|_| LedgerError::Stopped)?;
        drop(self.state()?);
        match self.catch_up(&mut disk) {
            Ok(state) => Ok(state),
            Err(error) => {
                self.state.lock().map_err(|_| LedgerError::Stopped)?.stopped = Some(error.to_string());
                Err(LedgerError::Stopped)
            }
        }
    }

    fn locked(&self) -> io::Result<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| io::Error::other("a panic while judging"))
    }
}

/// How far a turn came.
struct Written {
    seq: u64,
    jobs: u64,
}

impl Disk {
    /// In a shared store the anchor must be the one that we know, or a record that somebody has written since.
    fn check_anchor(&self, found: Option<&Anchor>, head: Head) -> io::Result<()> {
        if found == self.anchor.as_ref() {
            return Ok(());
        }
        let Some(found) = found else { return Err(io::Error::other("the anchor is gone")) };
        let known = Head { seq: found.seq, hash: found.head };
        if self.after_anchor.contains(&known) {
            return Ok(());
        }
        let (seq, anchor_seq) = (head.seq, found.seq);
        Err(io::Error::other(match anchor_seq > seq {
            true => crate::OpenError::AnchorAhead { seq, anchor_seq }.to_string(),
            false => "the anchor was put back, or is of another history".to_owned(),
        }))
    }

    fn leave(&mut self, anchor: Option<Anchor>) {
        self.anchor = anchor;
        self.after_anchor.clear();
    }
}
