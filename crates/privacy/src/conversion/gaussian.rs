//! Gaussian noise as zero-concentrated differential privacy.
//!
//! **Guarantee.** An answer whose Euclidean distance between neighbours is at most Δ, released with
//! independent Gaussian noise of standard deviation σ on every coordinate, is `Δ²/(2σ²)`-zCDP.
//! **Neighbours.** Those of the sensitivity.
//! **Source.** Bun, Steinke (2016), Proposition 1.6, arXiv:1605.02065. The discrete Gaussian has the same ρ
//! (Canonne, Kamath, Steinke 2020, Theorem 4, arXiv:2004.00010).
//! **Exactness.** Exact up to 256 bits behind the point, rounded up beyond, never below the smallest ρ.

use pointillist_numbers::Rational;

use crate::parameter::rounded_up;
use crate::{ParameterError, Rho, Scale, SensitivityL2};

/// `Δ²/(2σ²)`.
pub fn gaussian_rho_upper(sensitivity_l2: &SensitivityL2, sigma: &Scale) -> Result<Rho, ParameterError> {
    let ratio = sensitivity_l2.squared() / &(sigma.value().squared() * Rational::from(2));
    Rho::new(rounded_up(ratio).max(Rho::least().value().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    /// The frozen reference values `zcdp-gauss-*`.
    #[test]
    fn gaussian_noise_matches_the_reference() {
        let cases = [("1", "1", "0.5"), ("10", "1", "0.005"), ("0.5", "2", "8"), ("1e6", "1", "5e-13")];
        for (sigma, sensitivity, rho) in cases {
            let sensitivity = SensitivityL2::parse(sensitivity).unwrap();
            let result = gaussian_rho_upper(&sensitivity, &Scale::parse(sigma).unwrap()).unwrap();
            assert_eq!(result, Rho::parse(rho).unwrap());
        }
    }

    #[test]
    fn noise_without_effect_or_without_end_is_counted_or_refused() {
        let unit = SensitivityL2::parse("1").unwrap();
        assert_eq!(gaussian_rho_upper(&unit, &Scale::parse("1e30").unwrap()).unwrap(), Rho::least());
        let refusal = gaussian_rho_upper(&unit, &Scale::parse("1e-6").unwrap()).unwrap_err();
        assert!(refusal.explanation().text().contains("hint:"), "{refusal}");
    }

    /// The frozen reference values `zcdp-comp-*`.
    #[test]
    fn rhos_add_up_exactly() {
        let rho = |text| Rho::parse(text).unwrap();
        assert_eq!(rho("0.01").times(10).unwrap(), rho("0.1"));
        assert_eq!(rho("0.5").plus(&rho("0.125")).unwrap().plus(&rho("0.02")).unwrap(), rho("0.645"));
        assert_eq!(rho("1e-12").times(1000).unwrap(), rho("1e-9"));
    }
}
