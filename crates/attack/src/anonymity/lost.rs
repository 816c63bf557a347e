//! How much of a table is lost when it is published k-anonymously.
//!
//! A cell loses the share of its column that its class covers: of numbers the distance from the least to the
//! largest value of the class over that of the whole table, of texts the number of other texts over that in
//! the whole table. A star loses everything. This is the normalized certainty penalty of Xu et al. (2006),
//! without weights.

use std::collections::BTreeSet;

use super::STAR;
use super::classes::classes;
use crate::AttackError;
use crate::records::Records;

/// The mean loss of a cell of these columns, between zero and one. Rows of the two tables are in the same
/// order.
pub fn information_lost(
    original: &Records,
    published: &Records,
    columns: &[&str],
) -> Result<f64, AttackError> {
    let before = columns.iter().map(|name| original.column(name)).collect::<Result<Vec<_>, _>>()?;
    let after = columns.iter().map(|name| published.column(name)).collect::<Result<Vec<_>, _>>()?;
    if original.rows().len() != published.rows().len() {
        return Err(AttackError::new(
            "the published table has another number of rows",
            "compare a table with what was made of it",
        ));
    }
    let all: Vec<usize> = (0..original.rows().len()).collect();
    let whole: Vec<f64> = before.iter().map(|column| spread(original, &all, *column)).collect();
    let mut lost = 0.0;
    for class in classes(published, &after) {
        for (place, column) in before.iter().enumerate() {
            let star = published.rows()[class[0]][after[place]] == STAR;
            let part = match whole[place] {
                _ if star => 1.0,
                0.0 => 0.0,
                whole => spread(original, &class, *column) / whole,
            };
            lost += part * class.len() as f64;
        }
    }
    Ok(lost / (all.len() * before.len()).max(1) as f64)
}

/// How far the values of a column spread over these rows.
fn spread(records: &Records, rows: &[usize], column: usize) -> f64 {
    let number =
        |row: &Vec<String>| row[column].trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let texts = || rows.iter().map(|row| &records.rows()[*row]);
    if records.rows().iter().all(|row| number(row).is_some()) {
        let ends = texts().filter_map(number);
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| (low.min(n), high.max(n)));
        return (high - low).max(0.0);
    }
    texts().map(|row| row[column].as_str()).collect::<BTreeSet<_>>().len().saturating_sub(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymity::mondrian;
    use crate::linkage::examples::town;
    use crate::records::testing::records;

    #[test]
    fn ranges_sets_and_stars_lose_their_share() {
        let original = records("age,town,sex", &["20,a,f", "30,b,f", "40,c,m", "60,c,m"]);
        let published = records("age,town,sex", &["20–30,a|b,f", "20–30,a|b,f", "*,c,m", "*,c,m"]);
        let lost = |columns: &[&str]| information_lost(&original, &published, columns).unwrap();
        assert!((lost(&["age"]) - (0.25 + 0.25 + 1.0 + 1.0) / 4.0).abs() < 1e-12);
        assert!((lost(&["town"]) - 0.25).abs() < 1e-12);
        assert_eq!(lost(&["sex"]), 0.0);
        assert_eq!(information_lost(&original, &original, &["age", "town", "sex"]).unwrap(), 0.0);
        assert!(information_lost(&original, &records("age", &["1"]), &["age"]).is_err());
    }

    #[test]
    fn more_anonymity_loses_more() {
        let (people, known) = (town(300), ["born", "sex", "zip"]);
        let lost = [2, 5, 20, 100, 300]
            .map(|k| information_lost(&people, &mondrian(&people, &known, k).unwrap(), &known).unwrap());
        assert!(lost.windows(2).all(|pair| pair[0] < pair[1]) && lost[4] == 1.0, "{lost:?}");
    }
}
