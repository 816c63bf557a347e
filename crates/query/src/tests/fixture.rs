//! A made-up hospital with one table of every kind.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use pointillist_catalog::{
    Catalog, Column, ColumnType, DeclaredBudget, Graph, GraphPrivacy, Protection, Scope, Table, Unit, Value,
};
use pointillist_numbers::Rational;
use pointillist_plan::PrivatePlan;
use pointillist_privacy::{Delta, Epsilon, Rho};

use crate::{Options, Refusal};

pub(super) fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn column(name: &str, kind: ColumnType) -> Column {
    Column { name: name.to_owned(), stored_as: None, kind, public_keys: None, nullable: true }
}

fn listed(name: &str, keys: &[&str]) -> Column {
    let keys = keys.iter().map(|key| Value::Text((*key).to_owned())).collect();
    Column {
        name: name.to_owned(),
        stored_as: None,
        kind: ColumnType::Text,
        public_keys: Some(keys),
        nullable: true,
    }
}

fn table(
    name: &str,
    scope: &str,
    unit: Unit,
    bounds: Option<(u64, u64)>,
    columns: Vec<Column>,
) -> (String, Table) {
    let protection = Protection::Private {
        scope: scope.to_owned(),
        unit,
        max_groups: bounds.and_then(|(groups, _)| NonZeroU64::new(groups)),
        max_contributions: bounds.and_then(|(_, rows)| NonZeroU64::new(rows)),
    };
    (
        name.to_owned(),
        Table {
            name: name.to_owned(),
            source: "x.csv".to_owned(),
            version: "1".to_owned(),
            protection,
            size: NonZeroU64::new(40_000).filter(|_| name == "visits"),
            periods: None,
            columns,
        },
    )
}

fn columns() -> Vec<Column> {
    let number = |low: &str, high: &str, step: Option<&str>| ColumnType::Number {
        bounds: Some((rational(low), rational(high))),
        step: step.map(rational),
    };
    vec![
        column("cost", number("0", "10000", Some("0.01"))),
        column("temperature", number("30", "45", None)),
        column("weight", ColumnType::Number { bounds: None, step: None }),
        column("age", ColumnType::Integer { bounds: Some((0, 120)) }),
        column("stay", ColumnType::Integer { bounds: None }),
        listed("region", &["north", "south", "east", "west"]),
        listed("sex", &["f", "m"]),
        column("day", ColumnType::Date { bounds: Some((18_262, 20_818)) }),
        column("born", ColumnType::Date { bounds: None }),
        column(
            "seen",
            ColumnType::Timestamp { bounds: Some((18_262 * 86_400_000_000, 18_270 * 86_400_000_000)) },
        ),
        column("ward", ColumnType::Text),
        column("smoker", ColumnType::Boolean),
        column("Mixed Case", ColumnType::Integer { bounds: Some((1, 3)) }),
    ]
}

pub(crate) fn catalog() -> Catalog {
    let by_patient = || Unit::Column("patient_id".to_owned());
    let patients = DeclaredBudget::Zcdp {
        rho: Rho::parse("0.5").unwrap(),
        delta: Delta::parse("1e-9").unwrap(),
        conversion_delta: Delta::parse("1e-9").unwrap(),
    };
    let pupils = DeclaredBudget::Pure { epsilon: Epsilon::parse("4").unwrap() };
    let strict = DeclaredBudget::Zcdp {
        rho: Rho::parse("0.5").unwrap(),
        delta: Delta::zero(),
        conversion_delta: Delta::parse("1e-9").unwrap(),
    };
    let scopes = [("patients", patients), ("pupils", pupils), ("strict", strict)];
    let mut tables = BTreeMap::from([
        table("visits", "patients", by_patient(), Some((8, 20)), columns()),
        table("loose", "patients", by_patient(), None, columns()),
        table("events", "patients", Unit::Row, None, columns()),
        table("marks", "pupils", Unit::Column("pupil".to_owned()), Some((2, 5)), {
            let mut columns = columns();
            columns.push(column("pupil", ColumnType::Integer { bounds: None }));
            columns
        }),
        table("secrets", "strict", by_patient(), Some((2, 5)), columns()),
        table("Upper", "patients", Unit::Row, None, columns()),
        table(
            "prescriptions",
            "patients",
            Unit::Linked { column: "visit_id".to_owned(), table: "visits".to_owned(), key: "id".to_owned() },
            Some((8, 30)),
            columns(),
        ),
        table(
            "doses",
            "patients",
            Unit::Linked {
                column: "prescription_id".to_owned(),
                table: "prescriptions".to_owned(),
                key: "id".to_owned(),
            },
            Some((8, 50)),
            vec![
                column("prescription_id", ColumnType::Integer { bounds: None }),
                column(
                    "grams",
                    ColumnType::Number { bounds: Some((rational("0"), rational("5"))), step: None },
                ),
            ],
        ),
        table("persons", "patients", Unit::Column("id".to_owned()), Some((1, 1)), {
            let mut columns = vec![
                column("id", ColumnType::Integer { bounds: None }),
                column("born", ColumnType::Date { bounds: Some((0, 20_818)) }),
                listed("sex", &["f", "m"]),
            ];
            columns.push(Column {
                nullable: false,
                ..column("height", ColumnType::Integer { bounds: Some((0, 250)) })
            });
            columns
        }),
        table("stays", "patients", Unit::Column("patient".to_owned()), Some((4, 10)), {
            vec![
                column("patient", ColumnType::Integer { bounds: None }),
                column("nights", ColumnType::Integer { bounds: Some((0, 60)) }),
                column("ward", ColumnType::Text),
                Column {
                    nullable: false,
                    ..column("day", ColumnType::Date { bounds: Some((18_262, 20_818)) })
                },
            ]
        }),
        table("letters", "patients", Unit::Column("who".to_owned()), Some((4, 10)), {
            vec![
                column("who", ColumnType::Text),
                column("pages", ColumnType::Integer { bounds: Some((1, 9)) }),
            ]
        }),
    ]);
    let (name, mut wards) = table("wards", "patients", Unit::Row, None, {
        vec![
            column("ward", ColumnType::Text),
            listed("city", &["Rome", "Oslo"]),
            column("beds", ColumnType::Integer { bounds: Some((0, 100)) }),
            Column { nullable: false, ..column("floor", ColumnType::Integer { bounds: Some((0, 9)) }) },
        ]
    });
    wards.protection = Protection::Public;
    tables.insert(name, wards);
    let (name, mut hospitals) = table("hospitals", "patients", Unit::Row, None, columns());
    hospitals.protection = Protection::Public;
    tables.insert(name, hospitals);
    let contacts = Graph {
        name: "contacts".to_owned(),
        scope: "patients".to_owned(),
        nodes: None,
        first_line: pointillist_catalog::FirstLine::Names,
        nodes_first_line: None,
        source: "x.csv".to_owned(),
        version: "1".to_owned(),
        privacy: GraphPrivacy::Node,
    };
    Catalog {
        scopes: scopes
            .into_iter()
            .map(|(name, budget)| (name.to_owned(), Scope { name: name.to_owned(), budget }))
            .collect(),
        tables,
        graphs: BTreeMap::from([("contacts".to_owned(), contacts)]),
        ..Catalog::default()
    }
}

pub(super) fn options(pairs: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, text) in pairs {
        options.set(name, text).unwrap();
    }
    options
}

pub(super) fn try_plan(sql: &str) -> Result<PrivatePlan, Refusal> {
    crate::plan(&catalog(), sql, &Options::default())
}

pub(crate) fn plan(sql: &str) -> PrivatePlan {
    try_plan(sql).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"))
}
