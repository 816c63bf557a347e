//! What k-anonymity does not stop.
//!
//! **Homogeneity.** Where all rows of a class share the sensitive value, everybody in the class is known to have it, and
//! nobody has to be found first. **Background.** An outsider who can rule out one value of a class may be left with one.
//! **Intersection.** Two k-anonymous tables that share people: whoever is in both has a value that stands in both
//! classes, and often only one does (Ganta, Kasiviswanathan and Smith 2008). Differential privacy composes; this does
//! not.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::classes;
use crate::AttackError;
use crate::records::Records;

/// What the classes of one table give away.
#[derive(Clone, Debug, PartialEq)]
pub struct Disclosed {
    /// Rows in all.
    pub rows: usize,
    /// Rows whose sensitive value follows from their class.
    pub certain: usize,
    /// Rows whose value follows once one other value is ruled out.
    pub one_guess_away: usize,
    /// Some of the classes that give their value away: what outsiders see, the value, and how many rows.
    pub examples: Vec<(Vec<String>, String, usize)>,
}

/// Examples that are kept.
const EXAMPLES: usize = 5;

/// Reads sensitive values off the classes of a published table.
pub fn homogeneity(records: &Records, known: &[&str], sensitive: &str) -> Result<Disclosed, AttackError> {
    let known = known.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    let sensitive = records.column(sensitive)?;
    let mut found =
        Disclosed { rows: records.rows().len(), certain: 0, one_guess_away: 0, examples: Vec::new() };
    for class in classes(records, &known) {
        let values: BTreeSet<&str> =
            class.iter().map(|row| records.rows()[*row][sensitive].as_str()).collect();
        match values.len() {
            1 => {
                found.certain += class.len();
                if found.examples.len() < EXAMPLES {
                    let first = &records.rows()[class[0]];
                    let seen = known.iter().map(|column| first[*column].clone()).collect();
                    found.examples.push((seen, first[sensitive].clone(), class.len()));
                }
            }
            2 => found.one_guess_away += class.len(),
            _ => {}
        }
    }
    Ok(found)
}

/// What two published tables give away about the people who are in both.
#[derive(Clone, Debug, PartialEq)]
pub struct Intersected {
    /// People in both tables.
    pub people: usize,
    /// Of whom the sensitive value is certain from both tables together.
    pub certain: usize,
    /// Of whom it was certain from one table alone.
    pub certain_alone: usize,
}

/// Intersects the classes of two tables, row by row of `people`: pairs of a row of the first and a row of the second that
/// belong to the same person. The attacker knows in which class a person is, not which row is theirs.
pub fn intersection(
    first: (&Records, &[&str]),
    second: (&Records, &[&str]),
    sensitive: &str,
    people: &[(usize, usize)],
) -> Result<Intersected, AttackError> {
    let first = Values::of(first.0, first.1, sensitive)?;
    let second = Values::of(second.0, second.1, sensitive)?;
    let mut found = Intersected { people: people.len(), certain: 0, certain_alone: 0 };
    for (left, right) in people {
        let (Some(left), Some(right)) = (first.of_row(*left), second.of_row(*right)) else {
            return Err(AttackError::new("a person's row is not in the table", "count rows from zero"));
        };
        found.certain += usize::from(left.intersection(right).count() == 1);
        found.certain_alone += usize::from(left.len() == 1 || right.len() == 1);
    }
    Ok(found)
}

/// The sensitive values of the class of every row.
struct Values {
    class_of: BTreeMap<usize, usize>,
    values: Vec<BTreeSet<String>>,
}

impl Values {
    fn of(records: &Records, known: &[&str], sensitive: &str) -> Result<Self, AttackError> {
        let known = known.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
        let sensitive = records.column(sensitive)?;
        let mut found = Self { class_of: BTreeMap::new(), values: Vec::new() };
        for class in classes(records, &known) {
            found.class_of.extend(class.iter().map(|row| (*row, found.values.len())));
            found.values.push(class.iter().map(|row| records.rows()[*row][sensitive].clone()).collect());
        }
        Ok(found)
    }

    fn of_row(&self, row: usize) -> Option<&BTreeSet<String>> {
        Some(&self.values[*self.class_of.get(&row)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::testing::records;

    #[test]
    fn a_class_of_one_illness_hides_nothing() {
        let table = records(
            "zip,age,illness",
            &["13*,30–39,cancer", "13*,30–39,cancer", "13*,30–39,cancer", "14*,20–29,flu", "14*,20–29,heart"],
        );
        let found = homogeneity(&table, &["zip", "age"], "illness").unwrap();
        assert_eq!((found.rows, found.certain, found.one_guess_away), (5, 3, 2));
        assert_eq!(found.examples[0].1, "cancer");
        assert!(homogeneity(&table, &["zip"], "disease").is_err());
    }

    /// The example of Ganta et al.: Alice is in both hospitals' 4- and 6-anonymous tables, and only one illness is too.
    #[test]
    fn two_tables_together_tell_what_neither_tells() {
        let one = records("zip,illness", &["130,aids", "130,heart", "130,flu", "130,heart"]);
        let two = records(
            "zip,illness",
            &["13,aids", "13,tuberculosis", "13,cancer", "13,cancer", "13,aids", "13,gout"],
        );
        let found = intersection((&one, &["zip"]), (&two, &["zip"]), "illness", &[(0, 0)]).unwrap();
        assert_eq!((found.people, found.certain, found.certain_alone), (1, 1, 0));
        assert!(intersection((&one, &["zip"]), (&two, &["zip"]), "illness", &[(0, 9)]).is_err());
    }
}
