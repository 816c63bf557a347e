//! Doors are thin: a door parses a request, calls the libraries and prints what comes back.
//!
//! What a command line decides, a server and a notebook would have to decide again, and the second time differently. So no
//! door opens or writes a ledger, releases anything, compares amounts of a budget, reads rows or names a mechanism, and
//! each stays small enough to be read in an afternoon. [`ALLOWED`] lists what may look like it, and why.

use super::rust_code::{contains_word_starting_with, numbered_lines, production_files};
use super::{Finding, Workspace};

/// The rooms that are doors, not all of them built, and the most lines of each that are neither blank nor tests.
///
/// The command line has a file for each of its verbs, most of it arguments and printing; those who let people in and serve came
/// last, and models, with five verbs whose arguments, help and printing are all that is here: their files are read, written, signed and
/// used by `publication/src/model_file.rs`; studies have two verbs, whose tables and objects are printed here. The server speaks two protocols to people whom nobody trusts: what a session, a portal, a transaction or a head of HTTP is
/// concerns no other door. The console is templates and words for what it is given; what is served of it (sessions, forms, who may see
/// which page) is the server's.
const DOORS: [(&str, usize); 4] = [("cli", 9_600), ("console", 3_800), ("server", 9_400), ("python", 6_300)];

/// What a door does not name, and where it belongs.
const FORBIDDEN: [(&str, &str, &str); 9] = [
    ("Ledger::", "opens or changes a ledger", "curator/src/home.rs opens them, for every door alike"),
    ("LedgerReader::", "opens a ledger", "curator/src/home.rs opens them, for every door alike"),
    ("charge(", "spends from a budget", "curator/src/ask.rs is the only one who pays"),
    ("release(", "releases something", "releases are the curator's, against a receipt"),
    ("with_system_bits", "draws randomness", "whoever releases draws; a door asks for answers"),
    (
        "loss_units",
        "computes with amounts of a budget",
        "curator/src/words.rs and balances.rs say what is left",
    ),
    (
        "delta_units",
        "computes with amounts of a budget",
        "curator/src/words.rs and balances.rs say what is left",
    ),
    ("pointillist_engine", "reads rows", "the curator reads, once a question is paid for"),
    (
        "pointillist_mechanisms",
        "names a mechanism",
        "mechanisms are chosen by plans, and the curator runs them",
    ),
];

/// What a file, or every file of a folder, may name after all.
const ALLOWED: [(&str, &str, &str); 18] = [
    ("crates/cli/src/commands/noise.rs", "with_system_bits", "noise by itself, which is no answer"),
    (
        "crates/cli/src/commands/local/randomize.rs",
        "with_system_bits",
        "somebody randomizes their own answer",
    ),
    ("crates/cli/src/commands/attack/output.rs", "with_system_bits", "attackers toss coins of their own"),
    (
        "crates/cli/src/commands/attack/reconstruct.rs",
        "with_system_bits",
        "attackers toss coins of their own",
    ),
    (
        "crates/cli/src/commands/graph/arguments.rs",
        "release(",
        "asks for a one-off, which the curator's room makes",
    ),
    (
        "crates/cli/src/commands/release/publish.rs",
        "release(",
        "asks for a release, which the room of publications makes",
    ),
    (
        "crates/cli/src/commands/account/calibrate.rs",
        "pointillist_mechanisms",
        "a calculator, which releases nothing",
    ),
    ("crates/cli/src/commands/mechanisms.rs", "pointillist_mechanisms", "lists them"),
    ("crates/python/src/noise.rs", "with_system_bits", "noise by itself, which is no answer"),
    ("crates/python/src/local", "with_system_bits", "somebody randomizes their own answer"),
    ("crates/python/src/attack", "with_system_bits", "attackers toss coins of their own"),
    ("crates/python/src/audit", "with_system_bits", "auditors toss coins of their own"),
    ("crates/python/src/audit/recorded.rs", "release(", "gives out what somebody's function has released"),
    ("crates/python/src/graph.rs", "release(", "asks for a one-off, which the curator's room makes"),
    ("crates/python/src/accounting.rs", "pointillist_mechanisms", "a calculator, which releases nothing"),
    (
        "crates/python/src/mechanisms",
        "pointillist_mechanisms",
        "mechanisms for whoever keeps their own books",
    ),
    ("crates/python/src/mechanisms", "with_system_bits", "as above"),
    ("crates/python/src/mechanisms", "release(", "as above"),
];

/// Whether a file is the one that is allowed something, or lies in the folder that is.
fn is_of(path: &str, allowed: &str) -> bool {
    let rest = path.strip_prefix(allowed);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest == ".rs")
}

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = production_files(workspace);
    for (path, name, _) in ALLOWED.into_iter().filter(|_| workspace.room("noise").is_some()) {
        let names = |code: &str| contains_word_starting_with(code, name);
        if !files.iter().any(|file| is_of(&file.path, path) && file.code.lines().any(names)) {
            let problem = format!("{path} may name `{name}` and does not");
            findings.push(Finding::in_file(
                "xtask/src/tidy/thin_doors.rs",
                problem,
                "take it out of ALLOWED",
            ));
        }
    }
    for (door, lines_max) in DOORS {
        let folder = format!("crates/{door}/src/");
        for file in files.iter().filter(|file| file.path.starts_with(&folder)) {
            for (line, code) in numbered_lines(&file.code) {
                findings.extend(FORBIDDEN.iter().filter_map(|(name, does, instead)| {
                    let is_allowed =
                        ALLOWED.iter().any(|(path, what, _)| is_of(&file.path, path) && what == name);
                    let found = !is_allowed && contains_word_starting_with(code, name);
                    found.then(|| {
                        Finding::at_line(&file.path, line, format!("a door {does}: `{name}`"), *instead)
                    })
                }));
            }
        }
        let lines: usize = workspace
            .rust_files()
            .filter(|file| file.path.starts_with(&folder))
            .filter(|file| files.iter().any(|production| production.path == file.path))
            .map(|file| lines_of(&file.text))
            .sum();
        if lines > lines_max {
            let problem = format!("{lines} lines are more than {lines_max}, for this door");
            let hint =
                "a door parses, calls and prints: look for what a server or a notebook would need as well";
            findings.push(Finding::in_file(&folder, problem, hint));
        }
    }
    findings
}

/// Lines that are neither blank nor tests.
fn lines_of(text: &str) -> usize {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> usize {
        check(&Workspace::with_files([(path, text)])).len()
    }

    #[test]
    fn a_door_that_does_what_libraries_do_is_found() {
        for line in [
            "let ledger = Ledger::open(&place, Options::default())?;",
            "ledger.charge(charge)?;",
            "let answer = mechanism.release(truth, bits);",
            "with_system_bits(|bits| mechanism.draw(bits))",
            "if spent.loss_units > granted.loss_units { refuse() }",
            "use pointillist_mechanisms::number::Laplace;",
        ] {
            let text = format!("fn run() {{\n{line}\n}}\n");
            assert!(problems("crates/cli/src/commands/query.rs", &text) > 0, "{line}");
            assert!(problems("crates/server/src/http.rs", &text) > 0, "{line}");
            assert_eq!(problems("crates/curator/src/ask.rs", &text), 0, "{line}");
            let test = format!("#[cfg(test)]\nmod tests {{\nfn run() {{\n{line}\n}}\n}}\n");
            assert_eq!(problems("crates/cli/src/commands/query.rs", &test), 0, "in a test: {line}");
        }
        let door = "fn run() {\nlet reply = home.curator(clock)?.ask(&ask)?;\nprint(&reply);\n}\n";
        assert_eq!(problems("crates/cli/src/commands/query.rs", door), 0);
    }

    #[test]
    fn a_door_has_so_many_lines_and_no_more() {
        let lines = |count: usize| "let x = 1;\n\n".repeat(count);
        for (door, lines_max) in DOORS {
            let path = format!("crates/{door}/src/main.rs");
            assert_eq!(problems(&path, &lines(lines_max)), 0);
            assert_eq!(problems(&path, &lines(lines_max + 1)), 1);
            assert_eq!(problems("crates/curator/src/lib.rs", &lines(lines_max + 1)), 0);
            let (module, tests) =
                (format!("crates/{door}/src/wire.rs"), format!("crates/{door}/src/wire/tests.rs"));
            let with_tests = Workspace::with_files([
                (&module, "let x = 1;\n#[cfg(test)]\nmod tests;\n"),
                (&tests, &lines(lines_max + 1)),
            ]);
            assert_eq!(check(&with_tests).len(), 0, "tests of {door} are no part of it");
        }
    }
}
