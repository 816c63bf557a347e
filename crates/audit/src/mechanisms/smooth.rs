//! Noise scaled to smooth sensitivity, of every kind.
//!
//! The data are an answer and its local sensitivities within distance 0, 1, …, the last of which holds from
//! there on. Two worlds are neighbours when the answers differ by at most the first number of both, and each
//! number of one is at most the next number of the other: that is all that the proofs use.

use pointillist_mechanisms::{
    LaplaceLogNormalSetting, LaplaceSetting, PowerTailedLaplaceSetting, SmoothMechanism, SmoothNoise,
    StudentTSetting, TwoSidedParetoSetting,
    local_sensitivity::smooth_noise::{
        LAPLACE_CARD, LAPLACE_LOG_NORMAL_CARD, POWER_TAILED_LAPLACE_CARD, STUDENT_T_CARD,
        TWO_SIDED_PARETO_CARD,
    },
};
use pointillist_numbers::{Enclosure, Rational};

use super::{Subjects, Terms};
use crate::{AuditError, Observation, Trial};

/// An answer, and how sensitive it is within each distance.
type World = (i64, Vec<i64>);

/// The largest local sensitivity: noise is then so wide that rounding it to integers hides little.
const CAP: i64 = 40;

pub(super) fn subjects(terms: &Terms) -> Subjects {
    let epsilon = &terms.epsilon;
    // A fifth of ε for the dilation: enough that it shows when it is not paid for.
    let fifth = epsilon.value() / &Rational::from(5);
    Ok(vec![
        Box::new(
            smooth(POWER_TAILED_LAPLACE_CARD.name, PowerTailedLaplaceSetting::new(5, epsilon)?)?.slow(6_000),
        ),
        Box::new(smooth(STUDENT_T_CARD.name, StudentTSetting::new(3, epsilon, &fifth)?)?.slow(1_000)),
        Box::new(
            smooth(TWO_SIDED_PARETO_CARD.name, TwoSidedParetoSetting::new(epsilon, &fifth)?)?.slow(1_000),
        ),
        Box::new(
            smooth(LAPLACE_LOG_NORMAL_CARD.name, LaplaceLogNormalSetting::recommended(&terms.rho)?)?
                .slow(14_000),
        ),
        Box::new(
            smooth(LAPLACE_CARD.name, LaplaceSetting::recommended(epsilon, &terms.delta)?)?.slow(25_000),
        ),
    ])
}

fn smooth<N>(name: &str, noise: N) -> Result<Trial<World>, AuditError>
where
    N: SmoothNoise + Send + 'static,
{
    let mechanism = SmoothMechanism::new(noise, &Rational::one(), &Rational::from(CAP))?;
    // The smooth sensitivity next to the cap is e^−β of it; an answer may move by that much and no more.
    let next = Enclosure::exp_of_minus(mechanism.smoothing().beta(), 64).lower() * Rational::from(CAP);
    let next = i64::try_from(next.floor()).expect("it is at most the cap");
    let claim = mechanism.loss();
    Ok(Trial::new(name, claim, move |(answer, local): &World, bits| {
        let at = |distance: u64| {
            let distance = usize::try_from(distance).unwrap_or(usize::MAX).min(local.len() - 1);
            Rational::from(local[distance])
        };
        Observation::of(mechanism.release(*answer, at, bits))
    })
    .pair("scale and answer both move", (0, vec![CAP]), (next, vec![next, CAP]))
    .pair("the answer moves by the cap", (0, vec![CAP]), (CAP, vec![CAP]))
    .pair("the scale alone moves", (0, vec![0, 0, CAP]), (0, vec![0, CAP])))
}
