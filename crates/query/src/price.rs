//! What a statement costs, how the price is split, and which noise it buys.
//!
//! **Guarantee.** Each part (the choice of keys, and every measure) is released with its own share; the shares add up
//! to the whole price exactly, and the cost is the sum of what the parts lose by basic composition: ρ and δ in zCDP
//! scopes, ε in pure ones. A share in ε that is charged in ρ costs ε²/2 (Bun and Steinke 2016, Proposition 1.4).

use pointillist_catalog::{Budget, Scope};
use pointillist_mechanisms::additive_noise::Price;
use pointillist_mechanisms::earned_keys::EarnedKeys;
use pointillist_numbers::{Enclosure, Rational, decimal_lower};
use pointillist_plan::{Aggregation, Answer, Cost, Formula, Release, error_bound};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, FailureProbability, Rho};

use crate::options::{NoiseChoice, Options};
use crate::refusal::{Refusal, shown};

/// A statement without a price takes this part of the scope's budget.
pub(crate) const DEFAULT_SHARE: u64 = 100;
/// Prices found for an error have this many digits.
pub(crate) const DIGITS: usize = 3;

/// What is bought.
pub(crate) struct Bought {
    pub(crate) releases: Vec<Release>,
    pub(crate) selection: Option<EarnedKeys>,
    pub(crate) cost: Cost,
    pub(crate) notes: Vec<String>,
}

/// A price and how its shares are spent.
#[derive(Clone)]
struct Tender {
    price: Price,
    /// Shares of ρ are spent on Laplace noise.
    laplace_for_rho: bool,
}

/// Buys noise for an aggregation at the price that the options say.
pub(crate) fn buy(
    scope: &Scope,
    options: &Options,
    aggregation: &Aggregation,
    answer: &Answer,
) -> Result<Bought, Refusal> {
    options.check()?;
    let earned = aggregation.domain.is_none();
    let mut notes = Vec::new();
    let delta = delta(scope, options, earned, &mut notes)?;
    let laplace = laplace(scope, options)?;
    let parts = Parts { aggregation, delta, laplace };
    let tender = match &options.error {
        Some(error) => {
            let tender = parts.cheapest(scope, error, options, answer)?;
            notes.push(format!("the price was found for the error asked: {}", tender.price));
            tender
        }
        None => tender(scope, options, laplace, &mut notes)?,
    };
    let (releases, selection) = parts.spend(&tender)?;
    let cost = parts.cost(scope, &releases, selection.as_ref())?;
    Ok(Bought { releases, selection, cost, notes })
}

/// The δ that earned keys may cost: as asked, or a hundredth of the scope's.
fn delta(
    scope: &Scope,
    options: &Options,
    earned: bool,
    notes: &mut Vec<String>,
) -> Result<Option<Delta>, Refusal> {
    let budget = match &scope.budget {
        Budget::Zcdp { delta, .. } => delta,
        Budget::Pure { .. } if options.delta.as_ref().is_some_and(|delta| !delta.is_zero()) => {
            return Err(Refusal::parameter(
                format!("the scope `{}` is pure: it has no delta to spend", shown(&scope.name)),
                "leave delta out",
            ));
        }
        Budget::Pure { .. } if earned => {
            return Err(Refusal::not_private(
                format!(
                    "these keys are not public, and the scope `{}` is pure: keys cannot be earned there",
                    shown(&scope.name)
                ),
                "ask the owner to declare public_keys or bounds for the column, or group by a CASE with constant results",
            ));
        }
        Budget::Pure { .. } => return Ok(None),
    };
    if !earned {
        return Ok(None);
    }
    if let Some(delta) = &options.delta {
        return Ok(Some(delta.clone()));
    }
    let share = Delta::parse(&decimal_lower(&(budget.value() / &Rational::from(DEFAULT_SHARE)), DIGITS));
    match share {
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

fn laplace(scope: &Scope, options: &Options) -> Result<bool, Refusal> {
    let choice = options.noise.unwrap_or(NoiseChoice::Auto);
    match (&scope.budget, choice) {
        (Budget::Zcdp { .. }, choice) => Ok(choice == NoiseChoice::Laplace),
        (Budget::Pure { .. }, NoiseChoice::Gaussian) => Err(Refusal::parameter(
            format!("the scope `{}` is pure, and Gaussian noise is not", shown(&scope.name)),
            "write noise = laplace, or leave it out",
        )),
        (Budget::Pure { .. }, _) => Ok(true),
    }
}

/// The price that the options say, or a hundredth of the budget.
fn tender(
    scope: &Scope,
    options: &Options,
    laplace: bool,
    notes: &mut Vec<String>,
) -> Result<Tender, Refusal> {
    let hundredth = |total: &Rational| decimal_lower(&(total / &Rational::from(DEFAULT_SHARE)), DIGITS);
    let mut note =
        |price: &Price| notes.push(format!("no price was given: {price}, 1 % of the scope's budget"));
    let price = match (&scope.budget, &options.epsilon, &options.rho) {
        (Budget::Pure { .. }, _, Some(_)) => {
            return Err(Refusal::parameter(
                format!("the scope `{}` is pure: it counts epsilon, not rho", shown(&scope.name)),
                "write epsilon = 0.1, for example",
            ));
        }
        (Budget::Pure { .. }, Some(epsilon), None) => Price::Pure(epsilon.clone()),
        (Budget::Pure { epsilon }, None, None) => {
            let price = Price::Pure(Epsilon::parse(&hundredth(epsilon.value()))?);
            note(&price);
            price
        }
        (Budget::Zcdp { .. }, Some(epsilon), None) if laplace => Price::Pure(epsilon.clone()),
        (Budget::Zcdp { conversion_delta, .. }, Some(epsilon), None) => {
            Price::Concentrated(zcdp_rho_lower(epsilon, conversion_delta)?)
        }
        (Budget::Zcdp { .. }, _, Some(rho)) => Price::Concentrated(rho.clone()),
        (Budget::Zcdp { rho, .. }, None, None) => {
            let price = Price::Concentrated(Rho::parse(&hundredth(rho.value()))?);
            note(&price);
            price
        }
    };
    let laplace_for_rho = laplace && matches!(price, Price::Concentrated(_));
    Ok(Tender { price, laplace_for_rho })
}

/// The probability with which one of so many bars may fail, if all shall hold at once.
fn shared(beta: &FailureProbability, bars: u64) -> Result<FailureProbability, Refusal> {
    Ok(FailureProbability::new(beta.value() / &Rational::from(bars))?)
}

struct Parts<'a> {
    aggregation: &'a Aggregation,
    delta: Option<Delta>,
    laplace: bool,
}

impl Parts<'_> {
    /// The weights of the parts: the choice of keys first, if there is one, then the measures.
    ///
    /// All equal. A count and the two or three measures of a mean or a variance matter about as much to an answer as
    /// one another, and an asker who cares more for one of them can ask for it alone; weights that guess better
    /// would need to know sizes, which are private.
    fn weights(&self) -> Vec<u64> {
        vec![1; self.aggregation.measures.len() + usize::from(self.delta.is_some())]
    }

    fn spend(&self, tender: &Tender) -> Result<(Vec<Release>, Option<EarnedKeys>), Refusal> {
        let mut shares = tender.price.split(&self.weights())?.into_iter();
        let selection = match &self.delta {
            None => None,
            Some(delta) => {
                let share = shares.next().expect("one share for each weight");
                let rho = match &share {
                    Price::Concentrated(rho) => rho.clone(),
                    Price::Pure(epsilon) => Rho::from_pure(epsilon)?,
                };
                Some(EarnedKeys::new(self.aggregation.bound.groups_max(), &rho, delta)?)
            }
        };
        let mut releases = Vec::new();
        for (measure, share) in self.aggregation.measures.iter().zip(shares) {
            let price = match share {
                Price::Concentrated(rho) if tender.laplace_for_rho => Price::Pure(epsilon_lower(&rho)?),
                other => other,
            };
            releases.push(Release::new(self.aggregation, measure, price)?);
        }
        Ok((releases, selection))
    }

    fn cost(
        &self,
        scope: &Scope,
        releases: &[Release],
        selection: Option<&EarnedKeys>,
    ) -> Result<Cost, Refusal> {
        match &scope.budget {
            Budget::Zcdp { .. } => {
                let mut rhos = Vec::new();
                let mut delta = Delta::zero();
                if let Some((rho, chosen)) =
                    selection.and_then(|selection| selection.loss().approximate_rho())
                {
                    rhos.push(rho);
                    delta = chosen;
                }
                for release in releases {
                    rhos.push(match &release.price {
                        Price::Concentrated(rho) => rho.clone(),
                        Price::Pure(epsilon) => Rho::from_pure(epsilon)?,
                    });
                }
                let mut rhos = rhos.into_iter();
                let first = rhos.next().expect("a statement has at least one part");
                let rho = rhos.try_fold(first, |sum, rho| sum.plus(&rho))?;
                Ok(Cost::Zcdp { rho, delta })
            }
            Budget::Pure { .. } => {
                let mut epsilons = releases.iter().filter_map(|release| match &release.price {
                    Price::Pure(epsilon) => Some(epsilon.clone()),
                    Price::Concentrated(_) => None,
                });
                let first =
                    epsilons.next().expect("a pure statement has at least one part, priced in epsilon");
                let epsilon = epsilons.try_fold(first, |sum, epsilon| sum.plus(&epsilon))?;
                Ok(Cost::Pure { epsilon })
            }
        }
    }

    /// The least price, in three digits, at which every count and sum stays within the error asked for.
    fn cheapest(
        &self,
        scope: &Scope,
        error: &Rational,
        options: &Options,
        answer: &Answer,
    ) -> Result<Tender, Refusal> {
        let mut sums = Vec::new();
        for aggregate in &answer.aggregates {
            match &aggregate.formula {
                formula @ (Formula::Sum { .. } | Formula::CentredSum { .. }) => sums.push(formula),
                Formula::Mean { .. } | Formula::Variance { .. } => {
                    return Err(Refusal::parameter(
                        format!(
                            "the error of {} depends on how many rows there are, which nobody may know",
                            aggregate.name
                        ),
                        "ask for SUM and COUNT with an error, or give epsilon or rho",
                    ));
                }
            }
        }
        if sums.is_empty() {
            return Err(Refusal::parameter(
                "there is no count or sum that could have an error",
                "give epsilon or rho",
            ));
        }
        let pure = self.laplace || matches!(scope.budget, Budget::Pure { .. });
        let beta = shared(&options.failure(), answer.bars_at_once_planned(self.aggregation))?;
        let meets = |tender: &Tender| {
            // A price too small for any noise that can be drawn does not meet anything.
            let Ok((releases, _)) = self.spend(tender) else { return false };
            let bound =
                |formula: &Formula| error_bound(formula, &self.aggregation.measures, &releases, &beta);
            sums.iter().all(|formula| bound(formula).is_some_and(|bound| bound <= *error))
        };
        // Prices from 1.00e-15 to 1.00e5, by their three digits and their power of ten.
        let (mut low, mut high) = (0i64, 20 * 900);
        let candidate = |index: i64| -> Result<Tender, Refusal> {
            let text = format!("{}e{}", 100 + index % 900, index / 900 - 17);
            let price = match pure {
                true => Price::Pure(Epsilon::parse(&text)?),
                false => Price::Concentrated(Rho::parse(&text)?),
            };
            Ok(Tender { price, laplace_for_rho: false })
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

/// The largest ε that ρ pays for when it is charged as ε²/2: √(2ρ), rounded down.
pub(crate) fn epsilon_lower(rho: &Rho) -> Result<Epsilon, Refusal> {
    let twice = rho.value() * &Rational::from(2);
    Ok(Epsilon::new(Enclosure::of(&twice, 320).sqrt().lower().round_down_to_bits(128))?)
}
