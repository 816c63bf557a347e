//! One file under two names that do not agree on whose rows they are.
//!
//! **Why.** A budget bounds what is learnt about one unit. Where one name protects a person and another, over the same
//! rows, a visit, the second tells about a person as often as they came, and the budget counts it once. One population
//! may pay for both, so that nothing refuses it; but the owner should know that the weaker promise is the one that holds.

use std::collections::BTreeMap;
use std::path::Path;

use pointillist_catalog::{Catalog, Finding, Severity};

use super::finding;
use crate::datasets::{FileIdentity, identity, named_files};

/// A risk for every name that reads a file under another unit than a name before it.
pub(super) fn findings(folder: &Path, catalog: &Catalog) -> Vec<Finding> {
    let mut units: BTreeMap<FileIdentity, (String, String)> = BTreeMap::new();
    let mut list: Vec<Finding> = Vec::new();
    for (dataset, files) in named_files(folder, catalog) {
        // What is public protects nobody, and a file that is public under one name alone is refused elsewhere.
        if dataset.scope.is_none() {
            continue;
        }
        let place = dataset.name.replacen(' ', ".", 1);
        for file in files {
            let Some(identity) = identity(&file) else { continue };
            let (other, unit) =
                units.entry(identity).or_insert_with(|| (dataset.name.clone(), dataset.unit.clone()));
            if *unit != dataset.unit && !list.iter().any(|finding| finding.place == place) {
                let words = format!(
                    "{} is read under two privacy units: {other} protects each {unit}, {} each {}",
                    file.display(),
                    dataset.name,
                    dataset.unit
                );
                let advice = "only the weaker promise holds for these rows: give both the unit that stands for a person";
                list.push(finding(Severity::Risk, &place, words, advice));
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: &str = "
[scope.people]
budget = { rho = 1, delta = 1e-9 }
[table.a]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"patient\"
max_groups = 1
max_contributions = 1
[table.a.columns]
cost = { type = \"integer\" }
[table.b]
scope = \"people\"
source = \"./visits.csv\"
privacy_unit = \"patient\"
max_groups = 1
max_contributions = 1
[table.b.columns]
cost = { type = \"integer\" }
";

    fn risks(catalog: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("visits.csv"), "patient,visit,cost\n1,1,2\n").unwrap();
        std::fs::write(folder.path().join("others.csv"), "patient,visit,cost\n2,2,2\n").unwrap();
        let catalog = Catalog::parse(catalog).unwrap_or_else(|error| panic!("{error}"));
        let list = findings(folder.path(), &catalog);
        assert!(list.iter().all(|finding| finding.severity == Severity::Risk));
        list.into_iter().map(|finding| finding.place).collect()
    }

    /// Specification: two units over one file are a risk, whatever the path; the same unit, or another file, is none.
    #[test]
    fn one_file_under_two_units_is_a_risk() {
        assert_eq!(risks(CATALOG), [] as [&str; 0]);
        for unit in ["visit", "row"] {
            let (before, after) = CATALOG.split_at(CATALOG.find("[table.b]").unwrap());
            let mixed = format!("{before}{}", after.replacen("\"patient\"", &format!("\"{unit}\""), 1));
            assert_eq!(risks(&mixed), ["table.b"], "{unit}");
            assert_eq!(risks(&mixed.replace("./visits.csv", "others.csv")), [] as [&str; 0], "{unit}");
        }
    }
}
