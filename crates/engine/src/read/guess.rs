//! Types and ranges read off the rows of a file: for owners who ask for a draft of their catalog.
//!
//! **Not private.** Everything here depends on rows, exactly. It is the owner's look at the owner's data; whoever
//! writes a part of it into a catalog publishes that part, and the draft says so.
//! **As declared.** A type is guessed by reading the column as that type, with the code that reads it later: what is
//! guessed here is not NULL there.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::types::{Float64Type, TimestampMicrosecondType};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{max, min};
use pointillist_catalog::calendar::DAY;
use pointillist_catalog::{ColumnType, DraftColumn, GuessedType, Value};
use pointillist_plan::ScanColumn;

use super::bounds::Target;
use super::canonical::canonical;
use super::header::header;
use super::quiet::Damage;
use super::{FileSource, SourceError};

const BATCH_ROWS: usize = 8192;
/// A type that so many of a hundred values have is the column's.
const FITS_OF_HUNDRED: u64 = 95;
/// Whole numbers beyond this are not told apart by doubles, and are names rather than amounts.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// What tables write where a value is missing.
const MISSING: [&str; 10] = ["na", "n/a", "n", "null", "none", "nan", "?", "-", ".", "\\n"];

/// What the rows of a file suggest. Exact, and for the owner only.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The columns, in the file's order; of those that share a name, only that they are there.
    pub columns: Vec<DraftColumn>,
    /// How many rows nineteen of twenty people have at most, where a column was said to name people.
    pub rows_of_a_person: Option<u64>,
}

/// Reads all rows. **For the owner only**: the result is data.
pub fn guess(path: &Path, unit: Option<&str>) -> Result<Guess, SourceError> {
    // Columns that share a name cannot be told apart, and are not looked at.
    let header = header(path)?;
    let is_alone = |name: &String| header.iter().filter(|(other, _)| other == name).count() == 1;
    let names: Vec<(String, GuessedType)> =
        header.iter().filter(|(name, _)| is_alone(name)).cloned().collect();
    let source = FileSource::open_file(path)?;
    let text = |(name, _): &(String, GuessedType)| ScanColumn { name: name.clone(), kind: ColumnType::Text };
    let scanned: Vec<ScanColumn> = names.iter().map(text).collect();
    let reading = source.reading(&scanned, unit, Arc::new(Damage::default()))?;
    let mut columns: Vec<Tally> = names.iter().map(|_| Tally::default()).collect();
    let mut people: HashMap<String, u64> = HashMap::new();
    for share in reading.shares(1) {
        reading.read(&share, BATCH_ROWS, &mut |file, batch| {
            for (tally, place) in columns.iter_mut().zip(&file.columns) {
                if let Some(place) = place {
                    tally.count(batch.column(*place));
                }
            }
            if let Some(place) = file.names.first().copied().flatten() {
                let owners = canonical(batch.column(place), &Target::Text);
                for owner in owners.as_string_view().iter().flatten() {
                    *people.entry(owner.to_owned()).or_default() += 1;
                }
            }
            true
        })?;
    }
    let mut tallies: HashMap<String, Tally> = names.into_iter().map(|(name, _)| name).zip(columns).collect();
    let columns = header.into_iter().map(|(name, stored)| {
        let (kind, range) = tallies.remove(&name).map_or((stored, None), |tally| tally.verdict(stored));
        DraftColumn { name, guessed: kind, range }
    });
    Ok(Guess { columns: columns.collect(), rows_of_a_person: usual_rows(people.into_values().collect()) })
}

/// The number of rows that nineteen of twenty people do not exceed.
fn usual_rows(mut rows: Vec<u64>) -> Option<u64> {
    rows.sort_unstable();
    let place = (rows.len() * 19).div_ceil(20).checked_sub(1)?;
    rows.get(place).copied()
}

/// What a column's values can be read as.
#[derive(Default)]
struct Tally {
    /// Values that are there.
    values: u64,
    numbers: Seen<f64>,
    booleans: u64,
    moments: Seen<i64>,
    /// A number with a fraction was seen.
    fractions: bool,
    /// A moment that is not a midnight was seen.
    times: bool,
}

/// How many values were read, and between which two they lie.
#[derive(Default)]
struct Seen<T> {
    count: u64,
    range: Option<(T, T)>,
}

impl<T: Copy + PartialOrd> Seen<T> {
    fn add(&mut self, count: u64, range: Option<(T, T)>) {
        self.count += count;
        self.range = match (self.range, range) {
            (Some((a, b)), Some((c, d))) => Some((if c < a { c } else { a }, if d > b { d } else { b })),
            (one, other) => one.or(other),
        };
    }
}

impl Tally {
    fn count(&mut self, stored: &ArrayRef) {
        let texts = canonical(stored, &Target::Text);
        let there = |text: &&str| {
            let text = text.trim();
            !text.is_empty() && !MISSING.iter().any(|missing| text.eq_ignore_ascii_case(missing))
        };
        self.values += texts.as_string_view().iter().flatten().filter(there).count() as u64;

        let numbers = canonical(stored, &Target::Number(None));
        let numbers = numbers.as_primitive::<Float64Type>();
        self.fractions |= numbers.iter().flatten().any(|value| value.fract() != 0.0);
        self.numbers.add((numbers.len() - numbers.null_count()) as u64, min(numbers).zip(max(numbers)));

        let moments = canonical(stored, &Target::Timestamp(None));
        let moments = moments.as_primitive::<TimestampMicrosecondType>();
        self.times |= moments.iter().flatten().any(|moment| moment.rem_euclid(DAY) != 0);
        self.moments.add((moments.len() - moments.null_count()) as u64, min(moments).zip(max(moments)));

        let booleans = canonical(stored, &Target::Boolean);
        self.booleans += (booleans.len() - booleans.null_count()) as u64;
    }

    /// The type, and the ends where it has some.
    fn verdict(&self, stored: GuessedType) -> (GuessedType, Option<(Value, Value)>) {
        let fits = |count: u64| count > 0 && count * 100 >= self.values * FITS_OF_HUNDRED;
        let exact = self.numbers.range.is_none_or(|(low, high)| low.abs().max(high.abs()) < EXACT_MAX);
        let kind = match stored {
            GuessedType::Unknown | GuessedType::Text if fits(self.numbers.count) => {
                if self.fractions || !exact { GuessedType::Number } else { GuessedType::Integer }
            }
            GuessedType::Unknown | GuessedType::Text if fits(self.moments.count) => {
                if self.times {
                    GuessedType::Timestamp
                } else {
                    GuessedType::Date
                }
            }
            GuessedType::Unknown | GuessedType::Text if fits(self.booleans) => GuessedType::Boolean,
            GuessedType::Unknown => GuessedType::Text,
            stored => stored,
        };
        #[allow(clippy::cast_possible_truncation)] // Whole, and far inside of 64 bits; days of the calendar.
        let range = match kind {
            GuessedType::Integer if exact => self
                .numbers
                .range
                .map(|(low, high)| (Value::Integer(low.floor() as i64), Value::Integer(high.ceil() as i64))),
            GuessedType::Number => {
                self.numbers.range.map(|(low, high)| (Value::Number(low), Value::Number(high)))
            }
            GuessedType::Date => self.moments.range.map(|(low, high)| {
                (Value::Date(low.div_euclid(DAY) as i32), Value::Date(high.div_euclid(DAY) as i32))
            }),
            GuessedType::Timestamp => {
                self.moments.range.map(|(low, high)| (Value::Timestamp(low), Value::Timestamp(high)))
            }
            _ => None,
        };
        (kind, range)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn guessed(name: &str, text: &str, unit: Option<&str>) -> Guess {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        guess(&path, unit).unwrap()
    }

    #[test]
    fn types_are_what_the_values_can_be_read_as() {
        let text = "who,age,pay,flag,ward,day,at,gap,zero\n\
                    a,17,1.50,yes,x,2024-02-29,2024-02-29 10:00:00,NA,0\n\
                    a,90,-3,no,7th,2023-01-01,2024-03-01T00:00:00,4,1\n\
                    b,35,2,no,,2023-05-05,2024-03-01T00:00:00,?,1\n";
        let guess = guessed("t.csv", text, Some("who"));
        let kinds: Vec<GuessedType> = guess.columns.iter().map(|column| column.guessed).collect();
        use GuessedType::{Boolean, Date, Integer, Number, Text, Timestamp};
        assert_eq!(kinds, [Text, Integer, Number, Boolean, Text, Date, Timestamp, Integer, Integer]);
        assert_eq!(guess.columns[1].range, Some((Value::Integer(17), Value::Integer(90))));
        assert_eq!(guess.columns[2].range, Some((Value::Number(-3.0), Value::Number(2.0))));
        assert_eq!(guess.columns[7].range, Some((Value::Integer(4), Value::Integer(4))));
        assert_eq!(guess.columns[4].range, None, "no text of a row is kept");
        assert_eq!(guess.rows_of_a_person, Some(2));
    }

    #[test]
    fn a_few_strange_values_do_not_change_a_type_and_many_do() {
        let numbers = |strange: usize| {
            let rows: String = (0..100).map(|row| if row < strange { "odd\n" } else { "5\n" }).collect();
            guessed("t.csv", &format!("x\n{rows}"), None).columns[0].guessed
        };
        assert_eq!((numbers(5), numbers(6)), (GuessedType::Integer, GuessedType::Text));
    }

    #[test]
    fn most_people_decide_how_many_rows_are_usual() {
        assert_eq!(usual_rows(Vec::new()), None);
        assert_eq!(usual_rows(vec![1; 100]), Some(1));
        let mut rows = vec![2; 95];
        rows.extend([1000; 5]);
        assert_eq!(usual_rows(rows), Some(2));
    }
}
