//! The δ that a list of releases reaches at an ε.
//!
//! **Guarantee.** The list is (ε, δ)-private for the upper bound of [`Statement::delta`], and for no δ below the lower one,
//! under add/remove neighbours, when the list was fixed before the first release.
//! **Proof.** Privacy-loss distributions bound δ from both sides, with parameters rounded towards less privacy above and
//! towards more below; δ falls as ε grows, so ε is rounded down above and up below. Where a release has no worst pair, ρ,
//! Rényi curves or sums bound δ from above, and nothing does from below. Every list is (ε, 1)-private.

use pointillist_numbers::Rational;

use super::by_accountant::{batches, is_attained, renyi_curve, rho_and_failures};
use super::{Release, Statement};
use crate::composition::basic_upper;
use crate::conversion::{Order, zcdp_delta_upper};
use crate::pld::{Accountant, Certified, Mechanism};
use crate::{Epsilon, ParameterError};

impl Statement {
    /// The smallest δ for which the list is (ε, δ)-private, between two bounds; the lower one is zero where nothing is known
    /// from below.
    ///
    /// # Errors
    /// When the list is empty.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Certified, ParameterError> {
        if self.releases().is_empty() {
            return Err(ParameterError::NothingToCompose);
        }
        let found = self.delta_by_loss_distribution(epsilon);
        let others = [
            self.delta_by_sum(epsilon),
            self.delta_by_rho(epsilon),
            self.delta_by_renyi(epsilon),
            found.map(|found| found.upper),
        ];
        let upper = others.into_iter().flatten().fold(1.0, f64::min);
        Ok(Certified { lower: found.map_or(0.0, |found| found.lower.min(upper)), upper })
    }

    fn delta_by_loss_distribution(&self, epsilon: &Epsilon) -> Option<Certified> {
        let above = self.pairs(Release::worst_pair)?;
        let found = accountant(&above).delta(epsilon.to_f64_lower()).ok()?;
        let below = self.pairs(Release::worst_pair_lower).filter(|_| is_attained(self));
        let is_exact = epsilon.to_f64_lower() == epsilon.to_f64_upper();
        let lower = match below {
            None => 0.0,
            Some(below) if is_exact && below == above => found.lower,
            Some(below) => accountant(&below).delta(epsilon.to_f64_upper()).map_or(0.0, |found| found.lower),
        };
        Some(Certified { lower, upper: found.upper })
    }

    fn pairs(&self, pair: fn(&Release) -> Option<Mechanism>) -> Option<Vec<(Mechanism, u64)>> {
        self.releases().iter().map(|(release, count)| Some((pair(release)?, *count))).collect()
    }

    /// Where ε holds the sum of all, only their own failures are left.
    fn delta_by_sum(&self, epsilon: &Epsilon) -> Option<f64> {
        let (sum, own) = basic_upper(&batches(self).ok()?).ok()?;
        (sum <= *epsilon).then(|| own.to_f64_upper())
    }

    fn delta_by_rho(&self, epsilon: &Epsilon) -> Option<f64> {
        let (rho, failures) = rho_and_failures(self).ok()?;
        Some(with_failures(zcdp_delta_upper(&rho, epsilon).ok()?.value(), &failures))
    }

    fn delta_by_renyi(&self, epsilon: &Epsilon) -> Option<f64> {
        let (curve, failures) = renyi_curve(self, &Order::usual()).ok()?;
        Some(with_failures(curve.delta_upper(epsilon).ok()?.value(), &failures))
    }
}

fn accountant(pairs: &[(Mechanism, u64)]) -> Accountant {
    let mut accountant = Accountant::new();
    pairs.iter().for_each(|(pair, count)| accountant.add(pair.clone(), *count));
    accountant
}

fn with_failures(delta: &Rational, failures: &Rational) -> f64 {
    (delta + failures).to_f64_upper()
}
