//! k-ary randomized response as a frequency oracle: one of k values, and everyone may have lied.
//!
//! **Guarantee.** ε-differential privacy of each report against whoever reads it, and `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** In [`kary_randomized_response`](pointillist_mechanisms::response::kary_randomized_response), whose law
//! this is: the truth with probability `p = e^ε/(e^ε + k − 1)` and each other value with probability
//! `q = 1/(e^ε + k − 1)`, so every report has probability p or q, and p/q = e^ε.
//! **Error.** A report supports the value it names, so p and q are the rates. The variance of an estimated
//! count near zero is `n(e^ε + k − 2)/(e^ε − 1)²`: it grows with k, and unary encoding is better from k =
//! 3·e^ε + 2 on.
//! **Exactness.** The truth is kept by lazy comparison with certified bounds of p; the lie is uniform,
//! exactly.
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Somebody who answers twice pays twice. That a person took part is not hidden.

use pointillist_mechanisms::KaryRandomizedResponse;
use pointillist_noise::SecureBits;
use pointillist_numbers::Enclosure;
use pointillist_privacy::{Epsilon, Loss};

use crate::frequency_oracle::digits;
use crate::oracle::checked_values;
use crate::rates::PRECISION;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// One of k values.
#[derive(Clone, Debug)]
pub struct KaryResponse {
    response: KaryRandomizedResponse,
    epsilon: Epsilon,
}

impl KaryResponse {
    /// The response over `values` values.
    pub fn new(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        let response = KaryRandomizedResponse::new(epsilon, checked_values(values)?)?;
        Ok(Self { response, epsilon: epsilon.clone() })
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }
}

impl FrequencyOracle for KaryResponse {
    fn values(&self) -> u64 {
        self.response.categories()
    }

    fn loss(&self) -> Loss {
        self.response.loss()
    }

    fn rates(&self) -> Rates {
        Rates::new(&self.response.truth_probability(PRECISION), &self.response.lie_probability(PRECISION), 1)
    }

    #[inline]
    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        Report::Value(self.response.release(value, bits).expect("values are below their number"))
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        match report {
            Report::Value(said) if *said == value => self.response.truth_probability(precision),
            Report::Value(said) if *said < self.values() => self.response.lie_probability(precision),
            _ => Enclosure::integer(0, precision),
        }
    }

    fn admits(&self, report: &Report) -> bool {
        matches!(report, Report::Value(value) if *value < self.values())
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        u64::from(*report == Report::Value(value))
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_value(line)
    }

    fn shape(&self) -> String {
        format!("a number below {}", self.values())
    }

    fn line_bytes_max(&self) -> u64 {
        digits(self.values())
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        if let Report::Value(value) = report {
            cells[*value as usize] += 1;
        }
    }
}
