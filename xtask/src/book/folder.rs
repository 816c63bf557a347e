//! The folder that a page's commands begin in: made-up data, and no catalog.

use std::fs;
use std::path::Path;

/// Patients of the made-up hospital, one visit each.
const PATIENTS: usize = 1000;
/// Nodes of the graph, each with a tie to the next two.
const NODES: usize = 60;
const ANSWERS: usize = 200;

/// Empties the folder and writes the files that every page may use.
///
/// # Errors
/// When the folder cannot be written.
pub fn prepare(folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in files() {
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    Ok(())
}

fn files() -> [(&'static str, String); 4] {
    let visits: String = (0..PATIENTS)
        .map(|person| {
            let region = if person % 3 == 0 { "south" } else { "north" };
            format!("{person},{region},{}.50,{}\n", person % 90, person % 100)
        })
        .collect();
    let contacts = (0..NODES)
        .map(|node| format!("{node} {}\n{node} {}\n", (node + 1) % NODES, (node + 2) % NODES))
        .collect();
    let people = (0..NODES).map(|node| format!("{node}\n")).collect();
    let answers = (0..ANSWERS).map(|person| if person % 3 == 0 { "yes\n" } else { "no\n" }).collect();
    [
        ("visits.csv", format!("patient_id,region,cost,age\n{visits}")),
        ("contacts.txt", contacts),
        ("people.txt", people),
        ("answers.txt", answers),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_run_left_is_gone() {
        let folder = std::env::temp_dir().join(format!("pointillist-book-folder-{}", std::process::id()));
        prepare(&folder).expect("a folder");
        fs::write(folder.join("pointillist.toml"), "").expect("a file");
        prepare(&folder).expect("a folder");
        assert!(!folder.join("pointillist.toml").exists());
        let visits = fs::read_to_string(folder.join("visits.csv")).expect("the visits");
        assert_eq!(visits.lines().count(), PATIENTS + 1);
        fs::remove_dir_all(&folder).expect("a folder");
    }
}
