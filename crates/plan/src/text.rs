//! Expressions for people to read. Nothing printed here is ever parsed or run.

use pointillist_catalog::{Value, calendar};

use crate::{Arithmetic, Comparison, DatePart, Function, Scalar};

/// An expression, with names for its columns.
pub fn scalar(expression: &Scalar, name: &dyn Fn(usize) -> Option<String>) -> String {
    let inner = |part: &Scalar| scalar(part, name);
    let bracketed = |part: &Scalar| match part {
        Scalar::Column(_) | Scalar::Constant(_) | Scalar::Null(_) | Scalar::Call(..) | Scalar::Cast(..) => {
            inner(part)
        }
        other => format!("({})", inner(other)),
    };
    match expression {
        Scalar::Column(column) => name(*column).unwrap_or_else(|| format!("column {column}")),
        Scalar::Constant(value) => self::value(value),
        Scalar::Null(_) => "NULL".to_owned(),
        Scalar::Not(part) => match part.as_ref() {
            Scalar::IsNull(part) => format!("{} IS NOT NULL", bracketed(part)),
            part => format!("NOT {}", bracketed(part)),
        },
        Scalar::All(all) => all.iter().map(bracketed).collect::<Vec<_>>().join(" AND "),
        Scalar::Any(any) => any.iter().map(bracketed).collect::<Vec<_>>().join(" OR "),
        Scalar::Compare(how, left, right) => {
            format!("{} {} {}", bracketed(left), comparison(*how), bracketed(right))
        }
        Scalar::IsNull(part) => format!("{} IS NULL", bracketed(part)),
        Scalar::Arithmetic(how, left, right) => {
            format!("{} {} {}", bracketed(left), arithmetic(*how), bracketed(right))
        }
        Scalar::Case(branches, last) => {
            let mut text = "CASE".to_owned();
            for (condition, result) in branches {
                text.push_str(&format!(" WHEN {} THEN {}", inner(condition), inner(result)));
            }
            format!("{text} ELSE {} END", inner(last))
        }
        Scalar::Like { value: part, pattern, ignore_case, .. } => {
            let like = if *ignore_case { "ILIKE" } else { "LIKE" };
            format!("{} {like} {}", bracketed(part), quoted(pattern))
        }
        Scalar::Cast(part, kind) => format!("CAST({} AS {})", inner(part), kind.sql_name()),
        Scalar::Call(function, arguments) => {
            let mut list: Vec<String> = arguments.iter().map(inner).collect();
            if let Function::DatePart(part) | Function::DateTruncate(part) = function {
                list.insert(0, format!("'{}'", date_part(*part)));
            }
            format!("{}({})", function_name(*function), list.join(", "))
        }
    }
}

/// A value as a literal.
pub fn value(value: &Value) -> String {
    match value {
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => quoted(text),
        Value::Date(days) => format!("'{}'", calendar::date_text(*days)),
        Value::Timestamp(micros) => format!("'{}'", calendar::timestamp_text(*micros)),
    }
}

fn quoted(text: &str) -> String {
    let plain: String = text
        .chars()
        .flat_map(|sign| match sign {
            '\'' => vec!['\'', '\''],
            sign if sign.is_control() => sign.escape_debug().collect(),
            sign => vec![sign],
        })
        .collect();
    format!("'{plain}'")
}

fn comparison(how: Comparison) -> &'static str {
    match how {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::NotDistinct => "IS NOT DISTINCT FROM",
    }
}

fn arithmetic(how: Arithmetic) -> &'static str {
    match how {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
    }
}

fn date_part(part: DatePart) -> &'static str {
    match part {
        DatePart::Year => "year",
        DatePart::Quarter => "quarter",
        DatePart::Month => "month",
        DatePart::Week => "week",
        DatePart::Day => "day",
        DatePart::DayOfWeek => "dow",
        DatePart::DayOfYear => "doy",
        DatePart::Hour => "hour",
        DatePart::Minute => "minute",
        DatePart::Second => "second",
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Absolute => "abs",
        Function::Sign => "sign",
        Function::Floor => "floor",
        Function::Ceiling => "ceil",
        Function::Round => "round",
        Function::SquareRoot => "sqrt",
        Function::Exponential => "exp",
        Function::NaturalLogarithm => "ln",
        Function::CommonLogarithm => "log10",
        Function::Power => "power",
        Function::Least => "least",
        Function::Greatest => "greatest",
        Function::Coalesce => "coalesce",
        Function::NullIf => "nullif",
        Function::Lower => "lower",
        Function::Upper => "upper",
        Function::Trim => "trim",
        Function::Length => "length",
        Function::Substring => "substring",
        Function::Concat => "concat",
        Function::StartsWith => "starts_with",
        Function::Position => "strpos",
        Function::Epoch => "epoch",
        Function::DatePart(_) => "date_part",
        Function::DateTruncate(_) => "date_trunc",
        Function::WidthBucket => "width_bucket",
        Function::AddDays => "add_days",
        Function::AddMonths => "add_months",
        Function::DaysBetween => "days_between",
    }
}
