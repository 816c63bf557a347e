//! What was asked, in the askers' own words: a file for the owner, beside the ledger.
//!
//! The ledger counts and its records hold hashes; whoever wants to know what a payment was for reads the words here, by
//! the hash of the request that the record holds. They are words of askers and say nothing about rows. The file is
//! readable to its owner alone, no analyst is shown any of it, and nothing depends on it: where it cannot be written or
//! is lost, questions are answered and counted as ever.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pointillist_ledger::{Digest, Place};

const FILE: &str = "questions.log";

/// The words of charged questions, by the hash of the request.
pub struct QuestionLog {
    /// `None` where nothing is kept.
    path: Option<PathBuf>,
    known: Mutex<BTreeSet<String>>,
}

impl QuestionLog {
    /// The log of a ledger.
    pub fn of(place: &Place) -> Self {
        let known = Self::read(place.directory()).into_keys().collect();
        Self { path: Some(place.directory().join(FILE)), known: Mutex::new(known) }
    }

    /// No log: for a ledger that is nowhere either.
    pub(crate) fn nowhere() -> Self {
        Self { path: None, known: Mutex::default() }
    }

    /// Keeps the words of a question that was charged.
    pub fn keep(&self, request: Digest, words: &str) {
        let request = request.to_string();
        let is_new = self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(request.clone());
        if let Some(path) = self.path.as_ref().filter(|_| is_new) {
            let line = format!("{request} {}\n", escaped(words));
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
            // A lost line is a lost convenience; the payment is in the ledger.
            let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
        }
    }

    /// All words, by the request's hash in hex; none where there is no file. For the owner.
    pub fn read(ledger_folder: &Path) -> BTreeMap<String, String> {
        let text = fs::read(ledger_folder.join(FILE)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let entry = |line: &str| line.split_once(' ').map(|(id, words)| (id.to_owned(), unescaped(words)));
        text.lines().filter_map(entry).collect()
    }
}

/// One line, whatever the words.
fn escaped(words: &str) -> String {
    words.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(line: &str) -> String {
    let (mut words, mut signs) = (String::new(), line.chars());
    while let Some(sign) = signs.next() {
        match (sign, if sign == '\\' { signs.next() } else { None }) {
            ('\\', Some('n')) => words.push('\n'),
            ('\\', Some('r')) => words.push('\r'),
            ('\\', Some(other)) => words.push(other),
            (sign, _) => words.push(sign),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Specification: words come back as they were, each question once, and the file is its owner's alone.
    #[test]
    fn words_are_kept_for_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), folder.path().join("anchor"));
        let id = |name: &str| Digest::of("test", &[name.as_bytes()]);
        let words = "SELECT count(*)\r\nFROM visits -- \\n is no line\nWHERE a = 'x\\'";
        for _ in 0..2 {
            let log = QuestionLog::of(&place);
            log.keep(id("a"), words);
            log.keep(id("a"), words);
            log.keep(id("b"), "");
        }
        let kept = QuestionLog::read(folder.path());
        assert_eq!(kept.get(&id("a").to_string()).map(String::as_str), Some(words));
        assert_eq!(kept.len(), 2);
        let file = folder.path().join(FILE);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(QuestionLog::read(Path::new("/nowhere")).is_empty());
    }
}
