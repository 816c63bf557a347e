//! Data that lives elsewhere: connections, and tables that are reached through one.
//!
//! A connection names a server and never a secret: passwords and tokens come from a file or from the environment. A source
//! `postgres:clinic/public.stays` is the table `stays` of the schema `public`, as the server knows it, behind the connection
//! `clinic`; names are taken letter by letter, and a part that holds a dot stands in double quotes.

use std::fmt;

/// A server that holds tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its name in the catalog.
    pub name: String,
    /// What answers there.
    pub system: System,
    /// Its address, without a secret.
    pub url: String,
    /// The file that holds the password or the token, relative to the catalog's folder.
    pub password_file: Option<String>,
    /// Whether the owner vouches for views and row security: that their expressions cannot fail on a row, and look at the
    /// rows of one person at a time.
    pub trust_views: bool,
}

/// What answers behind a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// A PostgreSQL server.
    Postgres,
    /// A Spark Connect server.
    Spark,
}

/// A table behind a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTable {
    /// What answers there.
    pub system: System,
    /// The connection, by its name.
    pub connection: String,
    /// The table as the server knows it: schema and name, or catalog, schema and name.
    pub path: Vec<String>,
}

impl System {
    /// The word before the colon of a source, and of the scheme's family.
    pub fn word(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Spark => "spark",
        }
    }

    /// What answers at an address, by its scheme.
    pub fn of_url(url: &str) -> Option<Self> {
        match url.split_once("://")?.0 {
            "postgres" | "postgresql" => Some(Self::Postgres),
            "sc" => Some(Self::Spark),
            _ => None,
        }
    }
}

impl RemoteTable {
    /// The table that a source names, if it names one behind a connection; `None` for paths of files.
    pub fn of_source(source: &str) -> Option<Result<Self, &'static str>> {
        let (word, rest) = source.split_once(':')?;
        let system = [System::Postgres, System::Spark].into_iter().find(|system| system.word() == word)?;
        Some(Self::parse(system, rest))
    }

    fn parse(system: System, rest: &str) -> Result<Self, &'static str> {
        let (connection, path) = rest.split_once('/').ok_or("it names no table behind its connection")?;
        let path = parts(path).ok_or("the table's name has an empty part or a quote that does not end")?;
        let fits = match system {
            System::Postgres => path.len() == 2,
            System::Spark => (1..=3).contains(&path.len()),
        };
        if connection.is_empty() || rest.chars().any(char::is_control) || !fits {
            return Err("it is not a connection, a slash, a schema, a dot and a table");
        }
        Ok(Self { system, connection: connection.to_owned(), path })
    }
}

/// As it stands in a catalog.
impl fmt::Display for RemoteTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |part: &String| match part.contains(['.', '"']) {
            true => format!("\"{}\"", part.replace('"', "\"\"")),
            false => part.clone(),
        };
        let path: Vec<String> = self.path.iter().map(part).collect();
        write!(out, "{}:{}/{}", self.system.word(), self.connection, path.join("."))
    }
}

/// Parts between dots; one in double quotes may hold dots, and two quotes for one.
fn parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, more) = match rest.strip_prefix('"') {
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
            Some(quoted) => {
                let mut part = String::new();
                let mut signs = quoted.char_indices().peekable();
                let end = loop {
                    match signs.next()? {
                        (_, '"') if signs.next_if(|(_, next)| *next == '"').is_some() => part.push('"'),
                        (at, '"') => break at + 1,
                        (_, sign) => part.push(sign),
                    }
                };
                (part, &quoted[end..])
            }
        };
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        match more.strip_prefix('.') {
            Some(next) => rest = next,
            None => return more.is_empty().then_some(parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: a source means one table, letter by letter, and is written back as it was.
    #[test]
    fn a_source_behind_a_connection_names_one_table() {
        for (source, path) in [
            ("postgres:clinic/public.stays", vec!["public", "stays"]),
            ("postgres:clinic/\"a.b\".\"c\"\"d\"", vec!["a.b", "c\"d"]),
            ("spark:lake/stays", vec!["stays"]),
            ("spark:lake/main.db.stays", vec!["main", "db", "stays"]),
        ] {
            let table = RemoteTable::of_source(source).unwrap().unwrap();
            assert_eq!(table.path, path);
            assert_eq!(RemoteTable::of_source(&table.to_string()).unwrap().unwrap(), table);
        }
        for wrong in [
            "postgres:clinic",
            "postgres:/a.b",
            "postgres:c/a",
            "postgres:c/a..b",
            "postgres:c/\"a.b",
            "spark:l/a.b.c.d",
        ] {
            assert!(RemoteTable::of_source(wrong).unwrap().is_err(), "{wrong}");
        }
        assert_eq!(RemoteTable::of_source("data/postgres.csv"), None);
        assert_eq!(RemoteTable::of_source("memory:visits"), None);
    }
}
