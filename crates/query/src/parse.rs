//! The text of a question, before any parser recurses over it.
//!
//! **Guarantee.** Whatever bytes come in, work and depth are bounded: at most [`LENGTH_MAX`] bytes, [`NESTING_MAX`]
//! brackets inside each other, [`TOKENS_MAX`] tokens of which [`OPERATORS_MAX`] can stand in a chain (a chain of
//! operators is as deep a tree as it is long). Only a query gets to the parser; every other statement is refused
//! by its first word. The text itself is never printed back into SQL.

use std::collections::BTreeSet;

use sqlparser::ast::Query;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer, Word};

use crate::dialect::Postgres;
use crate::options::Options;
use crate::refusal::{Refusal, shown};

/// The longest statement, in bytes.
const LENGTH_MAX: usize = 64 * 1024;
/// The most brackets inside each other.
const NESTING_MAX: usize = 48;
/// The most tokens, blanks and comments aside.
const TOKENS_MAX: usize = 20_000;
/// The most words that are neither literals nor commas.
const WORDS_MAX: usize = 8_000;
/// The most operators.
const OPERATORS_MAX: usize = 1_000;
/// How deep the parser may recurse; every bracket, CASE and NOT takes a step.
const RECURSION_MAX: usize = 50;

/// A parsed query and the options that the statement itself gives.
pub(crate) fn read(sql: &str) -> Result<(Box<Query>, Options), Refusal> {
    let tokens = tokens(sql)?;
    check_size(&tokens)?;
    let (mut tokens, options) = cut_options(tokens)?;
    write_out_table(&mut tokens);
    only_a_query(&tokens)?;
    let dialect = Postgres::new();
    let mut parser = Parser::new(&dialect).with_recursion_limit(RECURSION_MAX).with_tokens(tokens);
    let query = parser.parse_query().map_err(not_sql)?;
    while parser.consume_token(&Token::SemiColon) {}
    match parser.peek_token().token {
        Token::EOF => Ok((query, options)),
        // Two statements, or a rest that no clause explains.
        token => Err(Refusal::syntax(
            format!("the statement ends before `{}`", shown(&token.to_string())),
            "send one statement at a time",
        )),
    }
}

/// A query as its parser read it, within the limits of every question: for whoever answers queries that are not about data.
/// Options in it are refused.
///
/// # Errors
/// When it is too long, too deep, or no query.
pub fn parsed(sql: &str) -> Result<Box<Query>, Refusal> {
    let (query, options) = read(sql)?;
    if options != Options::default() {
        return Err(Refusal::not_provable(
            "this statement is free, and has no price to choose",
            "leave WITH DIFFERENTIAL_PRIVACY OPTIONS out of it",
        ));
    }
    Ok(query)
}

/// What follows `EXPLAIN`, if the statement begins with it: the free quote of a question.
pub fn strip_explain(sql: &str) -> Option<&str> {
    let rest = keyword(skip_blank(sql), "EXPLAIN")?;
    Some(keyword(skip_blank(rest), "PRIVATE").unwrap_or(rest))
}

fn keyword<'s>(sql: &'s str, word: &str) -> Option<&'s str> {
    let head = sql.get(..word.len())?;
    let rest = &sql[word.len()..];
    let ends = !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$');
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// The text after blanks and comments; comments nest, as in PostgreSQL.
pub fn skip_blank(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start();
        if let Some(rest) = sql.strip_prefix("--") {
            sql = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if sql.starts_with("/*") {
            let (mut depth, mut at, bytes) = (0usize, 0, sql.as_bytes());
            loop {
                match bytes.get(at..at + 2) {
                    Some(b"/*") => (depth, at) = (depth + 1, at + 2),
                    Some(b"*/") => (depth, at) = (depth - 1, at + 2),
                    Some(_) => at += 1,
                    None => return "",
                }
                if depth == 0 {
                    break;
                }
            }
            sql = &sql[at..];
        } else {
            return sql;
        }
    }
}

fn tokens(sql: &str) -> Result<Vec<Token>, Refusal> {
    if sql.len() > LENGTH_MAX {
        return Err(Refusal::syntax(
            format!("the statement is longer than {LENGTH_MAX} bytes"),
            "ask several shorter questions",
        ));
    }
    let tokens = Tokenizer::new(&Postgres::new(), sql).tokenize();
    let tokens = tokens.map_err(|error| not_sql(ParserError::TokenizerError(error.to_string())))?;
    Ok(tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect())
}

fn check_size(tokens: &[Token]) -> Result<(), Refusal> {
    let (mut depth, mut words, mut operators) = (0usize, 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            // The parser reads what stands behind INTERVAL past its own count of how deep it is.
            Token::Word(word)
                if word.keyword == Keyword::INTERVAL
                    && at > 0
                    && is_word(&tokens[at - 1], Keyword::INTERVAL) =>
            {
                return Err(Refusal::syntax(
                    "an INTERVAL is not an interval of another",
                    "write INTERVAL '1 day'",
                ));
            }
            Token::Word(word) => {
                words += 1;
                operators += usize::from(is_operator(word));
            }
            // Types of arrays nest without brackets that are counted above.
            Token::Lt if at > 0 && is_word(&tokens[at - 1], Keyword::ARRAY) => {
                return Err(Refusal::not_provable(
                    "arrays are not answered",
                    "use one column for each value",
                ));
            }
            Token::Comma | Token::Period | Token::SemiColon => {}
            token if is_literal(token) => {}
            _ => operators += 1,
        }
        if depth > NESTING_MAX {
            return Err(too_deep());
        }
    }
    if tokens.len() > TOKENS_MAX || words > WORDS_MAX || operators > OPERATORS_MAX {
        return Err(Refusal::syntax(
            format!(
                "the statement has more than {OPERATORS_MAX} operators, {WORDS_MAX} words or {TOKENS_MAX} tokens"
            ),
            "ask several shorter questions, or use IN with a list in place of many OR",
        ));
    }
    Ok(())
}

fn is_literal(token: &Token) -> bool {
    use Token::{DollarQuotedString, EscapedStringLiteral, Number, Placeholder, SingleQuotedString};
    matches!(
        token,
        Number(..) | SingleQuotedString(_) | EscapedStringLiteral(_) | DollarQuotedString(_) | Placeholder(_)
    )
}

/// Words that extend an expression to the left, so that a row of them is a deep tree.
fn is_operator(word: &Word) -> bool {
    use Keyword::{
        AND, AT, BETWEEN, COLLATE, DIV, EXCEPT, ILIKE, IN, INTERSECT, IS, LIKE, MEMBER, MINUS, NOT, NOTNULL,
        OPERATOR, OR, OVERLAPS, REGEXP, RLIKE, SIMILAR, UNION, XOR,
    };
    let chains = [
        AND, AT, BETWEEN, COLLATE, DIV, EXCEPT, ILIKE, IN, INTERSECT, IS, LIKE, MEMBER, MINUS, NOT, NOTNULL,
        OPERATOR, OR, OVERLAPS, REGEXP, RLIKE, SIMILAR, UNION, XOR,
    ];
    word.quote_style.is_none()
        && (chains.contains(&word.keyword) || word.value.eq_ignore_ascii_case("isnull"))
}

/// Takes `WITH DIFFERENTIAL_PRIVACY [OPTIONS (…)]` out from behind a SELECT, the dialect BigQuery users know.
fn cut_options(mut tokens: Vec<Token>) -> Result<(Vec<Token>, Options), Refusal> {
    let mut options = Options::default();
    let mut given = BTreeSet::new();
    let mut places = tokens.windows(3).enumerate().filter_map(|(at, three)| {
        let found = is_word(&three[0], Keyword::SELECT)
            && is_word(&three[1], Keyword::WITH)
            && is_named(&three[2], "DIFFERENTIAL_PRIVACY");
        found.then_some(at + 1)
    });
    let Some(start) = places.next() else {
        return Ok((tokens, options));
    };
    if places.next().is_some() {
        return Err(Refusal::not_provable(
            "WITH DIFFERENTIAL_PRIVACY stands in two SELECTs",
            "write it once, behind the SELECT that aggregates",
        ));
    }
    let mut end = start + 2;
    if tokens.get(end).is_some_and(|token| is_named(token, "OPTIONS")) {
        end += 1;
        let list = &tokens[end..];
        let close = list
            .iter()
            .position(|token| *token == Token::RParen)
            .filter(|_| list.first() == Some(&Token::LParen));
        let close = close.ok_or_else(|| bad_options("OPTIONS is not followed by a list in brackets"))?;
        for option in list[1..close].split(|token| *token == Token::Comma) {
            let (name, text) = one_option(option)?;
            if !given.insert(name.clone()) {
                return Err(bad_options(&format!("the option `{}` is given twice", shown(&name))));
            }
            options.set(&name, &text)?;
        }
        end += close + 1;
    }
    tokens.drain(start..end);
    Ok((tokens, options))
}

/// `name = value`, the value a number or a word.
fn one_option(tokens: &[Token]) -> Result<(String, String), Refusal> {
    let wrong = || bad_options("an option is not written as name = value");
    let [Token::Word(name), Token::Eq, value @ ..] = tokens else {
        return Err(wrong());
    };
    let text = match value {
        [Token::Number(text, _)] => text.clone(),
        [Token::SingleQuotedString(text)] => text.clone(),
        [Token::Word(word)] => word.value.clone(),
        [Token::Minus, Token::Number(text, _)] => format!("-{text}"),
        [Token::Number(over, _), Token::Div, Token::Number(under, _)] => format!("{over}/{under}"),
        _ => return Err(wrong()),
    };
    if text.trim().is_empty() {
        return Err(wrong());
    }
    Ok((name.value.to_ascii_lowercase(), text))
}

fn bad_options(message: &str) -> Refusal {
    Refusal::syntax(
        message,
        "write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5, max_groups = 3) …",
    )
}

/// `TABLE name` at the beginning as what it stands for, `SELECT * FROM name`.
fn write_out_table(tokens: &mut Vec<Token>) {
    if tokens.first().is_some_and(|first| is_word(first, Keyword::TABLE)) {
        let words = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
        tokens.splice(..1, words);
    }
}

fn only_a_query(tokens: &[Token]) -> Result<(), Refusal> {
    let first = tokens.iter().find(|token| **token != Token::LParen);
    match first {
        None => Err(Refusal::syntax("there is no statement", "write a SELECT")),
        Some(Token::Word(word)) if matches!(word.keyword, Keyword::SELECT | Keyword::WITH) => Ok(()),
        Some(token) => Err(Refusal::not_provable(
            format!("{} is not answered: only SELECT is", shown(&token.to_string().to_uppercase())),
            "ask with SELECT …; what exists and who may ask is changed by the owner, in the catalog",
        )),
    }
}

fn is_word(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.keyword == keyword)
}

fn is_named(token: &Token, name: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(name))
}

fn not_sql(error: ParserError) -> Refusal {
    match error {
        ParserError::RecursionLimitExceeded => too_deep(),
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => {
            let text: String = text.chars().filter(|sign| !sign.is_control()).take(200).collect();
            Refusal::syntax(
                format!("this is not SQL as PostgreSQL writes it: {text}"),
                "check the word named above",
            )
        }
    }
}

fn too_deep() -> Refusal {
    Refusal::syntax(
        "the statement is nested too deeply",
        format!("use fewer than {NESTING_MAX} brackets inside each other"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explain_is_taken_off_the_front() {
        assert_eq!(strip_explain(" explain SELECT 1"), Some(" SELECT 1"));
        assert_eq!(strip_explain("-- a\n/* b /* c */ */ EXPLAIN PRIVATE SELECT 1"), Some(" SELECT 1"));
        for text in ["SELECT 1", "EXPLAINED", "", "/*", "-- EXPLAIN", "é", "expl"] {
            assert_eq!(strip_explain(text), None, "{text}");
        }
    }

    #[test]
    fn options_are_cut_out_of_the_statement() {
        let (_, options) =
            read("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5, max_groups=3, noise='laplace') 1")
                .unwrap();
        assert_eq!(options.epsilon.unwrap().to_string(), "0.5");
        assert_eq!(options.max_groups.unwrap().get(), 3);
        assert!(read("SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM t").is_ok());
        for (text, state) in [
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS 1", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS () 1", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon) 1", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, epsilon = 2) 1", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = -1) 1", "22023"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = '') 1", "42601"),
            ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilom = 1) 1", "22023"),
        ] {
            assert_eq!(read(text).unwrap_err().sqlstate(), state, "{text}");
        }
    }
}
