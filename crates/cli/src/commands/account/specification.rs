//! A list of releases as a JSON file or as flags.
//!
//! Numbers that carry a promise may be strings or JSON numbers; both are read as the decimals they are written as.
//! Unknown fields are refused: a misspelt sampling rate must not become no sampling.

use pointillist_numbers::Rational;
use pointillist_privacy::account::{Release, Statement};
use pointillist_privacy::amplification::SamplingRate;
use pointillist_privacy::{Delta, Epsilon, Rho, Scale, SensitivityL1, SensitivityL2};
use serde_json::{Map, Value};

use crate::failure::Failure;

const EXAMPLE: &str =
    "hint: write a list such as [{\"mechanism\": \"gaussian\", \"sigma\": \"50\", \"count\": 100}]";
const MECHANISMS: &str = "gaussian, laplace, discrete_gaussian, discrete_laplace, randomized_response, pure, approximate, zcdp, exponential";

/// Reads a list of releases from JSON text.
pub fn parse(text: &str) -> Result<Statement, Failure> {
    let refuse = |what: String| Failure::Request(format!("{what}\n{EXAMPLE}"));
    let value: Value =
        serde_json::from_str(text).map_err(|error| refuse(format!("the list is not JSON: {error}")))?;
    let entries = value.as_array().ok_or_else(|| refuse("the list is not a JSON array".to_owned()))?;
    let mut statement = Statement::new();
    for (index, entry) in entries.iter().enumerate() {
        let fields =
            entry.as_object().ok_or_else(|| refuse(format!("entry {} is not an object", index + 1)))?;
        let mut entry = Entry { number: index + 1, fields: fields.clone() };
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
    fields: Map<String, Value>,
}

impl Entry {
    fn release(&mut self) -> Result<Release, Failure> {
        let mechanism = self.text("mechanism")?.ok_or_else(|| self.missing("mechanism"))?;
        Ok(match mechanism.as_str() {
            "gaussian" => Release::Gaussian {
                sigma: self.required("sigma", Scale::parse)?,
                sensitivity: self
                    .optional("sensitivity", SensitivityL2::parse)?
                    .unwrap_or(one(SensitivityL2::parse)?),
                sampling_rate: self.optional("sampling_rate", SamplingRate::parse)?,
            },
            "laplace" => Release::Laplace {
                scale: self.required("scale", Scale::parse)?,
                sensitivity: self
                    .optional("sensitivity", SensitivityL1::parse)?
                    .unwrap_or(one(SensitivityL1::parse)?),
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
            other => {
                let number = self.number;
                return Err(Failure::Request(format!(
                    "entry {number}: no accountant knows the mechanism `{other}`\nhint: one of {MECHANISMS}"
                )));
            }
        })
    }

    fn count(&mut self) -> Result<u64, Failure> {
        match self.text("count")? {
            None => Ok(1),
            Some(text) => match text.parse::<u64>() {
                Ok(count @ 1..=10_000_000_000) => Ok(count),
                _ => Err(self.wrong("count", "is not a whole number from 1 to 10000000000")),
            },
        }
    }

    fn integer(&mut self, name: &str) -> Result<Option<u32>, Failure> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let value = Rational::parse(&text)
            .ok()
            .filter(Rational::is_integer)
            .and_then(|v| u32::try_from(v.floor()).ok());
        value.map(Some).ok_or_else(|| self.wrong(name, "is not a whole number"))
    }

    fn required<T, E: ToString>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Result<T, E>,
    ) -> Result<T, Failure> {
        self.optional(name, parse)?.ok_or_else(|| self.missing(name))
    }

    fn optional<T, E: ToString>(
        &mut self,
        name: &str,
        parse: fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Failure> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let number = self.number;
        let explain = |error: E| Failure::Request(format!("entry {number}, `{name}`: {}", error.to_string()));
        parse(&text).map(Some).map_err(explain)
    }

    /// A field's digits as they were written.
    fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        match self.fields.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(self.wrong(name, "is neither a string nor a number")),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(unknown) => Err(self.wrong(unknown, "is not a field of this mechanism")),
        }
    }

    fn missing(&self, name: &str) -> Failure {
        Failure::Request(format!("entry {} has no `{name}`\n{EXAMPLE}", self.number))
    }

    fn wrong(&self, name: &str, what: &str) -> Failure {
        Failure::Request(format!("entry {}: `{name}` {what}\n{EXAMPLE}", self.number))
    }
}

fn one<T, E: ToString>(parse: fn(&str) -> Result<T, E>) -> Result<T, Failure> {
    parse("1").map_err(Failure::request)
}
