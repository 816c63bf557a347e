//! Randomness is a capability: no seed and no other generator is reachable outside of tests.
//!
//! Noise drawn from a seed can be drawn again and subtracted, which undoes every guarantee. So production
//! code may not name anything seedable, and the cipher behind the generator is set up in one file only, where
//! its key comes from the operating system. The seeded generator of tests lives in `testkit`. The ledger seals
//! answers with the same cipher, in one file that draws nothing. One file of planted leaks draws from seeds on purpose,
//! for audits to catch; it is private to its module and releases nothing.

use super::rust_code::{contains_word_starting_with, numbered_lines, production_files};
use super::{Finding, Workspace};

const SEEDABLE: [&str; 6] = ["seed_from_u64", "from_seed", "SeedableRng", "StdRng", "SmallRng", "seeded("];
const CIPHER: &str = "ChaCha";
const ENTROPY: &str = "crates/noise/src/entropy.rs";
const SEAL: &str = "crates/ledger/src/seal.rs";
const PLANTED: &str = "crates/audit/src/planted/randomness.rs";
const TESTKIT: &str = "crates/testkit/";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in production_files(workspace) {
        if file.path.starts_with(TESTKIT) || file.path == PLANTED {
            continue;
        }
        for (line, code) in numbered_lines(&file.code) {
            if let Some(name) = SEEDABLE.iter().find(|name| contains_word_starting_with(code, name)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{name}` makes noise that can be repeated, and so undone"),
                    "take the generator as an argument; in tests, build one with pointillist-testkit",
                ));
            }
            if code.contains(CIPHER) && ![ENTROPY, SEAL].contains(&file.path.as_str()) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("a generator is set up outside of {ENTROPY}"),
                    "take the generator as an argument, and let that one file key it from the operating system",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        check(&Workspace::with_files([(path, text)]))
    }

    const SAMPLER: &str = "crates/noise/src/laplace.rs";

    #[test]
    fn every_seedable_name_is_found_in_production_code() {
        for name in SEEDABLE {
            let found = findings(SAMPLER, &format!("fn draw() {{\n    let rng = Generator::{name}7);\n}}\n"));
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].line, Some(2));
        }
    }

    #[test]
    fn a_seed_after_the_tests_of_a_file_is_found_too() {
        let text = "#[cfg(test)]\nmod tests;\n\nfn draw() { Generator::from_seed([0; 32]); }\n";
        assert_eq!(findings(SAMPLER, text).len(), 1);
    }

    #[test]
    fn tests_testkit_comments_and_messages_may_speak_of_seeds() {
        let in_tests = "fn draw() {}\n#[cfg(test)]\nmod tests {\n    fn rng() -> R { seeded(7) }\n}\n";
        assert_eq!(findings(SAMPLER, in_tests), []);
        assert_eq!(findings("crates/testkit/src/lib.rs", "pub fn seeded(seed: u64) {}"), []);
        assert_eq!(findings("crates/noise/tests/all.rs", "fn rng() -> R { seeded(7) }"), []);
        assert_eq!(findings(SAMPLER, "// No SeedableRng here.\nconst TEXT: &str = \"StdRng\";\n"), []);
        assert_eq!(findings(SAMPLER, "fn draw() { rng.reseeded(); }"), []);
    }

    #[test]
    fn the_cipher_is_set_up_in_one_file_only() {
        let text = "//! Keyed ChaCha.\nfn open() { ChaCha20::new(&key, &nonce) }\n";
        assert_eq!(findings(SAMPLER, text).len(), 1);
        assert_eq!(findings(ENTROPY, text), []);
        assert_eq!(findings("crates/testkit/src/seeded.rs", text), []);
        assert_eq!(findings(PLANTED, "fn seeded() {}"), []);
        assert_ne!(findings("crates/audit/src/planted/numbers.rs", "fn seeded() {}"), []);
    }
}
