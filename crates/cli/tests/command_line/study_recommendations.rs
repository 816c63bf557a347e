//! `pointillist study recommendations`: one folder that pays, learns and reports.

use std::fs;

use super::folder::Folder;
use super::{stderr, stdout};

const STUDY: [&str; 8] =
    ["study", "recommendations", "--ratings", "ratings.csv", "--items", "movies.csv", "--stars", "0..10"];

/// Twelve films, and thirty people who rate some of them.
fn prepared() -> Folder {
    let folder = Folder::new();
    let films: String =
        (0..12).map(|film| format!("{film},Film {film} (19{:02}),Drama|Comedy\n", 70 + film)).collect();
    fs::write(folder.join("movies.csv"), format!("movieId,title,genres\n{films}")).expect("a file");
    let rating = |at: usize| format!("person{},{},{},0\n", at % 30, (at / 30 * 5 + at) % 12, at % 11);
    let ratings: String = (0..150).map(rating).collect();
    fs::write(
        folder.join("ratings.csv"),
        format!("userId,movieId,rating,timestamp\n{ratings}\"not a rating\n"),
    )
    .expect("a file");
    folder
}

/// Specification: a study pays, writes its page and its numbers, and its ledger is one that can be verified; the same again is free, another is
/// refused with 3, and what is missing is said.
#[test]
fn a_study_has_a_ledger_and_a_page() {
    let folder = prepared();
    let wanted = ["--epsilon", "1,2", "--unit", "person,rating", "--folder", "films", "--json"];
    let output = folder.run(&[&STUDY[..], &wanted].concat());
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["releases"].as_array().map(Vec::len), Some(4), "{object}");
    assert!(
        object["payments"].as_array().is_some_and(|paid| paid.iter().all(|one| one["repeated"] == false)),
        "{object}"
    );
    let page = fs::read_to_string(folder.join("films/report.html")).expect("a page");
    assert!(
        page.contains("joint differential privacy") && page.contains("<svg") && !page.contains("person7")
    );
    assert!(folder.join("films/released-person-1.json").exists());
    let verified = folder.run(&["budget", "verify", "--catalog", "films/pointillist.toml"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    assert!(stdout(&verified).contains("spent from people"), "{}", stdout(&verified));
    let again = folder
        .run(&[&STUDY[..], &["--epsilon", "1,2", "--unit", "person,rating", "--folder", "films"]].concat());
    assert!(again.status.success() && stdout(&again).contains("paid before"), "{}", stderr(&again));
    assert!(stderr(&again).contains("1 lines of the file"), "{}", stderr(&again));
    let refused = folder.run(&[&STUDY[..], &["--epsilon", "5", "--folder", "films"]].concat());
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--folder"), "{}", stderr(&refused));
}

#[test]
fn what_is_missing_is_said() {
    let folder = prepared();
    for (arguments, words) in [
        (&["study", "recommendations"][..], "--made-up"),
        (&["study", "recommendations", "--ratings", "ratings.csv"], "--items"),
        (&["study", "recommendations", "--made-up", "0"], "made-up people"),
        (
            &["study", "recommendations", "--ratings", "ratings.xls", "--items", "movies.csv"],
            ".csv, .data or .dat",
        ),
        (
            &[
                "study",
                "recommendations",
                "--ratings",
                "ratings.csv",
                "--items",
                "movies.csv",
                "--stars",
                "5",
            ],
            "0.5..5",
        ),
        (&["study", "recommendations", "--made-up", "10", "--folder", "."], "--folder DIR"),
    ] {
        let told = folder.run(arguments);
        assert_eq!(told.status.code(), Some(2), "{arguments:?}: {}", stderr(&told));
        assert!(stderr(&told).contains(words), "{arguments:?}: {}", stderr(&told));
    }
}
