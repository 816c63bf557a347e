//! ε and δ said together.

use pointillist_numbers::short_decimal_upper;

use crate::{Delta, Epsilon};

/// An ε and the probability with which it may fail: what one release loses, or how a loss in another currency reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonDelta {
    /// The loss.
    pub epsilon: Epsilon,
    /// The probability of failure; zero for a pure release.
    pub delta: Delta,
}

impl EpsilonDelta {
    /// A release that never fails.
    pub fn pure(epsilon: Epsilon) -> Self {
        Self { epsilon, delta: Delta::zero() }
    }

    /// Both in six digits, rounded up.
    pub(crate) fn text(&self) -> String {
        let short = |value| short_decimal_upper(value, 6);
        if self.delta.is_zero() {
            return format!("ε = {}", short(self.epsilon.value()));
        }
        format!("ε = {} and δ = {}", short(self.epsilon.value()), short(self.delta.value()))
    }
}
