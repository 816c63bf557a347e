//! Frequent strings that nobody listed: everyone reports a noisy prefix, and the collector follows the
//! branches that many people are on.
//!
//! Strings have at most `length` symbols of a public alphabet and are padded to exactly that. Level i holds
//! the prefixes of `(i + 1)·stride` symbols. Everyone draws one of the L levels at random, and reports the
//! prefix of their string at that level by [local hashing](crate::local_hashing).
//!
//! **Guarantee.** Each report is ε-differentially private, and `ε·tanh(ε/2)`-zCDP: the level is drawn without
//! regard to the string, and given the level the report is that of local hashing on the prefix.
//! **Neighbours.** Replace one person's string.
//! **Source.** Wang, Li, Jha (2017), arXiv:1708.06674 (prefix extending), with thresholds that can be proven.
//!
//! **Search.** A prefix is *kept* at its level when the upper 1 − β/L confidence bound of its share reaches
//! θ; the children of what was kept are tried at the next level; what is kept at the last level is found.
//! **Nothing frequent is missed.** A string held by a share θ of all people is found with probability at
//! least 1 − β, unless [`Found::cut`] says that there was no room. **Proof.** Each of its L prefixes is held
//! by at least a share θ, and is lost at its level only if its bound fails there. Fix a level and a prefix of
//! share F, and condition on the number m of reports there: its reporters are m people chosen at random of n.
//! The prefix's support C is a sum of m independent trials given who they are, with `E[e^{tC}] = E[Π gᵢ]`,
//! where `gᵢ = 1 + μᵢ(e^t − 1)` and μᵢ is the rate own or other of the i-th of them. The mean of a product of
//! m of n positive numbers drawn without replacement is at most the m-th power of their mean (Maclaurin's
//! inequality), `(1 + μ(e^t − 1))^m` with `μ = q + F(p − q)`: the bound of a binomial. So the confidence
//! bounds of [`Estimate`] hold although the reporters are a random sample, and their failures add up to β.
//! **Little else is found.** A prefix that nobody holds is kept at its level with probability at most β/L,
//! because θ below [`TreeCollector::least_share`] is refused: for larger θ a support that reaches the
//! threshold has probability at most `exp(−m·kl(C/m, q)) ≤ β/L`.
//! **Exactness.** Level, function and response are exact draws.
//! **Not covered.** Strings between zero and θ may be found or not. Shares found are the last level's, with
//! intervals about each string that was fixed in advance; a search picks what looks large. Somebody who
//! answers twice pays twice.

use std::fmt;
use std::str::FromStr;

use pointillist_mechanisms::number::loss_upper::{pure_and_rho, rho_of_pure};
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_privacy::{Epsilon, Loss};

use crate::estimate::{Estimate, divergence, estimate, mean_interval};
use crate::hash_family::{HashFamily, PRIME_OF_STRINGS};
use crate::local_hashing::{CellResponse, best_cells};
use crate::report::{Hash, not_a_report, parse_hashes, parse_number};
use crate::settings::Settings;
use crate::{LocalError, Rates, Report};

/// So many strings can be told apart, below the prime of the hash functions.
const STRINGS_MAX: u64 = 1 << 60;
/// So many prefixes are tried at a level at most.
const TRIED_MAX: usize = 1 << 20;
/// The default number of children of a prefix is at most this.
const CHILDREN_USUAL: u64 = 1 << 10;

/// The public tree of strings.
#[derive(Clone, Debug)]
pub struct PrefixTree {
    alphabet: String,
    length: u32,
    stride: u32,
    epsilon: Epsilon,
    response: CellResponse,
}

/// One person's report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeReport {
    /// The level of the prefix.
    pub level: u64,
    /// The hash function.
    pub hash: Hash,
    /// The reported cell.
    pub cell: u64,
}

impl PrefixTree {
    /// Strings of at most `length` symbols of an alphabet of printable ASCII. A level is as many symbols
    /// longer than the last as leave no prefix more than about a thousand children.
    pub fn new(epsilon: &Epsilon, alphabet: &str, length: u32) -> Result<Self, LocalError> {
        let symbols = alphabet.len() as u64 + 1;
        let usual = CHILDREN_USUAL.checked_ilog(symbols.max(2)).unwrap_or(0).max(1);
        Self::with_stride(epsilon, alphabet, length, usual.min(length.max(1)))
    }

    /// The same with levels of `stride` symbols each.
    pub fn with_stride(
        epsilon: &Epsilon,
        alphabet: &str,
        length: u32,
        stride: u32,
    ) -> Result<Self, LocalError> {
        let mut seen = [false; 128];
        let plain = alphabet
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !std::mem::replace(&mut seen[usize::from(byte)], true));
        if alphabet.is_empty() || !plain {
            return Err(LocalError::refused(
                "the alphabet is not a list of different printable ASCII characters",
                "write every symbol once, as in abcdefghijklmnopqrstuvwxyz",
            ));
        }
        let symbols = alphabet.len() as u64 + 1;
        if length == 0 || symbols.checked_pow(length).is_none_or(|strings| strings > STRINGS_MAX) {
            return Err(LocalError::refused(
                format!("{length} symbols of an alphabet of {} cannot be searched", alphabet.len()),
                "take at least one symbol, and not more strings than 2^60: 12 letters, or 60 bits",
            ));
        }
        let children = symbols.checked_pow(stride).filter(|children| *children <= TRIED_MAX as u64);
        if stride == 0 || stride > length || children.is_none() {
            return Err(LocalError::refused(
                format!("levels of {stride} symbols do not fit strings of {length}"),
                format!("take at least one, at most {length}, and at most {TRIED_MAX} children a prefix"),
            ));
        }
        let response = CellResponse::new(epsilon, PRIME_OF_STRINGS, best_cells(epsilon));
        Ok(Self { alphabet: alphabet.to_owned(), length, stride, epsilon: epsilon.clone(), response })
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        pure_and_rho(self.epsilon.clone(), rho_of_pure(&self.epsilon))
    }

    /// The symbols of strings, each once.
    pub fn alphabet(&self) -> &str {
        &self.alphabet
    }

    /// How many symbols a string has at most.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// L, how many levels there are.
    pub fn levels(&self) -> u64 {
        u64::from(self.length.div_ceil(self.stride))
    }

    /// How often a report supports a prefix of its level.
    pub fn rates(&self) -> Rates {
        self.response.rates()
    }

    /// One person's report of a string. What is longer than the tree is cut; a symbol outside the alphabet is
    /// refused before anything is drawn, and not repeated.
    pub fn randomize<B: SecureBits + ?Sized>(
        &self,
        text: &str,
        bits: &mut B,
    ) -> Result<TreeReport, LocalError> {
        let symbols = self.symbols_of(text)?;
        let level = uniform_u64_below(self.levels(), bits);
        let prefix = &symbols[..self.symbols_at(level) as usize];
        let (hash, cell) = self.response.randomize(self.number_of(prefix), bits);
        Ok(TreeReport { level, hash, cell })
    }

    /// Whether a report speaks for a string: its function sends the string's prefix at its level to its cell.
    pub fn supports(&self, report: &TreeReport, text: &str) -> Result<bool, LocalError> {
        if !self.admits(report) {
            return Err(self.not_a_report());
        }
        let symbols = self.symbols_of(text)?;
        let prefix = &symbols[..self.symbols_at(report.level) as usize];
        Ok(self.response.family.cell(&report.hash, self.number_of(prefix)) == report.cell)
    }

    /// Reads a report from its line, without the end of the line.
    pub fn parse_report(&self, line: &str) -> Result<TreeReport, LocalError> {
        let read = || {
            let (level, rest) = line.split_once(':')?;
            let (hash, cell) = rest.split_once(':')?;
            let [hash] = parse_hashes(hash, 1)?.try_into().ok()?;
            Some(TreeReport { level: parse_number(level)?, hash, cell: parse_number(cell)? })
        };
        read().filter(|report| self.admits(report)).ok_or_else(|| self.not_a_report())
    }

    /// Below which share strings drown in the noise, when so many people report and all is to hold but with
    /// probability `miss`: the share that [`TreeCollector::search`] will take at least, if the levels are
    /// equally popular.
    pub fn least_share(&self, people: u64, miss: f64) -> f64 {
        self.least_share_of_level(people / self.levels(), miss)
    }

    fn least_share_of_level(&self, reports: u64, miss: f64) -> f64 {
        let rates = self.rates();
        let each = miss / self.levels() as f64;
        if reports == 0 {
            return f64::INFINITY;
        }
        // The least support that nobody's prefix reaches but with probability β/L.
        let rare = |support: u64| {
            let frequency = support as f64 / reports as f64;
            frequency > rates.other && reports as f64 * divergence(frequency, rates.other) >= -each.ln()
        };
        let support = partition(reports, rare);
        if support > reports {
            return f64::INFINITY;
        }
        (mean_interval(support, reports, each).upper - rates.other) / rates.gap
    }

    /// The least support with which a prefix is kept.
    fn support_kept(&self, reports: u64, share: f64, miss: f64) -> u64 {
        let rates = self.rates();
        let each = miss / self.levels() as f64;
        let mean = rates.other + share * rates.gap;
        partition(reports, |support| mean_interval(support, reports, each).upper >= mean)
    }

    fn admits(&self, report: &TreeReport) -> bool {
        let family = &self.response.family;
        report.level < self.levels() && report.cell < family.cells() && family.admits(&report.hash)
    }

    fn not_a_report(&self) -> LocalError {
        let family = &self.response.family;
        not_a_report(&format!(
            "a level below {}, two numbers below {} and one below {}, as in 0:17,4:2",
            self.levels(),
            family.prime(),
            family.cells()
        ))
    }

    /// How many symbols the prefixes of a level have.
    fn symbols_at(&self, level: u64) -> u32 {
        ((level as u32 + 1) * self.stride).min(self.length)
    }

    fn base(&self) -> u64 {
        self.alphabet.len() as u64 + 1
    }

    /// Zero is the padding, and the alphabet is numbered from one.
    fn symbols_of(&self, text: &str) -> Result<Vec<u64>, LocalError> {
        let refuse = || {
            LocalError::answer(
                "the answer has a symbol outside the alphabet",
                "map answers to the alphabet first, to lower case for example",
            )
        };
        let mut symbols = Vec::with_capacity(self.length as usize);
        for character in text.chars() {
            let place = self.alphabet.find(character).ok_or_else(refuse)?;
            symbols.push(place as u64 + 1);
        }
        symbols.resize(self.length as usize, 0);
        Ok(symbols)
    }

    fn number_of(&self, prefix: &[u64]) -> u64 {
        prefix.iter().fold(0, |number, symbol| number * self.base() + symbol)
    }

    fn text_of(&self, mut number: u64) -> String {
        let mut text = Vec::new();
        while number > 0 {
            let symbol = number % self.base();
            number /= self.base();
            if symbol > 0 {
                text.push(self.alphabet.as_bytes()[symbol as usize - 1]);
            }
        }
        text.reverse();
        String::from_utf8(text).expect("the alphabet is ASCII")
    }

    /// What follows a prefix up to the next level, as numbers to be added: all suffixes, with padding only at
    /// their ends.
    fn suffixes(&self, symbols: u32) -> Vec<u64> {
        let base = self.base();
        (0..symbols).fold(vec![0], |shorter, place| {
            let ended = |suffix: u64| place > 0 && suffix.is_multiple_of(base);
            let longer =
                |suffix: u64| (0..if ended(suffix) { 1 } else { base }).map(move |last| suffix * base + last);
            shorter.into_iter().flat_map(longer).collect()
        })
    }

    /// How many symbols a level adds.
    fn symbols_added(&self, level: u64) -> u32 {
        self.symbols_at(level) - if level == 0 { 0 } else { self.symbols_at(level - 1) }
    }
}

/// The least number from zero to `most` for which a rising condition holds; one more if none.
fn partition(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The line, without its end.
impl fmt::Display for TreeReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.level, Report::Hashed { hash: self.hash, cell: self.cell })
    }
}

/// The line that sets the tree up.
impl fmt::Display for PrefixTree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alphabet, length, stride, epsilon, response } = self;
        let cells = response.family.cells();
        write!(
            out,
            "prefix-tree alphabet={alphabet} length={length} stride={stride} epsilon={epsilon} cells={cells}"
        )
    }
}

/// Reads the line that sets a tree up.
impl FromStr for PrefixTree {
    type Err = LocalError;

    fn from_str(line: &str) -> Result<Self, LocalError> {
        let mut settings = Settings::parse(line)?;
        let narrow = |whole: u64| u32::try_from(whole).unwrap_or(u32::MAX);
        if settings.name() != "prefix-tree" {
            return Err(LocalError::refused(
                "this line is not a prefix tree's",
                "it begins with `prefix-tree`",
            ));
        }
        let (epsilon, alphabet) = (settings.epsilon()?, settings.text("alphabet")?);
        let length = narrow(settings.whole("length")?);
        let mut tree = match settings.optional_whole("stride")? {
            Some(stride) => Self::with_stride(&epsilon, alphabet, length, narrow(stride))?,
            None => Self::new(&epsilon, alphabet, length)?,
        };
        if let Some(cells) = settings.optional_whole("cells")? {
            let known = (2..=crate::local_hashing::CELLS_MAX).contains(&cells);
            known.then_some(()).ok_or_else(|| {
                LocalError::refused(format!("{cells} cells are out of range"), "leave the number out")
            })?;
            tree.response = CellResponse::new(&epsilon, PRIME_OF_STRINGS, cells);
        }
        settings.nothing_left()?;
        Ok(tree)
    }
}

/// Keeps the reports of a tree until it is searched.
#[derive(Clone, Debug)]
pub struct TreeCollector {
    tree: PrefixTree,
    levels: Vec<Vec<(Hash, u64)>>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The strings, the most frequent first.
    pub strings: Vec<FoundString>,
    /// Whether more prefixes looked frequent than there is room for, so that some branches were not followed.
    pub cut: bool,
}

/// A string that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundString {
    /// The string.
    pub text: String,
    /// Its share, from the reports of the last level; counts are among them.
    pub estimate: Estimate,
}

impl TreeCollector {
    /// A collector without reports.
    pub fn new(tree: PrefixTree) -> Self {
        let levels = (0..tree.levels()).map(|_| Vec::new()).collect();
        Self { tree, levels }
    }

    /// The tree whose reports are kept.
    pub fn tree(&self) -> &PrefixTree {
        &self.tree
    }

    /// How many reports there are.
    pub fn reports(&self) -> u64 {
        self.levels.iter().map(|level| level.len() as u64).sum()
    }

    /// Keeps one report; refuses what the tree cannot have sent.
    pub fn absorb(&mut self, report: &TreeReport) -> Result<(), LocalError> {
        if !self.tree.admits(report) {
            return Err(self.tree.not_a_report());
        }
        self.levels[report.level as usize].push((report.hash, report.cell));
        Ok(())
    }

    /// Keeps one line, without its end.
    pub fn absorb_line(&mut self, line: &str) -> Result<(), LocalError> {
        let report = self.tree.parse_report(line)?;
        self.absorb(&report)
    }

    /// The least share that can be searched for, given how many reports there are at each level.
    pub fn least_share(&self, miss: f64) -> f64 {
        let counts = self.levels.iter().map(|level| level.len() as u64);
        counts.map(|reports| self.tree.least_share_of_level(reports, miss)).fold(0.0, f64::max)
    }

    /// All strings that at least a share `share` of the people hold, each but with probability `miss`.
    pub fn search(&self, share: f64, miss: f64) -> Result<Found, LocalError> {
        if !(miss > 0.0 && miss < 1.0) {
            return Err(LocalError::refused(
                "the probability of a miss does not lie between 0 and 1",
                "take a small number such as 0.05",
            ));
        }
        let least = self.least_share(miss);
        if !(share >= least && share <= 1.0) {
            let hint = if least <= 1.0 {
                format!("search for a share of at least {least:.4}, or ask more people")
            } else {
                "ask more people, shorten the strings, or spend more privacy on a report".to_owned()
            };
            return Err(LocalError::refused("strings as rare as that drown in the noise", hint));
        }
        let (mut kept, mut supports, mut cut) = (vec![0], Vec::new(), false);
        for (level, reports) in self.levels.iter().enumerate() {
            let tried = Tried::below(&self.tree, &mut kept, level as u64);
            cut |= tried.cut;
            let least = self.tree.support_kept(reports.len() as u64, share, miss);
            let counted =
                tried.supports(&self.tree.response.family, reports).into_iter().zip(tried.numbers());
            let mut frequent: Vec<(u64, u64)> = counted.filter(|(support, _)| *support >= least).collect();
            // The most frequent first: if room runs out, the others are left.
            frequent.sort_unstable_by(|a, b| b.cmp(a));
            (supports, kept) = frequent.into_iter().unzip();
        }
        let rates = self.tree.rates();
        let last = self.levels.last().map_or(0, |level| level.len() as u64);
        let strings = kept.into_iter().zip(supports).zip(0..).map(|((number, support), rank)| FoundString {
            text: self.tree.text_of(number),
            estimate: estimate(&rates, rank, support, last),
        });
        Ok(Found { strings: strings.collect(), cut })
    }
}

/// The prefixes that are tried at a level: every suffix below prefixes that go on, and padding below those
/// that have ended.
struct Tried {
    /// Prefixes that go on, with zeros for what follows.
    open: Vec<u64>,
    suffixes: Vec<u64>,
    /// Prefixes that have ended, padded.
    ended: Vec<u64>,
    /// Whether there was no room for all.
    cut: bool,
}

impl Tried {
    /// What is below these prefixes of the level above, as many of them as there is room for.
    fn below(tree: &PrefixTree, kept: &mut Vec<u64>, level: u64) -> Self {
        let symbols = tree.symbols_added(level);
        let suffixes = tree.suffixes(symbols);
        let room = (TRIED_MAX / suffixes.len()).max(1);
        let cut = kept.len() > room;
        kept.truncate(room);
        let has_ended = |prefix: u64| level > 0 && prefix.is_multiple_of(tree.base());
        let (ended, open): (Vec<u64>, Vec<u64>) = kept.iter().copied().partition(|prefix| has_ended(*prefix));
        let shift = tree.base().pow(symbols);
        let lengthened = |prefixes: Vec<u64>| prefixes.into_iter().map(|prefix| prefix * shift).collect();
        Self { open: lengthened(open), suffixes, ended: lengthened(ended), cut }
    }

    /// The prefixes, in the order of their supports.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let below =
            |prefix: &u64| self.suffixes.iter().map(move |suffix| prefix + suffix).collect::<Vec<_>>();
        self.open.iter().flat_map(below).chain(self.ended.iter().copied())
    }

    /// How many reports support each prefix. A hash function is linear: the place of prefix + suffix is the
    /// sum of two places, so that a prefix costs an addition and two comparisons.
    fn supports(&self, family: &HashFamily, reports: &[(Hash, u64)]) -> Vec<u64> {
        let (open, ended) = (self.open.len() * self.suffixes.len(), self.ended.len());
        let mut supports = vec![0; open + ended];
        let (of_open, of_ended) = supports.split_at_mut(open);
        let prime = family.prime();
        for (hash, cell) in reports {
            let start = family.start(*cell);
            let size = family.start(*cell + 1) - start;
            // Places are counted from the start of the cell, modulo the prime.
            let from_start = Hash { shift: (hash.shift + (prime - start)) % prime, ..*hash };
            let multiple = Hash { shift: 0, ..*hash };
            let steps: Vec<u64> =
                self.suffixes.iter().map(|suffix| family.place(&multiple, *suffix)).collect();
            for (row, prefix) in of_open.chunks_mut(steps.len()).zip(&self.open) {
                let first = family.place(&from_start, *prefix);
                for (support, step) in row.iter_mut().zip(&steps) {
                    let place = first + step;
                    *support += u64::from((place < size) | (place.wrapping_sub(prime) < size));
                }
            }
            for (support, prefix) in of_ended.iter_mut().zip(&self.ended) {
                *support += u64::from(family.place(&from_start, *prefix) < size);
            }
        }
        supports
    }
}

#[cfg(test)]
mod tests;
