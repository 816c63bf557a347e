//! Two servers with one catalog, folders of their own, and one budget between them in PostgreSQL.

use std::path::Path;

use pointillist_catalog::{Catalog, OWNER};
use pointillist_errors::{Explained as _, Kind};
use pointillist_ledger::{OpenError, Record};
use pointillist_query::Options;
use pointillist_testkit::postgres::{PostgresOptions, PostgresServer};

use super::LedgerPlaceError;
use crate::{Ask, AskError, Clock, Home, Paid, StartError};

const CATALOG: &str = "
[scope.people]
model = \"pure\"
budget = { epsilon = 2 }
[table.visits]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"row\"
[table.visits.columns]
age = { type = \"integer\", lower = 0, upper = 120 }
";

fn home(folder: &Path, connections: &str, ledger: &str) -> Home {
    std::fs::write(folder.join("visits.csv"), "age\n30\n40\n").unwrap();
    let catalog = Catalog::parse(&format!("{CATALOG}{connections}{ledger}")).unwrap();
    Home::new(folder.to_owned(), catalog)
}

fn ask(sql: &str) -> Ask {
    let mut options = Options::default();
    options.set("epsilon", "1").unwrap();
    Ask { options, ..Ask::new(sql, OWNER) }
}

fn connections(server: &PostgresServer) -> String {
    let [records, anchor] = ["records", "anchor"].map(|word| server.new_database(word));
    format!("[connection.main]\nurl = \"{records}\"\n[connection.witness]\nurl = \"{anchor}\"\n")
}

fn syncing() -> Option<PostgresServer> {
    PostgresServer::start_with(PostgresOptions { fsync: true, ..PostgresOptions::default() })
}

const LEDGER: &str = "[ledger]\nstore = \"postgres:main\"\nanchor = \"postgres:witness\"\n";

/// Specification: what one server is paid for, the other gives out again for nothing; what one spends, the other has not.
#[test]
fn two_servers_share_one_budget() {
    let Some(server) = syncing() else { return };
    let connections = connections(&server);
    let folders = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let homes = folders.each_ref().map(|folder| home(folder.path(), &connections, LEDGER));
    assert!(homes[0].reader().unwrap().is_none(), "nobody has asked anything yet");
    let curators = homes.each_ref().map(|home| home.curator(Clock::Immediate).unwrap());
    let first = curators[0].ask(&ask("SELECT COUNT(*) FROM visits")).unwrap();
    let again = curators[1].ask(&ask("SELECT COUNT(*) FROM visits")).unwrap();
    assert_eq!((first.paid, again.paid), (Paid::InFull, Paid::Nothing));
    assert_eq!(first.answer, again.answer);
    assert_eq!(curators[1].ask(&ask("SELECT SUM(age) FROM visits")).unwrap().paid, Paid::InFull);
    let refused = curators[0].ask(&ask("SELECT AVG(age) FROM visits"));
    assert!(matches!(refused, Err(AskError::NotCharged(_))), "{refused:?}");
    let status = homes[1].ledger_status().unwrap();
    assert_eq!((status.store.as_str(), status.anchor.as_str()), ("postgres:main", "postgres:witness"));
    assert_eq!((status.is_shared, status.servers.len()), (true, 2));
    assert_eq!(homes[0].verify().unwrap().records, status.records);
    // The owner takes one of them out; the other goes on.
    for server in
        status.servers.iter().filter(|server| server.epoch == curators[0].ledger().epoch().to_string())
    {
        homes[1].fence_server(&server.epoch).unwrap();
    }
    assert!(matches!(curators[0].ask(&ask("SELECT COUNT(*) FROM visits")), Err(AskError::Ledger(_))));
    assert_eq!(curators[1].ask(&ask("SELECT COUNT(*) FROM visits")).unwrap().paid, Paid::Nothing);
    assert!(matches!(homes[1].fence_server("nobody"), Err(LedgerPlaceError::Name)));
    let findings = homes[1].check().unwrap().findings;
    let same_server = findings.iter().any(|finding| finding.words.contains("on the same PostgreSQL server"));
    assert!(same_server && homes[1].anchor_is_beside_the_ledger(), "{findings:?}");
}

/// Specification: a ledger moves by the words of the owner, and what is printed is what the catalog has to say.
#[test]
fn a_ledger_moves_by_the_owners_words() {
    let Some(server) = syncing() else { return };
    let connections = connections(&server);
    let folder = tempfile::tempdir().unwrap();
    let beside = home(folder.path(), &connections, "");
    beside.curator(Clock::Immediate).unwrap().ask(&ask("SELECT COUNT(*) FROM visits")).unwrap();
    for (to, anchor) in
        [("postgres:nobody", Some("postgres:witness")), ("postgres:main", None), ("elsewhere", None)]
    {
        assert!(matches!(beside.move_ledger(to, anchor), Err(LedgerPlaceError::Catalog(_))), "{to}");
    }
    assert!(matches!(beside.fence_server(&"0".repeat(32)), Err(LedgerPlaceError::NotShared)));
    let moved = beside.move_ledger("postgres:main", Some("postgres:witness")).unwrap();
    assert_eq!(moved.section, LEDGER);
    assert!(matches!(beside.reader(), Err(OpenError::Departed { to }) if to == "postgres:main"));
    let there = home(folder.path(), &connections, &moved.section);
    let curator = there.curator(Clock::Immediate).unwrap();
    assert_eq!(curator.ask(&ask("SELECT COUNT(*) FROM visits")).unwrap().paid, Paid::Nothing);
    drop(curator);
    let back = there.move_ledger("sqlite", Some("back.anchor")).unwrap();
    assert_eq!(back.section, "[ledger]\nanchor = \"back.anchor\"\n");
    let here = home(folder.path(), &connections, &back.section);
    assert_eq!(
        here.curator(Clock::Immediate).unwrap().ask(&ask("SELECT COUNT(*) FROM visits")).unwrap().paid,
        Paid::Nothing
    );
}

/// Specification: the owner accepts another catalog through one server. The other, which runs under the old one, sells
/// nothing more until it has the new one; what it has sold it gives again.
#[test]
fn a_running_server_with_an_old_catalog_sells_nothing() {
    let Some(server) = syncing() else { return };
    let connections = connections(&server);
    let folders = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let old = home(folders[0].path(), &connections, LEDGER).curator(Clock::Immediate).unwrap();
    old.ask(&ask("SELECT COUNT(*) FROM visits")).unwrap();
    let mut next = home(folders[1].path(), &connections, LEDGER);
    let others = CATALOG.replace("people", "others").replace("visits", "lines");
    let others = others.split("[table").next().unwrap_or_default();
    let catalog = format!("{CATALOG}{others}{connections}{LEDGER}");
    next.catalog = Catalog::parse(&catalog.replace("scope = \"people\"", "scope = \"others\"")).unwrap();
    let refused = next.curator(Clock::Immediate).err().expect("nobody has accepted that");
    assert_eq!(refused.kind(), Kind::BudgetChanged, "{refused}");
    assert_eq!(next.accept_budgets().unwrap().len(), 2);
    let sold = next.curator(Clock::Immediate).unwrap().ask(&ask("SELECT SUM(age) FROM visits")).unwrap();
    assert_eq!(sold.paid, Paid::InFull);
    let refused = old.ask(&ask("SELECT SUM(age) FROM visits")).unwrap_err();
    let words = "the owner has said anew what table visits is, and this server does not know it yet";
    assert_eq!((refused.to_string().as_str(), refused.kind()), (words, Kind::BudgetChanged));
    assert_eq!(old.ask(&ask("SELECT COUNT(*) FROM visits")).unwrap().paid, Paid::Nothing);
    let renewed = old.redeclared(next.catalog.clone()).unwrap();
    assert_eq!(renewed.ask(&ask("SELECT AVG(age) FROM visits")).unwrap().paid, Paid::InFull);
}

/// Specification: two servers start at once over a new ledger, with two catalogs. One of them tells the ledger what it says, and
/// the other is refused: nothing is granted twice.
#[test]
fn of_two_catalogs_at_once_one_is_told() {
    let Some(server) = syncing() else { return };
    for round in 0..4 {
        let connections = connections(&server);
        let folders = [0, 1].map(|_| tempfile::tempdir().unwrap());
        let mut homes = folders.each_ref().map(|folder| home(folder.path(), &connections, LEDGER));
        let richer = CATALOG.replace("epsilon = 2", "epsilon = 5");
        homes[1].catalog = Catalog::parse(&format!("{richer}{connections}{LEDGER}")).unwrap();
        let start = std::sync::Barrier::new(2);
        let opened = std::thread::scope(|threads| {
            let open = |home: &Home| {
                let (home, start) = (home.clone(), &start);
                threads.spawn(move || {
                    start.wait();
                    home.curator(Clock::Immediate).map(|_| ()).map_err(|error| error.kind())
                })
            };
            let servers = homes.each_ref().map(open);
            servers.map(|server| server.join().unwrap())
        });
        let refused = opened.iter().filter(|opened| **opened == Err(Kind::BudgetChanged)).count();
        let told = opened.iter().filter(|opened| opened.is_ok()).count();
        assert_eq!((told, refused), (1, 1), "round {round}: {opened:?}");
        let reader = homes[0].reader().unwrap().unwrap();
        let grants =
            reader.history().iter().filter(|(entry, _)| matches!(entry.record, Record::Grant { .. }));
        assert_eq!(grants.count(), 1, "round {round}");
    }
}

/// Specification: a section that is written into the catalog without a move opens nothing: the folder has a ledger, and a new
/// one elsewhere would have the whole budget again. Looking says so too.
#[test]
fn a_section_of_the_catalog_is_no_move() {
    let Some(server) = syncing() else { return };
    let connections = connections(&server);
    let folder = tempfile::tempdir().unwrap();
    let beside = home(folder.path(), &connections, "");
    beside.curator(Clock::Immediate).unwrap().ask(&ask("SELECT COUNT(*) FROM visits")).unwrap();
    let there = home(folder.path(), &connections, LEDGER);
    let refused = there.curator(Clock::Immediate).err().expect("it has not moved");
    assert!(matches!(refused, StartError::Ledger(OpenError::RecordsBeside { .. })), "{refused}");
    assert!(matches!(there.reader(), Err(OpenError::RecordsBeside { .. })));
    let findings = there.check().unwrap().findings;
    assert!(findings.iter().any(|finding| finding.words.contains("has not moved")), "{findings:?}");
    beside.move_ledger("postgres:main", Some("postgres:witness")).unwrap();
    let curator = there.curator(Clock::Immediate).unwrap();
    assert_eq!(curator.ask(&ask("SELECT COUNT(*) FROM visits")).unwrap().paid, Paid::Nothing);
}
