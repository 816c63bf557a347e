//! SQL's LIKE in Spark, in time that no text can stretch far.
//!
//! Spark makes a regular expression of a pattern, and Java's go back: a pattern with k signs `%` may take nᵏ steps on a text of
//! n characters. `LIKE` is used where it stays near n. Any other pattern becomes a regular expression here, in which the
//! leftmost place of each part is taken and never given up (`(?>.*?part)`): parts have one length each, so the leftmost place
//! leaves most to the next, and a text is gone through once. Nothing of a pattern is left unescaped but letters, digits and
//! what is not ASCII.

use pointillist_plan::Type;

use super::text;
use crate::scalar::pattern::normal;
use crate::stage::Expression;
use crate::{Parameter, Refusal};

pub(super) fn lower(
    value: Expression,
    pattern: &str,
    escape: Option<char>,
    ignore_case: bool,
) -> Result<Expression, Refusal> {
    let value = match ignore_case {
        true => Expression::of(Type::Text, text::LOWER, &[&value]),
        false => value,
    };
    let pattern = normal(pattern, escape, ignore_case)?;
    let (parts, any) = regular(&pattern);
    // One `%`, or a text between two.
    let near_linear = any <= 1 || (any == 2 && parts.starts_with("(?s)\\A(?>") && parts.ends_with(".*\\z"));
    let (form, pattern) = match near_linear {
        true => ("({0} LIKE {1} ESCAPE '\\\\')", pattern),
        false => ("({0} RLIKE {1})", parts),
    };
    let pattern = Expression::parameter(Type::Text, Parameter::Text(Some(pattern)));
    Ok(Expression::of(Type::Boolean, form, &[&value, &pattern]))
}

/// The regular expression of a normal pattern, and how many `%` this has.
fn regular(pattern: &str) -> (String, usize) {
    let mut parts = vec![String::new()];
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '%' => {
                parts.push(String::new());
                continue;
            }
            '_' => None,
            '\\' => characters.next(),
            character => Some(character),
        };
        let part = parts.last_mut().expect("there is a first part");
        match literal {
            None => part.push('.'),
            Some(character) => {
                // A backslash before anything but a letter or a digit makes it literal.
                part.extend((character.is_ascii() && !character.is_ascii_alphanumeric()).then_some('\\'));
                part.push(character);
            }
        }
    }
    let last = parts.len() - 1;
    let mut regular = "(?s)\\A".to_owned();
    for (number, part) in parts.iter().enumerate() {
        regular.push_str(&match number {
            0 => part.clone(),
            number if number == last => format!(".*{part}"),
            _ => format!("(?>.*?{part})"),
        });
    }
    regular.push_str("\\z");
    (regular, last)
}
