//! Looking for bytes that must not be in a release.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};

/// The files below a folder that hold these bytes, in their content or in their name. Parquet files are also searched as
/// they read, because what is compressed has other bytes.
///
/// # Errors
/// Where a file cannot be read: what was not searched is not clean.
pub fn search_folder_for(folder: &Path, needle: &[u8]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let named = path.file_name().is_some_and(|name| holds(name.as_encoded_bytes(), needle));
            if path.is_dir() {
                open.push(path.clone());
            }
            if named || (!path.is_dir() && holds(&readable_bytes(&path)?, needle)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of a file, and behind them the rows of a Parquet file as text.
fn readable_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = fs::read(path)?;
    if path.extension().is_some_and(|ending| ending == "parquet") {
        let reader = SerializedFileReader::new(fs::File::open(path)?).map_err(io::Error::other)?;
        for row in reader.get_row_iter(None).map_err(io::Error::other)? {
            bytes.extend(format!("\n{}", row.map_err(io::Error::other)?).into_bytes());
        }
    }
    Ok(bytes)
}

fn holds(hay: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty() && hay.windows(needle.len()).any(|window| window == needle)
}
