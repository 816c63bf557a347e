//! Follows every link of the built book: to a file that is there and, behind `#`, to a place in it.
//!
//! The book is read without the network: nothing that a page loads may come from elsewhere. Links to elsewhere, which a reader clicks on,
//! are counted and not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::html;
use super::stage::joined;

/// What there was to follow.
#[derive(Debug, Default, PartialEq)]
pub struct Followed {
    /// Pages of HTML.
    pub pages: usize,
    /// Links and pictures that stay in the book.
    pub local: usize,
    /// Different addresses elsewhere.
    pub elsewhere: usize,
}

/// Follows all links below a folder.
///
/// # Errors
/// Every one that leads nowhere, or loads something from elsewhere.
pub fn follow(folder: &Path) -> Result<Followed, Vec<String>> {
    let files = files(folder).map_err(|error| vec![format!("the book is not readable: {error}")])?;
    let mut problems = Vec::new();
    let mut pages = BTreeMap::new();
    for file in &files {
        let text = || fs::read_to_string(folder.join(file)).unwrap_or_default();
        if file.ends_with(".html") {
            pages.insert(file.as_str(), html::read(&text()));
        } else if file.ends_with(".css") && loads_from_elsewhere(&text()) {
            problems.push(format!("{file}: it loads something from another machine"));
        }
    }
    let mut elsewhere = BTreeSet::new();
    let mut local = 0;
    for (file, page) in &pages {
        for reference in &page.references {
            let target = reference.target.as_str();
            if is_elsewhere(target) {
                elsewhere.insert(target);
                if !reference.is_link {
                    problems.push(format!("{file}: it loads {target} from another machine"));
                }
                continue;
            }
            if target.starts_with("data:")
                || target.starts_with("javascript:")
                || target.starts_with("mailto:")
            {
                continue;
            }
            local += 1;
            if let Err(problem) = lands(&files, &pages, file, target) {
                problems.push(format!("{file}: the link to `{target}` {problem}"));
            }
        }
    }
    problems.sort();
    problems.dedup();
    if problems.is_empty() {
        Ok(Followed { pages: pages.len(), local, elsewhere: elsewhere.len() })
    } else {
        Err(problems)
    }
}

fn lands(
    files: &BTreeSet<String>,
    pages: &BTreeMap<&str, html::Page>,
    from: &str,
    target: &str,
) -> Result<(), &'static str> {
    let (file, place) = target.split_once('#').unwrap_or((target, ""));
    let file = decoded(file.split('?').next().unwrap_or_default());
    let full =
        if file.is_empty() { from.to_owned() } else { from_file(from, &file).ok_or("leaves the book")? };
    let full = if full.is_empty() || file.ends_with('/') { format!("{full}/index.html") } else { full };
    let full = full.trim_start_matches('/');
    if !files.contains(full) {
        return Err("leads to no file");
    }
    let place = decoded(place);
    let is_there = |page: &html::Page| page.places.contains(&place);
    if place.is_empty() || pages.get(full).is_none_or(is_there) {
        Ok(())
    } else {
        Err("leads to a page that has no such place")
    }
}

fn is_elsewhere(target: &str) -> bool {
    ["http:", "https:", "//"].iter().any(|start| target.starts_with(start))
}

fn loads_from_elsewhere(css: &str) -> bool {
    let sources = css.split("url(").skip(1).chain(css.split("@import").skip(1));
    sources.map(|rest| rest.trim_start_matches([' ', '"', '\''])).any(is_elsewhere)
}

/// A path from the folder of a file; `None` above the book.
fn from_file(file: &str, path: &str) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    joined(if path.starts_with('/') { "" } else { folder }, path)
}

/// With `%20` and its like resolved.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hexadecimal = std::str::from_utf8(after.get(..2).unwrap_or_default()).unwrap_or_default();
        match (first, u8::from_str_radix(hexadecimal, 16)) {
            (b'%', Ok(byte)) => (bytes.push(byte), rest = &after[2..]).1,
            _ => (bytes.push(*first), rest = after).1,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Every file below a folder, from there.
fn files(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![String::new()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if inner.is_empty() { name } else { format!("{inner}/{name}") };
            if entry.path().is_dir() {
                folders.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(name: &str, page: &str) -> Result<Followed, Vec<String>> {
        let folder =
            std::env::temp_dir().join(format!("pointillist-book-links-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("docs")).expect("a folder");
        fs::write(folder.join("index.html"), "<h1 id='top'>A</h1><h2 id='größe'>B</h2>").expect("a file");
        fs::write(folder.join("docs/a b.svg"), "<svg/>").expect("a file");
        fs::write(folder.join("docs/page.html"), page).expect("a file");
        let followed = follow(&folder);
        fs::remove_dir_all(&folder).expect("a folder");
        followed
    }

    #[test]
    fn paths_start_at_the_folder_of_their_file_or_at_the_book() {
        assert_eq!(from_file("docs/book/a.html", "../b.html").as_deref(), Some("docs/b.html"));
        assert_eq!(from_file("docs/a.html", "/b.html").as_deref(), Some("b.html"));
        assert_eq!(from_file("a.html", "../b.html"), None);
    }

    #[test]
    fn links_that_land_are_counted() {
        let page = "<p id=x></p><a href='#x'>a</a><a href='../index.html#gr%C3%B6%C3%9Fe'>b</a><img src='a%20b.svg'>\
                    <a href='../'>c</a><a href='https://example.org/'>d</a><a href='https://example.org/'>e</a>";
        assert_eq!(followed("land", page), Ok(Followed { pages: 2, local: 4, elsewhere: 1 }));
    }

    /// Planted: a dead link, a dead picture, a dead fragment on another page and on the same, a way out of the book.
    #[test]
    fn links_that_lead_nowhere_are_found() {
        for (name, page, word) in [
            ("file", "<a href='gone.html'>a</a>", "`gone.html` leads to no file"),
            ("picture", "<img src='gone.svg'>", "`gone.svg` leads to no file"),
            ("fragment", "<a href='../index.html#gone'>a</a>", "has no such place"),
            ("own", "<a href='#gone'>a</a>", "has no such place"),
            ("out", "<a href='../../index.html'>a</a>", "leaves the book"),
        ] {
            let problems = followed(name, page).expect_err(name);
            assert!(problems.len() == 1 && problems[0].contains(word), "{problems:?}");
            assert!(problems[0].starts_with("docs/page.html: "), "{problems:?}");
        }
    }

    #[test]
    fn what_is_loaded_from_elsewhere_is_found() {
        for page in
            ["<script src='https://cdn.example/x.js'></script>", "<link href='//fonts.example/x.css'>"]
        {
            let problems = followed("loads", page).expect_err(page);
            assert!(problems[0].contains("from another machine"), "{problems:?}");
        }
        assert!(
            loads_from_elsewhere("a { b: url( \"https://x/y\") }") && loads_from_elsewhere("@import '//x';")
        );
        assert!(!loads_from_elsewhere("a { b: url(fonts/c.woff2) }"));
    }
}
