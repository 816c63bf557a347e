//! A small clinic in a temporary folder: a catalog, its files, a ledger with a fixed clock.

use std::fmt::Write;
use std::path::Path;

use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, AskError, Curator, OWNER, Reply, ReplyClock, Row, Settings};
use pointillist_ledger::{Epoch, Ledger, Options as LedgerOptions, Place};
use tempfile::TempDir;

/// The person whom the attacker is after.
pub const TARGET: i64 = 9001;
/// Text that stands in the target's row and must never leave.
pub const CANARY: &str = "Zoe-Canary-7d1f";

pub const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 50, delta = 1e-6 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 3
max_contributions = 4

[table.visits.columns]
patient = { type = "integer" }
name = { type = "text" }
region = { type = "text", public_keys = ["north", "south", "east", "west"] }
ward = { type = "text" }
age = { type = "integer", lower = 0, upper = 120 }
cost = { type = "decimal", lower = 0, upper = 1000, step = 0.01 }
ratio = { type = "decimal" }
day = { type = "date", lower = "2024-01-01", upper = "2025-12-31" }
code = { type = "text" }
flag = { type = "boolean" }

[table.people]
scope = "patients"
source = "people.csv"
privacy_unit = "row"

[table.people.columns]
age = { type = "integer", lower = 0, upper = 120 }
region = { type = "text", public_keys = ["north", "south", "east", "west"] }

[analyst.ana]
shares = { patients = { rho = 20, delta = 5e-7 } }

[analyst.ben]
shares = { patients = { rho = 20, delta = 5e-7 } }
"#;

pub struct Clinic {
    pub folder: TempDir,
    pub curator: Curator,
}

/// Visits of ordinary people: `people` of them, a few rows each.
pub fn visits(people: i64) -> String {
    let mut text = String::from("patient,name,region,ward,age,cost,ratio,day,code,flag\n");
    for patient in 1..=people {
        let region = ["north", "south", "east", "west"][(patient % 4) as usize];
        let ward = ["heart", "lung", "bone"][(patient % 3) as usize];
        for visit in 0..1 + patient % 3 {
            writeln!(
                text,
                "{patient},p{patient},{region},{ward},{},{}.{:02},{}.5,2024-{:02}-1{visit},{},{}",
                20 + patient % 60,
                10 + patient % 300,
                patient % 100,
                1 + patient % 7,
                1 + patient % 12,
                100 + patient,
                patient % 2 == 0,
            )
            .unwrap();
        }
    }
    text
}

/// The target's rows: everything that makes an ordinary engine stumble.
pub fn target_rows() -> String {
    format!(
        "{TARGET},{CANARY},north,secret-{CANARY},999,1e300,-1,2025-12-31,{CANARY},true\n\
         {TARGET},{CANARY},south,secret-{CANARY},0,0,0,2024-01-01,x12,false\n"
    )
}

impl Clinic {
    /// A clinic with these visits; the same calls in two clinics write the same ledger.
    pub fn new(visits: &str) -> Self {
        Self::with_catalog(CATALOG, visits)
    }

    pub fn with_catalog(catalog: &str, visits: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("visits.csv"), visits).unwrap();
        let mut people = String::from("age,region\n");
        for person in 0..400 {
            writeln!(people, "{},{}", person % 90, ["north", "south", "east"][person % 3]).unwrap();
        }
        std::fs::write(folder.path().join("people.csv"), people).unwrap();
        let curator = open(folder.path(), catalog, ReplyClock::IMMEDIATE);
        Self { folder, curator }
    }

    pub fn ask(&self, sql: &str) -> Result<Reply, AskError> {
        self.ask_as(OWNER, sql)
    }

    /// Asks. What is answered has the shape that was described before, whatever the question.
    pub fn ask_as(&self, analyst: &str, sql: &str) -> Result<Reply, AskError> {
        let ask = ask(analyst, sql, None);
        let described = self.curator.describe(&ask);
        let reply = self.curator.ask(&ask)?;
        let described =
            described.unwrap_or_else(|error| panic!("{sql} is answered and not described: {error}"));
        assert_eq!(reply.answer.described(), described.columns, "{sql}");
        let barred = |row: &Row| {
            row.intervals
                .iter()
                .zip(&described.columns)
                .all(|(bar, column)| bar.is_none() || column.has_interval)
        };
        assert!(reply.answer.rows.iter().all(barred), "{sql}");
        Ok(reply)
    }
}

pub fn ask(analyst: &str, sql: &str, request_id: Option<&str>) -> Ask {
    Ask { request_id: request_id.map(str::to_owned), ..Ask::new(sql, analyst) }
}

pub fn place(folder: &Path) -> Place {
    Place::new(folder.join("ledger"), folder.join("anchor"))
}

pub fn open(folder: &Path, catalog: &str, reply_clock: ReplyClock) -> Curator {
    let options = LedgerOptions::default().with_clock(|| 1_700_000_000).with_epoch(Epoch([7; 16]));
    with_ledger(folder, Catalog::parse(catalog).unwrap(), reply_clock, options)
}

/// The same folder again, with a catalog that is more than its text; its ledger goes on.
pub fn reopen(folder: &Path, catalog: Catalog) -> Curator {
    let options = LedgerOptions::default().with_clock(|| 1_700_000_000);
    with_ledger(folder, catalog, ReplyClock::IMMEDIATE, options)
}

fn with_ledger(folder: &Path, catalog: Catalog, reply_clock: ReplyClock, options: LedgerOptions) -> Curator {
    let ledger = Ledger::open(&place(folder), options).unwrap();
    Curator::with_ledger(folder, catalog, ledger, Settings { reply_clock, ..Settings::beside(folder) })
        .unwrap()
}
