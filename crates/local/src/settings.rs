//! A method and its settings as one line: `name key=value key=value`.

use std::collections::BTreeMap;

use pointillist_numbers::Rational;
use pointillist_privacy::Epsilon;

use crate::LocalError;
use crate::report::parse_number;

/// Longer lines are nobody's settings.
const LINE_MAX: usize = 1024;

/// The parts of a line, taken out one by one.
#[derive(Debug)]
pub(crate) struct Settings<'a> {
    name: &'a str,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Settings<'a> {
    pub(crate) fn parse(line: &'a str) -> Result<Self, LocalError> {
        let malformed = || {
            LocalError::refused(
                "this line does not set up a method",
                "write a name and settings, as in `k-ary-response values=4 epsilon=1`",
            )
        };
        if line.len() > LINE_MAX {
            return Err(malformed());
        }
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        let name = words.next().filter(|name| !name.contains('=')).ok_or_else(malformed)?;
        let mut values = BTreeMap::new();
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(malformed)?;
            if values.insert(key, value).is_some() {
                return Err(LocalError::refused("a setting is given twice", "give every setting once"));
            }
        }
        Ok(Self { name, values })
    }

    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    pub(crate) fn optional_text(&mut self, key: &str) -> Option<&'a str> {
        self.values.remove(key)
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<&'a str, LocalError> {
        self.optional_text(key).ok_or_else(|| missing(key))
    }

    pub(crate) fn epsilon(&mut self) -> Result<Epsilon, LocalError> {
        Ok(Epsilon::parse(self.text("epsilon")?)?)
    }

    pub(crate) fn optional_number(&mut self, key: &str) -> Result<Option<Rational>, LocalError> {
        let refuse = |source| LocalError::Setting { key: key.to_owned(), source };
        self.optional_text(key).map(|text| Rational::parse(text).map_err(refuse)).transpose()
    }

    pub(crate) fn number(&mut self, key: &str) -> Result<Rational, LocalError> {
        self.optional_number(key)?.ok_or_else(|| missing(key))
    }

    pub(crate) fn optional_whole(&mut self, key: &str) -> Result<Option<u64>, LocalError> {
        let read = |text: &str| {
            parse_number(text).ok_or_else(|| {
                LocalError::refused(
                    format!("`{key}` is not a whole number"),
                    "write digits only, as in values=4",
                )
            })
        };
        self.optional_text(key).map(read).transpose()
    }

    pub(crate) fn whole(&mut self, key: &str) -> Result<u64, LocalError> {
        self.optional_whole(key)?.ok_or_else(|| missing(key))
    }

    /// What a method does not know it must not pass over: it might be what protects somebody.
    pub(crate) fn nothing_left(&self) -> Result<(), LocalError> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(_) => Err(LocalError::refused(
                format!("`{}` has a setting too many", self.name),
                "remove what the method does not have; its line shows all settings",
            )),
        }
    }
}

fn missing(key: &str) -> LocalError {
    LocalError::refused(format!("the setting `{key}` is missing"), format!("add `{key}=…` to the line"))
}
