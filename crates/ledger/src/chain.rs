//! Every record is tied to the one before it.
//!
//! **Guarantee.** The hash of a record covers all records up to it, so that a record that is changed, left out,
//! moved or added shows in every head after it. Only the end of a chain can go missing unnoticed, and that is
//! what the [anchor](crate::Anchor) is for.

use crate::record::Entry;
use crate::store::Row;
use crate::{Digest, OpenError};

/// The end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub seq: u64,
    pub hash: Digest,
}

impl Head {
    /// Before the first record.
    pub const START: Self = Self { seq: 0, hash: Digest([0; 32]) };

    /// Ties a new record to the chain. The entry must carry the next number.
    pub fn extend(&mut self, entry: &Entry) -> Row {
        let body = entry.encode();
        self.seq += 1;
        self.hash = link(self.hash, &body);
        Row { seq: self.seq, hash: self.hash, body }
    }

    /// Follows a stored record, or says what is wrong with it.
    pub fn follow(&mut self, row: &Row) -> Result<Entry, OpenError> {
        let seq = self.seq + 1;
        let damaged = |problem| OpenError::Damaged { seq, problem };
        if row.seq != seq {
            return Err(damaged("it is missing"));
        }
        if row.hash != link(self.hash, &row.body) {
            return Err(damaged("its hash does not follow from the record before it and its contents"));
        }
        let entry = Entry::decode(&row.body).ok_or(damaged("its contents do not read as a record"))?;
        if entry.seq != seq {
            return Err(damaged("it belongs to another place"));
        }
        *self = Self { seq, hash: row.hash };
        Ok(entry)
    }
}

/// Whether a row is tied to the one with this hash, or to nothing where there is none.
pub(crate) fn follows(row: &Row, previous: Option<Digest>) -> bool {
    row.hash == link(previous.unwrap_or(Head::START.hash), &row.body)
}

fn link(previous: Digest, body: &[u8]) -> Digest {
    Digest::of("pointillist record", &[&previous.0, body])
}
