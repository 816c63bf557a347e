//! The owner's explicit way on when a ledger and its anchor disagree.
//!
//! First look for the newer copy: recovering is for when there is none. What it means is said before it is done, and
//! nothing is done to a ledger that has another problem than the owner says.

use pointillist_ledger::{Ledger, LedgerReader, OpenError, Options};

use crate::{Home, StartError};

/// What the owner says has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// An older copy of the ledger was put back, and the newer one is lost.
    Restored,
    /// The anchor is lost, and nobody can have put an older copy of the ledger back.
    MissingAnchor,
}

/// What going on would mean, in words; nothing where the ledger and its anchor agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequences(pub Option<String>);

impl Home {
    /// What going on after a mishap would mean. Changes nothing.
    ///
    /// # Errors
    /// When the ledger has another problem than the owner says: that problem.
    pub fn consequences(&self, mishap: Mishap) -> Result<Consequences, OpenError> {
        let words = match (LedgerReader::read(&self.place()), mishap) {
            (Ok(_), _) => None,
            (Err(OpenError::AnchorAhead { seq, anchor_seq }), Mishap::Restored) => Some(format!(
                "The ledger ends at record {seq}; the anchor has seen record {anchor_seq}. What the anchor knows to be \
                 spent stays spent; what these records say comes on top, unless they are certainly a part of that. \
                 Answers given after record {seq} are forgotten: asked again, they are charged again."
            )),
            (Err(OpenError::Forked { anchor_seq }), Mishap::Restored) => Some(format!(
                "Record {anchor_seq} is not the one that the anchor has seen: there were two histories. What was spent \
                 in either is counted as spent, both together."
            )),
            (Err(OpenError::AnchorMissing { seq }), Mishap::MissingAnchor) => Some(format!(
                "The ledger has {seq} records and no anchor. Whoever goes on vouches that these records are the newest: \
                 if an older copy was restored, what was spent since is forgotten and people are less protected."
            )),
            (Err(error), _) => return Err(error),
        };
        Ok(Consequences(words))
    }

    /// Goes on; says at which record. Only the owner may call this, knowing the [consequences](Home::consequences).
    ///
    /// # Errors
    /// When the ledger has another problem than the owner says, or is in use.
    pub fn recover(&self, mishap: Mishap) -> Result<u64, StartError> {
        let place = self.place();
        let ledger = match mishap {
            Mishap::Restored => Ledger::accept_restored(&place, Options::default())?,
            Mishap::MissingAnchor => Ledger::accept_missing_anchor(&place, Options::default())?,
        };
        Ok(ledger.verify()?.records)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pointillist_catalog::Catalog;

    use super::*;
    use crate::Clock;

    const CATALOG: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n";

    /// Specification: a lost anchor is gone on from when the owner says that it is lost, and not for any other reason.
    #[test]
    fn a_mishap_is_recovered_from_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned(), Catalog::parse(CATALOG).unwrap());
        drop(home.curator(Clock::Immediate).unwrap());
        assert_eq!(home.consequences(Mishap::Restored).unwrap(), Consequences(None));
        fs::remove_file(home.place().anchor()).unwrap();
        assert!(matches!(home.consequences(Mishap::Restored), Err(OpenError::AnchorMissing { .. })));
        assert!(home.recover(Mishap::Restored).is_err());
        assert!(home.consequences(Mishap::MissingAnchor).unwrap().0.is_some());
        assert!(home.recover(Mishap::MissingAnchor).unwrap() > 0);
        assert_eq!(home.consequences(Mishap::MissingAnchor).unwrap(), Consequences(None));
        home.curator(Clock::Immediate).expect("it serves again");
    }
}
