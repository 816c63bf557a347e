//! The command lines that README and docs show.

use std::fs;
use std::path::{Path, PathBuf};

/// One line of a document that calls `pointillist`, at its beginning or behind a pipe.
pub struct DocumentLine {
    /// Where it stands.
    pub place: String,
    /// The words, as a shell splits them; without comments, pipes and redirections.
    pub words: Vec<String>,
    /// The line as a shell reads it, comment included.
    pub line: String,
}

/// All of them, from every document of the repository. None where the crate stands alone, without its documents.
pub fn document_lines() -> Vec<DocumentLine> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents: Vec<PathBuf> = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "THREAT_MODEL.md"]
        .map(|name| root.join(name))
        .to_vec();
    for folder in ["docs", "docs/reference"] {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        documents.extend(
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "md")),
        );
    }
    documents.sort();
    let mut lines = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap_or_default();
        let name = document.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
                continue;
            }
            let line = line.trim().trim_start_matches("$ ");
            let ours = if line.starts_with("pointillist ") {
                Some(line)
            } else {
                line.split_once("| ")
                    .map(|(_, behind)| behind)
                    .filter(|behind| behind.starts_with("pointillist "))
            };
            if let Some(command) = ours.filter(|_| is_code) {
                let place = format!("{name}:{}", number + 1);
                lines.push(DocumentLine { place, words: words(command), line: line.to_owned() });
            }
        }
    }
    lines
}

/// The words of the first command of a line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut begun, mut quote) = (String::new(), false, None);
    for sign in line.chars() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (None, '"' | '\'') => (quote, begun) = (Some(sign), true),
            (None, '#' | '|' | '<' | '>' | ';' | '&') if !begun => break,
            (None, ' ') => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                begun = true;
                word.push(sign);
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}
