//! What a model says of the rows of a CSV file: one line a record.
//!
//! **Total.** A value that is missing, or is none of the kind that the column has, is NULL, as it was in training. A record that
//! breaks the rules of CSV gets a line without a prediction, so that lines and records stay beside each other.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use pointillist_catalog::calendar::{DAY, parse_date_or_timestamp};
use pointillist_learn::{ColumnEncoding, ColumnKind, Family, Label, NumberUnit, Prediction};
use pointillist_records::{Next, Records, csv_record};

use super::{ModelFile, ModelFileError};

/// How many records there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predicted {
    /// Records, the malformed among them.
    pub rows: u64,
    /// Records that are not read because their quotes do not fit.
    pub malformed: u64,
}

impl ModelFile {
    /// Reads CSV whose first line names columns, and writes CSV with one prediction a record, behind a line of names.
    ///
    /// # Errors
    /// When the model says nothing of rows, a column is missing, or something cannot be read or written.
    pub fn predict(&self, rows: impl Read, out: &mut impl Write) -> Result<Predicted, ModelFileError> {
        let model = self.model();
        let names: &[&str] = match (model.recipe().family, model.classes().is_empty()) {
            (Family::Moments, _) => return Err(ModelFileError::Silent { family: Family::Moments.name() }),
            (Family::Clusters, _) => &["cluster"],
            (_, true) => &["prediction"],
            (_, false) => &["prediction", "probability"],
        };
        let mut records = Records::new(rows, b',');
        let names_of: Vec<&str> = model.encoding().columns().iter().map(|it| it.name.as_str()).collect();
        let places = places(&names_of, &mut records)?;
        let mut predicted = Predicted::default();
        writeln!(out, "{}", names.join(",")).map_err(ModelFileError::Rows)?;
        let mut scratch = Vec::new();
        loop {
            let line = match records.next() {
                Next::End => break,
                Next::Malformed => {
                    predicted.malformed += 1;
                    nothing(names.len())
                }
                Next::Record => {
                    let fields = records.fields();
                    let columns = model.encoding().columns().iter().zip(&places);
                    let values: Vec<Option<Label>> = columns
                        .map(|(column, place)| {
                            let bytes = records.bytes(*fields.get(*place)?, &mut scratch);
                            label(column, std::str::from_utf8(bytes).ok()?)
                        })
                        .collect();
                    line(model.predict(&values))
                }
            };
            predicted.rows += 1;
            writeln!(out, "{line}").map_err(ModelFileError::Rows)?;
        }
        match records.failure() {
            Some(error) => Err(ModelFileError::Rows(std::io::Error::new(error.kind(), error.to_string()))),
            None => out.flush().map(|()| predicted).map_err(ModelFileError::Rows),
        }
    }
}

/// Where each of these columns stands in the file: under its name, or under the same in other letters.
pub(crate) fn places<R: Read>(
    names: &[&str],
    records: &mut Records<R>,
) -> Result<Vec<usize>, ModelFileError> {
    if records.next() != Next::Record {
        return match records.failure() {
            Some(error) => Err(ModelFileError::Rows(std::io::Error::new(error.kind(), error.to_string()))),
            None => Err(ModelFileError::NoNames),
        };
    }
    let mut scratch = Vec::new();
    let name = |field| String::from_utf8_lossy(records.bytes(field, &mut scratch)).trim().to_owned();
    let known: Vec<String> = records.fields().iter().copied().map(name).collect();
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in known.iter().enumerate() {
        found.entry(name).or_default().push(at);
    }
    let place = |name: &&str| {
        let folded = || -> Vec<usize> {
            (0..known.len()).filter(|at| known[*at].to_lowercase() == name.to_lowercase()).collect()
        };
        match found.get(name).cloned().unwrap_or_else(folded).as_slice() {
            [place] => Ok(*place),
            [] => Err(ModelFileError::MissingColumn { name: (*name).to_owned(), known: known.clone() }),
            _ => Err(ModelFileError::TwoColumns { name: (*name).to_owned() }),
        }
    };
    names.iter().map(place).collect()
}

/// What a text says in a column of this kind; nothing, where it is no value of it.
fn label(column: &ColumnEncoding, text: &str) -> Option<Label> {
    let trimmed = text.trim();
    let number = || trimmed.parse().ok().filter(|value: &f64| !value.is_nan());
    match &column.kind {
        ColumnKind::Truth => truth(trimmed).map(Label::Truth),
        ColumnKind::Number { unit, .. } => match unit {
            NumberUnit::Number => number().map(Label::Number),
            NumberUnit::Day => Some(Label::Integer(parse_date_or_timestamp(trimmed)?.div_euclid(DAY))),
            NumberUnit::Microsecond => Some(Label::Integer(parse_date_or_timestamp(trimmed)?)),
        },
        // What is not listed is a value all the same, and not NULL.
        ColumnKind::Category { values } => match values.iter().flatten().next()? {
            Label::Text(_) => (!text.is_empty()).then(|| Label::Text(text.to_owned())),
            Label::Truth(_) => truth(trimmed).map(Label::Truth),
            Label::Integer(_) | Label::Number(_) => {
                trimmed.parse().map(Label::Integer).ok().or_else(|| number().map(Label::Number))
            }
        },
    }
}

/// As files of tables are read.
pub(crate) fn truth(text: &str) -> Option<bool> {
    let is = |words: [&str; 5]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(["true", "t", "yes", "y", "1"]), is(["false", "f", "no", "n", "0"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn line(prediction: Prediction) -> String {
    match prediction {
        Prediction::Class { class, probability } => {
            csv_record([Some(class.as_str()), Some(format!("{probability:.6}").as_str())])
        }
        Prediction::Number(number) => number.to_string(),
        // As the table of a model counts its centres.
        Prediction::Cluster(cluster) => (cluster + 1).to_string(),
        Prediction::Nothing => nothing(1),
    }
}

/// A record without values.
fn nothing(fields: usize) -> String {
    csv_record(vec![None; fields])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: ColumnKind) -> ColumnEncoding {
        ColumnEncoding { name: "c".to_owned(), kind, nullable: true }
    }

    fn number(unit: NumberUnit) -> ColumnEncoding {
        column(ColumnKind::Number { lower: 0.0, upper: 1.0, steps: 4, unit })
    }

    #[test]
    fn what_is_no_value_of_a_column_is_null() {
        let plain = number(NumberUnit::Number);
        assert_eq!(label(&plain, " 0.5 "), Some(Label::Number(0.5)));
        for odd in ["", "NaN", "x", "1,5"] {
            assert_eq!(label(&plain, odd), None, "{odd}");
        }
        assert_eq!(label(&number(NumberUnit::Day), "1970-01-03"), Some(Label::Integer(2)));
        assert_eq!(label(&number(NumberUnit::Day), "3"), None);
        let moment = label(&number(NumberUnit::Microsecond), "1970-01-01 00:00:01");
        assert_eq!(moment, Some(Label::Integer(1_000_000)));
        assert_eq!(label(&column(ColumnKind::Truth), "YES"), Some(Label::Truth(true)));
        assert_eq!(label(&column(ColumnKind::Truth), "maybe"), None);
        let listed = |value: Label| column(ColumnKind::Category { values: vec![None, Some(value)] });
        assert_eq!(label(&listed(Label::Integer(3)), "3.0"), Some(Label::Number(3.0)));
        assert_eq!(label(&listed(Label::Integer(3)), "three"), None);
        let text = listed(Label::Text("a".to_owned()));
        assert_eq!(label(&text, "b"), Some(Label::Text("b".to_owned())), "another value is not NULL");
        assert_eq!(label(&text, ""), None);
    }
}
