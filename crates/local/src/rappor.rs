//! RAPPOR: a noisy memory, and noisy reports of it for as long as anybody asks.
//!
//! The answer becomes a row of bits with h ones. The *permanent* response B' is drawn once and remembered:
//! every bit of the row is flipped with probability f/2. Every *instantaneous* report shows a one with
//! probability q where B' has a one, and with probability p where it has a zero.
//!
//! **Guarantee.** However many reports a person sends about one and the same answer, and whoever links them,
//! all of them together are `ε_∞ = 2h·ln((1 − f/2)/(f/2))`-differentially private. A single report is
//! `ε_1`-differentially private, `ε_1 = h·|ln(q*(1 − p*)/(p*(1 − q*)))|` with `q* = (f/2)(p + q) + (1 − f)q`
//! and `p* = (f/2)(p + q) + (1 − f)p`; T reports are `min(ε_∞, T·ε_1)`.
//! **Neighbours.** Replace one person's answer, the same at all times.
//! **Proof.** Given the hash functions, which do not depend on the answer, rows of two answers differ in at most 2h
//! bits: in each of at most h places one turns from one to zero and in as many from zero to one. Bits are drawn
//! independently of each other. Let `a = 1 − f/2` and `b = f/2`, so that a > b > 0.
//! (1) *All reports.* A bit of B' has probability a or b, so each differing bit changes the probability of B' by a factor
//! of at most a/b: that is ε_∞ for B'. Reports are drawn from B' alone, so they are post-processing of it, all together.
//! (2) *T reports of one bit.* Reports of one bit are independent given its B' and not otherwise, and losses of dependent
//! reports need not add up: a fair coin says nothing, the answer xor that coin says nothing, and both say the answer. Here
//! they do. If n of the T reports show a one, they are `e^s` times as likely over a permanent one as over a permanent
//! zero, `s = n·ln(q/p) + (T − n)·ln((1 − q)/(1 − p))`. B' is one with probability a over a one of the row and b over a
//! zero, so they are `e^g(s)` times as likely over a one of the row as over a zero,
//! `g(s) = ln((a·e^s + b)/(b·e^s + a))`. g is odd, and its slope `(a² − b²)/(a² + b² + ab(e^s + e^(−s)))` is positive and
//! falls as |s| grows; so g rises, and for s ≥ 0 it is concave with g(0) = 0, hence `g(T·s) ≤ T·g(s)`.
//! (3) *T reports of the row.* Let q > p (otherwise read reports inverted: 1 − q > 1 − p), `u = ln(q/p)` and
//! `v = ln((1 − p)/(1 − q))`, both positive; s lies between −T·v, where no report shows a one, and T·u. A place that
//! turns from one to zero adds `g(s) ≤ g(T·u) ≤ T·g(u)` to the log-ratio of the two answers, and one that turns from zero
//! to one `−g(s) ≤ g(T·v) ≤ T·g(v)`. As `a·q + b·p = q*` and `b·q + a·p = p*`, `g(u) = ln(q*/p*)` and
//! `g(v) = ln((1 − p*)/(1 − q*))`: together at most `h·T·(g(u) + g(v)) = T·ε_1`, and ε_1 itself at T = 1. ∎
//! The largest log-ratio there is, `h·(g(T·u) + g(T·v))`, is below both ends of the minimum and tends to ε_∞.
//! **Source.** Erlingsson, Pihur, Korolova (2014), Theorems 1 and 2, with natural logarithms.
//!
//! **Rows.** *One-hot*: a bit a value, h = 1. *Hashed*: h blocks of w bits, each with a hash function of its
//! own that sets one bit; a Bloom filter whose functions are the person's and travel with every report.
//! **Error.** One-hot: p* and q* are the rates. Hashed: each block is a trial. It supports the values that
//! its function sends to a one: the value held with probability q*, any other one with probability
//! `c·q* + (1 − c)·p*`, c being the collision probability; the h functions are independent.
//! **Exactness.** f, p and q are rational, and so is every probability here.
//! **Not covered.** An answer that changes: every new one needs a new memory and costs ε_∞ again, and the
//! moment of the change may show. Linking: a permanent response makes reports of one person alike, and hash
//! functions of their own make them the same person's at once; ε_∞ is a promise about the answer, not about
//! anonymity.

use pointillist_mechanisms::number::loss_upper::{epsilon_upper, pure_and_rho, rho_of_pure};
use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::coins::{Bias, Coins};
use crate::frequency_oracle::digits;
use crate::hash_family::{HashFamily, PRIME_OF_LISTS};
use crate::oracle::{checked_values, checked_values_of_rows};
use crate::report::{Bits, Hash};
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// The most blocks of a hashed row.
const BLOCKS_MAX: u64 = 64;
/// Bits behind the point of a loss before it is rounded up.
const LOG_PRECISION: usize = 192;
/// f is written with so many decimals.
const DECIMALS: u32 = 12;

/// A noisy memory of one of k values, and reports of it.
#[derive(Clone, Debug)]
pub struct Rappor {
    values: u64,
    rows: Rows,
    /// Where rows are hashed.
    family: Option<HashFamily>,
    chances: Chances,
    loss_for_ever: Loss,
    loss_of_one: Loss,
    flip: Coins,
    over_one: Coins,
    over_zero: Coins,
}

/// How a value becomes a row of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// A bit a value.
    OneHot,
    /// So many blocks of so many bits, one bit set in each.
    Hashed {
        /// How many blocks: h in the proofs above.
        blocks: u64,
        /// How many bits a block has: w in the proofs above.
        width: u64,
    },
}

/// The probabilities of the two responses, strictly between zero and one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chances {
    /// f: how often the permanent response forgets a bit and tosses a fair coin instead.
    pub forget: Rational,
    /// q: how often a report shows a one over a permanent one.
    pub one_over_one: Rational,
    /// p: how often a report shows a one over a permanent zero.
    pub one_over_zero: Rational,
}

/// What a person keeps: the permanent response to one answer. It is as private as all reports together, and
/// no more: losing it to others costs ε_∞, drawing a second one for the same answer costs ε_∞ again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    hashes: Vec<Hash>,
    bits: Bits,
}

impl Rappor {
    /// The method over `values` values.
    pub fn new(values: u64, rows: Rows, chances: Chances) -> Result<Self, LocalError> {
        Self::with_prime(values, rows, chances, PRIME_OF_LISTS)
    }

    /// The method whose reports about one answer cost at most ε together, however many there are: a bit a
    /// value, the least f with twelve decimals that keeps ε_∞ ≤ ε, and p = 1/2 and q = 3/4, the values of the
    /// paper.
    pub fn for_ever(epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        // ε_∞ = 2·ln((1 − f/2)/(f/2)) ≤ ε says f ≥ 2/(1 + e^(ε/2)). Beyond this ε, f is the least that can be
        // written.
        let half = (epsilon.value() / &Rational::from(2)).min(Rational::from(64));
        let grown = Enclosure::of(&half, LOG_PRECISION).exp().lower();
        let least = Rational::from(2) / (Rational::one() + grown);
        let units = Rational::from(10u64.pow(DECIMALS));
        let mut unit = (&least * &units).ceil();
        loop {
            let forget = Rational::from(unit.clone()) / units.clone();
            if forget >= Rational::one() {
                return Err(LocalError::refused(
                    "this ε is too small: the permanent response would forget everything",
                    "take an ε of a millionth or more",
                ));
            }
            let chances =
                Chances { forget, one_over_one: Rational::ratio(3, 4), one_over_zero: Rational::ratio(1, 2) };
            let rappor = Self::new(values, Rows::OneHot, chances)?;
            // Losses round up, and so may end above ε at the least f.
            if rappor.loss_for_ever.pure_epsilon().is_some_and(|for_ever| for_ever <= *epsilon) {
                return Ok(rappor);
            }
            unit += 1;
        }
    }

    pub(crate) fn with_prime(
        values: u64,
        rows: Rows,
        chances: Chances,
        prime: u64,
    ) -> Result<Self, LocalError> {
        let values = checked_values(values)?;
        let Chances { forget, one_over_one, one_over_zero } = &chances;
        for (name, chance) in [("f", forget), ("q", one_over_one), ("p", one_over_zero)] {
            if !chance.is_positive() || *chance >= Rational::one() {
                return Err(LocalError::refused(
                    format!("{name} = {chance} does not lie strictly between 0 and 1"),
                    "f = 0.5, p = 0.5 and q = 0.75 are the values of the paper",
                ));
            }
        }
        if one_over_one == one_over_zero {
            return Err(LocalError::refused(
                "with p = q a report says nothing",
                "let p and q differ, as in p = 0.5 and q = 0.75",
            ));
        }
        let (family, trials) = match rows {
            Rows::OneHot => {
                checked_values_of_rows(values)?;
                (None, 1)
            }
            Rows::Hashed { blocks, width } => {
                if !(1..=BLOCKS_MAX).contains(&blocks) || !(2..=prime).contains(&width) {
                    return Err(LocalError::refused(
                        format!("{blocks} blocks of {width} bits cannot hold an answer"),
                        format!("take 1 to {BLOCKS_MAX} blocks of at least 2 bits, such as 2 of 64"),
                    ));
                }
                checked_values_of_rows(blocks.saturating_mul(width))?;
                (Some(HashFamily::new(prime, width)), blocks)
            }
        };
        let coins = |bias: &Rational| Coins::new(Bias::Fraction(bias.clone()));
        let flip = forget / &Rational::from(2);
        let kept = Rational::one() - flip.clone();
        let loss_for_ever = loss_of(&(&kept / &flip), 2 * trials)?;
        let [shown, other] = one_rates(&chances);
        let miss = |rate: &Rational| Rational::one() - rate.clone();
        let ratio = (&shown * &miss(&other)) / (&other * &miss(&shown));
        let ratio = if ratio < Rational::one() { Rational::one() / ratio } else { ratio };
        let loss_of_one = loss_of(&ratio, trials)?;
        let (flip, over_one, over_zero) = (coins(&flip), coins(one_over_one), coins(one_over_zero));
        Ok(Self { values, rows, family, chances, loss_for_ever, loss_of_one, flip, over_one, over_zero })
    }

    /// f, p and q.
    pub fn chances(&self) -> &Chances {
        &self.chances
    }

    /// How a value becomes a row of bits.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The permanent response to an answer below `values()`, to be drawn once and remembered.
    pub fn remember<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Memory {
        let hashes: Vec<Hash> = match &self.family {
            None => Vec::new(),
            Some(family) => (0..self.blocks()).map(|_| family.draw(bits)).collect(),
        };
        let mut row = Bits::zeros(self.length());
        self.places(&hashes, value).for_each(|place| row.set(place, true));
        let permanent = row.map(|word| word ^ self.flip.word(bits));
        Memory { hashes, bits: permanent }
    }

    /// What is remembered as a line of text, in the shape of a report.
    pub fn memory_line(&self, memory: &Memory) -> String {
        let mut line = String::new();
        self.shaped(memory.hashes.clone(), memory.bits.clone()).write(&mut line);
        line
    }

    /// Reads what was remembered back.
    pub fn parse_memory(&self, line: &str) -> Result<Memory, LocalError> {
        let memory = self.parse(line).filter(|report| self.admits(report)).and_then(|report| match report {
            Report::Bits(bits) => Some(Memory { hashes: Vec::new(), bits }),
            Report::HashedBits { hashes, bits } => Some(Memory { hashes, bits }),
            _ => None,
        });
        memory.ok_or_else(|| {
            LocalError::refused(
                "this is no permanent response of the method",
                format!("it has {}; a memory that is damaged cannot be mended", self.shape()),
            )
        })
    }

    /// One instantaneous report of what is remembered.
    pub fn report<B: SecureBits + ?Sized>(&self, memory: &Memory, bits: &mut B) -> Report {
        let shown = memory.bits.map(|word| {
            let (ones, zeros) = (self.over_one.word(bits), self.over_zero.word(bits));
            (word & ones) | (!word & zeros)
        });
        self.shaped(memory.hashes.clone(), shown)
    }

    fn shaped(&self, hashes: Vec<Hash>, bits: Bits) -> Report {
        match self.rows {
            Rows::OneHot => Report::Bits(bits),
            Rows::Hashed { .. } => Report::HashedBits { hashes, bits },
        }
    }

    /// ε_∞, the loss of all reports about one answer together, rounded up.
    pub fn loss_for_ever(&self) -> Loss {
        self.loss_for_ever.clone()
    }

    /// ε_1, the loss of a single report, rounded up.
    pub fn loss_of_one(&self) -> Loss {
        self.loss_of_one.clone()
    }

    /// The loss of a number of reports about one answer: as many times ε_1, and never more than ε_∞.
    pub fn loss_of_reports(&self, reports: u64) -> Loss {
        let epsilon = |loss: &Loss| loss.pure_epsilon().expect("these losses are pure");
        match epsilon(&self.loss_of_one).times(reports.max(1)) {
            Ok(sum) if sum < epsilon(&self.loss_for_ever) => pure_and_rho(sum.clone(), rho_of_pure(&sum)),
            _ => self.loss_for_ever(),
        }
    }

    /// q* and p*: how often a report shows a one over a one and over a zero of the row.
    pub fn one_rates(&self) -> [Rational; 2] {
        one_rates(&self.chances)
    }

    fn blocks(&self) -> u64 {
        match self.rows {
            Rows::OneHot => 1,
            Rows::Hashed { blocks, .. } => blocks,
        }
    }

    /// The length of a row.
    fn length(&self) -> usize {
        match self.rows {
            Rows::OneHot => self.values as usize,
            Rows::Hashed { blocks, width } => (blocks * width) as usize,
        }
    }

    /// Where a value's ones are, given the hash functions.
    fn places<'a>(&'a self, hashes: &'a [Hash], value: u64) -> impl Iterator<Item = usize> + 'a {
        let one_hot = self.family.is_none().then_some(value as usize);
        let hashed = self.family.iter().flat_map(move |family| {
            hashes
                .iter()
                .zip(0..)
                .map(move |(hash, block)| (block * family.cells() + family.cell(hash, value)) as usize)
        });
        one_hot.into_iter().chain(hashed)
    }

    /// The functions and the bits of a report, if it is one.
    fn parts<'a>(&self, report: &'a Report) -> Option<(&'a [Hash], &'a Bits)> {
        let (hashes, bits): (&[Hash], &Bits) = match (report, &self.family) {
            (Report::Bits(bits), None) => (&[], bits),
            (Report::HashedBits { hashes, bits }, Some(family)) => {
                let admitted =
                    hashes.len() as u64 == self.blocks() && hashes.iter().all(|hash| family.admits(hash));
                admitted.then_some((hashes.as_slice(), bits))?
            }
            _ => return None,
        };
        (bits.len() == self.length()).then_some((hashes, bits))
    }
}

fn one_rates(chances: &Chances) -> [Rational; 2] {
    let Chances { forget, one_over_one, one_over_zero } = chances;
    let forgotten = forget / &Rational::from(2) * (one_over_one + one_over_zero);
    let kept = Rational::one() - forget.clone();
    [one_over_one, one_over_zero].map(|chance| &forgotten + &(&kept * chance))
}

/// `times·ln(ratio)`, rounded up.
fn loss_of(ratio: &Rational, times: u64) -> Result<Loss, LocalError> {
    let ln = Enclosure::ln_of(ratio, LOG_PRECISION).expect("a ratio of probabilities is positive");
    let epsilon = epsilon_upper(&(ln.upper() * Rational::from(times)))?;
    Ok(pure_and_rho(epsilon.clone(), rho_of_pure(&epsilon)))
}

/// As an oracle every person reports once, and nothing is remembered.
impl FrequencyOracle for Rappor {
    fn values(&self) -> u64 {
        self.values
    }

    fn loss(&self) -> Loss {
        self.loss_of_one()
    }

    fn rates(&self) -> Rates {
        let [shown, other] = self.one_rates();
        let collision = self.family.as_ref().map_or(Rational::zero(), HashFamily::collision);
        let mixed = &other + &(&collision * &(&shown - &other));
        // With q < p a one speaks against a value; counting zeros instead keeps p − q positive.
        if shown > other {
            Rates::of_fractions(&shown, &mixed, self.blocks())
        } else {
            Rates::of_fractions(&(Rational::one() - shown), &(Rational::one() - mixed), self.blocks())
        }
    }

    fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Report {
        let memory = self.remember(value, bits);
        self.report(&memory, bits)
    }

    fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        let Some((hashes, bits)) = self.parts(report) else {
            return Enclosure::integer(0, precision);
        };
        let [shown, other] = self.one_rates();
        let ones: Vec<usize> = self.places(hashes, value).collect();
        let product = (0..bits.len()).fold(Rational::one(), |product, place| {
            let rate = if ones.contains(&place) { &shown } else { &other };
            if bits.get(place) { &product * rate } else { product * (Rational::one() - rate.clone()) }
        });
        let functions = self.family.iter().fold(Rational::one(), |product, family| {
            (0..self.blocks()).fold(product, |product, _| product * Rational::from(family.prime()).squared())
        });
        Enclosure::of(&(product / functions), precision)
    }

    fn admits(&self, report: &Report) -> bool {
        self.parts(report).is_some()
    }

    fn support(&self, report: &Report, value: u64) -> u64 {
        let Some((hashes, bits)) = self.parts(report) else {
            return 0;
        };
        let [shown, other] = self.one_rates();
        self.places(hashes, value).filter(|place| bits.get(*place) == (shown > other)).count() as u64
    }

    fn parse(&self, line: &str) -> Option<Report> {
        match self.rows {
            Rows::OneHot => Report::parse_bits(line, self.length()),
            Rows::Hashed { blocks, .. } => Report::parse_hashed_bits(line, blocks as usize, self.length()),
        }
    }

    fn shape(&self) -> String {
        let digits = self.length().div_ceil(4);
        match &self.family {
            None => format!("{digits} hexadecimal digits"),
            Some(family) => format!(
                "{} numbers below {} and {digits} hexadecimal digits, as in 17,4:a0",
                2 * self.blocks(),
                family.prime()
            ),
        }
    }

    fn line_bytes_max(&self) -> u64 {
        let row = self.length().div_ceil(4) as u64;
        let hashes =
            self.family.as_ref().map_or(0, |family| 2 * self.blocks() * (digits(family.prime()) + 1));
        row + hashes
    }

    fn count(&self, report: &Report, cells: &mut [u64]) {
        let Some((hashes, bits)) = self.parts(report) else {
            return;
        };
        let speaks_for = self.chances.one_over_one > self.chances.one_over_zero;
        match &self.family {
            None if speaks_for => bits.ones().for_each(|place| cells[place] += 1),
            None => {
                cells.iter_mut().zip(0..).for_each(|(count, place)| *count += u64::from(!bits.get(place)))
            }
            Some(family) => {
                for (hash, block) in hashes.iter().zip(0..) {
                    let first = block * family.cells();
                    for (count, cell) in cells.iter_mut().zip(family.cells_in_turn(hash)) {
                        *count += u64::from(bits.get((first + cell) as usize) == speaks_for);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: the price that was asked for is kept and nearly reached, and a report costs less than
    /// all of them.
    #[test]
    fn a_memory_keeps_its_price() {
        for text in ["0.01", "0.5", "1", "2", "5.5", "20", "1/3"] {
            let epsilon = Epsilon::parse(text).unwrap();
            let rappor = Rappor::for_ever(&epsilon, 10).unwrap();
            let for_ever = rappor.loss_for_ever().pure_epsilon().unwrap();
            assert!(for_ever <= epsilon, "{text}: {for_ever}");
            assert!(for_ever.to_f64_upper() > 0.999 * epsilon.to_f64_upper(), "{text}: {for_ever}");
            assert!(rappor.loss_of_one().pure_epsilon().unwrap() < for_ever);
        }
        // ln 81 is where f = 1/5: 2·ln 9.
        let rappor = Rappor::for_ever(&Epsilon::parse("4.394449154672439").unwrap(), 2).unwrap();
        let fifth = rappor.chances().forget.to_f64_upper();
        assert!((fifth - 0.2).abs() < 1e-11, "{fifth}");
        assert!(Rappor::for_ever(&Epsilon::parse("1000").unwrap(), 2).is_ok());
        assert!(Rappor::for_ever(&Epsilon::parse("1e-13").unwrap(), 2).is_err());
        assert!(Rappor::for_ever(&Epsilon::parse("1").unwrap(), 1).is_err());
    }

    #[test]
    fn a_memory_is_written_and_read_back() {
        let chances = || Chances {
            forget: Rational::ratio(1, 2),
            one_over_one: Rational::ratio(3, 4),
            one_over_zero: Rational::ratio(1, 2),
        };
        for rows in [Rows::OneHot, Rows::Hashed { blocks: 2, width: 8 }] {
            let rappor = Rappor::new(10, rows.clone(), chances()).unwrap();
            for seed in 0..50 {
                let memory = rappor.remember(seed % 10, &mut seeded(seed));
                assert_eq!(rappor.parse_memory(&rappor.memory_line(&memory)).unwrap(), memory);
            }
            for line in ["", "x", "ffffffff", "0"] {
                assert!(rappor.parse_memory(line).unwrap_err().told().contains("hint: "), "{line}");
            }
        }
    }
}
