//! SQL's LIKE, in time that no text can stretch.
//!
//! **Guarantee.** Matching a text of n bytes with a pattern of m characters takes at most 2n steps, or with `_`
//! n·⌈(m + 1)/64⌉; m is at most `PATTERN_BYTES_MAX`. There is no backtracking.
//! **How.** A pattern without `_` is a list of texts to be found one behind the other, the first at the beginning
//! and the last at the end; taking the leftmost place for each leaves most to the next. Each is found by Knuth,
//! Morris and Pratt's algorithm, prepared once: bytes will do, because UTF-8 text is found in UTF-8 text between
//! characters only. A pattern with `_` runs as an automaton whose states are the bits of a number: bit i says that
//! the characters so far match the first i signs of the pattern. A character moves the bits whose sign takes it
//! one up; a `%` behind sign i lets bit i stay.

use std::collections::BTreeMap;

use pointillist_plan::PATTERN_BYTES_MAX;

/// A pattern, read.
pub(super) enum Pattern {
    /// Literal texts with a `%` between each two.
    Texts {
        /// The texts, in lower case if case is ignored.
        texts: Vec<Needle>,
        ignore_case: bool,
    },
    /// Everything else.
    Automaton(Box<Automaton>),
}

/// One sign of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Literal(char),
    /// `_`
    One,
    /// `%`
    Any,
}

impl Pattern {
    /// Reads a pattern; `None` if it is too long. An escape character at the very end stands for itself.
    pub(super) fn new(pattern: &str, escape: Option<char>, ignore_case: bool) -> Option<Self> {
        if pattern.len() > PATTERN_BYTES_MAX {
            return None;
        }
        let mut signs = Vec::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            signs.push(match character {
                character if Some(character) == escape => {
                    Sign::Literal(characters.next().unwrap_or(character))
                }
                '%' => Sign::Any,
                '_' => Sign::One,
                character => Sign::Literal(character),
            });
        }
        if signs.contains(&Sign::One) {
            return Some(Self::Automaton(Box::new(Automaton::new(&signs, ignore_case))));
        }
        let texts =
            signs.split(|sign| *sign == Sign::Any).map(|part| Needle::new(part, ignore_case)).collect();
        Some(Self::Texts { texts, ignore_case })
    }

    pub(super) fn matches(&mut self, text: &str) -> bool {
        match self {
            Self::Automaton(automaton) => automaton.matches(text),
            Self::Texts { texts, ignore_case: true } => {
                found(texts, text.as_bytes(), |byte| byte.to_ascii_lowercase())
            }
            Self::Texts { texts, ignore_case: false } => found(texts, text.as_bytes(), |byte| byte),
        }
    }
}

/// Whether the texts stand one behind the other, the first at the beginning, the last at the end.
fn found(texts: &[Needle], text: &[u8], fold: impl Fn(u8) -> u8 + Copy) -> bool {
    let same = |text: &[u8], needle: &Needle| {
        text.iter().zip(&needle.bytes).all(|(byte, sign)| fold(*byte) == *sign)
    };
    match texts {
        [] => text.is_empty(),
        [whole] => text.len() == whole.bytes.len() && same(text, whole),
        [first, middle @ .., last] => {
            let Some((beginning, rest)) = text.split_at_checked(first.bytes.len()) else { return false };
            let Some(open) = rest.len().checked_sub(last.bytes.len()) else { return false };
            let (mut rest, end) = rest.split_at(open);
            same(beginning, first)
                && same(end, last)
                && middle.iter().all(|needle| match needle.behind(rest, fold) {
                    Some(behind) => {
                        rest = &rest[behind..];
                        true
                    }
                    None => false,
                })
        }
    }
}

/// A text to be found.
pub(super) struct Needle {
    bytes: Vec<u8>,
    /// For each beginning of it, the length of the longest shorter one that it ends with.
    borders: Vec<usize>,
}

impl Needle {
    fn new(signs: &[Sign], ignore_case: bool) -> Self {
        let literal = |sign: &Sign| if let Sign::Literal(character) = sign { Some(*character) } else { None };
        let mut text: String = signs.iter().filter_map(literal).collect();
        if ignore_case {
            text.make_ascii_lowercase();
        }
        let bytes = text.into_bytes();
        let mut borders = vec![0; bytes.len()];
        let mut border = 0;
        for at in 1..bytes.len() {
            while border > 0 && bytes[at] != bytes[border] {
                border = borders[border - 1];
            }
            border += usize::from(bytes[at] == bytes[border]);
            borders[at] = border;
        }
        Self { bytes, borders }
    }

    /// Where its leftmost place in a text ends.
    fn behind(&self, text: &[u8], fold: impl Fn(u8) -> u8) -> Option<usize> {
        let mut matched = 0;
        if self.bytes.is_empty() {
            return Some(0);
        }
        for (at, byte) in text.iter().enumerate() {
            let byte = fold(*byte);
            while matched > 0 && byte != self.bytes[matched] {
                matched = self.borders[matched - 1];
            }
            matched += usize::from(byte == self.bytes[matched]);
            if matched == self.bytes.len() {
                return Some(at + 1);
            }
        }
        None
    }
}

pub(super) struct Automaton {
    /// How many words hold all states.
    words: usize,
    /// The last state.
    last: usize,
    /// The states that stay, whatever the character.
    staying: Vec<u64>,
    /// For each set of signs: the states from which a character of that set moves on. The first is for
    /// characters that the pattern does not name.
    moving: Vec<u64>,
    ascii: [usize; 128],
    others: BTreeMap<char, usize>,
    /// The states a text is in.
    now: Vec<u64>,
}

impl Automaton {
    fn new(signs: &[Sign], ignore_case: bool) -> Self {
        let last = signs.iter().filter(|sign| **sign != Sign::Any).count();
        let words = last / 64 + 1;
        let mut staying = vec![0; words];
        let mut ones = vec![0; words];
        let mut takes: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        let mut state = 0;
        for sign in signs {
            match sign {
                Sign::Any => set(&mut staying, state),
                Sign::One => set(&mut ones, state),
                Sign::Literal(character) if ignore_case => {
                    takes.entry(character.to_ascii_lowercase()).or_default().push(state);
                    if character.is_ascii_alphabetic() {
                        takes.entry(character.to_ascii_uppercase()).or_default().push(state);
                    }
                }
                Sign::Literal(character) => takes.entry(*character).or_default().push(state),
            }
            state += usize::from(*sign != Sign::Any);
        }
        let mut automaton = Self {
            words,
            last,
            staying,
            moving: ones.clone(),
            ascii: [0; 128],
            others: BTreeMap::new(),
            now: vec![0; words],
        };
        for (character, states) in takes {
            let set_of_signs = automaton.moving.len();
            automaton.moving.extend_from_slice(&ones);
            states.into_iter().for_each(|state| set(&mut automaton.moving[set_of_signs..], state));
            match automaton.ascii.get_mut(character as usize) {
                Some(place) => *place = set_of_signs,
                None => drop(automaton.others.insert(character, set_of_signs)),
            }
        }
        automaton
    }

    fn matches(&mut self, text: &str) -> bool {
        if self.words == 1 {
            return self.matches_short(text);
        }
        self.now.fill(0);
        self.now[0] = 1;
        for character in text.chars() {
            let moving = self.signs_of(character);
            let mut carry = 0;
            for word in 0..self.words {
                let state = self.now[word];
                let moved = state & self.moving[moving + word];
                self.now[word] = (moved << 1) | carry | (state & self.staying[word]);
                carry = moved >> 63;
            }
        }
        self.now[self.last / 64] >> (self.last % 64) & 1 == 1
    }

    /// The same, with all states in a register.
    fn matches_short(&self, text: &str) -> bool {
        let staying = self.staying[0];
        let end = text.chars().fold(1u64, |state, character| {
            ((state & self.moving[self.signs_of(character)]) << 1) | (state & staying)
        });
        end >> self.last & 1 == 1
    }

    fn signs_of(&self, character: char) -> usize {
        match self.ascii.get(character as usize) {
            Some(place) => *place,
            None => self.others.get(&character).copied().unwrap_or(0),
        }
    }
}

fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str, escape: Option<char>, ignore_case: bool) -> bool {
        Pattern::new(pattern, escape, ignore_case).unwrap().matches(text)
    }

    /// The definition, by recursion on both: exponential, and right.
    fn defined(text: &[char], signs: &[Sign], ignore_case: bool) -> bool {
        match (signs, text) {
            ([], text) => text.is_empty(),
            ([Sign::Any, rest @ ..], text) => {
                defined(text, rest, ignore_case)
                    || (!text.is_empty() && defined(&text[1..], signs, ignore_case))
            }
            ([Sign::One, rest @ ..], [_, text @ ..]) => defined(text, rest, ignore_case),
            ([Sign::Literal(sign), rest @ ..], [first, text @ ..]) => {
                (sign == first || ignore_case && sign.eq_ignore_ascii_case(first))
                    && defined(text, rest, ignore_case)
            }
            (_, []) => false,
        }
    }

    #[test]
    fn patterns_match_as_sql_says() {
        for (text, pattern, matches) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("a", "", false),
            ("abc", "abc", true),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "%b%", true),
            ("abc", "a_c", true),
            ("abc", "_%_%_", true),
            ("ab", "_%_%_", false),
            ("aba", "aba%aba", false),
            ("abaaba", "aba%aba", true),
            ("añb", "a_b", true),
            ("日本語", "___", true),
            ("日本語", "%本%", true),
            ("a\0b\n", "a_b_", true),
            ("ABC", "abc", false),
        ] {
            assert_eq!(like(text, pattern, None, false), matches, "{text:?} LIKE {pattern:?}");
        }
    }

    #[test]
    fn an_escaped_sign_stands_for_itself() {
        assert!(like("100%", r"100\%", Some('\\'), false) && !like("1000", r"100\%", Some('\\'), false));
        assert!(like("a_b", "a!_b", Some('!'), false) && !like("axb", "a!_b", Some('!'), false));
        assert!(like("a!b", "a!!b", Some('!'), false));
        assert!(like(r"a\b", r"a\b", None, false), "without an escape it is a character like others");
        assert!(like("a!", "a!", Some('!'), false), "at the very end it stands for itself");
        assert!(like("%", "%%", Some('%'), false) && !like("x", "%%", Some('%'), false));
    }

    #[test]
    fn ignoring_case_knows_ascii_only() {
        assert!(like("HeLLo", "hE%o", None, true));
        assert!(like("Straße", "STRAßE", None, true) && !like("Ä", "ä", None, true));
        assert!(!like("k", "\u{212A}", None, true), "the Kelvin sign is no k");
    }

    /// Every pattern of up to four and every text of up to five signs, and the same behind a long beginning, where
    /// the automaton needs several words.
    #[test]
    fn matching_agrees_with_the_definition_on_all_short_texts() {
        let all = |alphabet: &[char], length: usize| {
            let mut words = vec![String::new()];
            let mut last = words.clone();
            for _ in 0..length {
                last = last.iter().flat_map(|w| alphabet.iter().map(move |c| format!("{w}{c}"))).collect();
                words.extend_from_slice(&last);
            }
            words
        };
        let texts = all(&['a', 'B', 'é'], 5);
        let long = "x".repeat(126);
        for pattern in all(&['a', 'b', 'é', '%', '_'], 4) {
            for ignore_case in [false, true] {
                let sign = |c| match c {
                    '%' => Sign::Any,
                    '_' => Sign::One,
                    c => Sign::Literal(c),
                };
                let signs: Vec<Sign> = pattern.chars().map(sign).collect();
                let mut read = Pattern::new(&pattern, None, ignore_case).unwrap();
                let mut behind = Pattern::new(&format!("{long}{pattern}"), None, ignore_case).unwrap();
                for text in &texts {
                    let characters: Vec<char> = text.chars().collect();
                    let expected = defined(&characters, &signs, ignore_case);
                    assert_eq!(read.matches(text), expected, "{text:?} LIKE {pattern:?}");
                    if text.len() < 4 {
                        assert_eq!(
                            behind.matches(&format!("{long}{text}")),
                            expected,
                            "long {text:?} {pattern:?}"
                        );
                    }
                }
            }
        }
    }

    /// Every needle of up to six and every text of up to nine letters, of two.
    #[test]
    fn a_text_between_percent_signs_is_found_wherever_it_is() {
        let words = |length: u32| {
            (0..1u32 << length).map(move |bits| -> String {
                (0..length).map(|at| if bits >> at & 1 == 1 { 'b' } else { 'a' }).collect()
            })
        };
        for needle in (1..=6).flat_map(words) {
            let mut pattern = Pattern::new(&format!("%{needle}%"), None, false).unwrap();
            let mut ignoring =
                Pattern::new(&format!("%{}%", needle.to_ascii_uppercase()), None, true).unwrap();
            for text in (0..=9).flat_map(words) {
                let found = text.contains(&needle);
                assert_eq!(
                    (pattern.matches(&text), ignoring.matches(&text)),
                    (found, found),
                    "{needle} {text}"
                );
            }
        }
    }

    /// The text that makes backtracking matchers take for ever.
    #[test]
    fn a_hostile_pattern_takes_linear_time() {
        let text = "a".repeat(10_000);
        assert!(!like(&text, &format!("{}b", "%a".repeat(4_000)), None, false));
        assert!(!like(&text, &format!("{}b", "%_a".repeat(3_000)), None, true));
        assert!(Pattern::new(&"a".repeat(PATTERN_BYTES_MAX + 1), None, false).is_none());
    }
}
