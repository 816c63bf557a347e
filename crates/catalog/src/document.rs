//! TOML that people write, read strictly: exact numbers, no unknown key, and every refusal with its line and the next step.
//!
//! A catalog is one such document; the plan of a release is another.

use std::io;
use std::path::Path;

use toml::de::DeTable;

pub use crate::error::Fault;
pub use crate::read::entry::Entry;
pub use crate::read::section::Section;
use crate::{Mistake, name, read, suggestion};

/// The longest text that is read, in bytes.
pub const LENGTH_MAX: u64 = read::LENGTH_MAX;

/// What `reader` makes of a text; `what` is the document in words, such as "the plan", and `known` its keys.
pub fn parse<T>(
    text: &str,
    what: &str,
    known: &[&'static str],
    reader: impl FnOnce(&Section<'_>) -> Result<T, Fault>,
) -> Result<T, Box<Mistake>> {
    let read =
        || reader(&Section::root(DeTable::parse(text).map_err(read::not_toml)?.get_ref(), what, known)?);
    read().map_err(|fault| Box::new(Mistake::new(text, fault)))
}

/// The text of a file, or one byte more than [`LENGTH_MAX`] of it.
pub fn text_of(path: &Path) -> io::Result<String> {
    read::read_text(path)
}

/// A name inside backquotes for a message: short, and without signs that a terminal would obey.
pub fn shown(name: &str) -> String {
    name::shown(name)
}

/// What is wrong with a name of a table or of a column, if anything.
pub fn name_complaint(name: &str) -> Option<&'static str> {
    name::complaint(name)
}

/// `did you mean …?` where a known word is near, otherwise the list of known words.
pub fn suggestion<'k>(typed: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    suggestion::hint(typed, known)
}
