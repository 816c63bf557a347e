//! A TOML table under reading: its known keys, and no others.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::Entry;
use crate::error::Fault;
use crate::{name, suggestion};

/// A table whose keys have all been recognised.
pub struct Section<'a> {
    path: String,
    span: Range<usize>,
    entries: &'a DeTable<'a>,
}

impl<'a> Section<'a> {
    /// The whole document.
    pub(crate) fn root(entries: &'a DeTable<'a>, what: &str, known: &[&'static str]) -> Result<Self, Fault> {
        Self { path: String::new(), span: 0..0, entries }.knowing(what, known)
    }

    /// The table that an entry holds; `what` is its kind in words, such as "a column".
    pub fn of(entry: &Entry<'a>, what: &str, known: &[&'static str]) -> Result<Self, Fault> {
        match entry.value {
            DeValue::Table(entries) => {
                Self { path: entry.path.clone(), span: entry.key_span.clone(), entries }.knowing(what, known)
            }
            other => Err(entry.fault(
                format!("{what} is a table of keys, not {}", kind(other)),
                format!("write keys between braces or under a [{}] header", entry.path),
            )),
        }
    }

    fn knowing(self, what: &str, known: &[&'static str]) -> Result<Self, Fault> {
        for (key, value) in in_order(self.entries) {
            if !known.contains(&key.get_ref().as_ref()) {
                let key_text = key.get_ref();
                let entry = self.entry(key, value);
                let hint = suggestion::hint(key_text, known.iter().copied());
                return Err(Fault::new(
                    key.span(),
                    entry.path,
                    format!("{what} has no key `{}`", name::shown(key_text)),
                    hint,
                ));
            }
        }
        Ok(self)
    }

    /// What stands under a key, if anything.
    pub fn get(&self, key: &str) -> Option<Entry<'a>> {
        let (key, value) = self.entries.get_key_value(key)?;
        Some(self.entry(key, value))
    }

    /// What stands under a key that must be there.
    pub fn required(&self, key: &str, hint: &str) -> Result<Entry<'a>, Fault> {
        self.get(key).ok_or_else(|| self.fault(format!("`{key}` is missing"), hint))
    }

    /// The named tables under a key, in the owner's order; names are checked.
    pub fn children(&self, key: &str) -> Result<Vec<Entry<'a>>, Fault> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(entry) => entry.children(),
        }
    }

    /// A mistake of the section as a whole.
    pub fn fault(&self, what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault::new(self.span.clone(), self.path.clone(), what, hint)
    }

    fn entry(
        &self,
        key: &'a Spanned<std::borrow::Cow<'a, str>>,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Entry<'a> {
        Entry::new(&self.path, key, value)
    }
}

/// The entries in the order in which the owner wrote them.
pub(super) fn in_order<'a>(
    table: &'a DeTable<'a>,
) -> Vec<(&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// What a value is, in words.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table of keys",
    }
}
