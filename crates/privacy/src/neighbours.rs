//! Neighbour relations: which two data sets a guarantee cannot tell apart.

use std::fmt;
use std::str::FromStr;

use crate::ParameterError;

/// Which data sets are neighbours.
///
/// Replacing a unit is removing it and adding another, two steps of add/remove. So an add/remove loss read
/// for replace-one neighbours is the loss of a group of two: 2ε for pure ε, 4ρ for zCDP.
/// [`crate::Loss::replace_one`] does the conversion. There is none in the other direction: data sets of
/// different size are no number of replacements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Neighbours {
    /// With or without everything one unit contributed; the number of units is private.
    AddRemove,
    /// Everything one unit contributed is exchanged for something else; the number of units is public.
    ReplaceOne,
}

impl FromStr for Neighbours {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text {
            "add/remove" | "add-remove" => Ok(Self::AddRemove),
            "replace one" | "replace-one" => Ok(Self::ReplaceOne),
            other => {
                let given = other.chars().take(60).flat_map(char::escape_debug).collect();
                Err(ParameterError::Neighbours { given })
            }
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::AddRemove => "add/remove",
            Self::ReplaceOne => "replace one",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    #[test]
    fn relations_are_read_as_they_are_printed() {
        for relation in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            assert_eq!(relation.to_string().parse(), Ok(relation));
        }
        assert_eq!("replace-one".parse(), Ok(Neighbours::ReplaceOne));
    }

    #[test]
    fn other_relations_are_refused_with_a_hint() {
        for text in ["", "change-one", "ADD/REMOVE", "bounded"] {
            let message = text.parse::<Neighbours>().unwrap_err().explanation().text();
            assert!(message.contains("hint: write add/remove or replace one"), "{message}");
        }
    }
}
