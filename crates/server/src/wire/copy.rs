//! `COPY (query) TO STDOUT`: rows as text, CSV and PostgreSQL's binary file.

use bytes::{BufMut, BytesMut};
use pointillist_pg_catalog::{PgValue, encode_text};

use super::answer_rows::{Field, Rows};
use super::outgoing::{encoded, put_value};
use super::statement::{CopyFormat, CopyOptions};

/// What a binary copy begins with: a signature, no flags, no extension.
const BINARY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The data of every message. A binary file's header is in one message with what comes behind it, as PostgreSQL sends it:
/// psycopg looks for the first row there.
pub(crate) fn messages<'r>(
    rows: &'r Rows,
    options: &'r CopyOptions,
) -> impl Iterator<Item = Vec<u8>> + Send + 'r {
    let is_binary = options.format == CopyFormat::Binary;
    let (mut before, line) = match head(rows, options) {
        Some(head) if is_binary => (head, None),
        line => (Vec::new(), line),
    };
    let data = rows.rows.iter().map(|values| row(&rows.fields, values, options)).chain(tail(options));
    let data = data.map(move |data| {
        let mut message = std::mem::take(&mut before);
        message.extend(data);
        message
    });
    line.into_iter().chain(data)
}

/// What stands before the rows, if anything.
fn head(rows: &Rows, options: &CopyOptions) -> Option<Vec<u8>> {
    match options.format {
        CopyFormat::Binary => Some(BINARY_HEADER.to_vec()),
        CopyFormat::Text | CopyFormat::Csv if options.header => {
            let names = rows.fields.iter().map(|field| Some(field.name.clone()));
            Some(line(names, options))
        }
        CopyFormat::Text | CopyFormat::Csv => None,
    }
}

/// One row.
fn row(fields: &[Field], values: &[PgValue], options: &CopyOptions) -> Vec<u8> {
    if options.format == CopyFormat::Binary {
        let mut data = BytesMut::new();
        data.put_i16(i16::try_from(fields.len()).unwrap_or(i16::MAX));
        for (field, value) in fields.iter().zip(values) {
            put_value(&mut data, &encoded(value, field.kind, true));
        }
        return data.to_vec();
    }
    line(fields.iter().zip(values).map(|(field, value)| encode_text(value, field.kind)), options)
}

/// What stands behind the rows, if anything.
fn tail(options: &CopyOptions) -> Option<Vec<u8>> {
    (options.format == CopyFormat::Binary).then(|| (-1_i16).to_be_bytes().to_vec())
}

fn line(values: impl Iterator<Item = Option<String>>, options: &CopyOptions) -> Vec<u8> {
    let values: Vec<Option<String>> = values.collect();
    let alone = values.len() == 1;
    let mut line = String::new();
    for (column, value) in values.into_iter().enumerate() {
        if column > 0 {
            line.push(options.delimiter);
        }
        match value {
            None => line.push_str(&options.null),
            Some(text) if options.format == CopyFormat::Csv => quote(&mut line, &text, options, alone),
            Some(text) => escape(&mut line, &text, options.delimiter),
        }
    }
    line.push('\n');
    line.into_bytes()
}

/// CSV as PostgreSQL writes it: quotes where a reader could mistake the text for something else.
fn quote(line: &mut String, text: &str, options: &CopyOptions, alone: bool) {
    let special =
        |sign: char| sign == options.delimiter || sign == options.quote || matches!(sign, '\n' | '\r');
    if text != options.null && !(alone && text == "\\.") && !text.contains(special) {
        line.push_str(text);
        return;
    }
    line.push(options.quote);
    for sign in text.chars() {
        if sign == options.quote || sign == options.escape {
            line.push(options.escape);
        }
        line.push(sign);
    }
    line.push(options.quote);
}

fn escape(line: &mut String, text: &str, delimiter: char) {
    for sign in text.chars() {
        match sign {
            '\\' => line.push_str("\\\\"),
            '\u{8}' => line.push_str("\\b"),
            '\u{c}' => line.push_str("\\f"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\u{b}' => line.push_str("\\v"),
            sign if sign == delimiter => line.extend(['\\', sign]),
            sign => line.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_pg_catalog::Base;

    use super::*;
    use crate::wire::statement::Command;

    fn options(words: &str) -> CopyOptions {
        match Command::read(&format!("COPY (SELECT 1) TO STDOUT {words}")).unwrap() {
            Command::Copy { options, .. } => options,
            other => panic!("{other:?}"),
        }
    }

    fn text(values: &[PgValue], words: &str) -> String {
        let fields: Vec<Field> = values.iter().map(|_| Field::text("x")).collect();
        String::from_utf8(row(&fields, values, &options(words))).unwrap()
    }

    #[test]
    fn text_and_csv_can_be_read_again() {
        let values = [PgValue::text("a\tb\\\n"), PgValue::Null, PgValue::text(""), PgValue::text("\\.")];
        assert_eq!(text(&values, ""), "a\\tb\\\\\\n\t\\N\t\t\\\\.\n");
        assert_eq!(text(&values, "WITH CSV"), "a\tb\\\n,,\"\",\\.\n".replace("a\tb\\\n", "\"a\tb\\\n\""));
        let quoted = [PgValue::text("say \"a;b\""), PgValue::text("x")];
        assert_eq!(text(&quoted, "WITH CSV DELIMITER ';'"), "\"say \"\"a;b\"\"\";x\n");
        assert_eq!(text(&[PgValue::text("\\.")], "WITH CSV"), "\"\\.\"\n");
    }

    #[test]
    fn a_binary_copy_has_a_signature_counts_and_an_end() {
        let binary = options("WITH BINARY");
        let rows = Rows::none(vec![Field::new("n", Base::Int8)]);
        assert_eq!(head(&rows, &binary).unwrap().len(), 19);
        let one = row(&rows.fields, &[PgValue::Int(7)], &binary);
        assert_eq!(one, [0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(row(&rows.fields, &[PgValue::Null], &binary), [0, 1, 255, 255, 255, 255]);
        assert_eq!(tail(&binary).unwrap(), [255, 255]);
    }

    #[test]
    fn the_header_of_a_binary_copy_is_not_alone_in_its_message() {
        let binary = options("WITH BINARY");
        let lengths = |rows: &Rows| messages(rows, &binary).map(|data| data.len()).collect::<Vec<_>>();
        let mut rows = Rows::none(vec![Field::new("n", Base::Int8)]);
        assert_eq!(lengths(&rows), [19 + 2]);
        rows.rows = vec![vec![PgValue::Int(7)], vec![PgValue::Int(8)]];
        assert_eq!(lengths(&rows), [19 + 14, 14, 2]);
        let csv: Vec<_> = messages(&rows, &options("WITH CSV HEADER")).collect();
        assert_eq!(csv, [b"n\n".to_vec(), b"7\n".to_vec(), b"8\n".to_vec()]);
    }

    #[test]
    fn a_header_names_the_columns() {
        let rows = Rows::none(vec![Field::text("region"), Field::text("a,b")]);
        assert_eq!(head(&rows, &options("WITH CSV HEADER")).unwrap(), b"region,\"a,b\"\n");
        assert_eq!(head(&rows, &options("WITH CSV")), None);
    }
}
