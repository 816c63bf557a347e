//! Made-up rows of a file as a public table, for as long as a command runs.

use std::io;

use pointillist_curator::{FittedTable, Home};
use tempfile::TempDir;

use crate::named_rows::NamedRows;
use crate::sanitized_file::SanitizedFile;
use crate::{ModelFileError, statement_digest};

/// The home with the rows of a file as the public table of this name. They are there until the folder is dropped.
///
/// # Errors
/// When the name means something else, or the rows cannot be written.
pub fn with_made_up_rows(
    home: Home,
    name: &str,
    file: &SanitizedFile,
    fitted: &FittedTable,
) -> Result<(Home, TempDir), ModelFileError> {
    let folder = TempDir::new().map_err(ModelFileError::Rows)?;
    let path = folder.path().join("rows.parquet");
    let failed = |error: &str| ModelFileError::Rows(io::Error::other(error.to_owned()));
    let rows = NamedRows::of(fitted, None).ok_or_else(|| failed("the rows are no table"))?;
    rows.write(&path)?;
    let version = statement_digest(file.text().as_bytes()).to_string();
    let source = path.to_str().ok_or_else(|| failed("the folder of temporary files has an odd name"))?;
    let home = home.with_public_file(name, source, &version).map_err(failed)?;
    Ok((home, folder))
}
