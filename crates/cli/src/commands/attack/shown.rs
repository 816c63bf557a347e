//! What attacks have in common: tables from files, a price, and two results side by side.

use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish};
use pointillist_attack::AttackError;
use pointillist_attack::records::Records;
use pointillist_mechanisms::additive_noise::Price;
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_privacy::Epsilon;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::ink::Ink;
use crate::terminal::Json;
use pointillist_render::decimals::exact;
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to.
const WIDTH: usize = 92;

/// A table from a CSV file.
pub fn records(path: &Path) -> Result<Records, Failure> {
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::Request(format!(
            "{} cannot be read: {error}\nhint: name a CSV file with a header",
            path.display()
        ))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::Request(format!("{} is not text\nhint: name a CSV file with a header", path.display()))
    })?;
    // Commands that read several tables have to say which one is meant.
    Records::from_csv(&text).map_err(|error| Failure::Request(format!("{}: {error}", path.display())))
}

/// The price of an attack's private side.
pub fn price(epsilon: &str) -> Result<Price, Failure> {
    Ok(Price::Pure(Epsilon::parse(epsilon).map_err(Failure::request)?))
}

/// The ε as it was given.
pub fn epsilon_json(price: &Price) -> Value {
    match price {
        Price::Pure(epsilon) => exact(epsilon.value()).into(),
        Price::Concentrated(_) => Value::Null,
    }
}

/// Something to look at on a terminal while an attack computes.
pub fn working(message: impl Into<String>) -> ProgressBar {
    // Cleared on every way out, also that of an error.
    let progress =
        ProgressBar::new_spinner().with_message(message.into()).with_finish(ProgressFinish::AndClear);
    progress.enable_steady_tick(Duration::from_millis(100));
    progress
}

/// Runs with unpredictable bits.
pub fn drawn<T>(attack: impl FnOnce(&mut SystemBits) -> Result<T, AttackError>) -> Result<T, Failure> {
    Ok(with_system_bits(attack).map_err(Failure::request)??)
}

/// Prints what was learnt from others' answers and from ours.
pub fn side_by_side(without: &str, with: &str) {
    let ink = Ink::for_stdout();
    paragraph(&ink.alarm("without differential privacy"), without);
    paragraph(&ink.accent("with Pointillist"), with);
}

/// Prints a heading and a text.
pub fn paragraph(heading: &str, text: &str) {
    println!("{heading}");
    for line in text.lines().flat_map(|line| wrapped(line, WIDTH - 2)) {
        println!("  {line}");
    }
}

/// A JSON object of these members, on one line.
pub fn json(members: impl IntoIterator<Item = (&'static str, Value)>) {
    let object: Map<String, Value> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    println!("{}", Json(&Value::Object(object)));
}

impl From<AttackError> for Failure {
    fn from(error: AttackError) -> Self {
        Self::request(error)
    }
}
