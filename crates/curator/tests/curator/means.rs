//! Means of people with many rows: what is answered is what a careful reader of the catalog expects.

use std::fmt::Write;

use pointillist_catalog::Value;

use super::clinic::Clinic;

const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 1e6, delta = 1e-6 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "person"
max_groups = 1
max_contributions = 5

[table.visits.columns]
person = { type = "integer" }
late = { type = "boolean" }
delay = { type = "decimal", lower = -60, upper = 180, step = 1, nullable = false }

[table.people]
scope = "patients"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
age = { type = "integer", lower = 0, upper = 120, nullable = false }
"#;

/// Rows of a person: whether late, and how late. One in five rows is late, of people with one to forty rows.
fn people() -> Vec<Vec<(bool, i64)>> {
    let chance = |seed: u64| {
        (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed >> 7).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 40
    };
    let rows = |person: u64| 1 + chance(person) % 40;
    let row = |person: u64, row: u64| {
        let dice = chance(person * 1000 + row + 7);
        (dice % 100 < 21, (dice % 300) as i64 - 80)
    };
    (1..=2000).map(|person| (0..rows(person)).map(|at| row(person, at)).collect()).collect()
}

fn clinic() -> Clinic {
    let mut text = String::from("person,late,delay\n");
    for (person, rows) in people().iter().enumerate() {
        for (late, delay) in rows {
            writeln!(text, "{person},{late},{delay}").unwrap();
        }
    }
    Clinic::with_catalog(CATALOG, &text)
}

/// The mean of rows that weigh min(1, m/c) each.
fn weighted(rows_max: usize, value: impl Fn(&(bool, i64)) -> f64) -> (f64, f64) {
    let (mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for rows in people() {
        let weight = (rows_max as f64 / rows.len() as f64).min(1.0);
        for row in &rows {
            weights += weight;
            sum += weight * value(row);
            squares += weight * value(row).powi(2);
        }
    }
    (sum / weights, (squares / weights - (sum / weights).powi(2)).sqrt())
}

fn ask(clinic: &Clinic, select: &str, rows_max: usize) -> (f64, (f64, f64), Vec<String>) {
    let options = format!("OPTIONS (rho = 20000, max_contributions = {rows_max})");
    let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY {options} {select} AS v FROM visits");
    let answer = clinic.ask(&sql).unwrap_or_else(|error| panic!("{sql}: {error}")).answer;
    let value = match answer.rows[0].values[0] {
        Some(Value::Number(value)) => value,
        Some(Value::Integer(value)) => value as f64,
        ref other => panic!("{other:?}"),
    };
    (value, answer.rows[0].intervals[0].unwrap(), answer.notes)
}

/// Specification: with next to no noise a mean is that of rows weighed by min(1, m/c), for one row a person as for
/// forty; a ratio written for it is the same number, and so are deviations. Cut towards the middle instead, the first
/// would be 0.43 here, and the ratio of a clamped sum and a cut count 76 %.
/// False alarm: below 1e-9 (noise of 0.05 rows at most where thousands are counted).
#[test]
fn people_with_many_rows_keep_their_share_of_a_mean() {
    let clinic = clinic();
    for rows_max in [1, 5, 20] {
        let (truth, deviation) = weighted(rows_max, |row| f64::from(u8::from(row.0)));
        assert!((0.19..0.23).contains(&truth), "{truth}");
        for (select, expected) in [
            ("AVG(CASE WHEN late THEN 1 ELSE 0 END)", truth),
            ("100.0 * SUM(CASE WHEN late THEN 1 ELSE 0 END) / COUNT(*)", 100.0 * truth),
            ("1.0 * COUNT(*) FILTER (WHERE late) / COUNT(*)", truth),
            ("STDDEV_POP(CASE WHEN late THEN 1 ELSE 0 END)", deviation),
            ("AVG(delay)", weighted(rows_max, |row| row.1.clamp(-60, 180) as f64).0),
            ("SUM(delay) / COUNT(*)", weighted(rows_max, |row| row.1.clamp(-60, 180) as f64).0),
        ] {
            let (value, (low, high), notes) = ask(&clinic, select, rows_max);
            let close = expected.abs() * 1e-3;
            assert!((value - expected).abs() < close, "{select} at {rows_max}: {value}, not {expected}");
            assert!(high - low < 10.0 * close && low <= value && value <= high, "{select}: {low} {high}");
            assert_eq!(
                select.contains('/'),
                notes.iter().any(|note| note.contains("answered as AVG")),
                "{select}"
            );
        }
    }
}

/// Specification: a value that is declared never to be missing and is missing all the same leaves the row out, in every
/// aggregate of the question, so that what was shared because of the declaration is still the same.
#[test]
fn a_missing_value_where_none_may_be_leaves_the_row_out() {
    let clinic =
        Clinic::with_catalog(CATALOG, "person,late,delay\n1,true,10\n2,true,\n3,false,30\n4,true,x\n");
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 20000, max_contributions = 1) \
               COUNT(*), COUNT(delay), AVG(delay), COUNT(*) FILTER (WHERE late) FROM visits";
    let answer = clinic.ask(sql).unwrap().answer;
    let values: Vec<f64> = answer.rows[0]
        .values
        .iter()
        .map(|value| match value {
            Some(Value::Integer(value)) => *value as f64,
            Some(Value::Number(value)) => value.round(),
            other => panic!("{other:?}"),
        })
        .collect();
    // The mean of two values between −60 and 180 has noise of half a unit here: ten times that is no chance.
    assert_eq!((values[0], values[1], values[3]), (2.0, 2.0, 1.0));
    assert!((values[2] - 20.0).abs() <= 6.0, "{values:?}");
}

/// Specification: where rows are people, COUNT, SUM and AVG of one column are two releases, and agree with the truth.
#[test]
fn a_sum_beside_a_mean_is_free() {
    let clinic = Clinic::with_catalog(CATALOG, "person,late,delay\n");
    let sql =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 20000) COUNT(*), SUM(age), AVG(age) FROM people";
    let answer = clinic.ask(sql).unwrap().answer;
    let ages: i64 = (0..400).map(|person| person % 90).sum();
    let row = &answer.rows[0];
    assert_eq!(row.values[0], Some(Value::Integer(400)));
    let Some(Value::Integer(sum)) = row.values[1] else { panic!("{row:?}") };
    assert!((sum - ages).abs() <= 5, "{sum} {ages}");
    let (low, high) = row.intervals[1].unwrap();
    let bound = answer.columns[1].release.as_ref().unwrap().error_95.unwrap();
    assert!(
        low <= sum as f64 && sum as f64 <= high && high - low <= 2.0 * bound + 1e-6,
        "{low} {high} {bound}"
    );
}
