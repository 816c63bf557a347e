//! Zero-concentrated differential privacy in the words of (ε, δ), and back.
//!
//! **Guarantee.** A ρ-zCDP release is (ε, δ)-differentially private for every δ > 0 with
//! `ε = min over α > 1 of αρ + ln(1/(αδ))/(α − 1) + ln(1 − 1/α)` (zero where that is negative). A
//! δ₀-approximate ρ-zCDP release is (ε, δ₀ + δ)-differentially private with the same ε.
//! **Neighbours.** Any relation; the same for premise and conclusion.
//! **Source.** Canonne, Kamath, Steinke (2020), Corollary 13, arXiv:2004.00010: the divergence of order α
//! is at most αρ, and `at_order.rs` does the rest. The classical `ρ + 2√(ρ·ln(1/δ))` is Bun, Steinke
//! (2016), Proposition 1.3, arXiv:1605.02065; it is never smaller. The approximate form:
//! `P = (1 − δ₀)P' + δ₀P''`, so `P(E) ≤ (1 − δ₀)(e^ε·Q'(E) + δ) + δ₀ ≤ e^ε·Q(E) + δ + δ₀`.
//! **Exactness.** The best order solves `ρ(α − 1)² = ln(1/(αδ))`, for a given ε
//! `(2α − 1)ρ + ln(1 − 1/α) = ε`; it is found with floats, and the bound at that order is a certified
//! enclosure, rounded up.

use pointillist_numbers::{Enclosure, Rational};

use super::at_order::{AtOrder, delta_at_order_upper, epsilon_at_order_upper};
use super::claim::{PRECISION, delta_from_upper, epsilon_from_upper, positive_delta};
use super::order::Order;
use crate::{Delta, Epsilon, ParameterError, Rho};

/// Halvings of a bracket on the logarithm of a float: more than its bits.
const HALVINGS: usize = 80;

/// The ε of ρ-zCDP at a given δ, and the order that gives it.
pub fn zcdp_epsilon_upper(rho: &Rho, delta: &Delta) -> Result<AtOrder, ParameterError> {
    let delta = positive_delta(delta)?;
    let order = best_order_for_delta(rho.to_f64_upper(), delta.to_f64_upper());
    let divergence = order.value() * rho.value();
    let epsilon = epsilon_from_upper(epsilon_at_order_upper(&order, &divergence, delta))?;
    Ok(AtOrder { epsilon, order })
}

/// The older and larger `ρ + 2√(ρ·ln(1/δ))`.
pub fn zcdp_epsilon_classical_upper(rho: &Rho, delta: &Delta) -> Result<Epsilon, ParameterError> {
    let delta = positive_delta(delta)?;
    let logarithm = -&Enclosure::ln_of(delta, PRECISION).expect("a nonzero δ is positive");
    let root = (&logarithm * &Enclosure::of(rho.value(), PRECISION)).sqrt();
    epsilon_from_upper(rho.value() + &root.mul_integer(2).upper())
}

/// The δ of ρ-zCDP at a given ε. Refused where it would reach one.
pub fn zcdp_delta_upper(rho: &Rho, epsilon: &Epsilon) -> Result<Delta, ParameterError> {
    let order = best_order_for_epsilon(rho.to_f64_upper(), epsilon.to_f64_upper());
    let divergence = order.value() * rho.value();
    delta_from_upper(delta_at_order_upper(&order, &divergence, epsilon.value()))
}

/// The older and larger `exp(−(ε − ρ)²/(4ρ))`; refused unless ε is above ρ.
pub fn zcdp_delta_classical_upper(rho: &Rho, epsilon: &Epsilon) -> Result<Delta, ParameterError> {
    let excess = epsilon.value() - rho.value();
    if !excess.is_positive() {
        return delta_from_upper(Rational::one());
    }
    let exponent = excess.squared() / (rho.value() * &Rational::from(4));
    delta_from_upper(Enclosure::exp_of_minus(&exponent, PRECISION).upper())
}

/// The (ε, δ₀ + δ) of δ₀-approximate ρ-zCDP, for a δ of the caller's choice.
pub fn approximate_zcdp_epsilon_upper(
    rho: &Rho,
    delta_failure: &Delta,
    delta_conversion: &Delta,
) -> Result<(Epsilon, Delta), ParameterError> {
    let epsilon = zcdp_epsilon_upper(rho, delta_conversion)?.epsilon;
    let delta = delta_from_upper(delta_failure.value() + delta_conversion.value())?;
    Ok((epsilon, delta))
}

/// A ρ to spend within (ε, δ): the largest one whose conversion fits, rounded down by a few parts in 10¹³.
///
/// # Errors
/// When δ is zero, or when (ε, δ) is too small for the smallest ρ.
pub fn zcdp_rho_lower(epsilon: &Epsilon, delta: &Delta) -> Result<Rho, ParameterError> {
    let delta_value = positive_delta(delta)?;
    let (target, delta_near) = (epsilon.to_f64_lower(), delta_value.to_f64_upper());
    let (mut low, mut high) = (2f64.powi(-64), 1e6);
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        if epsilon_near(middle, delta_near) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    // The float is close; the certified conversion has the last word. Each step gives way a little more.
    let mut give = 2f64.powi(-48);
    let mut candidate = low;
    while candidate > 2f64.powi(-64) {
        let rho = Rho::from_f64(candidate)?;
        if zcdp_epsilon_upper(&rho, delta).is_ok_and(|found| found.epsilon <= *epsilon) {
            return Ok(rho);
        }
        candidate = (low * (1.0 - give)).max(0.0);
        give *= 2.0;
    }
    let least = Rho::least();
    if zcdp_epsilon_upper(&least, delta)?.epsilon <= *epsilon {
        return Ok(least);
    }
    Err(ParameterError::TooSmall {
        parameter: "the budget (epsilon, delta)",
        given: format!("({epsilon}, {delta})"),
        least: "an epsilon that pays for the smallest rho, 2^-64".to_owned(),
        example: "(1, 1e-6)",
    })
}

/// The α at which `ρ(α − 1)² + ln(αδ)` crosses zero; it rises with α.
fn best_order_for_delta(rho: f64, delta: f64) -> Order {
    order_at_root(|less_one| rho * less_one * less_one + less_one.ln_1p() + delta.ln())
}

/// The α at which `(2α − 1)ρ + ln(1 − 1/α) − ε` crosses zero; it rises with α.
fn best_order_for_epsilon(rho: f64, epsilon: f64) -> Order {
    order_at_root(|less_one| {
        let order = 1.0 + less_one;
        (2.0 * less_one + 1.0) * rho - epsilon - (order / less_one).ln()
    })
}

fn order_at_root(rising: impl Fn(f64) -> f64) -> Order {
    let (mut low, mut high) = (2f64.powi(-32), 2f64.powi(40));
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        if rising(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Order::near(1.0 + low)
}

/// The conversion in floats, for searching only.
fn epsilon_near(rho: f64, delta: f64) -> f64 {
    let order = best_order_for_delta(rho, delta).to_f64_upper();
    order * rho - (order * delta).ln() / (order - 1.0) + (-1.0 / order).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// Exact value ≤ result ≤ exact value plus a relative margin.
    fn assert_upper(result: &Rational, exact: &str, margin: &str) {
        let exact = rational(exact);
        assert!(*result >= exact, "{} is below {}", result.to_f64_upper(), exact.to_f64_upper());
        let most = &exact * &(Rational::one() + rational(margin));
        assert!(*result <= most, "{} is far above {}", result.to_f64_upper(), exact.to_f64_upper());
    }

    /// The frozen reference values `zcdp-conv-*`: ρ, δ, then the classical ε, the tight ε, its order. They
    /// are printed to 30 digits, some rounded up, so that the floor gives way by 1e-28.
    #[test]
    fn conversions_to_epsilon_match_the_reference() {
        let cases = [
            (
                "0.1",
                "1e-6",
                "2.45078800047679961813141840425",
                "2.14193892838547366139748650757",
                11.658_099_900_593_84,
            ),
            (
                "1",
                "1e-5",
                "7.78614042441511179788309014286",
                "7.07719669580633975862190709342",
                4.175_483_476_665_848,
            ),
            (
                "0.5",
                "1e-10",
                "7.28614042441511179788309014286",
                "6.83932941312084849630267907751",
                7.482_784_274_976_194,
            ),
            (
                "1e-6",
                "1e-6",
                "0.00743484437769967689390481352261",
                "0.00449649398064861169073867267179",
                2_452.649_714_521_154,
            ),
            (
                "1e-12",
                "1e-15",
                "0.0000117539410023839980906570920213",
                "0.00000854579290427932364720332893388",
                4_386_873.357_706_476,
            ),
            (
                "10",
                "1e-9",
                "38.7911554731284872454042132134",
                "37.637453577913263766298980055",
                2.408_693_765_248_614,
            ),
            (
                "100",
                "1e-5",
                "167.861404244151117978830901429",
                "165.621904032445196150511692764",
                1.335_022_053_804_68,
            ),
            (
                "0.005",
                "1e-15",
                "0.836129068134554962519547203748",
                "0.769040696469356184313035806887",
                78.683_135_304_102_12,
            ),
            (
                "2",
                "0.01",
                "8.0697085175405854034518895742",
                "6.92350619591168150986853447922",
                2.368_046_903_769_631,
            ),
        ];
        let below = Rational::one() - rational("1e-28");
        for (r, d, classical, tight, order) in cases {
            let (r, d) = (rho(r), delta(d));
            let found = zcdp_epsilon_upper(&r, &d).unwrap();
            let floor = rational(tight) * below.clone();
            assert!(*found.epsilon.value() >= floor, "ρ = {r}");
            assert!(*found.epsilon.value() <= floor * rational("1.0000000001"), "ρ = {r}");
            assert!(
                (found.order.to_f64_upper() / order - 1.0).abs() < 1e-6,
                "{}",
                found.order.to_f64_upper()
            );
            let old = zcdp_epsilon_classical_upper(&r, &d).unwrap();
            let error = (old.value() - &rational(classical)).abs();
            assert!(error <= rational(classical) * rational("1e-27"));
            assert!(found.epsilon < old);
        }
    }

    /// The frozen reference values `zcdp-cdelta-*`: ρ, ε, then the tight δ and the classical one.
    #[test]
    fn conversions_to_delta_match_the_reference() {
        let cases = [
            ("0.1", "1", "0.00893324577181836182999865936667", "0.131993843187830209442702058866"),
            ("1", "5", "0.0026120345066204870030503517554", "0.0183156388887341802937180212732"),
            ("0.01", "2", "3.70158317843388993549757295317e-46", "1.00869659631434255832244067956e-43"),
            ("10", "50", "6.26825491872978164411870239148e-19", "4.24835425529158899532923478286e-18"),
            ("1e-6", "0.01", "1.01691807234765291255611881408e-15", "1.39575539838924116262330209159e-11"),
        ];
        let below = Rational::one() - rational("1e-28");
        for (r, e, tight, classical) in cases {
            let found = zcdp_delta_upper(&rho(r), &epsilon(e)).unwrap();
            let floor = rational(tight) * below.clone();
            assert!(*found.value() >= floor && *found.value() <= floor * rational("1.0000000001"), "ρ = {r}");
            let old = zcdp_delta_classical_upper(&rho(r), &epsilon(e)).unwrap();
            assert!((old.value() - &rational(classical)).abs() <= rational(classical) * rational("1e-25"));
        }
        let half = zcdp_delta_upper(&rho("0.5"), &epsilon("0.5")).unwrap();
        assert_upper(half.value(), "0.399889849021707805091502609645", "1e-10");
        let message =
            zcdp_delta_classical_upper(&rho("0.5"), &epsilon("0.5")).unwrap_err().explanation().text();
        assert!(message.contains("hint: ask at a larger ε"), "{message}");
    }

    /// The threat model's budget: (1, 1e-6) is worth ρ = 0.0243559, by the classical formula 0.0174689.
    #[test]
    fn a_budget_in_epsilon_is_worth_a_rho_that_fits() {
        let budget = zcdp_rho_lower(&epsilon("1"), &delta("1e-6")).unwrap();
        assert!((budget.to_f64_upper() - 0.024_355_9).abs() < 1e-7, "{}", budget.to_f64_upper());
        for e in ["1e-6", "0.01", "1", "8", "50", "1e5", "1e6"] {
            for d in ["1e-15", "1e-6", "0.01", "0.9"] {
                let (e, d) = (epsilon(e), delta(d));
                let budget = zcdp_rho_lower(&e, &d).unwrap();
                assert!(zcdp_epsilon_upper(&budget, &d).unwrap().epsilon <= e, "{e} {d}");
                let more = Rho::new(budget.value() * &rational("1.000000000001")).unwrap();
                let overspent = zcdp_epsilon_upper(&more, &d);
                assert!(
                    !overspent.is_ok_and(|found| found.epsilon <= e),
                    "{e} {d}: {}",
                    budget.to_f64_upper()
                );
            }
        }
    }

    #[test]
    fn budgets_too_small_to_spend_are_refused_with_a_hint() {
        let message = zcdp_rho_lower(&epsilon("1e-12"), &delta("1e-15")).unwrap_err().explanation().text();
        assert!(message.contains("\nhint: "), "{message}");
    }

    #[test]
    fn no_delta_buys_nothing() {
        for refusal in [
            zcdp_epsilon_upper(&rho("1"), &Delta::zero()).unwrap_err(),
            zcdp_epsilon_classical_upper(&rho("1"), &Delta::zero()).unwrap_err(),
            zcdp_rho_lower(&epsilon("1"), &Delta::zero()).unwrap_err(),
        ] {
            assert_eq!(
                refusal.explanation().text(),
                "delta = 0 is zero\nhint: this loss is bounded only up to a small probability of failure; \
                 write one, such as 1e-6"
            );
        }
    }

    #[test]
    fn failures_of_approximate_zcdp_are_added() {
        let (e, d) = approximate_zcdp_epsilon_upper(&rho("0.1"), &delta("1e-7"), &delta("1e-6")).unwrap();
        assert_eq!(e, zcdp_epsilon_upper(&rho("0.1"), &delta("1e-6")).unwrap().epsilon);
        assert_eq!(d, delta("0.0000011"));
    }

    /// A grid of extreme values: every answer is finite, above the Gaussian's own curve would be too much
    /// to ask here, but it falls in δ, rises in ρ, and the two conversions undo each other.
    #[test]
    fn extreme_values_stay_ordered() {
        let rhos = ["1/18446744073709551616", "1e-12", "1e-3", "1", "1000", "4e5"];
        let deltas = ["1e-60", "1e-15", "1e-6", "0.5", "0.999"];
        for pair in rhos.windows(2) {
            for d in deltas {
                let [less, more] =
                    [pair[0], pair[1]].map(|r| zcdp_epsilon_upper(&rho(r), &delta(d)).unwrap());
                assert!(less.epsilon <= more.epsilon, "{pair:?} {d}");
            }
        }
        for r in rhos {
            for pair in deltas.windows(2) {
                let [more, less] =
                    [pair[0], pair[1]].map(|d| zcdp_epsilon_upper(&rho(r), &delta(d)).unwrap());
                assert!(less.epsilon <= more.epsilon, "{r} {pair:?}");
            }
            let found = zcdp_epsilon_upper(&rho(r), &delta("1e-15")).unwrap().epsilon;
            let back = zcdp_delta_upper(&rho(r), &found).unwrap();
            assert!(*back.value() <= rational("1.000001e-15"), "{r}: {}", back.to_f64_upper());
        }
    }
}
