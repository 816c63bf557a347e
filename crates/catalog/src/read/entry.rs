//! One key and its value, with the place they stand in and exact readings of it.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::ops::Range;

use pointillist_errors::Explained;
use pointillist_numbers::Rational;
use toml::Spanned;
use toml::de::DeValue;

use super::section::{in_order, kind};
use crate::error::Fault;
use crate::name;

/// A key and its value.
pub struct Entry<'a> {
    /// The last part of the key.
    pub name: String,
    /// The whole key.
    pub path: String,
    /// Where the key stands.
    pub(crate) key_span: Range<usize>,
    /// Where the value stands.
    pub(crate) span: Range<usize>,
    /// The value.
    pub(crate) value: &'a DeValue<'a>,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(parent: &str, key: &'a Spanned<Cow<'a, str>>, value: &'a Spanned<DeValue<'a>>) -> Self {
        let text = key.get_ref().as_ref();
        let dot = if parent.is_empty() { "" } else { "." };
        Self {
            name: text.to_owned(),
            path: format!("{parent}{dot}{}", name::shown(text)),
            key_span: key.span(),
            span: value.span(),
            value: value.get_ref(),
        }
    }

    /// A mistake in the value.
    pub fn fault(&self, what: impl Into<String>, hint: impl Into<String>) -> Fault {
        // The span of a [header] table can be the whole section; its key is the better place to point at.
        let span = if matches!(self.value, DeValue::Table(_)) { &self.key_span } else { &self.span };
        Fault::new(span.clone(), self.path.clone(), what, hint)
    }

    /// A mistake that another crate of ours found.
    pub fn explained(&self, error: &impl Explained) -> Fault {
        Fault::explained(self.span.clone(), self.path.clone(), error)
    }

    fn expected(&self, what: &str, hint: &str) -> Fault {
        self.fault(format!("this is {}, where {what} is expected", kind(self.value)), hint)
    }

    /// Text.
    pub fn text(&self, what: &str) -> Result<&'a str, Fault> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.expected(what, "write text in double quotes")),
        }
    }

    /// True or false.
    pub fn flag(&self) -> Result<bool, Fault> {
        match self.value {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.expected("true or false", "write true or false, without quotes")),
        }
    }

    /// The text of a number, exactly as typed; text that spells a number is one too.
    pub fn number_text(&self) -> Result<String, Fault> {
        match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => Ok(integer.as_str().to_owned()),
            DeValue::Float(float) if float.as_str().contains(['n', 'i']) => Err(self.fault(
                format!("`{}` is not a finite number", float.as_str()),
                "write a finite number such as 0.5",
            )),
            DeValue::Float(float) => Ok(float.as_str().to_owned()),
            DeValue::String(text) => Ok(text.clone().into_owned()),
            DeValue::Integer(_) => {
                Err(self.fault("numbers are read in base ten", "write it with decimal digits"))
            }
            _ => Err(self.expected("a number", "write a number such as 10, 0.5 or 1e-9")),
        }
    }

    /// A number, exactly as typed.
    pub fn number(&self) -> Result<Rational, Fault> {
        let text = self.number_text()?;
        Rational::parse(&text).map_err(|error| self.explained(&error))
    }

    /// A whole number of 64 bits.
    pub fn integer(&self) -> Result<i64, Fault> {
        let number = self.number()?;
        if !number.is_integer() {
            return Err(self.fault("this is no whole number", "write a whole number such as 10"));
        }
        i64::try_from(number.numerator().clone()).map_err(|_| {
            self.fault(
                "this number does not fit 64 bits",
                format!("write a whole number from {} to {}", i64::MIN, i64::MAX),
            )
        })
    }

    /// How often something may happen: from one to `most`.
    pub fn count(&self, most: u64) -> Result<NonZeroU64, Fault> {
        let number = self.number()?;
        let count = if number.is_integer() { u64::try_from(number.numerator().clone()).ok() } else { None };
        count.and_then(NonZeroU64::new).filter(|count| count.get() <= most).ok_or_else(|| {
            self.fault("this is out of range", format!("write a whole number from 1 to {most}"))
        })
    }

    /// The owner's word for a version: text or a whole number.
    pub fn version(&self) -> Result<String, Fault> {
        let text = match self.value {
            DeValue::String(text) => text.as_ref(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            _ => {
                return Err(
                    self.expected("a version", "write a word or a number, such as version = \"2026-07\"")
                );
            }
        };
        let valid = (1..=100).contains(&text.len()) && !text.chars().any(char::is_control);
        if valid {
            return Ok(text.to_owned());
        }
        Err(self
            .fault("a version is a short word", "write up to 100 characters, such as version = \"2026-07\""))
    }

    /// The values of a list.
    pub fn list(&self, what: &str) -> Result<Vec<Entry<'a>>, Fault> {
        let DeValue::Array(values) = self.value else {
            return Err(self.expected(what, "write a list between square brackets"));
        };
        let item = |(index, value): (usize, &'a Spanned<DeValue<'a>>)| Entry {
            name: self.name.clone(),
            path: format!("{}[{index}]", self.path),
            key_span: value.span(),
            span: value.span(),
            value: value.get_ref(),
        };
        Ok(values.iter().enumerate().map(item).collect())
    }

    /// The entries of a table whose keys are names of the owner's choice, in the owner's order.
    pub fn named(&self) -> Result<Vec<Entry<'a>>, Fault> {
        match self.value {
            DeValue::Table(table) => Ok(in_order(table)
                .into_iter()
                .map(|(key, value)| Entry::new(&self.path, key, value))
                .collect()),
            _ => Err(self.expected("a table of names", &format!("write a [{}.NAME] header", self.path))),
        }
    }

    /// The same, after a check that each is a name, and that no two are the same word to SQL.
    pub fn children(&self) -> Result<Vec<Entry<'a>>, Fault> {
        let children = self.named()?;
        let (complaint, hint): (fn(&str) -> Option<&'static str>, _) = if self.path == "analyst" {
            (
                name::analyst_complaint,
                "write a name of letters, digits and any of `_-.@`, such as ana@example.org",
            )
        } else {
            (name::complaint, "write a name of letters, digits and `_` that does not start with a digit")
        };
        let mut seen = std::collections::BTreeMap::new();
        for child in &children {
            if let Some(complaint) = complaint(&child.name) {
                return Err(Fault::new(
                    child.key_span.clone(),
                    self.path.clone(),
                    format!("the name `{}` {complaint}", name::shown(&child.name)),
                    hint,
                ));
            }
            if let Some(other) = seen.insert(name::folded(&child.name), child.name.clone()) {
                return Err(Fault::new(
                    child.key_span.clone(),
                    self.path.clone(),
                    format!("`{}` and `{other}` are the same name to SQL, which ignores case", child.name),
                    "rename one of them",
                ));
            }
        }
        Ok(children)
    }
}
