//! Long work without the interpreter's lock, and Ctrl-C while it runs.
//!
//! The work runs on a thread of its own; the caller's thread looks after signals. Whoever interrupts gets their prompt back
//! at once. What was begun goes on to its end as long as the process does, because a question that is paid for is answered and
//! recorded whatever its asker does: asked again, it is free.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Between two looks at signals.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs the work elsewhere, and waits for it here until somebody interrupts.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let worker = std::thread::Builder::new().name("pointillist".to_owned());
    worker.spawn(move || {
        // Nobody waits any more, where somebody has interrupted.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    })?;
    // The receiver goes into a part without the lock and comes back, again and again.
    let mut receiver = receiver;
    loop {
        let (returned, waited) = py.detach(move || {
            let waited = receiver.recv_timeout(PAUSE);
            (receiver, waited)
        });
        receiver = returned;
        match waited {
            Ok(Ok(done)) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a mistake of ours: please report it"));
            }
        }
    }
}
