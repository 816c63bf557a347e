//! What a release will be, before it is paid for: its tables, their errors and its price.

use pointillist_curator::PublicationPlan;
use pointillist_numbers::Rational;
use pointillist_privacy::{Budget, Currency, Delta, EpsilonDelta, Price};

use super::asked::What;
use super::pricing::{LAPLACE_95, NORMAL_95, strategy_spend};
use super::{Planned, PricedCube};
use crate::StrategyLine;

/// What a release will be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its tables, in the order of the plan.
    pub tables: Vec<ExpectedTable>,
    /// What the ledger will take.
    pub charged: Price,
    /// The tight account at the plan's δ; none for pure budgets.
    pub tight: Option<EpsilonDelta>,
    /// What the ledger's rule makes of what it takes, at the same δ.
    pub by_filter: Option<EpsilonDelta>,
    /// What the parts would cost one by one.
    pub sum_of_parts: Price,
    /// The population that pays.
    pub scope: String,
    /// What its budget has left; none where nobody has asked yet.
    pub remaining: Option<Budget>,
    /// What there is to know.
    pub notes: Vec<String>,
}

/// A table of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedTable {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// How many cells it has; none where keys are earned.
    pub cells: Option<u64>,
    /// The noise of its least certain cell stays within this with 95 %; none where that depends on released numbers.
    pub error_95: Option<f64>,
    /// Its part of the price; tables that are measured together share theirs.
    pub price_share: f64,
    /// How it is measured.
    pub method: String,
    /// The ways that were compared.
    pub strategies: Vec<StrategyLine>,
}

/// What the ledger's rule makes of a price at a δ of which the price's own is a part; none where nothing is left of it.
pub(crate) fn by_filter(charged: &Price, delta: &Delta) -> Option<EpsilonDelta> {
    let left = Delta::new(delta.value() - &charged.amount().delta()).ok().filter(|left| !left.is_zero())?;
    let epsilon = charged.epsilon_at(&left)?.epsilon;
    Some(EpsilonDelta { epsilon, delta: delta.clone() })
}

impl Planned {
    /// What it will be.
    pub(crate) fn expected(&self, remaining: Option<Budget>) -> Expected {
        let charged = self.publication.price();
        let mut notes: Vec<String> = Vec::new();
        let cubes = self.cubes.iter().flat_map(|cube| cube.notes(&self.publication));
        for note in cubes.chain(self.statements.iter().flat_map(|statement| statement.plan.all_notes())) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if remaining.is_some_and(|left| !charged.amount().is_within(left.amount)) {
            notes.push("The budget has less left than this costs: it would be refused.".to_owned());
        }
        Expected {
            tables: (0..self.asked.len()).map(|asked| self.expected_table(asked)).collect(),
            charged,
            tight: self.tight(),
            by_filter: self.delta.as_ref().and_then(|delta| by_filter(&charged, delta)),
            sum_of_parts: self.publication.price_of_parts(),
            scope: self.publication.scope().to_owned(),
            remaining,
            notes,
        }
    }

    /// The tight account, where an ε at some δ is said at all.
    pub(crate) fn tight(&self) -> Option<EpsilonDelta> {
        let delta = self.delta.as_ref().filter(|_| self.publication.price().currency() == Currency::Zcdp)?;
        self.publication.list().epsilon(delta).ok()
    }

    /// How many standard deviations hold 95 % of the noise.
    pub(crate) fn deviate(&self) -> f64 {
        match self.publication.price().currency() {
            Currency::Zcdp => NORMAL_95,
            Currency::Pure => LAPLACE_95,
        }
    }

    /// The cube that a table is in, and which of its tables it is.
    pub(crate) fn cube_of(&self, asked: usize) -> Option<(&PricedCube, usize)> {
        self.cubes.iter().find_map(|cube| {
            let place = cube.plan.tables.iter().position(|table| table.asked == asked)?;
            Some((cube, place))
        })
    }

    fn expected_table(&self, asked: usize) -> ExpectedTable {
        let table = &self.asked[asked];
        let (name, title) = (table.name.clone(), table.title.clone());
        let total = self.publication.price_of_parts().amount().loss();
        let share = |part: Rational| (part / total.clone()).to_f64_nearest();
        match (self.cube_of(asked), &table.what) {
            (Some((cube, place)), _) => {
                let strategy = cube.strategy();
                let cells = strategy.cube.cells(&strategy.tables[place]).ok().map(|cells| cells as u64);
                let price_share = share(strategy_spend(strategy)) / cube.plan.tables.len() as f64;
                let error_95 = Some(strategy.worst[place] * self.deviate() + 0.5);
                let strategies = cube.strategy_lines(place);
                ExpectedTable {
                    name,
                    title,
                    cells,
                    error_95,
                    price_share,
                    method: cube.method(place),
                    strategies,
                }
            }
            (None, What::Statement(_) | What::Count(_)) => {
                let plan = self.statements.iter().find(|statement| statement.asked == asked);
                let parts = plan.map(|statement| statement.plan.parts()).unwrap_or_default();
                let domain = |part: &pointillist_plan::PrivatePlan| {
                    Some(part.aggregation.domain.as_ref()?.len() as u64)
                };
                let cells = match parts {
                    [only] => domain(only),
                    _ => None,
                };
                let error_95 = match parts {
                    [only] => statement_error(only),
                    _ => None,
                };
                let price_share = plan.map_or(0.0, |statement| share(statement.plan.price().amount().loss()));
                let method = "asked for by a statement, and answered as it is".to_owned();
                ExpectedTable { name, title, cells, error_95, price_share, method, strategies: Vec::new() }
            }
        }
    }
}

/// The largest error of the counts and sums of a release.
fn statement_error(plan: &pointillist_plan::PrivatePlan) -> Option<f64> {
    let failure = pointillist_privacy::FailureProbability::parse("0.05").ok()?;
    let one = |measure: usize| {
        let release = &plan.releases[measure];
        let unit = plan.aggregation.measures[measure].unit().to_f64_nearest();
        release.choice().is_none().then(|| release.noise().error_bound(&failure) as f64 * unit)
    };
    let sums = plan.answer.aggregates.iter().filter_map(|aggregate| match &aggregate.formula {
        pointillist_plan::Formula::Sum { measure, .. } => one(*measure),
        _ => None,
    });
    sums.reduce(f64::max)
}

impl PricedCube {
    /// Which rows its tables count, and what bounding changes.
    pub(crate) fn notes(&self, publication: &PublicationPlan) -> Vec<String> {
        let mut notes = Vec::new();
        let names: Vec<&str> = self.plan.axes.iter().map(|axis| axis.key.name.as_str()).collect();
        if !names.is_empty() {
            notes.push(format!(
                "Counted are the rows of {} that have a listed value in each of: {}. So the tables by these columns agree; \
                 rows without such a value are in none of them.",
                self.plan.rows.from,
                names.join(", ")
            ));
        }
        if !self.plan.is_one_row {
            let sources = &publication.measured()[self.measured.clone()];
            notes.extend(sources.first().into_iter().flat_map(|table| table.plan().notes.clone()));
            if self.plan.tables.len() > 1 {
                notes.push(
                    "What counts of people with many rows was chosen at the finest table; the others are sums of it, so \
                     that their totals are smaller than those of tables asked for alone."
                        .to_owned(),
                );
            }
        }
        notes
    }

    /// The strategy that is carried out.
    pub(crate) fn strategy(&self) -> &pointillist_workload::Strategy {
        &self.choice.considered[self.chosen]
    }

    /// How one of its tables is measured, in a sentence.
    pub(crate) fn method(&self, place: usize) -> String {
        let strategy = self.strategy();
        let several = self.plan.tables.len() > 1;
        // A tree over an ordered column is nothing that the other tables are made of.
        let is_tree = strategy.tables[place].iter().any(|depth| *depth > 1);
        let name = match strategy.name.as_str() {
            name if name.starts_with("flat") => "flat",
            _ if !is_tree => "residual",
            other => other,
        };
        let base = match name {
            "flat" => "counted cell by cell, with independent noise on every cell".to_owned(),
            "residual" => {
                "measured as residuals: the total, and what every further column adds to it, each with noise of its own".to_owned()
            }
            "wavelet" => {
                "measured as a wavelet: halves of halves, so that a range is made of few noisy numbers".to_owned()
            }
            other => format!("measured as {other}: blocks within blocks, so that a range is made of few noisy numbers"),
        };
        match several {
            true => format!(
                "{base}; measured together with {} other tables, with which it agrees",
                self.plan.tables.len() - 1
            ),
            false => base,
        }
    }

    /// The ways to measure that were compared for one of its tables.
    pub(crate) fn strategy_lines(&self, place: usize) -> Vec<StrategyLine> {
        let line = |(index, strategy): (usize, &pointillist_workload::Strategy)| StrategyLine {
            name: strategy.name.clone(),
            expected_error: strategy.expected[place],
            is_chosen: index == self.chosen,
        };
        match self.choice.considered.len() {
            0 | 1 => Vec::new(),
            _ => self.choice.considered.iter().enumerate().map(line).collect(),
        }
    }
}
