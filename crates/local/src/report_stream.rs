//! Answers in, reports out, one a line, as they come: nothing is kept, and nobody waits for a report longer than
//! for the next answer.
//!
//! **Guarantee.** Every report is ε-differentially private against everybody who sees all of them, ε of
//! [`Survey::epsilon`].
//! **Neighbours.** Replace the answer of one line by any other that the survey takes.
//! **Proof.** Reports are drawn from independent bits, each from its own line alone, so that one person's answer
//! changes the law of one report; the method's own file proves the ε of that one.
//! **Not covered.** The place of a report tells the place of its answer. A refused answer ends the stream, which
//! shows; it is refused before anything is drawn.

use std::io::{BufRead, Write};

use pointillist_noise::SecureBits;
use serde::Serialize;

use crate::{Cost, Lines, StreamError, Survey};

/// So many bytes of reports are written at once.
const BATCH: usize = 1 << 16;

/// What stands around reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFrame {
    /// Before all of them.
    pub start: String,
    /// Before the first.
    pub before_first: &'static str,
    /// Before every other one.
    pub before_next: &'static str,
    /// Behind each.
    pub behind: &'static str,
    /// Behind all of them.
    pub end: &'static str,
}

/// What stands in an object before its list of reports.
#[derive(Serialize)]
struct ObjectStart {
    cost: Cost,
    setting: String,
}

impl ReportFrame {
    /// One report a line, for a file that begins with them.
    pub fn lines() -> Self {
        Self { start: String::new(), before_first: "", before_next: "", behind: "\n", end: "" }
    }

    /// One report a line, below the lines that say how they were made.
    pub fn lines_with_header(survey: &Survey) -> Self {
        Self { start: survey.header(), ..Self::lines() }
    }

    /// One JSON object: what a report costs, the line of the survey, and a list of reports. Reports are letters
    /// that need no escapes.
    pub fn json(survey: &Survey) -> Self {
        let head = ObjectStart { cost: survey.cost(), setting: survey.to_string() };
        let object = serde_json::to_string(&head).expect("texts are JSON");
        let open = object.strip_suffix('}').expect("an object ends with a brace");
        Self {
            start: format!("{open},\"reports\":["),
            before_first: "\"",
            before_next: ",\"",
            behind: "\"",
            end: "]}\n",
        }
    }

    /// A single report in this frame.
    pub fn around(&self, report: &str) -> String {
        [&self.start, self.before_first, report, self.behind, self.end].concat()
    }
}

impl Survey {
    /// Randomizes every line of the input and returns how many there were. An answer that is refused ends it:
    /// the reports before it are written, and the error has its number and not its text.
    pub fn randomize_stream<B: SecureBits + ?Sized>(
        &self,
        input: impl BufRead,
        output: &mut impl Write,
        frame: &ReportFrame,
        bits: &mut B,
    ) -> Result<u64, StreamError> {
        let mut lines = Lines::new(input);
        let mut text = frame.start.clone();
        let mut before = frame.before_first;
        while lines.advance().map_err(StreamError::Input)? {
            let written = text.len();
            text.push_str(before);
            before = frame.before_next;
            if let Err(source) = self.randomize_line(lines.text_or_mark(), bits, &mut text) {
                text.truncate(written);
                flush(&text, output)?;
                return Err(StreamError::Line { line: lines.number(), source });
            }
            text.push_str(frame.behind);
            // Whoever waits for the next answer may have the last report.
            if text.len() >= BATCH || lines.must_wait() {
                flush(&text, output)?;
                text.clear();
            }
        }
        text.push_str(frame.end);
        flush(&text, output)?;
        Ok(lines.number())
    }
}

fn flush(text: &str, output: &mut impl Write) -> Result<(), StreamError> {
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(StreamError::Output)
}

#[cfg(test)]
mod tests {
    use std::io;

    use pointillist_testkit::seeded;

    use super::*;
    use crate::LocalError;

    fn survey() -> Survey {
        Survey::parse("k-ary-response values=4 epsilon=1/2", None).unwrap()
    }

    fn stream(answers: &str, frame: &ReportFrame) -> (Result<u64, StreamError>, String) {
        let mut written = Vec::new();
        let count = survey().randomize_stream(answers.as_bytes(), &mut written, frame, &mut seeded(1));
        (count, String::from_utf8(written).unwrap())
    }

    #[test]
    fn reports_are_lines_or_one_object() {
        let (count, lines) = stream("0\n1\n3\n", &ReportFrame::lines_with_header(&survey()));
        assert_eq!(count.unwrap(), 3);
        assert!(lines.starts_with("# k-ary-response values=4 epsilon=0.5\n"), "{lines}");
        assert_eq!(lines.lines().count(), 4);
        let reports: Vec<&str> = lines.lines().skip(1).collect();
        let (_, json) = stream("0\n1\n3\n", &ReportFrame::json(&survey()));
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["reports"], serde_json::json!(reports));
        assert_eq!(read["cost"]["epsilon"], "0.5");
        let (_, none) = stream("", &ReportFrame::json(&survey()));
        let start = "{\"cost\":{\"epsilon\":\"0.5\"},\"setting\":\"k-ary-response values=4 epsilon=0.5\"";
        assert_eq!(none, format!("{start},\"reports\":[]}}\n"));
        assert_eq!(ReportFrame::lines().around("7"), "7\n");
        assert_eq!(ReportFrame::json(&survey()).around("2"), format!("{start},\"reports\":[\"2\"]}}\n"));
    }

    /// Specification: an answer that is refused is not repeated, and the reports before it are out.
    #[test]
    fn a_refused_answer_ends_the_stream_with_its_number() {
        let (ended, written) = stream("0\n1\n987654321\n2\n", &ReportFrame::lines());
        let StreamError::Line { line: 3, source: LocalError::Answer { .. } } = ended.as_ref().unwrap_err()
        else {
            panic!("{ended:?}")
        };
        assert!(!ended.unwrap_err().to_string().contains("987654321"));
        assert_eq!(written.lines().count(), 2);
    }

    /// Specification: a report is written before the next answer is waited for.
    #[test]
    fn reports_do_not_wait_for_later_answers() {
        struct Asked<'a> {
            written: &'a std::cell::RefCell<Vec<u8>>,
            rounds: usize,
        }
        impl io::Read for Asked<'_> {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                assert_eq!(self.written.borrow().len(), 2 * self.rounds, "one line of two bytes a round");
                self.rounds += 1;
                if self.rounds > 3 {
                    return Ok(0);
                }
                bytes[..2].copy_from_slice(b"1\n");
                Ok(2)
            }
        }
        struct Kept<'a>(&'a std::cell::RefCell<Vec<u8>>);
        impl Write for Kept<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.borrow_mut().write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let written = std::cell::RefCell::new(Vec::new());
        let input = io::BufReader::new(Asked { written: &written, rounds: 0 });
        let count = survey()
            .randomize_stream(input, &mut Kept(&written), &ReportFrame::lines(), &mut seeded(1))
            .unwrap();
        assert_eq!(count, 3);
    }

    #[test]
    fn a_reader_or_writer_that_fails_is_told_apart() {
        let mut full = &mut [0u8; 1][..];
        let ended =
            survey().randomize_stream(&b"1\n1\n"[..], &mut full, &ReportFrame::lines(), &mut seeded(1));
        assert!(matches!(ended, Err(StreamError::Output(_))), "{ended:?}");
    }
}
