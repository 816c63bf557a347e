//! Each accountant's way through a list of releases.

use pointillist_numbers::Rational;

use super::{Account, Release, Statement};
use crate::composition::{Batch, OptimalComposition, advanced_mixed_upper, basic_upper};
use crate::conversion::{GaussianDp, Order, RenyiCurve, zcdp_epsilon_upper};
use crate::pld::{Accountant, Certified};
use crate::{Delta, Epsilon, Rho};

/// A pair's parameters are floats rounded towards less privacy; the lower bound pays for that rounding.
const PARAMETER_ROUNDING: f64 = 1e-12;

const NO_EPSILON: &str = "only for releases with an (ε, δ) of their own";

/// An ε, or the reason why this accountant does not apply.
type Said = Result<Certified, String>;

pub(super) fn all(statement: &Statement, delta: &Delta) -> Vec<Account> {
    let account = |accountant, method, epsilon| Account { accountant, method, epsilon };
    vec![
        account("pld", "privacy-loss distributions", by_loss_distribution(statement, delta)),
        account("gaussian", "Gaussian DP, exact", by_gaussian_dp(statement, delta)),
        account("renyi", "Rényi curves, order by order", by_renyi(statement, delta)),
        account("zcdp", "zero-concentrated DP", by_zcdp(statement, delta)),
        account("optimal", "optimal composition of (ε, δ)", by_optimal(statement, delta)),
        account("advanced", "advanced composition", by_advanced(statement, delta)),
        account("basic", "sum of ε", by_basic(statement, delta)),
    ]
}

/// What privacy-loss distributions say, where nobody else can say much better: their two bounds nearly meet.
pub(super) fn tightest(statement: &Statement, delta: &Delta) -> Option<Certified> {
    let is_tight = |found: &Certified| found.lower > 0.0 && found.upper <= found.lower * (1.0 + 1e-6);
    by_loss_distribution(statement, delta).ok().filter(is_tight)
}

/// Why a theorem says nothing, in one line; its hint speaks to whoever called the theorem alone.
fn reason(error: impl ToString) -> String {
    error.to_string()
}

/// A theorem's ε, which has no lower bound of its own.
fn one_sided(epsilon: &Epsilon) -> Certified {
    Certified { lower: 0.0, upper: epsilon.to_f64_upper() }
}

fn by_loss_distribution(statement: &Statement, delta: &Delta) -> Said {
    let mut accountant = Accountant::new();
    for (release, count) in statement.releases() {
        let pair = release.worst_pair().ok_or("a release of which only ρ is known has no worst pair")?;
        accountant.add(pair, *count);
    }
    let found = accountant.epsilon(delta.to_f64_lower()).map_err(reason)?;
    let lower = if is_attained(statement) { found.lower * (1.0 - PARAMETER_ROUNDING) } else { 0.0 };
    Ok(Certified { lower, ..found })
}

/// Whether the worst pairs are those of the releases. The pair that dominates every bounded-range mechanism is none of
/// them: it says nothing from below.
pub(super) fn is_attained(statement: &Statement) -> bool {
    let bounded_range = |(release, _): &(Release, u64)| matches!(release, Release::BoundedRange { .. });
    !statement.releases().iter().any(bounded_range)
}

fn by_gaussian_dp(statement: &Statement, delta: &Delta) -> Said {
    let mut sum: Option<GaussianDp> = None;
    for (release, count) in statement.releases() {
        let one = release.gaussian().ok_or("only for Gaussian noise without sampling")?.map_err(reason)?;
        let part = one.times(*count).map_err(reason)?;
        sum = Some(match sum {
            None => part,
            Some(before) => before.then(&part).map_err(reason)?,
        });
    }
    let sum = sum.ok_or("there is nothing to compose")?;
    let upper = sum.epsilon_upper(delta).map_err(reason)?;
    // The search may stop anywhere above the smallest ε; the curve itself says from where on down every ε is too small.
    let lower = sum.epsilon_lower(delta, &upper).to_f64_lower() * (1.0 - PARAMETER_ROUNDING);
    Ok(Certified { lower, upper: upper.to_f64_upper() })
}

/// The customary orders, and the best one for the list's ρ if it has one: the curve of every mechanism with a ρ lies at or
/// below the line of that ρ, so that with this order Rényi's ε is never above zCDP's.
fn orders(statement: &Statement, delta: &Delta) -> Vec<Order> {
    let mut orders = Order::usual();
    orders.extend(total_rho(statement, delta).and_then(|(rho, left)| {
        let at = zcdp_epsilon_upper(&rho, &left).map_err(reason)?;
        Ok(at.order)
    }));
    orders
}

fn by_renyi(statement: &Statement, delta: &Delta) -> Said {
    let (curve, failures) = renyi_curve(statement, &orders(statement, delta))?;
    let left = left_of(delta, failures)?;
    Ok(one_sided(&curve.epsilon_upper(&left).map_err(reason)?.epsilon))
}

/// The Rényi curve of the whole list, and the δ with which it fails.
pub(super) fn renyi_curve(statement: &Statement, orders: &[Order]) -> Result<(RenyiCurve, Rational), String> {
    let mut sum: Option<RenyiCurve> = None;
    let mut failures = Rational::zero();
    for (release, count) in statement.releases() {
        let curve = match release {
            Release::Gaussian { sigma, sensitivity, sampling_rate } => {
                let loss = GaussianDp::from_mechanism(sensitivity, sigma).map_err(reason)?;
                match sampling_rate {
                    None => RenyiCurve::gaussian(&loss, orders),
                    Some(rate) => RenyiCurve::poisson_subsampled_gaussian(rate, &loss, orders),
                }
            }
            Release::Laplace { scale, sensitivity, sampling_rate: None } => {
                RenyiCurve::laplace(sensitivity, scale, orders)
            }
            Release::DiscreteGaussian { .. } | Release::Zcdp { .. } | Release::BoundedRange { .. } => {
                let (rho, _) = release.rho().ok_or("no ρ is known")?.map_err(reason)?;
                RenyiCurve::zcdp(&rho, orders)
            }
            _ => {
                let (epsilon, delta) = release.epsilon_delta().ok_or(NO_EPSILON)?.map_err(reason)?;
                failures = failures + delta.value() * &Rational::from(*count);
                RenyiCurve::pure(&epsilon, orders)
            }
        };
        let part = curve.map_err(reason)?.times(*count);
        sum = Some(match sum {
            None => part,
            Some(before) => before.then(&part).map_err(reason)?,
        });
    }
    Ok((sum.ok_or("there is nothing to compose")?, failures))
}

/// The ρ of the whole list, and what its own failures leave of δ.
fn total_rho(statement: &Statement, delta: &Delta) -> Result<(Rho, Delta), String> {
    let (rho, failures) = rho_and_failures(statement)?;
    Ok((rho, left_of(delta, failures)?))
}

/// The ρ of the whole list, and the δ with which it fails.
pub(super) fn rho_and_failures(statement: &Statement) -> Result<(Rho, Rational), String> {
    let (mut rho, mut failures) = (Rational::zero(), Rational::zero());
    for (release, count) in statement.releases() {
        let one = release.rho().ok_or("a sampled Gaussian has no ρ that grows with every order")?;
        let (one, failure) = one.map_err(reason)?;
        let count = Rational::from(*count);
        rho = rho + one.value() * &count;
        failures = failures + failure.value() * &count;
    }
    Ok((Rho::new(rho).map_err(reason)?, failures))
}

fn by_zcdp(statement: &Statement, delta: &Delta) -> Said {
    let (rho, left) = total_rho(statement, delta)?;
    Ok(one_sided(&zcdp_epsilon_upper(&rho, &left).map_err(reason)?.epsilon))
}

fn by_optimal(statement: &Statement, delta: &Delta) -> Said {
    let optimal = OptimalComposition::new(&batches(statement)?).map_err(reason)?;
    Ok(one_sided(&optimal.epsilon_upper(delta).map_err(reason)?))
}

fn by_advanced(statement: &Statement, delta: &Delta) -> Said {
    let batches = batches(statement)?;
    let slack = left_of(delta, failures_of(&batches))?;
    Ok(one_sided(&advanced_mixed_upper(&batches, &slack).map_err(reason)?.0))
}

fn by_basic(statement: &Statement, delta: &Delta) -> Said {
    let (epsilon, own) = basic_upper(&batches(statement)?).map_err(reason)?;
    if own > *delta {
        return Err(format!("the releases' own δ add up to {own}, more than was asked for"));
    }
    Ok(one_sided(&epsilon))
}

/// The releases by their (ε, δ) alone.
pub(super) fn batches(statement: &Statement) -> Result<Vec<Batch>, String> {
    let batch = |(release, count): &(Release, u64)| {
        let (epsilon, delta) = release.epsilon_delta().ok_or(NO_EPSILON)?.map_err(reason)?;
        Batch::new(epsilon, delta, *count).map_err(reason)
    };
    statement.releases().iter().map(batch).collect()
}

fn failures_of(batches: &[Batch]) -> Rational {
    let each = |batch: &Batch| batch.delta().value() * &Rational::from(batch.count());
    batches.iter().map(each).fold(Rational::zero(), |sum, part| sum + part)
}

/// What is left of δ after the releases' own.
fn left_of(delta: &Delta, failures: Rational) -> Result<Delta, String> {
    let left = delta.value() - &failures;
    if !left.is_positive() {
        return Err(match delta.is_zero() {
            true => "needs a δ above zero".to_owned(),
            false => "the releases' own δ use up all that was asked for".to_owned(),
        });
    }
    Delta::new(left).map_err(reason)
}
