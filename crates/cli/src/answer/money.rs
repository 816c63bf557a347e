//! Amounts, in words and in JSON.

use pointillist_curator::json::AmountJson;
use pointillist_privacy::{Amount, Currency};
use serde_json::{Map, Value};

pub use pointillist_curator::words::{
    amount_lower, amount_upper, delta_lower, granted_amount, loss_lower, owners_delta, paid_amount, part,
    part_spent,
};

/// An amount as JSON, exactly, with a prefix to its names.
pub fn amount_json(prefix: &str, currency: Currency, amount: Amount) -> Map<String, Value> {
    let object = serde_json::to_value(AmountJson::new(currency, amount)).unwrap_or_default();
    let entries = object.as_object().cloned().unwrap_or_default().into_iter();
    entries.map(|(name, value)| (format!("{prefix}{name}"), value)).collect()
}
