//! `cargo xtask book`: everything that people read, as one book whose commands ran when it was built.
//!
//! The pages below `docs/book` have blocks of commands. Each runs, in a folder of its page below `target/book/pages`, with the program
//! that the tests built, and what it prints and draws is what the book shows. Then everything is laid out below `target/book/src` with
//! the same relative paths as in the repository, mdBook makes `target/book/html` of it, and every link of that is followed.

mod folder;
mod page;
mod pages;
mod shell;

use std::path::Path;

use crate::{Failure, cargo, clients};
use pages::Workshop;

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
        std::fs::write(&read, &page.text).map_err(|error| format!("{}: {error}", read.display()))?;
        words.push(format!("what they made is in {}", page.folder.display()));
        words.push(format!("the page with its outputs is {}", read.display()));
    }
    Ok(words.join("\n"))
}

/// Builds the whole book.
pub fn run(root: &Path) -> Built {
    let built = clients::build(root).and_then(|()| {
        let workshop = workshop(root)?;
        let paths = pages::paths(root);
        pages::run_all(root, &workshop, &paths)
    });
    match built {
        Ok(pages) => Built::Passed(format!("{} pages ran", pages.len())),
        Err(problem) => Built::Failed(problem),
    }
}

fn workshop(root: &Path) -> Result<Workshop, String> {
    let target = cargo::target_directory(root)?;
    let program = target.join("debug/pointillist");
    if !program.exists() {
        clients::build(root)?;
    }
    // Beside it are programs of tests, some with names of other people's.
    let programs = target.join("book/bin");
    let link = programs.join("pointillist");
    std::fs::create_dir_all(&programs).map_err(|error| format!("target/book cannot be written: {error}"))?;
    if !link.exists() {
        std::os::unix::fs::symlink(&program, &link)
            .map_err(|error| format!("target/book cannot be written: {error}"))?;
    }
    Ok(Workshop { place: target.join("book"), programs: vec![programs], variables: vec![] })
}
