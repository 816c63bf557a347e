//! Where releases lie and who approves them: `[releases]`.

use super::section::Section;
use crate::error::Fault;
use crate::releases::{Releases, is_same_person, person_complaint};
use crate::{name, read};

/// Reads the section; it need not be there.
pub(super) fn releases(root: &Section<'_>) -> Result<Releases, Fault> {
    let mut releases = Releases::default();
    let Some(entry) = root.get("releases") else { return Ok(releases) };
    let section = Section::of(&entry, "`releases`", &["folder", "approvers"])?;
    releases.folder = section.get("folder").map(|entry| read::path(&entry)).transpose()?;
    let Some(entry) = section.get("approvers") else { return Ok(releases) };
    for person in entry.list("a list of people")? {
        let named = person.text("somebody's name")?;
        if let Some(complaint) = person_complaint(named) {
            let what = format!("the name `{}` {complaint}", name::shown(named));
            let hint = "write a name of letters, digits and any of `_-.@`, such as ana@example.org";
            return Err(person.fault(what, hint));
        }
        if let Some(other) = releases.approvers.iter().find(|other| is_same_person(other, named)) {
            return Err(
                person.fault(format!("`{named}` and `{other}` are the same person"), "name everybody once")
            );
        }
        releases.approvers.push(named.to_owned());
    }
    if releases.approvers.is_empty() {
        // Nobody who may approve could mean that nothing may be released, or that anything may: neither is guessed.
        let hint = "name somebody, or leave `approvers` out where releases need no approval";
        return Err(entry.fault("nobody may approve a release", hint));
    }
    Ok(releases)
}
