//! Lines of CSV (RFC 4180): one way of quoting, for everything that is written.

/// Fields as one line.
pub fn line<T: AsRef<str>>(fields: &[T]) -> String {
    fields.iter().map(|field| quoted(field.as_ref())).collect::<Vec<_>>().join(",")
}

/// A field, in quotes where its signs ask for them. An empty text is quoted, to be told from NULL.
pub fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && !text.contains([',', '"', '\n', '\r']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_mean_something_are_quoted() {
        for (text, field) in [
            ("north", "north"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("", "\"\""),
            (" x", "\" x\""),
        ] {
            assert_eq!(quoted(text), field);
        }
    }
}
