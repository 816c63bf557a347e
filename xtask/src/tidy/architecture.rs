//! ARCHITECTURE.md and the crates name each other: every crate has a heading, every heading has a crate.

use super::rooms::{PAGE, headings};
use super::{Finding, Workspace};

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    if workspace.file(PAGE).is_none() {
        let hint = "write the bird's-eye view, with a heading for every crate";
        return vec![Finding::in_file(PAGE, "the page does not exist", hint)];
    }
    let headings = headings(workspace);
    let mut findings = Vec::new();
    for member in &workspace.crates {
        if !headings.iter().any(|(_, room)| *room == member.room()) {
            let problem = format!("the crate in {} is not described", member.folder);
            let hint = format!("add a heading \"### `{}`\" with one paragraph: its one idea", member.room());
            findings.push(Finding::in_file(PAGE, problem, hint));
        }
    }
    for (index, (line, room)) in headings.iter().copied().enumerate() {
        if headings[..index].iter().any(|(_, earlier)| *earlier == room) {
            let hint = "one paragraph a room: the order of the headings is the order of dependencies";
            findings.push(Finding::at_line(PAGE, line, format!("`{room}` is described twice"), hint));
        }
        if !workspace.crates.iter().any(|member| member.room() == room) {
            let problem = format!("`{room}` is described, but there is no such crate");
            let hint = "describe what exists: remove the paragraph, or name the folder as it is";
            findings.push(Finding::at_line(PAGE, line, problem, hint));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(page: &str) -> Vec<String> {
        let workspace = Workspace::with_files([(PAGE, page)]).and_room("noise", []).and_room("privacy", []);
        check(&workspace).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_page_that_names_every_crate_is_fine() {
        assert_eq!(problems("### `noise`\n\nText.\n\n### `privacy`\n\nText.\n"), [""; 0]);
    }

    #[test]
    fn a_crate_without_a_heading_is_found() {
        let found = problems("### `noise`\n\nA sentence that mentions `privacy` is not enough.\n");
        assert_eq!(found, ["the crate in crates/privacy is not described"]);
    }

    #[test]
    fn a_heading_without_a_crate_is_found() {
        let found = problems("### `noise`\n### `privacy`\n### `ledger`\n");
        assert_eq!(found, ["`ledger` is described, but there is no such crate"]);
    }

    #[test]
    fn a_second_heading_of_a_room_is_found() {
        assert_eq!(problems("### `noise`\n### `privacy`\n### `noise`\n"), ["`noise` is described twice"]);
    }

    #[test]
    fn a_missing_page_is_found() {
        assert_eq!(check(&Workspace::default()).len(), 1);
    }
}
