//! What the ledger writes down. There is no verb for a refund, and a refusal leaves no record.
//!
//! | record | says |
//! |---|---|
//! | [`Record::Epoch`] | a new writer has started |
//! | [`Record::Grant`] | the owner sets what may be spent by a scope, or by one analyst within it |
//! | [`Record::Dataset`] | the owner says where rows are, whose they are and which scope pays for them |
//! | [`Record::Reserve`] | an answer is paid for; spent for ever, whether or not the answer ever comes |
//! | [`Record::Release`] | the answer to a reservation, sealed |
//! | [`Record::Repeat`] | somebody gets an answer that exists: nothing from the scope, at most a share |
//! | [`Record::Burn`] | the owner goes on after a restored backup: spent is raised to what was known |
//! | [`Record::Preparation`] | somebody wants a plan to be carried out; spends nothing |
//! | [`Record::Approval`] | somebody else agrees; spends nothing |
//! | [`Record::Publication`] | which statement was published about an answer; spends nothing |
//! | [`Record::Join`] | one more writer has started, beside those that write already; in a shared store |
//! | [`Record::Fence`] | a writer is over: it has left, or the owner has taken it out |
//! | [`Record::Departure`] | the ledger leaves this store; nothing follows but its arrival in another |
//! | [`Record::Arrival`] | the ledger goes on in the store that its departure names |
//!
//! **Time.** The caller's clock stamps every record but [`Record::Release`] and [`Record::Publication`], which follows it
//! at once: how long an answer took is not for whoever reads the ledger.

mod publication;
mod server;

use std::fmt;
use std::str::FromStr;

use pointillist_privacy::{Amount, Budget, Currency};

use crate::Digest;
use crate::digest::{bytes_from_hex, hex};
use crate::encoding::{Decoder, Encoder};

pub use publication::{Approval, Preparation, Publication};
pub use server::{Departure, StoreId};

/// The name of a writer: 16 bytes, new at every start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub [u8; 16]);

impl fmt::Display for Epoch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex(&self.0))
    }
}

/// The hexadecimal digits that [`Epoch`] is shown as.
impl FromStr for Epoch {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        bytes_from_hex(text).map(Self).ok_or(())
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Epoch({self})")
    }
}

/// A sum that is kept: that of a scope, or that of one analyst within it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account {
    /// The population.
    pub scope: String,
    /// Nobody for the scope as a whole.
    pub analyst: Option<String>,
}

/// What an account has spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Whose sum.
    pub account: Account,
    /// What is counted.
    pub currency: Currency,
    /// How much.
    pub amount: Amount,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A new writer has started.
    Epoch,
    /// The owner sets what an account may spend in all.
    Grant {
        /// The scope, or a share in it.
        account: Account,
        /// What may be spent, replacing what was granted before.
        budget: Budget,
    },
    /// The owner says what a name of the catalog stands for.
    Dataset(Dataset),
    /// An answer is paid for.
    Reserve(Reserve),
    /// An answer is recorded.
    Release(Release),
    /// An answer is given once more.
    Repeat(Repeat),
    /// The owner goes on without what an anchor has seen.
    Burn {
        /// The last record that the anchor has seen.
        anchor_seq: u64,
        /// Its hash.
        anchor_head: Digest,
        /// What each account has spent at least.
        spent: Vec<Spent>,
    },
    /// Somebody wants a plan to be carried out.
    Preparation(Preparation),
    /// Somebody else agrees.
    Approval(Approval),
    /// A statement about an answer was published.
    Publication(Publication),
    /// One more writer has started. Those before it go on.
    Join,
    /// A writer is over.
    Fence {
        /// The writer whose charges count no more.
        epoch: Epoch,
    },
    /// The ledger leaves this store.
    Departure(Departure),
    /// The ledger goes on in another store, with a new writer and none of those before.
    Arrival {
        /// The store in which it goes on.
        at: StoreId,
    },
}

/// What a table or a graph was when the owner last said so. The same name with another scope, another file or another
/// unit would be a budget by the back door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// The name, with its kind: `table visits`.
    pub name: String,
    /// The population that pays; nobody where anyone may read every row.
    pub scope: Option<String>,
    /// Where the rows are, as the owner wrote it.
    pub source: String,
    /// Whose a row is, in words of the caller's.
    pub unit: String,
}

/// Who asks for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The caller's name for this request, if it gave one; only such a request can be repeated safely.
    pub request_id: Option<String>,
    /// Who pays from their share.
    pub analyst: String,
    /// Which population pays.
    pub scope: String,
    /// The question's [`id`](crate::Question::id).
    pub question: Digest,
    /// A hash of the whole request: one id has one request.
    pub request: Digest,
}

/// A payment: the same cost counts against the scope and against the analyst's share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// By whom, for what.
    pub asked: Asked,
    /// How much.
    pub cost: Amount,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The reservation that paid for it.
    pub reserve_seq: u64,
    /// The request of that reservation.
    pub request_id: Option<String>,
    /// See [`crate::Question::answer_hash`].
    pub answer_hash: Digest,
    /// The answer, encrypted to its question.
    pub sealed: Vec<u8>,
}

/// An existing answer, given once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// To whom, for what.
    pub asked: Asked,
    /// The answer given.
    pub release_seq: u64,
    /// What it costs the analyst's share: nothing if they have paid for this answer before.
    pub share_cost: Amount,
}

/// A record with its place in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// The writer.
    pub epoch: Epoch,
    /// Seconds since 1970 on the writer's clock.
    pub at: Option<u64>,
    /// What is recorded: a charge, an answer, a budget, …
    pub record: Record,
}

impl Entry {
    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.number(self.seq);
        out.fixed(&self.epoch.0);
        out.optional(self.at, |out, at| out.number(at));
        self.record.encode(&mut out);
        out.finish()
    }

    /// Reads canonical bytes; `None` for any others.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Decoder::new(bytes);
        let entry = Self {
            seq: from.number()?,
            epoch: Epoch(from.fixed()?),
            at: from.optional(Decoder::number)?,
            record: Record::decode(&mut from)?,
        };
        from.finish()?;
        Some(entry)
    }

    /// The same without what depends on noise: two runs that differ only in the data agree on the rest.
    pub fn without_answer(mut self) -> Self {
        match &mut self.record {
            Record::Release(release) => {
                release.answer_hash = Digest([0; 32]);
                release.sealed.clear();
            }
            Record::Publication(publication) => publication.statement = Digest([0; 32]),
            _ => {}
        }
        self
    }
}

impl Record {
    /// One word for people to read.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Epoch => "epoch",
            Self::Grant { .. } => "grant",
            Self::Dataset(_) => "dataset",
            Self::Reserve(_) => "reserve",
            Self::Release(_) => "release",
            Self::Repeat(_) => "repeat",
            Self::Burn { .. } => "burn",
            Self::Preparation(_) => "preparation",
            Self::Approval(_) => "approval",
            Self::Publication(_) => "publication",
            Self::Join => "join",
            Self::Fence { .. } => "fence",
            Self::Departure(_) => "departure",
            Self::Arrival { .. } => "arrival",
        }
    }

    /// Whether the record is stamped with a time: not where that would tell how long an answer took.
    pub(crate) fn has_time(&self) -> bool {
        !matches!(self, Self::Release(_) | Self::Publication(_))
    }

    fn encode(&self, out: &mut Encoder) {
        match self {
            Self::Epoch => out.byte(1),
            Self::Grant { account, budget } => {
                out.byte(2);
                encode_account(out, account);
                out.byte(currency_code(budget.currency));
                out.amount(budget.amount);
            }
            Self::Reserve(reserve) => {
                out.byte(3);
                encode_asked(out, &reserve.asked);
                out.amount(reserve.cost);
            }
            Self::Release(release) => {
                out.byte(4);
                out.number(release.reserve_seq);
                out.optional(release.request_id.as_deref(), Encoder::text);
                out.fixed(&release.answer_hash.0);
                out.bytes(&release.sealed);
            }
            Self::Repeat(repeat) => {
                out.byte(5);
                encode_asked(out, &repeat.asked);
                out.number(repeat.release_seq);
                out.amount(repeat.share_cost);
            }
            Self::Burn { anchor_seq, anchor_head, spent } => {
                out.byte(6);
                out.number(*anchor_seq);
                out.fixed(&anchor_head.0);
                out.number(spent.len() as u64);
                for line in spent {
                    encode_account(out, &line.account);
                    out.byte(currency_code(line.currency));
                    out.amount(line.amount);
                }
            }
            Self::Dataset(Dataset { name, scope, source, unit }) => {
                out.byte(7);
                out.text(name);
                out.optional(scope.as_deref(), Encoder::text);
                out.text(source);
                out.text(unit);
            }
            Self::Preparation(preparation) => {
                out.byte(8);
                preparation.encode(out);
            }
            Self::Approval(approval) => {
                out.byte(9);
                approval.encode(out);
            }
            Self::Publication(publication) => {
                out.byte(10);
                publication.encode(out);
            }
            Self::Join => out.byte(11),
            Self::Fence { epoch } => {
                out.byte(12);
                out.fixed(&epoch.0);
            }
            Self::Departure(departure) => {
                out.byte(13);
                departure.encode(out);
            }
            Self::Arrival { at } => {
                out.byte(14);
                out.fixed(&at.0);
            }
        }
    }

    fn decode(from: &mut Decoder) -> Option<Self> {
        Some(match from.byte()? {
            1 => Self::Epoch,
            2 => {
                let account = decode_account(from)?;
                let budget = Budget { currency: decode_currency(from)?, amount: from.amount()? };
                Self::Grant { account, budget }
            }
            3 => Self::Reserve(Reserve { asked: decode_asked(from)?, cost: from.amount()? }),
            4 => Self::Release(Release {
                reserve_seq: from.number()?,
                request_id: from.optional(Decoder::text)?,
                answer_hash: from.digest()?,
                sealed: from.bytes()?,
            }),
            5 => Self::Repeat(Repeat {
                asked: decode_asked(from)?,
                release_seq: from.number()?,
                share_cost: from.amount()?,
            }),
            6 => {
                let (anchor_seq, anchor_head) = (from.number()?, from.digest()?);
                let spent = (0..from.number()?).map(|_| decode_spent(from)).collect::<Option<_>>()?;
                Self::Burn { anchor_seq, anchor_head, spent }
            }
            7 => Self::Dataset(Dataset {
                name: from.text()?,
                scope: from.optional(Decoder::text)?,
                source: from.text()?,
                unit: from.text()?,
            }),
            8 => Self::Preparation(Preparation::decode(from)?),
            9 => Self::Approval(Approval::decode(from)?),
            10 => Self::Publication(Publication::decode(from)?),
            11 => Self::Join,
            12 => Self::Fence { epoch: Epoch(from.fixed()?) },
            13 => Self::Departure(Departure::decode(from)?),
            14 => Self::Arrival { at: StoreId(from.fixed()?) },
            _ => return None,
        })
    }
}

fn encode_account(out: &mut Encoder, account: &Account) {
    out.text(&account.scope);
    out.optional(account.analyst.as_deref(), Encoder::text);
}

fn decode_account(from: &mut Decoder) -> Option<Account> {
    Some(Account { scope: from.text()?, analyst: from.optional(Decoder::text)? })
}

fn decode_spent(from: &mut Decoder) -> Option<Spent> {
    let account = decode_account(from)?;
    Some(Spent { account, currency: decode_currency(from)?, amount: from.amount()? })
}

fn encode_asked(out: &mut Encoder, asked: &Asked) {
    out.optional(asked.request_id.as_deref(), Encoder::text);
    out.text(&asked.analyst);
    out.text(&asked.scope);
    out.fixed(&asked.question.0);
    out.fixed(&asked.request.0);
}

fn decode_asked(from: &mut Decoder) -> Option<Asked> {
    Some(Asked {
        request_id: from.optional(Decoder::text)?,
        analyst: from.text()?,
        scope: from.text()?,
        question: from.digest()?,
        request: from.digest()?,
    })
}

fn currency_code(currency: Currency) -> u8 {
    match currency {
        Currency::Zcdp => 1,
        Currency::Pure => 2,
    }
}

fn decode_currency(from: &mut Decoder) -> Option<Currency> {
    match from.byte()? {
        1 => Some(Currency::Zcdp),
        2 => Some(Currency::Pure),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
