//! The only writer of budgets.
//!
//! **Guarantee.** Σ cost of all answers anybody has seen ≤ spent ≤ granted, at all times and after any crash. When
//! [`Ledger::charge`] hands out a receipt, the debit is on disk and in the anchor. It is never undone. When
//! [`Ledger::record`] returns, so is the answer, and only then may it be sent.
//!
//! **Order.** Records are judged, numbered and queued under one lock. One caller at a time writes, and takes along
//! everything that was queued while the one before was writing. For each batch: look that the anchor is still the
//! one we left (nobody else has taken over), commit to the store, write the anchor, let the callers go on. A crash
//! before the commit forgets questions nobody was promised; after the commit, the ledger is ahead of the anchor by
//! one batch, which counts as spent.
//!
//! **Several servers** over one shared store judge within the turn in which they write, after they have entered what the
//! others wrote (`turn.rs`): the guarantee is about all of them together.
//!
//! **Failure.** Whatever goes wrong while writing, the ledger stops and says [`LedgerError::Stopped`] from then on.
//! It trusts its memory no more; opening again reads what is really there.

mod decisions;
mod folder_memory;
mod moving;
mod opening;
mod place;
mod publications;
mod servers;
mod turn;

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};

use pointillist_privacy::{Amount, Budget, Price};

use crate::book::{Balance, Book, Outcome, Verdict};
use crate::chain::Head;
use crate::record::{Account, Asked, Dataset, Entry, Epoch, Record, Release, Repeat, Reserve};
use crate::replay::{Verified, replay};
use crate::store::Row;
use crate::{ChargeError, Digest, LedgerError, NameError, OpenError, PreparedPlan, Question, Receipt, seal};

use turn::{Disk, Job, Patience};

pub use decisions::Decision;
pub use moving::{Destination, Moved};
pub use opening::Options;
pub use place::Place;
pub(crate) use place::ReadParts;

/// The longest answer that is kept.
const ANSWER_BYTES_MAX: usize = 64 << 20;
const NAME_BYTES_MAX: usize = 200;
/// Sources are paths, and paths are longer than names.
const PATH_BYTES_MAX: usize = 1 << 16;

/// Budgets on disk, and the right to spend them. Share it between threads by reference.
pub struct Ledger {
    epoch: Epoch,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    state: Mutex<State>,
    /// Told after every batch.
    written: Condvar,
    /// Never waited for by anybody who holds `state`.
    disk: Mutex<Disk>,
    /// Whether others write to the same store.
    is_shared: bool,
    /// The process that opened it: one that was forked from it has nothing to say here.
    process: u32,
    /// Held for as long as the ledger lives.
    _locks: Vec<File>,
}

/// What the records will add up to once everything queued is on disk.
struct State {
    book: Book,
    head: Head,
    queue: Vec<Row>,
    durable_seq: u64,
    is_writing: bool,
    /// Reservations whose receipts may still be held by somebody.
    open: HashMap<u64, Weak<()>>,
    stopped: Option<String>,
    /// In a shared store: what the next turn judges, and how many there were and are judged.
    jobs: Vec<Job>,
    jobs_queued: u64,
    jobs_done: u64,
}

/// How a charge went on, before its record is durable.
enum Judged {
    Paid { at: Head, asked: Asked, open: Arc<()> },
    Repeated { release_seq: u64, share_cost: Amount, paid_at: Option<Recorded> },
}

/// A wish to be answered.
#[derive(Clone, Debug)]
pub struct Charge {
    /// The caller's name for this request, unique among the analyst's; without one it cannot be repeated safely.
    pub request_id: Option<String>,
    /// Who asks.
    pub analyst: String,
    /// Whose budget pays.
    pub scope: String,
    /// What the answer costs; part of the question.
    pub price: Price,
    /// What is asked, at which price, of which version of the data.
    pub question: Question,
    /// A hash of the whole request as it came.
    pub request: Digest,
}

/// What a charge relies on. It is looked at in the turn in which the charge is judged: what was looked at before may be old.
#[derive(Clone, Debug, Default)]
pub struct Premises {
    /// What the catalog of the server says of its names. The ledger must have been told the same last, or nothing is sold.
    pub datasets: Arc<[Dataset]>,
    /// The plan whose approval pays: it must be approved, and used by nothing.
    pub approval: Option<Digest>,
}

/// A charge that went through.
#[derive(Debug)]
#[must_use = "a receipt that is dropped is budget that is lost"]
pub enum Charged {
    /// Paid for: compute the answer, and record it.
    Fresh(Receipt),
    /// Answered before: these are the same bytes.
    Repeat(Repeated),
}

/// An answer that was recorded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The bytes that were recorded.
    pub answer: Vec<u8>,
    /// The number of the record that holds them.
    pub release_seq: u64,
    /// The number of the reservation that paid for them.
    pub reserve_seq: u64,
    /// What this repetition cost the analyst's share. It costs the scope nothing.
    pub share_cost: Amount,
    /// Where that payment is recorded; `None` where nothing was written.
    pub paid_at: Option<Recorded>,
}

/// An answer that an analyst has paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldAnswer {
    /// What it answers. Charged again it is free.
    pub question: Question,
    /// The bytes that were recorded.
    pub answer: Vec<u8>,
}

/// Where an answer was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The number of the record.
    pub seq: u64,
    /// The head of the chain with it included.
    pub hash: Digest,
}

impl Ledger {
    /// Pays for an answer, or finds that it was paid for.
    ///
    /// | asked before? | outcome | scope pays | share pays |
    /// |---|---|---|---|
    /// | never answered | [`Charged::Fresh`] | the price | the price |
    /// | the same question, by the same analyst | [`Charged::Repeat`] | nothing | nothing |
    /// | the same question, by another analyst | [`Charged::Repeat`] | nothing | the price |
    /// | the same request id and request | [`Charged::Repeat`] | nothing | nothing |
    ///
    /// # Errors
    /// When a budget does not admit it, when the request id belongs to another request, to one that is being
    /// answered or to one whose answer was lost, and when the ledger has stopped. Refusals leave no record.
    pub fn charge(&self, charge: Charge) -> Result<Charged, ChargeError> {
        self.charge_if(charge, Premises::default())
    }

    /// The same, provided that these premises hold in the turn in which it is judged.
    ///
    /// # Errors
    /// As [`Ledger::charge`], and when one of them does not.
    pub fn charge_if(&self, charge: Charge, premises: Premises) -> Result<Charged, ChargeError> {
        let Charge { request_id, analyst, scope, price, question, request } = charge;
        check_name("name of the analyst", &analyst)?;
        check_name("name of the scope", &scope)?;
        request_id.as_deref().map_or(Ok(()), |id| check_name("request id", id))?;
        let asked = Asked { request_id, analyst, scope, question: question.id(), request };
        let judged = self.transact(move |ledger, state| ledger.judge(state, asked, price, &premises))?;
        match judged {
            Judged::Paid { at: Head { seq, hash }, asked, open } => {
                let epoch = self.epoch;
                Ok(Charged::Fresh(Receipt { seq, hash, epoch, asked, price, question, _open: open }))
            }
            Judged::Repeated { release_seq, share_cost, paid_at } => {
                self.repeat(release_seq, share_cost, paid_at, &question)
            }
        }
    }

    fn judge(
        &self,
        state: &mut State,
        asked: Asked,
        price: Price,
        premises: &Premises,
    ) -> Result<Judged, ChargeError> {
        let verdict = state.book.judge(&asked, &price)?;
        premises.check(&state.book, &verdict)?;
        match verdict {
            Verdict::Pay => {
                let reserve = Reserve { asked: asked.clone(), cost: price.amount() };
                let at = self.enqueue(state, Record::Reserve(reserve))?;
                let open = Arc::new(());
                state.open.insert(at.seq, Arc::downgrade(&open));
                Ok(Judged::Paid { at, asked, open })
            }
            Verdict::Repeat { release_seq, share_cost } => {
                // A free repetition without an id changes nothing, so that nothing needs to be written.
                let paid_at = match asked.request_id.is_some() || share_cost != Amount::ZERO {
                    true => {
                        let record = Record::Repeat(Repeat { asked, release_seq, share_cost });
                        let Head { seq, hash } = self.enqueue(state, record)?;
                        Some(Recorded { seq, hash })
                    }
                    false => None,
                };
                Ok(Judged::Repeated { release_seq, share_cost, paid_at })
            }
            Verdict::Known(Outcome::Released(release_seq)) => {
                Ok(Judged::Repeated { release_seq, share_cost: Amount::ZERO, paid_at: None })
            }
            Verdict::Known(Outcome::Reserved(seq)) => {
                let request_id = asked.request_id.unwrap_or_default();
                let is_open = state.open.get(&seq).is_some_and(|open| open.strong_count() > 0);
                // Another server may be answering it for as long as nobody has said that it is over.
                let payer = state.book.payer(seq).filter(|payer| *payer != self.epoch);
                let is_open_elsewhere = payer.is_some_and(|payer| state.book.writers().is_live(payer));
                match is_open || is_open_elsewhere {
                    true => Err(ChargeError::InFlight { request_id }),
                    false => Err(ChargeError::Spent { request_id }),
                }
            }
        }
    }

    /// The answers to questions of the same topic that this analyst has paid for, the first one first. Nobody else's:
    /// what others have bought is not for the asker to know.
    ///
    /// # Errors
    /// When the ledger has stopped.
    pub fn held(
        &self,
        scope: &str,
        analyst: &str,
        question: &Question,
    ) -> Result<Vec<HeldAnswer>, LedgerError> {
        let state = self.fresh()?;
        let held = state.book.held(scope, analyst, question);
        let last_seq = state.head.seq;
        drop(state);
        if held.is_empty() {
            return Ok(Vec::new());
        }
        // What is a moment old may not be on disk yet.
        self.settle(last_seq)?;
        let mut disk = self.disk.lock().map_err(|_| LedgerError::Stopped)?;
        let open = |(id, release_seq): (Digest, u64)| {
            let rows = disk.store.read(release_seq, 1).ok()?;
            let (_, answer) = answer_in(rows.first()?, question)?;
            Some(HeldAnswer { question: question.named(id), answer })
        };
        Ok(held.into_iter().filter_map(open).collect())
    }

    /// Records the answer that a receipt paid for. Send the answer only after this has returned. Other servers that hold a
    /// shared store for long are waited for: the answer is paid for, and would be lost.
    ///
    /// # Errors
    /// When the ledger has stopped, the receipt is not its own, or the answer is too long. The answer must not be
    /// sent then, and the payment stays spent.
    pub fn record(&self, receipt: Receipt, answer: &[u8]) -> Result<Recorded, LedgerError> {
        let release = self.release(&receipt, answer)?;
        let reserve_seq = receipt.seq;
        self.transact_with(Patience::Unbounded, move |ledger, state| {
            ledger.queue_release(state, reserve_seq, release)
        })
    }

    /// Records several answers, which are written and synced together. What one of them is refused for does not touch the
    /// others; they are in the order in which they came.
    pub fn record_all(&self, answers: Vec<(Receipt, Vec<u8>)>) -> Vec<Result<Recorded, LedgerError>> {
        let sealed =
            answers.iter().map(|(receipt, answer)| Ok((receipt.seq, self.release(receipt, answer)?)));
        let (sealed, refusals): (Vec<_>, Vec<_>) = sealed
            .map(|release: Result<(u64, Record), LedgerError>| match release {
                Ok(release) => (Some(release), None),
                Err(refusal) => (None, Some(refusal)),
            })
            .unzip();
        let recorded = self.transact_with(Patience::Unbounded, move |ledger, state| {
            let mut queue = |(reserve_seq, release)| ledger.queue_release(state, reserve_seq, release);
            Ok(sealed.into_iter().map(|release| release.map(&mut queue)).collect::<Vec<_>>())
        });
        // The receipts are held until here: their requests are being answered.
        let recorded = recorded.unwrap_or_else(|error: LedgerError| vec![Some(Err(error)); answers.len()]);
        let each = recorded.into_iter().zip(refusals);
        each.map(|(recorded, refusal)| match refusal {
            Some(refusal) => Err(refusal),
            None => recorded.unwrap_or(Err(LedgerError::Stopped)),
        })
        .collect()
    }

    fn queue_release(
        &self,
        state: &mut State,
        reserve_seq: u64,
        release: Record,
    ) -> Result<Recorded, LedgerError> {
        let Head { seq, hash } = self.enqueue(state, release)?;
        state.open.remove(&reserve_seq);
        Ok(Recorded { seq, hash })
    }

    /// The record of an answer, sealed.
    fn release(&self, receipt: &Receipt, answer: &[u8]) -> Result<Record, LedgerError> {
        if receipt.epoch != self.epoch {
            return Err(LedgerError::ForeignReceipt);
        }
        if answer.len() > ANSWER_BYTES_MAX {
            return Err(LedgerError::AnswerTooLong { bytes: answer.len(), bytes_max: ANSWER_BYTES_MAX });
        }
        Ok(Record::Release(Release {
            reserve_seq: receipt.seq,
            request_id: receipt.asked.request_id.clone(),
            answer_hash: receipt.question.answer_hash(answer),
            sealed: seal::seal(&receipt.question, receipt.epoch, receipt.seq, answer),
        }))
    }

    /// What a table or a graph was when the owner last said so.
    pub fn dataset(&self, name: &str) -> Result<Option<Dataset>, LedgerError> {
        Ok(self.fresh()?.book.dataset(name).cloned())
    }

    /// What the scope holds; `None` for a scope the ledger has never heard of.
    pub fn balance(&self, scope: &str) -> Result<Option<Balance>, LedgerError> {
        Ok(self.fresh()?.book.balance(scope))
    }

    /// What the analyst has of the scope; `None` where they have neither spent anything nor been granted a share.
    pub fn share(&self, scope: &str, analyst: &str) -> Result<Option<Balance>, LedgerError> {
        Ok(self.fresh()?.book.share(scope, analyst))
    }

    /// Every scope followed by its shares, in the order of their names.
    pub fn balances(&self) -> Result<Vec<(Account, Balance)>, LedgerError> {
        Ok(self.fresh()?.book.balances())
    }

    /// The budget of a scope as the ledger knows it, to be compared with what the catalog declares.
    pub fn granted(&self, scope: &str) -> Result<Option<Budget>, LedgerError> {
        Ok(self.fresh()?.book.granted(scope))
    }

    /// The share of an analyst as the ledger knows it.
    pub fn granted_share(&self, scope: &str, analyst: &str) -> Result<Option<Budget>, LedgerError> {
        Ok(self.fresh()?.book.share(scope, analyst).and_then(|share| share.budget()))
    }

    /// How many more answers at this price the analyst's share admits, whatever others have left of the scope; for
    /// somebody without a share, how many the scope admits. `None` without a budget in this currency.
    pub fn how_many_more(
        &self,
        scope: &str,
        analyst: &str,
        price: &Price,
    ) -> Result<Option<u64>, LedgerError> {
        Ok(self.fresh()?.book.how_many_more(scope, analyst, price))
    }

    /// Every durable record in order, with the head of the chain after it.
    pub fn history(&self) -> Result<Vec<(Entry, Digest)>, OpenError> {
        let mut history = Vec::new();
        self.read_again(|entry, hash| history.push((entry.clone(), hash)))?;
        Ok(history)
    }

    /// The durable records without what depends on noise: answers, their hashes and the hashes of the chain. Two
    /// runs over different data, with the same calls, clock and epoch, agree on every byte.
    pub fn public_bytes(&self) -> Result<Vec<u8>, OpenError> {
        Ok(self.history()?.into_iter().flat_map(|(entry, _)| entry.without_answer().encode()).collect())
    }

    /// Reads everything from disk again, and compares it with the anchor.
    pub fn verify(&self) -> Result<Verified, OpenError> {
        self.read_again(|_, _| {})
    }

    /// Why the ledger has stopped, for the owner and for nobody else; `None` while it serves.
    pub fn why_stopped(&self) -> Option<String> {
        match self.state.lock() {
            Ok(state) => state.stopped.clone(),
            Err(_) => Some("a panic while judging".to_owned()),
        }
    }

    /// The head of the chain on disk.
    pub fn head(&self) -> Result<Recorded, LedgerError> {
        let disk = self.disk.lock().map_err(|_| LedgerError::Stopped)?;
        drop(self.state()?);
        let anchor = disk.anchor.as_ref().ok_or(LedgerError::Stopped)?;
        Ok(Recorded { seq: anchor.seq, hash: anchor.head })
    }

    fn read_again(&self, each: impl FnMut(&Entry, Digest)) -> Result<Verified, OpenError> {
        let mut disk = self.disk.lock().map_err(|_| LedgerError::Stopped)?;
        drop(self.state()?);
        let anchor = disk.witness.read().map_err(OpenError::Anchor)?;
        let replayed = replay(&mut *disk.store, anchor.as_ref(), each)?;
        replayed.compare(anchor.as_ref())?;
        Ok(replayed.verified())
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, LedgerError> {
        let state = self.state.lock().map_err(|_| LedgerError::Stopped)?;
        if state.stopped.is_some() { Err(LedgerError::Stopped) } else { Ok(state) }
    }

    /// Judges a record that spends nothing, queues it and returns once it is durable.
    fn write_down<E: From<LedgerError> + Send + 'static>(
        &self,
        record: Record,
        judge: impl FnOnce(&Book) -> Result<(), E> + Send + 'static,
    ) -> Result<Recorded, E> {
        self.transact(move |ledger, state| {
            judge(&state.book)?;
            let Head { seq, hash } = ledger.enqueue(state, record)?;
            Ok(Recorded { seq, hash })
        })
    }

    /// Numbers a record, enters it in the book and queues it for the disk. It counts from here on, for others too.
    fn enqueue(&self, state: &mut State, record: Record) -> Result<Head, LedgerError> {
        let at = record.has_time().then(|| (self.clock)());
        let entry = Entry { seq: state.head.seq + 1, epoch: self.epoch, at, record };
        if let Err(problem) = state.book.enter(&entry) {
            // A record that was judged before cannot be refused now: this is a bug of ours, and we trust nothing.
            state.stopped = Some(format!("record {} was refused by its own ledger: {problem}", entry.seq));
            return Err(LedgerError::Stopped);
        }
        let row = state.head.extend(&entry);
        state.queue.push(row);
        Ok(state.head)
    }

    /// The recorded answer. Everything queued before it is durable: the answer itself, and the payment that entitles to
    /// it, were both a moment old and maybe somebody else's.
    fn repeat(
        &self,
        release_seq: u64,
        share_cost: Amount,
        paid_at: Option<Recorded>,
        question: &Question,
    ) -> Result<Charged, ChargeError> {
        let read = self.disk.lock().map_err(|_| LedgerError::Stopped)?.store.read(release_seq, 1);
        let answer = read.ok().and_then(|rows| answer_in(rows.first()?, question));
        match answer {
            Some((reserve_seq, answer)) => {
                Ok(Charged::Repeat(Repeated { answer, release_seq, reserve_seq, share_cost, paid_at }))
            }
            None => {
                let cause = format!("the answer in record {release_seq} can no longer be read");
                self.state()?.stopped = Some(cause);
                Err(LedgerError::Stopped.into())
            }
        }
    }
}

impl Premises {
    fn check(&self, book: &Book, verdict: &Verdict) -> Result<(), ChargeError> {
        // What exists is given again as it was, whatever has changed since.
        if let (Verdict::Pay, Some(changed)) =
            (verdict, self.datasets.iter().find(|dataset| book.dataset(&dataset.name) != Some(dataset)))
        {
            return Err(ChargeError::Redeclared { name: changed.name.clone() });
        }
        let is_approved = |plan| book.publications().prepared(plan).is_some_and(PreparedPlan::is_approved);
        match self.approval.as_ref().is_none_or(is_approved) || matches!(verdict, Verdict::Known(_)) {
            true => Ok(()),
            false => Err(ChargeError::NotApproved),
        }
    }
}

/// The reservation that an answer belongs to, and the answer.
fn answer_in(row: &Row, question: &Question) -> Option<(u64, Vec<u8>)> {
    let entry = Entry::decode(&row.body)?;
    let Record::Release(Release { reserve_seq, sealed, .. }) = entry.record else { return None };
    Some((reserve_seq, seal::open(question, entry.epoch, reserve_seq, &sealed)?))
}

fn check_name(what: &'static str, name: &str) -> Result<(), NameError> {
    check_text(what, name, NAME_BYTES_MAX)
}

fn check_text(what: &'static str, text: &str, bytes_max: usize) -> Result<(), NameError> {
    let is_sound = !text.is_empty() && text.len() <= bytes_max && !text.chars().any(char::is_control);
    if is_sound { Ok(()) } else { Err(NameError { what, bytes_max }) }
}
