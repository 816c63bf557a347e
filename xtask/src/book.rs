//! `cargo xtask book`: everything that people read, as one book whose commands ran when it was built.
//!
//! The pages below `docs/book` have blocks of commands. Each runs, in a folder of its page below `target/book/pages`, with the program
//! that the tests built, and what it prints and draws is what the book shows. Then everything is laid out below `target/book/src` with
//! the same relative paths as in the repository, mdBook makes `target/book/html` of it, and every link of that is followed.

mod command_reference;
mod folder;
mod html;
mod link_check;
mod markdown;
mod mdbook;
mod page;
mod pages;
mod shell;
mod stage;
mod summary;

use std::path::Path;

use crate::{Failure, cargo, clients};
use pages::Workshop;

const PROGRAM: &str = "pointillist";

/// How it ended.
pub enum Built {
    Passed(String),
    Skipped(String),
    Failed(String),
}

/// The command with its options.
pub fn run_command(root: &Path, options: &[&str]) -> Result<(), Failure> {
    match options {
        ["--page", page] => crate::report(run_page(root, page)),
        [unexpected, ..] => Err(Failure::Usage(format!(
            "`cargo xtask book` takes `--page NAME` and nothing else, but got `{unexpected}`\n\
             hint: `cargo xtask book --page owner` runs the commands of docs/book/owner.md alone"
        ))),
        [] => match run(root) {
            Built::Passed(words) | Built::Skipped(words) => crate::report(Ok(words)),
            Built::Failed(words) => crate::report(Err(words)),
        },
    }
}

/// Runs the commands of one page, for whoever writes it, with the program as it was built last.
fn run_page(root: &Path, name: &str) -> Result<String, String> {
    let all = pages::paths(root);
    let wanted = |path: &&String| {
        let inner = path.trim_start_matches(pages::FOLDER).trim_start_matches('/');
        path.as_str() == name || inner == name || inner.strip_suffix(".md") == Some(name)
    };
    let path = all.iter().find(wanted).ok_or_else(|| {
        format!("there is no page `{name}` below {}\nhint: there are {}", pages::FOLDER, all.join(", "))
    })?;
    let workshop = workshop(root)?;
    let pages = pages::run_all(root, &workshop, std::slice::from_ref(path))?;
    let mut words = Vec::new();
    for page in &pages {
        words.extend(page.skipped.iter().map(|skipped| format!("!!! {skipped}")));
        words.extend(page.slowness());
        words.push(format!("{}: all its commands ran, in {:.1} s", page.path, page.seconds));
        let read = page.folder.with_extension("md");
        write(&read, &page.text)?;
        words.push(format!("what they made is in {}", page.folder.display()));
        words.push(format!("the page with its outputs is {}", read.display()));
    }
    Ok(words.join("\n"))
}

/// Builds the whole book.
pub fn run(root: &Path) -> Built {
    match clients::build(root).and_then(|()| build(root)) {
        Ok((words, None)) => Built::Passed(words),
        Ok((words, Some(reason))) => Built::Skipped(format!("{words}\n{reason}")),
        Err(problem) => Built::Failed(problem),
    }
}

/// What was built, and why it is not all of the book if it is not.
fn build(root: &Path) -> Result<(String, Option<String>), String> {
    let workshop = workshop(root)?;
    let place = &workshop.place;
    let _alone = pages::locked(&place.join("book.lock"))?;
    let pages = pages::run_all(root, &workshop, &pages::paths(root))?;
    let mut words: Vec<String> = Vec::new();
    for page in &pages {
        words.extend(page.skipped.iter().map(|skipped| format!("!!! {skipped}")));
        words.extend(page.slowness());
    }
    let seconds: f64 = pages.iter().map(|page| page.seconds).sum();
    words.push(format!("{} pages: all their commands ran, in {seconds:.1} s", pages.len()));
    let generated = command_reference::pages(&workshop.programs.join(PROGRAM), &place.join("manual"))?;
    let source = place.join("src");
    let mut problems = stage::lay_out(root, &source, &pages, &generated).err().unwrap_or_default();
    let chapters = summary::read(root)?;
    problems.extend(summary::problems(&chapters, &stage::staged_paths(root)));
    write(&source.join("SUMMARY.md"), &summary::with_made(&chapters, &generated))?;
    for name in ["book.toml", "theme.css"] {
        let text = std::fs::read_to_string(root.join(pages::FOLDER).join(name));
        write(&place.join(name), &text.map_err(|error| format!("{name} is not readable: {error}"))?)?;
    }
    // Whoever repairs a page wants to look at it: with problems, too, the book is built if it can be.
    let skipped = match mdbook::installed(root) {
        Ok(mdbook) => {
            match html(&mdbook, place) {
                Ok(news) => words.push(news),
                Err(found) => problems.extend(found),
            }
            None
        }
        Err(reason) => Some(format!("!!! the book in HTML: SKIPPED, {reason}")),
    };
    if !problems.is_empty() {
        problems.extend(skipped.clone());
    }
    if problems.is_empty() { Ok((words.join("\n"), skipped)) } else { Err(problems.join("\n")) }
}

/// Makes HTML of what is laid out, and follows its links.
fn html(mdbook: &Path, place: &Path) -> Result<String, Vec<String>> {
    let html = place.join("html");
    let _ = std::fs::remove_dir_all(&html);
    mdbook::build(mdbook, place).map_err(|complaint| vec![complaint])?;
    let followed = link_check::follow(&html)?;
    Ok(format!(
        "{} pages of HTML in {}: all {} links within the book land, {} addresses elsewhere are not followed",
        followed.pages,
        html.display(),
        followed.local,
        followed.elsewhere
    ))
}

fn workshop(root: &Path) -> Result<Workshop, String> {
    let target = cargo::target_directory(root)?;
    let program = target.join("debug").join(PROGRAM);
    if !program.exists() {
        clients::build(root)?;
    }
    // A folder of its own: beside the program stand others of ours.
    let place = target.join("book");
    let programs = place.join("bin");
    let link = programs.join(PROGRAM);
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", place.display());
    std::fs::create_dir_all(&programs).map_err(failed)?;
    if std::fs::read_link(&link).ok().as_ref() != Some(&program) {
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&program, &link).map_err(failed)?;
    }
    Ok(Workshop { place, programs })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
