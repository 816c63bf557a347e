//! The owner's text with a share more or another one, everything else as it was: comments, order, spaces.
//!
//! **Guarantee.** What comes out is a catalog, and declares what went in and that share; else it is an error and nothing is changed.
//! Digits of a share are written as they were given.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

use crate::{Catalog, CatalogError};

/// A share as it is to be declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareWish {
    /// Of which population's budget.
    pub scope: String,
    /// Amounts by name, such as `rho` and `0.1`.
    pub amounts: Vec<(String, String)>,
}

impl ShareWish {
    /// `patients=rho:0.1,delta:2e-10`; `None` where it is written otherwise.
    pub fn parse(text: &str) -> Option<Self> {
        let (scope, amounts) = text.split_once('=')?;
        let amount = |part: &str| {
            let (name, value) = part.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let amounts = amounts.split(',').map(amount).collect::<Option<Vec<_>>>()?;
        Some(Self { scope: scope.trim().to_owned(), amounts })
    }
}

/// The text with these shares of an analyst; others that they have stay.
///
/// # Errors
/// When the text is no catalog, or would be none with them.
pub fn with_shares(text: &str, analyst: &str, shares: &[ShareWish]) -> Result<String, CatalogError> {
    Catalog::parse(text)?;
    // What is a catalog is TOML; should the two readers differ, the check below speaks.
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(text.to_owned()) };
    let analysts = document.entry("analyst").or_insert_with(implicit);
    if let Some(analysts) = analysts.as_table_like_mut() {
        let person = analysts.entry(analyst).or_insert_with(|| Item::Table(Table::new()));
        if let Some(person) = person.as_table_like_mut() {
            let list = person.entry("shares").or_insert_with(|| Item::Value(InlineTable::new().into()));
            if let Some(list) = list.as_table_like_mut() {
                for share in shares {
                    list.insert(&share.scope, Item::Value(amounts(share).into()));
                }
            }
        }
    }
    let edited = document.to_string();
    Catalog::parse(&edited)?;
    Ok(edited)
}

fn implicit() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn amounts(share: &ShareWish) -> InlineTable {
    let mut table = InlineTable::new();
    for (name, digits) in &share.amounts {
        // What is no number is written as a text, and the catalog says what is wrong with it.
        let number = digits.parse::<Value>().ok().filter(|value| value.is_float() || value.is_integer());
        table.insert(name, number.unwrap_or_else(|| digits.as_str().into()));
    }
    table
}

/// Writes a catalog in place of the one that is there: whole, or not at all. `before` is the text that the new one was made from.
///
/// # Errors
/// Those of the disk, and that the text there is another one by now.
pub fn replace_catalog(path: &Path, before: &str, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&new)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let permissions = fs::metadata(path).map(|found| found.permissions());
    let moved = written
        .and_then(|()| permissions.map_or(Ok(()), |permissions| fs::set_permissions(&new, permissions)))
        .and_then(|()| match fs::read_to_string(path)? == before {
            true => Ok(()),
            false => Err(io::Error::other("it was changed meanwhile")),
        })
        .and_then(|()| fs::rename(&new, path));
    if moved.is_err() {
        let _ = fs::remove_file(&new);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# ours\n[scope.people] # who\nbudget = { rho = 1, delta = 1e-9 }\n\n[analyst.ana]   # first\n\
                        shares = { people = { rho = 0.25 } }\n\n[service]\nquantum_ms = 100\n";

    fn share(text: &str) -> [ShareWish; 1] {
        [ShareWish::parse(text).expect("a share")]
    }

    /// Specification: comments and everything else stay, and the catalog says what was asked for.
    #[test]
    fn a_share_is_added_and_nothing_else_changes() {
        let edited = with_shares(TEXT, "ben", &share("people=rho:0.10,delta:2e-10")).expect("a catalog");
        for line in TEXT.lines() {
            assert!(edited.lines().any(|found| found == line), "{line}\n{edited}");
        }
        assert!(edited.contains("[analyst.ben]") && edited.contains("rho = 0.10"), "{edited}");
        let catalog = Catalog::parse(&edited).expect("a catalog");
        assert!(catalog.analysts["ben"].shares.contains_key("people"));
        let again = with_shares(&edited, "ana", &share("people=rho:0.5")).expect("a catalog");
        assert!(again.contains("# first") && again.contains("rho = 0.5"), "{again}");
    }

    /// Specification: a text that somebody wrote meanwhile stays.
    #[test]
    fn a_catalog_that_was_changed_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pointillist.toml");
        fs::write(&path, "# theirs\n").expect("a file");
        assert!(replace_catalog(&path, TEXT, "# ours\n").is_err());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "# theirs\n");
        replace_catalog(&path, "# theirs\n", "# ours\n").expect("nobody wrote meanwhile");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "# ours\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_would_be_no_catalog_is_refused() {
        for (name, wish) in [
            ("ben", "nobody=rho:0.1"),
            ("ben", "people=rho:much"),
            ("owner", "people=rho:0.1"),
            ("ben", "people=rho:-1"),
        ] {
            assert!(with_shares(TEXT, name, &share(wish)).is_err(), "{name} {wish}");
        }
        for text in ["people", "people=0.1", "people=rho"] {
            assert_eq!(ShareWish::parse(text), None, "{text}");
        }
    }
}
