//! The tables that one entry of a plan becomes, and their names.
//!
//! **Guarantee.** The names depend on the plan alone. They are those of files and of public SQL tables, so a plan in which
//! two tables would be called alike, or one like another file, is refused.

use std::collections::BTreeSet;

use pointillist_catalog::document::{Fault, Section, shown};

use super::{Asks, Entry, name};

/// One table that an entry becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// Its name.
    pub name: String,
    /// What it shows, in a line: the author's title where there is one, and by which columns.
    pub title: String,
    /// Its columns, by the names of the catalog; none of a statement, whose columns only SQL knows.
    pub columns: Vec<String>,
}

impl Entry {
    /// The tables of this entry: marginals from the lowest up, hierarchies from the total down.
    pub fn tables(&self) -> Vec<TableName> {
        match &self.asks {
            Asks::Sql(_) => vec![self.table_of(&[], false)],
            Asks::Histogram { column, .. } => vec![self.table_of(&[column.as_str()], false)],
            Asks::Hierarchy { columns, .. } => {
                let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
                (0..=columns.len()).map(|depth| self.table_of(&columns[..depth], true)).collect()
            }
            Asks::Marginals { columns, ways, lower, .. } => {
                let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
                let fewest = if *lower { 0 } else { *ways };
                (fewest..=*ways)
                    .flat_map(|size| combinations(&columns, size))
                    .map(|chosen| self.table_of(&chosen, true))
                    .collect()
            }
        }
    }

    fn table_of(&self, columns: &[&str], named_by_columns: bool) -> TableName {
        let title = self.title.clone().unwrap_or_else(|| self.name.replace('_', " "));
        let owned = columns.iter().map(|column| (*column).to_owned()).collect();
        if !named_by_columns || columns.is_empty() {
            let title = if named_by_columns { format!("{title}: total") } else { title };
            return TableName { name: self.name.clone(), title, columns: owned };
        }
        let parts: String = columns.iter().map(|column| format!("_{}", name::part(column))).collect();
        TableName {
            name: format!("{}{parts}", self.name),
            title: format!("{title}: by {}", words(columns)),
            columns: owned,
        }
    }

    /// How many tables there will be, without making them; none where the number is beyond all counting.
    pub(super) fn table_count(&self) -> Option<u64> {
        match &self.asks {
            Asks::Sql(_) | Asks::Histogram { .. } => Some(1),
            Asks::Hierarchy { columns, .. } => Some(columns.len() as u64 + 1),
            Asks::Marginals { columns, ways, lower, .. } => {
                let fewest = if *lower { 0 } else { *ways };
                (fewest..=*ways)
                    .try_fold(0_u64, |sum, size| sum.checked_add(choices(columns.len() as u64, size as u64)?))
            }
        }
    }
}

/// Refuses an entry with a table whose name is no name or is taken.
pub(super) fn check(
    section: &Section<'_>,
    entry: &Entry,
    plan: &str,
    taken: &mut BTreeSet<String>,
) -> Result<(), Fault> {
    for table in entry.tables() {
        if let Some(complaint) = name::table_complaint(&table.name, plan) {
            let what =
                format!("one of its tables would be called `{}`, and that {complaint}", shown(&table.name));
            return Err(section.fault(what, "give it a shorter or another name"));
        }
        if !taken.insert(table.name.clone()) {
            let what = format!("two tables would be called `{}`", shown(&table.name));
            return Err(section.fault(what, "rename one of them"));
        }
    }
    Ok(())
}

/// All choices of so many items, in the order of the items.
fn combinations<'a>(items: &[&'a str], size: usize) -> Vec<Vec<&'a str>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        for mut rest in combinations(&items[at + 1..], size - 1) {
            rest.insert(0, item);
            all.push(rest);
        }
    }
    all
}

/// How many choices of so many of n items there are.
fn choices(items: u64, size: u64) -> Option<u64> {
    (0..size).try_fold(1_u64, |product, at| Some(product.checked_mul(items - at)? / (at + 1)))
}

/// `a`, `a and b`, `a, b and c`.
fn words(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
