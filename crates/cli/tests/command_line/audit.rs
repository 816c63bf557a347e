//! Audits, as people run them: what is right is cleared, what is broken is caught, and the page says so.

use std::fs;

use serde_json::Value;

use super::attack_files::check_page;
use super::folder::Folder;
use super::{stderr, stdout};

/// False alarm: 1e-9. The bound is at least half of the claim unless 1,000 fair comparisons of 0.73 with 0.27 go wrong by
/// ten deviations.
#[test]
fn a_mechanism_is_cleared_and_nearly_reached() {
    let folder = Folder::new();
    let found = folder.json(&["audit", "mechanisms", "randomized response", "--releases", "4000"]);
    assert_eq!(found["as_it_should_be"], true, "{found}");
    let subjects = found["subjects"].as_array().expect("a list");
    assert_eq!(subjects.len(), 3, "{found}");
    for subject in subjects {
        assert_eq!(subject["verdict"], "cleared", "{subject}");
        let first = &subject["guarantees"][0];
        assert!(first["measured"].as_f64() > Some(0.5) && first["symbol"] == "ε", "{subject}");
        assert!(first["event"]["there"][1].as_u64() == Some(2000), "{subject}");
    }
    assert_eq!(found["one_run"][0]["verdict"], "cleared");
}

/// Specification: names may be written in small letters, as the examples of `--help` are, and scripts see
/// what was asked for. False alarm: 1e-9, the audit's own, for each of four.
#[test]
fn names_are_found_in_small_letters_and_settings_are_told() {
    let folder = Folder::new();
    let found = folder.json(&["audit", "mechanisms", "laplace", "--releases", "200", "--epsilon", "0.5"]);
    assert!(found["subjects"].as_array().is_some_and(|subjects| subjects.len() >= 2), "{found}");
    let settings = &found["settings"];
    assert_eq!((&settings["epsilon"], &settings["releases"]), (&"0.5".into(), &200.into()), "{found}");
    assert_eq!(settings["names"][0], "laplace");
}

/// Specification: a leak that is missed asks for more releases, and is not called a refuted claim.
/// Of two hundred releases about a hundred are counted: a bound that is wrong once in 10⁹ times cannot tell
/// ε = 1.25 from 1 by them.
#[test]
fn a_leak_that_is_missed_asks_for_more_releases() {
    let folder = Folder::new();
    let told = folder.run(&["audit", "planted", "count with a fifth", "--releases", "200"]);
    assert_eq!(told.status.code(), Some(1));
    let (findings, error) = (stdout(&told), stderr(&told));
    assert!(error.contains("missed: count with a fifth") && error.contains("--releases"), "{error}");
    assert!(findings.contains("MISSED") && findings.contains("so few releases"), "{findings}");
}

/// The sum of a leak that shows everything is seen by any event: the chance of missing it is below 1e-9.
#[test]
fn a_planted_leak_is_caught_and_its_page_says_how() {
    let folder = Folder::new();
    let arguments =
        ["audit", "planted", "sum without a clamp", "maximum with the noise", "--report", "planted.html"];
    let output = folder.run(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let words = stdout(&output);
    assert!(words.contains("2 of 2 planted leaks caught") && words.contains("caught"), "{words}");
    let page = fs::read_to_string(folder.join("planted.html")).expect("a page");
    check_page(&page).expect("a page that is well formed");
    assert!(page.contains("Audit: planted leaks") && page.contains("allowed by the claim"), "{page}");
}

#[test]
fn a_line_and_a_graph_of_your_own_can_be_audited() {
    let folder = Folder::new();
    let found = folder.json(&["audit", "local", "k-ary-response values=3 epsilon=1", "--releases", "2000"]);
    assert_eq!(
        (&found["subjects"][0]["verdict"], &found["one_run"][0]["canaries"]),
        (&"cleared".into(), &10_000.into())
    );
    fs::write(folder.join("ties.txt"), "1 2\n2 3\n3 1\n3 4\n").expect("a file");
    let arguments = [
        "audit",
        "graph",
        "edges",
        "--file",
        "ties.txt",
        "--privacy",
        "edge",
        "--releases",
        "2000",
        "--json",
    ];
    let output = folder.run(&arguments);
    let found: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(found["subjects"][0]["verdict"], "cleared", "{found}");
    assert_eq!(found["audit"], "edges of ties.txt, for the owner only");
    assert_eq!(
        (&found["settings"]["file"], &found["settings"]["privacy"]),
        (&"ties.txt".into(), &"edge".into())
    );
}

/// Specification: a price that one of many mechanisms does not take is refused in terms of the price.
#[test]
fn a_price_beyond_some_mechanism_is_refused_by_its_name() {
    let folder = Folder::new();
    for epsilon in ["1e-9", "1000000"] {
        let told = folder.refused(&["audit", "mechanisms", "geometric", "--epsilon", epsilon], 2);
        assert!(told.contains("not everything here takes ε = ") && told.contains("such as 1"), "{told}");
    }
}

#[test]
fn requests_that_make_no_sense_get_a_hint() {
    let folder = Folder::new();
    for arguments in [
        &["audit", "mechanisms", "no such mechanism"][..],
        &["audit", "mechanisms", "geometric", "--releases", "10"],
        &["audit", "mechanisms", "geometric", "--confidence", "2"],
        &["audit", "mechanisms", "geometric", "--epsilon", "-1"],
        &["audit", "mechanisms", "geometric", "--report", "visits.csv"],
        &["audit", "local", "telepathy values=3"],
        &["audit", "graph", "edges", "--file", "none.txt", "--privacy", "edge"],
        &["audit", "planted", "nothing of the kind"],
    ] {
        folder.refused(arguments, 2);
    }
}
