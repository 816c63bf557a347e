//! Nothing private is in any byte that is published: texts of single people, exact counts, extremes, names of the machine.

use pointillist_publication::{PlanFile, PublishOptions, release, search_folder_for};

use super::people::Place;

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 10, delta = 1e-6 }
[table.people]
scope = "people"
source = "people-secret-file.csv"
privacy_unit = "row"
[table.people.columns]
sex = { type = "text", public_keys = ["f", "m"] }
word = { type = "text" }
cost = { type = "integer", lower = 0, upper = 1000 }
"#;

const PLAN: &str = r#"
name = "canary"
title = "Canaries"
budget = { rho = 0.1, delta = 1e-6 }
[[table]]
name = "sexes"
from = "people"
marginals = ["sex"]
ways = 1
[[table]]
name = "costs"
from = "people"
histogram = "cost"
width = 100
ranges = true
[[table]]
name = "words"
sql = "SELECT word, count(*) AS n FROM people GROUP BY word"
[[table]]
name = "sums"
sql = "SELECT sex, sum(cost) AS total FROM people GROUP BY sex"
"#;

/// Specification: a word that one person has, a value outside of its bounds, the exact numbers, the path of the file, the
/// user and the folder are in no file of the release; a word that hundreds have is.
#[test]
fn nothing_private_is_in_any_byte() {
    let mut text = "sex,word,cost\n".to_owned();
    // Numbers that nobody would meet by chance: 7919 people have a common word.
    for person in 0..7919 {
        text.push_str(&format!("{},commonword,{}\n", if person % 2 == 0 { "f" } else { "m" }, person % 900));
    }
    text.push_str("f,canarywordofone,987654321\n");
    let place = Place::new(CATALOG, &[("people-secret-file.csv", text)]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let file = PlanFile::parse(PLAN).unwrap();
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    release(&place.home, &file, &out, &options).unwrap_or_else(|error| panic!("{error}"));
    let found = |needle: &str| search_folder_for(&out, needle.as_bytes()).unwrap();
    assert!(!found("commonword").is_empty(), "the search finds what is there");
    let user = std::env::var("USER").unwrap_or_default();
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let own = place.home.folder.to_string_lossy().into_owned();
    let out_text = folder.path().to_string_lossy().into_owned();
    for needle in ["canarywordofone", "987654321", "people-secret-file", own.as_str(), out_text.as_str()] {
        assert!(found(needle).is_empty(), "{needle}: {:?}", found(needle));
    }
    for needle in [user.trim(), host.trim()].into_iter().filter(|needle| needle.len() > 5) {
        assert!(found(needle).is_empty(), "{needle}: {:?}", found(needle));
    }
}
