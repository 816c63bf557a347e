//! One guarantee in the words of another.

use pointillist_numbers::Rational;

use super::CalculatorError;
use crate::conversion::{
    GaussianDp, Order, pure_rho_upper, zcdp_delta_classical_upper, zcdp_delta_upper,
    zcdp_epsilon_classical_upper, zcdp_epsilon_upper, zcdp_rho_lower,
};
use crate::{Delta, Epsilon, Loss, Rho};

/// What is known, and what is asked for.
#[derive(Clone, Debug, Default)]
pub struct ConversionForm {
    /// Alone a pure guarantee; with ρ or μ the ε at which δ is asked for.
    pub epsilon: Option<Epsilon>,
    /// The probability with which the guarantee may fail.
    pub delta: Option<Delta>,
    /// Of zero-concentrated differential privacy.
    pub rho: Option<Rho>,
    /// Of Gaussian differential privacy: sensitivity over standard deviation.
    pub mu: Option<Rational>,
    /// Of bounded range.
    pub eta: Option<Epsilon>,
}

/// A guarantee in other words. Losses are rounded up, and what may be spent is rounded down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Pure ε as ρ.
    Pure {
        /// What is known.
        epsilon: Epsilon,
        /// `ε·tanh(ε/2)`, the smallest for every mechanism.
        rho: Rho,
        /// `ε²/2`, the customary one; none beyond the largest ρ there is.
        rho_customary: Option<Rho>,
    },
    /// The ρ that fits into a budget of (ε, δ).
    Budget {
        /// Of the budget.
        epsilon: Epsilon,
        /// Of the budget.
        delta: Delta,
        /// The largest that may be spent, rounded down.
        rho: Rho,
        /// The other direction, which is mistaken for this one: what one release known to be (ε, δ) costs in
        /// approximate zCDP, rounded up.
        release: Option<(Rho, Delta)>,
    },
    /// ρ as ε at a δ.
    RhoAtDelta {
        /// What is known.
        rho: Rho,
        /// Where ε is asked for.
        delta: Delta,
        /// Tight.
        epsilon: Epsilon,
        /// The order of the Rényi divergence that gave it.
        order: Order,
        /// `ρ + 2√(ρ·ln(1/δ))`.
        epsilon_classical: Epsilon,
    },
    /// ρ as δ at an ε.
    RhoAtEpsilon {
        /// What is known.
        rho: Rho,
        /// Where δ is asked for.
        epsilon: Epsilon,
        /// Tight.
        delta: Delta,
        /// `exp(−(ε − ρ)²/(4ρ))`, which says nothing for ε up to ρ.
        delta_classical: Option<Delta>,
    },
    /// Gaussian noise.
    Gaussian {
        /// What is known.
        mu: Rational,
        /// `μ²/2`.
        rho: Rho,
        /// Its ε, where a δ is given.
        at_delta: Option<EpsilonAtDelta>,
        /// Its δ, where an ε is given.
        at_epsilon: Option<DeltaAtEpsilon>,
    },
    /// Bounded range, as the exponential mechanism has it.
    BoundedRange {
        /// What is known.
        eta: Epsilon,
        /// `η²/8`.
        rho: Rho,
        /// Where a δ is given, that δ and the smaller ε of pure and by way of ρ.
        at_delta: Option<(Delta, Epsilon)>,
    },
}

/// The ε of Gaussian noise at a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonAtDelta {
    /// Where.
    pub delta: Delta,
    /// By the exact curve.
    pub epsilon: Epsilon,
    /// By way of ρ, for comparison.
    pub epsilon_by_rho: Epsilon,
}

/// The δ of Gaussian noise at an ε.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaAtEpsilon {
    /// Where.
    pub epsilon: Epsilon,
    /// By the exact curve.
    pub delta: Delta,
    /// By way of ρ, for comparison; none where that promises nothing.
    pub delta_by_rho: Option<Delta>,
}

impl ConversionForm {
    /// The guarantee in the other words.
    pub fn convert(&self) -> Result<Conversion, CalculatorError> {
        let Self { epsilon, delta, rho, mu, eta } = self;
        match (rho, mu, eta, epsilon, delta) {
            (None, None, None, Some(epsilon), None) => pure(epsilon),
            (None, None, None, Some(epsilon), Some(delta)) => budget(epsilon, delta),
            (Some(rho), None, None, None, Some(delta)) => rho_at_delta(rho, delta),
            (Some(rho), None, None, Some(epsilon), None) => rho_at_epsilon(rho, epsilon),
            (None, Some(mu), None, epsilon, delta) if epsilon.is_none() || delta.is_none() => {
                gaussian(mu, epsilon.as_ref(), delta.as_ref())
            }
            (None, None, Some(eta), None, delta) => bounded_range(eta, delta.as_ref()),
            (Some(_), None, None, None, None) => Err(CalculatorError::RhoAlone),
            (None, None, None, None, Some(_)) => Err(CalculatorError::DeltaAlone),
            (None, None, None, None, None) => Err(CalculatorError::NothingToConvert),
            (Some(_), None, None, Some(_), Some(_)) | (None, Some(_), None, Some(_), Some(_)) => {
                Err(CalculatorError::NothingToCompute)
            }
            (None, None, Some(_), Some(_), _) => Err(CalculatorError::RangeWithEpsilon),
            _ => Err(CalculatorError::SeveralGuarantees),
        }
    }
}

fn pure(epsilon: &Epsilon) -> Result<Conversion, CalculatorError> {
    // Beyond ε = 1414 the customary ρ passes the largest one there is.
    let rho_customary = Rho::from_pure(epsilon).ok();
    Ok(Conversion::Pure { epsilon: epsilon.clone(), rho: pure_rho_upper(epsilon)?, rho_customary })
}

fn budget(epsilon: &Epsilon, delta: &Delta) -> Result<Conversion, CalculatorError> {
    if delta.is_zero() {
        return Err(CalculatorError::RhoOfPureBudget);
    }
    let rho = zcdp_rho_lower(epsilon, delta)?;
    let release = Loss::approximate(epsilon.clone(), delta.clone()).approximate_rho();
    Ok(Conversion::Budget { epsilon: epsilon.clone(), delta: delta.clone(), rho, release })
}

fn rho_at_delta(rho: &Rho, delta: &Delta) -> Result<Conversion, CalculatorError> {
    let tight = zcdp_epsilon_upper(rho, delta)?;
    Ok(Conversion::RhoAtDelta {
        rho: rho.clone(),
        delta: delta.clone(),
        epsilon: tight.epsilon,
        order: tight.order,
        epsilon_classical: zcdp_epsilon_classical_upper(rho, delta)?,
    })
}

fn rho_at_epsilon(rho: &Rho, epsilon: &Epsilon) -> Result<Conversion, CalculatorError> {
    Ok(Conversion::RhoAtEpsilon {
        rho: rho.clone(),
        epsilon: epsilon.clone(),
        delta: zcdp_delta_upper(rho, epsilon)?,
        delta_classical: zcdp_delta_classical_upper(rho, epsilon).ok(),
    })
}

fn gaussian(
    mu: &Rational,
    epsilon: Option<&Epsilon>,
    delta: Option<&Delta>,
) -> Result<Conversion, CalculatorError> {
    let loss = GaussianDp::from_mu(mu)?;
    let rho = loss.rho();
    let at_delta = |delta: &Delta| -> Result<EpsilonAtDelta, CalculatorError> {
        let epsilon_by_rho = zcdp_epsilon_upper(&rho, delta)?.epsilon;
        Ok(EpsilonAtDelta { delta: delta.clone(), epsilon: loss.epsilon_upper(delta)?, epsilon_by_rho })
    };
    let at_epsilon = |epsilon: &Epsilon| -> Result<DeltaAtEpsilon, CalculatorError> {
        let delta_by_rho = zcdp_delta_upper(&rho, epsilon).ok();
        Ok(DeltaAtEpsilon { epsilon: epsilon.clone(), delta: loss.delta_upper(epsilon)?, delta_by_rho })
    };
    let (at_delta, at_epsilon) = (delta.map(at_delta).transpose()?, epsilon.map(at_epsilon).transpose()?);
    Ok(Conversion::Gaussian { mu: mu.clone(), rho, at_delta, at_epsilon })
}

fn bounded_range(eta: &Epsilon, delta: Option<&Delta>) -> Result<Conversion, CalculatorError> {
    let at_delta = |delta: &Delta| -> Result<(Delta, Epsilon), CalculatorError> {
        Ok((delta.clone(), Loss::bounded_range(eta.clone()).epsilon_upper(delta)?))
    };
    let rho = Rho::from_bounded_range(eta)?;
    Ok(Conversion::BoundedRange { eta: eta.clone(), rho, at_delta: delta.map(at_delta).transpose()? })
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use super::*;

    fn form(parts: &[(&str, &str)]) -> ConversionForm {
        let mut form = ConversionForm::default();
        for (name, text) in parts {
            match *name {
                "epsilon" => form.epsilon = Some(Epsilon::parse(text).unwrap()),
                "delta" => form.delta = Some(Delta::parse(text).unwrap()),
                "rho" => form.rho = Some(Rho::parse(text).unwrap()),
                "mu" => form.mu = Some(Rational::parse(text).unwrap()),
                "eta" => form.eta = Some(Epsilon::parse(text).unwrap()),
                other => panic!("{other}"),
            }
        }
        form
    }

    fn near(found: &Rational, want: f64) {
        assert!((found.to_f64_upper() / want - 1.0).abs() < 1e-12, "{found} is not {want}");
    }

    #[test]
    fn rho_becomes_epsilon_and_delta() {
        let found = form(&[("rho", "0.1"), ("delta", "1e-6")]).convert().unwrap();
        let Conversion::RhoAtDelta { epsilon, epsilon_classical, .. } = found else { panic!("{found:?}") };
        near(epsilon.value(), 2.141_938_928_385_473_6);
        near(epsilon_classical.value(), 2.450_788_000_476_799_6);
        let back = ConversionForm { epsilon: Some(epsilon), ..form(&[("rho", "0.1")]) }.convert().unwrap();
        let Conversion::RhoAtEpsilon { delta, delta_classical, .. } = back else { panic!("{back:?}") };
        near(delta.value(), 1e-6);
        assert!(delta_classical.unwrap() > delta);
        let below = form(&[("rho", "3"), ("epsilon", "2")]).convert().unwrap();
        assert!(matches!(below, Conversion::RhoAtEpsilon { delta_classical: None, .. }), "ε below ρ");
    }

    /// Specification: the ρ of a budget is rounded down, and its conversion fits.
    #[test]
    fn a_budget_becomes_the_rho_that_fits() {
        for (epsilon, delta) in [("1", "1e-6"), ("0.1", "1e-15"), ("50", "1e-5")] {
            let found = form(&[("epsilon", epsilon), ("delta", delta)]).convert().unwrap();
            let Conversion::Budget { epsilon, delta, rho, release } = found else { panic!("{found:?}") };
            let back = zcdp_epsilon_upper(&rho, &delta).unwrap().epsilon;
            assert!(back <= epsilon, "{back}");
            let more = Rho::new(rho.value() * &Rational::ratio(1_000_001, 1_000_000)).unwrap();
            assert!(zcdp_epsilon_upper(&more, &delta).unwrap().epsilon > epsilon);
            assert!(
                release.is_none_or(|(cost, _)| cost > rho),
                "a release costs more than what may be spent"
            );
        }
    }

    #[test]
    fn pure_gaussian_and_bounded_range_guarantees_convert() {
        let Conversion::Pure { rho, rho_customary, .. } = form(&[("epsilon", "1")]).convert().unwrap() else {
            panic!("pure")
        };
        near(rho.value(), 0.462_117_157_260_009_76);
        assert_eq!(rho_customary, Some(Rho::parse("0.5").unwrap()));
        let large = form(&[("epsilon", "1e6")]).convert().unwrap();
        assert!(matches!(large, Conversion::Pure { rho_customary: None, .. }), "5e11 is out of range");
        let found = form(&[("mu", "0.5"), ("delta", "1e-6")]).convert().unwrap();
        let Conversion::Gaussian { rho, at_delta: Some(at), at_epsilon: None, .. } = found else {
            panic!("{found:?}")
        };
        assert_eq!(rho, Rho::parse("0.125").unwrap());
        assert!(at.epsilon < at.epsilon_by_rho);
        let found = form(&[("mu", "0.5"), ("epsilon", "1")]).convert().unwrap();
        let Conversion::Gaussian { at_epsilon: Some(at), .. } = found else { panic!("{found:?}") };
        assert!(at.delta < at.delta_by_rho.unwrap());
        let found = form(&[("eta", "0.1"), ("delta", "0.5")]).convert().unwrap();
        let Conversion::BoundedRange { eta, at_delta: Some((_, epsilon)), .. } = found else {
            panic!("{found:?}")
        };
        assert!(epsilon < eta, "at a large δ the way by ρ is shorter");
    }

    #[test]
    fn forms_without_a_question_are_refused() {
        let [e, d, r] = [("epsilon", "1"), ("delta", "1e-6"), ("rho", "1")];
        let [m, h] = [("mu", "1"), ("eta", "1")];
        for (parts, refused) in [
            (&[][..], CalculatorError::NothingToConvert),
            (&[r], CalculatorError::RhoAlone),
            (&[d], CalculatorError::DeltaAlone),
            (&[r, e, d], CalculatorError::NothingToCompute),
            (&[m, e, d], CalculatorError::NothingToCompute),
            (&[r, m, d], CalculatorError::SeveralGuarantees),
            (&[h, r], CalculatorError::SeveralGuarantees),
            (&[h, e], CalculatorError::RangeWithEpsilon),
            (&[e, ("delta", "0")], CalculatorError::RhoOfPureBudget),
        ] {
            let error = form(parts).convert().unwrap_err();
            assert_eq!(error, refused);
            assert!(error.hint().is_some_and(|hint| !hint.contains("--")), "{error}");
        }
    }
}
