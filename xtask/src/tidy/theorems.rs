//! Whatever publishes opens with its theorem, and has a test that is one.
//!
//! A file *publishes* when its production code has a function that draws secure bits and that others can call: a `pub fn`,
//! or a method called `release` or `randomize`; a function called `sample…` draws noise and sees no data, so it does not
//! count. Such a file of the rooms in [`FOLDERS`] begins with `//!` lines that say
//!
//! - **Guarantee.** what is promised,
//! - **Neighbours.** for which pairs of data sets,
//! - **Source.** or **Proof.** where the proof is: a numbered statement, another file, or the argument itself,
//!
//! and has a `#[test]`: in the file, in `tests.rs` or `tests/` beside it, or where its line `**Tests.**` points, in a file
//! that names one of its types. Every file of the mechanisms, also one that publishes nothing, has a guarantee and a test.
//! A file of the attacks and audits that claims a guarantee says where the proof is.

use super::rust_code::{Visibility, code_only, contains_word, functions, production_files};
use super::workspace::TextFile;
use super::{Finding, Workspace};

/// Where mechanisms live. `learn` and `synth` are checked the day they appear.
const FOLDERS: [&str; 7] = [
    MECHANISMS,
    "crates/workload/src/",
    "crates/local/src/",
    "crates/graph/src/edge/",
    "crates/graph/src/node/",
    "crates/learn/src/",
    "crates/synth/src/",
];
/// Where claims are made that are not mechanisms.
const CLAIMING: [&str; 2] = ["crates/attack/src/", "crates/audit/src/"];

const MECHANISMS: &str = "crates/mechanisms/src/";
/// Files of the mechanisms' folder that promise nothing: the front door, the list of mechanisms, errors, tables of tests.
const WITHOUT_PROMISE: [&str; 5] = ["lib.rs", "card.rs", "catalogue.rs", "error.rs", "golden_numbers.rs"];

const GUARANTEE: &str = "**Guarantee.**";
const NEIGHBOURS: &str = "**Neighbours.**";
const PROOFS: [&str; 2] = ["**Source.**", "**Proof.**"];
const TESTS: &str = "**Tests.**";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in production_files(workspace) {
        let Some(text) = workspace.file(&file.path) else { continue };
        let head: String = opening_docs(&text.text).collect::<Vec<_>>().join("\n");
        let mut missing = |what: &str, hint: &str| {
            findings.push(Finding::in_file(
                &file.path,
                format!("the file does not open with its {what}"),
                hint,
            ));
        };
        let has_proof = PROOFS.iter().any(|proof| head.contains(proof));
        let in_mechanisms = file
            .path
            .strip_prefix(MECHANISMS)
            .is_some_and(|name| !WITHOUT_PROMISE.contains(&name) && !is_tests(name))
            && !lists_modules(&file.code);
        let publishes = FOLDERS.iter().any(|folder| file.path.starts_with(folder)) && publishes(&file.code);
        let claims = CLAIMING.iter().any(|folder| file.path.starts_with(folder)) && head.contains(GUARANTEE);
        if (publishes || in_mechanisms) && !head.contains(GUARANTEE) {
            missing(GUARANTEE, "say in `//!` lines what is promised, before any code");
        }
        if publishes && !head.contains(NEIGHBOURS) {
            missing(NEIGHBOURS, "say between which data sets the promise holds");
        }
        if (publishes || claims) && !has_proof {
            missing(
                "**Source.** or **Proof.**",
                "cite the numbered statement you checked, or give the argument",
            );
        }
        if (publishes || in_mechanisms) && !has_test(workspace, text, &file.code, &head) {
            findings.push(Finding::in_file(
                &file.path,
                "what publishes has no test",
                format!(
                    "write one in the file or in tests.rs beside it, with its exact law or its accuracy; where other \
                     tests cover it, let a line `{TESTS} `path/tests.rs`` say which"
                ),
            ));
        }
    }
    findings
}

/// Whether a file only says which modules there are: the front page of a group.
fn lists_modules(code: &str) -> bool {
    ["fn", "struct", "enum", "trait", "impl", "const"].iter().all(|word| !contains_word(code, word))
}

/// Whether others can make this code draw on data.
fn publishes(code: &str) -> bool {
    functions(code).iter().any(|function| {
        let draws = function.body.is_some() && function.signature.contains("SecureBits");
        let verb = ["release", "randomize"].iter().any(|verb| function.name.starts_with(verb));
        draws && !function.name.starts_with("sample") && (verb || function.visibility == Visibility::Public)
    })
}

/// The `//!` lines with which a file begins.
fn opening_docs(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| line.strip_prefix("//!"))
}

fn is_tests(name: &str) -> bool {
    name.rsplit('/').next() == Some("tests.rs") || name.split('/').any(|part| part == "tests")
}

fn has_test(workspace: &Workspace, file: &TextFile, code: &str, head: &str) -> bool {
    let holds_test = |text: &str| code_only(text).contains("#[test]");
    let module = file.path.trim_end_matches(".rs");
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // For a whole crate or a group of mechanisms, one shared file of tests would excuse them all at once.
    let parent = workspace.file(&format!("{folder}.rs"));
    let shared = parent
        .filter(|parent| !lists_modules(&code_only(&parent.text)))
        .map(|_| format!("{folder}/tests.rs"));
    let beside = |path: &str| {
        path == format!("{module}/tests.rs")
            || path.starts_with(&format!("{module}/tests/"))
            || shared.as_deref() == Some(path)
    };
    holds_test(&file.text)
        || workspace.files.iter().any(|other| beside(&other.path) && holds_test(&other.text))
        || named_tests(&file.path, head).is_some_and(|path| {
            let names = |text: &str| public_types(code).iter().any(|name| contains_word(text, name));
            workspace
                .file(&path)
                .is_some_and(|other| holds_test(&other.text) && names(&code_only(&other.text)))
        })
}

/// Where the line `**Tests.** `oracle/tests.rs`` of a head points, from the `src` folder of its crate.
fn named_tests(path: &str, head: &str) -> Option<String> {
    let (_, line) = head.split_once(TESTS)?;
    let name = line.split('`').nth(1)?;
    let (source, _) = path.split_once("/src/")?;
    Some(format!("{source}/src/{name}"))
}

fn public_types(code: &str) -> Vec<&str> {
    ["pub struct ", "pub enum "]
        .iter()
        .flat_map(|keyword| code.split(keyword).skip(1))
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//! A mechanism.\n//!\n//! **Guarantee.** ε.\n//! **Neighbours.** One person.\n//! **Source.** Here.\n";
    const CODE: &str =
        "pub struct Laplace;\nimpl Laplace {\n    pub fn release<B: SecureBits>(&self, bits: &mut B) {}\n}\n";
    const TEST: &str = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_holds() {}\n}\n";

    fn problems<const N: usize>(name: &str, text: &str, others: [(&str, &str); N]) -> Vec<String> {
        let workspace = Workspace::with_files([(name, text)]).and_files(others);
        let ours = check(&workspace).into_iter().filter(|finding| finding.path == name);
        ours.map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_mechanism_with_theorem_and_test_is_fine() {
        for folder in FOLDERS {
            let path = format!("{folder}laplace.rs");
            assert_eq!(problems(&path, &format!("{HEAD}{CODE}{TEST}"), []), [""; 0], "{folder}");
            let proven = HEAD.replace("Source", "Proof");
            assert_eq!(problems(&path, &format!("{proven}{CODE}{TEST}"), []), [""; 0], "{folder}");
        }
    }

    #[test]
    fn each_missing_part_of_the_theorem_is_found_wherever_mechanisms_live() {
        for folder in FOLDERS {
            for part in ["Guarantee", "Neighbours", "Source"] {
                let head = HEAD.replace(part, "Hope");
                let found = problems(&format!("{folder}laplace.rs"), &format!("{head}{CODE}{TEST}"), []);
                assert_eq!(found.len(), 1, "{folder} {part}: {found:?}");
            }
            let late = format!("//! A mechanism.\n\n{HEAD}{CODE}{TEST}");
            assert_eq!(problems(&format!("{folder}laplace.rs"), &late, []).len(), 3);
        }
    }

    #[test]
    fn a_comment_or_an_empty_file_of_tests_is_no_test() {
        let name = "crates/mechanisms/src/laplace.rs";
        let found = |text: &str| problems(name, &format!("{HEAD}{CODE}{text}"), []).len();
        assert_eq!(found("// #[cfg(test)] #[test]\n"), 1);
        assert_eq!(found("#[cfg(test)]\nmod tests {}\n"), 1);
        let beside = |path: &str, text: &str| problems(name, &format!("{HEAD}{CODE}"), [(path, text)]).len();
        assert_eq!(beside("crates/mechanisms/src/laplace/tests.rs", ""), 1);
        assert_eq!(beside("crates/mechanisms/src/laplace/tests.rs", TEST), 0);
        assert_eq!(beside("crates/mechanisms/src/laplace/tests/law.rs", TEST), 0);
        assert_eq!(beside("crates/mechanisms/src/tests.rs", TEST), 1, "one file would excuse them all");
        let part = "crates/mechanisms/src/quantile/tree.rs";
        let part = |parent: &str| {
            let others = [
                ("crates/mechanisms/src/quantile.rs", parent),
                ("crates/mechanisms/src/quantile/tests.rs", TEST),
            ];
            problems(part, &format!("{HEAD}{CODE}"), others).len()
        };
        assert_eq!(part(CODE), 0, "tests of a mechanism count for its parts");
        assert_eq!(part("pub mod tree;\n"), 1, "tests of a group count for nobody");
    }

    #[test]
    fn a_head_may_point_to_tests_that_name_its_types() {
        let name = "crates/local/src/laplace.rs";
        let text = format!("{HEAD}//! **Tests.** `oracle/tests.rs`: its law.\n{CODE}");
        let with = |tests: &str| problems(name, &text, [("crates/local/src/oracle/tests.rs", tests)]).len();
        assert_eq!(with(&format!("{TEST}\nfn all() -> Laplace {{ Laplace }}\n")), 0);
        assert_eq!(with(TEST), 1, "tests that never name the type");
        assert_eq!(with("fn all() -> Laplace { Laplace }\n"), 1, "no test");
        assert_eq!(problems(name, &text, []).len(), 1, "no such file");
    }

    #[test]
    fn methods_of_traits_publish_and_samplers_do_not() {
        let name = "crates/graph/src/edge/stars.rs";
        let method =
            "impl Mechanism for Stars {\n    fn release(&self, bits: &mut dyn SecureBits) -> i128 { 0 }\n}\n";
        assert_eq!(problems(name, method, []).len(), 4);
        for helper in [
            "pub fn sample(bits: &mut dyn SecureBits) -> i128 { 0 }\n",
            "fn noisy(bits: &mut dyn SecureBits) -> i128 { 0 }\n",
            "pub trait Mechanism {\n    fn release(&self, bits: &mut dyn SecureBits) -> i128;\n}\n",
            "pub fn count(graph: &Graph) -> u64 { 0 }\n",
        ] {
            assert_eq!(problems(name, helper, []), [""; 0], "{helper}");
        }
    }

    #[test]
    fn in_the_mechanisms_also_a_building_block_has_its_guarantee_and_a_test() {
        assert_eq!(problems("crates/mechanisms/src/grid.rs", "pub struct Grid;\n", []).len(), 2);
        assert_eq!(
            problems("crates/mechanisms/src/choice.rs", "//! The best.\npub mod top_k;\n", []),
            [""; 0]
        );
        for name in WITHOUT_PROMISE {
            assert_eq!(problems(&format!("{MECHANISMS}{name}"), "", []), [""; 0], "{name}");
        }
    }

    #[test]
    fn an_attack_that_claims_a_guarantee_says_where_the_proof_is() {
        let name = "crates/attack/src/limits.rs";
        assert_eq!(problems(name, "//! **Guarantee.** No more than this.\n", []).len(), 1);
        assert_eq!(problems(name, "//! **Guarantee.** No more.\n//! **Proof.** Below.\n", []), [""; 0]);
        assert_eq!(problems(name, "//! An attack.\n", []), [""; 0]);
    }
}
