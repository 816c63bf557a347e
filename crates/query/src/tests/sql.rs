//! Questions as text files: what is answered, with its plan, and what is refused, with the reason and the way out.
//!
//! ```text
//! SELECT COUNT(*) FROM visits
//! ----
//! Answer COUNT(*) AS count
//! …
//! ```
//!
//! The files are for analysts to read and for other doors to reuse; the tables they ask about are those of `fixture.rs`.
//! To change them, write a statement and `----` below it, run the tests with `POINTILLIST_UPDATE=1`, and read the difference.

use std::fs;
use std::path::PathBuf;

use pointillist_errors::Explained;

use super::fixture::try_plan;

/// A statement and what is said about it.
pub(super) struct Example {
    pub(super) sql: String,
    pub(super) expected: String,
}

/// The files of questions that are answered.
const ANSWERED: [&str; 3] = ["answered", "joins", "subqueries"];
/// The files of questions that are refused.
const REFUSED: [&str; 2] = ["refused", "refused_relations"];

/// The questions that are answered.
pub(super) fn answered() -> Vec<Example> {
    ANSWERED.into_iter().flat_map(read).collect()
}

/// The questions that are refused.
pub(super) fn refused() -> Vec<Example> {
    REFUSED.into_iter().flat_map(read).collect()
}

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src/tests/sql", &format!("{name}.txt")].iter().collect()
}

fn read(name: &str) -> Vec<Example> {
    let text = fs::read_to_string(path(name)).expect("the file stands beside the tests");
    // An empty line ends an example, unless the plan goes on: statements begin in the first column, in capitals or not.
    let mut examples = Vec::new();
    let mut parts = text.split("\n----\n").peekable();
    let mut sql = parts.next().unwrap_or_default().trim().to_owned();
    while let Some(part) = parts.next() {
        let (expected, next) = match parts.peek() {
            Some(_) => part.rsplit_once("\n\n").unwrap_or((part, "")),
            None => (part, ""),
        };
        let expected = expected.trim_end().to_owned();
        examples.push(Example { sql: std::mem::replace(&mut sql, next.trim().to_owned()), expected });
    }
    examples
}

pub(super) fn check(name: &str, said: impl Fn(&str) -> String) {
    let examples = read(name);
    let now: Vec<(String, String)> = examples
        .iter()
        .map(|example| (example.sql.clone(), said(&example.sql).trim_end().to_owned()))
        .collect();
    if std::env::var_os("POINTILLIST_UPDATE").is_some() {
        let texts: Vec<String> = now.iter().map(|(sql, said)| format!("{sql}\n----\n{said}\n")).collect();
        fs::write(path(name), texts.join("\n")).expect("the file can be written");
        return;
    }
    for (example, (sql, said)) in examples.iter().zip(&now) {
        assert_eq!(
            &example.expected, said,
            "{sql}\nif that is meant, run the tests with POINTILLIST_UPDATE=1"
        );
    }
    assert!(examples.len() >= 10);
}

#[test]
fn these_questions_have_plans_that_say_so() {
    for name in ANSWERED {
        check(name, |sql| match try_plan(sql) {
            Ok(plan) => plan.to_string(),
            Err(refusal) => format!("REFUSED {}", refusal.explanation().text()),
        });
    }
    assert!(
        answered().iter().all(|example| example.expected.starts_with("Answer ")),
        "all of them are answered"
    );
}

#[test]
fn these_questions_are_refused_with_a_way_out() {
    for name in REFUSED {
        check(name, |sql| match super::released::planned(sql) {
            Ok(plan) => format!("ANSWERED {plan}"),
            Err(refusal) => format!("{} {}", refusal.sqlstate(), refusal.explanation().text()),
        });
    }
    for Example { sql, expected } in refused() {
        assert!(expected.contains("\nhint: ") && !expected.starts_with("ANSWERED"), "{sql}\n{expected}");
    }
}
