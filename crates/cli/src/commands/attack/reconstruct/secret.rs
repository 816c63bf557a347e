//! The secret column of a reconstruction: made up, or of a file.

use std::path::PathBuf;

use pointillist_noise::BitSource;
use serde_json::{Value, json};

use crate::commands::attack::selection::{Condition, rows_where};
use crate::commands::attack::shown;
use crate::failure::Failure;

/// More people than any attack takes, with a question each.
const PEOPLE_MAX: usize = 46_340;

/// Whose secret.
#[derive(clap::Args)]
pub struct SecretArguments {
    /// A CSV file with a header, one row a person [default: everybody's bit is a fair coin]
    #[arg(value_name = "FILE", requires = "column", requires = "value")]
    file: Option<PathBuf>,
    /// The secret column of FILE
    #[arg(long, value_name = "COLUMN", requires = "file")]
    column: Option<String>,
    /// The value that makes the secret bit a one
    #[arg(long, value_name = "VALUE", requires = "file", allow_hyphen_values = true)]
    value: Option<String>,
    /// How many people have a secret bit; with FILE, its first rows [default: 1024, 256 with --curator, or all rows]
    #[arg(long, value_name = "N")]
    people: Option<usize>,
}

/// One bit a person.
pub struct Secret {
    /// The bits.
    pub bits: Vec<bool>,
    /// What a one means.
    pub meaning: String,
    /// Where it comes from, for scripts.
    pub origin: Value,
}

impl SecretArguments {
    /// Whether nobody real has it.
    pub fn is_made_up(&self) -> bool {
        self.file.is_none()
    }

    /// Draws the secret, of so many people unless others were asked for, or reads it.
    pub fn secret(&self, people: usize) -> Result<Secret, Failure> {
        let (Some(path), Some(column), Some(value)) = (&self.file, &self.column, &self.value) else {
            let people = self.people.unwrap_or(people);
            if people > PEOPLE_MAX {
                return Err(Failure::Request(format!(
                    "{people} people are too many\n\
                     hint: the attack takes up to {PEOPLE_MAX}, with --questions 1"
                )));
            }
            let bits = shown::drawn(|bits| Ok((0..people).map(|_| bits.coin()).collect()))?;
            let meaning = "a fair coin of everybody's own, made up".to_owned();
            return Ok(Secret { bits, meaning, origin: json!("made up") });
        };
        let table = shown::records(path)?;
        let condition = Condition::new(column, value);
        let mut bits = rows_where(&table, path, std::slice::from_ref(&condition))?;
        if let Some(people) = self.people {
            if people > bits.len() {
                return Err(Failure::Request(format!(
                    "{} has {} rows, not {people}\nhint: leave --people out to take all of them",
                    path.display(),
                    bits.len()
                )));
            }
            bits.truncate(people);
        }
        let meaning = format!("`{condition}` in {}", path.display());
        let origin = json!({ "file": path.display().to_string(), "column": column, "value": value });
        Ok(Secret { bits, meaning, origin })
    }
}
