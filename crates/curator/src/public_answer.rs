//! Statements over public tables alone: answered, free, and nowhere recorded.
//!
//! **Guarantee.** No table that the catalog does not declare public is opened: a [`PublicStatement`] has no leaf that people
//! own, the catalog is asked again for every table by its name, and the engine refuses rows with an owner. What a table was
//! told to be when the ledger first heard of it still counts: whoever makes a private table public by editing the catalog has
//! to accept that (`budgets.rs`), and a file that is private under another name is not read. The ledger is read for that,
//! never locked and never written.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use arrow::error::ArrowError;
use pointillist_catalog::{Catalog, OWNER, Protection};
use pointillist_engine::{Engine, EngineOptions, Source, Table, evaluate_relation};
use pointillist_plan::{DeclaredRows, PublicStatement, Relation, Role, Type};
use pointillist_query::{Refusal, Statement};

use crate::answer::{Answer, Column, Row};
use crate::arrays::{array, value};
use crate::ask::Ask;
use crate::books::Books;
use crate::budgets::agree_about;
use crate::curator::Curator;
use crate::data_place::DataPlace;
use crate::datasets::one_payer_a_file;
use crate::error::AskError;
use crate::home::Home;
use crate::rows::not_opened;

/// What is said in the place of a price.
pub const FREE: &str = "free: nothing private is read";

/// The answer to a statement over public tables.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicAnswer {
    /// The table, without bars: nothing in it is noisy because of us.
    pub answer: Answer,
    /// The tables that were read.
    pub tables: Vec<String>,
}

/// What there is to know about such a statement before it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicQuote {
    /// The tables that would be read.
    pub tables: Vec<String>,
    /// The plan as a tree, for people to read.
    pub plan: String,
}

impl PublicAnswer {
    /// Writes an Arrow stream of one batch.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_arrow(&self, out: impl Write) -> Result<(), ArrowError> {
        self.answer.write_arrow(out, HashMap::new(), None)
    }
}

impl Ask {
    /// The statement as one over public tables, if it is one and whoever asks is somebody. A function of the catalog.
    ///
    /// # Errors
    /// When nobody of the asker's name is declared.
    pub(crate) fn public<'s>(
        &self,
        catalog: &Catalog,
        statement: &'s Statement,
    ) -> Result<Option<&'s PublicStatement>, AskError> {
        let Statement::Public(public) = statement else {
            return Ok(None);
        };
        match self.analyst == OWNER || catalog.analysts.contains_key(&self.analyst) {
            true => Ok(Some(public)),
            false => Err(AskError::Unknown { analyst: self.analyst.clone() }),
        }
    }

    /// Whether the statement is about public tables alone, and free.
    pub fn is_public(&self, catalog: &Catalog) -> bool {
        let statement = self.statement(catalog);
        statement.is_ok_and(|statement| matches!(self.public(catalog, &statement), Ok(Some(_))))
    }
}

impl Curator {
    /// The answer to a statement over public tables.
    pub(crate) fn public_answer(&self, public: &PublicStatement) -> Result<PublicAnswer, AskError> {
        let state = &self.state;
        answer(&state.data, &state.catalog, &Books::Writer(&state.ledger), &state.engine, public)
    }
}

impl Home {
    /// The same; the ledger is not locked.
    pub(crate) fn public_answer(&self, public: &PublicStatement) -> Result<PublicAnswer, AskError> {
        // What may be named was decided with the statement; here it is read.
        let catalog = self.catalog_for(OWNER);
        one_payer_a_file(&self.folder, &catalog)?;
        let reader = self.reader()?;
        let books = reader.as_ref().map_or(Books::None, Books::Reader);
        let engine = Engine::new(EngineOptions::default()).map_err(|_| AskError::Failed)?;
        answer(&self.data_place(), &catalog, &books, &engine, public)
    }
}

/// What a statement reads, and that it is free.
pub(crate) fn public_quote(public: &PublicStatement) -> PublicQuote {
    let tables = public.tables().into_iter().map(str::to_owned).collect();
    PublicQuote { tables, plan: public.to_string() }
}

fn answer(
    data: &DataPlace,
    catalog: &Catalog,
    books: &Books<'_>,
    engine: &Engine,
    public: &PublicStatement,
) -> Result<PublicAnswer, AskError> {
    let mut sources = BTreeMap::new();
    for name in public.tables() {
        sources.insert(name.to_owned(), public_source(data, catalog, books, name)?);
    }
    let mut read = Vec::new();
    for scan in public.relation().scans() {
        let rows = engine.public_rows(&sources, scan).map_err(|error| not_opened(&error, &scan.table))?;
        read.push((scan.clone(), rows));
    }
    let leaf = |relation: &Relation| {
        let scan = match relation {
            Relation::Table(scan) => scan,
            Relation::Released { part, .. } => return declared(public.lists().get(*part)?),
            _ => return None,
        };
        read.iter().find(|(known, _)| known == scan).map(|(_, rows)| rows.clone())
    };
    let rows = evaluate_relation(public.relation(), &leaf).map_err(|_| {
        Refusal::not_provable(
            "what is computed from these public tables would have too many rows",
            "join them on keys, or ask for fewer rows with WHERE",
        )
    })?;
    let tables = public.tables().into_iter().map(str::to_owned).collect();
    Ok(PublicAnswer { answer: shown(public, &rows), tables })
}

/// The files of a table that the catalog declares public, and that the ledger was told nothing else of.
pub(crate) fn public_source(
    data: &DataPlace,
    catalog: &Catalog,
    books: &Books<'_>,
    name: &str,
) -> Result<Source, AskError> {
    let unavailable = || AskError::Unavailable { table: name.to_owned() };
    let table = catalog.table(name).ok_or_else(unavailable)?;
    if table.protection != Protection::Public {
        return Err(unavailable());
    }
    // What a release holds was paid for when it was made; the ledger is told of declared tables alone.
    if catalog.tables.contains_key(name) {
        agree_about(catalog, books, table)?;
    }
    data.open(table).map_err(|_| unavailable())
}

/// Rows that are written into the statement.
fn declared(list: &DeclaredRows) -> Option<Table> {
    let column = |(place, kind): (usize, &Type)| {
        array(*kind, list.rows.iter().map(move |row| row.get(place).and_then(Option::as_ref)))
    };
    Table::new(None, list.types.iter().enumerate().map(column).collect(), list.rows.len()).ok()
}

/// The rows as an answer: nothing released, no bars.
fn shown(public: &PublicStatement, rows: &Table) -> Answer {
    let types = public.relation().types();
    let columns = public.outer().columns.iter().map(|column| Column {
        name: column.name.clone(),
        kind: column.kind,
        role: Role::Derived,
        release: None,
        has_interval: false,
    });
    let row = |row: usize| {
        let cell = |(kind, column)| value(kind, column, row);
        let values: Vec<_> = types.iter().copied().zip(rows.columns()).map(cell).collect();
        Row { intervals: vec![None; values.len()], values }
    };
    Answer {
        columns: columns.collect(),
        rows: (0..rows.rows()).map(row).collect(),
        notes: public.notes().to_vec(),
    }
}
