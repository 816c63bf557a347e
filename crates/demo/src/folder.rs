//! The folder of the demo: a catalog and its data, written once and never over anything else.

use std::path::Path;
use std::{fs, io};

use crate::DemoError;
use crate::hospital::{Hospital, REGIONS, VISITS_MAX};

/// The name of the catalog in the folder.
pub const CATALOG: &str = "pointillist.toml";

/// The first line of a catalog that we wrote.
const MARK: &str = "# Made by `pointillist demo`: a hospital that does not exist.";

/// Writes the hospital and its catalog. A folder with the same demo in it is written again, with the same bytes,
/// and keeps its ledger; any other folder that is not empty is refused.
///
/// # Errors
/// When something else is there, or nothing can be written.
pub fn write(folder: &Path, hospital: &Hospital) -> Result<(), DemoError> {
    let catalog = folder.join(CATALOG);
    let text = catalog_text(hospital.patients.len());
    if folder.exists() && fs::read_to_string(&catalog).map_or(true, |found| found != text) {
        let is_empty = fs::read_dir(folder).map(|mut entries| entries.next().is_none()).unwrap_or(false);
        if !is_empty {
            return Err(DemoError::Occupied { folder: folder.to_owned() });
        }
    }
    let failed = |source: io::Error| DemoError::Unwritable { folder: folder.to_owned(), source };
    hospital.write(folder).map_err(failed)?;
    fs::write(&catalog, text).map_err(failed)
}

/// The owner's declarations. The version of the data is its size: another size is other data.
fn catalog_text(people: usize) -> String {
    let regions = REGIONS.map(|(name, _)| format!("\"{name}\"")).join(", ");
    format!(
        "{MARK}
# Change it, break it, ask it things: nobody is in here.

[scope.patients]
budget = {{ epsilon = 4.0, delta = 1e-9 }}   # all that may ever be learnt about one patient

[table.patients]
scope = \"patients\"
source = \"data/patients.csv\"
version = \"{people}\"
privacy_unit = \"id\"                        # one row a person
max_groups = 1
max_contributions = 1

[table.patients.columns]                   # names are not declared, so nobody can ask for them
sex       = {{ type = \"text\", public_keys = [\"f\", \"m\"] }}
age       = {{ type = \"integer\", lower = 0, upper = 120 }}
region    = {{ type = \"text\", public_keys = [{regions}] }}
chronic   = {{ type = \"boolean\" }}
condition = {{ type = \"text\" }}
systolic  = {{ type = \"integer\", lower = 80, upper = 220 }}

[table.visits]
scope = \"patients\"
source = \"data/visits.csv\"
version = \"{people}\"
privacy_unit = \"patient_id\"                # several rows a person
max_groups = 4                             # groups that one patient may touch in one answer
max_contributions = {VISITS_MAX}                      # visits that one patient may add to a group

[table.visits.columns]
region = {{ type = \"text\", public_keys = [{regions}] }}
ward   = {{ type = \"text\" }}               # keys must be earned: a rare ward is not shown
day    = {{ type = \"date\", lower = \"2025-01-01\", upper = \"2025-12-31\" }}
cost   = {{ type = \"decimal\", lower = 0, upper = 5000, step = 0.01 }}

[table.prescriptions]
scope = \"patients\"
source = \"data/prescriptions.csv\"
version = \"{people}\"
privacy_unit = {{ column = \"visit_id\", references = \"visits.id\" }}   # whose it is, the visit says
max_groups = 4
max_contributions = {VISITS_MAX}

[table.prescriptions.columns]
drug = {{ type = \"text\" }}
days = {{ type = \"integer\", lower = 0, upper = 30 }}

[table.hospitals]                          # no row is about a person
public = true
source = \"data/hospitals.csv\"

[table.hospitals.columns]
hospital = {{ type = \"text\" }}
region   = {{ type = \"text\" }}
beds     = {{ type = \"integer\", lower = 0, upper = 2000 }}

[analyst.ana]
shares = {{ patients = {{ rho = 0.12, delta = 3e-10 }} }}

[analyst.ben]
shares = {{ patients = {{ rho = 0.02, delta = 1e-10 }} }}
"
    )
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;

    use super::*;

    #[test]
    fn the_catalog_of_the_demo_is_a_catalog() {
        let catalog = Catalog::parse(&catalog_text(40_000)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(catalog.tables.len(), 4);
        assert_eq!(catalog.analysts.len(), 2);
    }

    #[test]
    fn only_an_empty_folder_or_the_same_demo_is_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let hospital = Hospital::made_up(200, || {});
        let here = folder.path().join("demo");
        write(&here, &hospital).expect("a new folder");
        write(&here, &hospital).expect("the same demo");
        assert!(write(&here, &Hospital::made_up(300, || {})).is_err(), "another demo");
        fs::write(folder.path().join("thesis.txt"), "years of work").expect("a file");
        assert!(write(folder.path(), &hospital).is_err(), "not ours");
    }
}
