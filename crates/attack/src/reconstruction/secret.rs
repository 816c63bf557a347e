//! The secret column of a reconstruction: made up, or of a table.

use pointillist_noise::SecureBits;
use serde::{Serialize, Serializer};

use crate::AttackError;
use crate::condition::{Condition, rows_where};
use crate::records::NamedRecords;

/// More people than any attack takes, with a question each.
const PEOPLE_MAX: usize = 46_340;

/// One bit a person.
#[derive(Clone, Debug)]
pub struct Secret {
    bits: Vec<bool>,
    meaning: String,
    source: Source,
}

/// Where a secret comes from.
#[derive(Clone, Debug, Serialize)]
enum Source {
    #[serde(rename = "made up")]
    MadeUp,
    #[serde(untagged)]
    Table { file: String, column: String, value: String },
}

impl Secret {
    /// A fair coin for each of so many people.
    pub fn made_up(people: usize, bits: &mut dyn SecureBits) -> Result<Self, AttackError> {
        if people > PEOPLE_MAX {
            return Err(AttackError::new(
                format!("{people} people are too many"),
                format!("the attack takes up to {PEOPLE_MAX}, with one question a person"),
            ));
        }
        Ok(Self {
            bits: (0..people).map(|_| bits.coin()).collect(),
            meaning: "a fair coin of everybody's own, made up".to_owned(),
            source: Source::MadeUp,
        })
    }

    /// Who has this value in this column: of all rows, or of the first few.
    pub fn of_table(
        table: &NamedRecords,
        column: &str,
        value: &str,
        people: Option<usize>,
    ) -> Result<Self, AttackError> {
        let condition = Condition::new(column, value);
        let mut bits = rows_where(table, std::slice::from_ref(&condition))?;
        if let Some(people) = people {
            if people > bits.len() {
                return Err(AttackError::new(
                    format!("{} has {} rows, not {people}", table.name, bits.len()),
                    "name no number of people to take all of them",
                ));
            }
            bits.truncate(people);
        }
        let (file, column, value) = (table.name.clone(), column.to_owned(), value.to_owned());
        let meaning = format!("`{condition}` in {file}");
        Ok(Self { bits, meaning, source: Source::Table { file, column, value } })
    }

    /// Everybody's bit.
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.bits.len()
    }

    /// What a one means.
    pub fn meaning(&self) -> &str {
        &self.meaning
    }

    /// Whether nobody real has it: then the bits are fair coins to everybody.
    pub fn is_made_up(&self) -> bool {
        matches!(self.source, Source::MadeUp)
    }
}

/// Where the secret comes from, and not what it is.
impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::records::Records;

    #[test]
    fn a_column_is_a_secret() {
        let records = Records::from_csv("id,ill\n1,yes\n2,no\n3,yes\n").unwrap();
        let table = NamedRecords { name: "ill.csv".to_owned(), records };
        let secret = Secret::of_table(&table, "ill", "yes", None).unwrap();
        assert_eq!((secret.bits(), secret.meaning()), (&[true, false, true][..], "`ill = yes` in ill.csv"));
        let json = serde_json::json!({ "file": "ill.csv", "column": "ill", "value": "yes" });
        assert_eq!(serde_json::to_value(&secret).unwrap(), json);
        assert_eq!(Secret::of_table(&table, "ill", "yes", Some(2)).unwrap().people(), 2);
        let error = Secret::of_table(&table, "ill", "yes", Some(4)).unwrap_err();
        assert_eq!(error.to_string(), "ill.csv has 3 rows, not 4");
    }

    #[test]
    fn coins_are_made_up_for_as_many_as_an_attack_takes() {
        let secret = Secret::made_up(20, &mut seeded(1)).unwrap();
        assert!(secret.is_made_up() && secret.people() == 20);
        assert_eq!(serde_json::to_value(&secret).unwrap(), "made up");
        assert!(Secret::made_up(PEOPLE_MAX + 1, &mut seeded(1)).is_err());
    }
}
