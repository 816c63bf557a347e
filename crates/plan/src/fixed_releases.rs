//! The releases of a plan as a list that is fixed in advance, for the tight account of plans that are bought together.
//!
//! **Guarantee.** The list dominates the plan: whatever a person does to the groups, each measure moves in at most g of them,
//! by at most Δ each, and a pair of discrete Gaussians that is shifted less is no easier to tell apart (the likelihood ratio
//! is monotone, so the power of every best test grows with the shift). Choices of quantiles have bounded range in each of
//! g groups; keys that are earned are Gaussian noise on numbers of people, and fail with probability δ.

use pointillist_privacy::account::{FixedRelease, Shift};
use pointillist_privacy::{ParameterError, Spend};

use crate::{Draw, PrivatePlan, Release};

impl PrivatePlan {
    /// What is released for one payment, measure by measure, with the choice of keys.
    pub fn fixed_releases(&self) -> Result<Vec<FixedRelease>, ParameterError> {
        let mut all = Vec::new();
        for (measure, release) in self.aggregation.measures.iter().zip(&self.releases) {
            let (low, high) = measure.person_bounds(&self.aggregation.bound);
            all.push(fixed_release(release, high.max(-low), self.aggregation.groups_moved().max(1))?);
        }
        if let Some(selection) = &self.selection {
            let (rho, delta) = selection.loss().approximate_rho().expect("keys are earned for a ρ and a δ");
            let variance = selection.noise().variance_parameter().cloned();
            let variance = variance.expect("keys are earned with Gaussian noise");
            let shifts = vec![Shift {
                variance: variance.clone(),
                by: 1,
                count: self.aggregation.groups_moved().max(1),
            }];
            all.push(FixedRelease::Gaussian { rho, variance_least: variance, shifts: Some(shifts) });
            all.push(FixedRelease::Failure { delta });
        }
        Ok(all)
    }
}

/// One measure that moves by at most `each` in at most `groups` groups.
fn fixed_release(release: &Release, each: i128, groups: u64) -> Result<FixedRelease, ParameterError> {
    Ok(match (&release.draw, &release.spend) {
        (Draw::Choice(choice), _) => {
            FixedRelease::BoundedRange { eta: choice.range().clone(), count: groups }
        }
        (Draw::Noise(_), Spend::Pure(epsilon)) => FixedRelease::Pure { epsilon: epsilon.clone() },
        (Draw::Noise(noise), Spend::Concentrated(rho)) => {
            let variance = noise.variance_parameter().cloned();
            let variance = variance.expect("ρ buys Gaussian noise");
            let by = u32::try_from(each).ok().filter(|by| *by > 0);
            let shifts = by.map(|by| vec![Shift { variance: variance.clone(), by, count: groups }]);
            FixedRelease::Gaussian { rho: rho.clone(), variance_least: variance, shifts }
        }
    })
}
