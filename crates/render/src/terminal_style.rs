//! A little colour, where a person is looking at a terminal and has not asked for none.

use std::io::{IsTerminal, stdout};

/// Words to a terminal in bold, grey or colour; plain everywhere else.
#[derive(Clone, Copy, Debug)]
pub struct TerminalStyle {
    colours: bool,
}

impl TerminalStyle {
    /// For stdout. Respects <https://no-color.org>.
    pub fn for_stdout() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { colours: wanted && able && stdout().is_terminal() }
    }

    /// Never any colour.
    pub fn plain() -> Self {
        Self { colours: false }
    }

    /// What to look at first.
    pub fn strong(self, text: &str) -> String {
        self.in_code("1", text)
    }

    /// What to look at last.
    pub fn faint(self, text: &str) -> String {
        self.in_code("2", text)
    }

    /// What belongs to the other side: truths in a demo, warnings.
    pub fn accent(self, text: &str) -> String {
        self.in_code("36", text)
    }

    /// What was refused.
    pub fn alarm(self, text: &str) -> String {
        self.in_code("33", text)
    }

    fn in_code(self, code: &str, text: &str) -> String {
        if self.colours && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
