//! One `[[table]]` of a plan: a statement, marginals, a hierarchy or a histogram, and what it is worth.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use pointillist_catalog::document::{self, Fault, Section};
use pointillist_numbers::Rational;

use super::{expansion, name, title_page};

/// The most tables of one release.
const TABLES_MAX: u64 = 1000;
/// The most columns of one table.
const COLUMNS_MAX: usize = 32;
/// The most bins of one histogram.
const BINS_MAX: u64 = 1 << 20;
const SQL_MAX: usize = 100_000;

const KEYS: [&str; 17] = [
    "name",
    "title",
    "description",
    "weight",
    "error",
    "sql",
    "from",
    "where",
    "marginals",
    "ways",
    "lower",
    "hierarchy",
    "lookup",
    "histogram",
    "width",
    "bins",
    "ranges",
];

/// What one `[[table]]` asks for: one table or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of its table, or what the names of its tables begin with.
    pub name: String,
    /// What it shows, in a line.
    pub title: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// What it is worth.
    pub goal: Goal,
    /// What it asks for.
    pub asks: Asks,
}

/// What an entry is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Its weight among the entries that share the budget: positive.
    Weight(Rational),
    /// No cell is wrong by more than this, with 95 %: positive.
    Error(Rational),
}

/// What an entry asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Asks {
    /// What a statement says.
    Sql(String),
    /// Counts of all combinations of so many of the columns.
    Marginals {
        /// The table.
        from: String,
        /// The rows that count, as an SQL condition.
        where_: Option<String>,
        /// The columns.
        columns: Vec<String>,
        /// How many of them at once: from one to all.
        ways: usize,
        /// Whether tables of fewer columns are published too, down to the total.
        lower: bool,
    },
    /// Counts at every level: the total, by the first column, by the first two, and so on.
    Hierarchy {
        /// The table.
        from: String,
        /// The rows that count, as an SQL condition.
        where_: Option<String>,
        /// The columns, coarse ones first.
        columns: Vec<String>,
        /// A public table with these columns, where the last column decides all others.
        lookup: Option<String>,
    },
    /// Counts along one ordered column.
    Histogram {
        /// The table.
        from: String,
        /// The rows that count, as an SQL condition.
        where_: Option<String>,
        /// The column.
        column: String,
        /// How its values are put together.
        bins: Bins,
        /// Whether sums over ranges of it will be asked.
        ranges: bool,
    },
}

/// How the values of an ordered column are put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bins {
    /// Every value is its own.
    EveryValue,
    /// Bins of this width, from the lower bound: positive.
    Width(Rational),
    /// So many bins between the bounds.
    Count(NonZeroU64),
}

/// Every `[[table]]`; their names are unique after expansion.
pub(super) fn entries(root: &Section<'_>, plan: &str) -> Result<Vec<Entry>, Fault> {
    let hint = "write at least one [[table]] with a name and what it shows";
    let list = root.required("table", hint)?;
    let places = list.list("a list of tables, each under a [[table]] header,")?;
    if places.is_empty() {
        return Err(list.fault("the plan has no tables", hint));
    }
    let (mut entries, mut taken) = (Vec::new(), BTreeSet::new());
    let mut tables = 0;
    for place in places {
        let section = Section::of(&place, "a table", &KEYS)?;
        let entry = entry(&section, plan)?;
        let number = entry.table_count().unwrap_or(u64::MAX);
        tables = number.saturating_add(tables);
        if tables > TABLES_MAX {
            let what = format!("a release has at most {TABLES_MAX} tables, and here are more");
            return Err(section.fault(what, "name fewer columns, or fewer ways"));
        }
        expansion::check(&section, &entry, plan, &mut taken)?;
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(section: &Section<'_>, plan: &str) -> Result<Entry, Fault> {
    let name =
        name::table(&section.required("name", "name the table, such as `name = \"by_region\"`")?, plan)?;
    Ok(Entry {
        name,
        title: title_page::optional(section, "title", title_page::line)?,
        description: title_page::optional(section, "description", title_page::prose)?,
        goal: goal(section)?,
        asks: asks(section)?,
    })
}

fn goal(section: &Section<'_>) -> Result<Goal, Fault> {
    match (section.get("weight"), section.get("error")) {
        (None, None) => Ok(Goal::Weight(Rational::one())),
        (Some(weight), None) => positive(&weight).map(Goal::Weight),
        (None, Some(error)) => positive(&error).map(Goal::Error),
        (Some(_), Some(error)) => Err(error.fault(
            "a table has a weight or a wanted error, not both",
            "keep `error` if you know how wrong it may be, otherwise `weight`",
        )),
    }
}

/// A number above zero that is not beyond all measure.
fn positive(entry: &document::Entry<'_>) -> Result<Rational, Fault> {
    let number = entry.number()?;
    let (least, most) = (Rational::ratio(1, 1_000_000_000), Rational::from(1_000_000_000_000_000_000_u64));
    if number >= least && number <= most {
        return Ok(number);
    }
    Err(entry.fault("this is out of range", "write a number above zero, such as 2 or 0.5"))
}

fn asks(section: &Section<'_>) -> Result<Asks, Fault> {
    let kinds = ["sql", "marginals", "hierarchy", "histogram"];
    let given: Vec<_> = kinds.into_iter().filter(|kind| section.get(kind).is_some()).collect();
    let &[kind] = given.as_slice() else {
        let hint = "write one of `sql`, `marginals`, `hierarchy` and `histogram`";
        return Err(match given.as_slice() {
            [] => section.fault("nothing says what this table shows", hint),
            [first, second, ..] => {
                section.fault(format!("a table has a `{first}` or a `{second}`, not both"), hint)
            }
            [_] => unreachable!("one is taken above"),
        });
    };
    let fitting: &[&str] = match kind {
        "sql" => &[],
        "marginals" => &["from", "where", "ways", "lower"],
        "hierarchy" => &["from", "where", "lookup"],
        _ => &["from", "where", "width", "bins", "ranges"],
    };
    for key in ["from", "where", "ways", "lower", "lookup", "width", "bins", "ranges"] {
        if let Some(extra) = section.get(key).filter(|_| !fitting.contains(&key)) {
            let what = format!("`{key}` does not go with `{kind}`");
            let hint = if kind == "sql" { "remove it, or say it in the statement" } else { "remove it" };
            return Err(extra.fault(what, hint));
        }
    }
    match kind {
        "sql" => sql(section),
        "marginals" => marginals(section),
        "hierarchy" => hierarchy(section),
        _ => histogram(section),
    }
}

fn sql(section: &Section<'_>) -> Result<Asks, Fault> {
    let entry = section.required("sql", "write a statement")?;
    statement(&entry, "a statement").map(Asks::Sql)
}

fn statement(entry: &document::Entry<'_>, what: &str) -> Result<String, Fault> {
    let text = entry.text(what)?.trim();
    if text.is_empty() || text.len() > SQL_MAX {
        return Err(entry.fault(
            format!("{what} has from 1 to {SQL_MAX} bytes"),
            "write SQL, such as \"SELECT region, count(*) AS n FROM visits GROUP BY region\"",
        ));
    }
    Ok(text.to_owned())
}

fn from(section: &Section<'_>) -> Result<(String, Option<String>), Fault> {
    let from = section.required("from", "name a table of the catalog, such as `from = \"visits\"`")?;
    let from = title_page::declared(&from, "the name of a table")?;
    let condition = section.get("where").map(|entry| statement(&entry, "a condition")).transpose()?;
    Ok((from, condition))
}

fn columns(section: &Section<'_>, key: &str) -> Result<Vec<String>, Fault> {
    let entry = section.required(key, "name the columns")?;
    let places = entry.list("a list of columns")?;
    if places.is_empty() || places.len() > COLUMNS_MAX {
        let hint = format!("name from 1 to {COLUMNS_MAX} columns, such as [\"sex\", \"region\"]");
        return Err(entry.fault("this is no list of columns", hint));
    }
    let mut seen = BTreeSet::new();
    let mut columns = Vec::new();
    for place in places {
        let column = title_page::declared(&place, "the name of a column")?;
        // SQL ignores case, so names that differ in case alone are one column.
        if !seen.insert(column.to_lowercase()) {
            return Err(place.fault(format!("`{column}` stands twice"), "name each column once"));
        }
        columns.push(column);
    }
    Ok(columns)
}

fn marginals(section: &Section<'_>) -> Result<Asks, Fault> {
    let (from, where_) = from(section)?;
    let columns = columns(section, "marginals")?;
    let hint = "say how many columns each table has, such as `ways = 2`";
    let ways = section.required("ways", hint)?.count(columns.len() as u64)?;
    let lower = flag(section, "lower")?;
    Ok(Asks::Marginals { from, where_, ways: ways.get() as usize, columns, lower })
}

fn hierarchy(section: &Section<'_>) -> Result<Asks, Fault> {
    let (from, where_) = from(section)?;
    let columns = columns(section, "hierarchy")?;
    let lookup = section
        .get("lookup")
        .map(|entry| title_page::declared(&entry, "the name of a public table"))
        .transpose()?;
    Ok(Asks::Hierarchy { from, where_, columns, lookup })
}

fn histogram(section: &Section<'_>) -> Result<Asks, Fault> {
    let (from, where_) = from(section)?;
    let column =
        title_page::declared(&section.required("histogram", "name a column")?, "the name of a column")?;
    let bins = match (section.get("width"), section.get("bins")) {
        (None, None) => Bins::EveryValue,
        (Some(width), None) => Bins::Width(positive(&width)?),
        (None, Some(bins)) => Bins::Count(bins.count(BINS_MAX)?),
        (Some(_), Some(bins)) => {
            return Err(
                bins.fault("a histogram has a width or a number of bins, not both", "keep one of them")
            );
        }
    };
    Ok(Asks::Histogram { from, where_, column, bins, ranges: flag(section, "ranges")? })
}

fn flag(section: &Section<'_>, key: &str) -> Result<bool, Fault> {
    section.get(key).map_or(Ok(false), |entry| entry.flag())
}
