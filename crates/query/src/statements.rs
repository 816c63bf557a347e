//! Lines to statements: a statement ends at a semicolon outside of quotes and comments.

use crate::skip_blank;

/// What was typed and is not finished yet.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    pending: String,
}

/// Where a sign stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Quotes(char),
    LineComment,
    Comment(usize),
}

impl Statements {
    /// Whether nothing is waiting for its semicolon.
    pub fn is_empty(&self) -> bool {
        skip_blank(&self.pending).is_empty()
    }

    /// Takes a line; gives what it completes, without semicolons.
    pub fn feed(&mut self, line: &str) -> Vec<String> {
        self.pending.push_str(line);
        self.pending.push('\n');
        let (mut found, mut start, mut inside) = (Vec::new(), 0, Inside::Nothing);
        let text = std::mem::take(&mut self.pending);
        let mut signs = text.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            let next = signs.peek().map(|(_, next)| *next);
            inside = match (inside, sign, next) {
                (Inside::Nothing, ';', _) => {
                    found.push(text[start..at].trim().to_owned());
                    start = at + 1;
                    Inside::Nothing
                }
                (Inside::Nothing, '\'' | '"', _) => Inside::Quotes(sign),
                (Inside::Nothing, '-', Some('-')) => Inside::LineComment,
                (Inside::Nothing, '/', Some('*')) => {
                    signs.next();
                    Inside::Comment(1)
                }
                (Inside::Comment(depth), '/', Some('*')) => {
                    signs.next();
                    Inside::Comment(depth + 1)
                }
                (Inside::Comment(depth), '*', Some('/')) => {
                    signs.next();
                    if depth == 1 { Inside::Nothing } else { Inside::Comment(depth - 1) }
                }
                (Inside::Quotes(quote), sign, _) if sign == quote => Inside::Nothing,
                (Inside::LineComment, '\n', _) => Inside::Nothing,
                (inside, _, _) => inside,
            };
        }
        self.pending = text[start..].to_owned();
        found.retain(|statement| !statement.is_empty());
        found
    }

    /// What stands at the end without a semicolon.
    pub fn rest(self) -> Option<String> {
        let rest = skip_blank(&self.pending).trim_end();
        (!rest.is_empty()).then(|| rest.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes_and_comments() {
        let mut statements = Statements::default();
        assert_eq!(statements.feed("SELECT 1; SELECT ';' ;"), ["SELECT 1", "SELECT ';'"]);
        assert!(statements.is_empty());
        assert!(statements.feed("SELECT count(*) -- how many; really").is_empty());
        assert!(statements.feed("FROM \"a;b\" /* ; /* ; */ ; */").is_empty());
        assert!(!statements.is_empty());
        let whole = statements.feed("WHERE x = 'it''s;';");
        assert_eq!(whole.len(), 1);
        assert!(whole[0].ends_with("x = 'it''s;'"), "{whole:?}");
        assert!(statements.feed(";;").is_empty());
        statements.feed("SELECT 2");
        assert_eq!(statements.rest().as_deref(), Some("SELECT 2"));
    }
}
