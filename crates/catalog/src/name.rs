//! Names that are safe to say: in SQL, in files, in messages.

/// PostgreSQL cuts longer names, and two names that are cut alike are one.
const LENGTH_MAX: usize = 63;

/// Names in files are not cut by anyone, but those beyond this are no names.
const FILE_LENGTH_MAX: usize = 200;

/// Words in place of a person's name that the owner has not filled in yet.
pub(crate) const PLACEHOLDER: &str = "FILL_IN";

/// What is wrong with the name of a scope, a table, a column or a graph, if anything.
pub(crate) fn complaint(name: &str) -> Option<&'static str> {
    judge(name, |letter| letter.is_alphabetic() || letter.is_ascii_digit() || letter == '_')
}

/// The same for analysts, who may be known by a mail address.
pub(crate) fn analyst_complaint(name: &str) -> Option<&'static str> {
    judge(name, |letter| letter.is_alphabetic() || letter.is_ascii_digit() || "_-.@".contains(letter))
}

/// What is wrong with a name that a column has in a file, if anything: any line that can be shown is one.
pub(crate) fn file_complaint(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("is empty")
    } else if name.len() > FILE_LENGTH_MAX {
        Some("is longer than 200 bytes")
    } else if name.chars().any(|sign| sign.is_control() || is_direction(sign)) {
        Some("has signs that cannot be shown")
    } else {
        None
    }
}

/// Signs that turn the direction of text, or are no sign at all: a name with them is not what it looks like.
fn is_direction(sign: char) -> bool {
    matches!(sign, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The name as SQL compares it: without case.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// The nearest valid name: other signs become underscores.
pub(crate) fn made_valid(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|letter| if letter.is_alphabetic() || letter.is_ascii_digit() { letter } else { '_' })
        .collect::<String>()
        .trim_matches('_')
        .to_lowercase();
    while name.len() > LENGTH_MAX {
        name.pop();
    }
    match name.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => {
            name.truncate(name.char_indices().nth(LENGTH_MAX - 6).map_or(name.len(), |(end, _)| end));
            format!("table_{name}")
        }
        // Lower case of a letter can be a letter and a mark; a mark is no letter.
        Some(_) if complaint(&name).is_some() => name.chars().filter(char::is_ascii_alphanumeric).collect(),
        Some(_) => name,
    }
}

/// A name inside backquotes for a message: short, and without signs that a terminal would obey.
pub(crate) fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(LENGTH_MAX).flat_map(char::escape_debug).collect();
    if name.chars().nth(LENGTH_MAX).is_some() {
        text.push('…');
    }
    text
}

fn judge(name: &str, allowed: impl Fn(char) -> bool) -> Option<&'static str> {
    match name.chars().next() {
        None => Some("is empty"),
        Some(first) if first.is_ascii_digit() => Some("starts with a digit"),
        Some(_) if name.len() > LENGTH_MAX => Some("is longer than 63 bytes"),
        Some(_) if !name.chars().all(allowed) => Some("has signs other than letters, digits and `_`"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for name in ["a", "patient_id", "_x9", "âge", "Ωmega"] {
            assert_eq!(complaint(name), None, "{name}");
        }
        for name in ["", "9a", "a b", "a\"b", "a\u{0}", "a٣", "a\u{202e}", "a-b", "a.b", &"a".repeat(64)] {
            assert!(complaint(name).is_some(), "{name}");
        }
        assert_eq!(analyst_complaint("ana.b-c@example.org"), None);
        assert!(analyst_complaint("ana b").is_some());
    }

    #[test]
    fn any_text_becomes_a_valid_name() {
        for (text, name) in [
            ("Visits 2026", "visits_2026"),
            ("2026", "table_2026"),
            ("…", "unnamed"),
            ("data-set", "data_set"),
        ] {
            assert_eq!(made_valid(text), name);
        }
        for text in ["İ", "9".repeat(100).as_str(), "é".repeat(100).as_str(), "\u{345}", "ǰ\u{30c}"] {
            assert_eq!(complaint(&made_valid(text)), None, "{text}");
        }
    }
}
