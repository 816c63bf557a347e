//! Whether the tables of a release are those that the ledger's record of its numbers makes.

use pointillist_curator::{Clock, Home};
use pointillist_errors::Explained;

use super::{Statement, VerifyError};
use crate::{PlanFile, prepare, recorded_files};

/// What became of comparing published numbers with those of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumbersCheck {
    /// Every table is, byte for byte, what the ledger's record makes.
    Same,
    /// They could not be compared, for this reason.
    NotCompared(String),
}

/// Makes the tables again from the ledger and compares them. Reads no rows, spends nothing; locks the ledger.
pub(super) fn compare(statement: &Statement, home: &Home) -> Result<NumbersCheck, VerifyError> {
    let impossible = |error: &dyn Explained| Ok(NumbersCheck::NotCompared(error.to_string()));
    let no_plan = || NumbersCheck::NotCompared("the statement holds no plan".to_owned());
    let file = match statement.json["plan"].as_str().map(PlanFile::parse) {
        None => return Ok(no_plan()),
        Some(Err(error)) => return impossible(&error),
        Some(Ok(file)) => file,
    };
    let curator = match home.curator(Clock::Immediate) {
        Err(error) => return impossible(&error),
        Ok(curator) => curator,
    };
    match prepare(home, &curator, &file) {
        Err(error) => return impossible(&error),
        Ok(prepared) if prepared.digest != statement.plan => {
            let why = "the catalog is about other data, or other versions of it, by now";
            return Ok(NumbersCheck::NotCompared(why.to_owned()));
        }
        Ok(_) => {}
    }
    let files = match recorded_files(home, &curator, &file) {
        Err(error) => return impossible(&error),
        Ok(None) => return Err(VerifyError::OtherNumbers { path: "release.json".to_owned() }),
        Ok(Some(files)) => files,
    };
    let differs = |made: &&crate::FileBytes| {
        let mut listed = statement.files.iter();
        !listed.any(|listed| listed.path == made.name && listed.sha256 == made.digest())
    };
    let is_other_software = statement.json["software"] != crate::SOFTWARE;
    match files.iter().find(differs) {
        None => Ok(NumbersCheck::Same),
        Some(_) if is_other_software => {
            Ok(NumbersCheck::NotCompared("another version of the software wrote them".to_owned()))
        }
        Some(made) => Err(VerifyError::OtherNumbers { path: made.name.clone() }),
    }
}
