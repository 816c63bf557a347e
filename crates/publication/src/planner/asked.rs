//! What a plan file asks for, table by table: statements, and counts by columns that can be put into one cube.
//!
//! **Same rows.** Counts of one table of the catalog under one condition can agree only if they count the same rows. A row
//! whose value of a column is not in that column's public list is in no cell of a table by it, but would be in the total.
//! So a cube counts the rows that have a listed value in *all* of its columns, and says so; each key carries the condition
//! that says it ([`Key::condition`]). Tables without a common column are other cubes: flights are not left out of a table by
//! carrier because nobody wrote down how late they were.
//! **SQL of ours.** Counts become statements, so that every rule of the planner of SQL holds for them. Names and values are
//! quoted; a condition of the plan stands in parentheses, and whatever it does is what a statement of the owner's may do.

use pointillist_catalog::calendar::date_text;
use pointillist_catalog::{Catalog, Column, ColumnType, Value};
use pointillist_numbers::Rational;
use pointillist_plan::{Measure, Quantity, Relation, Role, Scalar};

use super::PublicationError;
use crate::{Asks, Bins, Entry, Goal, PlanFile};

/// More values than this are not written into a condition.
const LISTED_MAX: usize = 10_000;

/// A table that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) goal: Goal,
    pub(crate) what: What,
    /// Which entry of the plan it comes from.
    pub(crate) entry: usize,
    /// The period whose budget pays.
    pub(crate) period: Option<String>,
}

/// How it is asked for.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// By a statement, which is answered as it is.
    Statement(String),
    /// By columns.
    Count(Count),
}

/// Counts by columns.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// What is counted.
    pub(crate) rows: Rows,
    /// The keys, from the left.
    pub(crate) keys: Vec<Key>,
    /// Whether ranges along the keys that have an order will be asked.
    pub(crate) ranges: bool,
    /// The name of the number.
    pub(crate) number: String,
}

/// Which rows are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) from: String,
    pub(crate) condition: Option<String>,
    /// The period whose budget pays.
    pub(crate) period: Option<String>,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    /// Its name in files.
    pub(crate) name: String,
    /// The expression that SQL groups by.
    pub(crate) expression: String,
    /// True for rows that have one of its values.
    pub(crate) condition: String,
    /// Whether its values have an order.
    pub(crate) is_ordered: bool,
    /// From what SQL shows to what files show: `lower + width·value`.
    pub(crate) edges: Option<(Rational, Rational)>,
    /// Where it is a level of a public lookup: the table, the columns from the coarsest, and which of them it is.
    pub(crate) level: Option<Level>,
}

/// A level of a hierarchy that a public table declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) lookup: String,
    pub(crate) columns: Vec<String>,
    /// How many of the columns, from the coarsest.
    pub(crate) depth: usize,
}

/// Everything that a plan asks for, in its order.
pub(crate) fn asked(catalog: &Catalog, file: &PlanFile) -> Result<Vec<Asked>, PublicationError> {
    let mut all = Vec::new();
    for (number, entry) in file.entries.iter().enumerate() {
        for named in entry.tables() {
            let what = match &entry.asks {
                // Prices and limits are the plan's: a statement that brings its own would be half obeyed.
                Asks::Sql(sql) if sql.to_ascii_uppercase().contains("DIFFERENTIAL_PRIVACY") => {
                    return Err(PublicationError::Options { entry: entry.name.clone() });
                }
                Asks::Sql(sql) => What::Statement(sql.clone()),
                asks => What::Count(count(catalog, file, entry, asks, &named.columns)?),
            };
            let (goal, description) = (entry.goal.clone(), entry.description.clone());
            let period = file.period.clone();
            all.push(Asked {
                name: named.name,
                title: named.title,
                description,
                goal,
                what,
                entry: number,
                period,
            });
        }
    }
    Ok(all)
}

fn count(
    catalog: &Catalog,
    file: &PlanFile,
    entry: &Entry,
    asks: &Asks,
    columns: &[String],
) -> Result<Count, PublicationError> {
    let (from, condition) = match asks {
        Asks::Marginals { from, where_, .. }
        | Asks::Hierarchy { from, where_, .. }
        | Asks::Histogram { from, where_, .. } => (from, where_),
        Asks::Sql(_) => unreachable!("statements are no counts"),
    };
    let table = catalog
        .tables
        .get(from)
        .ok_or_else(|| PublicationError::NoTable { entry: entry.name.clone(), table: from.clone() })?;
    if condition.as_deref().is_some_and(|condition| !is_one_condition(condition)) {
        return Err(PublicationError::Condition { entry: entry.name.clone() });
    }
    let column = |name: &String| {
        table.column(name).ok_or_else(|| PublicationError::NoColumn {
            entry: entry.name.clone(),
            table: from.clone(),
            column: name.clone(),
        })
    };
    let keys = match asks {
        Asks::Histogram { bins, column: name, .. } => vec![binned(entry, column(name)?, bins)?],
        Asks::Hierarchy { lookup: Some(lookup), columns: all, .. } => match columns.len() {
            0 => Vec::new(),
            depth => {
                // The finest column alone is read from rows; what lies above it is the lookup's.
                let finest =
                    all.last().ok_or_else(|| PublicationError::Internal("a hierarchy without columns"))?;
                let mut key = listed(entry, column(finest)?)?;
                key.level = Some(Level { lookup: lookup.clone(), columns: all.clone(), depth });
                vec![key]
            }
        },
        _ => columns.iter().map(|name| listed(entry, column(name)?)).collect::<Result<_, _>>()?,
    };
    let ranges = matches!(asks, Asks::Histogram { ranges: true, .. });
    let rows = Rows { from: from.clone(), condition: condition.clone(), period: file.period.clone() };
    Ok(Count { rows, keys, ranges, number: "n".to_owned() })
}

/// A column whose values are public.
pub(crate) fn listed(entry: &Entry, column: &Column) -> Result<Key, PublicationError> {
    let name = quoted(&column.name);
    let not_public =
        || PublicationError::NotPublic { entry: entry.name.clone(), column: column.name.clone() };
    let between = |low: String, high: String| format!("{name} BETWEEN {low} AND {high}");
    let condition = match (&column.public_keys, &column.kind) {
        (Some(keys), _) if keys.len() <= LISTED_MAX => {
            let values: Option<Vec<String>> = keys.iter().map(literal).collect();
            format!("{name} IN ({})", values.ok_or_else(not_public)?.join(", "))
        }
        (Some(_), _) => return Err(not_public()),
        (None, ColumnType::Boolean) => format!("{name} IS NOT NULL"),
        (None, ColumnType::Integer { bounds: Some((low, high)) }) => {
            between(low.to_string(), high.to_string())
        }
        (None, ColumnType::Date { bounds: Some((low, high)) }) => {
            between(format!("DATE '{}'", date_text(*low)), format!("DATE '{}'", date_text(*high)))
        }
        _ => return Err(not_public()),
    };
    let is_ordered = column.public_keys.is_none() && !matches!(column.kind, ColumnType::Boolean);
    Ok(Key { name: column.name.clone(), expression: name, condition, is_ordered, edges: None, level: None })
}

/// A column in bins.
fn binned(entry: &Entry, column: &Column, bins: &Bins) -> Result<Key, PublicationError> {
    let wrong = |what: &'static str| PublicationError::Bins {
        entry: entry.name.clone(),
        column: column.name.clone(),
        what,
    };
    if *bins == Bins::EveryValue {
        return match &column.kind {
            ColumnType::Number { .. } => {
                Err(wrong("has fractions, so that every value would be its own bin"))
            }
            _ => Ok(Key { is_ordered: true, ..listed(entry, column)? }),
        };
    }
    let name = quoted(&column.name);
    match &column.kind {
        ColumnType::Integer { bounds: Some((low, high)) } => {
            let width = match bins {
                Bins::Width(width) if width.is_integer() => {
                    i64::try_from(width.floor()).map_err(|_| wrong("has no such wide bins"))?
                }
                Bins::Width(_) => return Err(wrong("has whole numbers, and bins of it have a whole width")),
                Bins::Count(count) => {
                    let values = i128::from(*high) - i128::from(*low) + 1;
                    let width = (values + i128::from(count.get()) - 1) / i128::from(count.get());
                    i64::try_from(width).map_err(|_| wrong("has no such wide bins"))?
                }
                Bins::EveryValue => unreachable!("every value as its own bin was returned above"),
            };
            let (lower, width) = (Rational::from(*low), Rational::from(width));
            let expression = format!("({name} - ({low})) / {}", width.floor());
            let condition = format!("{name} BETWEEN {low} AND {high}");
            let edges = Some((lower, width));
            Ok(Key { name: column.name.clone(), expression, condition, is_ordered: true, edges, level: None })
        }
        ColumnType::Number { bounds: Some((low, high)), .. } => {
            let width = match bins {
                Bins::Width(width) => width.clone(),
                Bins::Count(count) => (high - low) / Rational::from(count.get()),
                Bins::EveryValue => unreachable!("every value as its own bin was returned above"),
            };
            if !width.is_positive() {
                return Err(wrong("has no such narrow bins"));
            }
            let decimal = |number: &Rational| {
                exact_decimal(number).ok_or_else(|| wrong("has bins without a short decimal: name a width"))
            };
            let (low_text, high_text, width_text) = (decimal(low)?, decimal(high)?, decimal(&width)?);
            let expression = format!("CAST(floor(({name} - ({low_text})) / {width_text}) AS INTEGER)");
            let condition = format!("{name} BETWEEN {low_text} AND {high_text}");
            let edges = Some((low.clone(), width));
            Ok(Key { name: column.name.clone(), expression, condition, is_ordered: true, edges, level: None })
        }
        _ => Err(wrong("cannot be cut into bins: numbers with declared bounds can")),
    }
}

impl Count {
    /// The statement that counts by these keys among rows for which all of these conditions hold.
    pub(crate) fn statement(rows: &Rows, keys: &[Key], conditions: &[String], number: &str) -> String {
        let own = rows.condition.iter().map(|condition| format!("({condition})"));
        let conditions: Vec<String> = own.chain(conditions.iter().cloned()).collect();
        let selected = keys.iter().map(|key| format!("{} AS {}", key.expression, quoted(&key.name)));
        let selected: Vec<String> = selected.chain([format!("count(*) AS {}", quoted(number))]).collect();
        let mut sql = format!("SELECT {} FROM {}", selected.join(", "), quoted(&rows.from));
        if !conditions.is_empty() {
            sql.push_str(&format!(" WHERE {}", conditions.join(" AND ")));
        }
        if !keys.is_empty() {
            let keys: Vec<&str> = keys.iter().map(|key| key.expression.as_str()).collect();
            sql.push_str(&format!(" GROUP BY {}", keys.join(", ")));
        }
        sql
    }
}

/// Whether a text stays inside the parentheses that are put around it: it closes none that it has not opened, leaves none
/// open, and neither ends the statement nor hides what follows in a comment. What it says is for the planner of SQL.
fn is_one_condition(text: &str) -> bool {
    let (mut depth, mut inside, mut last) = (0i64, None, ' ');
    for sign in text.chars() {
        match inside {
            Some(quote) if sign == quote => inside = None,
            Some(_) => {}
            None => match sign {
                '\'' | '"' => inside = Some(sign),
                '(' => depth += 1,
                ')' => depth -= 1,
                ';' => return false,
                '-' if last == '-' => return false,
                '*' if last == '/' => return false,
                _ => {}
            },
        }
        if depth < 0 {
            return false;
        }
        last = if inside.is_some() { ' ' } else { sign };
    }
    depth == 0 && inside.is_none()
}

/// A name, in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value as SQL writes it.
fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Boolean(value) => value.to_string().to_uppercase(),
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Date(days) => format!("DATE '{}'", date_text(*days)),
        Value::Number(_) | Value::Timestamp(_) => return None,
    })
}

/// A number with a short decimal, in full.
fn exact_decimal(number: &Rational) -> Option<String> {
    let mut scaled = number.abs();
    let mut places = 0usize;
    while !scaled.is_integer() {
        scaled = scaled * Rational::from(10);
        places += 1;
        if places > 18 {
            return None;
        }
    }
    let digits = scaled.floor().to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if number.is_negative() { "-" } else { "" };
    Some(if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// A statement that is a plain count by public columns of one table, as counts of ours; none where it is more than that.
pub(crate) fn plain_count_of(catalog: &Catalog, file: &PlanFile, sql: &str, entry: &Entry) -> Option<Count> {
    let plan = super::nominal_prices(file.period.as_deref())
        .iter()
        .find_map(|options| pointillist_query::plan(catalog, sql, options).ok())?;
    let (aggregation, answer) = (&plan.aggregation, &plan.answer);
    let Relation::Table(scan) = &aggregation.relation else { return None };
    let table = catalog.tables.get(&scan.table)?;
    let is_plain =
        matches!(aggregation.measures.as_slice(), [Measure { counted: None, quantity: Quantity::Rows }]);
    let as_it_is =
        answer.having.is_none() && answer.order.is_empty() && answer.skip == 0 && answer.fetch.is_none();
    if !is_plain
        || !as_it_is
        || plan.selection.is_some()
        || !aggregation.filter.iter().all(|filter| has_values(filter, &aggregation.keys))
    {
        return None;
    }
    let (mut keys, mut number) = (Vec::new(), None);
    for column in &answer.columns {
        match (column.role, &column.value) {
            (Role::Key(position), Scalar::Column(_)) => {
                let Scalar::Column(read) = aggregation.keys.get(position)?.value else { return None };
                let declared = table.column_in_file(&scan.columns.get(read)?.name)?;
                keys.push(Key { name: column.name.clone(), ..listed(entry, declared).ok()? });
            }
            (Role::Aggregate(0), Scalar::Column(_)) if number.is_none() => number = Some(column.name.clone()),
            _ => return None,
        }
    }
    let each_once = keys.len() == aggregation.keys.len()
        && keys
            .iter()
            .enumerate()
            .all(|(at, key)| keys[..at].iter().all(|other| other.expression != key.expression));
    let rows = Rows { from: table.name.clone(), condition: None, period: file.period.clone() };
    each_once.then_some(Count { rows, keys, ranges: false, number: number? })
}

/// Whether a condition says no more than that keys have values.
fn has_values(condition: &Scalar, keys: &[pointillist_plan::KeyColumn]) -> bool {
    match condition {
        Scalar::All(parts) => parts.iter().all(|part| has_values(part, keys)),
        Scalar::Not(inner) => match inner.as_ref() {
            Scalar::IsNull(column) => keys.iter().any(|key| key.value == **column),
            _ => false,
        },
        _ => false,
    }
}

impl Asked {
    /// The name of the number of a count.
    pub(crate) fn number(&self) -> &str {
        match &self.what {
            What::Count(count) => &count.number,
            What::Statement(_) => "n",
        }
    }

    /// The name that it has for one of its keys.
    pub(crate) fn key_name(&self, at: usize) -> Option<String> {
        match &self.what {
            What::Count(count) => count.keys.get(at).map(|key| key.name.clone()),
            What::Statement(_) => None,
        }
    }

    /// Whether one of its keys is a level of a lookup.
    pub(crate) fn is_by_level(&self, at: usize) -> bool {
        match &self.what {
            What::Count(count) => count.keys.get(at).is_some_and(|key| key.level.is_some()),
            What::Statement(_) => false,
        }
    }

    /// The statement, where it is one.
    pub(crate) fn sql(&self) -> Option<&str> {
        match &self.what {
            What::Statement(sql) => Some(sql),
            What::Count(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: a condition stays where it is put.
    #[test]
    fn a_condition_stays_inside_its_parentheses() {
        for fine in ["age > 3", "(a = 1) OR (b = ')')", "name = 'it''s (' AND x = \"odd)\"", "a - -1 > 0", ""]
        {
            assert!(is_one_condition(fine), "{fine}");
        }
        for wrong in
            ["a > 1) OR (b < 3", "a = 1 -- and", "a = 1 /* and", "a = 1; b", "(a = 1", "a = 'open", "a = 1)"]
        {
            assert!(!is_one_condition(wrong), "{wrong}");
        }
    }
}
