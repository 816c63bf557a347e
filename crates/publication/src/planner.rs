//! From a plan file to what is bought: which tables are measured together, how, and what each part of the price is for.
//!
//! **Guarantee.** A function of the plan file, the catalog and public tables alone: planning, explaining and refusing look
//! at no row of anybody's. What is bought is a [`PublicationPlan`], whose privacy is the curator's business.
//! **Prices.** Wanted errors are paid first, at least cost; what is left of the budget is shared by weight. A budget of ε at
//! δ is spent as the largest ρ whose tight account stays within it (`privacy/src/account/fixed_list.rs`).

mod asked;
mod cube;
mod error;
mod expected;
mod pricing;

use pointillist_catalog::{Catalog, DeclaredBudget, Protection};
use pointillist_curator::{MeasuredTable, PublicationPlan};
use pointillist_plan::StatementPlan;
use pointillist_privacy::{Currency, Delta, Epsilon, Rho};
use pointillist_query::Options;
use pointillist_workload::Choice;

use crate::PlanFile;
use asked::{Rows, What};

pub(crate) use asked::Asked;
pub(crate) use cube::{CubeAxis, CubePlan, CubeTable, Levels, ReadPublic};
pub use error::PublicationError;
pub(crate) use expected::by_filter;
pub use expected::{Expected, ExpectedTable};

/// Everything that is known of a release before it is paid for.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) asked: Vec<Asked>,
    pub(crate) cubes: Vec<PricedCube>,
    pub(crate) statements: Vec<PricedStatement>,
    pub(crate) publication: PublicationPlan,
    /// The δ at which ε is said.
    pub(crate) delta: Option<Delta>,
}

/// A cube, how it is measured, and which measured table of the publication each measurement belongs to.
#[derive(Clone, Debug)]
pub(crate) struct PricedCube {
    pub(crate) plan: CubePlan,
    pub(crate) choice: Choice,
    /// The strategy of the choice that is carried out.
    pub(crate) chosen: usize,
    /// Where its measured tables stand in the publication.
    pub(crate) measured: std::ops::Range<usize>,
}

/// A statement that is answered as it is.
#[derive(Clone, Debug)]
pub(crate) struct PricedStatement {
    pub(crate) asked: usize,
    pub(crate) plan: StatementPlan,
}

/// Plans a release.
pub(crate) fn plan(
    catalog: &Catalog,
    file: &PlanFile,
    lookup: &ReadPublic<'_>,
) -> Result<Planned, PublicationError> {
    let asked = asked::asked(catalog, file)?;
    let asked = with_plain_counts(catalog, file, asked);
    let cubes = cube::cubes(catalog, &asked, lookup)?;
    let scope = one_scope(catalog, &asked, &cubes)?;
    pricing::priced(catalog, file, asked, cubes, &scope)
}

/// Statements that are plain counts by public columns join the counts, so that they agree with them.
fn with_plain_counts(catalog: &Catalog, file: &PlanFile, asked: Vec<Asked>) -> Vec<Asked> {
    let entries = file.entries.iter().flat_map(|entry| entry.tables().into_iter().map(move |_| entry));
    let one = |(table, entry): (Asked, &crate::Entry)| match &table.what {
        What::Statement(sql) => match asked::plain_count_of(catalog, file, sql, entry) {
            Some(count) => Asked { what: What::Count(count), ..table },
            None => table,
        },
        What::Count(_) => table,
    };
    asked.into_iter().zip(entries).map(one).collect()
}

/// The population that all tables are about.
fn one_scope(catalog: &Catalog, asked: &[Asked], cubes: &[CubePlan]) -> Result<String, PublicationError> {
    let mut found: Option<String> = None;
    let mut meet = |entry: &str, scope: String| match &found {
        Some(other) if *other != scope => {
            Err(PublicationError::SeveralScopes { entry: entry.to_owned(), scope, other: other.clone() })
        }
        _ => {
            found = Some(scope);
            Ok(())
        }
    };
    for cube in cubes {
        let entry = cube.tables.first().map_or("", |table| asked[table.asked].name.as_str());
        let options = nominal_options(catalog, &cube.rows);
        meet(entry, cube.source(catalog, entry, &[], &options)?.scope)?;
    }
    for table in asked {
        if let What::Statement(sql) = &table.what {
            meet(&table.name, nominal_statement(catalog, table, sql)?.scope().to_owned())?;
        }
    }
    found.ok_or(PublicationError::Internal("a plan without tables"))
}

/// A statement at some price, to learn what it is about.
pub(crate) fn nominal_statement(
    catalog: &Catalog,
    table: &Asked,
    sql: &str,
) -> Result<StatementPlan, PublicationError> {
    let refused = |refusal| PublicationError::Refused { entry: table.name.clone(), refusal };
    let mut last = None;
    // Whether ρ or ε is counted is known once the statement is understood: one of the two prices fits.
    for options in nominal_prices(table.period.as_deref()) {
        match statement(catalog, sql, &options) {
            Ok(plan) => return Ok(plan),
            Err(refusal) => last = last.or(Some(refusal)),
        }
    }
    Err(last.map(refused).unwrap_or(PublicationError::Internal("a statement without a price")))
}

/// A statement about rows.
pub(crate) fn statement(
    catalog: &Catalog,
    sql: &str,
    options: &Options,
) -> Result<StatementPlan, pointillist_query::Refusal> {
    match pointillist_query::statement(catalog, sql, options)? {
        pointillist_query::Statement::Rows(plan) => Ok(*plan),
        pointillist_query::Statement::Public(_) => Err(pointillist_query::Refusal::not_provable(
            "this table reads public tables alone: there is nothing to protect in it",
            "publish it as it is, or ask about a table of people",
        )),
        pointillist_query::Statement::Synthesis(_) => Err(pointillist_query::Refusal::not_provable(
            "sanitized tables are releases of their own",
            "make them with `pointillist synth fit`, and publish them with `pointillist synth publish`",
        )),
        pointillist_query::Statement::Training(_) | pointillist_query::Statement::Evaluation(_) => {
            Err(pointillist_query::Refusal::not_provable(
                "models cannot be part of a release yet",
                "train them on their own: a model file is signed as a release is",
            ))
        }
        pointillist_query::Statement::Graph(_) => Err(pointillist_query::Refusal::not_provable(
            "statistics of graphs cannot be part of a release yet",
            "ask for them on their own",
        )),
    }
}

fn nominal_rho() -> Options {
    let delta = Delta::parse("1e-12").ok();
    Options { rho: Rho::parse("1").ok(), delta, ..Options::default() }
}

fn nominal_epsilon() -> Options {
    Options { epsilon: Epsilon::parse("1").ok(), ..Options::default() }
}

/// Some price in every currency.
pub(crate) fn nominal_prices(period: Option<&str>) -> [Options; 2] {
    [nominal_rho(), nominal_epsilon()].map(|options| Options { period: period.map(str::to_owned), ..options })
}

/// Some price in the currency of a table's population.
pub(crate) fn nominal_options(catalog: &Catalog, rows: &Rows) -> Options {
    let scope = catalog.tables.get(&rows.from).and_then(|table| match &table.protection {
        Protection::Private { scope, .. } => Some(scope),
        Protection::Public => None,
    });
    match scope.and_then(|scope| catalog.paying_scope(scope)).map(|scope| &scope.budget) {
        Some(DeclaredBudget::Pure { .. }) => Options { period: rows.period.clone(), ..nominal_epsilon() },
        _ => Options { delta: None, period: rows.period.clone(), ..nominal_rho() },
    }
}

/// What a population counts.
pub(crate) fn currency_of(catalog: &Catalog, scope: &str) -> Currency {
    catalog.paying_scope(scope).map_or(Currency::Zcdp, |scope| scope.budget.currency())
}

/// The measured tables of a cube's measurements: each is taken from the first table that has what it sums.
pub(crate) fn measured_tables(
    catalog: &Catalog,
    cube: &CubePlan,
    strategy: &pointillist_workload::Strategy,
    entry: &str,
) -> Result<Vec<MeasuredTable>, PublicationError> {
    let options = nominal_options(catalog, &cube.rows);
    let finest = |tables: &[CubeTable]| -> Vec<Vec<usize>> {
        // Where people have several rows, what counts of them was chosen at one table: the finest.
        let mut sets: Vec<Vec<usize>> = tables.iter().map(|table| sorted(&table.axes)).collect();
        let all = sets.clone();
        sets.retain(|set| {
            !all.iter().any(|other| other != set && set.iter().all(|axis| other.contains(axis)))
        });
        sets.dedup();
        sets.sort();
        sets.dedup();
        sets
    };
    let mut sources = finest(&cube.tables);
    let mut wanted: Vec<Vec<(pointillist_workload::What, pointillist_privacy::Spend)>> =
        vec![Vec::new(); sources.len()];
    for (what, spend) in &strategy.measurements {
        let needed: Vec<usize> =
            what.depths().iter().enumerate().filter(|(_, depth)| **depth > 0).map(|(axis, _)| axis).collect();
        let covers = |source: &Vec<usize>| needed.iter().all(|axis| source.contains(axis));
        let source = match sources.iter().position(covers) {
            Some(source) => source,
            None if cube.is_one_row => {
                sources.push(needed);
                wanted.push(Vec::new());
                sources.len() - 1
            }
            None => {
                return Err(PublicationError::Internal(
                    "a measurement beyond the table that people are bounded at",
                ));
            }
        };
        wanted[source].push((what.clone(), spend.clone()));
    }
    let mut tables = Vec::new();
    for (axes, measure) in sources.iter().zip(wanted).filter(|(_, measure)| !measure.is_empty()) {
        let plan = cube.source(catalog, entry, axes, &options)?;
        let deepest = strategy.cube.finest();
        let depths =
            (0..deepest.len()).map(|axis| if axes.contains(&axis) { deepest[axis] } else { 0 }).collect();
        tables.push(MeasuredTable::new(plan, strategy.cube.clone(), depths, &measure)?);
    }
    Ok(tables)
}

fn sorted(axes: &[usize]) -> Vec<usize> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    axes
}
