//! What is bought for a question now, and what the asker has already.
//!
//! **Guarantee.** Whatever is left out of the payment was paid for by the asker before: numbers of theirs are given again,
//! which is post-processing. What is bought is one order with one price (`order.rs`). A function of the question, the
//! catalog and the asker's own past.
//! **Rule.** A question that was asked before is free as it is. Else each of its releases is looked for among what the asker
//! holds of its topic; those that are found are not bought again, and the others are bought together. One release alone is
//! bought as the question that asks for it alone.

use pointillist_graph::Mechanism;
use pointillist_ledger::{HeldAnswer, Question};
use pointillist_plan::PrivatePlan;

use crate::error::AskError;
use crate::evaluation::Evaluating;
use crate::order::{Invoice, Order};
use crate::reuse::{Recorded, holding};
use crate::synthesis::Synthesis;
use crate::training::Training;

/// A question that is understood and priced.
pub(crate) trait Bill {
    /// What is to be paid for all of it, and for what.
    fn invoice(&self) -> &Invoice;

    /// The releases that earlier numbers may stand for, each on its own; none where only the whole is ever repeated.
    fn releases(&self) -> &[Alone];

    /// What is to be paid for some of the releases, by position and in order.
    fn invoice_for(&self, releases: &[usize]) -> Result<Invoice, AskError>;
}

/// Work of which only the whole is ever bought or repeated.
pub(crate) trait Indivisible {}

impl Indivisible for dyn Mechanism {}
impl Indivisible for Training {}
impl Indivisible for Synthesis {}
impl Indivisible for Evaluating {}

impl<W: Indivisible + ?Sized> Bill for Order<W> {
    fn invoice(&self) -> &Invoice {
        self.invoice()
    }

    fn releases(&self) -> &[Alone] {
        &[]
    }

    fn invoice_for(&self, _: &[usize]) -> Result<Invoice, AskError> {
        Ok(self.invoice().clone())
    }
}

/// A release of a question on its own: what it would be asked as alone.
pub(crate) struct Alone {
    pub(crate) question: Question,
    pub(crate) plan: PrivatePlan,
}

/// What is to be paid for, and what is not.
pub(crate) struct Basket {
    /// What the ledger is asked for; where everything is held, what it was paid for as.
    pub(crate) invoice: Invoice,
    /// The releases that are bought, by position and in order.
    pub(crate) bought: Vec<usize>,
    /// For each release, what the asker holds of it and does not buy again.
    pub(crate) held: Vec<Option<Recorded>>,
    /// Whether all of it was paid for before.
    pub(crate) is_free: bool,
}

impl Basket {
    /// Looks through what the asker holds of the topics of a question.
    pub(crate) fn of(
        bill: &dyn Bill,
        held: impl Fn(&Question) -> Result<Vec<HeldAnswer>, AskError>,
    ) -> Result<Self, AskError> {
        let invoice = bill.invoice().clone();
        let alone = bill.releases();
        let count = alone.len().max(1);
        let whole = |invoice: Invoice, is_free: bool| Self {
            invoice,
            bought: (0..count).collect(),
            held: (0..count).map(|_| None).collect(),
            is_free,
        };
        let own = held(&invoice.question)?;
        if own.iter().any(|held| held.question.id() == invoice.question.id()) {
            return Ok(whole(invoice, true));
        }
        let holdings = alone
            .iter()
            .map(|Alone { question, plan }| Ok(holding(plan, question, held(question)?)))
            .collect::<Result<Vec<_>, AskError>>()?;
        let bought: Vec<usize> = (0..alone.len()).filter(|release| holdings[*release].is_none()).collect();
        if bought.len() == alone.len() {
            return Ok(whole(invoice, false));
        }
        let (invoice, is_free) = match bought.as_slice() {
            [] => {
                let cited = holdings.iter().flatten().next().map(|held| held.question.clone());
                (Invoice { question: cited.ok_or(AskError::Failed)?, ..invoice }, true)
            }
            some => {
                // What is missing may have been bought together before.
                let rest = bill.invoice_for(some)?;
                let known = held(&rest.question)?;
                let is_free = known.iter().any(|held| held.question.id() == rest.question.id());
                (rest, is_free)
            }
        };
        let held = holdings.into_iter().map(|held| held.map(|held| held.recorded)).collect();
        Ok(Self { invoice, is_free, bought, held })
    }

    /// The numbers of every release: those that were held, and those that were bought.
    pub(crate) fn filled(self, bought: Vec<Recorded>) -> Option<Vec<Recorded>> {
        let mut bought = bought.into_iter();
        let all: Option<Vec<Recorded>> =
            self.held.into_iter().map(|held| held.or_else(|| bought.next())).collect();
        all.filter(|_| bought.next().is_none())
    }
}
