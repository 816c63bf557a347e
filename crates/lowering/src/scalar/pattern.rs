//! Patterns of LIKE in the one spelling that every dialect reads alike.
//!
//! **Guarantee.** A text matches the normal pattern, read with `\` as escape, exactly if the evaluator says that it matches
//! the pattern of the question. The escape stands only before `%`, `_` and itself, and never at the end, where dialects
//! differ or fail, some of them depending on the row.
//! **Time.** Matchers that backtrack take time with the number of `%`: patterns with more than [`ANY_MAX`] are refused.

use crate::Refusal;

/// The most `%` of a pattern.
const ANY_MAX: usize = 8;

/// One sign of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Literal(char),
    /// `_`
    One,
    /// `%`
    Any,
}

/// The pattern with `\` as escape, in ASCII lower case where case is ignored.
pub(super) fn normal(pattern: &str, escape: Option<char>, ignore_case: bool) -> Result<String, Refusal> {
    let mut written = String::with_capacity(pattern.len() + 8);
    let (mut ones, mut any, mut count) = (0, false, 0);
    // In a run of `_` and `%` the order does not matter, nor how many `%` there are.
    let end_of_run = |written: &mut String, ones: &mut usize, any: &mut bool| {
        written.extend(std::iter::repeat_n('_', std::mem::take(ones)));
        written.extend(std::mem::take(any).then_some('%'));
    };
    for sign in signs(pattern, escape) {
        match sign {
            Sign::One => ones += 1,
            Sign::Any => {
                count += usize::from(!any);
                any = true;
            }
            Sign::Literal(character) => {
                end_of_run(&mut written, &mut ones, &mut any);
                written.extend(matches!(character, '%' | '_' | '\\').then_some('\\'));
                written.push(if ignore_case { character.to_ascii_lowercase() } else { character });
            }
        }
    }
    end_of_run(&mut written, &mut ones, &mut any);
    match count > ANY_MAX {
        true => Err(Refusal::new(
            "a pattern holds more than 8 `%`",
            "write a pattern with fewer of them, or several patterns with AND",
        )),
        false => Ok(written),
    }
}

/// The signs of a pattern; an escape character at the very end stands for itself.
fn signs(pattern: &str, escape: Option<char>) -> impl Iterator<Item = Sign> {
    let mut characters = pattern.chars();
    std::iter::from_fn(move || {
        Some(match characters.next()? {
            character if Some(character) == escape => Sign::Literal(characters.next().unwrap_or(character)),
            '%' => Sign::Any,
            '_' => Sign::One,
            character => Sign::Literal(character),
        })
    })
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Value;
    use pointillist_engine::evaluate;
    use pointillist_plan::Scalar;

    use super::*;

    #[test]
    fn patterns_have_one_spelling() {
        for (pattern, escape, written) in [
            ("a%b", None, "a%b"),
            ("zz!", Some('!'), "zz!"),
            ("a!%b%", Some('!'), r"a\%b%"),
            (r"a\b", None, r"a\\b"),
            (r"a\", Some('\\'), r"a\\"),
            ("%%", Some('%'), r"\%"),
            ("%_%%_%", None, "__%"),
            ("_%a_", None, "_%a_"),
            ("!a", Some('!'), "a"),
        ] {
            assert_eq!(normal(pattern, escape, false).unwrap(), written, "{pattern}");
        }
        assert_eq!(normal("KÉ\u{212A}", None, true).unwrap(), "kÉ\u{212A}");
        assert!(
            normal(&"%a".repeat(8), None, false).is_ok() && normal(&"%a".repeat(9), None, false).is_err()
        );
    }

    /// Specification: every pattern of up to five signs matches every short text as it did before.
    #[test]
    fn a_pattern_means_what_it_meant() {
        let words = |alphabet: &[char], length: usize| {
            let mut words = vec![String::new()];
            let mut last = words.clone();
            for _ in 0..length {
                last = last.iter().flat_map(|w| alphabet.iter().map(move |c| format!("{w}{c}"))).collect();
                words.extend_from_slice(&last);
            }
            words
        };
        let like = |text: &str, pattern: &str, escape| {
            let value = Box::new(Scalar::Constant(Value::Text(text.to_owned())));
            let like = Scalar::Like { value, pattern: pattern.to_owned(), escape, ignore_case: false };
            evaluate(&like, &[], 1)
        };
        let texts = ["", "a", "!", "%", "_", r"\", "aa", "a!", "!a", r"\a", "a%a", "a_!", "!!!", "aa%a"];
        for pattern in words(&['a', '%', '_', '!', '\\'], 4) {
            for escape in [None, Some('!'), Some('\\')] {
                let written = normal(&pattern, escape, false).unwrap();
                for text in texts {
                    let (before, after) = (like(text, &pattern, escape), like(text, &written, Some('\\')));
                    assert_eq!(&before, &after, "{text:?} LIKE {pattern:?} ESCAPE {escape:?}: {written:?}");
                }
            }
        }
    }
}
