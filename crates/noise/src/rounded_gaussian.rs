//! Continuous Gaussian noise, rounded to the nearest integer, exactly.
//!
//! **Guarantee.** `P[X = k] = P[k − 1/2 ≤ σ·N < k + 1/2]` for a standard normal N, exactly. Adding X to an integer is the
//! same as adding σ·N and rounding: what is proven for the continuous Gaussian mechanism holds for it as
//! post-processing, in any dimension. (For the discrete Gaussian the (ε, δ) curve is another one.)

use dashu_int::ops::BitTest;
use pointillist_numbers::{Enclosure, Rational};

use crate::continuous::ContinuousNoise;
use crate::discrete_laplace::saturating;
use crate::error::checked_scale;
use crate::{BitSource, NoiseError};

/// Gaussian noise of standard deviation σ, rounded to integers.
#[derive(Clone, Debug)]
pub struct RoundedGaussian {
    sigma: Rational,
    normal: &'static ContinuousNoise,
    quick: Option<QuickProduct>,
}

/// σ as an integer of at most 40 bits in units of 2^-shift, less than one unit below it, where products with a draw fit
/// 128 bits.
#[derive(Clone, Copy, Debug)]
struct QuickProduct {
    sigma: i128,
    shift: u32,
}

/// Bits behind the point in the first digits of a draw.
const LEADING_BITS: u32 = 68;
const SIGMA_BITS: i64 = 40;

impl QuickProduct {
    fn new(sigma: &Rational) -> Option<Self> {
        let length = |bits: usize| i64::try_from(bits).expect("a bit length fits i64");
        let magnitude = length(sigma.numerator().bit_len()) - length(sigma.denominator().bit_len());
        let shift =
            u32::try_from(SIGMA_BITS - 1 - magnitude).ok().filter(|shift| shift + LEADING_BITS <= 120)?;
        let scaled = sigma * &Rational::power_of_two(i64::from(shift));
        Some(Self { sigma: i128::try_from(scaled.floor()).ok()?, shift })
    }

    /// ⌊±σ·y + 1/2⌋ for every y that begins with these digits, if it is one and the same.
    fn rounded(self, negative: bool, digits: u128) -> Option<i128> {
        let point = LEADING_BITS + self.shift;
        let half = 1i128 << (point - 1);
        let digits = i128::try_from(digits).ok()?;
        // Digits have at most 84 bits and σ at most 41: nothing overflows.
        let (low, high) = (digits * self.sigma, (digits + 1) * (self.sigma + 1));
        let (low, high) = if negative { (half - high, half - low) } else { (half + low, half + high) };
        let floor = low >> point;
        (floor == high >> point).then_some(floor)
    }
}

impl RoundedGaussian {
    /// The noise of this standard deviation, between 2^-40 and 2^100.
    pub fn new(sigma: &Rational) -> Result<Self, NoiseError> {
        let sigma = checked_scale(sigma)?.clone();
        Ok(Self { quick: QuickProduct::new(&sigma), sigma, normal: ContinuousNoise::standard_normal() })
    }

    /// The standard deviation before rounding.
    pub fn sigma(&self) -> &Rational {
        &self.sigma
    }

    /// One value.
    pub fn sample<B: BitSource + ?Sized>(&self, bits: &mut B) -> i128 {
        let mut normal = self.normal.draw(bits);
        let quick = self.quick.zip(normal.leading());
        if let Some(rounded) =
            quick.and_then(|(product, (negative, digits))| product.rounded(negative, digits))
        {
            return rounded;
        }
        loop {
            let value = normal.enclosure();
            let shifted = &(&value * &Enclosure::of(&self.sigma, value.precision()))
                + &Enclosure::of(&Rational::ratio(1, 2), value.precision());
            if let Some(rounded) = shifted.floor() {
                return saturating(rounded);
            }
            normal.refine(bits);
        }
    }

    /// Fills a slice with independent values.
    pub fn fill<B: BitSource + ?Sized>(&self, values: &mut [i128], bits: &mut B) {
        values.iter_mut().for_each(|value| *value = self.sample(bits));
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{distribution_p_value, scripted, seeded};

    use super::*;

    /// P[N < x], by the certified tail.
    fn normal_cdf(x: f64) -> f64 {
        let tail = Enclosure::of(&Rational::from_f64(-x).unwrap(), 80).normal_tail();
        tail.upper().to_f64_upper()
    }

    /// Specification: the law above; the same sample is rejected for σ 3 % off either way.
    /// False alarm: 1e-9 (χ², one million draws at σ = 1.7; 300,000 at σ = 30).
    #[test]
    fn the_law_is_a_rounded_normal() {
        for (text, draws) in [("1.7", 1_000_000), ("30", 300_000)] {
            let sigma = Rational::parse(text).unwrap();
            let law = RoundedGaussian::new(&sigma).unwrap();
            let mut bits = seeded(4);
            let draws: Vec<i64> = (0..draws).map(|_| law.sample(&mut bits) as i64).collect();
            let sigma = sigma.to_f64_upper();
            let pmf =
                |s: f64| move |k: i64| normal_cdf((k as f64 + 0.5) / s) - normal_cdf((k as f64 - 0.5) / s);
            let reach = (8.0 * sigma) as i64;
            let p_value = |factor: f64| {
                distribution_p_value(draws.iter().copied(), pmf(sigma * factor), -reach..=reach)
            };
            assert!(p_value(1.0) >= 1e-9, "σ = {text}: p = {}", p_value(1.0));
            assert!(
                p_value(0.97) < 1e-9 && p_value(1.03) < 1e-9,
                "σ = {text} is not told from its neighbours"
            );
        }
    }

    /// Specification: the quick product is never wrong: where it decides, exact arithmetic on both ends of the digits agrees.
    #[test]
    fn the_quick_product_agrees_with_exact_arithmetic() {
        let mut decided = 0;
        for text in ["1e-9", "0.3", "1", "10/3", "1000", "1e9", "1e15", "1e25"] {
            let sigma = Rational::parse(text).unwrap();
            let Some(product) = QuickProduct::new(&sigma) else { continue };
            let mut bits = seeded(12);
            for _ in 0..300 {
                let digits = (u128::from(bits() >> 56) << 64) | u128::from(bits());
                let negative = bits().is_multiple_of(2);
                let Some(found) = product.rounded(negative, digits) else { continue };
                decided += 1;
                for end in [digits, digits + 1] {
                    let unit = Rational::power_of_two(-i64::from(LEADING_BITS));
                    let value = Rational::from(end) * unit * sigma.clone();
                    let value = if negative { -value } else { value };
                    let rounded = (value + Rational::ratio(1, 2)).floor();
                    assert_eq!(i128::try_from(rounded).unwrap(), found, "σ = {text}");
                }
            }
        }
        assert!(decided > 1000, "the quick product decided only {decided} times");
    }

    /// Specification: the digits in which σ·y passes a half cannot tell, on either side, and the digits next to those that
    /// cannot tell are right. With large σ the digits of y are the coarser factor, with small ones those of σ.
    #[test]
    fn digits_that_hold_a_half_are_left_open() {
        let unit = Rational::power_of_two(-i64::from(LEADING_BITS));
        for text in ["0.3", "1", "1.7", "10/3", "1000/7", "1e6", "1e9", "3e11"] {
            let sigma = Rational::parse(text).unwrap();
            let product = QuickProduct::new(&sigma).unwrap();
            for k in [1i128, 2, 3, 7] {
                let crossing = Rational::ratio(2 * k - 1, 2) / sigma.clone() / unit.clone();
                let digits = u128::try_from(crossing.floor()).unwrap();
                if digits >> 84 != 0 {
                    continue;
                }
                let rounded = |negative: bool, digits: u128| product.rounded(negative, digits);
                if Rational::from(digits) != crossing {
                    assert_eq!(
                        [rounded(false, digits), rounded(true, digits)],
                        [None, None],
                        "σ = {text}, {k}"
                    );
                }
                // The distances at which the quick product begins to decide, on either side of the crossing.
                for negative in [false, true] {
                    let far = 1 + (digits >> 30);
                    let open = |distance: u128, above: bool| {
                        let at = if above { digits + distance } else { digits - distance };
                        rounded(negative, at).is_none()
                    };
                    for above in [false, true] {
                        let (mut inside, mut outside) = (0, far.min(digits));
                        assert!(!open(outside, above), "σ = {text}, {k}: too many digits cannot tell");
                        while outside - inside > 1 {
                            let middle = (inside + outside) / 2;
                            if open(middle, above) { inside = middle } else { outside = middle }
                        }
                        let at = if above { digits + outside } else { digits - outside };
                        let found = rounded(negative, at).unwrap();
                        for end in [at, at + 1] {
                            let value = Rational::from(end) * unit.clone() * sigma.clone();
                            let value = if negative { -value } else { value };
                            // The upper end of the digits is not reached.
                            let slack =
                                if end == at { Rational::zero() } else { Rational::power_of_two(-300) };
                            let value = if negative { value + slack } else { value - slack };
                            let exact = (value + Rational::ratio(1, 2)).floor();
                            assert_eq!(i128::try_from(exact).unwrap(), found, "σ = {text}, {k}, {negative}");
                        }
                    }
                }
            }
        }
    }

    /// Specification: a draw whose first 64 digits hold the half between two integers goes to either, as the next word
    /// says. The script: block 0 of the right side, the digits of y = (k − 1/2)/σ, a toss that keeps them, and on.
    #[test]
    fn a_draw_at_a_half_is_decided_by_its_next_word() {
        for (text, k) in [("1e9", 3i128), ("1000003/3", 17), ("3e11", 1), ("123456.7", 5)] {
            let sigma = Rational::parse(text).unwrap();
            let law = RoundedGaussian::new(&sigma).unwrap();
            let crossing = Rational::ratio(2 * k - 1, 2) / sigma * Rational::power_of_two(128 + 4);
            let digits = u128::try_from(crossing.floor()).unwrap();
            let (first, second) = ((digits >> 64) as u64, digits as u64);
            let draw = |second: u64| law.sample(&mut scripted(vec![0, first, 0, second, 0, 0]));
            assert_eq!((draw(second - 1), draw(second + 1)), (k - 1, k), "σ = {text}");
            assert_eq!((draw(0), draw(u64::MAX)), (k - 1, k), "σ = {text}");
        }
    }

    #[test]
    fn extreme_scales_work() {
        let mut bits = seeded(6);
        let tiny = RoundedGaussian::new(&Rational::power_of_two(-20)).unwrap();
        assert!((0..200).all(|_| tiny.sample(&mut bits) == 0));
        let huge = RoundedGaussian::new(&Rational::power_of_two(100)).unwrap();
        assert!((0..200).all(|_| huge.sample(&mut bits).unsigned_abs() < 1 << 106));
    }
}
