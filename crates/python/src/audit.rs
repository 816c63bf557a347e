//! Attempts to refute a promise, of ours or of anybody's.
//!
//! What is built in is audited by name ([`batches`]); a function of Python is called many times on two neighbouring worlds
//! first ([`recorded`]), and what it returned is searched afterwards, without the interpreter's lock.

mod batches;
mod observe;
mod recorded;
mod teller;

use std::sync::Arc;

use pointillist_audit::words::{event_sentence, evidence, summary};
use pointillist_audit::{Audited, Batch, Findings as Found, RunSettings, page, run};
use pointillist_render::page::MadeBy;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::interrupt::interruptible;
use crate::submodule;
use teller::Teller;

/// What was found about one subject or many.
#[pyclass(frozen)]
pub struct Findings(Arc<Found>);

#[pymethods]
impl Findings {
    /// The object that scripts get.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.0).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The whole in a few sentences.
    fn summary(&self) -> String {
        summary(&self.0)
    }

    /// What whoever sees the findings has to know.
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// How the best event about each subject happened, where there is one.
    fn events(&self) -> Vec<Option<String>> {
        let event = |audited: &Audited| {
            let event = audited.finding.closest()?.event.as_ref()?;
            Some(event_sentence(&audited.finding, event))
        };
        self.0.audited.iter().map(event).collect()
    }

    /// What each verdict rests on.
    fn evidence(&self) -> Vec<String> {
        self.0.audited.iter().map(|audited| evidence(&audited.finding)).collect()
    }

    /// The same about one subject; nothing where there is none of this number.
    fn only(&self, place: usize) -> Option<Self> {
        let audited = self.0.audited.get(place)?.clone();
        let title = audited.finding.subject.clone();
        let found = Found { title, audited: vec![audited], one_runs: Vec::new(), ..(*self.0).clone() };
        Some(Self(Arc::new(found)))
    }

    /// The page with plots and explanations.
    fn page(&self, command: String, date: String) -> String {
        page::page(&self.0).to_html(&MadeBy { command, date })
    }
}

impl Findings {
    fn new(found: Found) -> Self {
        Self(Arc::new(found))
    }

    /// Audits a batch that is still to be made; whoever interrupts stops it.
    fn of(
        py: Python<'_>,
        make: impl FnOnce() -> Result<Batch, pointillist_audit::AuditError> + Send + 'static,
        settings: RunSettings,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let teller = Arc::new(Teller::new(progress));
        let told = teller.clone();
        let found = interruptible(py, move || {
            let batch = make()?;
            told.expect(&batch);
            run(batch, &settings, &|step| told.hear(step))
        });
        // What goes on without anybody waiting ends at its next step.
        teller.stop();
        match teller.failure() {
            Some(failure) => Err(failure),
            None => found?.map(Self::new).map_err(|error| raised(&error)),
        }
    }
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "audit")?;
    module.add_class::<Findings>()?;
    batches::register(&module)?;
    recorded::register(&module)
}
