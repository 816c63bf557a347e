//! A table by its names in Spark's catalogs, letter by letter, or files by their format and path.

use std::fmt;

use super::Refusal;

/// Formats whose files say themselves what their columns are.
const FORMATS: [&str; 2] = ["parquet", "orc"];

/// A table; or, as Spark writes it, a format and a path: `` parquet.`/lake/stays` ``.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableName {
    path: Vec<String>,
}

/// Whether these two parts of a name are a format and a path.
pub(crate) fn is_files(format: &str, path: &str) -> bool {
    FORMATS.contains(&format) && path.contains('/')
}

impl TableName {
    /// From a path of one to three parts; others name no table of Spark, and neither do parts with signs that end a line.
    ///
    /// # Errors
    /// For any other path.
    pub fn from_path(path: &[String]) -> Result<Self, Refusal> {
        let is_part = |part: &String| !part.is_empty() && !part.contains(char::is_control);
        // A path with such signs is several paths, or a detour to another one.
        let is_plain = match path {
            [format, files] if is_files(format, files) => {
                !files.contains(['*', '?', '[', ']', '{', '}', '\\', '%'])
                    && files.split('/').all(|part| part != "..")
            }
            _ => true,
        };
        match (1..=3).contains(&path.len()) && path.iter().all(is_part) && is_plain {
            true => Ok(Self { path: path.to_vec() }),
            false => {
                Err(Refusal::Missing { table: path.join(".").replace(|sign: char| sign.is_control(), "") })
            }
        }
    }

    /// Its parts.
    pub fn path(&self) -> Vec<String> {
        self.path.clone()
    }

    /// The format, where it names files.
    pub(super) fn format(&self) -> Option<&str> {
        match self.path.as_slice() {
            [format, path] if is_files(format, path) => Some(format),
            _ => None,
        }
    }

    /// In quotes, for a statement.
    pub(super) fn quoted(&self) -> String {
        let quoted = |part: &String| format!("`{}`", part.replace('`', "``"));
        self.path.iter().map(quoted).collect::<Vec<_>>().join(".")
    }
}

/// As messages write it.
impl fmt::Display for TableName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &[&str]) -> Result<TableName, Refusal> {
        TableName::from_path(&path.iter().map(|part| part.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_ends_where_its_quote_does() {
        assert_eq!(name(&["a`; DROP TABLE b"]).unwrap().quoted(), "`a``; DROP TABLE b`");
        assert_eq!(name(&["main", "db", "stays"]).unwrap().quoted(), "`main`.`db`.`stays`");
        assert_eq!(name(&["parquet", "/lake/stays"]).unwrap().format(), Some("parquet"));
        assert_eq!(name(&["parquet", "stays"]).unwrap().format(), None);
        for wrong in [
            &[][..],
            &[""],
            &["a", "b", "c", "d"],
            &["a\0"],
            &["a\nb"],
            &["parquet", "/lake/[s]tays"],
            &["parquet", "/lake/x/../stays"],
            &["orc", "/lake/{stays,y}"],
        ] {
            assert!(name(wrong).is_err(), "{wrong:?}");
        }
    }
}
