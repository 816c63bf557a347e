//! Answers that take long to put together, on a thread of their own.
//!
//! Replies leave on a few threads that all of them share (`departures.rs`). A model that is fitted to released numbers takes seconds, also
//! when it is asked for again and free: whoever asks for many holds up others who ask for the like, and nobody else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

type Presentation = Box<dyn FnOnce() + Send>;

/// Where they wait, one behind the other. The thread is started with the first, and ends with the curator.
#[derive(Default)]
pub(crate) struct SlowPresentations {
    queue: Mutex<Option<Sender<Presentation>>>,
}

impl SlowPresentations {
    /// Puts an answer together when its turn has come; here and now where the system gives no thread.
    pub(crate) fn run(&self, presentation: Presentation) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.is_none() {
            let (sender, receiver) = channel::<Presentation>();
            let work = move || {
                for presentation in receiver {
                    // What fails is the failure of its own reply.
                    let _ = catch_unwind(AssertUnwindSafe(presentation));
                }
            };
            let started = thread::Builder::new().name("pointillist-made-up".to_owned()).spawn(work);
            *queue = started.ok().map(|_| sender);
        }
        let refused = match queue.as_ref() {
            Some(sender) => sender.send(presentation).err().map(|refused| refused.0),
            None => Some(presentation),
        };
        drop(queue);
        if let Some(presentation) = refused {
            presentation();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: what is handed over is done once each, in order, elsewhere; one that panics takes nobody along.
    #[test]
    fn presentations_are_done_in_order_and_on_their_own_thread() {
        let slow = SlowPresentations::default();
        let (sender, receiver) = channel();
        for number in 0..20 {
            let sender = sender.clone();
            slow.run(Box::new(move || {
                sender.send((number, thread::current().id())).expect("the test waits");
                assert!(number != 3, "a reply that panics");
            }));
        }
        drop(sender);
        let done: Vec<_> = receiver.iter().collect();
        assert_eq!(done.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
        assert!(done.iter().all(|(_, thread)| *thread != thread::current().id()));
    }
}
