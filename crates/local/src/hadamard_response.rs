//! Hadamard response: short reports, and all counts by one fast transform.
//!
//! **Guarantee.** With K the smallest power of two above k, value v has the set `S_v` of all `y < K` for
//! which `v + 1` and y have an even number of common bits. A report is uniform in `S_v` with probability
//! `e^ε/(e^ε + 1)` and uniform outside it otherwise: ε-differential privacy of each report, and
//! `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** `v + 1` is between 1 and K − 1, so some bit of it is set, and flipping that bit of y changes
//! the parity: exactly half of all y are in `S_v`. Every report thus has probability `(2/K)·e^ε/(e^ε + 1)` or
//! `(2/K)/(e^ε + 1)`.
//! **Source.** Acharya, Sun, Zhang (2019), arXiv:1802.04705, "Hadamard response", in its form for ε near one.
//! **Error.** A report supports the values whose sets it lies in: the one held with probability
//! `p = e^ε/(e^ε + 1)`. For v ≠ w the parities of y with `v + 1`, `w + 1` and their difference are those of
//! three nonzero numbers, so `S_v` and `S_w` share exactly a quarter of all y, half of either: any other
//! value is supported with probability exactly `q = 1/2`. The variance is `((e^ε + 1)/(e^ε − 1))²` a person,
//! near a count of zero.
//! **Exactness.** An exact coin, and uniform bits.
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Large ε, where the variance does not fall below one a person: other methods are better
//! there. Somebody who answers twice pays twice.

use pointillist_mechanisms::LogisticCoin;
use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::frequency_oracle::digits;
use crate::oracle::checked_values;
use crate::rates::PRECISION;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// One of k values, as a row of a Hadamard matrix.
#[derive(Clone, Debug)]
pub struct HadamardResponse {
    values: u64,
    epsilon: Epsilon,
    /// The exponent of K.
    order: u32,
    coin: LogisticCoin,
}

impl HadamardResponse {
    /// The response over `values` values.
    pub fn new(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        let values = checked_values(values)?;
        let order = values.ilog2() + 1;
        let coin = LogisticCoin::new(epsilon.value().clone(), 1);
        Ok(Self { values, epsilon: epsilon.clone(), order, coin })
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn is_in_set(value: u64, report: u64) -> bool {
        ((value + 1) & report).count_ones().is_multiple_of(2)
    }
}

impl FrequencyOracle for HadamardResponse {
    fn values(&self) -> u64 {
        self.values
    }

    fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    fn rates(&self) -> Rates {
        Rates::of_own_and_half(&self.coin.keep_probability(PRECISION))
    }

    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        let inside = self.coin.sample(bits);
        let report = bits.take(self.order) as u64;
        // Flipping one of the value's own bits swaps the set with its complement, one to one.
        let lowest = (value + 1) & (value + 1).wrapping_neg();
        Report::Value(if Self::is_in_set(value, report) == inside { report } else { report ^ lowest })
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        let Report::Value(place) = report else {
            return Enclosure::integer(0, precision);
        };
        let half = Enclosure::of(&Rational::power_of_two(1 - i64::from(self.order)), precision);
        match (*place < 1 << self.order, Self::is_in_set(value, *place)) {
            (false, _) => Enclosure::integer(0, precision),
            (true, true) => &half * &self.coin.keep_probability(precision),
            (true, false) => &half * &self.coin.other_probability(precision),
        }
    }

    fn admits(&self, report: &Report) -> bool {
        matches!(report, Report::Value(place) if *place < 1 << self.order)
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        u64::from(matches!(report, Report::Value(place) if Self::is_in_set(value, *place)))
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_value(line)
    }

    fn shape(&self) -> String {
        format!("a number below {}", 1u64 << self.order)
    }

    fn line_bytes_max(&self) -> u64 {
        digits(1 << self.order)
    }

    fn cells(&self) -> usize {
        1 << self.order
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        if let Report::Value(place) = report {
            cells[*place as usize] += 1;
        }
    }

    /// Twice the support is n plus the transform: reports inside count +1, reports outside −1.
    fn supports(&self, cells: &[u64], n: u64) -> Vec<u64> {
        let mut sums: Vec<i64> = cells.iter().map(|count| *count as i64).collect();
        transform(&mut sums);
        sums[1..].iter().take(self.values as usize).map(|sum| ((n as i64 + sum) / 2) as u64).collect()
    }
}

/// The Walsh-Hadamard transform: entry v becomes the sum of all entries y, signed by the parity of v and y.
fn transform(sums: &mut [i64]) {
    let mut half = 1;
    while half < sums.len() {
        for block in sums.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}
