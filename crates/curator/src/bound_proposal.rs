//! Bounds for the owner to declare, found privately: `lower` and `upper` of a column, `max_groups` and
//! `max_contributions` of a table.
//!
//! **Guarantee.** What is proposed is computed from the answer to one ordinary statement of the owner's, histograms of
//! people: bounded, charged once, noised and recorded as every other (`ask.rs`). All after that is post-processing. Nothing
//! is written into the catalog.
//! **Neighbours.** Add or remove everything of one person. Every person is reduced to one number first (their largest value,
//! their smallest, how many rows they have, in how many groups they are) and is in one bucket of a public partition
//! (`buckets.rs`), so a histogram moves by one in one place, however many rows they have and whatever is in them: Δ₁ = Δ₂ = 1.
//! Two histograms are two releases with half of the price each, which is what Δ₂ = √2 would cost.
//! **The rule.** A bound is the end of the outermost bucket that more than T people are in, as far as the noise shows. T is
//! what the noise of no bucket exceeds with 99.9 %, by a union bound over all of them, for whichever law it has: 4.6 σ for two
//! histograms of 117 Gaussian buckets. It is at least [`PEOPLE_MIN`], so that no price shows an extreme of a few.
//! **How it was checked.** A false bucket: by the union bound, and in the tests of this module with seeded noise. What is lost:
//! no bucket beyond holds more than T plus noise people; a bucket further out is empty or smaller still. For counts of rows
//! the best limit leaves z/√(2ρ) people cut (the error Σ(c − m)⁺ + z·m/√(2ρ) has slope −#{c > m} + z/√(2ρ) in m). Summing all
//! noisy buckets above a limit, and taking the first limit with at most four times that many, fails: over 50 buckets the
//! noise of empty ones adds up to 7 σ, and in small simulations (60 runs a case, 20,000 people, heavy tails) absurdly large
//! limits were taken in a tenth of the runs or more in most cases. Buckets that do not stand out count as empty here; then the
//! first limit from below is the end of the highest bucket that stands out, and the error was at most 2.14 times the best one
//! in the same simulations, which had a threshold of 4 σ; the one of this file, 4.6 σ, was not simulated. For groups
//! the same rule is a rule of thumb.
//! **Not covered.** Whether a bound is right for later data.

mod buckets;
mod proposal;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use pointillist_catalog::{Catalog, Column, ColumnType, DeclaredBudget, OWNER, Protection, Table, Unit};
use pointillist_numbers::Rational;
use pointillist_plan::error_bound;
use pointillist_privacy::FailureProbability;
use pointillist_query::{Options, Refusal, Statement};
use pointillist_render::text::shown;

use crate::ask::{Ask, understand};
use crate::error::AskError;
use crate::execute::Executed;
use crate::home::{Clock, Home};
use crate::tables::find;
use buckets::Buckets;

pub use proposal::{BoundProposal, ProposedBound};

/// What is proposed is reached by more people than this, at whatever price.
pub const PEOPLE_MIN: i64 = 10;
/// What a proposal costs unless the owner says otherwise, by what the scope counts in.
const DEFAULT_RHO: &str = "0.001";
const DEFAULT_EPSILON: &str = "0.1";
/// How often noise alone may make a bucket stand out: once in so many proposals.
const FALSE_BUCKETS: u128 = 1_000;
/// The most groups and rows of one person that a catalog may declare.
const GROUPS_MAX: u64 = 1_000_000;
const ROWS_MAX: u64 = 1_000_000_000;
/// Links behind links, at most.
const LINKS_MAX: usize = 16;
/// Names that no column has.
const NUMBER: &str = "\"number of one\"";
const BUCKET: &str = "\"bucket of one\"";
const KEYS: &str = "\"keys of one\"";

/// What bounds are wanted for, and at which price.
#[derive(Clone, Debug)]
pub struct BoundWish {
    /// `TABLE`, or `TABLE.COLUMN`.
    pub place: String,
    /// For a table: the columns that questions will group by together; those with public keys, each alone, where it is
    /// empty.
    pub by: Vec<String>,
    /// The price.
    pub options: Options,
}

/// A statement that finds bounds, planned but not asked.
#[derive(Clone, Debug)]
pub struct BoundQuestion {
    ask: Ask,
    table: Table,
    /// The column that bounds are for; `None` where limits of the table are.
    column: Option<Column>,
    histograms: Vec<Histogram>,
    /// A bucket stands out if it holds more people than this.
    threshold: i64,
    catalog: Catalog,
}

/// How many people are in which bucket.
#[derive(Clone, Debug)]
struct Histogram {
    finds: Finds,
    buckets: Buckets,
}

/// What a histogram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finds {
    Lower,
    Upper,
    /// Both, where every row is another person.
    Both,
    Rows,
    Groups,
}

impl Finds {
    fn word(self) -> &'static str {
        match self {
            Self::Lower => "smallest",
            Self::Upper => "largest",
            Self::Both => "values",
            Self::Rows => "rows",
            Self::Groups => "groups",
        }
    }
}

impl BoundQuestion {
    /// The statement for a wish. Looks at the catalog alone.
    ///
    /// # Errors
    /// When there is no such table or column, and when there is nothing to be found about it.
    pub fn new(catalog: &Catalog, wish: &BoundWish) -> Result<Self, AskError> {
        let (table, column) = place(catalog, &wish.place)?;
        let Protection::Private { scope, .. } = &table.protection else {
            return Err(Refusal::not_provable(
                format!("`{}` is public: nobody's rows are bounded", shown(&table.name)),
                "ask about a table whose rows belong to people",
            )
            .into());
        };
        let person = person(catalog, table);
        let (histograms, parts) = match column {
            Some(column) => of_column(table, column, person.as_deref(), &wish.by)?,
            None => of_table(table, person.as_deref(), &wish.by)?,
        };
        let ask = Ask {
            options: priced(catalog, scope, &wish.options)?,
            ..Ask::new(parts.join(" UNION ALL "), OWNER)
        };
        let most = histograms.iter().map(|histogram| histogram.buckets.all.len()).max().unwrap_or(1);
        let threshold = threshold(catalog, &ask, most)?;
        let (table, column, catalog) = (table.clone(), column.cloned(), catalog.clone());
        Ok(Self { ask, table, column, histograms, threshold, catalog })
    }

    /// The statement, as the owner asks it.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// A bound is proposed where more people than this reach it.
    pub fn threshold(&self) -> i64 {
        self.threshold
    }
}

impl Home {
    /// Pays for a proposal and makes it; what was asked before is free.
    ///
    /// # Errors
    /// As [`Home::execute`].
    pub fn propose_bounds(&self, question: &BoundQuestion, clock: Clock) -> Result<BoundProposal, AskError> {
        match self.execute(question.ask(), clock)? {
            Executed::Answer(reply) => question.proposal(*reply).ok_or(AskError::Failed),
            _ => Err(AskError::Failed),
        }
    }
}

/// The table, and the column where one is named.
fn place<'c>(catalog: &'c Catalog, place: &str) -> Result<(&'c Table, Option<&'c Column>), Refusal> {
    let Some((table, name)) = place.split_once('.') else { return Ok((find(catalog, place)?, None)) };
    let table = find(catalog, table)?;
    Ok((table, Some(column(table, name)?)))
}

fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, Refusal> {
    table.column(name).ok_or_else(|| {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        Refusal::column(
            format!("`{}` has no column `{}`", shown(&table.name), shown(name)),
            format!("its columns are {}", names.join(", ")),
        )
    })
}

/// The name of the unit of a table's rows, behind its links; `None` where every row is another person.
fn person(catalog: &Catalog, table: &Table) -> Option<String> {
    let mut table = table;
    for _ in 0..LINKS_MAX {
        match &table.protection {
            Protection::Private { unit: Unit::Column(name), .. } => return Some(name.clone()),
            Protection::Private { unit: Unit::Linked { table: other, .. }, .. } => {
                table = catalog.tables.get(other)?;
            }
            Protection::Private { unit: Unit::Row, .. } | Protection::Public => return None,
        }
    }
    None
}

/// The wish's price, or a small one.
fn priced(catalog: &Catalog, scope: &str, wished: &Options) -> Result<Options, Refusal> {
    let mut options = wished.clone();
    if options.epsilon.is_none() && options.rho.is_none() && options.error.is_none() {
        match catalog.scopes.get(scope).map(|scope| &scope.budget) {
            Some(DeclaredBudget::Pure { .. }) => options.set("epsilon", DEFAULT_EPSILON)?,
            _ => options.set("rho", DEFAULT_RHO)?,
        }
    }
    Ok(options)
}

type Asked = (Vec<Histogram>, Vec<String>);

/// Two histograms: of everybody's largest value, and of their smallest. One, where every row is another person.
fn of_column(table: &Table, column: &Column, person: Option<&str>, by: &[String]) -> Result<Asked, Refusal> {
    if !by.is_empty() {
        return Err(Refusal::not_provable(
            "groups limit rows of a table, not values of a column",
            "name the table alone, or leave the groups out",
        ));
    }
    let whole = match &column.kind {
        ColumnType::Integer { .. } => true,
        ColumnType::Number { .. } => false,
        ColumnType::Boolean | ColumnType::Text | ColumnType::Date { .. } | ColumnType::Timestamp { .. } => {
            return Err(Refusal::not_provable(
                format!(
                    "`{}` holds no numbers: bounds of days are known without looking",
                    shown(&column.name)
                ),
                "ask about a column of type integer or decimal",
            ));
        }
    };
    let buckets = Buckets::of_values(whole);
    let (name, present) = (quoted(&column.name), format!("{} IS NOT NULL", quoted(&column.name)));
    let of = |finds: Finds, statistic: &str| {
        let from = format!("{} WHERE {present}", quoted(&table.name));
        (Histogram { finds, buckets: buckets.clone() }, histogram(finds, &buckets, statistic, &from, person))
    };
    Ok(match person {
        None => [of(Finds::Both, &name)].into_iter().unzip(),
        Some(_) => [of(Finds::Upper, &format!("max({name})")), of(Finds::Lower, &format!("min({name})"))]
            .into_iter()
            .unzip(),
    })
}

/// A histogram of how many rows people have, and one of how many groups they are in, where keys are known.
fn of_table(table: &Table, person: Option<&str>, by: &[String]) -> Result<Asked, Refusal> {
    let Some(person) = person else {
        return Err(Refusal::not_provable(
            format!("every row of `{0}` is another person: there are no limits to find", shown(&table.name)),
            format!("ask about a column with numbers, such as {}.x", shown(&table.name)),
        ));
    };
    let (from, rows) = (quoted(&table.name), Buckets::of_counts(ROWS_MAX));
    let mut histograms = vec![Histogram { finds: Finds::Rows, buckets: rows.clone() }];
    let mut parts = vec![histogram(Finds::Rows, &rows, "count(*)", &from, Some(person))];
    let keyed = table.columns.iter().filter(|column| column.name != person);
    let keyed = keyed.filter_map(|column| {
        Some((format!("count(DISTINCT {})", quoted(&column.name)), column.public_keys.as_ref()?.len()))
    });
    let (keyed, keys): (Vec<String>, Vec<usize>) = keyed.unzip();
    // Nobody is in more groups than there are; how many groups columns make together nobody says.
    let most =
        keys.into_iter().max().filter(|_| by.is_empty()).map_or(GROUPS_MAX, |keys| (keys as u64).max(1));
    let groups = Buckets::of_counts(most);
    let (statistic, from) = match (by, keyed.as_slice()) {
        ([], []) => return Ok((histograms, parts)),
        ([], [one]) => (one.clone(), from),
        ([], several) => (format!("greatest({})", several.join(", ")), from),
        (by, _) => {
            let mut keys = quoted(person);
            for name in by {
                let column = column(table, name)?;
                write!(keys, ", {}", quoted(&column.name)).expect("writing to a string succeeds");
            }
            ("count(*)".to_owned(), format!("(SELECT {keys} FROM {from} GROUP BY {keys}) AS {KEYS}"))
        }
    };
    parts.push(histogram(Finds::Groups, &groups, &statistic, &from, Some(person)));
    histograms.push(Histogram { finds: Finds::Groups, buckets: groups });
    Ok((histograms, parts))
}

/// How many people are in which bucket, in SQL: everybody's number first, then its bucket.
fn histogram(finds: Finds, buckets: &Buckets, number: &str, from: &str, person: Option<&str>) -> String {
    let each = match person {
        None => String::new(),
        Some(person) => format!(" GROUP BY {}", quoted(person)),
    };
    format!(
        "SELECT '{}' AS histogram, {} AS {BUCKET}, count(*) AS people FROM (SELECT {number} AS {NUMBER} FROM {from}{each}) \
         AS one GROUP BY {BUCKET}",
        finds.word(),
        buckets.sql(NUMBER)
    )
}

/// A name in SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What noise alone exceeds in none of the buckets, but once in [`FALSE_BUCKETS`] proposals; no less than [`PEOPLE_MIN`].
fn threshold(catalog: &Catalog, ask: &Ask, buckets: usize) -> Result<i64, AskError> {
    let Statement::Rows(plan) = understand(catalog, ask)? else { return Err(AskError::Failed) };
    let share = Rational::ratio(1, FALSE_BUCKETS * buckets as u128 * plan.releases().len() as u128);
    let share = FailureProbability::new(share).map_err(|_| AskError::Failed)?;
    let mut threshold = PEOPLE_MIN;
    for part in plan.parts() {
        let [people] = part.answer.aggregates.as_slice() else { return Err(AskError::Failed) };
        let error = error_bound(&people.formula, &part.aggregation.measures, &part.releases, &share);
        let error = error.and_then(|error| i64::try_from(error.ceil()).ok()).ok_or(AskError::Failed)?;
        threshold = threshold.max(error);
    }
    Ok(threshold)
}
