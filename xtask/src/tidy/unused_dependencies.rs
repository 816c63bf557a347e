//! A dependency that is declared is used: each costs time to build and trust to keep.
//!
//! A crate of `[dependencies]` must be named in the production code of whoever lists it, one of `[dev-dependencies]`
//! anywhere in its Rust, one of `[build-dependencies]` in its Rust as well; and a line of `[workspace.dependencies]` is for some
//! member.

use super::rust_code::{code_only, contains_word, numbered_lines, production_files};
use super::workspace::{Crate, Dependency, DependencyKind};
use super::{Finding, Workspace};

/// Dependencies that are there for something else than their names: room, crate, reason.
const EXCUSED: [(&str, &str, &str); 1] =
    [("testkit", "pointillist-noise", "turns on its feature `scripted-bits` for everybody who tests")];

const ROOT: &str = "Cargo.toml";
const TABLE: &str = "[workspace.dependencies]";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let production = production_files(workspace);
    for member in &workspace.crates {
        let source = format!("{}/", member.folder);
        let own = production.iter().filter(|file| file.path.starts_with(&source));
        let production: String = own.map(|file| file.code.as_str()).collect();
        let everything: String = workspace
            .rust_files()
            .filter(|file| file.path.starts_with(&source))
            .map(|file| code_only(&file.text))
            .collect();
        for dependency in &member.dependencies {
            let name = dependency.name.replace('-', "_");
            let code = match dependency.kind {
                DependencyKind::Normal if member.folder.starts_with("crates/") => &production,
                _ => &everything,
            };
            if !contains_word(code, &name) && !is_excused(member, dependency) {
                findings.push(Finding::in_file(
                    &member.manifest_path(),
                    format!("depends on `{}` and never names it", dependency.name),
                    "take the line out; what only tests use goes to [dev-dependencies]",
                ));
            }
        }
    }
    let text = workspace.file(ROOT).map_or("", |file| &file.text);
    for (line, name) in shared_dependencies(text) {
        let listed = |member: &Crate| member.dependencies.iter().any(|dependency| dependency.name == name);
        if !workspace.crates.iter().any(listed) {
            findings.push(Finding::at_line(
                ROOT,
                line,
                format!("`{name}` is shared by nobody"),
                "take the line out of [workspace.dependencies]",
            ));
        }
    }
    findings
}

fn is_excused(member: &Crate, dependency: &Dependency) -> bool {
    EXCUSED.iter().any(|(room, name, _)| *room == member.room() && *name == dependency.name)
}

/// The keys of the table, with their lines.
fn shared_dependencies(manifest: &str) -> Vec<(usize, &str)> {
    numbered_lines(manifest)
        .skip_while(|(_, line)| line.trim() != TABLE)
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter_map(|(line, text)| Some((line, text.split_once('=')?.0.split('.').next()?.trim())))
        .filter(|(_, key)| !key.is_empty() && !key.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use DependencyKind::{Development, Normal};

    fn problems(code: &str, kind: DependencyKind) -> Vec<String> {
        let files = [("crates/noise/src/lib.rs", code)];
        let workspace = Workspace::with_files(files).and_room("noise", [("chacha20-poly", kind)]);
        check(&workspace).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_dependency_that_is_named_is_fine() {
        assert_eq!(problems("use chacha20_poly::ChaCha20;\n", Normal), [""; 0]);
        assert_eq!(problems("#[cfg(test)]\nmod tests { use chacha20_poly::A; }\n", Development), [""; 0]);
    }

    #[test]
    fn a_dependency_that_only_comments_or_tests_name_is_found() {
        for code in [
            "// chacha20_poly\n",
            "use chacha20_poly1305::A;\n",
            "#[cfg(test)]\nmod tests { use chacha20_poly::A; }\n",
        ] {
            assert_eq!(problems(code, Normal), ["depends on `chacha20-poly` and never names it"], "{code}");
        }
        assert_eq!(problems("", Development).len(), 1);
    }

    #[test]
    fn a_shared_dependency_that_nobody_takes_is_found() {
        let manifest = "[workspace.dependencies]\nlibm = \"0.2\"\n# old = \"1\"\nrayon.version = \"1\"\n\n[profile.dev]\nopt-level = 1\n";
        let workspace =
            Workspace::with_files([(ROOT, manifest), ("crates/noise/src/lib.rs", "use libm::exp;\n")])
                .and_room("noise", [("libm", Normal)]);
        let found = check(&workspace);
        assert!(found.len() == 1 && found[0].line == Some(4), "{found:?}");
    }
}
