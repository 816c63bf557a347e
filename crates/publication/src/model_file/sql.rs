//! A linear model as an expression of SQL over its columns.
//!
//! **Same value.** Whatever a row holds, the expression has the value of [`Model::score`] on it, or of the number that the model
//! predicts where its target is one, up to roundings: numbers are moved to their bounds and rounded to their grid, what is NULL is in the
//! middle, and rows that are shortened to one are divided by their length, which is computed in the same expression.
//! **Dialect.** CASE, IN, FLOOR, LEAST, GREATEST, SQRT and arithmetic: PostgreSQL has it, and so has the SQL that is answered here.

use pointillist_learn::{
    ColumnEncoding, ColumnKind, Fitted, Label, Model, NumberUnit, Penalty, RowLength, TargetKind,
};

use super::{ModelFile, ModelFileError};

impl ModelFile {
    /// The model as an expression.
    ///
    /// # Errors
    /// When it is no sum of its columns, or has a column of moments, which are not counted in this SQL.
    pub fn sql(&self) -> Result<String, ModelFileError> {
        expression(self.model())
    }
}

fn expression(model: &Model) -> Result<String, ModelFileError> {
    let refused = |problem: &str| ModelFileError::NoSql {
        family: model.recipe().family.name(),
        problem: problem.to_owned(),
    };
    let encoding = model.encoding();
    let dimension = encoding.dimension();
    let theta = match model.fitted() {
        Fitted::Margin(margin) => margin.coefficients.to_f64(),
        Fitted::Linear(release) => release.regression(Penalty::Automatic).coefficients,
        Fitted::Gradient(gradient) => {
            let theta = gradient.coefficients.to_f64();
            match theta.len() / dimension {
                1 => theta,
                // As the score has it: the second class against the first.
                2 => (0..dimension).map(|at| theta[dimension + at] - theta[at]).collect(),
                _ => return Err(refused("has several classes")),
            }
        }
        _ => return Err(refused("is no sum of its columns")),
    };
    let mut terms = vec![number(theta[dimension - 1])];
    let mut squares = vec!["1".to_owned()];
    let mut at = 0;
    for column in encoding.columns() {
        let own = &theta[at..at + column.features()];
        at += column.features();
        let (term, square) = column_terms(column, own).ok_or_else(|| refused("has a column of moments"))?;
        terms.push(term);
        squares.push(square);
    }
    let (sum, squares) = (terms.join("\n  + "), squares.join("\n  + "));
    let score = match encoding.row_length() {
        // The constant is one, so that every row is at least one long, and is shortened.
        RowLength::Clip => format!("({sum})\n/ SQRT({squares})"),
        RowLength::Scale | RowLength::Whole => format!("{} * ({sum})", number(encoding.factor())),
    };
    Ok(match (encoding.target_kind(), encoding.target().map(|target| &target.kind)) {
        (
            Some(TargetKind::Number),
            Some(ColumnKind::Number { lower, upper, unit: NumberUnit::Number, .. }),
        ) => {
            let (low, half) = (number(*lower), number((upper - lower) / 2.0));
            format!("({low} + {half} * (1 + LEAST(GREATEST({score}, -1), 1)))")
        }
        (Some(TargetKind::Number), _) => return Err(refused("predicts a day or a moment")),
        _ => format!("({score})"),
    })
}

/// A column's part of the sum, and its part of the square of the length.
fn column_terms(column: &ColumnEncoding, theta: &[f64]) -> Option<(String, String)> {
    let name = format!("\"{}\"", column.name.replace('"', "\"\""));
    // Of a number or a truth that may be missing, the second feature says that it is.
    let missing = theta.get(1).copied().unwrap_or(0.0);
    Some(match &column.kind {
        ColumnKind::Number { lower, upper, steps, unit } => {
            let value = match unit {
                NumberUnit::Number => name.clone(),
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
