//! Charge, compute, release, record, reply: what every question goes through once it is understood.
//!
//! **Guarantee.** After the debit every outcome is either the recorded answer or one constant failure, and the debit
//! stays.
//! **Before.** What the asker has paid for already is looked at first: numbers of the same topic that answer the question
//! are given again, and charged as what they are, which is nothing (`reuse.rs`). What others have paid for is no answer
//! of the asker's until they ask for exactly that, and pay for it.
//! **Order.** The receipt exists once the debit is durable; reading data borrows it, adding noise borrows it,
//! recording consumes it, and only what was recorded is returned.
//! **Others.** Whoever has a share sees that share and their own past, and nothing of what others have asked, paid or
//! left: not in balances, not in the number of questions that still fit, not in receipts, and not in whether an answer
//! existed. Two things cannot be hidden: once the scope is spent, questions are refused, except those whose answers
//! exist; and an answer that exists comes sooner than one that must be computed, finer than the clock of `schedule.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use pointillist_catalog::OWNER;
use pointillist_ledger::{Amount, Charge, Charged, Digest, Question, Receipt, Repeated};
use pointillist_plan::{Cost, PrivatePlan};

use crate::curator::{Curator, Held, epsilon_at_delta, ledger_price};
use crate::error::AskError;
use crate::release::Released;
use crate::reply::{Paid, ReceiptFacts, Reply};
use crate::reuse::{Recorded, reused};
use crate::stored::{decode, encode};

/// Reads and adds noise, for whoever shows a receipt.
pub(crate) type Compute = Box<dyn FnOnce(&Held, &Receipt) -> Result<Released, AskError> + Send>;

/// A question that is understood, admitted and priced; nothing of it has looked at data.
pub(crate) struct Ready {
    pub(crate) analyst: String,
    pub(crate) request_id: Option<String>,
    pub(crate) scope: String,
    pub(crate) cost: Cost,
    /// What identifies the numbers that are released.
    pub(crate) question: Question,
    /// The plan of a question about rows, which earlier numbers may answer.
    pub(crate) plan: Option<Arc<PrivatePlan>>,
    /// The asker's words, for the owner's log.
    pub(crate) words: String,
    /// What identifies the request, word by word.
    pub(crate) request: Digest,
    pub(crate) compute: Compute,
}

/// What there is to tell once the moment has come.
enum Computed {
    Now(Box<(Receipt, Released)>),
    Before(Repeated, Option<Box<Recorded>>),
}

/// Released numbers and where they are recorded.
struct Answered {
    recorded: Recorded,
    paid: Paid,
    seq: u64,
    hash: String,
}

/// Who asked what for how much.
struct Asked {
    analyst: String,
    scope: String,
    cost: Cost,
}

impl Curator {
    /// Takes the price, computes, and presents what was released.
    pub(crate) fn settle<T>(
        &self,
        ready: Ready,
        arrived: Instant,
        present: impl FnOnce(&Recorded) -> Result<T, AskError>,
    ) -> Result<Reply<T>, AskError> {
        let held = &self.held;
        let Ready { analyst, request_id, scope, cost, question, plan, words, request, compute } = ready;
        let asked = Asked { analyst: analyst.clone(), scope: scope.clone(), cost };
        let price = ledger_price(&asked.cost);
        // From here on what happens, and when, may depend on data and on other questions: one clock for all of it. What
        // others can see, records included, comes after the wait.
        // What the asker holds of a topic must not change while it is looked at; and a question that is on its way is on
        // its way for everybody. Nobody waits for what others ask about the same topic.
        let topic = question.topic();
        let own = Digest::of("pointillist asker on a topic", &[analyst.as_bytes(), &topic.0]);
        let passages = (held.gate.pass(own), held.gate.pass(question.id()));
        let computed = held.before(&asked, &question, plan.as_deref()).and_then(|before| {
            let (question, before) = match before {
                Some((question, recorded)) => (question, Some(recorded)),
                None => (question, None),
            };
            let charged =
                held.ledger.charge(Charge { request_id, analyst, scope, price, question, request })?;
            held.questions.keep(request, &words);
            match charged {
                Charged::Fresh(receipt) => {
                    self.compute_in_time(receipt, compute, arrived).map(|now| Computed::Now(Box::new(now)))
                }
                Charged::Repeat(repeated) => Ok(Computed::Before(repeated, before.map(Box::new))),
            }
        });
        std::thread::sleep(self.schedule.wait(arrived.elapsed()));
        let reply = computed.and_then(|computed| {
            let answered = match computed {
                Computed::Now(now) => {
                    let (receipt, released) = *now;
                    let terms = plan.as_ref().map(|plan| plan.terms());
                    held.record(receipt, Recorded { terms, released })?
                }
                Computed::Before(repeated, before) => {
                    held.repeat(&repeated, before.map(|before| *before), &asked)?
                }
            };
            let reply = || held.reply(&asked, answered, present);
            catch_unwind(AssertUnwindSafe(reply)).unwrap_or(Err(AskError::Failed))
        });
        drop(passages);
        reply
    }

    /// Computes before the moment at which answers leave, where there is one; else fails at that moment, and what is
    /// computed too late is forgotten.
    fn compute_in_time(
        &self,
        receipt: Receipt,
        compute: Compute,
        arrived: Instant,
    ) -> Result<(Receipt, Released), AskError> {
        let contained = |held: &Held, receipt: &Receipt| {
            catch_unwind(AssertUnwindSafe(|| compute(held, receipt))).unwrap_or(Err(AskError::Failed))
        };
        let Some(due) = self.schedule.due() else {
            let released = contained(&self.held, &receipt)?;
            return Ok((receipt, released));
        };
        let (sender, receiver) = mpsc::sync_channel(1);
        let held = Arc::clone(&self.held);
        std::thread::spawn(move || {
            let released = contained(&held, &receipt);
            // Nobody may be waiting any more: then the receipt is dropped, and what it paid stays paid.
            let _ = sender.send((receipt, released));
        });
        let in_time = receiver.recv_timeout(due.saturating_sub(arrived.elapsed()));
        let (receipt, released) = in_time.map_err(|_| AskError::Failed)?;
        Ok((receipt, released?))
    }
}

impl Held {
    /// What the asker has paid for that answers this question, and the question that it was paid for as.
    fn before(
        &self,
        asked: &Asked,
        question: &Question,
        plan: Option<&PrivatePlan>,
    ) -> Result<Option<(Question, Recorded)>, AskError> {
        let Some(plan) = plan else { return Ok(None) };
        let held = self.ledger.held(&asked.scope, &asked.analyst, question)?;
        if held.iter().any(|held| held.question.id() == question.id()) {
            // The very question was paid for: the ledger has its answer.
            return Ok(None);
        }
        let decoded = held.into_iter().filter_map(|held| Some((held.question, decode(&held.answer)?)));
        let (questions, earlier): (Vec<Question>, Vec<Recorded>) = decoded.unzip();
        Ok(reused(plan, &earlier).map(|(position, recorded)| (questions[position].clone(), recorded)))
    }

    /// Hands in the receipt with what it paid for. Only what was recorded may leave.
    fn record(&self, receipt: Receipt, recorded: Recorded) -> Result<Answered, AskError> {
        // The reservation's number and hash, not the answer's: those tell when the answer was ready.
        let (seq, hash) = (receipt.seq(), receipt.hash().to_string());
        self.ledger.record(receipt, &encode(&recorded)).map_err(|_| AskError::Failed)?;
        Ok(Answered { recorded, paid: Paid::InFull, seq, hash })
    }

    /// What was recorded before: the answer itself, or what was put together from it and others.
    fn repeat(
        &self,
        repeated: &Repeated,
        before: Option<Recorded>,
        asked: &Asked,
    ) -> Result<Answered, AskError> {
        let has_share = self.ledger.granted_share(&asked.scope, &asked.analyst)?.is_some();
        let is_free = repeated.share_cost == Amount::ZERO || !has_share;
        let paid = if is_free { Paid::Nothing } else { Paid::InFull };
        let recorded = before.or_else(|| decode(&repeated.answer)).ok_or(AskError::Failed)?;
        // A payment from the share alone is a payment like any other, with a record of its own to show for it.
        let payment = repeated.paid_at.filter(|_| paid == Paid::InFull);
        let hash = payment.map(|payment| payment.hash.to_string()).unwrap_or_default();
        Ok(Answered { recorded, paid, seq: repeated.reserve_seq, hash })
    }

    fn reply<T>(
        &self,
        asked: &Asked,
        answered: Answered,
        present: impl FnOnce(&Recorded) -> Result<T, AskError>,
    ) -> Result<Reply<T>, AskError> {
        let Asked { analyst, scope, cost: offered } = asked;
        let answer = present(&answered.recorded)?;
        // What is free now was paid for at the price of then.
        let cost = match (&answered.paid, &answered.recorded.terms) {
            (Paid::Nothing, Some(terms)) => &terms.cost,
            _ => offered,
        };
        let share = self.ledger.share(scope, analyst)?.filter(|share| share.granted.is_some());
        let mut left = match share {
            Some(share) => share,
            None => self.ledger.balance(scope)?.ok_or(AskError::Failed)?,
        };
        // How much is still being answered tells when answers are ready: the owner's business.
        left.unreleased = Amount::ZERO;
        Ok(Reply {
            answer,
            epsilon_at_delta: epsilon_at_delta(&self.catalog, scope, cost),
            cost: cost.clone(),
            paid: answered.paid,
            receipt: ReceiptFacts {
                // Numbers count everybody's records.
                seq: (analyst == OWNER).then_some(answered.seq),
                hash: answered.hash,
                scope: scope.clone(),
                analyst: analyst.clone(),
            },
            left,
            more: self.ledger.how_many_more(scope, analyst, &ledger_price(offered))?.unwrap_or(0),
        })
    }
}
