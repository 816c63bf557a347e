//! Optimised local hashing: the answer is hashed to a few cells, and the cell is randomized.
//!
//! **Guarantee.** A hash function is drawn from a family that sends any two values to independent cells
//! (`hash_family.rs`), its cell of the answer is randomized by g-ary randomized response, and both are
//! reported: ε-differential privacy of each report, and `ε·tanh(ε/2)`-zCDP.
//! **Neighbours.** Replace one person's answer.
//! **Proof.** The function is drawn without regard to the answer. Given the function, a cell is reported with
//! probability `p = e^ε/(e^ε + g − 1)` or `q = 1/(e^ε + g − 1)`, whatever the answer, and p/q = e^ε.
//! **Source.** Wang, Blocki, Li, Jha (2017), "OLH", with a family of functions that makes the rates exact.
//! **Error.** A report supports the values that its function sends to its cell: the one held with probability
//! p, and any other one with probability `q + (p − q)·c`, where c is the family's collision probability: the
//! two cells are independent, and coincide with probability c. Since c is 1/g but for one part in 2^30, the
//! variance near a count of zero is `(e^ε + g − 1)²/((g − 1)(e^ε − 1)²)` a person. As
//! `(e^ε + s)²/s = e^{2ε}/s + 2e^ε + s` for s = g − 1, the best whole s is ⌊e^ε⌋, or one more where
//! `e^{2ε} > s(s + 1)`; near it the variance is `4e^ε/(e^ε − 1)²`.
//! **Exactness.** Functions are uniform, and the response is an exact coin and an exact lie.
//! **Tests.** `oracle/tests.rs`: the exact law of every report of small settings, and draws against it.
//! **Not covered.** Collecting one report takes k steps. Somebody who answers twice pays twice.

use pointillist_mechanisms::LogisticCoin;
use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::frequency_oracle::digits;
use crate::hash_family::{HashFamily, PRIME_OF_LISTS};
use crate::oracle::checked_values;
use crate::rates::PRECISION;
use crate::report::Hash;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// The most cells: beyond, the answer itself should be randomized.
pub(crate) const CELLS_MAX: u64 = 1 << 16;
/// So many values are counted side by side.
const LANES: usize = 16;

/// One of k values, hashed to g cells.
#[derive(Clone, Debug)]
pub struct LocalHashing {
    values: u64,
    epsilon: Epsilon,
    response: CellResponse,
}

impl LocalHashing {
    /// The method with the best number of cells.
    pub fn new(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        Self::with_cells(epsilon, values, best_cells(epsilon))
    }

    /// The method with a given number of cells, from 2 to 65536.
    pub fn with_cells(epsilon: &Epsilon, values: u64, cells: u64) -> Result<Self, LocalError> {
        Self::with_prime(epsilon, values, cells, PRIME_OF_LISTS)
    }

    pub(crate) fn with_prime(
        epsilon: &Epsilon,
        values: u64,
        cells: u64,
        prime: u64,
    ) -> Result<Self, LocalError> {
        if !(2..=CELLS_MAX).contains(&cells) {
            return Err(LocalError::refused(
                format!("{cells} cells are not from 2 to {CELLS_MAX}"),
                "leave the number out: the best one is near e^ε + 1",
            ));
        }
        let values = checked_values(values)?;
        Ok(Self { values, epsilon: epsilon.clone(), response: CellResponse::new(epsilon, prime, cells) })
    }

    /// The loss that was asked for.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// g, the number of cells.
    pub fn hash_cells(&self) -> u64 {
        self.response.family.cells()
    }
}

/// The best number of cells for ε.
pub(crate) fn best_cells(epsilon: &Epsilon) -> u64 {
    if *epsilon.value() >= Rational::from(11) {
        return CELLS_MAX;
    }
    let growth = Enclosure::of(epsilon.value(), 256).exp();
    let whole = growth.floor().and_then(|whole| u64::try_from(whole).ok()).unwrap_or(1);
    let product = Enclosure::integer(IBig::from(whole) * IBig::from(whole + 1), 256);
    let more = (&growth * &growth).lower_units() > product.upper_units();
    (whole + 1 + u64::from(more)).min(CELLS_MAX)
}

/// A hash function, and g-ary randomized response of the cell; what [`LocalHashing`] and the search for
/// frequent strings have in common.
#[derive(Clone, Debug)]
pub(crate) struct CellResponse {
    pub(crate) family: HashFamily,
    coin: LogisticCoin,
    rates: Rates,
}

impl CellResponse {
    pub(crate) fn new(epsilon: &Epsilon, prime: u64, cells: u64) -> Self {
        let family = HashFamily::new(prime, cells);
        let coin = LogisticCoin::new(epsilon.value().clone(), cells - 1);
        let [own, lie] = [coin.keep_probability(PRECISION), coin.other_probability(PRECISION)];
        let collision = Enclosure::of(&family.collision(), PRECISION);
        let other = &lie + &(&(&own - &lie) * &collision);
        Self { family, coin, rates: Rates::new(&own, &other, 1) }
    }

    #[inline]
    pub(crate) fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> (Hash, u64) {
        let hash = self.family.draw(bits);
        let cell = self.family.cell(&hash, value);
        if self.coin.sample(bits) {
            return (hash, cell);
        }
        let other = uniform_u64_below(self.family.cells() - 1, bits);
        (hash, if other < cell { other } else { other + 1 })
    }

    pub(crate) fn rates(&self) -> Rates {
        self.rates.clone()
    }

    fn probability(&self, hash: &Hash, cell: u64, value: u64, precision: usize) -> Enclosure {
        let functions = Enclosure::of(&Rational::from(self.family.prime()).squared(), precision);
        let response = if self.family.cell(hash, value) == cell {
            self.coin.keep_probability(precision)
        } else {
            self.coin.other_probability(precision)
        };
        response.checked_div(&functions).expect("a prime is not zero")
    }
}

impl FrequencyOracle for LocalHashing {
    fn values(&self) -> u64 {
        self.values
    }

    fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    fn rates(&self) -> Rates {
        self.response.rates()
    }

    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        let (hash, cell) = self.response.randomize(value, bits);
        Report::Hashed { hash, cell }
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        match report {
            Report::Hashed { hash, cell } if self.admits(report) => {
                self.response.probability(hash, *cell, value, precision)
            }
            _ => Enclosure::integer(0, precision),
        }
    }

    fn admits(&self, report: &Report) -> bool {
        let family = &self.response.family;
        matches!(report, Report::Hashed { hash, cell } if *cell < family.cells() && family.admits(hash))
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        match report {
            Report::Hashed { hash, cell } if self.admits(report) => {
                u64::from(self.response.family.cell(hash, value) == *cell)
            }
            _ => 0,
        }
    }

    fn parse(&self, line: &str) -> Option<Report> {
        Report::parse_hashed(line)
    }

    fn shape(&self) -> String {
        format!(
            "two numbers below {} and one below {}, as in 17,4:2",
            self.response.family.prime(),
            self.hash_cells()
        )
    }

    fn line_bytes_max(&self) -> u64 {
        2 * digits(self.response.family.prime()) + digits(self.hash_cells()) + 2
    }

    /// The places of neighbouring values differ by the multiplier: an addition and a comparison a value.
    fn count(&self, report: &Report, cells: &mut [u64]) {
        let Report::Hashed { hash, cell } = report else {
            return;
        };
        let family = &self.response.family;
        let narrow = |place: u64| u32::try_from(place).expect("a prime of lists has 31 bits");
        let prime = narrow(family.prime());
        let start = narrow(family.start(*cell));
        let size = narrow(family.start(*cell + 1)) - start;
        let step = narrow(family.place(&Hash { shift: 0, ..*hash }, LANES as u64 % family.prime()));
        let mut places: [u32; LANES] =
            std::array::from_fn(|lane| narrow(family.place(hash, lane as u64 % family.prime())));
        for chunk in cells.chunks_mut(LANES) {
            for (count, place) in chunk.iter_mut().zip(&mut places) {
                *count += u64::from(place.wrapping_sub(start) < size);
                let next = *place + step;
                *place = next.min(next.wrapping_sub(prime));
            }
        }
    }
}
