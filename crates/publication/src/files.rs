//! The files of a release: tables as CSV and Parquet, what they mean, what is protected, and a page to read.
//!
//! **Guarantee.** The bytes are a function of what is published, and of nothing else: no clock, no host, no user, no path,
//! no order of a hash. Two writings of one release are the same bytes, so that anybody can compare them.
//! **Public.** Everything in [`Published`] was released or is public, so everything here is.
//! **Texts stay texts.** Keys, titles and descriptions may hold anything. In CSV they are quoted and otherwise as they are:
//! a file for programs that changes a key to please a spreadsheet is wrong. The codebook says where a spreadsheet would take
//! a key for a formula.

mod codebook;
mod columns;
mod csv;
mod csvw;
mod error;
mod folder;
mod parquet;
mod search;
mod statement;
#[cfg(test)]
pub(crate) mod tests;

use sha2::{Digest, Sha256};

pub(crate) use columns::{places, value_text};
pub use error::FilesError;
pub use folder::Draft;
pub(crate) use parquet::of_batch as parquet_of_batch;
pub use search::search_folder_for;
pub(crate) use statement::{Charged, Listed, charged, json};

use crate::{Published, PublishedTable, report};

/// A file before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// Its name inside the folder.
    pub name: String,
    /// The whole of it, as it will lie on the disk.
    pub bytes: Vec<u8>,
}

/// The statement that all other files are named in: what was protected, how, at what price.
pub const STATEMENT: &str = "release.json";

impl FileBytes {
    /// A file of this name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// SHA-256 of the bytes, in hexadecimal digits.
    pub fn sha256(&self) -> String {
        self.digest().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

/// The files of tables: each as CSV and as Parquet.
pub(crate) fn table_files(tables: &[PublishedTable]) -> Result<Vec<FileBytes>, FilesError> {
    let mut files = Vec::new();
    for table in tables {
        files.push(FileBytes::new(format!("{}.csv", table.name), csv::csv(table)));
        files.push(FileBytes::new(format!("{}.parquet", table.name), parquet::parquet(table)?));
    }
    Ok(files)
}

/// Every file of a release but its signature; the statement, which names the others, comes last.
pub fn files_of(published: &Published) -> Result<Vec<FileBytes>, FilesError> {
    let mut files = table_files(&published.tables)?;
    files.push(FileBytes::new("codebook.csv", codebook::codebook(published)));
    files.push(FileBytes::new("csv-metadata.json", csvw::metadata(published)));
    files.push(FileBytes::new("report.html", report::page(published)));
    let statement = statement::statement(published, &files);
    files.push(FileBytes::new(STATEMENT, statement));
    Ok(files)
}
