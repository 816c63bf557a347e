//! Cells that could matter to a question: bounds and what is beyond them, public keys, constants of the question and their
//! neighbours, and nothing.

use pointillist_catalog::calendar::{DAYS, parse_date, parse_timestamp};
use pointillist_catalog::{ColumnType, Table, Value};
use pointillist_plan::{PrivatePlan, ScanColumn};

use super::text_table::text;

const MICROSECONDS_A_DAY: i64 = 86_400_000_000;

/// A cell of a file and what is read from it.
#[derive(Clone)]
pub struct Cell {
    /// What the file says.
    pub text: String,
    /// What is read; NULL where nothing can be.
    pub value: Option<Value>,
}

/// The cells of a column that could matter.
pub fn cells(column: &ScanColumn, table: &Table, constants: &Constants) -> Vec<Cell> {
    let keys = table.column_in_file(&column.name).and_then(|declared| declared.public_keys.clone());
    let mut values: Vec<Value> = keys.unwrap_or_default();
    match &column.kind {
        ColumnType::Boolean => values.extend([true, false].map(Value::Boolean)),
        ColumnType::Integer { bounds } => {
            let (low, high) = bounds.unwrap_or((-1000, 1000));
            let whole = constants.numbers.iter().map(|value| *value as i64);
            let near = whole.flat_map(|value| [value.saturating_sub(1), value, value.saturating_add(1)]);
            let middle = low / 2 + high / 2;
            let beyond = [low.saturating_sub(1), high.saturating_add(1)];
            values
                .extend([low, high, middle, 0, 1].into_iter().chain(beyond).chain(near).map(Value::Integer));
        }
        ColumnType::Number { bounds, .. } => {
            let (low, high) = match bounds {
                Some((low, high)) => (low.to_f64_upper(), high.to_f64_lower()),
                None => (-1000.0, 1000.0),
            };
            let named = constants.numbers.iter();
            let near = named.flat_map(|value| [-1.0, -0.01, 0.0, 0.01, 1.0].map(|step| value + step));
            let all = [low, high, 0.5 * (low + high), 0.0, 1.0].into_iter().chain(near);
            values.extend(all.chain([low - 1.0, high + 1.0]).filter_map(Value::number));
        }
        ColumnType::Text => {
            values.extend(constants.texts.iter().cloned().map(Value::Text));
            if values.is_empty() {
                values.extend(["alpha", "beta", "gamma", "delta"].map(|word| Value::Text(word.to_owned())));
            }
        }
        ColumnType::Date { bounds } => {
            let (first, last) = bounds.unwrap_or((20_089, 20_453));
            let near = constants.days.iter().flat_map(|day| [day - 1, *day, day + 1]);
            let all = [first, last, first / 2 + last / 2, first - 1, last + 1].into_iter().chain(near);
            values.extend(all.map(|day| Value::Date(day.clamp(DAYS.0, DAYS.1))));
        }
        ColumnType::Timestamp { bounds } => {
            let (first, last) = bounds.unwrap_or((20_089 * MICROSECONDS_A_DAY, 20_453 * MICROSECONDS_A_DAY));
            let near = constants.microseconds.iter().flat_map(|moment| [moment - 1, *moment, moment + 1]);
            let all = [first, last, first / 2 + last / 2, first - 1, last + 1].into_iter().chain(near);
            let (least, most) =
                (i64::from(DAYS.0) * MICROSECONDS_A_DAY, i64::from(DAYS.1) * MICROSECONDS_A_DAY);
            values.extend(all.map(|moment| Value::Timestamp(moment.clamp(least, most))));
        }
    }
    values.sort();
    values.dedup();
    let cell = |value: Value| Cell { text: text(&value), value: Some(value) };
    values.into_iter().map(cell).chain([Cell { text: String::new(), value: None }]).collect()
}

/// The constants of a question, as every kind of column may meet them.
#[derive(Default)]
pub struct Constants {
    numbers: Vec<f64>,
    texts: Vec<String>,
    days: Vec<i32>,
    microseconds: Vec<i64>,
}

impl Constants {
    /// Those of filter, keys and measures.
    pub fn of(plan: &PrivatePlan) -> Self {
        let mut constants = Self::default();
        plan.aggregation.constants().iter().for_each(|value| constants.add(value));
        constants
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Boolean(_) => {}
            Value::Integer(value) => self.numbers.push(*value as f64),
            Value::Number(value) => self.numbers.push(*value),
            Value::Text(text) => {
                // A column that is cast meets what the text stands for.
                self.numbers.extend(text.parse::<f64>().ok().filter(|value| value.is_finite()));
                self.days.extend(parse_date(text));
                self.microseconds.extend(parse_timestamp(text));
                self.texts.push(text.clone());
            }
            Value::Date(day) => {
                self.days.push(*day);
                self.microseconds.push(i64::from(*day) * MICROSECONDS_A_DAY);
                self.texts.push(text(value));
            }
            Value::Timestamp(moment) => {
                self.days.extend(i32::try_from(moment.div_euclid(MICROSECONDS_A_DAY)).ok());
                self.microseconds.push(*moment);
                self.texts.push(text(value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;
    use pointillist_query::{Options, plan};

    use super::*;

    const CATALOG: &str = "
[scope.people]
budget = { epsilon = 4.0, delta = 1e-9 }
[table.visits]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"id\"
max_groups = 2
max_contributions = 4
[table.visits.columns]
region = { type = \"text\", public_keys = [\"north\", \"south\"] }
ward = { type = \"text\" }
cost = { type = \"decimal\", lower = 0, upper = 100, step = 0.01 }
age = { type = \"integer\", lower = 0, upper = 120 }
day = { type = \"date\" }
";

    /// Specification: constants come from what the question computes, wherever they stand in it, and not from its text.
    #[test]
    fn constants_are_found_wherever_a_question_has_them() {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let constants = |sql: &str| Constants::of(&plan(&catalog, sql, &Options::default()).unwrap());
        let found = constants(
            "SELECT ward || '!', SUM(CASE WHEN age > 17 THEN cost ELSE 3.5 END) FROM visits \
             WHERE (ward LIKE 'a b%' OR NOT region = 'it''s') AND day >= DATE '2024-02-29' GROUP BY 1 LIMIT 99",
        );
        assert!(found.numbers.contains(&17.0) && found.numbers.contains(&3.5), "{:?}", found.numbers);
        assert!(!found.numbers.contains(&99.0), "{:?}", found.numbers);
        for text in ["!", "a b%", "it's"] {
            assert!(found.texts.iter().any(|found| found == text), "{text}: {:?}", found.texts);
        }
        assert_eq!(found.days, [parse_date("2024-02-29").unwrap()]);
        let nothing = constants("SELECT COUNT(*) FROM visits");
        assert!(nothing.numbers.is_empty() && nothing.texts.is_empty());
    }
}
