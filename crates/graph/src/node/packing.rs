//! Packing copies of a pattern, fractionally, with at most τ at every node: a linear programme with a certificate.
pub(super) mod certificate;
mod programme;
mod proximal;
mod subgradient;

pub use super::patterns::Copies;
use rayon::prelude::*;

/// What is certain about one optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The threshold.
    pub tau: u64,
    /// A whole number with `Q_τ − gap(τ) ≤ value ≤ Q_τ`.
    pub value: u64,
    /// A whole number with `Q_τ ≤ upper ≤ value + gap(τ)`.
    pub upper: u64,
}

/// How far a value may be below the optimum: public, a function of the threshold alone.
pub fn gap(tau: u64) -> u64 {
    (tau / 32).max(2)
}

/// By how much one node moves a value at most.
pub fn sensitivity(tau: u64) -> u64 {
    tau.saturating_add(gap(tau))
}

/// The certified values at these thresholds, in their order.
pub fn packed(copies: &Copies, thresholds: &[u64]) -> Vec<Certified> {
    let sorted = programme::Sorted::new(copies);
    thresholds.par_iter().with_max_len(1).map(|tau| {
        let start = std::time::Instant::now();
        let programme = sorted.programme(*tau);
        let built = start.elapsed();
        let gap = gap(*tau);
        let (value, upper) = if programme.nodes() == 0 {
            (sorted.copies(), sorted.copies())
        } else if *tau == 0 { (0, 0) } else {
            proximal::solve(&programme, gap)
                .unwrap_or_else(|weights| {eprintln!("FALLBACK"); subgradient::solve(&programme, gap, &weights)})
        };
        eprintln!("tau {tau} m {} N {} value {value} upper {upper} build {built:?} all {:?}", programme.nodes(), programme.columns.len(), start.elapsed());
        Certified { tau: *tau, value, upper }
    }).collect()
}
