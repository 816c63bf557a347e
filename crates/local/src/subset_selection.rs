//! Subset selection: a few of the values, the truth likely among them.
//!
//! **Guarantee.** A report is a set of ω of the k values. All sets that hold the answer are equally likely,
//! all others are equally likely too, and the former are e^ε times likelier than the latter: ε-differential
//! privacy of each report, and `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** There are `C(k−1, ω−1)` sets that hold the answer and `C(k−1, ω)` that do not, whatever the
//! answer, so the weights e^ε and one sum to the same number for all answers, and every probability is one of
//! two with ratio e^ε. The answer is in the set with probability `p = ω·e^ε/(ω·e^ε + k − ω)`, as
//! `C(k−1, ω)/C(k−1, ω−1) = (k − ω)/ω`.
//! **Source.** Ye, Barg (2018), arXiv:1702.00610; Wang and others (2016), arXiv:1607.08025.
//! **Error.** A report supports the values in it. Another value w is in it with probability
//! `q = (p(ω − 1) + (1 − p)ω)/(k − 1) = (ω − p)/(k − 1)`: the ω − 1 or ω further members are uniform among
//! the other k − 1. The variance near a count of zero is `q(1 − q)/(p − q)²` a person, least for ω near
//! `k/(e^ε + 1)`; one is k-ary randomized response.
//! **Exactness.** An exact coin decides whether the answer is in; the others are drawn uniformly without
//! replacement.
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Long reports where ω is large. Somebody who answers twice pays twice.

use pointillist_mechanisms::LogisticCoin;
use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::frequency_oracle::digits;
use crate::oracle::{checked_values, checked_values_of_rows};
use crate::rates::PRECISION;
use crate::report::Bits;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// ω of k values.
#[derive(Clone, Debug)]
pub struct SubsetSelection {
    values: u64,
    epsilon: Epsilon,
    size: u64,
    coin: LogisticCoin,
}

impl SubsetSelection {
    /// The method with sets of the best size.
    pub fn new(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        Self::with_size(epsilon, values, best_size(epsilon, values))
    }

    /// The method with sets of a given size, at least one and below the number of values.
    pub fn with_size(epsilon: &Epsilon, values: u64, size: u64) -> Result<Self, LocalError> {
        let values = checked_values_of_rows(checked_values(values)?)?;
        if !(1..values).contains(&size) {
            return Err(LocalError::refused(
                format!("a set of {size} of {values} values cannot tell them apart"),
                "leave the size out: the best one is near k/(e^ε + 1)",
            ));
        }
        let others = Rational::from(values - size) / Rational::from(size);
        let coin = LogisticCoin::new(epsilon.value().clone(), others);
        Ok(Self { values, epsilon: epsilon.clone(), size, coin })
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// ω, the size of the sets.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// p and q.
    fn enclosures(&self, precision: usize) -> [Enclosure; 2] {
        let own = self.coin.keep_probability(precision);
        let others = &Enclosure::integer(self.size, precision) - &own;
        let other = others.div_integer(self.values - 1);
        [own, other]
    }
}

/// `k/(e^ε + 1)`, rounded to the nearest whole number, at least one.
fn best_size(epsilon: &Epsilon, values: u64) -> u64 {
    let share = LogisticCoin::new(epsilon.value().clone(), 1).other_probability(256);
    let half = Enclosure::of(&Rational::ratio(1, 2), 256);
    let size = &(&share * &Enclosure::integer(values, 256)) + &half;
    // The number is irrational, so its integer part is certain at some precision; 256 bits always were
    // enough.
    size.floor().and_then(|size| u64::try_from(size).ok()).unwrap_or(1).max(1)
}

impl FrequencyOracle for SubsetSelection {
    fn values(&self) -> u64 {
        self.values
    }

    fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    fn rates(&self) -> Rates {
        let [own, other] = self.enclosures(PRECISION);
        Rates::new(&own, &other, 1)
    }

    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        let inside = self.coin.sample(bits);
        let mut row = Bits::zeros(self.cells());
        if inside {
            row.set(value as usize, true);
        }
        // Floyd's way to a uniform set of the other k − 1 values: for each of the last few in turn, a uniform
        // one up to it, or itself when that one is taken.
        let others = self.values - 1;
        let wanted = self.size - u64::from(inside);
        let skip = |other: u64| (other + u64::from(other >= value)) as usize;
        for last in others - wanted..others {
            let drawn = skip(uniform_u64_below(last + 1, bits));
            row.set(if row.get(drawn) { skip(last) } else { drawn }, true);
        }
        Report::Subset(row.ones().map(|place| place as u32).collect())
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        let Report::Subset(members) = report else {
            return Enclosure::integer(0, precision);
        };
        if !self.admits(report) {
            return Enclosure::integer(0, precision);
        }
        let own = self.coin.keep_probability(precision);
        let inside = members.binary_search(&(value as u32)).is_ok();
        let share = if inside { own } else { &Enclosure::integer(1, precision) - &own };
        let sets = choose(self.values - 1, self.size - u64::from(inside));
        share.checked_div(&Enclosure::of(&sets, precision)).expect("there is such a set")
    }

    fn admits(&self, report: &Report) -> bool {
        let Report::Subset(members) = report else {
            return false;
        };
        members.len() as u64 == self.size
            && members.is_sorted_by(|a, b| a < b)
            && members.last().is_some_and(|last| u64::from(*last) < self.values)
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        let Report::Subset(members) = report else {
            return 0;
        };
        u64::from(u32::try_from(value).is_ok_and(|value| members.binary_search(&value).is_ok()))
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_subset(line, self.size as usize)
    }

    fn shape(&self) -> String {
        format!("{} rising numbers below {}, with commas", self.size, self.values)
    }

    fn line_bytes_max(&self) -> u64 {
        self.size * (digits(self.values) + 1) - 1
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        if let Report::Subset(members) = report {
            members.iter().for_each(|member| cells[*member as usize] += 1);
        }
    }
}

/// The number of sets of `size` out of `all`.
fn choose(all: u64, size: u64) -> Rational {
    (0..size).fold(Rational::one(), |product, taken| {
        product * Rational::from(all - taken) / Rational::from(taken + 1)
    })
}
