//! Files that commands write pictures and pages into. What is there already is only replaced if we made it: a catalog, a
//! ledger or a table that was named by mistake stays as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::failure::Failure;

/// What every picture and page of ours begins with; a comment in SVG and in HTML alike.
const MARK: &str = "<!-- made by Pointillist -->\n";

/// Refuses a place that cannot be written or that holds something else, before any long or paid work starts. Writes
/// nothing.
pub fn check_output(path: &Path) -> Result<(), Failure> {
    check_ours(path)?;
    let is_new = !path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| unwritable(path, &error))?;
    if is_new {
        // The file was made only to see whether it can be.
        fs::remove_file(path).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

/// Writes a picture or a page, over an earlier one of ours or into a new file.
pub fn write_output(path: &Path, text: &str) -> Result<(), Failure> {
    check_ours(path)?;
    fs::write(path, format!("{MARK}{text}")).map_err(|error| unwritable(path, &error))
}

/// Refuses a place where no new file can be made, before any long or paid work starts. Leaves nothing there.
pub fn check_new(path: &Path) -> Result<(), Failure> {
    write_new(path, "")?;
    fs::remove_file(path).map_err(|error| unwritable(path, &error))
}

/// Writes a new file.
pub fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || File::create_new(path)?.write_all(text.as_bytes());
    write().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::wrong(
            format!("{} exists already", path.display()),
            "name another file, or remove this one first",
        ),
        _ => unwritable(path, &error),
    })
}

/// Devices and pipes hold nothing that could be lost.
fn check_ours(path: &Path) -> Result<(), Failure> {
    if !path.is_file() || is_empty_or_ours(path).map_err(|error| unwritable(path, &error))? {
        return Ok(());
    }
    Err(Failure::wrong(
        format!("{} exists and was not made by this program", path.display()),
        "name another file, or remove this one first",
    ))
}

fn is_empty_or_ours(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(MARK.len() as u64).read_to_end(&mut start)?;
    Ok(start.is_empty() || start == MARK.as_bytes())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::wrong(
        format!("{} cannot be written: {error}", path.display()),
        "give a file in a folder that exists",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_made_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        for picture in ["<svg>one</svg>", "<svg>two</svg>"] {
            check_output(&path).unwrap();
            write_output(&path, picture).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{MARK}{picture}"));
        }
        for foreign in ["[scope.people]\n", "<svg>somebody's</svg>", "<!doctype html>"] {
            fs::write(&path, foreign).unwrap();
            assert!(check_output(&path).is_err() && write_output(&path, "<svg/>").is_err(), "{foreign}");
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        }
        let missing = folder.path().join("nowhere/plot.svg");
        assert!(check_output(&missing).is_err());
        let new = folder.path().join("new.svg");
        check_output(&new).unwrap();
        assert!(!new.exists(), "a check leaves nothing behind");
    }
}
