//! Randomized response as a frequency oracle: yes or no, and everyone may have lied.
//!
//! **Guarantee.** ε-differential privacy of each report against whoever reads it, with
//! `ε = ln((1/2 + γ)/(1/2 − γ))`, and `2γ·ε`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** In [`randomized_response`](pointillist_mechanisms::response::randomized_response), whose coin this is: a
//! report is the truth with probability 1/2 + γ and a lie otherwise, so the ratio of its two probabilities is
//! e^ε or e^−ε.
//! **Error.** A report supports the answer it names: `p = 1/2 + γ`, `q = 1/2 − γ`. The variance of an
//! estimated count is `n(1/4 − γ²)/(4γ²)`, whatever the truth.
//! **Exactness.** The coin has exactly the stated bias, rational or `e^ε/(1 + e^ε)`.
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Somebody who answers twice pays twice. That a person took part is not hidden.

use pointillist_mechanisms::RandomizedResponse;
use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::rates::PRECISION;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// Two values, zero for no and one for yes.
#[derive(Clone, Debug)]
pub struct BinaryResponse {
    response: RandomizedResponse,
    setting: Setting,
}

/// What the truth's probability was set by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Gamma(Rational),
    Epsilon(Epsilon),
}

impl BinaryResponse {
    /// Two fair coins, γ = 1/4: the survey of the textbooks, ε = ln 3.
    pub fn coin() -> Self {
        Self::with_gamma(Rational::ratio(1, 4)).expect("a quarter lies between zero and a half")
    }

    /// The truth with probability 1/2 + γ, for a rational γ.
    pub fn with_gamma(gamma: Rational) -> Result<Self, LocalError> {
        let response = RandomizedResponse::with_gamma(gamma.clone())?;
        Ok(Self { response, setting: Setting::Gamma(gamma) })
    }

    /// The most truthful response that is ε-differentially private.
    pub fn new(epsilon: &Epsilon) -> Self {
        let response = RandomizedResponse::for_epsilon(epsilon);
        Self { response, setting: Setting::Epsilon(epsilon.clone()) }
    }

    /// The mechanism underneath, which knows exact estimates and error bounds.
    pub fn response(&self) -> &RandomizedResponse {
        &self.response
    }

    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    fn truth_probability(&self, precision: usize) -> Enclosure {
        &Enclosure::integer(1, precision) - &self.response.lie_probability(precision)
    }
}

impl FrequencyOracle for BinaryResponse {
    fn values(&self) -> u64 {
        2
    }

    fn loss(&self) -> Loss {
        self.response.loss()
    }

    fn rates(&self) -> Rates {
        Rates::new(&self.truth_probability(PRECISION), &self.response.lie_probability(PRECISION), 1)
    }

    #[inline]
    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        Report::Value(u64::from(self.response.release(value == 1, bits)))
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        match report {
            Report::Value(said) if *said == value => self.truth_probability(precision),
            Report::Value(0 | 1) => self.response.lie_probability(precision),
            _ => Enclosure::integer(0, precision),
        }
    }

    fn admits(&self, report: &Report) -> bool {
        matches!(report, Report::Value(0 | 1))
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        u64::from(*report == Report::Value(value))
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_value(line)
    }

    fn shape(&self) -> String {
        "0 or 1".to_owned()
    }

    fn line_bytes_max(&self) -> u64 {
        1
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        if let Report::Value(value) = report {
            cells[*value as usize] += 1;
        }
    }
}
