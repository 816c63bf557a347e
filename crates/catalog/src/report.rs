//! What a catalog means, in plain words: who is protected, what analysts see, what looks risky.
//!
//! Nothing here reads data. A report is for the owner; it may be shown to anyone who may read the catalog, except
//! where the owner passed numbers of people.

mod risk;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Catalog;
pub(crate) use words::{DIGITS, budget as budget_words};

/// What `pointillist check` says about a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Who is protected, table by table.
    pub protected: Vec<Statement>,
    /// What analysts can name and spend.
    pub visible: Vec<Statement>,
    /// What to look at again, risks first.
    pub findings: Vec<Finding>,
}

/// Something that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The key in the catalog, such as `table.visits`.
    pub place: String,
    /// The statement, in a sentence or two.
    pub words: String,
}

/// Something to look at again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The key in the catalog, such as `table.visits.columns.cost`.
    pub place: String,
    /// What looks risky, in a sentence.
    pub words: String,
    /// What to do about it.
    pub advice: String,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nobody can ask about it as it is.
    Error,
    /// People may be less protected than the owner thinks.
    Risk,
    /// Analysts will meet a limit.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Risk => "risk",
            Self::Note => "note",
        }
    }
}

impl Catalog {
    /// What the catalog means and what looks risky, without looking at data.
    pub fn report(&self) -> Report {
        self.report_for(&BTreeMap::new())
    }

    /// The same, where the owner knows how many people some scopes have. The numbers are private: a report made
    /// with them is for the owner alone.
    pub fn report_for(&self, people: &BTreeMap<String, u64>) -> Report {
        let mut findings = risk::findings(self, people);
        findings.sort_by(|a, b| (a.severity, &a.place).cmp(&(b.severity, &b.place)));
        Report { protected: words::protected(self), visible: words::visible(self), findings }
    }
}
