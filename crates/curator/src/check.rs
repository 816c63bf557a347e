//! What a catalog means and what looks risky, with a look at the files: `check`, and the owner's page.
//!
//! **For the owner alone.** What files hold is data: how many rows there are, and what is wrong with them. Nothing of
//! it is shown to whoever asks questions.

mod files;
mod servers;
mod units;
mod usability;

use pointillist_catalog::{Finding, Severity, Statement};
use serde::Serialize;

use crate::anchor_place;
use crate::datasets::one_payer_a_file;
use crate::{Home, StartError};

/// Everything that the owner should know about a catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Who is protected, table by table.
    pub protected: Vec<Statement>,
    /// What analysts can name and spend.
    pub visible: Vec<Statement>,
    /// What to look at again, worst first.
    pub findings: Vec<Finding>,
    /// How many of the findings keep everybody from asking.
    pub errors: usize,
    /// How many of them may cost people protection.
    pub risks: usize,
    /// Whether the files were read, or the catalog alone.
    pub data_read: bool,
}

impl Check {
    /// How many findings there are of a kind.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

impl Home {
    /// Reads every file once, asks every server what its tables are, and says what the catalog means, what does not fit it and what looks risky.
    ///
    /// # Errors
    /// When two populations would pay for one file: no curator opens then.
    pub fn check(&self) -> Result<Check, StartError> {
        self.checked(true)
    }

    /// The same without a look at what is in the files: for doors. How many values lie outside of bounds is an exact count, of bounds
    /// that whoever asks may choose.
    ///
    /// # Errors
    /// As [`Home::check`].
    pub fn check_declarations(&self) -> Result<Check, StartError> {
        self.checked(false)
    }

    fn checked(&self, data_read: bool) -> Result<Check, StartError> {
        one_payer_a_file(&self.folder, &self.catalog)?;
        let report = self.catalog.report();
        let mut findings = report.findings;
        if data_read {
            findings.extend(units::findings(&self.folder, &self.catalog));
            findings.extend(files::findings(&self.folder, &self.catalog));
            findings.extend(servers::findings(&self.folder, &self.catalog));
        }
        findings.extend(anchor_place::findings(self));
        findings.sort_by(|a, b| (a.severity, &a.place).cmp(&(b.severity, &b.place)));
        let (protected, visible) = (report.protected, report.visible);
        let mut check = Check { protected, visible, findings, errors: 0, risks: 0, data_read };
        (check.errors, check.risks) = (check.count(Severity::Error), check.count(Severity::Risk));
        Ok(check)
    }
}

fn finding(severity: Severity, place: &str, words: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding { severity, place: place.to_owned(), words: words.into(), advice: advice.into() }
}
