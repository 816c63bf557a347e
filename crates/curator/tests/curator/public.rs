//! Statements over public tables: free, recorded nowhere, and only about what is public.

use std::fs;
use std::path::Path;

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{AskError, Clock, Executed, Home, PublicAnswer};
use pointillist_errors::{Explained, Kind};

use crate::clinic::{CANARY, CATALOG, ask, target_rows, visits};

const REGIONS: &str = "\n[table.regions]\npublic = true\nsource = \"regions.csv\"\n[table.regions.columns]\n\
                       region = { type = \"text\" }\nsize = { type = \"integer\" }\n";
const COUNT: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) count(*) FROM people";

fn home(folder: &Path, catalog: &str) -> Home {
    fs::write(folder.join("visits.csv"), visits(30) + &target_rows()).unwrap();
    fs::write(folder.join("people.csv"), "age,region\n30,north\n40,south\n").unwrap();
    fs::write(folder.join("regions.csv"), "region,size\nnorth,10\nsouth,20\neast,\n").unwrap();
    Home::new(folder.to_owned(), Catalog::parse(catalog).unwrap())
}

fn public(home: &Home, analyst: &str, sql: &str) -> Result<PublicAnswer, AskError> {
    match home.execute(&ask(analyst, sql, None), Clock::Immediate)? {
        Executed::Public(answer) => Ok(*answer),
        other => panic!("{sql}: {other:?}"),
    }
}

/// Specification: the numbers are exact, nothing is locked, charged or written, and every declared analyst may ask, with a
/// share or without one; nobody else.
#[test]
fn public_tables_are_answered_for_free() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = format!("{CATALOG}{REGIONS}\n[analyst.eve]\n");
    let home = home(folder.path(), &catalog);
    let sql = "SELECT count(*) AS n, sum(size) AS size FROM regions";
    for analyst in ["owner", "ana", "eve"] {
        let answer = public(&home, analyst, sql).unwrap();
        let row = &answer.answer.rows[0];
        assert_eq!(row.values, [Some(Value::Integer(3)), Some(Value::Integer(30))]);
        assert_eq!(
            (row.intervals.as_slice(), answer.tables),
            ([None, None].as_slice(), vec!["regions".to_owned()])
        );
    }
    assert!(matches!(public(&home, "nobody", sql), Err(AskError::Unknown { .. })));
    assert!(!folder.path().join(".pointillist").exists(), "there is no ledger");
    let curator = home.curator(Clock::Immediate).unwrap();
    let before = curator.ledger().balances().unwrap();
    assert!(matches!(curator.execute(&ask("ana", sql, None)).unwrap(), Executed::Public(_)));
    assert!(public(&home, "ana", sql).is_ok(), "while somebody else writes the ledger");
    let explained = curator.execute(&ask("ana", &format!("EXPLAIN {sql}"), None)).unwrap();
    assert!(
        matches!(explained, Executed::PublicQuote(quote) if quote.plan.contains("nothing private is read"))
    );
    assert_eq!(curator.ledger().balances().unwrap(), before);
    let refusal = curator.ask(&ask("ana", sql, None)).unwrap_err();
    assert_eq!(refusal.kind(), Kind::Unsupported, "there is nothing to buy");
}

/// Specification: a table that the ledger knows as private is not read because the catalog now says that it is public, nor
/// one that it was never told of; and a file that is private under another name is not read at all.
#[test]
fn what_was_private_does_not_become_public_by_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = format!("{CATALOG}{REGIONS}");
    let before = home(folder.path(), &catalog);
    before.curator(Clock::Immediate).unwrap().ask(&ask("owner", COUNT, None)).unwrap();
    let opened = catalog.replace(
        "[table.people]\nscope = \"patients\"\nsource = \"people.csv\"\nprivacy_unit = \"row\"",
        "[table.people]\nsource = \"people.csv\"\npublic = true",
    );
    assert_ne!(opened, catalog);
    let after = home(folder.path(), &opened);
    let error = public(&after, "owner", "SELECT age FROM people").unwrap_err();
    assert_eq!(error.kind(), Kind::BudgetChanged, "{error}");
    after.accept_budgets().unwrap();
    assert_eq!(
        public(&after, "owner", "SELECT age FROM people").unwrap().answer.rows.len(),
        2,
        "the owner's word"
    );
    let twin = format!(
        "{catalog}\n[table.twin]\npublic = true\nsource = \"./visits.csv\"\n[table.twin.columns]\nname = {{ type = \"text\" }}\n"
    );
    for accepted in [false, true] {
        let home = home(folder.path(), &twin);
        if accepted {
            home.accept_budgets().unwrap();
        }
        let error = public(&home, "owner", "SELECT name FROM twin").unwrap_err();
        assert!(
            !error.to_string().contains(CANARY) && error.to_string().contains("paid for twice"),
            "{error}"
        );
    }
}
