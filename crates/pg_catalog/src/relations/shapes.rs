//! The columns of every system table, filled or not: what clients name exists, and `*` has all of it.

use std::sync::{Arc, LazyLock};

use crate::{Column, PgType};

/// A system table without its rows.
#[derive(Debug)]
pub(super) struct Shape {
    pub schema: &'static str,
    pub name: &'static str,
    /// As PostgreSQL 15 has it.
    pub oid: u32,
    /// `r` for tables, `v` for views.
    pub kind: &'static str,
    pub columns: Arc<[Column]>,
}

static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    let lines = include_str!("shapes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(Shape::read).collect()
});

impl Shape {
    /// Every system table, those of `pg_catalog` first.
    pub(super) fn all() -> &'static [Self] {
        &SHAPES
    }

    /// By name. Where a statement gives no schema, `pg_catalog` is meant, as in PostgreSQL.
    pub(super) fn find(schema: Option<&str>, name: &str) -> Option<&'static Self> {
        let schema = schema.unwrap_or("pg_catalog");
        SHAPES.iter().find(|shape| shape.schema == schema && shape.name == name)
    }

    fn read(line: &'static str) -> Option<Self> {
        let mut words = line.split(' ');
        let (schema, name) = (words.next()?, words.next()?);
        let (oid, kind) = (words.next()?.parse().ok()?, words.next()?);
        let columns = words.map(column).collect::<Option<Vec<Column>>>()?;
        Some(Self { schema, name, oid, kind, columns: columns.into() })
    }
}

fn column(word: &'static str) -> Option<Column> {
    let (name, kind) = word.split_once(':')?;
    // Here `char` is PostgreSQL's own type, not SQL's.
    let kind = match kind {
        "char" => PgType::from_name("\"char\""),
        kind => PgType::from_name(kind),
    };
    Some(Column { name, kind: kind? })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Base;

    #[test]
    fn every_line_is_a_table_with_an_oid_of_its_own() {
        let lines = include_str!("shapes.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(Shape::all().len(), lines);
        let oids: BTreeSet<u32> = Shape::all().iter().map(|shape| shape.oid).collect();
        assert_eq!(oids.len(), lines);
        let names = |name: &str| Shape::find(None, name).map(|shape| shape.oid);
        let known = [
            ("pg_class", 1259),
            ("pg_attribute", 1249),
            ("pg_type", 1247),
            ("pg_namespace", 2615),
            ("pg_constraint", 2606),
            ("pg_index", 2610),
        ];
        for (name, oid) in known {
            assert_eq!(names(name), Some(oid), "{name}");
        }
        let class = Shape::find(Some("pg_catalog"), "pg_class").unwrap();
        let kind = |name: &str| class.columns.iter().find(|column| column.name == name).unwrap().kind;
        assert_eq!(kind("relkind"), PgType::of(Base::Char));
        assert_eq!(kind("reloptions"), PgType::array(Base::Text));
        assert!(Shape::find(None, "tables").is_none(), "a schema of the standard is named");
    }

    #[test]
    fn tables_with_passwords_do_not_exist() {
        for name in ["pg_authid", "pg_shadow", "pg_statistic"] {
            assert!(Shape::find(None, name).is_none(), "{name}");
        }
    }
}
