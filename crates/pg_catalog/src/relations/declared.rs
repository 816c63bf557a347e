//! The declared catalog with oids and PostgreSQL's types.

use std::collections::BTreeSet;

use pointillist_catalog::{Catalog, ColumnType, Protection, Table, Unit};

use crate::{Base, PgType};

use super::description;

/// Below are PostgreSQL's own; some clients take numbers below 32768 for an int2.
const OID_FIRST: u32 = 100_000;
/// A table has this many oids in a row: its own, then those of its foreign keys.
const OIDS_OF_TABLE: u32 = 8;
/// A prime below 2^27, so that names scatter and every oid fits an int4.
const PLACES: u64 = 134_217_689;

/// Everything that is declared.
#[derive(Debug)]
pub(crate) struct Declared {
    /// By name.
    pub tables: Vec<DeclaredTable>,
    /// The comment of the schema `public`.
    pub description: String,
}

/// A declared table.
#[derive(Debug)]
pub(crate) struct DeclaredTable {
    pub oid: u32,
    pub name: String,
    pub columns: Vec<DeclaredColumn>,
    pub description: String,
    pub foreign_key: Option<ForeignKey>,
}

/// A column that analysts can name.
#[derive(Debug)]
pub(crate) struct DeclaredColumn {
    pub name: String,
    pub kind: PgType,
    pub is_nullable: bool,
    pub description: String,
}

/// A link to another table.
#[derive(Debug)]
pub(crate) struct ForeignKey {
    pub oid: u32,
    pub name: String,
    /// The number of the column.
    pub column: i16,
    pub target: u32,
    /// The number of the column there.
    pub target_column: i16,
    /// `FOREIGN KEY (a) REFERENCES t(b)`.
    pub definition: String,
}

impl Declared {
    pub(super) fn of(catalog: &Catalog) -> Self {
        let released = catalog.released.iter().filter(|(name, _)| !catalog.tables.contains_key(*name));
        let all = catalog.tables.values().map(|table| (table, false));
        let mut list: Vec<(&Table, bool)> = all.chain(released.map(|(_, table)| (table, true))).collect();
        list.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        let mut taken = BTreeSet::new();
        let mut tables: Vec<DeclaredTable> = list
            .iter()
            .map(|(table, is_released)| DeclaredTable {
                oid: oid(&table.name, &mut taken),
                name: table.name.clone(),
                columns: columns(table),
                description: description::table(table, *is_released),
                foreign_key: None,
            })
            .collect();
        for (index, (table, _)) in list.iter().enumerate() {
            tables[index].foreign_key = foreign_key(table, &tables);
        }
        Self { tables, description: description::schema(catalog) }
    }

    /// The table of this oid.
    pub(crate) fn table(&self, oid: u32) -> Option<&DeclaredTable> {
        self.tables.iter().find(|table| table.oid == oid)
    }

    /// The table of this name.
    pub(crate) fn table_named(&self, name: &str) -> Option<&DeclaredTable> {
        self.tables.iter().find(|table| table.name == name)
    }
}

impl DeclaredTable {
    fn number(&self, column: &str) -> Option<i16> {
        let index = self.columns.iter().position(|found| found.name == column)?;
        i16::try_from(index + 1).ok()
    }
}

/// The same for the same name, whatever else is declared; where two names meet, the later one moves on.
fn oid(name: &str, taken: &mut BTreeSet<u64>) -> u32 {
    // The bytes as digits of one number: the same in every version of this program.
    let mut place = name.bytes().fold(1, |number, byte| (number * 257 + u64::from(byte)) % PLACES);
    while !taken.insert(place) {
        place = (place + 1) % PLACES;
    }
    OID_FIRST + place as u32 * OIDS_OF_TABLE
}

/// The declared columns and, where it is none of them, the column that names the owner of a row.
fn columns(table: &Table) -> Vec<DeclaredColumn> {
    let declared = table.columns.iter().map(|column| DeclaredColumn {
        name: column.name.clone(),
        kind: kind(&column.kind),
        is_nullable: column.nullable,
        description: description::column(table, column),
    });
    let unit = match &table.protection {
        Protection::Private { unit: Unit::Column(unit), .. } if table.column(unit).is_none() => Some(unit),
        _ => None,
    };
    let unit = unit.map(|unit| DeclaredColumn {
        name: unit.clone(),
        kind: PgType::of(Base::Text),
        is_nullable: false,
        description: description::unit(unit),
    });
    declared.chain(unit).collect()
}

/// As answers have them.
fn kind(kind: &ColumnType) -> PgType {
    PgType::of(match kind {
        ColumnType::Boolean => Base::Bool,
        ColumnType::Integer { .. } => Base::Int8,
        ColumnType::Number { .. } => Base::Float8,
        ColumnType::Text => Base::Text,
        ColumnType::Date { .. } => Base::Date,
        ColumnType::Timestamp { .. } => Base::Timestamp,
    })
}

/// The link of a table, where both of its ends can be seen.
fn foreign_key(table: &Table, tables: &[DeclaredTable]) -> Option<ForeignKey> {
    let Protection::Private { unit: Unit::Linked { column, table: other, key }, .. } = &table.protection
    else {
        return None;
    };
    let from = tables.iter().find(|found| found.name == table.name)?;
    let to = tables.iter().find(|found| found.name == *other)?;
    let (column_number, key_number) = (from.number(column)?, to.number(key)?);
    let [column_name, other_name, key_name] = [column, other, key].map(|name| quoted_name(name));
    Some(ForeignKey {
        oid: from.oid + 1,
        name: format!("{}_{column}_fkey", table.name),
        column: column_number,
        target: to.oid,
        target_column: key_number,
        definition: format!("FOREIGN KEY ({column_name}) REFERENCES {other_name}({key_name})"),
    })
}

/// A name as SQL would have to write it: in quotes unless it is of small letters, digits and underscores.
pub(crate) fn quoted_name(name: &str) -> String {
    let is_sign = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    let is_plain = name.chars().all(is_sign) && !name.starts_with(|sign: char| sign.is_ascii_digit());
    match is_plain && !name.is_empty() && !crate::functions::keywords::is_reserved(name) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}
