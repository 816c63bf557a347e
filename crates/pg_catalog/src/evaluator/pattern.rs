//! LIKE and regular expressions, in time linear in the text.

use regex::{Regex, RegexBuilder};

use crate::PgError;

/// The largest program that a regular expression may become, in bytes.
const PROGRAM_MAX: usize = 1 << 18;
/// The longest regular expression, in bytes.
const PATTERN_MAX: usize = 8 * 1024;

/// Whether the text matches a pattern of LIKE. Greedy with one place to go back to, so that the work is at most the product
/// of both lengths.
pub(super) fn like(
    text: &str,
    pattern: &str,
    escape: Option<char>,
    ignore_case: bool,
) -> Result<bool, PgError> {
    let folded = |text: &str| -> Vec<char> {
        if ignore_case { text.to_lowercase().chars().collect() } else { text.chars().collect() }
    };
    let text = folded(text);
    let pattern = signs(&folded(pattern), escape)?;
    let (mut at, mut sign) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(sign) {
            Some(Sign::Many) => {
                back = Some((sign + 1, at));
                sign += 1;
            }
            Some(Sign::One) => (at, sign) = (at + 1, sign + 1),
            Some(Sign::This(this)) if *this == text[at] => (at, sign) = (at + 1, sign + 1),
            _ => match &mut back {
                Some((start, from)) => {
                    *from += 1;
                    (at, sign) = (*from, *start);
                }
                None => return Ok(false),
            },
        }
    }
    Ok(pattern[sign..].iter().all(|sign| matches!(sign, Sign::Many)))
}

enum Sign {
    Many,
    One,
    This(char),
}

fn signs(pattern: &[char], escape: Option<char>) -> Result<Vec<Sign>, PgError> {
    let mut signs = Vec::with_capacity(pattern.len());
    let mut rest = pattern.iter();
    while let Some(sign) = rest.next() {
        signs.push(match sign {
            sign if Some(*sign) == escape => match rest.next() {
                Some(next) => Sign::This(*next),
                None => return Err(PgError::new("22025", "LIKE pattern must not end with escape character")),
            },
            '%' => Sign::Many,
            '_' => Sign::One,
            sign => Sign::This(*sign),
        });
    }
    Ok(signs)
}

/// A regular expression, ready to match.
pub(super) fn regex(pattern: &str, ignore_case: bool) -> Result<Regex, PgError> {
    if pattern.len() > PATTERN_MAX {
        return Err(PgError::new("54000", "the regular expression is too long"));
    }
    let pattern = pattern.strip_prefix("***:").unwrap_or(pattern);
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .dot_matches_new_line(true)
        .size_limit(PROGRAM_MAX)
        .dfa_size_limit(PROGRAM_MAX)
        .nest_limit(50)
        .build()
        .map_err(|_| PgError::new("2201B", "invalid regular expression"))
}
