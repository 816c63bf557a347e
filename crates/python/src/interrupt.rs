//! Long work without the interpreter's lock, Ctrl-C while it runs, and word of how far it is.
//!
//! The work runs on a thread of its own; the caller's thread looks after signals and calls whoever wants to be told. Nothing
//! of Python is called from the other thread, so that an interpreter that ends meanwhile is not disturbed. Whoever interrupts gets
//! their prompt back at once, and work that can be told so ([`Errand::is_abandoned`]) does not begin any more. What was begun goes on to its end
//! as long as the process does, because a question that is paid for is answered and recorded whatever its asker does: asked again, it is free.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Between two looks at signals.
const PAUSE: Duration = Duration::from_millis(50);

thread_local! {
    /// Who waits for what this thread does.
    static WAITING: RefCell<Option<Sender<Word>>> = const { RefCell::new(None) };
}

/// What is done now, and about how much of the whole, from 0 to 1.
type Word = (&'static str, f64);

/// Tells whoever waits for this thread how far it is.
pub fn tell(stage: &'static str, done: f64) {
    WAITING.with_borrow(|waiting| {
        // Nobody waits any more, where somebody has interrupted.
        let _ = waiting.as_ref().map(|waiting| waiting.send((stage, done)));
    });
}

/// What the work knows of whoever waits for it.
#[derive(Clone)]
pub struct Errand(Arc<AtomicBool>);

impl Errand {
    /// Whether nobody waits any more: what is not begun yet need not be.
    pub fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Runs the work elsewhere, and waits for it here until somebody interrupts.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    watched(py, None, move |_| work())
}

/// The same; `progress` is called here with a stage and a part from 0 to 1. What it raises ends the waiting.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Errand) -> T + Send + 'static,
) -> PyResult<T> {
    let errand = Errand(Arc::default());
    let done = wait(py, progress, errand.clone(), work);
    if done.is_err() {
        errand.0.store(true, Ordering::SeqCst);
    }
    done
}

fn wait<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    errand: Errand,
    work: impl FnOnce(&Errand) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let (teller, told) = mpsc::channel();
    let worker = std::thread::Builder::new().name("pointillist".to_owned());
    worker.spawn(move || {
        WAITING.set(Some(teller));
        // Nobody waits any more, where somebody has interrupted.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&errand))));
    })?;
    loop {
        // The receiver goes into a part without the lock and comes back, again and again.
        let (returned, waited) = py.detach(move || {
            let waited = receiver.recv_timeout(PAUSE);
            (receiver, waited)
        });
        receiver = returned;
        if let Some(progress) = &progress {
            for word in told.try_iter() {
                progress.call1(py, word)?;
            }
        }
        match waited {
            Ok(Ok(done)) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a mistake of ours: please report it"));
            }
        }
    }
}
