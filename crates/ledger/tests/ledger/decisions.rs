//! What the owner decides: all of it or nothing, also what names stand for; and who may read what is written down.

use std::io;
use std::path::Path;

use pointillist_ledger::{
    Account, AnchorFile, Dataset, Decision, GrantError, Ledger, LedgerReader, OpenError, Options, Row,
    SqliteStore, Store,
};
use pointillist_privacy::{Budget, Currency};
use rusqlite::Connection;

use crate::fixture::*;

fn grant(scope: &str, analyst: Option<&str>, budget: Budget) -> Decision {
    Decision::Grant { account: Account { scope: scope.into(), analyst: analyst.map(Into::into) }, budget }
}

fn dataset(name: &str, scope: Option<&str>, source: &str) -> Dataset {
    let unit = "column patient".into();
    Dataset { name: name.into(), scope: scope.map(Into::into), source: source.into(), unit }
}

fn first_decisions() -> Vec<Decision> {
    vec![
        grant("people", None, budget(10)),
        grant("folk", None, budget(5)),
        grant("people", Some("bo"), budget(2)),
        Decision::Dataset(dataset("table visits", Some("people"), "visits.csv")),
        Decision::Dataset(dataset("table rivers", None, "rivers.csv")),
    ]
}

#[test]
fn what_names_stand_for_is_remembered_as_it_was_said_last() {
    let home = Home::new();
    let ledger = home.open();
    assert_eq!(ledger.dataset("table visits").unwrap(), None);
    ledger.decide(first_decisions()).unwrap();
    let moved = dataset("table visits", Some("folk"), "visits.csv");
    ledger.decide(vec![Decision::Dataset(moved.clone())]).unwrap();
    drop(ledger);
    assert_eq!(home.open().dataset("table visits").unwrap(), Some(moved.clone()));
    let audit = LedgerReader::read(&home.place()).unwrap();
    assert_eq!(audit.dataset("table visits"), Some(&moved));
    assert_eq!(audit.dataset("table rivers"), Some(&dataset("table rivers", None, "rivers.csv")));
    assert_eq!(audit.granted("folk"), Some(budget(5)));
}

/// Specification: a decision that cannot stand takes those beside it down with it, and leaves no record.
#[test]
fn decisions_stand_together_or_not_at_all() {
    let home = Home::new();
    let ledger = home.open();
    let pure = Budget { currency: Currency::Pure, ..budget(1) };
    let refused = |wrong: Decision| {
        let before = ledger.head().unwrap();
        let refused = ledger.decide([first_decisions(), vec![wrong]].concat()).unwrap_err();
        assert_eq!((ledger.head().unwrap(), ledger.granted("people").unwrap()), (before, None));
        refused
    };
    assert!(matches!(refused(grant("people", None, pure)), GrantError::WrongCurrency { .. }));
    assert!(matches!(refused(grant("people", Some("cy"), pure)), GrantError::WrongCurrency { .. }));
    assert!(matches!(refused(grant("nobody", Some("cy"), budget(1))), GrantError::NoScope { .. }));
    let unpaid = Decision::Dataset(dataset("table visits", Some("nobody"), "visits.csv"));
    assert!(matches!(refused(unpaid), GrantError::NoScope { .. }));
    let unreadable = Decision::Dataset(dataset("table visits", Some("people"), "visits\n.csv"));
    assert!(matches!(refused(unreadable), GrantError::Name(_)));
    ledger.decide(first_decisions()).unwrap();
    ledger.verify().unwrap();
}

/// A disk that is full after so many batches.
struct Full<T>(T, usize);

impl<T: Store> Store for Full<T> {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        self.0.read(from, count)
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.1 = self.1.checked_sub(1).ok_or_else(|| io::Error::other("the disk is full"))?;
        self.0.append(rows)
    }
}

/// Specification: whichever batch the disk fails on, the ledger knows all of the first decisions or none of them.
#[test]
fn a_crash_leaves_all_of_the_decisions_or_none() {
    let mut seen = Vec::new();
    for batches in 0..4 {
        let home = Home::new();
        std::fs::create_dir_all(home.records()).unwrap();
        let store = SqliteStore::open(&home.records().join("ledger.sqlite")).unwrap();
        let witness = Box::new(AnchorFile::new(home.anchor()));
        let opened = Ledger::open_on(Box::new(Full(store, batches)), witness, Options::default());
        let decided = opened.is_ok_and(|ledger| ledger.decide(first_decisions()).is_ok());
        let ledger = home.open();
        let known: Vec<bool> = first_decisions()
            .into_iter()
            .map(|decision| match decision {
                Decision::Grant { account: Account { scope, analyst: None }, .. } => {
                    ledger.granted(&scope).unwrap().is_some()
                }
                Decision::Grant { account: Account { scope, analyst: Some(analyst) }, .. } => {
                    ledger.granted_share(&scope, &analyst).unwrap().is_some()
                }
                Decision::Dataset(dataset) => ledger.dataset(&dataset.name).unwrap() == Some(dataset),
            })
            .collect();
        assert!(known.iter().all(|known| *known == decided), "{batches} batches: {known:?}");
        seen.push(decided);
    }
    assert_eq!(seen, [false, false, true, true]);
}

/// Specification: a ledger of format 1 or 2 is read as it is and written on as format 3; what is newer is refused.
#[test]
fn an_older_format_is_taken_over_and_a_newer_one_is_refused() {
    let home = Home::new();
    answer(&home.granted(3), ask("ada", "how many", None), "42");
    let records = home.records().join("ledger.sqlite");
    let format = |set: Option<i64>| {
        let connection = Connection::open(&records).unwrap();
        if let Some(format) = set {
            connection.execute_batch(&format!("PRAGMA user_version = {format}")).unwrap();
        }
        connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    for older in [1, 2] {
        assert_eq!(format(Some(older)), older);
        assert_eq!(LedgerReader::read(&home.place()).unwrap().granted(SCOPE), Some(budget(3)));
        assert_eq!(format(None), older, "reading changes nothing");
        assert_eq!(spent(&home.open()), 1);
        assert_eq!(format(None), 3);
    }
    format(Some(4));
    assert!(matches!(Ledger::open(&home.place(), Options::default()), Err(OpenError::File { .. })));
}

#[cfg(unix)]
fn modes(folder: &Path) -> Vec<(String, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|file| file.path().is_file());
    let mode = |file: std::fs::DirEntry| {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        (file.file_name().into_string().unwrap(), mode)
    };
    let mut modes: Vec<(String, u32)> = files.map(mode).collect();
    modes.sort();
    modes
}

/// Specification: records, log, index, locks and anchor are their owner's alone, from the first moment and after every
/// opening; what others could read meanwhile is listed.
#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let place = pointillist_ledger::Place::new(home.records(), home.folder.path().join("away/from/anchor"));
    let away = home.folder.path().join("away/from");
    let files = || [modes(&home.records()), modes(&away)].concat();
    let write = || {
        let ledger = Ledger::open(&place, Options::default()).unwrap();
        ledger.grant_scope(SCOPE, budget(3)).unwrap();
        let files = files();
        drop(ledger);
        files
    };
    let names = [
        "ledger.lock",
        "ledger.sqlite",
        "ledger.sqlite-shm",
        "ledger.sqlite-wal",
        "anchor",
        "anchor.lock",
        "anchor.turn",
    ];
    let private: Vec<(String, u32)> = names.iter().map(|name| ((*name).to_owned(), 0o600)).collect();
    assert_eq!(write(), private);
    for folder in [home.records(), away.clone(), away.parent().unwrap().to_owned()] {
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{}", folder.display());
    }
    assert!(place.files_open_to_others().is_empty());
    let left = files().len();
    for (folder, (name, _)) in modes(&home.records())
        .into_iter()
        .map(|file| (home.records(), file))
        .chain(modes(&away).into_iter().map(|file| (away.clone(), file)))
    {
        std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o644)).unwrap();
    }
    assert_eq!(place.files_open_to_others().len(), left);
    assert_eq!(write(), private);
}
