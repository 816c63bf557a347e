//! A table of texts, as files have it: named columns, rows of equal length.

use crate::AttackError;

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Records {
    /// A table; every row has one text for every column.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<String>>) -> Result<Self, AttackError> {
        match rows.iter().position(|row| row.len() != columns.len()) {
            None => Ok(Self { columns, rows }),
            Some(row) => Err(AttackError::new(
                format!(
                    "row {} has {} fields, and there are {} columns",
                    row + 1,
                    rows[row].len(),
                    columns.len()
                ),
                "look at the quotes and commas of that row",
            )),
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Result<usize, AttackError> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| {
            AttackError::new(
                format!("there is no column `{name}`"),
                format!("the columns are {}", self.columns.join(", ")),
            )
        })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Records;

    /// A table from lines with commas.
    pub(crate) fn records(columns: &str, rows: &[&str]) -> Records {
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        Records::new(split(columns), rows.iter().map(|row| split(row)).collect()).unwrap()
    }
}
