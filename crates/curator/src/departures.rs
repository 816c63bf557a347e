//! Replies leave at their moment, whether or not anybody waits for them.
//!
//! **Guarantee.** What is handed over leaves at its moment and not before, once, whatever its asker does meanwhile: a reply
//! that is dropped, or never collected, is recorded at the same moment as any other, and whoever waits with the same
//! question goes on then. Threads are started when the first reply has to wait, a fixed number for a ledger; where the
//! system gives none, the asker's own thread waits. A reply that panics takes nobody else's along.
//! **Together.** Replies whose moment has come leave together, [`TOGETHER_MAX`] at most for one thread: the ledger writes
//! their records at once, and syncs once for all of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Threads for replies: while one writes records, others put answers together.
const THREADS: usize = 4;
/// The most replies that leave together on one thread.
const TOGETHER_MAX: usize = 256;

/// Something that leaves at its moment.
pub(crate) trait Departing: Send + Sized + 'static {
    /// Leaves, together with everything else whose moment has come.
    fn leave(together: Vec<Self>);
}

/// Replies that wait for their moment.
pub(crate) struct Departures<D: Departing> {
    shared: Arc<Shared<D>>,
}

struct Shared<D> {
    board: Mutex<Board<D>>,
    changed: Condvar,
}

struct Board<D> {
    waiting: BinaryHeap<Departure<D>>,
    /// How many there have been: of two with one moment, the first goes first.
    count: u64,
    threads: usize,
    closed: bool,
}

struct Departure<D> {
    due: Instant,
    number: u64,
    what: D,
}

impl<D: Departing> Default for Departures<D> {
    fn default() -> Self {
        let board = Board { waiting: BinaryHeap::new(), count: 0, threads: 0, closed: false };
        Self { shared: Arc::new(Shared { board: Mutex::new(board), changed: Condvar::new() }) }
    }
}

impl<D: Departing> Departures<D> {
    /// Lets something leave when it is due: here and now if that is past, and else on a thread of ours.
    pub(crate) fn at(&self, due: Instant, what: D) {
        if due > Instant::now() {
            let mut board = self.shared.lock();
            while board.threads < THREADS && Shared::start(&self.shared) {
                board.threads += 1;
            }
            if board.threads > 0 {
                board.count += 1;
                let number = board.count;
                board.waiting.push(Departure { due, number, what });
                self.shared.changed.notify_all();
                return;
            }
            drop(board);
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        leave(vec![what]);
    }
}

/// Leaves; what panics is gone, and its asker hears that it failed, or nothing.
fn leave<D: Departing>(together: Vec<D>) {
    let _ = catch_unwind(AssertUnwindSafe(|| D::leave(together)));
}

impl<D: Departing> Shared<D> {
    fn lock(&self) -> MutexGuard<'_, Board<D>> {
        // Whoever holds it pushes, pops or counts, and runs nothing of others: what is behind it is whole.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(shared: &Arc<Self>) -> bool {
        let shared = Arc::clone(shared);
        thread::Builder::new().name("pointillist-reply".to_owned()).spawn(move || shared.serve()).is_ok()
    }

    fn serve(&self) {
        let mut board = self.lock();
        loop {
            let now = Instant::now();
            match board.waiting.peek().map(|next| next.due) {
                Some(due) if due <= now => {
                    let together = board.due_at(now);
                    drop(board);
                    leave(together);
                    board = self.lock();
                }
                Some(due) => {
                    let waited = self.changed.wait_timeout(board, due - now);
                    board = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None if board.closed => return,
                None => board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl<D> Board<D> {
    /// Everything whose moment has come, the first first, as far as it leaves together.
    fn due_at(&mut self, now: Instant) -> Vec<D> {
        let mut together = Vec::new();
        while together.len() < TOGETHER_MAX && self.waiting.peek().is_some_and(|next| next.due <= now) {
            together.extend(self.waiting.pop().map(|departure| departure.what));
        }
        together
    }
}

/// Nobody hands over anything more; the threads end when the last reply has left.
impl<D: Departing> Drop for Departures<D> {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl<D> Ord for Departure<D> {
    /// The heap gives the greatest first: that is the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.number).cmp(&(self.due, self.number))
    }
}

impl<D> PartialOrd for Departure<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<D> PartialEq for Departure<D> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<D> Eq for Departure<D> {}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    struct Test(Instant, Box<dyn FnOnce() + Send>);

    impl Departing for Test {
        fn leave(together: Vec<Self>) {
            for Self(due, run) in together {
                assert!(Instant::now() >= due);
                run();
            }
        }
    }

    /// Specification: each leaves once, not before its moment, in the order of their moments, and also after whoever
    /// handed them over is gone.
    #[test]
    fn replies_leave_in_the_order_of_their_moments_and_not_before() {
        let departures = Departures::default();
        let (sender, left) = mpsc::channel();
        let begin = Instant::now();
        for milliseconds in [300_u64, 100, 0, 500] {
            let (sender, due) = (sender.clone(), begin + Duration::from_millis(milliseconds));
            departures.at(due, Test(due, Box::new(move || sender.send(milliseconds).unwrap())));
        }
        drop((departures, sender));
        assert_eq!(left.iter().collect::<Vec<_>>(), [0, 100, 300, 500]);
    }

    /// Specification: as many panics as there are threads, and more, leave the threads for those that come behind.
    #[test]
    fn a_reply_that_panics_takes_no_thread_along() {
        let departures = Departures::default();
        let (held, gone) = mpsc::channel::<()>();
        for number in 0..2 * THREADS as u64 {
            let due = Instant::now() + Duration::from_millis(20 + 5 * number);
            let held = held.clone();
            let panic = move || {
                let _held = held;
                panic!("a reply");
            };
            departures.at(due, Test(due, Box::new(panic)));
        }
        drop(held);
        // Those that leave together with one that panics are gone with it; the next one comes behind all of them.
        assert!(gone.recv().is_err());
        let (sender, left) = mpsc::channel();
        let due = Instant::now() + Duration::from_millis(20);
        departures.at(due, Test(due, Box::new(move || sender.send(()).unwrap())));
        assert_eq!(left.recv_timeout(Duration::from_secs(20)), Ok(()));
    }
}
