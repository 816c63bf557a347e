//! How a command ends when it does not succeed: words on stderr, a code for scripts.

use std::io;
use std::process::ExitCode;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The request is wrong; the text says what to write instead.
    Request(String),
    /// Something outside the request failed.
    Environment(String),
    /// The reader of our output went away, as `head` does: nothing is wrong.
    ReaderGone,
}

impl Failure {
    /// A wrong request, from an error that carries its own hint.
    pub fn request(error: impl ToString) -> Self {
        Self::Request(error.to_string())
    }

    /// Tells the person and returns the code for the script.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Request(text) => {
                eprintln!("error: {text}");
                ExitCode::from(2)
            }
            Self::Environment(text) => {
                eprintln!("error: {text}");
                ExitCode::FAILURE
            }
            Self::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::Environment(format!("the output could not be written: {error}"))
        }
    }
}
