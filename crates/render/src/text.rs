//! Texts that may hold anything, made safe to look at: signs that a terminal or a browser would obey are spelled out,
//! numbers stay with their units, and lines end at blanks.

use unicode_width::UnicodeWidthStr;

/// A text for a terminal: signs that a terminal would obey are spelled out. Earned keys are words from rows.
pub fn shown(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            let spelled: String =
                if is_obeyed(letter) { letter.escape_default().collect() } else { letter.into() };
            spelled.chars().collect::<Vec<_>>()
        })
        .collect()
}

/// Control characters, and marks that turn the direction of writing around.
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with numbers tied to what belongs to them (`5 %`, `12 ± 3`, `ε = 1`), so that no line ends in between.
pub fn unbroken(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_sign = |word: &str| matches!(word, "=" | "±" | "≤" | "≥" | "<" | ">" | "≈" | "−" | "×");
    let is_number = |word: &str| word.chars().next_back().is_some_and(|last| last.is_ascii_digit());
    let is_unit = |word: &str| {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')', ']']);
        matches!(bare, "%" | "ms" | "s" | "min" | "MB" | "MiB" | "GB" | "GiB" | "kB")
    };
    let tied =
        |pair: &[&str]| is_sign(pair[0]) || is_sign(pair[1]) || (is_number(pair[0]) && is_unit(pair[1]));
    let mut line = words.first().map_or_else(String::new, |word| (*word).to_owned());
    for pair in words.windows(2) {
        line.push(if tied(pair) { '\u{a0}' } else { ' ' });
        line.push_str(pair[1]);
    }
    line
}

/// The text in lines of at most so many columns, broken at blanks; longer words stand alone.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let paragraph = unbroken(paragraph);
        for word in paragraph.split([' ', '\t']).filter(|word| !word.is_empty()) {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    // A blank that ties is for breaking lines only: whoever copies a line wants ordinary ones.
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// The beginning of a text that is longer than so many signs, and that it goes on.
pub fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// A word as a shell reads it back.
pub fn in_a_shell(word: &str) -> String {
    let plain = |sign: char| sign.is_alphanumeric() || "-_./:,=+@%".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_says_so_and_is_no_longer_than_wanted() {
        for (text, most, shown) in
            [("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("εεεεε", 4, "εεε…"), ("", 4, ""), ("ab", 0, "…")]
        {
            assert_eq!(cut(text, most), shown);
        }
    }

    /// Wherever a line ends, a number stays with its unit and a sign with both its sides.
    #[test]
    fn numbers_do_not_break_from_their_units() {
        let text = "right in 57.3 % of draws, 12 ± 3 people, at ε = 0.5, for 3 s. A sum";
        for width in 10..60 {
            for line in wrapped(text, width) {
                assert!(!line.starts_with(['%', '±', '=']) && !line.starts_with("s."), "{width}: {line}");
                assert!(!line.ends_with(['±', '=', 'ε']), "{width}: {line}");
            }
        }
        assert_eq!(unbroken("a  b 5 %, c"), "a  b 5\u{a0}%, c");
    }

    #[test]
    fn keys_from_rows_cannot_draw_on_a_terminal() {
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}"), "a\\u{1b}[31m\\nb\\u{202e}");
        assert_eq!(shown("Zürich, 東京"), "Zürich, 東京");
    }

    #[test]
    fn text_is_wrapped_at_blanks() {
        assert_eq!(wrapped("one two three\nfour", 7), ["one two", "three", "four"]);
        assert_eq!(wrapped("unbreakable a", 3), ["unbreakable", "a"]);
    }

    #[test]
    fn words_are_as_a_shell_reads_them() {
        for (word, line) in [
            ("a.csv", "a.csv"),
            ("sex=female", "sex=female"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
        ] {
            assert_eq!(in_a_shell(word), line);
        }
    }
}
