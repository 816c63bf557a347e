//! How often a random run is repeated: the truncated negative binomial law.
//!
//! **Guarantee.** P[K = k] is proportional to (1 − γ)^k·∏_(l<k) (l + η)/(l + 1) for k = 1, 2, …, exactly. η = 1 is the
//! geometric law, η = 0 the logarithmic one; below, K has a heavier tail for the same mean.
//! **Proof of the sampler.** A geometric k, P = γ(1 − γ)^(k−1), is kept with probability ∏_(1≤l<k) (l + η)/(l + 1), which
//! is k − 1 coins in a row: each factor is in (0, 1], as −1 < η ≤ 1. What is left out, the factor l = 0, is the same for
//! every k. All coins are rational and exact.
//! **Moments.** E[s^K] = ((1 − (1 − γ)s)^−η − 1)/(γ^−η − 1), and ln(1 − (1 − γ)s)/ln γ for η = 0, wherever (1 − γ)s < 1: the
//! binomial and the logarithmic series. Its derivative at one is E[K] = η(1 − γ)/(γ(1 − γ^η)), and (1/γ − 1)/ln(1/γ).
//! **Source.** Papernot and Steinke (2022), arXiv:2110.03620, Definition 1.
//! **Time.** How long drawing K and running K times takes depends on K, which looks at no data.

use pointillist_mechanisms::MechanismError;
use pointillist_noise::{Bernoulli, SecureBits};
use pointillist_numbers::{Enclosure, Rational};

use crate::LearnError;

const PRECISION: usize = 320;
/// γ is at least 2^-20: nobody runs a million times.
const GAMMA_BITS: i64 = 20;

/// The law of the number of runs.
#[derive(Clone, Debug)]
pub struct StoppingLaw {
    eta: Rational,
    gamma: Rational,
    stop: Bernoulli,
}

impl StoppingLaw {
    /// The law of these η and γ.
    ///
    /// # Errors
    /// Unless −1 + 2^-20 < η ≤ 1, η = 0 or |η| ≥ 2^-20, and 2^-20 ≤ γ < 1.
    pub fn new(eta: Rational, gamma: Rational) -> Result<Self, LearnError> {
        let least = Rational::power_of_two(-GAMMA_BITS);
        if eta <= &least - &Rational::one() || eta > Rational::one() {
            return Err(LearnError::parameter("eta lies above -1 and at most at 1, such as 0"));
        }
        if !eta.is_zero() && eta.abs() < least {
            return Err(LearnError::parameter("eta is zero or at least 2^-20, such as 0"));
        }
        if gamma < least || gamma >= Rational::one() {
            return Err(LearnError::parameter("gamma lies from 2^-20 to below one, such as 0.1"));
        }
        let stop = Bernoulli::new(gamma.clone()).map_err(MechanismError::from)?;
        Ok(Self { eta, gamma, stop })
    }

    /// The shape η: the larger, the likelier are many runs.
    pub fn eta(&self) -> &Rational {
        &self.eta
    }

    /// The chance γ to stop after each run.
    pub fn gamma(&self) -> &Rational {
        &self.gamma
    }

    /// How often to run.
    pub fn sample<B: SecureBits + ?Sized>(&self, bits: &mut B) -> u64 {
        loop {
            // The coin of one more run and the coin that keeps it are independent: they are thrown in turn, and a run that
            // would not be kept is given up at once.
            let mut runs = 1;
            let mut kept = true;
            while kept && !self.stop.sample(bits) {
                kept = self.keep(runs).sample(bits);
                runs += 1;
            }
            if kept {
                return runs;
            }
        }
    }

    /// The coin (l + η)/(l + 1).
    fn keep(&self, l: u64) -> Bernoulli {
        let l = Rational::from(l);
        let probability = (&l + &self.eta) / (l + Rational::one());
        Bernoulli::new(probability).expect("l + η is positive and at most l + 1")
    }

    /// The mean of K, rounded up.
    pub fn mean_upper(&self) -> Rational {
        let one = Rational::one();
        if self.eta.is_zero() {
            return (self.gamma.reciprocal().expect("γ is positive") - one) / self.logarithm().lower();
        }
        // 1 − γ^η is positive for a positive η and negative for a negative one, as η is.
        let share = &Enclosure::integer(1, PRECISION) - &self.power(&self.logarithm(), &-self.eta.clone());
        let top = &self.eta * &(one - self.gamma.clone());
        let mean = Enclosure::of(&(top / self.gamma.clone()), PRECISION).checked_div(&share);
        mean.expect("γ^η is not one").upper()
    }

    /// ln E[s^K] for s = e^t, rounded up; none where the mean is infinite or that cannot be told.
    pub(super) fn cumulant_upper(&self, t: &Rational) -> Option<Rational> {
        // e^t for t above this is beyond 1/(1 − γ) for any γ of interest.
        if *t > Rational::from(32) {
            return None;
        }
        let keep = Enclosure::of(&(Rational::one() - self.gamma.clone()), PRECISION);
        let rest = &Enclosure::integer(1, PRECISION) - &(&keep * &Enclosure::of(t, PRECISION).exp());
        // A rest that is nearly zero has a large error; such orders are not the best ones.
        if rest.lower() < Rational::power_of_two(-64) {
            return None;
        }
        let logarithm = -&rest.ln()?;
        let moment = if self.eta.is_zero() {
            logarithm.checked_div(&self.logarithm())?
        } else {
            let less_one = |power: Enclosure| &power - &Enclosure::integer(1, PRECISION);
            let top = less_one(self.power(&logarithm, &self.eta));
            top.checked_div(&less_one(self.power(&self.logarithm(), &self.eta)))?
        };
        Some(moment.ln()?.upper())
    }

    /// ln(1/γ).
    pub(super) fn logarithm(&self) -> Enclosure {
        -&Enclosure::ln_of(&self.gamma, PRECISION).expect("γ is positive")
    }

    /// e^(logarithm·exponent).
    fn power(&self, logarithm: &Enclosure, exponent: &Rational) -> Enclosure {
        (logarithm * &Enclosure::of(exponent, PRECISION)).exp()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{assert_distribution, distribution_p_value, seeded};

    use super::*;

    pub(crate) fn law(eta: &str, gamma: &str) -> StoppingLaw {
        StoppingLaw::new(Rational::parse(eta).unwrap(), Rational::parse(gamma).unwrap()).unwrap()
    }

    /// The law by its definition, as far as `most`.
    fn masses(law: &StoppingLaw, most: usize) -> Vec<f64> {
        let (eta, gamma) = (law.eta.to_f64_nearest(), law.gamma.to_f64_nearest());
        let scale = if eta == 0.0 { -gamma.ln() } else { (gamma.powf(-eta) - 1.0) / eta };
        // The factor η/1 of l = 0 is in the scale.
        let mut weight = 1.0 / scale;
        let mut masses = vec![0.0];
        for k in 1..=most {
            weight *= 1.0 - gamma;
            masses.push(weight);
            weight *= (k as f64 + eta) / (k as f64 + 1.0);
        }
        masses
    }

    fn mass(masses: &[f64], at: i64) -> f64 {
        usize::try_from(at).ok().and_then(|at| masses.get(at)).copied().unwrap_or(0.0)
    }

    /// Specification: the masses add up to one, their mean and their moments are the closed forms, rounded up.
    #[test]
    fn moments_are_those_of_the_masses() {
        for (eta, gamma) in
            [("1", "0.1"), ("0", "0.1"), ("0", "0.9"), ("-0.5", "0.05"), ("0.5", "0.02"), ("-0.9", "0.01")]
        {
            let law = law(eta, gamma);
            let masses = masses(&law, 5000);
            let sum = |weight: &dyn Fn(f64) -> f64| -> f64 {
                masses
                    .iter()
                    .enumerate()
                    .filter(|(_, mass)| **mass > 1e-300)
                    .map(|(k, mass)| mass * weight(k as f64))
                    .sum()
            };
            assert!((sum(&|_| 1.0) - 1.0).abs() < 1e-9, "{eta} {gamma}");
            let (mean, upper) = (sum(&|k| k), law.mean_upper().to_f64_upper());
            assert!((mean / upper - 1.0).abs() < 1e-9, "{eta} {gamma}: {mean} {upper}");
            let t = law.gamma.to_f64_nearest() / 2.0;
            let (cumulant, upper) = (
                sum(&|k| (t * k).exp()).ln(),
                law.cumulant_upper(&Rational::from_f64(t).unwrap()).unwrap().to_f64_upper(),
            );
            assert!((cumulant / upper - 1.0).abs() < 1e-9, "{eta} {gamma}: {cumulant} {upper}");
            assert_eq!(law.cumulant_upper(&Rational::from(3)), None);
        }
        assert_eq!(law("1", "1/3").mean_upper().to_f64_nearest(), 3.0);
    }

    /// False alarm: about 1e-9 for each law (χ², 30 000 draws). Power: the geometric law, or η off by 0.1, is rejected.
    #[test]
    fn draws_follow_the_law() {
        for (seed, (eta, gamma)) in
            [("1", "0.3"), ("0", "0.1"), ("-0.5", "0.02"), ("0.5", "0.1")].iter().enumerate()
        {
            let law = law(eta, gamma);
            let mut bits = seeded(seed as u64);
            let draws: Vec<i64> = (0..30_000).map(|_| law.sample(&mut bits) as i64).collect();
            let expected = masses(&law, 5000);
            assert_distribution(draws.clone(), |k| mass(&expected, k), 1..=30, "number of runs");
            let off = StoppingLaw::new(&law.eta - &Rational::ratio(1, 10), law.gamma.clone()).unwrap();
            let off = masses(&off, 5000);
            assert!(distribution_p_value(draws, |k| mass(&off, k), 1..=30) < 1e-9, "{eta} {gamma}");
        }
    }

    #[test]
    fn laws_that_no_proof_covers_are_refused() {
        for (eta, gamma) in
            [("-1", "0.1"), ("1.1", "0.1"), ("0", "0"), ("0", "1"), ("0", "1e-9"), ("1e-9", "0.1")]
        {
            let parse = |text| Rational::parse(text).unwrap();
            assert!(StoppingLaw::new(parse(eta), parse(gamma)).is_err(), "{eta} {gamma}");
        }
    }
}
