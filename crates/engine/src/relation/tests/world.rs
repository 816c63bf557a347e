//! Rows of the tables that random relations are about, and who owns them by the definition.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use pointillist_catalog::Value;
use pointillist_plan::{Owner, Relation, Type};

use super::naive::{Cell, Row, is_true};
use super::trees::{TYPES, value};
use crate::relation::Table;
use crate::tests::Chance;

/// A row of a file, by column.
pub(crate) type FileRow = BTreeMap<&'static str, Cell>;

/// The rows of every table.
#[derive(Clone, Debug, Default)]
pub(crate) struct World(pub(crate) BTreeMap<&'static str, Vec<FileRow>>);

/// The tables, and their columns that hold names: of people or of rows.
pub(crate) const TABLES: [(&str, &[&str]); 5] = [
    ("visits", &["person", "id"]),
    ("drugs", &["person"]),
    ("lines", &["visit", "number"]),
    ("notes", &["line"]),
    ("places", &[]),
];

/// What a link that is broken on purpose does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkMutant {
    /// Of several owners the first is the owner.
    FirstOwner,
    /// Rows of several owners are nobody's.
    OneOwnerOrNone,
}

impl World {
    /// At most four rows a table, of at most three people.
    pub(crate) fn random(chance: &mut Chance) -> Self {
        let name = |chance: &mut Chance| -> Cell {
            (!chance.one_in(8)).then(|| Value::Integer(*chance.pick(&[1, 2, i64::MIN])))
        };
        let rows = |chance: &mut Chance, names: &[&'static str]| -> Vec<FileRow> {
            (0..chance.below(5))
                .map(|_| {
                    let names = names.iter().map(|column| (*column, name(chance))).collect::<Vec<_>>();
                    let cells = ["a", "b", "c"].into_iter().zip(TYPES);
                    let cells = cells.map(|(column, kind)| (column, value(chance, kind))).collect::<Vec<_>>();
                    names.into_iter().chain(cells).collect()
                })
                .collect()
        };
        Self(TABLES.iter().map(|(table, names)| (*table, rows(chance, names))).collect())
    }

    /// Everybody who owns a row.
    pub(crate) fn owners(&self, owner: &Owner, row: &FileRow, mutant: Option<LinkMutant>) -> Vec<Value> {
        let mut owners = match owner {
            Owner::Nobody | Owner::EachRow => Vec::new(),
            Owner::Column(column) => row[column.as_str()].iter().cloned().collect(),
            Owner::Link(link) => {
                let Some(to) = &row[link.column.as_str()] else { return Vec::new() };
                let linked = self.0[link.table.as_str()]
                    .iter()
                    .filter(|other| other[link.key.as_str()].as_ref() == Some(to));
                linked.flat_map(|other| self.owners(&link.owner, other, mutant)).collect()
            }
        };
        match mutant {
            Some(LinkMutant::FirstOwner) => owners.truncate(1),
            None | Some(LinkMutant::OneOwnerOrNone) => {
                owners.sort();
                owners.dedup();
                if mutant.is_some() && owners.len() > 1 {
                    owners.clear();
                }
            }
        }
        owners
    }

    /// The rows of a leaf, with their owners.
    pub(crate) fn leaf(&self, relation: &Relation, mutant: Option<LinkMutant>) -> Option<Vec<Row>> {
        let Relation::Table(scan) = relation else { return None };
        let cells = |row: &FileRow| -> Vec<Cell> {
            scan.columns.iter().map(|column| row[column.name.as_str()].clone()).collect()
        };
        let is_there =
            |row: &&FileRow| scan.filter.as_ref().is_none_or(|filter| is_true(filter, &cells(row)));
        let rows = self.0[scan.table.as_str()].iter().filter(is_there);
        Some(match scan.owner {
            Owner::Nobody => rows.map(|row| Row { owner: None, cells: cells(row) }).collect(),
            _ => rows
                .flat_map(|row| {
                    let owners = self.owners(&scan.owner, row, mutant).into_iter();
                    owners.map(|owner| Row { owner: Some(owner), cells: cells(row) }).collect::<Vec<_>>()
                })
                .collect(),
        })
    }

    /// The world after a person has left: without own rows, and without rows that are linked to nobody else.
    pub(crate) fn without(&self, person: &Value) -> Self {
        let of = |column: &str| Owner::Column(column.to_owned());
        let mut rest = self.clone();
        for table in ["visits", "drugs"] {
            let rows = rest.0.get_mut(table).unwrap();
            rows.retain(|row| !self.owners(&of("person"), row, None).contains(person));
        }
        for (table, owner) in [("lines", link_of("lines")), ("notes", link_of("notes"))] {
            let rows = rest.0.get_mut(table).unwrap();
            rows.retain(|row| self.owners(&owner, row, None) != [person.clone()]);
        }
        rest
    }

    /// The people who own anything.
    pub(crate) fn people(&self) -> Vec<Value> {
        let rows = ["visits", "drugs"].into_iter().flat_map(|table| &self.0[table]);
        let mut people: Vec<Value> = rows.filter_map(|row| row["person"].clone()).collect();
        people.sort();
        people.dedup();
        people
    }
}

/// How the rows of a linked table are owned.
fn link_of(table: &str) -> Owner {
    use pointillist_plan::Link;
    let [column, other, key] =
        if table == "lines" { ["visit", "visits", "id"] } else { ["line", "lines", "number"] }
            .map(str::to_owned);
    let owner = if table == "lines" { Owner::Column("person".to_owned()) } else { link_of("lines") };
    Owner::Link(Box::new(Link { column, table: other, key, owner }))
}

/// Rows as the engine has them.
pub(crate) fn table(rows: &[Row], types: &[Type], people: bool) -> Table {
    let columns = types
        .iter()
        .enumerate()
        .map(|(at, kind)| array(*kind, &rows.iter().map(|row| row.cells[at].clone()).collect::<Vec<_>>()));
    let owners: Vec<Cell> = rows.iter().map(|row| row.owner.clone()).collect();
    let owner = people.then(|| array(Type::Integer, &owners));
    Table::new(owner, columns.collect(), rows.len()).unwrap()
}

/// The engine's rows, sorted.
pub(crate) fn rows(table: &Table) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..table.rows())
        .map(|row| Row {
            owner: table.owner().and_then(|owner| cell(owner, row)),
            cells: table.columns().iter().map(|column| cell(column, row)).collect(),
        })
        .collect();
    rows.sort();
    rows
}

/// Cells as an array.
pub(crate) fn array(kind: Type, cells: &[Cell]) -> ArrayRef {
    macro_rules! collect {
        ($array:ty, $kind:ident) => {
            Arc::new(
                cells
                    .iter()
                    .map(|cell| match cell {
                        Some(Value::$kind(value)) => Some(value.clone()),
                        None => None,
                        Some(other) => panic!("{other:?} is of another type than its column"),
                    })
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        Type::Boolean => collect!(BooleanArray, Boolean),
        Type::Integer => collect!(Int64Array, Integer),
        Type::Number => collect!(Float64Array, Number),
        Type::Text => collect!(StringViewArray, Text),
        Type::Date => collect!(Date32Array, Date),
        Type::Timestamp => collect!(TimestampMicrosecondArray, Timestamp),
    }
}

fn cell(array: &ArrayRef, row: usize) -> Cell {
    use arrow::datatypes::DataType;
    array.is_valid(row).then(|| match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Number(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(row)),
        _ => Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row)),
    })
}
