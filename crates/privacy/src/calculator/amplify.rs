//! What a secret sample or a shuffler adds to a guarantee.

use pointillist_numbers::Rational;

use super::CalculatorError;
use crate::amplification::{
    SamplingRate, shuffled_epsilon_upper, subsampled_epsilon_lower, subsampled_upper,
};
use crate::{Delta, Epsilon};

/// The guarantee before, and what hides people on top of it.
#[derive(Clone, Debug)]
pub struct AmplificationForm {
    /// Of the mechanism on the sample, or of each report; with `inverse` the ε to reach.
    pub epsilon: Epsilon,
    /// Of the mechanism on the sample, or where the shuffled ε is asked for.
    pub delta: Option<Delta>,
    /// The probability with which each person is in the sample.
    pub sampling_rate: Option<SamplingRate>,
    /// How many reports are shuffled.
    pub shuffled_reports: Option<u64>,
    /// Whether the loss to reach is given, and the loss that the mechanism may have on the sample is asked for.
    pub inverse: bool,
}

/// A guarantee with what amplifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amplification {
    /// Of a mechanism on a secret sample.
    Sampled {
        /// Before.
        epsilon: Epsilon,
        /// Before.
        delta: Delta,
        /// The rate of the sample.
        rate: SamplingRate,
        /// `ln(1 + q·(e^ε − 1))`, rounded up.
        epsilon_after: Epsilon,
        /// `q·δ`, rounded up.
        delta_after: Delta,
    },
    /// What a mechanism may lose on a secret sample.
    BeforeSampling {
        /// To reach.
        epsilon: Epsilon,
        /// To reach.
        delta: Delta,
        /// The rate of the sample.
        rate: SamplingRate,
        /// `ln(1 + (e^ε − 1)/q)`, rounded down.
        epsilon_before: Epsilon,
        /// `δ/q`.
        delta_before: Rational,
    },
    /// Of reports that were shuffled.
    Shuffled {
        /// Of each report.
        epsilon: Epsilon,
        /// How many there are.
        reports: u64,
        /// Where ε is asked for.
        delta: Delta,
        /// Of all of them together, rounded up.
        epsilon_after: Epsilon,
    },
}

impl AmplificationForm {
    /// The amplified guarantee.
    pub fn amplify(&self) -> Result<Amplification, CalculatorError> {
        match (&self.sampling_rate, self.shuffled_reports) {
            (Some(rate), None) if self.inverse => self.before_sampling(rate),
            (Some(rate), None) => self.sampled(rate),
            (None, Some(_)) if self.inverse => Err(CalculatorError::InverseOfShuffling),
            (None, Some(reports)) => self.shuffled(reports),
            (Some(_), Some(_)) => Err(CalculatorError::SampledAndShuffled),
            (None, None) => Err(CalculatorError::NothingAmplifies),
        }
    }

    fn delta(&self) -> Delta {
        self.delta.clone().unwrap_or_else(Delta::zero)
    }

    fn sampled(&self, rate: &SamplingRate) -> Result<Amplification, CalculatorError> {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta());
        let (epsilon_after, delta_after) = subsampled_upper(&epsilon, &delta, rate)?;
        Ok(Amplification::Sampled { epsilon, delta, rate: rate.clone(), epsilon_after, delta_after })
    }

    fn before_sampling(&self, rate: &SamplingRate) -> Result<Amplification, CalculatorError> {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta());
        let epsilon_before = subsampled_epsilon_lower(&epsilon, rate)?;
        if delta.value() >= rate.value() {
            return Err(CalculatorError::SampleWithinDelta { delta, rate: rate.clone() });
        }
        let delta_before = delta.value() / rate.value();
        Ok(Amplification::BeforeSampling { epsilon, delta, rate: rate.clone(), epsilon_before, delta_before })
    }

    fn shuffled(&self, reports: u64) -> Result<Amplification, CalculatorError> {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta());
        if delta.is_zero() {
            return Err(CalculatorError::ShuffledAtZeroDelta);
        }
        let epsilon_after = shuffled_epsilon_upper(&epsilon, reports, &delta)?;
        Ok(Amplification::Shuffled { epsilon, reports, delta, epsilon_after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(
        epsilon: &str,
        delta: &str,
        rate: Option<&str>,
        shuffled_reports: Option<u64>,
    ) -> AmplificationForm {
        AmplificationForm {
            epsilon: Epsilon::parse(epsilon).unwrap(),
            delta: Some(Delta::parse(delta).unwrap()),
            sampling_rate: rate.map(|rate| SamplingRate::parse(rate).unwrap()),
            shuffled_reports,
            inverse: false,
        }
    }

    fn inverse(form: AmplificationForm) -> AmplificationForm {
        AmplificationForm { inverse: true, ..form }
    }

    /// Specification: what a mechanism may lose on the sample comes back to what was to be reached.
    #[test]
    fn sampling_amplifies_there_and_back() {
        let found = form("1", "1e-6", Some("0.01"), None).amplify().unwrap();
        let Amplification::Sampled { epsilon_after, delta_after, .. } = found else { panic!("{found:?}") };
        assert!((epsilon_after.to_f64_upper() / 0.017_036_863_236_176_55 - 1.0).abs() < 1e-14);
        assert_eq!(delta_after, Delta::parse("1e-8").unwrap());
        let found = inverse(form("0.1", "1e-6", Some("0.01"), None)).amplify().unwrap();
        let Amplification::BeforeSampling { epsilon_before, delta_before, .. } = found else {
            panic!("{found:?}")
        };
        assert_eq!(delta_before, Rational::parse("1e-4").unwrap());
        let back = AmplificationForm { epsilon: epsilon_before, ..form("1", "0", Some("0.01"), None) };
        let Amplification::Sampled { epsilon_after, .. } = back.amplify().unwrap() else { panic!("sampled") };
        // There and back, each rounded to its safe side: nearly, and by less than the last digit shown.
        assert!((epsilon_after.to_f64_upper() / 0.1 - 1.0).abs() < 1e-14, "{epsilon_after}");
    }

    /// The authors' own interval for 10⁵ reports of ε = 4 at δ = 10⁻⁶.
    #[test]
    fn shuffling_amplifies() {
        let found = form("4", "1e-6", None, Some(100_000)).amplify().unwrap();
        let Amplification::Shuffled { epsilon_after, .. } = found else { panic!("{found:?}") };
        assert!((0.1675..0.1728).contains(&epsilon_after.to_f64_upper()), "{epsilon_after}");
    }

    #[test]
    fn amplification_by_nothing_is_refused() {
        let refused = |form: AmplificationForm| form.amplify().unwrap_err();
        assert_eq!(refused(form("1", "0", None, None)), CalculatorError::NothingAmplifies);
        assert_eq!(refused(form("1", "0", Some("0.1"), Some(9))), CalculatorError::SampledAndShuffled);
        assert_eq!(refused(form("1", "0", None, Some(9))), CalculatorError::ShuffledAtZeroDelta);
        assert_eq!(refused(inverse(form("1", "1e-6", None, Some(9)))), CalculatorError::InverseOfShuffling);
        let published = refused(inverse(form("1", "0.5", Some("0.1"), None)));
        assert!(published.to_string().contains("publishing the sample"), "{published}");
        assert!(matches!(refused(form("1", "1e-6", None, Some(0))), CalculatorError::Parameter(_)));
    }
}
