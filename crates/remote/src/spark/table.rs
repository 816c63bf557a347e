//! What a table is, from Spark's catalog, and which tables are refused.
//!
//! **Guarantee.** A table that passes is files in a format that holds values as they are: nothing is computed when a row is read.
//! Views can fail on a row or look at other people's rows; JDBC, serdes of Hive and sources of others fail and round on their
//! own; texts of CSV and JSON are parsed when they are read; a stream has no end. All of these are refused by name, and so is whatever is
//! not known. A column of a type that is not read is named as Spark names it, and refused by the lowering when it is read.

use std::collections::BTreeMap;
use std::io::Cursor;

use arrow::array::AsArray;
use arrow::ipc::reader::StreamReader;
use pointillist_lowering::{Stored, StoredTable};
use pointillist_spark::{Column, ColumnType, Session, SparkError};
use serde_json::Value;

use super::{Refusal, TableName};

/// What Spark calls the formats that are read. Delta's tables are Parquet files and a log of them.
const PROVIDERS: [&str; 3] = ["parquet", "orc", "delta"];

/// A column as Spark knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub stored: Stored,
}

/// A table as Spark knows it, its columns in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDescription {
    /// The table.
    pub name: TableName,
    /// The columns.
    pub columns: Vec<StoredColumn>,
}

impl TableDescription {
    /// Looks a table up, and refuses what is none.
    pub(super) fn read(session: &Session, name: &TableName, trust_views: bool) -> Result<Self, Refusal> {
        if name.format().is_none() {
            is_table(session, name, trust_views)?;
        }
        // The analysis of a statement says of texts that they were declared with a length; the catalog does not.
        let all = format!("SELECT * FROM {}", name.quoted());
        let missing = |error| Refusal::of_table(error, name);
        if session.is_streaming(&all, &[]).map_err(missing)? {
            return Err(kind(name, "a stream, which has no end"));
        }
        let columns = session.schema(&all, &[]).map_err(missing)?;
        Ok(Self { name: name.clone(), columns: columns.into_iter().map(StoredColumn::of).collect() })
    }

    /// The same for the lowering of a question.
    pub fn stored(&self) -> StoredTable {
        let columns: BTreeMap<_, _> =
            self.columns.iter().map(|column| (column.name.clone(), column.stored.clone())).collect();
        StoredTable { path: self.name.path(), columns }
    }

    /// Refuses columns that are not there.
    pub(super) fn check(&self, columns: &[String]) -> Result<(), Refusal> {
        let missing = columns.iter().find(|wanted| self.columns.iter().all(|column| column.name != **wanted));
        match missing {
            None => Ok(()),
            Some(column) => {
                Err(Refusal::MissingColumn { table: self.name.to_string(), column: column.clone() })
            }
        }
    }
}

impl StoredColumn {
    fn of(column: Column) -> Self {
        let stored = match column.kind {
            ColumnType::Boolean => Stored::Boolean,
            ColumnType::Whole { .. } => Stored::Whole,
            ColumnType::Single => Stored::Single,
            ColumnType::Double => Stored::Double,
            ColumnType::Decimal { .. } => Stored::Decimal,
            ColumnType::Text => Stored::Text,
            ColumnType::Date => Stored::Date,
            ColumnType::Timestamp => Stored::Timestamp,
            ColumnType::ZonedTimestamp => Stored::ZonedTimestamp,
            ColumnType::Other(name) => Stored::Other(name.to_owned()),
        };
        Self { name: column.name, stored }
    }
}

/// Asks the catalog what a name stands for.
fn is_table(session: &Session, name: &TableName, trust_views: bool) -> Result<(), Refusal> {
    let describe = format!("DESCRIBE TABLE EXTENDED {} AS JSON", name.quoted());
    let answer = session.command(&describe, &[]);
    let described = match answer {
        Ok(answer) => json(answer).ok_or(Refusal::Shape)?,
        // Catalogs of others may not say what their tables are.
        Err(SparkError::Refused { condition: Some(condition) })
            if condition.name().starts_with("UNSUPPORTED") =>
        {
            return Err(kind(name, "a table of a catalog that does not say what it is"));
        }
        Err(error) => return Err(Refusal::of_table(error, name)),
    };
    let word = |key: &str| described.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match word("type").as_str() {
        "MANAGED" | "EXTERNAL" => {}
        "VIEW" if trust_views => return Ok(()),
        "VIEW" => return Err(Refusal::View { table: name.to_string() }),
        _ => return Err(kind(name, "no table")),
    }
    let provider = word("provider").to_lowercase();
    match provider.as_str() {
        provider if PROVIDERS.contains(&provider) => Ok(()),
        "" => Err(kind(name, "stored in a way that Spark does not say")),
        "hive" => Err(kind(name, "read through a serde of Hive, which can fail on a row")),
        "jdbc" => Err(kind(name, "another database's table, which can fail or round on its own")),
        "csv" | "json" | "text" | "xml" => Err(kind(name, "stored as text, which is parsed when it is read")),
        _ => Err(kind(name, "stored by a source that is not known here")),
    }
}

/// The one text of an answer, as JSON.
fn json(answer: Vec<Vec<u8>>) -> Option<Value> {
    let reader = StreamReader::try_new(Cursor::new(answer.into_iter().next()?), None).ok()?;
    let batch = reader.map_while(Result::ok).find(|batch| batch.num_rows() == 1)?;
    let text = batch.column(0).as_string_opt::<i32>()?;
    serde_json::from_str(text.value(0)).ok()
}

fn kind(name: &TableName, what: &'static str) -> Refusal {
    Refusal::Kind { table: name.to_string(), what }
}
