//! Reading a command word by word.

use sqlparser::tokenizer::Token;

use crate::wire::refusal::Failure;
use crate::wire::tokens::{Piece, pieces};

/// Longer names are cut to so many bytes, as in PostgreSQL.
const NAME_MAX: usize = 63;

/// A command that is being read.
pub(super) struct Reader<'s> {
    pub(super) sql: &'s str,
    pieces: Vec<Piece>,
    at: usize,
}

impl<'s> Reader<'s> {
    pub(super) fn new(sql: &'s str) -> Result<Self, Failure> {
        Ok(Self { sql, pieces: pieces(sql)?, at: 0 })
    }

    /// The next token, unread.
    pub(super) fn peek(&self) -> Option<&Token> {
        self.pieces.get(self.at).map(|piece| &piece.token)
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.pieces.len()
    }

    /// What is left of the text.
    pub(super) fn rest(&self) -> &'s str {
        self.pieces.get(self.at).map_or("", |piece| &self.sql[piece.start..]).trim_end()
    }

    /// Whether the next words are these.
    pub(super) fn sees(&self, words: &str) -> bool {
        words.split(' ').enumerate().all(|(ahead, word)| self.sees_at(ahead, word))
    }

    fn sees_at(&self, ahead: usize, wanted: &str) -> bool {
        matches!(self.pieces.get(self.at + ahead).map(|piece| &piece.token),
            Some(Token::Word(word)) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
    }

    /// Reads these words, if they are next.
    pub(super) fn eat(&mut self, words: &str) -> bool {
        let found = self.sees(words);
        self.at += if found { words.split(' ').count() } else { 0 };
        found
    }

    /// Reads one of these words, if it is next.
    pub(super) fn eat_one_of(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.eat(word))
    }

    /// Reads this token, if it is next.
    pub(super) fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    /// Reads these words, or says that they are missing.
    pub(super) fn expect(&mut self, words: &str) -> Result<(), Failure> {
        if self.eat(words) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// A name: folded to small letters unless it is quoted.
    pub(super) fn name(&mut self) -> Result<String, Failure> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let mut name = match word.quote_style {
                    Some(_) => word.value.clone(),
                    None => word.value.to_lowercase(),
                };
                name.truncate(name.floor_char_boundary(NAME_MAX));
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A whole number, perhaps with a sign.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let negative = self.peek() == Some(&Token::Minus);
        let signed = negative || self.peek() == Some(&Token::Plus);
        let Some(Token::Number(digits, _)) =
            self.pieces.get(self.at + usize::from(signed)).map(|piece| &piece.token)
        else {
            return None;
        };
        let number: i64 = digits.parse().ok()?;
        self.at += 1 + usize::from(signed);
        Some(if negative { -number } else { number })
    }

    /// A literal or a word, as the text of a setting.
    pub(super) fn value(&mut self) -> Result<String, Failure> {
        let text = match self.peek() {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => text.clone(),
            Some(Token::Number(text, _)) => text.clone(),
            Some(Token::Word(word)) => word.value.clone(),
            Some(sign @ (Token::Minus | Token::Plus)) => {
                let sign = if *sign == Token::Minus { "-" } else { "" };
                self.at += 1;
                return match self.next() {
                    Some(Token::Number(text, _)) => Ok(format!("{sign}{text}")),
                    _ => Err(self.unexpected()),
                };
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(text)
    }

    /// The text between the bracket that is next and the one that closes it.
    pub(super) fn bracketed(&mut self) -> Result<&'s str, Failure> {
        if !self.eat_token(&Token::LParen) {
            return Err(self.unexpected());
        }
        let (first, mut depth) = (self.at, 1_usize);
        while let Some(piece) = self.pieces.get(self.at) {
            match piece.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(&self.sql[self.pieces[first].start..piece.start]);
            }
        }
        Err(self.unexpected())
    }

    /// That the command ends here.
    pub(super) fn finish<T>(&self, command: T) -> Result<T, Failure> {
        if self.is_done() { Ok(command) } else { Err(self.unexpected()) }
    }

    /// What PostgreSQL says about a token that no rule explains.
    pub(super) fn unexpected(&self) -> Failure {
        match self.pieces.get(self.at) {
            Some(piece) => {
                let shown: String = self.sql[piece.start..piece.end].chars().take(63).collect();
                Failure::new("42601", format!("syntax error at or near \"{shown}\""))
                    .at_byte(self.sql, piece.start)
            }
            None => Failure::new("42601", "syntax error at end of input"),
        }
    }
}
