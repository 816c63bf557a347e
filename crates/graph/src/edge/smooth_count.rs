//! A count at smooth sensitivity, with a private bound of that sensitivity for its interval.
//!
//! **Guarantee.** ε-differentially private, both numbers together: a count f with noise at smooth sensitivity for most of ε
//! (the theorem of [`smooth_noise`](pointillist_mechanisms::smooth_noise)), and an integer *level* with discrete Laplace noise
//! for the rest.
//! **Neighbours.** Those for which the caller's numbers have these properties, for all neighbours G and G':
//! 1. `U_0(G) ≥ |f(G) − f(G')|` and `U_s(G) ≤ U_{s+1}(G')`: what smooth sensitivity asks of local sensitivities;
//! 2. `|level(G) − level(G')| ≤ 1`.
//!
//! For the interval also `U_s(G) ≤ ceiling(level(G), s)`, where `ceiling` is public and does not fall when the level rises.
//! **Proof.** Two releases from the same graph, one after the other, whose ε add up.
//! **Error.** The smooth sensitivity is private, so the width of an interval must come from elsewhere. With probability at
//! least `1 − b/5` the level is at most the noisy level plus a public reach. Then the smooth sensitivity is at most that of
//! the ceiling at this height, and the noise exceeds its quantile for `4b/5` at that scale with probability at most `4b/5`.
//! Together the interval fails with probability at most b.
//! **Exactness.** Integers and rationals with certified bounds; floats only for showing the width.
//! **Not covered.** Counts above `2^90` are cut off there, which moves no count further than before. Timing.

use pointillist_mechanisms::geometric::GeometricMechanism;
use pointillist_mechanisms::smooth_noise::{SmoothMechanism, StudentTSetting};
use pointillist_noise::BitSource;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, FailureProbability, Loss, SensitivityL1};

use crate::GraphError;

/// Counts and local sensitivities end here: it leaves room for noise of any scale that can be drawn.
pub(crate) const COUNT_MAX: u128 = 1 << 90;

/// The noise of all counts here.
type Noise = StudentTSetting;

/// The noise for a smoothing of ε divided by `power`.
fn noise(epsilon: &Epsilon, power: u32) -> Result<Noise, GraphError> {
    Ok(StudentTSetting::new(3, epsilon, &(epsilon.value() / &Rational::from(power)))?)
}

/// Public settings of a count.
pub(crate) struct Setting {
    /// One part in so many of ε pays for the level.
    pub(crate) level_share: u32,
    /// The smoothing β is the rest of ε divided by this.
    pub(crate) power: u32,
    /// The smallest scale of noise: `U_0` is often at least this.
    pub(crate) floor: u128,
    /// No local sensitivity is above this.
    pub(crate) cap: u128,
    /// No level is above this.
    pub(crate) level_max: u64,
}

/// A count and its level.
#[derive(Clone, Debug)]
pub(crate) struct SmoothCount {
    count: SmoothMechanism<Noise>,
    level: GeometricMechanism,
    level_max: u64,
    loss: Loss,
}

impl SmoothCount {
    /// The mechanism at this price.
    pub(crate) fn new(epsilon: &Epsilon, setting: &Setting) -> Result<Self, GraphError> {
        let level_epsilon = epsilon.divided_by(u64::from(setting.level_share))?;
        let count_epsilon = Epsilon::new(epsilon.value() - level_epsilon.value())?;
        let floor = setting.floor.clamp(1, COUNT_MAX);
        let cap = setting.cap.clamp(floor, COUNT_MAX);
        let noise = noise(&count_epsilon, setting.power)?;
        let count = SmoothMechanism::new(noise, &Rational::from(floor), &Rational::from(cap))?;
        let level = GeometricMechanism::new(&SensitivityL1::parse("1")?, &level_epsilon)?;
        Ok(Self { count, level, level_max: setting.level_max, loss: Loss::pure(epsilon.clone()) })
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
        bits: &mut dyn BitSource,
    ) -> [i128; 2] {
        let local = |distance: u64| Rational::from(local_at(distance).min(COUNT_MAX));
        let count = self.count.release_wide(count.min(COUNT_MAX) as i128, local, bits);
        let level = self.level.release(i128::from(level.min(self.level_max)), bits);
        [count, level]
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
        // Below the negative reach lies half of what two sides miss, and the reach itself is counted as a miss.
        let reach = self.level.error_bound(&part(2)) as i128 - 1;
        let level = noisy_level.saturating_add(reach).clamp(0, i128::from(self.level_max)) as u64;
        let local = |distance: u64| Rational::from(ceiling(level, distance).min(COUNT_MAX));
        let sensitivity = self.count.smoothing().of(local);
        let error = self.count.error_bound(&sensitivity, &part(4));
        error.expect("the sensitivity was computed with the mechanism's own smoothing").to_f64_upper()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;

    fn mechanism(epsilon: &str) -> SmoothCount {
        let setting = Setting { level_share: 10, power: 20, floor: 1, cap: 1000, level_max: 1000 };
        SmoothCount::new(&Epsilon::parse(epsilon).unwrap(), &setting).unwrap()
    }

    #[test]
    fn both_shares_add_up_to_the_price() {
        let mechanism = mechanism("0.7");
        let shares = mechanism.count.loss().then(&mechanism.level.loss()).unwrap();
        assert_eq!(shares.pure_epsilon(), mechanism.loss().pure_epsilon());
        assert_eq!(mechanism.loss().pure_epsilon(), Some(Epsilon::parse("0.7").unwrap()));
    }

    /// Specification: the interval holds at least as often as it says, whatever the level is.
    /// False alarm: 1e-9 in all (Hoeffding, 2 000 releases each).
    #[test]
    fn intervals_hold() {
        for (seed, level) in [0u64, 3, 50, 1000].into_iter().enumerate() {
            let mechanism = mechanism("0.5");
            let mut bits = seeded(seed as u64);
            let runs = 2000;
            let failure = Rational::ratio(1, 4);
            let ceiling = |level: u64, distance: u64| u128::from(level + distance);
            let mut errors = HashMap::new();
            let mut missed = 0;
            for _ in 0..runs {
                let [count, noisy] =
                    mechanism.release(500, |distance| ceiling(level, distance), level, &mut bits);
                let error =
                    errors.entry(noisy).or_insert_with(|| mechanism.error_upper(noisy, ceiling, &failure));
                missed += u32::from((count - 500).unsigned_abs() as f64 > *error);
            }
            let most = 0.25 + hoeffding_radius(runs, 1e-9 / 4.0);
            assert!(f64::from(missed) <= most * runs as f64, "level {level}: {missed} of {runs}");
        }
    }

    #[test]
    fn counts_end_at_a_public_number() {
        let mechanism = mechanism("1");
        let [count, _] = mechanism.release(u128::MAX, |_| u128::MAX, u64::MAX, &mut seeded(1));
        assert!((count - (1 << 90)).unsigned_abs() < 1 << 40);
        assert!(mechanism.error_upper(i128::MAX, |_, _| u128::MAX, &Rational::ratio(1, 20)).is_finite());
        assert!(mechanism.error_upper(i128::MIN, |_, _| 0, &Rational::ratio(1, 20)) > 0.0);
    }
}
