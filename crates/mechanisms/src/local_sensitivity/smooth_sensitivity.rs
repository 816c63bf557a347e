//! Smooth sensitivity: a stand-in for local sensitivity that no single unit can move by more than a factor.
//!
//! **Guarantee.** Let `U_0(x), U_1(x), …` be numbers with `U_0(x) ≥ |f(x) − f(x')|` and
//! `U_k(x) ≤ U_{k+1}(x')` for all neighbours `x`, `x'`, none above a public cap, and
//! `S(x) = max(floor, max_k e^{−βk}·U_k(x))` for a public floor. [`Smoothing::of`] returns a number `Ŝ(x)`
//! with `S(x) ≤ Ŝ(x) ≤ (1 + η)·S(x)`, η = 2⁻⁴⁰. Therefore `Ŝ(x) ≥ |f(x) − f(x')|` and `Ŝ(x) ≤ e^{β+η}·Ŝ(x')`
//! for all neighbours: noise scaled to `Ŝ` pays for `β + η`, see [`Smoothing::beta_upper`].
//! **Neighbours.** Any symmetric relation; it enters through the numbers `U_k` only.
//! **Source.** Nissim, Raskhodnikova, Smith (2007), where `U_k = LS^(k)`, the largest local sensitivity
//! within distance k. The proof in a line: `e^{−βk}·U_k(x) ≤ e^β·e^{−β(k+1)}·U_{k+1}(x') ≤ e^β·S(x')`, and
//! the floor is at most `e^β` times itself. Cutting every `U_k` off at the cap keeps both conditions. The
//! factor `1 + η ≤ e^η` is ours, because `e^{−βk}` is irrational.
//! **Exactness.** Weights are enclosed by outward rounding; lower and upper bounds of S are computed
//! together, and the precision is raised until they agree to 2⁻⁴¹. The search ends where `e^{−βk}·cap` can no
//! longer win.
//! **Not covered.** `Ŝ` depends on the data and is not private: it must never be shown. The number of
//! distances looked at depends on the data too, and takes time. Whether `U_k` has the two properties is the
//! caller's proof.

use pointillist_numbers::{Enclosure, Rational};

use crate::MechanismError;

/// η = 2⁻⁴⁰: by how much, relatively, a certified smooth sensitivity may exceed the real one.
pub const RELATIVE_ERROR_BITS: i64 = 40;
/// Below this β more distances count than anybody can look at.
const BETA_LEAST_BITS: i64 = 32;

/// The public parameters of a smooth sensitivity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smoothing {
    beta: Rational,
    floor: Rational,
    cap: Rational,
}

/// A certified smooth sensitivity of one data set. It is not private.
#[derive(Clone, PartialEq, Eq)]
pub struct SmoothSensitivity {
    value_upper: Rational,
    smoothing: Smoothing,
}

/// The value is computed from data and stays out of logs.
impl std::fmt::Debug for SmoothSensitivity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SmoothSensitivity").field("smoothing", &self.smoothing).finish_non_exhaustive()
    }
}

impl Smoothing {
    /// Smoothing by `e^β` per unit. No result is below `floor`, and no local sensitivity is ever above `cap`;
    /// both are public facts about the question, chosen without looking at the data.
    pub fn new(beta: &Rational, floor: &Rational, cap: &Rational) -> Result<Self, MechanismError> {
        if *beta < Rational::power_of_two(-BETA_LEAST_BITS) {
            return Err(MechanismError::invalid(
                format!("the smoothing β = {beta} is too small"),
                "write at least 2^-32; a twentieth of ε is usual",
            ));
        }
        if !floor.is_positive() {
            return Err(MechanismError::invalid(
                "the smallest smooth sensitivity must be positive",
                "write a small positive number: a sensitivity of zero would add no noise",
            ));
        }
        if floor > cap {
            return Err(MechanismError::BoundsReversed { lower: floor.to_string(), upper: cap.to_string() });
        }
        Ok(Self { beta: beta.clone(), floor: floor.clone(), cap: cap.clone() })
    }

    /// The smoothing β as chosen.
    pub fn beta(&self) -> &Rational {
        &self.beta
    }

    /// `β + η`: what noise has to pay for.
    pub fn beta_upper(&self) -> Rational {
        beta_with_error(&self.beta)
    }

    /// The smallest smooth sensitivity there is.
    pub fn floor(&self) -> &Rational {
        &self.floor
    }

    /// The largest local sensitivity there is.
    pub fn cap(&self) -> &Rational {
        &self.cap
    }

    /// The smooth sensitivity of data whose local sensitivity within distance `k` is
    /// `local_sensitivity_at(k)`, or any other sequence with the two properties at the head of this file. It
    /// is asked for distances in order, from zero on, perhaps more than once.
    pub fn of(&self, mut local_sensitivity_at: impl FnMut(u64) -> Rational) -> SmoothSensitivity {
        let mut precision = self.first_precision();
        loop {
            let (lower, upper) = self.bounds(&mut local_sensitivity_at, precision);
            if let Some(certified) = self.certified(&lower, &upper) {
                return certified;
            }
            precision *= 2;
        }
    }

    /// The upper bound of a smooth sensitivity between these bounds when they are close enough to promise η.
    pub(crate) fn certified(&self, lower: &Rational, upper: &Rational) -> Option<SmoothSensitivity> {
        let [lower, upper] = [lower, upper].map(|bound| bound.clone().max(self.floor.clone()));
        let slack = Rational::one() + Rational::power_of_two(-RELATIVE_ERROR_BITS - 1);
        // Half of η is for the enclosure; rounding to 64 digits takes far less than the other half.
        (upper <= &lower * &slack).then(|| SmoothSensitivity {
            value_upper: if upper == self.floor { upper } else { upper.round_up_significant(64) },
            smoothing: self.clone(),
        })
    }

    /// Bits behind the point at which the smallest weight that counts has 128 significant digits.
    pub(crate) fn first_precision(&self) -> usize {
        let ratio = (&self.cap / &self.floor).ceil();
        128 + dashu_int::ops::BitTest::bit_len(&ratio)
    }

    fn bounds(
        &self,
        local_sensitivity_at: &mut impl FnMut(u64) -> Rational,
        precision: usize,
    ) -> (Rational, Rational) {
        let decay = Enclosure::exp_of_minus(&self.beta, precision);
        let mut weight = Enclosure::integer(1, precision);
        let (mut lower, mut upper) = (self.floor.clone(), self.floor.clone());
        let mut largest = Rational::zero();
        for distance in 0.. {
            // From here on every term is at most the cap times this weight.
            if &self.cap * &weight.upper() <= lower {
                break;
            }
            let local = local_sensitivity_at(distance).min(self.cap.clone());
            // A local sensitivity that does not grow cannot win at a smaller weight.
            if local > largest {
                lower = lower.max(&local * &weight.lower());
                upper = upper.max(&local * &weight.upper());
                largest = local;
            }
            if largest == self.cap {
                break;
            }
            weight = &weight * &decay;
        }
        (lower, upper)
    }
}

impl SmoothSensitivity {
    /// The certified upper bound Ŝ. It depends on the data: never show it.
    pub fn value_upper(&self) -> &Rational {
        &self.value_upper
    }

    /// The parameters it was computed with.
    pub fn smoothing(&self) -> &Smoothing {
        &self.smoothing
    }
}

/// `β + η`.
pub(crate) fn beta_with_error(beta: &Rational) -> Rational {
    beta + &Rational::power_of_two(-RELATIVE_ERROR_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn smoothing(beta: &str, floor: &str, cap: &str) -> Smoothing {
        Smoothing::new(&rational(beta), &rational(floor), &rational(cap)).unwrap()
    }

    /// The same maximum in floats, term by term, without any stopping rule.
    fn by_definition(locals: &[f64], beta: f64, floor: f64) -> f64 {
        let terms = locals.iter().enumerate().map(|(k, local)| local * (-beta * k as f64).exp());
        terms.fold(floor, f64::max)
    }

    #[test]
    fn the_maximum_over_distances_is_found_and_never_understated() {
        let sequences: [&[i64]; 5] =
            [&[0, 0, 3, 3, 3, 5], &[1, 2, 3, 4, 5, 6], &[4, 5, 5, 5], &[0, 0, 0, 0, 100], &[7]];
        for locals in sequences {
            for beta in ["0.01", "0.1", "0.5", "1", "3", "1/3"] {
                let cap = *locals.last().unwrap();
                let smoothing = smoothing(beta, "1e-9", &cap.to_string());
                let at = |k: u64| Rational::from(locals[(k as usize).min(locals.len() - 1)]);
                let got = smoothing.of(at).value_upper().to_f64_upper();
                let floats: Vec<f64> = locals.iter().map(|local| *local as f64).collect();
                let exact = by_definition(&floats, rational(beta).to_f64_upper(), 1e-9);
                assert!((got / exact - 1.0).abs() < 2f64.powi(-39), "{locals:?} β = {beta}: {got} {exact}");
                assert!(got >= exact * (1.0 - 1e-14));
            }
        }
    }

    /// The certificate itself: 2^-40 at most between the result and a bound computed with 400 bits.
    #[test]
    fn the_relative_error_is_at_most_two_to_the_minus_forty() {
        for (beta, distance) in [("0.05", 3u64), ("1/7", 40), ("1e-6", 1000), ("2", 9)] {
            let smoothing = smoothing(beta, "1e-6", "1000");
            let jump = |k: u64| {
                if k < distance { Rational::ratio(1, 1000) } else { Rational::from(1000) }
            };
            let got = smoothing.of(jump).value_upper().clone();
            let weight = Enclosure::exp_of_minus(&(rational(beta) * Rational::from(distance)), 400);
            let [lower, upper] = [weight.lower(), weight.upper()]
                .map(|w| (w * Rational::from(1000)).max(Rational::ratio(1, 1000)));
            assert!(got >= lower, "β = {beta}");
            assert!(got <= upper * (Rational::one() + Rational::power_of_two(-40)), "β = {beta}");
        }
    }

    #[test]
    fn no_sensitivity_anywhere_gives_the_floor_exactly() {
        let smoothing = smoothing("0.1", "1/1024", "10");
        assert_eq!(*smoothing.of(|_| Rational::zero()).value_upper(), Rational::ratio(1, 1024));
        assert_eq!(*smoothing.of(|_| Rational::from(10)).value_upper(), Rational::from(10));
        assert_eq!(
            *smoothing.of(|_| Rational::from(99)).value_upper(),
            Rational::from(10),
            "cut off at the cap"
        );
    }

    /// Data sets on a path, where the neighbour's sequence is this one shifted: the smooth sensitivity moves
    /// by at most e^(β+η), and the raw local sensitivity by any factor.
    #[test]
    fn neighbours_differ_by_at_most_the_factor_that_noise_pays_for() {
        let smoothing = smoothing("0.2", "1e-3", "1000");
        // Local sensitivity 1000 at position 20 of the path and 1 elsewhere.
        let of = |position: u64| {
            smoothing
                .of(|k| if position + k >= 20 { Rational::from(1000) } else { Rational::one() })
                .value_upper()
                .clone()
        };
        let factor = Enclosure::of(&smoothing.beta_upper(), 200).exp().upper();
        for position in 0..20 {
            let (here, there) = (of(position), of(position + 1));
            assert!(there <= &here * &factor && here <= &there * &factor, "position {position}");
        }
        assert!(of(20) > &of(18) * &Rational::ratio(149, 100), "two steps are worth e^0.4");
    }

    #[test]
    fn parameters_that_cannot_be_are_refused_with_a_hint() {
        let one = Rational::one();
        for (beta, floor, cap) in [
            (Rational::zero(), one.clone(), one.clone()),
            (Rational::from(-1), one.clone(), one.clone()),
            (one.clone(), Rational::zero(), one.clone()),
            (one.clone(), Rational::from(2), one.clone()),
        ] {
            let error = Smoothing::new(&beta, &floor, &cap).unwrap_err().explanation().text();
            assert!(error.contains("hint:"), "{error}");
        }
    }
}
