//! A reader's view: everything checked, nothing locked, nothing written.

use std::io;

use pointillist_privacy::{Budget, Price};

use crate::anchor::Anchor;
use crate::book::{Balance, Book};
use crate::ledger::{HeldAnswer, Place, ReadParts};
use crate::record::{Account, Dataset, Entry, Epoch, Record, Release};
use crate::replay::{Verified, replay};
use crate::store::Store;
use crate::{Digest, OpenError, PreparedPlan, PublishedStatement, Question, seal};

/// A ledger as it stood when it was read. It may be in use by its writer at the same time.
pub struct LedgerReader {
    book: Book,
    history: Vec<(Entry, Digest)>,
    verified: Verified,
}

impl LedgerReader {
    /// Reads all records and compares them with the anchor.
    ///
    /// # Errors
    /// When there is no ledger, and when [`Ledger::open`](crate::Ledger::open) would refuse it.
    pub fn read(place: &Place) -> Result<Self, OpenError> {
        let missing = || OpenError::Store(io::Error::from(io::ErrorKind::NotFound));
        Self::read_if_any(place)?.ok_or_else(missing)
    }

    /// The same; `None` where there is neither a record nor an anchor, so that nothing is spent.
    ///
    /// # Errors
    /// When [`Ledger::open`](crate::Ledger::open) would refuse it.
    pub fn read_if_any(place: &Place) -> Result<Option<Self>, OpenError> {
        let ReadParts { anchor, store, id } = place.open_to_read()?;
        let Some(mut store) = store else {
            return match anchor {
                Some(anchor) => Err(nothing_but(&anchor)),
                None => place.check_folder(id, true, false).map(|()| None),
            };
        };
        let reader = Self::of(&mut *store, anchor.as_ref())?;
        place.check_folder(id, reader.book.is_blank(), anchor.is_some())?;
        Ok(Some(reader))
    }

    fn of(store: &mut dyn Store, anchor: Option<&Anchor>) -> Result<Self, OpenError> {
        let mut history = Vec::new();
        let replayed = replay(store, anchor, |entry, hash| history.push((entry.clone(), hash)))?;
        replayed.compare(anchor)?;
        let verified = replayed.verified();
        Ok(Self { book: replayed.book, history, verified })
    }

    /// Everybody who may write to it.
    pub fn servers(&self) -> Vec<Epoch> {
        self.book.writers().live()
    }

    /// How many records there are, and what they add up to.
    pub fn verified(&self) -> &Verified {
        &self.verified
    }

    /// Every record in order, with the head of the chain after it.
    pub fn history(&self) -> &[(Entry, Digest)] {
        &self.history
    }

    /// What the scope holds; `None` for a scope the ledger has never heard of.
    pub fn balance(&self, scope: &str) -> Option<Balance> {
        self.book.balance(scope)
    }

    /// What the analyst has of the scope; `None` where they have neither spent anything nor been granted a share.
    pub fn share(&self, scope: &str, analyst: &str) -> Option<Balance> {
        self.book.share(scope, analyst)
    }

    /// Every scope followed by its shares, in the order of their names.
    pub fn balances(&self) -> Vec<(Account, Balance)> {
        self.book.balances()
    }

    /// The budget of a scope as the ledger knows it.
    pub fn granted(&self, scope: &str) -> Option<Budget> {
        self.book.granted(scope)
    }

    /// What a table or a graph was when the owner last said so.
    pub fn dataset(&self, name: &str) -> Option<&Dataset> {
        self.book.dataset(name)
    }

    /// See [`Ledger::prepared`](crate::Ledger::prepared).
    pub fn prepared(&self, plan: &Digest) -> Option<&PreparedPlan> {
        self.book.publications().prepared(plan)
    }

    /// See [`Ledger::published`](crate::Ledger::published).
    pub fn published(&self) -> &[PublishedStatement] {
        self.book.publications().published()
    }

    /// See [`Ledger::held`](crate::Ledger::held).
    pub fn held(&self, scope: &str, analyst: &str, question: &Question) -> Vec<HeldAnswer> {
        let open = |(id, release_seq): (Digest, u64)| {
            let at = self.history.binary_search_by_key(&release_seq, |(entry, _)| entry.seq).ok()?;
            let (entry, _) = &self.history[at];
            let Record::Release(Release { reserve_seq, sealed, .. }) = &entry.record else { return None };
            let answer = seal::open(question, entry.epoch, *reserve_seq, sealed)?;
            Some(HeldAnswer { question: question.named(id), answer })
        };
        self.book.held(scope, analyst, question).into_iter().filter_map(open).collect()
    }

    /// See [`Ledger::how_many_more`](crate::Ledger::how_many_more).
    pub fn how_many_more(&self, scope: &str, analyst: &str, price: &Price) -> Option<u64> {
        self.book.how_many_more(scope, analyst, price)
    }
}

/// Why there is no ledger where there is an anchor alone.
fn nothing_but(anchor: &Anchor) -> OpenError {
    match &anchor.home {
        Some(home) => OpenError::Elsewhere { to: home.name().to_owned() },
        None => OpenError::AnchorAhead { seq: 0, anchor_seq: anchor.seq },
    }
}
