//! What k-anonymity does not stop.
//!
//! **Homogeneity.** Where all rows of a class share the sensitive value, everybody in the class is known to
//! have it, and nobody has to be found first. **Background.** An outsider who can rule out one value of a
//! class may be left with one.
//! **Intersection.** Two k-anonymous tables that share people: whoever is in both has a value that stands in
//! both classes, and often only one does (Ganta, Kasiviswanathan and Smith 2008). Differential privacy
//! composes; this does not.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::classes::classes;
use crate::AttackError;
use crate::linkage::link;
use crate::records::Records;

/// What the classes of one table give away.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disclosed {
    /// Rows in all.
    pub rows: usize,
    /// Rows whose sensitive value follows from their class.
    pub certain: usize,
    /// Rows whose value follows once one other value is ruled out.
    pub one_guess_away: usize,
    /// Some of the classes that give their value away: what outsiders see, the value, and how many rows.
    #[serde(skip)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Intersected {
    /// People in both tables.
    pub people: usize,
    /// Of whom the sensitive value is certain from both tables together.
    pub certain: usize,
    /// Of whom it was certain from one table alone.
    pub certain_alone: usize,
    /// Of whom two values are left: it is certain once one is ruled out.
    pub one_guess_away: usize,
    /// Of whom the better of the two tables alone left two values.
    pub one_guess_away_alone: usize,
    /// For every person, how many values the better of the two tables leaves, and how many both together.
    /// None are left where the tables contradict each other.
    #[serde(skip)]
    pub left: Vec<(usize, usize)>,
}

/// Intersects the classes of two tables, row by row of `people`: pairs of a row of the first and a row of the
/// second that belong to the same person. The attacker knows in which class a person is, not which row is
/// theirs.
pub fn intersection(
    first: (&Records, &[&str]),
    second: (&Records, &[&str]),
    sensitive: &str,
    people: &[(usize, usize)],
) -> Result<Intersected, AttackError> {
    let first = Values::of(first.0, first.1, sensitive)?;
    let second = Values::of(second.0, second.1, sensitive)?;
    let mut left = Vec::with_capacity(people.len());
    for (row, other) in people {
        let (Some(values), Some(others)) = (first.of_row(*row), second.of_row(*other)) else {
            return Err(AttackError::new("a person's row is not in the table", "count rows from zero"));
        };
        left.push((values.len().min(others.len()), values.intersection(others).count()));
    }
    let count = |part: &dyn Fn(&(usize, usize)) -> bool| left.iter().filter(|left| part(left)).count();
    Ok(Intersected {
        people: people.len(),
        certain: count(&|left| left.1 == 1),
        certain_alone: count(&|left| left.0 == 1),
        one_guess_away: count(&|left| left.1 == 2),
        one_guess_away_alone: count(&|left| left.0 == 2),
        left,
    })
}

/// The people who are in both tables: rows that alone have the same texts in these columns, which both tables
/// have.
pub fn in_both(first: &Records, second: &Records, by: &[&str]) -> Result<Vec<(usize, usize)>, AttackError> {
    Ok(link(first, second, by)?.identified.into_iter().map(|same| (same.row, same.person)).collect())
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
    use crate::anonymity::mondrian;
    use crate::linkage::examples::town;
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

    /// The example of Ganta et al.: Alice is in both hospitals' 4- and 6-anonymous tables, and only one
    /// illness is too.
    #[test]
    fn two_tables_together_tell_what_neither_tells() {
        let one = records("zip,illness", &["130,aids", "130,heart", "130,flu", "130,heart"]);
        let two = records(
            "zip,illness",
            &["13,aids", "13,tuberculosis", "13,cancer", "13,cancer", "13,aids", "13,gout"],
        );
        let found = intersection((&one, &["zip"]), (&two, &["zip"]), "illness", &[(0, 0)]).unwrap();
        assert_eq!((found.people, found.certain, found.certain_alone), (1, 1, 0));
        assert_eq!((found.left, found.one_guess_away), (vec![(3, 1)], 0));
        assert!(intersection((&one, &["zip"]), (&two, &["zip"]), "illness", &[(0, 9)]).is_err());
    }
    /// Specification: two hospitals that 5-anonymize their patients, some of whom are the same, give values
    /// away that neither gives away alone.
    #[test]
    fn two_hospitals_that_share_patients_tell_on_them() {
        let people = town(750);
        let part = |rows: std::ops::Range<usize>| {
            Records::new(people.columns().to_vec(), people.rows()[rows].to_vec()).unwrap()
        };
        let (west, east) = (part(0..450), part(300..750));
        let both = in_both(&west, &east, &["name"]).unwrap();
        assert_eq!((both.len(), both[0]), (150, (300, 0)));
        let known = ["born", "sex", "zip"];
        let publish = |table: &Records| mondrian(table, &known, 5).unwrap();
        let found =
            intersection((&publish(&west), &known), (&publish(&east), &known), "illness", &both).unwrap();
        assert_eq!(found.people, 150);
        assert!(found.certain > found.certain_alone + 10, "{found:?}");
        // The true value stands in both classes.
        assert!(found.left.iter().all(|(alone, together)| 1 <= *together && together <= alone));
    }
}
