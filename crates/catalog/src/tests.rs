//! The contract's own example, and what every catalog keeps.

use std::num::NonZeroU64;

use pointillist_errors::Explained;
use pointillist_numbers::Rational;
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::{Budget, Delta, Epsilon, Rho};

use super::*;

/// The example of SURFACE.md.
pub(crate) const SURFACE: &str = include_str!("surface.toml");

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

#[test]
fn the_example_is_read_to_the_last_digit() {
    let catalog = Catalog::parse(SURFACE).unwrap();
    let DeclaredBudget::Zcdp { rho, delta, conversion_delta } = &catalog.scopes["patients"].budget else {
        panic!("a zCDP budget");
    };
    assert_eq!(*delta, Delta::parse("5e-10").unwrap());
    assert_eq!(*conversion_delta, Delta::parse("5e-10").unwrap());
    let epsilon = zcdp_epsilon_upper(rho, conversion_delta).unwrap().epsilon;
    assert!(epsilon <= Epsilon::parse("4").unwrap() && epsilon > Epsilon::parse("3.9999999").unwrap());

    let visits = &catalog.tables["visits"];
    assert_eq!((visits.source.as_str(), visits.version.as_str()), ("data/visits.parquet", "1"));
    assert_eq!(
        visits.protection,
        Protection::Private {
            scope: "patients".to_owned(),
            unit: Unit::Column("patient_id".to_owned()),
            max_groups: NonZeroU64::new(8),
            max_contributions: NonZeroU64::new(20),
        }
    );
    let names: Vec<&str> = visits.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["cost", "age", "region", "day", "ward"], "the owner's order is kept");
    let kinds: Vec<&ColumnType> = visits.columns.iter().map(|column| &column.kind).collect();
    assert_eq!(
        kinds,
        [
            &ColumnType::Number {
                bounds: Some((Rational::zero(), rational("10000"))),
                step: Some(Rational::ratio(1, 100))
            },
            &ColumnType::Integer { bounds: Some((0, 120)) },
            &ColumnType::Text,
            &ColumnType::Date { bounds: Some((18_262, 20_818)) },
            &ColumnType::Text,
        ]
    );
    let keys = ["north", "south", "east", "west"].map(|key| Value::Text(key.to_owned()));
    assert_eq!(visits.column("region").unwrap().public_keys.as_deref(), Some(&keys[..]));

    let link = Unit::Linked { column: "visit_id".into(), table: "visits".into(), key: "id".into() };
    assert!(matches!(
        &catalog.tables["prescriptions"].protection,
        Protection::Private { unit, max_groups: None, max_contributions: None, .. } if *unit == link
    ));
    assert_eq!(catalog.tables["hospitals"].protection, Protection::Public);
    assert_eq!(catalog.graphs["contacts"].privacy, GraphPrivacy::Node);
    let share = Budget::zcdp(&Rho::parse("0.1").unwrap(), &Delta::parse("2e-10").unwrap());
    assert_eq!(catalog.analysts["ana"].shares["patients"], share);
}

#[test]
fn numbers_stay_what_the_owner_typed() {
    for (typed, exact) in [
        ("0.1", "1/10"),
        ("1e-9", "1/1000000000"),
        ("\"0.1\"", "1/10"),
        ("\"1/3\"", "1/3"),
        ("1_000.5", "2001/2"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("1", "1"),
        ("+7", "7"),
    ] {
        let text = format!("[scope.a]\nmodel = \"pure\"\nbudget = {{ epsilon = {typed} }}");
        let catalog = Catalog::parse(&text).unwrap();
        let epsilon = Epsilon::new(rational(exact)).unwrap();
        assert_eq!(catalog.scopes["a"].budget, DeclaredBudget::Pure { epsilon }, "{typed}");
    }
    let catalog = Catalog::parse("[scope.a]\nbudget = { rho = 0.1, delta = 1e-9 }").unwrap();
    let half = Delta::parse("5e-10").unwrap();
    let rho = Rho::new(Rational::ratio(1, 10)).unwrap();
    let budget = DeclaredBudget::Zcdp { rho, delta: half.clone(), conversion_delta: half };
    assert_eq!(catalog.scopes["a"].budget, budget);
}

/// Everything that a catalog can hold, in every spelling that is read.
const ALL: &str = r#"
[scope.a]
budget = { epsilon = "1/3", delta = 1e-12 }
[scope.b]
model = "pure"
budget = { epsilon = 0.1 }

[table.t]
scope = "a"
source = "/data/with \"quotes\" and \\ and é.csv"
version = 7
privacy_unit = { column = "row" }
[table.t.columns]
row = { type = "integer" }
flag = { type = "boolean", public_keys = [true, false] }
n = { type = "integer", lower = -9_000_000_000, upper = 9000000000, public_keys = [-1, 0, 1] }
x = { type = "float", lower = -1e-9, upper = 1e18, step = "1/3", public_keys = [0.1, -0.0, 1e18, 5e-10] }
y = { type = "number", nullable = false }
word = { type = "text", public_keys = ["", "a\nb", "\u0007", "ÿ"] }
day = { type = "date", lower = 1970-01-01, upper = 2026-12-31, public_keys = [1970-01-01, "2020-02-29"] }
moment = { type = "timestamp", lower = 1970-01-01T00:00:00, upper = "2026-12-31 23:59:59.25" }

[table.events]
scope = "b"
source = "e"
privacy_unit = "row"

[table.open]
public = true
source = "o/*.csv"

[table.linked]
scope = "a"
source = "../l"
privacy_unit = { column = "t_row", references = "t.row" }
max_groups = 1_000_000
max_contributions = 1_000_000_000

[scope.c]
budget = { epsilon = 1, delta = 1e-9 }

[graph.g]
scope = "c"
source = "g.csv"
nodes = "n.csv"
first_line = "edge"
version = "two"
privacy = "edge"

[analyst."bo@example.org"]
shares = { a = { epsilon = 0.1, delta = 1e-13 }, b = { epsilon = 0.05 } }
[analyst.ana]
"#;

#[test]
fn what_is_written_is_read_back_the_same() {
    for text in [SURFACE, ALL, ""] {
        let catalog = Catalog::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let written = catalog.to_toml();
        let back = Catalog::parse(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(back, catalog);
        assert_eq!(back.to_toml(), written);
    }
}

/// A multiplicative generator is enough here: it only has to visit many places, the same ones on every run.
struct Steps(u64);

impl Steps {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Specification: whatever bytes change, a catalog is read or refused with a place and a hint; it never panics.
#[test]
fn mutated_catalogs_are_read_or_refused() {
    let mut steps = Steps(1);
    let pieces: [&[u8]; 14] = [
        b"\"",
        b"[",
        b"]",
        b"{",
        b"}",
        b"=",
        b".",
        b"-",
        b"9999999999999999999",
        b"\n",
        b"#",
        b"nan",
        b"\xc3\xa9",
        b"FILL_IN",
    ];
    for source in [SURFACE, ALL] {
        for _ in 0..1500 {
            let mut bytes = source.as_bytes().to_vec();
            for _ in 0..=steps.below(3) {
                let at = steps.below(bytes.len());
                match steps.below(4) {
                    0 => bytes[at] = u8::try_from(steps.below(256)).unwrap(),
                    1 => drop(bytes.drain(at..(at + 1 + steps.below(20)).min(bytes.len()))),
                    2 => drop(bytes.splice(at..at, pieces[steps.below(pieces.len())].iter().copied())),
                    _ => {
                        let end = (at + steps.below(60)).min(bytes.len());
                        let copy = bytes[at..end].to_vec();
                        let to = steps.below(bytes.len());
                        bytes.splice(to..to, copy);
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match Catalog::parse(&text) {
                Ok(catalog) => {
                    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog, "{text}");
                    catalog.report();
                }
                Err(error) => assert!(error.hint().is_some(), "{error}"),
            }
        }
    }
}

#[test]
fn the_ledger_and_the_clock_are_declared_too_and_come_back() {
    let text = "[ledger]\nfolder = \"state\"\nanchor = \"../elsewhere/anchor\"\n\n[service]\nquantum_ms = 250\nquanta = 8\n";
    let catalog = Catalog::parse(text).unwrap();
    assert_eq!(catalog.service.ledger_anchor.as_deref(), Some("../elsewhere/anchor"));
    assert_eq!(catalog.service.quanta.map(|quanta| quanta.get()), Some(8));
    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog);
    let mistake = Catalog::parse("[service]\nquantum_milis = 100\n").unwrap_err().explanation().text();
    assert!(mistake.contains("did you mean `quantum_ms`?"), "{mistake}");
    assert!(Catalog::parse("[service]\nquantum_ms = 0\n").is_err());
}

#[test]
fn doors_are_declared_too_and_come_back() {
    let text = "[service]\npostgres = \"0.0.0.0:5432\"\nhttp = \"off\"\ndatabase = \"hospital\"\n\
                tls = { certificate = \"a.pem\", key = \"a.key\" }\nlimits = { connections = 100, questions_per_person = 4 }\n";
    let catalog = Catalog::parse(text).unwrap();
    let doors = &catalog.service.doors;
    assert_eq!(doors.tls, Some(["a.pem".to_owned(), "a.key".to_owned()]));
    assert_eq!(doors.connections.map(|count| count.get()), Some(100));
    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog);
    assert!(Catalog::parse("[service]\ntls = { certificate = \"a.pem\" }\n").is_err());
    assert!(Catalog::parse("[service]\nlimits = { connections = 0 }\n").is_err());
}

#[test]
fn no_analyst_is_called_like_the_owner() {
    for name in ["owner", "Owner"] {
        let mistake = Catalog::parse(&format!("[analyst.{name}]\n")).unwrap_err().explanation().text();
        assert!(mistake.contains("without a share"), "{mistake}");
    }
}

#[test]
fn who_approves_releases_is_declared_and_comes_back() {
    let text = "[releases]\nfolder = \"releases\"\napprovers = [\"bo\", \"cy@example.org\"]\n";
    let catalog = Catalog::parse(text).unwrap();
    assert_eq!(catalog.releases.folder.as_deref(), Some("releases"));
    assert!(catalog.releases.need_approval());
    assert!(catalog.releases.may_approve("Bo") && !catalog.releases.may_approve("ana"));
    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog);
    assert!(!Catalog::parse("[releases]\nfolder = \"out\"\n").unwrap().releases.need_approval());
    for (list, complaint) in [
        ("[]", "nobody may approve"),
        ("[\"bo\", \"Bo\"]", "the same person"),
        ("[\"a b\"]", "has signs other than"),
        ("[1]", "somebody's name"),
        ("\"bo\"", "a list of people"),
    ] {
        let text = format!("[releases]\napprovers = {list}\n");
        let mistake = Catalog::parse(&text).unwrap_err().explanation().text();
        assert!(mistake.contains(complaint), "{list}: {mistake}");
    }
}
