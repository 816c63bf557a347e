//! The faithful writer: what it writes, [`Records`](crate::Records) reads back, field by field.
//!
//! A text is put in quotes when it holds a comma, a quote or a line end, begins with a byte order mark, has blanks at an
//! end (which other readers cut off), or is empty: an empty text is not the same as no value at all.

use std::borrow::Cow;

/// One record of comma-separated fields, without its line end. `None` is a field without a value.
pub fn csv_record<'a>(fields: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let fields: Vec<Cow<'_, str>> =
        fields.into_iter().map(|field| field.map_or(Cow::Borrowed(""), csv_field)).collect();
    // A line with nothing in it would be passed over.
    if fields == [""] { "\"\"".to_owned() } else { fields.join(",") }
}

/// A text as a field, in quotes where it needs them.
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let plain = !text.is_empty()
        && !text.contains([',', '"', '\n', '\r'])
        && !text.starts_with('\u{feff}')
        && text.trim() == text;
    if plain { Cow::Borrowed(text) } else { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Next, Records};

    #[test]
    fn signs_that_mean_something_are_quoted() {
        for (text, field) in [
            ("north", "north"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("", "\"\""),
            (" x", "\" x\""),
            ("a\rb", "\"a\rb\""),
            ("\u{feff}x", "\"\u{feff}x\""),
        ] {
            assert_eq!(csv_field(text), field);
        }
        assert_eq!(csv_record([Some("a"), None, Some("")]), "a,,\"\"");
        assert_eq!(csv_record([None]), "\"\"");
    }

    /// Specification: every record of up to three fields over signs that mean something is read back as it was.
    #[test]
    fn what_is_written_is_read_back() {
        let signs = ["", ",", "\"", "\n", "\r", "\r\n", "\u{feff}", " ", "x"];
        let texts: Vec<String> =
            signs.iter().flat_map(|a| signs.iter().map(move |b| format!("{a}{b}"))).collect();
        let pairs = || texts.iter().flat_map(|a| texts.iter().map(move |b| vec![a.clone(), b.clone()]));
        let table: Vec<Vec<String>> = texts.iter().map(|text| vec![text.clone()]).chain(pairs()).collect();
        let text: String =
            table.iter().map(|row| csv_record(row.iter().map(|field| Some(field.as_str()))) + "\n").collect();
        let mut records = Records::new(text.as_bytes(), b',');
        let mut scratch = Vec::new();
        for row in &table {
            assert_eq!(records.next(), Next::Record, "{row:?}");
            let fields = records.fields().to_vec();
            let read: Vec<Vec<u8>> =
                fields.iter().map(|field| records.bytes(*field, &mut scratch).to_vec()).collect();
            assert_eq!(read, row.iter().map(|field| field.as_bytes().to_vec()).collect::<Vec<_>>());
        }
        assert_eq!(records.next(), Next::End);
    }
}
