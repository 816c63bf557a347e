//! The bounded aggregation as one statement.
//!
//! **Guarantee.** The statement returns the groups of `engine/src/bound.rs`: for every person and group the counted rows and
//! their total; of a person's groups at most `groups_max`, numbered by (rank, key); each person's share of a measure between
//! the two ends that were paid for; and everybody added up as whole numbers without rounding. One person's rows move the
//! result by no more than that, whatever they hold and however many they are.
//! **Proof.** What is grouped by `o` and the keys is a function of one person's rows; numbers of groups are counted within
//! `PARTITION BY o`, one by one (`row_number`, never `rank`, which counts ties together), so no person has more than
//! `groups_max` of them; and a share is clamped to its ends after everything else, by an expression that has no NULL in it.
//! **Where nothing has to be chosen** (no keys, or no more declared groups than a person may touch), nobody is numbered.
//! **Declared groups.** Rows of other keys leave before the choice.

use pointillist_catalog::Value;
use pointillist_engine::ChoiceKey;
use pointillist_plan::{Aggregation, Excess, Form, Ownership, Quantity, Type, Units};

use crate::choice;
use crate::relation::{Relations, Rows, owner_column};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::statement::{Statement, StatementTable};
use crate::units::units;
use crate::{Dialect, Parameter, Refusal, StoredTables};

/// Texts as keys of groups that nobody declared, at the most. Each may have 10,000 bytes, and a server sends every group: without an
/// end, whoever asks could make answers so long that one person more is one too many for the machine.
const OPEN_TEXTS_MAX: usize = 4;
/// Lists of keys beyond this are not sent along with a statement.
const DECLARED_MAX: usize = 100_000;

/// The statement of an aggregation over tables that live behind one connection.
///
/// # Errors
/// What the dialect cannot do faithfully, by name.
pub fn lower(
    dialect: Dialect,
    tables: &StoredTables,
    aggregation: &Aggregation,
    key: &ChoiceKey,
) -> Result<Statement, Refusal> {
    let relations = Relations::new(dialect, tables, &aggregation.relation)?;
    let rows = relations.rows(&aggregation.relation)?;
    if rows.ownership == Ownership::Nobody {
        return Err(Refusal::new("nobody owns the rows", "this is a mistake of ours: please report it"));
    }
    let texts = aggregation.keys.iter().filter(|key| key.kind == Type::Text).count();
    if aggregation.domain.is_none() && texts > OPEN_TEXTS_MAX {
        return Err(Refusal::new(
            format!(
                "groups by more than {OPEN_TEXTS_MAX} texts without declared values are not made elsewhere"
            ),
            "group by fewer texts, or declare their values in the catalog",
        ));
    }
    let lowering = Lowering { dialect, aggregation, owned: rows.is_owned() };
    let shares = lowering.shares(rows)?;
    let kept = match relations.owner.filter(|_| lowering.has_choice()) {
        None => shares,
        Some(owner) => {
            let keys: Vec<Type> = aggregation.keys.iter().map(|key| key.kind).collect();
            lowering.kept(&shares, &choice::sum(dialect, key, owner, &keys)?)
        }
    };
    let (text, parameters) = lowering.summed(&kept).render(dialect);
    if dialect == Dialect::Postgres && parameters.iter().any(Parameter::has_nul) {
        return Err(Refusal::new(
            "a text holds the character U+0000, which no text of PostgreSQL does",
            "leave the character out: nothing there equals it",
        ));
    }
    let used = relations.into_uses().into_iter().filter_map(|(name, columns)| {
        let table = tables.get(&name)?;
        Some(StatementTable { path: table.path.clone(), columns: columns.into_iter().collect() })
    });
    Ok(Statement {
        dialect,
        text,
        parameters,
        keys: aggregation.keys.iter().map(|key| key.kind).collect(),
        measures: aggregation.measures.len(),
        tables: used.collect(),
    })
}

struct Lowering<'a> {
    dialect: Dialect,
    aggregation: &'a Aggregation,
    /// Whether several rows may be one person's.
    owned: bool,
}

/// A whole number; servers are quicker with those of 64 bits.
fn whole(value: i128) -> Sql {
    Sql::parameter(match i64::try_from(value) {
        Ok(value) => Parameter::Integer(Some(value)),
        Err(_) => Parameter::Whole(value),
    })
}

/// A whole number as a decimal, whatever its size.
fn decimal(value: i128) -> Sql {
    Sql::parameter(Parameter::Whole(value))
}

impl Lowering<'_> {
    /// Whether a person may touch more groups than count.
    fn has_choice(&self) -> bool {
        let Aggregation { keys, domain, bound, .. } = self.aggregation;
        let most = domain.as_ref().map_or(u64::MAX, |domain| domain.len() as u64);
        self.owned && !keys.is_empty() && most > bound.groups_max()
    }

    fn keys(&self) -> Vec<Sql> {
        (0..self.aggregation.keys.len()).map(|number| Sql::own("k", number)).collect()
    }

    /// For every person and group: counted rows `n`, `n0`, …, and totals `s0`, ….
    fn shares(&self, rows: Rows) -> Result<Sql, Refusal> {
        let mut stage = Stage::over(self.dialect, &rows.types);
        let mut filters: Vec<Expression> = Vec::new();
        if let Some(filter) = &self.aggregation.filter {
            filters.push(scalar::lower(&mut stage, filter)?);
        }
        let mut shown = owner_column(&rows);
        for (number, key) in self.aggregation.keys.iter().enumerate() {
            if scalar::is_inexact(&key.value) {
                return Err(scalar::inexact_key());
            }
            let value = scalar::lower(&mut stage, &key.value)?;
            if value.kind == Type::Number && self.dialect == Dialect::Spark {
                return Err(Refusal::new(
                    "groups by numbers with fractions are not made on Spark",
                    "group by a rounded or cut number as a whole number, or by WIDTH_BUCKET",
                ));
            }
            let value = stage.name(value)?;
            filters.extend(self.declared(number, &value)?);
            shown.push((Sql::own("k", number), value));
        }
        for (number, measure) in self.aggregation.measures.iter().enumerate() {
            let counted =
                measure.counted.as_ref().map(|counted| scalar::lower(&mut stage, counted)).transpose()?;
            let value = match self.value(&mut stage, &measure.quantity)? {
                Some(value) => Some(value),
                None => counted.is_some().then(|| Expression::own(Sql::words("1"))),
            };
            let value = match (value, counted) {
                (Some(value), Some(counted)) => {
                    Some(Expression::of(value.kind, "CASE WHEN {0} THEN {1} END", &[&counted, &value]))
                }
                (value, _) => value,
            };
            shown.extend(value.map(|value| (Sql::own("q", number), value)));
        }
        if shown.is_empty() {
            shown.push((Sql::words("z"), Expression::own(Sql::words("1"))));
        }
        let filter = filters
            .into_iter()
            .reduce(|left, right| Expression::of(Type::Boolean, "({0}) AND ({1})", &[&left, &right]));
        let inner = stage.select(&rows.query, &shown, filter.as_ref());
        let mut columns: Vec<Sql> = self.keys();
        if self.owned {
            columns.insert(0, Sql::words("o"));
        }
        let by = Sql::join(&columns, ", ");
        columns.push(Sql::words(if self.owned { "count(*) AS n" } else { "1 AS n" }));
        for (number, measure) in self.aggregation.measures.iter().enumerate() {
            let (q, n, s) = (Sql::own("q", number), Sql::own("n", number), Sql::own("s", number));
            let (counts, adds) = match measure.quantity {
                Quantity::Total { .. } | Quantity::Product { .. } => (true, true),
                _ => (measure.counted.is_some(), false),
            };
            if counts {
                let form = if self.owned {
                    "count({0}) AS {1}"
                } else {
                    "CASE WHEN {0} IS NULL THEN 0 ELSE 1 END AS {1}"
                };
                columns.push(Sql::form(form, &[&q, &n]));
            }
            if adds {
                columns.push(Sql::form(self.added(number), &[&q, &s]));
            }
        }
        let columns = Sql::join(&columns, ", ");
        Ok(match self.owned {
            true => Sql::form("SELECT {0} FROM ({1}) s GROUP BY {2}", &[&columns, &inner, &by]),
            false => Sql::form("SELECT {0} FROM ({1}) s", &[&columns, &inner]),
        })
    }

    /// How the whole numbers of a person's rows are added up: in 64 bits where 2^32 of them fit, else in decimals.
    fn added(&self, measure: usize) -> &'static str {
        let (low, high) = self.row_extremes(measure);
        let is_small = low > -(1 << 31) && high < 1 << 31;
        match (self.dialect, self.owned, is_small) {
            (Dialect::Postgres, true, true) => "coalesce(sum({0}::int4), 0) AS {1}",
            (Dialect::Postgres, true, false) => "coalesce(sum({0}), 0)::numeric AS {1}",
            (Dialect::Postgres, false, _) => "coalesce({0}, 0)::numeric AS {1}",
            (Dialect::Spark, true, _) => "coalesce(sum(CAST({0} AS DECIMAL(20,0))), 0) AS {1}",
            (Dialect::Spark, false, _) => "CAST(coalesce({0}, 0L) AS DECIMAL(30,0)) AS {1}",
        }
    }

    /// Between which whole numbers a row's lies.
    fn row_extremes(&self, measure: usize) -> (i128, i128) {
        match &self.aggregation.measures[measure].quantity {
            Quantity::Total { units, .. } => units.form.extremes(&units.grid),
            Quantity::Product { left, right, .. } => {
                let most = i128::from(left.1.last_index()) * i128::from(right.1.last_index());
                (-most, most)
            }
            _ => (0, 1),
        }
    }

    /// The whole number of a row, where a measure has one.
    fn value(&self, stage: &mut Stage, quantity: &Quantity) -> Result<Option<Expression>, Refusal> {
        Ok(match quantity {
            Quantity::Rows | Quantity::People | Quantity::PeopleCut => None,
            Quantity::Total { value, units: of, .. } => {
                let value = scalar::lower(stage, value)?;
                Some(units(stage, value, of)?)
            }
            Quantity::Product { left, right, .. } => {
                let most = i128::from(left.1.last_index()) * i128::from(right.1.last_index());
                if most > 1 << 62 {
                    return Err(Refusal::new(
                        "a product passes 2^62",
                        "declare tighter bounds or coarser steps",
                    ));
                }
                let mut factors = Vec::new();
                for (value, grid) in [left, right] {
                    let form = Form::Linear { offset: -grid.last_index(), factor: 2 };
                    let value = scalar::lower(stage, value)?;
                    factors.push(units(stage, value, &Units { grid: grid.clone(), form })?);
                }
                Some(Expression::of(Type::Integer, "({0} * {1})", &[&factors[0], &factors[1]]))
            }
            Quantity::Distinct { .. } => {
                return Err(Refusal::new(
                    format!("counts of different values are not made in {}", self.dialect.word()),
                    "count rows or people, or ask about a copy of the table in a file",
                ));
            }
            Quantity::Quantile { .. } => {
                return Err(Refusal::new(
                    format!("medians and quantiles are not made in {}", self.dialect.word()),
                    "count rows in WIDTH_BUCKETs, or ask about a copy of the table in a file",
                ));
            }
        })
    }

    /// That a key is one of the declared ones. Groups are all combinations of the values that each key has in them.
    fn declared(&self, position: usize, key: &Expression) -> Result<Option<Expression>, Refusal> {
        let Some(domain) = &self.aggregation.domain else { return Ok(None) };
        let mut sizes = 1usize;
        for other in 0..self.aggregation.keys.len() {
            sizes = sizes.saturating_mul(values_of(domain, other).len());
        }
        let mut groups: Vec<&Vec<Option<Value>>> = domain.iter().collect();
        groups.sort();
        groups.dedup();
        if sizes != groups.len() || groups.len() > DECLARED_MAX {
            return Err(Refusal::new(
                "the declared groups are not all combinations of their keys, or too many",
                "group by fewer keys",
            ));
        }
        let values = values_of(domain, position);
        let with_null = values.iter().any(Option::is_none);
        let values: Vec<Option<Value>> = values.into_iter().filter(Option::is_some).collect();
        let is_declared = match (self.dialect, values.is_empty()) {
            (_, true) => None,
            (Dialect::Postgres, false) => {
                let list = Sql::parameter(Parameter::List(key.kind, values));
                Some(Sql::form("{0} = ANY ({1})", &[&key.sql, &list]))
            }
            (Dialect::Spark, false) => {
                let places: Vec<Sql> = values
                    .iter()
                    .map(|value| Sql::parameter(Parameter::of(key.kind, value.as_ref())))
                    .collect();
                Some(Sql::form("{0} IN ({1})", &[&key.sql, &Sql::join(&places, ", ")]))
            }
        };
        let sql = match (is_declared, with_null) {
            (Some(declared), false) => declared,
            (Some(declared), true) => Sql::form("({0} IS NULL OR {1})", &[&key.sql, &declared]),
            (None, true) => Sql::form("{0} IS NULL", &[&key.sql]),
            (None, false) => Sql::words("FALSE"),
        };
        Ok(Some(Expression::new(Type::Boolean, sql, &[key])))
    }

    /// At most so many groups of each person.
    fn kept(&self, shares: &Sql, sum: &Sql) -> Sql {
        let order = self.keys().iter().map(|key| Sql::form("{0} NULLS FIRST", &[key])).collect::<Vec<_>>();
        let most = i64::try_from(self.aggregation.bound.groups_max()).unwrap_or(i64::MAX);
        let most = Sql::parameter(Parameter::Integer(Some(most)));
        let rank = choice::rank(&Sql::words("h"));
        // A hash is computed once, and used five times.
        let form = match self.dialect {
            Dialect::Postgres => {
                "SELECT p.* FROM (SELECT p.*, row_number() OVER (PARTITION BY o ORDER BY {1}, {2}) AS rn FROM (SELECT p.*, {4} AS h FROM ({0}) p OFFSET 0) p) p WHERE rn <= {3}"
            }
            Dialect::Spark => {
                "SELECT p.* FROM (SELECT p.*, row_number() OVER (PARTITION BY o ORDER BY {1}, {2}) AS rn FROM (SELECT p.*, {4} AS h FROM ({0}) p) p) p WHERE rn <= {3}"
            }
        };
        Sql::form(form, &[shares, &rank, &Sql::join(&order, ", "), &most, sum])
    }

    /// People and bounded totals of every group, as decimal texts.
    fn summed(&self, shares: &Sql) -> Sql {
        let text = |sum: &Sql| match self.dialect {
            Dialect::Postgres => Sql::form("coalesce({0}, 0)::text", &[sum]),
            Dialect::Spark => Sql::form("CAST(coalesce({0}, 0) AS STRING)", &[sum]),
        };
        let mut columns = self.keys();
        let by = Sql::join(&columns, ", ");
        columns.push(Sql::form("{0} AS people", &[&text(&Sql::words("count(*)"))]));
        for number in 0..self.aggregation.measures.len() {
            let share = self.bounded(number);
            let sum = match self.dialect {
                Dialect::Postgres => Sql::form("sum({0})", &[&share]),
                Dialect::Spark => Sql::form("sum(CAST({0} AS DECIMAL(28,0)))", &[&share]),
            };
            columns.push(Sql::form("{0} AS {1}", &[&text(&sum), &Sql::own("m", number)]));
        }
        let columns = Sql::join(&columns, ", ");
        match self.aggregation.keys.is_empty() {
            true => Sql::form("SELECT {0} FROM ({1}) p", &[&columns, shares]),
            false => Sql::form("SELECT {0} FROM ({1}) p GROUP BY {2}", &[&columns, shares, &by]),
        }
    }

    /// What a person adds to a group.
    fn bounded(&self, number: usize) -> Sql {
        let measure = &self.aggregation.measures[number];
        let rows_max = i128::from(self.aggregation.bound.rows_max());
        let has_own_count = measure.counted.is_some()
            || matches!(measure.quantity, Quantity::Total { .. } | Quantity::Product { .. });
        let n = if has_own_count { Sql::own("n", number) } else { Sql::words("n") };
        let s = Sql::own("s", number);
        let excess = match &measure.quantity {
            Quantity::Rows => return Sql::form("least({0}, {1})", &[&n, &whole(rows_max)]),
            Quantity::People => return Sql::form("least({0}, 1)", &[&n]),
            Quantity::PeopleCut => {
                return Sql::form("CASE WHEN {0} > {1} THEN 1 ELSE 0 END", &[&n, &whole(rows_max)]);
            }
            Quantity::Total { excess, .. } => *excess,
            Quantity::Product { refinement, .. } => Excess::Thin { refinement: *refinement },
            // Refused before.
            Quantity::Distinct { .. } | Quantity::Quantile { .. } => return Sql::words("0"),
        };
        let weight = rows_max << excess.refinement();
        let (low, high) = measure.person_bounds(&self.aggregation.bound);
        let (low, high) = (whole(low), whole(high));
        let total = match (excess, self.owned) {
            (Excess::Clamp, _) => s,
            // One row is never more than count.
            (Excess::Thin { refinement }, false) => {
                Sql::form("({0} * {1})", &[&s, &decimal(1 << refinement)])
            }
            (Excess::Thin { refinement }, true) => {
                let form = match self.dialect {
                    // The quotient towards zero, and one more where the rest is at least a half.
                    Dialect::Postgres => {
                        "CASE WHEN {1} <= {2} THEN {0} * {3} ELSE pg_catalog.div({0} * {4}, {1}) + CASE WHEN 2 * pg_catalog.abs({0} * {4} % {1}) >= {1} THEN pg_catalog.sign({0}) ELSE 0 END END"
                    }
                    // The same of the whole part and of the rest, so that every product stays within 38 digits. No `sign`,
                    // which is a double in Spark and would make one of the whole share.
                    Dialect::Spark => {
                        "CASE WHEN {1} <= {2} THEN {0} * {3} ELSE CAST({0} DIV {1} AS DECIMAL(19,0)) * CAST({4} AS DECIMAL(19,0)) + CAST(CAST({0} % {1} AS DECIMAL(19,0)) * CAST({4} AS DECIMAL(19,0)) DIV {1} AS DECIMAL(19,0)) + CASE WHEN 2 * abs(CAST({0} % {1} AS DECIMAL(19,0)) * CAST({4} AS DECIMAL(19,0)) % {1}) >= {1} THEN CASE WHEN {0} % {1} < 0 THEN -1 ELSE 1 END ELSE 0 END END"
                    }
                };
                // In decimals: a product may pass 64 bits.
                let (s, n) = match self.dialect {
                    Dialect::Postgres => (Sql::form("{0}::numeric", &[&s]), Sql::form("{0}::numeric", &[&n])),
                    Dialect::Spark => (s, Sql::form("CAST({0} AS DECIMAL(19,0))", &[&n])),
                };
                Sql::form(form, &[&s, &n, &decimal(rows_max), &decimal(1 << refinement), &decimal(weight)])
            }
        };
        Sql::form("greatest(least({0}, {2}), {1})", &[&total, &low, &high])
    }
}

/// The values that one key has in the declared groups, each once.
fn values_of(domain: &[Vec<Option<Value>>], position: usize) -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> =
        domain.iter().filter_map(|group| group.get(position).cloned()).collect();
    values.sort();
    values.dedup();
    values
}
