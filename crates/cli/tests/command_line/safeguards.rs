//! What protects owners from themselves and from others: back doors to budgets, files in the wrong place, files that
//! others may read, data that would become public, and words that would steer a terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::folder::{COUNT, Folder};
use super::{pointillist, stderr, stdout};

const SECOND: &str = "\n[scope.folk]\nbudget = { epsilon = 4.0, delta = 1e-9 }\n";

fn add(folder: &Folder, text: &str) {
    let path = folder.join("pointillist.toml");
    fs::write(&path, fs::read_to_string(&path).expect("a catalog") + text).expect("a file");
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let there = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &there),
            false => drop(fs::copy(entry.path(), there).expect("a copy")),
        }
    }
}

/// Specification: a table that moves to another funded population waits for the owner.
#[test]
fn a_table_moves_to_another_budget_by_the_owners_word_only() {
    let folder = Folder::new();
    add(&folder, SECOND);
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    folder.edit("scope = \"people\"", "scope = \"folk\"");
    let refused = folder.refused(&["query", COUNT, "--rho", "0.01"], 3);
    assert!(refused.contains("table visits") && refused.contains("pointillist budget grant"), "{refused}");
    let changes = folder.run(&["budget", "grant", "--json"]);
    assert_eq!(changes.status.code(), Some(2));
    let changes: serde_json::Value = serde_json::from_str(&stdout(&changes)).expect("JSON");
    assert_eq!(changes["changes"][0]["dataset"], "table visits", "{changes}");
    let words = folder.words(&["budget", "grant", "--yes"]);
    assert!(words.contains("paid for by `people`") && words.contains("paid for by `folk`"), "{words}");
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    let history = folder.words(&["budget", "history"]);
    assert_eq!(history.matches("declared table visits: visits.csv").count(), 2, "{history}");
}

#[test]
fn two_populations_over_one_file_do_not_pass() {
    let folder = Folder::new();
    add(&folder, SECOND);
    folder.words(&["check"]);
    add(&folder, "[table.again]\nscope = \"folk\"\nsource = \"./visits.csv\"\nprivacy_unit = \"person\"\n");
    for command in [&["check"][..], &["query", COUNT, "--rho", "0.01"]] {
        let refused = folder.refused(command, 2);
        assert!(refused.contains("paid for twice") && refused.contains("table again"), "{refused}");
    }
}

/// Specification: with the anchor that `init` proposes, a backup of the whole folder that is restored is noticed. Beside
/// the ledger it is not, and `check` says so.
#[test]
fn a_folder_that_is_restored_does_not_give_the_budget_back() {
    let folder = Folder::new();
    let beside = folder.words(&["check"]);
    assert!(beside.contains("the anchor lies beside the ledger"), "{beside}");
    folder.words(&["init", "visits.csv", "-o", "draft.toml"]);
    let draft = fs::read_to_string(folder.join("draft.toml")).expect("a draft");
    let section = &draft[draft.find("[ledger]\n").expect("a section")..];
    let anchor = section.split('"').nth(1).expect("a path");
    assert!(Path::new(anchor).starts_with(folder.state()), "{anchor}");
    add(&folder, section);
    let elsewhere = folder.words(&["check"]);
    assert!(!elsewhere.contains("beside the ledger"), "{elsewhere}");
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    let backup = folder.path().with_file_name("backup");
    copy_all(&folder.path(), &backup);
    folder.json(&["query", COUNT, "--rho", "0.02"]);
    fs::remove_dir_all(folder.path()).expect("the folder goes");
    copy_all(&backup, &folder.path());
    let noticed = folder.refused(&["query", COUNT, "--rho", "0.03"], 1);
    assert!(noticed.contains("`pointillist budget recover --restored`"), "{noticed}");
}

#[cfg(unix)]
#[test]
fn the_ledger_is_its_owners_and_check_says_where_it_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    let records = folder.join(".pointillist/ledger/ledger.sqlite");
    let mode = |path: &Path| path.metadata().expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&records), mode(&folder.join(".pointillist"))), (0o600, 0o700));
    assert!(!folder.words(&["check"]).contains("others on this machine"));
    fs::set_permissions(&records, PermissionsExt::from_mode(0o644)).expect("a mode");
    let words = folder.words(&["check"]);
    assert!(words.contains("others on this machine may read") && words.contains("ledger.sqlite"), "{words}");
}

/// Specification: no picture or page is written over what we did not make.
#[test]
fn pictures_replace_pictures_of_ours_and_nothing_else() {
    let folder = Folder::new();
    fs::write(folder.join("ties.txt"), "1 2\n2 3\n3 1\n").expect("a file");
    fs::write(folder.join("people.txt"), "1\n2\n3\n").expect("a file");
    fs::write(folder.join("drawing.svg"), "<svg>mine</svg>").expect("a file");
    let degrees = ["graph", "degrees", "--file", "ties.txt", "--nodes", "people.txt", "--privacy", "edge"];
    let compose = ["account", "compose", "--gaussian", "50", "--count", "10", "--delta", "1e-6"];
    let local = ["local", "plan", "--answers", "yes,no", "--epsilon", "1", "--people", "100"];
    for (index, command) in
        [[&degrees[..], &["--epsilon", "1"]].concat(), compose.to_vec(), local.to_vec()].iter().enumerate()
    {
        for foreign in ["pointillist.toml", "visits.csv", "drawing.svg"] {
            let before = fs::read(folder.join(foreign)).expect("a file");
            let refused = folder.refused(&[&command[..], &["--plot", foreign]].concat(), 2);
            assert!(refused.contains("was not made by this program"), "{command:?}: {refused}");
            assert_eq!(fs::read(folder.join(foreign)).expect("a file"), before);
        }
        let own = format!("own{index}.svg");
        for _ in 0..2 {
            folder.words(&[&command[..], &["--plot", &own]].concat());
        }
    }
}

/// Specification: what a file begins with becomes names in a public catalog only if it looks like names.
#[test]
fn rows_do_not_become_names_in_a_catalog() {
    let folder = Folder::new();
    for (name, text, vouched) in [
        ("old.csv", "person,disease\rada,gout\rben,flu\r", 2),
        ("bare.csv", "ada,41,gout\nben,12,flu\n", 0),
        ("dates.tsv", "ada\t2024-01-31\nben\t2024-02-01\n", 0),
    ] {
        fs::write(folder.join(name), text).expect("a file");
        let refused = folder.refused(&["init", name, "-o", "new.toml"], 2);
        assert!(!refused.contains("ada") && !folder.join("new.toml").exists(), "{refused}");
        let vouched_for = folder.run(&["init", name, "--header", "-o", "vouched.toml"]);
        assert_eq!(vouched_for.status.code(), Some(vouched), "{}", stderr(&vouched_for));
        let _ = fs::remove_file(folder.join("vouched.toml"));
    }
    let told = folder.run(&["init", "visits.csv", "-o", "new.toml"]);
    assert!(stderr(&told).contains("was taken for names: person, region, ward, cost"), "{}", stderr(&told));
}

/// Specification: whatever is typed, nothing that steers a terminal comes back.
#[test]
fn words_of_the_caller_never_steer_the_terminal() {
    let folder = Folder::new();
    let hostile = "x\u{1b}[31m\u{9b}2J\u{7}y";
    let named = format!("{hostile}.toml");
    for arguments in [
        &[hostile][..],
        &["query", "--catalog", hostile, "SELECT 1"],
        &["query", hostile],
        &["explain", COUNT, "--as", hostile],
        &["check", "--catalog", hostile, "--json"],
        &["graph", "count", hostile, "--file", hostile],
        &["init", "visits.csv", "-o", &named],
        &["init", "visits.csv", "--force", "--json", "-o", &named],
        &["local", "plan", "--answers", hostile, "--epsilon", hostile],
    ] {
        let output = folder.run(arguments);
        for text in [stdout(&output), stderr(&output)] {
            let obeyed = text.chars().find(|letter| letter.is_control() && *letter != '\n');
            assert_eq!(obeyed, None, "{arguments:?}: {text:?}");
        }
    }
    let output = folder.run(&["init", "visits.csv", "--force", "--json", "-o", &named]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(json["catalog"], named, "read back it is the same");
    assert!(pointillist(&["--version"]).status.success());
}

/// Specification: however an audit of the owner's own rows ends, no copy of them stays.
#[cfg(unix)]
#[test]
fn an_audit_that_is_ended_by_force_leaves_no_rows_behind() {
    let folder = Folder::new();
    let temporary = folder.path().with_file_name("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let left = || fs::read_dir(&temporary).expect("a folder").count();
    let until = |done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(60), "{} folders", left());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let question = ["audit", "query", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--on-data"];
    let mut audit = Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .args(question)
        .args(["--releases", "1000000"])
        .current_dir(folder.path())
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let has_rows = || {
        let folders = fs::read_dir(&temporary).expect("a folder").flatten();
        folders.flat_map(|folder| fs::read_dir(folder.path())).flatten().flatten().count() > 0
    };
    until(&has_rows);
    audit.kill().expect("it runs");
    audit.wait().expect("it ends");
    until(&|| left() == 0);
}
