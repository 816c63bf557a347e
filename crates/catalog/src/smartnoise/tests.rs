//! Metadata that people have.

use super::*;
use crate::{Catalog, CatalogError};

const PUMS: &str = "\
Database:
  PUMS:
    PUMS:
      rows: 1000
      max_ids: 4
      age:
        type: int
        lower: 0
        upper: 100.0
      income: {type: float, lower: -0.1, upper: 5e5, nullable: false}
      sex:
        type: string
        cardinality: 2
      married: {type: boolean}
      when: {type: datetime}
      secret: {type: unknown}
      pid:
        type: int
        private_id: True
engine: spark
";

#[test]
fn metadata_becomes_a_catalog_that_parses() {
    let (text, notes) = import(PUMS).unwrap();
    let expected = r#"# A Pointillist catalog, taken over from SmartNoise metadata. Analysts may read all of this file.
# Read the comments, check the sources, then run `pointillist check`.

[scope.database]
# SmartNoise keeps no budget in its metadata. Decide what may ever be learnt about one person.
budget = { epsilon = 1.0, delta = 1e-9 }

[table.pums]
scope = "database"
source = "pums.csv"   # where the rows are: SmartNoise does not say
privacy_unit = "pid"
max_groups = 4
max_contributions = 4

[table.pums.columns]
age = { type = "integer", lower = 0, upper = 100 }
income = { type = "decimal", lower = -0.1, upper = 500000 }
sex = { type = "text" }
married = { type = "boolean" }
when = { type = "timestamp" }
# pid = { type = "integer" }   # names people: left out
"#;
    assert_eq!(text, expected);
    Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    for words in [
        "table `PUMS.PUMS` is named `pums` here",
        "table `pums`: `rows` has no counterpart",
        "max_ids = 4 bounds a person's rows in all",
        "column `pums.income`: `nullable` has no counterpart",
        "column `pums.sex`: `cardinality` has no counterpart",
        "column `pums.secret`: a column of unknown type is left out",
        "the source is a placeholder",
        "the budget is a placeholder",
    ] {
        assert!(notes.iter().any(|note| note.contains(words)), "{words}\n{notes:#?}");
    }
}

#[test]
fn a_table_without_an_owner_is_left_for_the_owner_to_fill_in() {
    for columns in
        ["a: {type: int}", "a: {type: int, private_id: true}\n      b: {type: int, private_id: true}"]
    {
        let (text, notes) = import(&format!("'':\n  s:\n    t:\n      {columns}\n")).unwrap();
        assert!(notes.iter().any(|note| note.contains("fill in privacy_unit")), "{notes:#?}");
        let Err(CatalogError::Mistake(mistake)) = Catalog::parse(&text) else { panic!("{text}") };
        assert_eq!(mistake.path, "table.t.privacy_unit");
    }
}

#[test]
fn rows_can_be_people_and_bounds_are_never_invented() {
    let (text, notes) = import(
        "'':\n  s:\n    '\"Back-Orders\"':\n      row_privacy: yes\n      a: {type: int, lower: 1}\n      b: {type: int, lower: 5, upper: 1}\n      c: {type: int, lower: 0.5, upper: 2}\n      '`d-e`': {type: float, lower: 0, upper: 1}\n",
    )
    .unwrap();
    let catalog = Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let table = &catalog.tables["back_orders"];
    assert!(text.contains("privacy_unit = \"row\"") && !text.contains("max_groups"), "{text}");
    assert!(table.columns.iter().all(|column| column.kind == crate::ColumnType::Integer { bounds: None }));
    assert_eq!(table.columns.len(), 3);
    for words in
        ["one bound alone", "`lower` is not below `upper`", "are not whole", "left out until it is renamed"]
    {
        assert!(notes.iter().any(|note| note.contains(words)), "{words}\n{notes:#?}");
    }
}

#[test]
fn what_is_no_metadata_is_refused_with_its_line() {
    let deep = "[".repeat(10_000);
    let deeper = "[".repeat(20);
    for (text, expected) in [
        ("", "line 1: the file is empty\nhint: name a SmartNoise metadata file"),
        ("a: 1\nb: 2\nc: 3", "line 1: there is not exactly one collection"),
        ("a:\n  s:\n    t: 3", "line 3: a table is not a mapping"),
        (
            "a:\n  s:\n    t:\n      c: {type: itn}",
            "line 4: there is no type `itn`\nhint: did you mean `int`?",
        ),
        ("a:\n  s:\n    t:\n      c: {lower: 1}", "line 4: column `t.c` has no type"),
        ("a:\n  s:\n    t:\n      c: {type: int, uper: 1}", "line 4: a column has no option `uper`"),
        ("a:\n  s:\n    t:\n      max_ids: 0", "line 4: this is no count"),
        ("a:\n  s:\n    t:\n      c: {type: int, lower: .inf, upper: 1}", "line 4: `.inf` is not a number"),
        ("a:\n  s:\n    t:\n      c: {type: int}\n      c: {type: int}", "line 5: the key `c` stands twice"),
        ("a: &x 1\nb: *x", "line 1: anchors and aliases are not read"),
        ("a: 1\n---\nb: 1", "line 2: there is a second document"),
        ("a:\n  s:\n    T: {c: {type: int}}\n    t: {c: {type: int}}", "line 4: a second table becomes `t`"),
        (&deep, "line 1: recursion limit exceeded"),
        (&deeper, "line 1: this is nested too deeply"),
        ("? [a]\n: 1", "line 1: a key is not plain text"),
        ("a: [", "line "),
        ("\t- a:\n b", "line "),
    ] {
        let found = import(text).expect_err(text).explanation().text();
        assert!(found.starts_with(expected) && found.contains("\nhint: "), "{text}\n{found}");
    }
    assert!(matches!(import(&" ".repeat(5 << 20)), Err(ImportError::TooLong { .. })));
}

/// Specification: whatever single byte changes, metadata is taken over or refused; it never panics, and what is taken
/// over is TOML.
#[test]
fn mutated_metadata_is_taken_over_or_refused() {
    for at in (0..PUMS.len()).step_by(3) {
        for byte in [b' ', b':', b'\n', b'-', b'"', b'{', b'[', b'&', b'*', b'#', b'\t', b'9', 0, 0xff] {
            let mut bytes = PUMS.as_bytes().to_vec();
            bytes[at] = byte;
            if let Ok((text, _)) = import(&String::from_utf8_lossy(&bytes))
                && let Err(CatalogError::Mistake(mistake)) = Catalog::parse(&text)
            {
                assert!(!mistake.path.is_empty(), "{mistake}\n{text}");
            }
        }
    }
}
