//! The accountant: a fixed list of mechanisms in, certified ε and δ out.
//!
//! It looks at the composition coarsely to learn where the tail in question lies, chooses a lattice fine enough for a
//! relative gap of about one in a thousand, and bounds the profile from both sides there. None of these choices
//! can make an answer wrong, only the gap between its bounds wider.

use super::composed::{Plan, Profile};
use super::lattice::{Lattice, Rounding, discretise, discretise_upwards, resolved_range};
use super::law::LossLaw;
use super::laws::{Direction, Mechanism};
use super::saddle::{self, Cumulants, Reach};

/// The gap aimed at, relative to ε.
const RELATIVE_GAP: f64 = 5e-4;
/// The longest convolution: four million points take about a second.
const LENGTH_MAX: usize = 1 << 22;
/// A list of this many laws is short, and this length of its convolution takes a few milliseconds.
const FEW_LAWS: usize = 4;
const LENGTH_FREE: f64 = 16_000.0;
/// As long as this a window may become for the sake of narrow laws.
const LENGTH_NARROW: f64 = 500_000.0;
/// What may lie outside the window, as a power of e: about 1e-15.
const OUTSIDE_EXPONENT: f64 = 34.5;

/// Two bounds around a number: the truth lies between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certified {
    /// Never above the truth.
    pub lower: f64,
    /// Never below the truth: the one to claim.
    pub upper: f64,
}

/// Why an account cannot be drawn up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PldError {
    /// A mechanism's parameter is out of range.
    #[error(
        "the {name} {got} is out of range\nhint: write a positive number between 1e-9 and 1e9 (a sampling rate: at most 1)"
    )]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The number as given.
        got: f64,
    },
    /// No mechanism was given.
    #[error("there is nothing to account for\nhint: add at least one mechanism with a count of at least one")]
    Empty,
    /// δ or ε is not a number that makes sense.
    #[error(
        "{name} = {got} cannot be converted\nhint: write a δ from 1e-60 to below 1, or an ε of at least 0; with δ = 0 only pure mechanisms have an ε, which is their sum"
    )]
    Target {
        /// δ or ε.
        name: &'static str,
        /// The number as given.
        got: f64,
    },
    /// No finite ε exists at this δ.
    #[error(
        "no finite ε exists at this δ: the mechanisms reveal everything with a larger probability\nhint: choose a larger δ, or mechanisms with a smaller one"
    )]
    Unbounded,
    /// A discrete Gaussian with more points than can be listed.
    #[error(
        "a discrete Gaussian of σ above 100,000 has too many points to list\nhint: account for it as zCDP with ρ = Δ²/(2σ²)"
    )]
    TooFine,
    /// Sampling of something whose worst pair is not known here.
    #[error(
        "only Gaussian and Laplace mechanisms can be subsampled here\nhint: use the amplification theorem for the (ε, δ) of another mechanism"
    )]
    Subsampled,
}

/// A list of mechanisms, fixed before anything runs.
///
/// ```
/// use pointillist_privacy::pld::{Accountant, Mechanism};
/// let mut accountant = Accountant::new();
/// accountant.add(Mechanism::Laplace { noise_multiplier: 100.0 }, 10_000);
/// let epsilon = accountant.epsilon(1e-6)?;
/// assert!(epsilon.lower <= 4.8763 && 4.8762 <= epsilon.upper);
/// # Ok::<(), pointillist_privacy::pld::PldError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Accountant {
    parts: Vec<(Mechanism, u64)>,
}

#[derive(Clone, Copy)]
enum Target {
    Delta(f64),
    Epsilon(f64),
}

type Laws = Vec<(Box<dyn LossLaw>, u64)>;

impl Accountant {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` uses of a mechanism.
    pub fn add(&mut self, mechanism: Mechanism, count: u64) {
        match self.parts.iter_mut().find(|(known, _)| *known == mechanism) {
            Some((_, uses)) => *uses = uses.saturating_add(count),
            None => self.parts.push((mechanism, count)),
        }
    }

    /// The smallest ε for which the composition is (ε, δ)-private, between two bounds.
    pub fn epsilon(&self, delta: f64) -> Result<Certified, PldError> {
        if !(1e-60..1.0).contains(&delta) {
            return Err(PldError::Target { name: "δ", got: delta });
        }
        self.worst_direction(|laws| epsilon_of(laws, delta))
    }

    /// The smallest δ for which the composition is (ε, δ)-private, between two bounds.
    pub fn delta(&self, epsilon: f64) -> Result<Certified, PldError> {
        if !(epsilon >= 0.0 && epsilon.is_finite()) {
            return Err(PldError::Target { name: "ε", got: epsilon });
        }
        self.worst_direction(|laws| Ok(delta_of(laws, epsilon)))
    }

    fn worst_direction(
        &self,
        bound: impl Fn(&Laws) -> Result<Certified, PldError>,
    ) -> Result<Certified, PldError> {
        let mut worst = bound(&self.laws(Direction::Remove)?)?;
        if self.parts.iter().any(|(mechanism, _)| !mechanism.is_symmetric()) {
            let other = bound(&self.laws(Direction::Add)?)?;
            worst = Certified { lower: worst.lower.max(other.lower), upper: worst.upper.max(other.upper) };
        }
        Ok(worst)
    }

    /// The laws of one direction. All Gaussians become one: k Gaussians of multipliers σ are one of (Σ 1/σ²)^(−1/2).
    fn laws(&self, direction: Direction) -> Result<Laws, PldError> {
        let mut laws = Laws::new();
        let mut precision = 0.0;
        for (mechanism, count) in self.parts.iter().filter(|(_, count)| *count > 0) {
            let law = mechanism.law(direction)?;
            match mechanism {
                Mechanism::Gaussian { noise_multiplier } => {
                    precision += *count as f64 / (noise_multiplier * noise_multiplier)
                }
                _ => laws.push((law, *count)),
            }
        }
        if precision > 0.0 {
            let all = Mechanism::Gaussian { noise_multiplier: (1.0 / precision.sqrt()).clamp(1e-9, 1e9) };
            laws.push((all.law(direction)?, 1));
        }
        if laws.is_empty() { Err(PldError::Empty) } else { Ok(laws) }
    }
}

fn epsilon_of(laws: &Laws, delta: f64) -> Result<Certified, PldError> {
    let (optimistic, pessimistic) = profiles(laws, Target::Delta(delta));
    let largest: f64 = laws.iter().map(|(law, count)| *count as f64 * law.largest_loss()).sum();
    let slack = loss_rounding(laws);
    let upper = pessimistic.epsilon(delta).map_or(f64::INFINITY, |epsilon| epsilon + slack);
    let upper = upper.min(largest * (1.0 + (laws.len() + 4) as f64 * f64::EPSILON)).max(0.0);
    if upper.is_infinite() {
        return Err(PldError::Unbounded);
    }
    let lower = optimistic.epsilon(delta).map_or(0.0, |epsilon| epsilon - slack).clamp(0.0, upper);
    Ok(Certified { lower, upper })
}

fn delta_of(laws: &Laws, epsilon: f64) -> Certified {
    let (optimistic, pessimistic) = profiles(laws, Target::Epsilon(epsilon));
    let slack = loss_rounding(laws);
    let upper = pessimistic.delta(epsilon - slack);
    let lower = optimistic.delta(epsilon + slack).min(upper);
    Certified { lower, upper }
}

/// How far the sum of all losses may be off by rounding of the losses themselves: lattice points stand for atoms, and
/// cells have the masses of intervals whose ends are off by a few units.
fn loss_rounding(laws: &Laws) -> f64 {
    let each = |law: &dyn LossLaw| {
        let (lower, upper) = resolved_range(law, 1e-30);
        128.0 * f64::EPSILON * lower.abs().max(upper.abs()) + law.loss_error()
    };
    laws.iter().map(|(law, count)| *count as f64 * each(law.as_ref())).sum()
}

/// The profile from below and from above, sharp around the target.
fn profiles(laws: &Laws, target: Target) -> (Profile, Profile) {
    let copies: f64 = laws.iter().map(|(_, count)| *count as f64).sum();
    let tail = match target {
        Target::Delta(delta) => (delta * 1e-8).min(1e-12),
        Target::Epsilon(_) => 1e-24,
    } / copies;
    let view = CoarseView::new(laws, target, tail);
    let plan = view.plan(laws, copies);
    let both = laws.iter().map(|(law, count)| {
        let (below, above) = discretise(law.as_ref(), plan.step, tail);
        ((below, *count), (above, *count))
    });
    let (below, above): (Vec<_>, Vec<_>) = both.unzip();
    let profile = |parts: &[(Lattice, u64)], rounding| Profile::new(parts, rounding, &plan);
    (profile(&below, Rounding::Optimistic), profile(&above, Rounding::Pessimistic))
}

/// The composition on lattices of a few hundred points each: enough to see where the tail lies.
struct CoarseView {
    tilt: f64,
    at: Cumulants,
    left: Reach,
    right: Reach,
    /// The range of the widest law.
    widest: f64,
}

impl CoarseView {
    fn new(laws: &Laws, target: Target, tail: f64) -> Self {
        let parts: Vec<(Lattice, u64)> = laws
            .iter()
            .map(|(law, count)| (coarse_lattice(law.as_ref(), tail, laws.len()), *count))
            .collect();
        let finest = parts.iter().map(|(lattice, _)| lattice.step).fold(f64::INFINITY, f64::min);
        // Beyond this tilt even the narrowest law has nearly collapsed into its largest loss, and the bounds would be
        // sharp there and nowhere else.
        let tilt_max =
            12.0 / parts.iter().map(|(lattice, _)| deviation(lattice)).fold(f64::INFINITY, f64::min);
        let tilt = match target {
            Target::Delta(delta) => saddle::tilt_for_delta(&parts, delta, tilt_max),
            Target::Epsilon(epsilon) => saddle::tilt_for_epsilon(&parts, epsilon, tilt_max),
        };
        let mut at = saddle::cumulants(&parts, tilt);
        at.variance = at.variance.max(finest * finest);
        let reach = |sign| saddle::reach(&parts, tilt, at, OUTSIDE_EXPONENT, sign);
        // Where no Chernoff bound is finite, a wide window is as good a guess as any.
        let bounded = |reach: Reach| match reach.distance.is_finite() {
            true => reach,
            false => Reach { distance: 100.0 * at.variance.sqrt(), ..reach },
        };
        let widest = |(lattice, _): &(Lattice, u64)| lattice.masses.len() as f64 * lattice.step;
        let widest = parts.iter().map(widest).fold(0.0, f64::max);
        Self { tilt, at, left: bounded(reach(-1.0)), right: bounded(reach(1.0)), widest }
    }

    /// Step and window. The chords of a cell add up to h²/6 to the variance of each copy, which moves ε by about
    /// (1 + λ)/2 times the sum.
    fn plan(&self, laws: &Laws, copies: f64) -> Plan {
        let deviation = self.at.variance.sqrt();
        let size = self.at.mean.abs().max(deviation);
        // Atoms that no lattice can hold together are rounded by a part of the step itself, not of its square.
        let unit = common_unit(laws);
        let aligned = unit.is_some() || laws.iter().all(|(law, _)| law.atoms().is_empty());
        let gap = if aligned { RELATIVE_GAP } else { RELATIVE_GAP / 4.0 };
        let wanted = (12.0 * gap * size / ((1.0 + self.tilt) * copies)).sqrt().min(deviation / 40.0);
        let window = ((self.left.distance + self.right.distance) * 1.05).clamp(8.0 * deviation, 1e9);
        // A short list can afford a finer lattice than it needs.
        let wanted = if laws.len() <= FEW_LAWS { wanted.min(window / LENGTH_FREE) } else { wanted };
        // A law narrower than a cell would be all rounding: the step stays below the atoms' unit, or well inside the
        // narrowest law of atoms, as long as the window does not become too long for it.
        let step = match unit {
            Some(unit) if window / unit <= LENGTH_MAX as f64 => unit / (unit / wanted).ceil().max(1.0),
            _ => wanted.min(narrowest_atoms(laws) / 4.0).max(wanted.min(window / LENGTH_NARROW)),
        };
        // No law may have more cells than fit: a lattice of its own range bounds the step from below.
        let cells_max = ((1 << 24) / laws.len()).clamp(1 << 12, 1 << 20) as f64;
        let step = step.max(self.widest / cells_max);
        let length =
            ((window / step).max(64.0).min(LENGTH_MAX as f64) as usize).next_power_of_two().min(LENGTH_MAX);
        let step = step.max(window / length as f64);
        let start = ((self.at.mean - self.left.distance * 1.02) / step).floor() as i64;
        Plan { step, start, length, tilt: self.tilt, directions: [self.left.direction, self.right.direction] }
    }
}

/// A lattice that shows a law's bulk as well as its tail: first one for the range, then one for the deviation seen there.
fn coarse_lattice(law: &dyn LossLaw, tail: f64, laws: usize) -> Lattice {
    let (lower, upper) = resolved_range(law, tail);
    let range = (upper - lower).max(1e-300);
    let rough = discretise_upwards(law, range / 100.0, tail);
    let points_max = (2_000_000 / laws).clamp(100, 20_000) as f64;
    let step = (deviation(&rough) / 8.0).clamp(range / points_max, range / 100.0);
    discretise_upwards(law, step, tail)
}

/// The standard deviation of one loss, at least a lattice step.
fn deviation(lattice: &Lattice) -> f64 {
    saddle::cumulants_of(lattice, 0.0).variance.sqrt().max(lattice.step)
}

/// The smallest distance between the ends of a law of atoms; infinite when no law has two.
fn narrowest_atoms(laws: &Laws) -> f64 {
    let width = |law: &dyn LossLaw| {
        let losses = || law.atoms().into_iter().map(|atom| atom.loss).filter(|loss| loss.is_finite());
        losses().fold(f64::NEG_INFINITY, f64::max) - losses().fold(f64::INFINITY, f64::min)
    };
    laws.iter().map(|(law, _)| width(law.as_ref())).filter(|width| *width > 0.0).fold(f64::INFINITY, f64::min)
}

/// The number of which every atom of every law is a multiple, when the laws agree on one.
fn common_unit(laws: &Laws) -> Option<f64> {
    let mut units = laws.iter().filter(|(law, _)| !law.atoms().is_empty()).map(|(law, _)| law.atom_unit());
    let first = units.next()??;
    units.all(|unit| unit.is_some_and(|unit| (unit / first - 1.0).abs() < 1e-12)).then_some(first)
}
