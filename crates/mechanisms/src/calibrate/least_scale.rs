//! The search for the least scale of noise: by sums of ε, by sums of ρ, and by privacy-loss distributions.
//!
//! **Guarantee.** Every scale returned was seen to keep the target by exact or certified arithmetic, or is at least as
//! large as one of which that is proven. Floats decide nothing: they are rounded towards less privacy before the
//! accountant sees them, and its upper bound is compared.
//! **Neighbours.** Those of the sensitivity.

use pointillist_numbers::Rational;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::pld::{Accountant, Mechanism as Pair};
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL2};

use super::Target;
use crate::CalibrationError;
use crate::number::gaussian_calibration::sigma_for_rho;

/// Digits of noise that was searched for rather than computed.
const DIGITS_SEARCHED: usize = 6;
/// The most uses whose losses are convolved; a search for more would take longer than anyone waits.
const COUNT_CONVOLVED_MAX: u64 = 10_000_000;

/// So many uses within a target.
pub(super) struct Uses<'a> {
    pub(super) target: &'a Target,
    pub(super) count: u64,
}

impl Uses<'_> {
    /// Whether the losses of all uses are convolved in a time that people wait for.
    pub(super) fn can_be_convolved(&self) -> bool {
        self.count <= COUNT_CONVOLVED_MAX
    }

    /// The least scale of noise that is `Δ/scale`-private, and how it was found. `rho_upper` is the ρ of one use at a
    /// scale; `pair` its worst pair, where that can be listed.
    pub(super) fn least_scale(
        &self,
        sensitivity: &Rational,
        rho_upper: impl Fn(&Rational) -> Option<Rational>,
        pair: Option<impl Fn(&Rational) -> Pair>,
    ) -> Result<(Rational, &'static str), CalibrationError> {
        let by_rho = |rho: &Rho| self.least_within_rho(sensitivity, rho, &rho_upper);
        // An ε too small to count is refused here, with a hint.
        let pure = |epsilon: &Epsilon| -> Result<Rational, CalibrationError> {
            Ok(sensitivity / epsilon.divided_by(self.count)?.value())
        };
        match self.target {
            Target::Pure(epsilon) => Ok((pure(epsilon)?, "k·Δ/ε")),
            Target::Concentrated(rho) => Ok((by_rho(rho)?, "k times the ρ of one use fits")),
            Target::Approximate(epsilon, delta) => {
                let mut least = (pure(epsilon)?, "k·Δ/ε");
                // Where ρ is too small to count, the sum of ε remains.
                let rho = zcdp_rho_lower(epsilon, delta).map_err(CalibrationError::from);
                if let Ok(scale) = rho.and_then(|rho| by_rho(&rho)) {
                    least = least.min((scale, "by way of ρ"));
                }
                if let Some(pair) = pair {
                    let scale = self.least_within(&least.0, epsilon, delta, pair);
                    least = least.min((scale, "one number a use, by its privacy-loss distribution"));
                }
                Ok(least)
            }
        }
    }

    /// The least scale, rounded up, for which all uses are (ε, δ)-private by the certified upper bound of their
    /// privacy-loss distribution, or `enough` rounded up, of which that is known.
    pub(super) fn least_within(
        &self,
        enough: &Rational,
        epsilon: &Epsilon,
        delta: &Delta,
        pair: impl Fn(&Rational) -> Pair,
    ) -> Rational {
        let (epsilon, delta) = (epsilon.to_f64_lower(), delta.to_f64_lower());
        least_fitting(enough, |scale| {
            if !self.can_be_convolved() {
                return false;
            }
            let mut accountant = Accountant::new();
            accountant.add(pair(scale), self.count);
            accountant.epsilon(delta).is_ok_and(|found| found.upper <= epsilon)
        })
    }

    /// The least scale, rounded up, for which `count` times the ρ of one use is within the target.
    fn least_within_rho(
        &self,
        sensitivity: &Rational,
        rho: &Rho,
        rho_upper: impl Fn(&Rational) -> Option<Rational>,
    ) -> Result<Rational, CalibrationError> {
        let all = SensitivityL2::from_squared(sensitivity.squared() * Rational::from(self.count))?;
        // Δ/b = ε with ε²/2 = ρ/k: more than enough, because ε costs less than ε²/2.
        let enough = sigma_for_rho(rho, &all);
        let share = rho.divided_by(self.count)?;
        Ok(least_fitting(&enough, |scale| rho_upper(scale).is_some_and(|found| found <= *share.value())))
    }
}

/// The least decimal of six digits that was seen to fit, from one at or above which everything does. Fitting is
/// monotone but for the width of certified bounds, so the search may miss the least by that much, not more.
fn least_fitting(enough: &Rational, fits: impl Fn(&Rational) -> bool) -> Rational {
    let rounded = |value: &Rational| value.round_up_to_digits(DIGITS_SEARCHED);
    let half = Rational::ratio(1, 2);
    let mut high = rounded(enough);
    let mut low = rounded(&(&high * &half));
    while fits(&low) {
        high = low;
        low = rounded(&(&high * &half));
    }
    loop {
        let middle = rounded(&((&low + &high) * half.clone()));
        if middle <= low || middle >= high {
            return high;
        }
        if fits(&middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: what comes back fits, and one step of the sixth digit less would not.
    #[test]
    fn the_least_number_that_fits_is_found() {
        for (least, enough) in [("0.333333", "1"), ("1", "1"), ("73.2051", "1e6"), ("0.000012", "12")] {
            let least = Rational::parse(least).unwrap();
            let found = least_fitting(&Rational::parse(enough).unwrap(), |scale| *scale >= least);
            assert_eq!(found, least);
        }
        // Where nothing below is known to fit, what is enough comes back, rounded up.
        let third = least_fitting(&Rational::ratio(1, 3), |_| false);
        assert_eq!(third, Rational::parse("0.333334").unwrap());
    }
}
