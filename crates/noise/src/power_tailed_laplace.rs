//! Power-tailed Laplace noise, rounded down to an integer: nearly Laplace in the middle, polynomial far out.
//!
//! **Guarantee.** X = ⌊scale·Z⌋ exactly, where Z is symmetric and, for a power `k ≥ 2`, its density is
//! proportional to `(1 − |z|/k)^(k−1)` for `|z| ≤ 1` and to `c·(1 + |z|/k)^(−k−1)` beyond, with the c that
//! joins the two. With `w = (1 − 1/k)^(k−1)` and `N = 1 + 2w/k`, `P[|Z| ≥ t] = ((1 − t/k)^k + 2w/k)/N` for t
//! ≤ 1 and `P[|Z| ≥ t] = w·(1 + 1/k)·((k+1)/(k+t))^k/N` for t ≥ 1. Both are rational for rational t. As k
//! grows both become `e^(−t)`, the tail of a Laplace law.
//! **Proof.** `−(1 − z/k)^k` and `−(1 + z/k)^(−k)` are antiderivatives of the two densities. The joint at 1
//! asks for `c = w·(1 + 1/k)^(k+1)`, so the mass beyond t ≥ 1 is
//! `c·(1 + t/k)^(−k) = w·(1 + 1/k)·((k+1)/(k+t))^k`. Up to 1 there are `(1 − t/k)^k − (1 − 1/k)^k` more, and
//! `w·(1 + 1/k) − (1 − 1/k)^k = 2w/k`. At t = 0 this is N.
//! **Method.** A uniform number is compared with the tail at j/scale, between certified bounds, in a
//! galloping search for the integer part j of the magnitude; more of its digits are drawn when the bounds
//! cannot decide.
//! **Moments.** Of every order below k.

use dashu_int::IBig;
use pointillist_numbers::{Enclosure, Rational};

use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, LazyUniform, NoiseError};

/// Beyond this power the law is Laplace within half a percent.
const POWER_MAX: u32 = 1024;

/// Noise ⌊scale·Z⌋ with the polynomial tail `|z|^(−power)`.
#[derive(Clone, Debug)]
pub struct PowerTailedLaplace {
    power: u32,
    scale: Rational,
}

impl PowerTailedLaplace {
    /// The noise with this power of its tail (2 to 1024) and this scale.
    pub fn new(power: u32, scale: &Rational) -> Result<Self, NoiseError> {
        if !(2..=POWER_MAX).contains(&power) {
            return Err(NoiseError::TailPower { got: power });
        }
        Ok(Self { power, scale: checked_scale(scale)?.clone() })
    }

    /// The power of the tail.
    pub fn power(&self) -> u32 {
        self.power
    }

    /// The scale.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// One value. Values beyond 2^127 saturate: add only answers of at most 64 bits, and clamp the sum to 64
    /// bits, so that saturation is post-processing.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        let negative = bits.coin();
        let mut number = LazyUniform::new(bits);
        // The magnitude reaches j exactly when the uniform number is below its tail at j.
        let mut reaches = |j: &IBig, bits: &mut B| {
            let t = Rational::from(j.clone()) / self.scale.clone();
            number.is_below(bits, |precision, _| self.tail(&t, precision))
        };
        let mut above = IBig::ONE;
        while reaches(&above, bits) {
            above <<= 2;
        }
        let mut below = if above == IBig::ONE { IBig::ZERO } else { &above >> 2 };
        while &above - &below > IBig::ONE {
            let middle = (&above + &below) >> 1;
            if reaches(&middle, bits) { below = middle } else { above = middle }
        }
        // ⌊−x⌋ = −⌊x⌋ − 1 except at whole x, which has probability zero.
        saturating(if negative { -below - IBig::ONE } else { below })
    }

    /// P[|Z| ≥ t] for t ≥ 0, in units of `2^-precision`.
    fn tail(&self, t: &Rational, precision: usize) -> Enclosure {
        // A power of up to 2^10 loses at most 11 digits, the rest a few more.
        let working = precision + 32;
        let (one, k) = (Rational::one(), Rational::from(self.power));
        let w = power_of(&(&one - &(&one / &k)), self.power - 1, working);
        let jump = w.mul_integer(2).div_integer(u64::from(self.power));
        let norm = &Enclosure::integer(1, working) + &jump;
        let mass = if *t <= one {
            &power_of(&(&one - &(t / &k)), self.power, working) + &jump
        } else {
            let fall = power_of(&((&k + &one) / (&k + t)), self.power, working);
            let joint = w.mul_integer(i64::from(self.power) + 1).div_integer(u64::from(self.power));
            &joint * &fall
        };
        mass.checked_div(&norm).expect("the norm is above one").at_precision(precision)
    }
}

/// A power of a number between zero and one, by squaring.
fn power_of(base: &Rational, exponent: u32, precision: usize) -> Enclosure {
    let mut square = Enclosure::of(base, precision);
    let mut product = Enclosure::integer(1, precision);
    let mut left = exponent;
    while left > 0 {
        if left % 2 == 1 {
            product = &product * &square;
        }
        square = &square * &square;
        left /= 2;
    }
    product
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    fn noise(power: u32, scale: &str) -> PowerTailedLaplace {
        PowerTailedLaplace::new(power, &Rational::parse(scale).unwrap()).unwrap()
    }

    fn tail(power: u32, t: &str) -> f64 {
        noise(power, "1").tail(&Rational::parse(t).unwrap(), 512).lower().to_f64_lower()
    }

    /// The tail from the density alone: Simpson's rule up to 1, and from 1 on in the variable 1/(1 + z/k).
    fn tail_by_quadrature(power: u32, t: f64) -> f64 {
        let k = f64::from(power);
        let core = |z: f64| (1.0 - z / k).powf(k - 1.0);
        let joint = core(1.0) * (1.0 + 1.0 / k).powf(k + 1.0);
        // With v = 1/(1 + z/k), dz = −k/v² dv, the density joint·v^(k+1) becomes joint·k·v^(k−1).
        let beyond = |from: f64| simpson(|v| joint * k * v.powf(k - 1.0), 0.0, 1.0 / (1.0 + from / k));
        let upto = |from: f64| simpson(core, from, 1.0) + beyond(1.0);
        (if t < 1.0 { upto(t) } else { beyond(t) }) / upto(0.0)
    }

    fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
        let (cells, step) = (2000, (to - from) / 2000.0);
        let weight = |i: i32| if i == 0 || i == cells { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        (0..=cells).map(|i| weight(i) * f(from + step * f64::from(i))).sum::<f64>() * step / 3.0
    }

    #[test]
    fn the_tail_is_the_integral_of_the_density() {
        for power in [2, 3, 8, 20, 64] {
            for t in ["0", "0.001", "1/3", "0.999", "1", "1.001", "3", "17.5", "1000"] {
                let [exact, numeric] =
                    [tail(power, t), tail_by_quadrature(power, Rational::parse(t).unwrap().to_f64_upper())];
                assert!((exact / numeric - 1.0).abs() < 1e-8, "k = {power}, t = {t}: {exact} {numeric}");
            }
        }
        // A large power is Laplace.
        assert!((tail(1024, "2") / (-2f64).exp() - 1.0).abs() < 5e-3);
    }

    /// Specification: P[|X| ≥ j] is the tail at j/scale. False alarm: 1e-9 a law (χ²). The same sample is
    /// rejected for a scale 10 % off.
    #[test]
    fn the_law_is_the_tail_rounded_down() {
        for power in [2, 8, 32] {
            let (noise, off) = (noise(power, "2.5"), noise(power, "2.75"));
            let mut bits = seeded(u64::from(power));
            let draws: Vec<i64> =
                (0..40_000).map(|_| noise.sample(&mut bits).clamp(-40, 40) as i64).collect();
            let pmf = |law: &PowerTailedLaplace, k: i64| {
                // ⌊scale·Z⌋ = k ≥ 0 is a magnitude in [k, k + 1), and −k − 1 the same on the other side.
                let beyond = |j: i64| {
                    let t = Rational::from(j) / law.scale.clone();
                    law.tail(&t, 64).lower().to_f64_lower() / 2.0
                };
                match if k < 0 { -k - 1 } else { k } {
                    39 if k < 0 => beyond(39),
                    40 => beyond(40),
                    j => beyond(j) - beyond(j + 1),
                }
            };
            let name = format!("power {power}");
            assert_distribution(draws.iter().copied(), |k| pmf(&noise, k), -40..=40, &name);
            let p_value = pointillist_testkit::distribution_p_value(draws, |k| pmf(&off, k), -40..=40);
            assert!(p_value < 1e-9, "{name}: a scale 10 % off is not seen");
        }
    }

    #[test]
    fn powers_and_scales_that_cannot_be_are_refused() {
        for power in [0, 1, 1025] {
            let error = PowerTailedLaplace::new(power, &Rational::one()).unwrap_err();
            assert!(error.explanation().text().contains("hint:"), "{error}");
        }
        assert!(PowerTailedLaplace::new(8, &Rational::zero()).is_err());
        assert_eq!(noise(8, "3").power(), 8);
    }
}
