//! Whether the first line of a text file may become the names in a catalog.
//!
//! **Why.** Analysts read the catalog. If the first line is a row, or the whole file is one line because its lines end
//! in a way we do not know, its names are somebody's data.
//! **Rule.** Names look like names: something in each, no two alike, short, no control signs, and none that a value
//! would rather be: a number, a day, a time, an address, yes or no. The owner can vouch for names of other kinds, but not
//! for control signs, which no line of names has.
//! **Not covered.** A first row that is words alone reads like names. So the owner is shown what was taken for names.

use std::path::Path;

use super::DraftError;

/// Longer names are sentences, or whole files.
const LENGTH_MAX: usize = 64;
/// Words that stand in cells.
const CELLS: [&str; 10] = ["true", "false", "yes", "no", "null", "none", "nan", "na", "n/a", "inf"];

/// Whether a file of this name has its column names in a line of text.
pub(super) fn has_header_line(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".csv", ".tsv", ".csv.gz", ".tsv.gz"].iter().any(|ending| name.ends_with(ending))
}

/// Refuses names that may be data. The message repeats none of them: it may go into a log.
pub(super) fn check_names<'a>(
    path: &Path,
    names: impl Iterator<Item = &'a str> + Clone,
    vouched: bool,
) -> Result<(), DraftError> {
    if names.clone().any(|name| name.chars().any(char::is_control)) {
        return Err(DraftError::ControlSigns { file: path.to_owned() });
    }
    let mut seen: Vec<String> = names.clone().map(str::to_lowercase).collect();
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    if vouched || (seen.len() == count && names.clone().all(looks_like_a_name)) {
        return Ok(());
    }
    Err(DraftError::LooksLikeARow { file: path.to_owned() })
}

fn looks_like_a_name(name: &str) -> bool {
    let name = name.trim();
    let begins = name.chars().next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    let is_cell = CELLS.contains(&name.to_lowercase().as_str());
    begins && !is_cell && !name.contains(['@', ':', ';', '|']) && name.chars().count() <= LENGTH_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted(names: &[&str], vouched: bool) -> bool {
        check_names(Path::new("visits.csv"), names.iter().copied(), vouched).is_ok()
    }

    #[test]
    fn names_are_trusted_and_rows_are_not() {
        for names in [&["patient_id", "Arrival Delay", "région", "_x", "cost (€)", "x2"][..], &["id"]] {
            assert!(trusted(names, false), "{names:?}");
        }
        for row in [
            &["alice", "42"][..],
            &["alice", "-3.5"],
            &["alice", "2024-01-31"],
            &["alice", "09:15"],
            &["alice", "t 09:15"],
            &["alice", "a@example.org"],
            &["alice", ""],
            &["alice", " "],
            &["alice", "TRUE"],
            &["alice", "alice"],
            &["alice", "Alice"],
            &["alice;42"],
            &["a sentence about somebody that is far too long to be the name of any column at all"],
        ] {
            assert!(!trusted(row, false), "{row:?}");
            assert!(trusted(row, true), "the owner knows better: {row:?}");
        }
    }

    #[test]
    fn nobody_can_vouch_for_line_ends_in_names() {
        for names in [&["id", "name\r1", "ada"][..], &["id\n1"], &["id\u{9b}"], &["\u{0}"]] {
            assert!(!trusted(names, true), "{names:?}");
        }
    }
}
