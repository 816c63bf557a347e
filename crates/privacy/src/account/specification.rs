//! A list of releases as programs write it: objects with named fields, numbers in the digits they were written in.
//!
//! Whoever reads JSON, a form or a table turns each object into fields of text, or of nothing; here they become a
//! [`Statement`]. Unknown fields are refused, empty ones too: a misspelt sampling rate must not become no sampling.

use std::collections::BTreeMap;

use pointillist_errors::{Explained, Kind};
use pointillist_numbers::Rational;

use super::{Release, Statement};
use crate::amplification::SamplingRate;
use crate::{Delta, Epsilon, ParameterError, Rho, Scale, SensitivityL1, SensitivityL2};

const MECHANISMS: &str = "gaussian, laplace, discrete_gaussian, discrete_laplace, randomized_response, pure, approximate, zcdp, exponential";
/// The most uses of one release.
const COUNT_MAX: u64 = 10_000_000_000;

/// An entry that is no release. Entries are numbered from one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecificationError {
    /// A mechanism that no accountant knows.
    #[error("entry {entry}: no accountant knows the mechanism `{mechanism}`")]
    UnknownMechanism {
        /// Which entry.
        entry: usize,
        /// Its mechanism, as written.
        mechanism: String,
    },
    /// A field that has to be there.
    #[error("entry {entry} has no `{field}`")]
    Missing {
        /// Which entry.
        entry: usize,
        /// Which field.
        field: String,
    },
    /// A field that is something else than it should be.
    #[error("entry {entry}: `{field}` {what}")]
    Wrong {
        /// Which entry.
        entry: usize,
        /// Which field.
        field: String,
        /// What it is or is not.
        what: String,
    },
    /// A number out of its range.
    #[error("entry {entry}, `{field}`: {source}")]
    Parameter {
        /// Which entry.
        entry: usize,
        /// Which field.
        field: String,
        /// What is wrong with it.
        source: ParameterError,
    },
}

impl Explained for SpecificationError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownMechanism { .. } => Some(format!("one of {MECHANISMS}")),
            Self::Missing { .. } | Self::Wrong { .. } => Some(EXAMPLE.to_owned()),
            Self::Parameter { source, .. } => source.hint(),
        }
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

/// How a list of releases is written, as a hint.
pub const EXAMPLE: &str =
    "write a list such as [{\"mechanism\": \"gaussian\", \"sigma\": \"50\", \"count\": 100}]";

/// The fields of an entry; `None` is a field that was left empty.
pub type Fields = BTreeMap<String, Option<String>>;

/// Reads a list of releases from the fields of its entries.
pub fn statement(entries: impl IntoIterator<Item = Fields>) -> Result<Statement, SpecificationError> {
    let mut statement = Statement::new();
    for (index, fields) in entries.into_iter().enumerate() {
        let mut entry = Entry { number: index + 1, fields };
        let count = entry.count()?;
        let release = entry.release()?;
        entry.finish()?;
        statement.add(release, count);
    }
    Ok(statement)
}

/// One object of the list; fields leave it as they are read.
struct Entry {
    number: usize,
    fields: Fields,
}

impl Entry {
    fn release(&mut self) -> Result<Release, SpecificationError> {
        let mechanism = self.text("mechanism").ok_or_else(|| self.missing("mechanism"))?;
        Ok(match mechanism.as_str() {
            "gaussian" => Release::Gaussian {
                sigma: self.required("sigma", Scale::parse)?,
                sensitivity: self.number_or_one("sensitivity", SensitivityL2::parse)?,
                sampling_rate: self.optional("sampling_rate", SamplingRate::parse)?,
            },
            "laplace" => Release::Laplace {
                scale: self.required("scale", Scale::parse)?,
                sensitivity: self.number_or_one("sensitivity", SensitivityL1::parse)?,
                sampling_rate: self.optional("sampling_rate", SamplingRate::parse)?,
            },
            "discrete_gaussian" => Release::DiscreteGaussian {
                sigma: self.required("sigma", Scale::parse)?,
                sensitivity: self.integer("sensitivity")?.unwrap_or(1),
            },
            "discrete_laplace" => Release::DiscreteLaplace {
                scale: self.required("scale", Scale::parse)?,
                sensitivity: self.integer("sensitivity")?.unwrap_or(1),
            },
            "randomized_response" => Release::RandomizedResponse {
                epsilon: self.required("epsilon", Epsilon::parse)?,
                categories: self.integer("categories")?.unwrap_or(2),
            },
            "pure" => Release::Pure { epsilon: self.required("epsilon", Epsilon::parse)? },
            "approximate" => Release::Approximate {
                epsilon: self.required("epsilon", Epsilon::parse)?,
                delta: self.required("delta", Delta::parse)?,
            },
            "zcdp" => Release::Zcdp { rho: self.required("rho", Rho::parse)? },
            "exponential" | "bounded_range" => {
                Release::BoundedRange { eta: self.required("epsilon", Epsilon::parse)? }
            }
            _ => return Err(SpecificationError::UnknownMechanism { entry: self.number, mechanism }),
        })
    }

    fn count(&mut self) -> Result<u64, SpecificationError> {
        match self.text("count") {
            None => Ok(1),
            Some(text) => match text.parse::<u64>() {
                Ok(count @ 1..=COUNT_MAX) => Ok(count),
                _ => Err(self.wrong("count", &format!("is not a whole number from 1 to {COUNT_MAX}"))),
            },
        }
    }

    fn integer(&mut self, name: &str) -> Result<Option<u32>, SpecificationError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let value = Rational::parse(&text)
            .ok()
            .filter(Rational::is_integer)
            .and_then(|value| u32::try_from(value.floor()).ok());
        value.map(Some).ok_or_else(|| self.wrong(name, "is not a whole number"))
    }

    fn required<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Result<T, ParameterError>,
    ) -> Result<T, SpecificationError> {
        self.optional(name, parse)?.ok_or_else(|| self.missing(name))
    }

    fn number_or_one<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Result<T, ParameterError>,
    ) -> Result<T, SpecificationError> {
        self.fields.entry(name.to_owned()).or_default().get_or_insert_with(|| "1".to_owned());
        self.required(name, parse)
    }

    fn optional<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Result<T, ParameterError>,
    ) -> Result<Option<T>, SpecificationError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let (entry, field) = (self.number, name.to_owned());
        parse(&text).map(Some).map_err(|source| SpecificationError::Parameter { entry, field, source })
    }

    /// A field's digits as they were written.
    fn text(&mut self, name: &str) -> Option<String> {
        self.fields.remove(name).flatten()
    }

    fn finish(self) -> Result<(), SpecificationError> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(unknown) => Err(self.wrong(unknown, "is not a field of this mechanism")),
        }
    }

    fn missing(&self, name: &str) -> SpecificationError {
        SpecificationError::Missing { entry: self.number, field: name.to_owned() }
    }

    fn wrong(&self, name: &str, what: &str) -> SpecificationError {
        SpecificationError::Wrong { entry: self.number, field: name.to_owned(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mechanism=gaussian sigma=50`.
    fn fields(text: &str) -> Fields {
        let value = |text: &str| (text != "null").then(|| text.to_owned());
        let pair = |word: &str| word.split_once('=').map(|(name, text)| (name.to_owned(), value(text)));
        text.split(' ').filter_map(pair).collect()
    }

    fn one(text: &str) -> Result<Statement, SpecificationError> {
        statement([fields(text)])
    }

    #[test]
    fn every_mechanism_is_read() {
        for text in [
            "mechanism=gaussian sigma=50 sensitivity=2 count=100",
            "mechanism=gaussian sigma=1 sampling_rate=0.01",
            "mechanism=gaussian sigma=1 sensitivity=null sampling_rate=null count=null",
            "mechanism=laplace scale=100 sampling_rate=1/10",
            "mechanism=discrete_gaussian sigma=7/2 sensitivity=3",
            "mechanism=discrete_laplace scale=10",
            "mechanism=randomized_response epsilon=0.1 categories=5",
            "mechanism=pure epsilon=0.5",
            "mechanism=approximate epsilon=0.5 delta=1e-9",
            "mechanism=zcdp rho=0.01",
            "mechanism=exponential epsilon=1",
            "mechanism=bounded_range epsilon=1",
        ] {
            assert_eq!(one(text).unwrap().releases().len(), 1, "{text}");
        }
        let both =
            statement([fields("mechanism=pure epsilon=1 count=3"), fields("mechanism=zcdp rho=1")]).unwrap();
        assert_eq!(both.releases()[0].1, 3);
        let plain = one("mechanism=laplace scale=2").unwrap();
        let Release::Laplace { sensitivity, .. } = &plain.releases()[0].0 else { panic!("{plain:?}") };
        assert_eq!(*sensitivity, SensitivityL1::parse("1").unwrap());
    }

    /// Specification: nothing is guessed, and nothing that is written is passed over.
    #[test]
    fn what_is_not_understood_is_refused_by_its_entry() {
        for (text, says) in [
            ("sigma=50", "entry 1 has no `mechanism`"),
            ("mechanism=cauchy scale=1", "no accountant knows the mechanism `cauchy`"),
            ("mechanism=gaussian", "entry 1 has no `sigma`"),
            (
                "mechanism=gaussian sigma=50 sampling_rat=0.01",
                "`sampling_rat` is not a field of this mechanism",
            ),
            ("mechanism=pure epsilon=1 sigma=3", "`sigma` is not a field"),
            ("mechanism=pure epsilon=1 sampling_rat=null", "`sampling_rat` is not a field"),
            ("mechanism=pure epsilon=-1", "entry 1, `epsilon`: "),
            ("mechanism=pure epsilon=1 count=0", "`count` is not a whole number from 1 to 10000000000"),
            ("mechanism=pure epsilon=1 count=1e3", "`count` is not a whole number"),
            ("mechanism=discrete_laplace scale=1 sensitivity=1/2", "`sensitivity` is not a whole number"),
        ] {
            let refused = one(text).unwrap_err();
            assert!(refused.to_string().contains(says), "{text}: {refused}");
        }
        let second = statement([fields("mechanism=pure epsilon=1"), fields("")]).unwrap_err();
        assert_eq!(second, SpecificationError::Missing { entry: 2, field: "mechanism".to_owned() });
    }
}
