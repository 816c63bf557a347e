//! What README and docs tell people to type does what they say.

use std::fs;
use std::path::Path;

use super::document_lines::{DocumentLine, document_lines};
use super::folder::Folder;
use super::stderr;

/// Long by design, waiting for somebody to type, about a database server, or about what a long one made; that they parse is tested beside the parser.
fn takes_long(line: &DocumentLine) -> bool {
    let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
    matches!(words.as_slice(), ["pointillist", "audit" | "shell" | "demo" | "serve" | "reload" | "study", ..])
        || words.starts_with(&["pointillist", "attack", "reconstruct"])
        || words.starts_with(&["pointillist", "ledger", "move"])
        || ["films/", "net/host/"].iter().any(|folder| line.line.contains(folder))
        || line.line.contains('…')
}

/// Specification: every other command line of the documents runs, in the order of each document, in a folder that has the
/// files they name.
#[test]
fn what_the_documents_say_to_type_runs() {
    let lines = document_lines();
    if lines.is_empty() {
        println!("SKIPPED: this crate stands alone, without the documents of its repository");
        return;
    }
    let mut run = 0;
    let mut document = String::new();
    let mut folder = Folder::new();
    for line in lines.iter().filter(|line| !takes_long(line)) {
        let name = line.place.split(':').next().unwrap_or_default();
        if name != document {
            (folder, document) = (prepared(&lines, name), name.to_owned());
        }
        let script = line.line.replacen("pointillist", env!("CARGO_BIN_EXE_pointillist"), 1);
        let output = folder.shell(&script);
        assert!(output.status.success(), "{}: {}\n{}", line.place, line.line, stderr(&output));
        run += 1;
    }
    assert!(run >= 30, "only {run} lines were found");
}

const CATALOG: &str = r#"
[scope.patients]
budget = { epsilon = 8.0, delta = 1e-9 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient_id"
max_groups = 2
max_contributions = 2

[table.visits.columns]
region = { type = "text", public_keys = ["north", "south"] }
cost   = { type = "decimal", lower = 0, upper = 100, step = 0.01 }
age    = { type = "integer", lower = 0, upper = 120 }

[graph.contacts]
scope = "patients"
source = "contacts.txt"
privacy = "node"
"#;

/// The plan that the page about releases begins with: what people copy is what runs.
fn plan() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/releases.md");
    let page = fs::read_to_string(page).unwrap_or_default();
    let plan = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    plan.unwrap_or_default().to_owned()
}

/// A folder with the files that documents speak of; with a catalog, unless the document begins by making one.
fn prepared(lines: &[DocumentLine], document: &str) -> Folder {
    let folder = Folder::new();
    let visits: String = (0..1000)
        .map(|person| {
            let region = if person % 3 == 0 { "south" } else { "north" };
            format!("{person},{region},{}.50,{}\n", person % 90, person % 100)
        })
        .collect();
    let visits = format!("patient_id,region,cost,age\n{visits}");
    let ties: String =
        (0..60).map(|node| format!("{node} {}\n{node} {}\n", (node + 1) % 60, (node + 2) % 60)).collect();
    let people: String = (0..60).map(|node| format!("{node}\n")).collect();
    let answers: String = (0..200).map(|person| if person % 3 == 0 { "yes\n" } else { "no\n" }).collect();
    let files =
        [("visits.csv", visits), ("contacts.txt", ties), ("people.txt", people), ("answers.txt", answers)];
    for (name, text) in files.into_iter().chain([("plan.toml", plan())]) {
        fs::write(folder.join(name), text).expect("the folder is writable");
    }
    let makes_one = |line: &&DocumentLine| line.words.get(1).is_some_and(|verb| verb == "init");
    let catalog = folder.join("pointillist.toml");
    match lines.iter().filter(|line| line.place.starts_with(document)).find(makes_one) {
        Some(_) => fs::remove_file(catalog).expect("the folder has a catalog"),
        None => fs::write(catalog, CATALOG).expect("the folder is writable"),
    }
    folder
}
