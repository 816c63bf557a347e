//! How far an audit has come, for a function of Python; and the end of an audit that nobody waits for.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pointillist_audit::{Batch, Progress, STEPS};
use pyo3::prelude::*;

/// Parts that are told, at most.
const PARTS: u64 = 200;

/// Who is told, and what was told.
pub struct Teller {
    function: Option<Py<PyAny>>,
    total: AtomicU64,
    done: AtomicU64,
    stopped: AtomicBool,
    stage: Mutex<String>,
    failure: Mutex<Option<PyErr>>,
}

impl Teller {
    /// Tells this function of a stage and a part from 0 to 1.
    pub fn new(function: Option<Py<PyAny>>) -> Self {
        Self {
            function,
            total: AtomicU64::new(1),
            done: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            stage: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// So much there will be to tell.
    pub fn expect(&self, batch: &Batch) {
        self.total.store((batch.suspects.len() as u64 * STEPS).max(1), Ordering::Relaxed);
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// What the function raised.
    pub fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A step, from whichever thread is at work.
    pub fn hear(&self, step: Progress<'_>) {
        if self.stopped.load(Ordering::Relaxed) {
            // An audit has no other way out than its end. Nothing is printed, and nothing is left half done: it only reads.
            resume_unwind(Box::new("nobody waits for this audit"));
        }
        match step {
            Progress::Begins(name) => {
                *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = name.to_owned();
            }
            Progress::Advances(steps) => {
                let total = self.total.load(Ordering::Relaxed);
                let before = self.done.fetch_add(steps, Ordering::Relaxed);
                let parts = |done: u64| done.min(total) * PARTS / total;
                if parts(before) < parts(before + steps) {
                    self.tell((before + steps).min(total) as f64 / total as f64);
                }
            }
        }
    }

    fn tell(&self, part: f64) {
        let Some(function) = &self.function else { return };
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Err(failure) = Python::attach(|py| function.call1(py, (stage, part))) {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            self.stop();
        }
    }
}
