//! The rows of a table as texts, and whose they are: made up from the catalog, or the owner's own file.

use std::path::Path;

use pointillist_attack::records::{NamedRecords, Records};
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_catalog::{Column, Table, Value};
use pointillist_curator::made_up::{self, mixed};
use pointillist_plan::{Owner, PrivatePlan, ScanColumn};
use pointillist_records::csv_record;

use crate::AuditError;

/// People who are made up.
const PEOPLE: u64 = 60;
/// Rows that each of them has at most, where people may have several.
const ROWS_EACH: u64 = 3;
/// The column of a table that reads nothing else.
const PADDING: &str = "made_up_row";
/// A cell that no question reads. Not nothing: a row of nothing is no row.
const UNREAD: &str = "0";

/// A table as a file holds it.
#[derive(Clone)]
pub struct TextTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The column that says whose row it is; none where every row is another person.
    person: Option<usize>,
    /// The columns that hold the name of a row's owner: that one, and the catalog's unit.
    owners: Vec<usize>,
}

/// The catalog's unit, where it is a column.
pub fn unit(plan: &PrivatePlan) -> Option<&str> {
    match &plan.aggregation.relation.table()?.owner {
        Owner::Column(name) => Some(name),
        Owner::EachRow | Owner::Nobody | Owner::Link(_) => None,
    }
}

/// The columns that a plan reads.
pub fn scanned(plan: &PrivatePlan) -> &[ScanColumn] {
    plan.aggregation.relation.table().map_or(&[], |scan| &scan.columns)
}

impl TextTable {
    /// People made up from the catalog, with several rows each where the unit is a column or `person` names
    /// one. Of public keys the last is left to nobody, so that there is an empty group.
    pub fn made_up(plan: &PrivatePlan, table: &Table, person: Option<&str>) -> Self {
        let mut columns: Vec<String> = scanned(plan).iter().map(|column| column.name.clone()).collect();
        for name in [unit(plan), person].into_iter().flatten() {
            if !columns.iter().any(|column| column == name) {
                columns.push(name.to_owned());
            }
        }
        if columns.is_empty() {
            columns.push(PADDING.to_owned());
        }
        let place = |name: &str| columns.iter().position(|column| column == name);
        let owners: Vec<usize> = [unit(plan), person].into_iter().flatten().filter_map(place).collect();
        let person = person.or(unit(plan)).and_then(place);
        let declared: Vec<Option<Column>> =
            scanned(plan).iter().map(|column| occupied(table, column)).collect();
        let mut rows = Vec::new();
        for id in 0..PEOPLE {
            let count = if person.is_some() { 1 + mixed(id, u64::MAX) % ROWS_EACH } else { 1 };
            for _ in 0..count {
                let place = rows.len() as u64;
                let cells = scanned(plan).iter().zip(&declared).zip(0u64..);
                let cells = cells.map(|((column, declared), position)| {
                    text(&made_up::value(&column.kind, declared.as_ref(), mixed(place, position)))
                });
                let mut row: Vec<String> = cells.collect();
                row.resize(columns.len(), UNREAD.to_owned());
                for owner in &owners {
                    row[*owner] = (id + 1).to_string();
                }
                rows.push(row);
            }
        }
        Self { columns, rows, person, owners }
    }

    /// The owner's own rows.
    pub fn read(
        folder: &Path,
        table: &Table,
        plan: &PrivatePlan,
        person: Option<&str>,
    ) -> Result<Self, AuditError> {
        let path = folder.join(&table.source);
        let is_plain =
            path.is_file() && path.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("csv"));
        if !is_plain {
            return Err(AuditError::new(
                format!("audits read one plain CSV file, and `{}` has {}", table.name, table.source),
                "audit people who are made up, or point a copy of the catalog to a CSV file",
            ));
        }
        Self::of(&NamedRecords::open(&path)?.records, plan, person)
    }

    fn of(records: &Records, plan: &PrivatePlan, person: Option<&str>) -> Result<Self, AuditError> {
        let owners = [person, unit(plan)].into_iter().flatten().map(|name| records.column(name));
        let owners = owners.collect::<Result<Vec<usize>, _>>()?;
        let person = owners.first().copied();
        Ok(Self { columns: records.columns().to_vec(), rows: records.rows().to_vec(), person, owners })
    }

    /// How many rows a person may have in a world: one, where every row is another person.
    pub fn people_have_rows(&self) -> bool {
        self.person.is_some()
    }

    /// The same table with one more person, whose rows have these cells in these columns.
    pub fn with(&self, names: &[String], rows: &[Vec<String>], id: &str) -> Self {
        let places: Vec<Option<usize>> =
            names.iter().map(|name| self.columns.iter().position(|column| column == name)).collect();
        let mut table = self.clone();
        for cells in rows {
            let mut row: Vec<String> = vec![UNREAD.to_owned(); self.columns.len()];
            for (place, cell) in places.iter().zip(cells) {
                if let Some(place) = place {
                    row[*place].clone_from(cell);
                }
            }
            for owner in &self.owners {
                id.clone_into(&mut row[*owner]);
            }
            table.rows.push(row);
        }
        table
    }

    /// A name that no row has: this number, or the next that is free.
    pub fn stranger(&self, from: u64) -> String {
        let mut names = (from..).map(|number| number.to_string());
        let is_taken = |name: &String| {
            self.rows.iter().any(|row| self.owners.iter().any(|owner| row[*owner].trim() == name))
        };
        names.find(|name| !is_taken(name)).expect("a table has fewer rows than there are numbers")
    }

    /// The same table without a person.
    pub fn without(&self, id: &str) -> Self {
        let Some(person) = self.person else { return self.clone() };
        let rows = self.rows.iter().filter(|row| row[person] != id).cloned().collect();
        Self { rows, ..self.clone() }
    }

    /// The same table without one of its rows.
    pub fn without_row(&self, place: usize) -> Self {
        let mut table = self.clone();
        if place < table.rows.len() {
            table.rows.remove(place);
        }
        table
    }

    /// The columns alone.
    pub fn empty(&self) -> Self {
        Self { rows: Vec::new(), ..self.clone() }
    }

    /// Whoever has most rows, and how many. Rows of nobody are in no answer.
    pub fn busiest(&self) -> Option<(String, usize)> {
        let person = self.person?;
        let mut counts = std::collections::BTreeMap::new();
        for row in self.rows.iter().filter(|row| !row[person].trim().is_empty()) {
            *counts.entry(row[person].as_str()).or_insert(0) += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(id, count)| (id.to_owned(), count))
    }

    /// The row with the largest number in a column.
    pub fn largest(&self, column: &str) -> Option<usize> {
        let place = self.columns.iter().position(|name| name == column)?;
        let number =
            |row: &Vec<String>| row[place].trim().parse::<f64>().ok().filter(|value| !value.is_nan());
        let numbers = self.rows.iter().enumerate().filter_map(|(at, row)| Some((at, number(row)?)));
        numbers.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// Whose row this is.
    pub fn person_of(&self, row: usize) -> Option<&str> {
        self.person.and_then(|person| Some(self.rows.get(row)?[person].as_str()))
    }

    /// As CSV.
    pub fn to_csv(&self) -> String {
        let line = |cells: &[String]| {
            csv_record(cells.iter().map(|cell| Some(cell.as_str()).filter(|cell| !cell.is_empty()))) + "\n"
        };
        std::iter::once(&self.columns).chain(&self.rows).map(|row| line(row)).collect()
    }
}

/// A column as it is declared, its last public key left out where there are others.
fn occupied(table: &Table, column: &ScanColumn) -> Option<Column> {
    let mut declared = table.column_in_file(&column.name)?.clone();
    if let Some(keys) = declared.public_keys.as_mut().filter(|keys| keys.len() > 1) {
        keys.pop();
    }
    Some(declared)
}

/// A value as a file has it.
pub fn text(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(value) => value.clone(),
        Value::Date(value) => date_text(*value),
        Value::Timestamp(value) => timestamp_text(*value),
    }
}
