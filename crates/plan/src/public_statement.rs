//! A statement about nothing that is anybody's: public tables, and keys that the owner has declared.
//!
//! **Guarantee.** No leaf of it is a row of somebody or a released number: [`PublicStatement::new`] takes tables that nobody
//! owns, and rows that are written into the statement itself, in the places of [`Relation::Released`]. Whoever writes such rows
//! down has the catalog and the words of the question, and no data. So it needs no noise, no payment and no record, and there
//! is no way to hand one a private row.

use std::fmt;

use pointillist_catalog::Value;

use crate::relation_text::lines;
use crate::{Outer, Owner, Relation, Type};

/// What is computed from public tables and declared keys.
#[derive(Clone, Debug)]
pub struct PublicStatement {
    outer: Outer,
    lists: Vec<DeclaredRows>,
    /// What there is to know about the answer.
    notes: Vec<String>,
}

/// Rows that follow from the catalog and the words of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredRows {
    /// The types of their columns.
    pub types: Vec<Type>,
    /// The rows.
    pub rows: Vec<Vec<Option<Value>>>,
}

impl PublicStatement {
    /// The statement of a relation; `None` where a leaf of it is somebody's, or is released, or where it has none.
    pub fn new(outer: Outer) -> Option<Self> {
        Self::with_rows(outer, Vec::new(), Vec::new())
    }

    /// The same where `Released { part, .. }` stands for the declared rows of that number.
    pub fn with_rows(outer: Outer, lists: Vec<DeclaredRows>, notes: Vec<String>) -> Option<Self> {
        fn leaves_are_public(relation: &Relation, lists: &[DeclaredRows]) -> bool {
            match relation {
                Relation::Table(scan) => scan.owner == Owner::Nobody,
                Relation::Released { part, types } => {
                    lists.get(*part).is_some_and(|list| list.types == *types)
                }
                other => other.inputs().into_iter().all(|input| leaves_are_public(input, lists)),
            }
        }
        let reads = !outer.relation.tables().is_empty() || !lists.is_empty();
        (reads && leaves_are_public(&outer.relation, &lists)).then_some(Self { outer, lists, notes })
    }

    /// The rows and the names of their columns.
    pub fn outer(&self) -> &Outer {
        &self.outer
    }

    /// The declared rows, by their numbers.
    pub fn lists(&self) -> &[DeclaredRows] {
        &self.lists
    }

    /// What there is to know about the answer.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The tables that are read, each once.
    pub fn tables(&self) -> Vec<&str> {
        let mut tables = self.outer.relation.tables();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// The rows.
    pub fn relation(&self) -> &Relation {
        &self.outer.relation
    }
}

impl fmt::Display for PublicStatement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.outer.columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(out, "Answer {}  (free: nothing private is read)", names.join(", "))?;
        for (depth, line) in lines(&self.outer.relation) {
            // Where nothing is released, rows in that place are declared.
            let line = match line.strip_prefix("Released ").and_then(|number| number.parse::<usize>().ok()) {
                Some(number) => {
                    let rows = number
                        .checked_sub(1)
                        .and_then(|list| self.lists.get(list))
                        .map_or(0, |list| list.rows.len());
                    format!("Declared: {rows} rows")
                }
                None => line,
            };
            writeln!(out, "{:1$}{line}", "", 2 + 2 * depth)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scan;

    fn table(name: &str, owner: Owner) -> Relation {
        Relation::Table(Scan { table: name.to_owned(), columns: Vec::new(), filter: None, owner })
    }

    fn statement(leaves: Vec<Relation>, lists: Vec<DeclaredRows>) -> Option<PublicStatement> {
        let union = Relation::Distinct(Box::new(Relation::Union(leaves)));
        PublicStatement::with_rows(Outer { relation: union, columns: Vec::new() }, lists, Vec::new())
    }

    #[test]
    fn no_leaf_is_anybodys() {
        let public = || table("regions", Owner::Nobody);
        assert_eq!(
            statement(vec![public(), public()], Vec::new()).map(|it| it.tables().join(" ")),
            Some("regions".to_owned())
        );
        for other in [
            table("people", Owner::EachRow),
            table("visits", Owner::Column("patient".to_owned())),
            Relation::Released { part: 0, types: vec![Type::Integer] },
        ] {
            assert!(statement(vec![public(), other], Vec::new()).is_none());
        }
        assert!(statement(Vec::new(), Vec::new()).is_none(), "it reads nothing");
    }

    #[test]
    fn what_is_released_is_never_taken_for_what_is_declared() {
        let keys = DeclaredRows { types: vec![Type::Text], rows: vec![vec![None]] };
        let released = |part: usize, kind: Type| Relation::Released { part, types: vec![kind] };
        assert!(statement(vec![released(0, Type::Text)], vec![keys.clone()]).is_some());
        assert!(statement(vec![released(1, Type::Text)], vec![keys.clone()]).is_none());
        assert!(statement(vec![released(0, Type::Integer)], vec![keys.clone()]).is_none());
        assert!(
            statement(vec![released(0, Type::Text), table("people", Owner::EachRow)], vec![keys]).is_none()
        );
    }
}
