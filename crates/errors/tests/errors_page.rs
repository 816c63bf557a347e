//! The page of errors says what the code decides.

use std::collections::BTreeSet;
use std::path::Path;

use pointillist_errors::Kind;

/// Word, exit code, HTTP status and SQLSTATE.
type Codes = [String; 4];

/// Specification: `docs/reference/errors.md` has one row for each kind, with its codes, and no other.
#[test]
fn the_page_of_errors_has_every_kind_with_its_codes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/errors.md");
    let Ok(page) = std::fs::read_to_string(page) else {
        println!("SKIPPED: this crate stands alone, without the documents of its repository");
        return;
    };
    let decided: BTreeSet<Codes> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let (exit, http) = (kind.exit_code().to_string(), kind.http_status().to_string());
            [kind.word().to_owned(), exit, http, kind.sqlstate().to_owned()]
        })
        .collect();
    let rows: Vec<Codes> = page.lines().filter_map(codes).collect();
    let told: BTreeSet<Codes> = rows.iter().cloned().collect();
    assert_eq!(told, decided);
    assert_eq!(rows.len(), told.len(), "a row stands there twice");
}

/// The codes of a row of the table: those rows begin with a word in backticks.
fn codes(line: &str) -> Option<Codes> {
    let mut cells = line.strip_prefix("| `")?.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
    Some([cells.next()?, cells.next()?, cells.next()?, cells.next()?])
}
