//! Types by their oids.

/// A type that a client can be told of: a base type, or an array of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PgType {
    /// The type, or that of the elements.
    pub base: Base,
    /// Whether it is an array.
    pub is_array: bool,
}

/// Types that are not arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// True or false.
    Bool,
    /// Bytes; a value is text in their `\x…` form.
    Bytea,
    /// One byte: the letters by which system tables tell kinds apart.
    Char,
    /// A name of at most 63 bytes.
    Name,
    /// Whole numbers of 64 bits.
    Int8,
    /// Whole numbers of 16 bits.
    Int2,
    /// Numbers of columns; its first index is 0.
    Int2Vector,
    /// Whole numbers of 32 bits.
    Int4,
    /// An oid that prints as the name of a function.
    Regproc,
    /// Text.
    Text,
    /// The number of something in the system catalog.
    Oid,
    /// The number of a transaction; always 0 here.
    Xid,
    /// Several oids; its first index is 0.
    OidVector,
    /// JSON as it was written.
    Json,
    /// An expression as PostgreSQL stores it; always NULL here.
    PgNodeTree,
    /// Floating point of 32 bits.
    Float4,
    /// Floating point of 64 bits.
    Float8,
    /// A literal whose type nothing says.
    Unknown,
    /// Who may do what; always NULL here.
    AclItem,
    /// Text padded with spaces.
    Bpchar,
    /// Text, perhaps of a greatest length.
    Varchar,
    /// Days.
    Date,
    /// Moments without a time zone.
    Timestamp,
    /// Moments; they print in UTC.
    Timestamptz,
    /// Lengths of time.
    Interval,
    /// Decimal numbers, exactly.
    Numeric,
    /// An oid that prints as the name of a table.
    Regclass,
    /// An oid that prints as the name of a type.
    Regtype,
    /// A row.
    Record,
    /// What a function gives that gives nothing: empty text.
    Void,
    /// A UUID; a value is text with hyphens.
    Uuid,
    /// JSON; kept as it was written.
    Jsonb,
    /// An oid that prints as the name of a schema.
    Regnamespace,
    /// An oid that prints as the name of a role.
    Regrole,
}

/// What PostgreSQL says of a base type.
struct Facts {
    base: Base,
    oid: u32,
    /// 0 where there are no arrays of it.
    array_oid: u32,
    /// Its name in `pg_type`.
    name: &'static str,
    /// Its name in SQL, as `format_type` gives it.
    sql_name: &'static str,
    /// Bytes of a value; -1 where they differ, -2 where a zero byte ends it.
    len: i16,
    /// `typcategory`.
    category: char,
}

const fn facts(
    base: Base,
    oid: u32,
    array_oid: u32,
    names: [&'static str; 2],
    len: i16,
    category: char,
) -> Facts {
    Facts { base, oid, array_oid, name: names[0], sql_name: names[1], len, category }
}

/// In the order of [`Base`].
const FACTS: [Facts; 34] = [
    facts(Base::Bool, 16, 1000, ["bool", "boolean"], 1, 'B'),
    facts(Base::Bytea, 17, 1001, ["bytea", "bytea"], -1, 'U'),
    facts(Base::Char, 18, 1002, ["char", "\"char\""], 1, 'Z'),
    facts(Base::Name, 19, 1003, ["name", "name"], 64, 'S'),
    facts(Base::Int8, 20, 1016, ["int8", "bigint"], 8, 'N'),
    facts(Base::Int2, 21, 1005, ["int2", "smallint"], 2, 'N'),
    facts(Base::Int2Vector, 22, 1006, ["int2vector", "int2vector"], -1, 'A'),
    facts(Base::Int4, 23, 1007, ["int4", "integer"], 4, 'N'),
    facts(Base::Regproc, 24, 1008, ["regproc", "regproc"], 4, 'N'),
    facts(Base::Text, 25, 1009, ["text", "text"], -1, 'S'),
    facts(Base::Oid, 26, 1028, ["oid", "oid"], 4, 'N'),
    facts(Base::Xid, 28, 1011, ["xid", "xid"], 4, 'U'),
    facts(Base::OidVector, 30, 1013, ["oidvector", "oidvector"], -1, 'A'),
    facts(Base::Json, 114, 199, ["json", "json"], -1, 'U'),
    facts(Base::PgNodeTree, 194, 0, ["pg_node_tree", "pg_node_tree"], -1, 'Z'),
    facts(Base::Float4, 700, 1021, ["float4", "real"], 4, 'N'),
    facts(Base::Float8, 701, 1022, ["float8", "double precision"], 8, 'N'),
    facts(Base::Unknown, 705, 0, ["unknown", "unknown"], -2, 'X'),
    facts(Base::AclItem, 1033, 1034, ["aclitem", "aclitem"], 12, 'U'),
    facts(Base::Bpchar, 1042, 1014, ["bpchar", "character"], -1, 'S'),
    facts(Base::Varchar, 1043, 1015, ["varchar", "character varying"], -1, 'S'),
    facts(Base::Date, 1082, 1182, ["date", "date"], 4, 'D'),
    facts(Base::Timestamp, 1114, 1115, ["timestamp", "timestamp without time zone"], 8, 'D'),
    facts(Base::Timestamptz, 1184, 1185, ["timestamptz", "timestamp with time zone"], 8, 'D'),
    facts(Base::Interval, 1186, 1187, ["interval", "interval"], 16, 'T'),
    facts(Base::Numeric, 1700, 1231, ["numeric", "numeric"], -1, 'N'),
    facts(Base::Regclass, 2205, 2210, ["regclass", "regclass"], 4, 'N'),
    facts(Base::Regtype, 2206, 2211, ["regtype", "regtype"], 4, 'N'),
    facts(Base::Record, 2249, 2287, ["record", "record"], -1, 'P'),
    facts(Base::Void, 2278, 0, ["void", "void"], 4, 'P'),
    facts(Base::Uuid, 2950, 2951, ["uuid", "uuid"], 16, 'U'),
    facts(Base::Jsonb, 3802, 3807, ["jsonb", "jsonb"], -1, 'U'),
    facts(Base::Regnamespace, 4089, 4090, ["regnamespace", "regnamespace"], 4, 'N'),
    facts(Base::Regrole, 4096, 4097, ["regrole", "regrole"], 4, 'N'),
];

/// Other names under which SQL knows types.
const ALIASES: [(&str, Base); 16] = [
    ("boolean", Base::Bool),
    ("smallint", Base::Int2),
    ("int", Base::Int4),
    ("integer", Base::Int4),
    ("bigint", Base::Int8),
    ("real", Base::Float4),
    ("float", Base::Float8),
    ("double precision", Base::Float8),
    ("decimal", Base::Numeric),
    ("dec", Base::Numeric),
    ("character varying", Base::Varchar),
    ("character", Base::Bpchar),
    ("timestamp without time zone", Base::Timestamp),
    ("timestamp with time zone", Base::Timestamptz),
    ("string", Base::Text),
    ("\"char\"", Base::Char),
];

impl Base {
    /// Every base type, by oid.
    pub fn all() -> impl Iterator<Item = Self> {
        FACTS.iter().map(|facts| facts.base)
    }

    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }
}

impl PgType {
    /// The base type itself.
    pub const fn of(base: Base) -> Self {
        Self { base, is_array: false }
    }

    /// An array of it.
    pub const fn array(base: Base) -> Self {
        Self { base, is_array: true }
    }

    /// Every type, arrays after what they are arrays of.
    pub fn all() -> impl Iterator<Item = Self> {
        let arrays = FACTS.iter().filter(|facts| facts.array_oid != 0).map(|facts| Self::array(facts.base));
        Base::all().map(Self::of).chain(arrays)
    }

    /// Its number. An array of what has no arrays is an array of text.
    pub fn oid(self) -> u32 {
        match (self.is_array, self.base.facts().array_oid) {
            (false, _) => self.base.facts().oid,
            (true, 0) => Base::Text.facts().array_oid,
            (true, oid) => oid,
        }
    }

    /// The number of the type of its arrays; 0 where there is none.
    pub fn array_oid(self) -> u32 {
        if self.is_array { 0 } else { self.base.facts().array_oid }
    }

    /// The type of this number.
    pub fn from_oid(oid: u32) -> Option<Self> {
        if oid == 0 {
            return None;
        }
        FACTS.iter().find_map(|facts| match oid {
            _ if facts.oid == oid => Some(Self::of(facts.base)),
            _ if facts.array_oid == oid => Some(Self::array(facts.base)),
            _ => None,
        })
    }

    /// Its name in `pg_type`: `int8`, `_int8`.
    pub fn name(self) -> String {
        let prefix = if self.is_array { "_" } else { "" };
        format!("{prefix}{}", self.base.facts().name)
    }

    /// Its name in SQL: `bigint`, `bigint[]`.
    pub fn sql_name(self) -> String {
        let suffix = if self.is_array { "[]" } else { "" };
        format!("{}{suffix}", self.base.facts().sql_name)
    }

    /// Its name in SQL with what a column says of it: `numeric(10,2)`, `character varying(20)`; `typmod` is -1 for nothing.
    pub fn sql_name_with(self, typmod: i32) -> String {
        let suffix = if self.is_array { "[]" } else { "" };
        let name = self.base.facts().sql_name;
        match (self.base, typmod.checked_sub(4)) {
            (Base::Numeric, Some(packed)) if typmod >= 4 => {
                format!("{name}({},{}){suffix}", packed >> 16, packed & 0x7ff)
            }
            (Base::Varchar | Base::Bpchar, Some(length)) if typmod >= 4 => {
                format!("{name}({length}){suffix}")
            }
            (Base::Timestamp | Base::Timestamptz, _) if (0..=6).contains(&typmod) => {
                let (head, tail) = name.split_once(' ').unwrap_or((name, ""));
                format!("{head}({typmod}) {tail}{suffix}")
            }
            (Base::Bpchar, _) => format!("bpchar{suffix}"),
            _ => format!("{name}{suffix}"),
        }
    }

    /// A type by any of its names, in any case: `int8`, `bigint`, `BIGINT[]`, `_int8`, `numeric(10,2)`, `pg_catalog.text`.
    /// `char` is what SQL means by it, padded text; the type of one byte is `"char"`. Arrays have as many dimensions as
    /// they like: `int4[][]` is `int4[]`.
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.trim().to_lowercase();
        let bare = lower.strip_prefix("pg_catalog.").unwrap_or(&lower).trim();
        let element = bare.trim_end_matches("[]");
        let kind = Self::without_brackets(element.trim())?;
        match element.len() == bare.len() {
            true => Some(kind),
            false if kind.base.facts().array_oid == 0 => None,
            false => Some(Self::array(kind.base)),
        }
    }

    fn without_brackets(name: &str) -> Option<Self> {
        if let Some(element) = name.strip_prefix('_') {
            let found = FACTS.iter().find(|facts| facts.name == element && facts.array_oid != 0)?;
            return Some(Self::array(found.base));
        }
        let bare = without_modifier(name);
        let unquoted = match bare.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some("char") => return Some(Self::of(Base::Char)),
            Some(quoted) => quoted,
            None if bare == "char" => return Some(Self::of(Base::Bpchar)),
            None => &bare,
        };
        let alias = ALIASES.iter().find(|(alias, _)| *alias == unquoted).map(|(_, base)| *base);
        let named = || FACTS.iter().find(|facts| facts.name == unquoted).map(|facts| facts.base);
        alias.or_else(named).map(Self::of)
    }

    /// Bytes of a value; -1 where they differ from value to value.
    #[expect(clippy::len_without_is_empty, reason = "PostgreSQL's typlen: a type is not empty")]
    pub fn len(self) -> i16 {
        if self.is_array { -1 } else { self.base.facts().len }
    }

    /// `typcategory`: N for numbers, S for strings, A for arrays, …
    pub fn category(self) -> char {
        match (self.is_array, self.base) {
            // Rows of any shape are a pseudotype, and so are arrays of them.
            (true, Base::Record) => 'P',
            (true, _) => 'A',
            (false, base) => base.facts().category,
        }
    }

    /// The type of the elements of an array or a vector.
    pub fn element(self) -> Option<Self> {
        match (self.is_array, self.base) {
            (true, base) => Some(Self::of(base)),
            (false, Base::Int2Vector) => Some(Self::of(Base::Int2)),
            (false, Base::OidVector) => Some(Self::of(Base::Oid)),
            (false, _) => None,
        }
    }
}

/// `numeric(10,2)` is `numeric`; `timestamp(3) with time zone` is `timestamp with time zone`.
fn without_modifier(name: &str) -> String {
    match (name.find('('), name.find(')')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", name[..open].trim_end(), &name[close + 1..])
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_type_is_found_by_its_number_and_by_its_names() {
        for kind in PgType::all() {
            assert_eq!(PgType::from_oid(kind.oid()), Some(kind));
            assert_eq!(PgType::from_name(&kind.sql_name()), Some(kind), "{}", kind.sql_name());
            if kind != PgType::of(Base::Char) {
                assert_eq!(PgType::from_name(&kind.name()), Some(kind), "{}", kind.name());
            }
        }
        for base in Base::all() {
            assert_eq!(base.facts().base, base, "facts are in the order of the types");
        }
        let oids: BTreeSet<u32> = PgType::all().map(PgType::oid).collect();
        assert_eq!(oids.len(), PgType::all().count());
        assert_eq!(PgType::from_oid(0), None);
    }

    #[test]
    fn names_are_understood_as_sql_writes_them() {
        for (name, kind) in [
            ("VARCHAR", PgType::of(Base::Varchar)),
            ("pg_catalog.int4", PgType::of(Base::Int4)),
            ("numeric(10, 2)", PgType::of(Base::Numeric)),
            ("timestamp(3) with time zone", PgType::of(Base::Timestamptz)),
            ("character varying(20)[]", PgType::array(Base::Varchar)),
            ("\"char\"", PgType::of(Base::Char)),
            ("char", PgType::of(Base::Bpchar)),
            ("\"char\"[]", PgType::array(Base::Char)),
            ("_text", PgType::array(Base::Text)),
        ] {
            assert_eq!(PgType::from_name(name), Some(kind), "{name}");
        }
        assert_eq!(
            PgType::from_name(&format!("int4{}", "[]".repeat(500_000))),
            Some(PgType::array(Base::Int4))
        );
        for name in ["", "nothing", "[]", "_", "_void", "void[]", "(", ")("] {
            assert_eq!(PgType::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn what_a_column_says_of_its_type_is_in_its_name() {
        let numeric = PgType::of(Base::Numeric);
        assert_eq!(numeric.sql_name_with(((10 << 16) | 2) + 4), "numeric(10,2)");
        assert_eq!(numeric.sql_name_with(-1), "numeric");
        assert_eq!(PgType::of(Base::Varchar).sql_name_with(24), "character varying(20)");
        assert_eq!(PgType::array(Base::Int8).sql_name_with(-1), "bigint[]");
        assert_eq!(PgType::of(Base::Timestamp).sql_name_with(3), "timestamp(3) without time zone");
        assert_eq!(PgType::of(Base::Numeric).sql_name_with(i32::MIN), "numeric");
    }
}
