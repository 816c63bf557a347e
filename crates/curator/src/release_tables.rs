//! Releases as public tables: what was published can be asked about in SQL, for free.
//!
//! **Guarantee.** A table of a release is public, and nothing else: it is read as it was written, costs nothing, and stands
//! beside the declared tables, never in the place of one. Whoever hands a [`ReleaseFolder`] over has verified it: the
//! signature and the digests of its files (`publication`, which stands above this room, does so when a door opens a home).
//! Before the day that a release names it is there for the owner alone.
//! **Not covered.** Files that are changed between the verification and the question, by somebody who may write there. A link
//! to a file that is private under another name is refused with every question (`datasets.rs`).

use std::borrow::Cow;
use std::collections::BTreeSet;

use pointillist_catalog::{Catalog, Column, ColumnType, GuessedType, OWNER, Protection, Table, calendar};
use pointillist_engine::header;
use pointillist_render::text::shown;

use crate::home::Home;

/// What a path is a pattern by, for the reader of sources.
const PATTERN: [char; 7] = ['*', '?', '[', ']', '{', '}', '!'];

/// A release that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseFolder {
    /// Where it lies, relative to the home's folder.
    pub folder: String,
    /// Its name, which stands before those of its tables.
    pub name: String,
    /// Its tables: there is a `TABLE.parquet` of each.
    pub tables: Vec<String>,
    /// The digest of what was signed: rows that are published anew under the same name are other rows.
    pub digest: String,
    /// The day before which it is the owner's alone, in days since 1970-01-01.
    pub not_before: Option<i32>,
}

impl Home {
    /// The same home with the tables of these releases, as `{release}_{table}`; and in words what was left out, and why.
    #[must_use]
    pub fn with_releases(mut self, releases: &[ReleaseFolder], today: i32) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        for release in releases {
            let mut left_out = |table: &str, why: &str| {
                warnings.push(format!(
                    "`{}` of the release `{}` is left out: {why}",
                    shown(table),
                    shown(&release.name)
                ));
            };
            let embargo = release.not_before.filter(|day| *day > today);
            for name in &release.tables {
                let full_name = format!("{}_{name}", release.name);
                if self.is_taken(&full_name) {
                    left_out(name, "there is another table of this name");
                    continue;
                }
                match self.release_table(release, name, &full_name) {
                    Err(why) => left_out(name, why),
                    Ok(table) if embargo.is_some() => drop(self.embargoed.insert(full_name, table)),
                    Ok(table) => drop(self.catalog.released.insert(full_name, table)),
                }
            }
            if let Some(day) = embargo {
                let (name, day) = (shown(&release.name), calendar::date_text(day));
                warnings.push(format!("the release `{name}` is the owner's alone before {day}"));
            }
        }
        (self, warnings)
    }

    /// What an asker may name: the owner also what is not to be shown yet.
    pub fn catalog_for(&self, analyst: &str) -> Cow<'_, Catalog> {
        if analyst != OWNER || self.embargoed.is_empty() {
            return Cow::Borrowed(&self.catalog);
        }
        let mut catalog = self.catalog.clone();
        catalog.released.extend(self.embargoed.clone());
        Cow::Owned(catalog)
    }

    /// Whether a name means something already, to SQL, which ignores case.
    fn is_taken(&self, name: &str) -> bool {
        let catalog = &self.catalog;
        let declared = catalog.tables.keys().chain(catalog.graphs.keys());
        let mut names = declared.chain(catalog.released.keys()).chain(self.embargoed.keys());
        names.any(|known| known.to_lowercase() == name.to_lowercase())
    }

    /// The table of a release, with the columns that its file has. Reads no value.
    fn release_table(
        &self,
        release: &ReleaseFolder,
        name: &str,
        full_name: &str,
    ) -> Result<Table, &'static str> {
        self.public_file(format!("{}/{name}.parquet", release.folder), &release.digest, full_name)
    }

    /// The same home with a public table in a Parquet file: made-up rows that were not published. The version says which rows they are.
    ///
    /// # Errors
    /// In words, when the name is taken or the file is no such table.
    pub fn with_public_file(mut self, name: &str, source: &str, version: &str) -> Result<Self, &'static str> {
        if self.is_taken(name) {
            return Err("there is another table of this name");
        }
        let table = self.public_file(source.to_owned(), version, name)?;
        self.catalog.released.insert(name.to_owned(), table);
        Ok(self)
    }

    fn public_file(&self, source: String, version: &str, full_name: &str) -> Result<Table, &'static str> {
        if source.contains(PATTERN) {
            return Err("its path would be read as a pattern");
        }
        let found = header(&self.folder.join(&source)).map_err(|_| "its file cannot be read")?;
        let mut seen = BTreeSet::new();
        let columns = found.into_iter().map(|(name, kind)| {
            let kind = column_type(kind).ok_or("a column has a type that is not known here")?;
            let is_new = seen.insert(name.to_lowercase());
            let column = Column { name, stored_as: None, kind, public_keys: None, nullable: true };
            is_new.then_some(column).ok_or("two columns have one name")
        });
        Ok(Table {
            name: full_name.to_owned(),
            columns: columns.collect::<Result<_, _>>()?,
            source,
            version: version.to_owned(),
            protection: Protection::Public,
            size: None,
            periods: None,
        })
    }
}

fn column_type(kind: GuessedType) -> Option<ColumnType> {
    Some(match kind {
        GuessedType::Boolean => ColumnType::Boolean,
        GuessedType::Integer => ColumnType::Integer { bounds: None },
        GuessedType::Number => ColumnType::Number { bounds: None, step: None },
        GuessedType::Text => ColumnType::Text,
        GuessedType::Date => ColumnType::Date { bounds: None },
        GuessedType::Timestamp => ColumnType::Timestamp { bounds: None },
        _ => return None,
    })
}
