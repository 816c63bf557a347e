//! Student t noise, of which Cauchy is the case of one degree of freedom, rounded down to an integer.
//!
//! **Guarantee.** `P[X ≥ k] = P[scale·T ≥ k]` for T of Student's law with d degrees of freedom, exactly: X = ⌊scale·T⌋.
//! **Method.** A uniform number is compared with the distribution function at k/scale, between certified bounds,
//! in a galloping search for k; more of its digits are drawn when the bounds cannot decide.
//! **Source.** The distribution function in finite form, Abramowitz-Stegun 26.7.3 (d odd) and 26.7.4 (d even): with
//! θ = atan(t/√d), P[−t < T < t] is (2/π)·(θ + sin θ·(cos θ + (2/3)·cos³θ + …)) up to cos^(d−2), or
//! sin θ·(1 + (1/2)·cos²θ + (1·3/(2·4))·cos⁴θ + …) up to cos^(d−2).

use dashu_int::IBig;
use pointillist_numbers::{Enclosure, Rational};

use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, LazyUniform, NoiseError};

const DEGREES_MAX: u32 = 9;

/// Heavy-tailed noise ⌊scale·T⌋.
#[derive(Clone, Debug)]
pub struct StudentT {
    degrees: u32,
    scale: Rational,
}

impl StudentT {
    /// The noise with this many degrees of freedom (1 to 9) and this scale.
    pub fn new(degrees: u32, scale: &Rational) -> Result<Self, NoiseError> {
        if !(1..=DEGREES_MAX).contains(&degrees) {
            return Err(NoiseError::DegreesOfFreedom { got: degrees });
        }
        Ok(Self { degrees, scale: checked_scale(scale)?.clone() })
    }

    /// Cauchy noise.
    pub fn cauchy(scale: &Rational) -> Result<Self, NoiseError> {
        Self::new(1, scale)
    }

    /// The degrees of freedom.
    pub fn degrees(&self) -> u32 {
        self.degrees
    }

    /// The scale.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// One value. Values beyond 2^127 saturate, which a Cauchy tail does with probability about scale/2^127: add only
    /// answers of at most 64 bits, and clamp the sum to 64 bits, so that saturation is post-processing.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        let negative = bits.coin();
        let mut number = LazyUniform::new(bits);
        // X ≥ k exactly when the uniform number is at or above P[|T| < k/scale].
        let mut reaches = |k: &IBig, bits: &mut B| {
            let t = Rational::from(k.clone()) / self.scale.clone();
            !number.is_below(bits, |precision, _| self.central(&t, precision))
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

    /// P[|T| < t] for t ≥ 0, in units of `2^-precision`.
    fn central(&self, t: &Rational, precision: usize) -> Enclosure {
        let working = precision + 32;
        let integer = |n: u32| Enclosure::integer(n, working);
        // tan θ = t/√d; cos²θ = d/(d + t²); sin θ = √(1 − cos²θ).
        let degrees = Rational::from(self.degrees);
        let cos_squared = Enclosure::of(&(&degrees / &(&degrees + &t.squared())), working);
        let sine = (&integer(1) - &cos_squared).sqrt();
        let odd = self.degrees % 2 == 1;
        // The sum runs over every second power of cos θ, with factors 2/3, 4/5, … or 1/2, 3/4, …
        let mut term = if odd { cos_squared.sqrt() } else { integer(1) };
        let mut sum = integer(0);
        let mut power = self.degrees % 2;
        while power + 2 <= self.degrees {
            sum = &sum + &term;
            let step = u64::from(power) + 1;
            term = (&term * &cos_squared).mul_integer(step as i64).div_integer(step + 1);
            power += 2;
        }
        let central = if odd {
            let root = Enclosure::of(&(&t.squared() / &degrees), working).sqrt();
            let angle = &root.atan() + &(&sine * &sum);
            angle.mul_integer(2).checked_div(&Enclosure::pi(working)).expect("π is not zero")
        } else {
            &sine * &sum
        };
        central.at_precision(precision)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::{assert_distribution, seeded};

    use super::*;

    /// Golden values of P[|T| < t], from the regularised incomplete beta function at 40 digits.
    #[test]
    fn the_distribution_function_is_right() {
        let cases = [
            (1, "1", 0.5),
            (1, "3", 0.795167235300866),
            (2, "1", 0.577350269189626),
            (3, "1", 0.608997781044229),
            (3, "0.1", 0.073347651199194),
            (4, "2.5", 0.933233455188012),
            (5, "2", 0.898060521170142),
            (9, "1.5", 0.832149343942925),
        ];
        for (degrees, t, expected) in cases {
            let noise = StudentT::new(degrees, &Rational::one()).unwrap();
            let central = noise.central(&Rational::parse(t).unwrap(), 64);
            assert!(
                (central.lower().to_f64_lower() - expected).abs() < 1e-13,
                "t_{degrees}({t}): {central:?}"
            );
            assert!(central.upper() - central.lower() < Rational::power_of_two(-60));
        }
    }

    /// Specification: P[X ≥ k] = P[scale·T ≥ k]. False alarm: 1e-9 a law (χ²).
    #[test]
    fn the_law_is_student_rounded_down() {
        for degrees in [1, 3, 4] {
            let scale = Rational::parse("2.5").unwrap();
            let noise = StudentT::new(degrees, &scale).unwrap();
            let mut bits = seeded(u64::from(degrees));
            let draws = (0..40_000).map(|_| noise.sample(&mut bits).clamp(-40, 40) as i64);
            let cdf = |k: i64| {
                let t = Rational::from(k) / scale.clone();
                let half = noise.central(&t.abs(), 64).lower().to_f64_lower() / 2.0;
                if k < 0 { 0.5 - half } else { 0.5 + half }
            };
            let pmf = |k: i64| match k {
                -40 => cdf(-39),
                40 => 1.0 - cdf(40),
                _ => cdf(k + 1) - cdf(k),
            };
            assert_distribution(draws, pmf, -40..=40, &format!("t_{degrees}"));
        }
    }

    #[test]
    fn degrees_and_scales_that_cannot_be_are_refused() {
        assert!(StudentT::new(0, &Rational::one()).unwrap_err().explanation().text().contains("hint:"));
        assert!(StudentT::new(10, &Rational::one()).is_err());
        assert!(StudentT::cauchy(&Rational::zero()).is_err());
        assert_eq!(StudentT::cauchy(&Rational::one()).unwrap().degrees(), 1);
    }
}
