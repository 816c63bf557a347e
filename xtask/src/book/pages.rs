//! The pages below `docs/book`: found, run side by side, and written again with what they printed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::folder;
use super::page::{Piece, pieces};
use super::shell::{Ran, Shell};

/// Where the pages are, from the root.
pub const FOLDER: &str = "docs/book";
/// After this a block has failed.
const BLOCK_LONGEST: Duration = Duration::from_secs(120);
/// A reader waits for these commands, and so does everybody who builds the book.
const PAGE_SECONDS: f64 = 5.0;
/// Two servers that are started as people start them want the same ports.
const SERVERS: [&str; 2] = ["pointillist serve", "pointillist --quiet serve"];

/// Where pages run, and with what.
pub struct Workshop {
    /// The folder of the book, below the target folder.
    pub place: PathBuf,
    /// The folder of our program.
    pub programs: PathBuf,
}

/// A page whose blocks ran.
pub struct Page {
    /// The path from the root: `docs/book/owner.md`.
    pub path: String,
    /// With outputs in their places.
    pub text: String,
    /// Where its commands ran, and left what they made.
    pub folder: PathBuf,
    /// Blocks that need a program this machine lacks.
    pub skipped: Vec<String>,
    /// How long its blocks took.
    pub seconds: f64,
}

impl Page {
    /// A word about what a reader would wait for too long.
    pub fn slowness(&self) -> Option<String> {
        (self.seconds > PAGE_SECONDS)
            .then(|| format!("{} took {:.1} s, more than {PAGE_SECONDS} s", self.path, self.seconds))
    }
}

/// The paths of all pages from the root, in order.
pub fn paths(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![FOLDER.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") && path != format!("{FOLDER}/SUMMARY.md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs pages side by side, as many as there are processors.
///
/// # Errors
/// What is wrong with each page, with its line.
pub fn run_all(root: &Path, workshop: &Workshop, paths: &[String]) -> Result<Vec<Page>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ran = run(root, workshop, path);
            done.lock().expect("no thread panics").push(ran);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().expect("no thread panics");
    let (pages, mut problems): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
    if problems.is_empty() {
        let mut pages: Vec<Page> = pages.into_iter().flatten().collect();
        pages.sort_by(|one, other| one.path.cmp(&other.path));
        return Ok(pages);
    }
    problems.sort_by_key(|problem| problem.as_ref().err().cloned());
    Err(problems.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n"))
}

/// Runs the blocks of one page, each after the one before. The first that fails ends it, since the next ones build on it.
fn run(root: &Path, workshop: &Workshop, path: &str) -> Result<Page, String> {
    let text =
        fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: not readable: {error}"))?;
    let at = |line: usize, problem: String| format!("{path}:{line}: {problem}");
    let pieces = pieces(&text).map_err(|(line, problem)| at(line, problem))?;
    let name = flat_name(path);
    let (folder, home) = (workshop.place.join("pages").join(&name), workshop.place.join("homes").join(&name));
    fs::create_dir_all(workshop.place.join("homes"))
        .map_err(|error| format!("the folder of the book cannot be written: {error}"))?;
    let _own = locked(&workshop.place.join("homes").join(format!("{name}.lock")))?;
    folder::prepare(&folder)?;
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).map_err(|error| format!("{} cannot be written: {error}", home.display()))?;
    let programs = workshop.programs.clone();
    let shell = Shell { folder: folder.clone(), home, programs, longest: BLOCK_LONGEST };
    let started = Instant::now();
    let mut page = Page { path: path.to_owned(), text: String::new(), folder, skipped: vec![], seconds: 0.0 };
    let mut last = None;
    for piece in pieces {
        match piece {
            Piece::Text(text) => page.text.push_str(&text),
            Piece::Block(block) => {
                let is_server = SERVERS.iter().any(|server| block.script.contains(server));
                let _alone =
                    if is_server { Some(locked(&workshop.place.join("server.lock"))?) } else { None };
                let ran = shell.run(&block).map_err(|problem| at(block.line, problem))?;
                if let Ran::Skipped(missing) = &ran {
                    page.skipped.push(at(block.line, format!("SKIPPED, {missing} is not on this machine")));
                }
                page.text.push_str(&block.shown());
                last = Some(ran);
            }
            Piece::Output(output) => {
                let printed = match last.take() {
                    Some(Ran::Printed(printed)) if printed.trim().is_empty() => {
                        return Err(at(
                            output.line,
                            "the block prints nothing: take the mark out".to_owned(),
                        ));
                    }
                    Some(Ran::Printed(printed)) => printed,
                    Some(Ran::Skipped(missing)) => {
                        format!("(not run when this book was built, for want of {missing})")
                    }
                    None => String::new(),
                };
                page.text.push_str(&output.shown(&printed));
            }
        }
    }
    page.seconds = started.elapsed().as_secs_f64();
    Ok(page)
}

/// `docs/book/ideas/noise.md` is `ideas-noise`: no page's folder lies in another's.
pub fn flat_name(path: &str) -> String {
    let name = path.strip_prefix(FOLDER).unwrap_or(path).trim_start_matches('/');
    name.strip_suffix(".md").unwrap_or(name).replace('/', "-")
}

/// A lock that other processes heed as well, until it is dropped.
pub fn locked(path: &Path) -> Result<File, String> {
    let failed = |error: std::io::Error| format!("{} cannot be locked: {error}", path.display());
    let file = File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository of one page, and its workshop.
    fn ran(name: &str, text: &str) -> Result<Vec<Page>, String> {
        let root = std::env::temp_dir().join(format!("pointillist-book-pages-{}-{name}", std::process::id()));
        fs::create_dir_all(root.join(FOLDER).join("ideas")).expect("a folder");
        fs::write(root.join(FOLDER).join("ideas/one.md"), text).expect("a file");
        fs::write(root.join(FOLDER).join("SUMMARY.md"), "").expect("a file");
        let workshop = Workshop { place: root.join("target/book"), programs: root.clone() };
        let paths = paths(&root);
        assert_eq!(paths, ["docs/book/ideas/one.md"]);
        let ran = run_all(&root, &workshop, &paths);
        fs::remove_dir_all(&root).expect("a folder");
        ran
    }

    #[test]
    fn blocks_share_a_folder_and_outputs_take_their_places() {
        let page = "# One\n\n```sh\nhead -n 1 visits.csv > first\n```\n\n```sh\ncat first\n```\n\n<!-- output -->\n\nEnd.\n";
        let pages = ran("shares", page).expect("it runs");
        let expected = "# One\n\n```sh\nhead -n 1 visits.csv > first\n```\n\n```sh\ncat first\n```\n\n\
                        ```text\npatient_id,region,cost,age\n```\n\nEnd.\n";
        assert_eq!(pages[0].text, expected);
    }

    /// A planted failure.
    #[test]
    fn a_block_that_fails_is_named_by_page_and_line() {
        let problem = ran("fails", "# One\n\n```sh\necho before\nexit 7\n```\n").err().expect("it fails");
        assert!(problem.starts_with("docs/book/ideas/one.md:3: it ended with 7"), "{problem}");
        assert!(problem.contains("| before"), "{problem}");
    }

    #[test]
    fn an_output_of_nothing_is_refused() {
        let problem =
            ran("nothing", "```sh\ntrue\n```\n<!-- output -->\n").err().expect("nothing is printed");
        assert!(problem.starts_with("docs/book/ideas/one.md:4: the block prints nothing"), "{problem}");
    }

    #[test]
    fn a_block_that_cannot_run_here_is_told_of_and_does_not_fail() {
        let page = "```sh needs=no-such-program\nno-such-program\n```\n<!-- output -->\n";
        let pages = ran("needs", page).expect("it is left out");
        assert_eq!(pages[0].skipped.len(), 1);
        assert!(pages[0].text.contains("for want of no-such-program"), "{}", pages[0].text);
    }

    #[test]
    fn no_folder_of_a_page_lies_in_the_folder_of_another() {
        assert_eq!(flat_name("docs/book/ideas/noise.md"), "ideas-noise");
        assert_eq!(flat_name("docs/book/owner.md"), "owner");
    }
}
