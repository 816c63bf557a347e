//! Tables that are made up from the catalog, for a relation: people who have rows in all of them, and links that lead
//! somewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use pointillist_catalog::{Catalog, ColumnType, Table, Value};
use pointillist_plan::{Owner, Relation, Type, type_of_column};

use crate::arrays::array;
use crate::made_up;
use crate::rehearsal::{PEOPLE, ROWS_EACH};

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It holds values.
    Values,
    /// It names the owner.
    Unit,
    /// It names the row itself.
    Key,
    /// It names a row of another table.
    Link,
}

/// The columns of a table that a relation reads, by their names in the file.
#[derive(Default)]
struct Needed {
    columns: Vec<(String, ColumnType, Role)>,
    public: bool,
}

impl Needed {
    fn add(&mut self, table: Option<&Table>, name: &str, kind: Option<&ColumnType>, role: Role) {
        let declared = || table.and_then(|table| table.column_in_file(name)).map(|column| &column.kind);
        match self.columns.iter_mut().find(|(known, _, _)| known == name) {
            Some((_, _, known)) if role != Role::Values => *known = role,
            Some(_) => {}
            None => {
                let kind = kind.or_else(declared).cloned();
                let kind = kind.unwrap_or(ColumnType::Integer { bounds: None });
                self.columns.push((name.to_owned(), kind, role));
            }
        }
    }
}

/// Rows of every table that a relation reads.
pub(crate) fn made_up_tables(
    catalog: &Catalog,
    relation: &Relation,
    public_rows: u64,
) -> Option<BTreeMap<String, Vec<RecordBatch>>> {
    let mut tables: BTreeMap<String, Needed> = BTreeMap::new();
    for scan in relation.scans() {
        let needed = tables.entry(scan.table.clone()).or_default();
        let table = catalog.table(&scan.table);
        for column in &scan.columns {
            needed.add(table, &column.name, Some(&column.kind), Role::Values);
        }
        needed.public = scan.owner == Owner::Nobody;
        let (mut name, mut owner) = (&scan.table, &scan.owner);
        while let Owner::Link(link) = owner {
            let from = tables.entry(name.clone()).or_default();
            from.add(catalog.tables.get(name), &link.column, None, Role::Link);
            let to = tables.entry(link.table.clone()).or_default();
            to.add(catalog.tables.get(&link.table), &link.key, None, Role::Key);
            (name, owner) = (&link.table, &link.owner);
        }
        if let Owner::Column(unit) = owner {
            let owned = tables.entry(name.clone()).or_default();
            owned.add(catalog.tables.get(name), unit, None, Role::Unit);
        }
    }
    tables
        .into_iter()
        .map(|(name, needed)| {
            let rows = rows(catalog.table(&name)?, &needed, public_rows)?;
            Some((name, vec![rows]))
        })
        .collect()
}

fn rows(table: &Table, needed: &Needed, public_rows: u64) -> Option<RecordBatch> {
    let owners: Vec<u64> = match needed.public {
        true => (0..public_rows).collect(),
        false => (0..PEOPLE)
            .flat_map(|person| {
                let rows = 1 + made_up::mixed(person, u64::MAX) % ROWS_EACH;
                std::iter::repeat_n(person, rows as usize)
            })
            .collect(),
    };
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (position, (name, kind, role)) in needed.columns.iter().enumerate() {
        let declared = table.column_in_file(name);
        let value = |(row, owner): (u64, &u64)| {
            let choice = made_up::mixed(row, position as u64);
            match role {
                Role::Values => made_up::value(kind, declared, choice),
                Role::Unit => named(kind, *owner),
                Role::Key => named(kind, row),
                // Every table of people has at least so many rows.
                Role::Link => named(kind, choice % PEOPLE),
            }
        };
        let values: Vec<Value> = (0..).zip(&owners).map(value).collect();
        let values = array(type_of_column(kind), values.iter().map(Some));
        fields.push(Field::new(name, values.data_type().clone(), true));
        arrays.push(values);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(owners.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).ok()
}

/// A number as a name of a type: the same in every type, as owners are compared.
fn named(kind: &ColumnType, number: u64) -> Value {
    match type_of_column(kind) {
        Type::Boolean => Value::Boolean(number.is_multiple_of(2)),
        Type::Integer => Value::Integer(number as i64),
        Type::Number => Value::Number(number as f64),
        Type::Text => Value::Text(number.to_string()),
        Type::Date => Value::Date(number as i32),
        Type::Timestamp => Value::Timestamp(number as i64),
    }
}
