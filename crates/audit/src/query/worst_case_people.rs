//! People who are hard to hide: candidates for the one person in whom two worlds differ.
//!
//! Rows are put together from cells that could matter (bounds, public keys, constants of the question and
//! their neighbours, nothing), and the question's own filter, keys and measures are evaluated on them. So a
//! person's rows pass the filter where any can, and have the largest and the smallest values that the
//! question adds up.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use pointillist_catalog::{ColumnType, Table, Value};
use pointillist_curator::arrays::{array, value};
use pointillist_curator::made_up::mixed;
use pointillist_engine::{evaluate, integers};
use pointillist_mechanisms::Grid;
use pointillist_plan::{Form, PrivatePlan, Quantity, Scalar, Type, Units, type_of_column};

use super::candidate_cells::{Cell, Constants, cells};
use super::text_table::scanned;

/// Rows that are put together.
const ROWS: usize = 3_000;
/// Rows of a person who has many, at least.
const MANY: u64 = 300;
/// And at most.
const MANY_MOST: u64 = 5_000;
/// Groups that a person with a row in every group visits at most.
const GROUPS_MOST: usize = 500;
/// What no ordinary reader likes.
const HOSTILE: [&str; 10] =
    ["", "NaN", "inf", "-inf", "1e300", "-1e300", "99999999999999999999", "0x7f", "3,14", "🎨\u{202e}"];

/// A person, as rows of cells in the order of the plan's columns.
pub struct Person {
    /// Who it is, in a few words.
    pub name: String,
    /// Their rows.
    pub rows: Vec<Vec<String>>,
}

/// A row with what the question makes of it.
struct Judged {
    cells: Vec<String>,
    group: Vec<Option<Value>>,
    worth: f64,
}

/// The people worth trying. With `many_rows` they may have any number of rows, else one.
pub fn worst_case_people(plan: &PrivatePlan, table: &Table, many_rows: bool) -> Vec<Person> {
    let constants = Constants::of(plan);
    let choices: Vec<Vec<Cell>> =
        scanned(plan).iter().map(|column| cells(column, table, &constants)).collect();
    let rows = combined(&choices);
    let judged = judged(plan, &rows);
    let bound = &plan.aggregation.bound;
    let many = (2 * bound.rows_max()).clamp(MANY, MANY_MOST) as usize;
    let by_worth = |a: &&Judged, b: &&Judged| a.worth.total_cmp(&b.worth);
    let (Some(largest), Some(smallest)) = (judged.iter().max_by(by_worth), judged.iter().min_by(by_worth))
    else {
        let cells = rows.first().map(|row| texts(row)).unwrap_or_default();
        return vec![Person { name: "one row (none passes the filter)".to_owned(), rows: vec![cells] }];
    };
    let ends = [(largest, "largest"), (smallest, "smallest")];
    let mut people = Vec::new();
    if !many_rows {
        for (row, word) in ends {
            let rows = vec![row.cells.clone()];
            people.push(Person { name: format!("one row of the {word} values"), rows });
        }
        people.extend(alone(plan, &judged, 1));
        people.push(Person { name: "one row of hostile cells".to_owned(), rows: hostile(plan, largest, 1) });
        return distinct(people);
    }
    if plan.aggregation.keys.is_empty() {
        for (row, word) in ends {
            let name = format!("{many} rows of the {word} values");
            people.push(Person { name, rows: vec![row.cells.clone(); many] });
        }
    } else {
        people.extend(in_groups(plan, &judged, many));
    }
    people.extend(alone(plan, &judged, many));
    people.push(Person { name: format!("{many} rows of hostile cells"), rows: hostile(plan, largest, many) });
    distinct(people)
}

/// Somebody with the largest and somebody with the smallest values in as many groups as a person may touch,
/// and somebody in every group.
fn in_groups(plan: &PrivatePlan, judged: &[Judged], many: usize) -> Vec<Person> {
    let mut best: BTreeMap<&[Option<Value>], [&Judged; 2]> = BTreeMap::new();
    let domain = plan.aggregation.domain.as_ref();
    for row in judged.iter().filter(|row| domain.is_none_or(|domain| domain.contains(&row.group))) {
        let [least, most] = best.entry(&row.group).or_insert([row, row]);
        if row.worth < least.worth {
            *least = row;
        }
        if row.worth > most.worth {
            *most = row;
        }
    }
    let counted =
        usize::try_from(plan.aggregation.bound.groups_max()).unwrap_or(GROUPS_MOST).min(GROUPS_MOST);
    [
        (1, "largest", counted, "in as many groups as count"),
        (0, "smallest", counted, "in as many groups as count"),
        (1, "largest", GROUPS_MOST, "in every group"),
    ]
    .into_iter()
    .map(|(end, word, groups_most, which)| {
        let groups: Vec<&Judged> = best.values().map(|ends| ends[end]).take(groups_most).collect();
        let each = many / groups.len().max(1) + 1;
        let rows = groups.iter().flat_map(|row| vec![row.cells.clone(); each]).collect();
        Person { name: format!("{each} rows of the {word} values {which}"), rows }
    })
    .collect()
}

/// Somebody in a group where nobody else is, and somebody in many of them.
fn alone(plan: &PrivatePlan, judged: &[Judged], many: usize) -> Vec<Person> {
    let key_columns: Vec<usize> = plan
        .aggregation
        .keys
        .iter()
        .filter_map(|key| match &key.value {
            Scalar::Column(column) => Some(*column),
            _ => None,
        })
        .collect();
    let mut people = Vec::new();
    if let Some(domain) = &plan.aggregation.domain {
        // Nobody who is made up has the last public key.
        let last = domain.last().and_then(|group| judged.iter().find(|row| row.group == *group));
        people.extend(last.map(|row| Person {
            name: format!("{many} rows in a public group that is empty"),
            rows: vec![row.cells.clone(); many],
        }));
        return people;
    }
    let Some(row) = judged.iter().max_by(|a, b| a.worth.total_cmp(&b.worth)) else { return people };
    if key_columns.is_empty() {
        return people;
    }
    let own = |number: usize| {
        let mut cells = row.cells.clone();
        for column in &key_columns {
            cells[*column] = match &scanned(plan)[*column].kind {
                ColumnType::Text => format!("of their own {number}"),
                _ => (7_000_000 + number).to_string(),
            };
        }
        cells
    };
    people.push(Person { name: format!("{many} rows in a group of their own"), rows: vec![own(0); many] });
    if many > 1 {
        people
            .push(Person { name: format!("{many} groups of their own"), rows: (0..many).map(own).collect() });
    }
    people
}

/// Rows of cells that no reader likes, in the groups of a row that passes.
fn hostile(plan: &PrivatePlan, model: &Judged, many: usize) -> Vec<Vec<String>> {
    let is_key = |column: usize| plan.aggregation.keys.iter().any(|key| key.value == Scalar::Column(column));
    let row = |number: usize| -> Vec<String> {
        let cell = |(column, text): (usize, &String)| match is_key(column) && number.is_multiple_of(2) {
            true => text.clone(),
            false => HOSTILE[(number + column) % HOSTILE.len()].to_owned(),
        };
        model.cells.iter().enumerate().map(cell).collect()
    };
    (0..many).map(row).collect()
}

fn distinct(people: Vec<Person>) -> Vec<Person> {
    let mut kept: Vec<Person> = Vec::new();
    for person in people {
        if !kept.iter().any(|other| other.rows == person.rows) {
            kept.push(person);
        }
    }
    kept
}

/// The rows that pass the filter, with their groups and what they add.
fn judged(plan: &PrivatePlan, rows: &[Vec<Cell>]) -> Vec<Judged> {
    let types: Vec<Type> = scanned(plan).iter().map(|column| type_of_column(&column.kind)).collect();
    let columns: Vec<ArrayRef> = types
        .iter()
        .enumerate()
        .map(|(column, kind)| array(*kind, rows.iter().map(|row| row[column].value.as_ref())))
        .collect();
    let aggregation = &plan.aggregation;
    let is_true = |condition: Option<&Scalar>| -> Vec<bool> {
        let Some(condition) = condition else { return vec![true; rows.len()] };
        let values = evaluate(condition, &columns, rows.len());
        let values = values.as_boolean_opt();
        (0..rows.len())
            .map(|row| values.is_some_and(|values| values.is_valid(row) && values.value(row)))
            .collect()
    };
    let passes = is_true(aggregation.filter.as_ref());
    let mut worth = vec![0.0; rows.len()];
    for measure in &aggregation.measures {
        let counted = is_true(measure.counted.as_ref());
        let amounts: Vec<f64> = match &measure.quantity {
            Quantity::Rows | Quantity::People | Quantity::PeopleCut | Quantity::Distinct { .. } => {
                vec![1.0; rows.len()]
            }
            Quantity::Total { .. } | Quantity::Product { .. } | Quantity::Quantile { .. } => {
                let amounts = amounts(&measure.quantity, &columns, rows.len());
                let most = (0..rows.len())
                    .filter(|row| amounts.is_valid(*row))
                    .map(|row| amounts.value(row).unsigned_abs())
                    .max();
                let most = most.unwrap_or(1).max(1) as f64;
                // Each measure weighs the same, whatever its unit.
                (0..rows.len())
                    .map(|row| if amounts.is_valid(row) { amounts.value(row) as f64 / most } else { 0.0 })
                    .collect()
            }
        };
        for ((worth, amount), counted) in worth.iter_mut().zip(amounts).zip(counted) {
            *worth += if counted { amount } else { 0.0 };
        }
    }
    let keys: Vec<(Type, ArrayRef)> =
        aggregation.keys.iter().map(|key| (key.kind, evaluate(&key.value, &columns, rows.len()))).collect();
    let group = |row: usize| keys.iter().map(|(kind, values)| value(*kind, values, row)).collect::<Vec<_>>();
    (0..rows.len())
        .filter(|row| passes[*row])
        .map(|row| Judged { cells: texts(&rows[row]), group: group(row), worth: worth[row] })
        .collect()
}

/// What a row adds to a measure of integers; where a quantile's value lies, from the middle of its grid.
fn amounts(quantity: &Quantity, columns: &[ArrayRef], rows: usize) -> Int64Array {
    let centred = |value: &Scalar, grid: &Grid| {
        let form = Form::Linear { offset: -grid.last_index(), factor: 2 };
        integers(&evaluate(value, columns, rows), &Units { grid: grid.clone(), form })
    };
    match quantity {
        Quantity::Total { value, units, .. } => integers(&evaluate(value, columns, rows), units),
        Quantity::Quantile { value, grid, .. } => centred(value, grid),
        Quantity::Product { left, right, .. } => {
            let (left, right) = (centred(&left.0, &left.1), centred(&right.0, &right.1));
            left.iter().zip(right.iter()).map(|(x, y)| x.zip(y).map(|(x, y)| x.saturating_mul(y))).collect()
        }
        _ => Int64Array::from(vec![1; rows]),
    }
}

fn texts(row: &[Cell]) -> Vec<String> {
    row.iter().map(|cell| cell.text.clone()).collect()
}

/// All rows of these cells, or some of them where they are too many.
fn combined(choices: &[Vec<Cell>]) -> Vec<Vec<Cell>> {
    let all = choices.iter().try_fold(1usize, |product, cells| product.checked_mul(cells.len()));
    let count = all.map_or(ROWS, |all| all.min(ROWS));
    let is_all = all.is_some_and(|all| all <= ROWS);
    (0..count)
        .map(|row| {
            let mut rest = row;
            let pick = |(column, cells): (usize, &Vec<Cell>)| {
                let place = match is_all {
                    true => {
                        let place = rest % cells.len();
                        rest /= cells.len();
                        place
                    }
                    false => (mixed(row as u64, column as u64) % cells.len() as u64) as usize,
                };
                cells[place].clone()
            };
            choices.iter().enumerate().map(pick).collect()
        })
        .collect()
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

    fn tried(sql: &str) -> Vec<Person> {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let plan = plan(&catalog, sql, &Options::default()).unwrap();
        worst_case_people(&plan, &catalog.tables["visits"], true)
    }

    fn named<'a>(people: &'a [Person], word: &str) -> &'a Person {
        people.iter().find(|person| person.name.contains(word)).unwrap_or_else(|| panic!("{word}"))
    }

    #[test]
    fn rows_pass_the_filter_and_reach_both_ends() {
        let people = tried("SELECT SUM(cost) FROM visits WHERE age > 64 AND region = 'south'");
        for (word, end) in [("300 rows of the largest", 100.0), ("300 rows of the smallest", 0.0)] {
            let person = named(&people, word);
            assert_eq!(person.rows.len(), 300);
            // Values beyond the bounds count as the bound.
            let cost: f64 = person.rows[0][1].parse().unwrap();
            assert_eq!(cost.clamp(0.0, 100.0), end, "{:?}", person.rows[0]);
            assert!(person.rows[0].contains(&"south".to_owned()), "{:?}", person.rows[0]);
        }
        assert!(named(&people, "hostile").rows.iter().any(|row| row.contains(&"1e300".to_owned())));
    }

    #[test]
    fn groups_are_visited_where_there_are_some() {
        let public = tried("SELECT region, COUNT(*) FROM visits GROUP BY region");
        assert_eq!(named(&public, "empty").rows[0], ["south"]);
        let every = named(&public, "as many groups as count");
        assert!(["north", "south"].iter().all(|region| every.rows.contains(&vec![(*region).to_owned()])));
        let earned = tried("SELECT ward, COUNT(*) FROM visits GROUP BY ward");
        assert_eq!(named(&earned, "a group of their own").rows.len(), 300);
        let groups = named(&earned, "groups of their own");
        assert!(groups.rows[0] != groups.rows[1]);
    }
}
