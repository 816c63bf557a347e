//! Lines of answers or reports from any reader, one by one, in one buffer.

use std::io::{self, BufRead, Read};

/// Longer lines are neither answers nor reports: the longest report has 2^20 bits, in a quarter as many
/// digits.
const LINE_MAX: u64 = 1 << 20;

/// The lines of a reader, and which one was read last.
#[derive(Debug)]
pub struct Lines<R> {
    input: Watched<R>,
    line: Vec<u8>,
    number: u64,
    too_long: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a reader, from where it stands.
    pub fn new(input: R) -> Self {
        Self { input: Watched { input, buffered: 0 }, line: Vec::new(), number: 0, too_long: false }
    }

    /// Goes to the next line; false at the end. A line that never ends takes no more memory than one that is
    /// just too long.
    pub fn advance(&mut self) -> io::Result<bool> {
        self.line.clear();
        let length = (&mut self.input).take(LINE_MAX).read_until(b'\n', &mut self.line)? as u64;
        if length == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.too_long = length == LINE_MAX && self.line.last() != Some(&b'\n');
        if self.too_long {
            self.input.skip_until(b'\n')?;
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

    /// The line as an answer or a report: what is not text is in no list and is no report, and one sign that
    /// stands for it may still be one of all other answers.
    pub fn text_or_mark(&self) -> &str {
        self.text().unwrap_or("\u{fffd}")
    }

    /// Its number, from one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the next line has to be waited for: all that was read is used up.
    pub fn must_wait(&self) -> bool {
        self.input.buffered == 0
    }
}

/// A reader that knows how much of its buffer is unread.
#[derive(Debug)]
struct Watched<R> {
    input: R,
    buffered: usize,
}

impl<R: BufRead> Read for Watched<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(bytes)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Watched<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.input.fill_buf()?;
        self.buffered = buffer.len();
        Ok(buffer)
    }

    fn consume(&mut self, length: usize) {
        self.buffered = self.buffered.saturating_sub(length);
        self.input.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Option<String>> {
        let mut lines = Lines::new(BufReader::with_capacity(7, bytes));
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

    /// Specification: after the last line of what has arrived the reader must wait, and before it must not.
    #[test]
    fn whoever_must_wait_is_told() {
        let mut lines = Lines::new(BufReader::with_capacity(4, &b"a\nb\nc\n"[..]));
        let waits: Vec<bool> =
            std::iter::from_fn(|| lines.advance().unwrap().then(|| lines.must_wait())).collect();
        assert_eq!(waits, [false, true, true]);
        assert_eq!(Lines::new(&b""[..]).text_or_mark(), "");
    }
}
