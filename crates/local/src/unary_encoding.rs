//! Unary encoding: a bit for every value, each of them noisy.
//!
//! **Guarantee.** A value becomes a row of k bits with a single one at its place; the one is reported as one
//! with probability p, every zero with probability q, independently. With `p(1 − q)/(q(1 − p)) ≤ e^ε` each
//! report is ε-differentially private, and `ε·tanh(ε/2)`-zCDP. *Optimised* encoding has `p = 1/2`,
//! `q = 1/(e^ε + 1)`; *symmetric* encoding, the basic form of RAPPOR, has `p = e^{ε/2}/(e^{ε/2} + 1)` and
//! `q = 1 − p`.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** Two answers v and w differ in the bits v and w only. A row with bits a at v and b at w has the
//! ratio `(p/q)^a·((1−p)/(1−q))^{1−a}` times `(q/p)^b·((1−q)/(1−p))^{1−b}`, which is one when a = b and
//! `p(1−q)/(q(1−p))` or its inverse otherwise. Optimised: `(1/2)(e^ε/(e^ε+1))/((1/(e^ε+1))(1/2)) = e^ε`.
//! Symmetric: `(e^{ε/2})² = e^ε`. Both are met with equality.
//! **Source.** Wang, Blocki, Li, Jha (2017); Erlingsson, Pihur, Korolova (2014) for the symmetric form.
//! **Error.** A report supports the values whose bits it sets. Near a count of zero the variance is
//! `q(1−q)/(p−q)²` a person: `4e^ε/(e^ε − 1)²` optimised, `e^{ε/2}/(e^{ε/2} − 1)²` symmetric, which is never
//! smaller. Neither grows with k.
//! **Exactness.** Every bit is an exact coin (`coins.rs`).
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Reports are k bits long. Somebody who answers twice pays twice.

use pointillist_mechanisms::LogisticCoin;
use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::coins::{Bias, Coins};
use crate::oracle::{checked_values, checked_values_of_rows};
use crate::rates::PRECISION;
use crate::report::Bits;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// A noisy bit for each of k values.
#[derive(Clone, Debug)]
pub struct UnaryEncoding {
    values: u64,
    epsilon: Epsilon,
    symmetric: bool,
    /// The coin of the value held.
    own: Coins,
    /// The coins of all other values.
    other: Coins,
}

impl UnaryEncoding {
    /// The encoding with the least variance for values that few people hold.
    pub fn optimised(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        let coin = LogisticCoin::new(epsilon.value().clone(), 1);
        Self::with(epsilon, values, false, Bias::Fraction(Rational::ratio(1, 2)), Bias::Other(coin))
    }

    /// The encoding that treats ones and zeros alike.
    pub fn symmetric(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        let half = epsilon.value() / &Rational::from(2);
        let coin = LogisticCoin::new(half, 1);
        Self::with(epsilon, values, true, Bias::Keep(coin.clone()), Bias::Other(coin))
    }

    fn with(
        epsilon: &Epsilon,
        values: u64,
        symmetric: bool,
        own: Bias,
        other: Bias,
    ) -> Result<Self, LocalError> {
        let values = checked_values_of_rows(checked_values(values)?)?;
        let epsilon = epsilon.clone();
        Ok(Self { values, epsilon, symmetric, own: Coins::new(own), other: Coins::new(other) })
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Whether ones and zeros are treated alike.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }
}

impl FrequencyOracle for UnaryEncoding {
    fn values(&self) -> u64 {
        self.values
    }

    fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    fn rates(&self) -> Rates {
        Rates::new(&self.own.bias().enclosure(PRECISION), &self.other.bias().enclosure(PRECISION), 1)
    }

    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        let mut row = Bits::filled_with(self.cells(), || self.other.word(bits));
        row.set(value as usize, self.own.toss(bits));
        Report::Bits(row)
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        let Report::Bits(row) = report else {
            return Enclosure::integer(0, precision);
        };
        let one = Enclosure::integer(1, precision);
        let [own, other] = [&self.own, &self.other].map(|coins| coins.bias().enclosure(precision));
        (0..self.values).fold(one.clone(), |product, place| {
            let rate = if place == value { &own } else { &other };
            if row.get(place as usize) { &product * rate } else { &product * &(&one - rate) }
        })
    }

    fn admits(&self, report: &Report) -> bool {
        matches!(report, Report::Bits(row) if row.len() as u64 == self.values)
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        u64::from(matches!(report, Report::Bits(row) if row.get(value as usize)))
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_bits(line, self.cells())
    }

    fn shape(&self) -> String {
        format!("{} hexadecimal digits", self.line_bytes_max())
    }

    fn line_bytes_max(&self) -> u64 {
        self.values.div_ceil(4)
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        if let Report::Bits(row) = report {
            row.ones().for_each(|place| cells[place] += 1);
        }
    }
}
