//! What somebody sees of one release.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// One thing that is seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A whole number, exactly.
    Integer(i128),
    /// A float, to its last bit.
    Real(f64),
    /// A word: a category, a refusal, an error.
    Word(String),
}

/// Everything that somebody sees of one release, by name. A part that is missing is seen to be missing: which keys are
/// there is part of what is released.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    parts: BTreeMap<String, Part>,
}

impl Observation {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The release is this one thing.
    pub fn of(part: impl Into<Part>) -> Self {
        Self::new().with("answer", part)
    }

    /// A list: the parts are named by their place, the length is seen too.
    pub fn list<P: Into<Part>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut seen = Self::new();
        for (place, part) in parts.into_iter().enumerate() {
            seen = seen.with(format!("part {}", place + 1), part);
        }
        let length = seen.parts.len();
        seen.with("length", length)
    }

    /// This is seen too.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, part: impl Into<Part>) -> Self {
        self.parts.insert(name.into(), part.into());
        self
    }

    /// What is seen, by name.
    pub fn parts(&self) -> &BTreeMap<String, Part> {
        &self.parts
    }
}

/// One line, equal for equal observations only.
impl fmt::Display for Observation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, part)) in self.parts.iter().enumerate() {
            if place > 0 {
                out.write_str(", ")?;
            }
            // A name that could be read as the end of itself is quoted.
            if name.contains([',', '=', '"']) {
                write!(out, "{name:?}")?
            } else {
                out.write_str(name)?
            }
            match part {
                Part::Integer(value) => write!(out, " = {value}")?,
                Part::Real(value) if value.is_nan() => write!(out, " = NaN {:#x}", value.to_bits())?,
                Part::Real(value) => write!(out, " = {value:?}")?,
                Part::Word(word) => write!(out, " = {word:?}")?,
            }
        }
        if self.parts.is_empty() { out.write_char('∅') } else { Ok(()) }
    }
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Part {
            fn from(value: $kind) -> Self {
                Self::Integer(value as i128)
            }
        }
    )*};
}
integers!(i128, i64, i32, u64, u32, usize);

impl From<f64> for Part {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<bool> for Part {
    fn from(value: bool) -> Self {
        Self::Integer(i128::from(value))
    }
}

impl From<&str> for Part {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<String> for Part {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_observation_reads_like_a_line() {
        let seen = Observation::of(17).with("ward", "heart").with("mean", 0.5);
        assert_eq!(seen.to_string(), "answer = 17, mean = 0.5, ward = \"heart\"");
        assert_eq!(Observation::new().to_string(), "∅");
        assert_eq!(Observation::list([3i64, 4]).to_string(), "length = 2, part 1 = 3, part 2 = 4");
    }

    #[test]
    fn different_observations_read_differently() {
        let seen = [
            Observation::new().with("a", 1).with("b", 2),
            Observation::new().with("a = 1, b", 2),
            Observation::new().with("a", "1, b = 2"),
            Observation::of(1),
            Observation::of(1.0),
            Observation::of("1"),
            Observation::of(0.0),
            Observation::of(-0.0),
            Observation::of(f64::NAN),
            Observation::of(-f64::NAN),
        ];
        let lines: std::collections::BTreeSet<String> = seen.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), seen.len(), "{lines:?}");
    }
}
