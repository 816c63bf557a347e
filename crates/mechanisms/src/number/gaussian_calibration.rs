//! How much Gaussian noise an (ε, δ) needs: the exact curve, and three ways to a standard deviation.
//!
//! **Guarantee.** Adding independent normal noise of standard deviation σ to every coordinate of an answer
//! that moves by at most Δ₂ in Euclidean norm is (ε, δ)-differentially private exactly when
//! `δ ≥ Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ)`, in any dimension. Every σ returned here satisfies it by
//! certified bounds.
//! **Source.** Balle, Wang (2018), Theorem 8, arXiv:1805.06530, for [`delta_of`] and [`sigma_analytic`];
//! Dwork, Roth (2014), Theorem A.1, for [`sigma_classical`], proven for ε < 1, and at ε = 1 by continuity of
//! both sides; Bun, Steinke (2016), Proposition 1.6, arXiv:1605.02065, for [`sigma_for_rho`].
//! **Method.** With u = Δ/σ, a = ε/u − u/2 and b = ε/u + u/2 the curve is `δ = P[N > a] − e^ε·P[N > b]`, and
//! it rises with u. For ε > 16 the second term is `φ(a)·M(b)`, because `e^ε·φ(b) = φ(a)`, where
//! `M(b) = P[N > b]/φ(b)` lies between neighbouring convergents of Laplace's continued fraction
//! `1/(b + 1/(b + 2/(b + 3/(b + …))))`, odd ones below and even ones above: no e^ε is formed, and ε up to a
//! million takes no longer. Floats steer the search for σ and decide nothing.
//! **Exactness.** `sigma_analytic` is at most one part in 2^39 above the smallest σ.

use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL2};

use crate::MechanismError;
use crate::choice::falling_root::falling_root;

/// Bits that a comparison with δ has in excess of δ's own size.
const GUARD_BITS: usize = 96;
/// Above this ε the continued fraction replaces e^ε; its argument b is then at least √32.
const PLAIN_EPSILON_MAX: i32 = 16;
/// Terms of the continued fraction: at √32 its neighbouring convergents differ by less than 2^-140.
const FRACTION_TERMS: i64 = 101;
/// Significant bits of standard deviations.
const SIGMA_BITS: usize = 64;

/// The smallest δ for which noise of this σ is (ε, δ)-differentially private, between bounds whose distance
/// is below 2^-140. An ε of zero gives the total variation distance.
pub fn delta_of(
    sigma: &Rational,
    epsilon: &Rational,
    sensitivity_l2: &SensitivityL2,
) -> Result<Enclosure, MechanismError> {
    if !sigma.is_positive() || *sigma > Rational::power_of_two(128) || epsilon.is_negative() {
        return Err(MechanismError::invalid(
            format!("σ = {sigma} and ε = {epsilon} have no δ"),
            "give a positive σ of at most 2^128 and an ε of zero or more",
        ));
    }
    let ratio_squared = sensitivity_l2.squared() / &sigma.squared();
    // A small u loses digits in ε/u: twice its size in bits is added, which is at most 400.
    let precision = 320 + size_bits(&ratio_squared.reciprocal().expect("a sensitivity is positive"));
    let u = Enclosure::of(&ratio_squared, 2 * precision).sqrt().at_precision(precision);
    Ok(delta_of_ratio(&u, epsilon))
}

/// The textbook's σ, `Δ₂·√(2·ln(1.25/δ))/ε`, rounded up; refused for ε > 1, where its proof ends.
pub fn sigma_classical(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity_l2: &SensitivityL2,
) -> Result<Rational, MechanismError> {
    positive(delta)?;
    if *epsilon.value() > Rational::one() {
        return Err(MechanismError::invalid(
            format!("the classical calibration is proven for ε up to 1 only, not for {epsilon}"),
            "use the analytic calibration, which holds for every ε and always needs less noise",
        ));
    }
    let sigma = classical_formula(epsilon, delta, sensitivity_l2);
    // The exact curve has the last word, whatever the textbook says.
    if delta_of(&sigma, epsilon.value(), sensitivity_l2)?.upper() > *delta.value() {
        return Err(MechanismError::invalid(
            format!("the classical calibration does not reach δ = {delta} at ε = {epsilon}"),
            "use the analytic calibration, which holds for every ε and always needs less noise",
        ));
    }
    Ok(sigma)
}

/// The smallest σ for (ε, δ), rounded up.
pub fn sigma_analytic(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity_l2: &SensitivityL2,
) -> Result<Rational, MechanismError> {
    positive(delta)?;
    let target = delta.value();
    // Near one it is 1 − δ that has to be resolved.
    let gap = Rational::one() - target.clone();
    let target_bits = size_bits(&target.reciprocal().expect("δ is positive"))
        + size_bits(&gap.reciprocal().expect("δ is below one")).min(600);
    // In units of the sensitivity. The largest multiplier, for ε = 2^-64 and δ = 1e-60, is below 2^70; the
    // smallest, for ε = 10^6 and a δ close to one, above 2^-20.
    let multiplier = falling_root(target, -20..=72, |multiplier| {
        let precision = GUARD_BITS + target_bits + 2 * size_bits(multiplier);
        let u = Enclosure::of(&multiplier.reciprocal().expect("a multiplier is positive"), precision);
        delta_of_ratio(&u, epsilon.value()).upper()
    });
    Ok((multiplier * sensitivity_l2.value_upper()).round_up_significant(SIGMA_BITS))
}

/// The σ of ρ-zCDP, `Δ₂/√(2ρ)`, rounded up.
pub fn sigma_for_rho(rho: &Rho, sensitivity_l2: &SensitivityL2) -> Rational {
    let variance = sensitivity_l2.squared() / &(rho.value() + rho.value());
    root_upper(&variance)
}

/// The classical formula for any ε, also where it proves nothing.
fn classical_formula(epsilon: &Epsilon, delta: &Delta, sensitivity_l2: &SensitivityL2) -> Rational {
    let ratio = Rational::ratio(5, 4) / delta.value().clone();
    let ln = Enclosure::ln_of(&ratio, 256).expect("1.25/δ is positive").upper();
    let variance = (&ln + &ln) * sensitivity_l2.squared().clone() / epsilon.value().squared();
    root_upper(&variance)
}

fn positive(delta: &Delta) -> Result<(), MechanismError> {
    if delta.is_zero() {
        return Err(MechanismError::invalid(
            "Gaussian noise has no guarantee with δ = 0",
            "give a small positive δ such as 1e-9, a ρ, or use the geometric mechanism",
        ));
    }
    Ok(())
}

/// δ for u = Δ/σ, at the precision of u.
fn delta_of_ratio(u: &Enclosure, epsilon: &Rational) -> Enclosure {
    let precision = u.precision();
    let quotient = Enclosure::of(epsilon, precision).checked_div(u).expect("a sensitivity is positive");
    let half = u.scale_by_power_of_two(-1);
    let (a, b) = (&quotient - &half, &quotient + &half);
    let second = if *epsilon <= Rational::from(PLAIN_EPSILON_MAX) {
        &Enclosure::of(epsilon, precision).exp() * &tail(&b)
    } else {
        &density(&a) * &mills_ratio(&b)
    };
    let delta = &tail(&a) - &second;
    let clamp = |units: &IBig| units.clone().clamp(IBig::ZERO, IBig::ONE << precision);
    Enclosure::new(clamp(delta.lower_units()), clamp(delta.upper_units()), precision)
}

/// `P[N > x]`, from one evaluation at the lower end: the tail's slope is nowhere steeper than −1.
fn tail(x: &Enclosure) -> Enclosure {
    let width = x.upper_units() - x.lower_units();
    let point = Enclosure::new(x.lower_units().clone(), x.lower_units().clone(), x.precision());
    let tail = point.normal_tail();
    Enclosure::new(tail.lower_units() - width, tail.upper_units().clone(), x.precision())
}

/// The normal density.
fn density(x: &Enclosure) -> Enclosure {
    let precision = x.precision();
    let shape = (-&(x * x).scale_by_power_of_two(-1)).exp();
    let root = Enclosure::pi(precision).mul_integer(2).sqrt();
    shape.checked_div(&root).expect("the root of 2π is positive")
}

/// `P[N > x]/φ(x)` for x above five, between two convergents.
fn mills_ratio(x: &Enclosure) -> Enclosure {
    let precision = x.precision();
    let convergent = |terms: i64| {
        let fraction = (1..=terms).rev().fold(x.clone(), |inner, k| {
            let part = Enclosure::integer(k, precision).checked_div(&inner).expect("x is positive");
            x + &part
        });
        Enclosure::integer(1, precision).checked_div(&fraction).expect("x is positive")
    };
    let (odd, even) = (convergent(FRACTION_TERMS), convergent(FRACTION_TERMS + 1));
    Enclosure::new(odd.lower_units().clone(), even.upper_units().clone(), precision)
}

fn root_upper(square: &Rational) -> Rational {
    // Squares run from about 2^-150 to 2^400: both ends keep more than 128 significant bits.
    Enclosure::of(square, 640).sqrt().upper().round_up_significant(SIGMA_BITS)
}

/// About log₂ of a number, zero below one.
fn size_bits(value: &Rational) -> usize {
    dashu_int::ops::BitTest::bit_len(&value.ceil())
}

#[cfg(test)]
mod tests;
