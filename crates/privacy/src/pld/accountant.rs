//! The accountant: a fixed list of mechanisms in, certified ε and δ out.
//!
//! Lists that are smooth together, by their number or by some Gaussian noise among them, are inverted (`inversion.rs`):
//! bounds that agree to ten digits. All others go to a lattice.
//!
//! There it looks at the composition coarsely to learn where the tail in question lies, chooses a lattice fine enough for a
//! relative gap of about one in a thousand, and bounds the profile from both sides there. None of these choices
//! can make an answer wrong, only the gap between its bounds wider.

use pointillist_errors::{Explained, Kind};

use super::characteristic::Characteristic;
use super::composed::{Plan, Profile};
use super::inversion::{self, Characteristics};
use super::lattice::{Lattice, Rounding, discretise, resolved_range};
use super::law::LossLaw;
use super::laws::{Direction, Gaussian, Mechanism};
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
    #[error("the {name} {got} is out of range")]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The number as given.
        got: f64,
    },
    /// No mechanism was given.
    #[error("there is nothing to account for")]
    Empty,
    /// δ or ε is not a number that makes sense.
    #[error("{name} = {got} cannot be converted")]
    Target {
        /// δ or ε.
        name: &'static str,
        /// The number as given.
        got: f64,
    },
    /// No finite ε exists at this δ.
    #[error("no finite ε exists at this δ: the mechanisms reveal everything with a larger probability")]
    Unbounded,
    /// The bounds contradict each other, so that one of them is wrong.
    #[error("the bounds contradict each other: at least {lower} and at most {upper}")]
    Contradiction {
        /// The bound from below.
        lower: f64,
        /// The bound from above.
        upper: f64,
    },
    /// A discrete Gaussian with more points than can be listed.
    #[error("a discrete Gaussian of σ above 100,000 has too many points to list")]
    TooFine,
    /// Sampling of something whose worst pair is not known here.
    #[error("only Gaussian and Laplace mechanisms can be subsampled here")]
    Subsampled,
}

impl Explained for PldError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Parameter { .. } => "write a positive number between 1e-9 and 1e9 (a sampling rate: at most 1)".to_owned(),
            Self::Empty => "add at least one mechanism with a count of at least one".to_owned(),
            Self::Target { .. } => "write a δ from 1e-60 to below 1, or an ε of at least 0; with δ = 0 only pure mechanisms have an ε, which is their sum".to_owned(),
            Self::Unbounded => "choose a larger δ, or mechanisms with a smaller one".to_owned(),
            Self::Contradiction { .. } => "this is a mistake in the accountant; please report the list of mechanisms".to_owned(),
            Self::TooFine => "account for it as zCDP with ρ = Δ²/(2σ²)".to_owned(),
            Self::Subsampled => "use the amplification theorem for the (ε, δ) of another mechanism".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Parameter
    }
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

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
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
        self.worst_direction(Target::Delta(delta))
    }

    /// The smallest δ for which the composition is (ε, δ)-private, between two bounds.
    pub fn delta(&self, epsilon: f64) -> Result<Certified, PldError> {
        if !(epsilon >= 0.0 && epsilon.is_finite()) {
            return Err(PldError::Target { name: "ε", got: epsilon });
        }
        self.worst_direction(Target::Epsilon(epsilon))
    }

    fn worst_direction(&self, target: Target) -> Result<Certified, PldError> {
        let mut worst = self.one_direction(Direction::Remove, target)?;
        if self.parts.iter().any(|(mechanism, _)| !mechanism.is_symmetric()) {
            let other = self.one_direction(Direction::Add, target)?;
            worst = Certified { lower: worst.lower.max(other.lower), upper: worst.upper.max(other.upper) };
        }
        Ok(worst)
    }

    fn one_direction(&self, direction: Direction, target: Target) -> Result<Certified, PldError> {
        let gaussian = self.gaussian();
        let above = self.laws(direction, gaussian.upper())?;
        if let Some(smooth) = self.characteristics(direction, gaussian)
            && let Some(found) = inversion::certified(&smooth, target)
        {
            return ordered(found);
        }
        let below = self.laws(direction, gaussian.lower())?;
        match target {
            Target::Delta(delta) => epsilon_of(&below, &above, delta),
            Target::Epsilon(epsilon) => delta_of(&below, &above, epsilon),
        }
    }

    /// All Gaussians as one: k Gaussians of multipliers σ are one of (Σ 1/σ²)^(−1/2).
    pub(crate) fn gaussian(&self) -> MergedGaussian {
        let mut squares = 0.0;
        let mut terms = 0.0;
        for (mechanism, count) in &self.parts {
            if let Mechanism::Gaussian { noise_multiplier } = mechanism {
                squares += *count as f64 / (noise_multiplier * noise_multiplier);
                terms += 1.0;
            }
        }
        MergedGaussian { mu: squares.sqrt(), error: (terms + 4.0) * f64::EPSILON }
    }

    /// The laws of one direction, with one of this μ for all Gaussians.
    pub(crate) fn laws(&self, direction: Direction, mu: f64) -> Result<Laws, PldError> {
        let mut laws = Laws::new();
        for (mechanism, count) in self.parts.iter().filter(|(_, count)| *count > 0) {
            let law = mechanism.law(direction)?;
            if !matches!(mechanism, Mechanism::Gaussian { .. }) {
                laws.push((law, *count));
            }
        }
        if mu > 0.0 {
            laws.push((Box::new(Gaussian { mu }), 1));
        }
        if laws.is_empty() { Err(PldError::Empty) } else { Ok(laws) }
    }

    /// The characteristic functions of one direction, when all are known.
    pub(crate) fn characteristics(
        &self,
        direction: Direction,
        gaussian: MergedGaussian,
    ) -> Option<Characteristics> {
        let mut all = Characteristics::new();
        for (mechanism, count) in self.parts.iter().filter(|(_, count)| *count > 0) {
            if !matches!(mechanism, Mechanism::Gaussian { .. }) {
                all.push((mechanism.characteristic(direction)?, *count));
            }
        }
        if gaussian.mu > 0.0 {
            all.push((Characteristic::Gaussian { mu: gaussian.mu, mu_error: gaussian.error }, 1));
        }
        Some(all)
    }
}

/// μ of all Gaussians together, and its relative error.
#[derive(Clone, Copy)]
pub(crate) struct MergedGaussian {
    mu: f64,
    error: f64,
}

impl MergedGaussian {
    pub fn lower(self) -> f64 {
        self.mu * (1.0 - self.error)
    }

    pub fn upper(self) -> f64 {
        self.mu * (1.0 + self.error)
    }
}

/// The bounds, unless they contradict each other: then one of them is wrong, and nobody knows which.
pub(crate) fn ordered(found: Certified) -> Result<Certified, PldError> {
    let Certified { lower, upper } = found;
    if lower <= upper { Ok(found) } else { Err(PldError::Contradiction { lower, upper }) }
}

fn epsilon_of(below: &Laws, above: &Laws, delta: f64) -> Result<Certified, PldError> {
    let (optimistic, pessimistic) = profiles(below, above, Target::Delta(delta));
    let slack = loss_rounding(above);
    let upper = match pessimistic.epsilon(delta) {
        Some(epsilon) => epsilon + slack,
        None => chernoff_upper(above, delta).ok_or(PldError::Unbounded)? + slack,
    };
    let upper = upper.min(largest_upper(above)).max(0.0);
    let lower = optimistic.epsilon(delta).map_or(0.0, |epsilon| (epsilon - slack).max(0.0));
    ordered(Certified { lower, upper })
}

pub(crate) fn delta_of(below: &Laws, above: &Laws, epsilon: f64) -> Result<Certified, PldError> {
    let (optimistic, pessimistic) = profiles(below, above, Target::Epsilon(epsilon));
    let slack = loss_rounding(above);
    // No loss passes the largest one, and 1 − e^(ε−L) grows with it.
    let ceiling = -(epsilon - largest_upper(above)).min(0.0).exp_m1() * (1.0 + 1e-12);
    let upper = pessimistic.delta(epsilon - slack).min(ceiling);
    ordered(Certified { lower: optimistic.delta(epsilon + slack), upper })
}

/// The sum of the largest losses, rounded up; infinite when one is.
fn largest_upper(laws: &Laws) -> f64 {
    let sum: f64 = laws.iter().map(|(law, count)| *count as f64 * law.largest_loss()).sum();
    sum + sum.abs() * (laws.len() + 4) as f64 * f64::EPSILON
}

/// How far the sum of all losses may be off by rounding of the losses themselves: lattice points stand for atoms, and
/// cells have the masses of intervals whose ends are off by a few units.
pub(super) fn loss_rounding(laws: &Laws) -> f64 {
    let each = |law: &dyn LossLaw| {
        let (lower, upper) = resolved_range(law, 1e-30);
        128.0 * f64::EPSILON * lower.abs().max(upper.abs()) + law.loss_error()
    };
    laws.iter().map(|(law, count)| *count as f64 * each(law.as_ref())).sum()
}

/// The profile from below and from above, sharp around the target.
fn profiles(below: &Laws, above: &Laws, target: Target) -> (Profile, Profile) {
    let laws = above;
    let copies: f64 = laws.iter().map(|(_, count)| *count as f64).sum();
    let (tail, view) = match target {
        Target::Delta(delta) => {
            let tail = (delta * 1e-8).min(1e-12) / copies;
            (tail, CoarseView::new(laws, target, tail))
        }
        Target::Epsilon(epsilon) => {
            // A first look tells how small δ may be; a second one resolves tails that are small against it.
            let view = CoarseView::new(laws, target, 1e-24 / copies);
            let log_delta = view.at.value - view.tilt * epsilon;
            let tail = (log_delta.exp() * 1e-10).clamp(1e-280, 1e-24) / copies;
            if tail < 1e-26 / copies {
                (tail, CoarseView::new(laws, target, tail))
            } else {
                (1e-24 / copies, view)
            }
        }
    };
    let plan = view.plan(laws, copies);
    let lattices = |laws: &Laws, rounding| -> Vec<(Lattice, u64)> {
        laws.iter()
            .map(|(law, count)| (discretise(law.as_ref(), plan.step, tail, rounding), *count))
            .collect()
    };
    let profile = |laws, rounding| Profile::new(&lattices(laws, rounding), rounding, &plan);
    (profile(below, Rounding::Optimistic), profile(above, Rounding::Pessimistic))
}

/// An ε that holds at this δ by Chernoff's inequality, on coarse lattices: finite unless infinite losses alone weigh δ.
fn chernoff_upper(laws: &Laws, delta: f64) -> Option<f64> {
    let copies: f64 = laws.iter().map(|(_, count)| *count as f64).sum();
    let tail = delta * 1e-3 / copies;
    let parts: Vec<_> =
        laws.iter().map(|(law, count)| (coarse_lattice(law.as_ref(), tail, laws.len()), *count)).collect();
    let infinite: f64 = parts.iter().map(|(lattice, count)| *count as f64 * lattice.infinite).sum();
    let left = delta - infinite * (1.0 + 1e-12);
    let deviation = saddle::cumulants(&parts, 0.0).variance.sqrt().max(f64::MIN_POSITIVE);
    let bound = |tilt: f64| {
        let log_moment = saddle::cumulants(&parts, tilt).value;
        (log_moment - left.ln()) / tilt * (1.0 + 1e-9)
    };
    let tilts = (-20..=20).map(|part| 2f64.powi(part) / deviation);
    (left > 0.0).then(|| tilts.map(bound).filter(|bound| bound.is_finite()).fold(f64::INFINITY, f64::min))
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
        let window = ((self.left.distance + self.right.distance) * 1.05).max(8.0 * deviation);
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
    let rough = discretise(law, range / 100.0, tail, Rounding::Pessimistic);
    let points_max = (2_000_000 / laws).clamp(100, 20_000) as f64;
    let step = (deviation(&rough) / 8.0).clamp(range / points_max, range / 100.0);
    discretise(law, step, tail, Rounding::Pessimistic)
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
