//! R²: how much of a target's variance a regression explains.
//!
//! **Guarantee.** Four noisy sums over rows, of 1, y, y² and e²/E², as private as the price says, where y is clamped to [−1,
//! 1], e is prediction minus y, clamped to [−E, E], and each number is rounded to a multiple of 2^-20.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** A row's four numbers are integers of at most 2^20 steps each, and depend on that row alone: it moves the sums by
//! at most 4·2^20 in L1 and 2·2^20 in L2, and k rows by at most k times as much. Sums are exact.
//! **Interval.** All four are within t of the truth but for β, and rounding adds at most 2^-21 a row. R² = 1 − Σe²/(Σy² − (Σy)²/n)
//! falls with Σe², and rises with the variance where Σe² > 0; the ends take the worst of each.
//! **What is measured.** R² of clamped errors. Where predictions can be far off, E should be large enough: 2 clamps nothing that a
//! prediction in [−1, 1] can do. A smaller E means less noise: the noise of Σe² is E² times that of the count.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{FailureProbability, Loss, SensitivityL1, SensitivityL2, Spend};

use super::noisy_counts::check_rows;
use crate::row_grid::{ROW_BITS, unit_steps};
use crate::{Interval, LearnError, Rows};

/// Sums squared errors.
#[derive(Clone, Debug)]
pub struct RSquared {
    noise: AdditiveNoise,
    error_max: f64,
    rows_per_person: u32,
}

impl RSquared {
    /// The evaluation at this price, with errors clamped to ±`error_max`, of rows of which one person has at most
    /// `rows_per_person`.
    ///
    /// # Errors
    /// When the largest error is not between 2^-20 and 2^20, a person has no rows, or noise of this size cannot be drawn.
    pub fn new(error_max: f64, rows_per_person: u32, spend: &Spend) -> Result<Self, LearnError> {
        if !((-20f64).exp2()..=20f64.exp2()).contains(&error_max) {
            return Err(LearnError::parameter("the largest error is between 2^-20 and 2^20, such as 2"));
        }
        let steps = Rational::from(rows_per_person) * Rational::power_of_two(i64::from(ROW_BITS));
        let noise = AdditiveNoise::for_spend(
            &SensitivityL1::new(&steps * &Rational::from(4))?,
            &SensitivityL2::new(&steps * &Rational::from(2))?,
            spend,
        )?;
        Ok(Self { noise, error_max, rows_per_person })
    }

    /// What is lost.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The noise of the number of rows stays within this, and that of squared errors within E² times this, but for β.
    pub fn radius(&self, beta: &FailureProbability) -> f64 {
        self.noise.error_bound_of_all(4, beta) as f64 / f64::from(ROW_BITS).exp2()
    }

    /// Sums that were released before; `None` where they are not four.
    pub fn recorded(&self, steps: &[i128]) -> Option<RSquaredRelease> {
        let sums = steps.try_into().ok()?;
        Some(RSquaredRelease { sums, error_max: self.error_max, noise: self.noise.clone() })
    }

    /// Sums. What is no number counts as zero.
    ///
    /// # Errors
    /// When the rows declare more for each person than this was made for, or went away.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        prediction: &dyn Fn(&[f64]) -> f64,
        rows: &dyn Rows,
        bits: &mut B,
    ) -> Result<RSquaredRelease, LearnError> {
        check_rows(rows, self.rows_per_person)?;
        let drawn = self.noise.sample_many(4, bits);
        let mut sums = [0i128; 4];
        rows.for_each_block(&mut |block| {
            for at in 0..block.len() {
                for (sum, steps) in sums.iter_mut().zip(self.steps(prediction(block.row(at)), block.y[at])) {
                    *sum += steps;
                }
            }
        })?;
        let mut noisy = sums.iter().zip(drawn).map(|(sum, noise)| noisy_sum(*sum, noise));
        let sums = [(); 4].map(|()| noisy.next().expect("four sums"));
        Ok(RSquaredRelease { sums, error_max: self.error_max, noise: self.noise.clone() })
    }

    /// A row's 1, y, y² and e²/E² in steps.
    fn steps(&self, prediction: f64, y: f64) -> [i128; 4] {
        let number = |value: f64| if value.is_nan() { 0.0 } else { value };
        let y = number(y).clamp(-1.0, 1.0);
        let error = number((number(prediction) - y) / self.error_max).clamp(-1.0, 1.0);
        [1.0, y, y * y, error * error].map(|value| unit_steps(value) as i128)
    }
}

/// Noisy sums of rows, targets, their squares and squared errors.
#[derive(Clone, Debug)]
pub struct RSquaredRelease {
    /// In steps of 2^-20, the last in steps of 2^-20·E².
    sums: [i128; 4],
    error_max: f64,
    noise: AdditiveNoise,
}

impl RSquaredRelease {
    /// The released integers.
    pub fn steps(&self) -> [i128; 4] {
        self.sums
    }

    /// How many rows there are, how large their targets, the squares of those and of errors are in sum, with noise.
    pub fn sums(&self) -> [f64; 4] {
        let [rows, target, square, error] = self.sums.map(|sum| sum as f64 / f64::from(ROW_BITS).exp2());
        [rows, target, square, error * self.error_max * self.error_max]
    }

    /// R², within the interval but for a probability of β. The lower end is −∞ where the targets may not vary at all.
    pub fn r_squared(&self, beta: &FailureProbability) -> Interval {
        let [rows, target, square, error] = self.sums();
        let noise = self.noise.error_bound_of_all(4, beta) as f64 / f64::from(ROW_BITS).exp2();
        let radius = noise + (rows.max(0.0) + noise) * (-f64::from(ROW_BITS) - 1.0).exp2();
        let error_radius = radius * self.error_max * self.error_max;
        let explained = |error: f64, variance: f64| {
            if variance > 0.0 { 1.0 - error / variance } else { f64::NEG_INFINITY }
        };
        let (least, most) = ((rows - radius).max(1.0), (rows + radius).max(1.0));
        let (near, far) = ((target.abs() - radius).max(0.0), target.abs() + radius);
        let variance_low = square - radius - far * far / least;
        let variance_high = (square + radius - near * near / most).max(0.0);
        let low = explained((error + error_radius).max(0.0), variance_low);
        let high =
            if variance_high > 0.0 { explained((error - error_radius).max(0.0), variance_high) } else { 1.0 };
        let estimate = explained(error.max(0.0), square - target * target / rows.max(1.0));
        Interval { estimate: estimate.clamp(low.min(high), high), low: low.min(high), high }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{clopper_pearson_upper, seeded};

    use super::*;
    use crate::MemoryRows;

    fn pure(epsilon: &str) -> Spend {
        Spend::Pure(Epsilon::parse(epsilon).unwrap())
    }

    /// y = 0.6x + a little.
    fn rows(count: usize) -> MemoryRows {
        let mut words = seeded(9);
        let mut unit = || (words() >> 11) as f64 / (1u64 << 53) as f64;
        let x: Vec<f64> = (0..count).map(|_| 2.0 * unit() - 1.0).collect();
        let y = x.iter().map(|x| 0.6 * x + 0.3 * unit()).collect();
        MemoryRows::new(x, y, 1, 1.0, 1)
    }

    fn truth(rows: &MemoryRows, prediction: &dyn Fn(&[f64]) -> f64) -> f64 {
        let [mut n, mut sum, mut square, mut error] = [0.0; 4];
        rows.for_each_block(&mut |block| {
            for at in 0..block.len() {
                let y = block.y[at];
                n += 1.0;
                sum += y;
                square += y * y;
                error += (prediction(block.row(at)) - y).powi(2);
            }
        })
        .unwrap();
        1.0 - error / (square - sum * sum / n)
    }

    const LINE: fn(&[f64]) -> f64 = |row| 0.6 * row[0] + 0.15;

    /// Specification: whatever a model and a target say, a row is four integers of at most 2^20 steps.
    #[test]
    fn no_row_weighs_more_than_was_proven() {
        let found = RSquared::new(0.5, 1, &pure("1")).unwrap();
        let hostile =
            [0.0, -0.0, 1.0, -1.0, 0.3, 1e300, -1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
        for (prediction, y) in hostile.iter().flat_map(|a| hostile.iter().map(move |b| (*a, *b))) {
            assert!(
                found.steps(prediction, y).iter().all(|steps| steps.abs() <= 1 << 20),
                "{prediction} {y}"
            );
        }
        assert_eq!(found.steps(2.0, 0.0), [1 << 20, 0, 0, 1 << 20], "clamped");
        assert_eq!(found.steps(0.25, 0.5), [1 << 20, 1 << 19, 1 << 18, 1 << 18]);
    }

    /// Specification: noise has the scale 4k/ε and σ = 2k/√(2ρ), in rows.
    #[test]
    fn noise_is_what_the_proof_asks_for() {
        let scale = |spend: &Spend| {
            RSquared::new(2.0, 3, spend).unwrap().noise.scale_upper().to_f64_upper() / 20f64.exp2()
        };
        assert!((scale(&pure("0.5")) - 24.0).abs() < 1e-9);
        assert!((scale(&Spend::Concentrated(Rho::parse("0.02").unwrap())) - 30.0).abs() < 1e-9);
    }

    /// Specification: next to no noise gives R² itself.
    #[test]
    fn without_noise_it_is_r_squared() {
        let rows = rows(500);
        let beta = FailureProbability::parse("0.05").unwrap();
        let found = RSquared::new(2.0, 1, &pure("1000000")).unwrap();
        for model in [LINE, |_| 0.0, |row| -row[0]] {
            let interval = found.release(&model, &rows, &mut seeded(2)).unwrap().r_squared(&beta);
            assert!((interval.estimate - truth(&rows, &model)).abs() < 1e-3, "{interval:?}");
            assert!(interval.high - interval.low < 1e-3);
        }
    }

    /// Specification: at least 95 % of intervals hold R². False alarm: 1e-9 (Clopper and Pearson, 500 releases). Power: a tenth of the width is
    /// caught.
    #[test]
    fn intervals_cover() {
        let rows = rows(4000);
        let beta = FailureProbability::parse("0.05").unwrap();
        let truth = truth(&rows, &LINE);
        assert!(truth > 0.9);
        for spend in [pure("1"), Spend::Concentrated(Rho::parse("0.1").unwrap())] {
            let found = RSquared::new(0.5, 1, &spend).unwrap();
            let mut bits = seeded(11);
            let (mut covered, mut narrow, mut width) = (0u64, 0u64, 0.0);
            for _ in 0..500 {
                let interval = found.release(&LINE, &rows, &mut bits).unwrap().r_squared(&beta);
                let end = |end: f64| interval.estimate + (end - interval.estimate) / 10.0;
                covered += u64::from((interval.low..=interval.high).contains(&truth));
                narrow += u64::from((end(interval.low)..=end(interval.high)).contains(&truth));
                width += (interval.high - interval.low) / 500.0;
            }
            assert!(clopper_pearson_upper(covered, 500, 1e-9) >= 0.95, "{covered}");
            assert!(clopper_pearson_upper(narrow, 500, 1e-9) < 0.95, "{narrow}");
            assert!(width < 0.2, "{width}");
        }
    }

    #[test]
    fn no_rows_are_no_claim() {
        let empty = MemoryRows::new(Vec::new(), Vec::new(), 1, 1.0, 1);
        let beta = FailureProbability::parse("0.05").unwrap();
        let found = RSquared::new(2.0, 1, &pure("0.1")).unwrap();
        for seed in 0..20 {
            let interval = found.release(&LINE, &empty, &mut seeded(seed)).unwrap().r_squared(&beta);
            assert!(
                interval.low == f64::NEG_INFINITY && !interval.high.is_nan() && !interval.estimate.is_nan()
            );
        }
        for error_max in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(RSquared::new(error_max, 1, &pure("1")).is_err());
        }
    }
}
