//! How often a report speaks for a value, and what follows for estimates.
//!
//! Every frequency oracle here is *pure* in the sense of Wang, Blocki, Li, Jha (2017, "Locally differentially
//! private protocols for frequency estimation"): a report supports some of the values; it supports the value
//! its sender holds with one probability p, and any value its sender does not hold with another probability q
//! < p. A report may consist of h independent trials of that kind.
//!
//! **Estimate.** Among n people let m hold a value, and let C be how many of the n·h trials support it. All
//! trials are independent, m·h of them hit with probability p and the others with probability q, so
//! `E C = h(m·p + (n − m)·q)` and `(C − n·h·q)/(h(p − q))` is unbiased for m.
//! **Variance.** `(m·p(1 − p) + (n − m)·q(1 − q))/(h(p − q)²)`, from the variances of the trials. Over all k
//! values the m sum to n, so the *total* squared error is `n(p(1 − p) + (k − 1)·q(1 − q))/(h(p − q)²)`,
//! whatever the truth.

use pointillist_numbers::{Enclosure, Rational};

/// Bits behind the point: p − q is at least 2^-128, and is known to more than 300 significant bits.
pub(crate) const PRECISION: usize = 512;

/// How often a trial supports the value held, and any other value; in floats next to the exact numbers, for
/// estimates only.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// p: how often a trial supports the value its sender holds.
    pub own: f64,
    /// q: how often it supports any one of the other values.
    pub other: f64,
    /// p − q, not computed from rounded numbers.
    pub gap: f64,
    /// p(1 − p).
    pub own_spread: f64,
    /// q(1 − q).
    pub other_spread: f64,
    /// h: how many independent trials a report consists of.
    pub trials: u64,
}

impl Rates {
    /// From certified bounds of p and q.
    pub(crate) fn new(own: &Enclosure, other: &Enclosure, trials: u64) -> Self {
        let near = |exact: &Enclosure| exact.upper().to_f64_upper();
        let one = Enclosure::integer(1, own.precision());
        let spread = |rate: &Enclosure| near(&(rate * &(&one - rate)));
        Self {
            own: near(own),
            other: near(other),
            gap: near(&(own - other)),
            own_spread: spread(own),
            other_spread: spread(other),
            trials,
        }
    }

    /// From exact p and q.
    pub(crate) fn of_fractions(own: &Rational, other: &Rational, trials: u64) -> Self {
        Self::new(&Enclosure::of(own, PRECISION), &Enclosure::of(other, PRECISION), trials)
    }

    /// From certified bounds of p, when q is one half.
    pub(crate) fn of_own_and_half(own: &Enclosure) -> Self {
        Self::new(own, &Enclosure::of(&Rational::ratio(1, 2), own.precision()), 1)
    }

    /// The unbiased estimate of how many of `n` people hold a value that `support` trials support.
    pub fn count(&self, support: u64, n: u64) -> f64 {
        let trials = self.trials as f64;
        (support as f64 - n as f64 * trials * self.other) / (trials * self.gap)
    }

    /// The variance of the estimated count among `n` people of whom a share `share` hold the value.
    pub fn variance_count(&self, n: u64, share: f64) -> f64 {
        let spread = share * self.own_spread + (1.0 - share) * self.other_spread;
        n as f64 * spread / (self.trials as f64 * self.gap * self.gap)
    }

    /// The expected squared error of all `values` estimated counts together, which does not depend on the
    /// truth.
    pub fn squared_error_total(&self, n: u64, values: u64) -> f64 {
        let spread = self.own_spread + (values as f64 - 1.0) * self.other_spread;
        n as f64 * spread / (self.trials as f64 * self.gap * self.gap)
    }
}
