//! Amplification by subsampling: a release that sees a secret random sample.
//!
//! **Guarantee.** If a mechanism is (ε, δ)-differentially private and is run on a sample that contains each
//! unit with probability q, the whole is `(ln(1 + q·(e^ε − 1)), q·δ)`-differentially private.
//! **Neighbours.** Add/remove for Poisson sampling (each unit decides on its own); replace-one for a sample
//! of fixed size `q·n` drawn without replacement. The mechanism's own guarantee must be for the same
//! relation. The other two pairings need other formulas: do not mix them.
//! **Source.** Balle, Barthe, Gaboardi (2018), arXiv:1807.01647. Proof for Poisson sampling: with `M₀` and
//! `M₁` the outputs when the unit is not and is in the sample, the outputs on neighbours are
//! `P = (1 − q)·M₀ + q·M₁` and `Q = M₀`. For `e^{ε'} = 1 + q·x`, `x = e^ε − 1`:
//! `P − e^{ε'}·Q = q·(M₁ − e^ε·M₀)`, and in the other direction
//! `Q − e^{ε'}·P = q·(1 − (1 − q)x)·M₀ − q·(1 + qx)·M₁`, where `(1 − (1 − q)x)·e^ε ≤ 1 + qx`. Without
//! replacement, `Q = (1 − q)·M₀ + q·M₁'` with the replaced unit in the sample; now
//! `P − e^{ε'}·Q = q·(M₁ − e^ε·((1 − β)·M₀ + β·M₁'))` with `β = e^{ε' − ε}`, and `M₁` is close to `M₀` as
//! well as to `M₁'`: exchange the unit for one outside the sample.
//! **Exactness.** Certified enclosures of `ε + ln(q + (1 − q)·e^{−ε})`, the same number without a large
//! exponential; rounded up, and down where a loss to spend is asked for.
//! **Not covered.** A sample that the analyst sees or chooses.

use pointillist_numbers::{Enclosure, Rational};

use super::sampling_rate::SamplingRate;
use crate::conversion::claim::{PRECISION, delta_from_upper, epsilon_from_upper};
use crate::{Delta, Epsilon, ParameterError};

/// The loss of an (ε, δ) mechanism on a secret sample.
pub fn subsampled_upper(
    epsilon: &Epsilon,
    delta: &Delta,
    rate: &SamplingRate,
) -> Result<(Epsilon, Delta), ParameterError> {
    let delta = delta_from_upper(delta.value() * rate.value())?;
    Ok((subsampled_epsilon_upper(epsilon, rate)?, delta))
}

/// `ln(1 + q·(e^ε − 1))`.
pub fn subsampled_epsilon_upper(epsilon: &Epsilon, rate: &SamplingRate) -> Result<Epsilon, ParameterError> {
    let (value, rate) = (epsilon.value(), rate.value());
    if *rate == Rational::one() {
        return Ok(epsilon.clone());
    }
    let decay = Enclosure::exp_of_minus(value, PRECISION);
    let others = Enclosure::of(&(Rational::one() - rate.clone()), PRECISION);
    let mixture = &Enclosure::of(rate, PRECISION) + &(&others * &decay);
    let logarithm = mixture.ln().expect("at least the sampling rate, above 2^-64");
    epsilon_from_upper(value + &logarithm.upper())
}

/// The inverse: the ε that a mechanism may have for its loss on the sample to stay within `epsilon`, rounded
/// down: `ln(1 + (e^ε − 1)/q)`.
pub fn subsampled_epsilon_lower(epsilon: &Epsilon, rate: &SamplingRate) -> Result<Epsilon, ParameterError> {
    let (value, rate) = (epsilon.value(), rate.value());
    let decay = Enclosure::exp_of_minus(value, PRECISION);
    let one = Enclosure::integer(1, PRECISION);
    let inflated =
        (&one - &decay).checked_div(&Enclosure::of(rate, PRECISION)).expect("a rate is at least 2^-64");
    let logarithm = (&inflated + &decay).ln().expect("at least one, up to rounding");
    let spent = (value + &logarithm.lower()).round_down_to_bits(192);
    // At a tiny ε the result is at least ε, and beyond the largest ε the largest is within it.
    Epsilon::new(spent.max(value.clone()).min(Rational::from(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// The frozen reference values `comp-subsample-*`: ε, δ, q, then both results.
    #[test]
    fn subsampling_matches_the_reference() {
        let cases = [
            ("1", "1e-6", "0.01", "0.0170368632361765497863852527635", "0.00000001"),
            ("0.1", "0", "0.5", "0.0512494795136255854128669868575", "0"),
            ("1e-6", "1e-15", "0.001", "0.00000000100000049950016616704137550796", "1e-18"),
            ("50", "1e-5", "0.0001", "40.7896596280238172658565911542", "0.000000001"),
            ("2", "1e-8", "1", "2", "0.00000001"),
        ];
        for (e, d, q, e_sampled, d_sampled) in cases {
            let (e, q) = (epsilon(e), SamplingRate::parse(q).unwrap());
            let (found, delta) = subsampled_upper(&e, &Delta::parse(d).unwrap(), &q).unwrap();
            let reference = rational(e_sampled);
            assert!((found.value() - &reference).abs() <= &reference * &rational("1e-27"), "{e} {q}");
            assert_eq!(delta, Delta::parse(d_sampled).unwrap());
            let back = subsampled_epsilon_lower(&found, &q).unwrap();
            assert!((back.value() - e.value()).abs() <= e.value() * &rational("1e-25"), "{e} {q}");
        }
    }

    /// What may be spent before sampling, sampled, is never more than what may be spent after.
    #[test]
    fn the_inverse_never_overspends() {
        for e in ["5.5e-20", "1e-6", "0.1", "1", "50", "1e6"] {
            for q in ["1e-15", "0.001", "1/3", "0.999", "1"] {
                let (e, q) = (epsilon(e), SamplingRate::parse(q).unwrap());
                let before = subsampled_epsilon_lower(&e, &q).unwrap();
                assert!(before >= e);
                assert!(subsampled_epsilon_upper(&before, &q).unwrap() <= epsilon_above(&e), "{e} {q}");
                assert!(subsampled_epsilon_upper(&e, &q).unwrap() <= e);
            }
        }
    }

    /// Rounding a result up to 128 significant bits may cost one part in 2^127.
    fn epsilon_above(epsilon: &Epsilon) -> Epsilon {
        let above = epsilon.value() * &(Rational::one() + Rational::power_of_two(-120));
        Epsilon::new(above.min(rational("1000000"))).unwrap()
    }

    /// Randomized response on a Poisson sample of one unit, by hand: P = (1−q)·Q + q·P₁.
    #[test]
    fn subsampled_randomized_response_attains_the_bound() {
        let (e, q) = (1.0f64, 0.25f64);
        let keep = e.exp() / (1.0 + e.exp());
        let (without, with) = ([1.0 - keep, keep], [keep, 1.0 - keep]);
        let sampled: Vec<f64> = (0..2).map(|i| (1.0 - q) * without[i] + q * with[i]).collect();
        let measured = pointillist_testkit::max_log_ratio(&sampled, &without);
        let claimed =
            subsampled_epsilon_upper(&Epsilon::from_f64(e).unwrap(), &SamplingRate::from_f64(q).unwrap());
        assert!((claimed.unwrap().to_f64_upper() - measured).abs() < 1e-12);
    }
}
