//! Lays everything out that mdBook reads, with the same relative paths as in the repository: a link works in both.
//!
//! Three kinds of links are changed. One to a file that is not part of the book, such as code, becomes the name of that file. One from a
//! page of the book to what its commands made leads to a copy of that. And one that leads to nothing at all is an error.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::markdown;
use super::pages::{self, Page};

/// Pages at the top of the repository that are chapters.
pub const TOP: [&str; 6] =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "THREAT_MODEL.md", "ARCHITECTURE.md"];
const DOCUMENTS: &str = "docs";
/// What is no page, and not copied as one.
const CONFIGURATION: [&str; 3] = ["docs/book/SUMMARY.md", "docs/book/book.toml", "docs/book/theme.css"];
/// Where what the commands made is copied to, from the root.
const MADE: &str = "docs/book/made";

/// A page that exists in the book alone.
pub struct GeneratedPage {
    /// From the root.
    pub path: String,
    pub text: String,
}

/// Every file of the repository that is part of the book, from the root: pages and pictures.
pub fn staged_paths(root: &Path) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        TOP.into_iter().filter(|page| root.join(page).exists()).map(str::to_owned).collect();
    let mut folders = vec![DOCUMENTS.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if !CONFIGURATION.contains(&path.as_str()) {
                found.insert(path);
            }
        }
    }
    found
}

/// Writes the source of the book.
///
/// # Errors
/// Links that lead nowhere, with page and line; or a folder that cannot be written.
pub fn lay_out(
    root: &Path,
    source: &Path,
    pages: &[Page],
    generated: &[GeneratedPage],
) -> Result<(), Vec<String>> {
    let mut files = staged_paths(root);
    files.extend(generated.iter().map(|page| page.path.clone()));
    let stage = Stage { root, source, files: &files };
    let _ = fs::remove_dir_all(source);
    let mut problems = Vec::new();
    for path in &files {
        let ran = pages.iter().find(|page| page.path == *path);
        let made = generated.iter().find(|page| page.path == *path);
        let result = if let Some(page) = made {
            write(&source.join(path), page.text.as_bytes()).map_err(|problem| vec![problem])
        } else if path.ends_with(".md") {
            stage.page(path, ran)
        } else {
            let bytes = fs::read(root.join(path)).map_err(|error| vec![format!("{path}: {error}")]);
            bytes.and_then(|bytes| write(&source.join(path), &bytes).map_err(|problem| vec![problem]))
        };
        problems.extend(result.err().into_iter().flatten());
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

struct Stage<'a> {
    root: &'a Path,
    source: &'a Path,
    files: &'a BTreeSet<String>,
}

impl Stage<'_> {
    fn page(&self, path: &str, ran: Option<&Page>) -> Result<(), Vec<String>> {
        let written =
            fs::read_to_string(self.root.join(path)).map_err(|error| vec![format!("{path}: {error}")])?;
        let text = ran.map_or(written.as_str(), |page| &page.text);
        let mut staged = String::new();
        let mut problems = Vec::new();
        let mut at = 0;
        for link in markdown::links(text) {
            let target = &text[link.target.clone()];
            staged.push_str(&text[at..link.whole.start]);
            at = link.whole.end;
            let (whole, label) = (&text[link.whole.clone()], &text[link.text.clone()]);
            match self.followed(path, target, ran) {
                Ok(Followed::Stays) => staged.push_str(whole),
                Ok(Followed::Elsewhere(other)) => staged.push_str(&whole.replace(target, &other)),
                Ok(Followed::Code(file)) => staged.push_str(&named(label, &file)),
                Ok(Followed::NotMade) => {
                    staged.push_str(&format!("{label} (not made when this book was built)"));
                }
                Err(problem) => {
                    // Outputs move lines: the place is that of the page as it was written.
                    let line = written.find(target).map_or(1, |at| written[..at].matches('\n').count() + 1);
                    problems.push(format!("{path}:{line}: {problem}"));
                }
            }
        }
        staged.push_str(&text[at..]);
        write(&self.source.join(path), staged.as_bytes()).map_err(|problem| vec![problem])?;
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Where a link of a page leads.
    fn followed(&self, path: &str, target: &str, ran: Option<&Page>) -> Result<Followed, String> {
        let (file, fragment) = target.split_once('#').map_or((target, ""), |(file, rest)| (file, rest));
        let is_elsewhere = file.split('/').next().is_some_and(|first| first.contains(':'));
        if file.is_empty() || is_elsewhere {
            return Ok(Followed::Stays);
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let nowhere = || format!("the link to `{target}` leads nowhere");
        let full = joined(folder, file).ok_or_else(nowhere)?;
        if self.files.contains(&full) {
            return Ok(Followed::Stays);
        }
        if let Some(page) = ran {
            let made = page.folder.join(file);
            if made.is_file() {
                let name = pages::flat_name(path);
                let bytes = fs::read(&made).map_err(|error| format!("{}: {error}", made.display()))?;
                write(&self.source.join(MADE).join(&name).join(file), &bytes)?;
                let up = "../".repeat(folder.trim_start_matches(pages::FOLDER).matches('/').count());
                let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
                return Ok(Followed::Elsewhere(format!("{up}made/{name}/{file}{fragment}")));
            }
            if !page.skipped.is_empty() && !file.ends_with(".md") {
                return Ok(Followed::NotMade);
            }
        }
        if self.root.join(&full).exists() { Ok(Followed::Code(full)) } else { Err(nowhere()) }
    }
}

enum Followed {
    Stays,
    Elsewhere(String),
    /// A file of the repository that the book does not have.
    Code(String),
    /// By a block that was left out.
    NotMade,
}

/// A file by its name, where a link to it stood.
fn named(label: &str, file: &str) -> String {
    let bare = label.trim_matches('`');
    if file.ends_with(bare) { format!("`{file}`") } else { format!("{label} (`{file}`)") }
}

/// A relative path from a folder, both from the root; `None` above the root.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn write(path: &PathBuf, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one page of the book, which made `a.svg`, and one of the guide; the page as staged.
    fn staged(name: &str, text: &str) -> Result<String, Vec<String>> {
        let root = std::env::temp_dir().join(format!("pointillist-book-stage-{}-{name}", std::process::id()));
        let path = "docs/book/ideas/one.md";
        for (file, content) in [
            (path, text),
            ("docs/book/SUMMARY.md", ""),
            ("docs/asking.md", "[code](../crates/a/src/lib.rs)"),
            ("docs/images/b.svg", ""),
            ("README.md", ""),
            ("crates/a/src/lib.rs", ""),
            ("made/a.svg", "<svg/>"),
        ] {
            write(&root.join(file), content.as_bytes()).expect("a file");
        }
        let page = Page {
            path: path.to_owned(),
            text: text.to_owned(),
            folder: root.join("made"),
            skipped: vec![],
            seconds: 0.0,
        };
        let source = root.join("target/book/src");
        let generated = GeneratedPage { path: "docs/book/reference/cli.md".to_owned(), text: String::new() };
        let result = lay_out(&root, &source, &[page], &[generated]);
        let staged = fs::read_to_string(source.join(path)).expect("a page");
        if result.is_ok() {
            assert_eq!(
                fs::read_to_string(source.join("docs/asking.md")).expect("a page"),
                "code (`crates/a/src/lib.rs`)"
            );
            assert!(!source.join("docs/book/SUMMARY.md").exists());
            assert_eq!(source.join("docs/book/made/ideas-one/a.svg").exists(), text.contains("a.svg"));
        }
        fs::remove_dir_all(&root).expect("a folder");
        result.map(|()| staged)
    }

    #[test]
    fn links_within_the_book_stay_and_others_become_what_the_book_has() {
        let stays = "[a](../../asking.md#b) [c](#d) [e](https://example.org/f) [g](../reference/cli.md) ![h](../../images/b.svg)";
        assert_eq!(staged("stays", stays).as_deref(), Ok(stays));
        let code = "[lib.rs](../../../crates/a/src/lib.rs), [`src/lib.rs`](../../../crates/a/src/lib.rs)";
        assert_eq!(staged("code", code).as_deref(), Ok("`crates/a/src/lib.rs`, `crates/a/src/lib.rs`"));
        assert_eq!(staged("made", "![a](a.svg)").as_deref(), Ok("![a](../made/ideas-one/a.svg)"));
    }

    #[test]
    fn links_into_nothing_are_found_with_their_line() {
        let problems =
            staged("nowhere", "one\n[two](gone.md)\n\n![three](gone.svg)\n[four](../../../../x)\n");
        let expected =
            ["2: the link to `gone.md`", "4: the link to `gone.svg`", "5: the link to `../../../../x`"]
                .map(|problem| format!("docs/book/ideas/one.md:{problem} leads nowhere"));
        assert_eq!(problems, Err(expected.to_vec()));
    }
}
