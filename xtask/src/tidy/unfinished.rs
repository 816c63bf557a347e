//! Nothing unfinished is shared: no placeholder that panics, no leftover of a hunt for a bug, no test that is switched off,
//! no reminder that nobody reads, and no panic of production that does not say why it cannot happen.

use super::rust_code::{
    code_only, contains_word, contains_word_starting_with, numbered_lines, production_files,
};
use super::{Finding, Workspace};

const UNFINISHED_CODE: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// Looked for in comments too, so they are put together here to keep this file out of the findings.
const REMINDERS: [&str; 4] =
    [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X"), concat!("HA", "CK")];
/// Panics of production say why, in so many words at least.
const PANICS: [&str; 2] = ["unreachable!(", "panic!("];
const REASON_WORDS_MIN: usize = 3;

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        for (line, code) in numbered_lines(&code_only(&file.text)) {
            for needle in UNFINISHED_CODE.iter().filter(|needle| contains_word_starting_with(code, needle)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("`{needle}` is unfinished work"),
                    "finish it, or return an error that names what is not supported",
                ));
            }
        }
        for (line, text) in numbered_lines(&file.text) {
            for reminder in REMINDERS.iter().filter(|reminder| contains_word(text, reminder)) {
                findings.push(Finding::at_line(
                    &file.path,
                    line,
                    format!("a {reminder} is a reminder that nobody reads"),
                    "do it now, or state the gap in the documentation where a user would look for it",
                ));
            }
        }
    }
    findings.extend(production_files(workspace).iter().flat_map(|file| {
        let text = workspace.file(&file.path).map_or("", |file| &file.text);
        unexplained_panics(&file.path, &file.code, text)
    }));
    findings
}

/// The panics of `code` whose message, in the full `text`, is shorter than a reason.
fn unexplained_panics(path: &str, code: &str, text: &str) -> Vec<Finding> {
    let lines: Vec<&str> = text.lines().collect();
    let mut findings = Vec::new();
    for (line, shown) in numbered_lines(code) {
        for panic in PANICS.iter().filter(|panic| contains_word_starting_with(shown, panic)) {
            // A long message stands on the next line.
            let message = lines[line - 1..].iter().take(3).copied().collect::<Vec<_>>().join(" ");
            let message = message.split_once(panic).map_or("", |(_, rest)| rest);
            let message = message.split('"').nth(1).unwrap_or_default();
            if message.split_whitespace().count() < REASON_WORDS_MIN {
                findings.push(Finding::at_line(
                    path,
                    line,
                    format!("`{panic}…)` does not say why it cannot happen"),
                    "return an error, or give the reason in a few words",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(text: &str) -> Vec<Option<usize>> {
        let workspace = Workspace::with_files([("crates/noise/src/laplace.rs", text)]);
        check(&workspace).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn every_sign_of_unfinished_work_is_found() {
        let ends = ["()", "(\"later\")", "(x)", " = \"slow\"]"];
        for (needle, end) in UNFINISHED_CODE.iter().zip(ends) {
            assert_eq!(lines_found(&format!("fn f() {{\n    {needle}{end}\n}}\n")), [Some(2)], "{needle}");
        }
        for reminder in REMINDERS {
            assert_eq!(lines_found(&format!("fn f() {{}}\n// {reminder}: later\n")), [Some(2)], "{reminder}");
        }
    }

    #[test]
    fn a_panic_without_a_reason_is_found_in_production_alone() {
        for panic in
            ["unreachable!()", "unreachable!(\"never\")", "panic!(\"later\")", "panic!(\n\"not yet\")"]
        {
            assert_eq!(lines_found(&format!("fn f() {{\n    {panic}\n}}\n")), [Some(2)], "{panic}");
            let in_test = format!("#[cfg(test)]\nmod tests {{\n    fn f() {{ {panic} }}\n}}\n");
            assert_eq!(lines_found(&in_test), [], "{panic}");
        }
        let reason = "fn f() {\n    unreachable!(\n        \"a grid has at least one point\"\n    )\n}\n";
        assert_eq!(lines_found(reason), []);
    }

    #[test]
    fn comments_and_messages_may_name_what_they_forbid() {
        assert_eq!(lines_found("// Not a `todo!()`.\nconst TEXT: &str = \"dbg!\";\n"), []);
    }
}
