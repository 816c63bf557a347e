//! What each part of a release gets of its price.

use std::cell::RefCell;

use pointillist_catalog::{Catalog, DeclaredBudget};
use pointillist_curator::{MeasuredTable, PublicationPlan, moved};
use pointillist_numbers::Rational;
use pointillist_privacy::conversion::{GaussianDp, zcdp_rho_lower};
use pointillist_privacy::{Currency, Delta, Epsilon, Rho, Spend};
use pointillist_query::{Options, WantedError};
use pointillist_workload::{Budget, Choice, Reconstruction, Strategy, Wanted, choose};

use super::asked::{Asked, What};
use super::cube::CubePlan;
use super::{
    Planned, PricedCube, PricedStatement, PublicationError, currency_of, measured_tables, nominal_options,
    nominal_statement, statement,
};
use crate::{Goal, PlanBudget, PlanFile};

/// The standard normal deviate that 95 % of noise stays below on either side.
pub(crate) const NORMAL_95: f64 = 1.959_963_984_540_054_5;
/// The same for a Laplace variable in units of its standard deviation: ln 20/√2, more than any sum of such variables needs.
pub(crate) const LAPLACE_95: f64 = 2.118_333_100_3;
/// Steps of the search for the ρ of an ε: each halves the distance to it.
const STEPS: usize = 12;

/// What there is to spend in all.
enum Total {
    /// So much.
    Given(Spend),
    /// As much ρ as stays within ε at δ.
    Within(Epsilon, Delta),
    /// What the wanted errors need.
    Least,
}

/// What is asked, before anything has a price.
struct Order<'a> {
    catalog: &'a Catalog,
    asked: Vec<Asked>,
    cubes: Vec<CubePlan>,
    currency: Currency,
    /// The δ of each statement that lets keys be earned, by its place among what is asked.
    key_deltas: Vec<(usize, Delta)>,
    /// The first strategy of every cube that shares a budget by weight, with what it cost: at another price it is the same,
    /// with all its parts scaled alike.
    found: RefCell<Vec<Option<(Choice, usize, Rational)>>>,
}

/// Finds the price of everything.
pub(crate) fn priced(
    catalog: &Catalog,
    file: &PlanFile,
    asked: Vec<Asked>,
    cubes: Vec<CubePlan>,
    scope: &str,
) -> Result<Planned, PublicationError> {
    let currency = currency_of(catalog, scope);
    let declared_delta = match catalog.paying_scope(scope).map(|scope| &scope.budget) {
        Some(DeclaredBudget::Zcdp { conversion_delta, .. }) => Some(conversion_delta.clone()),
        _ => None,
    };
    let (total, delta) = total(file, currency, scope, declared_delta)?;
    let found = RefCell::new(vec![None; cubes.len()]);
    let mut order = Order { catalog, asked, cubes, currency, key_deltas: Vec::new(), found };
    order.key_deltas = order.earning(delta.as_ref())?;
    match total {
        Total::Given(spend) => order.at(&Budget::Given(spend), delta),
        Total::Least if currency == Currency::Pure => order.at(&Budget::LeastEpsilon, delta),
        Total::Least => order.at(&Budget::LeastRho, delta),
        Total::Within(epsilon, at) => order.within(&epsilon, &at),
    }
}

fn total(
    file: &PlanFile,
    currency: Currency,
    scope: &str,
    declared: Option<Delta>,
) -> Result<(Total, Option<Delta>), PublicationError> {
    let wrong = |wanted, got| PublicationError::Currency { scope: scope.to_owned(), wanted, got };
    Ok(match (&file.budget, currency) {
        (None, _) => (Total::Least, declared),
        (Some(PlanBudget::Rho { rho, delta }), Currency::Zcdp) => {
            (Total::Given(Spend::Concentrated(rho.clone())), delta.clone().or(declared))
        }
        (Some(PlanBudget::Rho { .. }), Currency::Pure) => return Err(wrong("epsilon alone", "a rho")),
        (Some(PlanBudget::Epsilon { epsilon, delta: None }), Currency::Pure) => {
            (Total::Given(Spend::Pure(epsilon.clone())), None)
        }
        (Some(PlanBudget::Epsilon { delta: Some(_), .. }), Currency::Pure) => {
            return Err(wrong("epsilon alone", "an epsilon with a delta"));
        }
        (Some(PlanBudget::Epsilon { epsilon, delta }), Currency::Zcdp) => {
            let at = delta
                .clone()
                .or(declared)
                .ok_or_else(|| wrong("rho, or epsilon with a delta", "an epsilon alone"))?;
            (Total::Within(epsilon.clone(), at.clone()), Some(at))
        }
    })
}

impl Order<'_> {
    /// Statements in which keys are earned, and the δ of each: half of all δ, in equal parts.
    fn earning(&self, delta: Option<&Delta>) -> Result<Vec<(usize, Delta)>, PublicationError> {
        let mut earning = Vec::new();
        for (index, table) in self.asked.iter().enumerate() {
            if let What::Statement(sql) = &table.what {
                let plan = nominal_statement(self.catalog, table, sql)?;
                if plan.parts().iter().any(|part| part.selection.is_some()) {
                    earning.push(index);
                }
            }
        }
        let Some(delta) = delta.filter(|_| !earning.is_empty()) else { return Ok(Vec::new()) };
        let each = delta.value() / &Rational::from(2 * earning.len() as u64);
        let each = Delta::new(each)?;
        Ok(earning.into_iter().map(|index| (index, each.clone())).collect())
    }

    /// The largest ρ found whose tight account stays within ε at δ.
    fn within(self, epsilon: &Epsilon, delta: &Delta) -> Result<Planned, PublicationError> {
        let fits = |planned: &Planned| {
            planned.publication.list().epsilon(delta).is_ok_and(|tight| tight.epsilon <= *epsilon)
        };
        // The ρ of the customary conversion always fits, where no δ goes into keys; that of a continuous Gaussian is above.
        let half = Delta::new(delta.value() * &Rational::ratio(1, 2))?;
        let keys = !self.key_deltas.is_empty();
        let mut lower = zcdp_rho_lower(epsilon, if keys { &half } else { delta })?.value().clone();
        let mut upper = gaussian_rho(epsilon, delta)?.max(lower.clone());
        let at = |rho: &Rational| {
            self.at(&Budget::Given(Spend::Concentrated(Rho::new(rho.clone())?)), Some(delta.clone()))
        };
        let mut best = at(&lower)?;
        if !fits(&best) {
            return Err(PublicationError::Internal("the customary conversion does not fit its own ε"));
        }
        // Nearly always the continuous curve is met up to a part in a hundred: begin there.
        for step in 0..STEPS {
            let share = if step == 0 { Rational::ratio(999, 1000) } else { Rational::ratio(1, 2) };
            let middle = (&lower + &((&upper - &lower) * share)).round_down_to_bits(80);
            if middle <= lower {
                break;
            }
            let planned = at(&middle)?;
            match fits(&planned) {
                true => (lower, best) = (middle, planned),
                false => upper = middle,
            }
            if (&upper - &lower) < &lower * &Rational::ratio(1, 2000) {
                break;
            }
        }
        Ok(best)
    }

    /// Everything at one total.
    fn at(&self, budget: &Budget, delta: Option<Delta>) -> Result<Planned, PublicationError> {
        let wanted: Vec<Vec<Wanted>> = self.cubes.iter().map(|cube| self.wanted(cube)).collect();
        let least = if self.currency == Currency::Pure { Budget::LeastEpsilon } else { Budget::LeastRho };
        let mut choices: Vec<Option<(Choice, usize)>> = vec![None; self.cubes.len()];
        let mut plans = vec![None; self.asked.len()];
        let mut spent = Rational::zero();
        // Wanted errors first.
        for (index, cube) in self.cubes.iter().enumerate() {
            if wanted[index].iter().all(|table| matches!(table.goal, pointillist_workload::Goal::Error(_))) {
                let chosen = self.choice(cube, &wanted[index], &least)?;
                spent = spent + strategy_spend(&chosen.0.considered[chosen.1]);
                choices[index] = Some(chosen);
            }
        }
        for (index, table) in self.asked.iter().enumerate() {
            if let (What::Statement(sql), Goal::Error(error)) = (&table.what, &table.goal) {
                let error = Some(WantedError::Absolute(error.clone()));
                let plan = self.statement(index, sql, Options { error, ..Options::default() })?;
                spent = spent + plan.price().amount().loss();
                plans[index] = Some(plan);
            }
        }
        // The rest by weight.
        let weights = self.weights(&wanted, &choices);
        if let Budget::Given(given) = budget {
            let given = amount(given);
            let rest = &given - &spent;
            if !rest.is_positive() {
                let text = |number: &Rational| pointillist_numbers::decimal_upper(number, 6);
                return Err(PublicationError::ErrorsTooSmall { needed: text(&spent), given: text(&given) });
            }
            let all = weights.iter().fold(Rational::zero(), |sum, (_, weight)| sum + weight.clone());
            for (part, weight) in &weights {
                let share = (&rest * weight / all.clone()).round_down_to_bits(100);
                match part {
                    Part::Cube(index) => {
                        choices[*index] = Some(self.shared(*index, &wanted[*index], &share)?);
                    }
                    Part::Statement(index) => {
                        let What::Statement(sql) = &self.asked[*index].what else { continue };
                        let options = self.price(&share)?;
                        plans[*index] = Some(self.statement(*index, sql, options)?);
                    }
                }
            }
        } else if !weights.is_empty() {
            return Err(PublicationError::Internal("tables with weights and no budget"));
        }
        self.assembled(choices, plans, delta)
    }

    fn assembled(
        &self,
        choices: Vec<Option<(Choice, usize)>>,
        plans: Vec<Option<pointillist_plan::StatementPlan>>,
        delta: Option<Delta>,
    ) -> Result<Planned, PublicationError> {
        let mut cubes = Vec::new();
        let mut measured = Vec::new();
        for (plan, choice) in self.cubes.iter().zip(choices) {
            let (choice, chosen) = choice.ok_or(PublicationError::Internal("a cube without a strategy"))?;
            let entry = plan.tables.first().map_or("", |table| self.asked[table.asked].name.as_str());
            let own = measured_tables(self.catalog, plan, &choice.considered[chosen], entry)?;
            let range = measured.len()..measured.len() + own.len();
            measured.extend(own);
            cubes.push(PricedCube { plan: plan.clone(), choice, chosen, measured: range });
        }
        let statements: Vec<PricedStatement> = plans
            .into_iter()
            .enumerate()
            .filter_map(|(asked, plan)| Some(PricedStatement { asked, plan: plan? }))
            .collect();
        let plans = statements.iter().map(|statement| statement.plan.clone()).collect();
        let publication = PublicationPlan::new(plans, measured)?;
        Ok(Planned { asked: self.asked.clone(), cubes, statements, publication, delta })
    }

    /// The strategy of a cube that gets this share of a budget.
    fn shared(
        &self,
        index: usize,
        wanted: &[Wanted],
        share: &Rational,
    ) -> Result<(Choice, usize), PublicationError> {
        let is_scalable = self.currency == Currency::Zcdp
            && wanted.iter().all(|table| matches!(table.goal, pointillist_workload::Goal::Weight(_)));
        if let Some((choice, chosen, cost)) = self.found.borrow()[index].clone().filter(|_| is_scalable) {
            let mut choice = choice;
            for strategy in &mut choice.considered {
                rescale(strategy, &(share / &cost))?;
            }
            return Ok((choice, chosen));
        }
        let own = Budget::Given(self.spend(share)?);
        let (choice, chosen) = self.choice(&self.cubes[index], wanted, &own)?;
        self.found.borrow_mut()[index] = Some((choice.clone(), chosen, share.clone()));
        Ok((choice, chosen))
    }

    /// The best strategy whose measurements can be taken from tables that SQL can list.
    fn choice(
        &self,
        cube: &CubePlan,
        wanted: &[Wanted],
        budget: &Budget,
    ) -> Result<(Choice, usize), PublicationError> {
        let entry = cube.tables.first().map_or("", |table| self.asked[table.asked].name.as_str());
        let options = nominal_options(self.catalog, &cube.rows);
        let shapes = cube.shapes();
        let mut finest = vec![0; shapes.len()];
        for table in &cube.tables {
            for (deepest, depth) in finest.iter_mut().zip(&table.depths) {
                *deepest = (*deepest).max(*depth);
            }
        }
        // A plan of the finest table that a person is bounded at: any table, where one row of a person counts.
        let axes = cube.tables.iter().map(|table| &table.axes).max_by_key(|axes| axes.len());
        let source = cube.source(self.catalog, entry, axes.map_or(&[], Vec::as_slice), &options)?;
        let cells = full_depths(cube);
        let bounded_at =
            if cube.is_one_row { cells } else { source_depths(cube, axes.map_or(&[], Vec::as_slice)) };
        let moved =
            moved(&source, &bounded_at).ok_or(PublicationError::Internal("a count that does not add up"))?;
        let choice = choose(&shapes, wanted, &moved, budget)?;
        let mut order: Vec<usize> = (0..choice.considered.len()).collect();
        order.sort_by(|one, other| {
            let objective = |index: &usize| choice.considered[*index].objective;
            let first = |index: &usize| *index != choice.best;
            first(one).cmp(&first(other)).then(objective(one).total_cmp(&objective(other)))
        });
        for index in order {
            let strategy = &choice.considered[index];
            let measured = measured_tables(self.catalog, cube, strategy, entry);
            if measured.is_ok_and(|measured| is_reconstructible(strategy, &measured)) {
                return Ok((choice, index));
            }
        }
        Err(PublicationError::Internal("no way to measure these tables was found"))
    }

    fn wanted(&self, cube: &CubePlan) -> Vec<Wanted> {
        let deviate = if self.currency == Currency::Pure { LAPLACE_95 } else { NORMAL_95 };
        let one = |table: &super::CubeTable| Wanted {
            depths: table.depths.clone(),
            goal: match &self.asked[table.asked].goal {
                Goal::Weight(weight) => pointillist_workload::Goal::Weight(weight.to_f64_nearest()),
                Goal::Error(error) => {
                    pointillist_workload::Goal::Error(whole_error(error.to_f64_lower()) / deviate)
                }
            },
            ranges: table.ranges,
        };
        cube.tables.iter().map(one).collect()
    }

    /// What shares the rest of the budget, and how.
    fn weights(&self, wanted: &[Vec<Wanted>], choices: &[Option<(Choice, usize)>]) -> Vec<(Part, Rational)> {
        let mut all = Vec::new();
        for (index, cube) in self.cubes.iter().enumerate().filter(|(index, _)| choices[*index].is_none()) {
            debug_assert!(!wanted[index].is_empty());
            let weights = cube.tables.iter().filter_map(|table| match &self.asked[table.asked].goal {
                Goal::Weight(weight) => Some(weight.clone()),
                Goal::Error(_) => None,
            });
            all.push((Part::Cube(index), weights.fold(Rational::zero(), |sum, weight| sum + weight)));
        }
        for (index, table) in self.asked.iter().enumerate() {
            if let (What::Statement(_), Goal::Weight(weight)) = (&table.what, &table.goal) {
                all.push((Part::Statement(index), weight.clone()));
            }
        }
        all
    }

    fn statement(
        &self,
        index: usize,
        sql: &str,
        options: Options,
    ) -> Result<pointillist_plan::StatementPlan, PublicationError> {
        let delta = self.key_deltas.iter().find(|(own, _)| *own == index).map(|(_, delta)| delta.clone());
        let table = &self.asked[index];
        statement(self.catalog, sql, &Options { delta, period: table.period.clone(), ..options })
            .map_err(|refusal| PublicationError::Refused { entry: table.name.clone(), refusal })
    }

    fn spend(&self, share: &Rational) -> Result<Spend, PublicationError> {
        Ok(match self.currency {
            Currency::Zcdp => Spend::Concentrated(Rho::new(share.clone())?),
            Currency::Pure => Spend::Pure(Epsilon::new(share.clone())?),
        })
    }

    fn price(&self, share: &Rational) -> Result<Options, PublicationError> {
        Ok(match self.spend(share)? {
            Spend::Concentrated(rho) => Options { rho: Some(rho), ..Options::default() },
            Spend::Pure(epsilon) => Options { epsilon: Some(epsilon), ..Options::default() },
        })
    }
}

/// Whether every table follows from what is measured: tried on zeros, before anything is paid.
fn is_reconstructible(strategy: &Strategy, measured: &[MeasuredTable]) -> bool {
    let zeros =
        measured.iter().flat_map(|table| table.measurements()).map(|one| (one.clone(), vec![0; one.rows()]));
    let reconstruction = Reconstruction::new(&strategy.cube, &zeros.collect::<Vec<_>>());
    reconstruction.is_ok_and(|all| strategy.tables.iter().all(|depths| all.table(depths).is_ok()))
}

/// What deviations may make of a wanted error: noise is whole, and half a step is added to every error that is told.
fn whole_error(error: f64) -> f64 {
    (error - 0.5).max(error / 2.0)
}

/// What shares a budget.
enum Part {
    Cube(usize),
    Statement(usize),
}

/// The depths of the joint table of all axes, as declared.
fn full_depths(cube: &CubePlan) -> Vec<usize> {
    cube.axes.iter().map(|axis| axis.levels.as_ref().map_or(1, |levels| levels.blocks.len())).collect()
}

fn source_depths(cube: &CubePlan, axes: &[usize]) -> Vec<usize> {
    let full = full_depths(cube);
    (0..full.len()).map(|axis| if axes.contains(&axis) { full[axis] } else { 0 }).collect()
}

fn amount(spend: &Spend) -> Rational {
    match spend {
        Spend::Pure(epsilon) => epsilon.value().clone(),
        Spend::Concentrated(rho) => rho.value().clone(),
    }
}

/// The same strategy at another price in ρ: every variance is divided by the factor.
fn rescale(strategy: &mut Strategy, factor: &Rational) -> Result<(), PublicationError> {
    for (_, spend) in &mut strategy.measurements {
        if let Spend::Concentrated(rho) = spend {
            *rho = Rho::new((rho.value() * factor).round_down_to_bits(120))?;
        }
    }
    let deviations = factor.to_f64_nearest().sqrt();
    strategy.expected.iter_mut().chain(&mut strategy.worst).for_each(|error| *error /= deviations);
    Ok(())
}

/// What the measurements of a strategy cost together.
pub(crate) fn strategy_spend(strategy: &Strategy) -> Rational {
    strategy.measurements.iter().fold(Rational::zero(), |sum, (_, spend)| sum + amount(spend))
}

/// The ρ of the continuous Gaussian that is (ε, δ)-private, up to one part in a million and rounded up.
fn gaussian_rho(epsilon: &Epsilon, delta: &Delta) -> Result<Rational, PublicationError> {
    let fits = |rho: &Rational| {
        let mu_squared = rho * &Rational::from(2);
        let curve = GaussianDp::from_mu_squared(mu_squared).and_then(|curve| curve.epsilon_upper(delta));
        curve.is_ok_and(|found| found <= *epsilon)
    };
    let mut lower = zcdp_rho_lower(epsilon, delta)?.value().clone();
    let mut upper = &lower * &Rational::from(2);
    while fits(&upper) && upper < Rational::from(100_000) {
        (lower, upper) = (upper.clone(), &upper * &Rational::from(2));
    }
    for _ in 0..20 {
        let middle = ((&lower + &upper) * Rational::ratio(1, 2)).round_up_significant(60);
        match fits(&middle) {
            true => lower = middle,
            false => upper = middle,
        }
    }
    Ok(upper)
}
