//! A count at smooth sensitivity, with a private bound of that sensitivity for its interval.
//!
//! **Guarantee.** ε-differentially private, both numbers together: first an integer *level* with discrete
//! Laplace noise for a share of ε, then a count f with noise at smooth sensitivity for the rest (the theorem
//! of [`smooth_noise`](pointillist_mechanisms::local_sensitivity::smooth_noise)).
//! **Neighbours.** Those for which the caller's numbers have these properties, for all neighbours G and G':
//! 1. `U_0(G) ≥ |f(G) − f(G')|` and `U_s(G) ≤ U_{s+1}(G')`: what smooth sensitivity asks of local
//!    sensitivities;
//! 2. `|level(G) − level(G')| ≤ 1`.
//!
//! For the interval also `U_s(G) ≤ ceiling(level(G), s)`, where `ceiling` is public and does not fall when
//! the level rises.
//! **Proof.** Two releases from the same graph, the second chosen after the first was seen; their ε add up.
//! What is chosen is the smoothing β, by the noisy level and public settings.
//! **Method.** Noise with tails of power k pays for `β = ε/k`: a larger k is less noise at the same smooth
//! sensitivity, but a larger smooth sensitivity. Of a few k the one is taken that has the least noise at the
//! ceiling of the noisy level.
//! **Error.** The smooth sensitivity is private, so the width of an interval must come from elsewhere. With
//! probability at least `1 − b/5` the level is at most the noisy level plus a public reach. Then the smooth
//! sensitivity is at most that of the ceiling at this height, and the noise exceeds its quantile for `4b/5`
//! at that scale with probability at most `4b/5`. Together the interval fails with probability at most b.
//! **Exactness.** Integers and rationals with certified bounds; floats only for showing the width.
//! **Not covered.** Counts above `2^90` are cut off there, which moves no count further than before. Timing.

use pointillist_mechanisms::GeometricMechanism;
use pointillist_mechanisms::{PowerTailedLaplaceSetting, SmoothMechanism};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::{Estimate, Graph, GraphError};

/// Counts and local sensitivities end here: it leaves room for noise of any scale that can be drawn.
pub(crate) const COUNT_MAX: u128 = 1 << 90;
/// The powers of the tails to choose from.
const POWERS: [u32; 7] = [3, 4, 6, 10, 16, 30, 60];

/// Public settings of a count.
pub(crate) struct Setting {
    /// One part in so many of ε pays for the level.
    pub(crate) level_share: u32,
    /// Smooth sensitivities below this count as this.
    pub(crate) floor: u128,
    /// No local sensitivity is above this.
    pub(crate) cap: u128,
    /// No level is above this.
    pub(crate) level_max: u64,
}

/// A count and its level.
#[derive(Clone, Debug)]
pub(crate) struct SmoothCount {
    level: GeometricMechanism,
    level_max: u64,
    /// One for each power of the tail.
    counts: Vec<SmoothMechanism<PowerTailedLaplaceSetting>>,
    loss: Loss,
}

impl SmoothCount {
    /// The mechanism at this price.
    pub(crate) fn new(epsilon: &Epsilon, setting: &Setting) -> Result<Self, GraphError> {
        let level_epsilon = epsilon.divided_by(u64::from(setting.level_share))?;
        let count_epsilon = Epsilon::new(epsilon.value() - level_epsilon.value())?;
        let floor = setting.floor.clamp(1, COUNT_MAX);
        let cap = setting.cap.clamp(floor, COUNT_MAX);
        let [floor, cap] = [floor, cap].map(Rational::from);
        let count = |power: &u32| -> Result<_, GraphError> {
            let noise = PowerTailedLaplaceSetting::new(*power, &count_epsilon)?;
            Ok(SmoothMechanism::new(noise, &floor, &cap)?)
        };
        let counts = POWERS.iter().map(count).collect::<Result<_, _>>()?;
        let level = GeometricMechanism::new(&SensitivityL1::parse("1")?, &level_epsilon)?;
        Ok(Self { level, level_max: setting.level_max, counts, loss: Loss::pure(epsilon.clone()) })
    }

    /// What a release costs.
    pub(crate) fn loss(&self) -> Loss {
        self.loss.clone()
    }

    /// The noisy count and the noisy level.
    pub(crate) fn release(
        &self,
        count: u128,
        mut local_at: impl FnMut(u64) -> u128,
        level: u64,
        ceiling: impl Fn(u64, u64) -> u128,
        bits: &mut dyn SecureBits,
    ) -> [i128; 2] {
        let noisy_level = self.level.release(i128::from(level.min(self.level_max)), bits);
        let local = |distance: u64| Rational::from(local_at(distance).min(COUNT_MAX));
        let chosen = self.chosen(noisy_level, ceiling);
        let noisy_count = chosen.release_wide(count.min(COUNT_MAX) as i128, local, bits);
        [noisy_count, noisy_level]
    }

    /// What the count's error exceeds with probability at most `failure`, from the noisy level.
    pub(crate) fn error_upper(
        &self,
        noisy_level: i128,
        ceiling: impl Fn(u64, u64) -> u128,
        failure: &Rational,
    ) -> f64 {
        let part = |share: u32| {
            let probability = failure * &Rational::ratio(i128::from(share), 5);
            FailureProbability::new(probability).expect("a part of a small probability is one")
        };
        // Below the negative reach lies half of what both sides miss, and the reach itself is counted as a
        // miss.
        let reach = self.level.error_bound(&part(2)) as i128 - 1;
        let level = self.within(noisy_level.saturating_add(reach));
        let chosen = self.chosen(noisy_level, &ceiling);
        let sensitivity = chosen.smoothing().of(at(level, &ceiling));
        let error = chosen.error_bound(&sensitivity, &part(4));
        error.expect("the sensitivity was computed with the mechanism's own smoothing").to_f64_upper()
    }

    /// The power with the least noise if the level were what its noise says. Floats may choose: every choice
    /// that looks at the noisy level and at public settings alone is private.
    fn chosen(
        &self,
        noisy_level: i128,
        ceiling: impl Fn(u64, u64) -> u128,
    ) -> &SmoothMechanism<PowerTailedLaplaceSetting> {
        let level = self.within(noisy_level);
        let noise = |mechanism: &SmoothMechanism<PowerTailedLaplaceSetting>| {
            let beta = mechanism.smoothing().beta().to_f64_upper();
            // Sums and products are the same on every machine; an exponential might not be.
            let decay = 1.0 / (1.0 + beta * (1.0 + beta / 2.0 * (1.0 + beta / 3.0)));
            let [floor, cap] = [mechanism.smoothing().floor(), mechanism.smoothing().cap()];
            let (mut largest, cap) = (floor.to_f64_upper(), cap.to_f64_upper());
            let mut weight = 1.0;
            for distance in 0.. {
                // No later term is larger than this.
                if weight * cap <= largest {
                    break;
                }
                let local = (ceiling(level, distance) as f64).min(cap);
                largest = largest.max(weight * local);
                if local == cap {
                    break;
                }
                weight *= decay;
            }
            // On average about (1 + 1.3/k)·S/ε, and ε is the same for all.
            largest * (1.0 + 1.3 / f64::from(mechanism.noise().power()))
        };
        let least = self.counts.iter().map(|count| (noise(count), count)).min_by(|a, b| a.0.total_cmp(&b.0));
        least.expect("there are powers to choose from").1
    }

    fn within(&self, level: i128) -> u64 {
        level.clamp(0, i128::from(self.level_max)) as u64
    }
}

/// The ceiling at one level, as local sensitivities.
fn at(level: u64, ceiling: &impl Fn(u64, u64) -> u128) -> impl FnMut(u64) -> Rational {
    move |distance| Rational::from(ceiling(level, distance).min(COUNT_MAX))
}

/// Stops a graph of another size than the mechanism was made for: caps and formulas would not be its own. How
/// many nodes there are is public, so this tells nothing.
pub(crate) fn check_nodes(graph: &Graph, nodes: u32) {
    assert_eq!(graph.nodes(), nodes, "the mechanism was made for graphs with another number of nodes");
}

/// A count with its interval. Where counts may have been cut off at [`COUNT_MAX`], an interval that reaches there has no
/// upper end.
pub(super) fn counted(noisy: i128, error: f64, may_be_cut: bool) -> Estimate {
    let mut estimate = Estimate::count(noisy, error);
    if may_be_cut && estimate.upper >= COUNT_MAX as f64 {
        estimate.upper = f64::INFINITY;
    }
    estimate
}

/// The privacy of whole releases, computed from the laws of both noises.
#[cfg(test)]
pub(crate) mod audit {
    use super::*;

    /// What a release is made of.
    pub(crate) struct Side {
        count: f64,
        level: i128,
        /// The smooth sensitivity for each power.
        smooth: Vec<f64>,
    }

    impl SmoothCount {
        /// What is released of one graph.
        pub(crate) fn side(&self, count: u128, local_at: impl Fn(u64) -> u128, level: u64) -> Side {
            let smooth = |mechanism: &SmoothMechanism<PowerTailedLaplaceSetting>| {
                let local = |distance| Rational::from(local_at(distance).min(COUNT_MAX));
                mechanism.smoothing().of(local).value_upper().to_f64_upper()
            };
            let smooth = self.counts.iter().map(smooth).collect();
            Side { count: count as f64, level: i128::from(level), smooth }
        }

        /// The largest log-ratio of two sides over many releases, those among them where slopes change.
        pub(crate) fn log_ratio(&self, one: &Side, other: &Side, ceiling: impl Fn(u64, u64) -> u128) -> f64 {
            let level_epsilon = self.level.loss().pure_epsilon().unwrap().to_f64_upper();
            let most = self.loss.pure_epsilon().unwrap().to_f64_upper() - level_epsilon;
            let mut largest = f64::NEG_INFINITY;
            for noisy in (-2..=8).chain([20, 100, 1000]) {
                let nearer = (noisy - other.level).abs() - (noisy - one.level).abs();
                let chosen = self.chosen(noisy, &ceiling);
                let power = chosen.noise().power();
                let place = self.counts.iter().position(|count| count.noise().power() == power).unwrap();
                let density = |side: &Side, output: f64| {
                    let scale = side.smooth[place] / most;
                    ln_density(f64::from(power), (output - side.count) / scale) - scale.ln()
                };
                let [near, far] = [one, other].map(|side| side.smooth[place] / most);
                for step in [0.0, 0.3, 0.99, 1.0, 1.01, 2.0, 5.0, 30.0, 1e3, 1e9] {
                    for output in [near, -near, far, -far].map(|scale| scale * step) {
                        for output in [one.count + output, other.count + output] {
                            let count_ratio = density(one, output) - density(other, output);
                            largest = largest.max(level_epsilon * nearer as f64 + count_ratio);
                        }
                    }
                }
            }
            largest
        }
    }

    /// The law of power-tailed Laplace noise, up to a constant.
    fn ln_density(power: f64, z: f64) -> f64 {
        let inside = |z: f64| (power - 1.0) * (1.0 - z / power).ln();
        let outside = |z: f64| -(power + 1.0) * (1.0 + z / power).ln();
        let z = z.abs();
        if z <= 1.0 { inside(z) } else { inside(1.0) - outside(1.0) + outside(z) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;

    fn mechanism(epsilon: &str) -> SmoothCount {
        let setting = Setting { level_share: 10, floor: 1, cap: 1000, level_max: 1000 };
        SmoothCount::new(&Epsilon::parse(epsilon).unwrap(), &setting).unwrap()
    }

    #[test]
    fn both_shares_add_up_to_the_price() {
        let mechanism = mechanism("0.7");
        for count in &mechanism.counts {
            let shares = mechanism.level.loss().then(&count.loss()).unwrap();
            assert_eq!(shares.pure_epsilon(), mechanism.loss().pure_epsilon());
        }
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("0.7").unwrap()));
    }

    /// Specification: the interval holds at least as often as it says, whatever the level is.
    /// False alarm: 1e-9 in all (Hoeffding, 600 releases each).
    #[test]
    fn intervals_hold() {
        for (seed, level) in [0u64, 50, 1000].into_iter().enumerate() {
            let mechanism = mechanism("0.5");
            let mut bits = seeded(seed as u64);
            let runs = 600;
            let failure = Rational::ratio(1, 4);
            let ceiling = |level: u64, distance: u64| u128::from(level + distance);
            let mut errors = HashMap::new();
            let mut missed = 0;
            for _ in 0..runs {
                let [count, noisy] =
                    mechanism.release(500, |distance| ceiling(level, distance), level, ceiling, &mut bits);
                let error =
                    errors.entry(noisy).or_insert_with(|| mechanism.error_upper(noisy, ceiling, &failure));
                missed += u32::from((count - 500).unsigned_abs() as f64 > *error);
            }
            let most = 0.25 + hoeffding_radius(runs, 1e-9 / 3.0);
            assert!(f64::from(missed) <= most * runs as f64, "level {level}: {missed} of {runs}");
        }
    }

    #[test]
    fn counts_end_at_a_public_number() {
        let mechanism = mechanism("1");
        let [count, _] = mechanism.release(u128::MAX, |_| u128::MAX, u64::MAX, |_, _| 5, &mut seeded(1));
        assert!((count - (1 << 90)).unsigned_abs() < 1 << 40);
        assert!(mechanism.error_upper(i128::MAX, |_, _| u128::MAX, &Rational::ratio(1, 20)).is_finite());
        assert!(mechanism.error_upper(i128::MIN, |_, _| 0, &Rational::ratio(1, 20)) > 0.0);
    }
}
