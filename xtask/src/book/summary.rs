//! The list of chapters, `docs/book/SUMMARY.md`: it names every page there is, and pages that are made follow the page about all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::command_reference::INDEX;
use super::markdown;
use super::stage::GeneratedPage;

const PATH: &str = "docs/book/SUMMARY.md";

/// The list as it was written.
///
/// # Errors
/// When it is not there.
pub fn read(root: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(PATH)).map_err(|error| format!("{PATH}: {error}"))
}

/// Pages that it leaves out, names twice, or names although they do not exist.
pub fn problems(summary: &str, staged: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for link in markdown::links(summary) {
        let line = summary[..link.whole.start].matches('\n').count() + 1;
        let path = &summary[link.target];
        if !staged.contains(path) && path != INDEX {
            problems.push(format!("{PATH}:{line}: there is no page `{path}`"));
        }
        if !named.insert(path) {
            problems.push(format!("{PATH}:{line}: `{path}` is named twice"));
        }
    }
    let left_out = staged.iter().filter(|path| path.ends_with(".md") && !named.contains(path.as_str()));
    problems.extend(left_out.map(|path| format!("{PATH}: it does not name {path}, which nobody will find")));
    problems
}

/// The list with the made pages in it.
pub fn with_made(summary: &str, made: &[GeneratedPage]) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        text.push_str(line);
        text.push('\n');
        if line.contains(&format!("]({INDEX})")) {
            let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
            for page in made.iter().filter(|page| page.path != INDEX) {
                text.push_str(&format!("{indent}- [{}]({})\n", title(&page.text), page.path));
            }
        }
    }
    text
}

fn title(page: &str) -> &str {
    page.lines().next().unwrap_or_default().trim_start_matches("# ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged() -> BTreeSet<String> {
        ["README.md", "docs/asking.md", "docs/images/a.svg"].map(str::to_owned).into()
    }

    #[test]
    fn a_page_that_is_left_out_is_found() {
        assert_eq!(problems("[A](README.md)\n- [B](docs/asking.md)\n", &staged()), [""; 0]);
        let found = problems("[A](README.md)\n- [B](README.md)\n- [C](docs/gone.md)\n", &staged());
        assert_eq!(
            found,
            [
                "docs/book/SUMMARY.md:2: `README.md` is named twice",
                "docs/book/SUMMARY.md:3: there is no page `docs/gone.md`",
                "docs/book/SUMMARY.md: it does not name docs/asking.md, which nobody will find",
            ]
        );
    }

    #[test]
    fn made_pages_follow_their_index() {
        let page = |path: &str, text: &str| GeneratedPage { path: path.to_owned(), text: text.to_owned() };
        let made = [
            page(INDEX, "# Command line\n"),
            page("docs/book/reference/cli/a.md", "# pointillist a\n\nA.\n"),
        ];
        let summary = format!("- [Command line]({INDEX})\n- [B](b.md)\n");
        let expected = format!(
            "- [Command line]({INDEX})\n  - [pointillist a](docs/book/reference/cli/a.md)\n- [B](b.md)\n"
        );
        assert_eq!(with_made(&summary, &made), expected);
    }
}
