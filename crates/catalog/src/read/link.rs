//! Links between tables: the owner of a row is found in another table.
//!
//! **Guarantee.** A link ends, perhaps through other linked tables, at a private table of the same scope whose own column
//! names the owner; it never comes back to where it was. A row belongs to everybody whose rows it links to: nothing is
//! assumed about how often a key occurs, which is in the data and not for the catalog to say.

use std::collections::BTreeMap;

use super::entry::Entry;
use crate::error::Fault;
use crate::{Protection, Table, Unit, name, suggestion};

/// Links behind links, at most.
const LINKS_MAX: usize = 8;

/// Refuses a link that does not end at the owner.
pub(super) fn check(entry: &Entry<'_>, tables: &BTreeMap<String, Table>) -> Result<(), Fault> {
    let Some(Table {
        protection: Protection::Private { scope, unit: Unit::Linked { table, key, .. }, .. },
        ..
    }) = tables.get(&entry.name)
    else {
        return Ok(());
    };
    let place = place(entry);
    let refuse = |what: String, hint: String| Err(place.fault(what, hint));
    let Some(target) = tables.get(table) else {
        let others = tables.keys().map(String::as_str).filter(|other| *other != entry.name);
        let hint = suggestion::hint(table, others.collect::<Vec<_>>());
        return refuse(format!("there is no table `{}`", name::shown(table)), hint);
    };
    match &target.protection {
        Protection::Public => refuse(
            format!("`{table}` is public: its rows belong to nobody"),
            "link to the private table that names the person".to_owned(),
        ),
        Protection::Private { scope: other, .. } if other != scope => refuse(
            format!("`{table}` belongs to scope `{other}`, this table to `{scope}`"),
            "link tables of one scope: one person's rows are paid from one budget".to_owned(),
        ),
        Protection::Private { unit: Unit::Row, .. } => refuse(
            format!("every row of `{table}` is another person, so `{table}` has no column that names one"),
            format!(
                "write `privacy_unit = \"{key}\"` in [table.{table}], and here too if the columns hold the same ids"
            ),
        ),
        Protection::Private { unit: Unit::Linked { .. }, .. } => match ends(table, tables) {
            true => Ok(()),
            false => refuse(
                format!(
                    "`{table}` finds its own owner through links that come back, or of which there are too many"
                ),
                "link to a table that names the person, or to one that is linked to such a table".to_owned(),
            ),
        },
        Protection::Private { unit: Unit::Column(_), .. } => Ok(()),
    }
}

/// Whether the links of a table lead on, and end.
fn ends(table: &str, tables: &BTreeMap<String, Table>) -> bool {
    let mut next = table;
    for _ in 0..LINKS_MAX {
        match tables.get(next).map(|table| &table.protection) {
            Some(Protection::Private { unit: Unit::Linked { table, .. }, .. }) => next = table,
            // What is wrong with the last table is said where it is linked to.
            _ => return true,
        }
    }
    false
}

/// The `references` of a table that has been read.
fn place<'a>(entry: &Entry<'a>) -> Entry<'a> {
    let child = |entry: &Entry<'a>, key: &str| {
        let entries = entry.named().unwrap_or_default();
        entries.into_iter().find(|entry| entry.name == key)
    };
    child(entry, "privacy_unit")
        .and_then(|unit| child(&unit, "references"))
        .expect("a table with a link has been read from `privacy_unit.references`")
}
