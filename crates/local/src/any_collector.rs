//! The collector's side of any method: lines come in, and what they add up to comes out.

use crate::{Collector, LocalError, MeanCollector, Protocol, TreeCollector};

/// A collector of any kind.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them in a program")]
pub enum AnyCollector {
    /// How often each value is held.
    Frequency(Collector),
    /// The mean of a bounded number.
    Mean(MeanCollector),
    /// Frequent strings: the reports themselves, until they are searched.
    Strings(TreeCollector),
}

impl AnyCollector {
    /// A collector without reports.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Frequency(oracle) => Self::Frequency(Collector::new(oracle)),
            Protocol::Mean(oracle) => Self::Mean(MeanCollector::new(oracle)),
            Protocol::Strings(tree) => Self::Strings(TreeCollector::new(tree)),
        }
    }

    /// Counts one line, without its end.
    #[inline]
    pub fn absorb_line(&mut self, line: &str) -> Result<(), LocalError> {
        match self {
            Self::Frequency(collector) => collector.absorb_line(line),
            Self::Mean(collector) => collector.absorb_line(line),
            Self::Strings(collector) => collector.absorb_line(line),
        }
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        match self {
            Self::Frequency(collector) => collector.reports(),
            Self::Mean(collector) => collector.reports(),
            Self::Strings(collector) => collector.reports(),
        }
    }
}
