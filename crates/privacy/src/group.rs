//! Group privacy: what a guarantee for one unit says about `k` units together.
//!
//! Data sets that differ in `k` units are joined by a path of `k` steps between neighbours. Along it
//!
//! * pure ε becomes `kε`, as ratios multiply;
//! * (ε, δ) becomes `(kε, δ·(1 + e^ε + … + e^{(k−1)ε}))`: each step turns `P(E) ≤ A·Q(E) + B` into
//!   `P(E) ≤ A·e^ε·Q'(E) + A·δ + B`. The sum, `(e^{kε} − 1)/(e^ε − 1)`, is at most the textbook's
//!   `k·e^{(k−1)ε}`;
//! * ρ becomes `k²ρ` (Bun and Steinke 2016, arXiv:1605.02065, Proposition 1.9);
//! * η-bounded range becomes kη-bounded range: the log-ratio along the path is the sum of `k` log-ratios, and
//!   the range of a sum is at most the sum of the ranges;
//! * approximate zCDP becomes nothing: it speaks of output distributions conditioned on events, and the
//!   events that two consecutive steps choose for the data set between them need not be the same. Convert to
//!   (ε, δ) first.

use pointillist_numbers::{Enclosure, Rational};

use crate::guarantee::short;
use crate::parameter::rounded_up;
use crate::{Delta, Epsilon, Guarantee, ParameterError};

/// `e^139 > 1e60`: beyond this exponent every countable δ has grown past one, and no exponential needs
/// computing.
const EXPONENT_MAX: u64 = 139;
/// Bits behind the point for the geometric sum. ε is at least 2^-64, so `e^ε − 1` keeps 256 significant bits.
const PRECISION: usize = 320;

impl Guarantee {
    /// This guarantee for `size` units together.
    pub(crate) fn group(&self, size: u64) -> Result<Self, ParameterError> {
        match (size, self) {
            (0, _) => Err(ParameterError::EmptyGroup),
            (1, _) => Ok(self.clone()),
            (_, Self::Pure { epsilon }) => Ok(Self::Pure { epsilon: epsilon.times(size)? }),
            (_, Self::Approximate { epsilon, delta }) => {
                let delta = group_delta_upper(epsilon, delta, size)?;
                Ok(Self::Approximate { epsilon: epsilon.times(size)?, delta })
            }
            (_, Self::ZeroConcentrated { rho }) => {
                Ok(Self::ZeroConcentrated { rho: rho.times(size)?.times(size)? })
            }
            (_, Self::BoundedRange { eta }) => Ok(Self::BoundedRange { eta: eta.times(size)? }),
            (_, Self::ApproximateZeroConcentrated { .. }) => Err(ParameterError::GroupOfApproximateZcdp),
        }
    }
}

/// `δ·(e^{kε} − 1)/(e^ε − 1)`, rounded up, for k ≥ 2.
fn group_delta_upper(epsilon: &Epsilon, delta: &Delta, size: u64) -> Result<Delta, ParameterError> {
    if delta.is_zero() {
        return Ok(Delta::zero());
    }
    let too_large = || ParameterError::GroupTooLarge {
        size,
        epsilon: short(epsilon.value()),
        delta: short(delta.value()),
    };
    let exponent = |steps: u64| epsilon.value() * &Rational::from(steps);
    if exponent(size - 1) >= Rational::from(EXPONENT_MAX) {
        return Err(too_large());
    }
    let exp_minus_one =
        |steps| &Enclosure::of(&exponent(steps), PRECISION).exp() - &Enclosure::integer(1, PRECISION);
    let sum = exp_minus_one(size)
        .checked_div(&exp_minus_one(1))
        .expect("e^ε − 1 is above 2^-64, far more than the precision")
        .upper();
    Delta::new(rounded_up(delta.value() * &sum)).map_err(|_| too_large())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loss, Rho};
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

    /// The frozen reference values `comp-group-*`: ε, δ, k, then kε, the geometric δ, the textbook's δ.
    #[test]
    fn groups_match_the_reference() {
        let cases = [
            (
                ("0.5", "1e-6", 3),
                ("1.5", "0.00000536700309915917338220893825917", "0.00000815484548537713570608086241406"),
            ),
            (
                ("0.1", "1e-12", 50),
                ("5", "0.00000000140165324977523600455790952959", "0.00000000671448898424677424200293138872"),
            ),
            (
                ("1e-6", "1e-15", 1000),
                ("0.001", "1.0004996664583416888988123256e-12", "1.00099949916670867504296406512e-12"),
            ),
        ];
        for ((e, d, size), (e_group, geometric, textbook)) in cases {
            let loss = Loss::approximate(epsilon(e), delta(d)).group(size).unwrap();
            let (group_epsilon, group_delta) = loss.approximate_epsilon().unwrap();
            assert_eq!(group_epsilon, epsilon(e_group));
            let reference = delta(geometric);
            let error = (group_delta.value() - reference.value()).abs();
            assert!(error <= reference.value() * &Rational::parse("1e-26").unwrap(), "{group_delta}");
            assert!(group_delta < delta(textbook));
            assert_eq!(
                Loss::zcdp(rho("1e-3")).group(size).unwrap().rho(),
                Some(rho("1e-3").times(size * size).unwrap())
            );
        }
        let pure = Loss::approximate(epsilon("50"), Delta::zero()).group(2).unwrap();
        assert_eq!(pure, Loss::pure(epsilon("100")));
    }

    /// The bound is reached term by term: for k = 2 it is δ·(1 + e^ε), between its float neighbours.
    #[test]
    fn the_delta_of_a_group_is_rounded_up() {
        for (e, d) in [("1", "1e-9"), ("1/3", "1e-30"), ("100", "1e-50"), ("5.5e-20", "0.25")] {
            let (e, d) = (epsilon(e), delta(d));
            let group = group_delta_upper(&e, &d, 2).unwrap();
            let exact = &Enclosure::of(e.value(), 400).exp() + &Enclosure::integer(1, 400);
            assert!(*group.value() >= d.value() * &exact.lower());
            let slack = Rational::one() + Rational::power_of_two(-50);
            assert!(*group.value() <= d.value() * &exact.upper() * slack);
        }
    }

    #[test]
    fn ratios_multiply_and_rho_grows_with_the_square() {
        assert_eq!(Loss::pure(epsilon("0.1")).group(10).unwrap(), Loss::pure(epsilon("1")));
        assert_eq!(Loss::zcdp(rho("0.01")).group(10).unwrap(), Loss::zcdp(rho("1")));
        let range = Loss::bounded_range(epsilon("0.5")).group(4).unwrap();
        assert_eq!(range, Loss::bounded_range(epsilon("2")));
        assert_eq!(range.rho(), Some(rho("0.5")), "4² times 0.5²/8");
    }

    #[test]
    fn one_unit_is_its_own_group() {
        let loss = Loss::approximate_zcdp(rho("1"), delta("1e-6"));
        assert_eq!(loss.group(1).unwrap(), loss);
    }

    #[test]
    fn replacing_one_is_a_group_of_two() {
        assert_eq!(Loss::pure(epsilon("0.5")).replace_one().unwrap(), Loss::pure(epsilon("1")));
        assert_eq!(Loss::zcdp(rho("0.5")).replace_one().unwrap(), Loss::zcdp(rho("2")));
    }

    #[test]
    fn approximate_zcdp_is_left_out_of_groups() {
        let alone = Loss::approximate_zcdp(rho("1"), delta("1e-6"));
        let message = alone.group(2).unwrap_err().explanation().text();
        assert_eq!(
            message,
            "approximate zCDP says nothing about groups\n\
             hint: convert it to (ε, δ) first and ask for the group privacy of that"
        );
        let known = alone.and(Guarantee::Approximate { epsilon: epsilon("1"), delta: delta("1e-6") });
        assert_eq!(known.group(2).unwrap().guarantees().len(), 1);
    }

    #[test]
    fn groups_too_large_for_their_delta_are_refused_with_a_hint() {
        let loss = Loss::approximate(epsilon("1"), delta("1e-6"));
        for size in [15, 140, 1_000_000, u64::MAX] {
            let message = loss.group(size).unwrap_err().explanation().text();
            assert!(message.contains("hint: ask about a smaller group"), "{size}: {message}");
        }
        assert!(loss.group(10).is_ok());
        assert!(Loss::approximate(epsilon("1e6"), delta("1e-60")).group(2).is_err());
        assert!(Loss::approximate(epsilon("139"), delta("1e-60")).group(2).is_err());
    }

    #[test]
    fn nobody_and_everybody_are_refused_without_panic() {
        let losses = [
            Loss::pure(epsilon("1")),
            Loss::zcdp(rho("1")),
            Loss::bounded_range(epsilon("1")),
            Loss::approximate(epsilon("1"), delta("1e-6")),
            Loss::approximate_zcdp(rho("1"), delta("1e-6")),
        ];
        for loss in losses {
            assert_eq!(loss.group(0), Err(ParameterError::EmptyGroup));
            assert!(loss.group(u64::MAX).unwrap_err().explanation().text().contains("hint:"), "{loss}");
        }
        let least = Loss::approximate(epsilon("1/18446744073709551616"), delta("1e-60"));
        assert!(least.group(u64::MAX).is_ok());
    }
}
