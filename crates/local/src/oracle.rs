//! One frequency oracle of any kind: set up by a name, written as a line, read back from it.
//!
//! The line holds everything a collector must know, and nothing private:
//! `k-ary-response values=4 epsilon=1`. Put it at the head of a file of reports.
//!
//! **Guarantee.** ε-differential privacy of each report, that of the randomizer inside. A value that is none of the
//! declared ones is refused before anything is drawn, by its own owner's device: a refusal is no report.
//! **Neighbours.** Replace one person's answer.
//! **Source.** The proof of each randomizer stands in its own file; which one is used depends on the line alone.

use std::fmt;
use std::str::FromStr;

use pointillist_noise::SecureBits;
use pointillist_numbers::Enclosure;
use pointillist_privacy::{Epsilon, Loss};

use crate::binary_response::{BinaryResponse, Setting};
use crate::frequency_oracle::VALUES_MAX;
use crate::hadamard_response::HadamardResponse;
use crate::kary_response::KaryResponse;
use crate::local_hashing::LocalHashing;
use crate::rappor::{Chances, Rappor, Rows};
use crate::report::not_a_report;
use crate::settings::Settings;
use crate::subset_selection::SubsetSelection;
use crate::unary_encoding::UnaryEncoding;
use crate::{FrequencyOracle, LocalError, Rates, Report};

/// The most bits of a row: 128 KiB a report.
const ROW_MAX: u64 = 1 << 20;

/// The methods that need nothing but ε and the number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// [`BinaryResponse`], for two values.
    BinaryResponse,
    /// [`KaryResponse`].
    KaryResponse,
    /// [`UnaryEncoding`], optimised.
    UnaryEncoding,
    /// [`UnaryEncoding`], symmetric.
    SymmetricUnaryEncoding,
    /// [`LocalHashing`].
    LocalHashing,
    /// [`HadamardResponse`].
    HadamardResponse,
    /// [`SubsetSelection`].
    SubsetSelection,
}

impl Method {
    /// Every method, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::BinaryResponse,
        Self::KaryResponse,
        Self::UnaryEncoding,
        Self::SymmetricUnaryEncoding,
        Self::LocalHashing,
        Self::HadamardResponse,
        Self::SubsetSelection,
    ];

    /// The name in the line of an oracle.
    pub fn name(self) -> &'static str {
        match self {
            Self::BinaryResponse => "randomized-response",
            Self::KaryResponse => "k-ary-response",
            Self::UnaryEncoding => "unary-encoding",
            Self::SymmetricUnaryEncoding => "symmetric-unary-encoding",
            Self::LocalHashing => "local-hashing",
            Self::HadamardResponse => "hadamard-response",
            Self::SubsetSelection => "subset-selection",
        }
    }

    /// The method of a name, or of one of its usual abbreviations.
    pub fn parse(text: &str) -> Result<Self, LocalError> {
        let abbreviated = match text {
            "rr" => Some(Self::BinaryResponse),
            "krr" | "grr" => Some(Self::KaryResponse),
            "oue" => Some(Self::UnaryEncoding),
            "sue" => Some(Self::SymmetricUnaryEncoding),
            "olh" => Some(Self::LocalHashing),
            "hr" => Some(Self::HadamardResponse),
            "ss" => Some(Self::SubsetSelection),
            _ => None,
        };
        abbreviated.or_else(|| Self::ALL.into_iter().find(|method| method.name() == text)).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|method| method.name()).collect();
            LocalError::refused("there is no such method", format!("the methods are {}", names.join(", ")))
        })
    }
}

/// A frequency oracle over the values `0..values()`.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one of them in a program, and it is read in an inner loop"
)]
pub enum Oracle {
    /// See [`BinaryResponse`].
    Binary(BinaryResponse),
    /// See [`KaryResponse`].
    Kary(KaryResponse),
    /// See [`UnaryEncoding`].
    Unary(UnaryEncoding),
    /// See [`LocalHashing`].
    Hashing(LocalHashing),
    /// See [`HadamardResponse`].
    Hadamard(HadamardResponse),
    /// See [`SubsetSelection`].
    Subset(SubsetSelection),
    /// See [`Rappor`].
    Rappor(Rappor),
}

/// The same expression for whichever oracle it is.
macro_rules! each {
    ($oracle:expr, $inner:ident => $body:expr) => {
        match $oracle {
            Oracle::Binary($inner) => $body,
            Oracle::Kary($inner) => $body,
            Oracle::Unary($inner) => $body,
            Oracle::Hashing($inner) => $body,
            Oracle::Hadamard($inner) => $body,
            Oracle::Subset($inner) => $body,
            Oracle::Rappor($inner) => $body,
        }
    };
}

impl Oracle {
    /// A method with its best settings for ε.
    pub fn new(method: Method, epsilon: &Epsilon, values: u64) -> Result<Self, LocalError> {
        Ok(match method {
            Method::BinaryResponse if values == 2 => Self::Binary(BinaryResponse::new(epsilon)),
            Method::BinaryResponse => {
                return Err(LocalError::refused(
                    format!("randomized response takes two values, not {values}"),
                    "k-ary-response takes any number of them",
                ));
            }
            Method::KaryResponse => Self::Kary(KaryResponse::new(epsilon, values)?),
            Method::UnaryEncoding => Self::Unary(UnaryEncoding::optimised(epsilon, values)?),
            Method::SymmetricUnaryEncoding => Self::Unary(UnaryEncoding::symmetric(epsilon, values)?),
            Method::LocalHashing => Self::Hashing(LocalHashing::new(epsilon, values)?),
            Method::HadamardResponse => Self::Hadamard(HadamardResponse::new(epsilon, values)?),
            Method::SubsetSelection => Self::Subset(SubsetSelection::new(epsilon, values)?),
        })
    }

    /// How many values there are.
    pub fn values(&self) -> u64 {
        each!(self, oracle => oracle.values())
    }

    /// What one report costs the person who gives it.
    pub fn loss(&self) -> Loss {
        each!(self, oracle => oracle.loss())
    }

    /// How often a report supports a value: the estimates' mean and variance follow.
    pub fn rates(&self) -> Rates {
        each!(self, oracle => oracle.rates())
    }

    /// One person's report. An answer that is no value is refused before anything is drawn.
    #[inline]
    pub fn randomize<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Result<Report, LocalError> {
        if value >= self.values() {
            return Err(no_value(self.values()));
        }
        Ok(each!(self, oracle => oracle.randomize(value, bits)))
    }

    /// The exact probability of a report from somebody who holds `value`, for audits; zero for what is no
    /// report.
    pub fn probability(&self, report: &Report, value: u64, precision: usize) -> Enclosure {
        each!(self, oracle => oracle.probability(report, value, precision))
    }

    /// How many trials of a report support a value.
    pub fn support(&self, report: &Report, value: u64) -> u64 {
        each!(self, oracle => oracle.support(report, value))
    }

    /// Whether a report is one that this oracle can send.
    pub fn admits(&self, report: &Report) -> bool {
        each!(self, oracle => oracle.admits(report))
    }

    /// Reads a report from its line, without the end of the line.
    pub fn parse_report(&self, line: &str) -> Result<Report, LocalError> {
        each!(self, oracle => {
            let report = oracle.parse(line).filter(|report| oracle.admits(report));
            report.ok_or_else(|| not_a_report(&oracle.shape()))
        })
    }

    /// How many bytes a report takes at most, without the end of its line.
    pub fn line_bytes_max(&self) -> u64 {
        each!(self, oracle => oracle.line_bytes_max())
    }

    pub(crate) fn cells(&self) -> usize {
        each!(self, oracle => oracle.cells())
    }

    pub(crate) fn count(&self, report: &Report, cells: &mut [u64]) {
        each!(self, oracle => oracle.count(report, cells));
    }

    pub(crate) fn supports(&self, cells: &[u64], n: u64) -> Vec<u64> {
        each!(self, oracle => oracle.supports(cells, n))
    }

    pub(crate) fn shape(&self) -> String {
        each!(self, oracle => oracle.shape())
    }
}

/// The line that sets the oracle up.
impl fmt::Display for Oracle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        match self {
            Self::Binary(binary) => match binary.setting() {
                Setting::Gamma(gamma) => write!(out, "randomized-response gamma={gamma}"),
                Setting::Epsilon(epsilon) => write!(out, "randomized-response epsilon={epsilon}"),
            },
            Self::Kary(kary) => write!(out, "k-ary-response values={values} epsilon={}", kary.epsilon()),
            Self::Unary(unary) => {
                let name = if unary.is_symmetric() { "symmetric-unary-encoding" } else { "unary-encoding" };
                write!(out, "{name} values={values} epsilon={}", unary.epsilon())
            }
            Self::Hashing(hashing) => write!(
                out,
                "local-hashing values={values} epsilon={} cells={}",
                hashing.epsilon(),
                hashing.hash_cells()
            ),
            Self::Hadamard(hadamard) => {
                write!(out, "hadamard-response values={values} epsilon={}", hadamard.epsilon())
            }
            Self::Subset(subset) => {
                write!(
                    out,
                    "subset-selection values={values} epsilon={} size={}",
                    subset.epsilon(),
                    subset.size()
                )
            }
            Self::Rappor(rappor) => {
                let Chances { forget, one_over_one, one_over_zero } = rappor.chances();
                write!(out, "rappor values={values} f={forget} p={one_over_zero} q={one_over_one}")?;
                match rappor.rows() {
                    Rows::OneHot => Ok(()),
                    Rows::Hashed { blocks, width } => write!(out, " blocks={blocks} width={width}"),
                }
            }
        }
    }
}

/// Reads the line that sets an oracle up. Settings that only tune a method may be left out.
impl FromStr for Oracle {
    type Err = LocalError;

    fn from_str(line: &str) -> Result<Self, LocalError> {
        let mut settings = Settings::parse(line)?;
        let oracle = match settings.name() {
            "randomized-response" => match settings.optional_number("gamma")? {
                Some(gamma) => Self::Binary(BinaryResponse::with_gamma(gamma)?),
                None => Self::Binary(BinaryResponse::new(&settings.epsilon()?)),
            },
            "local-hashing" => {
                let (epsilon, values) = (settings.epsilon()?, settings.whole("values")?);
                Self::Hashing(match settings.optional_whole("cells")? {
                    Some(cells) => LocalHashing::with_cells(&epsilon, values, cells)?,
                    None => LocalHashing::new(&epsilon, values)?,
                })
            }
            "subset-selection" => {
                let (epsilon, values) = (settings.epsilon()?, settings.whole("values")?);
                Self::Subset(match settings.optional_whole("size")? {
                    Some(size) => SubsetSelection::with_size(&epsilon, values, size)?,
                    None => SubsetSelection::new(&epsilon, values)?,
                })
            }
            "rappor" => {
                let chances = Chances {
                    forget: settings.number("f")?,
                    one_over_zero: settings.number("p")?,
                    one_over_one: settings.number("q")?,
                };
                let rows = match (settings.optional_whole("blocks")?, settings.optional_whole("width")?) {
                    (None, None) => Rows::OneHot,
                    (Some(blocks), Some(width)) => Rows::Hashed { blocks, width },
                    _ => {
                        return Err(LocalError::refused(
                            "blocks and width belong together",
                            "write both, as in blocks=2 width=64, or none for a bit a value",
                        ));
                    }
                };
                Self::Rappor(Rappor::new(settings.whole("values")?, rows, chances)?)
            }
            name => {
                let method = Method::parse(name)?;
                Self::new(method, &settings.epsilon()?, settings.whole("values")?)?
            }
        };
        settings.nothing_left()?;
        Ok(oracle)
    }
}

/// An answer that is none of the values. It is not repeated.
pub(crate) fn no_value(values: u64) -> LocalError {
    LocalError::answer(
        format!("the answer is not one of the {values} values"),
        "number the values from zero, and keep one for every other answer",
    )
}

/// A number of values that a question may have.
pub(crate) fn checked_values(values: u64) -> Result<u64, LocalError> {
    match values {
        0 | 1 => Err(LocalError::refused(
            format!("{values} values leave nothing to choose"),
            "give at least two values",
        )),
        2..=VALUES_MAX => Ok(values),
        _ => Err(LocalError::refused(
            format!("{values} values are too many to count one by one"),
            format!("give at most {VALUES_MAX}, or search for the frequent ones with a prefix tree"),
        )),
    }
}

/// A number of bits that a row may have.
pub(crate) fn checked_values_of_rows(values: u64) -> Result<u64, LocalError> {
    if values > ROW_MAX {
        return Err(LocalError::refused(
            format!("a report of {values} bits is too long"),
            format!("take at most {ROW_MAX}, or local-hashing, whose reports are short"),
        ));
    }
    Ok(values)
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
