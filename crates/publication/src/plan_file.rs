//! The plan that people write: which tables to publish, what each is worth, and what all of them may cost.
//!
//! **Exactness.** Numbers are taken as they are typed, never through a float: `0.1` is one tenth.
//! **Strictness.** What is not understood is refused, with the line, the key and the next step. Names of tables are valid
//! and unique also after one entry has become several tables, because they become names of files and of SQL tables.
//! **Public.** A plan speaks of declarations only; it is published word for word with what it made.

mod budget;
mod entry;
mod error;
mod expansion;
mod name;
pub(crate) use name::complaint as release_complaint;
#[cfg(test)]
mod tests;
mod title_page;

use std::collections::BTreeMap;
use std::path::Path;

use pointillist_catalog::document::{self, Fault, Section};

pub use budget::PlanBudget;
pub use entry::{Asks, Bins, Entry, Goal};
pub use error::PlanFileError;
pub use expansion::TableName;

const KEYS: [&str; 11] = [
    "name",
    "title",
    "description",
    "licence",
    "citation",
    "contact",
    "keywords",
    "budget",
    "table",
    "columns",
    "period",
];

/// A plan as its author wrote it, checked as far as that goes without a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanFile {
    /// Its name: a small letter, then small letters, digits and underscores. Public SQL tables begin with it.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Under which licence it may be used.
    pub licence: Option<String>,
    /// How to cite it.
    pub citation: Option<String>,
    /// Whom to ask.
    pub contact: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// What all tables may cost together. None only where every entry wants an error: then the least that meets them.
    pub budget: Option<PlanBudget>,
    /// The period that the tables are about, `2026-01`, where budgets renew with periods.
    pub period: Option<String>,
    /// What is asked for, in the author's order.
    pub entries: Vec<Entry>,
    /// What the codebook says of columns, by name.
    pub columns: BTreeMap<String, String>,
    /// The file, word for word.
    pub text: String,
}

impl PlanFile {
    /// Reads and checks the text of a plan.
    pub fn parse(text: &str) -> Result<Self, PlanFileError> {
        let (length, most) = (text.len() as u64, document::LENGTH_MAX);
        if length > most {
            return Err(PlanFileError::TooLong { length, most });
        }
        document::parse(text, "the plan", &KEYS, |root| plan(root, text)).map_err(PlanFileError::Mistake)
    }

    /// Reads and checks a plan in a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, PlanFileError> {
        let path = path.as_ref();
        let text = document::text_of(path)
            .map_err(|source| PlanFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|error| match error {
            PlanFileError::Mistake(mut mistake) => {
                mistake.file = Some(path.to_owned());
                PlanFileError::Mistake(mistake)
            }
            other => other,
        })
    }
}

fn plan(root: &Section<'_>, text: &str) -> Result<PlanFile, Fault> {
    let name_hint = "name the release, such as `name = \"visits_2026\"`";
    let name = name::plan(&root.required("name", name_hint)?)?;
    let title = title_page::line(
        &root
            .required("title", "say what it is in a line, such as `title = \"Visits to hospitals, 2026\"`")?,
        "a title",
    )?;
    let entries = entry::entries(root, &name)?;
    let budget = root.get("budget").map(|entry| budget::budget(&entry)).transpose()?;
    if budget.is_none() && entries.iter().any(|entry| matches!(entry.goal, Goal::Weight(_))) {
        let hint = "write `budget = { epsilon = 1, delta = 1e-9 }`, or an `error` in every [[table]]";
        return Err(root.fault("`budget` is missing, and not every table says how wrong it may be", hint));
    }
    Ok(PlanFile {
        name,
        title,
        description: title_page::optional(root, "description", title_page::prose)?,
        licence: title_page::optional(root, "licence", title_page::line)?,
        citation: title_page::optional(root, "citation", title_page::prose)?,
        contact: title_page::optional(root, "contact", title_page::line)?,
        keywords: title_page::keywords(root)?,
        budget,
        period: title_page::optional(root, "period", title_page::line)?,
        entries,
        columns: title_page::columns(root)?,
        text: text.to_owned(),
    })
}
