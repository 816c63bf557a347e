//! `COPY (query) TO STDOUT` and how it is written.

use sqlparser::tokenizer::Token;

use super::Command;
use super::reader::Reader;
use crate::wire::refusal::Failure;

/// How a copy is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyFormat {
    Text,
    Csv,
    Binary,
}

/// Everything about how a copy is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyOptions {
    pub(crate) format: CopyFormat,
    pub(crate) header: bool,
    pub(crate) delimiter: char,
    pub(crate) null: String,
    pub(crate) quote: char,
    pub(crate) escape: char,
}

/// As they are given; what is not follows from the format.
#[derive(Default)]
struct Given {
    format: Option<CopyFormat>,
    header: bool,
    delimiter: Option<String>,
    null: Option<String>,
    quote: Option<String>,
    escape: Option<String>,
}

pub(super) fn copy(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.peek() != Some(&Token::LParen) {
        while !reader.is_done() && !reader.sees("FROM") && !reader.sees("TO") {
            reader.next();
        }
        return Err(match reader.sees("FROM") {
            true => Failure::new("25006", "cannot execute COPY FROM in a read-only transaction")
                .with_hint("what is declared is changed by the owner, in the catalog"),
            false => Failure::not_done(
                "COPY of a table shows single rows, which is what nobody may see",
                "use COPY (SELECT … with COUNT, SUM, AVG or GROUP BY) TO STDOUT",
            ),
        });
    }
    let query = reader.bracketed()?.trim().to_owned();
    reader.expect("TO")?;
    if !reader.eat("STDOUT") {
        return Err(Failure::not_done("this server writes no files for clients", "use COPY (…) TO STDOUT"));
    }
    let mut given = Given::default();
    reader.eat("WITH");
    if reader.eat_token(&Token::LParen) {
        loop {
            in_brackets(reader, &mut given)?;
            if !reader.eat_token(&Token::Comma) {
                break;
            }
        }
        if !reader.eat_token(&Token::RParen) {
            return Err(reader.unexpected());
        }
    } else {
        in_words(reader, &mut given)?;
    }
    reader.finish(Command::Copy { query, options: given.checked()? })
}

/// `FORMAT csv, HEADER true, …`
fn in_brackets(reader: &mut Reader<'_>, given: &mut Given) -> Result<(), Failure> {
    match reader.name()?.as_str() {
        "format" => given.format = Some(format(&reader.value()?)?),
        "header" => {
            let bare = matches!(reader.peek(), Some(Token::Comma | Token::RParen));
            let value = if bare { "true".to_owned() } else { reader.value()?.to_lowercase() };
            given.header = match value.as_str() {
                "true" | "on" | "1" => true,
                "false" | "off" | "0" => false,
                _ => return Err(Failure::new("22023", "header requires a Boolean value")),
            };
        }
        "delimiter" => given.delimiter = Some(reader.value()?),
        "null" => given.null = Some(reader.value()?),
        "quote" => given.quote = Some(reader.value()?),
        "escape" => given.escape = Some(reader.value()?),
        "encoding" => match reader.value()?.to_uppercase().replace('-', "").as_str() {
            "UTF8" => {}
            _ => return Err(Failure::new("22023", "COPY is written in UTF8")),
        },
        other => return Err(Failure::new("42601", format!("option \"{other}\" not recognized"))),
    }
    Ok(())
}

/// `BINARY`, or `CSV HEADER DELIMITER AS ';'`: as before PostgreSQL 9.
fn in_words(reader: &mut Reader<'_>, given: &mut Given) -> Result<(), Failure> {
    while !reader.is_done() {
        let slot = if reader.eat("BINARY") {
            given.format = Some(CopyFormat::Binary);
            continue;
        } else if reader.eat("CSV") {
            given.format = Some(CopyFormat::Csv);
            continue;
        } else if reader.eat("HEADER") {
            given.header = true;
            continue;
        } else if reader.eat("DELIMITER") || reader.eat("DELIMITERS") {
            &mut given.delimiter
        } else if reader.eat("NULL") {
            &mut given.null
        } else if reader.eat("QUOTE") {
            &mut given.quote
        } else if reader.eat("ESCAPE") {
            &mut given.escape
        } else {
            return Err(reader.unexpected());
        };
        reader.eat("AS");
        *slot = Some(reader.value()?);
    }
    Ok(())
}

fn format(name: &str) -> Result<CopyFormat, Failure> {
    match name.to_lowercase().as_str() {
        "text" => Ok(CopyFormat::Text),
        "csv" => Ok(CopyFormat::Csv),
        "binary" => Ok(CopyFormat::Binary),
        _ => Err(Failure::new("22023", "COPY has the formats text, csv and binary")),
    }
}

impl Given {
    fn checked(self) -> Result<CopyOptions, Failure> {
        let format = self.format.unwrap_or(CopyFormat::Text);
        let is_csv = format == CopyFormat::Csv;
        let wrong = |message: &str| Err(Failure::new("22023", message));
        if format == CopyFormat::Binary && (self.header || self.delimiter.is_some() || self.null.is_some()) {
            return wrong("a binary COPY has neither header, delimiter nor null");
        }
        if !is_csv && (self.quote.is_some() || self.escape.is_some()) {
            return wrong("quote and escape are for csv");
        }
        let one = |given: Option<String>, name: &str, otherwise: char| match given {
            None => Ok(otherwise),
            Some(text) => match (text.len(), text.chars().next()) {
                (1, Some(sign)) if !matches!(sign, '\n' | '\r' | '\\' | '"') || name != "delimiter" => {
                    Ok(sign)
                }
                _ => Err(Failure::new("22023", format!("COPY {name} must be a single one-byte character"))),
            },
        };
        let quote = one(self.quote, "quote", '"')?;
        let delimiter = one(self.delimiter, "delimiter", if is_csv { ',' } else { '\t' })?;
        // A text of letters or digits with such a delimiter could not be read again.
        if delimiter.is_ascii_alphanumeric() || delimiter == '.' || is_csv && delimiter == quote {
            return wrong("COPY delimiter cannot be this character");
        }
        Ok(CopyOptions {
            format,
            header: self.header,
            delimiter,
            null: self.null.unwrap_or_else(|| if is_csv { String::new() } else { "\\N".to_owned() }),
            quote,
            escape: one(self.escape, "escape", quote)?,
        })
    }
}
