//! Words that people read: how wide, one or many, what was paid and what is missing.

use std::fs;

use super::folder::{COUNT, Folder};
use super::{stderr, stdout};

/// What sentences are wrapped to.
const WIDTH: usize = 92;

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Specification: a report is as narrow as a quote, and one of a kind is not several.
#[test]
fn a_check_is_wrapped_and_counts_in_words() {
    let folder = Folder::new();
    let report = folder.words(&["check"]);
    assert!(widest(&report) <= WIDTH, "{report}");
    assert!(report.ends_with("\n1 risk, 1 note. The data was read.\n"), "{report}");
    folder.edit("cost   = {", "shift  = { type = \"text\" }\ncost   = {");
    let more = folder.run(&["check"]);
    assert!(stdout(&more).contains("1 error: ") && widest(&stdout(&more)) <= WIDTH, "{}", stdout(&more));
}

/// Specification: what recovering means is wrapped for people, and one line for scripts; without `--yes` it is called a look.
#[test]
fn what_recovering_means_is_wrapped_and_called_a_look() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    fs::remove_file(folder.join(".pointillist/anchor")).expect("the anchor goes");
    let look = folder.refused(&["budget", "recover", "--missing-anchor"], 2);
    assert!(widest(&look) <= WIDTH && look.contains("only a look") && look.contains("--yes"), "{look}");
    let done = folder.words(&["budget", "recover", "--missing-anchor", "--yes"]);
    assert!(widest(&done) <= WIDTH && done.contains("Done: "), "{done}");
}

/// Specification: who has no δ is told that it is missing and how a share has one; and with one the question is answered.
#[test]
fn a_missing_delta_is_named() {
    let folder = Folder::new();
    let by_ward = ["query", "SELECT ward, count(*) FROM visits GROUP BY ward", "--epsilon", "0.2", "--as"];
    let refused = folder.refused(&[&by_ward[..], &["ben"]].concat(), 3);
    assert!(refused.contains("no δ to spend") && refused.contains("epsilon:1,delta:1e-10"), "{refused}");
    assert!(!refused.contains("nothing smaller fits"), "{refused}");
    folder.words(&["analyst", "add", "cy", "--no-password", "--share", "people=epsilon:1,delta:1e-10"]);
    folder.words(&[&by_ward[..], &["cy"]].concat());
}

/// Specification: `--quiet` leaves answers and errors, and a word that something was done is neither.
#[test]
fn quiet_says_nothing_where_nothing_was_asked_for() {
    let folder = Folder::new();
    for command in [
        &["analyst", "add", "cy", "--no-password", "--quiet"][..],
        &["analyst", "grant", "cy", "--share", "people=rho:0.001", "--quiet"],
        &["analyst", "revoke", "cy", "--quiet"],
    ] {
        let output = folder.run(command);
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{command:?}"
        );
    }
    assert_eq!(folder.words(&["analyst", "add", "dan", "--no-password"]), "done\n");
}

/// Specification: a history shows the beginning of a long statement, and scripts get all of it.
#[test]
fn a_long_statement_is_cut_in_the_history() {
    let folder = Folder::new();
    let list = (0..400).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT count(*) FROM visits WHERE cost IN ({list})");
    folder.json(&["query", &sql, "--rho", "0.01"]);
    let history = folder.words(&["budget", "history"]);
    assert!(
        widest(&history) < 450 && history.contains("…\n") && history.contains("WHERE cost IN (0, 1"),
        "{history}"
    );
    let records = folder.json(&["budget", "history"])["records"].to_string();
    assert!(records.contains("398, 399)"), "{records}");
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    assert!(folder.words(&["budget", "history"]).contains(COUNT), "what is short stays whole");
}

/// Specification: whoever asks for a price without paying is told that this was a look, and how to go on.
#[test]
fn a_look_is_called_one() {
    let folder = Folder::new();
    let bounds = folder.run(&["bounds", "visits.cost"]);
    assert_eq!(bounds.status.code(), Some(2));
    assert!(
        stderr(&bounds).contains("only a look") && stderr(&bounds).contains("--yes"),
        "{}",
        stderr(&bounds)
    );
    assert!(stdout(&bounds).contains("at most 1 row in at most 1 group"), "{}", stdout(&bounds));
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    folder.edit("epsilon = 4.0", "epsilon = 5.0");
    let grant = folder.run(&["budget", "grant"]);
    assert_eq!(grant.status.code(), Some(2));
    assert!(stderr(&grant).contains("only a look") && stderr(&grant).contains("--yes"), "{}", stderr(&grant));
}

/// Specification: a release that was paid for before says that nothing was paid now.
#[test]
fn a_release_that_is_repeated_is_called_free() {
    let folder = Folder::new();
    let plan = format!(
        "name = \"visits\"\ntitle = \"Visits\"\nbudget = {{ rho = 0.01 }}\n[[table]]\nname = \"by_region\"\nsql = \"{COUNT}\"\n"
    );
    fs::write(folder.join("plan.toml"), plan).expect("a file");
    let first = folder.run(&["release", "plan.toml", "-o", "first"]);
    assert!(
        first.status.success() && !stdout(&first).contains("free"),
        "{}{}",
        stdout(&first),
        stderr(&first)
    );
    assert!(stderr(&first).contains(": one table;"), "{}", stderr(&first));
    let spent = folder.json(&["budget"])["scopes"].clone();
    let again = folder.words(&["release", "plan.toml", "-o", "again"]);
    assert!(again.contains("free: released before") && again.contains("ρ = 0.01"), "{again}");
    assert_eq!(folder.json(&["budget"])["scopes"], spent);
}

/// Specification: counts in what is said about a graph have their digits in groups.
/// False alarm: below 1e-9. There are 4,000 ties, and at ε = 100 the noise is a few of them.
#[test]
fn counts_about_graphs_are_grouped() {
    let folder = Folder::new();
    let (mut ties, mut nodes) = (String::new(), String::new());
    for node in 0..2000 {
        nodes += &format!("{node}\n");
        ties += &format!("{node} {}\n{node} {}\n", (node + 1) % 2000, (node + 2) % 2000);
    }
    fs::write(folder.join("ties.txt"), ties).expect("a file");
    fs::write(folder.join("nodes.txt"), nodes).expect("a file");
    let file = ["--file", "ties.txt", "--nodes", "nodes.txt", "--epsilon", "100"];
    let synth = ["graph", "synth", "--privacy", "edge", "--output", "made-up.csv"];
    let made_up = folder.words(&[&synth[..], &file].concat());
    assert!(made_up.contains("over 3,") || made_up.contains("over 4,"), "{made_up}");
    let restricted =
        ["graph", "count", "edges", "--privacy", "node", "--method", "restricted", "--delta", "1e-6"];
    let counted = folder.run(&[&restricted[..], &file].concat());
    let notes = stderr(&counted);
    assert!(notes.contains("may be above 3,") || notes.contains("may be above 4,"), "{notes}");
}
