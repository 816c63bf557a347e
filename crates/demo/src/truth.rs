//! The true numbers beside an answer, which only a made-up hospital may show.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_catalog::calendar::{date_text, timestamp_text};
use pointillist_curator::Answer;

use crate::{Hospital, Question};

/// True numbers beside an answer.
pub struct Truths {
    /// For each row of the answer.
    pub of_rows: Vec<Option<f64>>,
    /// How many of them lie in their interval.
    pub inside: usize,
    /// True groups that the answer does not show.
    pub hidden: Vec<String>,
}

impl Truths {
    /// Looks the truth up, row by row: the last column is the number, the first one the key, if there is one.
    pub fn of(question: &Question, hospital: &Hospital, answer: &Answer) -> Self {
        let mut truth: BTreeMap<String, f64> = (question.truth)(hospital);
        let last = answer.columns.len().saturating_sub(1);
        let mut inside = 0;
        let mut of_rows = Vec::new();
        for row in &answer.rows {
            let key = if last == 0 { Some(String::new()) } else { row.values[0].as_ref().map(key_text) };
            let value = key.and_then(|key| truth.remove(&key));
            let fits = row.intervals[last]
                .zip(value)
                .is_some_and(|((low, high), value)| low <= value && value <= high);
            inside += usize::from(fits);
            of_rows.push(value);
        }
        Self { of_rows, inside, hidden: truth.into_keys().collect() }
    }

    /// What to see in them, in words.
    pub fn words(&self) -> String {
        let mut words = match self.of_rows.len() {
            1 if self.inside == 1 => "The truth lies within the error bar.".to_owned(),
            1 => {
                "This time the truth lies outside the error bar, as it does once in twenty times.".to_owned()
            }
            rows => format!("{} of {rows} truths lie within their error bars.", self.inside),
        };
        if !self.hidden.is_empty() {
            words.push_str(&format!(" Not shown: {}.", self.hidden.join(", ")));
        }
        words
    }
}

/// A key as the questions' truths spell it.
fn key_text(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Date(days) => date_text(*days),
        Value::Timestamp(micros) => timestamp_text(*micros),
    }
}
