//! A small population in files.

use std::fmt::Write as _;

use pointillist_catalog::Catalog;
use pointillist_curator::{Clock, Curator, Home};
use tempfile::TempDir;

/// A folder with a catalog and its data.
pub struct Place {
    _folder: TempDir,
    pub home: Home,
}

impl Place {
    pub fn new(catalog: &str, files: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let home = Home::new(folder.path().to_owned(), Catalog::parse(catalog).unwrap());
        Self { _folder: folder, home }
    }

    pub fn curator(&self) -> Curator {
        self.home.curator(Clock::Immediate).unwrap()
    }
}

pub const CATALOG: &str = r#"
[scope.people]
budget = { rho = 1000000, delta = 1e-6 }
[table.people]
scope = "people"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
sex = { type = "text", public_keys = ["f", "m"] }
region = { type = "text", public_keys = ["north", "south", "east"] }
age = { type = "integer", lower = 0, upper = 63 }
district = { type = "text", public_keys = ["n1", "n2", "n3", "s1", "e1", "e2"] }
[table.places]
public = true
source = "places.csv"
[table.places.columns]
country = { type = "text" }
region = { type = "text" }
district = { type = "text" }
"#;

pub const PLACES: &str =
    "country,region,district\na,north,n1\na,north,n2\na,north,n3\na,south,s1\nb,east,e1\nb,east,e2\n";

/// People whose columns depend on each other; some have values that are in no list.
pub fn people(count: usize) -> String {
    let mut text = "sex,region,age,district\n".to_owned();
    for person in 0..count {
        let sex = ["f", "m", "f", "x"][if person % 97 == 0 { 3 } else { person % 3 }];
        let (region, district) = [
            ("north", "n1"),
            ("north", "n2"),
            ("north", "n3"),
            ("south", "s1"),
            ("east", "e1"),
            ("east", "e2"),
        ][(person * person + 3 * (person % 7)) % 6];
        let region = if person % 89 == 0 { "nowhere" } else { region };
        let age = (person * 31 + person / 5) % 70;
        let _ = writeln!(text, "{sex},{region},{age},{district}");
    }
    text
}

pub fn place(count: usize) -> Place {
    Place::new(CATALOG, &[("people.csv", people(count)), ("places.csv", PLACES.to_owned())])
}
