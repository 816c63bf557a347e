//! An anchor in a row of a PostgreSQL database: of another server than the one that holds the records.
//!
//! **Guarantee.** The row is replaced whole, and survives a loss of power once the call returns. [`Witness::replace`] is one
//! statement: of two servers that found the same anchor one replaces it, and the other is told.
//! **Not covered.** A server that is restored together with the one that holds the records: its anchor remembers nothing.

use std::io;

use pointillist_postgres::{Cell, Connection, Parameter};

use super::{Anchor, Witness, changed};
use crate::PostgresPlace;
use crate::postgres_place::{DURABILITY, check_durability, check_table, create, has_table, query};

/// A [`Witness`] in one schema of a PostgreSQL database.
pub struct PostgresWitness {
    connection: Connection,
    pid: i64,
    schema: String,
}

impl PostgresWitness {
    /// Opens the schema for writing, and makes it where there is none.
    ///
    /// # Errors
    /// When the server cannot be reached or is not safe to keep an anchor in.
    pub fn open(place: &PostgresPlace) -> io::Result<Self> {
        let (connection, pid) = place.connect_to_write()?;
        let schema = place.quoted_schema()?;
        if !has_table(&connection, &format!("{schema}.anchor"))? {
            let table = format!(
                "CREATE TABLE IF NOT EXISTS {schema}.anchor \
                 (one boolean PRIMARY KEY DEFAULT true CHECK (one), content text NOT NULL)"
            );
            create(&connection, &schema, &table)?;
        }
        check_table(&connection, &format!("{schema}.anchor"))?;
        Ok(Self { connection, pid, schema })
    }

    /// What is there now, without making anything.
    ///
    /// # Errors
    /// When the server cannot be reached, or what is there is no anchor.
    pub fn look(place: &PostgresPlace) -> io::Result<Option<Anchor>> {
        let (connection, pid) = place.connect()?;
        let schema = place.quoted_schema()?;
        match has_table(&connection, &format!("{schema}.anchor"))? {
            true => Self { connection, pid, schema }.read(),
            false => Ok(None),
        }
    }

    /// Runs a statement that returns one row where it wrote, and says whether it did.
    fn wrote(&self, statement: &str, texts: &[String]) -> io::Result<bool> {
        let parameters: Vec<Parameter> =
            texts.iter().map(|text| Parameter::Text(Some(text.clone()))).collect();
        let statement = format!("{statement} RETURNING {DURABILITY}");
        match query(&self.connection, &statement, &parameters)?.first() {
            Some(settings) => check_durability(settings, self.pid).map(|()| true),
            None => Ok(false),
        }
    }
}

impl Witness for PostgresWitness {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        let rows = query(&self.connection, &format!("SELECT content FROM {}.anchor", self.schema), &[])?;
        let text = rows.first().and_then(|row| row.first()).and_then(Cell::text);
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its contents do not match its checksum");
        text.map(|text| Anchor::parse(text).ok_or_else(damaged)).transpose()
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        let statement = format!(
            "INSERT INTO {}.anchor (content) VALUES ($1::text) ON CONFLICT (one) DO UPDATE SET content = $1::text",
            self.schema
        );
        self.wrote(&statement, &[anchor.to_text()]).map(|_| ())
    }

    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        let (schema, text) = (&self.schema, anchor.to_text());
        let is_ours = match found {
            Some(found) => self.wrote(
                &format!("UPDATE {schema}.anchor SET content = $1::text WHERE content = $2::text"),
                &[text, found.to_text()],
            )?,
            None => self.wrote(
                &format!("INSERT INTO {schema}.anchor (content) VALUES ($1::text) ON CONFLICT DO NOTHING"),
                &[text],
            )?,
        };
        match is_ours {
            true => Ok(()),
            false => Err(changed()),
        }
    }
}
