//! `x = ANY (list)` and `x <> ALL (list)`: lists of values as clients write them, as `IN (…)` and `NOT IN (…)`.
//!
//! A list is `ARRAY['a', 'b']`, a quoted literal such as `'{a,b}'`, or a parameter that holds several values. What comes out is
//! the tree of the statement with `IN`: the same plan, price and question.

use sqlparser::ast::{ArrayElemTypeDef, BinaryOperator, CastKind, DataType, Expr, Value as Literal};

use crate::parameter;
use crate::refusal::{Refusal, shown};

/// The value of a membership, its list, and whether it is negated; `None` for any other expression.
fn membership(expr: &Expr) -> Option<(&Expr, &Expr, bool)> {
    match expr {
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => Some((left, right, false)),
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => Some((left, right, true)),
        _ => None,
    }
}

/// A list without brackets and casts around it, and the type that a cast gives its elements.
fn uncast(list: &Expr) -> (&Expr, Option<&DataType>) {
    match list {
        Expr::Nested(inner) => uncast(inner),
        Expr::Cast { expr, data_type: DataType::Array(element), .. } => {
            let element = match element {
                ArrayElemTypeDef::SquareBracket(element, None) => Some(element.as_ref()),
                _ => None,
            };
            (uncast(expr).0, element)
        }
        other => (other, None),
    }
}

/// The number of the parameter that is the list of a membership, counted from zero.
pub(crate) fn parameter_of(expr: &Expr) -> Option<usize> {
    let (_, list, _) = membership(expr)?;
    match uncast(list).0 {
        Expr::Value(value) => parameter::numbered(value),
        _ => None,
    }
}

/// Writes a membership with the elements that `parameter` gives for the number of one, or with those written, as `IN`.
/// Anything else stays as it is.
///
/// # Errors
/// When a quoted list is none, and those of `parameter`.
pub(crate) fn write_in(
    expr: &mut Expr,
    parameter: &mut dyn FnMut(usize) -> Result<Vec<Expr>, Refusal>,
) -> Result<(), Refusal> {
    let Some((value, list, negated)) = membership(expr) else { return Ok(()) };
    let (list, element) = uncast(list);
    let elements = match list {
        Expr::Array(array) => array.elem.clone(),
        Expr::Value(literal) => match (parameter::numbered(literal), &literal.value) {
            (Some(number), _) => parameter(number)?,
            (None, Literal::SingleQuotedString(text)) => quoted(text)?,
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let typed = |element_expr: Expr| match element {
        None => element_expr,
        Some(kind) => Expr::Cast {
            kind: CastKind::Cast,
            expr: Box::new(element_expr),
            data_type: kind.clone(),
            array: false,
            format: None,
        },
    };
    let list: Vec<Expr> = elements.into_iter().map(typed).collect();
    *expr = match list.is_empty() {
        // Nothing is in an empty list.
        true => Expr::Value(Literal::Boolean(negated).with_empty_span()),
        false => Expr::InList { expr: Box::new(value.clone()), list, negated },
    };
    Ok(())
}

/// The elements of `'{a,"b c",NULL}'`, as quoted literals.
pub(crate) fn quoted(text: &str) -> Result<Vec<Expr>, Refusal> {
    let wrong = || {
        Refusal::parameter(
            format!("'{}' is not a list", shown(text)),
            "write it like '{a,b}' or ARRAY['a', 'b']",
        )
    };
    let inner = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(wrong)?;
    let mut elements = Vec::new();
    let mut signs = inner.chars().peekable();
    while signs.peek().is_some() {
        let (mut element, mut is_quoted) = (String::new(), false);
        loop {
            match signs.next() {
                Some('"') if !is_quoted && element.trim().is_empty() => {
                    element.clear();
                    is_quoted = true;
                    loop {
                        match signs.next().ok_or_else(wrong)? {
                            '"' => break,
                            '\\' => element.push(signs.next().ok_or_else(wrong)?),
                            sign => element.push(sign),
                        }
                    }
                }
                Some(',') | None => break,
                Some(' ') if is_quoted => {}
                Some('{' | '}' | '"') => return Err(wrong()),
                Some(_) if is_quoted => return Err(wrong()),
                Some('\\') => element.push(signs.next().ok_or_else(wrong)?),
                Some(sign) => element.push(sign),
            }
        }
        let value = match (is_quoted, element.trim()) {
            (true, _) => Literal::SingleQuotedString(element),
            (false, "") => return Err(wrong()),
            (false, word) if word.eq_ignore_ascii_case("null") => Literal::Null,
            (false, word) => Literal::SingleQuotedString(word.to_owned()),
        };
        elements.push(Expr::Value(value.with_empty_span()));
    }
    if inner.ends_with(',') {
        return Err(wrong());
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use sqlparser::ast::ValueWithSpan;

    use super::*;

    fn texts(list: &str) -> Option<Vec<String>> {
        let text = |expr: &Expr| match expr {
            Expr::Value(ValueWithSpan { value: Literal::SingleQuotedString(text), .. }) => text.clone(),
            _ => "NULL".to_owned(),
        };
        Some(quoted(list).ok()?.iter().map(text).collect())
    }

    #[test]
    fn quoted_lists_are_read_as_postgresql_writes_them() {
        for (list, elements) in [
            ("{}", vec![]),
            ("{a}", vec!["a"]),
            ("{a, b c ,NULL}", vec!["a", "b c", "NULL"]),
            (r#"{"a,b","c\"d","\\","null",""}"#, vec!["a,b", "c\"d", "\\", "null", ""]),
            (r"{a\,b}", vec!["a,b"]),
        ] {
            assert_eq!(texts(list), Some(elements.into_iter().map(str::to_owned).collect()), "{list}");
        }
        for list in ["", "a", "{a", "{a,}", "{,a}", "{{a}}", "{\"a}", "{a\"b}", "{\"a\"b}", "{\\"] {
            assert_eq!(texts(list), None, "{list}");
        }
    }
}
