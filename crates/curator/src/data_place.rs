//! Where the rows of declared tables are: in files below the catalog's folder, or in memory.
//!
//! A source `memory:visits` names rows that whoever opened the curator holds in memory. To the ledger it is a source like any
//! other: a name that stands for one population and one privacy unit, now and when the same ledger is opened again. Rows that have
//! changed in between need another `version`, as changed files do. A program that was given no rows of that name answers as for a missing file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pointillist_catalog::{Catalog, ColumnType, Protection, RemoteTable, Table, Unit};
use pointillist_engine::{MEMORY, MemoryRows, Source, SourceError, StoredAs};

/// A folder, and rows in memory by their names.
#[derive(Clone, Default)]
pub struct DataPlace {
    folder: PathBuf,
    memory: BTreeMap<String, MemoryRows>,
}

impl DataPlace {
    /// Files below this folder.
    pub fn folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), memory: BTreeMap::new() }
    }

    /// The same with rows in memory, by the names that follow `memory:`.
    #[must_use]
    pub fn with_memory(self, memory: BTreeMap<String, MemoryRows>) -> Self {
        Self { memory, ..self }
    }

    /// What sources are relative to.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Finds the rows of a table; looks at none.
    pub(crate) fn open(&self, table: &Table) -> Result<Source, SourceError> {
        match self.in_memory(table) {
            Some(rows) => Ok(Source::Memory(rows.clone())),
            // Rows behind a connection are never a file, whatever files are called.
            None if RemoteTable::of_source(&table.source).is_some() => {
                Err(SourceError::Address { source_text: table.source.clone() })
            }
            None => Source::open(&self.folder, &table.source),
        }
    }

    fn in_memory(&self, table: &Table) -> Option<&MemoryRows> {
        self.memory.get(table.source.strip_prefix(MEMORY)?)
    }

    /// Whether rows in memory have the columns that are declared of them.
    ///
    /// # Errors
    /// When a column is missing or of a type that is not read.
    pub fn check_memory(&self, catalog: &Catalog) -> Result<(), SourceError> {
        for table in catalog.tables.values() {
            let Some(rows) = self.in_memory(table) else { continue };
            for column in &table.columns {
                rows.check_column(column.name_in_file())?;
            }
            if let Protection::Private { unit, .. } = &table.protection {
                if let Unit::Column(column) | Unit::Linked { column, .. } = unit {
                    rows.check_names(table.name_in_file(column))?;
                }
                if let Unit::Linked { table: linked, key, .. } = unit
                    && let Some(linked) = catalog.tables.get(linked)
                    && let Some(rows) = self.in_memory(linked)
                {
                    rows.check_names(linked.name_in_file(key))?;
                }
            }
            self.check_payers(catalog, table, rows)?;
        }
        Ok(())
    }

    /// One frame has one payer: the same bytes are not somebody else's, or public, under another name.
    fn check_payers(&self, catalog: &Catalog, table: &Table, rows: &MemoryRows) -> Result<(), SourceError> {
        let payer = |table: &Table| match &table.protection {
            Protection::Public => None,
            Protection::Private { scope, .. } => Some(scope.clone()),
        };
        for other in catalog.tables.values().filter(|other| payer(other) != payer(table)) {
            let is_shared = self.in_memory(other).is_some_and(|others| rows.shares_bytes_with(others));
            if is_shared {
                let what = format!("they are rows of `{}` as well, for which somebody else pays", other.name);
                return Err(SourceError::Memory { name: table.name.clone(), what });
            }
        }
        Ok(())
    }

    /// The first private table or graph whose rows are not in memory.
    pub(crate) fn outside_of_memory<'c>(&self, catalog: &'c Catalog) -> Option<&'c str> {
        let is_outside =
            |table: &&Table| table.protection != Protection::Public && self.in_memory(table).is_none();
        let tables = catalog.tables.values().filter(is_outside).map(|table| table.name.as_str());
        tables.chain(catalog.graphs.keys().map(String::as_str)).next()
    }

    /// Where rows in memory are stored as something else than what is declared, in words for the owner.
    pub fn memory_notes(&self, catalog: &Catalog) -> Vec<String> {
        let mut notes = Vec::new();
        for table in catalog.tables.values() {
            let Some(rows) = self.in_memory(table) else { continue };
            for column in &table.columns {
                let Some(stored) = rows.stored_as(column.name_in_file()) else { continue };
                let becomes = match (&column.kind, stored) {
                    (ColumnType::Integer { .. } | ColumnType::Number { .. }, StoredAs::Text) => {
                        "what is no number becomes NULL"
                    }
                    (ColumnType::Integer { .. } | ColumnType::Number { .. }, StoredAs::Days) => {
                        "all of it becomes NULL"
                    }
                    (
                        ColumnType::Date { .. } | ColumnType::Timestamp { .. },
                        StoredAs::Whole | StoredAs::Fractions,
                    ) => "all of it becomes NULL",
                    _ => continue,
                };
                notes.push(format!(
                    "column `{}` of `{}` is stored as {} and declared as {}: {becomes}",
                    column.name,
                    table.name,
                    stored.word(),
                    declared_word(&column.kind),
                ));
            }
        }
        notes
    }
}

fn declared_word(kind: &ColumnType) -> &'static str {
    match kind {
        ColumnType::Boolean => "a truth value",
        ColumnType::Integer { .. } => "whole numbers",
        ColumnType::Number { .. } => "numbers",
        ColumnType::Text => "texts",
        ColumnType::Date { .. } => "days",
        ColumnType::Timestamp { .. } => "moments",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use pointillist_catalog::OWNER;
    use pointillist_query::Options;

    use super::*;
    use crate::{Ask, AskError, Clock, Home, Paid, StartError};

    const CATALOG: &str = "
[scope.people]
model = \"pure\"
budget = { epsilon = 1000 }
[table.visits]
scope = \"people\"
source = \"memory:visits\"
privacy_unit = \"id\"
max_contributions = 1
[table.visits.columns]
id = { type = \"integer\" }
age = { type = \"integer\", lower = 0, upper = 120 }
";

    fn frame(people: i64) -> MemoryRows {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..people));
        let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..people).map(|person| person % 100)));
        let batch = RecordBatch::try_from_iter([("id", ids), ("age", ages)]).unwrap();
        MemoryRows::new("visits", batch.schema(), vec![batch]).unwrap()
    }

    fn home(folder: &Path, catalog: &str, people: i64) -> Home {
        let mut home = Home::new(folder.to_owned(), Catalog::parse(catalog).unwrap());
        home.memory = BTreeMap::from([("visits".to_owned(), frame(people))]);
        home
    }

    fn count() -> Ask {
        let mut options = Options::default();
        options.set("epsilon", "400").unwrap();
        Ask { options, ..Ask::new("SELECT COUNT(*) FROM visits", OWNER) }
    }

    /// Specification: rows in memory are answered about, charged and recorded as files are; with ε = 400 noise is zero but
    /// with a probability below 1e-170.
    #[test]
    fn rows_in_memory_are_asked_about_and_paid_for() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path(), CATALOG, 250);
        home.data_place().check_memory(&home.catalog).unwrap();
        let volatile = home.volatile_curator(Clock::Immediate).unwrap();
        let reply = volatile.ask(&count()).unwrap();
        assert_eq!(reply.answer.rows[0].values[0], Some(pointillist_catalog::Value::Integer(250)));
        assert_eq!(volatile.ask(&count()).unwrap().paid, Paid::Nothing);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written anywhere");

        let durable = home.curator(Clock::Immediate).unwrap();
        assert_eq!(durable.ask(&count()).unwrap().paid, Paid::InFull);
        drop(durable);
        assert_eq!(home.curator(Clock::Immediate).unwrap().ask(&count()).unwrap().paid, Paid::Nothing);
    }

    /// Specification: a catalog over memory is nothing to a program that was given no rows, before anything is paid.
    #[test]
    fn without_rows_there_is_no_answer_and_no_payment() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned(), Catalog::parse(CATALOG).unwrap());
        let curator = home.curator(Clock::Immediate).unwrap();
        let refused = curator.ask(&count()).unwrap_err();
        assert!(matches!(refused, AskError::Unavailable { .. }), "{refused}");
        assert_eq!(
            curator.ledger().balance("people").unwrap().unwrap().spent,
            pointillist_privacy::Amount::ZERO
        );
    }

    /// Specification: one frame has one payer, as one file has.
    #[test]
    fn one_frame_is_not_paid_for_by_two_populations() {
        let second = CATALOG
            .replace("[table.visits]", "[table.again]")
            .replace("[table.visits.columns]", "[table.again.columns]");
        let second = second
            .replace("[scope.people]", "[scope.others]")
            .replace("scope = \"people\"", "scope = \"others\"");
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path(), &format!("{CATALOG}{second}"), 3);
        let refused = home.volatile_curator(Clock::Immediate).map(|_| ()).unwrap_err();
        assert!(matches!(refused, StartError::TwoPayers { .. }), "{refused}");
    }

    /// Specification: a source in memory is never a file, so that no link is a second way to rows that somebody pays for.
    #[test]
    fn a_file_that_is_called_like_memory_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("memory:v.csv"), "id,age\n1,2\n").unwrap();
        let catalog = CATALOG.replace("memory:visits", "memory:v.csv");
        let home = Home::new(folder.path().to_owned(), Catalog::parse(&catalog).unwrap());
        let refused = home.curator(Clock::Immediate).unwrap().ask(&count()).unwrap_err();
        assert!(matches!(refused, AskError::Unavailable { .. }), "{refused}");
    }

    /// Specification: a ledger that is forgotten answers about no rows that are kept.
    #[test]
    fn a_ledger_in_memory_answers_about_memory_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("v.csv"), "id,age\n1,2\n").unwrap();
        let home = home(folder.path(), &CATALOG.replace("memory:visits", "v.csv"), 3);
        let refused = home.volatile_curator(Clock::Immediate).map(|_| ()).unwrap_err();
        assert!(matches!(refused, StartError::NotInMemory { .. }), "{refused}");
    }

    /// Specification: the bytes of one frame are not paid for twice, nor public, under two names.
    #[test]
    fn one_frame_under_two_names_has_one_payer() {
        let second = CATALOG.replace("table.visits", "table.again").replace("memory:visits", "memory:again");
        let second = second.replace("[scope.people]\nmodel = \"pure\"\nbudget = { epsilon = 1000 }\n", "");
        let mut alike = home(Path::new("."), &format!("{CATALOG}{second}"), 30);
        let rows = alike.memory["visits"].clone();
        alike.memory.insert("again".to_owned(), rows);
        alike.data_place().check_memory(&alike.catalog).expect("one population pays for both");
        let others = second.replace("scope = \"people\"", "scope = \"others\"");
        let others =
            format!("{CATALOG}{others}\n[scope.others]\nmodel = \"pure\"\nbudget = {{ epsilon = 1 }}\n");
        let mut twice = home(Path::new("."), &others, 30);
        let rows = twice.memory["visits"].clone();
        twice.memory.insert("again".to_owned(), rows);
        let error = twice.data_place().check_memory(&twice.catalog).unwrap_err();
        assert!(error.to_string().contains("somebody else pays"), "{error}");
        twice.memory.insert("again".to_owned(), frame(30));
        twice.data_place().check_memory(&twice.catalog).expect("other rows");
    }

    #[test]
    fn people_are_not_named_by_floating_point_numbers() {
        let ids: ArrayRef = Arc::new(arrow::array::Float64Array::from(vec![1.0, 2.0]));
        let ages: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let batch = RecordBatch::try_from_iter([("id", ids), ("age", ages)]).unwrap();
        let mut home = home(Path::new("."), CATALOG, 3);
        let rows = MemoryRows::new("visits", batch.schema(), vec![batch]).unwrap();
        home.memory.insert("visits".to_owned(), rows);
        let error = home.data_place().check_memory(&home.catalog).unwrap_err();
        assert!(error.to_string().contains("Int64"), "{error}");
    }

    #[test]
    fn a_declared_column_that_a_frame_lacks_is_told_at_once() {
        let catalog = CATALOG.replace("age = ", "weight = ");
        let home = home(Path::new("."), &catalog, 3);
        let error = home.data_place().check_memory(&home.catalog).unwrap_err();
        assert!(error.to_string().contains("weight"), "{error}");
    }
}
