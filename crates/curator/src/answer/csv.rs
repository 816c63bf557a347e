//! An answer as CSV (RFC 4180): every value, and the ends of its interval in two columns behind it.

use std::io::{self, Write};

use pointillist_render::csv::quoted;

use super::Answer;

impl Answer {
    /// Writes a header and the rows. `mark` is one more column, the same in every row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: &mut impl Write, mark: Option<(&str, &str)>) -> io::Result<()> {
        write(out, self, mark)
    }
}

fn write(out: &mut impl Write, answer: &Answer, mark: Option<(&str, &str)>) -> io::Result<()> {
    let columns: Vec<_> = (0..answer.columns.len())
        .map(|column| (column, answer.digits(column), answer.has_intervals(column)))
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
