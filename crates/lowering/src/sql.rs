//! Text of a statement that no analyst and no row can have written.
//!
//! **Guarantee.** A [`Sql`] is made of words of this program (`&'static str`), names in quotes, numbers of our own columns,
//! and places of parameters. There is no way to put any other text into one: what an analyst typed travels beside the
//! statement, as a bound [`Parameter`], and no parser reads it again.
//! **Names.** A name of the catalog stands in the dialect's quotes, with the quote itself doubled: the one thing that can end
//! a quoted name in either dialect. Names with U+0000, which PostgreSQL's protocol would cut, are refused before.

use crate::{Dialect, Parameter, Refusal};

/// A piece of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sql(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// A word of this program.
    Word(&'static str),
    /// A column or a table of the statement's own: a letter and a number.
    Own(&'static str, usize),
    /// A name of the catalog.
    Name(String),
    /// A value.
    Parameter(Parameter),
}

impl Sql {
    /// Words of this program.
    pub(crate) fn words(words: &'static str) -> Self {
        Self(vec![Piece::Word(words)])
    }

    /// A name of our own: a letter and a number.
    pub(crate) fn own(letter: &'static str, number: usize) -> Self {
        Self(vec![Piece::Own(letter, number)])
    }

    /// A name of the catalog, in quotes.
    pub(crate) fn name(name: &str) -> Result<Self, Refusal> {
        match name.contains('\0') {
            true => Err(Refusal::new(
                "a name holds the character U+0000",
                "name the column or the table without it",
            )),
            false => Ok(Self(vec![Piece::Name(name.to_owned())])),
        }
    }

    /// A value, typed.
    pub(crate) fn parameter(parameter: Parameter) -> Self {
        Self(vec![Piece::Parameter(parameter)])
    }

    /// A form with places `{0}`, `{1}`, … for other pieces, each as often as it is named.
    ///
    /// # Panics
    /// Where the form names a place that has no piece: a mistake of ours, found by any test that uses the form.
    pub(crate) fn form(form: &'static str, pieces: &[&Self]) -> Self {
        let mut sql = Self::default();
        let mut rest = form;
        while let Some(open) = rest.find('{') {
            sql.push_words(&rest[..open]);
            let close = rest[open..].find('}').expect("every place ends") + open;
            let place: usize = rest[open + 1..close].parse().expect("a place is a number");
            sql.0.extend_from_slice(&pieces[place].0);
            rest = &rest[close + 1..];
        }
        sql.push_words(rest);
        sql
    }

    /// Pieces with words between them.
    pub(crate) fn join(pieces: &[Self], between: &'static str) -> Self {
        let mut sql = Self::default();
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                sql.push_words(between);
            }
            sql.0.extend_from_slice(&piece.0);
        }
        sql
    }

    fn push_words(&mut self, words: &'static str) {
        if !words.is_empty() {
            self.0.push(Piece::Word(words));
        }
    }

    /// The text with places for parameters, and the parameters in the order of their places.
    pub(crate) fn render(&self, dialect: Dialect) -> (String, Vec<Parameter>) {
        let (mut text, mut parameters) = (String::new(), Vec::new());
        for piece in &self.0 {
            match piece {
                Piece::Word(words) => text.push_str(words),
                Piece::Own(letter, number) => text.push_str(&format!("{letter}{number}")),
                Piece::Name(name) => {
                    let quote = dialect.quote();
                    text.push(quote);
                    for sign in name.chars() {
                        text.push(sign);
                        if sign == quote {
                            text.push(quote);
                        }
                    }
                    text.push(quote);
                }
                Piece::Parameter(parameter) => {
                    // The same value has one place where places have numbers.
                    let known = match dialect {
                        Dialect::Postgres => parameters.iter().position(|known| known == parameter),
                        Dialect::Spark => None,
                    };
                    let place = known.unwrap_or_else(|| {
                        parameters.push(parameter.clone());
                        parameters.len() - 1
                    });
                    text.push_str(&dialect.place(place + 1, parameter));
                }
            }
        }
        (text, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: whatever a name holds, it stays one name; whatever a value holds, it is not in the text.
    #[test]
    fn names_end_where_their_quotes_do_and_values_are_elsewhere() {
        let name = Sql::name("a\"; DROP TABLE `x` --").unwrap();
        let value = Sql::parameter(Parameter::Text(Some("'; DROP TABLE x --".to_owned())));
        let sql = Sql::form("SELECT {0} = {1} OR {1} IS NULL", &[&name, &value]);
        let (text, parameters) = sql.render(Dialect::Postgres);
        assert_eq!(text, "SELECT \"a\"\"; DROP TABLE `x` --\" = $1::text OR $1::text IS NULL");
        assert_eq!(parameters.len(), 1);
        let (text, parameters) = sql.render(Dialect::Spark);
        assert_eq!(text, "SELECT `a\"; DROP TABLE ``x`` --` = ? OR ? IS NULL");
        assert_eq!(parameters.len(), 2);
        assert!(Sql::name("a\0b").is_err());
    }
}
