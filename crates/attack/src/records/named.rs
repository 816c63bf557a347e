//! Records and what to call them, so that words and errors can say which table is meant.

use std::path::Path;

use pointillist_render::text::shown;

use super::Records;
use crate::AttackError;

/// Names that an error lists.
const LISTED: usize = 12;

/// Records with the name of their file, or with words for a table that was made up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRecords {
    /// What to call them.
    pub name: String,
    /// What the file holds.
    pub records: Records,
}

impl NamedRecords {
    /// The records of a CSV file with a header.
    pub fn open(path: &Path) -> Result<Self, AttackError> {
        let hint = "name a CSV file with a header";
        let bytes = std::fs::read(path)
            .map_err(|error| AttackError::new(format!("{} cannot be read: {error}", path.display()), hint))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| AttackError::new(format!("{} is not text", path.display()), hint))?;
        // Attacks that read several tables have to say which one is meant.
        let records = Records::from_csv(&text).map_err(|error| error.about(path.display()))?;
        Ok(Self { name: path.display().to_string(), records })
    }

    /// The position of the only column of this name.
    pub fn column(&self, name: &str) -> Result<usize, AttackError> {
        let columns = self.records.columns();
        let mut places = columns.iter().enumerate().filter(|(_, column)| *column == name);
        let place = places.next().map(|(place, _)| place);
        if places.next().is_some() {
            return Err(AttackError::new(
                format!("{} has several columns `{name}`", self.name),
                "give each of them a name of its own",
            ));
        }
        place.ok_or_else(|| {
            AttackError::new(
                format!("{} has no column `{name}`", self.name),
                format!("its columns are {}", listed(columns.iter().map(String::as_str))),
            )
        })
    }
}

/// The first few of many names.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
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

    #[test]
    fn long_lists_of_names_are_cut() {
        let many: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with("11 and 8 more"));
    }
}
