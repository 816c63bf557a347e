//! Rows of a table by what stands in their columns: `sex = female`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::AttackError;
use crate::records::NamedRecords;
use crate::records::listed;

/// A column and the value it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    column: String,
    value: String,
}

impl Condition {
    /// Rows of which this column has this value.
    pub fn new(column: &str, value: &str) -> Self {
        Self { column: column.to_owned(), value: value.to_owned() }
    }
}

/// `COLUMN=VALUE`; the value may hold further equal signs.
impl FromStr for Condition {
    type Err = AttackError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((column, value)) if !column.is_empty() => Ok(Self::new(column, value)),
            _ => Err(AttackError::new("a column and its value are missing", "write it like sex=female")),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} = {}", self.column, self.value)
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Conditions in words.
pub fn all_of(conditions: &[Condition]) -> String {
    conditions.iter().map(Condition::to_string).collect::<Vec<_>>().join(" and ")
}

/// For every row, whether it meets all conditions. A value that nobody has is taken for a slip of the pen.
pub fn rows_where(table: &NamedRecords, conditions: &[Condition]) -> Result<Vec<bool>, AttackError> {
    let rows = table.records.rows();
    if rows.is_empty() {
        return Err(AttackError::new(
            format!("{} has a header and no rows", table.name),
            "write one row a person below it",
        ));
    }
    let mut meets = vec![true; rows.len()];
    for condition in conditions {
        let column = table.column(&condition.column)?;
        let mut found = false;
        for (meets, row) in meets.iter_mut().zip(rows) {
            let has_it = row[column] == condition.value;
            found |= has_it;
            *meets &= has_it;
        }
        if !found {
            let values: BTreeSet<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            return Err(AttackError::new(
                format!("no row of {} has {condition}", table.name),
                format!("the values of `{}` are {}", condition.column, listed(values)),
            ));
        }
    }
    Ok(meets)
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use super::*;
    use crate::records::Records;

    fn table(text: &str) -> NamedRecords {
        NamedRecords { name: "t.csv".to_owned(), records: Records::from_csv(text).unwrap() }
    }

    fn rows(conditions: &[&str]) -> Result<Vec<bool>, AttackError> {
        let conditions: Vec<Condition> = conditions.iter().map(|text| text.parse().unwrap()).collect();
        rows_where(&table("name,sex,note\nAna,f,a=b\nBen,m,\nCleo,f,\n"), &conditions)
    }

    #[test]
    fn all_conditions_have_to_hold_and_values_may_have_equal_signs() {
        assert_eq!(rows(&["sex=f"]).unwrap(), [true, false, true]);
        assert_eq!(rows(&["sex=f", "note="]).unwrap(), [false, false, true]);
        assert_eq!(rows(&["note=a=b"]).unwrap(), [true, false, false]);
        assert_eq!(rows(&[]).unwrap(), [true; 3]);
        assert!("=x".parse::<Condition>().is_err() && "sex".parse::<Condition>().is_err());
    }

    #[test]
    fn slips_of_the_pen_are_named() {
        for (condition, words, hint) in [
            ("sox=f", "t.csv has no column `sox`", "its columns are name, sex, note"),
            ("sex=female", "no row of t.csv has sex = female", "the values of `sex` are f, m"),
        ] {
            let error = rows(&[condition]).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (words, Some(hint)));
        }
        for (text, words) in
            [("a,b\n", "t.csv has a header and no rows"), ("a,a\n1,2\n", "t.csv has several columns `a`")]
        {
            let error = rows_where(&table(text), &["a=1".parse().unwrap()]).unwrap_err();
            assert!(error.to_string() == words && error.hint().is_some(), "{text}");
        }
    }
}
