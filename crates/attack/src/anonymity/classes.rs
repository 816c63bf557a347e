//! Rows that look alike to an outsider, and how much that hides.
//!
//! **k**: the size of the smallest class. **l-diversity** (Machanavajjhala et al. 2006), distinct form: the fewest
//! different sensitive values in a class; entropy form: e to the smallest entropy of a class. **t-closeness** (Li et al.
//! 2007): the largest distance between the sensitive values of a class and those of the whole table, as half the sum of
//! absolute differences where values have no order, and as the earth mover's distance over their ranks where all of them
//! are numbers.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::AttackError;
use crate::records::Records;

/// How anonymous a table is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Anonymity {
    /// Rows in the smallest class; zero for an empty table.
    pub k: usize,
    /// How many classes there are.
    pub classes: usize,
    /// Rows that are alone in their class.
    #[serde(skip)]
    pub unique_rows: usize,
    /// Distinct sensitive values in the class that has fewest; `None` without a sensitive column.
    pub l_distinct: Option<usize>,
    /// e to the smallest entropy of a class.
    pub l_entropy: Option<f64>,
    /// The largest distance of a class from the whole table.
    pub t: Option<f64>,
}

/// The rows of every class, in the order in which classes first appear.
pub fn classes(records: &Records, known: &[usize]) -> Vec<Vec<usize>> {
    let mut places: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (index, row) in records.rows().iter().enumerate() {
        let key: Vec<&str> = known.iter().map(|column| row[*column].as_str()).collect();
        let next = found.len();
        let place = *places.entry(key).or_insert(next);
        if place == next {
            found.push(Vec::new());
        }
        found[place].push(index);
    }
    found
}

/// Measures a table whose `known` columns outsiders know and whose `sensitive` column they want.
pub fn measure(records: &Records, known: &[&str], sensitive: Option<&str>) -> Result<Anonymity, AttackError> {
    let known = known.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    let sensitive = sensitive.map(|name| records.column(name)).transpose()?;
    let classes = classes(records, &known);
    let mut anonymity = Anonymity {
        k: classes.iter().map(Vec::len).min().unwrap_or(0),
        classes: classes.len(),
        unique_rows: classes.iter().filter(|class| class.len() == 1).count(),
        l_distinct: None,
        l_entropy: None,
        t: None,
    };
    if let Some(sensitive) = sensitive {
        let everything: Vec<usize> = (0..records.rows().len()).collect();
        let whole = shares(records, &everything, sensitive);
        let each: Vec<BTreeMap<&str, f64>> =
            classes.iter().map(|class| shares(records, class, sensitive)).collect();
        anonymity.l_distinct = each.iter().map(BTreeMap::len).min();
        let entropy = |part: &BTreeMap<&str, f64>| -part.values().map(|p| p * p.ln()).sum::<f64>();
        anonymity.l_entropy = each.iter().map(entropy).reduce(f64::min).map(f64::exp);
        anonymity.t = each.iter().map(|part| distance(part, &whole)).reduce(f64::max);
    }
    Ok(anonymity)
}

fn shares<'r>(records: &'r Records, rows: &[usize], column: usize) -> BTreeMap<&'r str, f64> {
    let mut shares = BTreeMap::new();
    for row in rows {
        *shares.entry(records.rows()[*row][column].as_str()).or_insert(0.0) += 1.0 / rows.len() as f64;
    }
    shares
}

/// Between the shares of a class and those of the whole table, whose values include the class's.
fn distance(part: &BTreeMap<&str, f64>, whole: &BTreeMap<&str, f64>) -> f64 {
    let difference = |value: &&str| part.get(*value).unwrap_or(&0.0) - whole[*value];
    let numbers: Option<Vec<(f64, &str)>> = whole
        .keys()
        .map(|value| Some((value.parse().ok().filter(|n: &f64| n.is_finite())?, *value)))
        .collect();
    match numbers {
        Some(mut ordered) if ordered.len() > 1 => {
            ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut moved = 0.0;
            let steps = ordered.len() - 1;
            let carried = ordered[..steps].iter().map(|(_, value)| {
                moved += difference(value);
                f64::abs(moved)
            });
            carried.sum::<f64>() / steps as f64
        }
        _ => whole.keys().map(|value| difference(value).abs()).sum::<f64>() / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use super::*;
    use crate::records::testing::records;

    #[test]
    fn a_table_is_measured() {
        let table = records(
            "zip,age,illness",
            &["130,20,heart", "130,20,heart", "130,30,flu", "130,30,cancer", "130,30,flu", "131,40,flu"],
        );
        let found = measure(&table, &["zip", "age"], Some("illness")).unwrap();
        assert_eq!((found.k, found.classes, found.unique_rows), (1, 3, 1));
        assert_eq!(found.l_distinct, Some(1));
        assert!((found.l_entropy.unwrap() - 1.0).abs() < 1e-12);
        // The class of hearts against 1/3 heart, 1/2 flu, 1/6 cancer.
        assert!((found.t.unwrap() - 2.0 / 3.0).abs() < 1e-12);
        let alone = measure(&table, &["zip"], None).unwrap();
        assert_eq!((alone.k, alone.t), (1, None));
    }

    /// The example of Li et al. (2007): salaries 3k to 11k; the class {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167.
    #[test]
    fn numbers_are_moved_over_their_ranks() {
        let rows: Vec<String> =
            (3..=11).map(|salary| format!("{},{salary}000", if salary <= 5 { "a" } else { "b" })).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let found = measure(&records("zip,salary", &rows), &["zip"], Some("salary")).unwrap();
        assert!((found.t.unwrap() - 0.375).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn columns_that_are_not_there_are_named() {
        let table = records("a,b", &["1,2"]);
        let error = measure(&table, &["c"], None).unwrap_err();
        assert!(error.to_string().contains("`c`"), "{error}");
        assert_eq!(error.hint().as_deref(), Some("the columns are a, b"));
        let nobody = records("a", &[]);
        assert_eq!(measure(&nobody, &["a"], Some("a")).unwrap().k, 0);
    }
}
