//! Releases that can be asked about like public tables.

use std::fs;
use std::path::Path;

use pointillist_catalog::OWNER;
use pointillist_curator::{Ask, AskError, Clock, Executed, Home, PublicAnswer, TableList};
use pointillist_errors::{Explained, Kind};
use pointillist_publication::{PlanFile, PublishOptions, release, with_releases};

use super::people::Place;

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 10, delta = 1e-6 }
[table.people]
scope = "people"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
sex = { type = "text", public_keys = ["f", "m"] }
[table.taken_sexes]
public = true
source = "taken.csv"
[table.taken_sexes.columns]
sex = { type = "text" }
[analyst.ana]
shares = { people = { rho = 1, delta = 0 } }
"#;

fn place() -> Place {
    let people: String = (0..900).map(|person| if person % 3 == 0 { "f\n" } else { "m\n" }).collect();
    Place::new(CATALOG, &[("people.csv", format!("sex\n{people}")), ("taken.csv", "sex\nx\n".to_owned())])
}

fn released(home: &Home, name: &str, folder: &str, not_before: Option<&str>) {
    let plan = format!(
        "name = \"{name}\"\ntitle = \"Sexes\"\nbudget = {{ rho = 0.1, delta = 1e-6 }}\n[[table]]\nname = \"sexes\"\n\
         sql = \"SELECT sex, count(*) AS n FROM people GROUP BY sex\"\n"
    );
    let not_before = not_before.map(str::to_owned);
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before };
    let file = PlanFile::parse(&plan).unwrap();
    release(home, &file, &home.folder.join(folder), &options).unwrap_or_else(|error| panic!("{error}"));
}

fn asked(home: &Home, analyst: &str, sql: &str) -> Result<PublicAnswer, AskError> {
    let ask = Ask::new(sql, analyst);
    match home.execute(&ask, Clock::Immediate)? {
        Executed::Public(answer) => Ok(*answer),
        other => panic!("{sql}: {other:?}"),
    }
}

fn append(path: &Path, bytes: &[u8]) {
    let before = fs::read(path).unwrap();
    fs::write(path, [before.as_slice(), bytes].concat()).unwrap();
}

/// Specification: what a release says is what SQL answers, for free and for every analyst, beside declared tables; the
/// ledger takes nothing, and is not to be told of it.
#[test]
fn a_release_is_asked_about_like_a_public_table() {
    let place = place();
    released(&place.home, "survey", "releases/survey", None);
    let (home, warnings) = with_releases(place.home.clone());
    assert_eq!(warnings, [] as [&str; 0]);
    let spent = || home.reader().unwrap().unwrap().balance("people").unwrap().spent;
    let before = spent();
    let answer = asked(&home, "ana", "SELECT sex, n FROM survey_sexes ORDER BY sex").unwrap();
    let csv = fs::read_to_string(home.folder.join("releases/survey/sexes.csv")).unwrap();
    assert_eq!(answer.answer.rows.len(), 2);
    for row in &answer.answer.rows {
        let text = format!("{},{},", text(&row.values[0]), text(&row.values[1]));
        assert!(csv.lines().any(|line| line.starts_with(&text)), "{text} is not in\n{csv}");
    }
    let joined =
        "SELECT s.sex, count(*) AS n FROM survey_sexes s JOIN taken_sexes t ON s.sex <> t.sex GROUP BY s.sex";
    assert_eq!(asked(&home, "ana", joined).unwrap().answer.rows.len(), 2);
    assert_eq!(spent(), before);
    assert_eq!(home.budget_changes().unwrap(), [], "the ledger is told of declared tables alone");
    let listed = TableList::of(&home.catalog);
    assert!(listed.tables.iter().any(|table| table.name == "survey_sexes" && table.release && table.public));
    home.curator(Clock::Immediate).expect("the catalog and the ledger agree");
}

fn text(value: &Option<pointillist_catalog::Value>) -> String {
    use pointillist_catalog::Value;
    match value {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Integer(number)) => number.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Specification: before its day a release is there for the owner and for nobody else.
#[test]
fn an_embargo_holds_for_everybody_but_the_owner() {
    let place = place();
    released(&place.home, "now", "releases/now", Some("2020-01-01"));
    released(&place.home, "later", "releases/later", Some("9998-01-01"));
    let (home, warnings) = with_releases(place.home.clone());
    assert_eq!(warnings, ["the release `later` is the owner's alone before 9998-01-01"]);
    // The same numbers under another name are not free of the embargo.
    released(&place.home, "leak", "releases/leak", None);
    let (_, warnings) = with_releases(place.home.clone());
    assert!(
        warnings.contains(&"the release `leak` is the owner's alone before 9998-01-01".to_owned()),
        "{warnings:?}"
    );
    assert!(asked(&home, OWNER, "SELECT * FROM later_sexes").is_ok());
    assert!(asked(&home, "ana", "SELECT * FROM now_sexes").is_ok());
    let error = asked(&home, "ana", "SELECT * FROM later_sexes").unwrap_err();
    assert_eq!(error.kind(), Kind::UnknownTable);
    assert!(!error.hint().unwrap_or_default().contains("later_sexes"), "{error}");
}

/// Specification: what was changed, what somebody else has signed, and what would take a declared table's name, is left out
/// and told; the rest is there.
#[test]
fn what_is_not_verified_is_no_table() {
    let (place, stranger) = (place(), place());
    for name in ["whole", "changed", "taken"] {
        released(&place.home, name, &format!("releases/{name}"), None);
    }
    released(&stranger.home, "strange", "releases/strange", None);
    let folder = place.home.folder.join("releases");
    append(&folder.join("changed/sexes.parquet"), b"x");
    fs::rename(stranger.home.folder.join("releases/strange"), folder.join("strange")).unwrap();
    fs::create_dir(folder.join("notes")).unwrap();
    let (home, warnings) = with_releases(place.home.clone());
    assert_eq!(home.catalog.released.keys().collect::<Vec<_>>(), ["whole_sexes"]);
    let told = |what: &str| warnings.iter().any(|warning| warning.contains(what));
    assert!(told("releases/changed is left out") && told("releases/strange is left out"), "{warnings:?}");
    assert!(told("another table of this name") && warnings.len() == 3, "{warnings:?}");
    let declared = asked(&home, OWNER, "SELECT * FROM taken_sexes").unwrap();
    assert_eq!(declared.answer.rows.len(), 1, "the declared table is what its name means");
}
