//! What a study costs: a budget that pays for all of it, and what was paid in the end.

use pointillist_curator::{Home, words};
use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_privacy::Rho;

use super::{NamedMechanisms, Paid, SqlQuestion, Unit};

/// Digits of prices that are written down.
pub(super) const DIGITS: usize = 12;

/// A price in digits, not above it.
pub(super) fn decimal(rho: &Rho) -> String {
    decimal_lower(rho.value(), DIGITS)
}

/// The ρ and the δ of everything that will be asked, rounded up.
pub(super) fn budget(asked: &[&SqlQuestion], mechanisms: &NamedMechanisms, paid: &Paid) -> (String, String) {
    let (mut rho, mut delta) = (Rational::zero(), Rational::zero());
    for question in asked {
        rho = rho + if question.earns_keys { paid.rho_with_keys.value() } else { paid.rho.value() }.clone();
        if question.earns_keys {
            delta = delta + paid.delta_of_keys.value().clone();
        }
    }
    for mechanism in mechanisms {
        if let Some((part, failing)) = mechanism.loss().approximate_rho() {
            rho = rho + part.value().clone();
            delta = delta + failing.value().clone();
        }
    }
    // Whole units of a ledger are rounded up for every charge: a thousandth more is far more than those.
    rho = rho * Rational::ratio(1_001, 1_000);
    // Half of a declared δ pays for earned keys, the other half translates ρ to ε.
    delta = delta * Rational::ratio(2_002, 1_000) + Rational::ratio(1, 1_000_000_000);
    (decimal_upper(&rho, 6), decimal_upper(&delta, 6))
}

/// What the ledger of a home has counted.
pub(super) fn spent(home: &Home, unit: Unit) -> String {
    let balance = home.reader().ok().flatten().and_then(|reader| reader.balance(unit.scope()));
    balance.map_or_else(String::new, |balance| {
        words::paid_amount(&home.catalog, unit.scope(), balance.currency, balance.spent)
    })
}
