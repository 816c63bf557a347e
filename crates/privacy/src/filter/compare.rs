//! How many questions of one price each filter admits, so that a budget can be laid out before it is spent.
//!
//! **Guarantee.** Each count is what the filter of that name would admit if nothing else were charged: so many questions,
//! each chosen in the light of all answers before it, are together within the budget. Only filters that are proven for
//! the budget and for the loss are counted.
//! **Split.** Where a question may fail with a δ of its own, half of an (ε, δ) budget's δ pays for those failures and half
//! is the slack of the filter; the two add up to the budget's δ.

use super::{AdvancedFilter, BasicFilter, BudgetFilter, Filter, PureFilter};
use crate::conversion::{pure_rho_upper, zcdp_rho_lower};
use crate::{Budget, Currency, Delta, Epsilon, EpsilonDelta, Guarantee, Loss, ParameterError, Price, Rho};

/// What one question loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionLoss {
    /// (ε, δ); pure where δ is zero.
    Approximate(EpsilonDelta),
    /// ρ, but with probability δ.
    Concentrated(Rho, Delta),
}

/// Which filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterKind {
    /// [`BasicFilter`].
    Basic,
    /// [`AdvancedFilter`].
    Advanced,
    /// [`PureFilter`].
    BasicOrAdvanced,
    /// [`BudgetFilter`] in ρ.
    ApproximateZcdp,
}

impl FilterKind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Advanced => "advanced",
            Self::BasicOrAdvanced => "basic_or_advanced",
            Self::ApproximateZcdp => "approximate_zcdp",
        }
    }
}

/// How many questions one filter admits in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterCount {
    /// Which filter.
    pub kind: FilterKind,
    /// How many; `u64::MAX` stands for that many or more.
    pub admits: u64,
    /// The ρ that an (ε, δ) budget was turned into, where it was.
    pub rho_within: Option<Rho>,
}

impl QuestionLoss {
    /// Whether the question may fail with a δ of its own.
    fn has_delta(&self) -> bool {
        match self {
            Self::Approximate(EpsilonDelta { delta, .. }) | Self::Concentrated(_, delta) => !delta.is_zero(),
        }
    }

    /// Its price in ρ; `None` where it is too large.
    fn price(&self) -> Option<Price> {
        let loss = match self {
            Self::Approximate(EpsilonDelta { epsilon, delta }) => {
                let loss = Loss::approximate(epsilon.clone(), delta.clone());
                match pure_rho_upper(epsilon) {
                    Ok(rho) if delta.is_zero() => loss.and(Guarantee::ZeroConcentrated { rho }),
                    _ => loss,
                }
            }
            Self::Concentrated(rho, delta) => Loss::approximate_zcdp(rho.clone(), delta.clone()),
        };
        Price::of_loss(Currency::Zcdp, &loss)
    }
}

/// Every filter that keeps an (ε, δ) budget for questions of this loss: none where ρ is counted against pure ε. `Ok(None)`
/// where the loss is too large to be counted as ρ.
pub fn filters_within(
    epsilon: &Epsilon,
    delta: &Delta,
    question: &QuestionLoss,
) -> Result<Option<Vec<FilterCount>>, ParameterError> {
    let (slack, failures) = if question.has_delta() && !delta.is_zero() {
        let half = delta.divided_by(2)?;
        (half.clone(), half)
    } else {
        (delta.clone(), Delta::zero())
    };
    let mut counts = Vec::new();
    let mut count = |kind, admits| counts.push(FilterCount { kind, admits, rho_within: None });
    if let QuestionLoss::Approximate(cost) = question {
        count(FilterKind::Basic, BasicFilter::new(epsilon.clone(), delta.clone()).how_many_more(cost));
        if !delta.is_zero() {
            let filter = AdvancedFilter::new(epsilon.clone(), &slack, &failures)?;
            count(FilterKind::Advanced, filter.how_many_more(cost));
        }
        if !delta.is_zero() && !question.has_delta() {
            let filter = PureFilter::new(epsilon.clone(), delta.clone())?;
            count(FilterKind::BasicOrAdvanced, filter.how_many_more(&cost.epsilon));
        }
    }
    if !delta.is_zero() {
        let filter = BudgetFilter::within(epsilon, &slack, &failures)?;
        let rho_within = Some(zcdp_rho_lower(epsilon, &slack)?);
        let Some(price) = question.price() else { return Ok(None) };
        let admits = filter.how_many_more(&price);
        counts.push(FilterCount { kind: FilterKind::ApproximateZcdp, admits, rho_within });
    }
    Ok(Some(counts))
}

/// How many questions of this loss a budget of (ρ, δ) admits; `None` where the loss is too large to be counted as ρ.
pub fn filter_within_rho(rho: &Rho, delta: &Delta, question: &QuestionLoss) -> Option<FilterCount> {
    let filter = BudgetFilter::new(Budget::zcdp(rho, delta));
    let admits = filter.how_many_more(&question.price()?);
    Some(FilterCount { kind: FilterKind::ApproximateZcdp, admits, rho_within: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approximate(epsilon: &str, delta: &str) -> QuestionLoss {
        let (epsilon, delta) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
        QuestionLoss::Approximate(EpsilonDelta { epsilon, delta })
    }

    fn within(epsilon: &str, delta: &str, question: &QuestionLoss) -> Vec<(&'static str, u64)> {
        let (epsilon, delta) = (Epsilon::parse(epsilon).unwrap(), Delta::parse(delta).unwrap());
        let counts = filters_within(&epsilon, &delta, question).unwrap().unwrap();
        counts.iter().map(|count| (count.kind.name(), count.admits)).collect()
    }

    /// The threat model's vectors: basic, advanced, either, and approximate zCDP.
    #[test]
    fn filters_admit_what_the_threat_model_says() {
        for (each, budget, basic, advanced, zcdp) in
            [("0.1", "1", 10, 3, Some(4)), ("0.01", "1", 100, 349, Some(487)), ("0.05", "2", 40, 54, None)]
        {
            let found = within(budget, "1e-6", &approximate(each, "0"));
            let either = basic.max(advanced);
            assert_eq!(found[..3], [("basic", basic), ("advanced", advanced), ("basic_or_advanced", either)]);
            assert_eq!(found[3].0, "approximate_zcdp");
            assert!(zcdp.is_none_or(|count| found[3].1 == count), "{found:?}");
        }
    }

    /// Specification: each budget is counted by the filters that are proven for it and for the loss, and no others.
    #[test]
    fn only_filters_that_apply_are_listed() {
        let names =
            |found: Vec<(&'static str, u64)>| found.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(within("1", "0", &approximate("0.1", "0"))), ["basic"]);
        let rho = QuestionLoss::Concentrated(Rho::parse("0.001").unwrap(), Delta::zero());
        assert_eq!(names(within("1", "1e-6", &rho)), ["approximate_zcdp"]);
        assert!(within("1", "0", &rho).is_empty(), "ρ is not counted against pure ε");
        let failing = names(within("1", "1e-6", &approximate("0.1", "1e-9")));
        assert_eq!(failing, ["basic", "advanced", "approximate_zcdp"]);
    }

    /// Specification: what is counted is admitted, one question after the other, and one more is not.
    #[test]
    fn counts_are_what_the_filters_admit() {
        let (budget, delta) = (Rho::parse("1").unwrap(), Delta::parse("1e-6").unwrap());
        for (rho, own) in [("0.125", "0"), ("0.3", "1e-7"), ("0.01", "4e-7")] {
            let (rho, own) = (Rho::parse(rho).unwrap(), Delta::parse(own).unwrap());
            let question = QuestionLoss::Concentrated(rho.clone(), own.clone());
            let count = filter_within_rho(&budget, &delta, &question).unwrap().admits;
            let mut filter = BudgetFilter::new(Budget::zcdp(&budget, &delta));
            let admitted =
                (0..1000).take_while(|_| filter.try_charge(&Price::zcdp(&rho, &own)).is_ok()).count();
            assert_eq!(admitted as u64, count);
        }
        let huge = approximate("1e5", "1e-6");
        assert_eq!(filter_within_rho(&budget, &delta, &huge), None);
        assert_eq!(filters_within(&Epsilon::parse("1").unwrap(), &delta, &huge), Ok(None));
    }
}
