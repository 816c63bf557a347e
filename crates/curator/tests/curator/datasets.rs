//! Budgets have no back door: what a name stands for changes with the owner's word, and a file has one payer.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, Curator, OWNER, Paid, Settings, StartError, accept};
use pointillist_errors::{Explained, Kind};
use pointillist_graph::{Method, Statistic};
use pointillist_ledger::{Anchor, Ledger, Row, Store, Witness};
use pointillist_query::Options;

use crate::clinic::{CATALOG, Clinic, ask, place, visits};

const COUNT: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) count(*) FROM visits";
const SECOND: &str = "\n[scope.folk]\nbudget = { rho = 50, delta = 1e-6 }\n\n[table.folk]\nscope = \"folk\"\n\
                      source = \"folk.csv\"\nprivacy_unit = \"row\"\n";

/// A clinic with a second, funded population.
fn clinic() -> (Clinic, String) {
    let catalog = format!("{CATALOG}{SECOND}");
    (Clinic::with_catalog(&catalog, &visits(30)), catalog)
}

fn reopen(folder: &Path, catalog: &str) -> Result<Curator, StartError> {
    let ledger = Ledger::open(&place(folder), Default::default()).unwrap();
    Curator::with_ledger(folder, Catalog::parse(catalog).unwrap(), ledger, Settings::beside(folder))
}

/// Specification: a table that moves to another funded population, reads another file, calls another column a person,
/// becomes public or comes under a new name is not answered until the owner has accepted it.
#[test]
fn a_name_that_stands_for_something_else_waits_for_the_owner() {
    let (Clinic { folder, curator }, catalog) = clinic();
    curator.ask(&ask(OWNER, COUNT, None)).unwrap();
    drop(curator);
    let folder = folder.path();
    fs::copy(folder.join("visits.csv"), folder.join("other.csv")).unwrap();
    let visits =
        "[table.visits]\nscope = \"patients\"\nsource = \"visits.csv\"\nprivacy_unit = \"patient\"\n";
    let bounds = "max_groups = 3\nmax_contributions = 4\n";
    for (edited, word) in [
        (catalog.replacen("scope = \"patients\"", "scope = \"folk\"", 1), "paid for by `folk`"),
        (catalog.replace("visits.csv", "other.csv"), "other.csv"),
        (catalog.replace("privacy_unit = \"patient\"", "privacy_unit = \"row\""), "privacy unit row"),
        (
            // The same name for another column of the file.
            catalog.replace(
                "patient = { type = \"integer\" }\nname = { type = \"text\" }",
                "patient = { type = \"text\", name = \"name\" }",
            ),
            "column name",
        ),
        (catalog.replace("[table.visits", "[table.calls"), "table calls"),
        (
            catalog.replace(
                &format!("{visits}{bounds}"),
                "[table.visits]\npublic = true\nsource = \"visits.csv\"\n",
            ),
            "public",
        ),
    ] {
        assert_ne!(edited, catalog);
        let refused = reopen(folder, &edited).err().expect("a refusal");
        assert!(matches!(refused, StartError::DatasetChanged { .. }), "{refused}");
        assert!(refused.to_string().contains(word) && refused.kind() == Kind::BudgetChanged, "{refused}");
        // Undone, it is as before.
        reopen(folder, &catalog).unwrap();
    }
    let moved = catalog.replace("visits.csv", "other.csv");
    let ledger = Ledger::open(&place(folder), Default::default()).unwrap();
    let changes = accept(&Catalog::parse(&moved).unwrap(), &ledger).unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    let (before, after) = (changes[0].before().unwrap_or_default(), changes[0].after());
    assert!(before.starts_with("visits.csv") && after.starts_with("other.csv"), "{changes:?}");
    drop(ledger);
    reopen(folder, &moved).unwrap();
}

/// Specification: answers about one file are not handed out for another, whatever its version is called.
#[test]
fn another_file_is_another_question() {
    let (Clinic { folder, curator }, catalog) = clinic();
    curator.ask(&ask(OWNER, COUNT, None)).unwrap();
    assert_eq!(curator.ask(&ask(OWNER, COUNT, None)).unwrap().paid, Paid::Nothing);
    drop(curator);
    fs::write(folder.path().join("other.csv"), visits(3000)).unwrap();
    let moved = catalog.replace("visits.csv", "other.csv");
    let ledger = Ledger::open(&place(folder.path()), Default::default()).unwrap();
    accept(&Catalog::parse(&moved).unwrap(), &ledger).unwrap();
    drop(ledger);
    let reply = reopen(folder.path(), &moved).unwrap().ask(&ask(OWNER, COUNT, None)).unwrap();
    assert_eq!(reply.paid, Paid::InFull);
}

/// Specification: two populations cannot pay for one file, by whatever path it is reached, and what is private under
/// one name is not public under another.
#[test]
fn one_file_has_one_payer() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).unwrap();
    fs::write(at("data/visits.csv"), "patient\n1\n").unwrap();
    fs::write(at("else.csv"), "patient\n1\n").unwrap();
    fs::hard_link(at("data/visits.csv"), at("linked.csv")).unwrap();
    let catalog = |other: &str| {
        let scopes = "[scope.one]\nbudget = { rho = 1, delta = 1e-6 }\n[scope.two]\nbudget = { rho = 1, delta = 1e-6 }\n";
        let table = "[table.visits]\nscope = \"one\"\nsource = \"data/visits.csv\"\nprivacy_unit = \"row\"\n";
        Catalog::parse(&format!("{scopes}{table}{other}")).unwrap()
    };
    let open = |other: &str| {
        Curator::with_ledger(
            folder.path(),
            catalog(other),
            Ledger::open_on(Box::<Rows>::default(), Box::<Kept>::default(), Default::default()).unwrap(),
            Settings::beside(folder.path()),
        )
        .map(|_| ())
    };
    for source in ["data/visits.csv", "./data/../data/visits.csv", "data", "data/*.csv", "linked.csv"] {
        for payer in ["scope = \"two\"\nprivacy_unit = \"row\"", "public = true"] {
            let refused =
                open(&format!("[table.again]\nsource = \"{source}\"\n{payer}\n")).expect_err(source);
            assert!(matches!(refused, StartError::TwoPayers { .. }), "{source}: {refused}");
        }
        open(&format!("[table.again]\nsource = \"{source}\"\nscope = \"one\"\nprivacy_unit = \"row\"\n"))
            .unwrap();
    }
    let graph = "[graph.ties]\nscope = \"two\"\nsource = \"linked.csv\"\nfirst_line = \"names\"\nprivacy = \"node\"\n";
    assert!(matches!(open(graph), Err(StartError::TwoPayers { .. })));
    let listed = graph.replace("linked.csv", "else.csv") + "nodes = \"data/visits.csv\"\n";
    assert!(matches!(open(&listed), Err(StartError::TwoPayers { .. })));
    open("[table.again]\nscope = \"two\"\nsource = \"else.csv\"\nprivacy_unit = \"row\"\n").unwrap();
}

/// Specification: a curator that takes another catalog up answers from the files of that catalog. False alarm: at ε = 10
/// the noise of a count of edges reaches 40 with probability below e^-390.
#[test]
fn a_graph_that_is_declared_anew_is_read_anew() {
    let graphs = "[scope.roads]\nmodel = \"pure\"\nbudget = { epsilon = 100 }\n\n[graph.roads]\nscope = \"roads\"\n\
                  source = \"roads.txt\"\nnodes = \"towns.txt\"\nfirst_line = \"edge\"\nprivacy = \"edge\"\n";
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let towns: String = (0..200).map(|town| format!("{town}\n")).collect();
    fs::write(at("towns.txt"), towns).unwrap();
    let roads = |count: usize| (0..count).map(|town| format!("{town} {}\n", town + 1)).collect::<String>();
    fs::write(at("roads.txt"), roads(100)).unwrap();
    let curator = reopen(folder.path(), graphs).unwrap();
    let mut options = Options::default();
    options.set("epsilon", "10").unwrap();
    let ask = Ask::about_graph("roads", Statistic::Edges, Method::Auto, options, OWNER);
    let count = |curator: &Curator| curator.ask(&ask).unwrap().answer.estimates()[0].value.as_f64();
    assert!((count(&curator) - 100.0).abs() < 40.0);
    fs::write(at("roads.txt"), roads(190)).unwrap();
    let later = Catalog::parse(&graphs.replace("privacy =", "version = \"later\"\nprivacy =")).unwrap();
    let curator = curator.redeclared(later).unwrap();
    assert!((count(&curator) - 190.0).abs() < 40.0);
}

/// Rows in memory that outlive the ledger; so many batches are taken.
#[derive(Clone, Default)]
struct Rows {
    rows: Arc<Mutex<Vec<Row>>>,
    batches_left: Option<usize>,
}

impl Store for Rows {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        let rows = self.rows.lock().unwrap();
        Ok(rows.iter().filter(|row| row.seq >= from).take(count).cloned().collect())
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        if let Some(left) = &mut self.batches_left {
            *left = left.checked_sub(1).ok_or_else(|| io::Error::other("the power is gone"))?;
        }
        self.rows.lock().unwrap().extend_from_slice(rows);
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<Anchor>>>);

impl Witness for Kept {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        *self.0.lock().unwrap() = Some(anchor.clone());
        Ok(())
    }
}

/// Specification: wherever the machine stops while a new ledger is told of its budgets, it starts the next time without
/// an alarm.
#[test]
fn a_crash_between_the_first_grants_is_no_tampering() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = || Catalog::parse(&format!("{CATALOG}{SECOND}")).unwrap();
    let start = |rows: Rows, anchor: Kept| {
        let ledger = Ledger::open_on(Box::new(rows), Box::new(anchor), Default::default()).unwrap();
        Curator::with_ledger(folder.path(), catalog(), ledger, Settings::beside(folder.path()))
    };
    for batches in 1..8 {
        let (rows, anchor) = (Rows { batches_left: Some(batches), ..Rows::default() }, Kept::default());
        let first = start(rows.clone(), anchor.clone()).map(|_| ());
        assert_eq!(first.is_err(), batches == 1, "one batch is the writer's name, the next is everything");
        start(Rows { batches_left: None, ..rows }, anchor).unwrap();
    }
}
