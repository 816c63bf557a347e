//! Stepping stones: pairs of conversations that wake up together.
//!
//! **Guarantee.** δ-approximate ρ-zCDP for the pairs that are shown with how often they woke up together (δ = 0 where the names of
//! conversations are public), and for how often each woke up.
//! **Neighbours.** One packet more or less. Not a host: see below.
//! **Proof.** A packet wakes its conversation x where it comes more than [`IDLE_US`] after the packet before it. Time is cut into buckets at public
//! places; a bucket holds the conversations that woke up in it, and keeps the first m of them in the order of a keyed hash of their names and of the bucket. A
//! pair is counted in each bucket that keeps both. Take out the packet at time tᵢ: the awakening at tᵢ may go, and the packet at tᵢ₊₁ may wake x;
//! later packets see the same predecessor as before. So x may leave one bucket and enter another, and nothing else changes. When x leaves a
//! bucket that kept it, some y may take its place: m − 1 pairs with x lose one and m − 1 pairs with y gain one. When x enters, it may push
//! out a z: m − 1 pairs with x gain one, m − 1 with z lose one. Among the losing ones no pair is named twice ({x, u} and {z, v} differ, as x is
//! neither z nor v), nor among the gaining ones, so every pair moves by one at most, 4(m − 1) of them: L2 ≤ 2√(m − 1). New pairs have the count
//! one: earned keys with g = 4(m − 1) (`mechanisms/src/keys/earned_keys.rs`; where pairs vanish on either side its event is taken on both). Awakenings
//! of x change by one in one bucket down and one up: by one at most in sum, L2 ≤ 1.
//! **Hosts.** Both conversations of a stone are one host's. All of that evidence, cut at A coincidences, is one unit: with Δ = A the noise is
//! A/√(2ρ), so the signal is at most √(2ρ) deviations whatever A is: 0.2 of them at ε = 1, where more than four are needed
//! among 80,000 pairs. Nobody can find single stones and hide hosts; [`signal_at_host_level`] says it in numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

use pointillist_mechanisms::{DiscreteGaussianMechanism, EarnedKeys};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Loss, Rho, SensitivityL2};

use super::choice::Choice;
use super::error::TraceError;
use super::trace::Keystrokes;

/// Silence after which a packet wakes its conversation, in microseconds.
pub const IDLE_US: u64 = 500_000;
/// The width of a bucket, in microseconds.
pub const BUCKET_US: u64 = 200_000;
/// Which share of the awakenings of the rarer conversation must be shared.
const SHARED: f64 = 0.3;

/// A conversation: its host and its number there.
pub type Conversation = (u32, u64);

/// Pairs of conversations that wake up together, with exact noise.
pub struct SteppingStones {
    kept_max: u32,
    /// With names of conversations that must be earned.
    keys: EarnedKeys,
    /// The same noise, for public names.
    pairs: DiscreteGaussianMechanism,
    awakenings: DiscreteGaussianMechanism,
    loss: Loss,
}

/// What was released.
pub struct Released {
    /// Noisy numbers of buckets that keep both of a pair, smaller conversation first.
    pub pairs: BTreeMap<(Conversation, Conversation), i128>,
    /// Noisy numbers of awakenings of the conversations in those pairs.
    pub awakenings: BTreeMap<Conversation, i128>,
}

/// Whether anybody may know which conversations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesAre {
    /// They must be earned.
    Private,
    /// They are known: all pairs are released, those that never met too.
    Public,
}

impl SteppingStones {
    /// A search that keeps `kept_max` conversations a bucket, at least two. A twentieth of ρ is for awakenings.
    pub fn new(kept_max: u32, rho: &Rho, delta: &Delta) -> Result<Self, TraceError> {
        let kept_max = kept_max.max(2);
        let part = |share| Rho::new(rho.value() * &Rational::ratio(share, 20));
        let squared = pairs_squared_upper(kept_max);
        let sensitivity = SensitivityL2::from_squared(Rational::from(squared))?;
        Ok(Self {
            kept_max,
            keys: EarnedKeys::new(squared, &part(19)?, delta)?,
            pairs: DiscreteGaussianMechanism::for_rho(&part(19)?, &sensitivity)?,
            awakenings: DiscreteGaussianMechanism::for_rho(
                &part(1)?,
                &SensitivityL2::from_squared(Rational::from(1))?,
            )?,
            loss: Loss::approximate_zcdp(rho.clone(), delta.clone()),
        })
    }

    /// What a search costs.
    pub fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The deviation of the noise on a pair.
    pub fn sigma(&self) -> f64 {
        self.pairs.variance_parameter().to_f64_upper().sqrt()
    }

    /// The least noisy number of a pair that is shown, where names must be earned.
    pub fn threshold(&self) -> i128 {
        self.keys.threshold()
    }

    /// The pairs and awakenings, with noise.
    pub fn release<S: BuildHasher, B: SecureBits + ?Sized>(
        &self,
        keystrokes: &Keystrokes,
        names: NamesAre,
        choice: &Choice<S>,
        bits: &mut B,
    ) -> Released {
        let woken = awakenings(keystrokes);
        let mut counts = pair_counts(keystrokes, &woken, self.kept_max, choice);
        if names == NamesAre::Public {
            let all: Vec<Conversation> = woken.keys().copied().collect();
            for (place, one) in all.iter().enumerate() {
                for other in &all[place + 1..] {
                    counts.entry((*one, *other)).or_default();
                }
            }
        }
        let exact: Vec<i128> = counts.values().copied().collect();
        let noisy: Vec<Option<i128>> = match names {
            NamesAre::Private => self.keys.release(&exact, bits),
            NamesAre::Public => self.pairs.release_all(&exact, bits).into_iter().map(Some).collect(),
        };
        let pairs: BTreeMap<_, _> =
            counts.into_keys().zip(noisy).filter_map(|(pair, noisy)| Some((pair, noisy?))).collect();
        let named: BTreeSet<Conversation> = pairs.keys().flat_map(|(one, other)| [*one, *other]).collect();
        let counts: Vec<i128> = woken.values().map(|times| times.len() as i128).collect();
        let noisy = self.awakenings.release_all(&counts, bits);
        let awakenings =
            woken.keys().copied().zip(noisy).filter(|(conversation, _)| named.contains(conversation));
        Released { awakenings: awakenings.collect(), pairs }
    }

    /// The pairs that are taken for stepping stones: above `threshold`, and sharing three tenths of the rarer one's awakenings.
    pub fn stones(&self, released: &Released, threshold: f64) -> Vec<(Conversation, Conversation)> {
        let woken = |conversation: &Conversation| {
            released.awakenings.get(conversation).copied().unwrap_or_default() as f64
        };
        let is_stone = |((one, other), count): (&(Conversation, Conversation), &i128)| {
            let count = *count as f64;
            (count >= threshold && count >= SHARED * woken(one).min(woken(other))).then_some((*one, *other))
        };
        released.pairs.iter().filter_map(is_stone).collect()
    }

    /// Above which half a pair of so many is expected by noise alone.
    pub fn threshold_of_noise(&self, pairs: usize) -> f64 {
        self.sigma() * normal_quantile(0.5 / pairs.max(1) as f64)
    }
}

/// The square of how far one packet moves all pairs.
fn pairs_squared_upper(kept_max: u32) -> u64 {
    4 * (u64::from(kept_max) - 1)
}

/// At host level, the largest signal of a stone in deviations of its noise, whatever is cut where.
pub fn signal_at_host_level(rho: &Rho) -> f64 {
    (2.0 * rho.to_f64_upper()).sqrt()
}

/// Where a normal variable lies above with this probability.
pub fn normal_quantile(above: f64) -> f64 {
    let tail = |x: f64| {
        // The tail by its continued fraction, from far out inwards.
        let fraction = (1..=60).rev().fold(x, |below, step| x + f64::from(step) / below);
        (-x * x / 2.0).exp() / (std::f64::consts::TAU.sqrt() * fraction)
    };
    let (mut low, mut high) = (0.5, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if tail(middle) > above { low = middle } else { high = middle }
    }
    high
}

/// When conversations woke up.
fn awakenings(keystrokes: &Keystrokes) -> BTreeMap<Conversation, Vec<u64>> {
    let mut times: BTreeMap<Conversation, Vec<u64>> = BTreeMap::new();
    for row in &keystrokes.rows {
        times.entry((row.host, row.flow)).or_default().push(row.time_us);
    }
    for times in times.values_mut() {
        times.sort_unstable();
        let mut before = None;
        times.retain(|time| {
            let wakes = before.is_none_or(|before| time - before > IDLE_US);
            before = Some(*time);
            wakes
        });
    }
    times
}

/// In how many buckets both of a pair are kept.
fn pair_counts<S: BuildHasher>(
    keystrokes: &Keystrokes,
    woken: &BTreeMap<Conversation, Vec<u64>>,
    kept_max: u32,
    choice: &Choice<S>,
) -> BTreeMap<(Conversation, Conversation), i128> {
    let mut buckets: BTreeMap<u64, BTreeSet<(u64, Conversation)>> = BTreeMap::new();
    for ((host, flow), times) in woken {
        let name = keystrokes.hosts.name(*host);
        for time in times {
            // Every bucket has an order of its own: a conversation that comes last in one is not last in all.
            let bucket = time / BUCKET_US;
            let rank = choice.rank(&(bucket, name, flow));
            buckets.entry(bucket).or_default().insert((rank, (*host, *flow)));
        }
    }
    let mut counts = BTreeMap::new();
    for woken in buckets.values() {
        let kept: Vec<Conversation> =
            woken.iter().take(kept_max as usize).map(|(_, conversation)| *conversation).collect();
        for (place, one) in kept.iter().enumerate() {
            for other in &kept[place + 1..] {
                *counts.entry((*one.min(other), *one.max(other))).or_default() += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests;
