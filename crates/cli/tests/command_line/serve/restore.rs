//! A backup that is restored, as docs/serving.md describes it.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Folder;

const QUESTION: &str = "SELECT count(*) FROM visits WHERE cost < 50";
const LATER: &str = "SELECT sum(cost) FROM visits";

/// Specification: the folder is copied while the server is stopped, and restored after more was paid: with the anchor elsewhere, out
/// of the backup, the server does not start until the owner has counted what was forgotten as spent; and then nothing of it comes back.
#[test]
fn a_restored_folder_is_not_served_behind_its_anchor() {
    let elsewhere = tempfile::tempdir().expect("another disk");
    let folder = with_anchor(&elsewhere.path().join("anchor"));
    let first = spend(&folder, QUESTION);
    let backup = tempfile::tempdir().expect("a backup");
    copy(folder.path(), backup.path());
    spend(&folder, LATER);
    let paid = spent(&folder);
    restore(&folder, backup.path());
    let words = refused(&folder);
    assert!(words.contains("anchor") && words.contains("budget recover --restored"), "{words}");
    let words = refused(&folder);
    assert!(words.contains("anchor"), "it does not start at the second try either: {words}");
    let catalog = folder.catalog();
    let catalog = catalog.to_str().expect("a path");
    let recovered = crate::pointillist(&["budget", "recover", "--restored", "--yes", "--catalog", catalog]);
    assert!(recovered.status.success(), "{}", String::from_utf8_lossy(&recovered.stderr));
    assert!(spent(&folder) >= paid, "{} is less than {paid}", spent(&folder));
    let server = folder.serve();
    let again = server.ask(QUESTION, "0.1").expect("what was paid before the backup");
    assert_eq!(again["rows"], first, "the same digits");
    assert!(spent(&folder) >= paid);
}

/// Specification: where the anchor lies beside the ledger and is left out of the restore, the same; where it is restored together with
/// the ledger nobody can see it, which `check` says beforehand.
#[test]
fn an_anchor_beside_the_ledger_is_of_use_only_where_it_is_not_restored() {
    let folder = Folder::new("1", 200);
    spend(&folder, QUESTION);
    let anchor = folder.path().join(".pointillist/anchor");
    let backup = tempfile::tempdir().expect("a backup");
    copy(folder.path(), backup.path());
    spend(&folder, LATER);
    let ahead = fs::read(&anchor).expect("an anchor");
    restore(&folder, backup.path());
    fs::write(&anchor, ahead).expect("the anchor as it was");
    assert!(refused(&folder).contains("budget recover --restored"));
    let catalog = folder.catalog();
    let checked = crate::pointillist(&["check", "--catalog", catalog.to_str().expect("a path")]);
    let words = String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned();
    assert!(words.contains("anchor"), "{words}");
}

fn with_anchor(anchor: &Path) -> Folder {
    let folder = Folder::new("1", 200);
    let catalog = fs::read_to_string(folder.catalog()).expect("a catalog");
    let ledger = format!("[ledger]\nanchor = \"{}\"\n{catalog}", anchor.display());
    fs::write(folder.catalog(), ledger).expect("written");
    folder
}

/// Asks a server that is stopped afterwards; the rows.
fn spend(folder: &Folder, sql: &str) -> serde_json::Value {
    let mut server = folder.serve();
    let rows = server.ask(sql, "0.1").expect("an answer")["rows"].clone();
    let pid = server.process.id().to_string();
    Command::new("kill").args(["-TERM", &pid]).status().expect("kill exists");
    assert!(server.process.wait().expect("it ends").success(), "it stops when it is told to");
    rows
}

fn spent(folder: &Folder) -> f64 {
    let budget = folder.budget();
    let spent = budget.pointer("/scopes/0/spent/rho");
    spent.and_then(|spent| spent.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{budget}"))
}

/// The folder as it was when it was copied, and nothing else in it.
fn restore(folder: &Folder, backup: &Path) {
    fs::remove_dir_all(folder.path().join(".pointillist")).expect("removed");
    copy(backup, folder.path());
}

/// With modes: an access file that others can read is refused.
fn copy(from: &Path, to: &Path) {
    let source = format!("{}/.", from.display());
    let copied = Command::new("cp").args(["-a", &source]).arg(to).status().expect("cp exists");
    assert!(copied.success());
}

/// What is said by a server that does not start.
fn refused(folder: &Folder) -> String {
    let catalog = folder.catalog();
    let catalog = catalog.to_str().expect("a path");
    let arguments =
        ["serve", "--catalog", catalog, "--postgres", "127.0.0.1:0", "--http", "127.0.0.1:0", "--json"];
    let output = Command::new("timeout")
        .arg("60")
        .arg(env!("CARGO_BIN_EXE_pointillist"))
        .args(arguments)
        .output()
        .expect("the binary runs");
    assert!(!output.status.success() && output.status.code() != Some(124), "it served");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}
