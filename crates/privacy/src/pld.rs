//! Privacy-loss distributions: the tightest accountant for a fixed list of releases.
//!
//! A mechanism's worst case is a pair of output laws (P, Q); its privacy loss is L = ln(P/Q)(x) for x drawn from P, and
//! `δ(ε) = E[(1 − exp(ε − L))₊]`. Losses of composed mechanisms add, so their laws convolve (Sommer, Meiser,
//! Mohammadi 2019; Zhu, Dong, Wang 2022, Theorem 10, for adaptive choice of the mechanisms' *inputs*).
//!
//! **Guarantee.** [`Accountant::epsilon`] and [`Accountant::delta`] return two bounds. The true value for the listed pairs lies
//! between them. Lists that are smooth together (Gaussian noise among them, or many mechanisms) are inverted by Fourier's
//! formula with a bound on every error (`inversion.rs`, `characteristic.rs`). In all others losses are put on a lattice once
//! pessimistically and once optimistically (`lattice.rs`), the convolution by FFT carries a running bound on its own
//! rounding (`convolution.rs`), and what wraps around the window is bounded by Chernoff's inequality (`composed.rs`). Bounds
//! that contradict each other are an error.
//! **Assumptions.** `exp`, `ln`, `expm1`, `ln_1p`, `sin`, `cos` and `atan2` of the platform and `erf`, `erfc` of the libm crate are
//! within 16 units in the last place; a stage of the FFT adds at most eight units (the library's transforms of
//! power-of-two length are plain Cooley-Tukey). Tests compare masses, transforms and results with certified
//! arithmetic, and remove no guard unnoticed (`guards.rs`, `reference.rs`).
//! **Limits.** δ is resolved down to about 1e-250. On the lattice both bounds may be far apart where the answer jumps: next to
//! the largest loss of a few mechanisms with atoms, and for losses beyond 600 nats.
//! **Not a filter.** The list of mechanisms and their parameters is fixed before anything runs. An analyst who chooses
//! the next ε from the last answer is outside this theorem; budgets are enforced by [`filter`](crate::filter).

mod accountant;
mod characteristic;
mod composed;
mod convolution;
mod inversion;
mod lattice;
mod law;
mod laws;
mod saddle;

pub use accountant::{Accountant, Certified, PldError};
pub use laws::Mechanism;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod guards;
#[cfg(test)]
mod reference;
