//! An answer as CSV (RFC 4180): every value, and the ends of its interval in two columns behind it.

use std::io::{self, Write};

use pointillist_curator::Answer;

use super::digits::Digits;

/// Writes a header and the rows. `mark` is one more column, the same in every row.
pub fn write(out: &mut impl Write, answer: &Answer, mark: Option<(&str, &str)>) -> io::Result<()> {
    let columns: Vec<(usize, Digits, bool)> = (0..answer.columns.len())
        .map(|column| {
            let known = |row: &pointillist_curator::Row| row.intervals[column].is_some();
            // A public column of an empty answer keeps its intervals: the header must not depend on rows.
            let has_interval = answer.columns[column].role == "aggregate" || answer.rows.iter().any(known);
            (column, Digits::of(answer, column), has_interval)
        })
        .collect();
    let mut header = Vec::new();
    for (column, _, has_interval) in &columns {
        let name = &answer.columns[*column].name;
        header.push(quoted(name));
        if *has_interval {
            header.extend(["low", "high"].map(|end| quoted(&format!("{name}_{end}"))));
        }
    }
    header.extend(mark.map(|(name, _)| quoted(name)));
    writeln!(out, "{}", header.join(","))?;
    for row in &answer.rows {
        let mut fields = Vec::new();
        for (column, digits, has_interval) in &columns {
            fields.push(
                digits.value(row.values[*column].as_ref()).map_or_else(String::new, |text| quoted(&text)),
            );
            if *has_interval {
                let ends = row.intervals[*column].map(|(low, high)| [digits.low(low), digits.high(high)]);
                fields.extend(ends.unwrap_or_default());
            }
        }
        fields.extend(mark.map(|(_, value)| quoted(value)));
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}

/// Fields as one line.
pub fn line(fields: &[String]) -> String {
    fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",")
}

/// A field, in quotes where its signs ask for them. An empty text is quoted, to be told from NULL.
fn quoted(text: &str) -> String {
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
