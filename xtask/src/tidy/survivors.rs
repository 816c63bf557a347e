//! The list of changes that no test can notice is about code that exists: an entry whose line has gone, or has no reason,
//! excuses nothing.

use super::{Finding, Workspace};
use crate::mutants::survivors::{MARK, PATH, Survivor, parse};

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let Some(list) = workspace.file(PATH) else {
        return Vec::new();
    };
    let entries = match parse(&list.text) {
        Ok(entries) => entries,
        Err(problem) => {
            return vec![Finding::in_file(PATH, problem, "each entry has file, code, change and reason")];
        }
    };
    let mut findings = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let mut found = |problem: &str, hint: &str| {
            findings.push(Finding::in_file(PATH, format!("{problem}: {entry}"), hint));
        };
        if !stands_in(workspace, entry) {
            found(
                "the listed line is not in its file",
                "run `cargo xtask mutants` for the crate: the change is caught by now, or needs its reason read again",
            );
        }
        if entry.reason.trim().is_empty() {
            found(
                "a survivor without a reason",
                "say why the change is harmless, or write the test that notices it",
            );
        }
        if entries[..index].iter().any(|earlier| earlier.is_same_change(entry)) {
            found("a survivor is listed twice", "one entry is enough");
        }
    }
    findings
}

/// Whether the file has the line, with one mark in it, and the function that the change is in.
fn stands_in(workspace: &Workspace, entry: &Survivor) -> bool {
    let code = entry.code.replace(MARK, "");
    let marked = entry.code.matches(MARK).count() == 1;
    // `Type::function` or `<impl Trait for Type>::function`; a change without a function names none.
    let function = entry.change.rsplit_once(" in ").map(|(_, name)| name.rsplit("::").next().unwrap_or(name));
    workspace.file(&entry.file).is_some_and(|file| {
        let has_line = file.text.lines().any(|line| line.trim() == code);
        let has_function = function.is_none_or(|name| file.text.contains(&format!("fn {name}")));
        marked && has_line && has_function
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "fn atan(x: f64) -> f64 {\n    x + 32.0\n}\n";

    fn problems(list: &str) -> Vec<String> {
        let workspace = Workspace::with_files([(PATH, list), ("crates/numbers/src/atan.rs", CODE)]);
        check(&workspace).into_iter().map(|finding| finding.problem).collect()
    }

    fn entry(code: &str, change: &str, reason: &str) -> String {
        format!(
            r#"{{"file": "crates/numbers/src/atan.rs", "code": "{code}", "change": "{change}", "reason": "{reason}"}}"#
        )
    }

    #[test]
    fn an_entry_about_code_that_stands_is_fine() {
        assert_eq!(
            problems(&format!("[{}]", entry("x ▸+ 32.0", "replace + with * in atan", "More digits."))),
            [""; 0]
        );
        assert_eq!(problems("[]"), [""; 0]);
        assert!(check(&Workspace::with_files([("README.md", "")])).is_empty());
    }

    #[test]
    fn an_entry_about_code_that_has_gone_is_found() {
        for (code, change) in [
            ("x ▸+ 64.0", "replace + with * in atan"),
            ("x + 32.0", "replace + with * in atan"),
            ("x ▸+ 32.0", "replace + with * in atan_of_point"),
        ] {
            let found = problems(&format!("[{}]", entry(code, change, "More digits.")));
            assert!(
                found.len() == 1 && found[0].starts_with("the listed line is not in its file"),
                "{found:?}"
            );
        }
        let elsewhere = entry("x ▸+ 32.0", "replace + with * in atan", "r").replace("atan.rs", "gone.rs");
        assert_eq!(problems(&format!("[{elsewhere}]")).len(), 1);
    }

    #[test]
    fn an_entry_without_a_reason_or_twice_is_found() {
        let (good, bare) = (
            entry("x ▸+ 32.0", "replace + with * in atan", "r"),
            entry("x ▸+ 32.0", "replace + with - in atan", " "),
        );
        assert_eq!(problems(&format!("[{good}, {good}]")).len(), 1);
        assert_eq!(problems(&format!("[{good}, {bare}]")).len(), 1);
        for list in ["{", "{}", r#"[{"file": "x"}]"#] {
            assert_eq!(problems(list).len(), 1, "{list}");
        }
        assert_eq!(problems(&format!("[{}]", good.replacen('{', r#"{"line": "7", "#, 1))).len(), 1);
    }
}
