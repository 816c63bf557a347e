//! What the local model refuses, with the words of this door in the hint.

use pointillist_errors::{Explained, Explanation};
use pointillist_local::{LocalError, MemoryFileError, StreamError};
use pyo3::prelude::*;

use crate::errors::{explained, raised};

/// What the library says, with the parameters of Python in its hint.
pub fn refused(error: &LocalError) -> PyErr {
    explained(&told(error))
}

/// The same about one of many answers.
pub fn refused_at(index: usize, error: &LocalError) -> PyErr {
    explained(&told(error).about(format_args!("answer {index}, counted from zero")))
}

/// The same of a stream of lines.
pub fn of_stream(error: &StreamError) -> PyErr {
    match error {
        StreamError::Line { line, source } => explained(&told(source).about(format_args!("line {line}"))),
        StreamError::Refused(error) => refused(error),
        error => raised(error),
    }
}

/// The same of a memory.
pub fn of_memory(error: &MemoryFileError) -> PyErr {
    match error {
        MemoryFileError::Refused(error) => refused(error),
        MemoryFileError::Answer(error) => of_stream(error),
        MemoryFileError::NoAnswer => {
            explained(&error.explanation().with_hint("give answer, the one that is to be remembered"))
        }
        error => raised(error),
    }
}

fn told(error: &LocalError) -> Explanation {
    let said = error.explanation();
    let hint = match error {
        LocalError::NotListed => "count all such answers as one value with other=True",
        LocalError::EmptyAnswer => "name every answer, and use other=True for all the rest",
        LocalError::AnswerListUnreadable => "leave the line out and give answers",
        LocalError::AnswerListLength { .. } => {
            "list every answer, in the order of their values; other=True stands for the last"
        }
        LocalError::NoAnswerList => "leave answers out",
        LocalError::NoQuestion => {
            "give answers=['no', 'yes'] or values=10, mean=(0, 100) for numbers, or words with an alphabet"
        }
        LocalError::UnknownSurvey => {
            "keep the lines of Survey.header on top of the reports, or ask the survey for the estimate"
        }
        LocalError::NoReports => "Survey.randomize makes them, one a line",
        LocalError::NoMemory => "set the survey up with method='rappor'",
        LocalError::BadLines { .. } => "skip_bad=True leaves such lines out and says how many",
        _ => return said,
    };
    match (error, said.hint_text().map(str::to_owned)) {
        (LocalError::BadLines { .. }, Some(own)) => said.with_hint(format!("{own}; {hint}")),
        _ => said.with_hint(hint),
    }
}
