//! A linear model as an expression of SQL over its columns.
//!
//! **Same value.** Whatever a row holds, the expression has the value of [`Model::score`] on it, or of the number that the model
//! predicts where its target is one, up to roundings: numbers are moved to their bounds and rounded to their grid, what is NULL is in the
//! middle, and rows that are shortened to one are divided by their length, which is computed in the same expression.
//! **Dialect.** CASE, IN, FLOOR, LEAST, GREATEST, SQRT and arithmetic: PostgreSQL has it, and so has the SQL that is answered here.

use pointillist_learn::{
    ColumnEncoding, ColumnKind, Encoding, Fitted, Label, Model, NumberUnit, RowLength, TargetKind,
};

/// The model as an expression over its columns: a score, or the number that it predicts.
///
/// # Errors
/// Why it is none, in words that follow the name of a model.
pub fn model_expression(model: &Model) -> Result<String, &'static str> {
    let names: Vec<String> = model.encoding().columns().iter().map(|column| quoted(&column.name)).collect();
    match number_bounds(model.encoding())? {
        Some((lower, upper)) => Ok(predicted_number(&score(model, &names)?, lower, upper)),
        None => Ok(format!("({})", score(model, &names)?)),
    }
}

/// What the model predicts as an expression over these, one for each of its columns: a number between the bounds of its target,
/// or one of its two classes.
///
/// # Errors
/// Why it is none, in words that follow the name of a model.
pub(crate) fn prediction_expression(model: &Model, columns: &[String]) -> Result<String, &'static str> {
    if let Some((lower, upper)) = number_bounds(model.encoding())? {
        return Ok(predicted_number(&score(model, columns)?, lower, upper));
    }
    // Dividing by the length of a row does not change on which side of zero it is.
    let (sum, _) = sum_and_squares(model, columns)?;
    let literals = |values: &[Option<Label>]| -> Vec<String> {
        values.iter().map(|value| value.as_ref().map_or("NULL".to_owned(), literal)).collect()
    };
    let classes = match model.encoding().target().map(|target| &target.kind) {
        Some(ColumnKind::Truth) => vec!["FALSE".to_owned(), "TRUE".to_owned()],
        Some(ColumnKind::Category { values }) => literals(values),
        Some(ColumnKind::Number { .. }) | None => Vec::new(),
    };
    let [first, second] = classes.as_slice() else { return Err("does not have two classes") };
    Ok(format!("CASE WHEN {sum} > 0 THEN {second} ELSE {first} END"))
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The bounds of a target that is a number.
fn number_bounds(encoding: &Encoding) -> Result<Option<(f64, f64)>, &'static str> {
    match (encoding.target_kind(), encoding.target().map(|target| &target.kind)) {
        (
            Some(TargetKind::Number),
            Some(ColumnKind::Number { lower, upper, unit: NumberUnit::Number, .. }),
        ) => Ok(Some((*lower, *upper))),
        (Some(TargetKind::Number), _) => Err("predicts a day or a moment"),
        _ => Ok(None),
    }
}

fn predicted_number(score: &str, lower: f64, upper: f64) -> String {
    let (low, half) = (number(lower), number((upper - lower) / 2.0));
    format!("({low} + {half} * (1 + LEAST(GREATEST({score}, -1), 1)))")
}

fn score(model: &Model, columns: &[String]) -> Result<String, &'static str> {
    let (sum, squares) = sum_and_squares(model, columns)?;
    let encoding = model.encoding();
    Ok(match encoding.row_length() {
        // The constant is one, so that every row is at least one long, and is shortened.
        RowLength::Clip => format!("{sum}\n/ SQRT({squares})"),
        RowLength::Scale | RowLength::Whole => format!("{} * {sum}", number(encoding.factor())),
    })
}

/// The sum over all features, in brackets, and the square of a row's length.
fn sum_and_squares(model: &Model, columns: &[String]) -> Result<(String, String), &'static str> {
    let encoding = model.encoding();
    let dimension = encoding.dimension();
    let theta = match model.fitted() {
        Fitted::Margin(margin) => margin.coefficients.to_f64(),
        Fitted::Linear(_) => model.regression().map(|it| it.coefficients.clone()).unwrap_or_default(),
        Fitted::Gradient(gradient) => {
            let theta = gradient.coefficients.to_f64();
            match theta.len() / dimension {
                1 => theta,
                // As the score has it: the second class against the first.
                2 => (0..dimension).map(|at| theta[dimension + at] - theta[at]).collect(),
                _ => return Err("has several classes"),
            }
        }
        _ => return Err("is no sum of its columns"),
    };
    if theta.len() != dimension || theta.iter().any(|value| !value.is_finite()) {
        return Err("has numbers that cannot be written");
    }
    let mut terms = vec![number(theta[dimension - 1])];
    let mut squares = vec!["1".to_owned()];
    let mut at = 0;
    for (column, name) in encoding.columns().iter().zip(columns) {
        let own = &theta[at..at + column.features()];
        at += column.features();
        let (term, square) = column_terms(column, name, own).ok_or("has a column of moments")?;
        terms.push(term);
        squares.push(square);
    }
    Ok((format!("({})", terms.join("\n  + ")), squares.join("\n  + ")))
}

/// A column's part of the sum, and its part of the square of the length.
fn column_terms(column: &ColumnEncoding, name: &str, theta: &[f64]) -> Option<(String, String)> {
    // Of a number or a truth that may be missing, the second feature says that it is.
    let missing = theta.get(1).copied().unwrap_or(0.0);
    Some(match &column.kind {
        ColumnKind::Number { lower, upper, steps, unit } => {
            let value = match unit {
                NumberUnit::Number => name.to_owned(),
                NumberUnit::Day => format!("({name} - DATE '1970-01-01')"),
                NumberUnit::Microsecond => return None,
            };
            let (steps, rate) = (f64::from(*steps), number(f64::from(*steps) / (upper - lower)));
            let shifted = format!("({value} - {}) * {rate} + 0.5", number(*lower));
            let place =
                format!("LEAST(GREATEST(FLOOR({shifted}), 0), {}) / {}", number(steps), number(steps));
            let null = number(theta[0] / 2.0 + missing);
            let null_square = if column.nullable { "1.25" } else { "0.25" };
            (
                format!("CASE WHEN {name} IS NULL THEN {null} ELSE {} * ({place}) END", number(theta[0])),
                format!("CASE WHEN {name} IS NULL THEN {null_square} ELSE ({place}) * ({place}) END"),
            )
        }
        ColumnKind::Truth => {
            let (one, null) = (number(theta[0]), number(missing));
            let null_square = if column.nullable { "1" } else { "0" };
            (
                format!("CASE WHEN {name} IS NULL THEN {null} WHEN {name} THEN {one} ELSE 0 END"),
                format!("CASE WHEN {name} IS NULL THEN {null_square} WHEN {name} THEN 1 ELSE 0 END"),
            )
        }
        ColumnKind::Category { values } => {
            let listed = values.iter().zip(theta);
            let cases: Vec<String> = listed
                .map(|(value, theta)| match value {
                    Some(value) => format!("WHEN {name} = {} THEN {}", literal(value), number(*theta)),
                    None => format!("WHEN {name} IS NULL THEN {}", number(*theta)),
                })
                .collect();
            let texts: Vec<String> = values.iter().flatten().map(literal).collect();
            let mut known = Vec::new();
            if !texts.is_empty() {
                known.push(format!("{name} IN ({})", texts.join(", ")));
            }
            if values.contains(&None) {
                known.push(format!("{name} IS NULL"));
            }
            (
                format!("CASE {} ELSE 0 END", cases.join(" ")),
                format!("CASE WHEN {} THEN 1 ELSE 0 END", known.join(" OR ")),
            )
        }
    })
}

fn literal(label: &Label) -> String {
    match label {
        Label::Truth(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        Label::Integer(whole) => whole.to_string(),
        Label::Number(value) => number(*value),
        Label::Text(text) => format!("'{}'", text.replace('\'', "''")),
    }
}

/// A number as it is read back exactly, in brackets where it has a sign.
fn number(value: f64) -> String {
    let text = format!("{value:?}");
    if value.is_sign_negative() { format!("({text})") } else { text }
}
