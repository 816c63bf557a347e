//! Many texts in one piece of memory: answers on their way in, reports on their way out.
//!
//! All texts of a list are copied once, so that the work on them needs no lock of the interpreter, and no memory of its own
//! for each of a million of them.

use std::ops::Range;
use std::thread;

use pointillist_local::{LocalError, Survey};
use pointillist_noise::with_system_bits;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::refusal::refused_at;
use crate::errors::{raised, wrong};

/// Answers that a core randomizes between two looks at signals.
const BATCH: usize = 1 << 14;
/// What is not text: no list holds it, and it may still be one of all other answers.
const MARK: &str = "\u{fffd}";

/// A text, or the mark: half of a surrogate pair is no text in any encoding.
pub fn text_or_mark<'a>(text: &'a Bound<'_, PyString>) -> &'a str {
    text.to_str().unwrap_or(MARK)
}

/// Texts one behind the other.
#[derive(Default)]
pub struct Texts {
    text: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    /// The texts of a list.
    pub fn read(list: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut texts = Self { text: String::new(), ends: Vec::with_capacity(list.len()) };
        for (index, item) in list.iter().enumerate() {
            let item = item.cast::<PyString>().map_err(|_| {
                let what = format!("item {index}, counted from zero, is not a text");
                wrong(what, "give a list of texts")
            })?;
            texts.push(text_or_mark(item));
        }
        Ok(texts)
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// All texts, each with an end of line.
    pub fn lines(&self) -> String {
        let mut lines = String::with_capacity(self.text.len() + self.ends.len());
        for index in 0..self.ends.len() {
            let line = self.get(index);
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = line.strip_suffix('\r').unwrap_or(line);
            // One item is one report: whoever writes an end of line into theirs has sent none.
            lines.push_str(if line.contains(['\n', '\r']) { "\u{FFFD}" } else { line });
            lines.push('\n');
        }
        lines
    }

    /// A report for each answer. What is no answer is refused, and then there is no report at all.
    pub fn randomized<'py>(&self, survey: &Survey, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let reports = PyList::empty(py);
        for start in (0..self.ends.len()).step_by(BATCH * cores) {
            let end = self.ends.len().min(start + BATCH * cores);
            let parts = py.detach(|| {
                let drawn = |part: Range<usize>| with_system_bits(|bits| self.part(survey, part, bits));
                let drawn = &drawn;
                let ranges: Vec<Range<usize>> =
                    (start..end).step_by(BATCH).map(|from| from..end.min(from + BATCH)).collect();
                thread::scope(|scope| {
                    let mut ranges = ranges.into_iter();
                    // The first part is drawn here, so that few answers need no thread.
                    let first = ranges.next();
                    let others: Vec<_> = ranges.map(|range| scope.spawn(move || drawn(range))).collect();
                    let here = first.map(drawn);
                    let others = others
                        .into_iter()
                        .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                    here.into_iter().chain(others).collect::<Result<Vec<_>, _>>()
                })
            });
            for part in parts.map_err(|error| raised(&error))? {
                let part = part.map_err(|(index, error)| refused_at(index, &error))?;
                (0..part.ends.len()).try_for_each(|index| reports.append(part.get(index)))?;
            }
            py.check_signals()?;
        }
        Ok(reports)
    }

    /// The reports of some answers, or the first that is refused and why.
    fn part<B: pointillist_noise::SecureBits + ?Sized>(
        &self,
        survey: &Survey,
        part: Range<usize>,
        bits: &mut B,
    ) -> Result<Self, (usize, LocalError)> {
        let mut reports = Self::default();
        for index in part {
            survey
                .randomize_line(self.get(index), bits, &mut reports.text)
                .map_err(|error| (index, error))?;
            reports.ends.push(reports.text.len());
        }
        Ok(reports)
    }
}
