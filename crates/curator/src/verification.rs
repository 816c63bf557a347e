//! The chain of records and its anchor, read from the first to the last.

use pointillist_ledger::{OpenError, PublishedStatement, Spent, Verified};

use crate::Home;

/// A ledger that was found to be whole: every record follows from the one before, every payment was within its budget
/// when it was made, and the anchor names a record of this history.
#[derive(Clone, Debug)]
pub struct Verification {
    /// How many records there are; none where nobody has asked anything yet.
    pub records: u64,
    /// The hash of the last, in hex.
    pub head: Option<String>,
    /// Where the anchor is, where there is a ledger.
    pub anchor: Option<String>,
    /// What each account has spent.
    pub spent: Vec<Spent>,
    /// The releases that were published, the first one first.
    pub published: Vec<PublishedStatement>,
}

impl Home {
    /// Reads and checks every record. The ledger may be in use meanwhile.
    ///
    /// # Errors
    /// When a record is not what was written, or the anchor is not of this history.
    pub fn verify(&self) -> Result<Verification, OpenError> {
        Ok(match self.reader()? {
            None => Verification {
                records: 0,
                head: None,
                anchor: None,
                spent: Vec::new(),
                published: Vec::new(),
            },
            Some(reader) => {
                let Verified { records, head, spent } = reader.verified().clone();
                let anchor = Some(self.place().anchor_words());
                let published = reader.published().to_vec();
                Verification { records, head: Some(head.to_string()), anchor, spent, published }
            }
        })
    }
}
