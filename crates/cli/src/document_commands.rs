//! Every command line that README and docs show is one that the parser takes.

#[path = "../tests/command_line/document_lines.rs"]
mod document_lines;

use document_lines::document_lines;

/// Specification: no document names a verb, a flag or a value that does not exist.
#[test]
fn command_lines_in_documents_parse() {
    for line in document_lines() {
        let parsed = crate::command_line().try_get_matches_from(&line.words);
        assert!(parsed.is_ok(), "{}: {}\n{}", line.place, line.line, parsed.expect_err("not parsed"));
    }
}
