//! How a price is split among residuals, so that what is asked has least error.
//!
//! **Guarantee.** The prices that are handed out add up to the given one exactly, or, where the least price is asked for,
//! are what was computed, rounded up; floats decide who gets how much of it, never how much there is.
//! **Proof.** [`Spend::split`] for the former. The latter is what its caller is told it costs.
//!
//! The variance of an answer is linear in the variances u of the residuals ([`crate::influence`]), Σ v·u, and a
//! residual costs κ·u^(−α): κ = L2²/2 and α = 1 in ρ, κ = √2·L1 and α = 1/2 in ε (where u = 2b²). So all of these are convex:
//!
//! * least weighted variance at a given price: u ∝ (κ/v)^(1/(1+α)), in closed form; the square root in ρ, the cube root in ε;
//! * least price at which no cell of some tables has more than a wanted standard deviation: the same with weights that are
//!   raised where a limit is passed and lowered where it is not, until the dual value meets the price;
//! * both: the given price, the limits, and least weighted variance under them.
//!
//! **Source.** The closed form in ρ for categories is ResidualPlanner's (Xiao, He, Zhang, Kifer 2023, arXiv:2305.08175).

use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Rho, Spend};

use crate::cube::is_below;
use crate::{Cube, Depths, Moved, Norms, What, WorkloadError, influence};

/// More than this many different cells of one table, as far as noise goes, are covered by one limit above all of theirs.
const PROFILES_MAX: usize = 4096;
/// Limits are aimed at with this much room, so that they hold when the last step stops short of the optimum.
const ROOM: f64 = 1e-6;
const STEPS_MAX: usize = 20_000;
/// Shares of a price are integers out of about this many.
const SHARES: f64 = (1u64 << 40) as f64;

/// What is wanted of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Its mean variance counts this many times.
    Weight(f64),
    /// No cell of it has a larger standard deviation than this.
    Error(f64),
}

/// A table that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its depths in the cube.
    pub depths: Depths,
    /// How good it should be.
    pub goal: Goal,
    /// Whether ranges along its ordered axes will be asked rather than cells. A wanted error is about cells all the same.
    pub ranges: bool,
}

/// What there is to spend.
#[derive(Clone, Debug, PartialEq)]
pub enum Budget {
    /// This, all of it where any table has a weight, and no more.
    Given(Spend),
    /// As little ε as meets the wanted errors, which every table must have.
    LeastEpsilon,
    /// As little ρ as meets the wanted errors, which every table must have.
    LeastRho,
}

impl Budget {
    /// Whether noise is paid for in ε.
    pub fn is_pure(&self) -> bool {
        matches!(self, Self::Given(Spend::Pure(_)) | Self::LeastEpsilon)
    }
}

/// Each residual that the wanted tables are made of, with its price.
pub fn allocate(
    cube: &Cube,
    wanted: &[Wanted],
    moved: &Moved,
    budget: &Budget,
) -> Result<Vec<(What, Spend)>, WorkloadError> {
    let residuals = residuals_of_all(cube, wanted)?;
    let whats: Vec<What> = residuals.iter().cloned().map(What::Residual).collect();
    let problem = Problem::new(cube, wanted, moved, budget, &residuals)?;
    let variances = problem.solve(budget)?;
    let costs: Vec<f64> =
        variances.iter().zip(&problem.prices).map(|(u, price)| price * u.powf(-problem.power)).collect();
    let spends = prices(&costs, budget, problem.weights.iter().any(|weight| *weight > 0.0))?;
    Ok(whats.into_iter().zip(spends).collect())
}

/// Everything that some wanted table is made of, each once, coarser ones first.
pub(crate) fn residuals_of_all(cube: &Cube, wanted: &[Wanted]) -> Result<Vec<Depths>, WorkloadError> {
    if wanted.is_empty() {
        return Err(WorkloadError::NoTables);
    }
    let mut residuals = std::collections::BTreeSet::new();
    for table in wanted {
        cube.check(&table.depths)?;
        residuals.extend(cube.residuals_of(&table.depths));
    }
    Ok(residuals.into_iter().collect())
}

/// For each residual, how much of its variance the mean answer of a table has.
pub(crate) fn mean_influences(cube: &Cube, wanted: &Wanted, residuals: &[Depths]) -> Vec<f64> {
    let axis = |(attribute, depth): (&crate::Attribute, &usize)| match wanted.ranges && attribute.is_ordered()
    {
        true => influence::mean_of_ranges(attribute, *depth),
        false => influence::mean_of_blocks(attribute, *depth),
    };
    let axes: Vec<Vec<f64>> = cube.attributes().iter().zip(&wanted.depths).map(axis).collect();
    residuals.iter().map(|residual| influence::product(&axes, residual)).collect()
}

/// For each different cell of a table, how much of each residual's variance it has.
pub(crate) fn cell_influences(cube: &Cube, depths: &[usize], residuals: &[Depths]) -> Vec<Vec<f64>> {
    let axes: Vec<Vec<Vec<f64>>> = cube
        .attributes()
        .iter()
        .zip(depths)
        .map(|(attribute, depth)| {
            influence::of_blocks(attribute, *depth).into_iter().map(|(q, _)| q).collect()
        })
        .collect();
    let different = axes.iter().try_fold(1usize, |product, axis| product.checked_mul(axis.len()));
    if different.is_none_or(|different| different > PROFILES_MAX) {
        let most = |axis: &Vec<Vec<f64>>| {
            (0..axis[0].len()).map(|depth| axis.iter().map(|q| q[depth]).fold(0.0, f64::max)).collect()
        };
        let axes: Vec<Vec<f64>> = axes.iter().map(most).collect();
        return vec![residuals.iter().map(|residual| influence::product(&axes, residual)).collect()];
    }
    let mut cells: Vec<Vec<Vec<f64>>> = vec![Vec::new()];
    for axis in &axes {
        let with = |start: &Vec<Vec<f64>>| {
            let start = start.clone();
            axis.iter().map(move |q| start.iter().cloned().chain([q.clone()]).collect())
        };
        cells = cells.iter().flat_map(with).collect();
    }
    let of_cell =
        |axes: Vec<Vec<f64>>| residuals.iter().map(|residual| influence::product(&axes, residual)).collect();
    cells.into_iter().map(of_cell).collect()
}

/// A convex problem in the residuals' variances u: price Σ κ·u^(−power), weighted variance Σ weights·u, limits Σ c·u ≤ l.
struct Problem {
    prices: Vec<f64>,
    power: f64,
    weights: Vec<f64>,
    limits: Vec<(Vec<f64>, f64)>,
}

impl Problem {
    fn new(
        cube: &Cube,
        wanted: &[Wanted],
        moved: &Moved,
        budget: &Budget,
        residuals: &[Depths],
    ) -> Result<Self, WorkloadError> {
        let mut weights = vec![0.0; residuals.len()];
        let mut limits = Vec::new();
        for table in wanted {
            match table.goal {
                Goal::Weight(weight) if weight.is_finite() && weight > 0.0 => {
                    let means = mean_influences(cube, table, residuals);
                    weights.iter_mut().zip(means).for_each(|(sum, mean)| *sum += weight * mean);
                }
                Goal::Error(error) if error.is_finite() && error > 0.0 => {
                    let limit = error * error * (1.0 - ROOM);
                    let cells = cell_influences(cube, &table.depths, residuals);
                    limits.extend(cells.into_iter().map(|cell| (cell, limit)));
                }
                _ => return Err(WorkloadError::Goal),
            }
        }
        let mut prices = Vec::new();
        for residual in residuals {
            let norms = Norms::new(cube, &What::Residual(residual.clone()), moved)?;
            prices.push(match budget.is_pure() {
                true => norms.l1.to_f64_nearest() * std::f64::consts::SQRT_2,
                false => norms.l2_squared.to_f64_nearest() / 2.0,
            });
        }
        Ok(Self { prices, power: if budget.is_pure() { 0.5 } else { 1.0 }, weights, limits })
    }

    fn solve(&self, budget: &Budget) -> Result<Vec<f64>, WorkloadError> {
        let weighted = self.weights.iter().any(|weight| *weight > 0.0);
        let Budget::Given(spend) = budget else {
            return if weighted { Err(WorkloadError::Goal) } else { Ok(self.least_price()) };
        };
        let given = match spend {
            Spend::Pure(epsilon) => epsilon.value().to_f64_lower(),
            Spend::Concentrated(rho) => rho.value().to_f64_lower(),
        };
        if self.limits.is_empty() {
            return Ok(self.least_variance(&self.weights, given));
        }
        let limited = self.without_free();
        let least = limited.least_price();
        let needed = limited.price(&least);
        if needed > given {
            let unit = if budget.is_pure() { 'ε' } else { 'ρ' };
            return Err(WorkloadError::ErrorsTooSmall {
                needed: format!("{unit} = {needed:.6}"),
                given: spend.to_string(),
            });
        }
        Ok(if weighted { self.both(given) } else { least })
    }

    /// The same problem without the residuals that no limit is about.
    fn without_free(&self) -> Self {
        let limited = |index: &usize| self.limits.iter().any(|(cell, _)| cell[*index] > 0.0);
        let kept: Vec<usize> = (0..self.prices.len()).filter(limited).collect();
        let pick = |from: &[f64]| kept.iter().map(|index| from[*index]).collect::<Vec<f64>>();
        Self {
            prices: pick(&self.prices),
            power: self.power,
            weights: pick(&self.weights),
            limits: self.limits.iter().map(|(cell, limit)| (pick(cell), *limit)).collect(),
        }
    }

    fn price(&self, variances: &[f64]) -> f64 {
        variances.iter().zip(&self.prices).map(|(u, price)| price * u.powf(-self.power)).sum()
    }

    /// The variances of least Σ v·u at a price.
    fn least_variance(&self, v: &[f64], price: f64) -> Vec<f64> {
        let shape: Vec<f64> =
            self.prices.iter().zip(v).map(|(own, v)| (own / v).powf(1.0 / (1.0 + self.power))).collect();
        let scale = (self.price(&shape) / price).powf(1.0 / self.power);
        shape.into_iter().map(|u| u * scale).collect()
    }

    /// The variances of least price under the limits.
    fn least_price(&self) -> Vec<f64> {
        let mut multipliers: Vec<f64> = self.limits.iter().map(|(_, limit)| 1.0 / limit).collect();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for _ in 0..STEPS_MAX {
            // At price one; what matters is the shape, which is then scaled so that the tightest limit just holds.
            let shape = self.least_variance(&self.mixed(&vec![0.0; self.prices.len()], &multipliers), 1.0);
            let used = self.used(&shape);
            let tightest = used.iter().copied().fold(0.0, f64::max);
            let variances: Vec<f64> = shape.iter().map(|u| u / tightest).collect();
            let price = self.price(&variances);
            if best.as_ref().is_none_or(|(least, _)| price < *least) {
                best = Some((price, variances));
            }
            // By duality the mean of the limits' use, weighted by multipliers, against the tightest bounds the gap.
            let all: f64 = multipliers.iter().zip(&self.limits).map(|(m, (_, limit))| m * limit).sum();
            let mean: f64 =
                multipliers.iter().zip(&used).zip(&self.limits).map(|((m, u), (_, l))| m * u * l).sum();
            if tightest <= mean / all * (1.0 + 1e-9) {
                break;
            }
            multipliers.iter_mut().zip(&used).for_each(|(m, used)| *m *= used / tightest);
        }
        best.expect("there is at least one step").1
    }

    /// The variances of least weighted variance at a price, under the limits, which are known to be in reach.
    fn both(&self, price: f64) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        let mut multipliers: Vec<f64> = self.limits.iter().map(|(_, limit)| total / limit).collect();
        let mut variances = self.least_variance(&self.mixed(&self.weights, &multipliers), price);
        for _ in 0..STEPS_MAX {
            let used = self.used(&variances);
            let slack =
                |(m, used): (&f64, &f64)| *used > 1.0 + 1e-7 || (*used < 1.0 - 1e-7 && *m > 1e-30 * total);
            if !multipliers.iter().zip(&used).any(slack) {
                break;
            }
            multipliers.iter_mut().zip(&used).for_each(|(m, used)| *m *= used);
            variances = self.least_variance(&self.mixed(&self.weights, &multipliers), price);
        }
        variances
    }

    /// The weights with each limit's cell added as often as its multiplier says.
    fn mixed(&self, weights: &[f64], multipliers: &[f64]) -> Vec<f64> {
        let mut mixed = weights.to_vec();
        for ((cell, _), multiplier) in self.limits.iter().zip(multipliers) {
            mixed.iter_mut().zip(cell).for_each(|(sum, influence)| *sum += multiplier * influence);
        }
        mixed
    }

    /// How much of each limit is used.
    fn used(&self, variances: &[f64]) -> Vec<f64> {
        let variance = |cell: &[f64]| cell.iter().zip(variances).map(|(c, u)| c * u).sum::<f64>();
        self.limits.iter().map(|(cell, limit)| variance(cell) / limit).collect()
    }
}

/// Exact prices in these proportions: the whole of what is given, or each rounded up where the least is asked for.
pub(crate) fn prices(costs: &[f64], budget: &Budget, all: bool) -> Result<Vec<Spend>, WorkloadError> {
    let exact = |cost: &f64| Rational::from_f64(*cost).map(|cost| cost.round_up_significant(40));
    let costs_upper =
        costs.iter().map(exact).collect::<Result<Vec<_>, _>>().map_err(|_| WorkloadError::Goal)?;
    if let Budget::Given(spend) = budget {
        let given = match spend {
            Spend::Pure(epsilon) => epsilon.value(),
            Spend::Concentrated(rho) => rho.value(),
        };
        if all || costs_upper.iter().fold(Rational::zero(), |sum, cost| sum + cost.clone()) > *given {
            let total: f64 = costs.iter().sum();
            let share = |cost: &f64| ((cost / total * SHARES).round() as u64).max(1);
            return Ok(spend.split(&costs.iter().map(share).collect::<Vec<u64>>())?);
        }
    }
    let price = |cost: Rational| -> Result<Spend, WorkloadError> {
        Ok(match budget.is_pure() {
            true => Spend::Pure(Epsilon::new(cost)?),
            false => Spend::Concentrated(Rho::new(cost)?),
        })
    };
    costs_upper.into_iter().map(price).collect()
}

/// The tables among the wanted that are not sums of another one.
pub(crate) fn maximal(wanted: &[Wanted]) -> Vec<Depths> {
    let mut kept: Vec<Depths> = Vec::new();
    for table in wanted {
        let covered =
            wanted.iter().any(|other| other.depths != table.depths && is_below(&table.depths, &other.depths));
        if !covered && !kept.contains(&table.depths) {
            kept.push(table.depths.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests;
