//! The demo as a newcomer meets it.

use serde_json::json;

use super::{pointillist, stderr, stdout};

/// Specification: every section of the story is told, within a hundred columns.
#[test]
fn the_demo_tells_its_whole_story() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().join("hospital");
    let here = here.to_str().expect("a path of text");
    let output = pointillist(&["demo", "--quick", "--folder", here]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stderr.is_empty(), "nothing but the story when piped: {}", stderr(&output));
    let story = stdout(&output);
    // Where lines are broken depends on the noise.
    let in_one_line = story.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "4,000 patients",
        "1  How many patients are there?",
        "2  What does a visit cost",
        "3  Which wards",
        "4  How many in a hundred",
        "5  When do people come?",
        "truth",
        "Not shown: ",
        "tropical diseases",
        "6  And what about Ada Byron?",
        "hint: ",
        "7  The attack",
        "at most 5",
        "What is left",
        "Your turn",
        "pointillist query",
        "\u{2588}",
    ] {
        assert!(story.contains(part) || in_one_line.contains(part), "{part} is missing from\n{story}");
    }
    let widest = story
        .lines()
        .filter(|line| !line.contains(here) && !line.contains("pointillist "))
        .map(|line| line.chars().count())
        .max();
    assert!(widest <= Some(100), "{widest:?}\n{story}");

    // Again in the same folder: the same answers, for free.
    let again = pointillist(&["demo", "--quick", "--folder", here, "--json"]);
    assert!(again.status.success(), "{}", stderr(&again));
    let summary: serde_json::Value = serde_json::from_str(&stdout(&again)).expect("JSON");
    let questions = summary["questions"].as_array().expect("questions");
    assert_eq!(questions.len(), 5);
    assert!(questions.iter().all(|question| question["reply"]["paid"] == "nothing"));
    assert_eq!(questions[0]["truth"], json!([4000.0]));
    assert_eq!(summary["attack"]["truth"], json!([71, 70]));
    assert_eq!(summary["attack"]["attempts"].as_array().expect("attempts").len(), 5);
    let best = summary["attack"]["best_guess_upper"].as_f64().expect("a probability");
    assert!((0.5..0.56).contains(&best), "{best}");
    assert!(summary["refusals"][0]["words"].as_str().expect("words").contains("hint: "));
    assert!(summary["budget"]["scopes"][0]["spent"]["rho"].as_str().is_some_and(|rho| rho != "0"));
}

#[test]
fn the_demo_leaves_other_peoples_folders_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("thesis.txt"), "years of work").expect("a file");
    let here = folder.path().to_str().expect("a path of text");
    let output = pointillist(&["demo", "--quick", "--folder", here]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("hint: name another folder"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
