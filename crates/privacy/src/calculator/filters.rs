//! How many more questions of a price fit into a budget, asked adaptively.

use super::CalculatorError;
use crate::filter::{FilterCount, QuestionLoss, filter_within_rho, filters_within};
use crate::{Delta, Epsilon, EpsilonDelta, Rho};

/// A loss: (ε, δ), or (ρ, δ).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossForm {
    /// The ε of a loss in ε and δ.
    pub epsilon: Option<Epsilon>,
    /// The probability of failure; none means zero.
    pub delta: Option<Delta>,
    /// The ρ of a loss in ρ and δ, in place of ε.
    pub rho: Option<Rho>,
}

/// A budget, and what each question loses.
#[derive(Clone, Debug, Default)]
pub struct FilterForm {
    /// What may be lost in all.
    pub budget: LossForm,
    /// What one question loses.
    pub question: LossForm,
    /// How many questions of this loss were asked already.
    pub asked: u64,
}

/// How many questions each filter admits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterComparison {
    /// By filter, the simplest first.
    pub counts: Vec<FilterCount>,
    /// Where in the list the filter stands that admits most; of equals the simplest.
    pub best: usize,
}

impl FilterForm {
    /// Every filter that applies.
    pub fn compare(&self) -> Result<FilterComparison, CalculatorError> {
        let question = self.question()?;
        let delta = self.budget.delta.clone().unwrap_or_else(Delta::zero);
        let counts = match (&self.budget.epsilon, &self.budget.rho) {
            (Some(epsilon), None) => {
                filters_within(epsilon, &delta, &question)?.ok_or(CalculatorError::PriceTooLarge)?
            }
            (None, Some(rho)) => {
                vec![filter_within_rho(rho, &delta, &question).ok_or(CalculatorError::PriceTooLarge)?]
            }
            (Some(_), Some(_)) => return Err(CalculatorError::TwoBudgets),
            (None, None) => return Err(CalculatorError::NoBudget),
        };
        let most = counts.iter().map(|count| count.admits).max().ok_or(CalculatorError::NoFilter)?;
        let best = counts.iter().position(|count| count.admits == most).unwrap_or(0);
        Ok(FilterComparison { counts, best })
    }

    fn question(&self) -> Result<QuestionLoss, CalculatorError> {
        let delta = self.question.delta.clone().unwrap_or_else(Delta::zero);
        match (&self.question.epsilon, &self.question.rho) {
            (Some(epsilon), None) => {
                Ok(QuestionLoss::Approximate(EpsilonDelta { epsilon: epsilon.clone(), delta }))
            }
            (None, Some(rho)) => Ok(QuestionLoss::Concentrated(rho.clone(), delta)),
            (Some(_), Some(_)) => Err(CalculatorError::TwoPrices),
            (None, None) => Err(CalculatorError::NoPrice),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::FilterKind;

    fn loss(epsilon: Option<&str>, delta: Option<&str>, rho: Option<&str>) -> LossForm {
        LossForm {
            epsilon: epsilon.map(|text| Epsilon::parse(text).unwrap()),
            delta: delta.map(|text| Delta::parse(text).unwrap()),
            rho: rho.map(|text| Rho::parse(text).unwrap()),
        }
    }

    fn compared(budget: LossForm, question: LossForm) -> Result<FilterComparison, CalculatorError> {
        FilterForm { budget, question, asked: 0 }.compare()
    }

    #[test]
    fn the_filter_that_admits_most_is_named() {
        for (each, budget, best) in
            [("0.1", "1", FilterKind::Basic), ("0.01", "1", FilterKind::ApproximateZcdp)]
        {
            let found =
                compared(loss(Some(budget), Some("1e-6"), None), loss(Some(each), None, None)).unwrap();
            assert_eq!(found.counts[found.best].kind, best);
        }
    }

    #[test]
    fn forms_without_a_budget_or_a_price_are_refused() {
        let one = || loss(Some("1"), None, None);
        for (budget, question, refused) in [
            (loss(None, Some("1e-6"), None), one(), CalculatorError::NoBudget),
            (one(), loss(None, Some("1e-6"), None), CalculatorError::NoPrice),
            (loss(Some("1"), None, Some("1")), one(), CalculatorError::TwoBudgets),
            (one(), loss(Some("1"), None, Some("1")), CalculatorError::TwoPrices),
            (one(), loss(None, None, Some("0.1")), CalculatorError::NoFilter),
            (
                loss(None, None, Some("1")),
                loss(Some("1e5"), Some("1e-6"), None),
                CalculatorError::PriceTooLarge,
            ),
        ] {
            assert_eq!(compared(budget, question).unwrap_err(), refused);
        }
    }
}
