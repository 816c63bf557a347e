//! Two sanitized tables as one: made-up people, and made-up rows that are theirs.
//!
//! **Guarantee.** Both tables were released and paid for; what is done here is post-processing of them with public coins, and the same
//! every time. How many rows a made-up person has is a column of the first table, and so was counted with noise like any other.
//! **How.** As many rows are drawn of the second table as the people have together. A row goes to a person who agrees with it in all
//! columns that both tables have, by the bins of the second; what finds nobody goes to who agrees in all but the last, and so on, until
//! everybody has as many as their number says. So the second table has its own marginals, all of them, and the first has its own;
//! how one goes with the other is as good as the columns that both have.
//! **Not covered.** Rows of one person go together by those columns alone: a made-up history is no history.

use std::collections::HashMap;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use pointillist_catalog::Value;
use pointillist_curator::arrays::array;
use pointillist_curator::{FittedTable, SanitizedColumn};
use pointillist_plan::Type;

use crate::named_rows::NamedRows;

/// Rows of the second table that are made at most.
const ROWS_MAX: u64 = 100_000_000;

/// Made-up people and their rows.
#[derive(Clone, Debug)]
pub struct LinkedTables {
    /// One row a person, the key first.
    pub people: NamedRows,
    /// Their rows, the key first, without the columns that say what the person's row says.
    pub rows: NamedRows,
    /// The columns by which rows found their people.
    pub shared: Vec<String>,
    /// The share of rows whose person agrees in all of them.
    pub agreeing: f64,
}

/// Gives made-up rows to made-up people, of whom each has as many as the column `number` says.
///
/// # Errors
/// In words, when there is no such column, it is no number, or a name is taken.
pub fn link(
    people: &FittedTable,
    rows: &FittedTable,
    number: &str,
    key: &str,
    count: Option<u64>,
) -> Result<LinkedTables, String> {
    let place = people.columns().iter().position(|column| column.name == number);
    let place = place.ok_or_else(|| format!("the table of people has no column `{number}`"))?;
    if people.columns()[place].kind != Type::Integer {
        return Err(format!("`{number}` is no column of whole numbers"));
    }
    let all_columns = || people.columns().iter().chain(rows.columns());
    if all_columns().any(|column| column.name.eq_ignore_ascii_case(key)) {
        return Err(format!("a column is called `{key}` already; give the key another name"));
    }
    let people_cells = people.cells(count);
    let of_person = |cell: &u32| match people.columns()[place].value(*cell) {
        Some(Value::Integer(number)) => u64::try_from(number).unwrap_or(0),
        _ => 0,
    };
    let wanted: Vec<u64> = people_cells[place].iter().map(of_person).collect();
    let total: u64 = wanted.iter().sum();
    if total > ROWS_MAX {
        return Err(format!(
            "these people have {total} rows together, more than the {ROWS_MAX} that are made"
        ));
    }
    let row_cells = rows.cells(Some(total));
    let shared = shared_columns(people.columns(), rows.columns());
    let bins = |cells: &[Vec<u32>], places: &[usize]| -> Vec<Vec<u32>> {
        let both = shared.iter().zip(places);
        both.map(|((_, at), place)| {
            cells[*place].iter().map(|cell| rows.model().bin_of(*at, *cell)).collect()
        })
        .collect()
    };
    let (left, right): (Vec<usize>, Vec<usize>) = shared.iter().copied().unzip();
    let row_count = row_cells.first().map_or(0, Vec::len);
    let (people_bins, row_bins) = (bins(&people_cells, &left), bins(&row_cells, &right));
    let (owners, agreeing) = owners(&people_bins, &row_bins, row_count, &wanted);
    let failed = || "the rows are no table".to_owned();
    let keys = |owners: &mut dyn Iterator<Item = usize>| -> (String, Type, ArrayRef) {
        let keys: Vec<Value> = owners.map(|owner| Value::Integer(owner as i64 + 1)).collect();
        (key.to_owned(), Type::Integer, array(Type::Integer, keys.iter().map(Some)))
    };
    let columns = |table: &FittedTable, cells: &[Vec<u32>], kept: &dyn Fn(usize) -> bool| {
        let batch = table.batch(cells)?;
        let all = table.columns().iter().zip(batch.columns()).enumerate().filter(|(at, _)| kept(*at));
        Some(all.map(|(_, (it, array))| (it.name.clone(), it.kind, array.clone())).collect::<Vec<_>>())
    };
    let mut of_people = vec![keys(&mut (0..wanted.len()))];
    of_people.extend(columns(people, &people_cells, &|_| true).ok_or_else(failed)?);
    let mut of_rows = columns(rows, &row_cells, &|at| !right.contains(&at)).ok_or_else(failed)?;
    // Rows of one person stand together.
    let mut order: Vec<u32> = (0..owners.len() as u32).collect();
    order.sort_by_key(|row| owners[*row as usize]);
    let order = UInt32Array::from(order);
    for (_, _, array) in &mut of_rows {
        *array = take(array, &order, None).map_err(|_| failed())?;
    }
    of_rows.insert(0, keys(&mut order.values().iter().map(|row| owners[*row as usize])));
    Ok(LinkedTables {
        people: NamedRows::new(of_people).ok_or_else(failed)?,
        rows: NamedRows::new(of_rows).ok_or_else(failed)?,
        shared: left.iter().map(|at| people.columns()[*at].name.clone()).collect(),
        agreeing,
    })
}

/// The columns that both have: of one name, with the same values.
fn shared_columns(people: &[SanitizedColumn], rows: &[SanitizedColumn]) -> Vec<(usize, usize)> {
    let same = |column: &SanitizedColumn| {
        rows.iter().position(|other| {
            (&other.name, other.kind, &other.values, other.nullable)
                == (&column.name, column.kind, &column.values, column.nullable)
        })
    };
    people.iter().enumerate().filter_map(|(at, column)| Some((at, same(column)?))).collect()
}

/// For each row its person, and the share of rows that agree with theirs in everything. There are as many rows as the people want, or
/// fewer where hardly any row keeps the constraints.
fn owners(people: &[Vec<u32>], rows: &[Vec<u32>], row_count: usize, wanted: &[u64]) -> (Vec<usize>, f64) {
    let mut missing = wanted.to_vec();
    let mut owners: Vec<Option<usize>> = vec![None; row_count];
    let mut agreeing = 0;
    for together in (0..=people.len()).rev() {
        let key = |table: &[Vec<u32>], at: usize| -> Vec<u32> {
            table[..together].iter().map(|column| column[at]).collect()
        };
        let mut free: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for row in (0..owners.len()).rev().filter(|row| owners[*row].is_none()) {
            free.entry(key(rows, row)).or_default().push(row);
        }
        for (person, missing) in missing.iter_mut().enumerate().filter(|(_, missing)| **missing > 0) {
            let Some(rows) = free.get_mut(&key(people, person)) else { continue };
            while *missing > 0
                && let Some(row) = rows.pop()
            {
                owners[row] = Some(person);
                *missing -= 1;
                agreeing += usize::from(together == people.len());
            }
        }
    }
    let share = if owners.is_empty() { 1.0 } else { agreeing as f64 / owners.len() as f64 };
    (owners.into_iter().flatten().collect(), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: everybody has as many rows as wanted, every row has one person, and a row goes to who agrees with it wherever
    /// there is somebody.
    #[test]
    fn rows_go_to_people_who_agree() {
        let people = [vec![0, 1, 1, 0], vec![5, 6, 7, 5]];
        let rows = [vec![1, 0, 1, 0, 1, 0], vec![6, 5, 9, 5, 7, 5]];
        let wanted = [2, 2, 1, 1];
        let (owners, share) = owners(&people, &rows, 6, &wanted);
        let has = |person: usize| owners.iter().filter(|owner| **owner == person).count() as u64;
        assert_eq!([0, 1, 2, 3].map(has), wanted);
        let agree = |row: usize| (0..2).all(|column| rows[column][row] == people[column][owners[row]]);
        assert!([0, 1, 3, 4, 5].into_iter().all(agree), "{owners:?}");
        assert_eq!(people[0][owners[2]], 1, "the odd one goes to somebody who agrees in the first column");
        assert_eq!(share, 5.0 / 6.0);
    }

    #[test]
    fn nobody_and_nothing_in_common_are_linked_as_well() {
        assert_eq!(owners(&[], &[], 0, &[]), (Vec::new(), 1.0));
        assert_eq!(owners(&[], &[], 3, &[1, 0, 2]), (vec![0, 2, 2], 1.0));
        assert_eq!(owners(&[], &[], 2, &[1, 0, 2]), (vec![0, 2], 1.0), "rows that were not to be had");
    }
}
