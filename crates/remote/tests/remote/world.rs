//! The same rows on a server and in this process: two tables of people, one linked to them, one linked to that, public rows,
//! and rows that are people.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};
use pointillist_catalog::{Connection, RemoteTable, System};
use pointillist_engine::{MemoryRows, Prepared, Source};
use pointillist_errors::Explanation;
use pointillist_plan::Aggregation;
use pointillist_postgres::{Address, Connection as Wire, Limits, Parameter};
use pointillist_remote::{Server, Session};

use crate::cells::{Cell, Datum, Store, uuid};
use crate::chance::Chance;

/// The columns that every table has beside those that name people and rows.
pub(crate) const CONTENT: [(&str, Store); 15] = [
    ("big", Store::Int8),
    ("mid", Store::Int4),
    ("tiny", Store::Int2),
    ("real", Store::Float8),
    ("short", Store::Float4),
    ("money", Store::Numeric),
    ("word", Store::Text),
    ("ward", Store::Varchar),
    ("kind", Store::Label),
    ("mark", Store::Uuid),
    ("fixed", Store::Padded),
    ("flag", Store::Boolean),
    ("day", Store::Date),
    ("seen", Store::Timestamp),
    ("zoned", Store::Zoned),
];

/// The tables, and their columns that hold names.
pub(crate) const NAMES: [(&str, &[&str]); 6] = [
    ("visits", &["person", "id"]),
    ("drugs", &["person"]),
    ("lines", &["visit", "number"]),
    ("notes", &["line"]),
    ("places", &[]),
    ("events", &[]),
];

/// A table: its columns, and its rows.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<(&'static str, Store)>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The rows of every table.
#[derive(Clone)]
pub(crate) struct World(pub(crate) BTreeMap<&'static str, Rows>);

/// A server that worlds are put on, each under a name of its own.
pub(crate) trait Host {
    /// As much of a world as it can hold.
    fn fit(&mut self, _: &mut Chance, world: World) -> World {
        world
    }
    /// Puts a world there.
    fn put(&mut self, world: &World) -> String;
    /// Takes a world away again.
    fn remove(&self, name: &str);
    /// A session for questions about a world.
    fn session(&mut self, name: &str) -> Box<dyn Asked>;
}

/// Whom questions about a world are put to.
pub(crate) trait Asked {
    fn prepare(&self, aggregation: &Aggregation) -> Result<Box<dyn Prepared>, Explanation>;
}

impl Asked for Arc<Session> {
    fn prepare(&self, aggregation: &Aggregation) -> Result<Box<dyn Prepared>, Explanation> {
        Session::prepare(self, aggregation)
    }
}

/// A database of PostgreSQL, with a schema for each world.
pub(crate) struct Place {
    wire: Wire,
    server: Server,
    schemas: usize,
}

fn name(chance: &mut Chance, store: Store, people: usize) -> Cell {
    if chance.one_in(15) {
        return None;
    }
    let number = chance.below(people);
    Some(match store {
        Store::Int8 => Datum::Whole([1, 2, i64::MIN, 3, 1 << 31, i64::MAX, 1 << 62, -7, 0][number % 9]),
        Store::Int4 => Datum::Whole([1, 2, -1, 3, i32::MIN.into(), 4, 5, 6, 0][number % 9]),
        Store::Uuid => Datum::Text(uuid(number % 9)),
        // The last of them is too long to be a name: its rows are nobody's.
        _ => Datum::Text(match number % 13 {
            11 => "n".repeat(10_000),
            12 => "n".repeat(10_001),
            few => ["p1", "P1", "p1 ", "1", "2", "", "é", "e\u{301}", "O'Brien\\", "\u{1F9D0}", "-7"][few]
                .to_owned(),
        }),
    })
}

impl Rows {
    /// As a file holds them.
    pub(crate) fn batch(&self) -> RecordBatch {
        let arrays: Vec<_> = (0..self.columns.len())
            .map(|column| {
                let cells: Vec<Cell> = self.rows.iter().map(|row| row[column].clone()).collect();
                self.columns[column].1.array(&cells)
            })
            .collect();
        let fields = self.columns.iter().zip(&arrays);
        let fields = fields.map(|((name, _), array)| Field::new(*name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        RecordBatch::try_new(schema, arrays).unwrap()
    }
}

impl World {
    /// At most so many rows a table, of so many people.
    pub(crate) fn random(chance: &mut Chance, rows_max: usize, people: usize) -> Self {
        let stores = [Store::Int8, Store::Int8, Store::Int4, Store::Text, Store::Uuid];
        let person = *chance.pick(&stores);
        // Sometimes two tables name the same people in two types.
        let other = match (person, chance.below(3)) {
            (Store::Int8, 0) => Store::Int4,
            (Store::Int8 | Store::Int4, 1) => Store::Text,
            _ => person,
        };
        let [id, number] = [*chance.pick(&stores), *chance.pick(&stores)];
        let of_link = |chance: &mut Chance, store| match store {
            Store::Int8 if chance.one_in(3) => Store::Text,
            store => store,
        };
        let (visit, line) = (of_link(chance, id), of_link(chance, number));
        let store = |table: &str, column: &str| match (table, column) {
            ("drugs", _) => other,
            (_, "person") => person,
            (_, "id") => id,
            (_, "visit") => visit,
            (_, "number") => number,
            _ => line,
        };
        let table = |chance: &mut Chance, table: &'static str, names: &[&'static str]| {
            let named: Vec<_> = names.iter().map(|column| (*column, store(table, column))).collect();
            // Each table has its own few values, so that rows meet, and some are the same.
            let palettes: Vec<Vec<Cell>> = CONTENT
                .iter()
                .map(|(_, store)| (0..1 + chance.below(8)).map(|_| store.cell(chance)).collect())
                .collect();
            let count = if chance.one_in(8) {
                chance.below(3)
            } else {
                rows_max / 2 + chance.below(rows_max / 2 + 1)
            };
            let mut rows: Vec<Vec<Cell>> = Vec::new();
            for _ in 0..count {
                if !rows.is_empty() && chance.one_in(6) {
                    let twin = chance.pick(&rows).clone();
                    rows.push(twin);
                    continue;
                }
                let mut row: Vec<Cell> =
                    named.iter().map(|(_, store)| name(chance, *store, people)).collect();
                row.extend(palettes.iter().map(|palette| chance.pick(palette).clone()));
                rows.push(row);
            }
            Rows { columns: named.into_iter().chain(CONTENT).collect(), rows }
        };
        Self(NAMES.iter().map(|(name, names)| (*name, table(chance, name, names))).collect())
    }

    /// In this process.
    pub(crate) fn sources(&self) -> BTreeMap<String, Source> {
        let source = |(name, table): (&&str, &Rows)| {
            let batch = table.batch();
            let rows = MemoryRows::new(name, batch.schema(), vec![batch]).unwrap();
            ((*name).to_owned(), Source::Memory(rows))
        };
        self.0.iter().map(source).collect()
    }

    /// Everybody who is named in a table of people.
    pub(crate) fn people(&self) -> Vec<String> {
        let tables = ["visits", "drugs"].into_iter().flat_map(|table| &self.0[table].rows);
        let mut people: Vec<String> = tables.filter_map(|row| Some(row[0].as_ref()?.words())).collect();
        people.sort();
        people.dedup();
        people
    }

    /// After a person has left with all rows. Rows that others link to them stay, and lead nowhere.
    pub(crate) fn without(&self, person: &str) -> Self {
        let mut rest = self.clone();
        for table in ["visits", "drugs"] {
            let table = rest.0.get_mut(table).unwrap();
            table.rows.retain(|row| row[0].as_ref().is_none_or(|name| name.words() != person));
        }
        rest
    }
}

impl Place {
    /// A database.
    pub(crate) fn new(url: &str) -> Self {
        let wire = Wire::open(&Address::parse(url).unwrap(), None, &Limits::default()).unwrap();
        wire.batch("CREATE TYPE public.label AS ENUM ('Zebra', 'south', 'north', '', 'it''s')").unwrap();
        let connection = Connection {
            name: "db".to_owned(),
            system: System::Postgres,
            url: url.to_owned(),
            password_file: None,
            trust_views: false,
        };
        let server = Server::of(&connection, Path::new("/")).unwrap();
        Self { wire, server, schemas: 0 }
    }
}

impl Host for Place {
    fn put(&mut self, world: &World) -> String {
        self.schemas += 1;
        let schema = format!("w{}", self.schemas);
        self.wire.batch(&format!("CREATE SCHEMA {schema}")).unwrap();
        for (name, table) in &world.0 {
            let columns: Vec<String> =
                table.columns.iter().map(|(column, store)| format!("{column} {}", store.sql())).collect();
            self.wire.batch(&format!("CREATE TABLE {schema}.{name} ({})", columns.join(", "))).unwrap();
            let lists = (0..table.columns.len()).map(|column| {
                let words = table.rows.iter().map(|row| row[column].as_ref().map(Datum::words));
                Parameter::Texts(words.collect())
            });
            let lists: Vec<Parameter> = lists.collect();
            let numbers = 1..=table.columns.len();
            let casts: Vec<String> = numbers
                .clone()
                .zip(&table.columns)
                .map(|(number, (_, store))| format!("u.x{number}::{}", store.sql()))
                .collect();
            let places: Vec<String> = numbers.clone().map(|number| format!("${number}::text[]")).collect();
            let aliases: Vec<String> = numbers.map(|number| format!("x{number}")).collect();
            let insert = format!(
                "INSERT INTO {schema}.{name} SELECT {} FROM unnest({}) AS u ({})",
                casts.join(", "),
                places.join(", "),
                aliases.join(", ")
            );
            self.wire.execute(&insert, &lists).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        schema
    }

    fn remove(&self, schema: &str) {
        self.wire.batch(&format!("SET client_min_messages = error; DROP SCHEMA {schema} CASCADE")).unwrap();
    }

    fn session(&mut self, schema: &str) -> Box<dyn Asked> {
        let table = |name: &str| RemoteTable {
            system: System::Postgres,
            connection: "db".to_owned(),
            path: vec![schema.to_owned(), name.to_owned()],
        };
        let tables = NAMES.iter().map(|(name, _)| ((*name).to_owned(), table(name))).collect();
        Box::new(self.server.begin(&tables, None, None).unwrap_or_else(|error| panic!("{error:?}")))
    }
}
