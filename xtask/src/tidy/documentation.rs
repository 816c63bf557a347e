//! A doc comment says something.
//!
//! `missing_docs` is satisfied by `/// Does it.`; a reader is not. Refused is a comment in which nothing is left without
//! articles, pronouns, auxiliaries and the like ([`EMPTY`]), and one that is a single letter: a symbol is introduced by what
//! it measures. Code in backticks is content.

use super::{Finding, Workspace};

/// Words that say nothing on their own.
const EMPTY: [&str; 53] = [
    "a", "all", "an", "and", "are", "as", "be", "been", "both", "by", "can", "did", "do", "does", "done",
    "for", "found", "from", "goes", "had", "happened", "has", "have", "here", "how", "in", "is", "it", "its",
    "made", "of", "on", "one", "ones", "or", "shown", "so", "that", "the", "their", "them", "there", "these",
    "they", "this", "those", "to", "was", "went", "were", "what", "which", "with",
];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        let mut lines = file.text.lines().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let Some(first) = doc(line) else { continue };
            let mut words = first.to_string();
            while let Some(more) = lines.peek().and_then(|(_, next)| doc(next)) {
                words.push(' ');
                words.push_str(more);
                lines.next();
            }
            if is_empty(&words) {
                findings.push(Finding::at_line(
                    &file.path,
                    index + 1,
                    format!("the comment `{}` says nothing", words.trim()),
                    "say what the reader cannot see in the name: what for, in which unit, of what",
                ));
            }
        }
    }
    findings
}

/// The words of a line of documentation. Those of tests and of modules are free.
fn doc(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("///").filter(|words| !words.starts_with('/'))
}

fn is_empty(words: &str) -> bool {
    let mut content = words
        .split(|c: char| !c.is_alphanumeric() && c != '`' && c != '\'')
        .filter(|word| !word.is_empty() && !EMPTY.contains(&word.to_lowercase().as_str()));
    match (content.next(), content.next()) {
        (None, _) => true,
        (Some(only), None) => only.chars().count() == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(text: &str) -> Vec<Option<usize>> {
        let workspace = Workspace::with_files([("crates/noise/src/laplace.rs", text)]);
        check(&workspace).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_comment_that_says_nothing_is_found() {
        for comment in [
            "Does it.",
            "What was found.",
            "ε.",
            "h.",
            "All of it.",
            "How.",
            "This ε.",
            "The one\n/// it is.",
        ] {
            assert_eq!(lines_found(&format!("\n/// {comment}\npub fn f() {{}}\n")), [Some(2)], "{comment}");
        }
    }

    #[test]
    fn a_comment_that_says_something_is_fine() {
        for comment in
            ["The scale.", "`=`", "Zero.", "ε of the first release.", "How it is\n/// rounded.", "ε > 0"]
        {
            assert_eq!(lines_found(&format!("/// {comment}\npub fn f() {{}}\n")), [], "{comment}");
        }
        assert_eq!(lines_found("// it\n//! it\n//// it\n"), []);
    }
}
