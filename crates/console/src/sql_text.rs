//! SQL in colours. The script does the same while somebody types; this is the first look, and the only one without a script.

use maud::{Markup, html};

/// Words that stand out.
const KEYWORDS: [&str; 44] = [
    "all",
    "and",
    "as",
    "asc",
    "between",
    "by",
    "case",
    "cast",
    "cross",
    "cube",
    "desc",
    "distinct",
    "else",
    "end",
    "explain",
    "false",
    "filter",
    "from",
    "group",
    "having",
    "in",
    "inner",
    "is",
    "join",
    "left",
    "like",
    "limit",
    "not",
    "null",
    "offset",
    "on",
    "options",
    "or",
    "order",
    "over",
    "partition",
    "rollup",
    "select",
    "then",
    "true",
    "union",
    "when",
    "where",
    "with",
];

/// A statement, word by word.
pub fn highlighted(sql: &str) -> Markup {
    let parts = parts(sql);
    html! {
        @for (place, (kind, text)) in parts.iter().enumerate() {
            @match kind {
                Part::Word if is_keyword(text) => span.k { (text) },
                Part::Word if is_called(&parts[place + 1..]) => span.f { (text) },
                Part::Number | Part::Text => span.v { (text) },
                Part::Comment => span.c { (text) },
                Part::Word | Part::Other => (text),
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Word,
    Number,
    Text,
    Comment,
    Other,
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word.to_ascii_lowercase().as_str())
}

fn is_called(after: &[(Part, &str)]) -> bool {
    after.first().is_some_and(|(_, text)| text.starts_with('('))
}

fn parts(sql: &str) -> Vec<(Part, &str)> {
    let mut parts = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        let (kind, length) = if rest.starts_with("--") {
            (Part::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if first == '\'' {
            (Part::Text, rest[1..].find('\'').map_or(rest.len(), |end| end + 2))
        } else if first.is_ascii_digit() {
            (
                Part::Number,
                rest.find(|sign: char| !(sign.is_ascii_digit() || sign == '.')).unwrap_or(rest.len()),
            )
        } else if is_word(first) {
            (Part::Word, rest.find(|sign: char| !is_word(sign)).unwrap_or(rest.len()))
        } else {
            (Part::Other, first.len_utf8())
        };
        let (part, behind) = rest.split_at(length);
        parts.push((kind, part));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: colours change no letter, and no letter becomes a tag.
    #[test]
    fn every_sign_is_kept_as_a_text() {
        for sql in [
            "SELECT region, COUNT(*) FROM visits -- why\nWHERE age >= 65 AND name = 'O''Hara <b>'",
            "'never ends",
            "<script>alert(1)</script>",
            "é ∑ 1.5.2 _x 'ü",
            "",
        ] {
            let drawn = highlighted(sql).into_string();
            let plain = drawn.replace("</span>", "");
            let plain: String = plain
                .split("<span")
                .enumerate()
                .map(|(n, part)| if n == 0 { part } else { part.split_once('>').unwrap().1 })
                .collect();
            let plain =
                plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            assert_eq!(plain, sql);
            assert!(!drawn.contains("<script") && !drawn.contains("<b>"), "{drawn}");
        }
        assert!(highlighted("select count(x)").into_string().contains("<span class=\"f\">count</span>"));
    }
}
