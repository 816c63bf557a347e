//! Advanced composition: with a small δ, many small losses add up like their root.
//!
//! **Guarantee.** Equal losses: `k` releases, each (ε, δ)-differentially private, are together
//! `(ε·√(2k·ln(1/δ')) + k·ε·(e^ε − 1), k·δ + δ')`-differentially private for every δ' > 0. Any losses: with
//! `a = Σ εᵢ·tanh(εᵢ/2)` and `v = Σ εᵢ²`, releases (εᵢ, δᵢ) are together
//! `(min{Σεᵢ, a + √(2v·ln(e + √v/δ')), a + √(2v·ln(1/δ'))}, 1 − (1 − δ')·∏(1 − δᵢ))`-differentially
//! private. The releases may be chosen adaptively, their losses not.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Dwork, Rothblum, Vadhan (2010), Theorem III.3; Dwork, Roth (2014), Theorem 3.20. Kairouz,
//! Oh, Viswanath (2015), Theorem 3.5, arXiv:1311.0776.
//! **Exactness.** Certified enclosures, rounded up. The formulas are evaluated as stated; where basic
//! composition is smaller, [`advanced_upper`] and [`advanced_mixed_upper`] return that.

use pointillist_numbers::{Enclosure, Rational};

use super::batch::{Batch, some};
use crate::conversion::claim::{
    PRECISION, any_failure_upper, delta_from_upper, epsilon_from_upper, positive_delta, shortened_up,
};
use crate::{Delta, Epsilon, ParameterError};

/// Beyond this ε the second term of the equal-losses formula exceeds `k·ε` many times over, and `e^ε` is not
/// computed.
const EPSILON_MAX: u64 = 1000;

/// The loss of equal releases with `delta_slack` as δ', or basic composition where that is smaller.
pub fn advanced_upper(batch: &Batch, delta_slack: &Delta) -> Result<(Epsilon, Delta), ParameterError> {
    let slack = positive_delta(delta_slack)?;
    let basic = batch.epsilon_total();
    let epsilon = match advanced_epsilon_upper(batch, delta_slack)? {
        Some(formula) => formula.min(basic),
        None => basic,
    };
    let own = batch.delta().value() * &Rational::from(batch.count());
    Ok((epsilon_from_upper(epsilon)?, delta_from_upper(&own + slack)?))
}

/// `ε·√(2k·ln(1/δ')) + k·ε·(e^ε − 1)`, the formula as stated, rounded up; `None` for ε above 1000, where it
/// is of no use.
pub fn advanced_epsilon_upper(
    batch: &Batch,
    delta_slack: &Delta,
) -> Result<Option<Rational>, ParameterError> {
    let slack = positive_delta(delta_slack)?;
    let epsilon = batch.epsilon().value();
    if *epsilon > Rational::from(EPSILON_MAX) {
        return Ok(None);
    }
    let count = Enclosure::integer(batch.count(), PRECISION);
    let logarithm = -&Enclosure::ln_of(slack, PRECISION).expect("a nonzero δ is positive");
    let root = (&logarithm * &count).mul_integer(2).sqrt();
    let each = Enclosure::of(epsilon, PRECISION);
    let excess = &each.exp() - &Enclosure::integer(1, PRECISION);
    let drift = &(&count * &each) * &excess;
    Ok(Some(shortened_up((&(&each * &root) + &drift).upper())))
}

/// The loss of any releases with `delta_slack` as δ': the smallest of the three bounds.
pub fn advanced_mixed_upper(
    batches: &[Batch],
    delta_slack: &Delta,
) -> Result<(Epsilon, Delta), ParameterError> {
    let bounds = mixed_bounds_upper(batches, delta_slack)?;
    let least = bounds.basic.min(bounds.log_e_term).min(bounds.log_1_term);
    Ok((epsilon_from_upper(least)?, delta_from_upper(bounds.delta)?))
}

/// The three ε of the any-losses theorem and their δ, each a true bound of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedBounds {
    /// `Σεᵢ`.
    pub basic: Rational,
    /// `a + √(2v·ln(e + √v/δ'))`.
    pub log_e_term: Rational,
    /// `a + √(2v·ln(1/δ'))`.
    pub log_1_term: Rational,
    /// `1 − (1 − δ')·∏(1 − δᵢ)`.
    pub delta: Rational,
}

/// The three bounds of the any-losses theorem, rounded up.
pub fn mixed_bounds_upper(batches: &[Batch], delta_slack: &Delta) -> Result<MixedBounds, ParameterError> {
    let batches = some(batches)?;
    let slack = positive_delta(delta_slack)?;
    let zero = || Enclosure::integer(0, PRECISION);
    let one = Enclosure::integer(1, PRECISION);
    let mut basic = Rational::zero();
    let mut squares = Rational::zero();
    let mut drift = zero();
    for batch in batches {
        let epsilon = batch.epsilon().value();
        basic = basic + batch.epsilon_total();
        squares = squares + batch.epsilon_total() * epsilon.clone();
        let decay = Enclosure::exp_of_minus(epsilon, PRECISION);
        let hyperbolic_tangent =
            (&one - &decay).checked_div(&(&one + &decay)).expect("the divisor is at least one");
        let total = Enclosure::of(&batch.epsilon_total(), PRECISION);
        drift = &drift + &(&hyperbolic_tangent * &total);
    }
    let squares = Enclosure::of(&squares, PRECISION);
    let logarithm = -&Enclosure::ln_of(slack, PRECISION).expect("a nonzero δ is positive");
    let shifted =
        &squares.sqrt().checked_div(&Enclosure::of(slack, PRECISION)).expect("a nonzero δ is at least 1e-60")
            + &one.exp();
    let shifted = shifted.ln().expect("at least e");
    let bound = |logarithm: &Enclosure| {
        let root = (&squares * logarithm).mul_integer(2).sqrt();
        shortened_up((&drift + &root).upper())
    };
    let failures = batches.iter().map(|batch| (batch.delta(), batch.count()));
    Ok(MixedBounds {
        basic: shortened_up(basic),
        log_e_term: bound(&shifted),
        log_1_term: bound(&logarithm),
        delta: any_failure_upper(failures.chain([(delta_slack, 1)])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn batch(epsilon: &str, delta_each: &str, count: u64) -> Batch {
        Batch::new(Epsilon::parse(epsilon).unwrap(), delta(delta_each), count).unwrap()
    }

    fn assert_near(value: &Rational, reference: &str) {
        let reference = rational(reference);
        let error = (value - &reference).abs();
        assert!(error <= &reference * &rational("1e-25"), "{}", value.to_f64_upper());
    }

    /// The frozen reference values `comp-drv-*`: ε, δ, k, δ', then the formula, the smaller of it and kε,
    /// the δ.
    #[test]
    fn equal_losses_match_the_reference() {
        let cases = [
            (
                ("0.1", "0", 100, "1e-6"),
                ("6.308230950513408226747199623", "6.308230950513408226747199623", "0.000001"),
            ),
            (("0.5", "1e-8", 30, "1e-5"), ("22.8721234848942521493050652125", "15", "0.0000103")),
            (
                ("1e-6", "0", 1_000_000, "1e-9"),
                ("0.00643889807936804188557525904421", "0.00643889807936804188557525904421", "0.000000001"),
            ),
            (
                ("0.01", "1e-15", 10_000, "1e-15"),
                ("9.31630738976235537941201772777", "9.31630738976235537941201772777", "1.0001e-11"),
            ),
            (("1", "0", 10, "0.05"), ("24.9232734050003510850185834162", "10", "0.05")),
            (("50", "0", 2, "1e-6"), ("518470552858707246409017.024512", "100", "0.000001")),
        ];
        for ((e, d, count, slack), (formula, smallest, total)) in cases {
            let batch = batch(e, d, count);
            assert_near(&advanced_epsilon_upper(&batch, &delta(slack)).unwrap().unwrap(), formula);
            let (epsilon, found) = advanced_upper(&batch, &delta(slack)).unwrap();
            assert_near(epsilon.value(), smallest);
            assert_eq!(found, delta(total));
        }
    }

    /// The frozen reference values `comp-kov-het-*`: the three terms, the smallest, the δ.
    #[test]
    fn mixed_losses_match_the_reference() {
        let steps: Vec<Batch> = (1..=40)
            .map(|i| match i {
                // The reference's list has the float 0.35000000000000003 here.
                35 => batch("0.35000000000000003", "0", 1),
                _ => batch(&format!("{i}/100"), "0", 1),
            })
            .collect();
        let cases = [
            (
                (vec![batch("0.1", "1e-8", 10), batch("0.2", "0", 10), batch("0.3", "1e-9", 10)], "1e-6"),
                ("6", "6.95330490697100149174874269199", "6.91554989937414552919783280047"),
                ("6", "0.00000110999988445500571461982686529"),
            ),
            (
                (steps, "1e-5"),
                ("8.20000000000000003", "8.36019184383345195309103816608", "8.23800372977671110946635559287"),
                ("8.20000000000000003", "0.00001"),
            ),
            (
                (vec![batch("1", "1e-5", 1), batch("2", "1e-6", 1)], "0.0001"),
                ("3", "11.9928930336466984709522375646", "11.5823572935477019498759727867"),
                ("3", "0.000110998890001"),
            ),
            (
                (vec![batch("1e-6", "1e-15", 50)], "1e-15"),
                ("0.00005", "0.000047622789871482322709591834889", "0.000058769725011919990451202126773"),
                ("0.000047622789871482322709591834889", "5.09999999999987250000000000208e-14"),
            ),
        ];
        for ((batches, slack), (basic, log_e, log_1), (smallest, total)) in cases {
            let bounds = mixed_bounds_upper(&batches, &delta(slack)).unwrap();
            assert_near(&bounds.basic, basic);
            assert_near(&bounds.log_e_term, log_e);
            assert_near(&bounds.log_1_term, log_1);
            assert_near(&bounds.delta, total);
            let (epsilon, found) = advanced_mixed_upper(&batches, &delta(slack)).unwrap();
            assert_near(epsilon.value(), smallest);
            assert!(*found.value() >= bounds.delta);
        }
    }

    #[test]
    fn no_slack_buys_nothing() {
        for refusal in [
            advanced_upper(&batch("1", "0", 10), &Delta::zero()).unwrap_err(),
            advanced_mixed_upper(&[batch("1", "0", 10)], &Delta::zero()).unwrap_err(),
            advanced_mixed_upper(&[], &delta("1e-6")).unwrap_err(),
        ] {
            assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
        }
    }

    #[test]
    fn extreme_losses_are_bounded_by_basic_composition() {
        for (e, count) in [("1e-6", 10_000_000), ("50", 1000), ("1e5", 10), ("5.5e-20", 1)] {
            let batch = batch(e, "0", count);
            let (epsilon, _) = advanced_upper(&batch, &delta("1e-15")).unwrap();
            assert!(*epsilon.value() <= batch.epsilon_total());
            let (mixed, _) = advanced_mixed_upper(std::slice::from_ref(&batch), &delta("1e-15")).unwrap();
            assert!(*mixed.value() <= batch.epsilon_total());
        }
        assert!(advanced_upper(&batch("1e6", "0", 2), &delta("1e-15")).is_err());
    }
}
