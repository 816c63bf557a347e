//! What a loss means at a δ of somebody's choice.
//!
//! **Guarantee.** The release is (ε, δ)-differentially private for the returned ε: the smallest that follows
//! from any one of the guarantees proven for it.
//! **Exactness.** That of the conversions used; rounded up.

use super::claim::delta_from_upper;
use super::zero_concentrated::zcdp_epsilon_upper;
use crate::guarantee::short;
use crate::{Delta, Epsilon, Guarantee, Loss, ParameterError};

impl Loss {
    /// The smallest ε that holds at this δ.
    ///
    /// # Errors When no guarantee says anything at this δ: it is zero or too small, and something smaller
    /// is asked than the release can promise.
    pub fn epsilon_upper(&self, delta: &Delta) -> Result<Epsilon, ParameterError> {
        let mut refusal = None;
        let mut best: Option<Epsilon> = None;
        for guarantee in self.guarantees() {
            match at_delta(guarantee, delta) {
                Ok(epsilon) => best = Some(best.map_or(epsilon.clone(), |found| found.min(epsilon))),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        best.ok_or(refusal.unwrap_or(ParameterError::NothingToCompose))
    }
}

/// The ε of one guarantee at this δ.
fn at_delta(guarantee: &Guarantee, delta: &Delta) -> Result<Epsilon, ParameterError> {
    let used_up =
        |own: &Delta| ParameterError::DeltaUsedUp { asked: short(delta.value()), spent: short(own.value()) };
    match guarantee {
        Guarantee::Pure { epsilon } | Guarantee::BoundedRange { eta: epsilon } => {
            // A pure loss is concentrated as well, and at a large δ that says more.
            let concentrated = guarantee.rho().and_then(|rho| zcdp_epsilon_upper(&rho, delta).ok());
            Ok(concentrated.map_or(epsilon.clone(), |found| found.epsilon.min(epsilon.clone())))
        }
        Guarantee::Approximate { epsilon, delta: own } if own <= delta => Ok(epsilon.clone()),
        Guarantee::Approximate { delta: own, .. } => Err(used_up(own)),
        Guarantee::ZeroConcentrated { rho } => Ok(zcdp_epsilon_upper(rho, delta)?.epsilon),
        Guarantee::ApproximateZeroConcentrated { rho, delta: own } => {
            if own >= delta {
                return Err(used_up(own));
            }
            let rest = delta_lower(delta, own)?;
            Ok(zcdp_epsilon_upper(rho, &rest)?.epsilon)
        }
    }
}

/// What is left of δ for the conversion; never more than the difference.
fn delta_lower(delta: &Delta, own: &Delta) -> Result<Delta, ParameterError> {
    let rest = delta.value() - own.value();
    match Delta::new(rest.clone()) {
        Ok(rest) => Ok(rest),
        // Positive and below the smallest δ that counts: too little to convert with.
        Err(_) => Err(ParameterError::DeltaUsedUp {
            asked: short(delta.value()),
            spent: short(delta_from_upper(own.value().clone())?.value()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rho;
    use pointillist_errors::Explained as _;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    #[test]
    fn the_best_of_everything_proven_counts() {
        let tight = zcdp_epsilon_upper(&rho("0.1"), &delta("1e-6")).unwrap().epsilon;
        let loss = Loss::zcdp(rho("0.1"));
        assert_eq!(loss.epsilon_upper(&delta("1e-6")).unwrap(), tight);
        let loss = loss.and(Guarantee::Pure { epsilon: epsilon("1") });
        assert_eq!(loss.epsilon_upper(&delta("1e-6")).unwrap(), epsilon("1"));
        assert_eq!(loss.epsilon_upper(&Delta::zero()).unwrap(), epsilon("1"));
        assert!(loss.epsilon_upper(&delta("0.2")).unwrap() < epsilon("1"), "at a large δ ρ says more");
    }

    #[test]
    fn a_delta_of_its_own_is_taken_off_first() {
        let loss = Loss::approximate_zcdp(rho("0.1"), delta("1e-7"));
        let found = loss.epsilon_upper(&delta("1e-6")).unwrap();
        assert_eq!(found, zcdp_epsilon_upper(&rho("0.1"), &delta("9e-7")).unwrap().epsilon);
        let pair = Loss::approximate(epsilon("1"), delta("1e-6"));
        assert_eq!(pair.epsilon_upper(&delta("1e-6")).unwrap(), epsilon("1"));
        for (loss, asked) in [(&loss, "1e-7"), (&pair, "1e-9"), (&pair, "0"), (&loss, "0")] {
            let message = loss.epsilon_upper(&delta(asked)).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: ask for a δ above"), "{message}");
        }
        let message = Loss::zcdp(rho("1")).epsilon_upper(&Delta::zero()).unwrap_err().explanation().text();
        assert!(message.contains("\nhint: "), "{message}");
    }
}
