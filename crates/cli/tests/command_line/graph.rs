//! Graphs at the command line: files of the owner, graphs of a catalog, exact figures, plots.

use std::fs;

use super::folder::Folder;
use super::{stderr, stdout};

const GRAPHS: &str = r#"
[graph.friends]
scope = "people"
source = "friends.csv"
first_line = "names"
privacy = "node"

[scope.roads]
model = "pure"
budget = { epsilon = 3 }

[graph.roads]
scope = "roads"
source = "roads.txt"
nodes = "towns.txt"
privacy = "edge"
"#;

/// Sixty groups of five friends who all know each other: 300 nodes, 600 ties, 600 triangles.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut friends = String::from("a,b\n");
    for group in 0..60 {
        for a in 0..5 {
            for b in 0..a {
                friends += &format!("{},{}\n", 5 * group + a, 5 * group + b);
            }
        }
    }
    fs::write(folder.join("friends.csv"), friends).expect("a file");
    fs::write(folder.join("people.txt"), (0..300).map(|person| format!("{person}\n")).collect::<String>())
        .expect("a file");
    fs::write(folder.join("towns.txt"), (0..50).map(|town| format!("{town}\n")).collect::<String>())
        .expect("a file");
    fs::write(
        folder.join("roads.txt"),
        (0..40).map(|town| format!("{town}\t{}\n", town + 1)).collect::<String>(),
    )
    .expect("a file");
    let catalog = fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    fs::write(folder.join("pointillist.toml"), catalog + GRAPHS).expect("a file");
    folder
}

#[test]
fn exact_figures_are_marked_as_not_for_release() {
    let folder = folder();
    let figures = folder.json(&["graph", "inspect", "friends.csv"]);
    let expected = [
        ("nodes", 300),
        ("edges", 600),
        ("max_degree", 4),
        ("triangles", 600),
        ("max_common_neighbours", 3),
        ("two_stars", 1800),
        ("components", 60),
        ("degeneracy", 4),
    ];
    for (name, value) in expected {
        assert_eq!(figures[name], value, "{name}");
    }
    let words = folder.words(&["graph", "inspect", "friends.csv", "--nodes", "towns.txt"]);
    assert!(words.contains("EXACT FIGURES") && words.contains("not for release"), "{words}");
}

#[test]
fn a_one_off_is_priced_and_reminds_that_nobody_counts() {
    let folder = folder();
    let count = |statistic: &str, privacy: &str, more: &[&str]| {
        let file = ["--file", "friends.csv", "--first-line", "names"];
        let price = ["--privacy", privacy, "--epsilon", "1"];
        folder.run(&[&["graph", "count", statistic][..], &file, &price, more].concat())
    };
    for (statistic, privacy) in [
        ("edges", "node"),
        ("edges", "edge"),
        ("max-degree", "edge"),
        ("components", "edge"),
        ("triangles", "edge"),
        ("triangles", "node"),
        ("2-stars", "edge"),
        ("2-stars", "node"),
        ("2-triangles", "edge"),
        ("four-cliques", "node"),
        ("rectangles", "node"),
    ] {
        let output = count(statistic, privacy, &[]);
        let words = stdout(&output);
        assert!(output.status.success(), "{statistic} {privacy}: {}", stderr(&output));
        assert!(words.contains(statistic) && words.contains("95 %: ") && words.contains("ε = 1"), "{words}");
        assert!(stderr(&output).contains("no ledger guards repeated use"), "{}", stderr(&output));
        let json: serde_json::Value =
            serde_json::from_str(&stdout(&count(statistic, privacy, &["--json"]))).expect("JSON");
        assert!(json["value"].is_i64() && json["mechanism"].is_string(), "{json}");
        assert_eq!(json["cost"]["epsilon"], "1");
    }
    for method in ["student-t", "ladder", "noisy-max-degree", "noisy-common-neighbours"] {
        let output = count("triangles", "edge", &["--method", method, "--delta", "1e-6"]);
        assert!(output.status.success(), "{method}: {}", stderr(&output));
    }
}

#[test]
fn what_cannot_be_released_is_refused_with_a_way_out() {
    let folder = folder();
    fn file<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [&["graph"], arguments, &["--file", "friends.csv"]].concat()
    }
    let maximum = folder.refused(&file(&["count", "max-degree", "--privacy", "node", "--epsilon", "1"]), 3);
    assert!(maximum.contains("every graph"), "{maximum}");
    folder.refused(&file(&["count", "triangles", "--privacy", "both", "--epsilon", "1"]), 2);
    folder.refused(&file(&["count", "squares", "--privacy", "edge", "--epsilon", "1"]), 2);
    folder.refused(&file(&["count", "triangles", "--privacy", "edge"]), 2);
    folder.refused(&file(&["count", "triangles", "--privacy", "edge", "--epsilon", "0"]), 2);
    folder.refused(
        &file(&["count", "triangles", "--privacy", "edge", "--epsilon", "1", "--method", "magic"]),
        2,
    );
    let needs_delta = folder.refused(
        &file(&["count", "triangles", "--privacy", "edge", "--epsilon", "1", "--method", "noisy-max-degree"]),
        3,
    );
    assert!(needs_delta.contains('δ'), "{needs_delta}");
    folder.refused(
        &["graph", "count", "edges", "--file", "none.txt", "--privacy", "edge", "--epsilon", "1"],
        2,
    );
    folder.refused(&["graph", "count", "edges", "--graph", "freinds", "--epsilon", "1"], 2);
}

/// Specification: one-offs follow the rule of the catalog. Without a list, a hub takes its leaves along when it leaves.
#[test]
fn a_one_off_that_counts_nodes_needs_their_list() {
    let folder = folder();
    let file = ["--file", "friends.csv", "--first-line", "names", "--privacy", "node", "--epsilon", "1"];
    let list = ["--nodes", "people.txt"];
    for question in [
        &["graph", "count", "nodes"][..],
        &["graph", "count", "components"],
        &["graph", "count", "degree-bound"],
        &["graph", "degrees"],
        &["graph", "clustering", "--delta", "1e-6"],
        &["graph", "count", "triangles", "--method", "restricted", "--delta", "1e-6"],
        &["graph", "explain", "nodes"],
        &["audit", "graph", "nodes"],
    ] {
        let refusal = folder.refused(&[question, &file[..]].concat(), 3);
        assert!(refusal.contains("vanish with that person") && refusal.contains("hint:"), "{refusal}");
        if question[0] == "graph" {
            let answered = folder.run(&[question, &file[..], &list].concat());
            assert!(answered.status.success(), "{question:?}: {}", stderr(&answered));
        }
    }
}

/// Specification: which line is a tie is never guessed from the name of a file.
/// False alarm: noise of scale 1/50 on a count is not 0 with probability below 1e-20.
#[test]
fn the_first_line_of_a_file_is_a_tie_unless_the_owner_says_otherwise() {
    let folder = folder();
    fs::write(folder.join("plain.csv"), "1,2\n2,3\n3,4\n").expect("a file");
    let count = |more: &[&str]| {
        let file = ["graph", "count", "edges", "--file", "plain.csv", "--privacy", "edge", "--epsilon", "50"];
        let output = folder.run(&[&file[..], more, &["--json"]].concat());
        serde_json::from_str::<serde_json::Value>(&stdout(&output)).expect("JSON")
    };
    assert_eq!(count(&[])["value"], 3);
    assert!(count(&[])["notes"].to_string().contains("--first-line names"), "{}", count(&[]));
    assert_eq!(count(&["--first-line", "edge"])["value"], 3);
    assert_eq!(count(&["--first-line", "names"])["value"], 2);
}

#[test]
fn a_graph_of_the_catalog_is_charged_once_and_answered_in_sql_too() {
    let folder = folder();
    let quote = folder.json(&["graph", "explain", "triangles", "--graph", "roads", "--epsilon", "1"]);
    assert_eq!((&quote["privacy"], &quote["cost"]["epsilon"]), (&"edge".into(), &"1".into()));
    assert!(!folder.join(".pointillist").exists(), "a quote leaves nothing behind");
    let first = folder.json(&["graph", "count", "triangles", "--graph", "roads", "--epsilon", "1"]);
    let again = folder.json(&["query", "SELECT * FROM graph_triangles('roads')", "--epsilon", "1"]);
    assert_eq!((&first["paid"], &again["paid"]), (&"in_full".into(), &"nothing".into()));
    assert_eq!(first["value"], again["rows"][0][0]);
    assert_eq!(first["budget"]["remaining_epsilon"], "2");
    folder.json(&["graph", "count", "edges", "--graph", "roads", "--epsilon", "2"]);
    let empty = folder.refused(&["graph", "count", "edges", "--graph", "roads", "--epsilon", "0.5"], 3);
    assert!(empty.contains("budget"), "{empty}");
    let shared =
        folder.words(&["graph", "count", "edges", "--graph", "friends", "--as", "ana", "--rho", "0.01"]);
    assert!(shared.contains("of `ana` in `people`"), "{shared}");
}

#[test]
fn a_degree_distribution_is_a_table_json_and_a_picture() {
    let folder = folder();
    for privacy in ["edge", "node"] {
        let file = ["--file", "friends.csv", "--first-line", "names", "--nodes", "people.txt"];
        let degrees = [&["graph", "degrees"][..], &file, &["--privacy", privacy, "--epsilon", "2"]].concat();
        let words = folder.words(&degrees);
        assert!(words.contains("degree at least") && words.contains("95 %"), "{words}");
        let plot = [&degrees[..], &["--plot", "degrees.svg"]].concat();
        let json = folder.run(&[&plot[..], &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
        let rows = json["at_least"].as_array().expect("rows");
        assert_eq!(rows[0]["degree"], 0);
        let counts: Vec<f64> = rows.iter().map(|row| row["value"].as_f64().expect("a count")).collect();
        assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
        let svg = fs::read_to_string(folder.join("degrees.svg")).expect("a plot");
        assert!(
            svg.starts_with("<!-- made by Pointillist -->\n<svg") && svg.contains("fill-opacity"),
            "{svg}"
        );
    }
}

#[test]
fn clustering_is_a_share() {
    let folder = folder();
    for more in [&[][..], &["--average"]] {
        let arguments =
            ["graph", "clustering", "--file", "friends.csv", "--privacy", "edge", "--epsilon", "2"];
        let output = folder.run(&[&arguments[..], more, &["--json"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let value = json["value"].as_f64().expect("a share");
        assert!((0.0..=1.0).contains(&value), "{json}");
    }
}

/// Specification: a made-up graph is paid for as two recorded questions, or not at all; the same numbers make the same file; and the file is a
/// simple graph of as many ties as are said.
#[test]
fn a_made_up_graph_is_paid_for_once_and_is_simple() {
    let folder = folder();
    let synth = ["graph", "synth", "--graph", "roads", "--epsilon", "2"];
    let made = folder.json(&[&synth[..], &["--output", "one.csv"]].concat());
    let [degrees, triangles] = [0, 1].map(|part| &made["released"][part]);
    assert_eq!((&degrees["paid"], &triangles["paid"]), (&"in_full".into(), &"in_full".into()));
    assert_eq!(
        (&degrees["cost"]["epsilon"], &triangles["budget"]["remaining_epsilon"]),
        (&"1".into(), &"1".into())
    );
    let ties = fs::read_to_string(folder.join("one.csv")).expect("ties");
    let pairs: std::collections::BTreeSet<(u32, u32)> = ties
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').expect("two nodes"))
        .map(|(one, other)| (one.parse().expect("a node"), other.parse().expect("a node")))
        .collect();
    assert!(pairs.iter().all(|(one, other)| one < other && *other < 50));
    assert_eq!(
        (pairs.len() as u64, made["nodes"].as_u64()),
        (made["ties"].as_u64().expect("ties"), Some(50))
    );
    assert_eq!(ties.lines().count(), pairs.len() + 1, "no tie is there twice");
    let again = folder.json(&[&synth[..], &["--output", "two.csv"]].concat());
    assert_eq!(again["released"][0]["paid"], "nothing");
    assert_eq!(fs::read_to_string(folder.join("two.csv")).expect("ties"), ties);
    let inspected = folder.json(&["graph", "inspect", "two.csv"]);
    assert_eq!(inspected["triangles"], made["triangles"]);
    // A file that is there, a budget that holds one half, and no price: nothing is paid.
    let over = folder.refused(&[&synth[..], &["--output", "one.csv"]].concat(), 2);
    assert!(over.contains("exists already"), "{over}");
    let dear =
        folder.refused(&["graph", "synth", "--graph", "roads", "--epsilon", "1.5", "--output", "x.csv"], 3);
    assert!(dear.contains("nothing was charged"), "{dear}");
    folder.refused(&["graph", "synth", "--graph", "roads", "--output", "x.csv"], 2);
    assert!(!folder.join("x.csv").exists());
    let left = folder.json(&["graph", "count", "edges", "--graph", "roads", "--epsilon", "1"]);
    assert_eq!(left["budget"]["remaining_epsilon"], "0");
}

/// Specification: the theorem is shown in fractions, whatever is extended; what is too large to be listed is refused.
#[test]
fn the_extension_theorem_is_shown_on_tiny_data() {
    let folder = Folder::new();
    let hub = folder.json(&["graph", "extension"]);
    assert_eq!(
        (&hub["data_sets"], &hub["neighbours"], &hub["members"]),
        (&113.into(), &380.into(), &90.into())
    );
    assert_eq!((&hub["e_to_epsilon"], &hub["promised"]), (&"9/4".into(), &"81/16".into()));
    assert_eq!((&hub["worst"], &hub["needed"]), (&"13/4".into(), &"13/4".into()));
    for what in ["hub", "edges", "triangles", "sum", "response"] {
        let seen = folder.json(&["graph", "extension", what, "--factor", "3/2"]);
        assert_eq!(
            (&seen["is_equal_on_class"], &seen["is_as_promised"]),
            (&true.into(), &true.into()),
            "{what}"
        );
    }
    let words = folder.words(&["graph", "extension", "response", "--size", "2"]);
    assert!(words.contains("the same law, exactly") && words.contains("5/2 (2.5): 1.32193 ε"), "{words}");
    let large = folder.refused(&["graph", "extension", "--size", "6"], 2);
    assert!(large.contains("from 1 to 5") && large.contains("grows too fast"), "{large}");
    folder.refused(&["graph", "extension", "response", "--bound", "1"], 2);
    folder.refused(&["graph", "extension", "--factor", "1"], 2);
}
