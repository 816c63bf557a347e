//! Records about releases of whole tables: who prepared one, who approved it, and which statement was published.
//! None of them spends anything.

use pointillist_privacy::Price;

use super::{currency_code, decode_currency};
use crate::Digest;
use crate::encoding::{Decoder, Encoder};

/// Somebody wants a plan to be carried out at this price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preparation {
    /// The name of the release.
    pub name: String,
    /// The plan as it would be carried out: canonical, with its price and the versions of the data.
    pub plan: Digest,
    /// What it would cost.
    pub price: Price,
    /// Who prepared it.
    pub who: String,
}

/// Somebody else agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The plan that was prepared.
    pub plan: Digest,
    /// Who approves it.
    pub who: String,
}

/// A statement about an answer was published: what was published can be told from what was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The reservation that paid for the numbers.
    pub reserve_seq: u64,
    /// The name of the release.
    pub name: String,
    /// The plan that was carried out.
    pub plan: Digest,
    /// A hash of the statement as it was signed.
    pub statement: Digest,
    /// The day before which it is not to be shown, `2026-12-01`.
    pub not_before: Option<String>,
}

impl Preparation {
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.text(&self.name);
        out.fixed(&self.plan.0);
        out.byte(currency_code(self.price.currency()));
        out.amount(self.price.amount());
        out.text(&self.who);
    }

    pub(super) fn decode(from: &mut Decoder) -> Option<Self> {
        Some(Self {
            name: from.text()?,
            plan: from.digest()?,
            price: Price::from_units(decode_currency(from)?, from.amount()?)?,
            who: from.text()?,
        })
    }
}

impl Approval {
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.fixed(&self.plan.0);
        out.text(&self.who);
    }

    pub(super) fn decode(from: &mut Decoder) -> Option<Self> {
        Some(Self { plan: from.digest()?, who: from.text()? })
    }
}

impl Publication {
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.number(self.reserve_seq);
        out.text(&self.name);
        out.fixed(&self.plan.0);
        out.fixed(&self.statement.0);
        out.optional(self.not_before.as_deref(), Encoder::text);
    }

    pub(super) fn decode(from: &mut Decoder) -> Option<Self> {
        Some(Self {
            reserve_seq: from.number()?,
            name: from.text()?,
            plan: from.digest()?,
            statement: from.digest()?,
            not_before: from.optional(Decoder::text)?,
        })
    }
}
