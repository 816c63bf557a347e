//! What a respondent keeps: the permanent response of RAPPOR, in a file of their own.
//!
//! **Guarantee.** The file and all reports from it together, however many and whoever links them, are
//! ε_∞-differentially private, ε_∞ of [`Survey::epsilon_of_one_memory`].
//! **Neighbours.** Replace the answer that was remembered.
//! **Proof.** The answer is used once, for the permanent response; reports are drawn from that response and fresh
//! bits. The response is ε_∞-private (see [`rappor`](crate::rappor)), and the rest is post-processing.
//! **What is kept.** The noisy row and not the answer, so that losing the file costs ε_∞ and no more; above it
//! the public lines of the survey, so that it is not used for another one.
//! **When.** The file is written, for its owner alone, before the first report leaves: a report without its
//! memory would have to be paid for again. It has all of its text from the moment it has its name, and a file of
//! that name that was made meanwhile stays.
//! **Refused.** A file that others can read has cost ε_∞ already, and its owner should know.
//! **Not covered.** Who can read the file by other ways than its permissions: backups, a stolen disk. Systems
//! without Unix permissions: there the folder has to be its owner's alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use pointillist_noise::SecureBits;

use crate::rappor::{Memory, Rappor};
use crate::{Lines, LocalError, MemoryFileError, StreamError, Survey};

/// The first line of the file.
const TITLE: &str = "# A noisy memory of one answer. Keep it, and keep it to yourself.";
/// Longer files are no memories: the longest row has 2^20 bits, in a quarter as many digits.
const BYTES_MAX: u64 = 1 << 20;

/// The file of one respondent in one survey; it need not exist yet.
#[derive(Clone, Debug)]
pub struct MemoryFile<'s> {
    path: PathBuf,
    survey: &'s Survey,
    rappor: &'s Rappor,
}

impl<'s> MemoryFile<'s> {
    /// The file of this name, for a survey by rappor.
    pub fn new(path: impl Into<PathBuf>, survey: &'s Survey) -> Result<Self, LocalError> {
        let rappor = survey.rappor().ok_or(LocalError::NoMemory)?;
        Ok(Self { path: path.into(), survey, rappor })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is remembered; `None` where there is no file yet.
    pub fn recall(&self) -> Result<Option<Memory>, MemoryFileError> {
        let unreadable = |source| MemoryFileError::Unreadable { path: self.path.clone(), source };
        // Permissions and text are those of one file, whatever happens to its name meanwhile.
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let metadata = file.metadata().map_err(unreadable)?;
        if is_open_to_others(&metadata) {
            return Err(MemoryFileError::OpenToOthers { path: self.path.clone() });
        }
        let mut text = String::new();
        if metadata.len() <= BYTES_MAX {
            file.read_to_string(&mut text).map_err(unreadable)?;
        }
        let Some(lines) = text.strip_prefix(TITLE) else {
            return Err(MemoryFileError::NotAMemory { path: self.path.clone() });
        };
        let Some(line) = text.strip_prefix(&self.head()) else {
            let made_for = lines.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("another survey");
            return Err(MemoryFileError::OtherSurvey { made_for: made_for.to_owned() });
        };
        Ok(Some(self.rappor.parse_memory(line.trim_end())?))
    }

    /// Draws a memory of an answer and keeps it in the new file from now on.
    pub fn remember<B: SecureBits + ?Sized>(
        &self,
        answer: &str,
        bits: &mut B,
    ) -> Result<Memory, MemoryFileError> {
        let domain = self.survey.domain().ok_or(LocalError::NoMemory)?;
        self.keep(domain.value(answer)?, bits)
    }

    /// The same with the answer on the only line of an input.
    pub fn remember_line<B: SecureBits + ?Sized>(
        &self,
        input: impl BufRead,
        bits: &mut B,
    ) -> Result<Memory, MemoryFileError> {
        let domain = self.survey.domain().ok_or(LocalError::NoMemory)?;
        let mut lines = Lines::new(input);
        if !lines.advance().map_err(StreamError::Input)? {
            return Err(MemoryFileError::NoAnswer);
        }
        let value = domain.value(lines.text_or_mark());
        let value = value.map_err(|source| StreamError::Line { line: lines.number(), source })?;
        while lines.advance().map_err(StreamError::Input)? {
            if lines.text() != Some("") {
                return Err(MemoryFileError::SeveralAnswers);
            }
        }
        self.keep(value, bits)
    }

    /// One more report of what is remembered, as its line without an end.
    pub fn report_line<B: SecureBits + ?Sized>(&self, memory: &Memory, bits: &mut B) -> String {
        self.rappor.report(memory, bits).to_string()
    }

    fn keep<B: SecureBits + ?Sized>(&self, value: u64, bits: &mut B) -> Result<Memory, MemoryFileError> {
        let memory = self.rappor.remember(value, bits);
        let text = format!("{}{}\n", self.head(), self.rappor.memory_line(&memory));
        write_new(&self.path, &text)
            .map_err(|source| MemoryFileError::Unwritable { path: self.path.clone(), source })?;
        Ok(memory)
    }

    /// All lines of the file but the last.
    fn head(&self) -> String {
        format!("{TITLE}\n{}", self.survey.header())
    }
}

/// Writes a new file for its owner alone: under another name first, and linked to its own once it is on disk.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
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

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::Domain;

    fn survey(line: &str) -> Survey {
        Survey::parse(line, None).unwrap()
    }

    /// Specification: the answer is asked for once, and all later reports come from what was remembered then.
    /// The file holds the row that was drawn and no trace of the answer.
    #[test]
    fn a_memory_is_drawn_once_and_recalled_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let survey = survey("rappor values=64 f=0.5 p=1e-12 q=0.999999999999");
        let file = MemoryFile::new(folder.path().join("mine.txt"), &survey).unwrap();
        assert!(file.recall().unwrap().is_none());
        let mut bits = seeded(1);
        let drawn = file.remember("17", &mut bits).unwrap();
        let kept = fs::read_to_string(file.path()).unwrap();
        let rappor = survey.rappor().unwrap();
        assert_eq!(kept, format!("{TITLE}\n{}{}\n", survey.header(), rappor.memory_line(&drawn)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let recalled = file.recall().unwrap().expect("a memory");
        assert_eq!(rappor.memory_line(&recalled), rappor.memory_line(&drawn));
        assert_eq!(file.report_line(&recalled, &mut bits), kept.lines().last().unwrap());
        // A file that was made meanwhile stays.
        let again = file.remember("17", &mut bits).unwrap_err();
        assert!(matches!(again, MemoryFileError::Unwritable { .. }), "{again}");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), kept);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_memory_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let survey = survey("rappor values=2 f=0.5 p=1/2 q=3/4");
        let file = MemoryFile::new(folder.path().join("mine.txt"), &survey).unwrap();
        file.remember("1", &mut seeded(1)).unwrap();
        assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o640, 0o604, 0o644, 0o620] {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(file.recall(), Err(MemoryFileError::OpenToOthers { .. })), "{mode:o}");
        }
    }

    #[test]
    fn one_answer_and_no_more_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Domain::parse_list("no,yes", false).unwrap();
        let survey = Survey::parse("rappor values=2 f=0.5 p=1/2 q=3/4", Some(answers)).unwrap();
        let file = MemoryFile::new(folder.path().join("mine.txt"), &survey).unwrap();
        let mut bits = seeded(1);
        let mut refused = |input: &str| file.remember_line(input.as_bytes(), &mut bits).unwrap_err();
        assert!(matches!(refused(""), MemoryFileError::NoAnswer));
        assert!(matches!(refused("yes\nno\n"), MemoryFileError::SeveralAnswers));
        let words = refused("maybe\n").to_string();
        assert!(words.starts_with("line 1: ") && !words.contains("maybe"), "{words}");
        assert!(!file.path().exists(), "nothing was remembered");
        file.remember_line(&b"yes\n\n"[..], &mut bits).unwrap();
        assert!(file.recall().unwrap().is_some());
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.txt");
        let one = survey("rappor values=2 f=0.5 p=1/2 q=3/4");
        let file = MemoryFile::new(&path, &one).unwrap();
        file.remember("1", &mut seeded(1)).unwrap();
        let other = survey("rappor values=2 f=0.25 p=1/2 q=3/4");
        let belongs = MemoryFile::new(&path, &other).unwrap().recall().unwrap_err();
        assert!(matches!(&belongs, MemoryFileError::OtherSurvey { made_for } if made_for.contains("f=0.5")));
        let kept = fs::read_to_string(&path).unwrap();
        for (text, names) in [
            (kept.trim_end().to_owned() + "ff\n", "no permanent response"),
            ("no,yes\n".to_owned(), "is not a memory"),
            (format!("{kept}{}", "0".repeat(BYTES_MAX as usize)), "is not a memory"),
        ] {
            fs::write(&path, text).unwrap();
            assert!(file.recall().unwrap_err().to_string().contains(names), "{names}");
        }
        let forgetful = survey("k-ary-response values=2 epsilon=1");
        assert_eq!(MemoryFile::new(&path, &forgetful).unwrap_err(), LocalError::NoMemory);
        let nowhere = MemoryFile::new(folder.path().join("no/mine.txt"), &one).unwrap();
        let unwritable = nowhere.remember("1", &mut seeded(1)).unwrap_err();
        assert!(matches!(unwritable, MemoryFileError::Unwritable { .. }), "{unwritable}");
    }
}
