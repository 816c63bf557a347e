//! How a text file is written, by its name alone.

use std::path::Path;

/// How fields are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Records of RFC 4180: one byte between fields, and blanks belong to them. There are no comments.
    Csv {
        /// The byte between fields.
        delimiter: u8,
    },
    /// Ids between blanks; or between tabs, semicolons or commas, where a record has any, in this order. Blanks around an
    /// id are dropped. Records that begin with `#` or `%` are comments. A record that begins with two numbers is a tie of
    /// these two, whatever follows.
    #[default]
    Blanks,
}

impl Format {
    /// `.csv` and `.tsv`, also `.gz`, are what they say; anything else is text between blanks.
    pub fn of_file(path: impl AsRef<Path>) -> Self {
        let name = path.as_ref().file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.') {
            Some((_, "csv")) => Self::Csv { delimiter: b',' },
            Some((_, "tsv")) => Self::Csv { delimiter: b'\t' },
            _ => Self::Blanks,
        }
    }
}
