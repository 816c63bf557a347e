//! Whatever publishes something about people asks for secure bits, by type.
//!
//! A release that takes any source of words can be handed a script, and a script can be run again and subtracted. So in
//! the rooms that publish, no function takes a mere `BitSource`, and every `release` and `randomize` names `SecureBits` or
//! the generator's own type, `SystemBits`. The feature that makes closures secure bits is for tests: the test kit turns it
//! on, and nobody else may. That a program without it cannot pass a closure is compiled by a step of its own,
//! `library_user.rs`.

use super::rust_code::{functions, line_of, production_files};
use super::{Finding, Workspace};

/// The rooms whose functions publish.
const PUBLISHING: [&str; 7] = ["mechanisms", "workload", "local", "graph", "learn", "synth", "curator"];
/// Verbs for publishing: a function whose name is one of these, or begins with one and an underscore.
const VERBS: [&str; 2] = ["release", "randomize"];
const ANY_BITS: &str = "BitSource";
const SECURE: [&str; 2] = ["SecureBits", "SystemBits"];

const FEATURE: &str = "scripted-bits";
/// The room that turns the feature on.
const SCRIPTING: &str = "testkit";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in production_files(workspace) {
        if !PUBLISHING.iter().any(|room| file.path.starts_with(&format!("crates/{room}/src/"))) {
            continue;
        }
        for function in functions(&file.code) {
            let line = line_of(&file.code, function.start);
            let publishes = VERBS.iter().any(|verb| {
                function.name == *verb
                    || function.name.strip_prefix(verb).is_some_and(|rest| rest.starts_with('_'))
            });
            let draws = publishes && function.signature.contains("bits");
            if function.signature.contains(ANY_BITS) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{}` takes any source of words, also one that can be repeated", function.name),
                    format!("ask for {} instead of {ANY_BITS}", SECURE[0]),
                ));
            } else if draws && !SECURE.iter().any(|name| function.signature.contains(name)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{}` publishes, and does not say that its bits are secure", function.name),
                    format!("take `bits: &mut impl {}`, by that name", SECURE[0]),
                ));
            }
        }
    }
    for member in workspace.crates.iter().filter(|member| member.room() != SCRIPTING) {
        for dependency in &member.dependencies {
            if dependency.features.iter().any(|feature| feature == FEATURE) {
                findings.push(Finding::in_file(
                    &member.manifest_path(),
                    format!("turns on `{FEATURE}`, which lets a closure pass for secure bits"),
                    "tests get it from pointillist-testkit, as a dependency of tests; production goes without",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::workspace::DependencyKind::{Development, Normal};

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        check(&Workspace::with_files([(path, text)]))
    }

    const MECHANISM: &str = "crates/mechanisms/src/laplace.rs";

    #[test]
    fn secure_bits_by_either_name_are_fine() {
        for signature in [
            "pub fn release<B: SecureBits + ?Sized>(&self, answer: i128, bits: &mut B) -> i128 { 0 }",
            "fn release(&self, graph: &Graph, bits: &mut dyn SecureBits) -> Vec<i128>;",
            "pub fn release<R>(rows: R, bits: &mut B)\nwhere\n    B: SecureBits,\n{\n}",
            "fn release_graph(graph: &Graph, bits: &mut SystemBits) {}",
            "pub fn released(&self) -> i128 { 0 }",
            "pub fn release(self) -> Released { self.0 }",
        ] {
            assert_eq!(findings(MECHANISM, signature), [], "{signature}");
        }
    }

    #[test]
    fn a_release_with_any_bits_is_found() {
        for signature in [
            "pub fn release<B: BitSource>(&self, answer: i128, bits: &mut B) -> i128 { 0 }",
            "fn noisy(&self, bits: &mut dyn BitSource) -> i128 { 0 }",
            "pub fn release(&self, bits: &mut impl FnMut() -> u64) -> i128 { 0 }",
            "pub fn randomize<R: Rng>(&self, bits: &mut R) -> u64 { 0 }",
            "pub fn release_all<B>(&self, bits: &mut B) -> u64\nwhere\n    B: BitSource + ?Sized,\n{\n}",
        ] {
            assert_eq!(findings(MECHANISM, signature).len(), 1, "{signature}");
            assert_eq!(findings("crates/noise/src/laplace.rs", signature), [], "samplers take any bits");
        }
    }

    #[test]
    fn the_feature_is_for_the_test_kit_alone() {
        for (room, kind, found) in
            [("testkit", Normal, 0), ("audit", Normal, 1), ("curator", Normal, 1), ("engine", Development, 1)]
        {
            let mut workspace = Workspace::default().and_room(room, [("pointillist-noise", kind)]);
            workspace.crates[0].dependencies[0].features.push(FEATURE.to_string());
            assert_eq!(check(&workspace).len(), found, "{room}");
        }
    }
}
