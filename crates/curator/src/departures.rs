//! Replies leave at their moment, whether or not anybody waits for them.
//!
//! **Guarantee.** What is handed over runs at its moment and not before, once, whatever its asker does meanwhile: a reply
//! that is dropped, or never collected, is recorded at the same moment as any other, and whoever waits with the same
//! question goes on then. Threads are started when the first reply has to wait, a fixed number for a curator; where the
//! system gives none, the asker's own thread waits.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Threads for replies: several, so that the ledger writes the records of one moment together.
const THREADS: usize = 4;

/// Replies that wait for their moment.
#[derive(Default)]
pub(crate) struct Departures {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    board: Mutex<Board>,
    changed: Condvar,
}

#[derive(Default)]
struct Board {
    waiting: BinaryHeap<Departure>,
    /// How many there have been: of two with one moment, the first goes first.
    count: u64,
    threads: usize,
    closed: bool,
}

struct Departure {
    due: Instant,
    number: u64,
    leave: Box<dyn FnOnce() + Send>,
}

impl Departures {
    /// Runs `leave` when it is due: here and now if that is past, and else on a thread of ours.
    pub(crate) fn at(&self, due: Instant, leave: impl FnOnce() + Send + 'static) {
        if due > Instant::now() {
            let mut board = self.shared.lock();
            while board.threads < THREADS && Shared::start(&self.shared) {
                board.threads += 1;
            }
            if board.threads > 0 {
                board.count += 1;
                let number = board.count;
                board.waiting.push(Departure { due, number, leave: Box::new(leave) });
                self.shared.changed.notify_all();
                return;
            }
            drop(board);
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        leave();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Board> {
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
                    let departure = board.waiting.pop();
                    drop(board);
                    if let Some(departure) = departure {
                        (departure.leave)();
                    }
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

/// Nobody hands over anything more; the threads end when the last reply has left.
impl Drop for Departures {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl Ord for Departure {
    /// The heap gives the greatest first: that is the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.number).cmp(&(self.due, self.number))
    }
}

impl PartialOrd for Departure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Departure {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Departure {}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Specification: each leaves once, not before its moment, in the order of their moments, and also after whoever
    /// handed them over is gone.
    #[test]
    fn replies_leave_in_the_order_of_their_moments_and_not_before() {
        let departures = Departures::default();
        let (sender, left) = mpsc::channel();
        let begin = Instant::now();
        for milliseconds in [300_u64, 100, 0, 500] {
            let (sender, due) = (sender.clone(), begin + Duration::from_millis(milliseconds));
            departures.at(due, move || {
                assert!(Instant::now() >= due);
                sender.send(milliseconds).unwrap();
            });
        }
        drop((departures, sender));
        assert_eq!(left.iter().collect::<Vec<_>>(), [0, 100, 300, 500]);
    }
}
