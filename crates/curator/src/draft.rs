//! A first catalog for files that have none yet: from headers alone, or from rows where the owner asks for guesses.
//!
//! What a draft may tell is said in `catalog/src/draft.rs`; whether a first line may become names that everybody reads,
//! in `header_names.rs`.

mod header_names;
mod servers;

use std::io;
use std::path::{self, Path, PathBuf};

use pointillist_catalog::{Connection, Draft, DraftTable, DraftUnit, GuessedType};
use pointillist_engine::{SourceError, guess, header};
use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_render::text::shown;

use crate::anchor_place::ledger_section;
use header_names::{check_names, has_header_line};

/// The most columns that a mistake is answered with.
const NAMES_MAX: usize = 20;

/// What is to be declared.
#[derive(Clone, Debug, Default)]
pub struct DraftRequest {
    /// Files of data, each a table.
    pub files: Vec<PathBuf>,
    /// The server that holds tables, and which: `schema.table`, or `schema` for all of its tables. Names and types are asked for,
    /// no row.
    pub server: Option<(Connection, Vec<String>)>,
    /// Whose rows they are, if the owner knows already.
    pub unit: Option<UnitWish>,
    /// Whether types, bounds and rows a person are guessed from rows. Guesses are as public as the catalog.
    pub guess: bool,
    /// Whether the owner vouches that first lines of text files hold names, however they look.
    pub names_vouched: bool,
    /// Where the catalog will lie: sources are relative to its folder.
    pub catalog: PathBuf,
}

/// Whose rows they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitWish {
    /// Every row is another person.
    Row,
    /// This column names the person.
    Column(String),
}

/// A catalog to look at and to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// The text of the catalog.
    pub text: String,
    /// What the owner should look at.
    pub notes: Vec<String>,
    /// Whether nothing is left that only the owner can say.
    pub complete: bool,
}

/// Why there is no draft.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// A file that cannot be opened or read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Names with control signs in them: the line is no line.
    #[error(
        "the first line of {} holds control signs, such as line ends of a kind that is not read here",
        file.display()
    )]
    ControlSigns {
        /// The file.
        file: PathBuf,
    },
    /// Names that are rather values.
    #[error(
        "the first line of {} looks like a row and not like names, and analysts can read a catalog",
        file.display()
    )]
    LooksLikeARow {
        /// The file.
        file: PathBuf,
    },
    /// A unit that the file does not have.
    #[error("{} has no column `{}`", file.display(), shown(column))]
    NoColumn {
        /// The file.
        file: PathBuf,
        /// What was looked for.
        column: String,
        /// Some of the columns that are there.
        known: Vec<String>,
    },
    /// A server that is away, or a table that cannot be asked about.
    #[error("{}", .0.message())]
    Server(Explanation),
    /// A path that a catalog cannot hold.
    #[error("the path {path} is not UTF-8")]
    Path {
        /// About what it is.
        path: String,
    },
    /// A path that leads nowhere.
    #[error("{} could not be read: {source}", file.display())]
    Nowhere {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Explained for DraftError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Source(error) => return error.hint(),
            Self::Server(error) => return Explained::hint(error),
            Self::ControlSigns { .. } => {
                "end lines with a line feed (old Macintosh files: tr '\\r' '\\n' < OLD > NEW), and put names on top"
            }
            Self::LooksLikeARow { .. } => {
                "put a line with the names of the columns on top of the file; if it has one, vouch for it"
            }
            Self::NoColumn { known, .. } => {
                let known: Vec<String> = known.iter().map(|name| shown(name)).collect();
                return Some(format!(
                    "its columns are {}; or say that every row is another person",
                    known.join(", ")
                ));
            }
            Self::Path { .. } => "rename the file",
            Self::Nowhere { .. } => "check the path",
        };
        Some(hint.to_owned())
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

/// Drafts a catalog.
///
/// # Errors
/// When a file cannot be read, or when its names may be somebody's data.
pub fn draft_catalog(request: &DraftRequest) -> Result<Drafted, DraftError> {
    let (mut draft, mut notes) = (Draft::new(), Vec::new());
    for file in &request.files {
        let columns = header(file)?;
        if has_header_line(file) {
            let names = columns.iter().map(|(name, _)| name.as_str());
            check_names(file, names.clone(), request.names_vouched)?;
            let names = names.collect::<Vec<_>>().join(", ");
            notes.push(format!("the first line of {} was taken for names: {names}", file.display()));
        }
        draft.add(table(file, columns, request)?);
    }
    if let Some((connection, names)) = &request.server {
        servers::add(&mut draft, connection, names, request)?;
    }
    if request.guess {
        notes.push(
            "what is marked GUESSED was read off the rows, and analysts may read the catalog: replace what should not be public"
                .to_owned(),
        );
    }
    let text = draft.to_toml() + &ledger_section(&request.catalog);
    Ok(Drafted { text, notes, complete: draft.is_complete() })
}

/// A catalog that stands for SmartNoise SQL metadata, with what had no counterpart.
///
/// # Errors
/// When the text is not the metadata that we read.
pub fn import_smartnoise(
    metadata: &str,
    catalog: &Path,
) -> Result<Drafted, pointillist_catalog::smartnoise::ImportError> {
    let (text, notes) = pointillist_catalog::smartnoise::import(metadata)?;
    Ok(Drafted { text: text + &ledger_section(catalog), notes, complete: false })
}

/// The draft of a file: from its header, or from its rows where guesses are wanted.
fn table(
    file: &Path,
    header: Vec<(String, GuessedType)>,
    request: &DraftRequest,
) -> Result<DraftTable, DraftError> {
    let source = source(file, &request.catalog)?;
    let column = match &request.unit {
        Some(UnitWish::Column(name)) => Some(column_in(name, &header, file)?),
        Some(UnitWish::Row) | None => None,
    };
    let (table, rows_of_a_person) = match request.guess {
        false => (DraftTable::new(&source, header), None),
        true => {
            let found = guess(file, column.as_deref())?;
            (DraftTable::guessed(&source, found.columns), found.rows_of_a_person)
        }
    };
    Ok(table.owned_by(unit(column, rows_of_a_person, request)))
}

/// Whose rows they are, as far as the owner has said.
fn unit(column: Option<String>, rows_of_a_person: Option<u64>, request: &DraftRequest) -> DraftUnit {
    match (column, &request.unit) {
        (Some(name), _) => DraftUnit::Column { name, rows_of_a_person },
        (None, Some(_)) => DraftUnit::Row,
        (None, None) => DraftUnit::Unknown,
    }
}

/// The column of the file that was meant: its own name, or the same without case.
fn column_in(wanted: &str, header: &[(String, GuessedType)], file: &Path) -> Result<String, DraftError> {
    let names = || header.iter().map(|(name, _)| name.as_str());
    let exact = names().find(|name| *name == wanted);
    let found = exact.or_else(|| names().find(|name| name.to_lowercase() == wanted.to_lowercase()));
    found.map(str::to_owned).ok_or_else(|| DraftError::NoColumn {
        file: file.to_owned(),
        column: wanted.to_owned(),
        known: names().take(NAMES_MAX).map(str::to_owned).collect(),
    })
}

/// The path of a file as seen from the catalog's folder, which is where sources start.
fn source(file: &Path, catalog: &Path) -> Result<String, DraftError> {
    let folder = catalog.parent().unwrap_or(Path::new(""));
    let seen = if folder.as_os_str().is_empty() || file.is_absolute() {
        file.to_owned()
    } else if let Ok(inside) = file.strip_prefix(folder) {
        inside.to_owned()
    } else {
        path::absolute(file).map_err(|source| DraftError::Nowhere { file: file.to_owned(), source })?
    };
    let text = seen.into_os_string().into_string();
    text.map_err(|name| DraftError::Path { path: name.to_string_lossy().into_owned() })
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;

    use super::*;

    fn request(folder: &Path, unit: Option<UnitWish>, guess: bool) -> DraftRequest {
        let file = folder.join("visits.csv");
        std::fs::write(&file, "Patient,cost\n1,10\n1,20\n2,30\n").unwrap();
        let catalog = folder.join("pointillist.toml");
        DraftRequest { files: vec![file], server: None, unit, guess, names_vouched: false, catalog }
    }

    /// Specification: what only the owner can say is left open; what they say is understood; guesses are announced.
    #[test]
    fn a_draft_is_complete_once_the_owner_has_said_whose_rows_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let open = draft_catalog(&request(folder.path(), None, false)).unwrap();
        assert!(!open.complete && Catalog::parse(&open.text).is_err());
        assert_eq!(open.notes.len(), 1, "{:?}", open.notes);
        for (unit, guess) in [(UnitWish::Row, false), (UnitWish::Column("patient".to_owned()), true)] {
            let drafted = draft_catalog(&request(folder.path(), Some(unit), guess)).unwrap();
            let catalog = Catalog::parse(&drafted.text).unwrap_or_else(|error| panic!("{error}"));
            // A path that is absolute stays as it is.
            assert!(drafted.complete && catalog.tables["visits"].source.ends_with("/visits.csv"));
            assert_eq!(drafted.notes.iter().any(|note| note.contains("GUESSED")), guess);
        }
    }

    #[test]
    fn a_unit_that_is_not_there_is_answered_with_those_that_are() {
        let folder = tempfile::tempdir().unwrap();
        let wish = UnitWish::Column("doctor".to_owned());
        let error = draft_catalog(&request(folder.path(), Some(wish), false)).unwrap_err();
        assert!(matches!(&error, DraftError::NoColumn { known, .. } if known == &["Patient", "cost"]));
        assert_eq!(error.kind(), Kind::Request);
    }
}
