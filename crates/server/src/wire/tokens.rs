//! The words of a message, and where in its text they stand.
//!
//! One tokenizer for everything: what is a string, a comment or a semicolon here is one for the parser that reads the statement
//! afterwards, so that nobody smuggles a statement into another.

use pointillist_query::Dialect;
use sqlparser::tokenizer::{Location, Token, Tokenizer};

use super::refusal::Failure;

/// The longest message that is read, in bytes: tokens take many times the room of their text.
const BYTES_MAX: usize = 256 << 10;

/// A token and the bytes of the text that it was.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The tokens of a text, without blanks and comments.
///
/// # Errors
/// 42601 where a quote or a comment does not end, 54000 for a text that is too long.
pub(crate) fn pieces(sql: &str) -> Result<Vec<Piece>, Failure> {
    if sql.len() > BYTES_MAX {
        return Err(Failure::new("54000", format!("the statements have more than {BYTES_MAX} bytes")));
    }
    let dialect = Dialect::new();
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let tokens = tokens.map_err(|error| Failure::new("42601", error.message))?;
    let mut place = Place::new(sql);
    let mut pieces = Vec::with_capacity(tokens.len());
    for token in tokens {
        let (start, end) = (place.byte(token.span.start), place.byte(token.span.end));
        if !matches!(token.token, Token::Whitespace(_) | Token::EOF) {
            pieces.push(Piece { token: token.token, start, end });
        }
    }
    Ok(pieces)
}

/// The statements of a message, without their semicolons and what stands around them.
///
/// # Errors
/// As [`pieces`]: of a message with such a mistake nothing is done.
pub(crate) fn split(sql: &str) -> Result<Vec<&str>, Failure> {
    let mut statements = Vec::new();
    let mut current: Option<(usize, usize)> = None;
    for piece in pieces(sql)? {
        current = match (piece.token, current) {
            (Token::SemiColon, Some((start, end))) => {
                statements.push(&sql[start..end]);
                None
            }
            (Token::SemiColon, None) => None,
            (_, Some((start, _))) => Some((start, piece.end)),
            (_, None) => Some((piece.start, piece.end)),
        };
    }
    statements.extend(current.map(|(start, end)| &sql[start..end]));
    Ok(statements)
}

/// From lines and columns, which count characters, to bytes; only forwards.
struct Place<'s> {
    rest: std::str::Chars<'s>,
    length: usize,
    line: u64,
    column: u64,
}

impl<'s> Place<'s> {
    fn new(sql: &'s str) -> Self {
        Self { rest: sql.chars(), length: sql.len(), line: 1, column: 1 }
    }

    fn byte(&mut self, location: Location) -> usize {
        while (self.line, self.column) < (location.line, location.column) {
            match self.rest.next() {
                Some('\n') => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
                None => break,
            }
        }
        self.length - self.rest.as_str().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_that_are_neither_quoted_nor_commented() {
        let of = |sql| split(sql).unwrap();
        assert_eq!(of("BEGIN;select 1 ; ;COMMIT"), ["BEGIN", "select 1", "COMMIT"]);
        assert_eq!(of("select ';' ; select \"a;b\""), ["select ';'", "select \"a;b\""]);
        assert_eq!(of(r"select E'it\';s'; x"), [r"select E'it\';s'", "x"]);
        assert_eq!(of("select $$;$$, $a$ $$;$a$; é"), ["select $$;$$, $a$ $$;$a$", "é"]);
        assert_eq!(of("/* a; /* b; */ c; */ select 1 -- d;\n; 2"), ["select 1", "2"]);
        assert_eq!(of("é;\r\n\tü /* ö */ + 'ä\n' ; z"), ["é", "ü /* ö */ + 'ä\n'", "z"]);
        for empty in ["", " ;; ", "-- ping", "/* nothing */ ;"] {
            assert!(of(empty).is_empty(), "{empty}");
        }
        assert_eq!(split("select 1; select 'open").unwrap_err().sqlstate, "42601");
    }
}
