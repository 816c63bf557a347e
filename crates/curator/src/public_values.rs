//! The rows of public tables, for whoever plans with them: nothing is paid, nobody's rows are read.

use std::collections::BTreeMap;

use pointillist_catalog::{Protection, Value};
use pointillist_engine::{Engine, EngineOptions};
use pointillist_plan::{Owner, Relation, Scan, ScanColumn};

use crate::Home;
use crate::arrays::value;
use crate::books::Books;
use crate::budgets::agree_about;
use crate::datasets::one_payer_a_file;
use crate::error::AskError;

impl Home {
    /// Every row of a public table, by some of its columns.
    ///
    /// # Errors
    /// When the table is not declared public, lacks a column, or cannot be read.
    pub fn public_values(
        &self,
        table: &str,
        columns: &[String],
    ) -> Result<Vec<Vec<Option<Value>>>, AskError> {
        let unavailable = || AskError::Unavailable { table: table.to_owned() };
        let declared = self.catalog.tables.get(table).ok_or_else(unavailable)?;
        if declared.protection != Protection::Public {
            return Err(unavailable());
        }
        // The catalog's word is not enough: neither a file that is private under another name, nor a table that the ledger
        // knows as somebody's.
        one_payer_a_file(&self.folder, &self.catalog)?;
        let reader = self.reader()?;
        let books = reader.as_ref().map_or(Books::None, Books::Reader);
        agree_about(&self.catalog, &books, declared)?;
        let read = |name: &String| {
            let column = declared.column(name)?;
            Some(ScanColumn { name: column.name_in_file().to_owned(), kind: column.kind.clone() })
        };
        let columns = columns.iter().map(read).collect::<Option<Vec<_>>>().ok_or_else(unavailable)?;
        let scan = Scan { table: table.to_owned(), columns, filter: None, owner: Owner::Nobody };
        let types = Relation::Table(scan.clone()).types();
        let source = self.data_place().open(declared).map_err(|_| unavailable())?;
        let sources = BTreeMap::from([(table.to_owned(), source)]);
        let engine = Engine::new(EngineOptions::default()).map_err(|_| unavailable())?;
        let rows = engine.public_rows(&sources, &scan).map_err(|_| unavailable())?;
        let row = |row: usize| {
            types.iter().zip(rows.columns()).map(|(kind, column)| value(*kind, column, row)).collect()
        };
        Ok((0..rows.rows()).map(row).collect())
    }
}
