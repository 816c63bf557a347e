//! Words about surveys: named lines, and errors with the flags that help.

use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_local::{LocalError, MemoryFileError, StreamError};
use pointillist_render::text::wrapped;

use crate::failure::Failure;
use pointillist_render::terminal_style::TerminalStyle;

/// Columns that words are wrapped to.
const WIDTH: usize = 80;

/// A name and what belongs to it, in lines of their own width.
pub fn named(name: &str, text: &str, style: TerminalStyle) -> Vec<String> {
    let mut name = name;
    let line = |part: &String| {
        let line = format!("{}  {part}", style.faint(&format!("{name:>9}")));
        name = "";
        line
    };
    wrapped(text, WIDTH).iter().map(line).collect()
}

/// What the library says, with the flags of this command in its hint.
pub fn with_flags(error: LocalError) -> Failure {
    Failure::explained(told(&error))
}

/// The same of a stream of lines.
pub fn of_stream(error: StreamError) -> Failure {
    match error {
        StreamError::Line { line, source } => {
            Failure::explained(told(&source).about(format_args!("line {line}")))
        }
        StreamError::Refused(error) => with_flags(error),
        StreamError::Output(error) => error.into(),
        StreamError::Input(_) => Failure::environment(error.to_string()),
        error => Failure::request(error),
    }
}

/// The same of a memory.
pub fn of_memory(error: MemoryFileError) -> Failure {
    match error {
        MemoryFileError::Refused(error) => with_flags(error),
        MemoryFileError::Answer(error) => of_stream(error),
        MemoryFileError::NoAnswer => {
            Failure::wrong(error.to_string(), "give it on standard input, as in `echo yes | …`")
        }
        error => Failure::request(error),
    }
}

fn told(error: &LocalError) -> Explanation {
    let flags = match error {
        LocalError::NotListed => "count all such answers as one value with --other",
        LocalError::EmptyAnswer => "name every answer, and use --other for all the rest",
        LocalError::AnswerListUnreadable => "leave the line out and give --answers",
        LocalError::AnswerListLength { .. } => {
            "list every answer, in the order of their values; --other stands for the last"
        }
        LocalError::NoAnswerList => "leave --answers out",
        LocalError::NoQuestion => {
            "give --answers yes,no or --values 10, --mean 0 100 for numbers, or --words with an alphabet"
        }
        LocalError::UnknownSurvey => {
            "keep the line `# …` that `local randomize` prints first, or give it with --setting"
        }
        LocalError::NoReports => "`pointillist local randomize` makes them, one a line",
        LocalError::NoMemory => "write --method rappor, or leave --memory out",
        LocalError::BadLines { .. } => "--skip-bad leaves such lines out and says how many",
        _ => "",
    };
    let hint = match (error, error.hint()) {
        (LocalError::BadLines { .. }, Some(hint)) => Some(format!("{hint}; {flags}")),
        (_, hint) if flags.is_empty() => hint,
        _ => Some(flags.to_owned()),
    };
    let said = Explanation::new(Kind::Request, error.to_string());
    match hint {
        Some(hint) => said.with_hint(hint),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: at a command line the way on is a flag, and the error of the first bad line keeps its own hint.
    #[test]
    fn hints_name_flags() {
        for (error, flag) in [
            (LocalError::NotListed, "--other"),
            (LocalError::NoMemory, "--method rappor"),
            (LocalError::UnknownSurvey, "--setting"),
        ] {
            assert!(told(&error).hint_text().expect("a hint").contains(flag), "{error}");
        }
        let source =
            Box::new(LocalError::Report { what: "no".to_owned(), hint: "write a number".to_owned() });
        let bad = told(&LocalError::BadLines { bad_lines: 1, lines: 2, first: 2, source }).text();
        assert!(
            bad.ends_with("\nhint: write a number; --skip-bad leaves such lines out and says how many"),
            "{bad}"
        );
    }
}
