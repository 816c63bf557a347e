//! Names of people, as the catalog has them: an analyst is found in both by the same word.

use crate::{AccessError, Role};

/// PostgreSQL cuts longer names, and two names that are cut alike are one.
const LENGTH_MAX: usize = 63;

/// The name that only an owner may have, in any case.
const OWNER: &str = "owner";

/// Checks that somebody of this role may have this name.
pub(crate) fn check(name: &str, role: Role) -> Result<(), AccessError> {
    let refused = |complaint| Err(AccessError::Name { name: shown(name), complaint });
    let allowed = |letter: char| letter.is_alphabetic() || letter.is_ascii_digit() || "_-.@".contains(letter);
    match name.chars().next() {
        None => refused("is empty"),
        Some(first) if first.is_ascii_digit() => refused("starts with a digit"),
        Some(_) if name.len() > LENGTH_MAX => refused("is longer than 63 bytes"),
        Some(_) if !name.chars().all(allowed) => refused("has signs other than letters, digits and `_-.@`"),
        Some(_) if folded(name) == OWNER && role != Role::Owner => refused("is for owners"),
        Some(_) => Ok(()),
    }
}

/// The name as SQL compares it: without case. No two people have names that are one word to SQL.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// A name for a message: short, and without signs that a terminal would obey.
pub(crate) fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(LENGTH_MAX).flat_map(char::escape_debug).collect();
    if name.chars().nth(LENGTH_MAX).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: whoever the catalog can declare as an analyst can come in, and nobody else as one.
    #[test]
    fn analysts_are_named_as_in_the_catalog() {
        let long = "a".repeat(64);
        let names = [
            "ana",
            "ana.b-c@example.org",
            "_x",
            "Ωmega",
            "owner",
            "Owner",
            "",
            "9a",
            "a b",
            "a\"b",
            "a\u{202e}",
            "a\n",
            "-a",
            "@",
            "é",
            "a٣",
            long.as_str(),
            &long[..63],
        ];
        for name in names {
            let key: String = name
                .chars()
                .flat_map(|sign| format!("\\U{:08X}", u32::from(sign)).chars().collect::<Vec<_>>())
                .collect();
            let text = format!("[analyst.\"{key}\"]\n");
            let declared = pointillist_catalog::Catalog::parse(&text);
            assert_eq!(check(name, Role::Analyst).is_ok(), declared.is_ok(), "{name:?} {declared:?}");
        }
        assert!(check("owner", Role::Owner).is_ok());
    }
}
