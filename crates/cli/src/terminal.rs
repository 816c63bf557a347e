//! What reaches a terminal: words and never commands to it, whoever wrote the words.
//!
//! File names, arguments and values of cells may hold the bytes by which programs steer terminals (ESC, and U+009B,
//! which means the same in one sign). Messages spell them out, and JSON escapes them all, not only those that its
//! grammar wants escaped.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use serde::Serialize;
use serde_json::Value;

use pointillist_render::text::shown;

/// Lines on stderr. Whoever closed it does not want to hear of it.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", shown_lines(text));
}

/// The same text with its line breaks, and everything else that a terminal would obey spelled out.
pub fn shown_lines(text: &str) -> String {
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// A result for scripts, on one line.
pub fn print_json(out: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", Json(&serde_json::to_value(value)?))
}

/// One JSON text on one line. Control signs stand in strings alone, so that the escaped text means the same.
pub struct Json<'a>(pub &'a Value);

impl fmt::Display for Json<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.to_string().chars() {
            match shown(letter.encode_utf8(&mut [0; 4])).len() == letter.len_utf8() {
                true => out.write_char(letter)?,
                // All of them lie in the first plane.
                false => write!(out, "\\u{:04x}", u32::from(letter))?,
            }
        }
        Ok(())
    }
}

/// A result as one JSON text on one line.
pub fn json_line(result: &impl Serialize) -> String {
    Json(&serde_json::to_value(result).expect("results have names and numbers")).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Specification: nothing that a terminal obeys is printed, and what is read back is the same.
    #[test]
    fn json_holds_no_sign_that_a_terminal_obeys() {
        let signs: String = (0u32..0x2100).filter_map(char::from_u32).collect();
        let value = json!({ signs.clone(): [signs, "plain", 1.5, null] });
        let text = Json(&value).to_string();
        assert!(
            text.chars()
                .all(|letter| !letter.is_control() && shown(&letter.to_string()).chars().eq([letter]))
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(text.contains("\\u009b") && text.contains("\\u007f") && text.contains('é'), "{text}");
    }

    #[test]
    fn messages_keep_their_lines_and_nothing_else_that_is_obeyed() {
        let text = shown_lines("error: no `\u{1b}[31m\u{9b}2Jé`\r\nhint: \u{202e}none");
        assert_eq!(text, "error: no `\\u{1b}[31m\\u{9b}2Jé`\\r\nhint: \\u{202e}none");
    }
}
