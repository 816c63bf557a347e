//! Tables without names: joined, counted, made anonymous, published twice; and the same attacks on our
//! counts.

use std::fmt::Write as _;
use std::fs;

use super::folder::Folder;
use super::stderr;

/// Two hospitals that share Ana and Ben. In each, three look alike to whoever knows zip and age.
const WEST: &str = "name,zip,age,illness\nAna,130,30,flu\nCleo,130,30,gout\nDan,130,30,asthma\n\
                    Ben,140,50,flu\nEve,140,50,flu\nFay,140,50,cold\n";
const EAST: &str = "name,zip,age,illness\nAna,13,3,flu\nGil,13,3,cancer\nHal,13,3,cold\n\
                    Ben,14,5,flu\nIda,14,5,cold\nJon,14,5,cold\n";

fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.join("west.csv"), WEST).expect("a file");
    fs::write(folder.join("east.csv"), EAST).expect("a file");
    folder
}

#[test]
fn every_method_makes_rows_alike() {
    let folder = Folder::new();
    let town = |people: &str, more: &[&str]| {
        folder.json(&[&["attack", "anonymize", "--town", people][..], more].concat())
    };
    let (exact, matched) = (town("14", &[]), town("14", &["--method", "matching"]));
    assert_eq!((&exact["method"], &matched["method"]), (&"exact".into(), &"matching".into()));
    assert!(exact["stars"].as_u64() > Some(0) && exact["stars"] == matched["stars"], "{exact} {matched}");
    let auto = town("120", &[]);
    assert_eq!((&auto["method"], &auto["rows"]), (&"matching".into(), &120.into()));
    let cut = town("120", &["--method", "mondrian"]);
    assert!(cut["stars"].is_null() && cut["k"].as_u64() >= Some(2), "{cut}");
    let larger = town("120", &["--k", "7"]);
    assert_eq!(larger["method"], "mondrian");
    assert!(larger["k"].as_u64() >= Some(7) && larger["l_distinct"].as_u64() > Some(1), "{larger}");
    assert!(larger["information_lost"].as_f64() > cut["information_lost"].as_f64(), "{larger} {cut}");
}

#[test]
fn an_anonymous_table_is_written_without_names() {
    let folder = folder();
    let write = ["attack", "anonymize", "west.csv", "--known", "zip,age", "--output", "out.csv"];
    let output = folder.run(&write);
    assert!(output.status.success() && stderr(&output).contains("out.csv"), "{}", stderr(&output));
    let written = fs::read_to_string(folder.join("out.csv")).expect("a table");
    assert_eq!(written.lines().next(), Some("zip,age,illness"));
    assert_eq!((written.lines().count(), written.contains("Ana")), (7, false));
    assert!(folder.refused(&write, 2).contains("exists already"));
    let original = ["attack", "anonymize", "west.csv", "--known", "zip,age", "--output", "west.csv"];
    assert!(folder.refused(&original, 2).contains("exists already"));
    assert_eq!(fs::read_to_string(folder.join("west.csv")).expect("a table"), WEST);
}

#[test]
fn diversity_and_closeness_are_told_in_words() {
    let words = folder().words(&["attack", "anonymize", "west.csv", "--known", "zip,age", "--k", "3"]);
    for sentence in [
        "every row looks like at least 2 others: k = 3, in 2 classes",
        "l-diversity: the least diverse class has 2 values of illness",
        "t-closeness: in the class farthest from the whole table",
        "Nobody of 6 people is in a class where everybody has the same illness",
    ] {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(sentence), "{words}");
    }
}

#[test]
fn two_hospitals_tell_what_neither_tells() {
    let folder = folder();
    let found = folder.json(&["attack", "intersect"]);
    assert_eq!((&found["people"], &found["k"]), (&150.into(), &5.into()));
    assert!(found["certain"].as_u64() > found["certain_alone"].as_u64(), "{found}");
    let files = ["attack", "intersect", "west.csv", "east.csv", "--known", "zip,age", "--person", "name"];
    let as_they_are = folder.json(&[&files[..], &["--published"]].concat());
    // Ana: flu, gout, asthma against flu, cancer, cold. Ben: flu, cold against flu, cold.
    assert_eq!(
        (&as_they_are["people"], &as_they_are["certain"], &as_they_are["certain_alone"]),
        (&2.into(), &1.into(), &0.into())
    );
    assert_eq!((&as_they_are["one_guess_away"], &as_they_are["k"]), (&1.into(), &serde_json::Value::Null));
    let made = folder.json(&[&files[..], &["--k", "3"]].concat());
    assert_eq!((&made["certain"], &made["k"]), (&1.into(), &3.into()));
    let words = folder.words(&[&files[..], &["--k", "3"]].concat());
    assert!(words.contains("3-anonymous") && words.contains("share 2 people"), "{words}");
    let other = ["attack", "intersect", "west.csv", "east.csv", "--known", "zip", "--known-second", "age"];
    assert_eq!(folder.json(&[&other[..], &["--person", "name", "--k", "2"]].concat())["people"], 2);
}

/// Specification: at a price at which noise is zero, counts tell what rows tell; at a low price, what the
/// shares of values tell.
/// False alarm: at ε = 60 one of 5,000 draws is not zero with probability below 1e-22. At ε = 0.01 a count
/// moves odds by 2 %, and the most common of the values is twice as common as any other: no chance.
#[test]
fn a_price_decides_what_counts_tell_about_linked_people() {
    let folder = Folder::new();
    let at = |epsilon: &str| folder.json(&["attack", "link", "--epsilon", epsilon])["guesses"].clone();
    let (open, shut) = (at("60"), at("0.01"));
    assert_eq!(
        (&open["people"], &open["from_rows"], &open["from_counts"]),
        (&3.into(), &1.0.into(), &1.0.into())
    );
    assert_eq!(shut["from_counts"], shut["from_nothing"]);
    assert!(shut["right_upper"].as_f64() < Some(0.35), "{shut}");
    let words = folder.words(&["attack", "link"]);
    assert!(words.contains("no rows to join") && words.contains("25 counts"), "{words}");
}

/// False alarm: each of 464 people who are alone appears with probability at most δ = 1e-12. Of the town, at
/// least 6,000 guesses would have to follow one of 60,000 cells of at most 5 people past a threshold of 15,
/// 1e-4 each, for the share to move by 0.1.
#[test]
fn few_people_do_not_appear_in_our_release() {
    let folder = Folder::new();
    let cells = folder.json(&["attack", "unique", "--delta", "1e-12"])["cells"].clone();
    assert_eq!(
        (&cells["exact"], &cells["exact_of_one"], &cells["released_of_one"]),
        (&531.into(), &464.into(), &0.into())
    );
    let words = folder.words(&["attack", "unique", "--delta", "1e-12"]);
    assert!(words.contains("none of the cells appears"), "{words}");
    let found = folder.json(&["attack", "anonymize", "--town", "300", "--k", "3"])["guesses"].clone();
    let share = |name: &str| found[name].as_f64().expect("a share");
    assert!((share("from_counts") - share("from_nothing")).abs() < 0.1, "{found}");
    assert!(share("from_rows") > share("from_nothing") + 0.1, "{found}");
}

#[test]
fn every_attack_on_a_table_writes_a_page() {
    let folder = folder();
    for (arguments, figures) in [
        (&["attack", "link", "--town", "60"][..], 2),
        (&["attack", "unique", "--town", "60"], 3),
        (&["attack", "anonymize", "--town", "40"], 3),
        (&["attack", "intersect"], 4),
        (
            &[
                "attack",
                "intersect",
                "west.csv",
                "east.csv",
                "--known",
                "zip,age",
                "--person",
                "name",
                "--published",
            ],
            3,
        ),
    ] {
        let output = folder.run(&[arguments, &["--report", "page.html"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        let page = fs::read_to_string(folder.join("page.html")).expect("a page");
        assert!(page.contains("\n<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        assert_eq!(page.matches("<figure").count(), figures, "{arguments:?}");
        assert!(!page.contains("NaN") && !page.contains("inf "), "{arguments:?}");
    }
}

/// Specification: what a table holds cannot draw on a terminal or on a page.
#[test]
fn cells_are_spelled_out() {
    let folder = folder();
    let mut text = String::from("zip,illness\n");
    for row in 0..6 {
        writeln!(text, "\"<b>{}</b>\",\u{1b}[31mflu", row / 2).expect("a string grows");
    }
    fs::write(folder.join("odd.csv"), text).expect("a file");
    let asked = ["attack", "anonymize", "odd.csv", "--known", "zip", "--report", "odd.html"];
    assert!(!folder.words(&asked).contains('\u{1b}'));
    let page = fs::read_to_string(folder.join("odd.html")).expect("a page");
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;0"), "{page}");
}

#[test]
fn wrong_requests_get_a_hint() {
    let folder = folder();
    let west = ["attack", "anonymize", "west.csv", "--known", "zip,age"];
    for (more, words) in [
        (&["--k", "1"][..], "k = 1 hides nobody"),
        (&["--k", "0"], "k = 0 hides nobody"),
        (&["--k", "7"], "k = 7 is larger than the table, which has 6 rows"),
        (&["--known", "zip,height"], "no column `height`"),
        (&["--sensitive", "wealth"], "no column `wealth`"),
        (&["--sensitive", "zip"], "`zip` is both known and wanted"),
        (&["--method", "matching", "--k", "3"], "matching makes pairs and triples"),
        (&["--epsilon", "0"], "epsilon = 0"),
        (&["--delta", "0"], "δ = 0"),
    ] {
        let error = folder.refused(&[&west[..], more].concat(), 2);
        assert!(error.contains(words), "{more:?}: {error}");
    }
    let exact = folder.refused(&["attack", "anonymize", "--town", "30", "--method", "exact"], 2);
    assert!(exact.contains("NP-hard") && exact.contains("Mondrian"), "{exact}");
    let large =
        ["attack", "anonymize", "--town", "9000", "--known", "born,sex,zip,name", "--method", "matching"];
    assert!(folder.refused(&large, 2).contains("too many"));
    let both = ["attack", "intersect", "west.csv", "east.csv", "--known", "zip,age"];
    for (more, words) in [
        (&[][..], "nobody is in both tables"),
        (&["--person", "id"], "no column `id`"),
        (&["--person", "name", "--k", "1"], "hides nobody"),
        (&["--person", "name", "--sensitive", "wealth"], "no column `wealth`"),
    ] {
        let error = folder.refused(&[&both[..], more].concat(), 2);
        assert!(error.contains(words), "{more:?}: {error}");
    }
    assert!(folder.refused(&["attack", "link", "--sensitive", "wealth"], 2).contains("no column `wealth`"));
    assert!(
        folder.refused(&["attack", "link", "--on", "born", "--sensitive", "x"], 2).contains("no column `x`")
    );
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for verb in ["link", "unique", "anonymize", "intersect"] {
        let help = folder.words(&["attack", verb, "--help"]);
        for word in ["Examples:", "--json", "--report", "--epsilon"] {
            assert!(help.contains(word), "{verb}: {help}");
        }
    }
}
