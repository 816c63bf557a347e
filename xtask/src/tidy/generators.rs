//! Randomness is a capability: no seed and no other generator is reachable outside of tests.
//!
//! Noise drawn from a seed can be drawn again and subtracted, which undoes every guarantee. So production code may not
//! name anything seedable nor a generator of other people, the cipher behind the generator is set up in one file only,
//! where its key comes from the operating system, and nobody writes a generator by hand: a multiplication by a large odd
//! constant or a number xored with itself, shifted, is one. The seeded generator of tests lives in `testkit`. The ledger
//! seals answers with the same cipher, in one file that draws nothing. [`MIXING`] lists the files that scatter words
//! without drawing noise from them, and why; other crates' generators have no place in the manifests either
//! (`foreign_crates.rs`), and no closure is secure bits without a feature (`secure_bits.rs`).

use super::rust_code::{contains_word_starting_with, numbered_lines, production_files};
use super::{Finding, Workspace};

const SEEDABLE: [&str; 6] = ["seed_from_u64", "from_seed", "SeedableRng", "StdRng", "SmallRng", "seeded("];
const FOREIGN: [&str; 9] =
    ["fastrand", "oorandom", "ThreadRng", "thread_rng", "Xoshiro", "Xorshift", "Pcg", "SplitMix", "rand::"];
const CIPHER: &str = "ChaCha";
const ENTROPY: &str = "crates/noise/src/entropy.rs";
const SEAL: &str = "crates/ledger/src/seal.rs";
const TESTKIT: &str = "crates/testkit/";

/// The files that scatter words by hand, each with its reason. None of them releases anything.
const MIXING: [(&str, &str); 12] = [
    (PLANTED, "leaks that audits must catch draw from seeds on purpose; private to its module"),
    ("crates/audit/src/graphs/small.rs", "small graphs that audits start from, the same every time"),
    ("crates/attack/src/linkage/examples.rs", "a made-up town, the same every time"),
    ("crates/study/src/recommendations/made_up.rs", "ratings that nobody gave, the same every time"),
    (
        "crates/study/src/recommendations/ratings.rs",
        "which ratings are held back, a function of person and item",
    ),
    ("crates/demo/src/hospital.rs", "a made-up hospital, the same every time"),
    ("crates/console/src/assets.rs", "names of our own style sheet and script, by their bytes"),
    ("crates/console/src/picture.rs", "the dots of a picture, the same every time"),
    ("crates/curator/src/made_up.rs", "made-up rows of rehearsals, the same every time"),
    ("crates/graph/src/node/pair_order.rs", "an order of ties that depends on public ids alone"),
    ("crates/learn/src/tuning/parts.rs", "which part of the rows a person is in, a function of that person"),
    ("crates/graph/src/node/projection.rs", "an order of ties that depends on public ids alone"),
];
const PLANTED: &str = "crates/audit/src/planted/randomness.rs";

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = production_files(workspace);
    // A made-up workspace of a test has none of the listed files; a real one has all of them.
    for (path, _) in MIXING.into_iter().filter(|_| workspace.room("noise").is_some()) {
        let listed = files.iter().find(|file| file.path == path);
        if !listed.is_some_and(|file| file.code.lines().any(is_mixer)) {
            let problem = format!("{path} is listed and scatters nothing");
            findings.push(Finding::in_file("xtask/src/tidy/generators.rs", problem, "take it out of MIXING"));
        }
    }
    for file in files {
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
            if let Some(name) = FOREIGN.iter().find(|name| contains_word_starting_with(code, name)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{name}` is a generator of somebody else"),
                    "take secure bits as an argument; `with_system_bits` of pointillist-noise lends them",
                ));
            }
            if is_mixer(code) && !MIXING.iter().any(|(path, _)| *path == file.path) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    "a generator written by hand",
                    "take secure bits as an argument; where words are only scattered, list the file in MIXING, in \
                     xtask/src/tidy/generators.rs, with the reason why no noise comes from it",
                ));
            }
        }
    }
    findings
}

/// Whether a line multiplies by a constant of more than 32 bits, wrapping, or xors a number with itself, shifted by a constant.
fn is_mixer(code: &str) -> bool {
    let multiplies = code.split("wrapping_mul(").skip(1).any(|rest| {
        let digits: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let digits = digits.replace('_', "").to_lowercase();
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        value.is_some_and(|value| value > u64::from(u32::MAX))
    });
    let shifts_itself = code.split_once("^=").is_some_and(|(left, right)| {
        let name = left.trim().rsplit(' ').next().unwrap_or_default();
        let shifted = right.trim_start().trim_start_matches('(');
        let after = shifted.strip_prefix(name).map(str::trim_start);
        !name.is_empty()
            && after.is_some_and(|rest| {
                let amount = rest.strip_prefix("<<").or(rest.strip_prefix(">>")).map(str::trim_start);
                amount.is_some_and(|amount| amount.starts_with(|c: char| c.is_ascii_digit()))
            })
    });
    multiplies || shifts_itself
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
    }

    #[test]
    fn generators_written_by_hand_and_those_of_others_are_found() {
        for code in [
            "let mut s = 1u64; q.release(x, &mut || { s ^= s << 13; s });",
            "self.0 ^= self.0 >> 12;",
            "state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);",
            "word.wrapping_mul(0xBF58_476D_1CE4_E5B9)",
            "let x = fastrand::u64(..);",
            "let x = rand::random::<u64>();",
            "let mut rng: ThreadRng = rng();",
        ] {
            assert_eq!(findings(SAMPLER, code).len(), 1, "{code}");
        }
        for code in [
            "hash.wrapping_mul(10)",
            "bits ^= other << 3;",
            "mask ^= mask << half;",
            "let y = x ^ x;",
            "a.wrapping_mul(b)",
        ] {
            assert_eq!(findings(SAMPLER, code), [], "{code}");
        }
        for (path, reason) in MIXING {
            assert_eq!(findings(path, "x.wrapping_mul(0xBF58_476D_1CE4_E5B9)"), [], "{path}");
            assert!(!reason.is_empty());
        }
    }

    #[test]
    fn planted_leaks_draw_from_seeds_in_one_file_only() {
        assert_eq!(findings(PLANTED, "fn seeded() {}"), []);
        assert_ne!(findings("crates/audit/src/planted/numbers.rs", "fn seeded() {}"), []);
    }
}
