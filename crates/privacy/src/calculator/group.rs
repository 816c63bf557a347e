//! What a guarantee for one person means for several together.

use super::CalculatorError;
use crate::{Delta, Epsilon, Loss, Rho};

/// The guarantee for one, and the size of the group.
#[derive(Clone, Debug)]
pub struct GroupForm {
    /// For one person.
    pub epsilon: Option<Epsilon>,
    /// For one person; none means zero.
    pub delta: Option<Delta>,
    /// For one person, in place of ε.
    pub rho: Option<Rho>,
    /// How many people the group has.
    pub size: u64,
}

/// The guarantee for one and for a group. Losses are rounded up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupLoss {
    /// Of (ε, δ)-differential privacy.
    Approximate {
        /// The ε of one person.
        epsilon: Epsilon,
        /// The δ of one person.
        delta: Delta,
        /// How many people the group has.
        size: u64,
        /// `k·ε`.
        group_epsilon: Epsilon,
        /// `δ·(1 + e^ε + … + e^((k−1)ε))`.
        group_delta: Delta,
    },
    /// Of zero-concentrated differential privacy.
    Concentrated {
        /// The ρ of one person.
        rho: Rho,
        /// How many people the group has.
        size: u64,
        /// `k²·ρ`.
        group_rho: Rho,
    },
}

impl GroupForm {
    /// The guarantee for the group.
    pub fn enlarge(&self) -> Result<GroupLoss, CalculatorError> {
        let size = self.size;
        match (&self.epsilon, &self.delta, &self.rho) {
            (Some(epsilon), delta, None) => {
                let (epsilon, delta) = (epsilon.clone(), delta.clone().unwrap_or_else(Delta::zero));
                let loss = Loss::approximate(epsilon.clone(), delta.clone()).group(size)?;
                let (group_epsilon, group_delta) =
                    loss.approximate_epsilon().expect("groups keep the kind of a guarantee");
                Ok(GroupLoss::Approximate { epsilon, delta, size, group_epsilon, group_delta })
            }
            (None, None, Some(rho)) => {
                let loss = Loss::zcdp(rho.clone()).group(size)?;
                let group_rho = loss.rho().expect("groups keep the kind of a guarantee");
                Ok(GroupLoss::Concentrated { rho: rho.clone(), size, group_rho })
            }
            (None, Some(_), Some(_)) => Err(CalculatorError::DeltaWithRho),
            (None, _, None) => Err(CalculatorError::NothingToEnlarge),
            (Some(_), _, Some(_)) => Err(CalculatorError::EpsilonAndRho),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(epsilon: Option<&str>, delta: Option<&str>, rho: Option<&str>, size: u64) -> GroupForm {
        GroupForm {
            epsilon: epsilon.map(|text| Epsilon::parse(text).unwrap()),
            delta: delta.map(|text| Delta::parse(text).unwrap()),
            rho: rho.map(|text| Rho::parse(text).unwrap()),
            size,
        }
    }

    #[test]
    fn groups_pay_more() {
        let found = form(Some("0.5"), Some("1e-6"), None, 3).enlarge().unwrap();
        let GroupLoss::Approximate { group_epsilon, group_delta, .. } = found else { panic!("{found:?}") };
        assert_eq!(group_epsilon, Epsilon::parse("1.5").unwrap());
        assert!((group_delta.to_f64_upper() / 5.367_003_099_159_173e-6 - 1.0).abs() < 1e-14);
        let found = form(None, None, Some("0.01"), 10).enlarge().unwrap();
        assert!(
            matches!(found, GroupLoss::Concentrated { group_rho, .. } if group_rho == Rho::parse("1").unwrap())
        );
    }

    #[test]
    fn groups_without_a_guarantee_are_refused() {
        let refused = |form: GroupForm| form.enlarge().unwrap_err();
        assert_eq!(refused(form(None, Some("1e-6"), None, 3)), CalculatorError::NothingToEnlarge);
        assert_eq!(refused(form(Some("1"), None, Some("1"), 3)), CalculatorError::EpsilonAndRho);
        assert_eq!(refused(form(None, Some("1e-6"), Some("1"), 3)), CalculatorError::DeltaWithRho);
        for size in [0, 100] {
            assert!(matches!(
                refused(form(Some("1"), Some("1e-6"), None, size)),
                CalculatorError::Parameter(_)
            ));
        }
    }
}
