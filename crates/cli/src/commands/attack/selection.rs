//! Rows of a table by what stands in their columns: `--where COLUMN=VALUE`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use pointillist_attack::records::Records;

use crate::failure::Failure;
use pointillist_render::text::shown;

/// Names that an error lists.
const LISTED: usize = 12;

/// A column and the value it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    column: String,
    value: String,
}

impl Condition {
    /// A column and the value it has.
    pub fn new(column: &str, value: &str) -> Self {
        Self { column: column.to_owned(), value: value.to_owned() }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((column, value)) if !column.is_empty() => Ok(Self::new(column, value)),
            _ => Err("a column and its value are missing\nhint: write it like sex=female".to_owned()),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} = {}", self.column, self.value)
    }
}

/// Conditions in words.
pub fn all_of(conditions: &[Condition]) -> String {
    conditions.iter().map(Condition::to_string).collect::<Vec<_>>().join(" and ")
}

/// For every row, whether it meets all conditions. A value that nobody has is taken for a slip of the pen.
pub fn rows_where(table: &Records, path: &Path, conditions: &[Condition]) -> Result<Vec<bool>, Failure> {
    if table.rows().is_empty() {
        return Err(Failure::Request(format!(
            "{} has a header and no rows\nhint: write one row a person below it",
            path.display()
        )));
    }
    let mut meets = vec![true; table.rows().len()];
    for condition in conditions {
        let column = column_of(table, path, &condition.column)?;
        let mut found = false;
        for (meets, row) in meets.iter_mut().zip(table.rows()) {
            let has_it = row[column] == condition.value;
            found |= has_it;
            *meets &= has_it;
        }
        if !found {
            let values: BTreeSet<&str> = table.rows().iter().map(|row| row[column].as_str()).collect();
            return Err(Failure::Request(format!(
                "no row of {} has {condition}\nhint: the values of `{}` are {}",
                path.display(),
                condition.column,
                listed(values)
            )));
        }
    }
    Ok(meets)
}

/// The position of a column of this file.
pub fn column_of(table: &Records, path: &Path, name: &str) -> Result<usize, Failure> {
    let mut places = table.columns().iter().enumerate().filter(|(_, column)| *column == name);
    let place = places.next().map(|(place, _)| place);
    if places.next().is_some() {
        return Err(Failure::Request(format!(
            "{} has several columns `{name}`\nhint: give each of them a name of its own",
            path.display()
        )));
    }
    place.ok_or_else(|| {
        Failure::Request(format!(
            "{} has no column `{name}`\nhint: its columns are {}",
            path.display(),
            listed(table.columns().iter().map(String::as_str))
        ))
    })
}

/// The first few of many names.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<&str> = names.by_ref().take(LISTED).collect();
    match names.count() {
        0 => shown(&first.join(", ")),
        more => format!("{} and {more} more", shown(&first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Records {
        Records::from_csv("name,sex,note\nAna,f,a=b\nBen,m,\nCleo,f,\n").unwrap()
    }

    fn rows(conditions: &[&str]) -> Result<Vec<bool>, Failure> {
        let conditions: Vec<Condition> = conditions.iter().map(|text| text.parse().unwrap()).collect();
        rows_where(&table(), Path::new("t.csv"), &conditions)
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
        for (condition, words) in [
            ("sox=f", "t.csv has no column `sox`\nhint: its columns are name, sex, note"),
            ("sex=female", "no row of t.csv has sex = female\nhint: the values of `sex` are f, m"),
        ] {
            let Err(Failure::Request(text)) = rows(&[condition]) else { panic!("{condition}") };
            assert_eq!(text, words);
        }
        let of = |text: &str| {
            let condition = "a=1".parse().unwrap();
            rows_where(&Records::from_csv(text).unwrap(), Path::new("t.csv"), &[condition])
        };
        for (text, words) in [
            ("a,b\n", "t.csv has a header and no rows\nhint: "),
            ("a,a\n1,2\n", "t.csv has several columns `a`\nhint: "),
        ] {
            assert!(matches!(of(text), Err(Failure::Request(said)) if said.starts_with(words)), "{text}");
        }
        let many: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with("11 and 8 more"));
    }
}
