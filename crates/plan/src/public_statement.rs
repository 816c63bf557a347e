//! A statement over public tables alone.
//!
//! **Guarantee.** Nothing in it is anybody's: [`PublicStatement::new`] takes no relation with a leaf that people own, nor one
//! that is released. So it needs no noise, no payment and no record, and there is no way to hand one a private row.

use std::fmt;

use crate::relation_text::lines;
use crate::{Outer, Relation};

/// What is computed from public tables.
#[derive(Clone, Debug)]
pub struct PublicStatement {
    outer: Outer,
}

impl PublicStatement {
    /// The statement of a relation; `None` where a leaf of it is somebody's, or is released, or where it has none.
    pub fn new(outer: Outer) -> Option<Self> {
        let reads = !outer.relation.tables().is_empty();
        (reads && outer.is_released(&[])).then_some(Self { outer })
    }

    /// The rows and the names of their columns.
    pub fn outer(&self) -> &Outer {
        &self.outer
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
            writeln!(out, "{:1$}{line}", "", 2 + 2 * depth)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Owner, Scan, Type};

    fn table(name: &str, owner: Owner) -> Relation {
        Relation::Table(Scan { table: name.to_owned(), columns: Vec::new(), filter: None, owner })
    }

    fn statement(leaves: Vec<Relation>) -> Option<PublicStatement> {
        let union = Relation::Distinct(Box::new(Relation::Union(leaves)));
        PublicStatement::new(Outer { relation: union, columns: Vec::new() })
    }

    #[test]
    fn no_leaf_is_anybodys() {
        let public = || table("regions", Owner::Nobody);
        assert_eq!(
            statement(vec![public(), public()]).map(|it| it.tables().join(" ")),
            Some("regions".to_owned())
        );
        for other in [
            table("people", Owner::EachRow),
            table("visits", Owner::Column("patient".to_owned())),
            Relation::Released { part: 0, types: vec![Type::Integer] },
        ] {
            assert!(statement(vec![public(), other]).is_none());
        }
        assert!(statement(Vec::new()).is_none(), "it reads nothing");
    }
}
