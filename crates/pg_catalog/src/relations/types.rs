//! `pg_type` and the functions that read and write values: facts about PostgreSQL that clients choose their decoders by.

use std::sync::LazyLock;

use crate::{PgType, PgValue};

use super::Filled;
use super::instance::{OWNER_OID, PG_CATALOG};
use super::row::row;

/// What PostgreSQL says of a type; also of some that are not told to clients but have names that they know.
pub(super) struct TypeFacts {
    pub oid: u32,
    pub name: &'static str,
    pub is_by_value: bool,
    pub align: &'static str,
    pub storage: &'static str,
    pub collation: u32,
    pub element: u32,
    /// The rest of the line, by place.
    words: Vec<&'static str>,
}

/// A function that reads or writes values.
pub(super) struct Procedure {
    pub oid: u32,
    pub name: &'static str,
    result: u32,
    volatility: &'static str,
    is_strict: bool,
    arguments: Vec<u32>,
}

static TYPES: LazyLock<Vec<TypeFacts>> =
    LazyLock::new(|| lines(include_str!("types.txt")).filter_map(TypeFacts::read).collect());

static PROCEDURES: LazyLock<Vec<Procedure>> =
    LazyLock::new(|| lines(include_str!("procedures.txt")).filter_map(Procedure::read).collect());

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// The facts about the type of this number.
pub(super) fn facts(oid: u32) -> Option<&'static TypeFacts> {
    TYPES.iter().find(|facts| facts.oid == oid)
}

/// The facts about the type of this name in `pg_type`.
pub(super) fn facts_named(name: &str) -> Option<&'static TypeFacts> {
    TYPES.iter().find(|facts| facts.name == name)
}

/// The functions.
pub(super) fn procedures() -> &'static [Procedure] {
    &PROCEDURES
}

pub(super) fn filled() -> Vec<Filled> {
    vec![
        ("pg_type", TYPES.iter().map(TypeFacts::row).collect()),
        ("pg_proc", PROCEDURES.iter().map(Procedure::row).collect()),
    ]
}

impl TypeFacts {
    fn read(line: &'static str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let word = |place: usize| words.get(place).copied();
        Some(Self {
            oid: word(0)?.parse().ok()?,
            name: word(1)?,
            is_by_value: word(3)? == "t",
            element: word(8)?.parse().ok()?,
            align: word(16)?,
            storage: word(17)?,
            collation: word(18)?.parse().ok()?,
            words,
        })
    }

    fn word(&self, place: usize) -> &'static str {
        self.words.get(place).copied().unwrap_or("-")
    }

    fn number(&self, place: usize) -> PgValue {
        PgValue::Int(self.word(place).parse().unwrap_or(0))
    }

    /// `oid:name`.
    fn function(&self, place: usize) -> PgValue {
        let (oid, name) = self.word(place).split_once(':').unwrap_or(("0", "-"));
        PgValue::Reg { oid: oid.parse().unwrap_or(0), name: name.to_owned() }
    }

    fn row(&self) -> Vec<PgValue> {
        row(
            "pg_type",
            vec![
                ("oid", self.oid.into()),
                ("typname", self.name.into()),
                ("typnamespace", PG_CATALOG.into()),
                ("typowner", OWNER_OID.into()),
                ("typlen", self.number(2)),
                ("typbyval", self.is_by_value.into()),
                ("typtype", self.word(4).into()),
                ("typcategory", self.word(5).into()),
                ("typispreferred", (self.word(6) == "t").into()),
                ("typisdefined", true.into()),
                ("typdelim", self.word(7).into()),
                ("typelem", self.element.into()),
                ("typarray", self.number(9)),
                ("typinput", self.function(10)),
                ("typoutput", self.function(11)),
                ("typreceive", self.function(12)),
                ("typsend", self.function(13)),
                ("typmodin", self.function(14)),
                ("typmodout", self.function(15)),
                ("typalign", self.align.into()),
                ("typstorage", self.storage.into()),
                ("typcollation", self.collation.into()),
                ("typsubscript", self.function(19)),
                ("typtypmod", (-1).into()),
            ],
        )
    }

    /// Its name in SQL, also where clients are never told of the type.
    pub(super) fn sql_name(&self) -> String {
        if let Some(kind) = PgType::from_oid(self.oid) {
            return kind.sql_name();
        }
        let (name, suffix) = match facts(self.element) {
            Some(element) => (element.name, "[]"),
            None => (self.name, ""),
        };
        let name = match name {
            "time" => "time without time zone",
            "timetz" => "time with time zone",
            "any" => "\"any\"",
            name => name,
        };
        format!("{name}{suffix}")
    }
}

impl Procedure {
    fn read(line: &'static str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            oid: words.next()?.parse().ok()?,
            name: words.next()?,
            result: words.next()?.parse().ok()?,
            volatility: words.next()?,
            is_strict: words.next()? == "t",
            arguments: words.map(|word| word.parse().ok()).collect::<Option<_>>()?,
        })
    }

    fn row(&self) -> Vec<PgValue> {
        let arguments: Vec<PgValue> = self.arguments.iter().map(|oid| (*oid).into()).collect();
        row(
            "pg_proc",
            vec![
                ("oid", self.oid.into()),
                ("proname", self.name.into()),
                ("pronamespace", PG_CATALOG.into()),
                ("proowner", OWNER_OID.into()),
                ("prolang", 12.into()),
                ("procost", PgValue::Float(1.0)),
                ("prokind", "f".into()),
                ("proisstrict", self.is_strict.into()),
                ("provolatile", self.volatility.into()),
                ("proparallel", "s".into()),
                ("pronargs", PgValue::Int(arguments.len() as i64)),
                ("prorettype", self.result.into()),
                ("proargtypes", PgValue::vector(arguments)),
                ("prosrc", self.name.into()),
            ],
        )
    }

    /// The types of its arguments as SQL writes them.
    pub(super) fn arguments(&self) -> String {
        let names: Vec<String> = self.arguments.iter().map(|oid| name_of(*oid)).collect();
        names.join(", ")
    }

    /// The type of its result.
    pub(super) fn result(&self) -> String {
        name_of(self.result)
    }
}

fn name_of(oid: u32) -> String {
    facts(oid).map_or_else(|| "???".to_owned(), TypeFacts::sql_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Base;

    /// Specification: what values are told as (`pg_type.rs`) is what the system table says.
    #[test]
    fn the_system_table_knows_every_type_of_values() {
        for kind in PgType::all() {
            let facts = facts(kind.oid()).unwrap_or_else(|| panic!("{kind:?}"));
            assert_eq!(facts.name, kind.name());
            assert_eq!(facts.number(2), PgValue::Int(kind.len().into()), "{kind:?}");
            assert_eq!(facts.word(5), kind.category().to_string(), "{kind:?}");
            assert_eq!(facts.number(9), PgValue::Int(kind.array_oid().into()), "{kind:?}");
            let is_vector = matches!(kind.base, Base::Name | Base::Int2Vector | Base::OidVector);
            if !is_vector || kind.is_array {
                assert_eq!(facts.element, kind.element().map_or(0, PgType::oid), "{kind:?}");
            }
        }
        assert_eq!(TYPES.len(), lines(include_str!("types.txt")).count());
        assert_eq!(PROCEDURES.len(), lines(include_str!("procedures.txt")).count());
    }

    #[test]
    fn every_function_of_a_type_is_in_the_table_of_functions() {
        for facts in TYPES.iter() {
            for place in (10..=15).chain([19]) {
                let PgValue::Reg { oid, name } = facts.function(place) else { panic!("a function") };
                let known = procedures().iter().any(|found| found.oid == oid && found.name == name);
                assert!(oid == 0 || known, "{} {name}", facts.name);
            }
        }
    }
}
