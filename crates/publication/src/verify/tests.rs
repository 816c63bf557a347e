//! Releases that somebody has changed, swapped, cut or forged.

use std::fs;
use std::path::{Path, PathBuf};

use pointillist_catalog::Catalog;
use pointillist_errors::{Explained, Kind};
use pointillist_ledger::record::Publication;
use pointillist_ledger::{Charge, Charged, Digest, Question};
use pointillist_privacy::{Delta, Price, Rho};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::*;
use crate::statement_digest;

/// A home with a ledger, and room for releases beside it.
struct Fixture {
    folder: tempfile::TempDir,
    home: Home,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::parse("[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n").unwrap();
        let home = Home::new(folder.path().join("home"), catalog);
        fs::create_dir(&home.folder).unwrap();
        home.accept_budgets().unwrap();
        Self { folder, home }
    }

    fn key(&self) -> ReleaseKey {
        ReleaseKey::of(&self.home).unwrap()
    }

    /// Pays, records and publishes a small release into a folder of this name.
    fn release(&self, name: &str, numbers: &str) -> PathBuf {
        self.release_with(name, numbers, |_| ())
    }

    /// The same, with something else in its statement.
    fn release_with(&self, name: &str, numbers: &str, change: impl Fn(&mut Value)) -> PathBuf {
        // Before anything is paid: it may be lost.
        let key = self.key();
        let price = Price::zcdp(&Rho::parse("0.125").unwrap(), &Delta::zero());
        let question = Question::new(name.as_bytes());
        let plan = question.id();
        let ledger = self.home.ledger().unwrap();
        let charge = Charge {
            request_id: None,
            analyst: "owner".into(),
            scope: "people".into(),
            price,
            question,
            request: Digest([0; 32]),
        };
        let Charged::Fresh(receipt) = ledger.charge(charge).unwrap() else { panic!("asked before") };
        let (seq, hash) = (receipt.seq(), receipt.hash());
        let recorded = ledger.record(receipt, numbers.as_bytes()).unwrap();
        let files = [("n.csv", format!("n\n{numbers}\n")), ("page.html", "<p>".to_owned())];
        let listed = files.clone().map(|(path, text)| {
            let sha256: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "path": path, "bytes": text.len(), "sha256": sha256 })
        });
        let mut statement = json!({
            "format": "pointillist-release-1",
            "name": name,
            "plan_digest": plan.to_string(),
            "not_before": null,
            "protection": { "scope": "people" },
            "charged": {
                "currency": "rho",
                "loss_units": price.amount().loss_units.to_string(),
                "delta_units": "0",
            },
            "receipt": {
                "seq": seq,
                "hash": hash.to_string(),
                "release_seq": recorded.seq,
                "release_hash": recorded.hash.to_string(),
            },
            "files": listed,
        });
        change(&mut statement);
        let statement = format!("{statement}\n").into_bytes();
        ledger
            .publish(Publication {
                reserve_seq: seq,
                name: name.to_owned(),
                plan,
                statement: statement_digest(&statement),
                not_before: None,
            })
            .unwrap();
        drop(ledger);
        let place = self.folder.path().join(name);
        fs::create_dir(&place).unwrap();
        for (path, text) in files {
            fs::write(place.join(path), text).unwrap();
        }
        sign(&place, &statement, &key);
        place
    }

    fn alone(&self, folder: &Path) -> Result<Verdict, VerifyError> {
        verify(folder, Trusted { key: Some(&self.key().public()), home: None })
    }

    fn at_home(&self, folder: &Path) -> Result<Verdict, VerifyError> {
        verify(folder, Trusted { key: None, home: Some(&self.home) })
    }
}

/// Writes a statement, signed.
fn sign(place: &Path, statement: &[u8], key: &ReleaseKey) {
    fs::write(place.join("release.json"), statement).unwrap();
    for (name, text) in key.files(statement) {
        fs::write(place.join(name), text).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        match file.path().is_dir() {
            true => copy(&file.path(), &to.join(file.file_name())),
            false => _ = fs::copy(file.path(), to.join(file.file_name())).unwrap(),
        }
    }
}

#[test]
fn a_release_is_verified_with_the_key_alone_and_with_its_home() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let alone = fixture.alone(&release).unwrap();
    assert!(alone.is_verified() && alone.in_ledger.is_none());
    let at_home = fixture.at_home(&release).unwrap();
    assert!(at_home.is_verified() && at_home.key_origin == KeyOrigin::Home);
    let found = at_home.in_ledger.unwrap();
    assert_eq!((found.release_seq, found.publication_seq), (found.reserve_seq + 1, found.reserve_seq + 2));
    let said = at_home.lines().join("\n");
    assert!(said.contains(&fixture.key().public().fingerprint()) && said.contains("2 files"), "{said}");
    // Offline: nothing of the home is needed.
    let key = fixture.key().public();
    let place = tempfile::tempdir().unwrap();
    copy(&release, place.path());
    drop(fixture);
    let verdict = verify(place.path(), Trusted { key: Some(&key), home: None }).unwrap();
    assert_eq!((verdict.is_verified(), verdict.statement.name.as_str()), (true, "visits"));
}

/// Specification: without a key of the reader's own the files belong together, and nothing is verified.
#[test]
fn the_key_in_the_folder_proves_only_that_files_belong_together() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let verdict = verify(&release, Trusted::default()).unwrap();
    assert!(!verdict.is_verified() && verdict.key_origin == KeyOrigin::Folder);
    // Whoever changes everything and signs it anew is found by everybody who knows the key.
    let forger = Fixture::new();
    let mut statement: Value =
        serde_json::from_slice(&fs::read(release.join("release.json")).unwrap()).unwrap();
    statement["files"].as_array_mut().unwrap().truncate(1);
    fs::remove_file(release.join("page.html")).unwrap();
    sign(&release, statement.to_string().as_bytes(), &forger.key());
    assert!(!verify(&release, Trusted::default()).unwrap().is_verified());
    let refused = fixture.alone(&release).unwrap_err();
    assert!(matches!(refused, VerifyError::OtherKey { .. }), "{refused}");
    let refused = fixture.at_home(&release).unwrap_err();
    assert!(matches!(refused, VerifyError::OtherKey { .. }), "{refused}");
    // The same with our key put back beside their signature.
    fs::write(release.join(PUBLIC_KEY_FILE), format!("{}\n", fixture.key().public())).unwrap();
    assert!(matches!(fixture.alone(&release), Err(VerifyError::NotSigned)));
}

/// Specification: whichever byte of whichever file is changed, in each another bit, the release is refused; also with
/// one byte more or less.
#[test]
fn every_changed_byte_is_found() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let key = fixture.key().public();
    let mut flips = 0;
    for name in ["n.csv", "page.html", "release.json", "release.json.sig", "release.pub"] {
        let path = release.join(name);
        let whole = fs::read(&path).unwrap();
        let mut refuse = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let found = verify(&release, Trusted { key: Some(&key), home: None });
            let error = found.expect_err("something was changed");
            assert!(error.kind() == Kind::Unverified && error.hint().is_some(), "{name}: {error}");
            // Nor does it pass as files that belong together: not even the key may be another.
            assert!(verify(&release, Trusted::default()).is_err(), "{name}");
            flips += 1;
        };
        for index in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[index] ^= 1 << (index % 8);
            refuse(&flipped);
        }
        refuse(&whole[..whole.len() - 1]);
        refuse(&[&whole[..], b"\n"].concat());
        refuse(&[]);
        fs::write(&path, &whole).unwrap();
    }
    assert!(flips > 900, "{flips}");
    assert!(fixture.alone(&release).unwrap().is_verified());
}

#[test]
fn a_statement_of_another_release_does_not_fit() {
    let fixture = Fixture::new();
    let (one, other) = (fixture.release("visits", "42"), fixture.release("visits_later", "43"));
    for name in ["release.json", "release.json.sig"] {
        fs::copy(other.join(name), one.join(name)).unwrap();
    }
    assert!(matches!(fixture.alone(&one), Err(VerifyError::Changed { path }) if path == "n.csv"));
    assert!(fixture.alone(&other).unwrap().is_verified());
}

#[test]
fn missing_and_additional_files_are_found() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    for name in ["n.csv", "page.html", "release.json", "release.json.sig", "release.pub"] {
        let whole = fs::read(release.join(name)).unwrap();
        fs::remove_file(release.join(name)).unwrap();
        assert!(matches!(fixture.alone(&release), Err(VerifyError::Missing { path }) if path == name));
        fs::write(release.join(name), whole).unwrap();
    }
    for name in ["m.csv", ".hidden", "release.json.bak", "a b"] {
        fs::write(release.join(name), "").unwrap();
        assert!(matches!(fixture.alone(&release), Err(VerifyError::Extra { path }) if path == name));
        fs::remove_file(release.join(name)).unwrap();
    }
    fs::create_dir(release.join("more")).unwrap();
    assert!(matches!(fixture.alone(&release), Err(VerifyError::Extra { .. })), "an empty folder");
    fs::write(release.join("more/n.csv"), "").unwrap();
    assert!(matches!(fixture.alone(&release), Err(VerifyError::Extra { path }) if path == "more/n.csv"));
    fs::remove_dir_all(release.join("more")).unwrap();
    assert!(fixture.alone(&release).unwrap().is_verified());
    let nowhere = fixture.alone(&release.join("nowhere")).unwrap_err();
    assert_eq!(nowhere.kind(), Kind::Request);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let elsewhere = fixture.folder.path().join("elsewhere");
    for name in ["n.csv", "release.json", "release.json.sig", "release.pub"] {
        fs::rename(release.join(name), &elsewhere).unwrap();
        symlink(&elsewhere, release.join(name)).unwrap();
        assert!(matches!(fixture.alone(&release), Err(VerifyError::NoPlainFile { path }) if path == name));
        fs::remove_file(release.join(name)).unwrap();
        fs::rename(&elsewhere, release.join(name)).unwrap();
    }
    symlink(fixture.folder.path(), release.join("up")).unwrap();
    assert!(matches!(fixture.alone(&release), Err(VerifyError::NoPlainFile { path }) if path == "up"));
}

/// Specification: names that lead out of the folder are refused even where they are signed and their digests are right.
#[test]
fn names_in_a_statement_stay_in_its_folder() {
    let fixture = Fixture::new();
    fs::write(fixture.folder.path().join("n.csv"), "n\n42\n").unwrap();
    let absolute = fixture.folder.path().join("n.csv").to_str().unwrap().to_owned();
    let names = [
        "../n.csv",
        "./n.csv",
        "a/../n.csv",
        "a//n.csv",
        "/n.csv",
        "n.csv/",
        "..",
        "",
        "a\\n.csv",
        "n.csv\0",
        ".n.csv",
        "release.json",
        "Release.pub",
        &absolute,
        &"n".repeat(201),
    ];
    for (index, name) in names.into_iter().enumerate() {
        let change = |statement: &mut Value| statement["files"][0]["path"] = json!(name);
        if index > 6 {
            // Enough payments for a small budget: the others are signed without one.
            let release = fixture.folder.path().join("r0");
            let mut statement: Value =
                serde_json::from_slice(&fs::read(release.join("release.json")).unwrap()).unwrap();
            change(&mut statement);
            sign(&release, statement.to_string().as_bytes(), &fixture.key());
            assert!(matches!(fixture.alone(&release), Err(VerifyError::NoStatement { .. })), "{name:?}");
            continue;
        }
        let release = fixture.release_with(&format!("r{index}"), "42", change);
        assert!(matches!(fixture.alone(&release), Err(VerifyError::NoStatement { .. })), "{name:?}");
    }
    let twice = |statement: &mut Value| statement["files"][1]["path"] = json!("N.csv");
    let release = fixture.release_with("twice", "42", twice);
    assert!(matches!(fixture.alone(&release), Err(VerifyError::NoStatement { .. })));
}

/// Specification: a statement that lacks something, or has something of another kind, is refused and never a panic.
#[test]
fn a_statement_is_read_as_a_whole() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let statement: Value = serde_json::from_slice(&fs::read(release.join("release.json")).unwrap()).unwrap();
    let keys = [
        "/format",
        "/name",
        "/plan_digest",
        "/protection",
        "/charged",
        "/receipt",
        "/files",
        "/files/0/bytes",
    ];
    let parts = ["/charged/loss_units", "/charged/currency", "/receipt/seq", "/receipt/release_hash"];
    for pointer in keys.into_iter().chain(parts) {
        for other in [Value::Null, json!(-1), json!(1.5), json!([]), json!({}), json!("x"), json!("0")] {
            let mut changed = statement.clone();
            *changed.pointer_mut(pointer).unwrap() = other.clone();
            let name = pointer == "/name" && other.is_string();
            let read = Statement::read(changed.to_string().as_bytes());
            let empty = pointer == "/files" && other == json!([]);
            assert_eq!(read.is_ok(), name || empty, "{pointer} = {other}");
        }
    }
    for text in ["", "null", "[]", "{", "{\"format\":\"pointillist-release-2\"}", &"[".repeat(100_000)] {
        assert!(Statement::read(text.as_bytes()).is_err());
    }
}

/// Specification: what is signed is compared with the ledger record by record.
#[test]
fn the_ledger_must_have_paid_for_exactly_this() {
    let fixture = Fixture::new();
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 6] = [
        ("payment", |statement| statement["receipt"]["seq"] = json!(1)),
        ("payment", |statement| statement["receipt"]["hash"] = json!("0".repeat(64))),
        ("another price", |statement| statement["charged"]["loss_units"] = json!("1")),
        ("another price", |statement| statement["protection"]["scope"] = json!("others")),
        ("numbers", |statement| statement["receipt"]["release_hash"] = json!("0".repeat(64))),
        ("another name", |statement| statement["not_before"] = json!("2026-12-01")),
    ];
    for (index, (words, change)) in changes.into_iter().enumerate() {
        let release = fixture.release_with(&format!("r{index}"), "42", change);
        assert!(fixture.alone(&release).unwrap().is_verified(), "the signature is right");
        let refused = fixture.at_home(&release).unwrap_err();
        assert!(
            matches!(&refused, VerifyError::NotInLedger { problem } if problem.contains(words)),
            "{refused}"
        );
    }
    // A statement that was signed, and never published.
    let release = fixture.release("visits", "42");
    let text = fs::read_to_string(release.join("release.json")).unwrap();
    sign(&release, text.replace('\n', " \n").as_bytes(), &fixture.key());
    assert!(fixture.alone(&release).unwrap().is_verified());
    let refused = fixture.at_home(&release).unwrap_err().to_string();
    assert!(refused.contains("no publication of this release.json"), "{refused}");
}

/// Specification: an older copy of the ledger, with the release in it or without, is refused at its anchor.
#[test]
fn a_ledger_that_was_put_back_verifies_nothing() {
    let fixture = Fixture::new();
    let first = fixture.release("visits", "42");
    let (ledger, backup) =
        (fixture.home.place().directory().to_owned(), fixture.folder.path().join("backup"));
    copy(&ledger, &backup);
    fixture.release("visits_later", "43");
    assert!(fixture.at_home(&first).unwrap().is_verified());
    fs::remove_dir_all(&ledger).unwrap();
    copy(&backup, &ledger);
    let refused = fixture.at_home(&first).unwrap_err();
    assert_eq!(refused.kind(), Kind::LedgerRestored, "{refused}");
    assert!(fixture.alone(&first).unwrap().is_verified(), "the signature is what it was");
}

#[test]
fn a_home_without_a_key_or_a_ledger_verifies_nothing() {
    let (fixture, other) = (Fixture::new(), Fixture::new());
    let release = fixture.release("visits", "42");
    assert!(matches!(other.at_home(&release), Err(VerifyError::NoHomeKey)));
    let empty = Home::new(fixture.folder.path().join("empty"), Catalog::default());
    let key = fixture.key().public();
    let both = Trusted { key: Some(&key), home: Some(&empty) };
    assert!(matches!(verify(&release, both), Err(VerifyError::NoLedger)));
    let both = Trusted { home: Some(&other.home), ..both };
    assert!(matches!(verify(&release, both), Err(VerifyError::NotInLedger { .. })));
}

/// Specification: a key that is gone after something was published is not quietly made anew.
#[test]
fn a_lost_key_is_told_and_replaced_only_on_purpose() {
    let fixture = Fixture::new();
    let release = fixture.release("visits", "42");
    let before = fixture.key().public();
    fs::remove_file(fixture.home.place().release_key()).unwrap();
    let refused = ReleaseKey::of(&fixture.home).unwrap_err();
    assert!(matches!(refused, crate::KeyError::Lost { .. }), "{refused}");
    let after = ReleaseKey::new_for(&fixture.home).unwrap().public();
    assert_ne!(before, after);
    assert!(verify(&release, Trusted { key: Some(&before), home: None }).unwrap().is_verified());
    assert!(matches!(fixture.at_home(&release), Err(VerifyError::OtherKey { .. })));
}
