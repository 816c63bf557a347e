//! A small town: tables of every kind of owner, columns of every type, and rows made to cause trouble.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch,
    RecordBatchOptions, StringViewArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{
    DataType, Date32Type, Field, Float64Type, Int64Type, Schema, TimestampMicrosecondType,
};
use pointillist_catalog::{Catalog, ColumnType, Value};
use pointillist_plan::{Aggregation, Ownership, Scalar};

use crate::OWNER_COLUMN;
use crate::tests::Chance;

/// The columns of every table, with as many bounds and public keys as without.
const COLUMNS: &str = r#"
flag = { type = "boolean" }
small = { type = "integer", lower = -1, upper = 3 }
wide = { type = "integer", lower = -4000000000000000000, upper = 600000000000000000 }
whole = { type = "integer" }
listed = { type = "integer", public_keys = [0, 7, -9223372036854775808] }
cost = { type = "decimal", lower = 0, upper = 10, step = 0.5 }
odd = { type = "decimal", lower = -0.7, upper = 2 }
debt = { type = "decimal", lower = -30, upper = -20, step = 0.25 }
real = { type = "decimal" }
region = { type = "text", public_keys = ["north", "south", "", "east"] }
word = { type = "text" }
day = { type = "date", lower = "2020-02-27", upper = "2020-03-02" }
born = { type = "date" }
seen = { type = "timestamp", lower = "2020-02-28 22:30:00", upper = "2020-03-01 01:30:00" }
moment = { type = "timestamp" }
"#;

/// How the rows of each table are owned and bounded. In `trips` and `marks` the unit is a column like any other.
const TABLES: [(&str, &str, &str); 5] = [
    ("visits", "scope = 'people'\nprivacy_unit = 'person'\nmax_groups = 2\nmax_contributions = 2", ""),
    ("loose", "scope = 'people'\nprivacy_unit = 'person'", ""),
    (
        "trips",
        "scope = 'people'\nprivacy_unit = 'person'\nmax_groups = 3\nmax_contributions = 1",
        "person = { type = 'text' }",
    ),
    (
        "marks",
        "scope = 'pupils'\nprivacy_unit = 'person'\nmax_groups = 1\nmax_contributions = 3",
        "person = { type = 'integer' }",
    ),
    ("events", "scope = 'people'\nprivacy_unit = 'row'", ""),
];

/// People whose names are far apart, alike or empty; the last one is the newcomer.
const NUMBERS: [i64; 4] = [i64::MIN, 0, i64::MAX, 1 << 40];
const TEXTS: [&str; 4] =
    ["", "ann of the long long name, the first", "ann of the long long name", "\u{1F9D0}"];
/// Who is nobody in the tables that `rows` makes.
pub(super) const NEWCOMER: usize = 3;

pub(super) fn catalog() -> Catalog {
    let mut text = "[scope.people]\nbudget = { rho = 0.5, delta = 1e-9 }\n\
                    [scope.pupils]\nbudget = { epsilon = 4.0 }\nmodel = \"pure\"\n"
        .to_owned();
    for (name, owned, more) in TABLES {
        // In two tables the owner says that some values are never missing; in the rows they are, all the same.
        let required = |column: &str| column.replace(" }", ", nullable = false }");
        let columns: Vec<String> = COLUMNS
            .lines()
            .map(|column| match column.split(' ').next() {
                Some("small" | "cost" | "flag") if ["trips", "events"].contains(&name) => required(column),
                _ => column.to_owned(),
            })
            .collect();
        let columns = columns.join("\n");
        text += &format!(
            "[table.{name}]\nsource = '{name}.csv'\n{owned}\n[table.{name}.columns]{columns}\n{more}\n"
        );
    }
    Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// The columns of a row, in the order of its cells.
const NAMES: [&str; 15] = [
    "flag", "small", "wide", "whole", "listed", "cost", "odd", "debt", "real", "region", "word", "day",
    "born", "seen", "moment",
];

/// One row, with a value for each of [`NAMES`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) owner: Option<usize>,
    pub(super) cells: Vec<Option<Value>>,
}

/// What a column may hold: values inside its bounds, ends first, and hostile ones: outside of the bounds, which reading
/// leaves as they are, and NaN and the like, which it would never let through.
struct Alphabet {
    usual: Vec<Value>,
    hostile: Vec<Value>,
}

/// In the order of [`NAMES`].
fn alphabets() -> [Alphabet; NAMES.len()] {
    let integers = |list: &[i64]| list.iter().copied().map(Value::Integer).collect::<Vec<_>>();
    let numbers = |list: &[f64]| list.iter().copied().map(Value::Number).collect::<Vec<_>>();
    let texts = |list: &[&str]| list.iter().map(|text| Value::Text((*text).to_owned())).collect::<Vec<_>>();
    let dates = |list: &[i32]| list.iter().copied().map(Value::Date).collect::<Vec<_>>();
    let moments = |list: &[i64]| list.iter().copied().map(Value::Timestamp).collect::<Vec<_>>();
    let extremes = integers(&[i64::MIN, i64::MAX, 4, -2]);
    let infinite =
        numbers(&[f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::from_bits(1)]);
    let hour = 3_600_000_000;
    let seen = 18_320 * 24 * hour;
    let long = "x".repeat(300);
    let alphabet = |usual, hostile| Alphabet { usual, hostile };
    [
        alphabet(vec![Value::Boolean(true), Value::Boolean(false)], vec![]),
        alphabet(integers(&[3, -1, 0, 1]), extremes.clone()),
        alphabet(integers(&[-4_000_000_000_000_000_000, 600_000_000_000_000_000, 0, 1]), extremes.clone()),
        alphabet(integers(&[i64::MAX, i64::MIN, 0, 7, -1]), vec![]),
        alphabet(integers(&[0, 7, i64::MIN, 1]), vec![]),
        alphabet(numbers(&[10.0, 0.0, 0.5, 9.75]), infinite.clone()),
        alphabet(numbers(&[2.0, -0.7, 0.0, 0.3]), infinite.clone()),
        alphabet(numbers(&[-30.0, -20.0, -25.125]), infinite.clone()),
        alphabet(numbers(&[f64::MAX, f64::MIN, 0.0, 1.5, f64::from_bits(1), 1e-300]), infinite),
        alphabet(texts(&["north", "south", "", "west"]), vec![]),
        alphabet(texts(&["a", "A", "", " b ", "7", "true", "2020-02-29", "50%_é", &long]), vec![]),
        alphabet(dates(&[18_319, 18_323, 18_321]), dates(&[i32::MIN, i32::MAX, 0])),
        alphabet(dates(&[-719_162, 2_932_896, 0, 18_321]), dates(&[i32::MIN, i32::MAX])),
        alphabet(
            moments(&[seen + 22 * hour + hour / 2, seen + 25 * hour, seen + 49 * hour]),
            moments(&[i64::MIN, i64::MAX, -1]),
        ),
        alphabet(
            moments(&[-62_135_596_800_000_000, 253_402_300_799_999_999, 0, seen]),
            moments(&[i64::MIN, i64::MAX]),
        ),
    ]
}

/// At most eight rows of at most three people. Each table draws its values from its own few, so that rows meet in
/// groups; some tables have more of them, so that people pass their bound on groups.
pub(super) fn rows(chance: &mut Chance) -> Vec<Row> {
    let people = [1, 1, 2, 3][chance.below(4)];
    let diverse = chance.one_in(2);
    let count = if diverse { 6 + chance.below(3) } else { 1 + chance.below(8) };
    let palettes: Vec<Vec<Option<Value>>> = alphabets()
        .iter()
        .map(|alphabet| {
            let size = if diverse { 5 } else { 1 + chance.below(3) };
            let value = |chance: &mut Chance| match chance.below(12) {
                0 | 1 => None,
                2 if !alphabet.hostile.is_empty() => Some(chance.pick(&alphabet.hostile).clone()),
                _ => Some(chance.pick(&alphabet.usual).clone()),
            };
            (0..size).map(|_| value(chance)).collect()
        })
        .collect();
    (0..count)
        .map(|_| Row {
            owner: (!chance.one_in(8)).then(|| chance.below(people)),
            cells: palettes.iter().map(|palette| chance.pick(palette).clone()).collect(),
        })
        .collect()
}

/// Where values outside of declared bounds are seen: in conditions, in keys, in what is added up.
pub(super) fn places_of_values_outside(aggregation: &Aggregation, rows: &[Row]) -> Vec<&'static str> {
    let Some(pointillist_plan::Scan { columns, .. }) = aggregation.relation.table() else {
        return Vec::new();
    };
    let outside = |position: usize| {
        let Some(at) = NAMES.iter().position(|name| *name == columns[position].name) else { return false };
        rows.iter()
            .any(|row| row.cells[at].as_ref().is_some_and(|value| is_outside(&columns[position].kind, value)))
    };
    let outside: Vec<String> =
        (0..columns.len()).filter(|position| outside(*position)).map(|at| format!("Column({at})")).collect();
    let sees = |scalar: &Scalar| {
        let text = format!("{scalar:?}");
        outside.iter().any(|column| text.contains(column))
    };
    let counted = aggregation.measures.iter().filter_map(|measure| measure.counted.as_ref());
    let values = aggregation.measures.iter().flat_map(|measure| measure.quantity.values());
    let places = [
        ("conditions", aggregation.filter.iter().chain(counted).any(sees)),
        ("keys", aggregation.keys.iter().map(|key| &key.value).any(sees)),
        ("arguments", values.into_iter().any(sees)),
    ];
    places.into_iter().filter(|(_, seen)| *seen).map(|(place, _)| place).collect()
}

fn is_outside(kind: &ColumnType, value: &Value) -> bool {
    match (kind, value) {
        (ColumnType::Integer { bounds: Some((low, high)) }, Value::Integer(value))
        | (ColumnType::Timestamp { bounds: Some((low, high)) }, Value::Timestamp(value)) => {
            value < low || value > high
        }
        (ColumnType::Date { bounds: Some((low, high)) }, Value::Date(value)) => value < low || value > high,
        (ColumnType::Number { bounds: Some((low, high)), .. }, Value::Number(value)) => {
            *value < low.to_f64_lower() || *value > high.to_f64_upper()
        }
        _ => false,
    }
}

/// Somebody with an absurd number of rows, all of them like rows of others.
pub(super) fn with_newcomer(chance: &mut Chance, rows: &[Row], count: usize) -> Vec<Row> {
    let copies = (0..count).map(|_| Row { owner: Some(NEWCOMER), ..chance.pick(rows).clone() });
    let mut all: Vec<Row> = copies.chain(rows.iter().cloned()).collect();
    chance.shuffle(&mut all);
    all
}

/// The rows as the scan of an aggregation delivers them.
pub(super) fn batch(aggregation: &Aggregation, rows: &[Row]) -> RecordBatch {
    let scan = aggregation.relation.table().unwrap();
    let (text_owners, columns) = (scan.table == "trips", &scan.columns);
    let owners = |row: &Row| row.owner.map(|owner| named(owner, text_owners));
    let mut arrays: Vec<(String, ArrayRef)> = columns
        .iter()
        .map(|column| {
            let values: Vec<Option<Value>> = match NAMES.iter().position(|name| *name == column.name) {
                Some(at) => rows.iter().map(|row| row.cells[at].clone()).collect(),
                None => rows.iter().map(owners).collect(),
            };
            (column.name.clone(), array(&column.kind, &values))
        })
        .collect();
    if matches!(aggregation.ownership(), Ownership::People(_)) {
        let kind = if text_owners { ColumnType::Text } else { ColumnType::Integer { bounds: None } };
        let values: Vec<Option<Value>> = rows.iter().map(owners).collect();
        arrays.push((OWNER_COLUMN.to_owned(), array(&kind, &values)));
    }
    let fields: Vec<Field> =
        arrays.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let arrays = arrays.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).unwrap()
}

/// The rows of a table with all columns of its file: its owners' names twice, as `person` and as `ref`.
pub(super) fn whole_batch(catalog: &Catalog, table: &str, rows: &[Row]) -> RecordBatch {
    let declared = &catalog.tables[table];
    let mut columns: Vec<(&str, ArrayRef)> = NAMES
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let values: Vec<Option<Value>> = rows.iter().map(|row| row.cells[at].clone()).collect();
            (*name, array(&declared.column_in_file(name).unwrap().kind, &values))
        })
        .collect();
    let text = table == "trips";
    let owners: Vec<Option<Value>> =
        rows.iter().map(|row| row.owner.map(|owner| named(owner, text))).collect();
    columns.extend(["person", "ref"].map(|name| (name, array(&name_type(text), &owners))));
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Public rows that are all the same.
pub(super) fn fairs(count: usize) -> RecordBatch {
    let one = Int64Array::from(vec![1; count]);
    RecordBatch::try_from_iter([("one", Arc::new(one) as ArrayRef)]).unwrap()
}

/// Who is behind names: everybody behind their own, and the second behind the first's as well. The third is in it twice.
pub(super) fn register(table: &str, gone: Option<usize>) -> RecordBatch {
    let text = table == "trips";
    let entries = [(0, 0), (1, 1), (0, 1), (2, 2), (2, 2), (NEWCOMER, NEWCOMER)];
    let left: Vec<(usize, usize)> = entries.into_iter().filter(|(_, person)| Some(*person) != gone).collect();
    let column = |values: Vec<Option<Value>>| array(&name_type(text), &values);
    let ids = column(left.iter().map(|(id, _)| Some(named(*id, text))).collect());
    let people = column(left.iter().map(|(_, person)| Some(named(*person, text))).collect());
    RecordBatch::try_from_iter([("id", ids), ("person", people)]).unwrap()
}

fn name_type(text: bool) -> ColumnType {
    if text { ColumnType::Text } else { ColumnType::Integer { bounds: None } }
}

fn named(owner: usize, text: bool) -> Value {
    if text { Value::Text(TEXTS[owner].to_owned()) } else { Value::Integer(NUMBERS[owner]) }
}

fn array(kind: &ColumnType, values: &[Option<Value>]) -> ArrayRef {
    macro_rules! collect {
        ($array:ty, $kind:ident) => {
            Arc::new(
                values
                    .iter()
                    .map(|value| match value {
                        Some(Value::$kind(value)) => Some(value.clone()),
                        None => None,
                        Some(other) => panic!("{other:?} is of another type than its column"),
                    })
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        ColumnType::Boolean => collect!(BooleanArray, Boolean),
        ColumnType::Integer { .. } => collect!(Int64Array, Integer),
        ColumnType::Number { .. } => collect!(Float64Array, Number),
        ColumnType::Text => collect!(StringViewArray, Text),
        ColumnType::Date { .. } => collect!(Date32Array, Date),
        ColumnType::Timestamp { .. } => collect!(TimestampMicrosecondArray, Timestamp),
    }
}

/// The value of one row of what the evaluator computed.
pub(super) fn value_at(array: &ArrayRef, row: usize) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        // Minus zero and zero are one key.
        DataType::Float64 => Value::Number(array.as_primitive::<Float64Type>().value(row) + 0.0),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(row)),
        DataType::Timestamp(..) => {
            Value::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        other => panic!("no key has the type {other}"),
    })
}
