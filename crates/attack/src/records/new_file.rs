//! Tables are written into new files only: what is there already may be the only copy of the original.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::Records;
use crate::AttackError;

/// Refuses a place where something is already, before any work is done for it.
pub fn check_new_file(path: &Path) -> Result<(), AttackError> {
    match path.exists() {
        false => Ok(()),
        true => Err(AttackError::new(
            format!("{} exists already", path.display()),
            "choose another file for the anonymized table",
        )),
    }
}

impl Records {
    /// Writes the table as CSV into a file that must not be there yet.
    pub fn write_new(&self, path: &Path) -> Result<(), AttackError> {
        let unwritable = |error: io::Error| {
            AttackError::new(
                format!("{} cannot be written: {error}", path.display()),
                "give a new file in a folder that exists",
            )
        };
        let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(unwritable)?;
        file.write_all(self.to_csv().as_bytes()).map_err(unwritable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over() {
        let here = std::env::temp_dir().join(format!("pointillist-new-file-{}", std::process::id()));
        let table = Records::from_csv("a,b\n1,2\n").unwrap();
        check_new_file(&here).unwrap();
        table.write_new(&here).unwrap();
        assert!(check_new_file(&here).is_err() && table.write_new(&here).is_err());
        assert_eq!(std::fs::read_to_string(&here).unwrap(), "a,b\n1,2\n");
        std::fs::remove_file(&here).unwrap();
    }
}
