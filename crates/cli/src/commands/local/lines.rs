//! Lines of a file or a pipe, one by one, in one buffer.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Bytes read at once.
const BUFFER: usize = 1 << 17;
/// Longer lines are neither answers nor reports: the longest report has 2^20 bits, in a quarter as many
/// digits.
const LINE_MAX: u64 = 1 << 20;

/// The lines, and which one was read last.
pub struct Lines {
    input: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
    too_long: bool,
    bytes: u64,
    progress: ProgressBar,
}

impl Lines {
    /// The lines of standard input.
    pub fn of_stdin() -> Self {
        let watched = io::stderr().is_terminal() && !io::stdin().is_terminal();
        let progress = if watched { bar(None) } else { ProgressBar::hidden() };
        Self::of(Box::new(io::stdin().lock()), progress)
    }

    /// The lines of a file; `-` is standard input.
    pub fn of_file(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(Self::of_stdin());
        }
        let file = File::open(path).map_err(|error| {
            Failure::Request(format!(
                "{} cannot be read: {error}\nhint: give a file with one line a person, or - for standard input",
                path.display()
            ))
        })?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let progress = if io::stderr().is_terminal() { bar(Some(length)) } else { ProgressBar::hidden() };
        Ok(Self::of(Box::new(file), progress))
    }

    fn of(input: Box<dyn Read>, progress: ProgressBar) -> Self {
        let input = BufReader::with_capacity(BUFFER, input);
        Self { input, line: Vec::new(), number: 0, too_long: false, bytes: 0, progress }
    }

    /// The same without a bar: what is printed shows the progress.
    pub fn unwatched(mut self) -> Self {
        self.progress = ProgressBar::hidden();
        self
    }

    /// Goes to the next line; false at the end.
    pub fn advance(&mut self) -> Result<bool, Failure> {
        self.line.clear();
        if self.must_wait() {
            self.progress.set_position(self.bytes);
        }
        let unread = |error: io::Error| Failure::Environment(format!("the input could not be read: {error}"));
        let length =
            (&mut self.input).take(LINE_MAX).read_until(b'\n', &mut self.line).map_err(unread)? as u64;
        if length == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.bytes += length;
        self.too_long = length == LINE_MAX && self.line.last() != Some(&b'\n');
        if self.too_long {
            self.input.skip_until(b'\n').map_err(unread)?;
        }
        Ok(true)
    }

    /// The line without blanks around it; `None` when it is too long or not text.
    pub fn text(&self) -> Option<&str> {
        if self.too_long {
            return None;
        }
        std::str::from_utf8(self.line.trim_ascii()).ok()
    }

    /// Its number, from one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the next line has to be waited for.
    pub fn must_wait(&self) -> bool {
        self.input.buffer().is_empty()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

/// Bytes of so many, or of nobody knows how many.
fn bar(length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{wide_bar} {bytes}/{total_bytes}",
        None => "{spinner} {bytes} read",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    length.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Option<String>> {
        let mut lines = Lines::of(Box::new(io::Cursor::new(bytes.to_vec())), ProgressBar::hidden());
        let mut read = Vec::new();
        while lines.advance().expect("memory can be read") {
            read.push(lines.text().map(str::to_owned));
        }
        assert_eq!(lines.number(), read.len() as u64);
        assert!(lines.must_wait());
        read
    }

    #[test]
    fn lines_come_without_their_ends() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(lines(b"a\nb\r\n\n c d \nlast"), ["a", "b", "", "c d", "last"].map(text));
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\xff\nb\n"), [None, text("b")]);
    }

    #[test]
    fn a_line_that_never_ends_does_not_fill_the_memory() {
        let mut bytes = vec![b'a'; LINE_MAX as usize - 1];
        bytes.push(b'\n');
        bytes.extend(vec![b'b'; 3 * LINE_MAX as usize]);
        bytes.extend(b"\nc\n");
        let read = lines(&bytes);
        assert_eq!(read[0].as_ref().map(String::len), Some(LINE_MAX as usize - 1));
        assert_eq!(read[1..], [None, Some("c".to_owned())]);
    }
}
