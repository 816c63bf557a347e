//! The collector's side: reports come in one by one, and shares come out.
//!
//! **Not covered.** Forged reports. Reports are noisy, so nobody can tell a forged one, and each moves an
//! estimated count by up to `1/(p − q)`, the more the more private the reports are.

use crate::estimate::{Estimate, estimate};
use crate::report::not_a_report;
use crate::{LocalError, Oracle, Report};

/// Counts reports of one oracle.
#[derive(Clone, Debug)]
pub struct Collector {
    oracle: Oracle,
    reports: u64,
    cells: Vec<u64>,
}

impl Collector {
    /// A collector without reports.
    pub fn new(oracle: Oracle) -> Self {
        let cells = vec![0; oracle.cells()];
        Self { oracle, reports: 0, cells }
    }

    /// The oracle whose reports are counted.
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// Counts one report; refuses what the oracle cannot have sent.
    pub fn absorb(&mut self, report: &Report) -> Result<(), LocalError> {
        if !self.oracle.admits(report) {
            return Err(not_a_report(&self.oracle.shape()));
        }
        self.oracle.count(report, &mut self.cells);
        self.reports += 1;
        Ok(())
    }

    /// Counts one line, without its end.
    pub fn absorb_line(&mut self, line: &str) -> Result<(), LocalError> {
        let report = self.oracle.parse_report(line)?;
        self.oracle.count(&report, &mut self.cells);
        self.reports += 1;
        Ok(())
    }

    /// Adds the reports of another collector of the same oracle.
    pub fn merge(&mut self, other: &Self) -> Result<(), LocalError> {
        if self.oracle.to_string() != other.oracle.to_string() {
            return Err(LocalError::refused(
                "reports of two methods cannot be counted together",
                "estimate each file with its own settings",
            ));
        }
        self.cells.iter_mut().zip(&other.cells).for_each(|(sum, count)| *sum += count);
        self.reports += other.reports;
        Ok(())
    }

    /// How many trials support each value.
    pub(crate) fn supports(&self) -> Vec<u64> {
        self.oracle.supports(&self.cells, self.reports)
    }

    /// What the reports say about every value.
    pub fn estimates(&self) -> Vec<Estimate> {
        let rates = self.oracle.rates();
        let numbered = self.supports().into_iter().zip(0..);
        numbered.map(|(support, value)| estimate(&rates, value, support, self.reports)).collect()
    }
}
