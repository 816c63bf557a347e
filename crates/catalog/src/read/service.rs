//! Housekeeping: `[ledger]` and `[service]`.

use super::section::Section;
use crate::Service;
use crate::error::Fault;

/// A day of milliseconds: longer clocks are mistakes.
const QUANTUM_MS_MAX: u64 = 86_400_000;
const QUANTA_MAX: u64 = 1_000_000;

/// Reads both sections of the catalog; neither need be there.
pub(super) fn service(root: &Section<'_>) -> Result<Service, Fault> {
    let mut service = Service::default();
    if let Some(entry) = root.get("ledger") {
        let section = Section::of(&entry, "the ledger", &["folder", "anchor"])?;
        let path =
            |key: &str| section.get(key).map(|entry| entry.text("a path").map(str::to_owned)).transpose();
        (service.ledger_folder, service.ledger_anchor) = (path("folder")?, path("anchor")?);
    }
    if let Some(entry) = root.get("service") {
        let section = Section::of(&entry, "the service", &["quantum_ms", "quanta"])?;
        let count = |key: &str, most| section.get(key).map(|entry| entry.count(most)).transpose();
        service.quantum_ms = count("quantum_ms", QUANTUM_MS_MAX)?;
        service.quanta = count("quanta", QUANTA_MAX)?;
    }
    Ok(service)
}
