//! Housekeeping: `[service]`.

use super::section::Section;
use crate::error::Fault;
use crate::{Doors, Service};

/// A day of milliseconds: longer clocks are mistakes.
const QUANTUM_MS_MAX: u64 = 86_400_000;
const QUANTA_MAX: u64 = 1_000_000;
/// More connections than a machine has.
const LIMIT_MAX: u64 = 1_000_000;
const SERVICE_KEYS: [&str; 7] = ["quantum_ms", "quanta", "postgres", "http", "database", "tls", "limits"];
const LIMIT_KEYS: [&str; 4] = ["connections", "connections_per_person", "questions", "questions_per_person"];

/// Reads the section; it need not be there.
pub(super) fn service(root: &Section<'_>) -> Result<Service, Fault> {
    let mut service = Service::default();
    if let Some(entry) = root.get("service") {
        let section = Section::of(&entry, "the service", &SERVICE_KEYS)?;
        let count = |key: &str, most| section.get(key).map(|entry| entry.count(most)).transpose();
        service.quantum_ms = count("quantum_ms", QUANTUM_MS_MAX)?;
        service.quanta = count("quanta", QUANTA_MAX)?;
        service.doors = doors(&section)?;
    }
    Ok(service)
}

fn doors(section: &Section<'_>) -> Result<Doors, Fault> {
    let text =
        |key: &str, what| section.get(key).map(|entry| entry.text(what).map(str::to_owned)).transpose();
    let tls = match section.get("tls") {
        None => None,
        Some(entry) => {
            let files = Section::of(&entry, "a certificate", &["certificate", "key"])?;
            let hint = "name both PEM files: tls = { certificate = \"server.pem\", key = \"server.key\" }";
            let path = |key| files.required(key, hint)?.text("a path").map(str::to_owned);
            Some([path("certificate")?, path("key")?])
        }
    };
    let mut doors = Doors {
        postgres: text("postgres", "an address")?,
        http: text("http", "an address")?,
        database: text("database", "a name")?,
        tls,
        ..Doors::default()
    };
    if let Some(entry) = section.get("limits") {
        let limits = Section::of(&entry, "limits", &LIMIT_KEYS)?;
        let count = |key: &str| limits.get(key).map(|entry| entry.count(LIMIT_MAX)).transpose();
        doors.connections = count("connections")?;
        doors.connections_per_person = count("connections_per_person")?;
        doors.questions = count("questions")?;
        doors.questions_per_person = count("questions_per_person")?;
    }
    Ok(doors)
}
