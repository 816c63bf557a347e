//! What a respondent keeps: the permanent response of RAPPOR, in a file of their own.
//!
//! The file holds the noisy row and not the answer, so that losing it costs ε_∞ and no more. It is written,
//! for its owner alone, before the first report leaves: a report without its memory would have to be paid for
//! again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use pointillist_local::rappor::{Memory, Rappor};
use pointillist_noise::SystemBits;

use super::answers::Answers;
use super::lines::Lines;
use super::survey::Survey;
use crate::failure::Failure;

/// The first line of the file.
const TITLE: &str = "# A noisy memory of one answer. Keep it, and keep it to yourself.";
/// Longer files are no memories: the longest row has 2^20 bits, in a quarter as many digits.
const BYTES_MAX: u64 = 1 << 20;

/// What is remembered, and whether it was remembered before.
pub struct Recalled<'s> {
    /// The method.
    pub rappor: &'s Rappor,
    /// The permanent response.
    pub memory: Memory,
    /// Whether the file was there.
    pub is_old: bool,
}

/// The memory in a file; or, where there is no file, a memory of the answer on standard input, kept there
/// from now on. `public` are the lines that stand on top of reports.
pub fn recall<'s>(
    path: &Path,
    survey: &'s Survey,
    public: &str,
    bits: &mut SystemBits,
) -> Result<Recalled<'s>, Failure> {
    let (Some(rappor), Survey::Shares { answers, .. }) = (survey.rappor(), survey) else {
        return Err(Failure::Request(
            "only rappor has a memory\nhint: write --method rappor, or leave --memory out".to_owned(),
        ));
    };
    let head = format!("{TITLE}\n{public}");
    if let Some(memory) = read(path, &head, rappor)? {
        return Ok(Recalled { rappor, memory, is_old: true });
    }
    let memory = rappor.remember(the_answer(answers)?, bits);
    let text = format!("{head}{}\n", rappor.memory_line(&memory));
    write(path, &text).map_err(|error| {
        Failure::Request(format!(
            "{} cannot be written: {error}\nhint: name a new file in a folder of your own",
            path.display()
        ))
    })?;
    Ok(Recalled { rappor, memory, is_old: false })
}

/// The only answer on standard input.
fn the_answer(answers: &Answers) -> Result<u64, Failure> {
    let mut lines = Lines::of_stdin();
    if !lines.advance()? {
        return Err(Failure::Request(
            "there is no answer to remember\nhint: give it on standard input, as in `echo yes | …`"
                .to_owned(),
        ));
    }
    let value = answers
        .value(lines.text().unwrap_or("\u{fffd}"))
        .map_err(|error| Failure::Request(format!("line 1: {error}")))?;
    while lines.advance()? {
        if lines.text() != Some("") {
            return Err(Failure::Request(
                "a memory is one person's, and there are several answers\n\
                 hint: give every respondent a file of their own"
                    .to_owned(),
            ));
        }
    }
    Ok(value)
}

/// The memory in a file, if there is one.
fn read(path: &Path, head: &str, rappor: &Rappor) -> Result<Option<Memory>, Failure> {
    let unreadable = |error: &io::Error| {
        Failure::Request(format!(
            "{} cannot be read: {error}\nhint: name the file that holds your memory, or a new one",
            path.display()
        ))
    };
    let length = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    };
    refuse_if_open_to_others(path)?;
    let text = if length > BYTES_MAX {
        String::new()
    } else {
        fs::read_to_string(path).map_err(|e| unreadable(&e))?
    };
    let Some(lines) = text.strip_prefix(TITLE) else {
        return Err(Failure::Request(format!(
            "{} is not a memory\nhint: name the file that an earlier run made, or a new one",
            path.display()
        )));
    };
    let Some(line) = text.strip_prefix(head) else {
        let made_for = lines.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("another survey");
        return Err(Failure::Request(format!(
            "this memory belongs to another survey: {made_for}\n\
             hint: every question needs a memory of its own"
        )));
    };
    Ok(Some(rappor.parse_memory(line.trim_end())?))
}

/// Writes a new file for its owner alone. It has all of its text from the moment it has its name, and an
/// older file of that name, made meanwhile, stays.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = Path::new(&beside);
    let mut file = new_private_file(beside)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::hard_link(beside, path));
    let removed = fs::remove_file(beside);
    written.and(removed)
}

#[cfg(unix)]
fn new_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn new_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// A memory that others can read has cost ε_∞ already, and its owner should know.
#[cfg(unix)]
fn refuse_if_open_to_others(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let open = fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
    if open {
        return Err(Failure::Request(format!(
            "others can read {}\n\
             hint: chmod 600 it; whoever read it knows as much as all your reports will ever tell",
            path.display()
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_if_open_to_others(_: &Path) -> Result<(), Failure> {
    Ok(())
}
