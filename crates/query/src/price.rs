//! What a statement costs, how the price is split, and which noise it buys.
//!
//! **Guarantee.** Each part (the choice of keys, and every measure) is released with its own share; the shares add up
//! to the whole price exactly, and the cost is the sum of what the parts lose by basic composition: ρ and δ in zCDP
//! scopes, ε in pure ones. A share in ε that is charged in ρ costs ε²/2 (Bun and Steinke 2016, Proposition 1.4).
//! **Prices for errors.** The least price at which every bar is as narrow as asked. What the error of a mean is, and what
//! per cent are of, follows from the rows that the owner declares (`size`), shared evenly by public groups: a public number.
//! If it is wrong, the price is, and the bars beside the answer still are what they say.

use pointillist_catalog::{DeclaredBudget, Scope};
use pointillist_mechanisms::number::noise_sum::{Noise, Sureness, quantile};
use pointillist_mechanisms::{EarnedKeys, Grid};
use pointillist_numbers::{Enclosure, Rational, UBig, decimal_upper};
use pointillist_plan::{
    Aggregate, Aggregation, AnswerPlan, Formula, Measure, Quantity, Release, error_bound,
};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Currency, Delta, Epsilon, FailureProbability, Loss, Price, Rho, Spend};

use crate::options::{NoiseChoice, Options, WantedError};
use crate::refusal::{Refusal, shown};

/// A statement without a price takes this part of the scope's budget.
const DEFAULT_SHARE: u64 = 100;
/// Prices found for an error have this many digits.
const DIGITS: usize = 3;

/// Noise for an aggregation, and what it costs.
pub(crate) struct Priced {
    pub(crate) releases: Vec<Release>,
    pub(crate) selection: Option<EarnedKeys>,
    pub(crate) loss: Loss,
    pub(crate) price: Price,
    pub(crate) notes: Vec<String>,
}

/// What is spent in all, and how its shares are.
#[derive(Clone)]
struct Payment {
    spend: Spend,
    /// Shares of ρ are spent on Laplace noise.
    laplace_for_rho: bool,
}

/// Buys noise for an aggregation at the price that the options say, or at one of so many even shares of it: as many as
/// there are releases in the statement. An error that is asked for is asked of every release.
pub(crate) fn priced(
    scope: &Scope,
    options: &Options,
    aggregation: &Aggregation,
    answer: &AnswerPlan,
    size: Option<u64>,
    shares: usize,
) -> Result<Priced, Refusal> {
    let earned = aggregation.domain.is_none();
    let mut notes = Vec::new();
    let delta =
        delta(scope, options, earned, &mut notes)?.map(|delta| one_share(&delta, shares)).transpose()?;
    let laplace = laplace(scope, options)?;
    let parts = Parts { aggregation, answer, delta, laplace };
    let payment = match &options.error {
        Some(error) => {
            let goals = parts.goals(error, answer, size, &mut notes)?;
            let beta = shared(&options.failure(), answer.bars_at_once_planned(aggregation))?;
            let payment = parts.cheapest(scope, &goals, &beta)?;
            notes.push(format!("the price was found for the error asked: {}", payment.spend));
            notes.extend(parts.compared(scope, options, &payment, &goals, &beta));
            payment
        }
        None => {
            let whole = payment(scope, options, laplace, &mut notes)?;
            let spend = whole.spend.split(&vec![1; shares.max(1)])?.swap_remove(0);
            Payment { spend, ..whole }
        }
    };
    let (releases, selection) = parts.bought_with(&payment)?;
    let loss = parts.loss(scope, &releases, selection.as_ref())?;
    let price = Price::of_loss(scope.budget.currency(), &loss).expect("the loss is in the scope's currency");
    Ok(Priced { releases, selection, loss, price, notes })
}

/// The δ that earned keys may cost: as asked, or a hundredth of the scope's.
fn delta(
    scope: &Scope,
    options: &Options,
    earned: bool,
    notes: &mut Vec<String>,
) -> Result<Option<Delta>, Refusal> {
    let budget = match &scope.budget {
        DeclaredBudget::Zcdp { delta, .. } => delta,
        DeclaredBudget::Pure { .. } if options.delta.as_ref().is_some_and(|delta| !delta.is_zero()) => {
            return Err(Refusal::parameter(
                format!("the scope `{}` is pure: it has no delta to spend", shown(&scope.name)),
                "leave delta out",
            ));
        }
        DeclaredBudget::Pure { .. } if earned => {
            return Err(Refusal::not_private(
                format!(
                    "these keys are not public, and the scope `{}` is pure: keys cannot be earned there",
                    shown(&scope.name)
                ),
                "ask the owner to declare public_keys or bounds for the column, or group by a CASE with constant results",
            ));
        }
        DeclaredBudget::Pure { .. } => return Ok(None),
    };
    if !earned {
        return Ok(None);
    }
    if let Some(delta) = &options.delta {
        return Ok(Some(delta.clone()));
    }
    match Delta::new(hundredth_lower(budget.value())) {
        Ok(share) if !share.is_zero() => {
            notes.push(format!("keys are earned with delta = {share}, 1 % of the scope's"));
            Ok(Some(share))
        }
        _ => Err(Refusal::not_private(
            format!(
                "these keys are not public, and the scope `{}` has no delta for earning keys",
                shown(&scope.name)
            ),
            "ask the owner for a delta in the scope's budget, or for public_keys",
        )),
    }
}

/// An even share of a δ, rounded down where there are several.
fn one_share(delta: &Delta, shares: usize) -> Result<Delta, Refusal> {
    if shares <= 1 {
        return Ok(delta.clone());
    }
    let share = (delta.value() / &Rational::from(shares as u64)).round_down_to_digits(DIGITS);
    match Delta::new(share) {
        Ok(share) if !share.is_zero() => Ok(share),
        _ => Err(Refusal::parameter(
            "this delta is too small to be split over the releases of the statement",
            "give a larger delta",
        )),
    }
}

fn laplace(scope: &Scope, options: &Options) -> Result<bool, Refusal> {
    let choice = options.noise.unwrap_or(NoiseChoice::Auto);
    match (&scope.budget, choice) {
        (DeclaredBudget::Zcdp { .. }, choice) => Ok(choice == NoiseChoice::Laplace),
        (DeclaredBudget::Pure { .. }, NoiseChoice::Gaussian) => Err(Refusal::parameter(
            format!("the scope `{}` is pure, and Gaussian noise is not", shown(&scope.name)),
            "write noise = laplace, or leave it out",
        )),
        (DeclaredBudget::Pure { .. }, _) => Ok(true),
    }
}

/// The price that the options say, or a hundredth of the budget.
/// What is spent on something that is released as a whole.
pub(crate) fn whole_spend(
    scope: &Scope,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Spend, Refusal> {
    Ok(payment(scope, options, false, notes)?.spend)
}

fn payment(
    scope: &Scope,
    options: &Options,
    laplace: bool,
    notes: &mut Vec<String>,
) -> Result<Payment, Refusal> {
    let mut note =
        |spend: &Spend| notes.push(format!("no price was given: {spend}, 1 % of the scope's budget"));
    let spend = match (&scope.budget, &options.epsilon, &options.rho) {
        (DeclaredBudget::Pure { .. }, _, Some(_)) => {
            return Err(Refusal::parameter(
                format!("the scope `{}` is pure: it counts epsilon, not rho", shown(&scope.name)),
                "write epsilon = 0.1, for example",
            ));
        }
        (DeclaredBudget::Pure { .. }, Some(epsilon), None) => Spend::Pure(epsilon.clone()),
        (DeclaredBudget::Pure { epsilon }, None, None) => {
            let spend = Spend::Pure(Epsilon::new(hundredth_lower(epsilon.value()))?);
            note(&spend);
            spend
        }
        (DeclaredBudget::Zcdp { .. }, Some(epsilon), None) if laplace => Spend::Pure(epsilon.clone()),
        (DeclaredBudget::Zcdp { conversion_delta, .. }, Some(epsilon), None) => {
            Spend::Concentrated(zcdp_rho_lower(epsilon, conversion_delta)?)
        }
        (DeclaredBudget::Zcdp { .. }, _, Some(rho)) => Spend::Concentrated(rho.clone()),
        (DeclaredBudget::Zcdp { rho, .. }, None, None) => {
            let spend = Spend::Concentrated(Rho::new(hundredth_lower(rho.value()))?);
            note(&spend);
            spend
        }
    };
    let laplace_for_rho = laplace && matches!(spend, Spend::Concentrated(_));
    Ok(Payment { spend, laplace_for_rho })
}

/// The probability with which one of so many bars may fail, if all shall hold at once.
fn shared(beta: &FailureProbability, bars: u64) -> Result<FailureProbability, Refusal> {
    Ok(FailureProbability::new(beta.value() / &Rational::from(bars))?)
}

struct Parts<'a> {
    aggregation: &'a Aggregation,
    answer: &'a AnswerPlan,
    delta: Option<Delta>,
    laplace: bool,
}

impl Parts<'_> {
    /// The weights of the parts: the choice of keys first, if there is one, then the measures.
    ///
    /// All equal. A count and the two or three measures of a mean or a variance matter about as much to an answer as
    /// one another, and an asker who cares more for one of them can ask for it alone; weights that guess better
    /// would need to know sizes, which are private. Only a count that nobody asked for, beside a quantile, has a tenth:
    /// all that it must tell is whether there are rows.
    fn weights(&self) -> Vec<u64> {
        let mut beside = vec![true; self.aggregation.measures.len()];
        for aggregate in &self.answer.aggregates {
            let measures = match &aggregate.formula {
                Formula::Quantile { measure, .. } => vec![*measure],
                formula => formula.measures(),
            };
            measures.into_iter().for_each(|measure| beside[measure] = false);
        }
        let quantiles = |aggregate: &Aggregate| matches!(aggregate.formula, Formula::Quantile { .. });
        let whole = if self.answer.aggregates.iter().any(quantiles) { 10 } else { 1 };
        let keys = self.delta.is_some().then_some(whole);
        let measures = beside.into_iter().map(|beside| if beside { 1 } else { whole });
        let mut weights: Vec<u64> = keys.into_iter().chain(measures).collect();
        // How many people are cut is told by a twentieth of all: one part beside nineteen of what is left.
        let cut = |measure: &Measure| measure.quantity == Quantity::PeopleCut;
        if let Some(position) = self.aggregation.measures.iter().position(cut) {
            let position = position + usize::from(self.delta.is_some());
            weights[position] = 0;
            let others: u64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight *= 19);
            weights[position] = others;
        }
        weights
    }

    /// The noise and the threshold that the shares of a payment buy.
    fn bought_with(&self, payment: &Payment) -> Result<(Vec<Release>, Option<EarnedKeys>), Refusal> {
        let mut shares = payment.spend.split(&self.weights())?.into_iter();
        let selection = match &self.delta {
            None => None,
            Some(delta) => {
                let share = shares.next().expect("one share for each weight");
                Some(EarnedKeys::new(self.aggregation.bound.groups_max(), &share.rho()?, delta)?)
            }
        };
        let mut releases = Vec::new();
        for (measure, share) in self.aggregation.measures.iter().zip(shares) {
            let spend = match share {
                Spend::Concentrated(rho) if payment.laplace_for_rho => Spend::Pure(epsilon_lower(&rho)?),
                other => other,
            };
            releases.push(Release::new(self.aggregation, measure, spend)?);
        }
        Ok((releases, selection))
    }

    /// What the parts lose together, in the currency of the scope.
    fn loss(
        &self,
        scope: &Scope,
        releases: &[Release],
        selection: Option<&EarnedKeys>,
    ) -> Result<Loss, Refusal> {
        match scope.budget.currency() {
            Currency::Zcdp => {
                let mut rhos = Vec::new();
                let mut delta = Delta::zero();
                if let Some((rho, chosen)) =
                    selection.and_then(|selection| selection.loss().approximate_rho())
                {
                    rhos.push(rho);
                    delta = chosen;
                }
                for release in releases {
                    rhos.push(release.spend.rho()?);
                }
                let mut rhos = rhos.into_iter();
                let first = rhos.next().expect("a statement has at least one part");
                let rho = rhos.try_fold(first, |sum, rho| sum.plus(&rho))?;
                Ok(Loss::approximate_zcdp(rho, delta))
            }
            Currency::Pure => {
                let mut epsilons = releases.iter().filter_map(|release| match &release.spend {
                    Spend::Pure(epsilon) => Some(epsilon.clone()),
                    Spend::Concentrated(_) => None,
                });
                let first =
                    epsilons.next().expect("a pure statement has at least one part, priced in epsilon");
                let epsilon = epsilons.try_fold(first, |sum, epsilon| sum.plus(&epsilon))?;
                Ok(Loss::pure(epsilon))
            }
        }
    }

    /// What the error of every aggregate shall be.
    fn goals<'f>(
        &self,
        wanted: &WantedError,
        answer: &'f AnswerPlan,
        size: Option<u64>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Goal<'f>>, Refusal> {
        let groups = self.aggregation.domain.as_ref().map_or(1, Vec::len).max(1);
        let rows = size.map(|size| Rational::from(size) / Rational::from(groups as u64));
        if answer.aggregates.is_empty() {
            return Err(Refusal::parameter(
                "there is no aggregate that could have an error",
                "give epsilon or rho",
            ));
        }
        let declared = |what: &str| {
            rows.clone().ok_or_else(|| {
                Refusal::parameter(
                    format!("{what} depends on how many rows there are, which nobody may know"),
                    "give epsilon or rho, ask for SUM and COUNT with an error, or ask the owner to declare `size`, about how \
                     many rows there are, for the table",
                )
            })
        };
        let mut goals = Vec::new();
        for aggregate in &answer.aggregates {
            let formula = &aggregate.formula;
            // The largest that the aggregate of one row can be, in either direction, or the length of its range.
            let (of_one, rows) = match formula {
                Formula::Sum { measure, unit } => {
                    let (low, high) =
                        self.aggregation.measures[*measure].person_bounds(&self.aggregation.bound);
                    let most = Rational::from(self.aggregation.bound.rows_max());
                    (Rational::from(high.max(-low)) * unit.clone() / most, None)
                }
                Formula::CentredSum { grid, .. } => (grid.upper().abs().max(grid.lower().abs()), None),
                Formula::Mean { grid, .. } => (
                    &grid.upper() - grid.lower(),
                    Some(declared(&format!("the error of {}", aggregate.name))?),
                ),
                Formula::Quantile { .. } => {
                    return Err(Refusal::parameter(
                        format!("the error of {} is one of ranks, not of values", aggregate.name),
                        "give epsilon or rho; EXPLAIN PRIVATE says by how many rows it may be off",
                    ));
                }
                Formula::Variance { .. } | Formula::Pair(_) => {
                    return Err(Refusal::parameter(
                        format!("the error of {} depends on the values themselves", aggregate.name),
                        "ask for SUM, COUNT or AVG with an error, or give epsilon or rho",
                    ));
                }
            };
            let error = match wanted {
                WantedError::Absolute(error) => error.clone(),
                WantedError::Share(share) if rows.is_some() => share * &of_one,
                WantedError::Share(share) => {
                    let whole = declared("an error in per cent")? * of_one;
                    let error = share * &whole;
                    notes.push(format!(
                        "{} per cent of {}, for {} declared rows in each of {groups} groups: ± {}",
                        decimal_upper(&(share * &Rational::from(100)), DIGITS),
                        aggregate.name,
                        decimal_upper(&declared("an error in per cent")?, DIGITS),
                        decimal_upper(&error, DIGITS),
                    ));
                    error
                }
            };
            goals.push(Goal { formula, error, rows });
        }
        Ok(goals)
    }

    /// Whether all errors are as small as wanted at this price.
    fn meets(&self, payment: &Payment, goals: &[Goal<'_>], beta: &FailureProbability) -> bool {
        // A price too small for any noise that can be drawn does not meet anything.
        let Ok((releases, _)) = self.bought_with(payment) else { return false };
        let measures = &self.aggregation.measures;
        goals.iter().all(|goal| {
            let bound = match (&goal.rows, goal.formula) {
                (Some(rows), Formula::Mean { total, rows: count, grid }) => {
                    mean_error_bound((*total, *count), grid, rows, measures, &releases, beta)
                }
                _ => error_bound(goal.formula, measures, &releases, beta),
            };
            bound.is_some_and(|bound| bound <= goal.error)
        })
    }

    /// What the same errors would cost with the other noise, where there is a choice.
    fn compared(
        &self,
        scope: &Scope,
        options: &Options,
        chosen: &Payment,
        goals: &[Goal<'_>],
        beta: &FailureProbability,
    ) -> Option<String> {
        if scope.budget.currency() == Currency::Pure {
            return None;
        }
        let other = Parts { laplace: !self.laplace, delta: self.delta.clone(), ..*self };
        let cost = |parts: &Parts<'_>, payment: &Payment| {
            let (releases, selection) = parts.bought_with(payment).ok()?;
            Some(parts.loss(scope, &releases, selection.as_ref()).ok()?.approximate_rho()?.0)
        };
        let ours = cost(self, chosen)?;
        let theirs = cost(&other, &other.cheapest(scope, goals, beta).ok()?)?;
        let names = if self.laplace { ("Laplace", "Gaussian") } else { ("Gaussian", "Laplace") };
        let hint = match options.noise {
            Some(NoiseChoice::Laplace | NoiseChoice::Gaussian) if theirs < ours => {
                "; noise = auto would take it"
            }
            _ => "",
        };
        Some(format!(
            "{} noise costs rho = {} for this error, {} noise rho = {}{hint}",
            names.0,
            decimal_upper(ours.value(), DIGITS),
            names.1,
            decimal_upper(theirs.value(), DIGITS),
        ))
    }

    /// The least price, in three digits, at which every error is as small as wanted.
    fn cheapest(
        &self,
        scope: &Scope,
        goals: &[Goal<'_>],
        beta: &FailureProbability,
    ) -> Result<Payment, Refusal> {
        let pure = self.laplace || scope.budget.currency() == Currency::Pure;
        let meets = |payment: &Payment| self.meets(payment, goals, beta);
        // Prices from 1.00e-15 to 1.00e5, by their three digits and their power of ten.
        let (mut low, mut high) = (0i64, 20 * 900);
        let candidate = |index: i64| -> Result<Payment, Refusal> {
            let value = Rational::from(100 + index % 900) * power_of_ten(index / 900 - 17);
            let spend = match pure {
                true => Spend::Pure(Epsilon::new(value)?),
                false => Spend::Concentrated(Rho::new(value)?),
            };
            Ok(Payment { spend, laplace_for_rho: false })
        };
        if !meets(&candidate(high)?) {
            return Err(Refusal::parameter(
                "no price makes the error that small",
                "allow a larger error: counts and sums are whole steps of their grids",
            ));
        }
        if meets(&candidate(low)?) {
            high = low;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if meets(&candidate(middle)?) {
                high = middle;
            } else {
                low = middle;
            }
        }
        candidate(high)
    }
}

/// How wrong an aggregate may be.
struct Goal<'f> {
    formula: &'f Formula,
    error: Rational,
    /// How many rows a mean is thought to be of.
    rows: Option<Rational>,
}

/// With probability at least 1 − β a mean over this many rows is no further off, whatever it is: its error is that of
/// total − mean·rows over the number of rows, and a mean is at most half a range from the middle.
fn mean_error_bound(
    (total, count): (usize, usize),
    grid: &Grid,
    rows: &Rational,
    measures: &[Measure],
    releases: &[Release],
    beta: &FailureProbability,
) -> Option<Rational> {
    let half = (&grid.upper() - grid.lower()) * Rational::ratio(1, 2);
    let part =
        |measure: usize, weight: Rational| (weight.to_f64_upper(), Noise::of(releases[measure].noise()));
    let parts = [part(total, measures[total].unit()), part(count, half)];
    let error = Rational::from_f64(quantile(&parts, &Sureness::new(beta.value())).next_up()).ok()?;
    Some(error / rows.clone())
}

/// The largest ε that ρ pays for when it is charged as ε²/2: √(2ρ), rounded down.
pub(crate) fn epsilon_lower(rho: &Rho) -> Result<Epsilon, Refusal> {
    let twice = rho.value() * &Rational::from(2);
    Ok(Epsilon::new(Enclosure::of(&twice, 320).sqrt().lower().round_down_to_bits(128))?)
}

/// A hundredth of a budget, in three digits, rounded down.
pub(crate) fn hundredth_lower(total: &Rational) -> Rational {
    (total / &Rational::from(DEFAULT_SHARE)).round_down_to_digits(DIGITS)
}

fn power_of_ten(exponent: i64) -> Rational {
    let power = Rational::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
    if exponent < 0 { Rational::one() / power } else { power }
}
