//! Dependencies point one way: a crate may use only the rooms that ARCHITECTURE.md describes before its own.
//!
//! One way means that a careful reader can check the rooms in the order of the page and never has to look ahead. Two
//! rooms are special: `testkit` holds the seeded generator and so may be used by tests only, and nobody may use `xtask`.

use super::workspace::{Crate, Dependency, DependencyKind};
use super::{Finding, Workspace, rooms};

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let order = rooms::order(workspace);
    for member in &workspace.crates {
        let manifest = member.manifest_path();
        // A room without a heading is the business of the rule about the page.
        if let Some(place) = place_of(&order, member.room()) {
            findings.extend(
                member
                    .dependencies
                    .iter()
                    .filter_map(|dependency| problem_with(workspace, &order[..place], dependency))
                    .map(|(problem, hint)| Finding::in_file(&manifest, problem, hint)),
            );
        }
        if !name_follows_folder(member) {
            findings.push(Finding::in_file(
                &manifest,
                format!("the package is called `{}`, which does not follow from its folder", member.name),
                format!("call it `pointillist-{}`, so that everybody can guess the path", member.room()),
            ));
        }
    }
    findings
}

/// What is wrong with one dependency of a crate that may use the rooms `before` it, and the way out.
fn problem_with(workspace: &Workspace, before: &[&str], dependency: &Dependency) -> Option<(String, String)> {
    let target = workspace.crates.iter().find(|member| member.name == dependency.name)?;
    let is_for_tests = dependency.kind == DependencyKind::Development;
    match target.room() {
        "xtask" => Some((
            "depends on xtask, which nobody may use".to_string(),
            "move what is needed to the room whose idea it is".to_string(),
        )),
        _ if is_for_tests => None,
        "testkit" => Some((
            "uses testkit outside of tests; it holds the seeded generator, which production must not reach"
                .to_string(),
            "move the line to [dev-dependencies]".to_string(),
        )),
        room if !before.contains(&room) => Some((
            format!("depends on `{room}`, which comes later in the order of the rooms"),
            format!(
                "move what is needed into an earlier room, or argue for another order in {}; before it come {}",
                rooms::PAGE,
                before.join(", ")
            ),
        )),
        _ => None,
    }
}

fn place_of(order: &[&str], room: &str) -> Option<usize> {
    order.iter().position(|listed| *listed == room)
}

/// A package is called `pointillist-ROOM`. Two are called by what people type: the facade `pointillist`, and `xtask`.
fn name_follows_folder(member: &Crate) -> bool {
    let expected_exactly = match member.folder.as_str() {
        "crates/pointillist" => "pointillist",
        "xtask" => "xtask",
        _ => return member.name.strip_prefix("pointillist-") == Some(member.room()),
    };
    member.name == expected_exactly
}

#[cfg(test)]
mod tests {
    use super::*;
    use DependencyKind::{Build, Development, Normal};

    fn problems(workspace: Workspace) -> Vec<String> {
        check(&workspace)
            .into_iter()
            .map(|finding| format!("{}: {}", finding.path, finding.problem))
            .collect()
    }

    const PAGE: &str = "### `numbers`\n### `noise`\n### `privacy`\n### `testkit`\n### `xtask`\n";

    fn house() -> Workspace {
        Workspace::with_files([(rooms::PAGE, PAGE)])
            .and_room("numbers", [])
            .and_room("testkit", [("pointillist-noise", Normal)])
    }

    #[test]
    fn dependencies_on_earlier_rooms_and_on_strangers_are_fine() {
        let tidy = house()
            .and_room("noise", [("pointillist-numbers", Normal), ("getrandom", Normal)])
            .and_room("privacy", [("pointillist-noise", Build), ("pointillist-testkit", Development)]);
        assert_eq!(problems(tidy), [""; 0]);
    }

    #[test]
    fn a_dependency_on_a_later_room_is_found() {
        for kind in [Normal, Build] {
            let found =
                problems(house().and_room("privacy", []).and_room("noise", [("pointillist-privacy", kind)]));
            let expected =
                "crates/noise/Cargo.toml: depends on `privacy`, which comes later in the order of the rooms";
            assert_eq!(found, [expected]);
        }
    }

    #[test]
    fn testkit_outside_of_tests_is_found() {
        let found = problems(house().and_room("noise", [("pointillist-testkit", Normal)]));
        assert!(found.len() == 1 && found[0].contains("uses testkit outside of tests"), "{found:?}");
    }

    #[test]
    fn a_dependency_on_xtask_is_found_even_for_tests() {
        let mut workspace = house().and_room("noise", [("xtask", Development)]).and_room("xtask", []);
        let xtask = workspace.crates.last_mut().unwrap();
        (xtask.name, xtask.folder) = ("xtask".to_string(), "xtask".to_string());
        let found = problems(workspace);
        assert!(found.len() == 1 && found[0].contains("which nobody may use"), "{found:?}");
    }

    #[test]
    fn the_order_is_that_of_the_page() {
        let other = PAGE.replace("### `noise`\n### `privacy`", "### `privacy`\n### `noise`");
        let turned = Workspace::with_files([(rooms::PAGE, other.as_str())])
            .and_room("privacy", [])
            .and_room("noise", [("pointillist-privacy", Normal)]);
        assert_eq!(problems(turned), [""; 0]);
    }

    #[test]
    fn a_package_not_named_after_its_folder_is_found() {
        let mut workspace = house();
        workspace.crates[0].name = "numerals".to_string();
        let found = problems(workspace);
        assert!(found.len() == 1 && found[0].contains("`numerals`"), "{found:?}");
    }
}
