//! The changes that no test can notice, each with the reason: `xtask/survivors.json`.
//!
//! An entry names the change as cargo-mutants does, and the line of code with ▸ where the change is made. Line numbers
//! would be wrong after the next edit; the line itself is wrong exactly when the reason has to be read again.

use serde_json::Value;
use std::fmt;
use std::path::Path;

/// From the root.
pub const PATH: &str = "xtask/survivors.json";
/// Stands where the change is made.
pub const MARK: char = '▸';

/// A change to the code, and why no test notices it.
#[derive(Clone, Debug, PartialEq)]
pub struct Survivor {
    pub file: String,
    /// The line, without the blanks around it, with the mark.
    pub code: String,
    /// Such as `replace < with <= in atan_of_point`.
    pub change: String,
    /// Empty until somebody has found it.
    pub reason: String,
}

impl Survivor {
    pub fn is_same_change(&self, other: &Self) -> bool {
        (&self.file, &self.code, &self.change) == (&other.file, &other.code, &other.change)
    }
}

impl fmt::Display for Survivor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.file, self.change, self.code)
    }
}

/// The list of this repository.
pub fn read(root: &Path) -> Result<Vec<Survivor>, String> {
    let text = std::fs::read_to_string(root.join(PATH))
        .map_err(|error| format!("{PATH} cannot be read: {error}"))?;
    parse(&text)
}

/// The list from its text; a field that is missing, not a text or unknown is an error.
pub fn parse(text: &str) -> Result<Vec<Survivor>, String> {
    let list: Value = serde_json::from_str(text).map_err(|error| format!("{PATH} is not JSON: {error}"))?;
    let entries = list.as_array().ok_or_else(|| format!("{PATH} is not a list"))?;
    let survivor = |(index, entry): (usize, &Value)| {
        let number = index + 1;
        let field = |name: &str| {
            entry[name]
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("{PATH}: entry {number} has no {name}"))
        };
        if entry.as_object().is_some_and(|fields| fields.len() != 4) {
            return Err(format!("{PATH}: entry {number} has more than file, code, change and reason"));
        }
        Ok(Survivor {
            file: field("file")?,
            code: field("code")?,
            change: field("change")?,
            reason: field("reason")?,
        })
    };
    entries.iter().enumerate().map(survivor).collect()
}

/// A line of cargo-mutants' report, `path:line:column: change`, with the code it stands for.
pub fn from_report_line(root: &Path, report: &str) -> Result<Survivor, String> {
    let strange = || format!("cargo-mutants reported a line of another form: {report}");
    let (place, change) = report.split_once(": ").ok_or_else(strange)?;
    let mut parts = place.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|text| text.parse::<usize>().ok()).filter(|number| *number > 0);
    let (column, line) = number().zip(number()).ok_or_else(strange)?;
    let file = parts.next().ok_or_else(strange)?;
    let text = std::fs::read_to_string(root.join(file))
        .map_err(|error| format!("{file} cannot be read: {error}"))?;
    let code = text.lines().nth(line - 1).ok_or_else(strange)?;
    let (before, after): (String, String) =
        (code.chars().take(column - 1).collect(), code.chars().skip(column - 1).collect());
    let code = format!("{before}{MARK}{after}").trim().to_owned();
    Ok(Survivor { file: file.to_owned(), code, change: change.to_owned(), reason: String::new() })
}
