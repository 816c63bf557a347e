//! Privacy units: who is protected.

use std::fmt;
use std::str::FromStr;

use crate::ParameterError;

/// Whose presence a guarantee hides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrivacyUnit {
    /// Each row is a different person.
    Row,
    /// All rows with the same value in this column belong to one person.
    Column(String),
    /// One edge of a graph: a single relationship.
    Edge,
    /// One node of a graph with all its edges: a person with all relationships.
    Node,
}

impl PrivacyUnit {
    /// Reads `row`, `edge`, `node`, or else the name of a column; `column:edge` names a column that happens
    /// to be called `edge`.
    pub fn parse(text: &str) -> Result<Self, ParameterError> {
        let named = text.strip_prefix("column:");
        match (text, named.unwrap_or(text)) {
            ("row", _) => Ok(Self::Row),
            ("edge", _) => Ok(Self::Edge),
            ("node", _) => Ok(Self::Node),
            (_, column) if column.trim().is_empty() || column.chars().any(char::is_control) => {
                let given = text.chars().take(60).flat_map(char::escape_debug).collect();
                Err(ParameterError::Unit { given })
            }
            (_, column) => Ok(Self::Column(column.to_owned())),
        }
    }
}

impl FromStr for PrivacyUnit {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Self::parse(text)
    }
}

/// Who is protected, in plain words.
impl fmt::Display for PrivacyUnit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row => write!(out, "each row is protected as a different person"),
            Self::Column(name) => {
                write!(out, "all rows that share a value of `{name}` are protected as one person")
            }
            Self::Edge => write!(out, "each edge is protected as a single relationship"),
            Self::Node => write!(out, "each node is protected with all its edges"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    #[test]
    fn words_and_columns_are_told_apart() {
        let parse = |text: &str| PrivacyUnit::parse(text).unwrap();
        assert_eq!(parse("row"), PrivacyUnit::Row);
        assert_eq!(parse("edge"), PrivacyUnit::Edge);
        assert_eq!(parse("node"), PrivacyUnit::Node);
        assert_eq!(parse("visitor_id"), PrivacyUnit::Column("visitor_id".to_owned()));
        assert_eq!(parse("column:edge"), PrivacyUnit::Column("edge".to_owned()));
        assert_eq!("Patient Nr.".parse(), Ok(PrivacyUnit::Column("Patient Nr.".to_owned())));
    }

    #[test]
    fn a_unit_without_a_name_is_refused_with_a_hint() {
        for text in ["", "  ", "column:", "column: ", "a\nb", "\u{0}", "\u{1b}[31m"] {
            let message = PrivacyUnit::parse(text).unwrap_err().explanation().text();
            assert!(message.contains("hint:"), "{text:?}");
            assert!(!message.contains('\u{1b}') && !message.contains('\u{0}'), "{text:?}");
        }
    }

    #[test]
    fn units_are_described_in_plain_words() {
        assert_eq!(PrivacyUnit::Row.to_string(), "each row is protected as a different person");
        assert_eq!(
            PrivacyUnit::Column("uid".to_owned()).to_string(),
            "all rows that share a value of `uid` are protected as one person"
        );
    }
}
