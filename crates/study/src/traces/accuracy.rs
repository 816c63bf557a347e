//! How well a network is seen at which price: every mechanism on traces that never were, round by round.
//!
//! A round is one made-up trace and fresh noise from the operating system. Nobody is in such a trace, so nothing is paid and the truth is
//! known. Rules that decide (thresholds, margins) use public numbers alone; what was planted is looked at only to count.

mod detection;
mod distribution;

use std::collections::BTreeMap;

use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_numbers::Rational;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::error::TraceError;
use super::made_up::{self, Size};

/// The prices of every table: strong, medium and weak in the words of McSherry and Mahajan.
pub const EPSILONS: [&str; 3] = ["0.1", "1", "10"];
/// The δ of every price.
pub const DELTA: &str = "1e-6";

/// One line of a table of errors or rates: what, how, and at which price.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// What was asked.
    pub what: String,
    /// Whose rows are hidden.
    pub unit: &'static str,
    /// How, with its limits.
    pub how: String,
    /// The ε, as a place in [`EPSILONS`].
    pub price: usize,
}

/// Values of rounds under a name, for a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub BTreeMap<String, Vec<f64>>);

impl Values {
    /// The mean over rounds.
    pub fn mean(&self, name: &str) -> Option<f64> {
        let values = self.0.get(name)?;
        Some(values.iter().sum::<f64>() / values.len().max(1) as f64)
    }

    /// The median over rounds.
    pub fn median(&self, name: &str) -> Option<f64> {
        let mut values = self.0.get(name)?.clone();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        Some(match values.len() % 2 {
            0 => (values[middle.saturating_sub(1)] + values[middle]) / 2.0,
            _ => values[middle],
        })
    }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// How many traces.
    pub rounds: u32,
    /// Line by line.
    pub lines: BTreeMap<Line, Values>,
}

impl Accuracy {
    fn add(&mut self, line: Line, name: &str, value: f64) {
        self.lines.entry(line).or_default().0.entry(name.to_owned()).or_default().push(value);
    }

    /// The lines of a question, in the order of units, methods and prices.
    pub fn of<'a>(&'a self, what: &'a str) -> impl Iterator<Item = (&'a Line, &'a Values)> {
        self.lines.iter().filter(move |(line, _)| line.what == what)
    }
}

/// What a price buys.
pub(super) struct Paid {
    /// All of δ translates ρ to ε.
    pub(super) rho: Rho,
    /// Half of δ does, and the other half earns keys.
    pub(super) rho_with_keys: Rho,
    pub(super) delta_of_keys: Delta,
}

impl Paid {
    /// What ε buys at the δ of every table.
    pub(super) fn new(epsilon: &Epsilon) -> Result<Self, TraceError> {
        let delta = Delta::parse(DELTA)?;
        let half = Delta::new(delta.value() * &Rational::ratio(1, 2))?;
        Ok(Self {
            rho: zcdp_rho_lower(epsilon, &delta)?,
            rho_with_keys: zcdp_rho_lower(epsilon, &half)?,
            delta_of_keys: half,
        })
    }
}

/// Measures everything on so many traces; `told` hears what is done next.
///
/// # Errors
/// When the system gives no randomness.
pub fn measure(rounds: u32, size: &Size, told: &mut dyn FnMut(&str)) -> Result<Accuracy, TraceError> {
    let mut accuracy = Accuracy { rounds, ..Accuracy::default() };
    let prices: Vec<Paid> = EPSILONS
        .iter()
        .map(|epsilon| Paid::new(&Epsilon::parse(epsilon)?))
        .collect::<Result<_, TraceError>>()?;
    for round in 0..u64::from(rounds) {
        let mut parts: [(&str, Part); 4] = [
            ("distributions, round trips and losses", distribution::round),
            ("worms", detection::worms),
            ("stepping stones", detection::stones),
            ("link volumes", detection::volumes),
        ];
        for (words, part) in &mut parts {
            told(&format!("trace {} of {rounds}: {words}", round + 1));
            with_system_bits(|bits| part(&mut accuracy, round, size, &prices, bits))??;
        }
    }
    Ok(accuracy)
}

type Part = fn(&mut Accuracy, u64, &Size, &[Paid], &mut SystemBits) -> Result<(), TraceError>;

/// The packets of a round.
fn packets(round: u64, size: &Size) -> super::trace::Packets {
    made_up::flows(round, size)
}
