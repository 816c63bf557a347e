//! What every frequency oracle offers: a randomizer with its exact law, and how its reports are counted.

use pointillist_noise::SecureBits;
use pointillist_numbers::Enclosure;
use pointillist_privacy::Loss;

use crate::{Rates, Report};

/// The most values a question may have: a count for each of them fits into memory.
pub const VALUES_MAX: u64 = 1 << 24;

/// A randomizer of one of the values `0..values()`, and the counting of its reports.
///
/// All settings are public and fixed before anybody is asked; the collector must know them. Values handed to
/// a method are below `values()`: [`Oracle`](crate::Oracle) checks them.
pub trait FrequencyOracle {
    /// How many values there are.
    fn values(&self) -> u64;

    /// What one report costs the person who gives it, against whoever reads it.
    fn loss(&self) -> Loss;

    /// How often a report supports a value.
    fn rates(&self) -> Rates;

    /// One person's report.
    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report;

    /// The exact probability of a report from somebody who holds `value`. It is zero for what is no report.
    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure;

    /// Whether a report is one that this method can send.
    fn admits(&self, report: &Report) -> bool;

    /// How many trials of a report support a value.
    fn support(&self, report: &Report, value: u64) -> u64;

    /// Reads a line; `None` when it has not even the shape of a report.
    fn parse(&self, line: &str) -> Option<Report>;

    /// The shape of a line, in words.
    fn shape(&self) -> String;

    /// How long a line is at most.
    fn line_bytes_max(&self) -> u64;

    /// How many counters collecting takes: one a value, unless a method has cells of its own.
    fn cells(&self) -> usize {
        usize::try_from(self.values()).expect("a question has at most 2^24 values")
    }

    /// Adds an admitted report to the counters.
    fn count(&self, report: &Report, cells: &mut [u64]);

    /// From the counters of `n` reports to the support of every value.
    fn supports(&self, cells: &[u64], n: u64) -> Vec<u64> {
        let _ = n;
        cells.to_vec()
    }
}

/// How many digits the numbers below `bound` have at most.
pub(crate) fn digits(bound: u64) -> u64 {
    u64::from(bound.saturating_sub(1).checked_ilog10().unwrap_or(0)) + 1
}
