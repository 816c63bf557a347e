//! What people and scripts read, as files: help texts, shapes of JSON, refusals, outlines of pages.
//!
//! A change shows as a difference in `tests/snapshots`. If it is meant, run the tests with `POINTILLIST_UPDATE=1`, read the
//! difference, and tell users in the changelog.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::folder::{COUNT, Folder};
use super::{pointillist, stderr, stdout};

fn compare(name: &str, now: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("POINTILLIST_UPDATE").is_some() {
        fs::write(&path, now).expect("the snapshot can be written");
        return;
    }
    let before = fs::read_to_string(&path).unwrap_or_default();
    for (number, (old, new)) in before.lines().zip(now.lines()).enumerate() {
        assert_eq!(
            old,
            new,
            "{name}:{}: if that is meant, run the tests with POINTILLIST_UPDATE=1",
            number + 1
        );
    }
    assert_eq!(before.lines().count(), now.lines().count(), "{name} has another length");
}

/// Every verb, with those inside it.
fn verbs(path: &[&str], all: &mut Vec<(String, String)>) {
    let output = pointillist(&[path, &["--help"]].concat());
    let help = stdout(&output);
    let inside =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let names: Vec<String> = inside
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    all.push((path.join(" "), help.clone()));
    for name in names {
        verbs(&[path, &[name.as_str()]].concat(), all);
    }
}

#[test]
fn help_texts() {
    let mut all = Vec::new();
    verbs(&[], &mut all);
    assert!(all.len() > 40);
    let texts: Vec<String> =
        all.iter().map(|(path, help)| format!("=== pointillist {path}\n{help}")).collect();
    compare("help.txt", &texts.join("\n"));
}

/// The names of an object's keys and the kinds of their values; of a list, what its items have in common or not.
fn shape(value: &Value, margin: &str) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Array(items) => {
            let mut kinds: Vec<String> =
                items.iter().map(|item| shape(item, &format!("{margin}  "))).collect();
            kinds.sort();
            kinds.dedup();
            format!("list of {}", if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(" or ") })
        }
        Value::Object(object) => {
            let inner = format!("{margin}  ");
            let sorted: BTreeMap<&String, &Value> = object.iter().collect();
            let lines: Vec<String> = sorted
                .iter()
                .map(|(key, value)| format!("\n{inner}{key}: {}", shape(value, &inner)))
                .collect();
            format!("object{}", lines.concat())
        }
    }
}

/// Commands that scripts call, each once.
const JSON: [&[&str]; 25] = [
    &["query", COUNT, "--epsilon", "0.1"],
    &["query", "SELECT avg(cost) AS mean FROM visits", "--epsilon", "0.1"],
    &["explain", COUNT, "--epsilon", "0.1"],
    &["explain", "SELECT ward, count(*) FROM visits GROUP BY ward", "--epsilon", "0.1"],
    &["rehearse", COUNT, "--epsilon", "0.1"],
    &["tables"],
    &["check"],
    &["budget"],
    &["budget", "history"],
    &["budget", "verify"],
    &["graph", "count", "triangles", "--file", "ties.txt", "--privacy", "node", "--epsilon", "1"],
    &["graph", "degrees", "--file", "ties.txt", "--privacy", "edge", "--epsilon", "1"],
    &["graph", "explain", "triangles", "--file", "ties.txt", "--privacy", "node", "--epsilon", "1"],
    &["graph", "inspect", "ties.txt"],
    &["local", "plan", "--answers", "yes,no", "--epsilon", "1", "--people", "1000"],
    &["attack", "link"],
    &["attack", "unique"],
    &["attack", "difference"],
    &["attack", "float"],
    &["account", "compose", "--gaussian", "50", "--count", "10", "--delta", "1e-6"],
    &["account", "convert", "--rho", "0.1", "--delta", "1e-6"],
    &["account", "calibrate", "--mechanism", "gaussian", "--epsilon", "1", "--delta", "1e-6"],
    &["mechanisms", "geometric"],
    &["noise", "--distribution", "discrete-laplace", "--scale", "2", "--count", "3"],
    &["bounds", "visits.cost", "--rho", "0.01", "--yes"],
];

fn folder() -> Folder {
    let folder = Folder::new();
    let ties: String =
        (0..40).map(|node| format!("{node} {}\n{node} {}\n", (node + 1) % 40, (node + 2) % 40)).collect();
    fs::write(folder.join("ties.txt"), ties).expect("the folder is writable");
    folder
}

#[test]
fn shapes_of_json() {
    let folder = folder();
    let mut text = String::new();
    for arguments in JSON {
        let output = folder.run(&[arguments, &["--json"]].concat());
        let value: Value = serde_json::from_str(&stdout(&output))
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}{}", stdout(&output), stderr(&output)));
        text += &format!("=== pointillist {}\n{}\n\n", arguments.join(" "), shape(&value, ""));
    }
    compare("json.txt", &text);
}

/// Requests that fail, one of each kind that a command line can bring about.
const REFUSED: [&[&str]; 16] = [
    &["query", "SELECT * FROM visits"],
    &["query", "SELECT mode(cost) FROM visits"],
    &["query", "SELECT count(*) FROM visit"],
    &["query", "SELECT coast FROM visits"],
    &["query", "SELEC count(*) FROM visits"],
    &["query", COUNT, "--epsilon", "0"],
    &["query", COUNT, "--epsilon", "100"],
    &["query", COUNT, "--epsilon", "1", "--analyst", "eve"],
    &["query", COUNT, "--epsilon", "1", "--analyst", "nobody"],
    &["query", COUNT, "--catalog", "elsewhere.toml"],
    &["explain", "SELECT sum(ward) FROM visits"],
    &["graph", "count", "triangles", "--file", "missing.txt", "--privacy", "node", "--epsilon", "1"],
    &["graph", "count", "nodes", "--file", "ties.txt", "--privacy", "node", "--epsilon", "1"],
    &["local", "plan", "--answers", "yes", "--epsilon", "1", "--people", "1000"],
    &["account", "convert", "--rho", "-1", "--delta", "1e-6"],
    &["noise", "--distribution", "discrete-laplace", "--scale", "0"],
];

#[test]
fn refusals() {
    let folder = folder();
    let mut text = String::new();
    for arguments in REFUSED {
        let output = folder.run(arguments);
        let code = output.status.code().unwrap_or(-1);
        text += &format!("=== pointillist {}\nends with {code}\n{}\n", arguments.join(" "), stderr(&output));
    }
    compare("refusals.txt", &text);
}

/// The headings, captions and tables of a page, without what noise decides.
fn outline(html: &str) -> String {
    let mut lines = Vec::new();
    for tag in ["title", "h1", "h2", "h3", "th", "dt"] {
        for part in html.split(&format!("<{tag}")).skip(1) {
            let Some((_, rest)) = part.split_once('>') else { continue };
            let words = rest.split("</").next().unwrap_or_default();
            let words: String =
                words.chars().map(|sign| if sign.is_ascii_digit() { '0' } else { sign }).collect();
            lines.push(format!("{tag}: {words}"));
        }
    }
    lines.push(format!("figures: {}", html.matches("<figure").count()));
    lines.join("\n")
}

#[test]
fn outlines_of_pages() {
    let folder = folder();
    let mut text = String::new();
    for attack in ["link", "unique", "difference", "average", "float"] {
        let output = folder.run(&["attack", attack, "--report", "page.html"]);
        assert!(output.status.success(), "{attack}: {}", stderr(&output));
        let html = fs::read_to_string(folder.join("page.html")).expect("the page was written");
        text += &format!("=== pointillist attack {attack} --report page.html\n{}\n\n", outline(&html));
    }
    compare("pages.txt", &text);
}
