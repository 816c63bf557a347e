//! What is wrong with a survey, an answer or a report, and what to write instead. No text repeats an answer.

use std::io;
use std::path::PathBuf;

use pointillist_errors::{Explained, Kind};
use pointillist_mechanisms::MechanismError;
use pointillist_noise::NoiseError;
use pointillist_numbers::NumberError;
use pointillist_privacy::ParameterError;

/// A method that cannot be set up, an answer that cannot be given, or a report that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// The survey cannot be set up like this.
    #[error("{what}")]
    Refused {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// A setting of a method is no number.
    #[error("{key}: {source}")]
    Setting {
        /// Which setting.
        key: String,
        /// What is wrong with it.
        source: NumberError,
    },
    /// The answer is none of the values of the question. It is not repeated: errors are written to logs.
    #[error("{what}")]
    Answer {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// The answer is none of those that are listed. It is not repeated either.
    #[error("the answer is not in the list")]
    NotListed,
    /// One of the answers of a list has no letters.
    #[error("one of the answers is empty")]
    EmptyAnswer,
    /// Nothing says what the answers to a question are.
    #[error("nothing says what the answers are")]
    NoQuestion,
    /// The list of answers that travels with reports is no list.
    #[error("the list of answers on top of the reports cannot be read")]
    AnswerListUnreadable,
    /// A list of answers of another length than the method has values.
    #[error("the method has {values} values and the list {listed}")]
    AnswerListLength {
        /// Of the method.
        values: u64,
        /// Of the list.
        listed: u64,
    },
    /// A list of answers to a question that has none.
    #[error("numbers and words have no list of answers")]
    NoAnswerList,
    /// The line is no report of this method.
    #[error("{what}")]
    Report {
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// Reports without the line that says how they were made.
    #[error("nothing says how these reports were made")]
    UnknownSurvey,
    /// Nothing to estimate from.
    #[error("there are no reports")]
    NoReports,
    /// Lines among the reports that are none.
    #[error("{bad_lines} of {lines} lines are no reports; line {first} is the first: {source}")]
    BadLines {
        /// How many.
        bad_lines: u64,
        /// How many lines there are.
        lines: u64,
        /// The number of the first, from one.
        first: u64,
        /// What is wrong with it.
        source: Box<LocalError>,
    },
    /// A memory for a method that has none.
    #[error("only rappor has a memory")]
    NoMemory,
    /// A privacy parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A mechanism's parameter is out of range.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A probability is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

impl LocalError {
    /// A method that is refused.
    pub(crate) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    /// An answer that is none.
    pub(crate) fn answer(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Answer { what: what.into(), hint: hint.into() }
    }

    /// A report that is none.
    pub(crate) fn report(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Report { what: what.into(), hint: hint.into() }
    }
}

#[cfg(test)]
impl LocalError {
    /// All that a reader is told.
    pub(crate) fn told(&self) -> String {
        self.hint().map_or_else(|| self.to_string(), |hint| format!("{self}\nhint: {hint}"))
    }
}

/// Settings, answers and reports are for the caller to fix.
impl Explained for LocalError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Refused { hint, .. } | Self::Answer { hint, .. } | Self::Report { hint, .. } => {
                hint.clone()
            }
            Self::NotListed => "count all such answers as one more value".to_owned(),
            Self::EmptyAnswer => "name every answer, and count all the rest as one more value".to_owned(),
            Self::NoQuestion => {
                "give a list of answers or how many there are, a range of numbers, or an alphabet of words"
                    .to_owned()
            }
            Self::AnswerListUnreadable => {
                "leave the line out and give the list apart from the reports".to_owned()
            }
            Self::AnswerListLength { .. } => {
                "list every answer, in the order of their values; one for all others stands last".to_owned()
            }
            Self::NoAnswerList => "leave the list out".to_owned(),
            Self::UnknownSurvey => {
                "keep the line `# …` that stands on top of reports, or say how they were made".to_owned()
            }
            Self::NoReports => "collect reports first, one a line".to_owned(),
            Self::BadLines { source, .. } => return source.hint(),
            Self::NoMemory => "set the survey up with rappor, or report without a memory".to_owned(),
            Self::Setting { source, .. } => return source.hint(),
            Self::Parameter(error) => return error.hint(),
            Self::Mechanism(error) => return error.hint(),
            Self::Noise(error) => return error.hint(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Request
    }
}

/// Answers or reports that could not be read, understood or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A line that is refused.
    #[error("line {line}: {source}")]
    Line {
        /// Its number, from one.
        line: u64,
        /// What is wrong with it.
        source: LocalError,
    },
    /// What the lines say together is refused.
    #[error(transparent)]
    Refused(#[from] LocalError),
    /// A line of a list of answers that is not text.
    #[error("line {line} is not text")]
    NotText {
        /// Its number, from one.
        line: u64,
    },
    /// The reader failed.
    #[error("the input could not be read: {0}")]
    Input(#[source] io::Error),
    /// The writer failed.
    #[error("the output could not be written: {0}")]
    Output(#[source] io::Error),
}

impl Explained for StreamError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Line { source, .. } | Self::Refused(source) => source.hint(),
            Self::NotText { .. } => Some("write one answer a line, in UTF-8".to_owned()),
            Self::Input(_) | Self::Output(_) => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Line { source, .. } | Self::Refused(source) => source.kind(),
            Self::NotText { .. } => Kind::Request,
            Self::Input(_) | Self::Output(_) => Kind::Environment,
        }
    }
}

/// A memory that cannot be kept or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryFileError {
    /// The survey has no memory, or the file holds none of its.
    #[error(transparent)]
    Refused(#[from] LocalError),
    /// The answer that was to be remembered is refused or could not be read.
    #[error(transparent)]
    Answer(#[from] StreamError),
    /// No answer was given.
    #[error("there is no answer to remember")]
    NoAnswer,
    /// More than one answer was given.
    #[error("a memory is one person's, and there are several answers")]
    SeveralAnswers,
    /// The file is there and cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file cannot be made.
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a memory", path.display())]
    NotAMemory {
        /// Where it is.
        path: PathBuf,
    },
    /// The file remembers the answer to another question.
    #[error("this memory belongs to another survey: {made_for}")]
    OtherSurvey {
        /// The line of that survey.
        made_for: String,
    },
    /// Others than its owner can read the file.
    #[error("others can read {}", path.display())]
    OpenToOthers {
        /// Where it is.
        path: PathBuf,
    },
}

impl Explained for MemoryFileError {
    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Refused(error) => return error.hint(),
                Self::Answer(error) => return error.hint(),
                Self::NoAnswer => "give the one answer that is to be remembered",
                Self::SeveralAnswers => "give every respondent a file of their own",
                Self::Unreadable { .. } => "name the file that holds your memory, or a new one",
                Self::Unwritable { .. } => "name a new file in a folder of your own",
                Self::NotAMemory { .. } => "name the file that an earlier run made, or a new one",
                Self::OtherSurvey { .. } => "every question needs a memory of its own",
                Self::OpenToOthers { .. } => {
                    "chmod 600 it; whoever read it knows as much as all your reports will ever tell"
                }
            }
            .to_owned(),
        )
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Answer(error) => error.kind(),
            _ => Kind::Request,
        }
    }
}
