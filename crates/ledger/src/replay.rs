//! Reading everything again, and what to make of it.
//!
//! | the anchor | the ledger | verdict |
//! |---|---|---|
//! | none | empty, or has seen nothing but starts | a new ledger |
//! | none | has more | refused: nothing would notice an older copy |
//! | record n | contains it, and maybe more | fine; more means a crash between the two writes |
//! | record n | does not contain it, but a burn that names it | fine: the owner has accepted that |
//! | record n | is shorter | refused: an older copy was restored |
//! | record n | has another record n | refused: two histories |
//! | any | has departed to another store | refused: it goes on there |
//! | names a store | has not arrived there | refused: it goes on there, and nobody accepts a copy from before |

use crate::anchor::Anchor;
use crate::book::Book;
use crate::chain::Head;
use crate::record::{Entry, Record, Spent};
use crate::store::Store;
use crate::{Digest, OpenError};

/// Rows that are held in memory at a time.
const PAGE: usize = 256;

/// A ledger that was read from its first record to its last, and agrees with its anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many records there are.
    pub records: u64,
    /// The hash of the last.
    pub head: Digest,
    /// What they add up to.
    pub spent: Vec<Spent>,
}

pub(crate) struct Replayed {
    pub book: Book,
    pub head: Head,
    /// Whether the record that the anchor names is there.
    contains_anchor: bool,
    /// The records after that one; all of them where it is not there.
    pub after_anchor: Vec<Head>,
}

/// Reads all records, checks the chain and enters them in a book.
pub(crate) fn replay(
    store: &mut dyn Store,
    anchor: Option<&Anchor>,
    mut each: impl FnMut(&Entry, Digest),
) -> Result<Replayed, OpenError> {
    let mut replayed = Replayed {
        book: Book::default(),
        head: Head::START,
        contains_anchor: false,
        after_anchor: Vec::new(),
    };
    let Replayed { book, head, contains_anchor, after_anchor } = &mut replayed;
    loop {
        let rows = store.read(head.seq + 1, PAGE).map_err(OpenError::Store)?;
        if rows.is_empty() {
            return Ok(replayed);
        }
        for row in &rows {
            let entry = head.follow(row)?;
            let damaged = |problem| OpenError::Damaged { seq: entry.seq, problem };
            book.enter(&entry).map_err(damaged)?;
            after_anchor.push(*head);
            if let Some(anchor) = anchor.filter(|anchor| (anchor.seq, anchor.head) == (row.seq, row.hash)) {
                *contains_anchor = true;
                after_anchor.clear();
                if book.spent() != anchor.spent {
                    return Err(damaged(
                        "up to here the records add up to something else than the anchor says",
                    ));
                }
            }
            each(&entry, row.hash);
        }
    }
}

impl Replayed {
    /// Whether the records can be trusted to be all there are.
    pub fn compare(&self, anchor: Option<&Anchor>) -> Result<(), OpenError> {
        let seq = self.head.seq;
        if let Some(departure) = self.book.writers().departure() {
            return Err(OpenError::Departed { to: departure.name.clone() });
        }
        let home = anchor.and_then(|anchor| anchor.home.as_ref());
        if let Some(home) = home.filter(|home| self.book.writers().home() != Some(home.store)) {
            return Err(OpenError::Elsewhere { to: home.name().to_owned() });
        }
        match anchor {
            None if self.book.is_blank() => Ok(()),
            None => Err(OpenError::AnchorMissing { seq }),
            Some(anchor) if self.contains_anchor || self.book.has_burned(anchor) => Ok(()),
            Some(anchor) if anchor.seq > seq => Err(OpenError::AnchorAhead { seq, anchor_seq: anchor.seq }),
            Some(anchor) => Err(OpenError::Forked { anchor_seq: anchor.seq }),
        }
    }

    /// The record by which the owner goes on without what the anchor has seen.
    ///
    /// A shorter ledger whose last writer is the one that the anchor has seen is a beginning of what it has seen: an
    /// epoch is one process with one history, which only grows, and both its record and its anchor are of that; a process
    /// whose history is not the store's writes neither. Then the anchor's sums are the truth. Anything else may be another
    /// history, however short; of two histories both were spent, and at most the two together.
    pub fn burn(&self, anchor: &Anchor) -> Record {
        let is_older_copy = anchor.seq > self.head.seq && self.book.writers().last() == Some(anchor.epoch);
        let known = self.book.spent();
        let raised = |line: &Spent| {
            let here = known.iter().find(|other| other.account == line.account).map(|other| other.amount);
            let here = here.filter(|_| !is_older_copy).unwrap_or_default();
            Spent { amount: line.amount.plus(here), ..line.clone() }
        };
        let spent = anchor.spent.iter().map(raised).collect();
        Record::Burn { anchor_seq: anchor.seq, anchor_head: anchor.head, spent }
    }

    pub fn verified(&self) -> Verified {
        Verified { records: self.head.seq, head: self.head.hash, spent: self.book.spent() }
    }
}
