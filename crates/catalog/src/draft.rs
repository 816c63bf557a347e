//! A first catalog for files that have none yet.
//!
//! **Guarantee.** Unless the owner asks for guesses, a draft is made of headers, so that it can be public as catalogs
//! are: no value, count or bound in it comes from a row. Guessed types and bounds do come from rows; each is marked as
//! guessed, bounds are rounded outwards, no text of a row is copied, and the draft says that sharing it tells them.
//! A draft is TOML, but it is refused as a catalog until somebody has said whose rows they are.

mod column;
mod person;
mod round_numbers;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::write::{key, quoted};
use crate::{Connection, RemoteTable, System, Value, name};

pub(crate) use person::looks_like_a_person;

/// The column at which comments start, where lines are short enough.
const COMMENT_COLUMN: usize = 44;
/// Groups and rows of one person where nobody has counted: small, because noise grows with them.
const SMALL: u64 = 3;
/// The most groups and rows of one person that are drafted, however many there are.
const ROWS_MAX: u64 = 20;

/// What a file says about a column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessedType {
    /// True or false.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Text.
    Text,
    /// Days.
    Date,
    /// Moments.
    Timestamp,
    /// Nothing, as in CSV before a row is read: the owner says.
    Unknown,
    /// Something that has no values here, such as a list: the owner says.
    Unsupported,
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftColumn {
    /// The name in the header.
    pub name: String,
    /// The type, as far as the file tells.
    pub guessed: GuessedType,
    /// The smallest and the largest value, where the owner let the rows be read.
    pub range: Option<(Value, Value)>,
}

/// Whose rows they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DraftUnit {
    /// Nobody has said it yet.
    #[default]
    Unknown,
    /// Every row is another person.
    Row,
    /// A column of the file names the person.
    Column {
        /// Its name in the header.
        name: String,
        /// How many rows most people have, where the owner let the rows be read.
        rows_of_a_person: Option<u64>,
    },
}

/// A file that is to become a table.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftTable {
    name: String,
    source: String,
    columns: Vec<DraftColumn>,
    unit: DraftUnit,
    from_rows: bool,
}

impl DraftTable {
    /// A table named after its file, from its header alone.
    pub fn new(source: &str, columns: impl IntoIterator<Item = (String, GuessedType)>) -> Self {
        let column = |(name, guessed)| DraftColumn { name, guessed, range: None };
        let columns = columns.into_iter().map(column).collect();
        Self::with_columns(source, columns, false)
    }

    /// The same with types and ranges that were read off its rows, at the owner's request.
    pub fn guessed(source: &str, columns: Vec<DraftColumn>) -> Self {
        Self::with_columns(source, columns, true)
    }

    /// A table behind a connection, named after the last part of its name there.
    pub fn elsewhere(table: &RemoteTable, columns: impl IntoIterator<Item = (String, GuessedType)>) -> Self {
        let name = name::made_valid(table.path.last().map_or("table", String::as_str));
        Self { name, ..Self::new(&table.to_string(), columns) }
    }

    /// The same, with what the owner said about whose rows they are.
    pub fn owned_by(self, unit: DraftUnit) -> Self {
        Self { unit, ..self }
    }

    fn with_columns(source: &str, columns: Vec<DraftColumn>, from_rows: bool) -> Self {
        let file = Path::new(source).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = file.split('.').find(|part| !part.is_empty() && *part != "*").unwrap_or("table");
        let (name, source) = (name::made_valid(stem), source.to_owned());
        Self { name, source, columns, unit: DraftUnit::Unknown, from_rows }
    }

    /// The name in SQL.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A commented catalog for the owner to fill in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    tables: Vec<DraftTable>,
    connections: Vec<Connection>,
}

impl Draft {
    /// A draft without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tables so far.
    pub fn tables(&self) -> &[DraftTable] {
        &self.tables
    }

    /// Whether nothing is left that only the owner can say.
    pub fn is_complete(&self) -> bool {
        self.tables.iter().all(|table| table.unit != DraftUnit::Unknown)
    }

    /// Adds a table; a name that is taken gets a number.
    pub fn add(&mut self, mut table: DraftTable) {
        let taken =
            |name: &str| self.tables.iter().any(|other| name::folded(&other.name) == name::folded(name));
        if taken(&table.name) {
            let free = (2..).map(|number| format!("{}_{number}", table.name)).find(|name| !taken(name));
            table.name = free.expect("one of infinitely many names is free");
        }
        self.tables.push(table);
    }

    /// Adds a server that tables live on.
    pub fn connect(&mut self, connection: Connection) {
        self.connections.push(connection);
    }

    /// The text of the catalog.
    pub fn to_toml(&self) -> String {
        let mut text = self.preface();
        line(&mut text, "[scope.people]", "the population: name it after whom the rows are about");
        line(
            &mut text,
            "budget = { epsilon = 1.0, delta = 1e-9 }",
            "all that may ever be learnt about one person: decide before the first question",
        );
        line(&mut text, "# model = \"pure\"", "a guarantee without δ, then budget = { epsilon = 1.0 }");
        for connection in &self.connections {
            text.push_str(&format!("\n[connection.{}]\n", key(&connection.name)));
            let secret = match connection.system {
                System::Postgres => {
                    "a role that may only read; its password stands in a file or in the environment, never here"
                }
                System::Spark => "its token stands in a file or in the environment, never here",
            };
            line(&mut text, &format!("url = {}", quoted(&connection.url)), secret);
            line(&mut text, "# password_file = \"/run/secrets/NAME\"", "a file that only you can read");
        }
        for table in &self.tables {
            write_table(&mut text, table);
        }
        text.push_str(
            "\n# [analyst.ana]\n\
             # shares = { people = { rho = 0.001, delta = 1e-10 } }   # who may ask, and how much of the budget they may spend\n",
        );
        text
    }

    fn preface(&self) -> String {
        let mut text = String::new();
        if self.tables.iter().any(|table| table.from_rows) {
            text.push_str(
                "# A Pointillist catalog. What is marked GUESSED was read off the rows, because its owner asked for it:\n\
                 # a bound tells between which round numbers the smallest and the largest value lie. Analysts may read all\n\
                 # of this file, so keep a guess only if it may be public, and replace the others by what is possible.\n",
            );
        } else {
            text.push_str(
                "# A Pointillist catalog, drafted from headers and types alone: no row was read.\n\
                 # Analysts may read all of this file. Choose every number from what is possible, never from the data.\n",
            );
        }
        text.push_str(match self.is_complete() {
            true => "# `pointillist check` says what it means and what is missing.\n\n",
            false => "# Fill in what is marked FILL_IN, then run `pointillist check`.\n\n",
        });
        text
    }
}

fn write_table(text: &mut String, table: &DraftTable) {
    let table_key = key(&table.name);
    text.push_str(&format!(
        "\n[table.{table_key}]\nscope = \"people\"\nsource = {}\n",
        quoted(&table.source)
    ));
    write_unit(text, table);
    text.push_str(&format!("\n[table.{table_key}.columns]\n"));
    column::write_all(text, table);
}

/// Whose rows they are, and how much of one person is used.
fn write_unit(text: &mut String, table: &DraftTable) {
    const GROUPS: &str = "groups one person may touch in one answer";
    const ROWS: &str = "rows one person may add to one group";
    match &table.unit {
        DraftUnit::Row => line(
            text,
            "privacy_unit = \"row\"",
            "every row is another person; someone with several rows is protected only row by row",
        ),
        DraftUnit::Unknown => {
            let likely: Vec<&str> = table
                .columns
                .iter()
                .map(|column| column.name.as_str())
                .filter(|name| name::file_complaint(name).is_none() && looks_like_a_person(name))
                .take(5)
                .collect();
            let guess = match likely.is_empty() {
                true => "the column that says it".to_owned(),
                false => format!("{}, by its name", likely.join(" or ")),
            };
            line(
                text,
                &format!("privacy_unit = \"{}\"", name::PLACEHOLDER),
                &format!("whose row is it? {guess}; or \"row\" if every row is another person"),
            );
            line(text, &format!("max_groups = {SMALL}"), &format!("{GROUPS}; noise grows with it"));
            line(text, &format!("max_contributions = {SMALL}"), &format!("{ROWS}; noise grows with it"));
        }
        DraftUnit::Column { name, rows_of_a_person } => {
            // The column is left out of what analysts can name, so it has the name that it has in the file.
            let unit = if name == "row" { "{ column = \"row\" }".to_owned() } else { quoted(name) };
            line(text, &format!("privacy_unit = {unit}"), "whose row it is: all rows of one value together");
            let rows = rows_of_a_person.map(|rows| round_numbers::count(rows).min(ROWS_MAX));
            let said = match rows_of_a_person.map(round_numbers::count) {
                None => String::new(),
                Some(seen) if seen <= ROWS_MAX => "GUESSED: enough for most people; ".to_owned(),
                Some(seen) => format!(
                    "GUESSED: people have up to {seen} rows, and what is beyond this is cut: raise it if counts matter; "
                ),
            };
            let fewer = rows.filter(|rows| *rows < SMALL);
            let said_of_groups = if fewer.is_some() { said.as_str() } else { "" };
            line(
                text,
                &format!("max_groups = {}", fewer.unwrap_or(SMALL)),
                &format!("{said_of_groups}{GROUPS}; noise grows with it"),
            );
            line(
                text,
                &format!("max_contributions = {}", rows.unwrap_or(SMALL)),
                &format!("{said}{ROWS}; noise grows with it"),
            );
        }
    }
}

fn line(text: &mut String, content: &str, comment: &str) {
    text.push_str(content);
    if !comment.is_empty() {
        let gap = COMMENT_COLUMN.saturating_sub(content.chars().count()).max(2);
        text.push_str(&format!("{:gap$}# {comment}", ""));
    }
    text.push('\n');
}
