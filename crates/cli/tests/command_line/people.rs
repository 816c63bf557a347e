//! People and tokens from the command line: nobody's share is lost, nobody's past is given away, nothing is made unasked.

use std::process::{Command, Stdio};

use super::folder::{COUNT, Folder};
use super::stderr;

fn catalog(folder: &Folder) -> String {
    std::fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog")
}

/// Specification: of people who are added at the same time, each is there with their share.
#[test]
fn shares_that_are_given_at_once_are_all_there() {
    let folder = Folder::new();
    let names: Vec<String> = (0..12).map(|number| format!("zoe{number}")).collect();
    let add = |name: &String| {
        Command::new(env!("CARGO_BIN_EXE_pointillist"))
            .args(["analyst", "add", name, "--no-password", "--share", "people=rho:0.001"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs")
    };
    let adding: Vec<_> = names.iter().map(add).collect();
    for child in adding {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let text = catalog(&folder);
    for name in &names {
        assert!(text.contains(&format!("[analyst.{name}]")), "{name}: {text}");
    }
    assert_eq!(folder.json(&["analyst", "list"])["people"].as_array().map(Vec::len), Some(12));
}

/// Specification: a name under which somebody paid is given again only to the same person.
#[test]
fn a_name_with_a_past_is_not_given_to_somebody_else() {
    let folder = Folder::new();
    folder.json(&["analyst", "add", "ana", "--no-password"]);
    folder.json(&["query", COUNT, "--epsilon", "0.1", "--as", "ana"]);
    folder.json(&["analyst", "revoke", "ana"]);
    let words = folder.refused(&["analyst", "add", "ana", "--no-password"], 2);
    assert!(words.contains("paid as `ana` before") && words.contains("--same-person"), "{words}");
    assert_eq!(folder.json(&["analyst", "list"])["people"].as_array().map(Vec::len), Some(0));
    folder.json(&["analyst", "add", "ana", "--no-password", "--same-person"]);
    // Ben has a share and has paid nothing.
    folder.json(&["analyst", "add", "ben", "--no-password"]);
}

#[test]
fn short_passwords_are_refused_and_large_shares_are_spoken_of() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_pointillist");
    let short = folder.shell(&format!("echo 'elevenchars' | {program} analyst add zoe --stdin"));
    assert_eq!(short.status.code(), Some(2));
    assert!(stderr(&short).contains("12") && stderr(&short).contains("hint"), "{}", stderr(&short));
    let long = folder.shell(&format!("echo 'twelve chars' | {program} analyst add zoe --stdin"));
    assert!(long.status.success(), "{}", stderr(&long));
    let changed = folder.shell(&format!("echo 'short' | {program} analyst password zoe --stdin"));
    assert_eq!(changed.status.code(), Some(2));
    let above = folder.run(&["analyst", "add", "yan", "--share", "people=rho:1000"]);
    assert!(above.status.success() && stderr(&above).contains("above the budget"), "{}", stderr(&above));
    let within = folder.run(&["analyst", "add", "xia", "--share", "people=rho:0.001"]);
    assert!(!stderr(&within).contains("above the budget"), "{}", stderr(&within));
}

#[test]
fn roles_are_changed_and_whoever_is_there_is_pointed_to_that() {
    let folder = Folder::new();
    folder.json(&["analyst", "add", "otto", "--role", "auditor", "--no-password"]);
    let words = folder.refused(&["analyst", "add", "otto", "--role", "curator"], 2);
    assert!(words.contains("analyst role otto"), "{words}");
    folder.json(&["analyst", "role", "otto", "curator"]);
    assert_eq!(folder.json(&["analyst", "list"])["people"][0]["role"], "curator");
    folder.refused(&["analyst", "role", "otto", "king"], 2);
    folder.refused(&["analyst", "role", "nobody", "curator"], 2);
}

/// Specification: looking makes nothing, and where there is no catalog nothing is made at all.
#[test]
fn where_there_is_no_catalog_no_file_is_made() {
    let folder = Folder::new();
    folder.json(&["token", "list"]);
    folder.json(&["analyst", "list"]);
    assert!(!folder.join(".pointillist").exists());
    std::fs::remove_file(folder.join("pointillist.toml")).expect("a catalog");
    for words in [
        &["token", "list"][..],
        &["analyst", "list"],
        &["token", "create", "ana"],
        &["token", "revoke", "a"],
        &["analyst", "revoke", "ana"],
        &["analyst", "password", "ana"],
        &["analyst", "role", "ana", "owner"],
    ] {
        folder.refused(words, 2);
    }
    assert!(!folder.join(".pointillist").exists());
}

#[test]
fn a_server_without_doors_is_refused() {
    let folder = Folder::new();
    let words = folder.refused(&["serve", "--postgres", "off", "--http", "off"], 2);
    assert!(words.contains("neither door"), "{words}");
}
