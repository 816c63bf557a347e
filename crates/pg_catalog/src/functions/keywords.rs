//! The words of SQL, as PostgreSQL has them: `pg_get_keywords`, and which names need quotes.

use std::sync::LazyLock;

/// A word of SQL.
pub(crate) struct Keyword {
    /// The word.
    pub word: &'static str,
    /// U, C, T or R: from free to reserved.
    pub kind: &'static str,
    /// Whether it may name a column without AS.
    pub is_bare_label: bool,
}

static KEYWORDS: LazyLock<Vec<Keyword>> = LazyLock::new(|| {
    let lines = include_str!("keywords.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(read).collect()
});

fn read(line: &'static str) -> Option<Keyword> {
    let mut words = line.split(' ');
    Some(Keyword { word: words.next()?, kind: words.next()?, is_bare_label: words.next()? == "t" })
}

/// Every word, in the order of the alphabet.
pub(crate) fn all() -> &'static [Keyword] {
    &KEYWORDS
}

/// Whether a name must stand in quotes because it is a word of SQL.
pub(crate) fn is_reserved(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.word == word && keyword.kind != "U")
}

impl Keyword {
    /// The kind in words.
    pub(crate) fn kind_words(&self) -> &'static str {
        match self.kind {
            "U" => "unreserved",
            "C" => "unreserved (cannot be function or type name)",
            "T" => "reserved (can be function or type name)",
            _ => "reserved",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_need_quotes() {
        assert!(is_reserved("select") && is_reserved("user") && is_reserved("left"));
        assert!(!is_reserved("visits") && !is_reserved("name"));
        assert!(all().len() > 400);
    }
}
