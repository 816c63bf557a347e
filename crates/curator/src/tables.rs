//! What can be asked about: tables, graphs and columns, as the catalog declares them.
//!
//! The catalog is public, so listing it is free, and it says nothing about rows.

use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_catalog::{
    Catalog, Column, ColumnType, Every, Graph, GraphPrivacy, Period, Periods, Protection, Table, Unit, Value,
};
use pointillist_numbers::Rational;
use pointillist_query::Refusal;
use pointillist_render::decimals::exact;
use pointillist_render::text::shown;
use serde::Serialize;

/// Tables and graphs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableList {
    /// The tables, by name.
    pub tables: Vec<TableFacts>,
    /// The graphs, by name.
    pub graphs: Vec<GraphFacts>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableFacts {
    /// Its name in SQL.
    pub name: String,
    /// Whether no row is about a person.
    pub public: bool,
    /// Whether it is part of a release.
    pub release: bool,
    /// Whom it protects, and how.
    #[serde(flatten)]
    pub protection: Option<ProtectionFacts>,
    /// The columns that analysts can name.
    pub columns: Vec<TableColumn>,
}

/// Whom a table protects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProtectionFacts {
    /// The population that pays.
    pub scope: String,
    /// What says whose row it is.
    pub privacy_unit: String,
    /// In how many groups one person counts, unless a question says fewer.
    pub max_groups: Option<u64>,
    /// With how many rows in each.
    pub max_contributions: Option<u64>,
    /// The periods that have budgets of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periods: Option<PeriodFacts>,
}

/// The periods of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PeriodFacts {
    /// The column that says in which period a row is.
    pub column: String,
    /// How long a period is.
    pub every: Every,
    /// The first period that a question may name.
    pub first: Option<Period>,
    /// The last one.
    pub last: Option<Period>,
    /// What the periods of the scope mean for people.
    pub words: Option<String>,
}

impl PeriodFacts {
    fn of(catalog: &Catalog, table: &Table, scope: &str) -> Option<Self> {
        let Periods { column, every } = table.periods.as_ref()?;
        let list = table.period_list()?;
        Some(Self {
            column: column.clone(),
            every: *every,
            first: list.first().copied(),
            last: list.last().copied(),
            words: catalog.period_words(scope),
        })
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableColumn {
    /// Its name in SQL.
    pub name: String,
    /// The catalog's word for its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The lower bound, as it would be typed.
    pub lower: Option<String>,
    /// The upper bound.
    pub upper: Option<String>,
    /// The keys that answers always show.
    pub public_keys: Option<Vec<Value>>,
}

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphFacts {
    /// Its name.
    pub name: String,
    /// The population that pays.
    pub scope: String,
    /// `node` or `edge`: what is protected.
    pub privacy: &'static str,
}

impl TableList {
    /// Everything that is declared.
    pub fn of(catalog: &Catalog) -> Self {
        Self {
            tables: catalog
                .tables
                .values()
                .map(|table| TableFacts::of(catalog, table, false))
                .chain(catalog.released.values().map(|table| TableFacts::of(catalog, table, true)))
                .collect(),
            graphs: catalog.graphs.values().map(GraphFacts::of).collect(),
        }
    }

    /// What is declared under one name.
    ///
    /// # Errors
    /// When there is no table of this name.
    pub fn only(catalog: &Catalog, name: &str) -> Result<Self, Refusal> {
        let table = find(catalog, name)?;
        let graphs = catalog.graphs.get(name).map(GraphFacts::of);
        let released = !catalog.tables.contains_key(name);
        let facts = TableFacts::of(catalog, table, released);
        Ok(Self { tables: vec![facts], graphs: graphs.into_iter().collect() })
    }

    /// The columns of a table, and its unit where that is no column that analysts can name.
    ///
    /// # Errors
    /// When there is no table of this name.
    pub fn columns_of(catalog: &Catalog, name: &str) -> Result<(Vec<TableColumn>, Option<String>), Refusal> {
        let table = find(catalog, name)?;
        let unit = match &table.protection {
            Protection::Private { unit: Unit::Column(unit), .. } if table.column(unit).is_none() => {
                Some(unit)
            }
            _ => None,
        };
        Ok((table.columns.iter().map(TableColumn::of).collect(), unit.cloned()))
    }

    /// Columns that analysts cannot name but in the join that the catalog declares, each with what it equals there: whose row it is,
    /// another table says.
    ///
    /// # Errors
    /// When there is no table of this name.
    pub fn links_of(catalog: &Catalog, name: &str) -> Result<Vec<(String, String)>, Refusal> {
        let table = find(catalog, name)?;
        let link = |table: &'_ Table| match &table.protection {
            Protection::Private { unit: Unit::Linked { column, table, key }, .. } => {
                Some((column.clone(), table.clone(), key.clone()))
            }
            _ => None,
        };
        let own = link(table).map(|(column, other, key)| (column, format!("{other}.{key}")));
        let others = catalog.tables.values().filter_map(|other| {
            let (column, _, key) = link(other).filter(|(_, to, _)| *to == table.name)?;
            Some((key, format!("{}.{column}", other.name)))
        });
        let mut links: Vec<(String, String)> = Vec::new();
        for (column, equals) in own.into_iter().chain(others).filter(|(name, _)| table.column(name).is_none())
        {
            match links.iter_mut().find(|(known, _)| *known == column) {
                Some((_, all)) => *all = format!("{all}, {equals}"),
                None => links.push((column, equals)),
            }
        }
        Ok(links)
    }
}

pub(crate) fn find<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Table, Refusal> {
    catalog.table(name).ok_or_else(|| {
        let names: Vec<&str> = catalog
            .tables
            .keys()
            .chain(catalog.released.keys())
            .chain(catalog.graphs.keys())
            .map(String::as_str)
            .collect();
        let hint = match names.is_empty() {
            true => "the owner has declared none yet".to_owned(),
            false => format!("the tables are {}", names.join(", ")),
        };
        Refusal::table(format!("there is no table `{}`", shown(name)), hint)
    })
}

impl TableFacts {
    fn of(catalog: &Catalog, table: &Table, released: bool) -> Self {
        let protection = match &table.protection {
            Protection::Public => None,
            Protection::Private { scope, unit, max_groups, max_contributions } => Some(ProtectionFacts {
                scope: scope.clone(),
                privacy_unit: unit_words(unit),
                max_groups: max_groups.map(|most| most.get()),
                max_contributions: max_contributions.map(|most| most.get()),
                periods: PeriodFacts::of(catalog, table, scope),
            }),
        };
        Self {
            name: table.name.clone(),
            public: protection.is_none(),
            release: released,
            protection,
            columns: table.columns.iter().map(TableColumn::of).collect(),
        }
    }
}

impl GraphFacts {
    fn of(graph: &Graph) -> Self {
        let privacy = match graph.privacy {
            GraphPrivacy::Node => "node",
            GraphPrivacy::Edge => "edge",
        };
        Self { name: graph.name.clone(), scope: graph.scope.clone(), privacy }
    }
}

impl TableColumn {
    fn of(column: &Column) -> Self {
        let (kind, bounds) = type_and_bounds(&column.kind);
        let (lower, upper) = bounds.unzip();
        let public_keys = column.public_keys.as_ref().map(|keys| keys.to_vec());
        Self { name: column.name.clone(), kind, lower, upper, public_keys }
    }

    /// How groups by the column come about, in words.
    pub fn keys_words(&self) -> String {
        match (&self.public_keys, self.kind, &self.lower) {
            (Some(keys), _, _) => format!("{} public", keys.len()),
            (None, "boolean", _) => "true, false".to_owned(),
            (None, "integer" | "date", Some(_)) => "between the bounds".to_owned(),
            (None, _, _) => "earned".to_owned(),
        }
    }
}

/// Whose rows they are.
fn unit_words(unit: &Unit) -> String {
    match unit {
        Unit::Row => "row".to_owned(),
        Unit::Column(column) => column.clone(),
        Unit::Linked { column, table, key } => format!("{column}, through {table}.{key}"),
    }
}

/// A number as it would be typed.
pub(crate) fn typed_number(value: &Rational) -> String {
    match value.is_negative() {
        true => format!("-{}", exact(&value.abs())),
        false => exact(value),
    }
}

/// The type's word and its bounds as they would be typed.
fn type_and_bounds(kind: &ColumnType) -> (&'static str, Option<(String, String)>) {
    match kind {
        ColumnType::Boolean => ("boolean", None),
        ColumnType::Text => ("text", None),
        ColumnType::Integer { bounds } => {
            ("integer", bounds.map(|(lower, upper)| (lower.to_string(), upper.to_string())))
        }
        ColumnType::Number { bounds, .. } => {
            ("decimal", bounds.as_ref().map(|(lower, upper)| (typed_number(lower), typed_number(upper))))
        }
        ColumnType::Date { bounds } => {
            ("date", bounds.map(|(lower, upper)| (date_text(lower), date_text(upper))))
        }
        ColumnType::Timestamp { bounds } => {
            ("timestamp", bounds.map(|(lower, upper)| (timestamp_text(lower), timestamp_text(upper))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: &str = "
[scope.people]
budget = { rho = 1, delta = 1e-9 }
[table.visits]
scope = \"people\"
source = \"v.csv\"
privacy_unit = \"patient\"
max_groups = 4
[table.visits.columns]
age = { type = \"integer\", lower = 0, upper = 120 }
cost = { type = \"decimal\", lower = -0.5, upper = 10 }
ward = { type = \"text\", public_keys = [\"a\", \"b\"] }
day = { type = \"date\" }
[table.wards]
public = true
source = \"w.csv\"
[table.wards.columns]
ward = { type = \"text\" }
";

    /// Specification: what is listed is what the catalog declares, bounds as they would be typed.
    #[test]
    fn a_list_says_what_the_catalog_declares() {
        let catalog = Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"));
        let list = TableList::of(&catalog);
        let names: Vec<(&str, bool)> =
            list.tables.iter().map(|table| (table.name.as_str(), table.public)).collect();
        assert_eq!(names, [("visits", false), ("wards", true)]);
        let (columns, unit) = TableList::columns_of(&catalog, "visits").unwrap();
        let words: Vec<String> = columns
            .iter()
            .map(|column| {
                format!("{} {:?} {:?} {}", column.kind, column.lower, column.upper, column.keys_words())
            })
            .collect();
        assert_eq!(
            words,
            [
                "integer Some(\"0\") Some(\"120\") between the bounds",
                "decimal Some(\"-0.5\") Some(\"10\") earned",
                "text None None 2 public",
                "date None None earned",
            ]
        );
        assert_eq!(unit.as_deref(), Some("patient"));
        assert_eq!(TableList::links_of(&catalog, "visits").unwrap(), []);
        let unknown = TableList::only(&catalog, "nobody").unwrap_err();
        assert_eq!(unknown.hint(), "the tables are visits, wards");
    }

    /// Specification: of a table whose rows belong to whom another table names, both sides of that join are listed, though neither
    /// column is declared.
    #[test]
    fn a_declared_join_is_listed_on_both_sides() {
        let bills = "
[table.bills]
scope = \"people\"
source = \"b.csv\"
privacy_unit = { column = \"visit_id\", references = \"visits.id\" }
[table.bills.columns]
sum = { type = \"integer\", lower = 0, upper = 9 }
";
        let notes = bills.replace("bills", "notes").replace("visit_id", "visit");
        let catalog =
            Catalog::parse(&format!("{CATALOG}{bills}{notes}")).unwrap_or_else(|error| panic!("{error}"));
        let rows = |name: &str| {
            let list = crate::Listing::Columns(name.to_owned()).list(&catalog).unwrap();
            list.rows.iter().map(|row| row.join("|")).collect::<Vec<_>>()
        };
        assert_eq!(
            rows("bills"),
            ["sum|integer|0|9|between the bounds", "visit_id|link|||only the join with visits.id"]
        );
        assert_eq!(
            rows("visits")[4..],
            [
                "patient|privacy unit|||only COUNT(DISTINCT …) and joins",
                "id|link|||only the join with bills.visit_id, notes.visit",
            ]
        );
        assert_eq!(rows("wards"), ["ward|text|||earned"]);
    }
}
