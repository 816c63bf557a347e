//! The shelf: what is handed out of what is published.

use std::fs;

use pointillist_publication::{PlanFile, PublishOptions, Shelf, release};

use super::people::{Place, place};

fn released(place: &Place, name: &str, not_before: Option<&str>) {
    let plan = format!(
        "name = \"{name}\"\ntitle = \"Sexes\"\nbudget = {{ rho = 0.1, delta = 1e-6 }}\n[[table]]\nname = \"sexes\"\n\
         sql = \"SELECT sex, count(*) AS n FROM people GROUP BY sex\"\n"
    );
    let options =
        PublishOptions { released_on: "2026-11-16".to_owned(), not_before: not_before.map(str::to_owned) };
    let folder = place.home.folder.join("releases").join(name);
    let file = PlanFile::parse(&plan).unwrap();
    release(&place.home, &file, &folder, &options).unwrap_or_else(|error| panic!("{error}"));
}

fn names(shelf: &Shelf) -> Vec<String> {
    shelf.releases().map(|release| release.name.clone()).collect()
}

/// Specification: every file of a signed release is listed and read as it lies there; no other file, whatever it is called.
#[test]
fn what_was_signed_is_listed_and_read() {
    let place = place(300);
    released(&place, "survey", None);
    let folder = place.home.folder.join("releases/survey");
    let shelf = Shelf::of(&place.home);
    assert_eq!(names(&shelf), ["survey"]);
    let listed = &shelf.releases().next().unwrap().files;
    let count = fs::read_dir(&folder).unwrap().count();
    assert_eq!(listed.len(), count, "{listed:?}");
    for file in listed {
        let bytes = fs::read(folder.join(&file.name)).unwrap();
        assert_eq!(shelf.read("survey", &file.name), Some(bytes.clone()), "{}", file.name);
        assert_eq!(file.bytes, bytes.len() as u64);
    }
    fs::write(folder.join("beside.csv"), "1").unwrap();
    let absolute = folder.join("sexes.csv").display().to_string();
    for (release, file) in [
        ("survey", "beside.csv"),
        ("survey", "../../people.csv"),
        ("survey", "../survey/sexes.csv"),
        ("survey", "./sexes.csv"),
        ("survey", absolute.as_str()),
        ("survey", ""),
        ("../releases/survey", "sexes.csv"),
        ("", "people.csv"),
    ] {
        assert_eq!(shelf.read(release, file), None, "{release} {file}");
    }
}

/// Specification: bytes that were changed after the shelf was filled are not handed out; a release that was changed before is
/// not on it.
#[test]
fn what_was_changed_is_not_handed_out() {
    let place = place(300);
    released(&place, "survey", None);
    let path = place.home.folder.join("releases/survey/sexes.csv");
    let shelf = Shelf::of(&place.home);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(shelf.read("survey", "sexes.csv"), None);
    assert!(shelf.read("survey", "sexes.parquet").is_some(), "the others are what they were");
    assert!(names(&Shelf::of(&place.home)).is_empty());
}

/// Specification: before its day a release is not there, neither in the list nor for those who know its name.
#[test]
fn an_embargo_holds() {
    let place = place(300);
    released(&place, "later", Some("2999-01-01"));
    let shelf = Shelf::of(&place.home);
    assert!(names(&shelf).is_empty());
    assert_eq!(shelf.read("later", "sexes.csv"), None);
}

/// Specification: what another key has signed is not ours.
#[test]
fn releases_of_others_are_not_on_the_shelf() {
    let (ours, theirs) = (place(300), place(300));
    released(&ours, "survey", None);
    released(&theirs, "other", None);
    fs::rename(theirs.home.folder.join("releases/other"), ours.home.folder.join("releases/other")).unwrap();
    assert_eq!(names(&Shelf::of(&ours.home)), ["survey"]);
}
